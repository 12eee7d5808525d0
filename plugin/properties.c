/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties.h"

#include "element.h"
#include "report.h"
#include "valuetext.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

static GParamSpec **props; /* by number, from 1: that of row i is i + 1 */
static void (*parent_dispatch)(GObject *object, guint n, GParamSpec **pspecs);

/* --- values --- */

static void
warn_refused(GstCudaConv *self, GParamSpec *pspec, const GValue *value, const gchar *why) {
  g_autofree gchar *text = cc_value_describe(value);
  g_autofree gchar *warning =
      g_strdup_printf("%s=%s is refused: %s. What was set before stays.", pspec->name, text, why);
  gst_cuda_conv_warn(self, warning);
}

/* A property that defines the custom kernel changes `kernel` too. */
static void
set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  const CcProperty *property = &cc_properties[id - 1];
  g_autoptr(GError) error = NULL;
  if (!cc_settings_set(&self->settings, property, value, &error))
    warn_refused(self, pspec, value, error->message);
  else if (property->use == CC_USE_DEFINITION)
    g_object_notify(object, "kernel");
}

static void
get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  const CcProperty *property = &cc_properties[id - 1];
  if (property->use == CC_USE_STATS)
    g_value_take_boxed(value, gst_cuda_conv_get_stats(self));
  else
    cc_settings_get(&self->settings, property, value);
}

/* Called once for all properties that were set together: by one g_object_set, by a preset, by the
 * controllers of a frame, or between g_object_freeze_notify and g_object_thaw_notify. */
static void
dispatch_properties_changed(GObject *object, guint n, GParamSpec **pspecs) {
  cc_settings_commit(&GST_CUDA_CONV(object)->settings);
  parent_dispatch(object, n, pspecs);
}

void
gst_cuda_conv_install_properties(GObjectClass *klass) {
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed = dispatch_properties_changed;
  klass->set_property = set_property;
  klass->get_property = get_property;
  props = g_new0(GParamSpec *, cc_n_properties + 1); /* the class keeps them for good */
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    props[i + 1] = cc_property_new_spec(property);
    if (property->type == CC_TYPE_ENUM)
      gst_type_mark_as_plugin_api(property->enum_type(), 0);
  }
  g_object_class_install_properties(klass, cc_n_properties + 1, props);
}

/* --- presets --- */

static gboolean (*default_load_preset)(GstPreset *preset, const gchar *name);

/* Only what affects pixels. */
static gchar **
get_preset_property_names(GstPreset *preset) {
  GStrvBuilder *names = g_strv_builder_new();
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_property_affects_pixels(&cc_properties[i]))
      g_strv_builder_add(names, cc_properties[i].name);
  gchar **all = g_strv_builder_end(names);
  g_strv_builder_unref(names);
  return all;
}

static gboolean
has_preset(GstPreset *preset, const gchar *name) {
  g_auto(GStrv) names = gst_preset_get_preset_names(preset);
  return names && g_strv_contains((const gchar *const *)names, name);
}

/* Sets what a preset says and the defaults of what it omits. Where one of its values is refused,
 * nothing changes. */
static gboolean
apply_preset(GstCudaConv *self, const gchar *name) {
  cc_settings_begin_preset(&self->settings);
  const gboolean loaded = default_load_preset(GST_PRESET(self), name);
  if (!cc_settings_end_preset(&self->settings, loaded))
    return FALSE;
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_property_affects_pixels(&cc_properties[i]))
      g_object_notify_by_pspec(G_OBJECT(self), props[i + 1]);
  return TRUE;
}

/* All of a preset is one change. */
static gboolean
load_preset(GstPreset *preset, const gchar *name) {
  if (!has_preset(preset, name)) {
    GST_WARNING_OBJECT(preset, "no preset named '%s'", name);
    return FALSE;
  }
  g_object_freeze_notify(G_OBJECT(preset));
  const gboolean ok = apply_preset(GST_CUDA_CONV(preset), name);
  g_object_thaw_notify(G_OBJECT(preset));
  return ok;
}

void
gst_cuda_conv_preset_interface_init(GstPresetInterface *interface) {
  default_load_preset = interface->load_preset;
  interface->load_preset = load_preset;
  interface->get_property_names = get_preset_property_names;
}
