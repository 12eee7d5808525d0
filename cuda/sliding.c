/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "algorithm.h"

#include <string.h>
#include "sliding_finish.h"
#include "sliding_float.h"

/* --- which kernel --- */

typedef struct {
  guint bytes, window, digits, n_matrices, height;
  CcSlidingFinish finish;
  guint stride;
  const gchar *name;
} TensorKernel;

static const TensorKernel tensor_kernels[] = {
#define ENTRY(bytes, window, digits, matrices, height, finish, stride)                             \
  {bytes,  window,                                                                                 \
   digits, matrices,                                                                               \
   height, CC_SLIDING_FINISH_##finish,                                                             \
   stride, CC_SLIDING_NAME(bytes, window, digits, matrices, height, finish, stride)},
    CC_SLIDING_KERNELS(ENTRY)
#undef ENTRY
};

/* Whether sums of stored words, which may be shifted code values, fit 32 bits. */
static gboolean
word_sums_fit(const CcOp *op, guint shift) {
  for (guint m = 0; m < op->n_matrices; m++)
    if (MAX(-op->sum_min[m], op->sum_max[m]) > G_MAXINT32 >> shift)
      return FALSE;
  return TRUE;
}

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

/* Whether a kernel takes the op's window and taps, for samples that lie so. */
static gboolean
takes_taps(const TensorKernel *kernel, const CcOp *op, const CcPlaneLayout *layout) {
  const guint bytes = (guint)cc_sample_size(layout->type);
  const gint most = kernel->digits == 1 ? 127 : CC_SLIDING_DIGIT * 127;
  return kernel->bytes == bytes && kernel->n_matrices == op->n_matrices &&
         (!CC_SLIDING_IS_GRADIENT(kernel->n_matrices, kernel->height, kernel->finish) ||
          is_gradient(op)) &&
         kernel->height >= op->height && cc_sliding_largest_tap(op) <= most &&
         op->width / 2 * layout->step * bytes <= CC_SLIDING_REACH(kernel->window);
}

/* How much a kernel multiplies for a target byte. */
static guint
cost(const TensorKernel *kernel) {
  return kernel->window * kernel->digits * kernel->height;
}

/* The tensor core kernel that runs an op and the numbers of its last step, or NULL. The proofs of
 * last steps take longest, so only those are tried that there is a kernel with. */
static const TensorKernel *
find_tensor_kernel(const CcOp *op, const CcPlaneLayout *layout, guint stride,
                   CcSlidingNumbering *numbering) {
  if (!op->exact || !word_sums_fit(op, layout->shift))
    return NULL;
  for (CcSlidingFinish finish = 0; finish < CC_SLIDING_N_FINISHES; finish++) {
    const TensorKernel *best = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(tensor_kernels); i++) {
      const TensorKernel *kernel = &tensor_kernels[i];
      if (kernel->finish == finish && kernel->stride == stride && takes_taps(kernel, op, layout) &&
          (!best || cost(kernel) < cost(best)))
        best = kernel;
    }
    if (best && cc_sliding_find_finish(finish, op, best->bytes, layout->shift, numbering))
      return best;
  }
  return NULL;
}

/* A tensor core kernel for planes that are only copied or filled, which all do alike. */
static const TensorKernel *
find_passing_kernel(const CcPlaneLayout *layout, guint stride) {
  for (guint i = 0; i < G_N_ELEMENTS(tensor_kernels); i++)
    if (tensor_kernels[i].bytes == cc_sample_size(layout->type) &&
        tensor_kernels[i].stride == stride)
      return &tensor_kernels[i];
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

/* The tensor core kernels write all components and copy none that are shifted. What is not the same
 * for all components, or has a stride, repeats after 8 bytes. */
static gboolean
can_write(const CcPass *pass, const CcPlaneLayout *layout, guint stride) {
  const guint all = (1u << layout->step) - 1;
  return (pass->filter_mask | pass->copy_mask | pass->fill_mask) == all &&
         (!pass->copy_mask || !layout->shift) &&
         (layout->step != 3 || (pass->filter_mask == all && stride == 1));
}

static void
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcPass *leading = cc_cuda_leading_pass(plan, pass);
  const CcPlaneLayout *layout = &plan->layout.plane[leading->plane];
  const TensorKernel *tensor = NULL;
  if (can_write(leading, layout, plan->stride))
    tensor = leading->op ? find_tensor_kernel(leading->op, layout, plan->stride, &kernel->numbering)
                         : find_passing_kernel(layout, plan->stride);
  if (!tensor) {
    choose_float(leading->op, plan->stride, kernel);
    return;
  }
  kernel->variant = tensor;
  kernel->module = CC_CUDA_MODULE_SLIDING;
  g_strlcpy(kernel->name, tensor->name, sizeof kernel->name);
  kernel->block[0] = 32;
  kernel->block[1] = CC_SLIDING_WARPS;
  kernel->tiles_per_block = 1;
  kernel->integer = TRUE;
  kernel->overlaps = TRUE;
}

/* --- tiles and taps --- */

/* `bytes` bytes of a row whose samples all are as code[] of their component says. */
static void
set_pattern(guint64 *to, gint bytes, const CcPart *part, const gint32 *code) {
  for (gint i = 0; i < bytes; i += part->sample_bytes) {
    const guint64 word = (guint64)code[i / part->sample_bytes % part->step] << part->shift;
    to[i / 8] = (i % 8 ? to[i / 8] : 0) | word << 8 * (i % 8);
  }
}

/* The numbers of the last step for the samples of a row. */
static void
set_samples(CcPart *part, const CcPass *pass, const CcSlidingNumbering *numbering) {
  part->sliding.down = numbering->down;
  part->sliding.passes = 0;
  for (gint i = 0; i < 4; i++) {
    const gint component = i % part->step;
    CcSlidingNumbers *place = &part->sliding.place[i];
    if (pass->filter_mask >> component & 1) {
      *place = numbering->filtered;
      continue;
    }
    *place = numbering->passed;
    part->sliding.passes |= 1u << i;
  }
}

/* Bytes of a part's table: its taps, and all of it. */
static guint
fragment_bytes(const TensorKernel *kernel) {
  return kernel->n_matrices * kernel->digits * kernel->height *
         CC_SLIDING_FRAGMENT_BYTES(kernel->window, kernel->stride);
}

static guint
table_bytes(const TensorKernel *kernel) {
  return fragment_bytes(kernel) + CC_SLIDING_START_BYTES(kernel->window, kernel->stride);
}

/* Cuts the targets into tiles, of which the last `n_short` are short; how many there are. */
static guint64
cut_tensor_tiles(CcLaunch *launch, const TensorKernel *kernel, guint64 n_short) {
  guint64 n = 0;
  for (gint i = launch->n_parts - 1; i >= 0; i--) {
    CcPart *part = &launch->part[i];
    const guint row_bytes = (guint)(part->width * part->step * part->sample_bytes);
    const guint across = cc_cuda_divide_up(row_bytes, CC_SLIDING_TILE_BYTES / kernel->stride);
    const guint down =
        cc_cuda_divide_up((guint)part->height, CC_SLIDING_TILE_ROWS / kernel->stride);
    const guint short_rows = (guint)MIN(n_short / across, down);
    const guint tall_rows = (down - short_rows) / 2;
    n_short -= (guint64)across * short_rows;
    cc_cuda_part_set_tiles(part, across, down - tall_rows);
    part->sliding.tall_rows = (gint)tall_rows;
    part->sliding.inverse = (guint)MIN((G_GUINT64_CONSTANT(1) << 32) / across, G_MAXUINT32);
    n += (guint)part->n_tiles;
  }
  return n;
}

/* Tall tiles read few rows twice. The last ones are short, so that the multiprocessors end
 * together; and so are all when tall ones would not be enough for them. */
static void
choose_tensor_tiles(CcLaunch *launch, const TensorKernel *kernel, const CcCudaDevice *device) {
  const guint64 at_once = (guint64)CC_SLIDING_MOST_BLOCKS * device->multiprocessors;
  if (cut_tensor_tiles(launch, kernel, 0) < at_once)
    cut_tensor_tiles(launch, kernel, G_MAXUINT64);
  else
    cut_tensor_tiles(launch, kernel, at_once / 2);
}

static void
set_tensor_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaDevice *device,
                 const CcPass *const *pass) {
  const TensorKernel *tensor = kernel->variant;
  guint64 bytes = 0;
  choose_tensor_tiles(launch, tensor, device);
  for (gint i = 0; i < launch->n_parts; i++) {
    CcPart *part = &launch->part[i];
    set_pattern(part->sliding.border, sizeof part->sliding.border, part, part->border_code);
    set_pattern(&part->sliding.fill, sizeof part->sliding.fill, part, part->fill);
    if (pass[i]->op) {
      set_samples(part, pass[i], &kernel[i].numbering);
      part->sliding.table = bytes;
      bytes += table_bytes(tensor);
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
    set_tensor_tiles(launch, kernel, device, pass);
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

/* The sample of the source window that target byte `byte` of a window's centre is made from,
 * counted from the first of the centre. */
static gint
source_sample(const CcPart *part, guint stride, gint byte) {
  const gint sample = byte / part->sample_bytes;
  return (gint)stride * (sample / part->step) * part->step + sample % part->step;
}

/* The tap that row r of matrix m has at byte `at` of a window for target byte `byte` of its centre.
 * Of samples of two bytes the first target byte is the sum of the low bytes, and the second of the
 * high ones. */
static gint
tap_for_byte(const CcOp *op, const CcPass *pass, const CcPart *part, const CcCudaKernel *chosen,
             guint m, guint r, gint byte, gint at) {
  const TensorKernel *kernel = chosen->variant;
  const gint bytes = part->sample_bytes, reach = (gint)CC_SLIDING_REACH(kernel->window);
  if (at % bytes != byte % bytes)
    return 0;
  const gint component = byte / bytes % part->step;
  const gint distance =
      (at - reach - byte % bytes) / bytes - source_sample(part, kernel->stride, byte);
  if (!(pass->filter_mask >> component & 1))
    return pass->copy_mask >> component & 1 && distance == 0 && m == 0 && r == op->height / 2;
  const gint place = distance / part->step + (gint)op->width / 2;
  if (distance % part->step != 0 || place < 0 || place >= (gint)op->width)
    return 0;
  return op->tap_i[(m * op->height + r) * op->width + (guint)place] *
         (1 << chosen->numbering.tap_shift);
}

/* Row r of matrix m, lane by lane: lane 4g + t has bytes 4t and 16 + 4t and on of column g, whose
 * target byte is such that lane 4g + t of the products gets neighbours. */
static void
write_fragment(gint8 *to, const CcOp *op, const CcPass *pass, const CcPart *part,
               const CcCudaKernel *chosen, guint m, guint r, guint digit) {
  const TensorKernel *kernel = chosen->variant;
  const gint groups = (gint)CC_SLIDING_GROUPS(kernel->window, kernel->stride);
  for (gint lane = 0; lane < 32; lane++)
    for (gint group = 0; group < groups; group++)
      for (gint i = 0; i < (gint)kernel->window / 4; i++) {
        const gint column = lane / 4, byte = 2 * (groups * (column / 2) + group) + column % 2;
        const gint at = 4 * (lane % 4) + 16 * (i / 4) + i % 4;
        const gint tap = tap_for_byte(op, pass, part, chosen, m, r, byte, at);
        *to++ = tap_digit(tap, kernel->digits, digit);
      }
}

/* What the sum of target byte `byte` of a centre begins with. */
static gint32
start_of_byte(const CcPass *pass, const CcPart *part, const CcCudaKernel *chosen, gint byte) {
  const gint component = byte / part->sample_bytes % part->step;
  if (byte % part->sample_bytes != 0)
    return 0;
  if (pass->filter_mask >> component & 1)
    return chosen->numbering.start;
  return pass->fill_mask >> component & 1 ? pass->fill[component] << part->shift : 0;
}

static void
write_starts(gint32 *to, const CcPass *pass, const CcPart *part, const CcCudaKernel *chosen) {
  const TensorKernel *kernel = chosen->variant;
  const gint pairs = 4 * (gint)CC_SLIDING_GROUPS(kernel->window, kernel->stride);
  for (gint pair = 0; pair < pairs; pair++)
    for (gint i = 0; i < 4; i++)
      *to++ = start_of_byte(pass, part, chosen, 2 * pair + i % 2);
}

static GBytes *
make_taps(const CcLaunch *launch, const CcCudaKernel *chosen, const CcPass *const *pass) {
  const TensorKernel *kernel = chosen->variant;
  if (!kernel)
    return NULL;
  const guint row_bytes = CC_SLIDING_FRAGMENT_BYTES(kernel->window, kernel->stride);
  GByteArray *tables = g_byte_array_new();
  for (gint i = 0; i < launch->n_parts; i++) {
    const CcPart *part = &launch->part[i];
    const CcOp *op = pass[i]->op;
    if (!op)
      continue;
    const guint at = (guint)part->sliding.table;
    g_byte_array_set_size(tables, at + table_bytes(kernel));
    guint8 *table = tables->data + at;
    memset(table, 0, table_bytes(kernel));
    gint8 *to = (gint8 *)table + (kernel->height - op->height) / 2 * row_bytes;
    for (guint m = 0; m < kernel->n_matrices; m++)
      for (guint d = 0; d < kernel->digits; d++, to += kernel->height * row_bytes)
        for (guint r = 0; r < op->height; r++)
          write_fragment(to + r * row_bytes, op, pass[i], part, &chosen[i], m, r, d);
    write_starts((gint32 *)(gpointer)(table + fragment_bytes(kernel)), pass[i], part, &chosen[i]);
  }
  return g_byte_array_free_to_bytes(tables);
}

const CcCudaAlgorithm cc_cuda_sliding = {
    .choose = choose, .set_tiles = set_tiles, .make_taps = make_taps};
