/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "region.h"

/* What of one direction is read of a plane, and what is written. */
typedef struct {
  guint from, n_read, to, n_written;
} Span;

/* What of one direction of the picture is read and written, in pixels of its largest plane. */
typedef struct {
  guint size, out_size; /* of the picture before and after */
  guint from, n_read, to;
} PictureSpan;

/* n / 2^shift, rounded up */
static guint
halve(guint n, guint shift) {
  return (guint)(((guint64)n + (1u << shift) - 1) >> shift);
}

/* The smallest shift at which a picture of `picture` pixels has no more than `plane` pixels: 1 for
 * the chroma of 4:2:0. */
static guint
subsampling(guint picture, guint plane) {
  guint shift = 0;
  while (halve(picture, shift) > plane)
    shift++;
  return shift;
}

/* All of a plane is read for all of the picture; of a part, every pixel that it touches. */
static Span
plane_span(const PictureSpan *picture, guint size, guint out_size, guint stride) {
  const guint shift = subsampling(picture->size, size);
  const guint end = picture->from + picture->n_read;
  Span span = {.from = picture->from >> shift, .to = picture->to >> shift};
  span.n_read = (end == picture->size ? size : halve(end, shift)) - span.from;
  span.n_written = MIN((span.n_read + stride - 1) / stride, out_size - span.to);
  return span;
}

static void
largest_plane(const CcFrameLayout *layout, guint *width, guint *height) {
  *width = *height = 0;
  for (guint p = 0; p < layout->n_planes; p++) {
    *width = MAX(*width, layout->plane[p].width);
    *height = MAX(*height, layout->plane[p].height);
  }
}

static gboolean
check_regions(const CcFilter *filter, const PictureSpan *across, const PictureSpan *down,
              GError **error) {
  if (across->from >= across->size || down->from >= down->size) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "roi=<%u, %u, %u, %u>: nothing of it lies in the picture; <x, y, width, height> "
                "with x below %u and y below %u is needed",
                filter->source.x, filter->source.y, filter->source.width, filter->source.height,
                across->size, down->size);
    return FALSE;
  }
  if (across->to >= across->out_size || down->to >= down->out_size) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "target=<%u, %u>: outside of the output picture; <x, y> with x below %u and y "
                "below %u is needed",
                across->to, down->to, across->out_size, down->out_size);
    return FALSE;
  }
  return TRUE;
}

static gboolean
has_pairs(const CcFrameLayout *frame) {
  for (guint p = 0; p < frame->n_planes; p++)
    if (frame->plane[p].pairs)
      return TRUE;
  return FALSE;
}

/* Whether whole pairs of pixels are read and written; the last one of a row may be half a pair. */
static gboolean
check_pairs(const PictureSpan *across, guint stride, GError **error) {
  const guint end = across->from + across->n_read;
  const guint out_end = across->to + (across->n_read + stride - 1) / stride;
  if (across->from % 2 == 0 && (end % 2 == 0 || end == across->size) && across->to % 2 == 0 &&
      (out_end % 2 == 0 || out_end >= across->out_size))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "roi=<%u, ..., %u, ...> target=<%u, ...>: whole pairs of pixels are needed in packed "
              "4:2:2, from even columns to even columns",
              across->from, across->n_read, across->to);
  return FALSE;
}

gboolean
cc_filter_find_regions(const CcFilter *filter, const CcFrameLayout *frame,
                       const CcFrameLayout *layout, const CcFrameLayout *out_layout, guint stride,
                       CcRect source[CC_MAX_PLANES], CcRect target[CC_MAX_PLANES], GError **error) {
  PictureSpan across = {0}, down = {0};
  largest_plane(layout, &across.size, &down.size);
  largest_plane(out_layout, &across.out_size, &down.out_size);
  across.n_read = across.size;
  down.n_read = down.size;
  if (filter->source.width && filter->source.height) {
    across.from = filter->source.x;
    down.from = filter->source.y;
  }
  across.to = filter->target_set ? filter->target_x : across.from / stride;
  down.to = filter->target_set ? filter->target_y : down.from / stride;
  if (!check_regions(filter, &across, &down, error))
    return FALSE;
  if (filter->source.width && filter->source.height) {
    across.n_read = MIN(filter->source.width, across.size - across.from);
    down.n_read = MIN(filter->source.height, down.size - down.from);
  }
  if (has_pairs(frame) && !check_pairs(&across, stride, error))
    return FALSE;
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcPlaneLayout *in = &layout->plane[p], *out = &out_layout->plane[p];
    const Span x = plane_span(&across, in->width, out->width, stride);
    const Span y = plane_span(&down, in->height, out->height, stride);
    source[p] = (CcRect){x.from, y.from, x.n_read, y.n_read};
    target[p] = (CcRect){x.to, y.to, x.n_written, y.n_written};
  }
  return TRUE;
}
