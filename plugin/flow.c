/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flow.h"

#include "caps.h"
#include "measure.h"
#include "memory/bufferframe.h"
#include "metas.h"
#include "negotiation.h"
#include "regions.h"
#include "report.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* The default numbers of frames in flight. With IN_FLIGHT, one frame is uploaded, one is filtered
 * and one is downloaded at the same time. If frames stay on the device, one frame is filtered while
 * the previous frame is pushed. */
#define IN_FLIGHT 3
#define IN_FLIGHT_ON_DEVICE 2

/* Frames are held back in CUDA memory only if this number of further frames would fit into it,
 * because other elements hold frames too. */
#define SPARE_FRAMES 16

static GstFlowReturn
last_answer(GstCudaConv *self) {
  return gst_pad_get_last_flow_return(GST_BASE_TRANSFORM_SRC_PAD(self));
}

GstFlowReturn
gst_cuda_conv_fail(GstCudaConv *self, const GError *error) {
  cc_session_clear(self->session);
  if (!self->flow.failed && last_answer(self) != GST_FLOW_ERROR)
    gst_cuda_conv_post_error(self, error);
  self->flow.failed = TRUE;
  return GST_FLOW_ERROR;
}

/* --- downstream --- */

/* Whether downstream returned EOS, FLUSHING or an error for the last frame. Nothing may be pushed
 * after these results. NOT_LINKED and NOT_NEGOTIATED do not count, because the pad may be linked or
 * negotiated by the next frame. */
static gboolean
downstream_refuses(GstCudaConv *self) {
  const GstFlowReturn answer = last_answer(self);
  return answer < GST_FLOW_OK && answer != GST_FLOW_NOT_LINKED && answer != GST_FLOW_NOT_NEGOTIATED;
}

/* If downstream did not accept the last frame, no frame is held back, so that the next result of
 * downstream is known at once. */
static gboolean
one_is_due(GstCudaConv *self) {
  const guint n_held = last_answer(self) >= GST_FLOW_OK ? self->flow.n_held : 0;
  return cc_session_n_in_flight(self->session) > n_held;
}

/* --- frames in flight --- */

static gboolean
upstream_is_live(GstCudaConv *self) {
  g_autoptr(GstQuery) query = gst_query_new_latency();
  gboolean live = TRUE; /* default if upstream does not answer */
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(self), query))
    gst_query_parse_latency(query, &live, NULL, NULL);
  return live;
}

guint
gst_cuda_conv_max_in_flight(GstCudaConv *self) {
  const guint wanted = cc_settings_get_device(&self->settings).in_flight;
  GST_OBJECT_LOCK(self);
  const gboolean on_device =
      self->negotiation.in_domain->on_device && self->negotiation.out_domain->on_device;
  GST_OBJECT_UNLOCK(self);
  const guint automatic = on_device ? IN_FLIGHT_ON_DEVICE : IN_FLIGHT;
  return MIN(wanted ? wanted : automatic, cc_session_capacity(self->session));
}

/* A frame in flight holds device memory of the upstream element if its input is on the device, and
 * device memory of this element if its output is on the device. `in_bytes` is the memory of an
 * input frame. */
static gboolean
memory_is_tight(GstCudaConv *self, gsize in_bytes) {
  CcDevice *device = cc_session_get_device(self->session);
  g_autoptr(GstBufferPool) pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(self));
  guint out_bytes = 0;
  if (!self->negotiation.in_domain->on_device)
    in_bytes = 0;
  if (self->negotiation.out_domain->on_device && pool) {
    GstStructure *config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_get_params(config, NULL, &out_bytes, NULL, NULL);
    gst_structure_free(config);
  }
  const gsize bytes = MAX(in_bytes, out_bytes);
  return device && bytes > 0 && cc_device_free_bytes(device) / SPARE_FRAMES < bytes;
}

/* With a variable rate, the caps do not define the duration of a frame. GstVideoInfo then has the
 * highest rate, if the caps have one, but frames may be further apart. */
static gboolean
rate_is_known(const GstVideoInfo *info) {
  return info->fps_n > 0 && !(info->flags & GST_VIDEO_FLAG_VARIABLE_FPS);
}

/* Transfers and CUDA kernels overlap if frames are held back. Frames are held back if the pipeline
 * is not live and memory suffices, or if the in-flight property requests it. A live pipeline must
 * know the delay, which the element reports as latency. If the frame duration is unknown, the
 * latency is unknown too, so a live pipeline then holds back no frame. */
static void
decide_held_frames(GstCudaConv *self, gsize in_bytes) {
  const guint max = gst_cuda_conv_max_in_flight(self);
  const gboolean automatic = cc_settings_get_device(&self->settings).in_flight == 0;
  const GstVideoInfo *info = &self->negotiation.in_info;
  const gboolean holds_none = ((automatic || !rate_is_known(info)) && upstream_is_live(self)) ||
                              (automatic && memory_is_tight(self, in_bytes));
  const guint n_held = holds_none ? 0 : max - 1;
  self->flow.held_is_decided = TRUE;
  GST_INFO_OBJECT(self, "%u frames in flight", n_held + 1);

  /* the rate is that of frames, but a buffer may have one field */
  const gint per_frame = info->interlace_mode == GST_VIDEO_INTERLACE_MODE_ALTERNATE ? 2 : 1;
  const GstClockTime time =
      rate_is_known(info)
          ? gst_util_uint64_scale(n_held * GST_SECOND / per_frame, info->fps_d, info->fps_n)
          : 0;
  GST_OBJECT_LOCK(self);
  const gboolean changed = time != self->flow.held_time;
  self->flow.held_time = time;
  self->flow.n_held = n_held;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

/* --- before a frame --- */

/* Moves the session to the context of a frame in device memory. Does nothing if the frame can be
 * submitted without a move, for example because the frame is copied between
 * contexts. */
static GstFlowReturn
move_to_context(GstCudaConv *self, GstBuffer *in) {
  g_autoptr(GError) error = NULL;
  CcContext context;
  if (!cc_buffer_get_context(in, &context) || cc_session_reaches(self->session, &context))
    return GST_FLOW_OK;
  GST_INFO_OBJECT(self, "a frame of another context, on device %d", context.device_id);
  const GstFlowReturn ret = gst_cuda_conv_drain(self);
  /* no device: the session failed over during the drain */
  if (ret != GST_FLOW_OK || !cc_session_get_device(self->session) ||
      cc_session_move(self->session, &context, &error))
    return ret;
  return gst_cuda_conv_fail(self, error);
}

GstFlowReturn
gst_cuda_conv_check_frame(GstCudaConv *self, GstBuffer *in) {
  g_autoptr(GError) error = NULL;
  if (!self->flow.started)
    return GST_FLOW_FLUSHING;
  if (self->flow.failed)
    return GST_FLOW_ERROR;
  if (self->negotiation.refused || self->negotiation.layout.n_planes == 0)
    return GST_FLOW_NOT_NEGOTIATED;
  if (cc_buffer_check(in, &self->negotiation.in_info, &self->negotiation.layout, &error))
    return move_to_context(self, in);
  gst_cuda_conv_drain(self);
  return gst_cuda_conv_fail(self, error);
}

/* Negotiates before the base class would do so, because the base class would post a warning on
 * failure. */
static GstFlowReturn
negotiate_again(GstCudaConv *self) {
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD(self);
  if (gst_cuda_conv_negotiate_again(self))
    return GST_FLOW_OK;
  gst_pad_mark_reconfigure(pad);
  return self->flow.failed          ? GST_FLOW_ERROR
         : GST_PAD_IS_FLUSHING(pad) ? GST_FLOW_FLUSHING
                                    : GST_FLOW_NOT_NEGOTIATED;
}

/* Whether the neighbour at the pad accepts memory other than `domain`. */
static gboolean
has_choice(GstPad *pad, const CcDomain *domain) {
  g_autoptr(GstCaps) caps = gst_pad_peer_query_caps(pad, NULL);
  g_autoptr(GstCaps) in_domain = cc_caps_in_domain(caps, domain);
  return !gst_caps_is_subset(caps, in_domain);
}

/* Negotiates memory again after a failover, because device memory has no benefit for the CPU. Does
 * nothing before the state is PLAYING, because a sink in preroll blocks allocation queries. */
static void
negotiate_memory(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  if (!self->flow.negotiates_memory || GST_STATE(self) != GST_STATE_PLAYING)
    return;
  self->flow.negotiates_memory = FALSE;
  if (self->negotiation.in_domain->on_device &&
      has_choice(trans->sinkpad, self->negotiation.in_domain))
    gst_base_transform_reconfigure_sink(trans);
  gst_base_transform_reconfigure_src(trans);
}

GstFlowReturn
gst_cuda_conv_begin_frame(GstCudaConv *self, GstBuffer *in) {
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD(self);
  GstFlowReturn ret = GST_FLOW_OK;
  negotiate_memory(self);
  if (GST_BUFFER_IS_DISCONT(in) || gst_pad_needs_reconfigure(pad))
    ret = gst_cuda_conv_drain(self);
  if (ret == GST_FLOW_OK && gst_pad_check_reconfigure(pad))
    ret = negotiate_again(self);
  return ret;
}

/* --- output buffers --- */

static GstBufferPool *
get_pool(GstCudaConv *self) {
  g_autoptr(GstBufferPool) pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(self));
  const gboolean works =
      pool && (gst_buffer_pool_is_active(pool) || gst_buffer_pool_set_active(pool, TRUE));
  return works ? g_steal_pointer(&pool) : NULL;
}

/* If the output pool does not start, negotiates a new pool first. Sets *pool_failed if the new pool
 * does not start either, or if the pool cannot allocate a buffer. Memory may be used up in both
 * cases. This function replaces prepare_output_buffer of the base class, which returns
 * GST_FLOW_ERROR for all failures. */
static GstFlowReturn
get_buffer(GstCudaConv *self, GstBuffer *in, GstBuffer **out, gboolean *pool_failed) {
  g_autoptr(GstBufferPool) pool = get_pool(self);
  GstFlowReturn ret = GST_FLOW_OK;
  *pool_failed = FALSE;
  if (!pool)
    ret = negotiate_again(self);
  if (ret != GST_FLOW_OK)
    return ret;
  if (!pool)
    pool = get_pool(self);
  ret = pool ? gst_buffer_pool_acquire_buffer(pool, out, NULL) : GST_FLOW_ERROR;
  *pool_failed = ret == GST_FLOW_ERROR;
  if (ret != GST_FLOW_OK ||
      gst_cuda_conv_base_class()->copy_metadata(GST_BASE_TRANSFORM(self), in, *out))
    return ret;
  gst_clear_buffer(out);
  g_autoptr(GError) error = g_error_new_literal(
      CC_ERROR, CC_ERROR_INVALID,
      "downstream's buffer pool returned a buffer that is shared and cannot be written");
  return gst_cuda_conv_fail(self, error);
}

/* The remedies if no buffer is available. The cheapest remedy is tried first. */
typedef enum { FEWER_FRAMES, OTHER_DOMAIN, NO_DEVICE, N_REMEDIES } Remedy;

/* The current output domain stays in use if downstream accepts no other. */
static GstFlowReturn
avoid_domain(GstCudaConv *self) {
  gst_cuda_conv_avoid_domain(self);
  return negotiate_again(self);
}

/* Uses another output domain from now on. If downstream accepts no other domain, sends an
 * allocation query downstream. The query is serialized, so downstream elements push their frames in
 * flight first. The buffers of these frames return to the pool. */
static GstFlowReturn
relieve_domain(GstCudaConv *self) {
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD(self);
  if (has_choice(pad, self->negotiation.out_domain))
    return avoid_domain(self);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  g_autoptr(GstQuery) query = gst_query_new_allocation(caps, FALSE);
  gst_pad_peer_query(pad, query);
  return GST_FLOW_OK;
}

/* The caller has drained the element, so no frame in flight holds memory. */
static GstFlowReturn
try_remedy(GstCudaConv *self, Remedy remedy) {
  static const gchar *const reason = "no buffer for an output frame";
  const gboolean on_device = cc_session_get_device(self->session) != NULL;
  if (remedy == OTHER_DOMAIN && self->negotiation.out_domain->feature)
    return relieve_domain(self);
  if (remedy == FEWER_FRAMES && on_device)
    cc_session_shrink(self->session, reason);
  else if (remedy == NO_DEVICE && on_device && self->negotiation.out_domain->on_device)
    cc_session_give_up_device(self->session, reason, NULL);
  return GST_FLOW_OK;
}

static GstFlowReturn
fail_without_buffer(GstCudaConv *self) {
  const CcDomain *domain = self->negotiation.out_domain;
  g_autoptr(GError) error =
      domain->feature
          ? g_error_new(CC_ERROR, CC_ERROR_NO_MEMORY,
                        "no output frame in %s is available, and the downstream caps allow "
                        "no other memory; video/x-raw instead of video/x-raw(%s) allows system "
                        "memory",
                        domain->name, domain->feature)
          : g_error_new_literal(CC_ERROR, CC_ERROR_NO_MEMORY,
                                "no buffer for an output frame is available: memory or the pool of "
                                "the downstream element is used up");
  return gst_cuda_conv_fail(self, error);
}

static GstFlowReturn
prepare(GstCudaConv *self, GstBuffer *in, GstBuffer **out) {
  gboolean pool_failed;
  GstFlowReturn ret = get_buffer(self, in, out, &pool_failed);
  for (Remedy remedy = FEWER_FRAMES; pool_failed && remedy < N_REMEDIES; remedy++) {
    ret = gst_cuda_conv_drain(self);
    if (ret == GST_FLOW_OK)
      ret = try_remedy(self, remedy);
    if (ret != GST_FLOW_OK)
      return ret;
    ret = get_buffer(self, in, out, &pool_failed);
  }
  return pool_failed ? fail_without_buffer(self) : ret;
}

/* --- in and out of the session --- */

/* Whether the buffer is a frame that has two fields. */
static gboolean
has_fields(GstCudaConv *self, GstBuffer *in) {
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE(&self->negotiation.in_info);
  return mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED ||
         (mode == GST_VIDEO_INTERLACE_MODE_MIXED &&
          GST_BUFFER_FLAG_IS_SET(in, GST_VIDEO_BUFFER_FLAG_INTERLACED));
}

/* Consumes `out`, `regions` and `types`. If `out` is NULL, filters in place and consumes `in` too.
 */
static GstFlowReturn
submit(GstCudaConv *self, GstBuffer *in, GstBuffer *out, GArray *regions, GArray *types) {
  g_autoptr(GError) error = NULL;
  const CcFilter *filter = cc_session_get_filter(self->session);
  const gboolean reads_whole = !regions || (out && filter->outside == CC_OUTSIDE_COPY);
  CcSessionFrame *frame = cc_buffer_frame_new(in, &self->negotiation.in_info, out,
                                              &self->negotiation.out_info, regions, reads_whole);
  cc_buffer_frame_set_plan(frame, cc_session_get_plan(self->session), types);
  frame->by_fields =
      filter->fields == CC_FIELDS_AUTO && filter->stride <= 1 && has_fields(self, in);
  if (cc_session_submit(self->session, frame, &error))
    return GST_FLOW_OK;
  frame->klass->free(frame);
  gst_cuda_conv_drain(self);
  return gst_cuda_conv_fail(self, error);
}

/* Handles a frame whose output buffer in device memory, `lost`, could not be mapped. Its pixels are
 * in `*out`, in system memory. Uses another output domain from now on. If downstream accepts no
 * other domain, copies the frame to `lost`, which then becomes `*out`. Consumes `lost`. */
static GstFlowReturn
replace_lost(GstCudaConv *self, GstBuffer **out, GstBuffer *lost) {
  g_autoptr(GError) error = NULL;
  GstFlowReturn ret = self->negotiation.out_domain->on_device ? avoid_domain(self) : GST_FLOW_OK;
  if (ret == GST_FLOW_OK && self->negotiation.out_domain->on_device) {
    if (cc_buffer_copy_to_device(lost, *out, &self->negotiation.out_info, &error)) {
      GstBuffer *copied = *out;
      *out = lost;
      lost = copied;
    } else {
      ret = gst_cuda_conv_fail(self, error);
    }
  }
  gst_buffer_unref(lost);
  if (ret != GST_FLOW_OK)
    gst_clear_buffer(out);
  return ret;
}

/* Waits for the oldest frame in flight. */
static GstFlowReturn
take(GstCudaConv *self, GstBuffer **out) {
  g_autoptr(GError) error = NULL;
  GstBuffer *lost;
  self->flow.takes = TRUE;
  CcSessionFrame *frame = cc_session_take(self->session, &error);
  self->flow.takes = FALSE;
  if (!frame)
    return gst_cuda_conv_fail(self, error);
  g_autoptr(GstStructure) figures = gst_cuda_conv_get_figures(frame);
  *out = cc_buffer_frame_free_to_output(frame, &lost);
  const GstFlowReturn ret = lost ? replace_lost(self, out, lost) : GST_FLOW_OK;
  if (ret == GST_FLOW_OK && figures) {
    self->flow.takes = TRUE; /* a message handler may send an event, as above */
    gst_cuda_conv_report_figures(self, *out, figures);
    self->flow.takes = FALSE;
  }
  return ret;
}

static GstFlowReturn
process_queued(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  g_autoptr(GstBuffer) in = g_steal_pointer(&trans->queued_buf);
  GstBuffer *out = NULL;
  gsize in_bytes;
  if (!in)
    return GST_FLOW_OK;
  gst_buffer_get_sizes(in, NULL, &in_bytes);
  if (downstream_refuses(self))
    cc_session_clear(self->session);
  if (!self->flow.held_is_decided)
    decide_held_frames(self, in_bytes);
  GArray *types;
  GArray *regions = gst_cuda_conv_list_regions(self, in, &types);
  GstFlowReturn ret = GST_FLOW_OK;
  if (gst_cuda_conv_is_in_place(self, in, regions)) {
    cc_metas_remove_stale(in);
    ret = submit(self, g_steal_pointer(&in), NULL, regions, types);
  } else {
    ret = prepare(self, in, &out);
    if (ret == GST_FLOW_OK)
      ret = submit(self, in, out, regions, types);
    else {
      g_clear_pointer(&regions, g_array_unref);
      g_clear_pointer(&types, g_array_unref);
    }
  }
  if (!self->flow.held_is_decided) /* submitting the frame changed the session */
    decide_held_frames(self, in_bytes);
  return ret;
}

GstFlowReturn
gst_cuda_conv_process_frame(GstCudaConv *self, GstBuffer **out) {
  *out = NULL;
  const GstFlowReturn ret = process_queued(self);
  return ret == GST_FLOW_OK && !self->flow.takes && one_is_due(self) ? take(self, out) : ret;
}

GstFlowReturn
gst_cuda_conv_drain(GstCudaConv *self) {
  GstFlowReturn result = GST_FLOW_OK;
  if (!self->flow.started)
    return GST_FLOW_FLUSHING;
  /* A message handler sent an event while take() was running. The frame that take() returns must be
   * pushed first. */
  if (self->flow.takes)
    return GST_FLOW_OK;
  while (cc_session_n_in_flight(self->session) > 0) {
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

/* --- start and stop --- */

void
gst_cuda_conv_begin_flow(GstCudaConv *self) {
  cc_session_begin(self->session);
  gst_cuda_conv_restart_measuring(self);
  self->flow.failed = FALSE;
  self->flow.negotiates_memory = FALSE;
  self->flow.started = TRUE;
  GST_OBJECT_LOCK(self);
  self->flow.n_held = 0;
  self->flow.held_time = 0;
  GST_OBJECT_UNLOCK(self);
}

void
gst_cuda_conv_end_flow(GstCudaConv *self) {
  self->flow.started = FALSE;
  cc_session_end(self->session);
}

void
gst_cuda_conv_decide_held_again(GstCudaConv *self) {
  self->flow.held_is_decided = FALSE;
}

void
gst_cuda_conv_negotiate_memory_again(GstCudaConv *self) {
  self->flow.negotiates_memory = TRUE;
}
