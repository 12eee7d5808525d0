/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plane_map_steps.h"

#include <string.h>
#include "cuda/launch_config.h"
#include "plane_map.h"

CC_CUDA_DECLARE_MODULE(plane_map);

/* --- one plan of the frame's own planes --- */

/* Gives a sample of the frame's group what the pass does with component c. */
static gboolean
merge_sample(CcPass *to, guint sample, const CcPass *from, guint c) {
  const guint bit = 1u << sample;
  if (from->filter_mask >> c & 1) {
    if (to->op && to->op != from->op)
      return FALSE;
    to->op = from->op;
    to->filter_mask |= bit;
  } else if (from->copy_mask >> c & 1) {
    to->copy_mask |= bit;
  } else if (from->fill_mask >> c & 1) {
    to->fill_mask |= bit;
  }
  to->fill[sample] = from->fill[c];
  to->border[sample] = from->border[c];
  return TRUE;
}

static gboolean
merge_pass(CcPlan *merged, const CcPlan *plan, const CcPass *pass) {
  const CcPacking *packing = &plan->packing[pass->plane];
  const guint step = plan->layout.plane[pass->plane].step;
  for (guint i = 0; i < cc_packing_n_places(packing); i++) {
    const CcPlace *place = &packing->place[i];
    if (place->plane != packing->place[0].plane)
      return FALSE; /* R, G and B are not side by side */
    const guint group = merged->layout.plane[place->plane].step;
    for (guint n = 0; place->first + n * place->spacing < group; n++)
      if (!merge_sample(&merged->pass[place->plane], place->first + n * place->spacing, pass,
                        n % step))
        return FALSE;
  }
  return TRUE;
}

/* Whether a row ends in half a pair of pixels. */
static gboolean
has_half_pair(const CcPlaneLayout *plane) {
  return plane->pairs && plane->width % 2;
}

gboolean
cc_packing_merge_plan(CcPlan *merged, const CcPlan *plan) {
  if (has_half_pair(&plan->frame_layout.plane[0]) ||
      has_half_pair(&plan->out_frame_layout.plane[0]))
    return FALSE;
  *merged = *plan;
  merged->packed = FALSE;
  merged->layout = plan->frame_layout;
  merged->out_layout = plan->out_frame_layout;
  memset(merged->pass, 0, sizeof merged->pass);
  memset(merged->packing, 0, sizeof merged->packing);
  merged->n_passes = merged->layout.n_planes;
  for (guint p = 0; p < merged->n_passes; p++)
    merged->pass[p].plane = p;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    if (plan->packing[p].kind == CC_PACKING_LUMA)
      merged->packing[plan->packing[p].place[0].plane] = plan->packing[p];
  for (guint i = 0; i < plan->n_passes; i++)
    if (!merge_pass(merged, plan, &plan->pass[i]))
      return FALSE;
  return TRUE;
}

gboolean
cc_packing_fuse_plan(CcPlan *fused, const CcPlan *merged, const CcPlan *plan) {
  const CcPass *luma = cc_cuda_leading_pass(plan, &plan->pass[0]);
  const CcPass *pixels = &merged->pass[0];
  const CcPlace *place = plan->packing[0].place;
  const guint aside = 6 - place[0].first - place[1].first - place[2].first;
  if (merged->n_passes != 1 || luma->plane != 0 || plan->packing[0].kind != CC_PACKING_LUMA ||
      pixels->filter_mask >> aside & 1)
    return FALSE;
  *fused = *merged;
  fused->layout.plane[0] = plan->layout.plane[0];
  fused->out_layout.plane[0] = plan->out_layout.plane[0];
  fused->pass[0] = *luma;
  fused->pass[0].copy_mask = (pixels->copy_mask >> aside & 1) << 1;
  fused->pass[0].fill_mask = (pixels->fill_mask >> aside & 1) << 1;
  fused->pass[0].fill[1] = pixels->fill[aside];
  return TRUE;
}

/* --- one plan of planes that the frame has not --- */

/* A plane of one component of pixels. */
static CcPlaneLayout
layout_of_component(const CcPlaneLayout *pixels, guint c) {
  CcPlaneLayout layout = *pixels;
  layout.step = 1;
  layout.role[0] = pixels->role[c];
  return layout;
}

static CcPass
pass_of_component(const CcPass *pass, guint c) {
  const gboolean filters = pass->filter_mask >> c & 1;
  return (CcPass){
      .plane = c,
      .op = filters ? pass->op : NULL,
      .filter_mask = filters,
      .copy_mask = pass->copy_mask >> c & 1,
      .fill_mask = pass->fill_mask >> c & 1,
      .fill = {pass->fill[c]},
      .border = {pass->border[c]},
  };
}

gboolean
cc_packing_split_plan(CcPlan *split, const CcPlan *plan) {
  const guint step = plan->layout.plane[0].step;
  if (plan->packed || plan->layout.n_planes != 1 || step == 1)
    return FALSE;
  *split = *plan;
  split->packed = TRUE;
  split->layout.n_planes = split->out_layout.n_planes = step;
  split->n_passes = 0;
  for (guint c = 0; c < step; c++) {
    split->layout.plane[c] = layout_of_component(&plan->layout.plane[0], c);
    split->out_layout.plane[c] = layout_of_component(&plan->out_layout.plane[0], c);
    split->packing[c] = (CcPacking){CC_PACKING_SPACED, {{0, c, step}}};
    for (guint i = 0; i < plan->n_passes; i++) {
      const CcPass pass = pass_of_component(&plan->pass[i], c);
      if (pass.filter_mask | pass.copy_mask | pass.fill_mask)
        split->pass[split->n_passes++] = pass;
    }
  }
  return TRUE;
}

/* --- steps --- */

static const guint16 luma_weights[3] = {CC_LUMA_RED, CC_LUMA_GREEN, CC_LUMA_BLUE};

static void
set_samples(CcPart *part, const CcPlaneLayout *layout) {
  part->step = (gint)layout->step;
  part->shift = (gint)layout->shift;
  part->sample_bytes = (gint)cc_sample_size(layout->type);
}

/* Sets the size of what a part writes. */
static void
set_part_size(CcPart *part, const CcRect *rect) {
  const guint across = CC_PACKING_ACROSS * CC_PACKING_EACH;
  part->width = part->src_width = (gint)rect->width;
  part->height = part->src_height = (gint)rect->height;
  cc_cuda_part_set_tiles(part, cc_cuda_divide_up(rect->width * (guint)part->step, across),
                         cc_cuda_divide_up(rect->height, CC_PACKING_DOWN * CC_PACKING_ROWS));
}

/* Both ends of what a part writes are its own plane: nothing reads src. */
static void
set_part_place(CcPart *part, const CcCudaPlane *plane) {
  part->src = part->dst = plane->offset;
  part->src_pitch = part->dst_pitch = (gint)plane->pitch;
}

static void
set_step(CcCudaStep *step, const gchar *name) {
  step->module = cc_fatbin_plane_map;
  g_snprintf(step->name, sizeof step->name, "%s_%s", name,
             step->plan->layout.plane[0].type == CC_SAMPLE_U8 ? "u8" : "u16");
  step->block[0] = CC_PACKING_ACROSS;
  step->block[1] = CC_PACKING_DOWN;
  step->overlaps = TRUE;
}

/* --- out of a frame --- */

/* Part p takes plane p out of the frame. */
static void
set_unpack_part(CcPart *part, const CcPlan *plan, guint p) {
  const CcPacking *packing = &plan->packing[p];
  CcUnpackPart *own = CC_OWN(CcUnpackPart, part);
  set_samples(part, &plan->layout.plane[p]);
  own->spacing = (gint)packing->place[0].spacing;
  own->first = (gint)packing->place[0].first;
  own->plane[0] = (guint8)packing->place[0].plane;
  own->n_planes = 1;
  own->is_luma = packing->kind == CC_PACKING_LUMA;
  if (!own->is_luma)
    return;
  own->n_planes = packing->place[0].plane != packing->place[1].plane ? 3 : 1;
  for (guint i = 0; i < 3; i++) {
    own->weight[own->n_planes == 3 ? i : packing->place[i].first] = luma_weights[i];
    own->plane[i] = (guint8)packing->place[i].plane;
  }
}

static void
set_unpack_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_parts; p++)
    set_part_size(&launch->part[p], &placement->source[p]);
}

static void
set_unpack_places(CcLaunch *launch, const CcCudaStep *step, const CcCudaPlaces *places) {
  const CcCudaPlane *frame = places->set[step->from], *planes = places->set[step->to];
  for (gint p = 0; p < launch->n_parts; p++) {
    CcUnpackPart *own = CC_OWN(CcUnpackPart, &launch->part[p]);
    set_part_place(&launch->part[p], &planes[p]);
    for (gint i = 0; i < own->n_planes; i++) {
      own->address[i] = frame[own->plane[i]].offset;
      own->pitch[i] = (gint)frame[own->plane[i]].pitch;
    }
  }
}

void
cc_packing_set_unpack(CcCudaStep *step) {
  const CcPlan *plan = step->plan;
  set_step(step, "cc_unpack");
  step->set_sizes = set_unpack_sizes;
  step->set_places = set_unpack_places;
  step->params.n_parts = (gint)plan->layout.n_planes;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    set_unpack_part(&step->params.part[p], plan, p);
}

/* --- back into it --- */

/* Part p makes plane p of the frame, of every thin-th pixel of planes in scratch. */
static void
set_pack_part(CcPart *part, const CcPlan *plan, guint p, guint thin) {
  const guint step = plan->frame_layout.plane[p].step;
  CcPackPart *own = CC_OWN(CcPackPart, part);
  set_samples(part, &plan->frame_layout.plane[p]);
  for (guint from = 0; from < plan->layout.n_planes; from++) {
    const CcPacking *packing = &plan->packing[from];
    const guint pixel = plan->layout.plane[from].step;
    for (guint i = 0; i < cc_packing_n_places(packing); i++) {
      const CcPlace *place = &packing->place[i];
      for (guint n = 0; place->plane == p && place->first + n * place->spacing < step; n++) {
        const guint at = place->first + n * place->spacing;
        if (!(cc_plan_made_components(plan, from) >> n % pixel & 1)) /* painted afterwards */
          continue;
        own->each[at] = (guint8)(step / place->spacing * thin);
        own->offset[at] = (guint8)(n / pixel * thin * pixel + n % pixel);
        own->plane[at] = (guint8)from;
      }
    }
  }
}

static void
set_pack_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_parts; p++) {
    CcPackPart *own = CC_OWN(CcPackPart, &launch->part[p]);
    set_part_size(&launch->part[p], &placement->frame_target[p]);
    for (gint i = 0; i < launch->part[p].step; i++) {
      const guint from = own->plane[i];
      if (own->each[i])
        own->last[i] =
            (gint)(placement->target[from].width * step->plan->layout.plane[from].step) - 1;
    }
  }
}

static void
set_pack_places(CcLaunch *launch, const CcCudaStep *step, const CcCudaPlaces *places) {
  const CcCudaPlane *planes = places->set[step->from], *frame = places->set[step->to];
  for (gint p = 0; p < launch->n_parts; p++) {
    CcPackPart *own = CC_OWN(CcPackPart, &launch->part[p]);
    set_part_place(&launch->part[p], &frame[p]);
    for (gint i = 0; i < launch->part[p].step; i++) {
      own->address[i] = planes[own->plane[i]].offset;
      own->pitch[i] = (gint)planes[own->plane[i]].pitch * launch->stride; /* rows that are left */
    }
  }
}

void
cc_packing_set_pack(CcCudaStep *step, guint thin) {
  const CcPlan *plan = step->plan;
  set_step(step, "cc_pack");
  step->set_sizes = set_pack_sizes;
  step->set_places = set_pack_places;
  step->params.n_parts = (gint)plan->frame_layout.n_planes;
  step->params.stride = (gint)thin;
  for (guint p = 0; p < plan->frame_layout.n_planes; p++)
    set_pack_part(&step->params.part[p], plan, p, thin);
}
