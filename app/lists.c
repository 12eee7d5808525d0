/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sub-commands that list the element's kernels and presets. */

#include "command.h"
#include "filteroptions.h"

static AppStatus
list(const gchar *name, const gchar *summary, void (*print)(GstElement *filter), int argc,
     char **argv) {
  const GOptionEntry none[] = {{0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = app_option_context_new(name, summary, none, NULL);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 0, 0, &error);
  if (!words)
    return app_fail(name, APP_WRONG_USAGE, error);
  g_autoptr(FilterOptions) options = filter_options_new(&error);
  if (!options)
    return app_fail(name, APP_FAILED, error);
  g_autoptr(GstElement) filter = filter_options_make(options, NULL);
  print(filter);
  return app_end_output(name, APP_DONE);
}

static void
print_kernels(GstElement *filter) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(filter), "kernel");
  const GEnumClass *kernels = G_PARAM_SPEC_ENUM(spec)->enum_class;
  for (guint i = 0; i < kernels->n_values; i++)
    g_print("%-16s%s\n", kernels->values[i].value_nick, kernels->values[i].value_name);
}

static void
print_presets(GstElement *filter) {
  g_auto(GStrv) names = gst_preset_get_preset_names(GST_PRESET(filter));
  for (gchar **name = names; name && *name; name++) {
    g_autofree gchar *comment = NULL;
    gst_preset_get_meta(GST_PRESET(filter), *name, "comment", &comment);
    g_print("%-16s%s\n", *name, comment ? comment : "");
  }
}

AppStatus
app_kernels(int argc, char **argv) {
  return list("kernels", "Lists the kernels for --kernel, with a description of each.",
              print_kernels, argc, argv);
}

AppStatus
app_presets(int argc, char **argv) {
  return list("presets", "Lists the presets for --preset, with a description of each.",
              print_presets, argc, argv);
}
