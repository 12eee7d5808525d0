/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "negotiation.h"

#include "caps.h"
#include "context.h"
#include "inflight.h"
#include "layout.h"
#include "report.h"
#include "selection.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

#define CUDA_IS_USELESS "cudaconv-cuda-is-useless" /* a custom query, with a boolean "answer" */

/* --- which memory --- */

static void
set_memory_of_caps(GstCudaConv *self, gboolean in_cuda, gboolean out_cuda) {
  GST_OBJECT_LOCK(self);
  self->in_cuda = in_cuda;
  self->out_cuda = out_cuda;
  GST_OBJECT_UNLOCK(self);
}

static void
set_avoids_cuda(GstCudaConv *self, gboolean avoids) {
  GST_OBJECT_LOCK(self);
  self->avoids_cuda = avoids;
  GST_OBJECT_UNLOCK(self);
}

void
gst_cuda_conv_avoid_cuda(GstCudaConv *self) {
  set_avoids_cuda(self, TRUE);
}

static gboolean
avoids_cuda(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  const gboolean avoids = self->avoids_cuda;
  GST_OBJECT_UNLOCK(self);
  return avoids;
}

gboolean
gst_cuda_conv_answer_query(GstCudaConv *self, GstQuery *query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_CUSTOM ||
      !gst_structure_has_name(gst_query_get_structure(query), CUDA_IS_USELESS))
    return FALSE;
  gst_structure_set(gst_query_writable_structure(query), "answer", G_TYPE_BOOLEAN,
                    !gst_cuda_conv_takes_cuda(self), NULL);
  return TRUE;
}

/* Whether the next element of this kind says that it has no use for CUDA memory. Elements in
 * between pass the query on if they know nothing of CUDA. */
static gboolean
cuda_is_useless(GstCudaConv *self) {
  gboolean answer = FALSE;
  g_autoptr(GstQuery) query = gst_query_new_custom(
      GST_QUERY_CUSTOM, gst_structure_new(CUDA_IS_USELESS, "answer", G_TYPE_BOOLEAN, FALSE, NULL));
  return gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(self), query) &&
         gst_structure_get_boolean(gst_query_get_structure(query), "answer", &answer) && answer;
}

/* Whether downstream names CUDA memory of these caps, rather than to take whatever comes, and has a
 * use for it. Who names that first has. */
static gboolean
wants_cuda(GstCudaConv *self, GstCaps *peer, GstCaps *in_cuda) {
  g_autoptr(GstCaps) named = cc_caps_in_cuda(peer);
  return gst_caps_can_intersect(named, in_cuda) &&
         (cc_caps_are_cuda(peer) || !cuda_is_useless(self));
}

/* Leaves one memory in the caps `other` of the source pad, if downstream takes it: CUDA's when that
 * is wanted and the device makes it, and else the system's, since not all who take anything know
 * how frames lie in CUDA memory. The base class alone would take that of the input. */
static void
prefer_memory(GstCudaConv *self, GstCaps **other) {
  g_autoptr(GstCaps) peer = gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(self), NULL);
  g_autoptr(GstCaps) in_cuda = cc_caps_in_cuda(*other);
  g_autoptr(GstCaps) in_system = gst_caps_subtract(*other, in_cuda);
  const gboolean cuda =
      gst_cuda_conv_takes_cuda(self) && !avoids_cuda(self) && wants_cuda(self, peer, in_cuda);
  GstCaps *wanted = cuda ? in_cuda : in_system;
  if (gst_caps_can_intersect(peer, wanted))
    gst_caps_replace(other, wanted);
}

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
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "too large for a frame in memory, or with fields that contradict each other: %s",
              text);
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
  set_memory_of_caps(self, cc_caps_are_cuda(caps), self->out_cuda);
  if (!parse_caps(caps, &info, &layout, &error) ||
      !gst_cuda_conv_choose_filter(self, caps, &layout, &error))
    return refuse_caps(self, error);
  self->caps_told = FALSE;
  return TRUE;
}

/* No frame is filtered as long as the caps are refused, by this element or by the base class. */
gboolean
gst_cuda_conv_take_caps(GstCudaConv *self, GstEvent *event) {
  if (!self->started || !begin_caps(self, event)) {
    gst_event_unref(event);
    return FALSE;
  }
  self->caps_refused = !gst_cuda_conv_base_class()->sink_event(GST_BASE_TRANSFORM(self), event);
  return !self->caps_refused;
}

gboolean
gst_cuda_conv_negotiate_again(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(trans->sinkpad);
  return !caps || gst_cuda_conv_base_class()->sink_event(trans, gst_event_new_caps(caps));
}

void
gst_cuda_conv_forget_caps(GstCudaConv *self) {
  self->layout = (CcFrameLayout){0};
  gst_video_info_init(&self->in_info);
  gst_video_info_init(&self->out_info);
  self->caps_told = self->caps_refused = FALSE;
  set_memory_of_caps(self, FALSE, FALSE);
  set_avoids_cuda(self, FALSE);
}

static GstCaps *
transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  const gboolean cuda = gst_cuda_conv_can_use_cuda(self);
  g_autoptr(GstCaps) other =
      cc_caps_transform(caps, direction, gst_cuda_conv_current_stride(self), cuda);
  if (cuda && direction == GST_PAD_SINK && gst_caps_is_fixed(caps))
    prefer_memory(self, &other);
  return filter ? gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST)
                : g_steal_pointer(&other);
}

static gboolean
set_caps(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  self->liveness_known = FALSE;
  set_memory_of_caps(self, cc_caps_are_cuda(in_caps), cc_caps_are_cuda(out_caps));
  return parse_caps(in_caps, &self->in_info, &self->layout, NULL) &&
         gst_video_info_from_caps(&self->out_info, out_caps);
}

static gboolean
get_unit_size(GstBaseTransform *trans, GstCaps *caps, gsize *size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps))
    return FALSE;
  *size = info.size;
  return TRUE;
}

void
gst_cuda_conv_install_negotiation(GstBaseTransformClass *klass) {
  klass->transform_caps = transform_caps;
  klass->set_caps = set_caps;
  klass->get_unit_size = get_unit_size;
}
