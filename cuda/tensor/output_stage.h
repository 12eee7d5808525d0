/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last steps of the tensor core kernels: which of them give the same code values as an op's
 * own, shown for every sum that can occur. */

#include "engine/plan/output_stage.h"
#include "engine/plan/plan.h"
#include "cuda/launch.h"
#include "conv2d_kernels.h"

G_BEGIN_DECLS

/* The device's roots of words are right for sums of squares below this. */
#define CC_TENSOR_CORE_MOST_SQUARES (G_GINT64_CONSTANT(1) << 60)

/* How far samples of a byte that are not filtered are shifted left, at most. */
#define CC_TENSOR_CORE_PASSED_DOWN 22

/* How an op's sums become code values. */
typedef struct {
  guint tap_shift;              /* the taps are shifted left by so many bits */
  gint start;                   /* what sums of filtered samples begin with */
  CcTensorCoreNumbers filtered; /* of samples that are filtered */
  CcTensorCoreNumbers passed;   /* of those that are copied or filled */
  gint down;
  gint64 low;   /* of products of 64 bits */
  guint excess; /* is taken from what is filtered, where the last step says so */
} CcTensorCoreNumbering;

/* Whether the last step gives the op's code values for samples of so many bytes, stored so far
 * left, and its numbers. */
gboolean cc_tensor_core_find_finish(CcTensorCoreFinish finish, const CcOp *op, guint bytes,
                                    guint shift, CcTensorCoreNumbering *numbering);

/* Finds factor, low and down so that t * factor + low >> down is the code value of t, which is what
 * the response makes of the sums. The product has at most `room` bits, and is shifted by at most
 * `most_down`. */
gboolean cc_tensor_core_find_product(const CcOp *op, gint room, gint most_down,
                                     CcTensorCoreNumbering *numbering);

/* A last step with a root, which the device has wrong by a factor. */
typedef struct {
  gconstpointer numbers; /* whatever the last step has */
  const CcOp *op;
  gdouble error;
} CcTensorCoreRoot;

/* Whether `code`, whose form is a CcTensorCoreRoot, gives the op's code values however wrong the
 * device's approximate root is. */
gboolean cc_tensor_core_root_agrees(const CcOp *op, CcCodeFunc code, gconstpointer numbers);

/* Whether the response is a sum of one matrix as it is. */
gboolean cc_tensor_core_is_linear(const CcOp *op);

/* Whether no sum's code value has to be clamped. It is the smallest at an end, and the greatest. */
gboolean cc_tensor_core_never_clamps(const CcOp *op);

gboolean cc_tensor_core_is_magnitude_of_two(const CcOp *op);

G_END_DECLS
