/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of the driver that are not only forwarded: those with settings other than failures, and
 * one that makes a context current. */

#include "forward.h"

/* Declares the forwarding function that a function of this file replaces. */
#define FORWARDED(symbol) extern __typeof__(symbol) forward_##symbol

/* --- contexts --- */

FORWARDED(cuCtxPushCurrent_v2);

/* A call that fails must wait, for which the context must be current. */
EXPORT CUresult
cuCtxPushCurrent_v2(CUcontext context) {
  const CUresult result = forward_cuCtxPushCurrent_v2(context);
  if (result == CUDA_SUCCESS)
    return result;
  if (REAL(cuCtxPushCurrent_v2) && REAL(cuCtxPushCurrent_v2)(context) == CUDA_SUCCESS) {
    forward_wait();
    REAL(cuCtxPopCurrent_v2)(NULL);
  }
  return result;
}

/* --- the driver and its devices --- */

FORWARDED(cuInit);
FORWARDED(cuDriverGetVersion);
FORWARDED(cuDeviceGetCount);
FORWARDED(cuDeviceGetAttribute);

/* Without a driver there is no device. */
EXPORT CUresult
cuInit(unsigned flags) {
  const CUresult result = forward_cuInit(flags);
  if (result == CUDA_ERROR_NOT_FOUND && !forward_find("cuInit"))
    return CUDA_ERROR_NO_DEVICE;
  return result == CUDA_SUCCESS ? (CUresult)fake_settings()->init : result;
}

EXPORT CUresult
cuDriverGetVersion(int *version) {
  const CUresult result = forward_cuDriverGetVersion(version);
  if (result == CUDA_SUCCESS)
    *version = MIN(*version, fake_settings()->version);
  return result;
}

EXPORT CUresult
cuDeviceGetCount(int *count) {
  const CUresult result = forward_cuDeviceGetCount(count);
  if (result == CUDA_SUCCESS)
    *count = MIN(*count, fake_settings()->devices);
  return result;
}

EXPORT CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  const CUresult result = forward_cuDeviceGetAttribute(value, attribute, device);
  if (result == CUDA_SUCCESS && attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = MIN(*value, fake_settings()->capability);
  return result;
}

/* --- memory --- */

FORWARDED(cuMemAlloc_v2);
FORWARDED(cuMemAllocPitch_v2);
FORWARDED(cuMemFree_v2);
FORWARDED(cuMemGetInfo_v2);
FORWARDED(cuMemHostAlloc);
FORWARDED(cuMemAllocHost_v2);
FORWARDED(cuMemFreeHost);
FORWARDED(cuMemHostRegister_v2);
FORWARDED(cuMemHostUnregister);

typedef enum { DEVICE, PINNED, N_KINDS } Kind;

static GMutex lock;                 /* of the next two */
static GHashTable *blocks[N_KINDS]; /* bytes by address */
static gsize used[N_KINDS];

/* Adds a block, if it fits the limit. */
static gboolean
add_block(Kind kind, gsize address, gsize bytes) {
  const gsize limit = kind == DEVICE ? fake_settings()->memory : fake_settings()->pinned;
  g_mutex_lock(&lock);
  const gboolean fits = bytes <= limit && used[kind] <= limit - bytes;
  if (!blocks[kind])
    blocks[kind] = g_hash_table_new(NULL, NULL);
  if (fits) {
    g_hash_table_insert(blocks[kind], (gpointer)address, (gpointer)bytes);
    used[kind] += bytes;
  }
  g_mutex_unlock(&lock);
  return fits;
}

static void
remove_block(Kind kind, gsize address) {
  gpointer bytes = NULL;
  g_mutex_lock(&lock);
  if (blocks[kind] && g_hash_table_steal_extended(blocks[kind], (gpointer)address, NULL, &bytes))
    used[kind] -= (gsize)bytes;
  g_mutex_unlock(&lock);
}

/* Keeps the driver's block if it fits the limit; else frees it. */
static CUresult
keep_device_block(CUresult result, const CUdeviceptr *address, gsize bytes) {
  if (result != CUDA_SUCCESS || add_block(DEVICE, (gsize)*address, bytes))
    return result;
  REAL(cuMemFree_v2)(*address);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult
keep_pinned_block(CUresult result, void *const *block, gsize bytes) {
  if (result != CUDA_SUCCESS || add_block(PINNED, (gsize)*block, bytes))
    return result;
  REAL(cuMemFreeHost)(*block);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult
cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return keep_device_block(forward_cuMemAlloc_v2(address, bytes), address, bytes);
}

EXPORT CUresult
cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t row_bytes, size_t rows,
                   unsigned element_bytes) {
  const CUresult result =
      forward_cuMemAllocPitch_v2(address, pitch, row_bytes, rows, element_bytes);
  return keep_device_block(result, address, result == CUDA_SUCCESS ? *pitch * rows : 0);
}

EXPORT CUresult
cuMemFree_v2(CUdeviceptr address) {
  remove_block(DEVICE, (gsize)address);
  return forward_cuMemFree_v2(address);
}

EXPORT CUresult
cuMemGetInfo_v2(size_t *unused, size_t *total) {
  const CUresult result = forward_cuMemGetInfo_v2(unused, total);
  if (result != CUDA_SUCCESS || fake_settings()->memory >= *total)
    return result;
  g_mutex_lock(&lock);
  *total = fake_settings()->memory;
  *unused = MIN(*unused, *total - used[DEVICE]);
  g_mutex_unlock(&lock);
  return result;
}

EXPORT CUresult
cuMemHostAlloc(void **block, size_t bytes, unsigned flags) {
  return keep_pinned_block(forward_cuMemHostAlloc(block, bytes, flags), block, bytes);
}

EXPORT CUresult
cuMemAllocHost_v2(void **block, size_t bytes) {
  return keep_pinned_block(forward_cuMemAllocHost_v2(block, bytes), block, bytes);
}

EXPORT CUresult
cuMemFreeHost(void *block) {
  remove_block(PINNED, (gsize)block);
  return forward_cuMemFreeHost(block);
}

EXPORT CUresult
cuMemHostRegister_v2(void *begin, size_t bytes, unsigned flags) {
  const CUresult result = forward_cuMemHostRegister_v2(begin, bytes, flags);
  if (result != CUDA_SUCCESS || add_block(PINNED, (gsize)begin, bytes))
    return result;
  REAL(cuMemHostUnregister)(begin);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult
cuMemHostUnregister(void *begin) {
  remove_block(PINNED, (gsize)begin);
  return forward_cuMemHostUnregister(begin);
}
