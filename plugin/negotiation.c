/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "negotiation.h"

#include "caps.h"
#include "context.h"
#include "inflight.h"
#include "layout.h"
#include "report.h"
#include "selection.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* A custom query: whether the memory of a "feature" of caps is of use. Its "answer" is a boolean.
 */
#define IS_OF_USE "cudaconv-memory-is-of-use"

/* --- which memory --- */

static void
set_domains(GstCudaConv *self, const CcDomain *in, const CcDomain *out) {
  GST_OBJECT_LOCK(self);
  self->in_domain = in;
  self->out_domain = out;
  GST_OBJECT_UNLOCK(self);
}

void
gst_cuda_conv_avoid_domain(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  self->avoided |= cc_domain_set_of(self->out_domain);
  GST_OBJECT_UNLOCK(self);
}

gboolean
gst_cuda_conv_answer_query(GstCudaConv *self, GstQuery *query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_CUSTOM ||
      !gst_structure_has_name(gst_query_get_structure(query), IS_OF_USE))
    return FALSE;
  const CcDomainSet usable = gst_cuda_conv_list_usable(self);
  const gchar *feature = gst_structure_get_string(gst_query_get_structure(query), "feature");
  gboolean answer = FALSE;
  for (guint i = 0; i < cc_n_domains; i++)
    answer |= usable & cc_domain_bit(i) && cc_domains[i]->feature &&
              g_strcmp0(cc_domains[i]->feature, feature) == 0;
  gst_structure_set(gst_query_writable_structure(query), "answer", G_TYPE_BOOLEAN, answer, NULL);
  return TRUE;
}

/* Whether the next element of this kind, if there is one, has a use for the domain. Elements in
 * between pass the query on if they know nothing of it. */
static gboolean
is_of_use(GstCudaConv *self, const CcDomain *domain) {
  gboolean answer = TRUE;
  g_autoptr(GstQuery) query =
      gst_query_new_custom(GST_QUERY_CUSTOM, gst_structure_new(IS_OF_USE, "feature", G_TYPE_STRING,
                                                               domain->feature, NULL));
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(self), query))
    gst_structure_get_boolean(gst_query_get_structure(query), "answer", &answer);
  return answer;
}

/* Whether downstream names memory of the domain, rather than to take whatever comes, and has a use
 * for it. A neighbour that names it first has. */
static gboolean
is_wanted(GstCudaConv *self, GstCaps *peer, GstCaps *caps, const CcDomain *domain) {
  g_autoptr(GstCaps) named = cc_caps_in_domain(peer, domain);
  g_autoptr(GstCaps) possible = cc_caps_in_domain(caps, domain);
  return gst_caps_can_intersect(named, possible) &&
         (cc_caps_get_domain(peer) == domain || is_of_use(self, domain));
}

/* Leaves one domain in the caps `other` of the source pad, if downstream takes it: the cheapest
 * that is usable and wanted, else system memory, because not all who take anything know how frames
 * lie in other memory. The base class alone would take that of the input. */
static void
prefer_domain(GstCudaConv *self, GstCaps **other) {
  g_autoptr(GstCaps) peer = gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(self), NULL);
  const CcDomain *best = &cc_system_domain;
  GST_OBJECT_LOCK(self);
  const CcDomainSet avoided = self->avoided;
  GST_OBJECT_UNLOCK(self);
  const CcDomainSet usable = gst_cuda_conv_list_usable(self) & ~avoided;
  for (guint i = 0; i < cc_n_domains; i++) {
    const CcDomain *domain = cc_domains[i];
    if (usable & cc_domain_bit(i) && domain->feature && domain->cost < best->cost &&
        is_wanted(self, peer, *other, domain))
      best = domain;
  }
  g_autoptr(GstCaps) wanted = cc_caps_in_domain(*other, best);
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
  set_domains(self, cc_caps_get_domain(caps), self->out_domain);
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
  set_domains(self, &cc_system_domain, &cc_system_domain);
  GST_OBJECT_LOCK(self);
  self->avoided = 0;
  GST_OBJECT_UNLOCK(self);
}

static GstCaps *
transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  g_autoptr(GstCaps) other = cc_caps_transform(caps, direction, gst_cuda_conv_current_stride(self),
                                               gst_cuda_conv_list_possible(self));
  if (direction == GST_PAD_SINK && gst_caps_is_fixed(caps))
    prefer_domain(self, &other);
  return filter ? gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST)
                : g_steal_pointer(&other);
}

static gboolean
set_caps(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  GstCudaConv *self = GST_CUDA_CONV(trans);
  self->liveness_known = FALSE;
  set_domains(self, cc_caps_get_domain(in_caps), cc_caps_get_domain(out_caps));
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
