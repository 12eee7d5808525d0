/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A CUDA device in one context, with the modules of this project that are loaded in the context.
 * All backends in the context share the device. */

#include "driver.h"
#include "engine/run/device.h"

G_BEGIN_DECLS

/* Declares cc_fatbin_FILE, the device code of a .cu file. nvcc compiles it, and embed.py embeds
 * it. */
#define CC_CUDA_DECLARE_MODULE(file) extern const guint8 cc_fatbin_##file[]
typedef const guint8 *CcCudaModule;

/* Properties of a GPU that the choice of kernels and tiles depends on. */
typedef struct {
  const gchar *name; /* "sm_90"; NULL in CcCudaDevice.gpu and at the end of cc_cuda_gpus */
  guint multiprocessors;
  gboolean overlaps; /* can prepare a launch while another runs (programmatic dependent launch) */
} CcCudaGpu;

/* GPUs of three generations, so that plans can be lowered without a GPU: a T4, an A100 and an
 * H100. */
extern const CcCudaGpu cc_cuda_gpus[];

typedef struct {
  CcDevice base;
  const CcCudaDriver *cuda;
  gchar *name;
  CcCudaGpu gpu;
  CUdevice device;
  CUcontext context;
  guint refs; /* guarded by the lock of all devices */
  /* keeps the context alive, until release_context is called; NULL: the device uses and retains its
   * primary context */
  gpointer context_owner;
  void (*release_context)(gpointer owner);
  GMutex lock;         /* guards `modules` */
  GHashTable *modules; /* the CUmodule of each loaded CcCudaModule */
} CcCudaDevice;

/* Opens device `id` in its primary context. -1 opens the least busy device that works
 * (device_selection.h). Returns a new reference, which counts as a user. The message of
 * CC_ERROR_UNAVAILABLE says why no device was opened. */
CcCudaDevice *cc_cuda_device_open(gint id, GError **error);

/* Opens a device in an existing context. Returns a new reference, which counts as a user. */
CcCudaDevice *cc_cuda_device_open_context(const CcContext *context, GError **error);

/* Drops the reference of a user. cc_device_unref drops other references. Dropping the last
 * reference, of either kind, unloads the modules and releases the context. */
void cc_cuda_device_close(CcCudaDevice *device);

/* Make the context current in the calling thread, and restore the previous context. */
gboolean cc_cuda_device_push(CcCudaDevice *device, GError **error);
void cc_cuda_device_pop(CcCudaDevice *device);

/* Loads the module at its first use. The device must be pushed. */
CUfunction cc_cuda_device_get_function(CcCudaDevice *device, CcCudaModule module, const gchar *name,
                                       GError **error);

G_END_DECLS
