/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties.h"

#include "element.h"
#include "report.h"
#include "valuetext.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

static GParamSpec **props; /* by number, from 1: that of row i is i + 1 */
static void (*parent_dispatch)(GObject *object, guint n, GParamSpec **pspecs);

/* --- values --- */

/* Before the start it is a reason not to start; after it nothing has changed, which is told. */
static void
refuse(GstCudaConv *self, const CcProperty *property, const GValue *value, const gchar *why) {
  g_autofree gchar *text = cc_value_describe(value);
  g_autofree gchar *refusal = g_strdup_printf("%s=%s is refused: %s", property->name, text, why);
  if (cc_settings_remember_refusal(&self->settings, property, refusal)) {
    GST_WARNING_OBJECT(self, "%s", refusal);
    return;
  }
  if (cc_settings_is_controlling(&self->settings) &&
      !gst_cuda_conv_may_complain(self, property->name))
    return;
  g_autofree gchar *warning = g_strdup_printf("%s. What was set before stays.", refusal);
  if (!cc_settings_keep_complaint(&self->settings, warning))
    gst_cuda_conv_warn(self, warning);
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

/* --- when calls are complete --- */

/* A question whether some thread is inside a call that sets properties. A notify of `probe_spec`
 * answers it: GObject holds it back until such calls are over, and else dispatches it at once. */
typedef struct {
  GObject *object;
  gboolean idle; /* the answer: no thread is */
} Probe;

static _Thread_local Probe *probe; /* of the question that this thread asks now */
static GParamSpec *probe_spec;     /* of no property that a user sees */

static gboolean
is_idle(GObject *object) {
  Probe own = {.object = object}, *before = probe;
  probe = &own;
  g_object_notify_by_pspec(object, probe_spec);
  probe = before;
  return own.idle;
}

/* Commits what was set by calls that are complete, unless some thread is inside another one, the
 * end of which brings the commit then. All that was set before the question was set by calls that
 * are over when the answer is that none is left, so that nothing is committed in part. */
static void
commit_complete(GObject *object) {
  CcSettings *settings = &GST_CUDA_CONV(object)->settings;
  guint64 n_sets;
  do
    n_sets = cc_settings_count_sets(settings);
  while (is_idle(object) && !cc_settings_commit_as_of(settings, n_sets));
}

static guint
without_probe(guint n, GParamSpec *const *pspecs, GParamSpec **others) {
  guint n_others = 0;
  for (guint i = 0; i < n; i++)
    if (pspecs[i] != probe_spec)
      others[n_others++] = pspecs[i];
  return n_others;
}

/* Called once for all properties that were set together: by one g_object_set, by a preset, by the
 * controllers of a frame, or between g_object_freeze_notify and g_object_thaw_notify. Others may
 * have begun to set something since. */
static void
dispatch_properties_changed(GObject *object, guint n, GParamSpec **pspecs) {
  g_autofree GParamSpec **others = g_new(GParamSpec *, n);
  const guint n_others = without_probe(n, pspecs, others);
  if (probe && probe->object == object)
    probe->idle = TRUE; /* who asks commits */
  else
    commit_complete(object);
  if (n_others > 0)
    parent_dispatch(object, n_others, others);
}

void
gst_cuda_conv_notify(GstCudaConv *self, CcPropertySet set) {
  g_object_freeze_notify(G_OBJECT(self));
  for (guint i = 0; i < cc_n_properties; i++)
    if (set & cc_property_bit(i))
      g_object_notify_by_pspec(G_OBJECT(self), props[i + 1]);
  g_object_thaw_notify(G_OBJECT(self));
}

void
gst_cuda_conv_install_properties(GObjectClass *klass) {
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed = dispatch_properties_changed;
  klass->set_property = set_property;
  klass->get_property = get_property;
  probe_spec =
      g_param_spec_ref_sink(g_param_spec_boolean("probe", NULL, NULL, FALSE, G_PARAM_READABLE));
  props = g_new0(GParamSpec *, cc_n_properties + 1); /* the class keeps them for good */
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    props[i + 1] = cc_property_new_spec(property);
    if (property->type == CC_TYPE_ENUM)
      gst_type_mark_as_plugin_api(property->enum_type(), 0);
  }
  g_object_class_install_properties(klass, cc_n_properties + 1, props);
}
