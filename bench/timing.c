/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "timing.h"

#include <math.h>

#define ALIGNMENT 256
#define CACHES 4               /* L2 sizes that the buffers of each direction make up */
#define RANDOM_BYTES (1 << 24) /* made on the host and uploaded as often as it takes */
#define MAX_LAUNCHES 400       /* of a batch: fewer than the driver queues before the host waits */
#define MAX_SWEEPS 100
#define HEAD_START 1.5 /* by how much the head start outlasts the queueing */

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
  if (self->end) { /* the last that is opened */
    self->cuda->cuStreamSynchronize(self->stream);
    for (guint i = 0; i < G_N_ELEMENTS(memory); i++)
      self->cuda->cuMemFree(memory[i]); /* 0 is none */
    self->cuda->cuEventDestroy(self->begin);
    self->cuda->cuEventDestroy(self->end);
    self->cuda->cuStreamDestroy(self->stream);
  }
  cc_cuda_device_pop(self->device);
  cc_cuda_device_close(self->device);
}

static gsize
aligned(gsize bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
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

/* A copy of all that both arenas have room for. */
static gboolean
queue_sweep(const BenchTimer *self, GError **error) {
  return BENCH_CALL(self, cuMemcpyDtoDAsync, self->dst.address, self->src.address,
                    MIN(self->src.bytes, self->dst.bytes), self->stream);
}

/* Waits for what lies between the two events, which have been recorded. */
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

gboolean
bench_timer_reserve(BenchTimer *self, gsize src_bytes, gsize dst_bytes, gsize scratch_bytes,
                    GError **error) {
  const gsize least = CACHES * self->l2_bytes, before = self->src.bytes + self->dst.bytes;
  if (!grow_arena(self, &self->src, MAX(least, 2 * aligned(src_bytes)), error) ||
      !grow_arena(self, &self->dst, MAX(least, 2 * aligned(dst_bytes)), error) ||
      !grow_arena(self, &self->scratch, scratch_bytes, error))
    return FALSE;
  return self->src.bytes + self->dst.bytes == before ||
         (fill_with_random(self, error) && time_sweep(self, error));
}

/* A BenchBatch. Copies queued first keep the device busy while the host queues the frames, so that
 * it is the device that is measured even where a launch costs the host more than a frame takes. */
static gboolean
run_batch(gpointer data, guint n_frames, gdouble *us, GError **error) {
  BenchTimer *self = data;
  const BenchWork *work = self->work;
  const gsize src_bytes = aligned(work->src_bytes), dst_bytes = aligned(work->dst_bytes);
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
    if (!work->queue(work, self, self->src.address + self->frame % n_src * src_bytes,
                     self->dst.address + self->frame % n_dst * dst_bytes, self->scratch.address,
                     error))
      return FALSE;
  if (!BENCH_CALL(self, cuEventRecord, self->end, self->stream))
    return FALSE;
  self->host_us = (gdouble)MAX(g_get_monotonic_time() - begin, 1) / n_frames;
  return wait_for_events(self, us, error);
}

gboolean
bench_time_work(BenchTimer *self, const BenchWork *work, BenchTime *time, GError **error) {
  const guint most_frames = MAX(MAX_LAUNCHES / MAX(work->n_launches, 1), 1);
  self->work = work;
  self->host_us = 0;
  *time = (BenchTime){0};
  const gboolean ok =
      bench_timer_reserve(self, work->src_bytes, work->dst_bytes, work->scratch_bytes, error) &&
      (self->once ? work->queue(work, self, self->src.address, self->dst.address,
                                self->scratch.address, error) &&
                        BENCH_CALL(self, cuStreamSynchronize, self->stream)
                  : bench_time_batches(run_batch, self, most_frames, self->budget_ms, time, error));
  if (!ok)
    self->cuda->cuStreamSynchronize(self->stream);
  return ok;
}
