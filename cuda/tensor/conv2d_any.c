/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conv2d_any.h"

#include <math.h>
#include "engine/plan/output_stage.h"
#include "engine/ablation.h"
#include "conv2d_any_kernels.h"

/* Sums up to here are whole numbers in double too, and squares of them do not overflow. */
#define MOST_SUM (G_GINT64_CONSTANT(1) << 52)

/* What a row of taps costs, in products of the tensor cores for 256 target bytes. It is two of
 * them, and loops over rows take their time too; with sums of 64 bits it serves fewer rows of a
 * picture. It was measured as COST_OF_TWO_STAGES was. */
#define COST_OF_ROW 4

/* Taps of a row or column of sums of 64 bits, with a stride: two-pass is faster with more of them.
 */
#define MAX_STRIDED_DOUBLE 7

/* --- last steps --- */

static gint
code_of_root(gconstpointer form, gint64 n) {
  const CcTensorCoreRoot *self = form;
  const CcTensorCoreNumbering *numbering = self->numbers;
  const CcTensorCoreNumbers *numbers = &numbering->filtered;
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
  const gdouble most = sqrt((gdouble)cc_op_range(op).most);
  return most * fabs(op->mul) + fabs(op->add) < CC_TENSOR_CORE_MOST_FLOAT &&
         cc_tensor_core_root_agrees(op, code_of_root, n);
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
    if (kernels[i].bytes == bytes && kernels[i].height >= height && kernels[i].finish == finish &&
        !cc_is_left_out(kernels[i].name))
      return &kernels[i]; /* the smallest stands first */
  return NULL;
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
      const gint at = cc_tensor_core_source_sample(pairs, step, stride, first, n);
      lead = MAX(lead, MAX(reach - at, at + reach + 1 - samples * stride));
    }
  return lead * bytes;
}

gboolean
cc_tensor_core_any_choose(const CcPass *pass, const CcPlaneLayout *layout, guint stride,
                          guint pairs, CcTensorCoreAny *any, CcTensorCoreTable *table,
                          CcTensorCoreNumbering *numbering) {
  const CcOp *op = pass->op;
  const gint step = (gint)layout->step, bytes = (gint)cc_sample_size(layout->type);
  if (!op->has_taps || cc_op_largest_sum(op) > MOST_SUM)
    return FALSE;
  const gint lead = find_lead(pass, step, bytes, (gint)stride, pairs);
  const gint middle = CC_TENSOR_CORE_ANY_BYTES * (gint)stride;
  any->finish = (guint8)find_finish(op, (guint)bytes, layout->shift, numbering);
  const gboolean narrow = stride == 1 && lead <= CC_TENSOR_CORE_ANY_LEAD(16, 1);
  const guint height = narrow ? op->height : CC_TENSOR_CORE_ANY_MOST_HEIGHT;
  const Kernel *kernel = find_kernel((guint)bytes, height, any->finish);
  if (!kernel && any->finish == CC_TENSOR_CORE_ANY_float) {
    any->finish = CC_TENSOR_CORE_ANY_double; /* which does the same of larger sums */
    kernel = find_kernel((guint)bytes, height, any->finish);
  }
  if (!kernel || (any->finish == CC_TENSOR_CORE_ANY_double && op->separable && stride > 1 &&
                  MAX(op->width, op->height) > MAX_STRIDED_DOUBLE))
    return FALSE;
  any->height = (guint8)kernel->height;
  const gboolean paired = any->height < CC_TENSOR_CORE_ANY_MOST_HEIGHT;
  const guint chunks = cc_cuda_divide_up((guint)(middle + 2 * lead), CC_TENSOR_CORE_ANY_CHUNK);
  any->reach = (guint8)(cc_tensor_core_farthest_sample(pass, layout) * (guint)bytes);
  const gint taken = CC_TENSOR_CORE_ANY_LEAD(CC_TENSOR_CORE_ANY_CHUNK * (gint)chunks, (gint)stride);
  any->margin = (guint8)(16 * cc_cuda_divide_up((guint)MAX(taken, lead), 16));
  *table = (CcTensorCoreTable){
      .digits = (guint8)cc_tensor_n_digits(op->tap_i, op->n_matrices * op->width * op->height),
      .chunks = (guint8)chunks,
      .chunk_bytes = paired ? 16 : CC_TENSOR_CORE_ANY_CHUNK,
      .groups = 1,
      .rows = (guint8)(paired ? any->height : op->height),
      .lead = (guint8)(paired ? CC_TENSOR_CORE_ANY_LEAD(16, 1) : taken),
      .stride = (guint8)stride,
      .phases = CC_TENSOR_CORE_ANY_PHASES(step, stride),
  };
  return any->margin <= CC_TENSOR_CORE_ANY_MOST_MARGIN;
}

const gchar *
cc_tensor_core_any_name(const CcTensorCoreAny *any, guint bytes) {
  return find_kernel(bytes, any->height, any->finish)->name;
}

guint
cc_tensor_core_any_cost(const CcTensorCoreAny *any, const CcTensorCoreTable *table,
                        const CcOp *op) {
  const guint rows = table->chunk_bytes == 16 ? (any->height + 1u) / 2 : op->height * table->chunks;
  const guint times = any->finish == CC_TENSOR_CORE_ANY_double ? 4 : 1;
  return COST_OF_ROW * times * op->n_matrices * table->digits * rows;
}
