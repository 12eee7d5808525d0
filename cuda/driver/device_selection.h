/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device selection: counts the users of each device, to find the least busy device. A user is a
 * caller that opened a device. The caller must hold the lock of all devices. Device numbers are
 * below `n`, the number of devices that the driver lists. If `n` is 1, no load is queried and no
 * slot is held. */

#include "driver.h"

G_BEGIN_DECLS

/* Adds a user to the device. */
void cc_device_selection_add(const CcCudaDriver *cuda, gint n, gint id);

/* Adds a user to the least busy device that is not `refused`. Returns its number, or -1 if all are
 * refused. The least busy device has the fewest users in this process, then the lowest slot that no
 * other process holds, then the least load in quarters, then the lowest number. */
gint cc_device_selection_add_any(const CcCudaDriver *cuda, gint n, const gboolean *refused);

/* Removes a user of the device. */
void cc_device_selection_remove(gint id);

G_END_DECLS
