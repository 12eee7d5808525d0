/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The step that shows direction as hue. */

#include "stage.h"

#include "direction_color.h"
#include "luma_source.h"
#include "engine/plan/output_stage.h"

CC_CUDA_DECLARE_MODULE(direction_color);

G_STATIC_ASSERT(CC_PASSTHROUGH_COPY == CC_DIRECTION_COLOR_COPY &&
                CC_PASSTHROUGH_FILL == CC_DIRECTION_COLOR_FILL);

static void
set_taps(CcLaunch *launch, const CcOp *op) {
  launch->n_matrices = (gint)op->n_matrices;
  launch->window_width = (gint)op->width;
  launch->window_height = (gint)op->height;
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++)
    launch->tap[i].i = op->tap_i[i];
}

static void
set_job(CcPlaneJob *job, const CcPlan *plan, const CcDirectionColor *color,
        const CcComponentGroup *group) {
  const CcPlaneLayout *luma = &plan->layout.plane[color->plane];
  CcDirectionColorJob *priv = CC_PRIVATE(CcDirectionColorJob, job);
  job->step = 1;
  job->shift = (gint)luma->shift;
  job->sample_bytes = (gint)cc_sample_size(luma->type);
  job->border_code[0] = color->border;
  job->add_f = color->add;
  priv->across = (guint8)group->across;
  priv->down = (guint8)group->down;
  cc_cuda_luma_source_init(&priv->luma, color->from, color->n_from);
  priv->n_dst = (guint8)group->n;
  for (guint i = 0; i < group->n; i++) {
    priv->component[i] = (guint8)group->component[i];
    priv->dst_plane[i] = (guint8)group->offset[i].plane;
    priv->dst_first[i] = (guint8)group->offset[i].first;
    priv->dst_spacing[i] = (guint8)group->offset[i].spacing;
  }
  if (group == color->group) {
    priv->passthrough = (guint8)color->passthrough;
    priv->passthrough_first = (guint8)color->passthrough_offset.first;
    job->fill[0] = color->passthrough_word;
  }
}

static void
set_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  const CcDirectionColor *color = step->stage->data;
  const CcRect *pixels = &placement->source[color->plane];
  for (guint i = 0; i < color->n_groups; i++) {
    const CcComponentGroup *group = &color->group[i];
    const CcRect *source = &placement->source[group->plane];
    const CcRect *target = &placement->target[group->plane];
    CcPlaneJob *job = &launch->job[i];
    CcDirectionColorJob *priv = CC_PRIVATE(CcDirectionColorJob, job);
    job->src_width = (gint)pixels->width;
    job->src_height = (gint)pixels->height;
    job->width = (gint)target->width;
    job->height = (gint)target->height;
    priv->left = (gint)(group->across * source->x) - (gint)pixels->x;
    priv->top = (gint)(group->down * source->y) - (gint)pixels->y;
    priv->repeats = (guint8)placement->repeats[color->plane];
    cc_cuda_plane_job_set_tiles(job, cc_cuda_divide_up(target->width, CC_DIRECTION_COLOR_WIDTH),
                                cc_cuda_divide_up(target->height, CC_DIRECTION_COLOR_HEIGHT));
  }
}

static void
set_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  const CcCudaPlane *dst = addresses->set[step->to];
  for (gint p = 0; p < launch->n_jobs; p++) {
    CcDirectionColorJob *priv = CC_PRIVATE(CcDirectionColorJob, &launch->job[p]);
    cc_cuda_luma_source_set_addresses(&priv->luma, addresses->set[step->from]);
    for (guint i = 0; i < priv->n_dst; i++) {
      priv->dst[i] = dst[priv->dst_plane[i]].offset;
      priv->dst_pitch[i] = (gint)dst[priv->dst_plane[i]].pitch;
    }
  }
}

/* Returns whether the sums over all pixels of a sample fit 32 bits, in every component group. */
static gboolean
fits_int32(const CcDirectionColor *color) {
  gint64 max = 0;
  for (guint i = 0; i < color->n_groups; i++)
    max = MAX(max, cc_op_largest_sum(color->op) * color->group[i].across * color->group[i].down);
  return max <= G_MAXINT32;
}

static void
set_step(CcCudaStep *step, GByteArray *taps, GString *text) {
  const CcPlan *plan = step->plan;
  const CcDirectionColor *color = step->stage->data;
  CcLaunch *launch = &step->params;
  launch->stride = (gint)plan->stride;
  launch->border = plan->border;
  launch->response = color->op->response;
  set_taps(launch, color->op);
  launch->n_jobs = (gint)color->n_groups;
  for (guint i = 0; i < color->n_groups; i++)
    set_job(&launch->job[i], plan, color, &color->group[i]);
  step->set_sizes = set_sizes;
  step->set_addresses = set_addresses;
  step->block[0] = CC_DIRECTION_COLOR_WIDTH;
  step->block[1] = CC_DIRECTION_COLOR_HEIGHT;
  step->overlaps = TRUE;
  step->module = cc_fatbin_direction_color;
  g_snprintf(step->name, sizeof step->name, "cc_direction_color_%s_%s",
             plan->layout.plane[color->plane].type == CC_SAMPLE_U8 ? "u8" : "u16",
             fits_int32(color) ? "i32" : "i64");
  cc_cuda_step_add_taps(step, taps, color->word, sizeof color->word);
  g_string_append_printf(text, "direction color, %u group%s of components", color->n_groups,
                         color->n_groups == 1 ? "" : "s");
}

const CcCudaStageClass cc_cuda_direction_color = {.set_step = set_step};
