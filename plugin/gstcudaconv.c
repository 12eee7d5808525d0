/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudaconv
 * @title: cudaconv
 *
 * Convolves raw video with a small kernel: edges, blur, sharpening or any matrix up to 15x15. It
 * runs on an NVIDIA GPU where there is one and on the CPU otherwise, with the same bytes as result.
 * Fields of interlaced video are filtered as they lie in the frame. A GstVideoCropMeta is handed
 * on, or carried out where the caps tell the size of the crop. With a stride of 2 or 4 the output
 * is smaller, and rectangles in metas and the pointer of navigation events are scaled accordingly.
 *
 * In a pipeline that is not live, the GPU works on three frames at once, so the output is two
 * frames behind the input, or one where frames stay in CUDA memory; nothing is held back in a live
 * pipeline or on the CPU. Elements in a row share CUDA memory.
 *
 * |[
 * gst-launch-1.0 v4l2src ! cudaconv kernel=sobel ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv matrix="<1,2,1,2,4,2,1,2,1>" ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv kernel=gaussian stride=2 ! autovideosink
 * ]|
 */

#include "element.h"

#include "allocation.h"
#include "backends.h"
#include "caps.h"
#include "context.h"
#include "memory/cudamemory.h"
#include "metas.h"
#include "negotiation.h"
#include "presets.h"
#include "properties.h"
#include "report.h"
#include "selection.h"
#include "stream.h"

GST_DEBUG_CATEGORY(gst_cuda_conv_debug);
#define GST_CAT_DEFAULT gst_cuda_conv_debug

G_DEFINE_TYPE_WITH_CODE(GstCudaConv, gst_cuda_conv, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, gst_cuda_conv_preset_interface_init))
GST_ELEMENT_REGISTER_DEFINE(cudaconv, "cudaconv", GST_RANK_NONE, GST_TYPE_CUDA_CONV)

/* --- events and queries --- */

static gboolean
gst_cuda_conv_sink_event(GstBaseTransform *trans, GstEvent *event) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP && self->started)
    cc_session_clear(self->session);
  else if (GST_EVENT_IS_SERIALIZED(event))
    gst_cuda_conv_drain(self);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS)
    return gst_cuda_conv_take_caps(self, event);
  return GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->sink_event(trans, event);
}

/* The pointer's place in the output becomes that in the input. */
static gboolean
gst_cuda_conv_src_event(GstBaseTransform *trans, GstEvent *event) {
  static const gchar *const fields[] = {"pointer_x", "pointer_y"};
  const guint stride = gst_cuda_conv_current_stride(GST_CUDA_CONV(trans));
  if (GST_EVENT_TYPE(event) == GST_EVENT_NAVIGATION && stride > 1) {
    event = gst_event_make_writable(event);
    GstStructure *structure = gst_event_writable_structure(event);
    for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
      gdouble place;
      if (gst_structure_get_double(structure, fields[i], &place))
        gst_structure_set(structure, fields[i], G_TYPE_DOUBLE, place * stride, NULL);
    }
  }
  return GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->src_event(trans, event);
}

/* What is unlimited stays so, and what others say may be close to it. */
static GstClockTime
add_time(GstClockTime time, GstClockTime more) {
  return time < GST_CLOCK_TIME_NONE - more ? time + more : time;
}

static void
add_held_time(GstCudaConv *self, GstQuery *query) {
  gboolean live;
  GstClockTime min, max;
  GST_OBJECT_LOCK(self);
  const GstClockTime held = self->held_time;
  GST_OBJECT_UNLOCK(self);
  gst_query_parse_latency(query, &live, &min, &max);
  gst_query_set_latency(query, live, add_time(min, held), add_time(max, held));
}

static gboolean
answer_context_query(GstCudaConv *self, GstQuery *query) {
  g_autoptr(GstObject) context = gst_cuda_conv_ref_context(self);
  if (context)
    cc_cuda_context_answer(GST_ELEMENT(self), query, context);
  return context != NULL;
}

/* The base class keeps the order of the one who asks, whose first format is often the dearest. */
static void
prefer_cheap_formats(GstQuery *query) {
  GstCaps *caps;
  gst_query_parse_caps_result(query, &caps);
  if (!caps)
    return;
  g_autoptr(GstCaps) preferred = cc_caps_prefer(caps);
  gst_query_set_caps_result(query, preferred);
}

static gboolean
gst_cuda_conv_query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (cc_cuda_context_is_asked_for(query) && answer_context_query(self, query))
    return TRUE;
  if (direction == GST_PAD_SINK && gst_cuda_conv_answer_query(self, query))
    return TRUE;
  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED(query))
    gst_cuda_conv_drain(self);
  const gboolean answered =
      GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->query(trans, direction, query);
  if (answered && direction == GST_PAD_SRC && GST_QUERY_TYPE(query) == GST_QUERY_LATENCY)
    add_held_time(self, query);
  if (answered && GST_QUERY_TYPE(query) == GST_QUERY_CAPS)
    prefer_cheap_formats(query);
  return answered;
}

/* --- metas --- */

static gboolean
gst_cuda_conv_filter_meta(GstBaseTransform *trans, GstQuery *query, GType api,
                          const GstStructure *params) {
  return cc_meta_survives(api);
}

static gboolean
gst_cuda_conv_transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta,
                             GstBuffer *in) {
  const GstCudaConv *self = GST_CUDA_CONV(trans);
  return cc_meta_transform(out, meta, in, &self->in_info, &self->out_info);
}

/* --- states --- */

/* With the stream lock. */
static gboolean
begin_stream(GstCudaConv *self) {
  if (!gst_cuda_conv_open_backend(self))
    return FALSE;
  cc_session_begin(self->session);
  gst_cuda_conv_forget_caps(self);
  self->tried = 0;
  self->sigma_told = FALSE;
  self->failed = FALSE;
  self->negotiates_memory = FALSE;
  GST_OBJECT_LOCK(self);
  self->n_held = 0;
  self->held_time = 0;
  GST_OBJECT_UNLOCK(self);
  return TRUE;
}

/* Whether no value waits to be mended that was refused before the start, and all of them go
 * together: nothing runs with another filter than the one that was asked for. */
static gboolean
begin_settings(GstCudaConv *self) {
  g_autoptr(GError) error = NULL;
  if (cc_settings_start(&self->settings, &error) && gst_cuda_conv_check_properties(self, &error))
    return TRUE;
  gst_cuda_conv_post_error(self, error);
  cc_settings_stop(&self->settings);
  return FALSE;
}

/* The sink pad takes what upstream pushes before the base class calls this, and until it is over
 * nothing of that touches the session. */
static gboolean
gst_cuda_conv_start(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (!begin_settings(self))
    return FALSE;
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  self->started = begin_stream(self);
  const gboolean ok = self->started;
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  if (!ok)
    cc_settings_stop(&self->settings);
  return ok;
}

static gboolean
gst_cuda_conv_stop(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  self->started = FALSE;
  cc_session_end(self->session);
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  cc_settings_stop(&self->settings);
  GST_OBJECT_LOCK(self);
  self->stride = 0;
  GST_OBJECT_UNLOCK(self);
  return TRUE;
}

static GstStateChangeReturn
gst_cuda_conv_change_state(GstElement *element, GstStateChange transition) {
  GstCudaConv *self = GST_CUDA_CONV(element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY) {
    gst_cuda_conv_post_pending_warnings(self);
    if (!gst_cuda_conv_open_backend(self))
      return GST_STATE_CHANGE_FAILURE;
  }
  const GstStateChangeReturn ret =
      GST_ELEMENT_CLASS(gst_cuda_conv_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    gst_cuda_conv_close_backend(self);
  return ret;
}

static void
gst_cuda_conv_set_context(GstElement *element, GstContext *offered) {
  gst_cuda_conv_take_context(GST_CUDA_CONV(element), offered);
  GST_ELEMENT_CLASS(gst_cuda_conv_parent_class)->set_context(element, offered);
}

/* --- type --- */

static void
gst_cuda_conv_finalize(GObject *object) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  gst_cuda_conv_close_backend(self);
  cc_session_free(self->session);
  cc_settings_clear(&self->settings);
  cc_options_clear(&self->running);
  g_ptr_array_unref(self->pending_warnings);
  G_OBJECT_CLASS(gst_cuda_conv_parent_class)->finalize(object);
}

static void
gst_cuda_conv_init(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  cc_settings_init(&self->settings);
  cc_options_init(&self->running);
  self->session = cc_session_new(cc_backend_open, gst_cuda_conv_handle_event, self);
  gst_cuda_conv_forget_caps(self);
  self->pending_warnings = g_ptr_array_new_with_free_func(g_free);
  gst_base_transform_set_gap_aware(trans, TRUE);
  gst_base_transform_set_qos_enabled(trans, TRUE);
}

static void
gst_cuda_conv_class_init(GstCudaConvClass *klass) {
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  GST_DEBUG_CATEGORY_INIT(gst_cuda_conv_debug, "cudaconv", 0, "convolution of video");

  object_class->finalize = gst_cuda_conv_finalize;
  gst_cuda_conv_install_properties(object_class);
  gst_cuda_conv_install_presets(object_class);

  element_class->change_state = gst_cuda_conv_change_state;
  element_class->set_context = gst_cuda_conv_set_context;
  g_autoptr(GstCaps) caps = cc_caps_template(cc_domains_built());
  gst_element_class_add_pad_template(
      element_class, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template(
      element_class, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_element_class_set_static_metadata(
      element_class, "Convolution filter", "Filter/Effect/Video",
      "Convolution of video with a kernel (edges, blur up to 127x127, sharpening or any matrix up "
      "to 15x15), on an NVIDIA GPU or the CPU with the same result",
      "cudaconv developers");

  trans_class->start = gst_cuda_conv_start;
  trans_class->stop = gst_cuda_conv_stop;
  gst_cuda_conv_install_negotiation(trans_class);
  gst_cuda_conv_install_allocation(trans_class);
  gst_cuda_conv_install_frame_functions(trans_class);
  trans_class->sink_event = gst_cuda_conv_sink_event;
  trans_class->src_event = gst_cuda_conv_src_event;
  trans_class->query = gst_cuda_conv_query;
  trans_class->filter_meta = gst_cuda_conv_filter_meta;
  trans_class->transform_meta = gst_cuda_conv_transform_meta;
}
