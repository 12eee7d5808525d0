/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of Canny's edges. SUPPRESS makes a map of weak and strong pixels, and grows the strong
 * ones within its slice. HYSTERESIS grows them across slices, in one thread. EDGES makes samples of
 * the map. */

#include "edge_map.h"
#include "luma_rows.h"

#include "cpu/component_offset.h"
#include "cpu/plain.h"

#include <string.h>

#define PIXEL_TAPS 24 /* cost of a pixel without its taps, in taps (CC_TAP_PS) */
#define DIRECT_PS 60  /* costs of a sample of EDGES, in picoseconds */
#define SPACED_PS 500

typedef struct {
  const CcCanny *canny;
  const CcRows *kernels; /* NULL for the plain loop */
  CcLumaRows luma;       /* this and all below is not set for the plain loop */
  gboolean is_fused;     /* one kernel computes gradients and magnitudes from bytes */
  /* Offsets in the scratch memory, which begins with that of `luma`. Row y has ring row y mod 3. A
   * lane before each row of magnitudes is 0. */
  gsize magnitude[3], x[3], y[3];
  gsize row_bytes; /* bytes of a row of magnitudes from its first pixel on */
} Suppress;

static CcEdgeMap
map_of(const CcCanny *canny, const CcStageRows *rows) {
  const CcRect *source = &rows->placement->source[canny->group.plane];
  CcEdgeMap map;
  cc_edge_map_init(&map, rows->shared, source->width, source->height);
  return map;
}

/* --- gradients and their maxima --- */

/* Computes gradients and magnitudes of row y. Magnitudes outside of the source are 0. */
static void
run_row(const Suppress *self, CcLumaPart *part, gint y) {
  const guint at = (guint)(y + 3) % 3, n = part->n_pixels;
  guint8 *magnitude = part->scratch + self->magnitude[at];
  if (y < 0 || y >= (gint)part->pixels->height) {
    memset(magnitude, 0, self->row_bytes);
    return;
  }
  guint8 *dx = part->scratch + self->x[at], *dy = part->scratch + self->y[at];
  if (self->is_fused) {
    const guint8 *const rows[3] = {cc_luma_part_load(part, y, 0), cc_luma_part_load(part, y, 1),
                                   cc_luma_part_load(part, y, 2)};
    const gint32 *const tap = self->canny->op->tap_i; /* of the matrix from left to right */
    self->kernels->canny->gradient((gint16 *)magnitude, (gint16 *)dx, (gint16 *)dy, rows, tap[2],
                                   tap[5], n);
  } else {
    cc_luma_part_sum(part, 0, y, dx);
    cc_luma_part_sum(part, 1, y, dy);
    self->kernels->canny->magnitude[self->luma.sum_lane](
        magnitude, dx, dy, n, self->canny->round_bits, self->canny->is_l2);
  }
  const gsize end = n * cc_lane_size(self->luma.sum_lane);
  memset(magnitude + end, 0, self->row_bytes - end);
}

static void
suppress_rows(const Suppress *self, const CcStageRows *rows, CcEdgeMap *map, guint y0, guint y1,
              guint8 *scratch) {
  const CcCanny *canny = self->canny;
  const CcRect *source = &rows->placement->source[canny->group.plane];
  const gint64 max = self->luma.sum_lane == CC_LANE_16   ? G_MAXINT16
                     : self->luma.sum_lane == CC_LANE_32 ? G_MAXINT32
                                                         : G_MAXINT64;
  CcLumaPart part = {&self->luma, source, rows->src, scratch, 0, source->width, G_MININT};
  for (guint i = 0; i < 3; i++)
    memset(scratch + self->magnitude[i] - sizeof(gint64), 0, sizeof(gint64));
  run_row(self, &part, (gint)y0 - 1);
  run_row(self, &part, (gint)y0);
  for (guint y = y0; y < y1; y++) {
    run_row(self, &part, (gint)y + 1);
    const CcCannyRows in = {
        .magnitude = {scratch + self->magnitude[(y + 2) % 3], scratch + self->magnitude[y % 3],
                      scratch + self->magnitude[(y + 1) % 3]},
        .x = scratch + self->x[y % 3],
        .y = scratch + self->y[y % 3],
        .low = MIN(canny->low, max),
        .high = MIN(canny->high, max),
    };
    const gsize at = cc_edge_map_word(map, y, 0);
    self->kernels->canny->suppress[self->luma.sum_lane](map->weak + at, map->strong + at, &in,
                                                        source->width);
  }
}

/* The last row of a target has all rows of the source that remain. */
static void
run_suppress(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Suppress *self = state;
  const guint p = self->canny->group.plane, stride = rows->plan->stride;
  if (rows->plane != p)
    return;
  const CcPlacement *placement = rows->placement;
  const guint y0 = rows->y0 * stride;
  const guint y1 =
      rows->y1 == placement->target[p].height ? placement->source[p].height : rows->y1 * stride;
  CcEdgeMap map = map_of(self->canny, rows);
  if (self->kernels)
    suppress_rows(self, rows, &map, y0, y1, scratch);
  else
    cc_plain_suppress(rows->plan, placement, rows->src, &map, y0, y1);
  cc_edge_map_grow_slice(&map, y0, y1);
}

static gpointer
create_suppress(const CcPlan *plan, const CcStage *stage, const CcRows *kernels,
                gsize *scratch_size) {
  Suppress *self = g_new0(Suppress, 1);
  const CcCanny *canny = self->canny = stage->data;
  const guint width = plan->layout.plane[canny->group.plane].width;
  self->kernels = kernels;
  if (!kernels)
    return self;
  self->luma = (CcLumaRows){.plan = plan,
                            .op = canny->op,
                            .from = canny->group.offset,
                            .n_from = canny->group.n,
                            .plane = canny->group.plane,
                            .border = canny->border,
                            .rows = kernels};
  gsize size = cc_row_align(cc_luma_rows_init(
      &self->luma, MAX(cc_canny_largest_magnitude(canny), 2 * cc_canny_largest_gradient(canny)),
      width));
  self->is_fused = self->luma.lane == CC_LANE_8 && canny->op->width == 3 && !canny->is_l2;
  self->row_bytes = ((width + 63) / 64 * 64 + 1) * cc_lane_size(self->luma.sum_lane);
  const gsize pitch = cc_row_align(self->row_bytes) + CC_ROW_SLACK;
  for (guint i = 0; i < 3; i++) {
    self->magnitude[i] = size + CC_ROW_ALIGN;
    self->x[i] = self->magnitude[i] + pitch;
    self->y[i] = self->x[i] + pitch;
    size = self->y[i] + pitch;
  }
  *scratch_size = size;
  return self;
}

static void
free_suppress(gpointer state) {
  Suppress *self = state;
  cc_luma_rows_clear(&self->luma);
  g_free(self);
}

static gsize
shared_bytes(const CcPlan *plan, const CcStage *stage) {
  const CcCanny *canny = stage->data;
  const CcPlaneLayout *layout = &plan->layout.plane[canny->group.plane];
  return cc_edge_map_bytes(layout->width, layout->height);
}

static guint64
suppress_cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  const Suppress *self = state;
  const CcOp *op = self->canny->op;
  if (plane != self->canny->group.plane)
    return 0;
  return (guint64)placement->source[plane].width * plan->stride *
         (2 * op->width * op->height + PIXEL_TAPS) * CC_TAP_PS;
}

static void
explain_suppress(gconstpointer state, GPtrArray *lines) {
  const Suppress *self = state;
  GString *line = g_string_new("maxima of the gradient: ");
  if (self->kernels)
    cc_luma_rows_explain(&self->luma, line);
  else
    g_string_append(line, "the plain loop");
  g_ptr_array_add(lines, g_string_free(line, FALSE));
}

const CcCpuStageClass cc_cpu_suppress = {.name = "maxima of the gradient",
                                         .create = create_suppress,
                                         .free = free_suppress,
                                         .shared_bytes = shared_bytes,
                                         .cost = suppress_cost,
                                         .run = run_suppress,
                                         .explain = explain_suppress};

/* --- hysteresis --- */

typedef struct {
  const CcCanny *canny;
  const CcRows *kernels; /* NULL for plain loops */
} Edges;

static gpointer
create_edges(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  Edges *self = g_new(Edges, 1);
  *self = (Edges){stage->data, kernels};
  if (stage->kind == CC_STAGE_EDGES && kernels)
    *scratch_size = plan->layout.plane[self->canny->group.plane].width;
  return self;
}

static guint
one_row(gconstpointer state, const CcPlan *plan, const CcPlacement *placement) {
  const Edges *self = state;
  return placement->target[self->canny->group.plane].height > 0;
}

static void
run_hysteresis(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Edges *self = state;
  CcEdgeMap map = map_of(self->canny, rows);
  cc_edge_map_join_slices(&map);
}

const CcCpuStageClass cc_cpu_hysteresis = {.name = "hysteresis across slices",
                                           .create = create_edges,
                                           .free = g_free,
                                           .n_rows = one_row,
                                           .run = run_hysteresis};

/* --- samples --- */

/* Whether bytes of the frame are made directly from bits. */
static gboolean
is_direct(const CcCanny *canny, const CcPlan *plan) {
  return plan->stride == 1 && plan->layout.plane[canny->group.plane].type == CC_SAMPLE_U8 &&
         canny->group.offset[0].spacing == 1;
}

/* Paints row y of a component by the definition. */
static void
paint_plainly(const CcCanny *canny, const CcStageRows *rows, const CcComponentOffset *offset,
              const guint64 *bits, guint y) {
  const guint p = canny->group.plane;
  const CcRect *target = &rows->placement->target[p];
  for (guint x = 0; x < target->width + rows->placement->repeats[p]; x++) {
    const guint from = rows->plan->stride * MIN(x, target->width - 1);
    cc_component_store(offset, rows->dst, rows->plan->layout.plane[p].type, target->x + x,
                       target->y + y,
                       bits[from / 64] >> from % 64 & 1 ? canny->white : canny->black);
  }
}

/* Paints a component of a row from bytes that are 1 at edges, one for each pixel of the source. */
static void
paint_spaced(const CcCanny *canny, const CcStageRows *rows, const CcComponentOffset *offset,
             const guint8 *is_edge, guint y) {
  const guint p = canny->group.plane;
  const CcRect *target = &rows->placement->target[p];
  const CcSampleType type = rows->plan->layout.plane[p].type;
  const gsize spacing = offset->spacing, stride = rows->plan->stride, n = target->width;
  const guint repeats = rows->placement->repeats[p];
  const guint16 black = canny->black, difference = (guint16)(canny->white - black);
  guint8 *at = cc_component_address(offset, rows->dst, type, target->x, target->y + y);
  CcWord *words = (CcWord *)at;
  if (type == CC_SAMPLE_U8)
    for (gsize x = 0; x < n; x++)
      at[x * spacing] = (guint8)(black + is_edge[x * stride] * difference);
  else
    for (gsize x = 0; x < n; x++)
      words[x * spacing] = (guint16)(black + is_edge[x * stride] * difference);
  for (guint i = 0; i < repeats && type == CC_SAMPLE_U8; i++) /* macropixels consist of bytes */
    at[(n + i) * spacing] = at[(n - 1) * spacing];
}

static void
run_edges(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Edges *self = state;
  const CcCanny *canny = self->canny;
  const CcEdgeMap map = map_of(canny, rows);
  const guint stride = rows->plan->stride;
  const CcRect *target = &rows->placement->target[canny->group.plane];
  const gboolean direct = is_direct(canny, rows->plan);
  for (guint y = rows->y0; y < rows->y1; y++) {
    const guint64 *bits = map.strong + cc_edge_map_word(&map, y * stride, 0);
    gboolean is_spread = FALSE;
    for (guint i = 0; i < canny->group.n; i++) {
      const CcComponentOffset *offset = &canny->group.offset[i];
      if (offset->plane != rows->plane)
        continue;
      if (!self->kernels) {
        paint_plainly(canny, rows, offset, bits, y);
        continue;
      }
      if (direct) {
        self->kernels->canny->paint(
            cc_component_address(offset, rows->dst, CC_SAMPLE_U8, target->x, target->y + y), bits,
            target->width, (guint8)canny->black, (guint8)canny->white);
        continue;
      }
      if (!is_spread)
        self->kernels->canny->paint(scratch, bits, stride * (target->width - 1) + 1, 0, 1);
      is_spread = TRUE;
      paint_spaced(canny, rows, offset, scratch, y);
    }
  }
}

static guint64
edges_cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  const Edges *self = state;
  const CcComponentGroup *group = &self->canny->group;
  guint64 cost = 0;
  for (guint i = 0; i < group->n; i++)
    if (group->offset[i].plane == plane)
      cost += (guint64)placement->target[group->plane].width *
              (is_direct(self->canny, plan) ? DIRECT_PS : SPACED_PS);
  return cost;
}

const CcCpuStageClass cc_cpu_edges = {
    .name = "edges", .create = create_edges, .free = g_free, .cost = edges_cost, .run = run_edges};
