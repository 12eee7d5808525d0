/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mp4.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOX_HEADER 8
#define LARGE_BOX_HEADER 16

static gboolean
is_one_of(const guint8 *type, const gchar *const *types) {
  for (; *types; types++) {
    if (memcmp(type, *types, 4) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Reads a big-endian number byte by byte, because a box may begin at any address. */
static guint64
read_size(const guint8 *data, guint n_bytes) {
  guint64 size = 0;
  for (guint i = 0; i < n_bytes; i++)
    size = size << 8 | data[i];
  return size;
}

static void
clear_dates(guint8 *data, gsize size) {
  static const gchar *const parents[] = {"moov", "trak", "mdia", NULL};
  static const gchar *const dated[] = {"mvhd", "tkhd", "mdhd", NULL};

  while (size >= BOX_HEADER) {
    guint64 box = read_size(data, 4);
    gsize header = BOX_HEADER;
    if (box == 1 && size >= LARGE_BOX_HEADER) {
      box = read_size(data + BOX_HEADER, 8);
      header = LARGE_BOX_HEADER;
    } else if (box == 0) {
      box = size; /* size 0: the box extends to the end of the file */
    }
    if (box < header || box > size)
      return;

    guint8 *body = data + header;
    gsize body_size = box - header;
    if (is_one_of(data + 4, parents)) {
      clear_dates(body, body_size);
    } else if (is_one_of(data + 4, dated) && body_size >= 4) {
      /* 4 bytes of version and flags, then two dates; a date has 8 bytes in version 1, else 4 */
      gsize dates = body[0] == 1 ? 16 : 8;
      memset(body + 4, 0, MIN(dates, body_size - 4));
    }
    data += box;
    size -= box;
  }
}

static gboolean
fail(GError **error, const gchar *what, const gchar *path) {
  gint code = errno;
  g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "Cannot %s %s: %s", what, path,
              g_strerror(code));
  return FALSE;
}

gboolean
mp4_clear_dates(const gchar *path, GError **error) {
  struct stat info;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return fail(error, "open", path);
  void *data = MAP_FAILED;
  if (fstat(fd, &info) == 0)
    data = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) {
    fail(error, "map", path);
    close(fd);
    return FALSE;
  }
  clear_dates(data, (gsize)info.st_size);
  munmap(data, (size_t)info.st_size);
  close(fd);
  return TRUE;
}
