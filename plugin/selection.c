/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "selection.h"

#include "caps.h"
#include "context.h"
#include "report.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

guint
gst_cuda_conv_current_stride(GstCudaConv *self) {
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

/* Hands the filter to the session, for frames of `layout`. */
static gboolean
set_filter(GstCudaConv *self, const CcFilter *filter, const CcFrameLayout *layout, GError **error) {
  if (!filter->kernel) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "kernel=custom: no coefficients are set; matrix, row, column or kernel-file sets "
                "them");
    return FALSE;
  }
  const gboolean ok = cc_session_set_filter(self->session, filter, layout, error);
  gst_cuda_conv_follow_session(self, NULL);
  if (!ok)
    return FALSE;
  g_auto(CcSessionStats) stats = {0};
  cc_session_get_stats(self->session, &stats);
  GST_INFO_OBJECT(self, "kernel %s: %s", filter->kernel->name, stats.plan);
  set_stride(self, filter->stride);
  return TRUE;
}

/* Whether downstream takes what `stride` makes of these caps. */
static gboolean
check_downstream(GstCudaConv *self, const GstCaps *caps, guint stride, GError **error) {
  g_autoptr(GstCaps) wanted =
      cc_caps_transform(caps, GST_PAD_SINK, stride, gst_cuda_conv_can_use_cuda(self));
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

/* What the properties say goes to the session. FALSE: that cannot work, and nothing has changed.
 * *told says whether the same was tried before. */
static gboolean
try_properties(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout, gboolean *told,
               GError **error) {
  g_auto(CcFilter) filter = {0};
  const CcFilter *running = cc_session_get_filter(self->session);
  const guint64 serial = cc_settings_get_filter(&self->settings, &filter);
  *told = serial == self->tried;
  self->tried = serial;
  const gboolean same_size = !running->kernel || filter.stride == running->stride;
  return (same_size || check_downstream(self, caps, filter.stride, error)) &&
         set_filter(self, &filter, layout, error);
}

static void
tell_refusal(GstCudaConv *self, const GError *reason) {
  g_autofree gchar *text =
      g_strdup_printf("%s. The filter goes on as it was before.", reason->message);
  gst_cuda_conv_warn(self, text);
}

gboolean
gst_cuda_conv_choose_filter(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout,
                            GError **error) {
  const CcFilter *running = cc_session_get_filter(self->session);
  g_autoptr(GError) reason = NULL;
  gboolean told;
  if (try_properties(self, caps, layout, &told, &reason))
    return TRUE;
  if (!running->kernel) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
  }
  if (!told)
    tell_refusal(self, reason);
  return set_filter(self, running, layout, error);
}

void
gst_cuda_conv_follow_properties(GstCudaConv *self) {
  g_autoptr(GError) reason = NULL;
  g_autoptr(GstCaps) caps = NULL;
  gboolean told;
  if (cc_settings_get_serial(&self->settings) == self->tried ||
      !(caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self))))
    return;
  if (!try_properties(self, caps, &self->layout, &told, &reason))
    tell_refusal(self, reason);
}
