/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Buffers as faulty elements may send them: several memories, and a GstVideoMeta and
 * GstVideoCropMeta with any values. */

#include <gst/video/video.h>
#include "bytes.h"

typedef struct {
  GstBuffer *buffer; /* NULL after the caller took it */
  GstBuffer *other_reference;
  GstMemory *locked;
  /* contents and metas when the buffer was made */
  guint8 *content;
  gsize size;
  gboolean has_meta, has_crop;
  GstVideoMeta meta;
  GstVideoCropMeta crop;
} FuzzBuffer;

/* Makes a buffer for these caps as the bytes describe it. Without bytes the buffer is valid. It has
 * up to 5 memories with 64 KiB in all. Under AddressSanitizer the bytes around each memory must not
 * be read. */
void fuzz_buffer_take(FuzzBuffer *self, FuzzBytes *bytes, const GstVideoInfo *info);
void fuzz_buffer_clear(FuzzBuffer *self);

/* Whether the whole frame is inside the buffer at the location that the metas give. Computed with
 * integers that cannot overflow. */
gboolean fuzz_buffer_is_valid(const FuzzBuffer *self, const GstVideoInfo *info);

/* The bytes of one row of a valid buffer. */
const guint8 *fuzz_buffer_row(const FuzzBuffer *self, const GstVideoInfo *info, guint plane,
                              guint row);
