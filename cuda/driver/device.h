/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A CUDA device in one context, with the project's modules there, shared by all backends in it. */

#include "driver.h"
#include "engine/run/device.h"

G_BEGIN_DECLS

/* The device code of a .cu file, compiled by nvcc and embedded by embed.py: cc_fatbin_FILE. Who
 * launches its kernels declares it. */
#define CC_CUDA_DECLARE_MODULE(file) extern const guint8 cc_fatbin_##file[]
typedef const guint8 *CcCudaModule;

/* What the choice of kernels and tiles depends on. */
typedef struct {
  const gchar *name; /* "sm_90"; NULL: a device of this machine, or the end of a table */
  guint multiprocessors;
  gboolean overlaps; /* can prepare a launch while another runs */
} CcCudaGpu;

/* A GPU of each generation, so that a program can be planned for one that is not there: a T4, an
 * A100 and an H100. The last one has no name. */
extern const CcCudaGpu cc_cuda_gpus[];

typedef struct {
  CcDevice base;
  const CcCudaDriver *cuda;
  gchar *name;
  CcCudaGpu gpu;
  CUdevice device;
  CUcontext context;
  guint refs; /* guarded by the lock of all devices */
  /* who keeps the context; NULL: it is the primary one, retained */
  gpointer context_owner;
  void (*release_context)(gpointer owner);
  GMutex lock;         /* of modules */
  GHashTable *modules; /* CUmodule of each CcCudaModule that is loaded */
} CcCudaDevice;

/* Device `id` in its primary context, or with -1 the least busy that opens (device_selection.h); a
 * new reference, which counts as a user. CC_ERROR_UNAVAILABLE says why there is none. */
CcCudaDevice *cc_cuda_device_open(gint id, GError **error);

/* The device of somebody else's context, in that; a new reference, which counts as a user. */
CcCudaDevice *cc_cuda_device_open_context(const CcContext *context, GError **error);

/* Drops the reference of a user, as cc_device_unref does others; the last one of both kinds unloads
 * the modules and lets go of the context. */
void cc_cuda_device_close(CcCudaDevice *device);

/* The calling thread works on the device between these two. */
gboolean cc_cuda_device_push(CcCudaDevice *device, GError **error);
void cc_cuda_device_pop(CcCudaDevice *device);

/* A kernel by name; loads its module at first use. The device must be pushed. */
CUfunction cc_cuda_device_get_function(CcCudaDevice *device, CcCudaModule module, const gchar *name,
                                       GError **error);

G_END_DECLS
