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
