/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pinned (page-locked) system memory, which a device accesses directly. It comes from our own
 * allocator, or from another allocator and is registered (pinned in place). */

#include <gst/gst.h>
#include "engine/run/device.h"

G_BEGIN_DECLS

/* Makes an allocator of pinned memory. If memory cannot be pinned, the allocator returns ordinary
 * system memory. If the size with prefix and padding overflows a gsize, the allocator returns NULL.
 * Memory from the allocator holds a reference to the device. */
GstAllocator *cc_pinned_allocator_new(CcDevice *device);

/* Releases the allocator's reference to the device. Memory that is allocated afterwards is not
 * pinned. This function is needed because other elements may keep the allocator longer than the
 * device is used, some of them forever. */
void cc_pinned_allocator_close(GstAllocator *allocator);

typedef enum {
  CC_PINNING_OWN,       /* pinned: allocated by a pinned allocator */
  CC_PINNING_IN_PLACE,  /* pinned: registered in place */
  CC_PINNING_REGION,    /* the device accesses only regions: copying them costs less */
  CC_PINNING_FIRST,     /* seen for the first time; registering does not pay off for one use */
  CC_PINNING_SMALL,     /* too small: copying costs less than registering */
  CC_PINNING_KIND,      /* not plain system memory: the address may change after an unmap */
  CC_PINNING_LIMIT,     /* the limit is reached; tried again after memory was released */
  CC_PINNING_NO_MEMORY, /* the driver is out of memory; tried again as with LIMIT */
  CC_PINNING_REFUSED,   /* the driver refused, for example because the memory is read-only */
} CcPinning;

/* Returns whether a mapped memory is pinned. Memory from other allocators is registered here, if
 * `may_pin` and if possible, when it is seen for the second time. It stays registered until it is
 * freed. Registering costs less than copying every frame, but more than copying one frame.
 * Therefore memory that is used only once is not registered. Pinned memory is pinned for all
 * devices. Any thread. */
CcPinning cc_pinning_look_up(const GstMapInfo *map, CcDevice *device, gboolean may_pin);

gboolean cc_pinning_is_pinned(CcPinning pinning);

/* The text for the log and for `stats`, for example "registered" or "staged: ...". */
const gchar *cc_pinning_describe(CcPinning pinning);

/* The number of bytes that are now registered in this process, and its limit. The limit is the
 * environment variable CUDACONV_REGISTERED_LIMIT if set, else a quarter of the machine's memory. */
guint64 cc_pinning_registered_bytes(void);
guint64 cc_pinning_limit(void);

G_END_DECLS
