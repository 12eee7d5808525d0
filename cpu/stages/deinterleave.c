/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterleave.h"

#include "cpu/plain.h"
#include "engine/shared.h"

/* number of target rows that are computed at a time; a power of two; their strips fit L2 */
#define N_ROWS 32
#define PREFETCH_ROWS 8

/* --- the plan --- */

/* Returns the pitch for a row of n samples: an odd number of cache lines, so that neighbouring rows
 * fall into different cache sets. */
static gsize
pitch_of(const CcPlaneLayout *plane, gsize n) {
  return cc_row_align(n * cc_sample_size(plane->type)) | CC_ROW_ALIGN;
}

/* Returns how many samples of plane p a row of the frame has, if the row has `groups` pixel groups.
 * With macropixels the number may include an unused luma sample. */
static guint
samples_in(const CcPlan *plan, guint p, guint groups) {
  const guint f = plan->map[p].offset[0].plane;
  return groups * (plan->frame_layout.plane[f].has_macropixels ? 2 : plan->layout.plane[p].step);
}

void
cc_deinterleaved_init(CcDeinterleaved *self, const CcPlan *plan, const CcRows *rows,
                      guint load_mask, guint radius, gsize at) {
  *self =
      (CcDeinterleaved){.plan = plan,
                        .rows = rows,
                        .radius = radius,
                        .n_rows = N_ROWS,
                        .n_loaded = 1u << g_bit_storage((N_ROWS - 1) * plan->stride + 2 * radius),
                        .load_mask = load_mask,
                        .size = at};
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->layout.plane[p];
    const guint f = plan->map[p].offset[0].plane;
    const guint groups = cc_plane_groups(&plan->frame_layout.plane[f]);
    const guint out_groups = cc_plane_groups(&plan->out_frame_layout.plane[f]);
    if (load_mask & 1u << p) {
      self->src[p] =
          (CcDeinterleavedRows){self->size, pitch_of(plane, samples_in(plan, p, groups))};
      self->size += self->n_loaded * self->src[p].pitch;
    }
    self->dst[p] =
        (CcDeinterleavedRows){self->size, pitch_of(plane, samples_in(plan, p, out_groups))};
    self->size += self->n_rows * self->dst[p].pitch;
  }
}

/* --- rows of frames --- */

/* Returns the address of a component's samples in row y, from the rectangle's left edge on. */
static guint8 *
offset_address(const CcDeinterleaved *self, const CcFrame *frame, const CcRect *rects,
               const CcComponentOffset *offset, guint y) {
  const CcPlaneLayout *plane = &self->plan->frame_layout.plane[offset->plane];
  const CcPlane *memory = &frame->plane[offset->plane];
  const CcRect *rect = &rects[offset->plane];
  const gsize sample = (gsize)rect->x * plane->step + offset->first;
  return memory->data + (gssize)(rect->y + y) * memory->pitch +
         sample * cc_sample_size(plane->type);
}

/* Deinterleaves row y of the source into row `at` of the strips. */
static void
load_row(const CcDeinterleaving *deinterleaving, guint y, gint at) {
  const CcDeinterleaved *self = deinterleaving->deinterleaved;
  const CcPlacement *placement = deinterleaving->placement;
  const CcFrame *src = deinterleaving->src;
  const CcPlan *plan = self->plan;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->layout.plane[p];
    const CcComponentOffset *offset = plan->map[p].offset;
    const guint n = placement->source[p].width * plane->step;
    guint8 *to = cc_strip_row(&deinterleaving->from[p], at);
    if (!(self->load_mask & 1u << p))
      continue;
    const guint8 *from = offset_address(self, src, placement->frame_source, &offset[0], y);
    if (plan->map[p].kind == CC_PLANE_MAP_LUMA) {
      const gconstpointer rgb[3] = {
          from, offset_address(self, src, placement->frame_source, &offset[1], y),
          offset_address(self, src, placement->frame_source, &offset[2], y)};
      self->rows->samples->luma[plane->type](to, rgb, offset->spacing, n, plane->shift);
    } else {
      const CcLane lane = plane->type == CC_SAMPLE_U8 ? CC_LANE_8 : CC_LANE_16;
      self->rows->samples->load[plane->type][lane](to, from, offset->spacing, n, 0);
    }
  }
}

void
cc_deinterleaving_begin(CcDeinterleaving *self, const CcDeinterleaved *deinterleaved,
                        const CcPlacement *placement, const CcFrame *src, const CcFrame *dst,
                        guint y0, guint8 *scratch) {
  const CcPlan *plan = deinterleaved->plan;
  *self = (CcDeinterleaving){
      .deinterleaved = deinterleaved, .placement = placement, .src = src, .dst = dst, .stored = y0};
  self->next = (gint)(y0 * plan->stride) - (gint)deinterleaved->radius;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcDeinterleavedRows *from = &deinterleaved->src[p], *to = &deinterleaved->dst[p];
    const CcComponentOffset *offset = &plan->map[p].offset[0];
    if (deinterleaved->load_mask & 1u << p)
      self->from[p] = (CcStrip){scratch + from->at, (gssize)from->pitch, self->next,
                                deinterleaved->n_loaded - 1};
    else
      self->from[p] =
          (CcStrip){offset_address(deinterleaved, src, placement->frame_source, offset, 0),
                    src->plane[offset->plane].pitch, 0, G_MAXUINT};
    self->to[p] =
        (CcStrip){scratch + to->at, (gssize)to->pitch, (gint)y0, deinterleaved->n_rows - 1};
  }
}

static void
prefetch_row(const CcDeinterleaved *self, const CcFrame *frame, const CcRect *rects, guint y) {
  enum { CACHE_LINE = 64 };
  for (guint f = 0; f < self->plan->frame_layout.n_planes; f++) {
    const CcPlaneLayout *plane = &self->plan->frame_layout.plane[f];
    const guint8 *row = offset_address(self, frame, rects, &(CcComponentOffset){.plane = f}, y);
    const gsize bytes = rects[f].width * cc_plane_group_bytes(plane);
    for (gsize at = 0; y < rects[f].height && at < bytes; at += CACHE_LINE)
      __builtin_prefetch(row + at);
  }
}

void
cc_deinterleaving_load(CcDeinterleaving *self, guint y) {
  const CcPlan *plan = self->deinterleaved->plan;
  const CcPlacement *placement = self->placement;
  const gint end = (gint)((y - 1) * plan->stride + self->deinterleaved->radius + 1);
  for (; self->deinterleaved->load_mask && self->next < end; self->next++) {
    const gint row = cc_border_index(self->next, (gint)placement->source[0].height, plan->border);
    if (row < 0)
      continue;
    prefetch_row(self->deinterleaved, self->src, placement->frame_source,
                 (guint)row + PREFETCH_ROWS);
    load_row(self, (guint)row, self->next);
  }
}

/* Repeats the last sample of row y of each plane as often as the placement says. */
static void
repeat_last(const CcDeinterleaving *self, guint y) {
  const CcPlan *plan = self->deinterleaved->plan;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const gsize size = cc_sample_size(plan->layout.plane[p].type);
    guint8 *end = cc_strip_row(&self->to[p], (gint)y) + self->placement->target[p].width * size;
    for (gsize i = 0; i < self->placement->repeats[p] * size; i++)
      end[i] = end[(gssize)i - (gssize)size];
  }
}

/* Finds the rows that are interleaved into row y of plane f of the frame, in the order of their
 * first samples. Returns the number of rows. Sets *n to the number of samples of each row. */
static guint
find_parts(const CcDeinterleaving *self, guint f, guint y, gconstpointer parts[CC_MAX_COMPONENTS],
           guint *n) {
  const CcPlan *plan = self->deinterleaved->plan;
  guint spacing = 0;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    for (guint i = 0; i < cc_plane_map_n_offsets(&plan->map[p]); i++) {
      const CcComponentOffset *offset = &plan->map[p].offset[i];
      if (offset->plane != f)
        continue;
      parts[offset->first] = cc_strip_row(&self->to[p], (gint)y);
      spacing = offset->spacing;
      *n = samples_in(plan, p, self->placement->frame_target[f].width);
    }
  return spacing;
}

static void
store_row(const CcDeinterleaving *self, guint y) {
  const CcDeinterleaved *deinterleaved = self->deinterleaved;
  const CcPlan *plan = deinterleaved->plan;
  if (!deinterleaved->rows) {
    cc_plain_store(plan, self->placement, self->to, self->dst, y);
    return;
  }
  repeat_last(self, y);
  for (guint f = 0; f < plan->frame_layout.n_planes; f++) {
    gconstpointer parts[CC_MAX_COMPONENTS];
    guint n = 0;
    const guint n_parts = find_parts(self, f, y, parts, &n);
    guint8 *to = offset_address(deinterleaved, self->dst, self->placement->frame_target,
                                &(CcComponentOffset){.plane = f}, y);
    deinterleaved->rows->samples->join[plan->frame_layout.plane[f].type](to, parts, n_parts, n);
  }
}

void
cc_deinterleaving_store(CcDeinterleaving *self, guint y) {
  for (; self->stored < y; self->stored++) {
    prefetch_row(self->deinterleaved, self->dst, self->placement->frame_target,
                 self->stored + PREFETCH_ROWS);
    store_row(self, self->stored);
  }
}
