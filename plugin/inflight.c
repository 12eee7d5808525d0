/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inflight.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* One frame is uploaded, one filtered, one downloaded; of frames that stay on the device one is
 * filtered while the one before goes on. */
#define IN_FLIGHT 3
#define IN_FLIGHT_ON_DEVICE 2

/* Frames are kept back in CUDA memory while so many more would fit into it, for other elements hold
 * some as well. */
#define SPARE_FRAMES 16

static gboolean
upstream_is_live(GstCudaConv *self) {
  g_autoptr(GstQuery) query = gst_query_new_latency();
  gboolean live = TRUE; /* unless someone says that it is not */
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(self), query))
    gst_query_parse_latency(query, &live, NULL, NULL);
  return live;
}

guint
gst_cuda_conv_most_in_flight(GstCudaConv *self) {
  const guint wanted = cc_settings_get_in_flight(&self->settings);
  GST_OBJECT_LOCK(self);
  const gboolean on_device = self->in_domain->on_device && self->out_domain->on_device;
  GST_OBJECT_UNLOCK(self);
  const guint automatic = on_device ? IN_FLIGHT_ON_DEVICE : IN_FLIGHT;
  return MIN(wanted ? wanted : automatic, cc_session_capacity(self->session));
}

/* Whether few frames more than those that each element needs fit into the device's memory. Frames
 * in flight keep memory of the element in front if they came in CUDA memory, and of this one if
 * they leave in it. */
static gboolean
memory_is_tight(GstCudaConv *self, GstBuffer *in) {
  CcDevice *device = cc_session_get_device(self->session);
  g_autoptr(GstBufferPool) pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(self));
  gsize in_bytes = 0;
  guint out_bytes = 0;
  if (self->in_domain->on_device)
    gst_buffer_get_sizes(in, NULL, &in_bytes);
  if (self->out_domain->on_device && pool) {
    GstStructure *config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_get_params(config, NULL, &out_bytes, NULL, NULL);
    gst_structure_free(config);
  }
  const gsize bytes = MAX(in_bytes, out_bytes);
  return device && bytes > 0 && cc_device_free_bytes(device) / SPARE_FRAMES < bytes;
}

/* Whether the caps have the duration of a frame. With a variable rate GstVideoInfo has the highest
 * rate, if the caps have one, and frames may come later. */
static gboolean
rate_is_known(const GstVideoInfo *info) {
  return info->fps_n > 0 && !(info->flags & GST_VIDEO_FLAG_VARIABLE_FPS);
}

/* A live pipeline learns from the latency how long frames are held, so none is held if that is not
 * known. Other pipelines do without the latency. */
void
gst_cuda_conv_decide_held_frames(GstCudaConv *self, GstBuffer *in) {
  const guint most = gst_cuda_conv_most_in_flight(self);
  const gboolean automatic = cc_settings_get_in_flight(&self->settings) == 0;
  const GstVideoInfo *info = &self->in_info;
  const gboolean hurries = ((automatic || !rate_is_known(info)) && upstream_is_live(self)) ||
                           (automatic && memory_is_tight(self, in));
  const guint n_held = hurries ? 0 : most - 1;
  self->liveness_known = TRUE;
  GST_INFO_OBJECT(self, "%u frames in flight", n_held + 1);

  const GstClockTime time =
      rate_is_known(info) ? gst_util_uint64_scale(n_held * GST_SECOND, info->fps_d, info->fps_n)
                          : 0;
  GST_OBJECT_LOCK(self);
  const gboolean changed = time != self->held_time;
  self->held_time = time;
  self->n_held = n_held;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}
