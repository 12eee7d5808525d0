/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tensor_core_any.h"

#include <math.h>
#include "engine/last_step.h"
#include "tensor_core_any_kernels.h"
#include "tensor_core_pass.h"

/* Sums up to here are whole numbers in double too, and squares of them do not overflow. */
#define MOST_SUM (G_GINT64_CONSTANT(1) << 52)

/* What a row of taps costs, in the two products that it is: loops over rows take their time too.
 * With sums of 64 bits it serves fewer rows of a picture. */
#define COST_OF_ROW 4

/* --- last steps --- */

typedef struct {
  const CcTensorCoreNumbering *numbering;
  const CcOp *op;
  gdouble error; /* of a root, as a factor */
} Form;

static gint
code_of_root(gconstpointer form, gint64 n) {
  const Form *self = form;
  const CcTensorCoreNumbers *numbers = &self->numbering->filtered;
  const gdouble root = sqrt((gdouble)n) * self->error * (gdouble)numbers->factor.f;
  const gfloat code = (gfloat)(root + (gdouble)numbers->addend.f);
  return cc_clamp_code((gint)rintf(code), self->op->lo, self->op->hi);
}

static gboolean
find_root(const CcOp *op, guint bytes, CcTensorCoreNumbering *n) {
  if (op->response != CC_RESPONSE_MAGNITUDE)
    return FALSE;
  if (bytes == 2) /* of code values, which are never shifted */
    return op->n_matrices == 2 && op->lo == 0 &&
           cc_tensor_core_find_finish(CC_TENSOR_CORE_FINISH_root, op, bytes, 0, n);
  if (cc_op_largest_sum(op) >= CC_TENSOR_CORE_MOST_FLOAT)
    return FALSE;
  n->filtered.factor.f = (gfloat)op->mul;
  n->filtered.addend.f = (gfloat)(op->add - 0.5);
  n->passed.factor.f = 1;
  const Form least = {n, op, 1 - CC_TENSOR_CORE_ROOT_ERROR},
             most = {n, op, 1 + CC_TENSOR_CORE_ROOT_ERROR};
  const CcRange range = cc_op_range(op);
  if (sqrt((gdouble)range.most) * fabs(op->mul) + fabs(op->add) >= CC_TENSOR_CORE_MOST_FLOAT)
    return FALSE;
  return cc_op_agrees(op, range, code_of_root, &least) &&
         cc_op_agrees(op, range, code_of_root, &most);
}

/* Whether sums of stored words, and what the response makes of them, fit 32 bits. */
static gboolean
fits_int32(const CcOp *op, guint shift) {
  const gint64 most = G_MAXINT32 >> shift;
  if (cc_op_largest_sum(op) > most)
    return FALSE;
  return op->response != CC_RESPONSE_MAGNITUDE_L1 || cc_op_range(op).most <= most;
}

static gboolean
fits_float(const CcOp *op, guint bytes) {
  return op->arith == CC_ARITH_F32 &&
         (bytes == 2 || cc_op_largest_sum(op) < CC_TENSOR_CORE_MOST_FLOAT);
}

static CcTensorCoreAnyFinish
find_finish(const CcOp *op, guint bytes, guint shift, CcTensorCoreNumbering *numbering) {
  *numbering = (CcTensorCoreNumbering){0};
  const gboolean fits = fits_int32(op, shift);
  if (fits && cc_tensor_core_find_product(op, bytes == 1 ? 31 : 62,
                                          bytes == 1 ? CC_TENSOR_CORE_PASSED_DOWN : 62, numbering))
    return CC_TENSOR_CORE_ANY_scale;
  if ((fits || bytes == 2) && cc_tensor_core_find_product(op, 62, 62, numbering))
    return bytes == 1 ? CC_TENSOR_CORE_ANY_high : CC_TENSOR_CORE_ANY_wide;
  *numbering = (CcTensorCoreNumbering){0};
  if (fits && find_root(op, bytes, numbering))
    return CC_TENSOR_CORE_ANY_root;
  return fits && fits_float(op, bytes) ? CC_TENSOR_CORE_ANY_float : CC_TENSOR_CORE_ANY_double;
}

/* --- which kernel --- */

typedef struct {
  guint bytes, height;
  CcTensorCoreAnyFinish finish;
  const gchar *name;
} Kernel;

static const Kernel kernels[] = {
#define ENTRY(bytes, height, finish)                                                               \
  {bytes, height, CC_TENSOR_CORE_ANY_##finish, CC_TENSOR_CORE_ANY_NAME(bytes, height, finish)},
    CC_TENSOR_CORE_ANY_KERNELS(ENTRY)
#undef ENTRY
};

static const Kernel *
find_kernel(guint bytes, guint height, CcTensorCoreAnyFinish finish) {
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++)
    if (kernels[i].bytes == bytes && kernels[i].height >= height && kernels[i].finish == finish)
      return &kernels[i]; /* the smallest stands first */
  return NULL;
}

/* The lowest digit of a tap, and what is left for the others. */
static gint8
take_digit(gint64 *tap) {
  const gint digit = (gint)((*tap + 128) & 255) - 128;
  *tap = (*tap - digit) / 256;
  return (gint8)digit;
}

static guint
digits_of(const CcOp *op) {
  guint most = 1;
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++) {
    guint n = 0;
    for (gint64 tap = op->tap_i[i]; tap || n == 0; n++)
      take_digit(&tap);
    most = MAX(most, n);
  }
  return most;
}

/* How far the source sample under sample n of a window's target is from where the source bytes of
 * the window begin; the window begins with component `first`. */
static gint
source_sample(guint pairs, gint step, gint stride, gint first, gint n) {
  const gint sample = first + n, apart = cc_tensor_core_samples_apart(pairs, step, sample % step);
  return stride * (sample / apart * apart - first) + sample % apart;
}

/* The bytes that windows need left and right of those above the target bytes. */
static gint
find_lead(const CcPass *pass, gint step, gint bytes, gint stride, guint pairs) {
  const gint samples = CC_TENSOR_CORE_ANY_BYTES / bytes;
  gint lead = 0;
  for (gint first = 0; first < CC_TENSOR_CORE_ANY_PHASES(step, stride); first++)
    for (gint n = 0; n < samples; n++) {
      const gint component = (first + n) % step;
      const gint reach =
          pass->filter_mask >> component & 1
              ? (gint)pass->op->width / 2 * cc_tensor_core_samples_apart(pairs, step, component)
              : 0;
      const gint at = source_sample(pairs, step, stride, first, n);
      lead = MAX(lead, MAX(reach - at, at + reach + 1 - samples * stride));
    }
  return lead * bytes;
}

/* The bytes that are read left and right of a row. */
static gint
find_reach(const CcPass *pass, gint step, gint bytes, guint pairs) {
  gint reach = 0;
  for (gint i = 0; i < step; i++)
    if (pass->filter_mask >> i & 1)
      reach = MAX(reach, (gint)pass->op->width / 2 * cc_tensor_core_samples_apart(pairs, step, i));
  return reach * bytes;
}

gboolean
cc_tensor_core_any_choose(const CcPass *pass, const CcPlaneLayout *layout, guint stride,
                          guint pairs, CcTensorCoreAny *any, CcTensorCoreNumbering *numbering) {
  static const CcOp no_op = {.n_matrices = 1, .width = 1, .height = 1, .mul = 1, .hi = 255};
  const CcOp *op = pass->op ? pass->op : &no_op;
  const gint step = (gint)layout->step, bytes = (gint)cc_sample_size(layout->type);
  if ((pass->op && !op->has_taps) || cc_op_largest_sum(op) > MOST_SUM)
    return FALSE;
  const gint lead = pass->op ? find_lead(pass, step, bytes, (gint)stride, pairs) : 0;
  const gint reach = pass->op ? find_reach(pass, step, bytes, pairs) : 0;
  const gint middle = CC_TENSOR_CORE_ANY_BYTES * (gint)stride;
  any->finish = (guint8)find_finish(op, (guint)bytes, layout->shift, numbering);
  const gboolean paired = stride == 1 && lead <= CC_TENSOR_CORE_ANY_LEAD(16, 1);
  const guint height = paired ? op->height : CC_TENSOR_CORE_ANY_MOST_HEIGHT;
  any->height = (guint8)find_kernel((guint)bytes, height, any->finish)->height;
  any->digits = (guint8)digits_of(op);
  any->chunks = (guint8)cc_cuda_divide_up((guint)(middle + 2 * lead), CC_TENSOR_CORE_ANY_CHUNK);
  any->reach = (guint8)reach;
  any->pairs = (guint8)pairs;
  const gint taken = CC_TENSOR_CORE_ANY_LEAD(CC_TENSOR_CORE_ANY_CHUNK * any->chunks, (gint)stride);
  any->margin = (guint8)(16 * cc_cuda_divide_up((guint)MAX(taken, lead), 16));
  return any->margin <= CC_TENSOR_CORE_ANY_MOST_MARGIN;
}

const gchar *
cc_tensor_core_any_name(const CcTensorCoreAny *any, guint bytes) {
  return find_kernel(bytes, any->height, any->finish)->name;
}

/* --- tables --- */

static gboolean
is_paired(const CcTensorCoreAny *any) {
  return any->height < CC_TENSOR_CORE_ANY_MOST_HEIGHT;
}

/* The bytes of a window, the rows of taps that a table has, and the bytes of all of its taps. */
static guint
window_bytes(const CcTensorCoreAny *any) {
  return is_paired(any) ? 16 : CC_TENSOR_CORE_ANY_CHUNK * any->chunks;
}

static guint
rows_of(const CcTensorCoreAny *any, const CcLaunch *launch) {
  return is_paired(any) ? any->height : (guint)launch->window_height;
}

static guint
taps_bytes(const CcTensorCoreAny *any, const CcLaunch *launch) {
  return (guint)launch->n_matrices * any->digits * rows_of(any, launch) * CC_TENSOR_CORE_ANY_BYTES *
         window_bytes(any);
}

guint
cc_tensor_core_any_cost(const CcTensorCoreAny *any, const CcOp *op) {
  const guint rows = is_paired(any) ? (any->height + 1u) / 2 : op->height * any->chunks;
  const guint times = any->finish == CC_TENSOR_CORE_ANY_double ? 4 : 1;
  return COST_OF_ROW * times * op->n_matrices * any->digits * rows;
}

guint
cc_tensor_core_any_table_bytes(const CcTensorCoreAny *any, const CcLaunch *launch,
                               const CcPart *part) {
  return CC_TENSOR_CORE_ANY_PHASES(part->step, launch->stride) *
         (taps_bytes(any, launch) + CC_TENSOR_CORE_ANY_START_BYTES);
}

/* What a window is, and with which component it begins. */
typedef struct {
  const CcTensorCoreAny *any;
  const CcPart *part;
  const CcPass *pass;
  gint stride, first;
} Window;

/* The component of target byte `byte`. */
static gint
component_of(const Window *w, gint byte) {
  return (w->first + byte / w->part->sample_bytes) % w->part->step;
}

/* The tap that row r of matrix m has at byte `at` of a window for target byte `byte`. Of samples of
 * two bytes the first target byte is the sum of the low bytes, and the second of the high ones. */
static gint
tap_for_byte(const Window *w, guint m, guint r, gint byte, gint at) {
  const CcOp *op = w->pass->op;
  const gint bytes = w->part->sample_bytes, half = byte % bytes, component = component_of(w, byte);
  const gint lead = CC_TENSOR_CORE_ANY_LEAD((gint)window_bytes(w->any), w->stride);
  if (at % bytes != half)
    return 0;
  const gint distance =
      (at - lead - half) / bytes -
      source_sample(w->any->pairs, w->part->step, w->stride, w->first, byte / bytes);
  if (!(w->pass->filter_mask >> component & 1))
    return w->pass->copy_mask >> component & 1 && distance == 0 && m == 0 && r == op->height / 2;
  const gint apart = cc_tensor_core_samples_apart(w->any->pairs, w->part->step, component);
  const gint place = distance / apart + (gint)op->width / 2;
  if (distance % apart != 0 || place < 0 || place >= (gint)op->width)
    return 0;
  return op->tap_i[(m * op->height + r) * op->width + (guint)place];
}

/* Digit d, counted from the lowest, of row r of matrix m, lane by lane: in each chunk lane 4g + t
 * has bytes 4t and 16 + 4t and on, for target byte g. */
static void
write_row(gint8 *to, const Window *w, guint m, guint r, guint d, gint first_byte) {
  const gint words = is_paired(w->any) ? 1 : 2;
  for (gint lane = 0; lane < 32; lane++)
    for (gint i = 0; i < 4 * words; i++) {
      const gint at = first_byte + 4 * (lane % 4) + 16 * (i / 4) + i % 4;
      gint64 tap = tap_for_byte(w, m, r, lane / 4, at);
      for (guint n = 0; n < d; n++)
        take_digit(&tap);
      *to++ = take_digit(&tap);
    }
}

/* What the sum of target byte `byte` begins with. */
static gint32
start_of_byte(const Window *w, gint byte) {
  const gint component = component_of(w, byte);
  const gboolean fills = w->pass->fill_mask >> component & 1;
  return fills && byte % w->part->sample_bytes == 0 ? w->pass->fill[component] << w->part->shift
                                                    : 0;
}

static void
write_window(guint8 *table, const Window *w, const CcLaunch *launch) {
  const CcOp *op = w->pass->op;
  const guint digits = w->any->digits, rows = rows_of(w->any, launch);
  const guint chunks = is_paired(w->any) ? 1 : w->any->chunks;
  const guint row_bytes = CC_TENSOR_CORE_ANY_BYTES * window_bytes(w->any) / chunks;
  const guint above = (rows - op->height) / 2;
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint d = 0; d < digits; d++)
      for (guint chunk = 0; chunk < chunks; chunk++)
        for (guint r = 0; r < op->height; r++) {
          const guint row = ((m * digits + d) * chunks + chunk) * rows + above + r;
          write_row((gint8 *)table + row * row_bytes, w, m, r, digits - 1 - d,
                    (gint)(CC_TENSOR_CORE_ANY_CHUNK * chunk));
        }
  gint32 *start = (gint32 *)(gpointer)(table + taps_bytes(w->any, launch));
  for (gint byte = 0; byte < CC_TENSOR_CORE_ANY_BYTES; byte++)
    *start++ = start_of_byte(w, byte);
}

void
cc_tensor_core_any_write_table(guint8 *table, const CcTensorCoreAny *any, const CcLaunch *launch,
                               const CcPart *part, const CcPass *pass) {
  const gint phases = CC_TENSOR_CORE_ANY_PHASES(part->step, launch->stride);
  const guint bytes = taps_bytes(any, launch) + CC_TENSOR_CORE_ANY_START_BYTES;
  for (gint first = 0; first < phases; first++) {
    const Window window = {any, part, pass, launch->stride, first};
    write_window(table + (guint)first * bytes, &window, launch);
  }
}
