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
 * In a pipeline that is not live, the GPU works on one frame while the next is fetched, so the
 * output is one frame behind the input; nothing is held back in a live pipeline or on the CPU.
 *
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudaconv kernel=sobel ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv matrix="<1,2,1,2,4,2,1,2,1>" ! autovideosink
 * gst-launch-1.0 videotestsrc ! cudaconv kernel=gaussian stride=2 ! autovideosink
 * ]|
 */

#include "gstcudaconv.h"

#include "allocation.h"
#include "caps.h"
#include "metas.h"
#include "properties.h"
#include "report.h"

GST_DEBUG_CATEGORY(gst_cuda_conv_debug);
#define GST_CAT_DEFAULT gst_cuda_conv_debug

#define CAPS                                                                                       \
  GST_VIDEO_CAPS_MAKE("{ GRAY8, GRAY16_LE, I420, YV12, Y42B, Y444, NV12, NV21, NV16, RGB, BGR, "   \
                      "RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, AYUV, GBR, RGBP, "          \
                      "I420_10LE, I422_10LE, Y444_10LE, P010_10LE, P016_LE, Y444_16LE, ARGB64 }")

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

G_DEFINE_TYPE_WITH_CODE(GstCudaConv, gst_cuda_conv, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, gst_cuda_conv_preset_interface_init))
GST_ELEMENT_REGISTER_DEFINE(cudaconv, "cudaconv", GST_RANK_NONE, GST_TYPE_CUDA_CONV)

/* Ends the stream with the one error that it gets; what is still in flight is dropped. */
static GstFlowReturn
fail(GstCudaConv *self, const GError *error) {
  cc_inflight_clear(&self->inflight);
  if (!self->failed)
    gst_cuda_conv_post_error(self, error);
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

/* --- backend --- */

static void
close_backend(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  CcBackend *backend = g_steal_pointer(&self->backend);
  GST_OBJECT_UNLOCK(self);
  g_clear_pointer(&backend, cc_backend_close);
}

static gboolean
backend_config_equal(const CcBackendConfig *a, const CcBackendConfig *b) {
  return a->choice == b->choice && a->device_id == b->device_id && a->n_threads == b->n_threads;
}

/* Opens the backend that the properties ask for, unless it is open already. */
static gboolean
open_backend(GstCudaConv *self) {
  CcBackendConfig config;
  cc_settings_get_backend(&self->settings, &config);
  if (self->backend && backend_config_equal(&config, &self->backend_config))
    return TRUE;
  close_backend(self);

  g_autoptr(GError) fallback = NULL, error = NULL;
  CcBackend *backend = cc_backend_open(&config, &fallback, &error);
  if (!backend) {
    gst_cuda_conv_post_error(self, error);
    return FALSE;
  }
  GST_OBJECT_LOCK(self);
  self->backend = backend;
  self->backend_config = config;
  GST_OBJECT_UNLOCK(self);
  gst_cuda_conv_announce_backend(self, fallback);
  return TRUE;
}

/* --- the filter that runs --- */

/* The stride that caps are made with: that of the stream, or of the properties while there is none.
 */
static guint
current_stride(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  guint stride = self->stride;
  GST_OBJECT_UNLOCK(self);
  return stride ? stride : cc_settings_get_stride(&self->settings);
}

/* Another one than before gives other caps, which the base class negotiates with the next frame. */
static void
set_stride(GstCudaConv *self, guint stride) {
  GST_OBJECT_LOCK(self);
  const gboolean changed = stride != self->stride;
  self->stride = stride;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
}

static CcProgram *
new_program(GstCudaConv *self, const CcFilter *filter, const CcFrameLayout *layout,
            GError **error) {
  if (!filter->kernel) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "kernel=custom: no coefficients are set; matrix, row, column or kernel-file sets "
                "them");
    return NULL;
  }
  g_autoptr(CcPlan) plan = cc_plan_new(filter, layout, error);
  return plan ? cc_backend_prepare(self->backend, plan, error) : NULL;
}

/* Whether downstream takes what `stride` makes of these caps. */
static gboolean
check_downstream(GstCudaConv *self, const GstCaps *caps, guint stride, GError **error) {
  g_autoptr(GstCaps) wanted = cc_caps_transform(caps, GST_PAD_SINK, stride);
  g_autoptr(GstCaps) taken = gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(self), wanted);
  if (gst_caps_can_intersect(wanted, taken))
    return TRUE;
  gint width = 0, height = 0;
  gst_structure_get(gst_caps_get_structure(wanted, 0), "width", G_TYPE_INT, &width, "height",
                    G_TYPE_INT, &height, NULL);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "stride=%u: frames would be %dx%d, which downstream does not accept", stride, width,
              height);
  return FALSE;
}

/* Decides what runs from the next frame on, which has these caps: what the properties say, or, when
 * that cannot work, what ran before; this is told once. At the start of a stream there is no such.
 */
static gboolean
choose_filter(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout, GError **error) {
  g_autoptr(GError) reason = NULL;
  CcFilter filter;
  cc_settings_get_filter(&self->settings, &filter);
  const gboolean told = cc_filter_equal(&filter, &self->tried);
  cc_filter_replace(&self->tried, filter);

  const gboolean starts = !self->running.kernel;
  CcProgram *program = NULL;
  if (starts || filter.stride == self->running.stride ||
      check_downstream(self, caps, filter.stride, &reason))
    program = new_program(self, &filter, layout, &reason);
  if (program) {
    cc_kernel_ref(filter.kernel);
    cc_filter_replace(&self->running, filter);
  } else if (starts) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
  } else {
    g_autofree gchar *text =
        g_strdup_printf("%s. The filter goes on as it was before.", reason->message);
    if (!told)
      gst_cuda_conv_warn(self, text);
    program = new_program(self, &self->running, layout, error);
    if (!program)
      return FALSE;
  }
  g_clear_pointer(&self->next_program, cc_program_unref);
  self->next_program = program;
  set_stride(self, self->running.stride);
  return TRUE;
}

/* Follows the properties at a frame boundary. */
static void
follow_properties(GstCudaConv *self) {
  CcFilter filter;
  cc_settings_get_filter(&self->settings, &filter);
  const gboolean changed = !cc_filter_equal(&filter, &self->tried);
  cc_filter_replace(&filter, (CcFilter){0});
  if (!changed || self->failed)
    return;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  if (caps)
    choose_filter(self, caps, &self->layout, NULL);
}

/* Puts what was decided into use, when the caps are negotiated. */
static void
use_next_program(GstCudaConv *self) {
  g_clear_pointer(&self->program, cc_program_unref);
  self->program = g_steal_pointer(&self->next_program);
  g_autofree gchar *text = cc_plan_describe(self->program->plan);
  GST_INFO_OBJECT(self, "kernel %s: %s", self->running.kernel->name, text);
  GST_OBJECT_LOCK(self);
  g_free(self->plan_text);
  self->plan_text = g_steal_pointer(&text);
  self->algorithm = self->program->algorithm;
  GST_OBJECT_UNLOCK(self);
}

/* --- caps --- */

/* Upstream may try the same caps many times; it is told once what is wrong with them. */
static gboolean
refuse_caps(GstCudaConv *self, const GError *error) {
  if (!self->failed && !self->caps_refused)
    gst_cuda_conv_post_error(self, error);
  self->caps_refused = TRUE;
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

/* Before the base class negotiates the output for the caps that came, which the stride decides. */
static gboolean
begin_caps(GstCudaConv *self, GstEvent *event) {
  g_autoptr(GError) error = NULL;
  GstCaps *caps;
  GstVideoInfo info;
  CcFrameLayout layout;
  gst_event_parse_caps(event, &caps);
  if (!parse_caps(caps, &info, &layout, &error) || !choose_filter(self, caps, &layout, &error))
    return refuse_caps(self, error);
  self->caps_refused = FALSE;
  return TRUE;
}

static GstCaps *
gst_cuda_conv_transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                             GstCaps *filter) {
  g_autoptr(GstCaps) other =
      cc_caps_transform(caps, direction, current_stride(GST_CUDA_CONV(trans)));
  return filter ? gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST)
                : g_steal_pointer(&other);
}

static gboolean
gst_cuda_conv_set_caps(GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  self->liveness_known = FALSE;
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

/* --- frames --- */

static void
count_frame(GstCudaConv *self, const GstBuffer *out, const CcTimes *times) {
  GST_OBJECT_LOCK(self);
  self->n_frames++;
  self->n_bytes += gst_buffer_get_size((GstBuffer *)out);
  self->times.upload += times->upload;
  self->times.kernel += times->kernel;
  self->times.download += times->download;
  self->times.wait += times->wait;
  GST_OBJECT_UNLOCK(self);
}

/* Waits for the oldest frame in flight. */
static GstFlowReturn
finish_oldest(GstCudaConv *self, GstBuffer **out) {
  g_autoptr(GError) error = NULL;
  CcTimes times = {0};
  *out = cc_inflight_pop(&self->inflight, &times, &error);
  if (!*out)
    return fail(self, error);
  count_frame(self, *out, &times);
  return GST_FLOW_OK;
}

/* Pushes everything in flight, in order. */
static void
drain(GstCudaConv *self) {
  GstBuffer *out;
  while (cc_inflight_length(&self->inflight) > 0 && finish_oldest(self, &out) == GST_FLOW_OK)
    gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(self), out);
}

static gboolean
upstream_is_live(GstCudaConv *self) {
  g_autoptr(GstQuery) query = gst_query_new_latency();
  gboolean live = TRUE; /* unless someone says that it is not */
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(self), query))
    gst_query_parse_latency(query, &live, NULL, NULL);
  return live;
}

/* Keeps frames back, so that transfers and kernels overlap, only when that delays nobody. */
static void
decide_held_frames(GstCudaConv *self) {
  const guint depth = self->backend->depth;
  self->n_held = depth > 1 && !upstream_is_live(self) ? depth - 1 : 0;
  self->liveness_known = TRUE;
  GST_DEBUG_OBJECT(self, "holding %u frames", self->n_held);

  const GstVideoInfo *info = &self->in_info;
  GstClockTime time = 0; /* also when the frame rate is not known */
  if (info->fps_n > 0)
    time = gst_util_uint64_scale(self->n_held * GST_SECOND, info->fps_d, info->fps_n);
  GST_OBJECT_LOCK(self);
  const gboolean changed = time != self->held_time;
  self->held_time = time;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

static void
gst_cuda_conv_before_transform(GstBaseTransform *trans, GstBuffer *in) {
  if (trans->segment.format != GST_FORMAT_TIME)
    return;
  const GstClockTime time =
      gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(in));
  if (GST_CLOCK_TIME_IS_VALID(time))
    gst_object_sync_values(GST_OBJECT(trans), time);
}

/* A frame boundary. The base class marks the next buffer that it pushes as discontinuous and may
 * renegotiate here, so earlier frames have to be out before. */
static GstFlowReturn
gst_cuda_conv_submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *in) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  follow_properties(self);
  if (GST_BUFFER_IS_DISCONT(in) || gst_pad_needs_reconfigure(trans->srcpad))
    drain(self);
  const GstFlowReturn ret =
      GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->submit_input_buffer(trans, discont, in);
  if (ret == GST_BASE_TRANSFORM_FLOW_DROPPED)
    drain(self);
  else if (ret == GST_FLOW_OK && self->next_program)
    use_next_program(self);
  return ret;
}

/* Starts filtering; generate_output finishes it. */
static GstFlowReturn
gst_cuda_conv_transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (self->failed)
    return GST_FLOW_ERROR;
  g_autoptr(GError) error = NULL;
  if (cc_inflight_push(&self->inflight, self->program, in, &self->in_info, out, &self->out_info,
                       &error))
    return GST_FLOW_OK;
  drain(self);
  return fail(self, error);
}

/* Lets the base class allocate and start a frame, and hands out the oldest one when more are in
 * flight than shall be held. */
static GstFlowReturn
gst_cuda_conv_generate_output(GstBaseTransform *trans, GstBuffer **out) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  *out = NULL;
  if (!self->liveness_known)
    decide_held_frames(self);
  g_autoptr(GstBuffer) started = NULL;
  const GstFlowReturn ret =
      GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->generate_output(trans, &started);
  if (ret != GST_FLOW_OK || cc_inflight_length(&self->inflight) <= self->n_held)
    return ret;
  g_clear_pointer(&started, gst_buffer_unref);
  return finish_oldest(self, out);
}

/* --- events and queries --- */

static gboolean
gst_cuda_conv_sink_event(GstBaseTransform *trans, GstEvent *event) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    cc_inflight_clear(&self->inflight);
  else if (GST_EVENT_IS_SERIALIZED(event))
    drain(self);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS && !begin_caps(self, event)) {
    gst_event_unref(event);
    return FALSE;
  }
  return GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->sink_event(trans, event);
}

/* The pointer's place in the output becomes that in the input. */
static gboolean
gst_cuda_conv_src_event(GstBaseTransform *trans, GstEvent *event) {
  static const gchar *const fields[] = {"pointer_x", "pointer_y"};
  const guint stride = current_stride(GST_CUDA_CONV(trans));
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

static void
add_held_time(GstCudaConv *self, GstQuery *query) {
  gboolean live;
  GstClockTime min, max;
  GST_OBJECT_LOCK(self);
  const GstClockTime held = self->held_time;
  GST_OBJECT_UNLOCK(self);
  gst_query_parse_latency(query, &live, &min, &max);
  if (GST_CLOCK_TIME_IS_VALID(max))
    max += held;
  gst_query_set_latency(query, live, min + held, max);
}

static gboolean
gst_cuda_conv_query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED(query))
    drain(self);
  const gboolean answered =
      GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->query(trans, direction, query);
  if (answered && direction == GST_PAD_SRC && GST_QUERY_TYPE(query) == GST_QUERY_LATENCY)
    add_held_time(self, query);
  return answered;
}

/* --- buffers and metas --- */

static gboolean
gst_cuda_conv_decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  cc_choose_output_pool(query, GST_CUDA_CONV(trans)->backend->depth - 1);
  return GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)->decide_allocation(trans, query);
}

static gboolean
gst_cuda_conv_propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
  if (!GST_BASE_TRANSFORM_CLASS(gst_cuda_conv_parent_class)
           ->propose_allocation(trans, decide_query, query))
    return FALSE;
  cc_propose_input_pool(query, GST_CUDA_CONV(trans)->backend->depth - 1);
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

static gboolean
gst_cuda_conv_start(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (!open_backend(self))
    return FALSE;
  self->failed = FALSE;
  self->caps_refused = FALSE;
  gst_video_info_init(&self->in_info);
  gst_video_info_init(&self->out_info);
  self->n_held = 0;
  GST_OBJECT_LOCK(self);
  self->held_time = 0;
  self->n_frames = self->n_bytes = 0;
  g_free(self->plan_text);
  self->plan_text = g_strdup("");
  self->algorithm = NULL;
  self->times = (CcTimes){0};
  GST_OBJECT_UNLOCK(self);
  return TRUE;
}

static gboolean
gst_cuda_conv_stop(GstBaseTransform *trans) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  cc_inflight_clear(&self->inflight);
  g_clear_pointer(&self->program, cc_program_unref);
  g_clear_pointer(&self->next_program, cc_program_unref);
  cc_filter_replace(&self->tried, (CcFilter){0});
  cc_filter_replace(&self->running, (CcFilter){0});
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
    if (!open_backend(self))
      return GST_STATE_CHANGE_FAILURE;
  }
  const GstStateChangeReturn ret =
      GST_ELEMENT_CLASS(gst_cuda_conv_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    close_backend(self);
  return ret;
}

/* --- type --- */

static void
gst_cuda_conv_finalize(GObject *object) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  close_backend(self);
  cc_settings_clear(&self->settings);
  g_ptr_array_unref(self->pending_warnings);
  g_free(self->plan_text);
  G_OBJECT_CLASS(gst_cuda_conv_parent_class)->finalize(object);
}

static void
gst_cuda_conv_init(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  cc_settings_init(&self->settings);
  cc_inflight_init(&self->inflight);
  gst_video_info_init(&self->in_info);
  gst_video_info_init(&self->out_info);
  self->pending_warnings = g_ptr_array_new_with_free_func(g_free);
  self->plan_text = g_strdup("");
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
  gst_element_class_add_static_pad_template(element_class, &sink_template);
  gst_element_class_add_static_pad_template(element_class, &src_template);
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
  trans_class->before_transform = gst_cuda_conv_before_transform;
  trans_class->submit_input_buffer = gst_cuda_conv_submit_input_buffer;
  trans_class->transform = gst_cuda_conv_transform;
  trans_class->generate_output = gst_cuda_conv_generate_output;
  trans_class->sink_event = gst_cuda_conv_sink_event;
  trans_class->src_event = gst_cuda_conv_src_event;
  trans_class->query = gst_cuda_conv_query;
  trans_class->decide_allocation = gst_cuda_conv_decide_allocation;
  trans_class->propose_allocation = gst_cuda_conv_propose_allocation;
  trans_class->filter_meta = gst_cuda_conv_filter_meta;
  trans_class->transform_meta = gst_cuda_conv_transform_meta;
}
