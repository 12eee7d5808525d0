/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The two ways of `sliding`: all of a window in one stage, or rows first and then columns. */

#include "pass.h"

G_BEGIN_DECLS

/* `kernel` is always one that the way has chosen. */
typedef struct {
  /* Chooses the kernel for a pass that filters, with its costs. FALSE: there is none. */
  gboolean (*choose)(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
  /* Cuts the targets of all parts into tiles. */
  void (*choose_tiles)(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu);
  /* Sets what only kernels of this way read of a part. */
  void (*set_job)(CcPlaneJob *job, const CcCudaKernel *kernel, const CcPass *pass);
  /* Writes the table of a pass that filters to where all is zero. */
  void (*write_table)(guint8 *to, const CcPlaneJob *job, const CcCudaKernel *kernel,
                      const CcPass *pass);
} CcTensorCoreMethod;

extern const CcTensorCoreMethod cc_tensor_conv2d, cc_tensor_separable;

/* What is chosen for a pass begins with this. */
typedef struct {
  const CcTensorCoreMethod *method;
  CcTensorCorePlaneMap map; /* set before the way chooses */
  guint other_cost;         /* of the other way; 0: it has no kernel */
  guint table_bytes;        /* of a pass that filters */
} CcTensorCoreChoice;

/* What cc_cuda_tensor_core has chosen. */
static inline const CcTensorCoreChoice *
cc_tensor_core_choice(const CcCudaKernel *kernel) {
  return CC_PRIVATE(const CcTensorCoreChoice, kernel);
}

G_END_DECLS
