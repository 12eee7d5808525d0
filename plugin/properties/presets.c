/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "presets.h"

#include "element.h"
#include "properties.h"
#include "report.h"

#include <gio/gio.h>
#include <string.h>

#define GST_CAT_DEFAULT gst_cuda_conv_debug

#define FILE_NAME "GstCudaConv.prs"
#define HEADER "_presets_"
#define RESOURCE "/cudaconv/GstCudaConv.prs"

static GstPresetInterface of_user; /* GStreamer's own functions, for the user's files */

/* --- the two kinds --- */

GResource *cc_presets_get_resource(void); /* generated */

static gpointer
read_shipped(gpointer data) {
  g_autoptr(GError) error = NULL;
  GKeyFile *presets = g_key_file_new();
  g_autoptr(GBytes) bytes = g_resource_lookup_data(cc_presets_get_resource(), RESOURCE,
                                                   G_RESOURCE_LOOKUP_FLAGS_NONE, &error);
  if (!bytes || !g_key_file_load_from_bytes(presets, bytes, G_KEY_FILE_NONE, &error))
    g_error("%s: %s", RESOURCE, error->message);
  return presets;
}

/* Such names are groups that GStreamer uses itself. */
static gboolean
is_private(const gchar *name) {
  return *name == '_';
}

/* The compiled-in presets, read once and kept. */
static GKeyFile *
get_shipped(void) {
  static GOnce once = G_ONCE_INIT;
  return g_once(&once, read_shipped, NULL);
}

static gboolean
is_shipped(const gchar *name) {
  return !is_private(name) && g_key_file_has_group(get_shipped(), name);
}

/* Whether a preset file has an element name but no version, on which GStreamer up to at least 1.22
 * crashes. */
static gboolean
lacks_version(const gchar *path) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  return g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL) &&
         g_key_file_has_key(file, HEADER, "element-name", NULL) &&
         !g_key_file_has_key(file, HEADER, "version", NULL);
}

/* Checks the user's files before GStreamer reads them. It reads them once, so later changes do not
 * matter. */
static gboolean
can_read_user(void) {
  static gint read = FALSE, warned = FALSE; /* atomic */
  if (g_atomic_int_get(&read))
    return TRUE;
  const gchar *app = gst_preset_get_app_dir();
  g_autofree gchar *in_home =
      g_build_filename(g_get_user_data_dir(), "gstreamer-1.0", "presets", FILE_NAME, NULL);
  g_autofree gchar *of_app = app ? g_build_filename(app, FILE_NAME, NULL) : NULL;
  const gchar *bad = lacks_version(in_home)            ? in_home
                     : of_app && lacks_version(of_app) ? of_app
                                                       : NULL;
  if (bad && g_atomic_int_compare_and_exchange(&warned, FALSE, TRUE))
    g_warning("%s is ignored: version= is missing below [" HEADER "]", bad);
  if (!bad)
    g_atomic_int_set(&read, TRUE);
  return !bad;
}

static gchar **
get_names_of_user(GstPreset *preset) {
  return can_read_user() ? of_user.get_preset_names(preset) : NULL;
}

static gboolean
is_of_user(GstPreset *preset, const gchar *name) {
  g_auto(GStrv) names = get_names_of_user(preset);
  return !is_private(name) && names && g_strv_contains((const gchar *const *)names, name);
}

/* Returns TRUE and warns if only a shipped preset has the name, because these cannot be changed. */
static gboolean
refuse_change(GstPreset *preset, const gchar *name, const gchar *change) {
  if (!is_shipped(name) || is_of_user(preset, name))
    return FALSE;
  GST_WARNING_OBJECT(preset, "preset '%s' is part of the element and cannot be %s", name, change);
  return TRUE;
}

/* --- names --- */

static gint
compare_names(gconstpointer a, gconstpointer b) {
  return g_strcmp0(*(const gchar *const *)a, *(const gchar *const *)b);
}

/* Adds copies of new names. */
static void
add_names(GPtrArray *all, gchar **names) {
  for (gchar **name = names; name && *name; name++)
    if (!is_private(*name) && !g_ptr_array_find_with_equal_func(all, *name, g_str_equal, NULL))
      g_ptr_array_add(all, g_strdup(*name));
}

/* All names without duplicates, in GStreamer's order. */
static gchar **
get_preset_names(GstPreset *preset) {
  g_auto(GStrv) shipped = g_key_file_get_groups(get_shipped(), NULL);
  g_auto(GStrv) users = get_names_of_user(preset);
  GPtrArray *all = g_ptr_array_new();
  add_names(all, shipped);
  add_names(all, users);
  g_ptr_array_sort(all, compare_names);
  g_ptr_array_add(all, NULL);
  return (gchar **)g_ptr_array_free(all, FALSE);
}

/* The properties that affect pixels. */
static gchar **
get_property_names(GstPreset *preset) {
  GStrvBuilder *names = g_strv_builder_new();
  for (guint i = 0; i < cc_n_options; i++)
    g_strv_builder_add(names, cc_options[i].name);
  gchar **all = g_strv_builder_end(names);
  g_strv_builder_unref(names);
  return all;
}

/* --- loading --- */

/* Sets the properties of a shipped preset, as GStreamer does for a user's preset. */
static gboolean
load_shipped(GstPreset *preset, const gchar *name) {
  for (guint i = 0; i < cc_n_options; i++) {
    const gchar *property = cc_options[i].name;
    GParamSpec *pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(preset), property);
    g_autofree gchar *text = g_key_file_get_value(get_shipped(), name, property, NULL);
    g_auto(GValue) value = G_VALUE_INIT;
    if (!text)
      continue;
    g_value_init(&value, pspec->value_type);
    if (!gst_value_deserialize(&value, text))
      return FALSE;
    g_object_set_property(G_OBJECT(preset), property, &value);
  }
  return TRUE;
}

/* Sets the values of a preset, and the defaults of properties that it omits, as one change. The
 * preset is first loaded into a temporary element, so that nothing changes if one of its values is
 * refused. */
static gboolean
load_preset(GstPreset *preset, const gchar *name) {
  GstCudaConv *self = GST_CUDA_CONV(preset);
  const gboolean users = is_of_user(preset, name);
  if (!users && !is_shipped(name)) {
    GST_WARNING_OBJECT(preset, "no preset named '%s'", name);
    return FALSE;
  }
  g_autoptr(GError) error = NULL;
  g_autoptr(GstCudaConv) loaded =
      gst_object_ref_sink(g_object_new(GST_TYPE_CUDA_CONV, "name", "preset", NULL));
  loaded->is_preset = users;
  if (!(users ? of_user.load_preset(GST_PRESET(loaded), name)
              : load_shipped(GST_PRESET(loaded), name)))
    return FALSE;
  if (!cc_settings_start(&loaded->settings, &error)) {
    g_autofree gchar *text =
        g_strdup_printf("%s. The previous values stay in use.", error->message);
    gst_cuda_conv_warn(self, text);
    return FALSE;
  }
  g_object_freeze_notify(G_OBJECT(self)); /* the values are committed at the thaw */
  cc_settings_load(&self->settings, &loaded->settings);
  gst_cuda_conv_notify(self, cc_options_all());
  g_object_thaw_notify(G_OBJECT(self));
  return TRUE;
}

static gboolean
get_meta(GstPreset *preset, const gchar *name, const gchar *tag, gchar **value) {
  if (!can_read_user() && !is_shipped(name))
    return FALSE;
  if (!is_shipped(name) || is_of_user(preset, name))
    return of_user.get_meta(preset, name, tag, value) && *value;
  g_autofree gchar *key = g_strdup_printf("_meta/%s", tag);
  *value = g_key_file_get_value(get_shipped(), name, key, NULL);
  return *value != NULL;
}

/* --- changing --- */

/* Whether the text is UTF-8 without control characters. */
static gboolean
is_one_line(const gchar *text) {
  const gboolean is_utf8 = g_utf8_validate(text, -1, NULL);
  while (*text && !g_ascii_iscntrl(*text))
    text++;
  return is_utf8 && !*text;
}

/* Returns TRUE and warns if GStreamer's file cannot store the name, or would not list it. */
static gboolean
refuse_name(GstPreset *preset, const gchar *name) {
  const gboolean can_be = *name && !is_private(name) && !strpbrk(name, "[]") && is_one_line(name);
  if (!can_be)
    GST_WARNING_OBJECT(
        preset,
        "'%s' is not a valid preset name: it must not begin with _ or contain a bracket "
        "or a control character",
        name);
  return !can_be;
}

/* Returns TRUE and warns if the path of the kernel file has a quote, which GStreamer's file does
 * not preserve. */
static gboolean
refuse_path(GstPreset *preset) {
  g_autofree gchar *path = NULL;
  g_object_get(preset, "kernel-file", &path, NULL);
  const gboolean has_quote = path && strchr(path, '"');
  if (has_quote)
    GST_WARNING_OBJECT(preset, "kernel-file=%s contains a quote, which a preset cannot store",
                       path);
  return has_quote;
}

static gboolean
save_preset(GstPreset *preset, const gchar *name) {
  return can_read_user() && !refuse_name(preset, name) && !refuse_path(preset) &&
         of_user.save_preset(preset, name);
}

static gboolean
rename_preset(GstPreset *preset, const gchar *old_name, const gchar *new_name) {
  return can_read_user() && !refuse_change(preset, old_name, "renamed") &&
         !refuse_name(preset, new_name) && of_user.rename_preset(preset, old_name, new_name);
}

static gboolean
delete_preset(GstPreset *preset, const gchar *name) {
  return can_read_user() && !refuse_change(preset, name, "deleted") &&
         of_user.delete_preset(preset, name);
}

/* Returns TRUE and warns if a line of GStreamer's file cannot store the description of a preset. */
static gboolean
refuse_meta(GstPreset *preset, const gchar *tag, const gchar *value) {
  const gboolean fits =
      *tag && !strpbrk(tag, "=[] ") && is_one_line(tag) && (!value || is_one_line(value));
  if (!fits)
    GST_WARNING_OBJECT(preset,
                       "a preset cannot store '%s' as '%s': the tag must be one word without = and "
                       "brackets, and both must be one line of UTF-8",
                       value, tag);
  return !fits;
}

/* Refuses unknown names, because GStreamer's function would create a preset that holds nothing
 * else. */
static gboolean
set_meta(GstPreset *preset, const gchar *name, const gchar *tag, const gchar *value) {
  if (refuse_change(preset, name, "described") || refuse_meta(preset, tag, value))
    return FALSE;
  if (is_of_user(preset, name))
    return of_user.set_meta(preset, name, tag, value);
  GST_WARNING_OBJECT(preset, "no preset named '%s'", name);
  return FALSE;
}

void
gst_cuda_conv_preset_interface_init(GstPresetInterface *interface) {
  of_user = *interface;
  interface->get_preset_names = get_preset_names;
  interface->get_property_names = get_property_names;
  interface->load_preset = load_preset;
  interface->save_preset = save_preset;
  interface->rename_preset = rename_preset;
  interface->delete_preset = delete_preset;
  interface->set_meta = set_meta;
  interface->get_meta = get_meta;
}
