/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the doctor makes of the files by which a system shows its NVIDIA GPUs: each test makes a
 * file system of its own. */

#include "app/doctor/gpufacts.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define CARD "sys/bus/pci/devices/0000:01:00.0"

static void
make_file(const gchar *root, const gchar *name, const gchar *text) {
  g_autofree gchar *path = g_build_filename(root, name, NULL);
  g_autofree gchar *folder = g_path_get_dirname(path);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static gchar *
make_root(void) {
  gchar *root = g_dir_make_tmp("gpufacts-XXXXXX", NULL);
  g_assert_nonnull(root);
  /* what is no GPU: the sound of one, and another maker's */
  make_file(root, "sys/bus/pci/devices/0000:01:00.1/vendor", "0x10de\n");
  make_file(root, "sys/bus/pci/devices/0000:01:00.1/class", "0x040300\n");
  make_file(root, "sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
  make_file(root, "sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
  make_file(root, "dev/nvidiactl", "");
  return root;
}

static void
remove_root(gchar *root) {
  const gchar *const argv[] = {"rm", "-r", "--", root, NULL};
  g_assert_true(g_spawn_sync(NULL, (gchar **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                             NULL, NULL, NULL));
  g_free(root);
}

static void
make_card(const gchar *root, const gchar *driver) {
  make_file(root, CARD "/vendor", "0x10de\n");
  make_file(root, CARD "/class", "0x030200\n");
  make_file(root, CARD "/device", "0x2330\n");
  if (driver) {
    g_autofree gchar *target = g_build_filename("../../../bus/pci/drivers", driver, NULL);
    g_autofree gchar *link = g_build_filename(root, CARD "/driver", NULL);
    g_assert_cmpint(symlink(target, link), ==, 0);
  }
}

static void
assert_mend(const gchar *root, const gchar *part) {
  g_auto(GpuFacts) facts = {0};
  gpu_facts_collect(&facts, root);
  const gchar *mend = gpu_facts_find_mend(&facts);
  g_assert_true(gpu_facts_has_gpu(&facts));
  if (part == NULL) {
    g_assert_null(mend);
    return;
  }
  g_assert_nonnull(mend);
  if (!strstr(mend, part))
    g_error("\"%s\" does not say \"%s\"", mend, part);
}

static void
test_nothing(void) {
  gchar *root = make_root();
  g_auto(GpuFacts) facts = {0};
  gpu_facts_collect(&facts, root);
  g_assert_cmpuint(facts.cards->len, ==, 0);
  g_assert_cmpuint(facts.nodes->len, ==, 0);
  g_assert_null(facts.kernel_driver);
  g_assert_false(facts.is_container);
  g_assert_false(gpu_facts_has_gpu(&facts));
  g_assert_null(gpu_facts_find_mend(&facts));
  remove_root(root);
}

static void
test_all(void) {
  gchar *root = make_root();
  make_card(root, "nvidia");
  make_file(root, "proc/driver/nvidia/version", "NVRM version: 1\nGCC version: 2\n");
  make_file(root, "dev/nvidia1", "");
  make_file(root, "dev/nvidia0", "");
  g_auto(GpuFacts) facts = {0};
  gpu_facts_collect(&facts, root);
  g_assert_cmpuint(facts.cards->len, ==, 1);
  g_assert_cmpstr(facts.cards->pdata[0], ==, "0000:01:00.0 (10de:2330, nvidia)");
  g_assert_cmpuint(facts.nodes->len, ==, 2);
  g_assert_cmpstr(facts.nodes->pdata[0], ==, "/dev/nvidia0");
  g_assert_cmpuint(facts.n_usable, ==, 2);
  g_assert_cmpstr(facts.kernel_driver, ==, "NVRM version: 1");
  assert_mend(root, NULL);
  remove_root(root);
}

static void
test_no_driver(void) {
  gchar *root = make_root();
  make_card(root, NULL);
  assert_mend(root, "package nvidia-driver");
  remove_root(root);
}

static void
test_other_drivers(void) {
  gchar *root = make_root();
  make_card(root, "nouveau");
  assert_mend(root, "nouveau has no CUDA");
  remove_root(root);
  root = make_root();
  make_card(root, "vfio-pci");
  assert_mend(root, "virtual machines");
  remove_root(root);
}

static void
test_container(void) {
  static const gchar *const signs[] = {".dockerenv", "run/.containerenv"};
  for (guint i = 0; i < G_N_ELEMENTS(signs); i++) {
    gchar *root = make_root();
    make_card(root, "nvidia");
    make_file(root, "proc/driver/nvidia/version", "NVRM version: 1\n");
    make_file(root, signs[i], "");
    assert_mend(root, "--gpus all");
    make_file(root, "dev/nvidia0", "");
    assert_mend(root, NULL);
    remove_root(root);
  }
}

static void
test_nodes(void) {
  gchar *root = make_root();
  make_card(root, "nvidia");
  make_file(root, "proc/driver/nvidia/version", "NVRM version: 1\n");
  assert_mend(root, "nvidia-modprobe");
  make_file(root, "dev/nvidia0", "");
  g_autofree gchar *node = g_build_filename(root, "dev/nvidia0", NULL);
  g_assert_cmpint(g_chmod(node, 0), ==, 0);
  /* root may do everything */
  assert_mend(root, geteuid() == 0 ? NULL : "usermod");
  remove_root(root);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/gpufacts/nothing", test_nothing);
  g_test_add_func("/gpufacts/all", test_all);
  g_test_add_func("/gpufacts/no-driver", test_no_driver);
  g_test_add_func("/gpufacts/other-drivers", test_other_drivers);
  g_test_add_func("/gpufacts/container", test_container);
  g_test_add_func("/gpufacts/nodes", test_nodes);
  return g_test_run();
}
