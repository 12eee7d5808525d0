/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filehash.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define EDGE ((gsize)64 << 10)
#define BLOCK ((gsize)4 << 10)
#define BLOCKS 64
#define AT_ONCE ((gsize)1 << 20)

static gboolean
fail(const gchar *path, GError **error) {
  const gint code = errno;
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: %s", path,
              code == ENOENT ? "there is no such file" : g_strerror(code));
  return FALSE;
}

/* Opens a regular file and says how large it is; -1 with an error. */
static int
open_file(const gchar *path, guint64 *size, GError **error) {
  struct stat file;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &file) != 0) {
    fail(path, error);
    if (fd >= 0)
      close(fd);
    return -1;
  }
  if (!S_ISREG(file.st_mode)) {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: this is no regular file", path);
    close(fd);
    return -1;
  }
  *size = (guint64)file.st_size;
  return fd;
}

/* Adds the bytes from `from`, as many as `count` or there are. */
static gboolean
add_bytes(GChecksum *checksum, int fd, guint64 from, guint64 count, gchar *room) {
  while (count > 0) {
    const ssize_t got = pread(fd, room, (gsize)MIN(count, AT_ONCE), (off_t)from);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return FALSE;
    if (got == 0)
      return TRUE;
    g_checksum_update(checksum, (const guchar *)room, got);
    from += (guint64)got;
    count -= (guint64)got;
  }
  return TRUE;
}

static gboolean
add_sample(GChecksum *checksum, int fd, guint64 size, gchar *room) {
  const guint64 between = size - 2 * EDGE;
  g_autofree gchar *text = g_strdup_printf("%" G_GUINT64_FORMAT "\n", size);
  g_checksum_update(checksum, (const guchar *)text, -1);
  gboolean ok = add_bytes(checksum, fd, 0, EDGE, room);
  for (guint64 i = 0; ok && i < BLOCKS; i++)
    ok = add_bytes(checksum, fd, EDGE + between / BLOCKS * i, BLOCK, room);
  return ok && add_bytes(checksum, fd, size - EDGE, EDGE, room);
}

static gchar *
hash_file(const gchar *path, gboolean sample, GError **error) {
  guint64 size;
  const int fd = open_file(path, &size, error);
  if (fd < 0)
    return NULL;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_MD5);
  g_autofree gchar *room = g_malloc(AT_ONCE);
  const gboolean ok = sample && size > 2 * EDGE + BLOCKS * BLOCK
                          ? add_sample(checksum, fd, size, room)
                          : add_bytes(checksum, fd, 0, G_MAXUINT64, room);
  if (!ok)
    fail(path, error);
  close(fd);
  return ok ? g_strdup(g_checksum_get_string(checksum)) : NULL;
}

gchar *
filehash_all(const gchar *path, GError **error) {
  return hash_file(path, FALSE, error);
}

gchar *
filehash_sample(const gchar *path, GError **error) {
  return hash_file(path, TRUE, error);
}
