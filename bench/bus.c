/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bus.h"

#define MAX_BATCHES 9
#define MIN_BATCHES 3
#define MAX_FRAMES 400 /* of a batch: fewer copies than the driver queues before one waits */

typedef gboolean (*EndCall)(BenchBus *self, BenchBusEnd *end, GError **error);

/* Runs `call` for every device, with that one current. */
static gboolean
for_each_end(BenchBus *self, EndCall call, GError **error) {
  for (BenchBusEnd *end = self->end; end < self->end + self->n_ends; end++) {
    if (!cc_cuda_device_push(end->device, error))
      return FALSE;
    const gboolean ok = call(self, end, error);
    cc_cuda_device_pop(end->device);
    if (!ok)
      return FALSE;
  }
  return TRUE;
}

static gboolean
open_streams(BenchBus *self, BenchBusEnd *end, GError **error) {
  return BENCH_CALL(self, cuStreamCreate, &end->stream[0], CU_STREAM_NON_BLOCKING) &&
         BENCH_CALL(self, cuStreamCreate, &end->stream[1], CU_STREAM_NON_BLOCKING);
}

gboolean
bench_bus_open(BenchBus *self, const gint *device_ids, guint n_devices, GError **error) {
  *self = (BenchBus){.end = g_new0(BenchBusEnd, n_devices)};
  for (; self->n_ends < n_devices; self->n_ends++) {
    CcCudaDevice *device = cc_cuda_device_open(device_ids[self->n_ends], error);
    if (!device)
      return FALSE;
    self->end[self->n_ends].device = device;
    self->cuda = device->cuda;
  }
  return for_each_end(self, open_streams, error);
}

static gboolean
close_streams(BenchBus *self, BenchBusEnd *end, GError **error) {
  for (guint i = 0; i < 2; i++)
    if (end->stream[i])
      self->cuda->cuStreamDestroy(end->stream[i]);
  return TRUE;
}

void
bench_bus_close(BenchBus *self) {
  for_each_end(self, close_streams, NULL);
  for (guint i = 0; i < self->n_ends; i++)
    cc_cuda_device_close(self->end[i].device);
  g_free(self->end);
  *self = (BenchBus){0};
}

static gboolean
add_free(BenchBus *self, BenchBusEnd *end, GError **error) {
  gsize here = 0, all;
  if (self->cuda->cuMemGetInfo)
    self->cuda->cuMemGetInfo(&here, &all);
  self->free_bytes += here;
  return TRUE;
}

gsize
bench_bus_get_free(BenchBus *self) {
  self->free_bytes = 0;
  return for_each_end(self, add_free, NULL) ? self->free_bytes : 0;
}

/* --- copies --- */

static gboolean
alloc_buffers(BenchBus *self, BenchBusEnd *end, GError **error) {
  for (guint way = 0; way < 2; way++)
    for (guint i = 0; self->bytes[way] > 0 && i < BENCH_BUS_BUFFERS; i++)
      if (!BENCH_CALL(self, cuMemHostAlloc, &end->host[way][i], self->bytes[way], 0) ||
          !BENCH_CALL(self, cuMemAlloc, &end->memory[way][i], self->bytes[way]))
        return FALSE;
  return TRUE;
}

static gboolean
free_buffers(BenchBus *self, BenchBusEnd *end, GError **error) {
  for (guint n = 0; n < 2 * BENCH_BUS_BUFFERS; n++) {
    const guint way = n % 2, i = n / 2;
    if (end->host[way][i])
      self->cuda->cuMemFreeHost(end->host[way][i]);
    if (end->memory[way][i])
      self->cuda->cuMemFree(end->memory[way][i]);
  }
  return TRUE;
}

static gboolean
queue_frame(BenchBus *self, BenchBusEnd *end, GError **error) {
  const guint i = self->frame % BENCH_BUS_BUFFERS;
  return (!self->bytes[0] || BENCH_CALL(self, cuMemcpyHtoDAsync, end->memory[0][i], end->host[0][i],
                                        self->bytes[0], end->stream[0])) &&
         (!self->bytes[1] || BENCH_CALL(self, cuMemcpyDtoHAsync, end->host[1][i], end->memory[1][i],
                                        self->bytes[1], end->stream[1]));
}

static gboolean
wait_for_end(BenchBus *self, BenchBusEnd *end, GError **error) {
  return BENCH_CALL(self, cuStreamSynchronize, end->stream[0]) &&
         BENCH_CALL(self, cuStreamSynchronize, end->stream[1]);
}

/* Copies `n_frames` for each device; *us is the time of one frame of one device. */
static gboolean
run_batch(BenchBus *self, guint n_frames, gdouble *us, GError **error) {
  const gint64 begin = g_get_monotonic_time();
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < n_frames; i++, self->frame++)
    ok = for_each_end(self, queue_frame, error);
  ok = for_each_end(self, wait_for_end, ok ? error : NULL) && ok;
  *us = (gdouble)MAX(g_get_monotonic_time() - begin, 1) / n_frames / self->n_ends;
  return ok;
}

static gboolean
time_batches(BenchBus *self, gdouble budget_us, BenchTime *time, GError **error) {
  gdouble us[MAX_BATCHES];
  /* these warm up and tell how many frames make a batch */
  if (!run_batch(self, 2 * BENCH_BUS_BUFFERS, &us[0], error))
    return FALSE;
  const gdouble frame_us = us[0] * self->n_ends;
  const guint n_frames = (guint)CLAMP(budget_us / MAX_BATCHES / frame_us, 1, MAX_FRAMES);
  const guint n_batches = (guint)CLAMP(budget_us / frame_us, MIN_BATCHES, MAX_BATCHES) | 1;
  for (guint i = 0; i < n_batches; i++)
    if (!run_batch(self, n_frames, &us[i], error))
      return FALSE;
  *time = bench_summarize(us, n_batches);
  time->n_frames = n_frames * self->n_ends;
  return TRUE;
}

gboolean
bench_bus_measure(BenchBus *self, gsize up, gsize down, gdouble budget_ms, BenchTime *time,
                  GError **error) {
  self->bytes[0] = up;
  self->bytes[1] = down;
  const gboolean ok =
      for_each_end(self, alloc_buffers, error) && time_batches(self, 1000 * budget_ms, time, error);
  for_each_end(self, free_buffers, NULL);
  return ok;
}
