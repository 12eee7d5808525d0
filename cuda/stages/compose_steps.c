/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

#include "compose.h"

CC_CUDA_DECLARE_MODULE(compose);

static void
set_kernel(CcCudaStep *step, const gchar *name, CcSampleType type) {
  step->module = cc_fatbin_compose;
  g_snprintf(step->name, sizeof step->name, "%s_%s", name, type == CC_SAMPLE_U8 ? "u8" : "u16");
  step->block[0] = CC_COMPOSE_WIDTH;
  step->block[1] = CC_COMPOSE_HEIGHT;
  step->overlaps = TRUE;
}

/* --- threshold, invert, mix --- */

/* Sets a parameter of component c, as a stored sample, in all pixels of the words. With three
 * components, all have the same parameters. */
static void
set_words(guint32 words[CC_COMPOSE_PERIOD], const CcPlaneLayout *plane, guint c, guint sample) {
  const guint bits = 8 * (guint)cc_sample_size(plane->type), per_word = 32 / bits;
  const guint64 stored = sample & ((1u << bits) - 1);
  for (guint i = plane->step == 3 ? 0 : c; i < CC_COMPOSE_PERIOD * per_word;
       i += plane->step == 3 ? 1 : plane->step)
    words[i / per_word] |= (guint32)(stored << i % per_word * bits);
}

/* Sets the job of plane p. Returns FALSE if the plane stays as it is. */
static gboolean
set_compose_job(CcPlaneJob *job, const CcPlan *plan, const CcCompose *compose, guint p) {
  const CcPlaneLayout *plane = &plan->frame_layout.plane[p];
  CcComposeJob *priv = CC_PRIVATE(CcComposeJob, job);
  const guint all = G_MAXUINT16;
  job->step = (gint)plane->step;
  job->shift = (gint)plane->shift;
  job->sample_bytes = (gint)cc_sample_size(plane->type);
  job->hi = (1 << plane->depth) - 1;
  *priv = (CcComposeJob){.mix = compose->mix, .plane = (guint8)p};
  priv->luma = !plane->has_macropixels ? -1 : plane->role[0] == CC_ROLE_LUMA ? 0 : 1;
  for (guint c = 0; c < plane->step; c++) {
    const CcComposeComponent *from = &compose->component[p][c];
    priv->point = MAX(priv->point, (guint8)from->point);
    priv->mixes |= (guint8)from->mixes;
    if (from->point) {
      set_words(priv->limit, plane, c, (guint)from->limit << plane->shift);
      set_words(priv->above, plane, c, (guint)from->above << plane->shift);
      set_words(priv->below, plane, c, (guint)from->below << plane->shift);
      set_words(priv->sum, plane, c, (guint)from->sum << plane->shift);
    } else {
      set_words(priv->keep, plane, c, all);
    }
    if (!from->mixes)
      set_words(priv->unmixed, plane, c, all);
  }
  return priv->point || priv->mixes;
}

/* Without a need for the source, `src` of a job is its target. */
static void
set_compose_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint i = 0; i < launch->n_jobs; i++) {
    CcPlaneJob *job = &launch->job[i];
    CcComposeJob *priv = CC_PRIVATE(CcComposeJob, job);
    const CcRect *target = &placement->frame_target[priv->plane];
    const CcRect *source = priv->mixes ? &placement->frame_source[priv->plane] : target;
    const guint each = CC_COMPOSE_WIDTH * CC_COMPOSE_BYTES / (guint)job->sample_bytes;
    job->src_width = (gint)source->width;
    job->src_height = (gint)source->height;
    job->width = (gint)target->width;
    job->height = (gint)target->height;
    priv->n_pixels =
        (gint)cc_target_pixels(&step->plan->out_frame_layout.plane[priv->plane], target);
    cc_cuda_plane_job_set_tiles(
        job, cc_cuda_divide_up(target->width * (guint)job->step, each),
        cc_cuda_divide_up(target->height, CC_COMPOSE_HEIGHT * CC_COMPOSE_ROWS));
  }
}

static void
set_compose_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  for (gint i = 0; i < launch->n_jobs; i++) {
    CcPlaneJob *job = &launch->job[i];
    const CcComposeJob *priv = CC_PRIVATE(const CcComposeJob, job);
    const CcCudaPlane *src = &addresses->set[priv->mixes ? step->from : step->to][priv->plane];
    const CcCudaPlane *dst = &addresses->set[step->to][priv->plane];
    job->src = src->offset;
    job->src_pitch = (gint)src->pitch;
    job->dst = dst->offset;
    job->dst_pitch = (gint)dst->pitch;
  }
}

static void
set_compose(CcCudaStep *step, GByteArray *taps, GString *text) {
  const CcPlan *plan = step->plan;
  CcLaunch *launch = &step->params;
  set_kernel(step, "cc_compose", plan->frame_layout.plane[0].type);
  step->set_sizes = set_compose_sizes;
  step->set_addresses = set_compose_addresses;
  launch->stride = (gint)plan->stride;
  for (guint p = 0; p < plan->frame_layout.n_planes; p++)
    launch->n_jobs += set_compose_job(&launch->job[launch->n_jobs], plan, step->stage->data, p);
  g_string_append(text, "compose");
}

const CcCudaStageClass cc_cuda_compose = {.set_step = set_compose};

/* --- overlay --- */

static void
set_overlay_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  const CcOverlay *overlay = step->stage->data;
  const CcFrameLayout *out = &step->plan->out_frame_layout;
  CcPlaneJob *job = &launch->job[0];
  CcOverlayJob *priv = CC_PRIVATE(CcOverlayJob, job);
  const guint last = overlay->n_groups - 1;
  const CcOverlayCells cells = cc_overlay_cells(overlay, out, placement->frame_target);
  const CcRect pixels = cc_overlay_rect(overlay, 0, out, placement->frame_target);
  const CcRect chroma = cc_overlay_rect(overlay, last, out, placement->frame_target);
  job->width = (gint)cells.width;
  job->height = (gint)cells.height;
  job->src_width = (gint)pixels.width;
  job->src_height = (gint)pixels.height;
  priv->left = (gint)(priv->across * cells.x) - (gint)pixels.x;
  priv->top = (gint)(priv->down * cells.y) - (gint)pixels.y;
  priv->chroma_left = (gint)cells.x - (gint)chroma.x;
  priv->chroma_top = (gint)cells.y - (gint)chroma.y;
  priv->chroma_width = (gint)chroma.width;
  priv->chroma_height = (gint)chroma.height;
  priv->repeats = out->plane[overlay->plane].has_macropixels && pixels.width % 2;
  cc_cuda_plane_job_set_tiles(job, cc_cuda_divide_up(cells.width, CC_COMPOSE_WIDTH * priv->cells),
                              cc_cuda_divide_up(cells.height, CC_COMPOSE_HEIGHT));
}

static void
set_overlay_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  const CcCudaPlane *src = addresses->set[step->from], *dst = addresses->set[step->to];
  CcOverlayJob *priv = CC_PRIVATE(CcOverlayJob, &launch->job[0]);
  for (gint i = 0; i < priv->n_pixel + priv->n_chroma; i++) {
    priv->src[i] = src[priv->plane[i]].offset;
    priv->src_pitch[i] = (gint)src[priv->plane[i]].pitch;
    priv->dst[i] = dst[priv->plane[i]].offset;
    priv->dst_pitch[i] = (gint)dst[priv->plane[i]].pitch;
  }
}

static void
set_overlay(CcCudaStep *step, GByteArray *taps, GString *text) {
  const CcOverlay *overlay = step->stage->data;
  const CcPlaneLayout *plane = &step->plan->frame_layout.plane[overlay->plane];
  const CcComponentGroup *last = &overlay->group[overlay->n_groups - 1];
  CcPlaneJob *job = &step->params.job[0];
  CcOverlayJob *priv = CC_PRIVATE(CcOverlayJob, job);
  set_kernel(step, "cc_overlay", plane->type);
  step->set_sizes = set_overlay_sizes;
  step->set_addresses = set_overlay_addresses;
  step->params.stride = (gint)step->plan->stride;
  step->params.n_jobs = 1;
  job->step = plane->role[overlay->group[0].offset[0].first] == CC_ROLE_RED ? 3 : 1;
  job->shift = (gint)plane->shift;
  job->sample_bytes = (gint)cc_sample_size(plane->type);
  job->lo = (gint)overlay->lo;
  job->hi = (gint)overlay->hi;
  priv->whole = overlay->whole;
  priv->part = overlay->part;
  priv->across = (guint8)last->across;
  priv->down = (guint8)last->down;
  priv->n_pixel = (guint8)overlay->group[0].n;
  priv->n_chroma = overlay->n_groups > 1 ? (guint8)last->n : 0;
  for (guint g = 0, n = 0; g < overlay->n_groups; g++)
    for (guint i = 0; i < overlay->group[g].n; i++, n++) {
      const CcComponentOffset *offset = &overlay->group[g].offset[i];
      priv->plane[n] = (guint8)offset->plane;
      priv->first[n] = (guint8)offset->first;
      priv->spacing[n] = (guint8)offset->spacing;
      priv->color[n] = overlay->color[overlay->group[g].component[i]];
    }
  const guint pixels = CC_COMPOSE_BYTES / (guint)job->sample_bytes;
  priv->cells = priv->n_pixel == 1 && priv->spacing[0] == 1 ? (guint8)(pixels / last->across)
                                                            : CC_OVERLAY_CELLS;
  g_string_append_printf(text, "overlay, cells of %ux%u pixels", last->across, last->down);
}

const CcCudaStageClass cc_cuda_overlay = {.set_step = set_overlay};
