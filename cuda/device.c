/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include "engine/error.h"

/* Device code, compiled by nvcc and embedded by embed.py. */
#define DECLARE(name, file) extern const guint8 cc_fatbin_##file[];
CC_CUDA_MODULES(DECLARE)

static GMutex devices_lock;
static GSList *devices; /* those in use */

static CcCudaDevice *
open_device(const CcCudaDriver *cuda, gint id, GError **error) {
  CUdevice device;
  CUcontext context;
  char name[256] = "";
  int multiprocessors, major;
  if (!cc_cuda_check(cuda, cuda->cuDeviceGet(&device, id), "cuDeviceGet", error) ||
      !cc_cuda_check(cuda, cuda->cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName",
                     error) ||
      !cc_cuda_check(cuda,
                     cuda->cuDeviceGetAttribute(&multiprocessors,
                                                CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
                     "cuDeviceGetAttribute", error) ||
      !cc_cuda_check(
          cuda,
          cuda->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "cuDeviceGetAttribute", error) ||
      !cc_cuda_check(cuda, cuda->cuDevicePrimaryCtxRetain(&context, device),
                     "cuDevicePrimaryCtxRetain", error))
    return NULL;
  CcCudaDevice *self = g_new0(CcCudaDevice, 1);
  self->cuda = cuda;
  self->id = id;
  self->name = g_strdup(name);
  self->multiprocessors = (guint)multiprocessors;
  self->overlaps = major >= 9 && cuda->cuLaunchKernelEx;
  self->device = device;
  self->context = context;
  g_mutex_init(&self->lock);
  return self;
}

/* The device if it is in use already, else a new one. */
static CcCudaDevice *
share_device(const CcCudaDriver *cuda, gint id, GError **error) {
  for (GSList *link = devices; link; link = link->next) {
    CcCudaDevice *device = link->data;
    if (device->id == id)
      return device;
  }
  CcCudaDevice *device = open_device(cuda, id, error);
  if (device)
    devices = g_slist_prepend(devices, device);
  return device;
}

CcCudaDevice *
cc_cuda_device_open(gint id, GError **error) {
  g_autoptr(GError) reason = NULL;
  int count = 0;
  const CcCudaDriver *cuda = cc_cuda_driver(error);
  if (!cuda)
    return NULL;
  if (!cc_cuda_check(cuda, cuda->cuDeviceGetCount(&count), "cuDeviceGetCount", &reason)) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "no CUDA device: %s", reason->message);
    return NULL;
  }
  if (count == 0 || id >= count) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
                "no CUDA device %d: the driver sees %d (cuda-device-id takes -1 to %d)", MAX(id, 0),
                count, count - 1);
    return NULL;
  }
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&devices_lock);
  CcCudaDevice *device = NULL;
  const gint first = MAX(id, 0), last = id < 0 ? count - 1 : id;
  for (gint i = first; i <= last && !device; i++) {
    g_clear_error(&reason);
    device = share_device(cuda, i, &reason);
  }
  if (!device) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "CUDA device %d does not open: %s", last,
                reason->message);
    return NULL;
  }
  device->users++;
  return device;
}

void
cc_cuda_device_close(CcCudaDevice *device) {
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&devices_lock);
  if (--device->users > 0)
    return;
  devices = g_slist_remove(devices, device);
  const gboolean pushed = cc_cuda_device_push(device, NULL);
  for (guint i = 0; i < CC_CUDA_N_MODULES; i++)
    if (device->module[i])
      device->cuda->cuModuleUnload(device->module[i]);
  if (pushed)
    cc_cuda_device_pop(device);
  device->cuda->cuDevicePrimaryCtxRelease(device->device);
  g_mutex_clear(&device->lock);
  g_free(device->name);
  g_free(device);
}

gboolean
cc_cuda_device_push(CcCudaDevice *device, GError **error) {
  return cc_cuda_check(device->cuda, device->cuda->cuCtxPushCurrent(device->context),
                       "cuCtxPushCurrent", error);
}

void
cc_cuda_device_pop(CcCudaDevice *device) {
  CUcontext context;
  device->cuda->cuCtxPopCurrent(&context);
}

CUfunction
cc_cuda_device_get_function(CcCudaDevice *device, CcCudaModule module, const gchar *name,
                            GError **error) {
  static const guint8 *const fatbins[CC_CUDA_N_MODULES] = {
#define ENTRY(name, file) [CC_CUDA_MODULE_##name] = cc_fatbin_##file,
      CC_CUDA_MODULES(ENTRY)};
  const CcCudaDriver *cuda = device->cuda;
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&device->lock);
  CUfunction function = NULL;
  if (!device->module[module] &&
      !cc_cuda_check(cuda, cuda->cuModuleLoadData(&device->module[module], fatbins[module]),
                     "cuModuleLoadData", error)) {
    g_prefix_error(error, "%s cannot run this build's kernels: ", device->name);
    device->module[module] = NULL;
    return NULL;
  }
  if (!cc_cuda_check(cuda, cuda->cuModuleGetFunction(&function, device->module[module], name), name,
                     error))
    return NULL;
  return function;
}
