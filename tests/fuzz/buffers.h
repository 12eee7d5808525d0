/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Buffers as bad neighbours send them: memory in pieces, a GstVideoMeta and a GstVideoCropMeta that
 * say anything. */

#include <gst/video/video.h>
#include "bytes.h"

typedef struct {
  GstBuffer *buffer; /* for whoever takes it */
  GstBuffer *other_reference;
  GstMemory *locked;
  /* what it said before somebody could change it */
  guint8 *content;
  gsize size;
  gboolean has_meta, has_crop;
  GstVideoMeta meta;
  GstVideoCropMeta crop;
} FuzzBuffer;

/* A buffer for pictures with these caps, as the bytes describe it; a right one where they say
 * nothing. Up to 5 memories of up to 64 KiB in all, with nothing around them that may be read where
 * AddressSanitizer looks. */
void fuzz_buffer_take(FuzzBuffer *self, FuzzBytes *bytes, const GstVideoInfo *info);
void fuzz_buffer_clear(FuzzBuffer *self);

/* Whether the picture is in the buffer, whole, where the metas say; computed with integers that
 * nothing overflows. */
gboolean fuzz_buffer_is_right(const FuzzBuffer *self, const GstVideoInfo *info);

/* The bytes of one row of a right buffer. */
const guint8 *fuzz_buffer_row(const FuzzBuffer *self, const GstVideoInfo *info, guint plane,
                              guint row);
