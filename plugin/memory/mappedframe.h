/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* GStreamer's buffers, mapped as the engine's planes. */

#include <gst/video/video.h>
#include "domain.h"

G_BEGIN_DECLS

/* One buffer, mapped, as planes. */
typedef struct {
  CcMaps maps;
  /* own copies: of planes that the engine could not read in place, and of all of a memory that
   * could not be mapped */
  gpointer repacked[CC_MAX_PLANES], copy;
  CcFrame frame;
  const gchar *path; /* how a device reads or writes it, for people; static */
} CcMappedFrame;

/* Whether a buffer holds a frame of these caps: CC_ERROR_INVALID when its GstVideoMeta contradicts
 * them or a plane reaches outside the buffer. The GstVideoMeta may be larger than the caps. Touches
 * no memory of the buffer. */
gboolean cc_buffer_check(GstBuffer *buffer, const GstVideoInfo *info, const CcFrameLayout *layout,
                         GError **error);

/* Maps a buffer with these caps, which has to outlive the map, as memory of the first domain that
 * maps it. Strides and offsets come from its GstVideoMeta where it has one. Nothing is mapped when
 * cc_buffer_check fails, the memory cannot be mapped (CC_ERROR_INVALID, or of a device
 * CC_ERROR_DEVICE) or there is none for a copy (CC_ERROR_NO_MEMORY). */
gboolean cc_mapped_frame_map(CcMappedFrame *self, GstBuffer *buffer, const GstVideoInfo *info,
                             const CcFrameLayout *layout, GstMapFlags flags, CcDevice *device,
                             GError **error);
void cc_mapped_frame_unmap(CcMappedFrame *self);

/* The first component that lies in a plane. */
gint cc_plane_component(const GstVideoInfo *info, guint p);

/* Whether the caps tell the size of the buffer's GstVideoCropMeta and not that of the whole picture
 * in memory. Only what is inside the crop is then mapped. */
gboolean cc_buffer_is_cropped(GstBuffer *buffer, const GstVideoInfo *info);

G_END_DECLS
