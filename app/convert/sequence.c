/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sequence.h"
#include "app/command.h"

#include <glib/gstdio.h>
#include <string.h>

#define PATTERN "^([^%]*)%(?:0?([1-9]))?d([^%/]*)$"

gboolean
sequence_is_pattern(const gchar *name) {
  return g_regex_match_simple("%(0?[1-9])?d", name, 0, 0);
}

ImageSequence *
sequence_new(const gchar *pattern, GError **error) {
  g_autoptr(GRegex) regex = g_regex_new(PATTERN, 0, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  if (!g_regex_match(regex, pattern, 0, &match)) {
    g_set_error(error, APP_USAGE_ERROR, 0,
                "%s: the name of numbered images has one number and no other %%, such as "
                "frames/%%04d.png",
                pattern);
    return NULL;
  }
  ImageSequence *self = g_new0(ImageSequence, 1);
  self->before = g_match_info_fetch(match, 1);
  g_autofree gchar *digits = g_match_info_fetch(match, 2);
  self->digits = *digits ? (guint)(*digits - '0') : 1;
  self->after = g_match_info_fetch(match, 3);
  return self;
}

void
sequence_free(ImageSequence *self) {
  g_free(self->before);
  g_free(self->after);
  g_free(self);
}

gchar *
sequence_name(const ImageSequence *self, guint number) {
  return g_strdup_printf("%s%0*u%s", self->before, (int)self->digits, number, self->after);
}

gchar *
sequence_pattern(const ImageSequence *self) {
  if (self->digits == 1)
    return g_strconcat(self->before, "%d", self->after, NULL);
  return g_strdup_printf("%s%%0%ud%s", self->before, self->digits, self->after);
}

/* FALSE if the name of the file does not match the pattern. */
static gboolean
read_number(const ImageSequence *self, const gchar *folder, const gchar *file, guint *number) {
  g_autofree gchar *path =
      strchr(self->before, '/') ? g_build_filename(folder, file, NULL) : g_strdup(file);
  g_autofree gchar *digits = NULL;
  if (!g_str_has_prefix(path, self->before) || !g_str_has_suffix(path, self->after) ||
      strlen(path) <= strlen(self->before) + strlen(self->after))
    return FALSE;
  digits = g_strndup(path + strlen(self->before),
                     strlen(path) - strlen(self->before) - strlen(self->after));
  guint64 value;
  if (!g_ascii_string_to_unsigned(digits, 10, 0, G_MAXINT, &value, NULL))
    return FALSE;
  g_autofree gchar *name = sequence_name(self, (guint)value);
  *number = (guint)value;
  return strcmp(name, path) == 0;
}

/* GStreamer would give the next image the time of an empty one. */
static gboolean
is_empty(const ImageSequence *self, guint number, GError **error) {
  g_autofree gchar *name = sequence_name(self, number);
  GStatBuf file;
  if (g_stat(name, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size > 0)
    return FALSE;
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: the file is empty", name);
  return TRUE;
}

gboolean
sequence_find(const ImageSequence *self, guint *first, guint *last, GError **error) {
  const gchar *slash = strrchr(self->before, '/');
  g_autofree gchar *folder =
      slash ? g_strndup(self->before, (gsize)(slash - self->before) + 1) : g_strdup(".");
  g_autofree gchar *pattern = sequence_pattern(self);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  if (!dir) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                "%s: there is no folder %s, or it cannot be read", pattern, folder);
    return FALSE;
  }
  guint count = 0, number;
  *first = G_MAXUINT;
  *last = 0;
  for (const gchar *file; (file = g_dir_read_name(dir));) {
    if (read_number(self, folder, file, &number)) {
      if (is_empty(self, number, error))
        return FALSE;
      count++;
      *first = MIN(*first, number);
      *last = MAX(*last, number);
    }
  }
  if (count == 0) {
    g_set_error(
        error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
        "%s: there is no such image; %%d stands for 1, 2, ... and %%04d for 0001, 0002, ...",
        pattern);
    return FALSE;
  }
  for (number = *first; count != *last - *first + 1; number++) {
    g_autofree gchar *name = sequence_name(self, number);
    if (!g_file_test(name, G_FILE_TEST_EXISTS)) {
      g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                  "%s: image %s is missing; the images go from %u to %u", pattern, name, *first,
                  *last);
      return FALSE;
    }
  }
  return TRUE;
}
