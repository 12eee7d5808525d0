/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Launches that overlap: CcCudaKernel.overlaps. */

/* Lets the launch after this one get ready while this one runs. */
static __device__ __forceinline__ void
allow_next_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until the launches before have ended. No device memory that launches write is read or
 * written earlier. */
static __device__ __forceinline__ void
wait_for_last_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
