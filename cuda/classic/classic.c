/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The launch configuration of the classic algorithms: all algorithms except tensor-core. */

#include "classic.h"

#include "cuda/launch_config.h"
#include "cuda/tile_sizes.h"
#include "two_pass.h"

#include <string.h>

CC_CUDA_DECLARE_MODULE(direct);
CC_CUDA_DECLARE_MODULE(constant);
CC_CUDA_DECLARE_MODULE(tile_halo);
CC_CUDA_DECLARE_MODULE(tile_cached);
CC_CUDA_DECLARE_MODULE(scatter);
CC_CUDA_DECLARE_MODULE(two_pass);
CC_CUDA_DECLARE_MODULE(register_tile);

#define WARP 32

#define COST_OF_TAP 8 /* cost for each tap of the longer side, matrix and unit of the stride */

guint
cc_cuda_classic_cost(const CcPlan *plan) {
  const CcOp *op = cc_cuda_leading_pass(plan, &plan->pass[0])->op;
  return COST_OF_TAP * op->n_matrices * MAX(op->width, op->height) * plan->stride;
}

/* --- kernels --- */

static const gchar *
sum_name(const CcOp *op) {
  return !op || op->arith == CC_ARITH_F32 ? "f32" : "i64";
}

static void
set_kernel(CcCudaKernel *kernel, CcCudaModule module, const gchar *name, const CcPlan *plan,
           const CcPass *pass, guint width, guint height) {
  const CcOp *op = cc_cuda_leading_pass(plan, pass)->op;
  kernel->module = module;
  g_snprintf(kernel->name, sizeof kernel->name, "cc_%s_%s_%s", name,
             plan->layout.plane[pass->plane].type == CC_SAMPLE_U8 ? "u8" : "u16", sum_name(op));
  kernel->block[0] = width;
  kernel->block[1] = height;
  kernel->integer = op && op->arith == CC_ARITH_I64;
}

/* Calls set_kernel for an algorithm whose kernels all have float sums. FALSE: float cannot hold the
 * sums of the pass. */
static gboolean
set_float_kernel(CcCudaKernel *kernel, CcCudaModule module, const gchar *name, const CcPlan *plan,
                 const CcPass *pass, guint width, guint height) {
  set_kernel(kernel, module, name, plan, pass, width, height);
  return !kernel->integer;
}

/* --- tiles --- */

/* Divides the targets into tiles of width x height pixels of one component. */
static void
set_tiles(CcLaunch *launch, guint width, guint height) {
  for (gint i = 0; i < launch->n_jobs; i++) {
    CcPlaneJob *job = &launch->job[i];
    cc_cuda_plane_job_set_tiles(job, cc_cuda_divide_up((guint)job->width, width) * (guint)job->step,
                                cc_cuda_divide_up((guint)job->height, height));
  }
}

/* --- direct, constant --- */

static gboolean
choose_direct(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  return set_float_kernel(kernel, cc_fatbin_direct, "direct", plan, pass, CC_PIXEL_TILE_WIDTH,
                          CC_PIXEL_TILE_HEIGHT);
}

static gboolean
choose_constant(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  set_kernel(kernel, cc_fatbin_constant, "constant", plan, pass, CC_PIXEL_TILE_WIDTH,
             CC_PIXEL_TILE_HEIGHT);
  return TRUE;
}

static void
set_pixel_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
                const CcPass *const *pass) {
  set_tiles(launch, CC_PIXEL_TILE_WIDTH, CC_PIXEL_TILE_HEIGHT);
}

gboolean
cc_cuda_load_check_kernel(CcCudaDevice *device, GError **error) {
  return cc_cuda_device_get_function(device, cc_fatbin_constant, "cc_constant_u8_f32", error) !=
         NULL;
}

/* The kernel reads `row`, `column` and `tap` from the copy. */
static GBytes *
copy_launch(const CcLaunch *launch, const CcCudaKernel *kernel, const CcPass *const *pass) {
  return g_bytes_new(launch, sizeof *launch);
}

const CcCudaAlgorithm cc_cuda_direct = {
    .choose = choose_direct, .set_tiles = set_pixel_tiles, .make_taps = copy_launch};
const CcCudaAlgorithm cc_cuda_constant = {.choose = choose_constant, .set_tiles = set_pixel_tiles};

/* --- tile-halo, tile-cached --- */

static gboolean
choose_tile_halo(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  return set_float_kernel(kernel, cc_fatbin_tile_halo, "tile_halo", plan, pass, CC_SHARED_TILE_SIDE,
                          CC_SHARED_TILE_SIDE);
}

static void
set_halo_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
               const CcPass *const *pass) {
  set_tiles(launch, (guint)((CC_SHARED_TILE_SIDE - launch->window_width) / launch->stride + 1),
            (guint)((CC_SHARED_TILE_SIDE - launch->window_height) / launch->stride + 1));
}

static gboolean
choose_tile_cached(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  return set_float_kernel(kernel, cc_fatbin_tile_cached, "tile_cached", plan, pass,
                          CC_SHARED_TILE_SIDE, CC_SHARED_TILE_SIDE);
}

static void
set_cached_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
                 const CcPass *const *pass) {
  const guint side = CC_SHARED_TILE_SIDE / (guint)launch->stride;
  set_tiles(launch, side, side);
}

const CcCudaAlgorithm cc_cuda_tile_halo = {.choose = choose_tile_halo, .set_tiles = set_halo_tiles};
const CcCudaAlgorithm cc_cuda_tile_cached = {.choose = choose_tile_cached,
                                             .set_tiles = set_cached_tiles};

/* --- scatter --- */

static gboolean
choose_scatter(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcOp *op = cc_cuda_leading_pass(plan, pass)->op;
  const guint taps = op ? op->width * op->height : 1;
  return set_float_kernel(kernel, cc_fatbin_scatter, "scatter", plan, pass,
                          cc_cuda_divide_up(taps, WARP) * WARP, 1);
}

static void
set_sample_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
                 const CcPass *const *pass) {
  set_tiles(launch, 1, 1);
}

const CcCudaAlgorithm cc_cuda_scatter = {
    .choose = choose_scatter, .set_tiles = set_sample_tiles, .make_taps = copy_launch};

/* --- two-pass --- */

/* Places the intermediates of the plane jobs in scratch. An intermediate has a sum for every
 * matrix, component, target column and source row. */
static void
set_scratch(CcLaunch *launch, const CcPass *const *pass) {
  for (gint i = 0; i < launch->n_jobs; i++) {
    CcPlaneJob *job = &launch->job[i];
    const gboolean wide = pass[i]->op && pass[i]->op->arith == CC_ARITH_I64;
    const guint64 columns = (guint64)launch->n_matrices * (guint)job->step * (guint)job->width;
    CC_PRIVATE(CcTwoPassJob, job)->intermediate = launch->scratch_bytes;
    launch->scratch_bytes += columns * CC_TWO_PASS_PITCH((guint)job->src_height) * (wide ? 8 : 4);
  }
}

static void
set_pass_kernel(const gchar *name, const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  set_kernel(kernel, cc_fatbin_two_pass, name, plan, pass, CC_TWO_PASS_TILE_SIDE,
             CC_TWO_PASS_BLOCK_HEIGHT);
}

static gboolean
choose_rows(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  set_pass_kernel("two_pass_rows", plan, pass, kernel);
  kernel->overlaps = TRUE;
  return TRUE;
}

static void
set_row_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
              const CcPass *const *pass) {
  set_scratch(launch, pass);
  for (gint i = 0; i < launch->n_jobs; i++) {
    CcPlaneJob *job = &launch->job[i];
    cc_cuda_plane_job_set_tiles(
        job, cc_cuda_divide_up((guint)job->width, CC_TWO_PASS_TILE_SIDE) * (guint)job->step,
        cc_cuda_divide_up((guint)job->src_height, CC_TWO_PASS_TILE_SIDE));
  }
}

static gboolean
choose_columns(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  set_pass_kernel("two_pass_columns", plan, pass, kernel);
  return TRUE;
}

static void
set_column_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
                 const CcPass *const *pass) {
  set_scratch(launch, pass);
  set_tiles(launch, CC_TWO_PASS_TILE_SIDE, CC_TWO_PASS_TILE_SIDE);
}

static const CcCudaAlgorithm columns = {.choose = choose_columns, .set_tiles = set_column_tiles};
const CcCudaAlgorithm cc_cuda_two_pass = {
    .choose = choose_rows, .set_tiles = set_row_tiles, .next = &columns};

/* --- register-tile --- */

/* Pads the convolution kernel to the next side for which register_tile.cu has a CUDA kernel. None
 * of these CUDA kernels supports a stride. */
static gboolean
choose_register_tile(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcOp *op = cc_cuda_leading_pass(plan, pass)->op;
  if (plan->stride != 1 || !set_float_kernel(kernel, cc_fatbin_register_tile, "register_tile", plan,
                                             pass, CC_REGISTER_TILE_ACROSS, CC_REGISTER_TILE_DOWN))
    return FALSE;
  kernel->overlaps = TRUE;
  const guint side = op ? MAX(op->width, op->height) : 0;
  kernel->side = side <= 3 ? 3 : side <= 5 ? 5 : 7;
  const gsize length = strlen(kernel->name);
  g_snprintf(kernel->name + length, sizeof kernel->name - length, "_%u", kernel->side);
  return TRUE;
}

static void
set_register_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
                   const CcPass *const *pass) {
  set_tiles(launch, CC_REGISTER_TILE_ACROSS * CC_REGISTER_TILE_SIDE,
            CC_REGISTER_TILE_DOWN * CC_REGISTER_TILE_SIDE);
}

const CcCudaAlgorithm cc_cuda_register_tile = {.choose = choose_register_tile,
                                               .set_tiles = set_register_tiles};
