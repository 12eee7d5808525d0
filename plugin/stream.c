/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"

#include "context.h"
#include "memory/bufferframe.h"
#include "memory/cudamemory.h"
#include "report.h"
#include "selection.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* One frame is uploaded, one filtered, one downloaded. */
#define AUTOMATIC_IN_FLIGHT 3

static GstBaseTransformClass *
parent_class(void) {
  return g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
}

GstFlowReturn
gst_cuda_conv_fail(GstCudaConv *self, const GError *error) {
  cc_session_clear(self->session);
  if (!self->failed)
    gst_cuda_conv_post_error(self, error);
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

/* --- how many frames are held back --- */

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
  return MIN(wanted ? wanted : AUTOMATIC_IN_FLIGHT, cc_session_capacity(self->session));
}

/* Keeps frames back, so that transfers and kernels overlap: when that delays nobody, or the
 * properties ask for it. */
static void
decide_held_frames(GstCudaConv *self) {
  const guint most = gst_cuda_conv_most_in_flight(self);
  const gboolean automatic = cc_settings_get_in_flight(&self->settings) == 0;
  const guint n_held = most > 1 && !(automatic && upstream_is_live(self)) ? most - 1 : 0;
  self->liveness_known = TRUE;
  GST_INFO_OBJECT(self, "%u frames in flight", n_held + 1);

  const GstVideoInfo *info = &self->in_info;
  GstClockTime time = 0; /* also when the frame rate is not known */
  if (info->fps_n > 0)
    time = gst_util_uint64_scale(n_held * GST_SECOND, info->fps_d, info->fps_n);
  GST_OBJECT_LOCK(self);
  const gboolean changed = time != self->held_time;
  self->held_time = time;
  self->n_held = n_held;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

/* What downstream said to the last frame. */
static GstFlowReturn
last_answer(GstCudaConv *self) {
  return gst_pad_get_last_flow_return(GST_BASE_TRANSFORM_SRC_PAD(self));
}

/* Whether downstream said EOS, FLUSHING or an error, so that nothing is pushed after it. A pad that
 * is not linked, or not negotiated, may be by the next frame. */
static gboolean
downstream_refuses(GstCudaConv *self) {
  const GstFlowReturn answer = last_answer(self);
  return answer < GST_FLOW_OK && answer != GST_FLOW_NOT_LINKED && answer != GST_FLOW_NOT_NEGOTIATED;
}

/* Whether more frames are under way than shall be held. None is held for a neighbour that took no
 * frame last, so that what it says is known at once. */
static gboolean
one_is_due(GstCudaConv *self) {
  const guint n_held = last_answer(self) >= GST_FLOW_OK ? self->n_held : 0;
  return cc_session_n_under_way(self->session) > n_held;
}

/* --- a frame's way --- */

/* Moves the session to the context of a frame in CUDA memory, unless the properties insist on
 * another device. The frames under way are pushed before. */
static GstFlowReturn
follow_context(GstCudaConv *self, GstBuffer *in) {
  GstObject *theirs = self->memory.device ? cc_buffer_get_cuda_context(in) : NULL;
  if (!theirs)
    return GST_FLOW_OK;
  const CcContext context = cc_cuda_context_describe(theirs);
  if (cc_session_reaches(self->session, &context))
    return GST_FLOW_OK;
  GST_INFO_OBJECT(self, "moving to the context of a frame, on device %d", context.device_id);
  const GstFlowReturn ret = gst_cuda_conv_drain(self);
  if (ret != GST_FLOW_OK || !self->memory.device) /* it failed meanwhile */
    return ret;
  g_autoptr(GError) error = NULL;
  const gboolean ok = cc_session_move(self->session, &context, &error);
  gst_cuda_conv_follow_session(self, theirs);
  return ok ? GST_FLOW_OK : gst_cuda_conv_fail(self, error);
}

/* Whether the buffer can be filtered, told before any memory is taken for it. */
static GstFlowReturn
check_input(GstCudaConv *self, GstBuffer *in) {
  g_autoptr(GError) error = NULL;
  if (!self->started)
    return GST_FLOW_FLUSHING;
  if (self->failed)
    return GST_FLOW_ERROR;
  if (self->caps_refused || self->layout.n_planes == 0)
    return GST_FLOW_NOT_NEGOTIATED;
  if (cc_buffer_check(in, &self->in_info, &self->layout, &error))
    return follow_context(self, in);
  gst_cuda_conv_drain(self);
  return gst_cuda_conv_fail(self, error);
}

/* Values that control bindings give the frame. */
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

/* A frame boundary. The base class marks the next buffer that it pushes as discontinuous and may
 * renegotiate here, so earlier frames have to be out before. */
static GstFlowReturn
submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *in) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  GstFlowReturn ret = check_input(self, in);
  if (ret == GST_FLOW_OK) {
    cc_settings_begin_frame(&self->settings);
    gst_cuda_conv_follow_properties(self);
    if (GST_BUFFER_IS_DISCONT(in) || gst_pad_needs_reconfigure(trans->srcpad))
      ret = gst_cuda_conv_drain(self);
  }
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref(in);
    return ret;
  }
  ret = parent_class()->submit_input_buffer(trans, discont, in);
  if (ret != GST_BASE_TRANSFORM_FLOW_DROPPED)
    return ret;
  const GstFlowReturn drained = gst_cuda_conv_drain(self);
  return drained == GST_FLOW_OK ? ret : drained;
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
  self->failed |= pool && !gst_buffer_pool_is_active(pool);
  return gst_cuda_conv_fail(self, error);
}

/* Gets a buffer for the output. Memory that held frames have may be what a pool lacks. */
static GstFlowReturn
prepare(GstCudaConv *self, GstBuffer *in, GstBuffer **out) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  GstFlowReturn ret = parent_class()->prepare_output_buffer(trans, in, out);
  if (ret == GST_FLOW_ERROR && cc_session_n_under_way(self->session) > 0) {
    const GstFlowReturn drained = gst_cuda_conv_drain(self);
    if (drained != GST_FLOW_OK)
      return drained;
    cc_session_shrink(self->session, "no buffer for an output frame");
    gst_cuda_conv_follow_session(self, NULL);
    ret = parent_class()->prepare_output_buffer(trans, in, out);
  }
  return ret == GST_FLOW_ERROR ? fail_without_buffer(self) : ret;
}

/* Puts a frame under way. Takes `out`. */
static GstFlowReturn
submit(GstCudaConv *self, GstBuffer *in, GstBuffer *out) {
  g_autoptr(GError) error = NULL;
  CcSessionFrame *frame = cc_buffer_frame_new(in, &self->in_info, out, &self->out_info);
  const gboolean ok = cc_session_submit(self->session, frame, &error);
  gst_cuda_conv_follow_session(self, NULL);
  if (ok)
    return GST_FLOW_OK;
  frame->klass->free(frame);
  gst_cuda_conv_drain(self);
  return gst_cuda_conv_fail(self, error);
}

/* Waits for the oldest frame under way and takes it. */
static GstFlowReturn
take(GstCudaConv *self, GstBuffer **out) {
  g_autoptr(GError) error = NULL;
  CcSessionFrame *frame = cc_session_take(self->session, &error);
  gst_cuda_conv_follow_session(self, NULL);
  if (!frame)
    return gst_cuda_conv_fail(self, error);
  *out = cc_buffer_frame_free_to_output(frame);
  return GST_FLOW_OK;
}

/* Puts the buffer that the base class has queued under way. */
static GstFlowReturn
process_queued(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  g_autoptr(GstBuffer) in = g_steal_pointer(&trans->queued_buf);
  GstBuffer *out = NULL;
  if (!in)
    return GST_FLOW_OK;
  if (downstream_refuses(self))
    cc_session_clear(self->session);
  if (!self->liveness_known)
    decide_held_frames(self);
  GstFlowReturn ret = prepare(self, in, &out);
  if (ret == GST_FLOW_OK)
    ret = submit(self, in, out);
  if (!self->liveness_known) /* the session changed with this frame */
    decide_held_frames(self);
  return ret;
}

/* The base class calls this after submit_input_buffer until there is no output, and pushes what it
 * gets in between. */
static GstFlowReturn
generate_output(GstBaseTransform *trans, GstBuffer **out) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  *out = NULL;
  const GstFlowReturn ret = process_queued(self);
  return ret == GST_FLOW_OK && one_is_due(self) ? take(self, out) : ret;
}

GstFlowReturn
gst_cuda_conv_drain(GstCudaConv *self) {
  GstFlowReturn result = GST_FLOW_OK;
  if (!self->started)
    return GST_FLOW_FLUSHING;
  while (cc_session_n_under_way(self->session) > 0) {
    GstBuffer *out;
    if (downstream_refuses(self)) {
      result = last_answer(self);
      cc_session_clear(self->session);
      break;
    }
    GstFlowReturn ret = take(self, &out);
    if (ret == GST_FLOW_OK)
      ret = gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(self), out);
    if (ret < GST_FLOW_OK)
      result = ret;
  }
  return result;
}

/* The base class passes frames on unfiltered where there is none; generate_output does the work. */
static GstFlowReturn
transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  g_return_val_if_reached(GST_FLOW_NOT_SUPPORTED);
}

void
gst_cuda_conv_install_frame_functions(GstBaseTransformClass *klass) {
  klass->before_transform = sync_properties;
  klass->submit_input_buffer = submit_input_buffer;
  klass->generate_output = generate_output;
  klass->transform = transform;
}
