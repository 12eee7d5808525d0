/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hashes of files: what a sample of a large one tells, and what it leaves out. */

#include "app/batch/hash.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define EDGE 65536
#define BLOCK 4096
#define BLOCKS 64
#define LIMIT (2 * EDGE + BLOCKS * BLOCK) /* up to here all bytes count */

typedef struct {
  gchar *folder, *path;
} Place;

static void
make_place(Place *place, gconstpointer data) {
  place->folder = g_dir_make_tmp("filehash-XXXXXX", NULL);
  g_assert_nonnull(place->folder);
  place->path = g_build_filename(place->folder, "file", NULL);
}

static void
remove_place(Place *place, gconstpointer data) {
  g_remove(place->path);
  g_assert_cmpint(g_rmdir(place->folder), ==, 0);
  g_free(place->path);
  g_free(place->folder);
}

static guint8 *
make_bytes(gsize size) {
  guint8 *bytes = g_malloc(size + 1);
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)(i * 7 + i / 251);
  return bytes;
}

static gchar *
hash(const Place *place, gboolean sample) {
  g_autoptr(GError) error = NULL;
  gchar *text = sample ? hash_file_sample(place->path, &error) : hash_file(place->path, &error);
  g_assert_no_error(error);
  return text;
}

static gchar *
hash_bytes(const Place *place, const guint8 *bytes, gsize size, gboolean sample) {
  g_assert_true(g_file_set_contents(place->path, (const gchar *)bytes, (gssize)size, NULL));
  return hash(place, sample);
}

static void
test_all(Place *place, gconstpointer data) {
  static const gsize sizes[] = {0, 1, BLOCK, ((gsize)1 << 20) - 1, (gsize)1 << 20, (3 << 20) + 5};
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree guint8 *bytes = make_bytes(sizes[i]);
    g_autofree gchar *expected = g_compute_checksum_for_data(G_CHECKSUM_MD5, bytes, sizes[i]);
    g_autofree gchar *all = hash_bytes(place, bytes, sizes[i], FALSE);
    g_assert_cmpstr(all, ==, expected);
  }
}

/* Around the size from which on it is a sample. */
static void
test_limit(Place *place, gconstpointer data) {
  for (gsize size = LIMIT - 1; size <= LIMIT + 1; size++) {
    g_autofree guint8 *bytes = make_bytes(size);
    g_autofree gchar *all = hash_bytes(place, bytes, size, FALSE);
    g_autofree gchar *sample = hash(place, TRUE);
    if (size <= LIMIT)
      g_assert_cmpstr(sample, ==, all);
    else
      g_assert_cmpstr(sample, !=, all);
  }
}

static void
assert_seen(const Place *place, guint8 *bytes, gsize size, gsize at, gboolean seen) {
  g_autofree gchar *before = hash_bytes(place, bytes, size, TRUE);
  bytes[at] ^= 1;
  g_autofree gchar *after = hash_bytes(place, bytes, size, TRUE);
  bytes[at] ^= 1;
  if (g_str_equal(before, after) == seen)
    g_error("a change at %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is %s", at, size,
            seen ? "not seen" : "seen");
}

/* A change in each part of the sample, at its first and its last byte. */
static void
test_parts(Place *place, gconstpointer data) {
  const gsize size = ((gsize)1 << 20) + 12345, between = size - 2 * EDGE;
  g_autofree guint8 *bytes = make_bytes(size);
  static const gsize edges[] = {0, EDGE - 1};
  for (guint i = 0; i < G_N_ELEMENTS(edges); i++) {
    assert_seen(place, bytes, size, edges[i], TRUE);
    assert_seen(place, bytes, size, size - 1 - edges[i], TRUE);
  }
  for (gsize i = 0; i < BLOCKS; i++) {
    const gsize block = EDGE + between / BLOCKS * i;
    assert_seen(place, bytes, size, block, TRUE);
    assert_seen(place, bytes, size, block + BLOCK - 1, TRUE);
    assert_seen(place, bytes, size, block + BLOCK, FALSE);
  }
}

/* What is cut, or longer by bytes that are like those before, is another file. */
static void
test_sizes(Place *place, gconstpointer data) {
  const gsize size = (gsize)1 << 20;
  g_autofree guint8 *bytes = g_malloc0(size + 1);
  g_autofree gchar *whole = hash_bytes(place, bytes, size, TRUE);
  g_autofree gchar *cut = hash_bytes(place, bytes, size - 1, TRUE);
  g_autofree gchar *longer = hash_bytes(place, bytes, size + 1, TRUE);
  g_assert_cmpstr(whole, !=, cut);
  g_assert_cmpstr(whole, !=, longer);
  g_assert_cmpstr(cut, !=, longer);
}

static void
assert_refused(const gchar *path, const gchar *why) {
  for (guint sample = 0; sample < 2; sample++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(sample ? hash_file_sample(path, &error) : hash_file(path, &error));
    g_assert_nonnull(error);
    g_assert_nonnull(strstr(error->message, path));
    g_assert_nonnull(strstr(error->message, why));
  }
}

/* None of them keeps it waiting. */
static void
test_no_files(Place *place, gconstpointer data) {
  assert_refused(place->path, "there is no such file");
  assert_refused(place->folder, "no regular file");
  assert_refused("/dev/zero", "no regular file");
  g_assert_cmpint(mkfifo(place->path, 0600), ==, 0);
  assert_refused(place->path, "no regular file");
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add("/filehash/all", Place, NULL, make_place, test_all, remove_place);
  g_test_add("/filehash/limit", Place, NULL, make_place, test_limit, remove_place);
  g_test_add("/filehash/parts", Place, NULL, make_place, test_parts, remove_place);
  g_test_add("/filehash/sizes", Place, NULL, make_place, test_sizes, remove_place);
  g_test_add("/filehash/no-files", Place, NULL, make_place, test_no_files, remove_place);
  return g_test_run();
}
