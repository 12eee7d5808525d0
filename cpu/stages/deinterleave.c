/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterleave.h"

#include "cpu/plain.h"
#include "engine/shared.h"

#define N_ROWS 32 /* of the target that are made at a time: a power of two; their strips fit L2 */
#define PREFETCH_ROWS 8

/* --- the plan --- */

/* Takes room for a row of n samples; an odd number of cache lines, so that the rows of a column
 * fall into different cache sets. */
static gsize
pitch_of(const CcPlaneLayout *plane, gsize n) {
  return cc_row_align(n * cc_sample_size(plane->type)) | CC_ROW_ALIGN;
}

/* Samples that a plane has in a row of so many groups of the frame, the spare one of pairs
 * included. */
static guint
samples_in(const CcPlan *plan, guint p, guint groups) {
  const guint f = plan->packing[p].place[0].plane;
  return groups * (plan->frame_layout.plane[f].pairs ? 2 : plan->layout.plane[p].step);
}

void
cc_unpacked_init(CcUnpacked *self, const CcPlan *plan, const CcRows *rows, guint load_mask,
                 guint reach, gsize at) {
  *self = (CcUnpacked){.plan = plan,
                       .rows = rows,
                       .reach = reach,
                       .n_rows = N_ROWS,
                       .n_loaded = 1u << g_bit_storage((N_ROWS - 1) * plan->stride + 2 * reach),
                       .load_mask = load_mask,
                       .size = at};
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->layout.plane[p];
    const guint f = plan->packing[p].place[0].plane;
    const guint groups = cc_plane_groups(&plan->frame_layout.plane[f]);
    const guint out_groups = cc_plane_groups(&plan->out_frame_layout.plane[f]);
    if (load_mask & 1u << p) {
      self->src[p] = (CcUnpackedRows){self->size, pitch_of(plane, samples_in(plan, p, groups))};
      self->size += self->n_loaded * self->src[p].pitch;
    }
    self->dst[p] = (CcUnpackedRows){self->size, pitch_of(plane, samples_in(plan, p, out_groups))};
    self->size += self->n_rows * self->dst[p].pitch;
  }
}

/* --- rows of frames --- */

/* The samples from the rectangle's left edge on, in one of a plane's places. */
static guint8 *
place_at(const CcUnpacked *self, const CcFrame *frame, const CcRect *rects, const CcPlace *place,
         guint y) {
  const CcPlaneLayout *plane = &self->plan->frame_layout.plane[place->plane];
  const CcPlane *memory = &frame->plane[place->plane];
  const CcRect *rect = &rects[place->plane];
  const gsize sample = (gsize)rect->x * plane->step + place->first;
  return memory->data + (gssize)(rect->y + y) * memory->pitch +
         sample * cc_sample_size(plane->type);
}

/* Row y of the source, as row `at` of the strips. */
static void
load_row(const CcUnpacking *unpacking, guint y, gint at) {
  const CcUnpacked *self = unpacking->unpacked;
  const CcPlacement *placement = unpacking->placement;
  const CcFrame *src = unpacking->src;
  const CcPlan *plan = self->plan;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->layout.plane[p];
    const CcPlace *place = plan->packing[p].place;
    const guint n = placement->source[p].width * plane->step;
    guint8 *to = cc_strip_row(&unpacking->from[p], at);
    if (!(self->load_mask & 1u << p))
      continue;
    const guint8 *from = place_at(self, src, placement->frame_source, &place[0], y);
    if (plan->packing[p].kind == CC_PACKING_LUMA) {
      const gconstpointer rgb[3] = {from,
                                    place_at(self, src, placement->frame_source, &place[1], y),
                                    place_at(self, src, placement->frame_source, &place[2], y)};
      self->rows->samples->luma[plane->type](to, rgb, place->spacing, n, plane->shift);
    } else {
      const CcLane lane = plane->type == CC_SAMPLE_U8 ? CC_LANE_8 : CC_LANE_16;
      self->rows->samples->load[plane->type][lane](to, from, place->spacing, n, 0);
    }
  }
}

void
cc_unpacking_begin(CcUnpacking *self, const CcUnpacked *unpacked, const CcPlacement *placement,
                   const CcFrame *src, const CcFrame *dst, guint y0, guint8 *scratch) {
  const CcPlan *plan = unpacked->plan;
  *self = (CcUnpacking){
      .unpacked = unpacked, .placement = placement, .src = src, .dst = dst, .stored = y0};
  self->next = (gint)(y0 * plan->stride) - (gint)unpacked->reach;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcUnpackedRows *from = &unpacked->src[p], *to = &unpacked->dst[p];
    const CcPlace *place = &plan->packing[p].place[0];
    if (unpacked->load_mask & 1u << p)
      self->from[p] =
          (CcStrip){scratch + from->at, (gssize)from->pitch, self->next, unpacked->n_loaded - 1};
    else
      self->from[p] = (CcStrip){place_at(unpacked, src, placement->frame_source, place, 0),
                                src->plane[place->plane].pitch, 0, G_MAXUINT};
    self->to[p] = (CcStrip){scratch + to->at, (gssize)to->pitch, (gint)y0, unpacked->n_rows - 1};
  }
}

/* Asks for a row of all planes of a frame that is worked on a little later. */
static void
prefetch_row(const CcUnpacked *self, const CcFrame *frame, const CcRect *rects, guint y) {
  enum { CACHE_LINE = 64 };
  for (guint f = 0; f < self->plan->frame_layout.n_planes; f++) {
    const CcPlaneLayout *plane = &self->plan->frame_layout.plane[f];
    const guint8 *row = place_at(self, frame, rects, &(CcPlace){.plane = f}, y);
    const gsize bytes = (gsize)rects[f].width * plane->step * cc_sample_size(plane->type);
    for (gsize at = 0; y < rects[f].height && at < bytes; at += CACHE_LINE)
      __builtin_prefetch(row + at);
  }
}

void
cc_unpacking_load(CcUnpacking *self, guint y) {
  const CcPlan *plan = self->unpacked->plan;
  const CcPlacement *placement = self->placement;
  const gint end = (gint)((y - 1) * plan->stride + self->unpacked->reach + 1);
  for (; self->unpacked->load_mask && self->next < end; self->next++) {
    const gint row = cc_border_index(self->next, (gint)placement->source[0].height, plan->border);
    if (row < 0)
      continue;
    prefetch_row(self->unpacked, self->src, placement->frame_source, (guint)row + PREFETCH_ROWS);
    load_row(self, (guint)row, self->next);
  }
}

/* The last sample of a row once more, where the placement says so. */
static void
repeat_last(const CcUnpacking *self, guint y) {
  const CcPlan *plan = self->unpacked->plan;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const gsize size = cc_sample_size(plan->layout.plane[p].type);
    guint8 *end = cc_strip_row(&self->to[p], (gint)y) + self->placement->target[p].width * size;
    for (gsize i = 0; i < self->placement->repeats[p] * size; i++)
      end[i] = end[(gssize)i - (gssize)size];
  }
}

/* The rows that plane f of the frame is made of, by where their first samples are. Gives how many
 * there are. */
static guint
find_parts(const CcUnpacking *self, guint f, guint y, gconstpointer parts[CC_MAX_COMPONENTS],
           guint *n) {
  const CcPlan *plan = self->unpacked->plan;
  guint spacing = 0;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    for (guint i = 0; i < cc_packing_n_places(&plan->packing[p]); i++) {
      const CcPlace *place = &plan->packing[p].place[i];
      if (place->plane != f)
        continue;
      parts[place->first] = cc_strip_row(&self->to[p], (gint)y);
      spacing = place->spacing;
      *n = samples_in(plan, p, self->placement->frame_target[f].width);
    }
  return spacing;
}

static void
store_row(const CcUnpacking *self, guint y) {
  const CcUnpacked *unpacked = self->unpacked;
  const CcPlan *plan = unpacked->plan;
  if (!unpacked->rows) {
    cc_plain_store(plan, self->placement, self->to, self->dst, y);
    return;
  }
  repeat_last(self, y);
  for (guint f = 0; f < plan->frame_layout.n_planes; f++) {
    gconstpointer parts[CC_MAX_COMPONENTS];
    guint n = 0;
    const guint n_parts = find_parts(self, f, y, parts, &n);
    guint8 *to =
        place_at(unpacked, self->dst, self->placement->frame_target, &(CcPlace){.plane = f}, y);
    unpacked->rows->samples->join[plan->frame_layout.plane[f].type](to, parts, n_parts, n);
  }
}

void
cc_unpacking_store(CcUnpacking *self, guint y) {
  for (; self->stored < y; self->stored++) {
    prefetch_row(self->unpacked, self->dst, self->placement->frame_target,
                 self->stored + PREFETCH_ROWS);
    store_row(self, self->stored);
  }
}
