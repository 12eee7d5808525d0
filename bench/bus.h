/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How many frames the buses between the host's memory and some devices carry. */

#include "driver.h"

G_BEGIN_DECLS

/* Copies frames of `up` bytes to every device and of `down` bytes from every device, all at once,
 * in pinned memory, by the wall clock; 0 for not in this direction. The time is that of one frame,
 * over all devices together. */
gboolean bench_bus_measure(CcCudaDevice **devices, guint n_devices, gsize up, gsize down,
                           gdouble budget_ms, BenchTime *time, GError **error);

G_END_DECLS
