/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests the stand-in for the driver: it runs work in the order of CUDA and detects the faults that
 * it should detect. It reads its settings once, so every case is a separate process. */

#include <cuda.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 64
#define OK(call) g_assert_cmpint((call), ==, CUDA_SUCCESS)

CUresult create_context(CUcontext *context, unsigned flags,
                        CUdevice device) __asm__("cuCtxCreate_v2");

static CUcontext
push_primary(CUdevice device) {
  CUcontext context;
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxPushCurrent(context));
  return context;
}

static void
pop_primary(CUdevice device) {
  OK(cuCtxPopCurrent(NULL));
  OK(cuDevicePrimaryCtxRelease(device));
}

static CUstream
new_stream(void) {
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

static CUevent
new_event(void) {
  CUevent event;
  OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
  return event;
}

static CUdeviceptr
new_block(void) {
  CUdeviceptr block;
  OK(cuMemAlloc(&block, BYTES));
  return block;
}

/* --- order --- */

/* A chain over two streams runs from its beginning when its end is waited for, and not before. */
static void
wait_order(void) {
  guint8 in[BYTES], out[BYTES] = {0};
  memset(in, 7, BYTES);
  push_primary(0);
  CUstream first = new_stream(), second = new_stream();
  CUevent event = new_event(), end = new_event();
  CUdeviceptr block = new_block();
  OK(cuMemcpyHtoDAsync(block, in, BYTES, first));
  OK(cuEventRecord(event, first));
  OK(cuMemsetD8Async(block, 9, BYTES, first)); /* after the event */
  OK(cuStreamWaitEvent(second, event, 0));
  OK(cuMemcpyDtoHAsync(out, block, BYTES, second));
  OK(cuEventRecord(end, second));
  g_assert_cmpint(out[0], ==, 0);
  OK(cuEventRecord(event, first)); /* must not affect the wait that is already enqueued */
  OK(cuEventSynchronize(end));
  g_assert_cmpint(out[0], ==, 7);
  g_assert_cmpint(out[BYTES - 1], ==, 7);
  OK(cuMemcpyDtoHAsync(out, block, BYTES, first));
  OK(cuStreamSynchronize(first));
  g_assert_cmpint(out[0], ==, 9);
  OK(cuMemFree(block));
  OK(cuEventDestroy(event));
  OK(cuEventDestroy(end));
  OK(cuStreamDestroy(first));
  OK(cuStreamDestroy(second));
  pop_primary(0);
}

/* Streams wait for the NULL stream, except CU_STREAM_NON_BLOCKING ones. */
static void
null_stream(void) {
  guint8 out[BYTES] = {0};
  push_primary(0);
  CUstream apart = new_stream(), blocking;
  OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  CUdeviceptr block = new_block();
  OK(cuMemsetD8Async(block, 1, BYTES, NULL));
  OK(cuMemcpyDtoHAsync(out, block, BYTES, apart));
  OK(cuStreamSynchronize(apart));
  g_assert_cmpint(out[0], ==, 0xA5);
  OK(cuMemcpyDtoHAsync(out, block, BYTES, blocking));
  OK(cuStreamSynchronize(blocking));
  g_assert_cmpint(out[0], ==, 1);
  OK(cuMemsetD8Async(block, 2, BYTES, blocking));
  OK(cuMemcpyDtoH(out, block, BYTES));
  g_assert_cmpint(out[0], ==, 2);
  OK(cuMemFree(block));
  OK(cuStreamDestroy(apart));
  OK(cuStreamDestroy(blocking));
  pop_primary(0);
}

static void
queries(void) {
  push_primary(0);
  CUstream stream = new_stream();
  CUevent event = new_event();
  CUdeviceptr block = new_block();
  OK(cuEventQuery(event)); /* never recorded */
  OK(cuMemsetD8Async(block, 1, BYTES, stream));
  OK(cuEventRecord(event, stream));
  OK(cuMemsetD8Async(block, 1, BYTES, stream));
  g_assert_cmpint(cuEventQuery(event), ==, CUDA_ERROR_NOT_READY);
  OK(cuEventQuery(event));
  g_assert_cmpint(cuStreamQuery(stream), ==, CUDA_ERROR_NOT_READY);
  OK(cuStreamQuery(stream));
  OK(cuMemFree(block));
  OK(cuEventDestroy(event));
  OK(cuStreamDestroy(stream));
  pop_primary(0);
}

/* Copies rows that are shorter than their pitch, between kinds of memory that the addresses
 * determine. */
static void
rectangles(void) {
  guint8 in[3 * 5], out[3 * 4];
  size_t pitch;
  CUdeviceptr block;
  for (guint i = 0; i < sizeof in; i++)
    in[i] = (guint8)i;
  memset(out, 0xEE, sizeof out);
  push_primary(0);
  OK(cuMemAllocPitch(&block, &pitch, 5, 3, 4));
  g_assert_cmpuint(pitch % 512, ==, 0);
  const CUDA_MEMCPY2D there = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                               .srcHost = in,
                               .srcPitch = 5,
                               .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                               .dstDevice = block,
                               .dstPitch = pitch,
                               .WidthInBytes = 5,
                               .Height = 3};
  OK(cuMemcpy2D(&there));
  const CUDA_MEMCPY2D back = {.srcXInBytes = 2,
                              .srcY = 1,
                              .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                              .srcDevice = block,
                              .srcPitch = pitch,
                              .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                              .dstDevice = (CUdeviceptr)out,
                              .dstPitch = 4,
                              .WidthInBytes = 3,
                              .Height = 2};
  OK(cuMemcpy2D(&back));
  static const guint8 expected[] = {7, 8, 9, 0xEE, 12, 13, 14, 0xEE};
  g_assert_cmpmem(out, sizeof expected, expected, sizeof expected);
  OK(cuMemFree(block));
  pop_primary(0);
}

/* --- faults --- */

static void
fault_stream_of_other_context(void) {
  push_primary(0);
  CUstream stream = new_stream();
  push_primary(1);
  cuMemsetD8Async(new_block(), 0, BYTES, stream);
}

static void
fault_memory_of_other_device(void) {
  push_primary(0);
  CUdeviceptr block = new_block();
  push_primary(1);
  cuMemcpyDtoDAsync(new_block(), block, BYTES, new_stream());
}

static void
fault_no_context(void) {
  CUdeviceptr block;
  cuMemAlloc(&block, BYTES);
}

static void
fault_free_without_context(void) {
  push_primary(0);
  CUdeviceptr block = new_block();
  OK(cuCtxPopCurrent(NULL));
  cuMemFree(block);
}

static void
fault_destroyed_context(void) {
  CUcontext context;
  OK(create_context(&context, 0, 0));
  CUdeviceptr block = new_block();
  OK(cuCtxDestroy(context));
  push_primary(0);
  cuMemFree(block);
}

static void
fault_destroyed_event(void) {
  push_primary(0);
  CUevent event = new_event();
  OK(cuEventDestroy(event));
  cuEventRecord(event, new_stream());
}

static void
fault_freed_in_use(void) {
  push_primary(0);
  CUdeviceptr block = new_block();
  OK(cuMemsetD8Async(block, 0, BYTES, new_stream()));
  cuMemFree(block);
}

static void
fault_behind_block(void) {
  guint8 out[BYTES + 1];
  push_primary(0);
  cuMemcpyDtoH(out, new_block(), BYTES + 1);
}

static void
fault_behind_pinned_block(void) {
  gpointer pinned;
  CUdeviceptr block;
  push_primary(0);
  OK(cuMemHostAlloc(&pinned, BYTES, 0));
  OK(cuMemAlloc(&block, 2 * BYTES));
  cuMemcpyHtoD(block, pinned, BYTES + 1);
}

static void
fault_read_only_target(void) {
  push_primary(0);
  cuMemcpyDtoH((gpointer)(gsize) "some text, which lies in read-only memory of this program",
               new_block(), 8);
}

static void
fault_not_pinned(void) {
  static guint8 in[BYTES];
  push_primary(0);
  CUdeviceptr block = new_block();
  OK(cuMemcpyHtoD(block, in, BYTES)); /* synchronous copies are allowed */
  OK(cuMemcpyHtoDAsync(block, in, BYTES - 1, new_stream()));
  cuMemcpyHtoDAsync(block, in, BYTES, new_stream());
}

static void
fault_unmapped(void) {
  const gsize page = (gsize)sysconf(_SC_PAGESIZE);
  gpointer memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  push_primary(0);
  OK(cuMemHostRegister(memory, page, 0));
  munmap(memory, page);
  cuMemHostUnregister(memory);
}

static void
fault_left_behind(void) {
  static guint8 memory[BYTES];
  push_primary(0);
  new_stream();
  OK(cuMemHostRegister(memory, BYTES, 0));
}

/* --- registration --- */

static void
registration(void) {
  const gsize page = (gsize)sysconf(_SC_PAGESIZE);
  guint8 *memory = mmap(NULL, 6 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + 5 * page, page, PROT_READ);
  push_primary(0);
  OK(cuMemHostRegister(memory + 100, page, 0));
  g_assert_cmpint(cuMemHostRegister(memory + 99 + page, 2, 0), ==,
                  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  OK(cuMemHostRegister(memory + 100 + page, 2, 0)); /* on the same page */
  OK(cuMemHostUnregister(memory + 100 + page));
  g_assert_cmpint(cuMemHostUnregister(memory), ==, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  g_assert_cmpint(cuMemHostRegister(memory + 4 * page, 2 * page, 0), ==, CUDA_ERROR_INVALID_VALUE);
  g_assert_cmpint(cuMemHostRegister(memory + 2 * page, 3 * page, 0), ==, CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemHostRegister(memory + 2 * page, 2 * page, 0));
  gpointer pinned;
  g_assert_cmpint(cuMemHostAlloc(&pinned, 4096, 0), ==, CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemHostUnregister(memory + 100));
  OK(cuMemHostAlloc(&pinned, 4096, 0));
  g_assert_cmpint(cuMemHostRegister(pinned, 1, 0), ==, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  OK(cuMemFreeHost(pinned));
  OK(cuMemHostUnregister(memory + 2 * page));
  munmap(memory, 6 * page);
  pop_primary(0);
}

/* --- failures --- */

/* Two failures are counted separately. A failing call does nothing. */
static void
fail(void) {
  CUdeviceptr block, none;
  CUstream stream;
  push_primary(0);
  OK(cuMemAlloc(&block, BYTES));
  g_assert_cmpint(cuMemAlloc(&none, BYTES), ==, 2);
  g_assert_cmpint(cuStreamCreate(&stream, 0), ==, 700);
  g_assert_cmpint(cuStreamCreate(&stream, 0), ==, 700);
  OK(cuMemFree(block));
  pop_primary(0);
}

/* Everything fails and nothing enqueued runs, but everything can still be freed. */
static void
lost(void) {
  guint8 out[BYTES] = {0};
  CUcontext context = push_primary(0);
  CUstream stream = new_stream();
  CUevent event = new_event();
  CUdeviceptr block = new_block();
  OK(cuMemcpyDtoHAsync(out, block, BYTES, stream));
  OK(cuEventRecord(event, stream));
  g_assert_cmpint(cuEventRecord(event, stream), ==, 999);
  g_assert_cmpint(cuStreamSynchronize(stream), ==, 999);
  g_assert_cmpint(out[0], ==, 0);
  g_assert_cmpint(cuCtxPopCurrent(NULL), ==, 999);
  g_assert_cmpint(cuCtxPushCurrent(context), ==, 999);
  g_assert_cmpint(cuMemFree(block), ==, 999);
  g_assert_cmpint(cuEventDestroy(event), ==, 999);
  g_assert_cmpint(cuStreamDestroy(stream), ==, 999);
  g_assert_cmpint(cuDevicePrimaryCtxRelease(0), ==, 999);
}

/* --- devices --- */

/* Memory of another device is accessible by a peer copy, and by all operations once peers are
 * enabled. */
static void
peers(void) {
  guint8 out[BYTES];
  int can;
  CUcontext zero = push_primary(0);
  CUdeviceptr there = new_block();
  OK(cuMemsetD8Async(there, 3, BYTES, NULL));
  OK(cuCtxSynchronize());
  CUcontext one = push_primary(1);
  CUdeviceptr here = new_block();
  CUstream stream = new_stream();
  OK(cuDeviceCanAccessPeer(&can, 1, 0));
  g_assert_true(can);
  OK(cuMemcpyPeerAsync(here, one, there, zero, BYTES, stream));
  OK(cuMemcpyDtoHAsync(out, here, BYTES, stream));
  OK(cuStreamSynchronize(stream));
  g_assert_cmpint(out[0], ==, 3);
  OK(cuCtxEnablePeerAccess(zero, 0));
  g_assert_cmpint(cuCtxEnablePeerAccess(zero, 0), ==, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  OK(cuMemcpyDtoDAsync(here, there, BYTES, stream));
  OK(cuStreamDestroy(stream));
  OK(cuMemFree(here));
  OK(cuMemFree(there));
  pop_primary(1);
  pop_primary(0);
}

/* --- cases --- */

typedef struct {
  const gchar *name, *settings;
  const gchar *message; /* of the fault that ends the process; NULL: no fault */
  void (*body)(void);
} Case;

static const Case cases[] = {
    {"wait-order", "", NULL, wait_order},
    {"null-stream", "", NULL, null_stream},
    {"queries", "", NULL, queries},
    {"rectangles", "", NULL, rectangles},
    {"registration", "pinned=16383", NULL, registration},
    {"fail", "fail=cuMemAlloc:2:2,fail=cuStreamCreate:1+:700", NULL, fail},
    {"lost", "lost=cuEventRecord:2:999", NULL, lost},
    {"peers", "devices=2,peer=1", NULL, peers},
    {"fault/stream-of-other-context", "devices=2", "cuMemsetD8Async: the stream is of context",
     fault_stream_of_other_context},
    {"fault/memory-of-other-device", "devices=2", "cuMemcpyDtoDAsync: *out of reach",
     fault_memory_of_other_device},
    {"fault/no-context", "", "cuMemAlloc: no context is current", fault_no_context},
    {"fault/free-without-context", "", "cuMemFree: no context is current",
     fault_free_without_context},
    {"fault/destroyed-context", "", "cuMemFree: context * is destroyed", fault_destroyed_context},
    {"fault/destroyed-event", "", "cuEventRecord: * is no event", fault_destroyed_event},
    {"fault/freed-in-use", "", "cuMemFree: something enqueued uses", fault_freed_in_use},
    {"fault/behind-block", "", "cuMemcpyDtoH: * are not in one block", fault_behind_block},
    {"fault/behind-pinned-block", "", "cuMemcpyHtoD: * are not all in the pinned block",
     fault_behind_pinned_block},
    {"fault/read-only-target", "", "cuMemcpyDtoH: * cannot be written", fault_read_only_target},
    {"fault/not-pinned", "pinned-only=64", "cuMemcpyHtoDAsync: 64 bytes * are not pinned",
     fault_not_pinned},
    {"fault/unmapped", "", "cuMemHostUnregister: * was unmapped", fault_unmapped},
    {"fault/left-behind", "",
     "left behind: 0 device blocks, 0 pinned blocks, 1 registrations (0 *, 1 str",
     fault_left_behind},
};

/* Runs the body in a separate process with the settings. */
static void
test_case(gconstpointer data) {
  const Case *c = data;
  if (g_test_subprocess()) {
    c->body();
    return;
  }
  g_setenv("FAKE_CUDA", c->settings, TRUE);
  g_test_trap_subprocess(NULL, 30 * G_TIME_SPAN_SECOND, 0);
  if (!c->message) {
    g_test_trap_assert_passed();
    return;
  }
  g_autofree gchar *pattern = g_strdup_printf("*fake CUDA: %s*", c->message);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr(pattern);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *path = g_strconcat("/driver/", cases[i].name, NULL);
    g_test_add_data_func(path, &cases[i], test_case);
  }
  return g_test_run();
}
