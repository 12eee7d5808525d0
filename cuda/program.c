/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

#include <math.h>
#include <string.h>

#define ROW_ALIGNMENT 256 /* bytes; more than the widest access of a kernel */

G_STATIC_ASSERT(CC_LAUNCH_TAPS == CC_MAX_TAPS && CC_LAUNCH_MATRICES == CC_MAX_MATRICES &&
                CC_LAUNCH_SIDE == CC_MAX_KERNEL_SIZE);
/* A kernel that can run a pass. */
typedef struct {
  CcCudaModule module;
  gchar name[64];
  guint block[2];
  guint tile[2];     /* what a block covers: samples or pixels across, rows down */
  gboolean by_pixel; /* tiles count pixels, and the grid has a layer for each component */
} Choice;

static guint
written_mask(const CcPass *pass) {
  return pass->filter_mask | pass->copy_mask | pass->fill_mask;
}

/* The side of the square window, 3 or 5, that the op's own fits in, or 0. */
static guint
small_window(const CcOp *op) {
  const guint side = MAX(op->width, op->height);
  return side <= 3 ? 3 : side <= 5 ? 5 : 0;
}

/* Writes `from`, a window of the op's size, into the middle of one of side `side`. */
static void
pad_taps(const CcOp *op, guint side, const gint32 *from, gint32 *to) {
  const guint left = (side - op->width) / 2, top = (side - op->height) / 2;
  memset(to, 0, side * side * sizeof *to);
  for (guint y = 0; y < op->height; y++)
    memcpy(to + (top + y) * side + left, from + y * op->width, op->width * sizeof *to);
}

/* --- the parameters that every kernel reads --- */

static void
set_plane(CcLaunch *launch, const CcPlan *plan, const CcPass *pass, gsize offset, gsize pitch) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  launch->src = launch->dst = offset;
  launch->src_pitch = launch->dst_pitch = (gint)pitch;
  launch->width = (gint)layout->width;
  launch->height = (gint)layout->height;
  launch->step = (gint)layout->step;
  launch->depth = (gint)layout->depth;
  launch->shift = (gint)layout->shift;
  launch->border = plan->border;
  launch->filter_mask = (gint)pass->filter_mask;
  launch->copy_mask = (gint)pass->copy_mask;
  launch->fill_mask = (gint)pass->fill_mask;
  for (guint c = 0; c < CC_MAX_COMPONENTS; c++) {
    launch->fill[c] = pass->fill[c];
    launch->border_code[c] = pass->border[c];
  }
}

static CcTap
make_tap(const CcOp *op, gint32 whole, gfloat real) {
  return op->arith == CC_ARITH_I64 ? (CcTap){.i = whole} : (CcTap){.f = real};
}

/* Rows and columns stand in the middle of `side` places when it is not 0. */
static void
set_op(CcLaunch *launch, const CcOp *op, guint side) {
  const guint left = side ? (side - op->width) / 2 : 0, top = side ? (side - op->height) / 2 : 0;
  launch->n_matrices = (gint)op->n_matrices;
  launch->window_width = (gint)(side ? side : op->width);
  launch->window_height = (gint)(side ? side : op->height);
  launch->separable = op->separable;
  launch->response = op->response;
  launch->mul = op->mul;
  launch->add = op->add;
  launch->mul_f = op->mul_f;
  launch->add_f = op->add_f;
  launch->lo = op->lo;
  launch->hi = op->hi;
  memset(launch->row, 0, sizeof launch->row);
  memset(launch->column, 0, sizeof launch->column);
  for (guint m = 0; op->separable && m < op->n_matrices; m++) {
    for (guint i = 0; i < op->width; i++)
      launch->row[m][left + i] = make_tap(op, op->row_i[m][i], op->row_f[m][i]);
    for (guint i = 0; i < op->height; i++)
      launch->column[m][top + i] = make_tap(op, op->column_i[m][i], op->column_f[m][i]);
  }
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++)
    launch->tap[i] = make_tap(op, op->tap_i[i], op->tap_f[i]);
}

/* --- sliding: packed lanes --- */

/* (sum + round) >> down is the op's last step, and packed lanes can do it. */
static gboolean
find_shift(const CcOp *op, guint32 *round, gint *down) {
  gint exponent;
  if (op->n_matrices != 1 || op->sum_min[0] != 0 || op->lo != 0 ||
      frexp(op->mul, &exponent) != 0.5 || exponent > 1 || exponent < -7)
    return FALSE;
  *down = 1 - exponent; /* mul is 2^(exponent - 1) */
  const gdouble add = floor(ldexp(op->add, *down));
  const gdouble most = (gdouble)op->sum_max[0] + add;
  if (add < 0 || most > G_MAXUINT16 || floor(ldexp(most, -*down)) > op->hi)
    return FALSE;
  *round = (guint32)add;
  return TRUE;
}

static gboolean
lanes_hold(const CcOp *op) {
  for (guint m = 0; m < op->n_matrices; m++)
    if (op->sum_max[m] - op->sum_min[m] > G_MAXUINT16)
      return FALSE;
  return TRUE;
}

/* Which of the kinds of CC_SLIDING_KERNELS can do the op, or NULL. */
static const gchar *
sliding_kind(const CcOp *op) {
  guint32 round;
  gint down;
  const gboolean linear = op->response == CC_RESPONSE_CLAMP ||
                          op->response == CC_RESPONSE_ABSOLUTE ||
                          op->response == CC_RESPONSE_OFFSET;
  const gboolean gradient =
      op->response == CC_RESPONSE_MAGNITUDE || op->response == CC_RESPONSE_MAGNITUDE_L1;
  if (!op->exact || !lanes_hold(op))
    return NULL;
  if (op->separable && linear && find_shift(op, &round, &down))
    return "shift";
  if (op->arith != CC_ARITH_F32)
    return NULL;
  if (op->n_matrices == 1 && linear)
    return op->separable ? "linear" : "direct";
  return op->n_matrices == 2 && op->separable && gradient ? "gradient" : NULL;
}

static guint32
byte_mask(guint mask, guint step) {
  guint32 bytes = 0;
  for (guint i = 0; i < 4; i++)
    if (mask >> (i % step) & 1)
      bytes |= 0xFFu << (8 * i);
  return bytes;
}

static void
set_packed(CcLaunch *launch, const CcPass *pass, guint side) {
  const CcOp *op = pass->op;
  const guint step = (guint)launch->step;
  const guint left = (side - op->width) / 2, top = (side - op->height) / 2;
  for (guint m = 0; m < op->n_matrices; m++) {
    launch->packed.bias[m] = (guint32)-op->sum_min[m] * 0x10001u;
    launch->packed.unbias[m] = 8388608.0f + (gfloat)-op->sum_min[m];
    for (guint i = 0; op->separable && i < op->width; i++)
      launch->packed.row[m][left + i] = op->row_i[m][i];
    for (guint i = 0; op->separable && i < op->height; i++)
      launch->packed.column[m][top + i] = op->column_i[m][i];
  }
  pad_taps(op, side, op->tap_i, launch->packed.tap);
  guint32 round;
  if (find_shift(op, &round, &launch->packed.down))
    launch->packed.round = round * 0x10001u;
  launch->packed.filter_bytes = byte_mask(pass->filter_mask, step);
  launch->packed.copy_bytes = byte_mask(pass->copy_mask, step);
  launch->packed.fill_bytes = 0;
  for (guint i = 0; i < 4; i++)
    if (pass->fill_mask >> (i % step) & 1)
      launch->packed.fill_bytes |= (guint32)pass->fill[i % step] << (8 * i);
}

/* Words and rows of a thread's strip. */
static void
strip_size(const gchar *kind, guint side, guint *words, guint *rows) {
#define ENTRY(name, window, reach, strip_words, strip_rows, separable, finish)                     \
  if (strcmp(kind, #name) == 0 && side == 2 * reach + 1) {                                         \
    *words = strip_words;                                                                          \
    *rows = strip_rows;                                                                            \
  }
  CC_SLIDING_KERNELS(ENTRY)
#undef ENTRY
}

static gboolean
try_sliding(const CcPlaneLayout *layout, const CcPass *pass, CcLaunch *launch, Choice *choice) {
  const guint all = (1u << layout->step) - 1;
  const guint side = pass->op ? small_window(pass->op) : 0;
  if (!side || layout->type != CC_SAMPLE_U8 || written_mask(pass) != all)
    return FALSE;
  /* three samples a pixel do not repeat in a word of four, so masks would change from word to word
   */
  if (layout->step == 3 && pass->filter_mask != all)
    return FALSE;
  const gchar *kind = sliding_kind(pass->op);
  if (!kind)
    return FALSE;
  guint words = 0, rows = 0;
  strip_size(kind, side, &words, &rows);
  set_packed(launch, pass, side);
  choice->module = CC_CUDA_MODULE_SLIDING;
  g_snprintf(choice->name, sizeof choice->name, "cc_sliding_%s_%ux%u_s%u", kind, side, side,
             layout->step);
  choice->block[0] = CC_SLIDING_BLOCK_WIDTH;
  choice->block[1] = CC_SLIDING_BLOCK_HEIGHT;
  choice->tile[0] = CC_SLIDING_BLOCK_WIDTH * words * 4;
  choice->tile[1] = CC_SLIDING_BLOCK_HEIGHT * rows;
  choice->by_pixel = FALSE;
  return TRUE;
}

/* --- the others --- */

static const gchar *
sample_name(const CcPlaneLayout *layout) {
  return layout->type == CC_SAMPLE_U8 ? "u8" : "u16";
}

static gboolean
try_register_tile(const CcPlaneLayout *layout, const CcPass *pass, CcLaunch *launch,
                  Choice *choice) {
  const CcOp *op = pass->op;
  const guint side = op ? small_window(op) : 0;
  if (!side || !op->separable || op->arith != CC_ARITH_F32 || op->n_matrices > 2)
    return FALSE;
  set_op(launch, op, side);
  choice->module = CC_CUDA_MODULE_REGISTER_TILE;
  g_snprintf(choice->name, sizeof choice->name, "cc_register_tile_%s_%ux%u_m%u",
             sample_name(layout), side, side, op->n_matrices);
  choice->block[0] = choice->block[1] = CC_REGISTER_TILE_THREADS;
  choice->tile[0] = choice->tile[1] = CC_REGISTER_TILE_THREADS * CC_REGISTER_TILE_SIDE;
  choice->by_pixel = TRUE;
  return TRUE;
}

static void
take_constant(const CcPlaneLayout *layout, const CcPass *pass, Choice *choice) {
  const gboolean wide = pass->op && pass->op->arith == CC_ARITH_I64;
  choice->module = CC_CUDA_MODULE_CONSTANT;
  g_snprintf(choice->name, sizeof choice->name, "cc_constant_%s_%s", sample_name(layout),
             wide ? "i64" : "f32");
  choice->block[0] = choice->tile[0] = CC_CONSTANT_BLOCK_WIDTH;
  choice->block[1] = choice->tile[1] = CC_CONSTANT_BLOCK_HEIGHT;
  choice->by_pixel = FALSE;
}

static guint
divide_up(guint a, guint b) {
  return a / b + (a % b != 0);
}

static gboolean
set_step(CcCudaStep *step, CcCudaDevice *device, const CcPlan *plan, const CcPass *pass,
         gsize offset, gsize pitch, GError **error) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  Choice choice = {0};
  set_plane(&step->params, plan, pass, offset, pitch);
  if (pass->op)
    set_op(&step->params, pass->op, 0);
  if (!try_sliding(layout, pass, &step->params, &choice) &&
      !try_register_tile(layout, pass, &step->params, &choice))
    take_constant(layout, pass, &choice);

  const guint across = choice.by_pixel
                           ? layout->width
                           : (guint)(cc_plane_row_bytes(layout) / cc_sample_size(layout->type));
  step->grid[0] = divide_up(across, choice.tile[0]);
  step->grid[1] = divide_up(layout->height, choice.tile[1]);
  step->grid[2] = choice.by_pixel ? layout->step : 1;
  step->block[0] = choice.block[0];
  step->block[1] = choice.block[1];
  step->function = cc_cuda_device_get_function(device, choice.module, choice.name, error);
  return step->function != NULL;
}

CcCudaProgram *
cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error) {
  CcCudaProgram *self = g_new0(CcCudaProgram, 1);
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const gsize row = cc_plane_row_bytes(&plan->layout.plane[p]);
    self->pitch[p] = (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    self->offset[p] = self->frame_bytes;
    self->frame_bytes += self->pitch[p] * plan->layout.plane[p].height;
  }
  self->n_steps = plan->n_passes;
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    if (!set_step(&self->step[i], device, plan, pass, self->offset[pass->plane],
                  self->pitch[pass->plane], error)) {
      g_free(self);
      return NULL;
    }
  }
  return self;
}
