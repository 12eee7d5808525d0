/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Maps GstBuffers as the engine's planes. */

#include <gst/video/video.h>
#include "domain.h"

G_BEGIN_DECLS

typedef struct {
  CcMaps maps;
  /* repacked: copies of planes that the engine cannot read in place, else NULL. copy: copy of a
   * whole memory that could not be mapped, else NULL. */
  gpointer repacked[CC_MAX_PLANES], copy;
  CcFrame frame;
  const gchar *path; /* text for `stats`: how a device accesses the frame; static */
} CcMappedFrame;

/* Whether a buffer holds a frame with the caps of `info`. CC_ERROR_INVALID if the buffer's
 * GstVideoMeta or GstVideoCropMeta contradicts the caps, or if a plane reaches outside of the
 * buffer. The GstVideoMeta
 * may have a larger size than the caps. Does not access the memory of the buffer. */
gboolean cc_buffer_check(GstBuffer *buffer, const GstVideoInfo *info, const CcFrameLayout *layout,
                         GError **error);

/* Maps a buffer with the caps of `info`, as memory of the first domain that accepts it. The buffer
 * must outlive the map. Strides and offsets come from the GstVideoMeta, if the buffer has one. If
 * the function fails, nothing stays mapped. It fails if cc_buffer_check fails, if the memory can be
 * neither mapped nor copied (CC_ERROR_INVALID, or CC_ERROR_DEVICE for device memory), if the engine
 * cannot use the layout of the rows (CC_ERROR_INVALID), or if memory for repacked planes is missing
 * (CC_ERROR_NO_MEMORY). `may_pin`: memory of other allocators may be pinned, which pays off only if
 * the device accesses the whole frame. */
gboolean cc_mapped_frame_map(CcMappedFrame *self, GstBuffer *buffer, const GstVideoInfo *info,
                             const CcFrameLayout *layout, GstMapFlags flags, CcDevice *device,
                             gboolean may_pin, GError **error);
void cc_mapped_frame_unmap(CcMappedFrame *self);

/* The index of the first component in plane `p`. */
gint cc_plane_component(const GstVideoInfo *info, guint p);

/* Whether the caps have the size of the buffer's GstVideoCropMeta, and not of the whole frame in
 * memory. If so, only the area of the crop is mapped. */
gboolean cc_buffer_is_cropped(GstBuffer *buffer, const GstVideoInfo *info);

G_END_DECLS
