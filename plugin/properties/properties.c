/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties.h"

#include "backends.h"
#include "element.h"
#include "optionspec.h"
#include "report.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

static GParamSpec *specs[CC_MAX_OPTIONS + 1]; /* indexed by property id; property i has id i + 1 */
static guint n_settable; /* number of properties that can be set; property n_settable is stats */
static void (*parent_dispatch)(GObject *object, guint n, GParamSpec **pspecs);

/* --- values --- */

/* A value that is refused before the start makes the start fail. A value that is refused after the
 * start only causes a warning, and the previous value stays in use. */
static void
refuse(GstCudaConv *self, guint i, const GValue *value, const gchar *why) {
  const gchar *name = cc_settings_option(i)->name;
  g_autofree gchar *text = cc_value_describe(value);
  g_autofree gchar *refusal = g_strdup_printf("%s=%s is refused: %s", name, text, why);
  if (cc_settings_remember_refusal(&self->settings, i, refusal)) {
    GST_WARNING_OBJECT(self, "%s", refusal);
  } else if (gst_cuda_conv_claim_warning(self, name)) {
    g_autofree gchar *warning = g_strdup_printf("%s. The previous value stays in use.", refusal);
    gst_cuda_conv_warn(self, warning);
  }
}

/* Removes one level of escapes from a text of a preset. When saving, GStreamer escapes the text
 * twice, as a value and for the file. When loading, it unescapes the text only once. The file has
 * `\\ ` for a blank and `\\012` for a new line, and this function gets `\ ` and `\012`. */
static void
unescape(gchar *text) {
  gchar *to = text;
  for (const gchar *from = text; *from; to++) {
    if (from[0] != '\\' || from[1] == '\0') {
      *to = *from++;
    } else if (g_ascii_isdigit(from[1]) && g_ascii_isdigit(from[2]) && g_ascii_isdigit(from[3])) {
      *to = (gchar)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
      from += 4;
    } else {
      *to = from[1];
      from += 2;
    }
  }
  *to = '\0';
}

static void
set_property(GObject *object, guint id, const GValue *from, GParamSpec *pspec) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  const CcOption *option = cc_settings_option(id - 1);
  CcCoefficients coefficients;
  CcOptionValue value;
  g_autoptr(GError) error = NULL;
  g_auto(GValue) unescaped = G_VALUE_INIT;
  if (self->is_preset && option->type == CC_OPTION_TEXT && g_value_get_string(from)) {
    gchar *text = g_value_dup_string(from);
    unescape(text);
    g_value_init(&unescaped, G_TYPE_STRING);
    g_value_take_string(&unescaped, text);
    from = &unescaped;
  }
  if (!cc_option_read(option, from, &value, &coefficients, &error) ||
      !cc_settings_set(&self->settings, id - 1, &value, &error))
    refuse(self, id - 1, from, error->message);
  else if (id - 1 < CC_N_DEFINITIONS)
    /* Setting a definition may select the custom kernel, which changes the property kernel. */
    g_object_notify_by_pspec(object, specs[CC_OPTION_KERNEL + 1]);
  if (option->type == CC_OPTION_COEFFICIENTS)
    g_free((gchar *)value.text);
}

static void
get_property(GObject *object, guint id, GValue *to, GParamSpec *pspec) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  if (id - 1 == n_settable) {
    g_value_take_boxed(to, gst_cuda_conv_get_stats(self));
    return;
  }
  const CcOptionValue value = cc_settings_get(&self->settings, id - 1);
  cc_option_write(cc_settings_option(id - 1), &value, to);
  g_free((gchar *)value.text);
}

/* --- commits --- */

/* GObject calls this function once for all properties that were set by one g_object_set, by a
 * preset, by the control bindings for a frame, or between g_object_freeze_notify and
 * g_object_thaw_notify. Only these properties are committed, because another thread may be about to
 * set further values. cc_settings_commit adds the properties that define the custom kernel, if one
 * of them was set. */
static void
dispatch_properties_changed(GObject *object, guint n, GParamSpec **changed) {
  CcOptionSet set = 0;
  for (guint i = 0; i < cc_n_options; i++)
    for (guint k = 0; k < n; k++)
      set |= changed[k] == specs[i + 1] ? cc_option_bit(i) : 0;
  cc_settings_commit(&GST_CUDA_CONV(object)->settings, set);
  parent_dispatch(object, n, changed);
}

void
gst_cuda_conv_sync_properties(GstCudaConv *self, GstClockTime time) {
  GstObject *object = GST_OBJECT(self);
  if (!gst_object_has_active_control_bindings(object))
    return;
  gst_object_sync_values(object, time);
  /* Commits now, because a call of another thread may delay dispatch_properties_changed. */
  cc_settings_commit(&self->settings, gst_cuda_conv_list_bound(self, CC_ALL_OPTIONS));
}

CcOptionSet
gst_cuda_conv_list_bound(GstCudaConv *self, CcOptionSet set) {
  CcOptionSet bound = 0;
  for (guint i = 0; i < cc_n_options; i++) {
    g_autoptr(GstControlBinding) binding = NULL;
    if (set & cc_option_bit(i))
      binding = gst_object_get_control_binding(GST_OBJECT(self), cc_options[i].name);
    bound |= binding && !gst_control_binding_is_disabled(binding) ? cc_option_bit(i) : 0;
  }
  return bound;
}

void
gst_cuda_conv_notify(GstCudaConv *self, CcOptionSet set) {
  g_object_freeze_notify(G_OBJECT(self));
  for (guint i = 0; i < cc_n_options; i++)
    if (set & cc_option_bit(i))
      g_object_notify_by_pspec(G_OBJECT(self), specs[i + 1]);
  g_object_thaw_notify(G_OBJECT(self));
}

void
gst_cuda_conv_install_properties(GObjectClass *klass) {
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed = dispatch_properties_changed;
  klass->set_property = set_property;
  klass->get_property = get_property;
  cc_options_set_algorithms(cc_backend_algorithms());
  const CcOption *option;
  for (guint i = 0; (option = cc_settings_option(i)); n_settable = ++i) {
    GParamFlags flags = G_PARAM_READWRITE;
    flags |= cc_settings_is_mutable(i) ? GST_PARAM_MUTABLE_PLAYING : GST_PARAM_MUTABLE_READY;
    /* control bindings cannot drive lists and texts */
    const gboolean is_scalar = option->type < CC_OPTION_COEFFICIENTS;
    flags |= is_scalar && i < cc_n_options ? GST_PARAM_CONTROLLABLE : 0;
    specs[i + 1] = cc_option_new_spec(option, flags);
  }
  /**
   * stats:
   *
   * A structure `cudaconv-stats`: backend and device (strings), device-id (int), plan (string, the
   * arithmetic of the filter), steps (array of strings, one line for each step that the backend
   * runs, which [explain.md](explain.md) explains; not before there are caps), size (uint, the
   * larger side of the current kernel; not before there are caps), algorithm (string, the current
   * one; not on the CPU and before there are caps), input-path and output-path (strings, how the
   * device reads and writes frames; not before the first frame), in-flight (uint, frames in flight
   * at once), frames and bytes (guint64, output), upload-time, kernel-time, download-time and
   * wait-time (guint64, total nanoseconds since the element was started), device-bytes (guint64,
   * device memory that is kept for frames, including the output pool), scratch-bytes (guint64,
   * memory on the CPU for the planes between two stages of a filter, and for the bits of Canny's
   * edges), registered-bytes (guint64, memory from other allocators that this process has pinned
   * now), failovers (uint, from the GPU to the CPU since the start), regions (guint64, regions that
   * were filtered), and limited-regions (guint64, regions that were blurred less than roi-sigma
   * requests).
   */
  g_assert(n_settable < CC_MAX_OPTIONS); /* one id is left for stats */
  specs[n_settable + 1] =
      g_param_spec_boxed("stats", "Statistics",
                         "Backend, device, plan, steps, kernel size, algorithm and memory paths in "
                         "use, frames, bytes, nanoseconds, failovers",
                         GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(klass, n_settable + 2, specs);
}
