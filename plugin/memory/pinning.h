/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Page-locked system memory, which a device accesses directly: memory of our own allocator, and
 * memory of others that is registered (locked in place). */

#include <gst/gst.h>
#include "engine/run/device.h"

G_BEGIN_DECLS

/* Makes an allocator of pinned memory. If memory cannot be pinned, the allocator returns ordinary
 * system memory. If the size with prefix and padding overflows a gsize, it returns NULL. Its memory
 * keeps the device alive. */
GstAllocator *cc_pinned_allocator_new(CcDevice *device);

/* Releases the device. Memory that is allocated from now on is not pinned. Other elements may keep
 * the allocator longer than it is useful, some of them forever. */
void cc_pinned_allocator_close(GstAllocator *allocator);

/* Whether and how a memory is pinned, or why it is not. */
typedef enum {
  CC_PINNING_OWN,       /* from a pinned allocator */
  CC_PINNING_IN_PLACE,  /* registered in place */
  CC_PINNING_FIRST,     /* seen for the first time; it may never come back */
  CC_PINNING_SMALL,     /* too small: a copy costs less */
  CC_PINNING_KIND,      /* not plain system memory: its address may change after an unmap */
  CC_PINNING_LIMIT,     /* the limit is reached; tried again after others were released */
  CC_PINNING_NO_MEMORY, /* the driver is out of memory; tried again likewise */
  CC_PINNING_REFUSED,   /* the driver refused: read-only memory, or memory of a device */
} CcPinning;

/* Looks up a mapped memory. Memory of others is registered when it is seen for the second time, and
 * stays registered until it is freed. Registering costs less than a copy for each frame, but more
 * than a single copy of memory that never comes back. Pinned memory is pinned for all devices. Any
 * thread. */
CcPinning cc_pinning_look_up(const GstMapInfo *map, CcDevice *device);

/* Whether the result means that the memory is pinned. */
gboolean cc_pinning_is_pinned(CcPinning pinning);

/* The text for the log and for statistics: "registered", "staged: ..." */
const gchar *cc_pinning_describe(CcPinning pinning);

/* The bytes registered now in this process, and their limit: a quarter of the machine's memory, or
 * the value of the environment variable CUDACONV_REGISTERED_LIMIT. */
guint64 cc_pinning_registered_bytes(void);
guint64 cc_pinning_limit(void);

G_END_DECLS
