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
      cc_caps_transform(caps, GST_PAD_SINK, stride, gst_cuda_conv_has_cuda(self));
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

/* Whether the properties say what was tried last. */
static gboolean
properties_were_tried(GstCudaConv *self) {
  CcFilter filter;
  cc_settings_get_filter(&self->settings, &filter);
  const gboolean tried = cc_filter_equal(&filter, &self->tried);
  cc_filter_replace(&filter, (CcFilter){0});
  return tried;
}

/* A program of what the properties say, which then is the filter that runs. NULL: that cannot work,
 * and nothing has changed. */
static CcProgram *
try_properties(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout,
               GError **error) {
  CcFilter filter;
  cc_settings_get_filter(&self->settings, &filter);
  cc_filter_replace(&self->tried, filter);
  const gboolean same_size = !self->running.kernel || filter.stride == self->running.stride;
  if (!same_size && !check_downstream(self, caps, filter.stride, error))
    return NULL;
  CcProgram *program = new_program(self, &filter, layout, error);
  if (program) {
    cc_kernel_ref(filter.kernel);
    cc_filter_replace(&self->running, filter);
  }
  return program;
}

static void
tell_refusal(GstCudaConv *self, const GError *reason) {
  g_autofree gchar *text =
      g_strdup_printf("%s. The filter goes on as it was before.", reason->message);
  gst_cuda_conv_warn(self, text);
}

/* Takes a program of the running filter for the next frame. */
static void
set_next_program(GstCudaConv *self, CcProgram *program) {
  g_clear_pointer(&self->next_program, cc_program_unref);
  self->next_program = program;
  set_stride(self, self->running.stride);
}

gboolean
gst_cuda_conv_choose_filter(GstCudaConv *self, const GstCaps *caps, const CcFrameLayout *layout,
                            GError **error) {
  g_autoptr(GError) reason = NULL;
  const gboolean told = properties_were_tried(self);
  CcProgram *program = try_properties(self, caps, layout, &reason);
  if (!program && !self->running.kernel) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
  }
  if (!program) {
    if (!told)
      tell_refusal(self, reason);
    program = new_program(self, &self->running, layout, error);
    if (!program)
      return FALSE;
  }
  set_next_program(self, program);
  return TRUE;
}

void
gst_cuda_conv_follow_properties(GstCudaConv *self) {
  g_autoptr(GError) reason = NULL;
  g_autoptr(GstCaps) caps = NULL;
  if (properties_were_tried(self) ||
      !(caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self))))
    return;
  CcProgram *program = try_properties(self, caps, &self->layout, &reason);
  if (program)
    set_next_program(self, program);
  else
    tell_refusal(self, reason);
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
