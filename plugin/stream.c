/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"

#include "backendcontrol.h"
#include "report.h"
#include "selection.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* One frame is uploaded, one filtered, one downloaded. */
#define AUTOMATIC_IN_FLIGHT 3

static GstBaseTransformClass *
parent_class(void) {
  return g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
}

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

GstFlowReturn
gst_cuda_conv_fail(GstCudaConv *self, const GError *error) {
  cc_inflight_clear(&self->inflight);
  if (!self->failed)
    gst_cuda_conv_post_error(self, error);
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

/* Waits for the oldest frame in flight; where the device failed the CPU has filtered it again. */
static GstFlowReturn
finish_oldest(GstCudaConv *self, GstBuffer **out) {
  g_autoptr(GError) error = NULL;
  CcTimes times = {0};
  if (!cc_inflight_wait(&self->inflight, &times, &error) && !gst_cuda_conv_fail_over(self, error))
    return gst_cuda_conv_fail(self, error);
  *out = cc_inflight_pop(&self->inflight);
  count_frame(self, *out, &times);
  return GST_FLOW_OK;
}

static GstFlowReturn
push_oldest(GstCudaConv *self) {
  GstBuffer *out;
  const GstFlowReturn ret = finish_oldest(self, &out);
  return ret == GST_FLOW_OK ? gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(self), out) : ret;
}

void
gst_cuda_conv_drain(GstCudaConv *self) {
  while (cc_inflight_length(&self->inflight) > 0)
    push_oldest(self);
}

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
  const guint possible = self->backend ? MIN(self->backend->depth, self->most_in_flight) : 1;
  GST_OBJECT_UNLOCK(self);
  return MIN(wanted ? wanted : AUTOMATIC_IN_FLIGHT, possible);
}

/* Keeps frames back, so that transfers and kernels overlap: when that delays nobody, or the
 * properties ask for it. */
static void
decide_held_frames(GstCudaConv *self) {
  const guint most = gst_cuda_conv_most_in_flight(self);
  const gboolean automatic = cc_settings_get_in_flight(&self->settings) == 0;
  self->n_held = most > 1 && !(automatic && upstream_is_live(self)) ? most - 1 : 0;
  self->liveness_known = TRUE;
  GST_INFO_OBJECT(self, "%u frames in flight", self->n_held + 1);

  const GstVideoInfo *info = &self->in_info;
  GstClockTime time = 0; /* also when the frame rate is not known */
  if (info->fps_n > 0)
    time = gst_util_uint64_scale(self->n_held * GST_SECOND, info->fps_d, info->fps_n);
  GST_OBJECT_LOCK(self);
  const gboolean changed = time != self->held_time;
  self->held_time = time;
  self->in_flight = self->n_held + 1;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

static void
sync_properties(GstBaseTransform *trans, GstBuffer *in) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (trans->segment.format != GST_FORMAT_TIME)
    return;
  const GstClockTime time =
      gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(in));
  if (!GST_CLOCK_TIME_IS_VALID(time))
    return;
  cc_settings_begin_control(&self->settings);
  gst_object_sync_values(GST_OBJECT(trans), time);
  cc_settings_end_control(&self->settings);
}

/* Once memory has run out, frames go through one by one. */
static void
reduce_in_flight(GstCudaConv *self) {
  gst_cuda_conv_drain(self);
  gst_cuda_conv_close_previous(self);
  cc_backend_trim(self->backend);
  GST_OBJECT_LOCK(self);
  self->most_in_flight = 1;
  GST_OBJECT_UNLOCK(self);
  self->liveness_known = FALSE;
}

/* Says which way the first frame took, and those after that take another. */
static void
note_paths(GstCudaConv *self) {
  const gchar *in_path = self->inflight.in_path, *out_path = self->inflight.out_path;
  if (in_path == self->in_path && out_path == self->out_path)
    return;
  GST_INFO_OBJECT(self, "frames come in through: %s; and leave through: %s", in_path, out_path);
  GST_OBJECT_LOCK(self);
  self->in_path = in_path;
  self->out_path = out_path;
  GST_OBJECT_UNLOCK(self);
}

static gboolean
start_frame(GstCudaConv *self, GstBuffer *in, GstBuffer *out, GError **error) {
  if (!cc_inflight_push(&self->inflight, self->program, in, &self->in_info, out, &self->out_info,
                        error))
    return FALSE;
  note_paths(self);
  return TRUE;
}

/* Whether the buffer can be filtered, told before any memory is taken for it. */
static GstFlowReturn
check_input(GstCudaConv *self, GstBuffer *in) {
  g_autoptr(GError) error = NULL;
  if (self->failed)
    return GST_FLOW_ERROR;
  if (self->caps_refused || self->layout.n_planes == 0)
    return GST_FLOW_NOT_NEGOTIATED;
  if (cc_buffer_check(in, &self->in_info, &self->layout, &error) &&
      gst_cuda_conv_follow_context(self, in, &error))
    return GST_FLOW_OK;
  gst_cuda_conv_drain(self);
  return gst_cuda_conv_fail(self, error);
}

/* A frame boundary. The base class marks the next buffer that it pushes as discontinuous and may
 * renegotiate here, so earlier frames have to be out before. */
static GstFlowReturn
submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *in) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GstFlowReturn ret = check_input(self, in);
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref(in);
    return ret;
  }
  cc_settings_begin_frame(&self->settings);
  gst_cuda_conv_follow_properties(self);
  if (GST_BUFFER_IS_DISCONT(in) || gst_pad_needs_reconfigure(trans->srcpad))
    gst_cuda_conv_drain(self);
  ret = parent_class()->submit_input_buffer(trans, discont, in);
  if (ret == GST_BASE_TRANSFORM_FLOW_DROPPED)
    gst_cuda_conv_drain(self);
  else if (ret == GST_FLOW_OK && self->next_program)
    gst_cuda_conv_use_next_program(self);
  return ret;
}

/* Ends the stream for want of an output buffer. The base class has told about a pool that does not
 * start. */
static GstFlowReturn
fail_without_buffer(GstCudaConv *self) {
  g_autoptr(GError) error =
      g_error_new_literal(CC_ERROR, CC_ERROR_NO_MEMORY,
                          "no buffer for an output frame can be had: memory, or the pool of what "
                          "is behind the element, is used up");
  g_autoptr(GstBufferPool) pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(self));
  self->failed = pool && !gst_buffer_pool_is_active(pool);
  return gst_cuda_conv_fail(self, error);
}

/* Memory that held frames have may be what a pool lacks. */
static GstFlowReturn
prepare_output_buffer(GstBaseTransform *trans, GstBuffer *in, GstBuffer **out) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GstFlowReturn ret = parent_class()->prepare_output_buffer(trans, in, out);
  if (ret == GST_FLOW_ERROR && cc_inflight_length(&self->inflight) > 0) {
    reduce_in_flight(self);
    if (!self->failed)
      ret = parent_class()->prepare_output_buffer(trans, in, out);
  }
  return ret == GST_FLOW_ERROR && !self->failed ? fail_without_buffer(self) : ret;
}

/* Starts filtering; generate_output finishes it. */
static GstFlowReturn
start(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  if (self->failed)
    return GST_FLOW_ERROR;
  g_autoptr(GError) error = NULL;
  gboolean ok = start_frame(self, in, out, &error);
  if (!ok && g_error_matches(error, CC_ERROR, CC_ERROR_NO_MEMORY)) {
    GST_INFO_OBJECT(self, "fewer frames in flight: %s", error->message);
    g_clear_error(&error);
    reduce_in_flight(self);
    ok = !self->failed && start_frame(self, in, out, &error);
  }
  if (!ok && gst_cuda_conv_fail_over(self, error)) {
    g_clear_error(&error);
    ok = start_frame(self, in, out, &error);
  }
  if (ok)
    return GST_FLOW_OK;
  gst_cuda_conv_drain(self);
  return gst_cuda_conv_fail(self, error);
}

/* Lets the base class allocate and start a frame, and hands out the oldest one when more are in
 * flight than shall be held. */
static GstFlowReturn
generate_output(GstBaseTransform *trans, GstBuffer **out) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  *out = NULL;
  if (!self->liveness_known)
    decide_held_frames(self);
  g_autoptr(GstBuffer) started = NULL;
  GstFlowReturn ret = parent_class()->generate_output(trans, &started);
  g_clear_pointer(&started, gst_buffer_unref);
  if (!self->liveness_known) /* the backend changed with this frame */
    decide_held_frames(self);
  while (ret == GST_FLOW_OK && cc_inflight_length(&self->inflight) > self->n_held + 1)
    ret = push_oldest(self);
  if (ret != GST_FLOW_OK || cc_inflight_length(&self->inflight) <= self->n_held)
    return ret;
  return finish_oldest(self, out);
}

void
gst_cuda_conv_install_frame_functions(GstBaseTransformClass *klass) {
  klass->before_transform = sync_properties;
  klass->submit_input_buffer = submit_input_buffer;
  klass->prepare_output_buffer = prepare_output_buffer;
  klass->transform = start;
  klass->generate_output = generate_output;
}
