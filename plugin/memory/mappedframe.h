/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Maps GstBuffers as the engine's planes. */

#include <gst/video/video.h>
#include "domain.h"

G_BEGIN_DECLS

/* A mapped buffer as planes. */
typedef struct {
  CcMaps maps;
  /* copies: of planes that the engine cannot read in place, and of a whole memory that could not be
   * mapped */
  gpointer repacked[CC_MAX_PLANES], copy;
  CcFrame frame;
  const gchar *path; /* how a device accesses it, for people; static */
} CcMappedFrame;

/* Whether a buffer holds a frame of these caps. CC_ERROR_INVALID if its GstVideoMeta contradicts
 * them or a plane reaches outside of the buffer. The size of the GstVideoMeta may be larger than
 * that of the caps. Does not access the memory of the buffer. */
gboolean cc_buffer_check(GstBuffer *buffer, const GstVideoInfo *info, const CcFrameLayout *layout,
                         GError **error);

/* Maps a buffer with these caps, which must outlive the map, as memory of the first domain that
 * maps it. Strides and offsets come from its GstVideoMeta, if any. Fails without a map if
 * cc_buffer_check fails, if the memory cannot be mapped (CC_ERROR_INVALID, for device memory
 * CC_ERROR_DEVICE), or if there is not enough memory for a copy (CC_ERROR_NO_MEMORY). */
gboolean cc_mapped_frame_map(CcMappedFrame *self, GstBuffer *buffer, const GstVideoInfo *info,
                             const CcFrameLayout *layout, GstMapFlags flags, CcDevice *device,
                             GError **error);
void cc_mapped_frame_unmap(CcMappedFrame *self);

/* The first component in a plane. */
gint cc_plane_component(const GstVideoInfo *info, guint p);

/* Whether the size of the caps is that of the buffer's GstVideoCropMeta instead of the whole frame
 * in memory. Only the area of the crop is then mapped. */
gboolean cc_buffer_is_cropped(GstBuffer *buffer, const GstVideoInfo *info);

G_END_DECLS
