/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "input.h"

#include <errno.h>
#include <string.h>

static gboolean
refuse(GError **error, gint code, const gchar *name, const gchar *why) {
  g_set_error(error, G_FILE_ERROR, code, "%s: %s", name, why);
  return FALSE;
}

static gboolean
init_file(Input *self, GError **error) {
  if (stat(self->name, &self->at_start) != 0) {
    gint code = errno;
    memset(&self->at_start, 0, sizeof self->at_start);
    return refuse(error, g_file_error_from_errno(code), self->name,
                  code == ENOENT ? "there is no such file" : g_strerror(code));
  }
  if (S_ISDIR(self->at_start.st_mode))
    return refuse(error, G_FILE_ERROR_ISDIR, self->name,
                  "this is a folder; numbered pictures in it are FOLDER/%04d.png");
  self->uri = gst_filename_to_uri(self->name, error);
  return self->uri != NULL;
}

gboolean
input_init(Input *self, const gchar *name, GError **error) {
  memset(self, 0, sizeof *self);
  self->name = name;
  if (g_str_has_prefix(name, "/dev/video")) {
    if (!g_file_test(name, G_FILE_TEST_EXISTS))
      return refuse(error, G_FILE_ERROR_NOENT, name, "there is no such camera");
    self->uri = g_strconcat("v4l2://", name, NULL);
    return TRUE;
  }
  if (g_file_test(name, G_FILE_TEST_EXISTS))
    return init_file(self, error);
  if (gst_uri_is_valid(name)) {
    g_autofree gchar *path = g_filename_from_uri(name, NULL, NULL);
    if (path && !g_file_test(path, G_FILE_TEST_EXISTS))
      return refuse(error, G_FILE_ERROR_NOENT, name, "there is no such file");
    self->uri = g_strdup(name);
    return TRUE;
  }
  if (!numbered_is_pattern(name))
    return init_file(self, error);
  self->pictures = numbered_new(name, error);
  return self->pictures && numbered_find(self->pictures, &self->first, &self->last, error);
}

void
input_clear(Input *self) {
  g_clear_pointer(&self->uri, g_free);
  g_clear_pointer(&self->pictures, numbered_free);
}

gboolean
input_check_unchanged(const Input *self, GError **error) {
  struct stat now;
  if (self->at_start.st_nlink == 0 || !S_ISREG(self->at_start.st_mode))
    return TRUE;
  if (stat(self->name, &now) != 0)
    return refuse(error, g_file_error_from_errno(errno), self->name,
                  "it vanished while it was read");
  if (now.st_dev != self->at_start.st_dev || now.st_ino != self->at_start.st_ino ||
      now.st_size < self->at_start.st_size)
    return refuse(error, G_FILE_ERROR_FAILED, self->name, "it changed while it was read");
  return TRUE;
}

gboolean
input_is_file(const Input *self, const gchar *path) {
  struct stat other;
  return self->at_start.st_nlink > 0 && stat(path, &other) == 0 &&
         other.st_dev == self->at_start.st_dev && other.st_ino == self->at_start.st_ino;
}

gchar *
input_get_uri(const Input *self, const gchar *rate) {
  if (!self->pictures)
    return g_strdup(self->uri);
  g_autofree gchar *pattern = numbered_pattern(self->pictures);
  g_autofree gchar *path = g_canonicalize_filename(pattern, NULL);
  g_autoptr(GstUri) uri =
      gst_uri_new("imagesequence", NULL, NULL, GST_URI_NO_PORT, path, NULL, NULL);
  g_autofree gchar *first = g_strdup_printf("%u", self->first);
  g_autofree gchar *last = g_strdup_printf("%u", self->last);
  gst_uri_set_query_value(uri, "start-index", first);
  gst_uri_set_query_value(uri, "stop-index", last);
  gst_uri_set_query_value(uri, "framerate", rate);
  return gst_uri_to_string(uri);
}
