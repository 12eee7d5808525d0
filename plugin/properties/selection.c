/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "selection.h"

#include "engine/enum_names.h"
#include "engine/plan/canny.h"
#include "properties.h"
#include "report.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

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
  g_auto(CcOptions) options = {0};
  g_auto(CcFilter) filter = {0};
  g_autoptr(GArray) regions = g_array_new(FALSE, FALSE, sizeof(CcRegion));
  cc_settings_get_options(&self->settings, &options);
  cc_options_get_filter(&options, &filter);
  return check_kernel(&filter, error) && cc_filter_check(&filter, error) &&
         cc_options_find_regions(&options, NULL, regions, error);
}

/* Tries a filter with the values of `tried` for the options in `part`, and the running values for
 * the other options. FALSE: the combination cannot work, and nothing has changed. */
static gboolean
try_part(GstCudaConv *self, const CcOptions *tried, CcOptionSet part, CcUseFilter use,
         gpointer data, GError **error) {
  g_auto(CcOptions) mixed = {0};
  g_auto(CcFilter) filter = {0};
  cc_options_assign(&mixed, &self->selection.running, ~part);
  cc_options_assign(&mixed, tried, part);
  cc_options_get_filter(&mixed, &filter);
  if (!check_kernel(&filter, error) || !use(self, &filter, &mixed, data, error))
    return FALSE;
  cc_options_assign(&self->selection.running, &mixed, part);
  return TRUE;
}

/* Posts no warning if control bindings drive all of the refused properties and their warnings were
 * already posted. */
static void
refuse(GstCudaConv *self, CcOptionSet refused, const GError *reason) {
  CcOptionSet reported = refused;
  for (guint i = 0; i < cc_n_options; i++)
    if (refused & cc_option_bit(i) && !gst_cuda_conv_claim_warning(self, cc_options[i].name))
      reported &= ~cc_option_bit(i);
  const CcOptionSet changed =
      cc_settings_put_back(&self->settings, refused, &self->selection.running);
  if (!reported)
    return;
  g_autofree gchar *text = g_strdup_printf("%s. The filter is unchanged.", reason->message);
  gst_cuda_conv_warn(self, text);
  gst_cuda_conv_notify(self, changed & reported);
}

/* Warns with `text` (transfer full), which says why a property has no effect. NULL: it has one.
 * Warns again only after the property had an effect. */
static void
warn_once(GstCudaConv *self, const gchar *property, gchar *text, gboolean *reported) {
  g_autofree gchar *owned = text;
  if (text && !*reported && gst_cuda_conv_claim_warning(self, property))
    gst_cuda_conv_warn(self, text);
  *reported = text != NULL;
}

/* Only a Gaussian has a sigma. `other`: another kernel that uses it, or NULL. */
static void
check_sigma(GstCudaConv *self, const gchar *name, gdouble sigma, const CcKernel *other,
            gboolean *reported) {
  const CcKernel *kernel = cc_session_get_filter(self->session)->kernel;
  gchar *text = NULL;
  if (kernel && sigma > 0 && !kernel->gaussian && !(other && other->gaussian))
    text = g_strdup_printf("%s=%g has no effect on the kernel %s; kernel=gaussian uses it", name,
                           sigma, kernel->name);
  warn_once(self, name, text, reported);
}

static void
check_overlay(GstCudaConv *self) {
  const guint overlay = cc_session_get_filter(self->session)->overlay;
  gchar *text = NULL;
  if (overlay > 0 && overlay >> 24 == 0)
    text = g_strdup_printf("overlay=0x%08x is transparent and draws nothing; 0x%08x is opaque",
                           overlay, overlay | 0xff000000);
  warn_once(self, "overlay", text, &self->selection.overlay_reported);
}

static void
check_chroma_kernel(GstCudaConv *self) {
  const CcFilter *filter = cc_session_get_filter(self->session);
  const gchar *name = filter->chroma_kernel ? "chroma-kernel" : "chroma-size";
  const gchar *reason = cc_filter_ignores_chroma_kernel(filter);
  gchar *text = NULL;
  if (reason && filter->chroma_kernel)
    text = g_strdup_printf("%s=%s has no effect, because %s", name, filter->chroma_kernel->name,
                           reason);
  else if (reason)
    text = g_strdup_printf("%s=%u has no effect, because %s", name, filter->chroma_size, reason);
  warn_once(self, name, text, &self->selection.chroma_kernel_reported);
}

/* Only canny and canny-l1 use low and high, and they ignore scale and bias. */
static void
check_response(GstCudaConv *self) {
  const CcFilter *filter = cc_session_get_filter(self->session);
  CcSelection *selection = &self->selection;
  if (!filter->kernel)
    return;
  const struct {
    const gchar *name;
    gdouble value, otherwise; /* `otherwise` is the default */
    gboolean is_of_canny, *reported;
  } numbers[] = {
      {"low", filter->low, CC_DEFAULT_LOW, TRUE, &selection->low_reported},
      {"high", filter->high, CC_DEFAULT_HIGH, TRUE, &selection->high_reported},
      {"scale", filter->scale, 0, FALSE, &selection->scale_reported},
      {"bias", filter->bias, 0, FALSE, &selection->bias_reported},
  };
  const CcResponse response = filter->response ? filter->response : filter->kernel->response;
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    gchar *text = NULL;
    if (numbers[i].value != numbers[i].otherwise &&
        numbers[i].is_of_canny != cc_response_is_canny(response))
      text = g_strdup_printf("%s=%g has no effect on the response %s%s", numbers[i].name,
                             numbers[i].value, cc_response_names[response],
                             numbers[i].is_of_canny ? "; response=canny uses it" : "");
    warn_once(self, numbers[i].name, text, numbers[i].reported);
  }
}

static void
check_effect(GstCudaConv *self) {
  const CcFilter *filter = cc_session_get_filter(self->session);
  check_sigma(self, "sigma", filter->sigma, filter->chroma_kernel, &self->selection.sigma_reported);
  check_sigma(self, "roi-sigma", filter->roi_sigma, NULL, &self->selection.roi_sigma_reported);
  check_overlay(self);
  check_chroma_kernel(self);
  check_response(self);
}

/* Called if the `changes` do not work together. First tries all changes that were not made by
 * control bindings, then each change of a control binding separately. A binding with a wrong value
 * in every frame thus does not block other changes. Returns the refused changes. *reason is the
 * error of a refused change. */
static CcOptionSet
try_apart(GstCudaConv *self, const CcOptions *tried, CcOptionSet changes, CcUseFilter use,
          gpointer data, GError **reason) {
  g_autoptr(GError) others_error = NULL;
  const CcOptionSet bound = gst_cuda_conv_list_bound(self, changes);
  const CcOptionSet others = changes & ~bound;
  CcOptionSet refused = changes;
  if (others && bound && try_part(self, tried, others, use, data, &others_error))
    refused = bound;
  for (guint i = 0; i < cc_n_options; i++)
    if (bound & cc_option_bit(i) && changes != cc_option_bit(i) &&
        try_part(self, tried, cc_option_bit(i), use, data, NULL))
      refused &= ~cc_option_bit(i);
  if (others_error) {
    g_clear_error(reason);
    *reason = g_steal_pointer(&others_error);
  }
  return refused;
}

/* FALSE: some of the committed values do not work. If a filter ran before, these values are set
 * back to the running values. */
static gboolean
try_properties(GstCudaConv *self, CcUseFilter use, gpointer data, GError **error) {
  const gboolean runs = cc_session_get_filter(self->session)->kernel != NULL;
  g_auto(CcOptions) tried = {0};
  g_autoptr(GError) reason = NULL;
  self->selection.tried = cc_settings_take(&self->settings, &tried);
  const CcOptionSet changes =
      runs ? cc_options_compare(&tried, &self->selection.running) : CC_ALL_OPTIONS;
  if (try_part(self, &tried, changes, use, data, &reason))
    return TRUE;
  if (runs && changes) {
    const CcOptionSet refused = try_apart(self, &tried, changes, use, data, &reason);
    refuse(self, refused, reason);
  }
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

gboolean
gst_cuda_conv_choose_filter(GstCudaConv *self, CcUseFilter use, gpointer data, GError **error) {
  const CcFilter *running = cc_session_get_filter(self->session);
  g_autoptr(GError) reason = NULL;
  if (try_properties(self, use, data, &reason) ||
      (running->kernel && use(self, running, &self->selection.running, data, error))) {
    check_effect(self);
    return TRUE;
  }
  if (!running->kernel)
    g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

void
gst_cuda_conv_update_filter(GstCudaConv *self, CcUseFilter use, gpointer data) {
  if (cc_settings_get_serial(&self->settings) == self->selection.tried)
    return;
  try_properties(self, use, data, NULL);
  check_effect(self);
}

void
gst_cuda_conv_begin_selection(GstCudaConv *self) {
  self->selection.tried = 0;
  self->selection.sigma_reported = self->selection.roi_sigma_reported = FALSE;
  self->selection.overlay_reported = self->selection.chroma_kernel_reported = FALSE;
  self->selection.low_reported = self->selection.high_reported = FALSE;
  self->selection.scale_reported = self->selection.bias_reported = FALSE;
}
