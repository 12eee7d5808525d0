/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Calls of the driver. */

#include "common.h"
#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* Runs `call` of the driver's function and sets error when it fails. The first argument is whatever
 * has the driver as `cuda`. */
#define BENCH_CALL(self, function, ...)                                                            \
  cc_cuda_check((self)->cuda, (self)->cuda->function(__VA_ARGS__), #function, error)

/* The version of CUDA that the driver supports: "13.0". */
const gchar *bench_driver_version(const CcCudaDriver *cuda);

G_END_DECLS
