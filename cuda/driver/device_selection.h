/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How busy each device is, for users that take any. A user is whoever opened a device; the lock of
 * all devices is held around each call. Numbers of devices are below `n`, as many as the driver
 * shows. Where it shows one device, nothing is asked or held. */

#include "driver.h"

G_BEGIN_DECLS

/* Adds a user to the device. */
void cc_busy_add(const CcCudaDriver *cuda, gint n, gint id);

/* Adds a user to the least busy of the devices that are not `refused`; its number, or -1 when all
 * are. The least busy one has the fewest users of this process, then the lowest slot that no
 * other process holds, then the least load in quarters, then the lowest number. */
gint cc_busy_add_any(const CcCudaDriver *cuda, gint n, const gboolean *refused);

/* Takes away a user of the device. */
void cc_busy_remove(gint id);

G_END_DECLS
