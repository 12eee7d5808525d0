/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A CUDA device with its primary context and the project's modules, shared by all backends on it.
 */

#include "driver.h"

G_BEGIN_DECLS

/* One .cu file each. */
typedef enum {
  CC_CUDA_MODULE_CONSTANT,
  CC_CUDA_MODULE_REGISTER_TILE,
  CC_CUDA_MODULE_SLIDING,
  CC_CUDA_N_MODULES,
} CcCudaModule;

typedef struct {
  const CcCudaDriver *cuda;
  gint id; /* ordinal */
  gchar *name;
  CUdevice device;
  CUcontext context;
  guint users;
  GMutex lock; /* of module */
  CUmodule module[CC_CUDA_N_MODULES];
} CcCudaDevice;

/* Device `id`, or with -1 the first that opens. CC_ERROR_UNAVAILABLE says why there is none. */
CcCudaDevice *cc_cuda_device_open(gint id, GError **error);
void cc_cuda_device_close(CcCudaDevice *device);

/* The calling thread works on the device between these two. */
gboolean cc_cuda_device_push(CcCudaDevice *device, GError **error);
void cc_cuda_device_pop(CcCudaDevice *device);

/* A kernel by name; loads its module at first use. The device must be pushed. */
CUfunction cc_cuda_device_get_function(CcCudaDevice *device, CcCudaModule module, const gchar *name,
                                       GError **error);

G_END_DECLS
