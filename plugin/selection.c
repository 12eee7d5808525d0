/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "selection.h"

#include "backendcontrol.h"
#include "caps.h"
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
  if (!plan)
    return NULL;
  g_autoptr(GError) reason = NULL;
  CcProgram *program = cc_backend_prepare(self->backend, plan, &reason);
  if (!program && gst_cuda_conv_fail_over(self, reason))
    return cc_backend_prepare(self->backend, plan, error);
  if (!program)
    g_propagate_error(error, g_steal_pointer(&reason));
  return program;
}

/* Whether downstream takes what `stride` makes of these caps. */
static gboolean
check_downstream(GstCudaConv *self, const GstCaps *caps, guint stride, GError **error) {
  g_autoptr(GstCaps) wanted =
      cc_caps_transform(caps, GST_PAD_SINK, stride, gst_cuda_conv_takes_cuda(self));
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

gboolean
gst_cuda_conv_choose_filter(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout,
                            GError **error) {
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

void
gst_cuda_conv_follow_properties(GstCudaConv *self) {
  CcFilter filter;
  cc_settings_get_filter(&self->settings, &filter);
  const gboolean changed = !cc_filter_equal(&filter, &self->tried);
  cc_filter_replace(&filter, (CcFilter){0});
  if (!changed || self->failed)
    return;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  if (caps)
    gst_cuda_conv_choose_filter(self, caps, &self->layout, NULL);
}

void
gst_cuda_conv_use_next_program(GstCudaConv *self) {
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
