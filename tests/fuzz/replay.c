/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs a fuzz target once for each file of the given folders, without a fuzzer. A failed check ends
 * the process; the last line printed names the file. */

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include "common.h"
#include "sanitizers.h"

#define SECONDS 10         /* limit for one file */
#define MEMORY (2UL << 30) /* limit of the process in bytes; not set with sanitizers */

static void
replay(const gchar *path) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *text = NULL;
  gsize size;
  printf("%s\n", path);
  fflush(stdout);
  fuzz_check(g_file_get_contents(path, &text, &size, &error), "%s", error->message);
  /* a copy of the exact size, without the 0 at the end */
  g_autofree guint8 *data = g_memdup2(text, size);
  alarm(SECONDS);
  LLVMFuzzerTestOneInput(data, size);
  alarm(0);
}

static guint
replay_folder(const gchar *path) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) folder = g_dir_open(path, 0, &error);
  fuzz_check(folder, "%s", error->message);
  const gchar *name;
  guint n = 0;
  for (; (name = g_dir_read_name(folder)); n++) {
    g_autofree gchar *file = g_build_filename(path, name, NULL);
    replay(file);
  }
  fuzz_check(n > 0, "%s: the folder is empty", path);
  return n;
}

int
main(int argc, char **argv) {
  guint n = 0;
  const struct rlimit limit = {MEMORY, MEMORY};
  if (!FUZZ_HAS_SANITIZERS)
    setrlimit(RLIMIT_AS, &limit);
  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; i++)
    n += replay_folder(argv[i]);
  printf("%u files\n", n);
  return n == 0;
}
