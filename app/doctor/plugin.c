/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where GStreamer finds the plugin, or why it does not. */

#include "doctor.h"

#include <glib/gstdio.h>
#include <string.h>

#define FILE_NAME "libgstcudaconv.so"
#define MOST_LEVELS 10 /* of folders in folders, as in GStreamer */
#define MOST_REASONS 5 /* of other plugins, whose loads take time */

/* A folder that GStreamer searches, with those in it. */
typedef struct {
  gchar *path, *origin;
} Place;

static void
place_free(Place *self) {
  g_free(self->path);
  g_free(self->origin);
  g_free(self);
}

static void
add_place(GPtrArray *places, const gchar *path, const gchar *origin) {
  Place *place = g_new(Place, 1);
  place->path = g_strdup(path);
  place->origin = g_strdup(origin);
  g_ptr_array_add(places, place);
}

/* Those in a variable; `name` with _1_0 comes first. FALSE when it is not set. */
static gboolean
add_variable(GPtrArray *places, const gchar *name) {
  g_autofree gchar *newer = g_strconcat(name, "_1_0", NULL);
  const gchar *origin = g_getenv(newer) ? newer : name, *value = g_getenv(origin);
  if (!value)
    return FALSE;
  g_auto(GStrv) paths = g_strsplit(value, G_SEARCHPATH_SEPARATOR_S, -1);
  for (gchar **path = paths; *path; path++) {
    if (**path)
      add_place(places, *path, origin);
  }
  return TRUE;
}

/* The folder of GStreamer's own plugins, or NULL. */
static gchar *
find_system_folder(void) {
  g_autoptr(GstPlugin) core = gst_registry_find_plugin(gst_registry_get(), "coreelements");
  const gchar *file = core ? gst_plugin_get_filename(core) : NULL;
  return file ? g_path_get_dirname(file) : NULL;
}

static gchar *
find_users_folder(void) {
  return g_build_filename(g_get_user_data_dir(), "gstreamer-1.0", "plugins", NULL);
}

/* The folder of the plugin in the build that this program lies in, if it lies in one. */
static gchar *
find_build_folder(void) {
  g_autofree gchar *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree gchar *folder = program ? g_path_get_dirname(program) : g_strdup(".");
  g_autofree gchar *beside = g_build_filename(folder, "..", "plugin", NULL);
  return g_canonicalize_filename(beside, "/");
}

/* All of them, in the order in which they are searched: the first copy of a plugin counts. */
static GPtrArray *
list_places(void) {
  GPtrArray *places = g_ptr_array_new_with_free_func((GDestroyNotify)place_free);
  add_variable(places, "GST_PLUGIN_PATH");
  if (!add_variable(places, "GST_PLUGIN_SYSTEM_PATH")) {
    g_autofree gchar *own = find_users_folder(), *system = find_system_folder();
    add_place(places, own, "the user's folder");
    if (system)
      add_place(places, system, "the folder of GStreamer's plugins");
  }
  g_autofree gchar *build = find_build_folder();
  add_place(places, build, "the build folder of this program");
  return places;
}

/* Whether two paths, of which links may be part, lead to one file. */
static gboolean
is_same_file(const gchar *a, const gchar *b) {
  GStatBuf first, second;
  return g_stat(a, &first) == 0 && g_stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/* Adds the copies of the plugin in a folder, without those that are known. */
static void
add_copies(GPtrArray *copies, const gchar *folder, const gchar *origin, guint level) {
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree gchar *path = g_build_filename(folder, name, NULL);
    if (strcmp(name, FILE_NAME) == 0 && g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
      gboolean known = FALSE;
      for (guint i = 0; i < copies->len; i++)
        known |= is_same_file(((const Place *)copies->pdata[i])->path, path);
      if (!known)
        add_place(copies, path, origin);
    } else if (level < MOST_LEVELS && *name != '.' && g_file_test(path, G_FILE_TEST_IS_DIR)) {
      add_copies(copies, path, origin, level + 1);
    }
  }
}

/* All copies, in the order in which GStreamer comes across them. */
static GPtrArray *
list_copies(const GPtrArray *places) {
  GPtrArray *copies = g_ptr_array_new_with_free_func((GDestroyNotify)place_free);
  for (guint i = 0; i < places->len; i++) {
    const Place *place = places->pdata[i];
    g_autofree gchar *path = g_canonicalize_filename(place->path, NULL);
    add_copies(copies, path, place->origin, 0);
  }
  return copies;
}

gchar *
doctor_find_registry(void) {
  const gchar *named =
      g_getenv("GST_REGISTRY_1_0") ? g_getenv("GST_REGISTRY_1_0") : g_getenv("GST_REGISTRY");
  if (named)
    return g_strdup(named);
  return g_build_filename(g_get_user_cache_dir(), "gstreamer-1.0", "registry.*.bin", NULL);
}

/* Why a plugin does not load, or NULL when it does. */
static gchar *
find_reason(const Doctor *self, const gchar *file) {
  g_autofree gchar *what = g_strconcat("load:", file, NULL);
  g_autoptr(GstStructure) answer = doctor_ask(self, what);
  return g_strdup(gst_structure_get_string(answer, "error"));
}

static void
mend_load(const gchar *reason) {
  if (strstr(reason, "version"))
    doctor_mend("build it anew for this GStreamer: meson setup --wipe BUILD && ninja -C BUILD");
  else if (strstr(reason, "cannot open shared object file") || strstr(reason, "undefined symbol"))
    doctor_mend("install the library that it names, or build the plugin anew on this machine");
  else if (strstr(reason, "Permission denied"))
    doctor_mend("make the file readable: chmod a+r");
  else
    doctor_mend("copy or build the file anew, or remove it");
}

static gboolean
is_in_folder(const gchar *file, const gchar *folder) {
  g_autofree gchar *canonical = g_canonicalize_filename(folder, NULL);
  return g_str_has_prefix(file, canonical) && file[strlen(canonical)] == '/';
}

static const gchar *
find_origin(const GPtrArray *places, const gchar *file) {
  g_autofree gchar *canonical = g_canonicalize_filename(file, NULL);
  for (guint i = 0; i < places->len; i++) {
    const Place *place = places->pdata[i];
    if (is_in_folder(canonical, place->path))
      return place->origin;
  }
  return "GStreamer's registry";
}

/* ---- the element is known ---- */

/* Of two copies the first one counts, unless it does not load. */
static void
check_other_copy(Doctor *self, const Place *copy, gboolean is_before) {
  g_autofree gchar *reason = find_reason(self, copy->path);
  if (reason) {
    doctor_say(self, is_before ? DOCTOR_MISSING : DOCTOR_NOTE,
               "another copy is not in use, since it does not load: %s (%s): %s", copy->path,
               copy->origin, reason);
    mend_load(reason);
    return;
  }
  doctor_say(self, DOCTOR_NOTE, "another copy is not in use: %s (%s)", copy->path, copy->origin);
  doctor_mend("remove the one of the two that is not wanted");
}

static gboolean
check_found(Doctor *self, GstElementFactory *factory, const GPtrArray *places,
            const GPtrArray *copies) {
  g_autoptr(GstPlugin) plugin = gst_plugin_feature_get_plugin(GST_PLUGIN_FEATURE(factory));
  const gchar *file = plugin ? gst_plugin_get_filename(plugin) : NULL;
  if (!file) {
    doctor_say(self, DOCTOR_OK, "element cudaconv, which is part of a program");
    return TRUE;
  }
  g_autofree gchar *reason = find_reason(self, file);
  if (reason) {
    doctor_say(self, DOCTOR_BROKEN, "%s (%s): %s", file, find_origin(places, file), reason);
    mend_load(reason);
    return FALSE;
  }
  g_autofree gchar *winner = g_canonicalize_filename(file, NULL);
  doctor_say(self, DOCTOR_OK, "element cudaconv %s from %s (%s)", gst_plugin_get_version(plugin),
             winner, find_origin(places, file));
  gboolean is_before = TRUE;
  for (guint i = 0; i < copies->len; i++) {
    const Place *copy = copies->pdata[i];
    if (is_same_file(copy->path, winner))
      is_before = FALSE;
    else
      check_other_copy(self, copy, is_before);
  }
  return TRUE;
}

/* ---- it is not ---- */

static void
check_not_found(Doctor *self, const GPtrArray *places, const GPtrArray *copies) {
  for (guint i = 0; i < copies->len; i++) {
    const Place *copy = copies->pdata[i];
    g_autofree gchar *reason = find_reason(self, copy->path);
    g_autofree gchar *registry = doctor_find_registry();
    doctor_say(self, i == 0 ? DOCTOR_BROKEN : DOCTOR_NOTE,
               "element cudaconv: GStreamer does not take %s (%s): %s", copy->path, copy->origin,
               reason  ? reason
               : i > 0 ? "the copy before it counts"
                       : "its registry says that the file does not load, and now it does");
    if (reason)
      mend_load(reason);
    doctor_mend(reason && i == 0 ? "then let GStreamer look again: rm %s"
                                 : "let GStreamer look again: rm %s",
                registry);
  }
  if (copies->len)
    return;
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint i = 0; i < places->len; i++)
    g_string_append_printf(list, "%s%s", i ? ", " : "", ((const Place *)places->pdata[i])->path);
  g_autofree gchar *own = find_users_folder(), *system = find_system_folder();
  doctor_say(self, DOCTOR_BROKEN, "element cudaconv: no " FILE_NAME " in %s", list->str);
  doctor_mend("for everybody: `make install` in the sources puts it into %s",
              system ? system : "the folder of GStreamer's plugins");
  doctor_mend("for one user: copy build/plugin/" FILE_NAME " to %s", own);
  doctor_mend("for one shell: export GST_PLUGIN_PATH=FOLDER with the folder that it lies in");
}

/* ---- others ---- */

/* Other plugins that do not load, whose elements somebody may miss. */
static void
check_others(Doctor *self) {
  guint n = 0;
  GList *plugins = gst_registry_get_plugin_list(gst_registry_get());
  for (const GList *item = plugins; item; item = item->next) {
    const gchar *file = gst_plugin_get_filename(item->data);
    if (!GST_OBJECT_FLAG_IS_SET(item->data, GST_PLUGIN_FLAG_BLACKLISTED) || !file ||
        g_str_has_suffix(file, "/" FILE_NAME))
      continue;
    g_autofree gchar *registry = doctor_find_registry();
    g_autofree gchar *reason =
        n++ < MOST_REASONS ? find_reason(self, file) : g_strdup("for a reason like those above");
    doctor_say(self, DOCTOR_MISSING, "GStreamer does not take %s: %s", file,
               reason ? reason : "its registry says that the file does not load, and now it does");
    doctor_mend("install anew the package of it, or remove the file; then rm %s", registry);
  }
  gst_plugin_list_free(plugins);
}

/* Folders that are named and not there. */
static void
check_places(Doctor *self, const GPtrArray *places) {
  for (guint i = 0; i < places->len; i++) {
    const Place *place = places->pdata[i];
    if (g_str_has_prefix(place->origin, "GST_") && !g_file_test(place->path, G_FILE_TEST_EXISTS)) {
      doctor_say(self, DOCTOR_MISSING, "%s names %s, which is not there", place->origin,
                 place->path);
      doctor_mend("name the folder that " FILE_NAME " lies in, or unset the variable");
    }
  }
}

gboolean
doctor_check_plugin(Doctor *self) {
  doctor_begin("Plugin");
  g_autoptr(GPtrArray) places = list_places();
  g_autoptr(GPtrArray) copies = list_copies(places);
  g_autoptr(GstElementFactory) factory = gst_element_factory_find("cudaconv");
  gboolean usable = FALSE;
  if (factory)
    usable = check_found(self, factory, places, copies);
  else
    check_not_found(self, places, copies);
  check_places(self, places);
  check_others(self);
  return usable;
}
