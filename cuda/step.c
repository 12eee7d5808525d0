/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "step.h"

#include "engine/error.h"

G_STATIC_ASSERT(CC_LAUNCH_TAPS == CC_MAX_TAPS && CC_LAUNCH_MATRICES == CC_MAX_MATRICES &&
                CC_LAUNCH_SIDE == CC_MAX_MATRIX_SIZE && CC_LAUNCH_JOBS == CC_MAX_PLANES);

static void
set_job(CcPlaneJob *job, const CcPlan *plan, const CcPass *pass) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  job->step = (gint)layout->step;
  job->shift = (gint)layout->shift;
  job->sample_bytes = (gint)cc_sample_size(layout->type);
  job->filter_mask = (gint)pass->filter_mask;
  job->copy_mask = (gint)pass->copy_mask;
  job->fill_mask = (gint)pass->fill_mask;
  for (guint c = 0; c < CC_MAX_COMPONENTS; c++) {
    job->fill[c] = pass->fill[c];
    job->border_code[c] = pass->border[c];
  }
  if (pass->op) {
    job->mul = pass->op->mul;
    job->add = pass->op->add;
    job->mul_f = pass->op->mul_f;
    job->add_f = pass->op->add_f;
    job->lo = pass->op->lo;
    job->hi = pass->op->hi;
  }
}

static CcTap
make_tap(gint32 tap, const CcCudaKernel *kernel) {
  return kernel->integer ? (CcTap){.i = tap} : (CcTap){.f = (gfloat)tap};
}

static gboolean
has_long_lines(const CcOp *op) {
  return MAX(op->width, op->height) > CC_LAUNCH_SIDE;
}

/* If the CUDA kernel has a fixed side, the taps are centered in a square of side x side taps. */
static void
set_taps(CcLaunch *launch, const CcOp *op, const CcCudaKernel *kernel) {
  const guint width = kernel->side ? kernel->side : op->width;
  const guint height = kernel->side ? kernel->side : op->height;
  const guint left = (width - op->width) / 2, top = (height - op->height) / 2;
  launch->response = op->response;
  launch->n_matrices = (gint)op->n_matrices;
  launch->window_width = (gint)width;
  launch->window_height = (gint)height;
  launch->separable = op->separable;
  if (has_long_lines(op))
    return;
  for (guint m = 0; m < op->n_matrices; m++) {
    for (guint i = 0; op->separable && i < op->width; i++)
      launch->row[m][left + i] = make_tap(op->row_i[m][i], kernel);
    for (guint i = 0; op->separable && i < op->height; i++)
      launch->column[m][top + i] = make_tap(op->column_i[m][i], kernel);
    for (guint y = 0; op->has_taps && y < op->height; y++)
      for (guint x = 0; x < op->width; x++)
        launch->tap[(m * height + top + y) * width + left + x] =
            make_tap(op->tap_i[(m * op->height + y) * op->width + x], kernel);
  }
}

/* Returns the offset of the appended taps. */
static guint
append_taps(GByteArray *taps, gconstpointer data, gsize size) {
  static const guint8 gap[CC_CUDA_ALIGNMENT];
  const guint offset = (guint)cc_cuda_align(taps->len);
  g_byte_array_append(taps, gap, offset - taps->len);
  g_byte_array_append(taps, data, (guint)size);
  return offset;
}

void
cc_cuda_step_add_taps(CcCudaStep *step, GByteArray *taps, gconstpointer data, gsize size) {
  step->params.memory_taps = append_taps(taps, data, size);
  step->memory_taps = TRUE;
}

/* Appends all rows and columns of an op to `taps`, because some are too long for the launch
 * parameters. */
static void
add_lines(CcCudaStep *step, GByteArray *taps, const CcOp *op, const CcCudaKernel *kernel) {
  g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(CcTap));
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint i = 0; i < op->width; i++) {
      const CcTap tap = make_tap(op->row_i[m][i], kernel);
      g_array_append_val(lines, tap);
    }
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint i = 0; i < op->height; i++) {
      const CcTap tap = make_tap(op->column_i[m][i], kernel);
      g_array_append_val(lines, tap);
    }
  step->params.lines = append_taps(taps, lines->data, lines->len * sizeof(CcTap));
  step->lines = TRUE;
}

static void
set_filter_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  const CcCudaGroup *group = &step->group;
  for (guint i = 0; i < group->n; i++) {
    CcPlaneJob *job = &launch->job[i];
    const guint plane = group->pass[i]->plane;
    /* the stage REPEAT filters the target */
    const CcRect *source = step->stage ? &placement->target[plane] : &placement->source[plane];
    job->src_width = (gint)source->width;
    job->src_height = (gint)source->height;
    job->width = (gint)placement->target[plane].width;
    job->height = (gint)placement->target[plane].height;
  }
  step->algorithm->set_tiles(launch, group->kernel, step->gpu, group->pass);
}

static void
set_filter_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  for (guint i = 0; i < step->group.n; i++) {
    CcPlaneJob *job = &launch->job[i];
    const guint plane = step->group.pass[i]->plane;
    const CcCudaPlane *src = &addresses->set[step->from][plane],
                      *dst = &addresses->set[step->to][plane];
    job->src = src->offset;
    job->dst = dst->offset;
    job->src_pitch = (gint)src->pitch;
    job->dst_pitch = (gint)dst->pitch;
  }
}

gboolean
cc_cuda_step_set_filter(CcCudaStep *step, GByteArray *taps, const CcCudaGroup *group,
                        const CcCudaAlgorithm *algorithm, guint stride,
                        const CcPlacement *placement, GError **error) {
  CcLaunch *launch = &step->params;
  const CcCudaKernel *kernel = group->kernel;
  step->group = *group;
  step->algorithm = algorithm;
  step->set_sizes = set_filter_sizes;
  step->set_addresses = set_filter_addresses;
  step->shared_bytes = kernel->shared_bytes;
  step->overlaps = kernel->overlaps;
  step->block[0] = kernel->block[0];
  step->block[1] = kernel->block[1];
  step->module = kernel->module;
  g_strlcpy(step->name, kernel->name, sizeof step->name);
  launch->stride = (gint)stride;
  launch->border = step->plan->border;
  launch->window_width = launch->window_height = 1;
  if (group->op)
    set_taps(launch, group->op, kernel);
  launch->n_jobs = (gint)group->n;
  for (guint i = 0; i < group->n; i++)
    set_job(&launch->job[i], step->plan, group->pass[i]);
  if (!cc_cuda_step_set_sizes(step, launch, placement, error))
    return FALSE;
  if (algorithm->make_taps) {
    g_autoptr(GBytes) own_taps = algorithm->make_taps(launch, kernel, group->pass);
    if (own_taps)
      cc_cuda_step_add_taps(step, taps, g_bytes_get_data(own_taps, NULL),
                            g_bytes_get_size(own_taps));
  }
  if (group->op && has_long_lines(group->op))
    add_lines(step, taps, group->op, kernel);
  return TRUE;
}

gboolean
cc_cuda_step_set_sizes(const CcCudaStep *step, CcLaunch *launch, const CcPlacement *placement,
                       GError **error) {
  guint64 n = 0;
  launch->scratch_bytes = 0;
  step->set_sizes(launch, step, placement);
  for (gint i = 0; i < launch->n_jobs; i++)
    n += (guint)launch->job[i].n_tiles;
  if (n >= G_MAXINT32) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "this algorithm needs %" G_GUINT64_FORMAT
                " tiles for the output, and a launch has fewer than %d; smaller frames need fewer",
                n, G_MAXINT32);
    return FALSE;
  }
  launch->n_tiles = 0;
  for (gint i = 0; i < launch->n_jobs; i++) {
    launch->job[i].first_tile = launch->n_tiles;
    launch->n_tiles += launch->job[i].n_tiles;
  }
  return TRUE;
}
