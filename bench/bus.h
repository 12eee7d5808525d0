/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The buses between the host's memory and some devices, and how many frames they carry. */

#include "common.h"

G_BEGIN_DECLS

#define BENCH_BUS_BUFFERS 4 /* of each direction, used in turns */

/* One device; of two, the first is for the way up, the second for the way down. */
typedef struct {
  CcCudaDevice *device;
  CUstream stream[2];
  gpointer host[2][BENCH_BUS_BUFFERS];
  CUdeviceptr memory[2][BENCH_BUS_BUFFERS];
} BenchBusEnd;

typedef struct {
  const CcCudaDriver *cuda;
  BenchBusEnd *end;
  guint n_ends;
  gsize bytes[2]; /* of a frame; 0: not in this direction */
  guint frame;
  gsize free_bytes;
} BenchBus;

/* Opens these devices, which stay open until bench_bus_close, also after a failure. */
gboolean bench_bus_open(BenchBus *self, const gint *device_ids, guint n_devices, GError **error);
void bench_bus_close(BenchBus *self);

/* Copies frames of `up` bytes to every device and of `down` bytes from every device, all at once,
 * in pinned memory, by the wall clock; 0 for not in this direction. The time is that of one frame,
 * over all devices together. */
gboolean bench_bus_measure(BenchBus *self, gsize up, gsize down, gdouble budget_ms, BenchTime *time,
                           GError **error);

/* Free memory of all devices together, in bytes; 0 when the driver does not tell. */
gsize bench_bus_get_free(BenchBus *self);

G_END_DECLS
