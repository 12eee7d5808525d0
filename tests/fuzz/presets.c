/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzzes the user's file of presets. Its first group names the element and is always valid; the
 * bytes are the rest. Every preset in the file is loaded twice. */

#include <stdio.h>
#include "common.h"
#include "filter.h"
#include "plugin/element.h"
#include "sanitizers.h"

/* GStreamer 1.22 reads a missing version from a null pointer. */
#define HEADER "[_presets_]\nversion=0.1.0\nelement-name=GstCudaConv\n"

static gchar *path;

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_init();
  g_autofree gchar *folder = g_build_filename(fuzz_folder(), "gstreamer-1.0", "presets", NULL);
  fuzz_check(g_mkdir_with_parents(folder, 0700) == 0, "cannot create %s", folder);
  path = g_build_filename(folder, "GstCudaConv.prs", NULL);
  return 0;
}

/* Not with g_file_set_contents, which in GLib 2.74 either leaves the end of a longer old file, or
 * makes a new file each time. */
static void
write_presets(const guint8 *data, gsize size) {
  FILE *file = fopen(path, "wb");
  fuzz_check(file, "%s cannot be opened", path);
  const gboolean ok =
      fputs(HEADER, file) >= 0 && (size == 0 || fwrite(data, 1, size, file) == size);
  fuzz_check(fclose(file) == 0 && ok, "%s cannot be written", path);
}

/* GStreamer reads the file once and stores it in the type under this quark. */
static GQuark
presets_quark(void) {
  return g_quark_from_static_string("GstPreset::presets");
}

static void
forget_presets(void) {
  GKeyFile *presets = g_type_get_qdata(GST_TYPE_CUDA_CONV, presets_quark());
  g_type_set_qdata(GST_TYPE_CUDA_CONV, presets_quark(), NULL);
  g_clear_pointer(&presets, g_key_file_unref);
}

/* The text of all properties that a preset may contain. */
static gchar *
describe(GstElement *element) {
  GString *text = g_string_new(NULL);
  g_auto(GStrv) names = gst_preset_get_property_names(GST_PRESET(element));
  for (gchar **name = names; *name; name++) {
    g_auto(GValue) value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(element), *name, &value);
    g_autofree gchar *one = g_strdup_value_contents(&value);
    g_string_append_printf(text, "%s=%s\n", *name, one);
  }
  return g_string_free(text, FALSE);
}

/* Whether the preset is in the file and not compiled in. */
static gboolean
is_in_file(const gchar *name) {
  GKeyFile *presets = g_type_get_qdata(GST_TYPE_CUDA_CONV, presets_quark());
  return presets && g_key_file_has_group(presets, name);
}

/* Whether GStreamer's parser accepts or refuses each value of the preset without a critical. */
static gboolean
can_be_parsed(GstElement *element, const gchar *name) {
  GKeyFile *presets = g_type_get_qdata(GST_TYPE_CUDA_CONV, presets_quark());
  g_auto(GStrv) names = gst_preset_get_property_names(GST_PRESET(element));
  gboolean ok = TRUE;
  for (gchar **property = names; ok && *property; property++) {
    g_auto(GValue) value = G_VALUE_INIT;
    g_autofree gchar *text = g_key_file_get_value(presets, name, *property, NULL);
    GParamSpec *pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), *property);
    ok = !text || fuzz_parse_value(&value, text, pspec) != FUZZ_FAULT;
  }
  return ok;
}

/* Loads a preset. If a value is refused, nothing may change. */
static void
load(GstElement *element, const gchar *name) {
  g_auto(GStrv) names = gst_preset_get_property_names(GST_PRESET(element));
  g_autofree gchar *before = describe(element);
  __lsan_disable();
  const gboolean ok = gst_preset_load_preset(GST_PRESET(element), name);
  __lsan_enable();
  const guint n_warnings = fuzz_count_warnings();
  fuzz_check(ok == (n_warnings == 0), "[%s] is %s, with %u warnings", name,
             ok ? "loaded" : "refused", n_warnings);
  fuzz_check(n_warnings <= g_strv_length(names), "%u warnings", n_warnings);
  g_autofree gchar *after = describe(element);
  fuzz_check(ok || g_str_equal(before, after), "[%s] is refused and changes\n%sto\n%s", name,
             before, after);
}

/* Loading a preset twice must give the same as loading it once. */
static void
check_preset(GstElement *element, const gchar *name) {
  load(element, name);
  g_autofree gchar *once = describe(element);
  load(element, name);
  g_autofree gchar *twice = describe(element);
  fuzz_check(g_str_equal(once, twice), "[%s] is loaded as\n%sthen as\n%s", name, once, twice);
  fuzz_check_readable(element);
  fuzz_check_options_of(element);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  write_presets(data, size);
  forget_presets();
  GstElement *element = fuzz_element_new();
  g_auto(GStrv) names = gst_preset_get_preset_names(GST_PRESET(element));
  for (gchar **name = names; name && *name; name++)
    if (is_in_file(*name) && can_be_parsed(element, *name))
      check_preset(element, *name);
  gst_object_unref(element);
  return 0;
}
