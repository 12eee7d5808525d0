/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

static gboolean
refuse(GError **error, gint code, const gchar *name, const gchar *why) {
  g_set_error(error, G_FILE_ERROR, code, "%s: %s", name, why);
  return FALSE;
}

/* GStreamer's decoder of these wants a picture in one piece, which only its source of numbered
 * pictures gives it. That takes a % for a place of the number. */
static gboolean
is_whole_picture(const gchar *path) {
  g_autofree gchar *lower = g_ascii_strdown(path, -1);
  return (g_str_has_suffix(lower, ".tiff") || g_str_has_suffix(lower, ".tif") ||
          g_str_has_suffix(lower, ".bmp")) &&
         !strchr(path, '%');
}

static gchar *
sequence_uri(const gchar *pattern, const gchar *first, const gchar *last, const gchar *rate) {
  g_autofree gchar *path = g_canonicalize_filename(pattern, NULL);
  g_autoptr(GstUri) uri =
      gst_uri_new("imagesequence", NULL, NULL, GST_URI_NO_PORT, path, NULL, NULL);
  gst_uri_set_query_value(uri, "start-index", first);
  gst_uri_set_query_value(uri, "stop-index", last);
  gst_uri_set_query_value(uri, "framerate", rate);
  return gst_uri_to_string(uri);
}

/* To open one waits for who writes to it, where no signal would end that. GStreamer's source for
 * descriptors waits in a way that ends. The descriptor stays open, for the source may live longer
 * than the input. */
static gchar *
pipe_uri(const gchar *path, const gchar *name, GError **error) {
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    const gint code = errno;
    refuse(error, g_file_error_from_errno(code), name, g_strerror(code));
    return NULL;
  }
  return g_strdup_printf("fd://%d", fd);
}

/* Takes the path. */
static gboolean
init_file(Input *self, gchar *path, GError **error) {
  self->path = path;
  if (stat(path, &self->at_start) != 0) {
    gint code = errno;
    memset(&self->at_start, 0, sizeof self->at_start);
    return refuse(error, g_file_error_from_errno(code), self->name,
                  code == ENOENT ? "there is no such file" : g_strerror(code));
  }
  if (S_ISDIR(self->at_start.st_mode))
    return refuse(error, G_FILE_ERROR_ISDIR, self->name,
                  "this is a folder; numbered pictures in it are FOLDER/%04d.png, and other files "
                  "are filtered one by one");
  if (S_ISFIFO(self->at_start.st_mode))
    self->uri = pipe_uri(path, self->name, error);
  else if (is_whole_picture(path))
    self->uri = sequence_uri(path, "0", "0", "25/1");
  else
    self->uri = gst_filename_to_uri(path, error);
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
    return init_file(self, g_strdup(name), error);
  if (gst_uri_is_valid(name)) {
    gchar *path = g_filename_from_uri(name, NULL, NULL);
    if (path)
      return init_file(self, path, error);
    self->uri = g_strdup(name);
    return TRUE;
  }
  if (!numbered_is_pattern(name))
    return init_file(self, g_strdup(name), error);
  self->pictures = numbered_new(name, error);
  return self->pictures && numbered_find(self->pictures, &self->first, &self->last, error);
}

void
input_clear(Input *self) {
  g_clear_pointer(&self->path, g_free);
  g_clear_pointer(&self->uri, g_free);
  g_clear_pointer(&self->pictures, numbered_free);
  g_clear_pointer(&self->files, g_hash_table_unref);
}

gboolean
input_check_unchanged(const Input *self, GError **error) {
  struct stat now;
  if (self->at_start.st_nlink == 0 || !S_ISREG(self->at_start.st_mode))
    return TRUE;
  if (stat(self->path, &now) != 0)
    return refuse(error, g_file_error_from_errno(errno), self->name,
                  "it vanished while it was read");
  if (now.st_dev != self->at_start.st_dev || now.st_ino != self->at_start.st_ino ||
      now.st_size < self->at_start.st_size)
    return refuse(error, G_FILE_ERROR_FAILED, self->name, "it changed while it was read");
  return TRUE;
}

gchar *
input_identify(const gchar *path) {
  struct stat file;
  return stat(path, &file) == 0
             ? g_strdup_printf("%ju:%ju", (uintmax_t)file.st_dev, (uintmax_t)file.st_ino)
             : NULL;
}

static GHashTable *
identify_all(const Input *self) {
  GHashTable *files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = self->first; self->pictures && i <= self->last; i++) {
    g_autofree gchar *name = numbered_name(self->pictures, i);
    gchar *file = input_identify(name);
    if (file)
      g_hash_table_add(files, file);
  }
  gchar *file = self->path ? input_identify(self->path) : NULL;
  if (file)
    g_hash_table_add(files, file);
  return files;
}

gboolean
input_has_file(Input *self, const gchar *path) {
  g_autofree gchar *file = input_identify(path);
  if (!self->files)
    self->files = identify_all(self);
  return file && g_hash_table_contains(self->files, file);
}

gchar *
input_get_uri(const Input *self, const gchar *rate) {
  if (!self->pictures)
    return g_strdup(self->uri);
  g_autofree gchar *pattern = numbered_pattern(self->pictures);
  g_autofree gchar *first = g_strdup_printf("%u", self->first);
  g_autofree gchar *last = g_strdup_printf("%u", self->last);
  return sequence_uri(pattern, first, last, rate);
}

static void
read_once(GstElement *source, GstElement *element, gpointer user_data) {
  g_object_set(element, "num-buffers", 1, NULL);
}

void
input_prepare(const Input *self, GstElement *source) {
  if (self->path && is_whole_picture(self->path))
    g_signal_connect(source, "source-setup", G_CALLBACK(read_once), NULL);
}
