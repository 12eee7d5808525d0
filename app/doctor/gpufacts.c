/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpufacts.h"

#include <string.h>
#include <unistd.h>

#define VENDOR_NVIDIA "0x10de"
#define CLASS_DISPLAY "0x03"

static gchar *
read_text(const gchar *folder, const gchar *name) {
  gchar *text = NULL;
  g_autofree gchar *path = g_build_filename(folder, name, NULL);
  return g_file_get_contents(path, &text, NULL, NULL) ? g_strchomp(text) : NULL;
}

static gboolean
exists(const gchar *root, const gchar *name) {
  g_autofree gchar *path = g_build_filename(root, name, NULL);
  return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Returns NVIDIA's cards on the PCI bus with their kernel drivers: "0000:01:00.0 (nvidia), ...". */
static GString *
find_cards(const gchar *root) {
  GString *cards = g_string_new(NULL);
  g_autofree gchar *devices = g_build_filename(root, "sys/bus/pci/devices", NULL);
  g_autoptr(GDir) dir = g_dir_open(devices, 0, NULL);
  const gchar *address;
  while (dir && (address = g_dir_read_name(dir))) {
    g_autofree gchar *folder = g_build_filename(devices, address, NULL);
    g_autofree gchar *vendor = read_text(folder, "vendor"), *class = read_text(folder, "class");
    if (g_strcmp0(vendor, VENDOR_NVIDIA) != 0 || !class || !g_str_has_prefix(class, CLASS_DISPLAY))
      continue;
    g_autofree gchar *link = g_build_filename(folder, "driver", NULL);
    g_autofree gchar *target = g_file_read_link(link, NULL);
    g_autofree gchar *driver = target ? g_path_get_basename(target) : g_strdup("no kernel driver");
    g_string_append_printf(cards, "%s%s (%s)", cards->len ? ", " : "", address, driver);
  }
  return cards;
}

gchar *
gpu_facts_find_obstacle(const gchar *root, const gchar **fix, gboolean *has_gpu) {
  guint n_nodes = 0, n_usable = 0;
  g_autofree gchar *devices = g_build_filename(root, "dev", NULL);
  g_autoptr(GDir) dir = g_dir_open(devices, 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name(dir))) {
    if (!g_str_has_prefix(name, "nvidia") || !g_ascii_isdigit(name[strlen("nvidia")]))
      continue;
    g_autofree gchar *path = g_build_filename(devices, name, NULL);
    n_nodes++;
    n_usable += access(path, R_OK | W_OK) == 0;
  }
  g_autoptr(GString) cards = find_cards(root);
  const gboolean has_module = exists(root, "proc/driver/nvidia/version");
  *has_gpu = cards->len || n_nodes || has_module;

  const gchar *obstacle;
  if (!*has_gpu) {
    obstacle = "there is no NVIDIA GPU on the PCI bus";
    *fix = "use a machine with an NVIDIA GPU of the Turing generation (2018) or later; a virtual "
           "machine or container needs access to the GPU of its host";
  } else if (n_nodes == 0 && (exists(root, ".dockerenv") || exists(root, "run/.containerenv"))) {
    obstacle = "this container has no device nodes /dev/nvidia*";
    *fix = "give the container access to the GPU: docker run --gpus all, with the package "
           "nvidia-container-toolkit on the host";
  } else if (n_nodes == 0 && !has_module && strstr(cards->str, "vfio-pci")) {
    obstacle = "the kernel driver vfio-pci reserves the GPU for virtual machines";
    *fix = "use the GPU in the virtual machine that has it, or return it to the host";
  } else if (n_nodes == 0 && !has_module && strstr(cards->str, "nouveau")) {
    obstacle = "the kernel driver nouveau does not support CUDA";
    *fix = "install the Debian package nvidia-driver (component non-free) and restart";
  } else if (n_nodes == 0 && !has_module) {
    obstacle = "NVIDIA's kernel module is not loaded";
    *fix = "install the Debian package nvidia-driver (component non-free) and restart; with Secure "
           "Boot, its kernel module has to be signed";
  } else if (n_nodes == 0) {
    obstacle = "the device nodes /dev/nvidia* are missing";
    *fix = "run nvidia-smi once as root, or install the Debian package nvidia-modprobe";
  } else if (n_usable == 0) {
    obstacle = "this user may not use the device nodes /dev/nvidia*";
    *fix = "add the user to the group of the device nodes, which ls -l /dev/nvidia* shows "
           "(usermod -aG GROUP USER), and log in again";
  } else {
    return NULL;
  }
  return g_strdup_printf("%s%s%s", cards->str, cards->len ? ": " : "", obstacle);
}
