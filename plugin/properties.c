/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties.h"

#include "element.h"
#include "report.h"
#include "valuetext.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

static GParamSpec **specs; /* by number, from 1: that of row i is i + 1 */
static void (*parent_dispatch)(GObject *object, guint n, GParamSpec **pspecs);

/* --- values --- */

/* Before the start, a refused value is a reason not to start. After it, nothing has changed, which
 * a warning reports. */
static void
refuse(GstCudaConv *self, const CcProperty *property, const GValue *value, const gchar *why) {
  g_autofree gchar *text = cc_value_describe(value);
  g_autofree gchar *refusal = g_strdup_printf("%s=%s is refused: %s", property->name, text, why);
  if (cc_settings_remember_refusal(&self->settings, property, refusal)) {
    GST_WARNING_OBJECT(self, "%s", refusal);
  } else if (gst_cuda_conv_may_complain(self, property->name)) {
    g_autofree gchar *warning = g_strdup_printf("%s. What was set before stays.", refusal);
    gst_cuda_conv_warn(self, warning);
  }
}

/* A property that defines the custom kernel changes `kernel` too. */
static void
set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  const CcProperty *property = &cc_properties[id - 1];
  g_autoptr(GError) error = NULL;
  if (!cc_settings_set(&self->settings, property, value, &error))
    refuse(self, property, value, error->message);
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

/* --- commits --- */

/* GObject calls this once for all properties that were set together: by one g_object_set, by a
 * preset, by the control bindings of a frame, or between g_object_freeze_notify and
 * g_object_thaw_notify. These are committed, and no others: another thread may be inside a call
 * that has set a part of its values. */
static void
dispatch_properties_changed(GObject *object, guint n, GParamSpec **changed) {
  CcPropertySet set = 0;
  for (guint i = 0; i < cc_n_properties; i++)
    for (guint k = 0; k < n; k++)
      set |= changed[k] == specs[i + 1] ? cc_property_bit(i) : 0;
  cc_settings_commit(&GST_CUDA_CONV(object)->settings, set);
  parent_dispatch(object, n, changed);
}

void
gst_cuda_conv_sync_properties(GstCudaConv *self, GstClockTime time) {
  GstObject *object = GST_OBJECT(self);
  if (!gst_object_has_active_control_bindings(object))
    return;
  gst_object_sync_values(object, time);
  /* at once, even if a call of another thread delays the dispatch */
  cc_settings_commit(&self->settings, gst_cuda_conv_list_bound(self, CC_ALL_PROPERTIES));
}

CcPropertySet
gst_cuda_conv_list_bound(GstCudaConv *self, CcPropertySet set) {
  CcPropertySet bound = 0;
  for (guint i = 0; i < cc_n_properties; i++) {
    g_autoptr(GstControlBinding) binding = NULL;
    if (set & cc_property_bit(i))
      binding = gst_object_get_control_binding(GST_OBJECT(self), cc_properties[i].name);
    bound |= binding ? cc_property_bit(i) : 0;
  }
  return bound;
}

void
gst_cuda_conv_notify(GstCudaConv *self, CcPropertySet set) {
  g_object_freeze_notify(G_OBJECT(self));
  for (guint i = 0; i < cc_n_properties; i++)
    if (set & cc_property_bit(i))
      g_object_notify_by_pspec(G_OBJECT(self), specs[i + 1]);
  g_object_thaw_notify(G_OBJECT(self));
}

void
gst_cuda_conv_install_properties(GObjectClass *klass) {
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed = dispatch_properties_changed;
  klass->set_property = set_property;
  klass->get_property = get_property;
  specs = g_new0(GParamSpec *, cc_n_properties + 1); /* the class keeps them for good */
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    specs[i + 1] = cc_property_new_spec(property);
    if (property->type == CC_TYPE_ENUM)
      gst_type_mark_as_plugin_api(property->enum_type(), 0);
  }
  g_object_class_install_properties(klass, cc_n_properties + 1, specs);
}
