/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bus.h"

#include "engine/error.h"

#define N_BUFFERS 4 /* of each direction, used in turns */
#define MAX_BATCHES 9
#define MIN_BATCHES 3
#define MAX_FRAMES 400 /* of a batch: fewer copies than the driver queues before one waits */

/* What one device copies. */
typedef struct {
  gpointer host[2][N_BUFFERS];
  CUdeviceptr device[2][N_BUFFERS];
} Buffers;

/* --- devices --- */

static gboolean
open_end(const BenchBus *self, BenchBusEnd *end, GError **error) {
  if (!cc_cuda_device_push(end->device, error))
    return FALSE;
  const gboolean ok = BENCH_CALL(self, cuStreamCreate, &end->up, CU_STREAM_NON_BLOCKING) &&
                      BENCH_CALL(self, cuStreamCreate, &end->down, CU_STREAM_NON_BLOCKING);
  cc_cuda_device_pop(end->device);
  return ok;
}

gboolean
bench_bus_open(BenchBus *self, const gint *device_ids, guint n_devices, GError **error) {
  *self = (BenchBus){.end = g_new0(BenchBusEnd, n_devices)};
  for (; self->n_ends < n_devices; self->n_ends++) {
    BenchBusEnd *end = &self->end[self->n_ends];
    end->device = cc_cuda_device_open(device_ids[self->n_ends], error);
    if (!end->device)
      return FALSE;
    self->cuda = end->device->cuda;
    if (!open_end(self, end, error)) {
      self->n_ends++;
      return FALSE;
    }
  }
  return TRUE;
}

static void
close_end(const BenchBus *self, BenchBusEnd *end) {
  if (cc_cuda_device_push(end->device, NULL)) {
    if (end->up)
      self->cuda->cuStreamDestroy(end->up);
    if (end->down)
      self->cuda->cuStreamDestroy(end->down);
    cc_cuda_device_pop(end->device);
  }
  cc_cuda_device_close(end->device);
}

void
bench_bus_close(BenchBus *self) {
  for (guint i = 0; i < self->n_ends; i++)
    close_end(self, &self->end[i]);
  g_free(self->end);
  *self = (BenchBus){0};
}

/* Runs `call` for every device, with that one current. */
typedef gboolean (*EndCall)(const BenchBus *self, guint end, gpointer data, GError **error);

static gboolean
for_each_end(const BenchBus *self, EndCall call, gpointer data, GError **error) {
  for (guint i = 0; i < self->n_ends; i++) {
    if (!cc_cuda_device_push(self->end[i].device, error))
      return FALSE;
    const gboolean ok = call(self, i, data, error);
    cc_cuda_device_pop(self->end[i].device);
    if (!ok)
      return FALSE;
  }
  return TRUE;
}

/* Adds the device's free memory to *total, a gsize. */
static gboolean
add_free(const BenchBus *self, guint end, gpointer total, GError **error) {
  gsize here, all;
  if (!BENCH_CALL(self, cuMemGetInfo, &here, &all))
    return FALSE;
  *(gsize *)total += here;
  return TRUE;
}

gboolean
bench_bus_get_free(const BenchBus *self, gsize *bytes, GError **error) {
  *bytes = 0;
  if (!self->cuda->cuMemGetInfo) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "the driver has no cuMemGetInfo");
    return FALSE;
  }
  return for_each_end(self, add_free, bytes, error);
}

/* --- copies --- */

typedef struct {
  gsize bytes[2]; /* up, down */
  Buffers *buffers;
  guint frame;
} Copies;

static gboolean
alloc_for_end(const BenchBus *self, guint end, gpointer data, GError **error) {
  const Copies *copies = data;
  Buffers *b = &copies->buffers[end];
  for (guint direction = 0; direction < 2; direction++) {
    const gsize bytes = copies->bytes[direction];
    for (guint i = 0; bytes > 0 && i < N_BUFFERS; i++)
      if (!BENCH_CALL(self, cuMemHostAlloc, &b->host[direction][i], bytes, 0) ||
          !BENCH_CALL(self, cuMemAlloc, &b->device[direction][i], bytes))
        return FALSE;
  }
  return TRUE;
}

static gboolean
free_for_end(const BenchBus *self, guint end, gpointer data, GError **error) {
  const Copies *copies = data;
  const Buffers *b = &copies->buffers[end];
  for (guint direction = 0; direction < 2; direction++)
    for (guint i = 0; i < N_BUFFERS; i++) {
      if (b->host[direction][i])
        self->cuda->cuMemFreeHost(b->host[direction][i]);
      if (b->device[direction][i])
        self->cuda->cuMemFree(b->device[direction][i]);
    }
  return TRUE;
}

static gboolean
queue_for_end(const BenchBus *self, guint end, gpointer data, GError **error) {
  const Copies *copies = data;
  const Buffers *b = &copies->buffers[end];
  const guint i = copies->frame % N_BUFFERS;
  return (!copies->bytes[0] || BENCH_CALL(self, cuMemcpyHtoDAsync, b->device[0][i], b->host[0][i],
                                          copies->bytes[0], self->end[end].up)) &&
         (!copies->bytes[1] || BENCH_CALL(self, cuMemcpyDtoHAsync, b->host[1][i], b->device[1][i],
                                          copies->bytes[1], self->end[end].down));
}

static gboolean
wait_for_end(const BenchBus *self, guint end, gpointer data, GError **error) {
  return BENCH_CALL(self, cuStreamSynchronize, self->end[end].up) &&
         BENCH_CALL(self, cuStreamSynchronize, self->end[end].down);
}

/* Copies `n_frames` for each device; *us is the time of one frame of one device. */
static gboolean
run_batch(const BenchBus *self, Copies *copies, guint n_frames, gdouble *us, GError **error) {
  const gint64 begin = g_get_monotonic_time();
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < n_frames; i++, copies->frame++)
    ok = for_each_end(self, queue_for_end, copies, error);
  ok = for_each_end(self, wait_for_end, copies, ok ? error : NULL) && ok;
  *us = (gdouble)MAX(g_get_monotonic_time() - begin, 1) / n_frames / self->n_ends;
  return ok;
}

static gboolean
time_batches(const BenchBus *self, Copies *copies, gdouble budget_us, BenchTime *time,
             GError **error) {
  gdouble us[MAX_BATCHES];
  /* these warm up and tell how many frames make a batch */
  if (!run_batch(self, copies, 2 * N_BUFFERS, &us[0], error))
    return FALSE;
  const gdouble frame_us = us[0] * self->n_ends;
  const guint n_frames = (guint)CLAMP(budget_us / MAX_BATCHES / frame_us, 1, MAX_FRAMES);
  const guint n_batches = (guint)CLAMP(budget_us / frame_us, MIN_BATCHES, MAX_BATCHES) | 1;
  for (guint i = 0; i < n_batches; i++)
    if (!run_batch(self, copies, n_frames, &us[i], error))
      return FALSE;
  *time = bench_summarize(us, n_batches);
  time->n_frames = n_frames * self->n_ends;
  return TRUE;
}

gboolean
bench_bus_measure(const BenchBus *self, gsize up, gsize down, gdouble budget_ms, BenchTime *time,
                  GError **error) {
  g_autofree Buffers *buffers = g_new0(Buffers, self->n_ends);
  Copies copies = {.bytes = {up, down}, .buffers = buffers};
  const gboolean ok = for_each_end(self, alloc_for_end, &copies, error) &&
                      time_batches(self, &copies, 1000 * budget_ms, time, error);
  for_each_end(self, free_for_end, &copies, NULL);
  return ok;
}
