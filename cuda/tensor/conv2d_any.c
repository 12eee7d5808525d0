/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conv2d_any.h"

#include "engine/plan/output_stage.h"
#include "engine/ablation.h"
#include "conv2d_any_kernels.h"

/* The largest sum that kernels may have. Up to this value a double holds sums exactly. */
#define MAX_SUM (G_GINT64_CONSTANT(1) << 52)

/* The cost of a row of taps, in tensor-core products per 256 target bytes. A row has two products,
 * and loops over rows take time too. With the variant double, a row of taps is loaded for fewer
 * rows of the image, so the cost is multiplied by 4. Like COST_OF_TWO_STAGES in separable.c, the
 * cost was not measured separately. */
#define COST_OF_ROW 4

/* The maximum number of taps in a row or column of a separable filter kernel, for the
 * variant double (64-bit sums) with a stride. With more taps the algorithm two-pass is faster. */
#define MAX_STRIDED_DOUBLE 7

/* --- choosing the kernel --- */

typedef struct {
  guint bytes, height;
  CcRequantizationVariant variant;
  const gchar *name;
} Kernel;

static const Kernel kernels[] = {
#define ENTRY(bytes, height, finish)                                                               \
  {bytes, height, CC_REQUANTIZE_any_##finish, CC_TENSOR_CORE_ANY_NAME(bytes, height, finish)},
    CC_TENSOR_CORE_ANY_KERNELS(ENTRY)
#undef ENTRY
};

static const Kernel *
find_kernel(guint bytes, guint height, CcRequantizationVariant variant) {
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++)
    if (kernels[i].bytes == bytes && kernels[i].height >= height && kernels[i].variant == variant &&
        !cc_is_left_out(kernels[i].name))
      return &kernels[i]; /* the list begins with the smallest height */
  return NULL;
}

/* The number of bytes that windows need on each side of the source bytes at the positions of their
 * target bytes. */
static gint
find_lead(const CcPass *pass, gint step, gint bytes, gint stride, guint macropixel_luma) {
  const gint samples = CC_TENSOR_CORE_ANY_BYTES / bytes;
  gint lead = 0;
  for (gint first = 0; first < CC_TENSOR_CORE_ANY_PHASES(step, stride); first++)
    for (gint n = 0; n < samples; n++) {
      const gint component = (first + n) % step;
      const gint radius = pass->filter_mask >> component & 1
                              ? (gint)pass->op->width / 2 *
                                    cc_tensor_core_samples_apart(macropixel_luma, step, component)
                              : 0;
      const gint at = cc_tensor_core_source_sample(macropixel_luma, step, stride, first, n);
      lead = MAX(lead, MAX(radius - at, at + radius + 1 - samples * stride));
    }
  return lead * bytes;
}

gboolean
cc_tensor_core_any_choose(const CcPass *pass, const CcPlaneLayout *layout, guint stride,
                          guint macropixel_luma, CcTensorCoreAny *any, CcTensorCoreTable *table,
                          CcRequantization *numbers) {
  const CcOp *op = pass->op;
  const gint step = (gint)layout->step, bytes = (gint)cc_sample_size(layout->type);
  if (!op->has_taps || cc_op_largest_sum(op) > MAX_SUM)
    return FALSE;
  const gint lead = find_lead(pass, step, bytes, (gint)stride, macropixel_luma);
  const gint middle = CC_TENSOR_CORE_ANY_BYTES * (gint)stride;
  /* take the fastest variant that gives the op's code values; the last variant always does */
  CcRequantizationVariant variant = CC_REQUANTIZE_any_scale;
  while (!cc_requantization_find(numbers, variant, op, (guint)bytes, layout->shift))
    variant++;
  const gboolean narrow = stride == 1 && lead <= CC_TENSOR_CORE_ANY_LEAD(16, 1);
  const guint height = narrow ? op->height : CC_TENSOR_CORE_ANY_MAX_HEIGHT;
  const Kernel *kernel = find_kernel((guint)bytes, height, numbers->variant);
  if (!kernel && numbers->variant == CC_REQUANTIZE_any_float) {
    numbers->variant = CC_REQUANTIZE_any_double; /* the same output stage, for larger sums */
    kernel = find_kernel((guint)bytes, height, numbers->variant);
  }
  if (!kernel || (kernel->variant == CC_REQUANTIZE_any_double && op->separable && stride > 1 &&
                  MAX(op->width, op->height) > MAX_STRIDED_DOUBLE))
    return FALSE;
  const gboolean paired = kernel->height < CC_TENSOR_CORE_ANY_MAX_HEIGHT;
  const guint chunks = cc_cuda_divide_up((guint)(middle + 2 * lead), CC_TENSOR_CORE_ANY_CHUNK);
  any->radius = (guint8)(cc_tensor_core_farthest_sample(pass, layout) * (guint)bytes);
  const gint taken = CC_TENSOR_CORE_ANY_LEAD(CC_TENSOR_CORE_ANY_CHUNK * (gint)chunks, (gint)stride);
  any->margin = (guint8)(16 * cc_cuda_divide_up((guint)MAX(taken, lead), 16));
  *table = (CcTensorCoreTable){
      .digits = (guint8)cc_tensor_n_digits(op->tap_i, op->n_matrices * op->width * op->height),
      .chunks = (guint8)chunks,
      .chunk_bytes = paired ? 16 : CC_TENSOR_CORE_ANY_CHUNK,
      .groups = 1,
      .rows = (guint8)(paired ? kernel->height : op->height),
      .lead = (guint8)(paired ? CC_TENSOR_CORE_ANY_LEAD(16, 1) : taken),
      .stride = (guint8)stride,
      .phases = CC_TENSOR_CORE_ANY_PHASES(step, stride),
  };
  const guint rows = paired ? (kernel->height + 1) / 2 : op->height * chunks;
  const guint times = kernel->variant == CC_REQUANTIZE_any_double ? 4 : 1;
  any->name = kernel->name;
  any->cost = COST_OF_ROW * times * op->n_matrices * table->digits * rows;
  return any->margin <= CC_TENSOR_CORE_ANY_MAX_MARGIN;
}
