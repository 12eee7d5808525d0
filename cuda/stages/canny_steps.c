/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The steps of Canny's edges. */

#include "stage.h"

#include "canny.h"
#include "luma_source.h"

CC_CUDA_DECLARE_MODULE(canny);

static const CcCanny *
canny_of(const CcCudaStep *step) {
  return step->stage->data;
}

static void
set_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  const CcCanny *canny = canny_of(step);
  const CcRect *source = &placement->source[canny->group.plane];
  const CcRect *target = &placement->target[canny->group.plane];
  CcPlaneJob *job = &launch->job[0];
  CcCannyJob *priv = CC_PRIVATE(CcCannyJob, job);
  const guint across = cc_cuda_divide_up(source->width, CC_CANNY_TILE);
  const guint down = cc_cuda_divide_up(source->height, CC_CANNY_TILE);
  const gsize n_words = (gsize)across * down * CC_CANNY_TILE;
  job->src_width = (gint)source->width;
  job->src_height = (gint)source->height;
  job->width = (gint)target->width;
  job->height = (gint)target->height;
  priv->tiles_across = (gint)across;
  priv->tiles_down = (gint)down;
  priv->repeats = (guint8)placement->repeats[canny->group.plane];
  cc_cuda_plane_job_set_tiles(job, cc_cuda_divide_up(across, CC_CANNY_STRIP),
                              target->height > 0 ? down : 0);
  launch->scratch_bytes = n_words * (2 + CC_CANNY_LABELS) * sizeof(guint32);
}

static void
set_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  const gboolean reads = step->stage->kind == CC_STAGE_SUPPRESS;
  cc_cuda_luma_source_set_addresses(&CC_PRIVATE(CcCannyJob, &launch->job[0])->luma,
                                    addresses->set[reads ? step->from : step->to]);
}

/* Matrix 0 is the smoothing column times the derivative row, and matrix 1 is its transpose. The
 * middle tap of the smoothing and the taps right of the middle of the derivative are positive. */
static void
set_taps(CcCannyJob *priv, const CcOp *op) {
  const guint middle = op->width / 2;
  const gint sign = op->column_i[0][middle] < 0 ? -1 : 1;
  for (guint i = 0; i <= middle; i++) {
    priv->smooth[i] = (gint16)(sign * op->column_i[0][middle + i]);
    priv->derivative[i] = (gint16)(sign * op->row_i[0][middle + i]);
  }
}

/* Whether gradients and magnitudes fit 32 bits in the kernels, which shift gradients by
 * CC_CANNY_BITS. */
static gboolean
fits_int32(const CcCanny *canny) {
  return cc_canny_largest_gradient(canny) <= G_MAXINT16 &&
         cc_canny_largest_magnitude(canny) <= G_MAXINT32;
}

static void
set_step(CcCudaStep *step) {
  const CcPlan *plan = step->plan;
  const CcCanny *canny = canny_of(step);
  const CcPlaneLayout *luma = &plan->layout.plane[canny->group.plane];
  const gint64 max = fits_int32(canny) ? G_MAXINT32 : G_MAXINT64;
  CcLaunch *launch = &step->params;
  CcPlaneJob *job = &launch->job[0];
  CcCannyJob *priv = CC_PRIVATE(CcCannyJob, job);
  launch->stride = (gint)plan->stride;
  launch->border = plan->border;
  launch->n_jobs = 1;
  job->step = 1;
  job->shift = (gint)luma->shift;
  job->sample_bytes = (gint)cc_sample_size(luma->type);
  job->border_code[0] = canny->border;
  cc_cuda_luma_source_init(&priv->luma, canny->group.offset, canny->group.n);
  set_taps(priv, canny->op);
  priv->low = MIN(canny->low, max);
  priv->high = MIN(canny->high, max);
  priv->round_bits = (gint)canny->round_bits;
  priv->is_l2 = canny->is_l2;
  priv->black = canny->black;
  priv->white = canny->white;
  step->module = cc_fatbin_canny;
  step->block[0] = CC_CANNY_TILE;
  step->block[1] = 1;
  step->overlaps = TRUE;
  step->set_sizes = set_sizes;
  step->set_addresses = set_addresses;
}

static const gchar *
type_name(const CcCudaStep *step) {
  const CcCanny *canny = canny_of(step);
  return step->plan->layout.plane[canny->group.plane].type == CC_SAMPLE_U8 ? "u8" : "u16";
}

static void
set_suppress(CcCudaStep *step, GByteArray *taps, GString *text) {
  const CcCanny *canny = canny_of(step);
  set_step(step);
  g_snprintf(step->name, sizeof step->name, "cc_canny_suppress_%s%s_%s_%u",
             canny->group.n == 3 ? "rgb_" : "", type_name(step), fits_int32(canny) ? "i32" : "i64",
             canny->op->width);
  g_string_append(text, "maxima of the gradient");
}

static void
set_label(CcCudaStep *step, GByteArray *taps, GString *text) {
  set_step(step);
  step->block[1] = CC_CANNY_STRIP;
  g_strlcpy(step->name, "cc_canny_label", sizeof step->name);
  g_string_append(text, "hysteresis in tiles");
}

static void
set_hysteresis(CcCudaStep *step, GByteArray *taps, GString *text) {
  set_step(step);
  step->block[1] = 2 * CC_CANNY_STRIP;
  g_strlcpy(step->name, "cc_canny_hysteresis", sizeof step->name);
  g_string_append(text, "hysteresis across tiles");
}

static void
set_edges(CcCudaStep *step, GByteArray *taps, GString *text) {
  set_step(step);
  step->block[1] = CC_CANNY_STRIP;
  g_snprintf(step->name, sizeof step->name, "cc_canny_edges_%s", type_name(step));
  g_string_append(text, "edges");
}

static const CcCudaStageClass label = {.set_step = set_label};
const CcCudaStageClass cc_cuda_suppress = {.set_step = set_suppress, .next = &label};
const CcCudaStageClass cc_cuda_hysteresis = {.set_step = set_hysteresis};
const CcCudaStageClass cc_cuda_edges = {.set_step = set_edges};
