/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The two methods of tensor-core: conv2d sums all taps in one stage. separable sums rows first and
 * then columns. */

#include "pass.h"

G_BEGIN_DECLS

/* A method. All functions except `choose` get a `kernel` that the same method chose. */
typedef struct {
  /* Chooses the kernel for a pass that filters, and sets the kernel's cost. FALSE: there is no
   * kernel. */
  gboolean (*choose)(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel);
  /* Divides the targets of all plane jobs into tiles. */
  void (*choose_tiles)(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu);
  /* Sets the members of a plane job's private data that depend on the method and the pass. */
  void (*set_job)(CcPlaneJob *job, const CcCudaKernel *kernel, const CcPass *pass);
  /* Writes the table of a plane job to zeroed memory. The pass filters. */
  void (*write_table)(guint8 *to, const CcPlaneJob *job, const CcCudaKernel *kernel,
                      const CcPass *pass);
} CcTensorCoreMethod;

extern const CcTensorCoreMethod cc_tensor_conv2d, cc_tensor_separable;

/* The first member of the private data of a chosen kernel. */
typedef struct {
  const CcTensorCoreMethod *method;
  CcTensorCorePlaneMap map; /* set before the method chooses */
  guint other_cost;         /* cost of the other method; 0: the other method has no kernel */
  guint table_bytes;        /* size of the table of a pass that filters */
} CcTensorCoreChoice;

/* The private data of a kernel that cc_cuda_tensor_core chose. */
static inline const CcTensorCoreChoice *
cc_tensor_core_choice(const CcCudaKernel *kernel) {
  return CC_PRIVATE(const CcTensorCoreChoice, kernel);
}

G_END_DECLS
