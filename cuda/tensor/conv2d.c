/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The launch configuration of the tensor core kernels: which of them runs a pass, its tiles and its
 * tables. */

#include "tensor.h"

#include <string.h>
#include "engine/ablation.h"
#include "conv2d_any.h"
#include "conv2d_any_kernels.h"

CC_CUDA_DECLARE_MODULE(conv2d);
CC_CUDA_DECLARE_MODULE(conv2d_any);

/* --- which kernel --- */

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

/* What is chosen for a pass. */
typedef struct {
  CcSlidingChoice base;
  const Kernel *kernel; /* or NULL */
  CcTensorCoreAny any;  /* only then */
  CcTensorCoreTable table;
  CcRequantization numbers;
} Choice;
CC_OWN_FITS(Choice);

/* Whether the outer rows of matrix m, of three, are equal when the last is multiplied by `sign`. */
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

/* Whether a kernel takes the pass's window and taps, for samples that lie so. */
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
             CC_TENSOR_CORE_REACH(kernel->window);
}

/* How much a kernel multiplies for a target byte. */
static guint
cost(const Kernel *kernel) {
  return kernel->window * kernel->digits * kernel->height;
}

/* The tensor core kernel that runs a pass and the numbers of its requantization, or NULL. The
 * proofs take longest, so only those variants are tried that there is a kernel with. */
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
      .lead = (guint8)CC_TENSOR_CORE_REACH(kernel->window),
      .stride = 1,
      .phases = 1,
  };
}

static gboolean
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  Choice *choice = CC_OWN(Choice, kernel);
  const CcTensorCorePacking *packing = &choice->base.packing;
  const gboolean by_samples = packing->colors && !packing->pixel;
  if (!cc_tensor_core_can_pass(pass, layout))
    return FALSE;
  if (by_samples && (layout->type != CC_SAMPLE_U8 || plan->stride != 1))
    return FALSE; /* none of them becomes grey so */
  if (cc_tensor_core_can_write(pass, layout) && plan->stride == 1 && !packing->pixel)
    choice->kernel = find_kernel(pass, layout, &choice->numbers);
  const gchar *name;
  if (choice->kernel) {
    kernel->module = cc_fatbin_conv2d;
    name = choice->kernel->name;
    choice->table = table_for(choice->kernel);
    kernel->cost = choice->kernel->n_matrices * cost(choice->kernel) / 16;
  } else if (!by_samples &&
             cc_tensor_core_any_choose(pass, layout, plan->stride, packing->pairs, &choice->any,
                                       &choice->table, &choice->numbers)) {
    kernel->module = cc_fatbin_conv2d_any;
    name = choice->any.name;
    kernel->cost = choice->any.cost;
  } else {
    return FALSE;
  }
  g_strlcpy(kernel->name, name, sizeof kernel->name);
  choice->base.table_bytes = cc_tensor_core_table_bytes(&choice->table, pass->op);
  kernel->block[1] = CC_TENSOR_CORE_WARPS;
  if (pass->copy_mask & CC_TENSOR_CORE_ASIDE && packing->pixel)
    kernel->shared_bytes = CC_TENSOR_CORE_ASIDE_BYTES;
  return TRUE;
}

/* --- tiles and taps --- */

/* The numbers of the requantization for the samples of a row. */
static void
set_samples(CcPart *part, const CcPass *pass, const CcRequantization *numbers) {
  CcTensorCorePart *own = CC_OWN(CcTensorCorePart, part);
  own->down = numbers->down;
  own->low = numbers->low;
  own->passes = 0;
  for (gint i = 0; i < 4; i++) {
    const gboolean filters = pass->filter_mask >> i % part->step & 1;
    own->place[i].factor = filters ? numbers->factor : numbers->passed_factor;
    own->place[i].addend = filters ? numbers->addend : (CcTap){0};
    own->excess[i] = filters ? numbers->excess : 0;
    own->passes |= filters ? 0 : 1u << i;
  }
}

/* Cuts the targets into tiles, of which the last `n_short` are short; how many there are. */
static guint64
cut_tiles(CcLaunch *launch, guint64 n_short) {
  const guint stride = (guint)launch->stride;
  guint64 n = 0;
  for (gint i = launch->n_parts - 1; i >= 0; i--) {
    CcPart *part = &launch->part[i];
    CcTensorCorePart *own = CC_OWN(CcTensorCorePart, part);
    const guint row_bytes = (guint)(part->width * part->step * part->sample_bytes);
    const guint across = cc_cuda_divide_up(row_bytes, CC_TENSOR_CORE_TILE_BYTES / stride);
    const guint down = cc_cuda_divide_up((guint)part->height, CC_TENSOR_CORE_TILE_ROWS / stride);
    const guint short_rows = (guint)MIN(n_short / across, down);
    const guint tall_rows = (down - short_rows) / 2;
    n_short -= (guint64)across * short_rows;
    cc_cuda_part_set_tiles(part, across, down - tall_rows);
    own->tall_rows = (gint)tall_rows;
    own->inverse = (guint)MIN((G_GUINT64_CONSTANT(1) << 32) / across, G_MAXUINT32);
    n += (guint)part->n_tiles;
  }
  return n;
}

/* Tall tiles read few rows twice. The last ones are short, so that the multiprocessors end
 * together; and so are all when tall ones would not be enough for them. */
static void
choose_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu) {
  const guint blocks = CC_OWN(const Choice, kernel)->kernel ? CC_TENSOR_CORE_MOST_BLOCKS
                                                            : CC_TENSOR_CORE_ANY_MOST_BLOCKS;
  const guint64 at_once = (guint64)blocks * gpu->multiprocessors;
  if (cut_tiles(launch, 0) < at_once)
    cut_tiles(launch, G_MAXUINT64);
  else
    cut_tiles(launch, at_once / 2);
}

static void
set_part(CcPart *part, const CcCudaKernel *kernel, const CcPass *pass) {
  const Choice *choice = CC_OWN(const Choice, kernel);
  CcTensorCorePart *own = CC_OWN(CcTensorCorePart, part);
  if (!pass->op)
    return;
  set_samples(part, pass, &choice->numbers);
  own->digits = choice->table.digits;
  own->chunks = choice->table.chunks;
  own->margin = choice->any.margin;
  own->reach = choice->any.reach;
}

static void
write_table(guint8 *to, const CcPart *part, const CcCudaKernel *kernel, const CcPass *pass) {
  const Choice *choice = CC_OWN(const Choice, kernel);
  cc_tensor_core_write_table(to, &choice->table, part, pass, &choice->numbers,
                             choice->base.packing.pairs);
}

const CcSlidingWay cc_tensor_core = {.choose = choose,
                                     .choose_tiles = choose_tiles,
                                     .set_part = set_part,
                                     .write_table = write_table};
