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
 * frames behind the input; nothing is held back in a live pipeline or on the CPU.
 *
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudaconv kernel=sobel ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv matrix="<1,2,1,2,4,2,1,2,1>" ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv kernel=gaussian stride=2 ! autovideosink
 * ]|
 */

#include "element.h"

#include "backends/backends.h"
#include "caps.h"
#include "context.h"
#include "layout.h"
#include "memory/cudamemory.h"
#include "memory/pools.h"
#include "metas.h"
#include "properties.h"
#include "report.h"
#include "selection.h"
#include "stream.h"

GST_DEBUG_CATEGORY(gst_cuda_conv_debug);
#define GST_CAT_DEFAULT gst_cuda_conv_debug

G_DEFINE_TYPE_WITH_CODE(GstCudaConv, gst_cuda_conv, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, gst_cuda_conv_preset_interface_init))
GST_ELEMENT_REGISTER_DEFINE(cudaconv, "cudaconv", GST_RANK_NONE, GST_TYPE_CUDA_CONV)

/* --- caps --- */

/* Upstream may try the same caps many times; it is told once what is wrong with them. */
static gboolean
refuse_caps(GstCudaConv *self, const GError *error) {
  if (!self->failed && !self->caps_told)
    gst_cuda_conv_post_error(self, error);
  self->caps_refused = self->caps_told = TRUE;
  return FALSE;
}

static gboolean
parse_caps(GstCaps *caps, GstVideoInfo *info, CcFrameLayout *layout, GError **error) {
  if (gst_video_info_from_caps(info, caps))
    return cc_frame_layout_from_video_info(info, layout, error);
  g_autofree gchar *text = gst_caps_to_string(caps);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "too large for a frame in memory: %s", text);
  return FALSE;
}

static void
set_memory_of_caps(GstCudaConv *self, gboolean in_cuda, gboolean out_cuda) {
  GST_OBJECT_LOCK(self);
  self->in_cuda = in_cuda;
  self->out_cuda = out_cuda;
  GST_OBJECT_UNLOCK(self);
}

/* Before the base class negotiates the output for the caps that came, which the stride decides. */
static gboolean
begin_caps(GstCudaConv *self, GstEvent *event) {
  g_autoptr(GError) error = NULL;
  GstCaps *caps;
  GstVideoInfo info;
  CcFrameLayout layout;
  gst_event_parse_caps(event, &caps);
  set_memory_of_caps(self, cc_caps_are_cuda(caps), self->out_cuda);
  if (!parse_caps(caps, &info, &layout, &error) ||
      !gst_cuda_conv_choose_filter(self, caps, &layout, &error))
    return refuse_caps(self, error);
  self->caps_told = FALSE;
  return TRUE;
}

/* Leaves one memory in the caps `other` of the source pad when there is a reason: CUDA's when
 * downstream names that, rather than to take whatever comes, and the system's after a failover. The
 * base class alone would take that of the input. */
static void
prefer_memory(GstCudaConv *self, const GstCaps *in, GstCaps **other) {
  g_autoptr(GstCaps) peer = gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(self), NULL);
  g_autoptr(GstCaps) in_cuda = cc_caps_in_cuda(*other);
  if (gst_cuda_conv_takes_cuda(self)) {
    g_autoptr(GstCaps) named = cc_caps_in_cuda(peer);
    if (!cc_caps_are_cuda(in) && gst_caps_can_intersect(named, in_cuda))
      gst_caps_replace(other, in_cuda);
  } else {
    g_autoptr(GstCaps) in_system = gst_caps_subtract(*other, in_cuda);
    if (gst_caps_can_intersect(peer, in_system))
      gst_caps_replace(other, in_system);
  }
}

static GstCaps *
gst_cuda_conv_transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                             GstCaps *filter) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  const gboolean cuda = gst_cuda_conv_has_cuda(self);
  g_autoptr(GstCaps) other =
      cc_caps_transform(caps, direction, gst_cuda_conv_current_stride(self), cuda);
  if (cuda && direction == GST_PAD_SINK && gst_caps_is_fixed(caps))
    prefer_memory(self, caps, &other);
  return filter ? gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST)
                : g_steal_pointer(&other);
}

static gboolean
gst_cuda_conv_set_caps(GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  self->liveness_known = FALSE;
  set_memory_of_caps(self, cc_caps_are_cuda(incaps), cc_caps_are_cuda(outcaps));
  return parse_caps(incaps, &self->in_info, &self->layout, NULL) &&
         gst_video_info_from_caps(&self->out_info, outcaps);
}

static gboolean
gst_cuda_conv_get_unit_size(GstBaseTransform *trans, GstCaps *caps, gsize *size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps))
    return FALSE;
  *size = info.size;
  return TRUE;
}

/* --- events and queries --- */

/* No frame is filtered as long as the caps are refused, by this element or by the base class. */
static gboolean
take_caps(GstCudaConv *self, GstEvent *event) {
  if (!self->started || !begin_caps(self, event)) {
    gst_event_unref(event);
    return FALSE;
  }
  self->caps_refused = !GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)
                            ->sink_event(GST_BASE_TRANSFORM(self), event);
  return !self->caps_refused;
}

static gboolean
gst_cuda_conv_sink_event(GstBaseTransform *trans, GstEvent *event) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP && self->started)
    cc_session_clear(self->session);
  else if (GST_EVENT_IS_SERIALIZED(event))
    gst_cuda_conv_drain(self);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS)
    return take_caps(self, event);
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

static gboolean
gst_cuda_conv_query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (cc_cuda_context_is_asked_for(query) && answer_context_query(self, query))
    return TRUE;
  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED(query))
    gst_cuda_conv_drain(self);
  const gboolean answered =
      GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->query(trans, direction, query);
  if (answered && direction == GST_PAD_SRC && GST_QUERY_TYPE(query) == GST_QUERY_LATENCY)
    add_held_time(self, query);
  return answered;
}

/* --- buffers and metas --- */

/* What the buffers of an allocation query, which is of frames, are to be made of, to be cleared in
 * any case. FALSE: of CUDA memory, and GStreamer's library for that does not start. */
static gboolean
describe_allocation(GstCudaConv *self, const GstCaps *caps, CcAllocation *allocation) {
  const gboolean cuda = cc_caps_are_cuda(caps);
  GST_OBJECT_LOCK(self);
  GstAllocator *pinned = self->memory.pinned ? gst_object_ref(self->memory.pinned) : NULL;
  GST_OBJECT_UNLOCK(self);
  *allocation = (CcAllocation){
      .pinned = pinned,
      .cuda = cuda ? gst_cuda_conv_ref_context(self) : NULL,
      .n_held = gst_cuda_conv_most_in_flight(self) - 1,
  };
  return !cuda || allocation->cuda;
}

static void
clear_allocation(CcAllocation *allocation) {
  gst_clear_object(&allocation->pinned);
  g_clear_object(&allocation->cuda);
}

/* The caps of an allocation query, or NULL when they are not of frames that a pad can have. */
static GstCaps *
parse_frames(GstQuery *query) {
  GstCaps *caps;
  gst_query_parse_allocation(query, &caps, NULL);
  return caps && cc_caps_are_of_frames(caps) ? caps : NULL;
}

static gboolean
gst_cuda_conv_decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  const GstCaps *caps = parse_frames(query);
  const gchar *why = "none";
  CcAllocation allocation = {0};
  const gboolean ok = !caps || (describe_allocation(self, caps, &allocation) &&
                                cc_choose_output_pool(query, &allocation, &why));
  clear_allocation(&allocation);
  if (!ok) {
    g_autoptr(GError) error = g_error_new_literal(
        CC_ERROR, CC_ERROR_UNAVAILABLE,
        "No frames in CUDA memory can be made; system memory behind the element, video/x-raw, "
        "works without them.");
    gst_cuda_conv_fail(self, error);
    return FALSE;
  }
  GST_INFO_OBJECT(self, "pool of output buffers: %s", why);
  return GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->decide_allocation(trans, query);
}

static gboolean
gst_cuda_conv_propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
  if (!GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)
           ->propose_allocation(trans, decide_query, query))
    return FALSE;
  const GstCaps *caps = parse_frames(query);
  CcAllocation allocation = {0};
  if (caps && describe_allocation(GST_CUDA_CONV(trans), caps, &allocation))
    cc_propose_input_pool(query, &allocation);
  clear_allocation(&allocation);
  return TRUE;
}

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
  cc_settings_commit(&self->settings); /* no frame is there yet that could see a part of a change */
  cc_session_begin(self->session);
  self->layout = (CcFrameLayout){0};
  gst_video_info_init(&self->in_info);
  gst_video_info_init(&self->out_info);
  self->tried = 0;
  self->failed = self->caps_told = self->caps_refused = FALSE;
  set_memory_of_caps(self, FALSE, FALSE);
  GST_OBJECT_LOCK(self);
  self->n_held = 0;
  self->held_time = 0;
  GST_OBJECT_UNLOCK(self);
  return TRUE;
}

/* The sink pad takes what upstream pushes before the base class calls this, and until it is over
 * nothing of that touches the session. */
static gboolean
gst_cuda_conv_start(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  self->started = begin_stream(self);
  const gboolean ok = self->started;
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  return ok;
}

static gboolean
gst_cuda_conv_stop(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  self->started = FALSE;
  cc_session_end(self->session);
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
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
  g_ptr_array_unref(self->pending_warnings);
  G_OBJECT_CLASS(gst_cuda_conv_parent_class)->finalize(object);
}

static void
gst_cuda_conv_init(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  cc_settings_init(&self->settings);
  self->session = cc_session_new(cc_backend_open, NULL, NULL);
  gst_video_info_init(&self->in_info);
  gst_video_info_init(&self->out_info);
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

  element_class->change_state = gst_cuda_conv_change_state;
  element_class->set_context = gst_cuda_conv_set_context;
  g_autoptr(GstCaps) caps = cc_caps_template(cc_cuda_memory_is_built());
  gst_element_class_add_pad_template(
      element_class, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template(
      element_class, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_element_class_set_static_metadata(
      element_class, "Convolution filter", "Filter/Effect/Video",
      "Convolution of video with a small kernel (edges, blur, sharpening or any matrix up to "
      "15x15), on an NVIDIA GPU or the CPU with the same result",
      "cudaconv developers");

  trans_class->start = gst_cuda_conv_start;
  trans_class->stop = gst_cuda_conv_stop;
  trans_class->transform_caps = gst_cuda_conv_transform_caps;
  trans_class->set_caps = gst_cuda_conv_set_caps;
  trans_class->get_unit_size = gst_cuda_conv_get_unit_size;
  gst_cuda_conv_install_frame_functions(trans_class);
  trans_class->sink_event = gst_cuda_conv_sink_event;
  trans_class->src_event = gst_cuda_conv_src_event;
  trans_class->query = gst_cuda_conv_query;
  trans_class->decide_allocation = gst_cuda_conv_decide_allocation;
  trans_class->propose_allocation = gst_cuda_conv_propose_allocation;
  trans_class->filter_meta = gst_cuda_conv_filter_meta;
  trans_class->transform_meta = gst_cuda_conv_transform_meta;
}
