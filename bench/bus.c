/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bus.h"

#define BUFFERS 4      /* of each direction, used in turns */
#define ALIGNMENT 4096 /* of each */
#define MAX_FRAMES 400 /* of a batch: fewer copies than the driver queues before one waits */

/* One direction of one device. */
typedef struct {
  CcCudaDevice *device;
  gboolean up;
  gsize bytes; /* of a frame */
  CUstream stream;
  guint8 *host; /* BUFFERS frames, each aligned, and as much */
  CUdeviceptr memory;
} Lane;

typedef struct {
  GArray *lanes;
  guint n_devices;
  guint frame; /* copied so far */
} Bus;

typedef gboolean (*LaneCall)(Lane *lane, guint frame, GError **error);

/* Runs `call` for every lane, with its device current. */
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

static gsize
aligned_bytes(const Lane *lane) {
  return (lane->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static gboolean
open_lane(Lane *lane, guint frame, GError **error) {
  const gsize bytes = BUFFERS * aligned_bytes(lane);
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
  const gsize at = frame % BUFFERS * aligned_bytes(lane);
  return lane->up ? BENCH_CALL(lane->device, cuMemcpyHtoDAsync, lane->memory + at, lane->host + at,
                               lane->bytes, lane->stream)
                  : BENCH_CALL(lane->device, cuMemcpyDtoHAsync, lane->host + at, lane->memory + at,
                               lane->bytes, lane->stream);
}

static gboolean
wait_for_lane(Lane *lane, guint frame, GError **error) {
  return BENCH_CALL(lane->device, cuStreamSynchronize, lane->stream);
}

/* A BenchBatch: copies `n_frames` for each device; *us is the time of those of one device. */
static gboolean
run_batch(gpointer data, guint n_frames, gdouble *us, GError **error) {
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
      bench_time_batches(run_batch, &self, MAX_FRAMES, budget_ms / n_devices, time, error);
  for_each_lane(&self, close_lane, NULL);
  if (ok)
    time->n_frames *= n_devices;
  return ok;
}
