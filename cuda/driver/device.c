/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include "device_selection.h"
#include "engine/error.h"

static GMutex devices_lock;
static GSList *devices; /* all open devices */

/* --- pinned memory --- */

static gpointer
device_alloc_pinned(CcDevice *base, gsize bytes, GError **error) {
  CcCudaDevice *self = (CcCudaDevice *)base;
  void *memory = NULL;
  if (!cc_cuda_device_push(self, error))
    return NULL;
  const CUresult result = self->cuda->cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
  const gboolean ok = cc_cuda_check(self->cuda, result, "cuMemHostAlloc", error);
  cc_cuda_device_pop(self);
  return ok ? memory : NULL;
}

static void
device_free_pinned(CcDevice *base, gpointer memory) {
  CcCudaDevice *self = (CcCudaDevice *)base;
  const gboolean pushed = cc_cuda_device_push(self, NULL);
  self->cuda->cuMemFreeHost(memory);
  if (pushed)
    cc_cuda_device_pop(self);
}

static gboolean
device_pin(CcDevice *base, gpointer memory, gsize bytes, GError **error) {
  CcCudaDevice *self = (CcCudaDevice *)base;
  if (!cc_cuda_device_push(self, error))
    return FALSE;
  const CUresult result = self->cuda->cuMemHostRegister(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE);
  const gboolean ok = cc_cuda_check(self->cuda, result, "cuMemHostRegister", error);
  cc_cuda_device_pop(self);
  return ok;
}

static void
device_unpin(CcDevice *base, gpointer memory) {
  CcCudaDevice *self = (CcCudaDevice *)base;
  const gboolean pushed = cc_cuda_device_push(self, NULL);
  self->cuda->cuMemHostUnregister(memory);
  if (pushed)
    cc_cuda_device_pop(self);
}

static gboolean
device_probe(CcDevice *base, GError **error) {
  const CcCudaDriver *cuda = ((CcCudaDevice *)base)->cuda;
  return cc_cuda_check(cuda, cuda->cuInit(0), "cuInit", error);
}

static gsize
device_free_bytes(CcDevice *base) {
  CcCudaDevice *self = (CcCudaDevice *)base;
  size_t free_bytes = 0, all;
  if (!self->cuda->cuMemGetInfo || !cc_cuda_device_push(self, NULL))
    return G_MAXSIZE;
  const CUresult result = self->cuda->cuMemGetInfo(&free_bytes, &all);
  cc_cuda_device_pop(self);
  return result == CUDA_SUCCESS ? free_bytes : G_MAXSIZE;
}

static void
device_ref(CcDevice *base) {
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&devices_lock);
  ((CcCudaDevice *)base)->refs++;
}

static void
free_device(CcCudaDevice *self) {
  g_hash_table_unref(self->modules);
  g_mutex_clear(&self->lock);
  g_free(self->name);
  g_free(self);
}

static void
end_device(CcCudaDevice *self) {
  const gboolean pushed = cc_cuda_device_push(self, NULL);
  GHashTableIter loaded;
  gpointer module;
  g_hash_table_iter_init(&loaded, self->modules);
  while (g_hash_table_iter_next(&loaded, NULL, &module))
    self->cuda->cuModuleUnload(module);
  if (pushed)
    cc_cuda_device_pop(self);
  if (self->context_owner)
    self->release_context(self->context_owner);
  else
    self->cuda->cuDevicePrimaryCtxRelease(self->device);
  free_device(self);
}

/* With `of_user`, the reference counted as a user. */
static void
drop_reference(CcCudaDevice *self, gboolean of_user) {
  g_mutex_lock(&devices_lock);
  const gboolean last = --self->refs == 0;
  if (of_user)
    cc_device_selection_remove(self->base.id);
  if (last)
    devices = g_slist_remove(devices, self);
  g_mutex_unlock(&devices_lock);
  if (last)
    end_device(self);
}

static void
device_unref(CcDevice *base) {
  drop_reference((CcCudaDevice *)base, FALSE);
}

static const CcDeviceClass cuda_device_class = {
    .ref = device_ref,
    .unref = device_unref,
    .alloc_pinned = device_alloc_pinned,
    .free_pinned = device_free_pinned,
    .pin = device_pin,
    .unpin = device_unpin,
    .probe = device_probe,
    .free_bytes = device_free_bytes,
};

/* --- devices --- */

const CcCudaGpu cc_cuda_gpus[] = {
    {.name = "sm_75", .multiprocessors = 40},
    {.name = "sm_80", .multiprocessors = 108},
    {.name = "sm_90", .multiprocessors = 132, .overlaps = TRUE},
    {.name = NULL},
};

/* Makes a device with all its properties, but without a context. */
static CcCudaDevice *
describe_device(const CcCudaDriver *cuda, gint id, GError **error) {
  CUdevice device;
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
          "cuDeviceGetAttribute", error))
    return NULL;
  CcCudaDevice *self = g_new0(CcCudaDevice, 1);
  self->base.klass = &cuda_device_class;
  self->base.id = id;
  self->cuda = cuda;
  self->name = g_strdup(name);
  self->gpu.multiprocessors = (guint)multiprocessors;
  self->gpu.overlaps = major >= 9 && cuda->cuLaunchKernelEx;
  self->device = device;
  g_mutex_init(&self->lock);
  self->modules = g_hash_table_new(NULL, NULL);
  return self;
}

static void
add_device(CcCudaDevice *self, CUcontext context) {
  self->context = context;
  self->base.context = context;
  devices = g_slist_prepend(devices, self);
}

static CcCudaDevice *
find_device(gconstpointer context) {
  for (GSList *link = devices; link; link = link->next)
    if (((CcCudaDevice *)link->data)->context == context)
      return link->data;
  return NULL;
}

/* Returns device `id` in its primary context. Opens the device if it is not open yet. Adds no
 * reference. */
static CcCudaDevice *
share_primary(const CcCudaDriver *cuda, gint id, GError **error) {
  CUcontext context;
  for (GSList *link = devices; link; link = link->next) {
    CcCudaDevice *device = link->data;
    if (device->base.id == id && !device->context_owner)
      return device;
  }
  CcCudaDevice *self = describe_device(cuda, id, error);
  if (!self)
    return NULL;
  if (!cc_cuda_check(cuda, cuda->cuDevicePrimaryCtxRetain(&context, self->device),
                     "cuDevicePrimaryCtxRetain", error)) {
    free_device(self);
    return NULL;
  }
  add_device(self, context);
  return self;
}

/* Opens device `id` for a user that device selection has already counted. If opening fails, removes
 * the user. */
static CcCudaDevice *
open_counted(const CcCudaDriver *cuda, gint id, GError **error) {
  g_autoptr(GError) reason = NULL;
  CcCudaDevice *device = share_primary(cuda, id, &reason);
  if (!device) {
    cc_device_selection_remove(id);
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "CUDA device %d does not open: %s", id,
                reason->message);
    return NULL;
  }
  device->refs++;
  return device;
}

/* Opens the least busy device that works. `count` is the number of devices, at least 1. If no
 * device works, the error is that of the last device tried. */
static CcCudaDevice *
open_any(const CcCudaDriver *cuda, gint count, GError **error) {
  g_autoptr(GError) reason = NULL;
  g_autofree gboolean *refused = g_new0(gboolean, (gsize)count);
  gint id;
  while ((id = cc_device_selection_add_any(cuda, count, refused)) >= 0) {
    g_clear_error(&reason);
    CcCudaDevice *device = open_counted(cuda, id, &reason);
    if (device)
      return device;
    refused[id] = TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&reason));
  return NULL;
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
  if (count == 0) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
                "no CUDA device: the driver sees none; nvidia-smi shows what there is");
    return NULL;
  }
  if (id >= count) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
                "no CUDA device %d: the driver sees %d (cuda-device-id takes -1 to %d)", id, count,
                count - 1);
    return NULL;
  }
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&devices_lock);
  if (id < 0)
    return open_any(cuda, count, error);
  cc_device_selection_add(cuda, count, id);
  return open_counted(cuda, id, error);
}

CcCudaDevice *
cc_cuda_device_open_context(const CcContext *context, GError **error) {
  g_autoptr(GError) reason = NULL;
  int count = 0;
  const CcCudaDriver *cuda = cc_cuda_driver(error);
  if (!cuda)
    return NULL;
  if (cuda->cuDeviceGetCount(&count) != CUDA_SUCCESS)
    count = 1; /* the count is only for device selection; the context determines the device */
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&devices_lock);
  CcCudaDevice *self = find_device(context->handle);
  if (!self) {
    self = describe_device(cuda, context->device_id, &reason);
    if (!self) {
      g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "CUDA device %d does not open: %s",
                  context->device_id, reason->message);
      return NULL;
    }
    self->context_owner = context->keep(context->owner);
    self->release_context = context->release;
    add_device(self, context->handle);
  }
  cc_device_selection_add(cuda, count, self->base.id);
  self->refs++;
  return self;
}

void
cc_cuda_device_close(CcCudaDevice *self) {
  drop_reference(self, TRUE);
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
  const CcCudaDriver *cuda = device->cuda;
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&device->lock);
  CUmodule loaded = g_hash_table_lookup(device->modules, module);
  CUfunction function = NULL;
  if (!loaded &&
      !cc_cuda_check(cuda, cuda->cuModuleLoadData(&loaded, module), "cuModuleLoadData", error)) {
    g_prefix_error(error, "%s cannot run this build's kernels: ", device->name);
    return NULL;
  }
  g_hash_table_insert(device->modules, (gpointer)module, loaded);
  return cc_cuda_check(cuda, cuda->cuModuleGetFunction(&function, loaded, name), name, error)
             ? function
             : NULL;
}
