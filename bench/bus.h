/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The buses between the host's memory and some devices, and how many frames they carry. */

#include "common.h"

G_BEGIN_DECLS

typedef struct {
  CcCudaDevice *device;
  CUstream up, down;
} BenchBusEnd;

typedef struct {
  const CcCudaDriver *cuda;
  BenchBusEnd *end;
  guint n_ends;
} BenchBus;

/* Opens these devices, which stay open until bench_bus_close, also after a failure. */
gboolean bench_bus_open(BenchBus *self, const gint *device_ids, guint n_devices, GError **error);
void bench_bus_close(BenchBus *self);

/* Copies frames of `up` bytes to every device and of `down` bytes from every device, all at once,
 * in pinned memory, by the wall clock; 0 for not in this direction. The time is that of one frame,
 * over all devices together. */
gboolean bench_bus_measure(const BenchBus *self, gsize up, gsize down, gdouble budget_ms,
                           BenchTime *time, GError **error);

/* Free memory of all devices together, in bytes. CC_ERROR_UNAVAILABLE when the driver does not
 * tell. */
gboolean bench_bus_get_free(const BenchBus *self, gsize *bytes, GError **error);

G_END_DECLS
