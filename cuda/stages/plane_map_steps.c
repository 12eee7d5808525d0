/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plane_map_steps.h"

#include <string.h>
#include "cuda/launch_config.h"
#include "plane_map.h"

CC_CUDA_DECLARE_MODULE(plane_map);

/* --- plans over the frame's own planes --- */

/* Makes pass `to` treat sample `sample` of the frame's groups as pass `from` treats component c.
 * FALSE: the group has samples with different ops. */
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
  const CcPlaneMap *map = &plan->map[pass->plane];
  const guint step = plan->layout.plane[pass->plane].step;
  for (guint i = 0; i < cc_plane_map_n_offsets(map); i++) {
    const CcComponentOffset *offset = &map->offset[i];
    if (offset->plane != map->offset[0].plane)
      return FALSE; /* R, G and B are not interleaved */
    const guint group = merged->layout.plane[offset->plane].step;
    for (guint n = 0; offset->first + n * offset->spacing < group; n++)
      if (!merge_sample(&merged->pass[offset->plane], offset->first + n * offset->spacing, pass,
                        n % step))
        return FALSE;
  }
  return TRUE;
}

static gboolean
has_half_macropixel(const CcPlaneLayout *plane) {
  return plane->has_macropixels && plane->width % 2;
}

gboolean
cc_plane_map_merge_plan(CcPlan *merged, const CcPlan *plan) {
  if (has_half_macropixel(&plan->frame_layout.plane[0]) ||
      has_half_macropixel(&plan->out_frame_layout.plane[0]))
    return FALSE;
  *merged = *plan;
  merged->packed = FALSE;
  merged->layout = plan->frame_layout;
  merged->out_layout = plan->out_frame_layout;
  memset(merged->pass, 0, sizeof merged->pass);
  memset(merged->map, 0, sizeof merged->map);
  merged->n_passes = merged->layout.n_planes;
  for (guint p = 0; p < merged->n_passes; p++)
    merged->pass[p].plane = p;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    if (plan->map[p].kind == CC_PLANE_MAP_LUMA)
      merged->map[plan->map[p].offset[0].plane] = plan->map[p];
  for (guint i = 0; i < plan->n_passes; i++)
    if (!merge_pass(merged, plan, &plan->pass[i]))
      return FALSE;
  return TRUE;
}

gboolean
cc_plane_map_fuse_plan(CcPlan *fused, const CcPlan *merged, const CcPlan *plan) {
  const CcPass *luma = cc_cuda_leading_pass(plan, &plan->pass[0]);
  const CcPass *pixels = &merged->pass[0];
  const CcComponentOffset *offset = plan->map[0].offset;
  const guint passthrough = 6 - offset[0].first - offset[1].first - offset[2].first;
  if (merged->n_passes != 1 || luma->plane != 0 || plan->map[0].kind != CC_PLANE_MAP_LUMA ||
      pixels->filter_mask >> passthrough & 1)
    return FALSE;
  *fused = *merged;
  fused->layout.plane[0] = plan->layout.plane[0];
  fused->out_layout.plane[0] = plan->out_layout.plane[0];
  fused->pass[0] = *luma;
  fused->pass[0].copy_mask = (pixels->copy_mask >> passthrough & 1) << 1;
  fused->pass[0].fill_mask = (pixels->fill_mask >> passthrough & 1) << 1;
  fused->pass[0].fill[1] = pixels->fill[passthrough];
  return TRUE;
}

/* --- plans over planes that the frame does not have --- */

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
cc_plane_map_split_plan(CcPlan *split, const CcPlan *plan) {
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
    split->map[c] = (CcPlaneMap){CC_PLANE_MAP_SPACED, {{0, c, step}}};
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
set_samples(CcPlaneJob *job, const CcPlaneLayout *layout) {
  job->step = (gint)layout->step;
  job->shift = (gint)layout->shift;
  job->sample_bytes = (gint)cc_sample_size(layout->type);
}

static void
set_job_size(CcPlaneJob *job, const CcRect *rect) {
  const guint across = CC_PLANE_MAP_WIDTH * CC_PLANE_MAP_EACH;
  job->width = job->src_width = (gint)rect->width;
  job->height = job->src_height = (gint)rect->height;
  cc_cuda_plane_job_set_tiles(
      job, cc_cuda_divide_up(rect->width * (guint)job->step, across),
      cc_cuda_divide_up(rect->height, CC_PLANE_MAP_HEIGHT * CC_PLANE_MAP_ROWS));
}

/* Sets both addresses of a plane job to the plane that it writes. Kernels do not read `src`. */
static void
set_job_addresses(CcPlaneJob *job, const CcCudaPlane *plane) {
  job->src = job->dst = plane->offset;
  job->src_pitch = job->dst_pitch = (gint)plane->pitch;
}

static void
set_step(CcCudaStep *step, const gchar *name) {
  step->module = cc_fatbin_plane_map;
  g_snprintf(step->name, sizeof step->name, "%s_%s", name,
             step->plan->layout.plane[0].type == CC_SAMPLE_U8 ? "u8" : "u16");
  step->block[0] = CC_PLANE_MAP_WIDTH;
  step->block[1] = CC_PLANE_MAP_HEIGHT;
  step->overlaps = TRUE;
}

/* --- deinterleaving --- */

/* Plane job p writes plane p in scratch. */
static void
set_deinterleave_job(CcPlaneJob *job, const CcPlan *plan, guint p) {
  const CcPlaneMap *map = &plan->map[p];
  CcDeinterleaveJob *priv = CC_PRIVATE(CcDeinterleaveJob, job);
  set_samples(job, &plan->layout.plane[p]);
  priv->spacing = (gint)map->offset[0].spacing;
  priv->first = (gint)map->offset[0].first;
  priv->plane[0] = (guint8)map->offset[0].plane;
  priv->n_planes = 1;
  priv->is_luma = map->kind == CC_PLANE_MAP_LUMA;
  if (!priv->is_luma)
    return;
  priv->n_planes = map->offset[0].plane != map->offset[1].plane ? 3 : 1;
  for (guint i = 0; i < 3; i++) {
    priv->weight[priv->n_planes == 3 ? i : map->offset[i].first] = luma_weights[i];
    priv->plane[i] = (guint8)map->offset[i].plane;
  }
}

static void
set_deinterleave_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_jobs; p++)
    set_job_size(&launch->job[p], &placement->source[p]);
}

static void
set_deinterleave_addresses(CcLaunch *launch, const CcCudaStep *step,
                           const CcCudaAddresses *addresses) {
  const CcCudaPlane *frame = addresses->set[step->from], *planes = addresses->set[step->to];
  for (gint p = 0; p < launch->n_jobs; p++) {
    CcDeinterleaveJob *priv = CC_PRIVATE(CcDeinterleaveJob, &launch->job[p]);
    set_job_addresses(&launch->job[p], &planes[p]);
    for (gint i = 0; i < priv->n_planes; i++) {
      priv->address[i] = frame[priv->plane[i]].offset;
      priv->pitch[i] = (gint)frame[priv->plane[i]].pitch;
    }
  }
}

void
cc_plane_map_set_deinterleave(CcCudaStep *step) {
  const CcPlan *plan = step->plan;
  set_step(step, "cc_deinterleave");
  step->set_sizes = set_deinterleave_sizes;
  step->set_addresses = set_deinterleave_addresses;
  step->params.n_jobs = (gint)plan->layout.n_planes;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    set_deinterleave_job(&step->params.job[p], plan, p);
}

/* --- interleaving --- */

/* Plane job p writes plane p of the frame, from every decimation-th pixel of planes in scratch. */
static void
set_interleave_job(CcPlaneJob *job, const CcPlan *plan, guint p, guint decimation) {
  const guint step = plan->frame_layout.plane[p].step;
  CcInterleaveJob *priv = CC_PRIVATE(CcInterleaveJob, job);
  set_samples(job, &plan->frame_layout.plane[p]);
  for (guint from = 0; from < plan->layout.n_planes; from++) {
    const CcPlaneMap *map = &plan->map[from];
    const guint pixel = plan->layout.plane[from].step;
    for (guint i = 0; i < cc_plane_map_n_offsets(map); i++) {
      const CcComponentOffset *offset = &map->offset[i];
      for (guint n = 0; offset->plane == p && offset->first + n * offset->spacing < step; n++) {
        const guint at = offset->first + n * offset->spacing;
        if (!(cc_plan_made_components(plan, from) >> n % pixel & 1)) /* another stage writes it */
          continue;
        priv->spacing[at] = (guint8)(step / offset->spacing * decimation);
        priv->offset[at] = (guint8)(n / pixel * decimation * pixel + n % pixel);
        priv->plane[at] = (guint8)from;
      }
    }
  }
}

static void
set_interleave_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_jobs; p++) {
    CcInterleaveJob *priv = CC_PRIVATE(CcInterleaveJob, &launch->job[p]);
    set_job_size(&launch->job[p], &placement->frame_target[p]);
    for (gint i = 0; i < launch->job[p].step; i++) {
      const guint from = priv->plane[i];
      if (priv->spacing[i])
        priv->last[i] =
            (gint)(placement->target[from].width * step->plan->layout.plane[from].step) - 1;
    }
  }
}

static void
set_interleave_addresses(CcLaunch *launch, const CcCudaStep *step,
                         const CcCudaAddresses *addresses) {
  const CcCudaPlane *planes = addresses->set[step->from], *frame = addresses->set[step->to];
  for (gint p = 0; p < launch->n_jobs; p++) {
    CcInterleaveJob *priv = CC_PRIVATE(CcInterleaveJob, &launch->job[p]);
    set_job_addresses(&launch->job[p], &frame[p]);
    for (gint i = 0; i < launch->job[p].step; i++) {
      priv->address[i] = planes[priv->plane[i]].offset;
      /* the larger pitch skips rows that are not kept */
      priv->pitch[i] = (gint)planes[priv->plane[i]].pitch * launch->stride;
    }
  }
}

void
cc_plane_map_set_interleave(CcCudaStep *step, guint decimation) {
  const CcPlan *plan = step->plan;
  set_step(step, "cc_interleave");
  step->set_sizes = set_interleave_sizes;
  step->set_addresses = set_interleave_addresses;
  step->params.n_jobs = (gint)plan->frame_layout.n_planes;
  step->params.stride = (gint)decimation;
  for (guint p = 0; p < plan->frame_layout.n_planes; p++)
    set_interleave_job(&step->params.job[p], plan, p, decimation);
}
