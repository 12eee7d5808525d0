/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The obstacles that doctor finds in the files in which a system lists its NVIDIA GPUs. Each test
 * makes a root folder with such files. */

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
  /* devices that are not NVIDIA GPUs: the audio function of one, and a GPU of another vendor */
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
  if (driver) {
    g_autofree gchar *target = g_build_filename("../../../bus/pci/drivers", driver, NULL);
    g_autofree gchar *link = g_build_filename(root, CARD "/driver", NULL);
    g_assert_cmpint(symlink(target, link), ==, 0);
  }
}

/* `part` is a part of the obstacle's text; NULL: there has to be no obstacle. */
static void
assert_obstacle(const gchar *root, const gchar *part, const gchar *part_of_fix) {
  gboolean has_gpu = FALSE;
  const gchar *fix = NULL;
  g_autofree gchar *obstacle = gpu_facts_find_obstacle(root, &fix, &has_gpu);
  g_assert_true(has_gpu);
  if (!part) {
    g_assert_null(obstacle);
    return;
  }
  g_assert_nonnull(obstacle);
  if (!strstr(obstacle, part))
    g_error("\"%s\" does not say \"%s\"", obstacle, part);
  if (!strstr(fix, part_of_fix))
    g_error("\"%s\" does not say \"%s\"", fix, part_of_fix);
}

static void
test_nothing(void) {
  gchar *root = make_root();
  gboolean has_gpu = TRUE;
  const gchar *fix = NULL;
  g_autofree gchar *obstacle = gpu_facts_find_obstacle(root, &fix, &has_gpu);
  g_assert_false(has_gpu);
  g_assert_cmpstr(obstacle, ==, "there is no NVIDIA GPU on the PCI bus");
  g_assert_nonnull(strstr(fix, "Turing"));
  remove_root(root);
}

static void
test_all(void) {
  gchar *root = make_root();
  make_card(root, "nvidia");
  make_file(root, "proc/driver/nvidia/version", "NVRM version: 1\n");
  make_file(root, "dev/nvidia0", "");
  assert_obstacle(root, NULL, NULL);
  remove_root(root);
}

/* Some containers have device nodes, but show neither cards nor the kernel module. */
static void
test_only_nodes(void) {
  gchar *root = make_root();
  make_file(root, "dev/nvidia0", "");
  make_file(root, ".dockerenv", "");
  assert_obstacle(root, NULL, NULL);
  remove_root(root);
}

static void
test_drivers(void) {
  static const struct {
    const gchar *driver, *obstacle, *fix;
  } cases[] = {
      {NULL, "0000:01:00.0 (no kernel driver): NVIDIA's kernel module is not", "nvidia-driver"},
      {"nouveau", "0000:01:00.0 (nouveau): the kernel driver nouveau does not", "nvidia-driver"},
      {"vfio-pci", "0000:01:00.0 (vfio-pci): the kernel driver vfio-pci reser", "virtual machine"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    gchar *root = make_root();
    make_card(root, cases[i].driver);
    assert_obstacle(root, cases[i].obstacle, cases[i].fix);
    remove_root(root);
  }
}

static void
test_container(void) {
  static const gchar *const signs[] = {".dockerenv", "run/.containerenv"};
  for (guint i = 0; i < G_N_ELEMENTS(signs); i++) {
    gchar *root = make_root();
    make_card(root, "nvidia");
    make_file(root, "proc/driver/nvidia/version", "NVRM version: 1\n");
    make_file(root, signs[i], "");
    assert_obstacle(root, "this container has no device nodes", "--gpus all");
    make_file(root, "dev/nvidia0", "");
    assert_obstacle(root, NULL, NULL);
    remove_root(root);
  }
}

static void
test_nodes(void) {
  gchar *root = make_root();
  make_card(root, "nvidia");
  make_file(root, "proc/driver/nvidia/version", "NVRM version: 1\n");
  assert_obstacle(root, "(nvidia): the device nodes /dev/nvidia* are missing", "nvidia-modprobe");
  make_file(root, "dev/nvidia0", "");
  g_autofree gchar *node = g_build_filename(root, "dev/nvidia0", NULL);
  g_assert_cmpint(g_chmod(node, 0), ==, 0);
  /* root may use every node */
  assert_obstacle(root, geteuid() == 0 ? NULL : "this user may not use", "usermod");
  remove_root(root);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/gpufacts/nothing", test_nothing);
  g_test_add_func("/gpufacts/all", test_all);
  g_test_add_func("/gpufacts/only-nodes", test_only_nodes);
  g_test_add_func("/gpufacts/drivers", test_drivers);
  g_test_add_func("/gpufacts/container", test_container);
  g_test_add_func("/gpufacts/nodes", test_nodes);
  return g_test_run();
}
