/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include <math.h>

/* Maximum number of launches or copies in a batch. The driver can queue more without blocking. */
#define MAX_QUEUED 400
#define ALIGNMENT 256          /* bytes; alignment of a frame on the device */
#define L2_MULTIPLE 4          /* minimum size of an arena, as a multiple of the L2 cache's size */
#define RANDOM_BYTES (1 << 24) /* size of the random block that is uploaded repeatedly */
#define MAX_SWEEPS 100
#define HEAD_START 1.5 /* time of the first copies / host time to queue the frames */
#define BUS_BUFFERS 4  /* number of buffers per direction, used round robin */
#define BUS_ALIGNMENT 4096

const gchar *
bench_driver_version(const CcCudaDriver *cuda) {
  static gchar text[32];
  int version = 0; /* 13000 for CUDA 13.0 */
  cuda->cuDriverGetVersion(&version);
  g_snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
  return text;
}

static gsize
align(gsize bytes, gsize alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/* --- kernels --- */

gboolean
bench_timer_open(BenchTimer *self, gint device_id, GError **error) {
  int l2_bytes = 0;
  CcCudaDevice *device = cc_cuda_device_open(device_id, error);
  if (!device || !cc_cuda_device_push(device, error))
    return FALSE;
  self->device = device;
  self->cuda = device->cuda;
  if (!BENCH_CALL(self, cuDeviceGetAttribute, &l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
                  device->device) ||
      !BENCH_CALL(self, cuStreamCreate, &self->stream, CU_STREAM_NON_BLOCKING) ||
      !BENCH_CALL(self, cuEventCreate, &self->begin, CU_EVENT_DEFAULT) ||
      !BENCH_CALL(self, cuEventCreate, &self->end, CU_EVENT_DEFAULT))
    return FALSE;
  self->l2_bytes = (gsize)MAX(l2_bytes, 0);
  return TRUE;
}

void
bench_timer_close(BenchTimer *self) {
  const CUdeviceptr memory[] = {self->src.address, self->dst.address, self->scratch.address};
  if (!self->device)
    return;
  if (self->end) { /* `end` is the last handle that bench_timer_open creates */
    self->cuda->cuStreamSynchronize(self->stream);
    for (guint i = 0; i < G_N_ELEMENTS(memory); i++)
      self->cuda->cuMemFree(memory[i]); /* cuMemFree ignores address 0 */
    self->cuda->cuEventDestroy(self->begin);
    self->cuda->cuEventDestroy(self->end);
    self->cuda->cuStreamDestroy(self->stream);
  }
  cc_cuda_device_pop(self->device);
  cc_cuda_device_close(self->device);
}

static gboolean
grow_arena(const BenchTimer *self, BenchArena *arena, gsize bytes, GError **error) {
  if (arena->bytes >= bytes)
    return TRUE;
  if (arena->bytes)
    self->cuda->cuMemFree(arena->address);
  *arena = (BenchArena){0};
  if (!BENCH_CALL(self, cuMemAlloc, &arena->address, bytes))
    return FALSE;
  arena->bytes = bytes;
  return TRUE;
}

static gboolean
fill_with_random(const BenchTimer *self, GError **error) {
  g_autofree guint8 *random = g_malloc(RANDOM_BYTES);
  bench_fill_random(random, RANDOM_BYTES);
  for (gsize at = 0; at < self->src.bytes; at += RANDOM_BYTES)
    if (!BENCH_CALL(self, cuMemcpyHtoDAsync, self->src.address + at, random,
                    MIN(RANDOM_BYTES, self->src.bytes - at), self->stream) ||
        !BENCH_CALL(self, cuStreamSynchronize, self->stream))
      return FALSE;
  return TRUE;
}

static gboolean
queue_sweep(const BenchTimer *self, GError **error) {
  return BENCH_CALL(self, cuMemcpyDtoDAsync, self->dst.address, self->src.address,
                    MIN(self->src.bytes, self->dst.bytes), self->stream);
}

static gboolean
wait_for_events(const BenchTimer *self, gdouble *us, GError **error) {
  float ms = 0;
  if (!BENCH_CALL(self, cuEventSynchronize, self->end) ||
      !BENCH_CALL(self, cuEventElapsedTime, &ms, self->begin, self->end))
    return FALSE;
  *us = 1000.0 * (gdouble)ms;
  return TRUE;
}

static gboolean
time_sweep(BenchTimer *self, GError **error) {
  return queue_sweep(self, error) && BENCH_CALL(self, cuEventRecord, self->begin, self->stream) &&
         queue_sweep(self, error) && BENCH_CALL(self, cuEventRecord, self->end, self->stream) &&
         wait_for_events(self, &self->sweep_us, error);
}

static gboolean
reserve(BenchTimer *self, const BenchTask *task, GError **error) {
  const gsize min = L2_MULTIPLE * self->l2_bytes, before = self->src.bytes + self->dst.bytes;
  if (!grow_arena(self, &self->src, MAX(min, 2 * align(task->src_bytes, ALIGNMENT)), error) ||
      !grow_arena(self, &self->dst, MAX(min, 2 * align(task->dst_bytes, ALIGNMENT)), error) ||
      !grow_arena(self, &self->scratch, task->scratch_bytes, error))
    return FALSE;
  return self->src.bytes + self->dst.bytes == before ||
         (fill_with_random(self, error) && time_sweep(self, error));
}

/* A BenchBatch. First queues copies that keep the device busy while the host queues the frames. So
 * the result is device time even if the host takes longer to queue a frame than the device takes to
 * run it. */
static gboolean
run_batch(gpointer data, guint n_frames, gdouble *us, GError **error) {
  BenchTimer *self = data;
  const BenchTask *task = self->task;
  const gsize src_bytes = align(task->src_bytes, ALIGNMENT);
  const gsize dst_bytes = align(task->dst_bytes, ALIGNMENT);
  const guint64 n_src = self->src.bytes / src_bytes, n_dst = self->dst.bytes / dst_bytes;
  const gdouble head_start_us = HEAD_START * self->host_us * n_frames;
  const gdouble n_sweeps = MIN(ceil(head_start_us / MAX(self->sweep_us, 0.1)), MAX_SWEEPS);
  for (guint i = 0; i < n_sweeps; i++)
    if (!queue_sweep(self, error))
      return FALSE;
  const gint64 begin = g_get_monotonic_time();
  if (!BENCH_CALL(self, cuEventRecord, self->begin, self->stream))
    return FALSE;
  for (guint i = 0; i < n_frames; i++, self->frame++)
    if (!task->queue(task, self, self->src.address + self->frame % n_src * src_bytes,
                     self->dst.address + self->frame % n_dst * dst_bytes, self->scratch.address,
                     error))
      return FALSE;
  if (!BENCH_CALL(self, cuEventRecord, self->end, self->stream))
    return FALSE;
  self->host_us = (gdouble)MAX(g_get_monotonic_time() - begin, 1) / n_frames;
  return wait_for_events(self, us, error);
}

gboolean
bench_time_task(BenchTimer *self, const BenchTask *task, BenchTime *time, GError **error) {
  const guint max_frames = MAX(MAX_QUEUED / MAX(task->n_launches, 1), 1);
  self->task = task;
  self->host_us = 0;
  *time = (BenchTime){0};
  const gboolean ok =
      reserve(self, task, error) &&
      (self->once ? task->queue(task, self, self->src.address, self->dst.address,
                                self->scratch.address, error) &&
                        BENCH_CALL(self, cuStreamSynchronize, self->stream)
                  : bench_time_batches(run_batch, self, max_frames, self->budget_ms, time, error));
  if (!ok)
    self->cuda->cuStreamSynchronize(self->stream);
  return ok;
}

/* --- the bus --- */

/* One direction of one device. */
typedef struct {
  CcCudaDevice *device;
  gboolean up;
  gsize bytes; /* bytes of a frame */
  CUstream stream;
  guint8 *host;       /* BUS_BUFFERS aligned frames */
  CUdeviceptr memory; /* frames of the same number and alignment on the device */
} Lane;

typedef struct {
  GArray *lanes;
  guint n_devices;
  guint frame; /* number of frames that each lane has queued */
} Bus;

typedef gboolean (*LaneCall)(Lane *lane, guint frame, GError **error);

/* Runs `call` for every lane with the lane's device current. */
static gboolean
for_each_lane(const Bus *self, LaneCall call, GError **error) {
  for (guint i = 0; i < self->lanes->len; i++) {
    Lane *lane = &g_array_index(self->lanes, Lane, i);
    if (!cc_cuda_device_push(lane->device, error))
      return FALSE;
    const gboolean ok = call(lane, self->frame, error);
    cc_cuda_device_pop(lane->device);
    if (!ok)
      return FALSE;
  }
  return TRUE;
}

static gboolean
open_lane(Lane *lane, guint frame, GError **error) {
  const gsize bytes = BUS_BUFFERS * align(lane->bytes, BUS_ALIGNMENT);
  return BENCH_CALL(lane->device, cuStreamCreate, &lane->stream, CU_STREAM_NON_BLOCKING) &&
         BENCH_CALL(lane->device, cuMemHostAlloc, (gpointer *)&lane->host, bytes, 0) &&
         BENCH_CALL(lane->device, cuMemAlloc, &lane->memory, bytes);
}

static gboolean
close_lane(Lane *lane, guint frame, GError **error) {
  const CcCudaDriver *cuda = lane->device->cuda;
  if (lane->memory)
    cuda->cuMemFree(lane->memory);
  if (lane->host)
    cuda->cuMemFreeHost(lane->host);
  if (lane->stream)
    cuda->cuStreamDestroy(lane->stream);
  return TRUE;
}

static gboolean
queue_frame(Lane *lane, guint frame, GError **error) {
  const gsize at = frame % BUS_BUFFERS * align(lane->bytes, BUS_ALIGNMENT);
  return lane->up ? BENCH_CALL(lane->device, cuMemcpyHtoDAsync, lane->memory + at, lane->host + at,
                               lane->bytes, lane->stream)
                  : BENCH_CALL(lane->device, cuMemcpyDtoHAsync, lane->host + at, lane->memory + at,
                               lane->bytes, lane->stream);
}

static gboolean
wait_for_lane(Lane *lane, guint frame, GError **error) {
  return BENCH_CALL(lane->device, cuStreamSynchronize, lane->stream);
}

/* A BenchBatch. Copies `n_frames` for each device. *us is the wall time divided by the number of
 * devices. */
static gboolean
run_bus_batch(gpointer data, guint n_frames, gdouble *us, GError **error) {
  Bus *self = data;
  const gint64 begin = g_get_monotonic_time();
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < n_frames; i++, self->frame++)
    ok = for_each_lane(self, queue_frame, error);
  ok = for_each_lane(self, wait_for_lane, ok ? error : NULL) && ok;
  *us = (gdouble)MAX(g_get_monotonic_time() - begin, 1) / self->n_devices;
  return ok;
}

gboolean
bench_bus_measure(CcCudaDevice **devices, guint n_devices, gsize up, gsize down, gdouble budget_ms,
                  BenchTime *time, GError **error) {
  g_autoptr(GArray) lanes = g_array_new(FALSE, FALSE, sizeof(Lane));
  Bus self = {lanes, n_devices, 0};
  for (guint i = 0; i < 2 * n_devices; i++) {
    const Lane lane = {.device = devices[i / 2], .up = i % 2 == 0, .bytes = i % 2 ? down : up};
    if (lane.bytes > 0)
      g_array_append_val(lanes, lane);
  }
  const gboolean ok =
      for_each_lane(&self, open_lane, error) &&
      bench_time_batches(run_bus_batch, &self, MAX_QUEUED, budget_ms / n_devices, time, error);
  for_each_lane(&self, close_lane, NULL);
  if (ok)
    time->n_frames *= n_devices;
  return ok;
}
