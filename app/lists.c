/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sub-commands that list what there is, as the element tells it. */

#include "command.h"
#include "filteroptions.h"

/* For a sub-command without options and arguments: whether there are none. */
static gboolean
parse_nothing(const gchar *name, const gchar *summary, int argc, char **argv) {
  const GOptionEntry none[] = {{0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = app_option_context_new(name, summary, none, NULL);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 0, 0, &error);
  if (!words)
    app_fail(name, APP_WRONG_USAGE, error);
  return words != NULL;
}

static GstElement *
make_element(const gchar *name) {
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) options = filter_options_new(&error);
  if (!options) {
    app_fail(name, APP_FAILED, error);
    return NULL;
  }
  return gst_object_ref_sink(filter_options_make(options, NULL));
}

AppStatus
app_kernels(int argc, char **argv) {
  if (!parse_nothing("kernels", "Lists the kernels that --kernel takes, with what each does.", argc,
                     argv))
    return APP_WRONG_USAGE;
  g_autoptr(GstElement) filter = make_element("kernels");
  if (!filter)
    return APP_FAILED;
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(filter), "kernel");
  const GEnumClass *kernels = G_PARAM_SPEC_ENUM(spec)->enum_class;
  for (guint i = 0; i < kernels->n_values; i++)
    g_print("%-16s%s\n", kernels->values[i].value_nick, kernels->values[i].value_name);
  return APP_DONE;
}

AppStatus
app_presets(int argc, char **argv) {
  if (!parse_nothing("presets", "Lists the presets that --preset takes, with what each does.", argc,
                     argv))
    return APP_WRONG_USAGE;
  g_autoptr(GstElement) filter = make_element("presets");
  if (!filter)
    return APP_FAILED;
  g_auto(GStrv) names = gst_preset_get_preset_names(GST_PRESET(filter));
  for (gchar **name = names; name && *name; name++) {
    g_autofree gchar *comment = NULL;
    gst_preset_get_meta(GST_PRESET(filter), *name, "comment", &comment);
    g_print("%-16s%s\n", *name, comment ? comment : "");
  }
  return APP_DONE;
}
