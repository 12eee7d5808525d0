/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The last steps of the tensor core kernels: which of them give the same code values as an op's
 * own, shown for every sum that can occur. */

#include "engine/plan.h"
#include "launch.h"
#include "tensor_core_kernels.h"

G_BEGIN_DECLS

/* Relative error of the device's approximate root and of what is made of it, twice what it is. */
#define CC_TENSOR_CORE_ROOT_ERROR 0x1p-21

/* How an op's sums become code values. */
typedef struct {
  guint tap_shift;              /* the taps are shifted left by so many bits */
  gint start;                   /* what sums of filtered samples begin with */
  CcTensorCoreNumbers filtered; /* of samples that are filtered */
  CcTensorCoreNumbers passed;   /* of those that are copied or filled */
  gint down;
  gint64 low;   /* only for the kernels of tensor_core_any_kernels.h */
  guint excess; /* is taken from what is filtered, where the last step says so */
} CcTensorCoreNumbering;

/* Whether the last step gives the op's code values for samples of so many bytes, stored so far
 * left, and its numbers. */
gboolean cc_tensor_core_find_finish(CcTensorCoreFinish finish, const CcOp *op, guint bytes,
                                    guint shift, CcTensorCoreNumbering *numbering);

/* The largest of an op's taps without their signs. */
gint cc_tensor_core_largest_tap(const CcOp *op);

G_END_DECLS
