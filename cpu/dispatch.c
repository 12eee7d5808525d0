/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dispatch.h"

#include "cpu/stages/macropixel.h"
#include "engine/ablation.h"

#define FILL_PIXELS 4096

/* --- methods --- */

#define ADDRESS(name) &name,
static const CcMethodClass *const methods[] = {CC_METHODS(ADDRESS)};
#undef ADDRESS

static const gchar *only;

/* Sets the method of a sweep that filters: the first method that takes the pass. */
static void
choose_method(CcSweep *sweep) {
  const CcPlaneLayout *plane = &sweep->plan->layout.plane[sweep->plane];
  sweep->why_not_16 = cc_output_init(&sweep->output, sweep->pass->op, plane);
  for (guint i = 0; i < CC_N_METHODS && !sweep->method; i++)
    if (!only || g_str_equal(only, methods[i]->name) || i == CC_N_METHODS - 1)
      sweep->method = methods[i]->create(sweep, &sweep->declined[i]);
  g_assert(sweep->method);
}

const gchar *
cc_method_name(guint i) {
  return methods[i]->name;
}

void
cc_dispatch_only(const gchar *name) {
  only = name;
}

/* --- constant rows and masks of a plan --- */

/* Returns a new row of `width` pixels that all have the code values `codes`. Each sample is
 * repeated `spacing` times (CcSweep.spacing). Callers limit `width` to a fixed maximum: the row is
 * allocated for the size in the caps, and a frame of this size may never arrive. */
static guint8 *
constant_row(const CcSweep *self, guint spacing, guint width, const guint16 *codes) {
  const guint n = width * self->step * spacing;
  guint8 *row = g_malloc(n * self->sample_size);
  for (guint x = 0; x < n; x++) {
    const guint16 code = codes[x / spacing % self->step];
    if (self->type == CC_SAMPLE_U8)
      row[x] = (guint8)code;
    else
      ((guint16 *)row)[x] = (guint16)(code << self->shift);
  }
  return row;
}

static CcMasks *
new_masks(const CcSweep *self) {
  CcMasks *masks = g_new0(CcMasks, 1);
  const CcPass *pass = self->pass;
  for (guint i = 0; i < CC_MASK_PERIOD; i++) {
    const guint component = i / (guint)self->sample_size % self->step;
    const guint bit = 1u << component;
    const guint fill = (guint)pass->fill[component] << self->shift;
    if (pass->filter_mask & bit)
      masks->filter[i] = 0xff;
    else if (pass->copy_mask & bit)
      masks->copy[i] = 0xff;
    else if (pass->fill_mask & bit) /* samples are little endian */
      masks->fill[i] = (guint8)(i % self->sample_size ? fill >> 8 : fill);
    else
      masks->keep[i] = 0xff, masks->keeps = TRUE;
  }
  return masks;
}

/* --- sweeps --- */

static void
init_filter(CcSweep *self) {
  const CcRows *kernels = self->kernels;
  const CcOp *op = self->pass->op;
  const guint radius = op->width / 2;
  self->n_matrices = op->n_matrices;
  self->window_rows = op->height;
  self->prefetches = !cc_is_left_out("prefetch");
  self->n_edge = radius * self->step;
  choose_method(self);
  self->outside_left = cc_sweep_reserve(self, self->n_edge * sizeof(CcOutside));
  self->outside_right = cc_sweep_reserve(self, self->n_edge * sizeof(CcOutside));
  const CcMethod *method = self->method;
  const CcOutput *output = &method->output;
  self->sum_size = cc_lane_size(output->lane);
  self->sample_lane_size = cc_lane_size(method->sample_lane);
  self->load = kernels->samples->load[self->type][method->sample_lane];
  self->extend = kernels->samples->extend[self->type][method->sample_lane];
  self->reduce = output->reduces ? kernels->output->reduce[output->reduce][output->lane] : NULL;
  self->finish = kernels->output->finish[self->type][output->requantization][output->number];
  self->streams = method->streams && !self->in_chunks && !self->masks && self->stride == 1 &&
                  cc_exceeds_caches(self->plan);
  self->outside = constant_row(
      self, self->spacing, (self->tile + 2 * self->n_edge) / self->step + 2, self->pass->border);
}

void
cc_sweep_init(CcSweep *self, const CcPlan *plan, const CcPass *pass, const CcRows *kernels,
              gboolean from_planes, gboolean in_chunks) {
  const gboolean from_packed = plan->packed && !from_planes;
  const CcPlaneLayout *plane = &plan->layout.plane[pass->plane];
  const CcPlaneMap *map = &plan->map[pass->plane];
  const guint all = (1u << plane->step) - 1;
  *self = (CcSweep){
      .plan = plan,
      .pass = pass,
      .kernels = kernels,
      .plane = pass->plane,
      .type = plane->type,
      .width = cc_plane_groups(&plan->out_layout.plane[pass->plane]),
      .height = plan->out_layout.plane[pass->plane].height,
      .stride = plan->stride,
      .step = plane->step,
      .shift = plane->shift,
      .sample_size = cc_sample_size(plane->type),
      .border = plan->border,
      .spacing = 1,
      .in_chunks = in_chunks,
  };
  self->pixel_size = self->step * self->sample_size;
  if (!kernels)
    return;
  self->loop = pass->filter_mask        ? CC_LOOP_FILTER
               : pass->copy_mask == all ? CC_LOOP_COPY
               : pass->fill_mask == all ? CC_LOOP_FILL
                                        : CC_LOOP_MERGE;
  if (self->loop == CC_LOOP_MERGE || (self->loop == CC_LOOP_FILTER && pass->filter_mask != all))
    self->masks = new_masks(self);
  /* A sweep that filters all components loads the samples of packed frames directly from the frame.
   * Merging and copying need deinterleaved rows. Luma of R, G and B is computed when rows are
   * deinterleaved. */
  self->by_position = from_packed && (self->loop != CC_LOOP_FILTER || self->masks ||
                                      map->kind == CC_PLANE_MAP_LUMA);
  if (from_packed && !self->by_position)
    self->spacing = map->offset[0].spacing;
  if (self->loop == CC_LOOP_FILTER)
    init_filter(self);
  if (self->loop == CC_LOOP_FILL) {
    const guint n_pixels = MIN(self->width, FILL_PIXELS);
    self->fill_bytes = n_pixels * self->pixel_size;
    self->fill = constant_row(self, 1, n_pixels, pass->fill);
  }
  if (self->stride > 1) {
    self->thin = kernels->samples->thin[self->stride == 4][self->pixel_size];
    self->thinned = cc_sweep_reserve(self, CC_MAX_TILE * self->sample_size);
    self->thinned_src = cc_sweep_reserve(self, CC_MAX_TILE * self->sample_size);
  }
}

void
cc_sweep_clear(CcSweep *self) {
  g_free(self->fill);
  g_free(self->masks);
  g_free(self->outside);
  if (self->method)
    self->method->klass->free(self->method);
}
