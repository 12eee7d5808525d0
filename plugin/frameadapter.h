/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From GStreamer's buffers to the engine's planes. */

#include <gst/video/video.h>
#include "engine/device.h"
#include "engine/frame.h"

G_BEGIN_DECLS

/* One buffer, mapped, as planes. */
typedef struct {
  GstBuffer *buffer;
  guint n_maps;
  GstMapInfo map[CC_MAX_PLANES];
  gpointer
      repacked[CC_MAX_PLANES]; /* own copies of planes that the engine could not read in place */
  CcFrame frame;
  const gchar *path; /* how a device reads or writes it, for people; static */
} CcMappedFrame;

/* Maps a buffer with these caps, with a new reference to it. Strides and offsets come from its
 * GstVideoMeta where it has one. With a device, CUDA memory is mapped as such and system memory is
 * pinned if it can be; without, all is mapped as system memory. CC_ERROR_INVALID, and nothing
 * mapped, when the meta contradicts the caps or a plane reaches outside the buffer. */
gboolean cc_mapped_frame_map(CcMappedFrame *self, GstBuffer *buffer, const GstVideoInfo *info,
                             const CcFrameLayout *layout, GstMapFlags flags, CcDevice *device,
                             GError **error);
void cc_mapped_frame_unmap(CcMappedFrame *self);

/* Whether the caps tell the size of the buffer's GstVideoCropMeta and not that of the whole picture
 * in memory. Only what is inside the crop is then mapped. */
gboolean cc_buffer_is_cropped(GstBuffer *buffer, const GstVideoInfo *info);

G_END_DECLS
