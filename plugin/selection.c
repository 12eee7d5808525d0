/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "selection.h"

#include "caps.h"
#include "context.h"
#include "properties.h"
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

static gboolean
check_kernel(const CcFilter *filter, GError **error) {
  if (filter->kernel)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "kernel=custom: no coefficients are set; matrix, matrix-text, row, column or "
              "kernel-file sets them");
  return FALSE;
}

gboolean
gst_cuda_conv_check_properties(GstCudaConv *self, GError **error) {
  g_auto(CcFilter) filter = {0};
  cc_settings_get_filter(&self->settings, &filter);
  return check_kernel(&filter, error) && cc_filter_check(&filter, error);
}

/* Hands the filter to the session, for frames of `layout`. */
static gboolean
set_filter(GstCudaConv *self, const CcFilter *filter, const CcFrameLayout *layout, GError **error) {
  if (!check_kernel(filter, error) || !cc_session_set_filter(self->session, filter, layout, error))
    return FALSE;
  set_stride(self, filter->stride);
  return TRUE;
}

/* Whether downstream takes what `stride` makes of these caps. */
static gboolean
check_downstream(GstCudaConv *self, const GstCaps *caps, guint stride, GError **error) {
  g_autoptr(GstCaps) wanted =
      cc_caps_transform(caps, GST_PAD_SINK, stride, gst_cuda_conv_list_possible(self));
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

/* Hands the values that run, with `part` of those in `tried`, to the session. FALSE: they cannot
 * work, and nothing has changed. */
static gboolean
try_part(GstCudaConv *self, const CcOptions *tried, CcOptionSet part, const GstCaps *caps,
         const CcFrameLayout *layout, GError **error) {
  g_auto(CcOptions) mixed;
  g_auto(CcFilter) filter = {0};
  const CcFilter *running = cc_session_get_filter(self->session);
  cc_options_init(&mixed);
  cc_options_assign(&mixed, &self->running, ~part);
  cc_options_assign(&mixed, tried, part);
  cc_options_get_filter(&mixed, &filter);
  const gboolean same_size = !running->kernel || filter.stride == running->stride;
  if ((!same_size && !check_downstream(self, caps, filter.stride, error)) ||
      !set_filter(self, &filter, layout, error))
    return FALSE;
  cc_options_assign(&self->running, &mixed, part);
  return TRUE;
}

/* Puts refused properties back and warns, but for properties whose control bindings have had their
 * warning. */
static void
refuse(GstCudaConv *self, const CcOptions *tried, CcOptionSet refused, const GError *reason) {
  CcOptionSet reported = refused;
  for (guint i = 0; i < cc_n_options; i++)
    if (refused & cc_option_bit(i) && !gst_cuda_conv_may_complain(self, cc_options[i].name))
      reported &= ~cc_option_bit(i);
  const CcOptionSet changed = cc_settings_put_back(&self->settings, refused, tried, &self->running);
  if (!reported)
    return;
  g_autofree gchar *text =
      g_strdup_printf("%s. The filter goes on as it was before.", reason->message);
  gst_cuda_conv_warn(self, text);
  gst_cuda_conv_notify(self, changed & reported);
}

/* A kernel that is no Gaussian has no use for sigma; told when that begins. */
static void
check_sigma(GstCudaConv *self) {
  const CcFilter *filter = cc_session_get_filter(self->session);
  const gboolean useless = filter->kernel && filter->sigma > 0 && !filter->kernel->gaussian;
  if (useless && !self->sigma_told && gst_cuda_conv_may_complain(self, "sigma")) {
    g_autofree gchar *text =
        g_strdup_printf("sigma=%g has no effect on the kernel %s, which is no Gaussian; "
                        "kernel=gaussian is one",
                        filter->sigma, filter->kernel->name);
    gst_cuda_conv_warn(self, text);
  }
  self->sigma_told = useless;
}

/* After all of `changes` together did not work: takes those of others than control bindings, where
 * they work, and each of a binding that does, since one that sets a wrong value for every frame
 * must stop nobody else. Returns the rest; *reason says why. */
static CcOptionSet
try_apart(GstCudaConv *self, const CcOptions *tried, CcOptionSet changes, const GstCaps *caps,
          const CcFrameLayout *layout, GError **reason) {
  g_autoptr(GError) of_others = NULL;
  const CcOptionSet bound = gst_cuda_conv_list_bound(self, changes);
  const CcOptionSet others = changes & ~bound;
  CcOptionSet refused = changes;
  if (others && bound && try_part(self, tried, others, caps, layout, &of_others))
    refused = bound;
  for (guint i = 0; i < cc_n_options; i++)
    if (bound & cc_option_bit(i) && changes != cc_option_bit(i) &&
        try_part(self, tried, cc_option_bit(i), caps, layout, NULL))
      refused &= ~cc_option_bit(i);
  if (of_others) {
    g_clear_error(reason);
    *reason = g_steal_pointer(&of_others);
  }
  return refused;
}

/* FALSE: some of the committed values do not work. Where anything ran before, they are put back. */
static gboolean
try_properties(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout,
               GError **error) {
  const gboolean runs = cc_session_get_filter(self->session)->kernel != NULL;
  g_auto(CcOptions) tried;
  g_autoptr(GError) reason = NULL;
  cc_options_init(&tried);
  self->tried = cc_settings_take(&self->settings, &tried);
  const CcOptionSet changes = runs ? cc_options_compare(&tried, &self->running) : CC_ALL_OPTIONS;
  if (try_part(self, &tried, changes, caps, layout, &reason))
    return TRUE;
  if (runs && changes) {
    const CcOptionSet refused = try_apart(self, &tried, changes, caps, layout, &reason);
    refuse(self, &tried, refused, reason);
  }
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

gboolean
gst_cuda_conv_choose_filter(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout,
                            GError **error) {
  const CcFilter *running = cc_session_get_filter(self->session);
  g_autoptr(GError) reason = NULL;
  const gboolean ok = try_properties(self, caps, layout, &reason);
  if (!ok && !running->kernel)
    g_propagate_error(error, g_steal_pointer(&reason));
  else if (ok || set_filter(self, running, layout, error))
    check_sigma(self);
  else
    return FALSE;
  return ok || running->kernel != NULL;
}

void
gst_cuda_conv_follow_properties(GstCudaConv *self) {
  g_autoptr(GstCaps) caps = NULL;
  if (cc_settings_get_serial(&self->settings) == self->tried ||
      !(caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self))))
    return;
  try_properties(self, caps, &self->layout, NULL);
  check_sigma(self);
}
