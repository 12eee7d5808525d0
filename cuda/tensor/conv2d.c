/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The launch configuration of the conv2d kernels: chooses the kernel for a pass, and makes the
 * tiles and tables of the pass. */

#include "tensor.h"

#include <string.h>
#include "engine/ablation.h"
#include "conv2d_any.h"
#include "conv2d_any_kernels.h"

CC_CUDA_DECLARE_MODULE(conv2d);
CC_CUDA_DECLARE_MODULE(conv2d_any);

/* --- choosing the kernel --- */

typedef struct {
  guint bytes, window, digits, n_matrices, height;
  CcRequantizationVariant variant;
  const gchar *name;
} Kernel;

static const Kernel kernels[] = {
#define ENTRY(bytes, window, digits, matrices, height, finish)                                     \
  {bytes,                                                                                          \
   window,                                                                                         \
   digits,                                                                                         \
   matrices,                                                                                       \
   height,                                                                                         \
   CC_REQUANTIZE_conv2d_##finish,                                                                  \
   CC_TENSOR_CORE_NAME(bytes, window, digits, matrices, height, finish)},
    CC_TENSOR_CORE_KERNELS(ENTRY)
#undef ENTRY
};

typedef struct {
  CcTensorCoreChoice base;
  const Kernel *kernel; /* NULL: the pass uses the kernel `any` */
  CcTensorCoreAny any;
  CcTensorCoreTable table;
  CcRequantization numbers;
} Choice;
CC_PRIVATE_FITS(Choice);

/* Whether the first row of matrix m equals its last row times `sign`. The matrix has three rows. */
static gboolean
outer_rows_agree(const CcOp *op, guint m, gint sign) {
  const gint32 *first = &op->tap_i[m * op->height * op->width];
  for (guint i = 0; i < op->width; i++)
    if (first[i] != sign * first[2 * op->width + i])
      return FALSE;
  return TRUE;
}

static gboolean
is_gradient(const CcOp *op) {
  if (op->n_matrices != 2 || op->height != 3)
    return FALSE;
  const gint32 *middle = &op->tap_i[(op->height + 1) * op->width];
  for (guint i = 0; i < op->width; i++)
    if (middle[i] != 0)
      return FALSE;
  return outer_rows_agree(op, 0, 1) && (outer_rows_agree(op, 1, 1) || outer_rows_agree(op, 1, -1));
}

/* Whether a kernel supports the matrices and the taps of the pass's op, for the sample layout
 * `layout`. */
static gboolean
takes_taps(const Kernel *kernel, const CcPass *pass, const CcPlaneLayout *layout) {
  const CcOp *op = pass->op;
  const guint bytes = (guint)cc_sample_size(layout->type);
  return kernel->bytes == bytes && kernel->n_matrices == op->n_matrices &&
         (!CC_TENSOR_CORE_IS_GRADIENT(kernel->window, kernel->n_matrices, kernel->height,
                                      kernel->variant) ||
          is_gradient(op)) &&
         kernel->height >= op->height &&
         cc_tensor_n_digits(op->tap_i, op->n_matrices * op->width * op->height) <= kernel->digits &&
         cc_tensor_core_farthest_sample(pass, layout) * bytes <=
             CC_TENSOR_CORE_RADIUS(kernel->window);
}

/* The number of products of bytes per target byte, for each matrix. */
static guint
cost(const Kernel *kernel) {
  return kernel->window * kernel->digits * kernel->height;
}

/* Also sets `numbers`. NULL: no kernel can run the pass. The proof that a variant gives the code
 * values of the op (cc_requantization_find) takes the most time. So each variant is proved only
 * once, for its cheapest kernel that supports the pass. */
static const Kernel *
find_kernel(const CcPass *pass, const CcPlaneLayout *layout, CcRequantization *numbers) {
  const CcOp *op = pass->op;
  if (!op->has_taps)
    return NULL;
  for (CcRequantizationVariant variant = CC_REQUANTIZE_conv2d_bytes;
       variant <= CC_REQUANTIZE_conv2d_wide; variant++) {
    const Kernel *best = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
      const Kernel *kernel = &kernels[i];
      if (kernel->variant == variant && !cc_is_left_out(kernel->name) &&
          takes_taps(kernel, pass, layout) && (!best || cost(kernel) < cost(best)))
        best = kernel;
    }
    if (best && cc_requantization_find(numbers, variant, op, best->bytes, layout->shift))
      return best;
  }
  return NULL;
}

static CcTensorCoreTable
table_for(const Kernel *kernel) {
  return (CcTensorCoreTable){
      .digits = (guint8)kernel->digits,
      .chunks = 1,
      .chunk_bytes = (guint8)kernel->window,
      .groups = (guint8)CC_TENSOR_CORE_GROUPS(kernel->window),
      .rows = (guint8)kernel->height,
      .lead = (guint8)CC_TENSOR_CORE_RADIUS(kernel->window),
      .stride = 1,
      .phases = 1,
  };
}

static gboolean
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  Choice *choice = CC_PRIVATE(Choice, kernel);
  const CcTensorCorePlaneMap *map = &choice->base.map;
  const gboolean by_samples = map->colors && !map->pixel;
  if (!cc_tensor_core_can_pass(pass, layout))
    return FALSE;
  if (by_samples && (layout->type != CC_SAMPLE_U8 || plan->stride != 1))
    return FALSE; /* kernels only convert bytes to grey, and only without a stride */
  if (cc_tensor_core_can_write(pass, layout) && plan->stride == 1 && !map->pixel)
    choice->kernel = find_kernel(pass, layout, &choice->numbers);
  const gchar *name;
  if (choice->kernel) {
    kernel->module = cc_fatbin_conv2d;
    name = choice->kernel->name;
    choice->table = table_for(choice->kernel);
    kernel->cost = choice->kernel->n_matrices * cost(choice->kernel) / 16;
  } else if (!by_samples &&
             cc_tensor_core_any_choose(pass, layout, plan->stride, map->macropixel_luma,
                                       &choice->any, &choice->table, &choice->numbers)) {
    kernel->module = cc_fatbin_conv2d_any;
    name = choice->any.name;
    kernel->cost = choice->any.cost;
  } else {
    return FALSE;
  }
  g_strlcpy(kernel->name, name, sizeof kernel->name);
  choice->base.table_bytes = cc_tensor_core_table_bytes(&choice->table, pass->op);
  kernel->block[1] = CC_TENSOR_CORE_WARPS;
  if (pass->copy_mask & CC_TENSOR_CORE_PASSTHROUGH && map->pixel)
    kernel->shared_bytes = CC_TENSOR_CORE_PASSTHROUGH_BYTES;
  return TRUE;
}

/* --- tiles and taps --- */

/* Sets the numbers of the requantization for the samples of a row. */
static void
set_samples(CcPlaneJob *job, const CcPass *pass, const CcRequantization *numbers) {
  CcTensorCoreJob *priv = CC_PRIVATE(CcTensorCoreJob, job);
  priv->down = numbers->down;
  priv->low = numbers->low;
  priv->passes = 0;
  for (gint i = 0; i < 4; i++) {
    const gboolean filters = pass->filter_mask >> i % job->step & 1;
    priv->numbers[i].factor = filters ? numbers->factor : numbers->passed_factor;
    priv->numbers[i].addend = filters ? numbers->addend : (CcTap){0};
    priv->excess[i] = filters ? numbers->excess : 0;
    priv->passes |= filters ? 0 : 1u << i;
  }
}

/* Divides the targets of all plane jobs into tiles. A tall tile has 2 * TILE_ROWS source rows, a
 * short tile has TILE_ROWS. About the last `n_short` tiles of the launch are short. Returns the
 * number of tiles. */
static guint64
cut_tiles(CcLaunch *launch, guint64 n_short) {
  const guint stride = (guint)launch->stride;
  guint64 n = 0;
  for (gint i = launch->n_jobs - 1; i >= 0; i--) {
    CcPlaneJob *job = &launch->job[i];
    CcTensorCoreJob *priv = CC_PRIVATE(CcTensorCoreJob, job);
    const guint row_bytes = (guint)(job->width * job->step * job->sample_bytes);
    const guint across = cc_cuda_divide_up(row_bytes, CC_TENSOR_CORE_TILE_BYTES / stride);
    const guint down = cc_cuda_divide_up((guint)job->height, CC_TENSOR_CORE_TILE_ROWS / stride);
    const guint short_rows = (guint)MIN(n_short / across, down);
    const guint tall_rows = (down - short_rows) / 2;
    n_short -= (guint64)across * short_rows;
    cc_cuda_plane_job_set_tiles(job, across, down - tall_rows);
    priv->tall_rows = (gint)tall_rows;
    priv->inverse = (guint)MIN((G_GUINT64_CONSTANT(1) << 32) / across, G_MAXUINT32);
    n += (guint)job->n_tiles;
  }
  return n;
}

/* With tall tiles, fewer source rows are read by two tiles. The last tiles are short, so that the
 * multiprocessors finish at about the same time. All tiles are short if there would be too few tall
 * tiles to occupy all multiprocessors. */
static void
choose_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu) {
  const guint blocks = CC_PRIVATE(const Choice, kernel)->kernel ? CC_TENSOR_CORE_MAX_BLOCKS
                                                                : CC_TENSOR_CORE_ANY_MAX_BLOCKS;
  const guint64 at_once = (guint64)blocks * gpu->multiprocessors;
  if (cut_tiles(launch, 0) < at_once)
    cut_tiles(launch, G_MAXUINT64);
  else
    cut_tiles(launch, at_once / 2);
}

static void
set_job(CcPlaneJob *job, const CcCudaKernel *kernel, const CcPass *pass) {
  const Choice *choice = CC_PRIVATE(const Choice, kernel);
  CcTensorCoreJob *priv = CC_PRIVATE(CcTensorCoreJob, job);
  if (!pass->op)
    return;
  set_samples(job, pass, &choice->numbers);
  priv->digits = choice->table.digits;
  priv->chunks = choice->table.chunks;
  priv->margin = choice->any.margin;
  priv->radius = choice->any.radius;
}

static void
write_table(guint8 *to, const CcPlaneJob *job, const CcCudaKernel *kernel, const CcPass *pass) {
  const Choice *choice = CC_PRIVATE(const Choice, kernel);
  cc_tensor_core_write_table(to, &choice->table, job, pass, &choice->numbers,
                             choice->base.map.macropixel_luma);
}

const CcTensorCoreMethod cc_tensor_conv2d = {
    .choose = choose, .choose_tiles = choose_tiles, .set_job = set_job, .write_table = write_table};
