/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stand-in for libcuda.so.1, so that the host code of the CUDA backend, and GStreamer's own
 * library for CUDA memory, run without a GPU. Device memory is heap memory.
 *
 * Work that is enqueued on a stream runs when somebody waits for it, and not before. Reading a
 * result too early therefore fails every time. If a stream waits for an event, the stream of the
 * event first runs up to that event.
 *
 * Everything belongs to the context that was current when it was made. Misuse that CUDA at best
 * reports as an error ends the process here, with a message: handles of other contexts or of
 * destroyed objects, ranges that are not within a block, memory that is freed while something
 * enqueued uses it. The stand-in is stricter than CUDA in one point: work may be enqueued only on
 * streams of the current context.
 *
 * The environment variable FAKE_CUDA holds the settings, see settings.c. The default is one device
 * of compute capability 9 with 1 GiB of memory.
 *
 * At exit everything that was not freed is listed, and the process ends with status 70. */

#include "fake.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const FakeSettings fake_defaults = {
    .devices = 1,
    .version = CUDA_VERSION,
    .memory = (gsize)1 << 30,
    .pinned = G_MAXSIZE,
    .pinned_only = G_MAXSIZE,
    .capability = 9,
};

GRecMutex fake_lock;
static gboolean refused_push;

/* With the forwarding library in front, that one handles the failures. */
static gboolean
is_behind(void) {
  return g_getenv(FAKE_LIBRARY_BEHIND) != NULL;
}

CUresult
fake_enter(const gchar *name) {
  const CUresult result = is_behind() ? CUDA_SUCCESS : fake_count_call(name);
  if (result != CUDA_SUCCESS && g_str_equal(name, "cuCtxPushCurrent")) {
    g_rec_mutex_lock(&fake_lock);
    refused_push = TRUE;
    g_rec_mutex_unlock(&fake_lock);
  }
  return result;
}

gboolean
fake_refused_push(void) {
  if (is_behind()) /* refusals by the library in front are not visible here */
    return fake_can_fail("cuCtxPushCurrent");
  g_rec_mutex_lock(&fake_lock);
  const gboolean refused = refused_push || fake_is_lost();
  g_rec_mutex_unlock(&fake_lock);
  return refused;
}

__attribute__((destructor)) static void
report_leaks(void) {
  const FakeMemoryCount memory = fake_count_memory();
  const guint streams = fake_count_objects(FAKE_STREAM), events = fake_count_objects(FAKE_EVENT),
              modules = fake_count_objects(FAKE_MODULE), contexts = fake_count_contexts();
  if (memory.device_blocks + memory.pinned_blocks + memory.registrations + streams + events +
          modules + contexts ==
      0)
    return;
  fprintf(stderr,
          "fake CUDA: left behind: %u device blocks, %u pinned blocks, %u registrations "
          "(%u of memory that is unmapped), %u streams, %u events, %u modules, %u contexts\n",
          memory.device_blocks, memory.pinned_blocks, memory.registrations, memory.unmapped,
          streams, events, modules, contexts);
  _exit(70);
}

/* --- the driver --- */

EXPORT CUresult
cuInit(unsigned flags) {
  ENTER("cuInit");
  return (CUresult)fake_settings()->init;
}

EXPORT CUresult
cuDriverGetVersion(int *version) {
  ENTER("cuDriverGetVersion");
  *version = fake_settings()->version;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuGetErrorName(CUresult error, const char **name) {
#define NAME(code)                                                                                 \
  { code, #code }
  static const struct {
    CUresult code;
    const char *name;
  } names[] = {
      NAME(CUDA_ERROR_INVALID_VALUE),
      NAME(CUDA_ERROR_OUT_OF_MEMORY),
      NAME(CUDA_ERROR_NO_DEVICE),
      NAME(CUDA_ERROR_INVALID_DEVICE),
      NAME(CUDA_ERROR_INVALID_IMAGE),
      NAME(CUDA_ERROR_INVALID_CONTEXT),
      NAME(CUDA_ERROR_NO_BINARY_FOR_GPU),
      NAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
      NAME(CUDA_ERROR_INVALID_HANDLE),
      NAME(CUDA_ERROR_NOT_FOUND),
      NAME(CUDA_ERROR_NOT_READY),
      NAME(CUDA_ERROR_ILLEGAL_ADDRESS),
      NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
      NAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
      NAME(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
      NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
      NAME(CUDA_ERROR_LAUNCH_FAILED),
      NAME(CUDA_ERROR_NOT_SUPPORTED),
      NAME(CUDA_ERROR_UNKNOWN),
  };
#undef NAME
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (names[i].code == error) {
      *name = names[i].name;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuGetErrorString(CUresult error, const char **text) {
  *text = "as the fake driver was told";
  return CUDA_SUCCESS;
}

/* --- devices --- */

EXPORT CUresult
cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount");
  *count = fake_settings()->devices;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER("cuDeviceGet");
  *device = ordinal;
  return ordinal < fake_settings()->devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuDeviceGetName(char *name, int length, CUdevice device) {
  ENTER("cuDeviceGetName");
  g_snprintf(name, (gulong)length, "Fake GPU %d", device);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  const gint machine = fake_settings()->machine;
  ENTER("cuDeviceGetPCIBusId");
  g_snprintf(id, (gulong)length, "%08x:%02x:00.0", machine ? machine : getpid(), device);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  const struct {
    CUdevice_attribute attribute;
    gint value;
  } values[] = {
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 16},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 << 10},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, fake_settings()->capability},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0},
      {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0},
      {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 0},
  };
  ENTER("cuDeviceGetAttribute");
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    if (values[i].attribute == attribute) {
      *value = values[i].value;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  ENTER("cuDeviceCanAccessPeer");
  *can = fake_settings()->peer && device != peer;
  return CUDA_SUCCESS;
}
