/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sources.h"
#include "app/command.h"
#include "app/media.h"
#include "app/numbered.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PLACE "{}"

/* What is read and not written. */
static const gchar *const more_endings[] = {".ts",  ".mts", ".m2ts", ".mpg", ".mpeg", ".flv",
                                            ".3gp", ".wmv", ".mxf",  ".y4m", ".bmp",  NULL};

static gboolean
is_known(const gchar *name) {
  g_autofree gchar *lower = g_ascii_strdown(name, -1);
  for (guint i = 0; more_endings[i]; i++) {
    if (g_str_has_suffix(lower, more_endings[i]))
      return TRUE;
  }
  return media_of_name(name) != NULL;
}

static int
compare_paths(gconstpointer a, gconstpointer b) {
  return strcmp(*(const gchar *const *)a, *(const gchar *const *)b);
}

static gboolean
refuse(GError **error, const gchar *name, const gchar *why) {
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: %s", name, why);
  return FALSE;
}

/* A manifest is UTF-8. */
static gboolean
add_file(GPtrArray *paths, const gchar *path, GError **error) {
  if (!g_utf8_validate(path, -1, NULL)) {
    g_autofree gchar *shown = g_filename_display_name(path);
    return refuse(error, shown, "names of a job's files have to be UTF-8");
  }
  struct stat file;
  if (stat(path, &file) != 0)
    return refuse(error, path, "there is no such file");
  if (!S_ISREG(file.st_mode))
    return refuse(error, path, "this is no regular file, and a job reads its files many times");
  g_ptr_array_add(paths, g_canonicalize_filename(path, NULL));
  return TRUE;
}

static gboolean
add_folder(GPtrArray *paths, const gchar *folder, GError **error) {
  g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
  if (!dir)
    return FALSE;
  g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
  guint folders = 0;
  for (const gchar *name; (name = g_dir_read_name(dir));) {
    g_autofree gchar *path = g_build_filename(folder, name, NULL);
    folders += *name != '.' && g_file_test(path, G_FILE_TEST_IS_DIR);
    if (*name != '.' && is_known(name) && g_file_test(path, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add(found, g_steal_pointer(&path));
  }
  if (folders > 0)
    g_printerr("%s: left out: %u folder%s in it; folders are named one by one\n", folder, folders,
               folders == 1 ? "" : "s");
  g_ptr_array_sort(found, compare_paths);
  for (guint i = 0; i < found->len; i++) {
    if (!add_file(paths, g_ptr_array_index(found, i), error))
      return FALSE;
  }
  return found->len > 0 || refuse(error, folder, "there is no film or picture in this folder");
}

static gboolean
add_numbered(GPtrArray *paths, const gchar *name, GError **error) {
  g_autoptr(Numbered) pictures = numbered_new(name, error);
  guint first, last;
  if (!pictures || !numbered_find(pictures, &first, &last, error))
    return FALSE;
  for (guint i = first; i <= last; i++) {
    g_autofree gchar *path = numbered_name(pictures, i);
    if (!add_file(paths, path, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_pattern(GPtrArray *paths, const gchar *pattern, GError **error) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0)
    return refuse(error, pattern, "no file has a name like that");
  gboolean ok = TRUE;
  for (gsize i = 0; ok && i < found.gl_pathc; i++)
    ok = add_file(paths, found.gl_pathv[i], error);
  globfree(&found);
  return ok;
}

static gboolean
add_name(GPtrArray *paths, const gchar *name, GError **error) {
  if (g_file_test(name, G_FILE_TEST_IS_DIR))
    return add_folder(paths, name, error);
  if (g_file_test(name, G_FILE_TEST_EXISTS))
    return add_file(paths, name, error);
  if (numbered_is_pattern(name))
    return add_numbered(paths, name, error);
  if (strpbrk(name, "*?["))
    return add_pattern(paths, name, error);
  if (strstr(name, "://"))
    return refuse(error, name, "a job takes files, not URIs");
  return refuse(error, name, "there is no such file");
}

static gboolean
refuse_list(const gchar *list, GError **error) {
  const gint code = errno;
  g_set_error(
      error, G_FILE_ERROR, g_file_error_from_errno(code),
      "--list %s: %s; it takes a file with a name on each line, or - for the standard input", list,
      code == ENOENT ? "there is no such file" : g_strerror(code));
  return FALSE;
}

static gboolean
add_list(GPtrArray *paths, const gchar *list, GError **error) {
  g_autoptr(GString) line = g_string_new(NULL);
  guint lines = 1;
  FILE *file = g_str_equal(list, "-") ? stdin : fopen(list, "re");
  gboolean ok = TRUE;
  int c;
  if (!file)
    return refuse_list(list, error);
  do {
    c = getc(file);
    if (c != '\n' && c != EOF && c != '\0' && line->len < PATH_MAX) {
      g_string_append_c(line, (gchar)c);
    } else if (c != '\n' && c != EOF) {
      g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG,
                  "--list %s: line %u is no name of a file; it takes a name on each line", list,
                  lines);
      ok = FALSE;
    } else if (line->len > 0) {
      ok = add_name(paths, line->str, error);
      g_string_truncate(line, 0);
    }
    lines += c == '\n';
  } while (ok && c != EOF);
  if (file != stdin)
    fclose(file);
  return ok;
}

GPtrArray *
sources_find(const gchar *const *names, const gchar *list, GError **error) {
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  for (; *names; names++) {
    if (!add_name(paths, *names, error))
      return NULL;
  }
  if (list && !add_list(paths, list, error))
    return NULL;
  if (paths->len > 0)
    return g_steal_pointer(&paths);
  g_set_error(error, APP_USAGE_ERROR, 0, "it takes IN, the names of files, or --list");
  return NULL;
}

/* ---- names of what is made ---- */

static gchar *
name_without_ending(const gchar *path) {
  gchar *name = g_path_get_basename(path);
  gchar *dot = strrchr(name, '.');
  if (dot && dot != name)
    *dot = '\0';
  return name;
}

gchar *
sources_name_output(const gchar *in, const gchar *out, gboolean many, GError **error) {
  const gchar *place = strstr(out, PLACE);
  if (place) {
    g_autofree gchar *name = name_without_ending(in);
    g_autofree gchar *before = g_strndup(out, (gsize)(place - out));
    g_autofree gchar *made = g_strconcat(before, name, place + strlen(PLACE), NULL);
    return g_canonicalize_filename(made, NULL);
  }
  if (g_str_has_suffix(out, "/") || g_file_test(out, G_FILE_TEST_IS_DIR)) {
    g_autofree gchar *name = g_path_get_basename(in);
    g_autofree gchar *made = g_build_filename(out, name, NULL);
    return g_canonicalize_filename(made, NULL);
  }
  if (!many)
    return g_canonicalize_filename(out, NULL);
  g_set_error(error, APP_USAGE_ERROR, 0,
              "--out %s: of several files, OUT is a folder such as edges/, or has " PLACE
              " in the place of the name, such as edges/" PLACE ".png",
              out);
  return NULL;
}
