/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Page-locked system memory, which a device reads and writes directly: memory of an allocator of
 * our own, and memory of others that is locked in place. */

#include <gst/gst.h>
#include "engine/run/device.h"

G_BEGIN_DECLS

/* An allocator of pinned memory. What it cannot pin is ordinary system memory, and what is more
 * than a gsize counts, prefix and padding included, is NULL. Its memory keeps the device alive. */
GstAllocator *cc_pinned_allocator_new(CcDevice *device);

/* Lets go of the device; what is allocated from now on is not pinned. Others may keep the allocator
 * for longer than it is of use, and some never let go of it. */
void cc_pinned_allocator_close(GstAllocator *allocator);

/* How a memory got pinned, or why it is not. */
typedef enum {
  CC_PINNING_OWN,      /* it comes from an allocator as above */
  CC_PINNING_IN_PLACE, /* it was registered where it is */
  CC_PINNING_FIRST,    /* seen for the first time: it may never come back */
  CC_PINNING_SMALL,    /* so small that a copy costs less */
  CC_PINNING_KIND,     /* not plain system memory: its address may be gone after an unmap */
  CC_PINNING_LIMIT,    /* too much is registered already; tried again when others gave room back */
  CC_PINNING_NO_ROOM,  /* the driver is out of memory; tried again likewise */
  CC_PINNING_REFUSED,  /* the driver refused it: read-only, or of a device */
} CcPinning;

/* Looks a mapped memory up. Memory of others is registered when it is seen for the second time, and
 * stays so until it is freed: that costs less than a copy, but more than a copy when the memory
 * never comes back. Pinned memory is pinned for all devices. Any thread. */
CcPinning cc_pinning_look_up(const GstMapInfo *map, CcDevice *device);

/* Whether this says that the memory is pinned. */
gboolean cc_pinning_is_pinned(CcPinning pinning);

/* The words for it in the log and in statistics: "registered", "staged: ..." */
const gchar *cc_pinning_describe(CcPinning pinning);

/* Bytes registered now in this process, and how many there may be: a quarter of the memory of the
 * machine, or what the environment variable CUDACONV_REGISTERED_LIMIT says. */
guint64 cc_pinning_registered_bytes(void);
guint64 cc_pinning_limit(void);

G_END_DECLS
