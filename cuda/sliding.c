/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "algorithm.h"

#include <string.h>
#include "sliding_finish.h"
#include "sliding_float.h"

/* --- which kernel --- */

typedef struct {
  guint bytes, k, digits, n_matrices, height;
  CcSlidingFinish finish;
  const gchar *name;
} TensorKernel;

static const TensorKernel tensor_kernels[] = {
#define ENTRY(bytes, k, digits, matrices, height, finish)                                          \
  {bytes,                                                                                          \
   k,                                                                                              \
   digits,                                                                                         \
   matrices,                                                                                       \
   height,                                                                                         \
   CC_SLIDING_FINISH_##finish,                                                                     \
   CC_SLIDING_NAME(bytes, k, digits, matrices, height, finish)},
    CC_SLIDING_KERNELS(ENTRY)
#undef ENTRY
};

static gint
largest_tap(const CcOp *op) {
  gint largest = 0;
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++)
    largest = MAX(largest, ABS(op->tap_i[i]));
  return largest;
}

/* Whether sums of stored words, which may be shifted code values, fit 32 bits. */
static gboolean
word_sums_fit(const CcOp *op, guint shift) {
  for (guint m = 0; m < op->n_matrices; m++)
    if (MAX(-op->sum_min[m], op->sum_max[m]) > G_MAXINT32 >> shift)
      return FALSE;
  return TRUE;
}

/* Whether a kernel takes the op's window and taps, for samples that lie so. */
static gboolean
takes_taps(const TensorKernel *kernel, const CcOp *op, const CcPlaneLayout *layout) {
  const guint bytes = (guint)cc_sample_size(layout->type);
  const gint most = kernel->digits == 1 ? 127 : CC_SLIDING_DIGIT * 127;
  return kernel->bytes == bytes && kernel->n_matrices == op->n_matrices &&
         kernel->height >= op->height && largest_tap(op) <= most &&
         op->width / 2 * layout->step * bytes <= CC_SLIDING_REACH(kernel->k);
}

/* How many products a row of a kernel takes, the wider ones counting twice. */
static guint
cost(const TensorKernel *kernel) {
  return kernel->k * kernel->digits * kernel->height;
}

/* The tensor core kernel that runs an op, or NULL. The proofs of last steps take longest, so only
 * those are tried that there is a kernel with. */
static const TensorKernel *
find_tensor_kernel(const CcOp *op, const CcPlaneLayout *layout) {
  CcSlidingNumbers numbers;
  if (!op->exact || !word_sums_fit(op, layout->shift))
    return NULL;
  for (CcSlidingFinish finish = 0; finish < CC_SLIDING_N_FINISHES; finish++) {
    const TensorKernel *best = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(tensor_kernels); i++) {
      const TensorKernel *kernel = &tensor_kernels[i];
      if (kernel->finish == finish && takes_taps(kernel, op, layout) &&
          (!best || cost(kernel) < cost(best)))
        best = kernel;
    }
    if (best && cc_sliding_find_finish(finish, op, best->bytes, &numbers))
      return best;
  }
  return NULL;
}

/* The kernels that sum in float or int32, for everything else. */
static void
choose_float(const CcOp *op, guint stride, CcCudaKernel *kernel) {
  static const guint sides[] = {3, 5, 7, 11, 15};
  const guint side = op ? MAX(op->width, op->height) : 3;
  guint i = 0;
  while (sides[i] < side)
    i++;
  const gboolean separable = !op || op->separable;
  kernel->module = CC_CUDA_MODULE_SLIDING_FLOAT;
  kernel->integer = op && op->arith == CC_ARITH_I64;
  kernel->side = sides[i];
  g_snprintf(kernel->name, sizeof kernel->name, "cc_sliding_float_%s_%u_%s_m%u%s",
             kernel->integer ? "i32" : "f32", sides[i], separable ? "sep" : "full",
             op ? op->n_matrices : 1, stride == 1 ? "" : "_strided");
  kernel->block[0] = 32;
  kernel->block[1] = CC_SLIDING_FLOAT_WARPS;
  kernel->tiles_per_block = CC_SLIDING_FLOAT_WARPS;
}

/* The tensor core kernels write whole words, copy none that are shifted, and merge where 8 bytes
 * are whole pixels. */
static gboolean
can_write(const CcPass *pass, const CcPlaneLayout *layout) {
  const guint all = (1u << layout->step) - 1;
  return (pass->filter_mask | pass->copy_mask | pass->fill_mask) == all &&
         (!pass->copy_mask || !layout->shift) && (layout->step != 3 || pass->filter_mask == all);
}

static void
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcPass *leading = cc_cuda_leading_pass(plan, pass);
  const CcPlaneLayout *layout = &plan->layout.plane[leading->plane];
  const TensorKernel *tensor = NULL;
  if (leading->op && plan->stride == 1 && can_write(leading, layout))
    tensor = find_tensor_kernel(leading->op, layout);
  if (!tensor) {
    choose_float(leading->op, plan->stride, kernel);
    return;
  }
  kernel->variant = tensor;
  kernel->module = CC_CUDA_MODULE_SLIDING;
  g_strlcpy(kernel->name, tensor->name, sizeof kernel->name);
  kernel->block[0] = 32;
  kernel->block[1] = CC_SLIDING_WARPS;
  kernel->tiles_per_block = CC_SLIDING_WARPS;
  kernel->integer = TRUE;
  kernel->overlaps = TRUE;
}

/* --- tiles and taps --- */

/* What becomes of 8 bytes of a row, after which it repeats. */
static void
set_masks(CcPart *part, const CcPass *pass) {
  part->sliding.filter_bytes = part->sliding.copy_bytes = part->sliding.fill_bytes = 0;
  for (gint i = 0; i < 8; i += part->sample_bytes) {
    const gint component = i / part->sample_bytes % part->step;
    const guint64 all = (part->sample_bytes == 1 ? 0xFFu : 0xFFFFu), fill = pass->fill[component];
    if (pass->filter_mask >> component & 1)
      part->sliding.filter_bytes |= all << 8 * i;
    else if (pass->copy_mask >> component & 1)
      part->sliding.copy_bytes |= all << 8 * i;
    else
      part->sliding.fill_bytes |= fill << part->shift << 8 * i;
  }
}

/* Bytes of a part's taps. */
static guint
fragment_bytes(const TensorKernel *kernel) {
  return kernel->n_matrices * kernel->digits * kernel->height *
         CC_SLIDING_FRAGMENT_BYTES(kernel->k);
}

static void
set_tensor_tiles(CcLaunch *launch, const TensorKernel *kernel, const CcPass *const *pass) {
  guint64 fragments = 0;
  for (gint i = 0; i < launch->n_parts; i++) {
    CcPart *part = &launch->part[i];
    const guint row_bytes = (guint)(part->width * part->step * part->sample_bytes);
    cc_cuda_part_set_tiles(part, cc_cuda_divide_up(row_bytes, CC_SLIDING_TILE_BYTES),
                           cc_cuda_divide_up((guint)part->height, CC_SLIDING_ROWS(kernel->k)));
    const gint inner = part->tiles_across - 2;
    part->sliding.tiles_down = part->n_tiles / part->tiles_across;
    part->sliding.inverse = 1.0f / (gfloat)(inner > 0 ? inner : part->tiles_across);
    if (pass[i]->op) {
      cc_sliding_find_finish(kernel->finish, pass[i]->op, kernel->bytes, &part->sliding.finish);
      set_masks(part, pass[i]);
      part->sliding.fragments = fragments;
      fragments += fragment_bytes(kernel);
    }
  }
}

static void
set_float_tiles(CcLaunch *launch, const CcCudaDevice *device) {
  gint64 columns = 0;
  for (gint i = 0; i < launch->n_parts; i++) {
    CcPart *part = &launch->part[i];
    part->tiles_across =
        (gint)cc_cuda_divide_up((guint)(part->width * part->step), CC_SLIDING_FLOAT_TILE_WIDTH);
    columns += (gint64)part->tiles_across * part->height;
  }
  for (gint i = 0; i < launch->n_parts; i++) {
    CcPart *part = &launch->part[i];
    part->tile_rows = cc_sliding_float_tile_rows(columns, launch->window_height, launch->stride,
                                                 (gint)device->multiprocessors);
    cc_cuda_part_set_tiles(part, (guint)part->tiles_across,
                           cc_cuda_divide_up((guint)part->height, (guint)part->tile_rows));
  }
}

static void
set_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaDevice *device,
          const CcPass *const *pass) {
  if (kernel->variant)
    set_tensor_tiles(launch, kernel->variant, pass);
  else
    set_float_tiles(launch, device);
}

/* A digit of a tap: the taps are low + CC_SLIDING_DIGIT * high. */
static gint8
tap_digit(gint tap, guint digits, guint digit) {
  if (digits == 1)
    return (gint8)tap;
  const gint low = ((tap + 64) & (CC_SLIDING_DIGIT - 1)) - 64;
  return (gint8)(digit == 0 ? low : (tap - low) / CC_SLIDING_DIGIT);
}

/* The tap, of n of which the middle one is tap[n / 2], that column `column` of a matrix has for
 * byte `at` of a window. Of samples of a byte it makes the target byte of its number; of samples of
 * two, the sums of the low bytes for number column / 2 when it is even, and of the high ones when
 * odd. */
static gint
tap_for_byte(const gint32 *tap, guint n, const CcPart *part, guint k, guint column, guint at) {
  const guint bytes = (guint)part->sample_bytes;
  if (at % bytes != column % bytes)
    return 0;
  const gint distance = (gint)(at / bytes) - (gint)(CC_SLIDING_REACH(k) / bytes + column / bytes);
  const gint place = distance / part->step + (gint)n / 2;
  return distance % part->step == 0 && place >= 0 && place < (gint)n ? tap[place] : 0;
}

/* A row of taps, lane by lane: lane 4g + t has bytes K/4 * t and on of column g. */
static void
write_fragment(gint8 *to, const gint32 *tap, guint n, const CcPart *part,
               const TensorKernel *kernel, guint digit) {
  const guint own = kernel->k / 4;
  for (guint lane = 0; lane < 32; lane++)
    for (guint i = 0; i < own; i++) {
      const gint value = tap_for_byte(tap, n, part, kernel->k, lane / 4, lane % 4 * own + i);
      *to++ = tap_digit(value, kernel->digits, digit);
    }
}

static GBytes *
make_taps(const CcLaunch *launch, const CcCudaKernel *chosen, const CcPass *const *pass) {
  const TensorKernel *kernel = chosen->variant;
  if (!kernel)
    return NULL;
  const guint row_bytes = CC_SLIDING_FRAGMENT_BYTES(kernel->k);
  GByteArray *taps = g_byte_array_new();
  for (gint i = 0; i < launch->n_parts; i++) {
    const CcPart *part = &launch->part[i];
    const CcOp *op = pass[i]->op;
    if (!op)
      continue;
    const guint at = (guint)part->sliding.fragments;
    g_byte_array_set_size(taps, at + fragment_bytes(kernel));
    memset(taps->data + at, 0, fragment_bytes(kernel));
    gint8 *to = (gint8 *)taps->data + at + (kernel->height - op->height) / 2 * row_bytes;
    for (guint m = 0; m < kernel->n_matrices; m++)
      for (guint d = 0; d < kernel->digits; d++, to += kernel->height * row_bytes)
        for (guint r = 0; r < op->height; r++)
          write_fragment(to + r * row_bytes, op->tap_i + (m * op->height + r) * op->width,
                         op->width, part, kernel, d);
  }
  return g_byte_array_free_to_bytes(taps);
}

const CcCudaAlgorithm cc_cuda_sliding = {
    .choose = choose, .set_tiles = set_tiles, .make_taps = make_taps};
