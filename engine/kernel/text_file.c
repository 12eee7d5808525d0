/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text_file.h"

#include "engine/error.h"
#include "printable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAME_BYTES 120

/* The arguments of a read, for its messages. */
typedef struct {
  const gchar *path;
  gsize max_bytes;
  GError **error;
} Reader;

gchar *
cc_textfile_name(const gchar *path) {
  const gsize length = strlen(path);
  const gboolean is_short = length <= MAX_NAME_BYTES;
  const gchar *tail = is_short ? path : path + length - MAX_NAME_BYTES;
  for (guint i = 0; !is_short && i < 3 && (*tail & 0xc0) == 0x80; i++)
    tail++; /* to the start of a character */
  g_autofree gchar *name = g_filename_display_name(tail);
  g_autofree gchar *printable = cc_printable(name);
  return g_strconcat(is_short ? "" : "...", printable, NULL);
}

static gboolean refuse(const Reader *reader, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
refuse(const Reader *reader, const gchar *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree gchar *why = g_strdup_vprintf(format, args);
  va_end(args);
  g_autofree gchar *name = cc_textfile_name(reader->path);
  g_set_error(reader->error, CC_ERROR, CC_ERROR_INVALID, "%s: %s", name, why);
  return FALSE;
}

static gboolean
refuse_errno(const Reader *reader) {
  return refuse(reader, "%s", g_strerror(errno));
}

static gboolean
check_status(const Reader *reader, const struct stat *status) {
  if (!S_ISREG(status->st_mode))
    return refuse(reader, "not a regular file");
  if ((guint64)status->st_size > reader->max_bytes)
    return refuse(reader, "longer than %" G_GSIZE_FORMAT " bytes", reader->max_bytes);
  return TRUE;
}

/* An interrupted read counts as an error, because retrying might never end. */
static gchar *
read_bytes(const Reader *reader, gint fd, gsize size, gsize *length) {
  g_autofree gchar *bytes = g_malloc(size + 1);
  *length = 0;
  while (*length < size) {
    const gssize n = read(fd, bytes + *length, size - *length);
    if (n < 0) {
      refuse_errno(reader);
      return NULL;
    }
    if (n == 0)
      break;
    *length += (gsize)n;
  }
  return g_steal_pointer(&bytes);
}

/* Checks the open file again, because the path may have been replaced after the first check. */
static gchar *
read_open_file(const Reader *reader, gint fd, gsize *length) {
  struct stat status;
  if (fstat(fd, &status) < 0) {
    refuse_errno(reader);
    return NULL;
  }
  if (!check_status(reader, &status))
    return NULL;
  return read_bytes(reader, fd, (gsize)status.st_size, length);
}

gchar *
cc_textfile_read(const gchar *path, gsize max_bytes, gsize *length, GError **error) {
  const Reader reader = {path, max_bytes, error};
  struct stat status;
  *length = 0;
  if (stat(path, &status) < 0) {
    refuse_errno(&reader);
    return NULL;
  }
  if (!check_status(&reader, &status))
    return NULL;
  if (status.st_size == 0)
    return g_strdup("");
  const gint fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) {
    refuse_errno(&reader);
    return NULL;
  }
  gchar *bytes = read_open_file(&reader, fd, length);
  close(fd);
  return bytes;
}
