/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests the output names of app/convert/sources.h. */

#include "app/convert/sources.h"

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <string.h>

static void
assert_named(const gchar *in, const gchar *out, const gchar *expected) {
  g_autofree gchar *name = sources_name_output(in, out);
  g_assert_cmpstr(name, ==, expected);
}

static void
test_placeholder(void) {
  assert_named("/in/a.png", "/out/{}.webp", "/out/a.webp");
  assert_named("/in/a.png", "/out/{}", "/out/a");
  assert_named("/in/a.b.png", "/out/x-{}-y.png", "/out/x-a.b-y.png");
  assert_named("/in/a", "/out/{}.png", "/out/a.png");
  assert_named("/in.d/a", "/out/{}.png", "/out/a.png");
  assert_named("/in/.hidden", "/out/{}.png", "/out/.hidden.png");
  assert_named("/in/a.png", "/out/{}/b.png", "/out/a/b.png");
  assert_named("/in/a.png", "edges/{}.png", "edges/a.png");
  assert_named("/in/{}.png", "/out/{}.webp", "/out/{}.webp");
}

static void
test_folder(void) {
  g_autofree gchar *folder = g_dir_make_tmp("sources-XXXXXX", NULL);
  g_assert_nonnull(folder);
  g_autofree gchar *expected = g_build_filename(folder, "a.png", NULL);
  assert_named("/in/a.png", folder, expected);
  assert_named("/in/a.png", "/none/", "/none/a.png");
  assert_named("/in/a.png", "none/", "none/a.png");
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

static void
assert_refused(const gchar *const *in, const gchar *out, const gchar *says) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (; *in; in++)
    g_ptr_array_add(names, (gpointer)*in);
  g_assert_null(sources_name_outputs(names, out, "--out ", &error));
  g_assert_nonnull(error);
  g_assert_cmpstr(error->message, ==, says);
}

static void
test_all(void) {
  const gchar *two[] = {"/in/a.png", "/in/b.png", NULL};
  const gchar *twice[] = {"/in/a.png", "/in/a.png", NULL};
  const gchar *same[] = {"/in/a.png", "/in/a.jpg", NULL};
  assert_named("/in/a.png", "/out/b.png", NULL);
  assert_refused(
      two, "/out/b.png",
      "--out /out/b.png: for several files, OUT must be a folder such as edges/, or contain {} "
      "for the name, such as edges/{}.png");
  assert_refused(twice, "/out/", "/in/a.png: it is twice in IN");
  assert_refused(
      same, "/out/{}.png",
      "--out /out/a.png: /in/a.png and /in/a.jpg would both become this; a folder as OUT, such "
      "as edges/, keeps their endings; files of the same name need separate runs");
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sources/placeholder", test_placeholder);
  g_test_add_func("/sources/folder", test_folder);
  g_test_add_func("/sources/all", test_all);
  return g_test_run();
}
