/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "region.h"

#include "engine/error.h"

/* The pixels of a plane that are read and written in one direction. */
typedef struct {
  guint from, n_read, to, n_written;
} Span;

/* The same for a frame, in pixels of its largest plane. */
typedef struct {
  guint size, out_size; /* of the input and output frame */
  guint from, n_read, to;
} FrameSpan;

/* n / 2^shift, rounded up. */
static guint
halve(guint n, guint shift) {
  return (guint)(((guint64)n + (1u << shift) - 1) >> shift);
}

/* The smallest shift for which `frame` >> shift, rounded up, is at most `plane`: 1 for the chroma
 * of 4:2:0. */
static guint
subsampling(guint frame, guint plane) {
  guint shift = 0;
  while (halve(frame, shift) > plane)
    shift++;
  return shift;
}

/* A span up to the end of the frame reads up to the end of the plane. A shorter span reads every
 * plane pixel that it touches. */
static Span
plane_span(const FrameSpan *frame, guint size, guint out_size, guint stride) {
  const guint shift = subsampling(frame->size, size);
  const guint end = frame->from + frame->n_read;
  Span span = {.from = frame->from >> shift, .to = frame->to >> shift};
  span.n_read = (end == frame->size ? size : halve(end, shift)) - span.from;
  span.n_written = MIN((span.n_read + stride - 1) / stride, out_size - span.to);
  return span;
}

CcRegion
cc_frame_layout_region(const CcFrameLayout *layout) {
  CcRegion region = {0};
  for (guint p = 0; p < layout->n_planes; p++) {
    region.source.width = MAX(region.source.width, layout->plane[p].width);
    region.source.height = MAX(region.source.height, layout->plane[p].height);
  }
  return region;
}

static void
find_spans(const CcRegion *region, const CcFrameLayout *in, const CcFrameLayout *out,
           FrameSpan *across, FrameSpan *down) {
  const CcRect frame = cc_frame_layout_region(in).source;
  const CcRect out_frame = cc_frame_layout_region(out).source;
  *across = (FrameSpan){.size = frame.width,
                        .out_size = out_frame.width,
                        .from = region->source.x,
                        .n_read = region->source.width,
                        .to = region->target_x};
  *down = (FrameSpan){.size = frame.height,
                      .out_size = out_frame.height,
                      .from = region->source.y,
                      .n_read = region->source.height,
                      .to = region->target_y};
}

void
cc_region_place(const CcRegion *region, const CcFrameLayout *in, const CcFrameLayout *out,
                guint stride, CcRect source[CC_MAX_PLANES], CcRect target[CC_MAX_PLANES]) {
  FrameSpan across, down;
  find_spans(region, in, out, &across, &down);
  for (guint p = 0; p < in->n_planes; p++) {
    const Span x = plane_span(&across, cc_plane_groups(&in->plane[p]),
                              cc_plane_groups(&out->plane[p]), stride);
    const Span y = plane_span(&down, in->plane[p].height, out->plane[p].height, stride);
    source[p] = (CcRect){x.from, y.from, x.n_read, y.n_read};
    target[p] = (CcRect){x.to, y.to, x.n_written, y.n_written};
  }
}

/* --- the region of a filter --- */

static gboolean
check_position(const CcFilter *filter, const FrameSpan *across, const FrameSpan *down,
               GError **error) {
  if (across->from >= across->size || down->from >= down->size) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "roi=<%u, %u, %u, %u>: outside of the frame; <x, y, width, height> "
                "with x below %u and y below %u is needed",
                filter->source.x, filter->source.y, filter->source.width, filter->source.height,
                across->size, down->size);
    return FALSE;
  }
  if (across->to >= across->out_size || down->to >= down->out_size) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "target=<%u, %u>: outside of the output frame; <x, y> with x below %u and y "
                "below %u is needed",
                across->to, down->to, across->out_size, down->out_size);
    return FALSE;
  }
  return TRUE;
}

static gboolean
has_macropixels(const CcFrameLayout *frame) {
  for (guint p = 0; p < frame->n_planes; p++)
    if (frame->plane[p].has_macropixels)
      return TRUE;
  return FALSE;
}

/* Whether only whole macropixels are read and written; the last macropixel of a row may be
 * incomplete. */
static gboolean
check_macropixels(const FrameSpan *across, guint stride, GError **error) {
  const guint end = across->from + across->n_read;
  const guint out_end = across->to + (across->n_read + stride - 1) / stride;
  if (across->from % 2 == 0 && (end % 2 == 0 || end == across->size) && across->to % 2 == 0 &&
      (out_end % 2 == 0 || out_end >= across->out_size))
    return TRUE;
  g_set_error(
      error, CC_ERROR, CC_ERROR_INVALID,
      "roi=<%u, ..., %u, ...> target=<%u, ...>: in packed 4:2:2 regions must start and end at "
      "even columns",
      across->from, across->n_read, across->to);
  return FALSE;
}

gboolean
cc_filter_find_region(const CcFilter *filter, const CcFrameLayout *frame, CcRegion *region,
                      GError **error) {
  const gboolean is_part = filter->source.width && filter->source.height;
  const guint stride = MAX(1, filter->stride);
  const CcFrameLayout out = cc_frame_layout_shrink(frame, stride);
  FrameSpan across, down;
  *region = (CcRegion){is_part ? filter->source : (CcRect){0}, filter->target_x, filter->target_y};
  if (!filter->target_set) {
    region->target_x = region->source.x / stride;
    region->target_y = region->source.y / stride;
  }
  find_spans(region, frame, &out, &across, &down);
  if (!check_position(filter, &across, &down, error))
    return FALSE;
  const guint right = across.size - across.from, below = down.size - down.from;
  across.n_read = region->source.width = is_part ? MIN(across.n_read, right) : right;
  region->source.height = is_part ? MIN(down.n_read, below) : below;
  return !has_macropixels(frame) || check_macropixels(&across, stride, error);
}
