/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "negotiation.h"

#include "caps.h"
#include "device.h"
#include "engine/kernel/printable.h"
#include "layout.h"
#include "report.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

#define MAX_TEXT 500 /* maximum number of bytes of caps in a message */

/* The name of a custom query between cudaconv elements: whether the receiver can use memory of the
 * caps feature in the field "feature". The receiver adds the boolean field "answer". */
#define IS_OF_USE "cudaconv-memory-is-of-use"

/* --- which memory --- */

static void
set_domains(GstCudaConv *self, const CcDomain *in, const CcDomain *out) {
  GST_OBJECT_LOCK(self);
  self->negotiation.in_domain = in;
  self->negotiation.out_domain = out;
  GST_OBJECT_UNLOCK(self);
}

void
gst_cuda_conv_set_passes_video_meta(GstCudaConv *self, gboolean passes) {
  self->negotiation.passes_video_meta = passes;
}

void
gst_cuda_conv_avoid_domain(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  self->negotiation.avoided |= cc_domain_set_of(self->negotiation.out_domain);
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

/* Whether the next cudaconv downstream can use the domain. TRUE if there is none. Elements in
 * between forward the query, because they do not know it. */
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

/* Whether downstream names the domain explicitly in its caps and can use it. ANY caps name no
 * domain. A neighbour that names the domain first is assumed to use it. */
static gboolean
is_wanted(GstCudaConv *self, GstCaps *peer, GstCaps *caps, const CcDomain *domain) {
  g_autoptr(GstCaps) named = cc_caps_in_domain(peer, domain);
  g_autoptr(GstCaps) possible = cc_caps_in_domain(caps, domain);
  return gst_caps_can_intersect(named, possible) &&
         (cc_caps_get_domain(peer) == domain || is_of_use(self, domain));
}

/* Reduces the source pad's caps `other` to the cheapest domain that is usable and that downstream
 * wants. The default is system memory, because not every element that accepts ANY caps can handle
 * other memory. If downstream does not accept the domain, `other` is unchanged. Without this
 * function the base class would choose the domain of the input. */
static void
prefer_domain(GstCudaConv *self, GstCaps **other) {
  g_autoptr(GstCaps) peer = gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(self), NULL);
  const CcDomain *best = &cc_system_domain;
  GST_OBJECT_LOCK(self);
  const CcDomainSet avoided = self->negotiation.avoided;
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

guint
gst_cuda_conv_current_stride(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  const guint stride = self->negotiation.stride;
  GST_OBJECT_UNLOCK(self);
  return stride ? stride : cc_settings_get_stride(&self->settings);
}

void
gst_cuda_conv_set_stride(GstCudaConv *self, guint stride) {
  GST_OBJECT_LOCK(self);
  const gboolean changed = stride != self->negotiation.stride;
  self->negotiation.stride = stride;
  GST_OBJECT_UNLOCK(self);
  /* The new output caps are negotiated before the next frame is filtered. */
  if (changed && stride)
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
}

gboolean
gst_cuda_conv_check_stride(GstCudaConv *self, const GstCaps *caps, guint stride, GError **error) {
  g_autoptr(GstCaps) wanted =
      cc_caps_transform(caps, GST_PAD_SINK, stride, gst_cuda_conv_list_possible(self));
  g_autoptr(GstCaps) taken = gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(self), wanted);
  if (gst_caps_can_intersect(wanted, taken))
    return TRUE;
  gint width = 0, height = 0;
  if (!gst_caps_is_empty(wanted))
    gst_structure_get(gst_caps_get_structure(wanted, 0), "width", G_TYPE_INT, &width, "height",
                      G_TYPE_INT, &height, NULL);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "stride=%u: frames would be %dx%d, which downstream does not accept", stride, width,
              height);
  return FALSE;
}

static gboolean
parse_caps(GstCaps *caps, GstVideoInfo *info, CcFrameLayout *layout, GError **error) {
  if (gst_video_info_from_caps(info, caps))
    return cc_frame_layout_from_video_info(info, layout, error);
  g_autofree gchar *whole = gst_caps_to_string(caps), *text = cc_shorten(whole, MAX_TEXT);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "too large for a frame in memory, or with fields that contradict each other: %s",
              text);
  return FALSE;
}

gboolean
gst_cuda_conv_begin_caps(GstCudaConv *self, GstCaps *caps, CcFrameLayout *layout, GError **error) {
  GstVideoInfo info;
  set_domains(self, cc_caps_get_domain(caps), self->negotiation.out_domain);
  return parse_caps(caps, &info, layout, error);
}

void
gst_cuda_conv_end_caps(GstCudaConv *self, gboolean accepted, const GError *error) {
  if (!accepted && error && !self->negotiation.error_posted)
    gst_cuda_conv_post_error(self, error);
  self->negotiation.error_posted = error != NULL;
  self->negotiation.refused = !accepted;
}

gboolean
gst_cuda_conv_negotiate_again(GstCudaConv *self) {
  GstBaseTransform *trans = GST_BASE_TRANSFORM(self);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(trans->sinkpad);
  return !caps || gst_cuda_conv_base_class()->sink_event(trans, gst_event_new_caps(caps));
}

void
gst_cuda_conv_forget_caps(GstCudaConv *self) {
  self->negotiation.layout = (CcFrameLayout){0};
  gst_video_info_init(&self->negotiation.in_info);
  gst_video_info_init(&self->negotiation.out_info);
  self->negotiation.error_posted = self->negotiation.refused = FALSE;
  set_domains(self, &cc_system_domain, &cc_system_domain);
  GST_OBJECT_LOCK(self);
  self->negotiation.avoided = 0;
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

gboolean
gst_cuda_conv_set_caps(GstCudaConv *self, GstCaps *in_caps, GstCaps *out_caps) {
  set_domains(self, cc_caps_get_domain(in_caps), cc_caps_get_domain(out_caps));
  return parse_caps(in_caps, &self->negotiation.in_info, &self->negotiation.layout, NULL) &&
         gst_video_info_from_caps(&self->negotiation.out_info, out_caps);
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
  klass->get_unit_size = get_unit_size;
}
