/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stand-in for libcuda.so.1, so that the host side of the CUDA backend runs where there is no
 * GPU. Device memory is heap memory. What is enqueued on a stream runs when somebody waits for it,
 * no sooner, so a result that is read too early is wrong every time.
 *
 * The environment variable FAKE_CUDA holds settings divided by commas:
 *   devices=N       how many there are (1)
 *   version=N       what cuDriverGetVersion says (that of the toolkit's header)
 *   init=CODE       what cuInit returns (0)
 *   memory=BYTES    device memory of all devices together (1 GiB)
 *   capability=N    major compute capability of all devices (9)
 *   fail=NAME:N:CODE   the N-th call of NAME returns CODE; with a "+" behind N, all from there on
 * At exit, anything that was not given back is listed and the process ends with status 70. */

#include <cuda.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "launch.h"

#define EXPORT __attribute__((visibility("default")))
#define MAX_DEVICES 8

typedef struct {
  gint devices, version, init, capability;
  gsize memory;
  gchar *fail_name;
  gint fail_call, fail_code;
  gboolean fail_on; /* also the calls after */
} Settings;

typedef enum {
  OP_COPY,
  OP_LAUNCH,
  OP_EVENT,
} OpKind;

/* Something enqueued. */
typedef struct {
  OpKind kind;
  void *to;
  const void *from;
  gsize bytes;
  const gchar *kernel;
  FakeGrid grid;
  CcLaunch launch;
  CUevent event;
} Op;

struct CUstream_st {
  GQueue ops;
};

struct CUevent_st {
  CUstream stream; /* where it was recorded; NULL when it has happened */
};

static GRecMutex lock;
static GHashTable *blocks; /* address -> its size, device memory */
static GHashTable *pinned;
static gsize used;
static gint live_streams, live_events, live_modules, live_contexts;
static gint calls_to_failure;

static const Settings *
settings(void) {
  static Settings s;
  static gsize once;
  if (g_once_init_enter(&once)) {
    s = (Settings){
        .devices = 1, .version = CUDA_VERSION, .memory = (gsize)1 << 30, .capability = 9};
    g_auto(GStrv) words = g_strsplit(g_getenv("FAKE_CUDA") ? g_getenv("FAKE_CUDA") : "", ",", -1);
    for (gchar **word = words; *word; word++) {
      gchar name[64], plus = 0;
      if (sscanf(*word, "fail=%63[A-Za-z]:%d:%d", name, &s.fail_call, &s.fail_code) == 3 ||
          sscanf(*word, "fail=%63[A-Za-z]:%d%c:%d", name, &s.fail_call, &plus, &s.fail_code) == 4) {
        s.fail_name = g_strdup(name);
        s.fail_on = plus == '+';
      } else if (sscanf(*word, "devices=%d", &s.devices) != 1 &&
                 sscanf(*word, "version=%d", &s.version) != 1 &&
                 sscanf(*word, "init=%d", &s.init) != 1 &&
                 sscanf(*word, "memory=%zu", &s.memory) != 1 &&
                 sscanf(*word, "capability=%d", &s.capability) != 1 && **word) {
        g_error("FAKE_CUDA: \"%s\" is no setting", *word);
      }
    }
    blocks = g_hash_table_new(NULL, NULL);
    pinned = g_hash_table_new(NULL, NULL);
    g_once_init_leave(&once, 1);
  }
  return &s;
}

/* What a call of `name` returns before it does anything. */
static CUresult
enter(const gchar *name) {
  const Settings *s = settings();
  CUresult result = CUDA_SUCCESS;
  g_rec_mutex_lock(&lock);
  if (s->fail_name && strcmp(s->fail_name, name) == 0) {
    calls_to_failure++;
    if (calls_to_failure == s->fail_call || (s->fail_on && calls_to_failure > s->fail_call))
      result = (CUresult)s->fail_code;
  }
  g_rec_mutex_unlock(&lock);
  return result;
}

#define ENTER(name)                                                                                \
  do {                                                                                             \
    const CUresult failure = enter(name);                                                          \
    if (failure != CUDA_SUCCESS)                                                                   \
      return failure;                                                                              \
  } while (0)

__attribute__((destructor)) static void
report_leaks(void) {
  const guint device_blocks = blocks ? g_hash_table_size(blocks) : 0;
  const guint pinned_blocks = pinned ? g_hash_table_size(pinned) : 0;
  if (device_blocks + pinned_blocks == 0 && !live_streams && !live_events && !live_modules &&
      !live_contexts)
    return;
  fprintf(stderr,
          "fake CUDA: left behind: %u device blocks, %u pinned blocks, %d streams, %d events, "
          "%d modules, %d contexts\n",
          device_blocks, pinned_blocks, live_streams, live_events, live_modules, live_contexts);
  _exit(70);
}

/* --- driver and devices --- */

EXPORT CUresult
cuInit(unsigned flags) {
  ENTER("cuInit");
  return (CUresult)settings()->init;
}

EXPORT CUresult
cuDriverGetVersion(int *version) {
  ENTER("cuDriverGetVersion");
  *version = settings()->version;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuGetErrorName(CUresult error, const char **name) {
  static const struct {
    CUresult code;
    const char *name;
  } names[] = {{CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
               {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
               {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
               {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
               {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
               {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
               {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
               {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"}};
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

EXPORT CUresult
cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount");
  *count = settings()->devices;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER("cuDeviceGet");
  *device = ordinal;
  return ordinal < settings()->devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult
cuDeviceGetName(char *name, int length, CUdevice device) {
  ENTER("cuDeviceGetName");
  g_snprintf(name, (gulong)length, "Fake GPU %d", device);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  ENTER("cuDeviceGetAttribute");
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = 4;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    *value = 1 << 16;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    *value = 2048;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    *value = 48 << 10;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = settings()->capability;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 0;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/* --- contexts: only whether one is current where it has to be --- */

static char contexts[MAX_DEVICES];
static GPrivate depth;

static gboolean
is_current(void) {
  return GPOINTER_TO_INT(g_private_get(&depth)) > 0;
}

EXPORT CUresult
cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER("cuDevicePrimaryCtxRetain");
  *context = (CUcontext)&contexts[device];
  g_atomic_int_inc(&live_contexts);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDevicePrimaryCtxRelease(CUdevice device) {
  (void)g_atomic_int_dec_and_test(&live_contexts);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxPushCurrent(CUcontext context) {
  ENTER("cuCtxPushCurrent");
  g_private_set(&depth, GINT_TO_POINTER(GPOINTER_TO_INT(g_private_get(&depth)) + 1));
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxPopCurrent(CUcontext *context) {
  g_assert_true(is_current());
  g_private_set(&depth, GINT_TO_POINTER(GPOINTER_TO_INT(g_private_get(&depth)) - 1));
  return CUDA_SUCCESS;
}

/* --- modules: a function is its name --- */

EXPORT CUresult
cuModuleLoadData(CUmodule *module, const void *image) {
  ENTER("cuModuleLoadData");
  g_assert_true(is_current());
  g_assert_cmphex(*(const guint32 *)image, ==, 0xBA55ED50); /* a fatbin */
  g_atomic_int_inc(&live_modules);
  *module = (CUmodule)(gpointer)image;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuModuleUnload(CUmodule module) {
  (void)g_atomic_int_dec_and_test(&live_modules);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER("cuModuleGetFunction");
  *function = (CUfunction)(gpointer)g_intern_string(name);
  return CUDA_SUCCESS;
}

/* --- memory --- */

static CUresult
allocate(GHashTable *table, gsize bytes, gsize limit, gpointer *block) {
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  g_assert_true(is_current());
  g_rec_mutex_lock(&lock);
  if (bytes == 0) {
    result = CUDA_ERROR_INVALID_VALUE;
  } else if (used + bytes <= limit && (*block = aligned_alloc(256, (bytes + 255) / 256 * 256))) {
    memset(*block, 0xA5, bytes);
    g_hash_table_insert(table, *block, GSIZE_TO_POINTER(bytes));
    used += bytes;
    result = CUDA_SUCCESS;
  }
  g_rec_mutex_unlock(&lock);
  return result;
}

static CUresult
release(GHashTable *table, gpointer block) {
  g_rec_mutex_lock(&lock);
  const gsize bytes = GPOINTER_TO_SIZE(g_hash_table_lookup(table, block));
  const gboolean known = g_hash_table_remove(table, block);
  used -= bytes;
  g_rec_mutex_unlock(&lock);
  if (!known)
    return CUDA_ERROR_INVALID_VALUE;
  free(block);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  ENTER("cuMemAlloc");
  gpointer block = NULL;
  const CUresult result = allocate(blocks, bytes, settings()->memory, &block);
  *address = (CUdeviceptr)block;
  return result;
}

EXPORT CUresult
cuMemFree(CUdeviceptr address) {
  return release(blocks, (gpointer)address);
}

EXPORT CUresult
cuMemHostAlloc(void **block, size_t bytes, unsigned flags) {
  ENTER("cuMemHostAlloc");
  return allocate(pinned, bytes, G_MAXSIZE, block);
}

EXPORT CUresult
cuMemFreeHost(void *block) {
  return release(pinned, block);
}

/* --- streams and events --- */

static void
run(Op *op) {
  if (op->kind == OP_COPY)
    memcpy(op->to, op->from, op->bytes);
  else if (op->kind == OP_LAUNCH)
    fake_launch(op->kernel, &op->grid, &op->launch);
  else
    op->event->stream = NULL;
  g_free(op);
}

/* Runs what is enqueued, up to and with `event` or, without one, all. */
static void
run_stream(CUstream stream, CUevent event) {
  g_rec_mutex_lock(&lock);
  gboolean done = FALSE;
  while (!done && !g_queue_is_empty(&stream->ops)) {
    Op *op = g_queue_pop_head(&stream->ops);
    done = event && op->kind == OP_EVENT && op->event == event;
    run(op);
  }
  g_rec_mutex_unlock(&lock);
}

static void
enqueue(CUstream stream, const Op *op) {
  g_assert_true(is_current());
  g_rec_mutex_lock(&lock);
  g_queue_push_tail(&stream->ops, g_memdup2(op, sizeof *op));
  g_rec_mutex_unlock(&lock);
}

EXPORT CUresult
cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER("cuStreamCreate");
  g_assert_true(is_current());
  *stream = g_new0(struct CUstream_st, 1);
  g_atomic_int_inc(&live_streams);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuStreamSynchronize(CUstream stream) {
  run_stream(stream, NULL);
  ENTER("cuStreamSynchronize");
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuStreamDestroy(CUstream stream) {
  run_stream(stream, NULL);
  g_free(stream);
  (void)g_atomic_int_dec_and_test(&live_streams);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuEventCreate(CUevent *event, unsigned flags) {
  ENTER("cuEventCreate");
  *event = g_new0(struct CUevent_st, 1);
  g_atomic_int_inc(&live_events);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuEventDestroy(CUevent event) {
  g_assert_null(event->stream);
  g_free(event);
  (void)g_atomic_int_dec_and_test(&live_events);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuEventRecord(CUevent event, CUstream stream) {
  ENTER("cuEventRecord");
  event->stream = stream;
  enqueue(stream, &(Op){.kind = OP_EVENT, .event = event});
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuEventSynchronize(CUevent event) {
  if (event->stream)
    run_stream(event->stream, event);
  ENTER("cuEventSynchronize");
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
  ENTER("cuEventElapsedTime");
  *ms = 0.001f;
  return CUDA_SUCCESS;
}

/* --- work --- */

static CUresult
enqueue_copy(const gchar *name, gpointer to, gconstpointer from, gsize bytes, CUstream stream) {
  ENTER(name);
  enqueue(stream, &(Op){.kind = OP_COPY, .to = to, .from = from, .bytes = bytes});
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return enqueue_copy("cuMemcpyHtoDAsync", (gpointer)to, from, bytes, stream);
}

EXPORT CUresult
cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return enqueue_copy("cuMemcpyDtoHAsync", to, (gconstpointer)from, bytes, stream);
}

EXPORT CUresult
cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return enqueue_copy("cuMemcpyDtoDAsync", (gpointer)to, (gconstpointer)from, bytes, stream);
}

static CUresult
enqueue_launch(const CUlaunchConfig *config, CUfunction function, void **parameters) {
  const guint threads = config->blockDimX * config->blockDimY * config->blockDimZ;
  g_assert_cmpuint(threads, <=, 1024);
  g_assert_cmpuint(config->gridDimX, <=, G_MAXINT32);
  /* all kernels of the project use a flat grid */
  g_assert_cmpuint(config->gridDimY * config->gridDimZ, ==, 1);
  enqueue(config->hStream, &(Op){.kind = OP_LAUNCH,
                                 .kernel = (const gchar *)(gpointer)function,
                                 .grid = {config->gridDimX, threads},
                                 .launch = *(const CcLaunch *)parameters[0]});
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
               CUstream stream, void **parameters, void **extra) {
  ENTER("cuLaunchKernel");
  const CUlaunchConfig config = {.gridDimX = grid_x,
                                 .gridDimY = grid_y,
                                 .gridDimZ = grid_z,
                                 .blockDimX = block_x,
                                 .blockDimY = block_y,
                                 .blockDimZ = block_z,
                                 .hStream = stream};
  return enqueue_launch(&config, function, parameters);
}

/* Only the attribute that lets a launch begin before the one before it ends, which devices have
 * from capability 9 on. The order of what runs on a stream is the same with it. */
EXPORT CUresult
cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                 void **extra) {
  ENTER("cuLaunchKernelEx");
  g_assert_cmpint(settings()->capability, >=, 9);
  for (guint i = 0; i < config->numAttrs; i++)
    g_assert_cmpint(config->attrs[i].id, ==, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  return enqueue_launch(config, function, parameters);
}
