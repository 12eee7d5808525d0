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

/* --- regions of users --- */

static gboolean
check_position(const CcRoi *roi, const FrameSpan *across, const FrameSpan *down, GError **error) {
  if (across->from >= across->size || down->from >= down->size) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "roi=<%u, %u, %u, %u>: outside of the frame; <x, y, width, height> "
                "with x below %u and y below %u is needed",
                roi->source.x, roi->source.y, roi->source.width, roi->source.height, across->size,
                down->size);
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
has_whole_macropixels(const FrameSpan *across, guint stride) {
  const guint end = across->from + across->n_read;
  const guint out_end = across->to + (across->n_read + stride - 1) / stride;
  return across->from % 2 == 0 && (end % 2 == 0 || end == across->size) && across->to % 2 == 0 &&
         (out_end % 2 == 0 || out_end >= across->out_size);
}

static void
set_given_side(CcRegion *region, guint width, guint height) {
  const guint side = MIN(width, height);
  region->given_side = side > MIN(region->source.width, region->source.height) ? side : 0;
}

gboolean
cc_roi_find_region(const CcRoi *roi, guint stride, const CcFrameLayout *frame, CcRegion *region,
                   GError **error) {
  static const CcFrameLayout largest = {
      .n_planes = 1,
      .plane = {{.width = G_MAXINT, .height = G_MAXINT, .step = 1, .depth = 8}},
  };
  frame = frame ? frame : &largest;
  const gboolean is_part = roi->source.width && roi->source.height;
  const CcFrameLayout out = cc_frame_layout_shrink(frame, stride);
  FrameSpan across, down;
  *region = (CcRegion){.source = is_part ? roi->source : (CcRect){0},
                       .target_x = roi->target_x,
                       .target_y = roi->target_y};
  if (!roi->target_set) {
    region->target_x = region->source.x / stride;
    region->target_y = region->source.y / stride;
  }
  find_spans(region, frame, &out, &across, &down);
  if (!check_position(roi, &across, &down, error))
    return FALSE;
  const guint right = across.size - across.from, below = down.size - down.from;
  across.n_read = region->source.width = is_part ? MIN(across.n_read, right) : right;
  region->source.height = is_part ? MIN(down.n_read, below) : below;
  set_given_side(region, roi->source.width, roi->source.height);
  if (!has_macropixels(frame) || has_whole_macropixels(&across, stride))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "roi=<%u, %u, %u, %u>, target=<%u, %u>: in packed 4:2:2 regions must start and end "
              "at even columns",
              region->source.x, region->source.y, region->source.width, region->source.height,
              region->target_x, region->target_y);
  return FALSE;
}

/* Returns `end` if the sum overflows or exceeds it. */
static guint
add_up_to(guint a, guint b, guint end) {
  return a < end && b < end - a ? a + b : end;
}

gboolean
cc_rect_find_region(const CcRect *rect, guint stride, const CcFrameLayout *frame,
                    CcRegion *region) {
  const CcRect whole = cc_frame_layout_region(frame).source;
  /* widened so far that the result begins and ends with a whole macropixel too */
  const guint unit = has_macropixels(frame) ? 2 * stride : 1;
  const guint right = add_up_to(rect->x, rect->width, whole.width);
  const guint below = add_up_to(rect->y, rect->height, whole.height);
  if (rect->x >= right || rect->y >= below)
    return FALSE;
  const guint x = rect->x / unit * unit;
  const guint64 end = ((guint64)right + unit - 1) / unit * unit;
  *region = (CcRegion){
      .source = {x, rect->y, (guint)MIN(end, whole.width) - x, below - rect->y},
      .target_x = x / stride,
      .target_y = rect->y / stride,
  };
  set_given_side(region, rect->width, rect->height);
  return TRUE;
}
