/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudaconv
 * @title: cudaconv
 *
 * Convolves raw video with a small kernel: edges, blur, sharpening or any matrix up to 15x15. It
 * runs on an NVIDIA GPU if there is one and on the CPU otherwise, with the same bytes as result.
 * Regions of the frame are filtered if `roi` or the metas of a detector name them. The fields of
 * interlaced video are filtered apart, unless `fields=frame`. A GstVideoCropMeta is passed on, or
 * applied if the caps have the size of the crop. With a stride of 2 or 4 the output is smaller, and
 * rectangles in metas and the pointer of navigation events are scaled accordingly.
 *
 * In a pipeline that is not live, the GPU works on three frames at once, so the output is two
 * frames behind the input, or one if frames stay in CUDA memory. No frame is held back in a live
 * pipeline or on the CPU. Neighbouring elements share CUDA memory.
 *
 * |[
 * gst-launch-1.0 v4l2src ! cudaconv kernel=sobel ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv matrix="<1,2,1,2,4,2,1,2,1>" ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv kernel=gaussian stride=2 ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv kernel=gaussian roi="<40,40,80,60>" ! autovideosink
 * ]|
 */

#include "element.h"

#include "allocation.h"
#include "backends.h"
#include "caps.h"
#include "device.h"
#include "flow.h"
#include "measure.h"
#include "memory/cudamemory.h"
#include "metas.h"
#include "negotiation.h"
#include "properties/presets.h"
#include "properties/properties.h"
#include "properties/selection.h"
#include "regions.h"
#include "report.h"

GST_DEBUG_CATEGORY(gst_cuda_conv_debug);
#define GST_CAT_DEFAULT gst_cuda_conv_debug

G_DEFINE_TYPE_WITH_CODE(GstCudaConv, gst_cuda_conv, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, gst_cuda_conv_preset_interface_init))
GST_ELEMENT_REGISTER_DEFINE(cudaconv, "cudaconv", GST_RANK_NONE, GST_TYPE_CUDA_CONV)

/* --- connections between the parts --- */

/* Describes the frames that will be filtered; passed to use_filter. */
typedef struct {
  const GstCaps *caps; /* input caps; NULL: the current caps */
  const CcFrameLayout *layout;
} Frames;

static gboolean
use_filter(GstCudaConv *self, const CcFilter *filter, const CcOptions *options, gpointer data,
           GError **error) {
  const Frames *frames = data;
  const CcFilter *running = cc_session_get_filter(self->session);
  if (running->kernel && filter->stride != running->stride) {
    g_autoptr(GstCaps) current = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
    const GstCaps *caps = frames->caps ? frames->caps : current;
    if (caps && !gst_cuda_conv_check_stride(self, caps, filter->stride, error))
      return FALSE;
  }
  g_autoptr(GArray) regions = g_array_new(FALSE, FALSE, sizeof(CcRegion));
  if (!cc_options_find_regions(options, frames->layout, regions, error) ||
      !cc_session_set_filter(self->session, filter, frames->layout, error))
    return FALSE;
  gst_cuda_conv_set_regions(self, &options->regions, regions);
  gst_cuda_conv_set_stride(self, filter->stride);
  return TRUE;
}

/* If the element or the base class refuses the caps, nothing is filtered until other caps come. */
static gboolean
take_caps(GstCudaConv *self, GstEvent *event) {
  g_autoptr(GError) error = NULL;
  GstCaps *caps;
  CcFrameLayout layout;
  gst_event_parse_caps(event, &caps);
  gboolean accepted = FALSE;
  if (!self->flow.started || !gst_cuda_conv_begin_caps(self, caps, &layout, &error) ||
      !gst_cuda_conv_choose_filter(self, use_filter, &(Frames){caps, &layout}, &error))
    gst_event_unref(event);
  else
    accepted = gst_cuda_conv_base_class()->sink_event(GST_BASE_TRANSFORM(self), event);
  if (self->flow.started)
    gst_cuda_conv_end_caps(self, accepted, self->flow.failed ? NULL : error);
  return accepted;
}

static gboolean
gst_cuda_conv_transform_set_caps(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  gst_cuda_conv_decide_held_again(self);
  return gst_cuda_conv_set_caps(self, in_caps, out_caps);
}

static void
gst_cuda_conv_before_transform(GstBaseTransform *trans, GstBuffer *in) {
  if (trans->segment.format != GST_FORMAT_TIME)
    return;
  const GstClockTime time =
      gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(in));
  if (GST_CLOCK_TIME_IS_VALID(time))
    gst_cuda_conv_sync_properties(GST_CUDA_CONV(trans), time);
}

/* Committed options take effect here, before the frame is queued. */
static GstFlowReturn
gst_cuda_conv_submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *in) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GstFlowReturn ret = gst_cuda_conv_check_frame(self, in);
  if (ret == GST_FLOW_OK) {
    cc_settings_commit_overdue(&self->settings);
    gst_cuda_conv_update_filter(self, use_filter, &(Frames){NULL, &self->negotiation.layout});
    ret = gst_cuda_conv_begin_frame(self, in);
  }
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref(in);
    return ret;
  }
  ret = gst_cuda_conv_base_class()->submit_input_buffer(trans, discont, in);
  if (ret != GST_BASE_TRANSFORM_FLOW_DROPPED)
    return ret;
  const GstFlowReturn drained = gst_cuda_conv_drain(self);
  return drained == GST_FLOW_OK ? ret : drained;
}

/* After submit_input_buffer, the base class calls this function until *out is NULL, and pushes each
 * output frame. */
static GstFlowReturn
gst_cuda_conv_generate_output(GstBaseTransform *trans, GstBuffer **out) {
  return gst_cuda_conv_process_frame(GST_CUDA_CONV(trans), out);
}

/* Never called, because generate_output replaces it. Without a transform function the base class
 * would be in passthrough mode. */
static GstFlowReturn
gst_cuda_conv_transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  g_return_val_if_reached(GST_FLOW_NOT_SUPPORTED);
}

static void
handle_session_event(gpointer element, const CcSessionEvent *event) {
  GstCudaConv *self = element;
  if (event->kind == CC_EVENT_BACKEND)
    gst_cuda_conv_take_memory(self, event->context ? event->context->owner : NULL);
  if (event->kind == CC_EVENT_FAILOVER || event->kind == CC_EVENT_SHRUNK)
    gst_cuda_conv_decide_held_again(self);
  if (event->kind == CC_EVENT_FAILOVER)
    gst_cuda_conv_negotiate_memory_again(self);
  gst_cuda_conv_report_event(self, event);
}

/* --- events and queries --- */

static gboolean
gst_cuda_conv_sink_event(GstBaseTransform *trans, GstEvent *event) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP && self->flow.started) {
    cc_session_clear(self->session);
    gst_cuda_conv_restart_measuring(self);
  } else if (GST_EVENT_IS_SERIALIZED(event)) {
    gst_cuda_conv_drain(self);
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS)
    return take_caps(self, event);
  return gst_cuda_conv_base_class()->sink_event(trans, event);
}

static gboolean
gst_cuda_conv_src_event(GstBaseTransform *trans, GstEvent *event) {
  static const gchar *const fields[] = {"pointer_x", "pointer_y"};
  const guint stride = gst_cuda_conv_current_stride(GST_CUDA_CONV(trans));
  if (GST_EVENT_TYPE(event) == GST_EVENT_NAVIGATION && stride > 1) {
    event = gst_event_make_writable(event);
    GstStructure *structure = gst_event_writable_structure(event);
    for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
      gdouble position;
      if (gst_structure_get_double(structure, fields[i], &position))
        gst_structure_set(structure, fields[i], G_TYPE_DOUBLE, position * stride, NULL);
    }
  }
  return gst_cuda_conv_base_class()->src_event(trans, event);
}

/* Returns `time` if the sum would overflow or reach GST_CLOCK_TIME_NONE (unlimited). */
static GstClockTime
add_time(GstClockTime time, GstClockTime more) {
  return time < GST_CLOCK_TIME_NONE - more ? time + more : time;
}

static void
add_held_time(GstCudaConv *self, GstQuery *query) {
  gboolean live;
  GstClockTime min, max;
  GST_OBJECT_LOCK(self);
  const GstClockTime held = self->flow.held_time;
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

/* The base class answers a caps query with the formats in the order of the querying element, whose
 * first format is often the most expensive one. */
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
  if (cc_cuda_context_is_requested(query) && answer_context_query(self, query))
    return TRUE;
  if (direction == GST_PAD_SINK && gst_cuda_conv_answer_query(self, query))
    return TRUE;
  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED(query))
    gst_cuda_conv_drain(self);
  const gboolean answered = gst_cuda_conv_base_class()->query(trans, direction, query);
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
  return cc_meta_transform(out, meta, in, &self->negotiation.in_info, &self->negotiation.out_info);
}

/* --- states --- */

/* Called with the stream lock held. */
static gboolean
begin_stream(GstCudaConv *self) {
  if (!gst_cuda_conv_open_backend(self))
    return FALSE;
  gst_cuda_conv_forget_caps(self);
  gst_cuda_conv_begin_selection(self);
  gst_cuda_conv_begin_flow(self);
  return TRUE;
}

/* FALSE: a value was refused before the start, or the values do not work together. The start then
 * fails, so that the element never runs with another filter than the requested one. */
static gboolean
begin_settings(GstCudaConv *self) {
  g_autoptr(GError) error = NULL;
  if (cc_settings_start(&self->settings, &error) && gst_cuda_conv_check_properties(self, &error))
    return TRUE;
  gst_cuda_conv_post_error(self, error);
  cc_settings_stop(&self->settings);
  return FALSE;
}

/* Takes the stream lock, because the sink pad already accepts data when the base class calls this
 * function, and no frame may use the session before the start is complete. */
static gboolean
gst_cuda_conv_start(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (!begin_settings(self))
    return FALSE;
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  const gboolean ok = begin_stream(self);
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  if (!ok)
    cc_settings_stop(&self->settings);
  return ok;
}

static gboolean
gst_cuda_conv_stop(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  gst_cuda_conv_end_flow(self);
  gst_cuda_conv_set_stride(self, 0);
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  cc_settings_stop(&self->settings);
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
  cc_options_clear(&self->selection.running);
  gst_cuda_conv_clear_regions(self);
  g_ptr_array_unref(self->pending_warnings);
  G_OBJECT_CLASS(gst_cuda_conv_parent_class)->finalize(object);
}

static void
gst_cuda_conv_init(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  cc_settings_init(&self->settings);
  cc_options_init(&self->selection.running);
  gst_cuda_conv_init_regions(self);
  self->session = cc_session_new(cc_backend_open, handle_session_event, self);
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
  gst_cuda_conv_register_measure_meta();

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
  trans_class->set_caps = gst_cuda_conv_transform_set_caps;
  trans_class->before_transform = gst_cuda_conv_before_transform;
  trans_class->submit_input_buffer = gst_cuda_conv_submit_input_buffer;
  trans_class->generate_output = gst_cuda_conv_generate_output;
  trans_class->transform = gst_cuda_conv_transform;
  trans_class->sink_event = gst_cuda_conv_sink_event;
  trans_class->src_event = gst_cuda_conv_src_event;
  trans_class->query = gst_cuda_conv_query;
  trans_class->filter_meta = gst_cuda_conv_filter_meta;
  trans_class->transform_meta = gst_cuda_conv_transform_meta;
}
