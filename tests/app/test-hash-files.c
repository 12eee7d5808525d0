/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hashes of files: all bytes, and the sample of a large file. */

#include "app/batch/hash.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define EDGE 65536
#define BLOCK 4096
#define BLOCKS 64
#define LIMIT (2 * EDGE + BLOCKS * BLOCK) /* files up to this size are hashed completely */

typedef struct {
  gchar *folder, *path;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data) {
  fixture->folder = g_dir_make_tmp("filehash-XXXXXX", NULL);
  g_assert_nonnull(fixture->folder);
  fixture->path = g_build_filename(fixture->folder, "file", NULL);
}

static void
tear_down(Fixture *fixture, gconstpointer data) {
  g_remove(fixture->path);
  g_assert_cmpint(g_rmdir(fixture->folder), ==, 0);
  g_free(fixture->path);
  g_free(fixture->folder);
}

static guint8 *
make_bytes(gsize size) {
  guint8 *bytes = g_malloc(size + 1);
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)(i * 7 + i / 251);
  return bytes;
}

static gchar *
hash(const Fixture *fixture, gboolean sample) {
  g_autoptr(GError) error = NULL;
  gchar *text = sample ? hash_file_sample(fixture->path, &error) : hash_file(fixture->path, &error);
  g_assert_no_error(error);
  return text;
}

static gchar *
hash_bytes(const Fixture *fixture, const guint8 *bytes, gsize size, gboolean sample) {
  g_assert_true(g_file_set_contents(fixture->path, (const gchar *)bytes, (gssize)size, NULL));
  return hash(fixture, sample);
}

static void
test_all(Fixture *fixture, gconstpointer data) {
  static const gsize sizes[] = {0, 1, BLOCK, ((gsize)1 << 20) - 1, (gsize)1 << 20, (3 << 20) + 5};
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree guint8 *bytes = make_bytes(sizes[i]);
    g_autofree gchar *expected = g_compute_checksum_for_data(G_CHECKSUM_MD5, bytes, sizes[i]);
    g_autofree gchar *all = hash_bytes(fixture, bytes, sizes[i], FALSE);
    g_assert_cmpstr(all, ==, expected);
  }
}

/* Sizes around the limit above which a sample is hashed. */
static void
test_limit(Fixture *fixture, gconstpointer data) {
  for (gsize size = LIMIT - 1; size <= LIMIT + 1; size++) {
    g_autofree guint8 *bytes = make_bytes(size);
    g_autofree gchar *all = hash_bytes(fixture, bytes, size, FALSE);
    g_autofree gchar *sample = hash(fixture, TRUE);
    if (size <= LIMIT)
      g_assert_cmpstr(sample, ==, all);
    else
      g_assert_cmpstr(sample, !=, all);
  }
}

static void
assert_seen(const Fixture *fixture, guint8 *bytes, gsize size, gsize at, gboolean seen) {
  g_autofree gchar *before = hash_bytes(fixture, bytes, size, TRUE);
  bytes[at] ^= 1;
  g_autofree gchar *after = hash_bytes(fixture, bytes, size, TRUE);
  bytes[at] ^= 1;
  if (g_str_equal(before, after) == seen)
    g_error("a change at %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is %s", at, size,
            seen ? "not seen" : "seen");
}

/* A change of the first and the last byte of each part of the sample is detected; a change after a
 * block is not. */
static void
test_parts(Fixture *fixture, gconstpointer data) {
  const gsize size = ((gsize)1 << 20) + 12345, between = size - 2 * EDGE;
  g_autofree guint8 *bytes = make_bytes(size);
  static const gsize edges[] = {0, EDGE - 1};
  for (guint i = 0; i < G_N_ELEMENTS(edges); i++) {
    assert_seen(fixture, bytes, size, edges[i], TRUE);
    assert_seen(fixture, bytes, size, size - 1 - edges[i], TRUE);
  }
  for (gsize i = 0; i < BLOCKS; i++) {
    const gsize block = EDGE + between / BLOCKS * i;
    assert_seen(fixture, bytes, size, block, TRUE);
    assert_seen(fixture, bytes, size, block + BLOCK - 1, TRUE);
    assert_seen(fixture, bytes, size, block + BLOCK, FALSE);
  }
}

/* A file that is one byte shorter or longer has another hash, even if all bytes are the same. */
static void
test_sizes(Fixture *fixture, gconstpointer data) {
  const gsize size = (gsize)1 << 20;
  g_autofree guint8 *bytes = g_malloc0(size + 1);
  g_autofree gchar *whole = hash_bytes(fixture, bytes, size, TRUE);
  g_autofree gchar *cut = hash_bytes(fixture, bytes, size - 1, TRUE);
  g_autofree gchar *longer = hash_bytes(fixture, bytes, size + 1, TRUE);
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

/* Paths that are not regular files fail at once. */
static void
test_no_files(Fixture *fixture, gconstpointer data) {
  assert_refused(fixture->path, "there is no such file");
  assert_refused(fixture->folder, "not a regular file");
  assert_refused("/dev/zero", "not a regular file");
  g_assert_cmpint(mkfifo(fixture->path, 0600), ==, 0);
  assert_refused(fixture->path, "not a regular file");
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add("/filehash/all", Fixture, NULL, set_up, test_all, tear_down);
  g_test_add("/filehash/limit", Fixture, NULL, set_up, test_limit, tear_down);
  g_test_add("/filehash/parts", Fixture, NULL, set_up, test_parts, tear_down);
  g_test_add("/filehash/sizes", Fixture, NULL, set_up, test_sizes, tear_down);
  g_test_add("/filehash/no-files", Fixture, NULL, set_up, test_no_files, tear_down);
  return g_test_run();
}
