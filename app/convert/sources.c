/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sources.h"
#include "app/command.h"
#include "media.h"
#include "sequence.h"
#include "app/text.h"
#include "atomicfile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACEHOLDER "{}" /* stands for the name of an input file without its extension */
#define MAX_LISTED 10    /* maximum number of files that a message lists */

static int
compare_paths(gconstpointer a, gconstpointer b) {
  return strcmp(*(const gchar *const *)a, *(const gchar *const *)b);
}

static gboolean
refuse(GError **error, const gchar *name, const gchar *why) {
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: %s", name, why);
  return FALSE;
}

static gboolean
add_file(GPtrArray *paths, const gchar *path, GError **error) {
  struct stat file;
  if (stat(path, &file) != 0)
    return refuse(error, path, "there is no such file");
  if (!S_ISREG(file.st_mode))
    return refuse(error, path,
                  "this is not a regular file; cameras, pipes and devices cannot be among several "
                  "files or in a job");
  g_ptr_array_add(paths, g_strdup(path));
  return TRUE;
}

static void
report_left_out(const gchar *folder, GPtrArray *names, const gchar *why) {
  g_autoptr(GString) list = g_string_new(NULL);
  g_ptr_array_sort(names, compare_paths);
  for (guint i = 0; i < MIN(names->len, MAX_LISTED); i++)
    g_string_append_printf(list, "%s%s", i ? ", " : "", (gchar *)g_ptr_array_index(names, i));
  if (names->len > MAX_LISTED)
    g_string_append_printf(list, " and %u more", names->len - MAX_LISTED);
  g_autofree gchar *text = g_strdup_printf("%s: left out: %s (%s)", folder, list->str, why);
  g_autofree gchar *redacted = text_redact(text);
  if (names->len > 0)
    g_printerr("%s\n", redacted);
}

static gboolean
add_folder(GPtrArray *paths, const gchar *folder, gboolean names_stay, GError **error) {
  g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
  if (!dir)
    return FALSE;
  g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) left_out = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) read_only = g_ptr_array_new_with_free_func(g_free);
  guint folders = 0;
  for (const gchar *name; (name = g_dir_read_name(dir));) {
    g_autofree gchar *path = g_build_filename(folder, name, NULL);
    if (*name == '.')
      continue;
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      folders++;
    else if (!media_is_readable(name) || !g_file_test(path, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add(left_out, g_strdup(name));
    else if (names_stay && !media_of_name(name))
      g_ptr_array_add(read_only, g_strdup(name));
    else
      g_ptr_array_add(found, g_steal_pointer(&path));
  }
  report_left_out(folder, left_out, "no ending of a video or image");
  report_left_out(folder, read_only,
                  "can be read but not written; OUT such as edges/" PLACEHOLDER
                  ".mkv changes the ending");
  g_autofree gchar *redacted = text_redact(folder);
  if (folders > 0)
    g_printerr("%s: left out: %u subfolder%s (subfolders must be named as IN)\n", redacted, folders,
               folders == 1 ? "" : "s");
  g_ptr_array_sort(found, compare_paths);
  for (guint i = 0; i < found->len; i++) {
    if (!add_file(paths, g_ptr_array_index(found, i), error))
      return FALSE;
  }
  return found->len > 0 || refuse(error, folder, "there is no video or image in this folder");
}

static gboolean
add_numbered(GPtrArray *paths, const gchar *name, GError **error) {
  g_autoptr(ImageSequence) sequence = sequence_new(name, error);
  guint first, last;
  if (!sequence || !sequence_find(sequence, &first, &last, error))
    return FALSE;
  for (guint i = first; i <= last; i++) {
    g_autofree gchar *path = sequence_name(sequence, i);
    if (!add_file(paths, path, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_pattern(GPtrArray *paths, const gchar *pattern, GError **error) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0)
    return refuse(error, pattern, "no file matches this pattern");
  gboolean ok = TRUE;
  for (gsize i = 0; ok && i < found.gl_pathc; i++)
    ok = add_file(paths, found.gl_pathv[i], error);
  globfree(&found);
  return ok;
}

static gboolean
add_name(GPtrArray *paths, const gchar *name, gboolean names_stay, GError **error) {
  if (g_file_test(name, G_FILE_TEST_IS_DIR))
    return add_folder(paths, name, names_stay, error);
  if (g_file_test(name, G_FILE_TEST_EXISTS))
    return add_file(paths, name, error);
  if (sequence_is_pattern(name))
    return add_numbered(paths, name, error);
  if (strpbrk(name, "*?["))
    return add_pattern(paths, name, error);
  if (strstr(name, "://"))
    return refuse(error, name, "a URI cannot be among several files or in a job");
  return refuse(error, name, "there is no such file");
}

static gboolean
refuse_list(const gchar *list, GError **error) {
  const gint code = errno;
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code),
              "--list %s: %s; expected a file with one name per line, or - for standard input",
              list, code == ENOENT ? "there is no such file" : g_strerror(code));
  return FALSE;
}

static gboolean
add_list(GPtrArray *paths, const gchar *list, gboolean names_stay, GError **error) {
  g_autoptr(GString) line = g_string_new(NULL);
  guint lines = 1;
  FILE *file = g_str_equal(list, "-") ? stdin : fopen(list, "re");
  gboolean ok = TRUE;
  int c;
  if (!file)
    return refuse_list(list, error);
  do {
    c = getc(file);
    if (c == EOF && ferror(file))
      ok = refuse_list(list, error);
    else if (c != '\n' && c != EOF && c != '\0' && line->len < PATH_MAX) {
      g_string_append_c(line, (gchar)c);
    } else if (c != '\n' && c != EOF) {
      g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG,
                  "--list %s: line %u is not a file name; expected one name per line", list, lines);
      ok = FALSE;
    } else if (line->len > 0) {
      ok = add_name(paths, line->str, names_stay, error);
      g_string_truncate(line, 0);
    }
    lines += c == '\n';
  } while (ok && c != EOF);
  if (file != stdin)
    fclose(file);
  return ok;
}

GPtrArray *
sources_find(const gchar *const *names, const gchar *list, gboolean names_stay, GError **error) {
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  for (; *names; names++) {
    if (!add_name(paths, *names, names_stay, error))
      return NULL;
  }
  if (list && !add_list(paths, list, names_stay, error))
    return NULL;
  if (paths->len > 0)
    return g_steal_pointer(&paths);
  g_set_error(error, APP_USAGE_ERROR, 0, "expected IN, the names of files, or --list");
  return NULL;
}

/* ---- output names ---- */

static gchar *
name_without_ending(const gchar *path) {
  gchar *name = g_path_get_basename(path);
  gchar *dot = strrchr(name, '.');
  if (dot && dot != name)
    *dot = '\0';
  return name;
}

gboolean
sources_name_stays(const gchar *out) {
  return !strstr(out, PLACEHOLDER) && (!media_of_name(out) || g_file_test(out, G_FILE_TEST_IS_DIR));
}

gchar *
sources_name_output(const gchar *in, const gchar *out) {
  if (strstr(out, PLACEHOLDER)) {
    g_autofree gchar *name = name_without_ending(in);
    g_auto(GStrv) parts = g_strsplit(out, PLACEHOLDER, -1);
    return g_strjoinv(name, parts);
  }
  if (!g_str_has_suffix(out, "/") && !g_file_test(out, G_FILE_TEST_IS_DIR))
    return NULL;
  g_autofree gchar *name = g_path_get_basename(in);
  return g_build_filename(out, name, NULL);
}

static gboolean
check_ending(const gchar *name, const gchar *option, GError **error) {
  const Media *media = media_of_name(name);
  if (media && media->kind == MEDIA_IMAGE && sequence_is_pattern(name))
    return app_refuse(error,
                      "%s%s: this names numbered images, but each file becomes one image; expected "
                      "a folder such as edges/, or a name with {} such as edges/{}.png",
                      option, name);
  if (media)
    return TRUE;
  g_autofree gchar *endings = media_list_endings(NULL);
  return app_refuse(error,
                    "%s%s: the ending is not known; expected one of %s; a name such as "
                    "edges/{}.png changes the ending of every file",
                    option, name, endings);
}

/* FALSE with an error if an output is the same file as an input, even under another name. */
static gboolean
check_others(const GPtrArray *in, const GPtrArray *out, const gchar *option, GError **error) {
  g_autoptr(GHashTable) read = file_set_new();
  for (guint i = 0; i < in->len; i++)
    file_set_add(read, g_ptr_array_index(in, i));
  for (guint i = 0; i < out->len; i++) {
    const gchar *name = g_ptr_array_index(out, i);
    if (file_set_has(read, name))
      return app_refuse(
          error,
          "%s%s: this is one of the input files; choose another name, or a folder such "
          "as edges/",
          option, name);
  }
  return TRUE;
}

GPtrArray *
sources_name_outputs(const GPtrArray *in, const gchar *out, const gchar *option, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GHashTable) written = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < in->len; i++) {
    gchar *from = g_ptr_array_index(in, i);
    gchar *name = sources_name_output(from, out);
    if (!name && in->len > 1) {
      app_refuse(
          error,
          "%s%s: for several files, OUT must be a folder such as edges/, or contain " PLACEHOLDER
          " for the name, such as edges/" PLACEHOLDER ".png",
          option, out);
      return NULL;
    }
    if (!name)
      name = g_strdup(out);
    g_ptr_array_add(names, name);
    const gchar *other = g_hash_table_lookup(written, name);
    if (other && g_str_equal(other, from)) {
      app_refuse(error, "%s: it is twice in IN", other);
      return NULL;
    }
    if (other) {
      app_refuse(error,
                 "%s%s: %s and %s would both become this; a folder as OUT, such as edges/, "
                 "keeps their endings; files of the same name need separate runs",
                 option, name, other, from);
      return NULL;
    }
    g_hash_table_insert(written, name, from);
    if (!check_ending(name, option, error))
      return NULL;
  }
  return check_others(in, names, option, error) ? g_steal_pointer(&names) : NULL;
}

gboolean
sources_make_folders(const GPtrArray *out, const gchar *option, GError **error) {
  for (guint i = 0; i < out->len; i++) {
    const gchar *path = g_ptr_array_index(out, i);
    g_autofree gchar *folder = g_path_get_dirname(path);
    if (!g_file_test(folder, G_FILE_TEST_IS_DIR) && g_mkdir(folder, 0777) != 0)
      return app_refuse(error, "%s%s: the folder %s cannot be created (%s)", option, path, folder,
                        g_strerror(errno));
    if (g_access(folder, W_OK | X_OK) != 0)
      return app_refuse(error, "%s%s: the folder %s is not writable (%s)", option, path, folder,
                        g_strerror(errno));
  }
  return TRUE;
}
