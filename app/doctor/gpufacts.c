/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpufacts.h"

#include <string.h>
#include <unistd.h>

#define VENDOR_NVIDIA "0x10de"
#define CLASS_DISPLAY "0x03"

/* The first line of a file, or NULL. */
static gchar *
read_line(const gchar *folder, const gchar *name) {
  gchar *text = NULL;
  g_autofree gchar *path = g_build_filename(folder, name, NULL);
  if (!g_file_get_contents(path, &text, NULL, NULL))
    return NULL;
  text[strcspn(text, "\n")] = '\0';
  return g_strstrip(text);
}

static int
compare_texts(gconstpointer a, gconstpointer b) {
  return strcmp(*(const gchar *const *)a, *(const gchar *const *)b);
}

static void
find_cards(GpuFacts *facts, const gchar *root) {
  g_autofree gchar *devices = g_build_filename(root, "sys/bus/pci/devices", NULL);
  g_autoptr(GDir) dir = g_dir_open(devices, 0, NULL);
  const gchar *address;
  while (dir && (address = g_dir_read_name(dir))) {
    g_autofree gchar *folder = g_build_filename(devices, address, NULL);
    g_autofree gchar *vendor = read_line(folder, "vendor"), *class = read_line(folder, "class");
    if (g_strcmp0(vendor, VENDOR_NVIDIA) != 0 || !class || !g_str_has_prefix(class, CLASS_DISPLAY))
      continue;
    g_autofree gchar *link = g_build_filename(folder, "driver", NULL);
    g_autofree gchar *target = g_file_read_link(link, NULL);
    g_autofree gchar *driver = target ? g_path_get_basename(target) : g_strdup("no kernel driver");
    g_autofree gchar *device = read_line(folder, "device");
    g_ptr_array_add(facts->cards,
                    g_strdup_printf("%s (10de:%s, %s)", address,
                                    device && g_str_has_prefix(device, "0x") ? device + 2 : "?",
                                    driver));
  }
  g_ptr_array_sort(facts->cards, compare_texts);
}

static void
find_nodes(GpuFacts *facts, const gchar *root) {
  g_autofree gchar *devices = g_build_filename(root, "dev", NULL);
  g_autoptr(GDir) dir = g_dir_open(devices, 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name(dir))) {
    if (!g_str_has_prefix(name, "nvidia") || !g_ascii_isdigit(name[strlen("nvidia")]))
      continue;
    g_autofree gchar *path = g_build_filename(devices, name, NULL);
    facts->n_usable += access(path, R_OK | W_OK) == 0;
    g_ptr_array_add(facts->nodes, g_strconcat("/dev/", name, NULL));
  }
  g_ptr_array_sort(facts->nodes, compare_texts);
}

void
gpu_facts_collect(GpuFacts *facts, const gchar *root) {
  static const gchar *const signs[] = {".dockerenv", "run/.containerenv"};
  *facts = (GpuFacts){.cards = g_ptr_array_new_with_free_func(g_free),
                      .nodes = g_ptr_array_new_with_free_func(g_free)};
  find_cards(facts, root);
  find_nodes(facts, root);
  facts->kernel_driver = read_line(root, "proc/driver/nvidia/version");
  for (guint i = 0; i < G_N_ELEMENTS(signs); i++) {
    g_autofree gchar *path = g_build_filename(root, signs[i], NULL);
    facts->is_container |= g_file_test(path, G_FILE_TEST_EXISTS);
  }
}

void
gpu_facts_clear(GpuFacts *facts) {
  g_clear_pointer(&facts->cards, g_ptr_array_unref);
  g_clear_pointer(&facts->nodes, g_ptr_array_unref);
  g_clear_pointer(&facts->kernel_driver, g_free);
}

gboolean
gpu_facts_has_gpu(const GpuFacts *facts) {
  return facts->cards->len || facts->nodes->len || facts->kernel_driver;
}

static gboolean
any_card_has(const GpuFacts *facts, const gchar *text) {
  for (guint i = 0; i < facts->cards->len; i++) {
    if (strstr(facts->cards->pdata[i], text))
      return TRUE;
  }
  return FALSE;
}

const gchar *
gpu_facts_find_mend(const GpuFacts *facts) {
  if (!gpu_facts_has_gpu(facts))
    return NULL;
  if (facts->is_container && facts->nodes->len == 0)
    return "give the container the GPU: docker run --gpus all, with the package "
           "nvidia-container-toolkit on the host";
  if (!facts->kernel_driver && facts->nodes->len == 0) {
    if (any_card_has(facts, "vfio-pci"))
      return "the GPU is reserved for virtual machines (vfio-pci): use it there, or give it back "
             "to the host";
    if (any_card_has(facts, "nouveau"))
      return "the driver nouveau has no CUDA: install the Debian package nvidia-driver "
             "(component non-free) and restart";
    return "install the Debian package nvidia-driver (component non-free) and restart; with "
           "Secure Boot its module has to be signed";
  }
  if (facts->nodes->len == 0)
    return "the device nodes are missing: run nvidia-smi once as root, or install the Debian "
           "package nvidia-modprobe";
  if (facts->n_usable == 0)
    return "this user may not use the device nodes: ls -l /dev/nvidia* shows whose they are; add "
           "the user to that group (usermod -aG GROUP USER) and log in again";
  return NULL;
}
