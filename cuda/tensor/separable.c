/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The launch configuration of the tensor-core kernels for separable filter kernels: chooses the
 * kernel for a pass, and makes the tiles and tables of the pass. */

#include "tensor.h"

#include "engine/plan/output_stage.h"
#include "engine/ablation.h"
#include "tap_table.h"
#include "requantization.h"
#include "separable_kernels.h"

CC_CUDA_DECLARE_MODULE(separable);

#define MIN_ROWS (2 * CC_TENSOR_SEPARABLE_BLOCK_ROWS) /* the minimum for a tile */

/* The cost of two stages in addition to their products, for each matrix, in tensor-core products
 * per 256 target bytes. It was not measured separately. It decides between separable and conv2d
 * kernels, which "What each path brings" of docs/benchmarks.md compares. */
#define COST_OF_TWO_STAGES 14

/* --- choosing the kernel --- */

typedef struct {
  guint bytes, planes, digits;
  gboolean is_signed;
  guint n_matrices, blocks;
  CcRequantizationVariant variant;
  guint pairs, resident;
  const gchar *name;
} Kernel;

#define SIGN_u FALSE
#define SIGN_s TRUE
static const Kernel kernels[] = {
#define ENTRY(bytes, planes, digits, sign, matrices, blocks, sums, pairs, resident)                \
  {bytes,                                                                                          \
   planes,                                                                                         \
   digits,                                                                                         \
   SIGN_##sign,                                                                                    \
   matrices,                                                                                       \
   blocks,                                                                                         \
   CC_REQUANTIZE_separable_##sums,                                                                 \
   pairs,                                                                                          \
   resident,                                                                                       \
   CC_TENSOR_SEPARABLE_NAME(bytes, planes, digits, sign, matrices, blocks, sums)},
    CC_TENSOR_SEPARABLE_KERNELS(ENTRY)
#undef ENTRY
};

typedef struct {
  CcTensorCoreChoice base;
  const Kernel *kernel;
  CcRequantization numbers;
  guint steps; /* 32-byte steps of the horizontal pass */
  gint max_code;
} Choice;
CC_PRIVATE_FITS(Choice);

static gboolean
all_fit(const gint32 *tap, guint n, const Kernel *kernel) {
  for (guint i = 0; i < n && !kernel->is_signed; i++)
    if (tap[i] < 0 || tap[i] > G_MAXUINT8)
      return FALSE;
  return !kernel->is_signed || cc_tensor_n_digits(tap, n) <= kernel->digits;
}

static CcRange
range_of_row(const CcOp *op, guint m, gint max_code) {
  CcRange range = {0, 0};
  for (guint i = 0; i < op->width; i++)
    *(op->row_i[m][i] < 0 ? &range.min : &range.max) += (gint64)op->row_i[m][i] * max_code;
  return range;
}

/* Whether the range of the sums along rows fits in the bytes per sum of the CUDA kernel, and each
 * tap fits in one unsigned byte or, if the CUDA kernel is signed, in its number of digits (signed
 * bytes). */
static gboolean
takes_taps(const Kernel *kernel, const CcOp *op, gint max_code) {
  for (guint m = 0; m < op->n_matrices; m++) {
    const CcRange range = range_of_row(op, m, max_code);
    if (!all_fit(op->row_i[m], op->width, kernel) ||
        !all_fit(op->column_i[m], op->height, kernel) ||
        (range.max - range.min) >> 8 * kernel->planes != 0)
      return FALSE;
  }
  return TRUE;
}

/* Tensor-core products per 256 target bytes. */
static guint
cost(const Kernel *kernel, guint steps) {
  const guint rows = 2 * steps * CC_TENSOR_SEPARABLE_SETS(kernel->bytes, kernel->digits);
  return kernel->n_matrices *
         (rows + kernel->planes * kernel->digits * kernel->blocks / kernel->bytes);
}

/* Also sets choice->numbers. NULL: no kernel can run the pass. */
static const Kernel *
find_kernel(const CcPass *pass, const CcPlaneLayout *layout, Choice *choice) {
  const CcOp *op = pass->op;
  const Kernel *best = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
    const Kernel *kernel = &kernels[i];
    CcRequantization numbers;
    if (!cc_is_left_out(kernel->name) && kernel->bytes == cc_sample_size(layout->type) &&
        kernel->n_matrices == op->n_matrices &&
        op->height / 2 <= CC_TENSOR_SEPARABLE_RADIUS_Y(kernel->blocks) &&
        (CC_TENSOR_SEPARABLE_COPIES(kernel->blocks) || !(pass->copy_mask | pass->fill_mask)) &&
        choice->steps <= CC_TENSOR_SEPARABLE_MAX_STEPS(kernel->blocks) &&
        (!best || cost(kernel, choice->steps) < cost(best, choice->steps)) &&
        takes_taps(kernel, op, choice->max_code) &&
        cc_requantization_find(&numbers, kernel->variant, op, kernel->bytes, 0)) {
      best = kernel;
      choice->numbers = numbers;
    }
  }
  return best;
}

static guint
table_bytes(const Choice *choice) {
  const Kernel *kernel = choice->kernel;
  const guint columns = kernel->digits * ((kernel->blocks + 1) / 2);
  const guint rows = CC_TENSOR_SEPARABLE_SETS(kernel->bytes, kernel->digits) * choice->steps;
  return CC_TENSOR_SEPARABLE_TABLE_BYTES +
         kernel->n_matrices * (columns + rows) * CC_TENSOR_SEPARABLE_FRAGMENT_BYTES;
}

static gboolean
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  Choice *choice = CC_PRIVATE(Choice, kernel);
  const CcTensorCorePlaneMap *map = &choice->base.map;
  const CcOp *op = pass->op;
  if (plan->stride != 1 || !op->separable || op->n_matrices > 2 || map->pixel ||
      !cc_tensor_core_can_write(pass, layout))
    return FALSE;
  const guint radius =
      cc_tensor_core_farthest_sample(pass, layout) * (guint)cc_sample_size(layout->type) +
      (map->colors && layout->step == 3 ? CC_TENSOR_CORE_LUMA_BYTES : 0);
  choice->max_code = (1 << layout->depth) - 1;
  choice->steps = cc_cuda_divide_up(radius + 8, CC_TENSOR_SEPARABLE_CENTRE);
  choice->kernel = find_kernel(pass, layout, choice);
  if (!choice->kernel)
    return FALSE;
  kernel->module = cc_fatbin_separable;
  g_strlcpy(kernel->name, choice->kernel->name, sizeof kernel->name);
  kernel->block[1] = CC_TENSOR_SEPARABLE_WARPS;
  kernel->cost = cost(choice->kernel, choice->steps) + COST_OF_TWO_STAGES * op->n_matrices;
  choice->base.table_bytes = table_bytes(choice);
  return TRUE;
}

/* --- tiles --- */

/* Returns the number of tiles. */
static guint64
cut_tiles(CcLaunch *launch, const Kernel *kernel, guint rows) {
  guint64 n = 0;
  for (gint i = 0; i < launch->n_jobs; i++) {
    CcPlaneJob *job = &launch->job[i];
    CcTensorCoreJob *priv = CC_PRIVATE(CcTensorCoreJob, job);
    const guint row_bytes = (guint)(job->width * job->step * job->sample_bytes);
    const guint across =
        cc_cuda_divide_up(row_bytes, CC_TENSOR_SEPARABLE_TILE_BYTES(kernel->pairs));
    cc_cuda_plane_job_set_tiles(job, across, cc_cuda_divide_up((guint)job->height, rows));
    priv->tall_rows = (gint)rows;
    priv->inverse = (guint)MIN((G_GUINT64_CONSTANT(1) << 32) / across, G_MAXUINT32);
    n += (guint)job->n_tiles;
  }
  return n;
}

/* With tall tiles, fewer source rows are read by two tiles. However, the multiprocessors should
 * finish at the same time. The GPU processes the tiles in rounds, each with as many tiles as it can
 * hold at once, so the last round should be nearly full. The estimated time is the number of rounds
 * times the source rows of a tile. */
static void
choose_tiles(CcLaunch *launch, const CcCudaKernel *chosen, const CcCudaGpu *gpu) {
  const Kernel *kernel = CC_PRIVATE(const Choice, chosen)->kernel;
  const guint at_once = (guint)gpu->multiprocessors * kernel->resident;
  const guint more = CC_TENSOR_SEPARABLE_BLOCK_ROWS * (kernel->blocks - 1);
  guint64 min = G_MAXUINT64;
  guint best = MIN_ROWS;
  for (guint rows = MIN_ROWS; rows <= MIN_ROWS * kernel->blocks;
       rows += CC_TENSOR_SEPARABLE_BLOCK_ROWS) {
    const guint64 rounds = (cut_tiles(launch, kernel, rows) + at_once - 1) / at_once;
    if (rounds * (rows + more) < min) {
      min = rounds * (rows + more);
      best = rows;
    }
  }
  cut_tiles(launch, kernel, best);
}

static void
set_job(CcPlaneJob *job, const CcCudaKernel *kernel, const CcPass *pass) {
  CC_PRIVATE(CcTensorCoreJob, job)->down = (gint)CC_PRIVATE(const Choice, kernel)->steps;
}

/* --- taps --- */

/* The row tap of matrix m for the sample `distance` samples away from the target sample. */
static gint
row_tap(const CcOp *op, const CcPass *pass, const CcPlaneJob *job, const Choice *choice, guint m,
        gint component, gint distance) {
  const gint apart =
      cc_tensor_core_samples_apart(choice->base.map.macropixel_luma, job->step, component);
  const gint c = distance / apart + (gint)op->width / 2;
  if (!(pass->filter_mask >> component & 1) || distance % apart != 0 || c < 0 ||
      c >= (gint)op->width)
    return 0;
  return op->row_i[m][c];
}

/* The digit in row `i` and column `at` of the matrix of set `set`. Column `at` stands for byte `at`
 * of the source bytes that a warp reads for 16 target bytes. */
static gint
row_digit(const CcOp *op, const CcPass *pass, const CcPlaneJob *job, const Choice *choice, guint m,
          guint set, gint i, gint at) {
  const Kernel *kernel = choice->kernel;
  const gint bytes = job->sample_bytes;
  const gint radius = (gint)CC_TENSOR_SEPARABLE_RADIUS_X(choice->steps);
  /* with samples of one byte, lane 4g + t of the vertical products has columns 2t and 2t + 1 of
   * both groups of eight columns. These stand for four neighbouring samples */
  const gint column = i % 8;
  const gint sample = bytes == 1 ? 4 * (column / 2) + column % 2 + i / 8 * 2 : column;
  const gint weight = bytes == 1 ? (gint)set : 2 * (gint)set + i / 8;
  const gint digit = weight - at % bytes;
  if (digit < 0 || digit >= (gint)kernel->digits)
    return 0;
  const gint tap = row_tap(op, pass, job, choice, m, sample % job->step,
                           (at - at % bytes - radius) / bytes - sample);
  return kernel->is_signed ? cc_tensor_digit(tap, (guint)digit) : tap;
}

/* The digit in row `i` and column `row` of the matrix of column taps. Row `i` is a target row of
 * 16. Column `row` stands for source row `row` of the blocks that these target rows need. */
static gint
column_digit(const CcOp *op, const Kernel *kernel, guint m, guint digit, gint i, gint row) {
  const gint r =
      row - i - (gint)CC_TENSOR_SEPARABLE_RADIUS_Y(kernel->blocks) + (gint)op->height / 2;
  if (r < 0 || r >= (gint)op->height ||
      row >= CC_TENSOR_SEPARABLE_BLOCK_ROWS * (gint)kernel->blocks)
    return 0;
  const gint tap = op->column_i[m][r];
  return kernel->is_signed ? cc_tensor_digit(tap, digit) : tap;
}

/* The row of a block for operand column `k` of 16. A lane has four neighbouring operand columns:
 * two rows of the upper half of the block, then two rows of the lower half. */
static gint
row_of_block(gint k) {
  return k / 4 * 2 + k % 2 + k % 4 / 2 * 8;
}

/* The position of a lane's byte `byte`, 0 to 15, in a matrix of 16 x 32: row_of_byte and
 * column_of_byte. Lane 4g + t has columns 4t to 4t + 3 of row g and of row g + 8, then columns 16 +
 * 4t to 19 + 4t of both rows. */
static gint
row_of_byte(gint lane, gint byte) {
  return lane / 4 + byte / 4 % 2 * 8;
}

static gint
column_of_byte(gint lane, gint byte) {
  return lane % 4 * 4 + byte % 4 + byte / 8 * 16;
}

/* Writes the fragment of a digit of matrix m for two blocks from `block` on. */
static gint8 *
write_columns(gint8 *to, const CcOp *op, const Kernel *kernel, guint m, guint digit, gint block) {
  for (gint lane = 0; lane < 32; lane++)
    for (gint byte = 0; byte < 16; byte++) {
      const gint k = column_of_byte(lane, byte);
      *to++ = (gint8)column_digit(op, kernel, m, digit, row_of_byte(lane, byte),
                                  16 * (block + k / 16) + row_of_block(k % 16));
    }
  return to;
}

/* Writes the fragment of a set of matrix m for step `step`, 32 bytes of a row. */
static gint8 *
write_rows(gint8 *to, const CcOp *op, const CcPass *pass, const CcPlaneJob *job,
           const Choice *choice, guint step, guint m, guint set) {
  for (gint lane = 0; lane < 32; lane++)
    for (gint byte = 0; byte < 16; byte++)
      *to++ = (gint8)row_digit(op, pass, job, choice, m, set, row_of_byte(lane, byte),
                               32 * (gint)step + column_of_byte(lane, byte));
  return to;
}

static void
write_fragments(gint8 *to, const CcOp *op, const CcPass *pass, const CcPlaneJob *job,
                const Choice *choice) {
  const Kernel *kernel = choice->kernel;
  const guint sets = CC_TENSOR_SEPARABLE_SETS(kernel->bytes, kernel->digits);
  for (guint m = 0; m < kernel->n_matrices; m++)
    for (guint digit = 0; digit < kernel->digits; digit++)
      for (guint block = 0; block < kernel->blocks; block += 2)
        to = write_columns(to, op, kernel, m, digit, (gint)block);
  for (guint step = 0; step < choice->steps; step++)
    for (guint m = 0; m < kernel->n_matrices; m++)
      for (guint set = 0; set < sets; set++)
        to = write_rows(to, op, pass, job, choice, step, m, set);
}

/* The initial sums along rows make all sums along rows non-negative. The initial sums along columns
 * compensate for this and add the constant of the output stage. */
static void
set_starts(CcTensorSeparableTable *table, const CcOp *op, const Choice *choice, guint m) {
  const Kernel *kernel = choice->kernel;
  const gint64 offset = -range_of_row(op, m, choice->max_code).min;
  const gboolean split = kernel->bytes + kernel->digits > 2;
  table->offset[m][0] = (gint32)(split ? offset & 255 : offset);
  table->offset[m][1] = (gint32)(split ? offset >> 8 : 0);
  gint64 start = choice->numbers.start;
  for (guint i = 0; i < op->height; i++)
    start -= offset * op->column_i[m][i];
  const gint last = CC_TENSOR_SEPARABLE_APART(kernel->variant);
  for (gint i = 0; i < last; i++, start >>= 8)
    table->start[m][i] = (gint32)(start & 255);
  table->start[m][last] = (gint32)start;
}

/* A mask of 8 bytes of a row. It selects the bytes of the components in `mask`. */
static guint64
bytes_of(const CcPlaneJob *job, guint mask) {
  guint64 bytes = 0;
  for (gint i = 0; i < 8; i++)
    if (mask >> i / job->sample_bytes % job->step & 1)
      bytes |= G_GUINT64_CONSTANT(255) << 8 * i;
  return bytes;
}

static void
write_table(guint8 *to, const CcPlaneJob *job, const CcCudaKernel *chosen, const CcPass *pass) {
  const Choice *choice = CC_PRIVATE(const Choice, chosen);
  const Kernel *kernel = choice->kernel;
  CcTensorSeparableTable *table = (CcTensorSeparableTable *)(gpointer)to;
  const CcRequantization *numbers = &choice->numbers;
  table->pick = numbers->pick;
  if (kernel->variant == CC_REQUANTIZE_separable_root) {
    table->scale = numbers->factor.f;
    table->lift = numbers->addend.f;
  } else {
    table->multiplier = (guint32)numbers->factor.i;
    table->addend = (guint32)numbers->addend.i;
  }
  table->down = numbers->down;
  table->absolute = numbers->absolute;
  table->filtered = bytes_of(job, pass->filter_mask);
  table->copied = bytes_of(job, pass->copy_mask);
  for (guint m = 0; m < kernel->n_matrices; m++)
    set_starts(table, pass->op, choice, m);
  write_fragments((gint8 *)to + CC_TENSOR_SEPARABLE_TABLE_BYTES, pass->op, pass, job, choice);
}

const CcTensorCoreMethod cc_tensor_separable = {
    .choose = choose, .choose_tiles = choose_tiles, .set_job = set_job, .write_table = write_table};
