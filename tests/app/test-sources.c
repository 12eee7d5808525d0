/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of what is made of a job's files. */

#include "app/job/sources.h"

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <string.h>

static void
assert_named(const gchar *in, const gchar *out, gboolean many, const gchar *expected) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *name = sources_name_output(in, out, many, &error);
  g_autofree gchar *full = g_canonicalize_filename(expected, NULL);
  g_assert_no_error(error);
  g_assert_cmpstr(name, ==, full);
}

static void
test_place(void) {
  assert_named("/in/a.png", "/out/{}.webp", TRUE, "/out/a.webp");
  assert_named("/in/a.png", "/out/{}", TRUE, "/out/a");
  assert_named("/in/a.b.png", "/out/x-{}-y.png", TRUE, "/out/x-a.b-y.png");
  assert_named("/in/a", "/out/{}.png", FALSE, "/out/a.png");
  assert_named("/in.d/a", "/out/{}.png", FALSE, "/out/a.png");
  assert_named("/in/.hidden", "/out/{}.png", FALSE, "/out/.hidden.png");
  assert_named("/in/a.png", "/out/{}/b.png", TRUE, "/out/a/b.png");
  assert_named("/in/a.png", "edges/{}.png", TRUE, "edges/a.png");
  assert_named("/in/{}.png", "/out/{}.webp", TRUE, "/out/{}.webp");
}

static void
test_folder(void) {
  g_autofree gchar *folder = g_dir_make_tmp("sources-XXXXXX", NULL);
  g_assert_nonnull(folder);
  g_autofree gchar *expected = g_build_filename(folder, "a.png", NULL);
  assert_named("/in/a.png", folder, TRUE, expected);
  assert_named("/in/a.png", folder, FALSE, expected);
  assert_named("/in/a.png", "/none/", TRUE, "/none/a.png");
  assert_named("/in/a.png", "none/", FALSE, "none/a.png");
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

static void
test_one(void) {
  g_autoptr(GError) error = NULL;
  assert_named("/in/a.png", "/out/b.png", FALSE, "/out/b.png");
  assert_named("/in/a.png", "/out/../b.png", FALSE, "/b.png");
  assert_named("/in/a.png", "b.png", FALSE, "b.png");
  g_assert_null(sources_name_output("/in/a.png", "/out/b.png", TRUE, &error));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, "--out /out/b.png"));
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sources/place", test_place);
  g_test_add_func("/sources/folder", test_folder);
  g_test_add_func("/sources/one", test_one);
  return g_test_run();
}
