/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernel definitions in files: reading them, paths to other kinds of files, secrets that messages
 * must not reveal, and hostile texts. The environment variable KERNELS_INI names the file of named
 * kernels. */

#include "engine/kernel/kernel.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Limits of a load: CPU seconds, and KiB. The sanitizer keeps freed memory. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define MAX_SECONDS 1
#define MAX_MEMORY G_MAXLONG
#else
#define MAX_SECONDS 0.1
#define MAX_MEMORY (32 * 1024)
#endif

typedef struct {
  gchar *folder, *path; /* a folder, and a file in it that a test makes */
} Files;

static void
set_up(Files *files, gconstpointer data) {
  g_autoptr(GError) error = NULL;
  files->folder = g_dir_make_tmp("cudaconv-test-XXXXXX", &error);
  g_assert_no_error(error);
  files->path = g_build_filename(files->folder, "file.ini", NULL);
}

static void
tear_down(Files *files, gconstpointer data) {
  g_remove(files->path);
  g_assert_cmpint(g_rmdir(files->folder), ==, 0);
  g_free(files->path);
  g_free(files->folder);
}

static void
write_file(const Files *files, const gchar *text, gsize length) {
  g_autoptr(GError) error = NULL;
  g_file_set_contents(files->path, text, (gssize)length, &error);
  g_assert_no_error(error);
}

/* Returns the message of a load that must fail, without blocking. */
static gchar *
load_badly(const gchar *path) {
  g_autoptr(GError) error = NULL;
  alarm(10);
  CcKernel *kernel = cc_kernel_load(path, &error);
  alarm(0);
  g_assert_null(kernel);
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_test_message("%s", error->message);
  return g_strdup(error->message);
}

/* Checks the message of a failed load. It may have only the end of a long path. */
static void
assert_load_says(const gchar *path, const gchar *why) {
  g_autofree gchar *message = load_badly(path);
  g_autofree gchar *name = g_path_get_basename(path);
  g_autofree gchar *expected = g_strdup_printf("/%s%s", name, why);
  if (!g_str_has_suffix(message, expected))
    g_assert_cmpstr(message, ==, expected);
}

static void
test_load(Files *files, gconstpointer data) {
  g_autoptr(GError) error = NULL;
  static const gchar text[] = "[first]\nmatrix-1=2\n[second]\nmatrix-1=3\n";
  write_file(files, text, strlen(text));
  g_autoptr(CcKernel) kernel = cc_kernel_load(files->path, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(kernel->sizes[0].matrix[0].coeff[0], ==, 2);
  g_assert_cmpstr(kernel->name, ==, "custom"); /* not the name in the file */

  write_file(files, "[first]\n", 8);
  assert_load_says(files->path, ":1:2: matrix-N, or row-N and column-N, is missing");
  write_file(files, "", 0);
  assert_load_says(files->path, ": no kernel is defined; a [name] is missing");
  g_remove(files->path);
  assert_load_says(files->path, ": No such file or directory");
}

static void
test_load_symlink(Files *files, gconstpointer data) {
  g_autoptr(GError) error = NULL;
  g_assert_cmpint(symlink(g_getenv("KERNELS_INI"), files->path), ==, 0);
  g_autoptr(CcKernel) kernel = cc_kernel_load(files->path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(kernel->description, ==, "The input unchanged");
}

/* Some editors write a byte order mark. */
static void
test_load_byte_order_mark(Files *files, gconstpointer data) {
  g_autoptr(GError) error = NULL;
  static const gchar text[] = "\xef\xbb\xbf[first]\nmatrix-1=2\n";
  write_file(files, text, strlen(text));
  g_autoptr(CcKernel) kernel = cc_kernel_load(files->path, &error);
  g_assert_no_error(error);
  static const gchar wrong[] = "\xef\xbb\xbf[first]\nmatrix-1=x\n";
  write_file(files, wrong, strlen(wrong));
  assert_load_says(files->path, ":2:10: not a number or a fraction between -1e+08 and 1e+08");
}

/* --- paths that are not regular files --- */

static void
test_load_fifo(Files *files, gconstpointer data) {
  g_assert_cmpint(mkfifo(files->path, 0600), ==, 0);
  assert_load_says(files->path, ": not a regular file");
}

static void
test_load_socket(Files *files, gconstpointer data) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (g_strlcpy(address.sun_path, files->path, sizeof address.sun_path) >=
      sizeof address.sun_path) {
    g_test_skip("the path of the temporary folder is too long for a socket");
    return;
  }
  gint fd = socket(AF_UNIX, SOCK_STREAM, 0);
  g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
  assert_load_says(files->path, ": not a regular file");
  close(fd);
}

static void
test_load_device(Files *files, gconstpointer data) {
  assert_load_says("/dev/zero", ": not a regular file");
  assert_load_says("/dev/null", ": not a regular file");
  g_assert_cmpint(symlink("/dev/zero", files->path), ==, 0);
  assert_load_says(files->path, ": not a regular file");
}

static void
test_load_folder(Files *files, gconstpointer data) {
  assert_load_says(files->folder, ": not a regular file");
}

/* The size is checked before reading. */
static void
test_load_sparse(Files *files, gconstpointer data) {
  write_file(files, "", 0);
  g_assert_cmpint(truncate(files->path, 1 << 30), ==, 0);
  assert_load_says(files->path, ": longer than 65536 bytes");
}

static void
test_load_longest(Files *files, gconstpointer data) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) text = g_string_new("[a]\nmatrix-1=1\n");
  while (text->len < CC_MAX_FILE_BYTES)
    g_string_append_c(text, '#');
  write_file(files, text->str, text->len);
  g_autoptr(CcKernel) kernel = cc_kernel_load(files->path, &error);
  g_assert_no_error(error);
  g_string_append_c(text, '#');
  write_file(files, text->str, text->len);
  assert_load_says(files->path, ": longer than 65536 bytes");
}

/* Files of /proc and /sys report 0 or 4096 bytes but have other sizes. */
static void
test_load_kernel_files(Files *files, gconstpointer data) {
  static const gchar sysfs[] = "/sys/devices/system/cpu/online";
  assert_load_says("/proc/self/status", ": no kernel is defined; a [name] is missing");
  if (g_file_test(sysfs, G_FILE_TEST_EXISTS))
    assert_load_says(sysfs, ":1:1: a [name] must come before all else");
}

static void
test_load_names(Files *files, gconstpointer data) {
  g_autoptr(GString) name = g_string_new("/");
  for (guint i = 0; i < 4096; i++)
    g_string_append(name, "\xc3\xa9");
  g_autofree gchar *message = load_badly(name->str);
  g_assert_true(g_str_has_prefix(message, "...\xc3\xa9"));
  g_assert_true(g_utf8_validate(message, -1, NULL));
  g_assert_cmpuint(strlen(message), <, 200);
  g_string_append_c(name, 'x'); /* so that the name is cut inside a character */
  g_autofree gchar *odd = load_badly(name->str);
  g_assert_true(g_str_has_prefix(odd, "...\xc3\xa9"));
  g_autofree gchar *foreign = load_badly("/nowhere/\xe9\xff.ini");
  g_assert_true(g_utf8_validate(foreign, -1, NULL));
  g_assert_true(g_str_has_prefix(foreign, "/nowhere/"));
}

/* --- files that change --- */

typedef struct {
  const gchar *path, *other;
  gint stop; /* atomic */
} Swap;

static gboolean
swap_once(const Swap *swap) {
  return renameat2(AT_FDCWD, swap->path, AT_FDCWD, swap->other, RENAME_EXCHANGE) == 0;
}

/* Swaps the files until `stop`. Pauses so that the load also runs on a machine with one CPU. */
static gpointer
swap_on_and_on(gpointer data) {
  const Swap *swap = data;
  while (!g_atomic_int_get(&swap->stop)) {
    g_assert_true(swap_once(swap));
    g_usleep(50);
  }
  return NULL;
}

/* The same path with many components, so that a swap is likely between two lookups of it. */
static gchar *
lengthen_path(const Files *files) {
  GString *path = g_string_new(files->folder);
  while (path->len < PATH_MAX - 100)
    g_string_append(path, "/.");
  g_string_append(path, "/file.ini");
  return g_string_free(path, FALSE);
}

static gboolean
load_either(const gchar *path, const gchar *why) {
  g_autoptr(GError) error = NULL;
  g_autoptr(CcKernel) kernel = cc_kernel_load(path, &error);
  g_assert_true((kernel == NULL) == (error != NULL));
  if (error) {
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    if (!g_str_has_suffix(error->message, why))
      g_assert_cmpstr(error->message, ==, why);
  }
  return kernel != NULL;
}

/* Loads while a thread swaps a good file with one that the first check refuses. If the refused file
 * is opened, a swap happened between the check and the open. */
static void
load_while_swapped(gint watch, const gchar *path, const gchar *why) {
  guint loads = 0, loaded = 0, opened = 0;
  alarm(10);
  for (; opened < 10; loads++) {
    struct inotify_event event;
    const gboolean well = load_either(path, why);
    loaded += well;
    if (read(watch, &event, sizeof event) > 0) {
      g_assert_false(well);
      opened++;
    }
  }
  alarm(0);
  g_test_message("%u loads, %u well, %u of the other file", loads, loaded, opened);
}

static void
check_swapped(const Files *files, const gchar *other, const gchar *why) {
  Swap swap = {files->path, other, 0};
  g_autofree gchar *path = lengthen_path(files);
  write_file(files, "[a]\nmatrix-1=1\n", 15);
  const gint watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (watch < 0 || inotify_add_watch(watch, other, IN_OPEN) < 0 || !swap_once(&swap)) {
    g_test_skip("files cannot be watched or swapped here");
  } else {
    GThread *thread = g_thread_new("swap", swap_on_and_on, &swap);
    load_while_swapped(watch, path, why);
    g_atomic_int_set(&swap.stop, 1);
    g_thread_join(thread);
  }
  if (watch >= 0)
    close(watch);
  g_remove(other);
}

static void
test_load_swapped_fifo(Files *files, gconstpointer data) {
  g_autofree gchar *other = g_build_filename(files->folder, "other", NULL);
  g_assert_cmpint(mkfifo(other, 0600), ==, 0);
  check_swapped(files, other, ": not a regular file");
}

static void
test_load_swapped_long(Files *files, gconstpointer data) {
  g_autofree gchar *other = g_build_filename(files->folder, "other", NULL);
  g_assert_true(g_file_set_contents(other, "", 0, NULL));
  g_assert_cmpint(truncate(other, 1 << 30), ==, 0);
  check_swapped(files, other, ": longer than 65536 bytes");
}

/* --- secrets --- */

#define SECRET "root:$6$secretsecret:19000:0:99999:7:::"

static const gchar *const secrets[] = {
    SECRET "\n",
    "# a\n" SECRET "\ndaemon:*:19000:0:99999:7:::\n",
    "[" SECRET "]\nmatrix-1=1\n",
    "[" SECRET "\nmatrix-1=1\n",
    "[" SECRET "]x\nmatrix-1=1\n",
    "[a]\nmatrix-1=1\n" SECRET "\n",
    "[a]\nmatrix-1=1\n" SECRET "=1\n",
    "[a]\nmatrix-1=1\n" SECRET "[=1\n",
    "[a]\nmatrix-1=1\nEncoding=" SECRET "\n",
    "[a]\nmatrix-" SECRET "=1\n",
    "[a]\nrow-" SECRET "=1\ncolumn-" SECRET "=1\n",
    "[a]\nmatrix-1=1\ncolumn-" SECRET "=1\n",
    "[a]\nmatrix-1=1\nscale-" SECRET "=1\n",
    "[a]\nmatrix-1=" SECRET "\n",
    "[a]\nmatrix-1=1 2 3 " SECRET "\n",
    "[a]\nrow-1=" SECRET "\ncolumn-1=1\n",
    "[a]\nrow-1=1\ncolumn-1=" SECRET "\n",
    "[a]\nmatrix-1=1\nscale-1=" SECRET "\n",
    "[a]\nmatrix-1=1\ndefault-size=" SECRET "\n",
    "[a]\nmatrix-1=1\nclass=" SECRET "\n",
    "[a]\nmatrix-1=1\nresponse=" SECRET "\n",
    "[a]\nmatrix-1=1\nchroma=" SECRET "\n",
    "[a]\nmatrix-1=1\ngaussian=" SECRET "\n",
    "[a]\nmatrix-1=1\ndescription=" SECRET "\\q\n",
    "[a]\nmatrix-1=1\ndescription=" SECRET "\xff\n",
    "[secretsecret]\nmatrix-1=1\ndefault-size=3\n",
    "[secretsecret]\ndescription=x\n",
    "[a]\nmatrix-1=2345678901\n",
    "[a]\nrow-1=234567\ncolumn-1=8901\n",
};

static void
test_secrets(Files *files, gconstpointer data) {
  static const gchar secret[] = SECRET "234567890123456780";
  for (guint i = 0; i < G_N_ELEMENTS(secrets); i++) {
    write_file(files, secrets[i], strlen(secrets[i]));
    g_autofree gchar *message = load_badly(files->path);
    for (guint at = 0; at + 6 < sizeof secret; at++) {
      g_autofree gchar *piece = g_strndup(secret + at, 6);
      g_assert_null(strstr(message, piece));
    }
  }
}

/* --- hostile --- */

/* Texts that repeat one piece. "%" stands for a number, or after "^" for a name with the same hash
 * as all others. */
static const struct {
  const gchar *start, *piece, *end;
} heavy[] = {
    {"[a]\n", "k%=\n", ""},
    {"", "[g%]\n", ""},
    {"", "[a]\n", ""},
    {"", "[g%]\nmatrix-1=1|1|1|1|1|1|1|1\n", ""},
    {"[a]\n", "^=\n", ""},
    {"", "[^]\n", ""},
    {"[a]\n", "^=\n", "matrix-1"},
    {"[a]\n", "a-long-name-that-all-of-these-have-before-it-^=\n", "matrix-1"},
    {"", "[a-long-name-that-all-of-these-have-before-it-^]\n", "matrix-1"},
    {"[a]\nmatrix-1=1\n", "scale-1=1\n", ""},
    {"[a]\nmatrix-1=1\n", "description=x\n", ""},
    {"[a]\n", "description=x\n", "matrix-1"},
    {"[a]\nmatrix-1=", " ", ""},
    {"[a]\nmatrix-1=", ",", ""},
    {"[a]\nmatrix-1=", ";", ""},
    {"[a]\nmatrix-1=", "|", ""},
    {"[a]\nmatrix-1=", "1 ", ""},
    {"[a]\nmatrix-1=", "1;", ""},
    {"[a]\nmatrix-1=", "1", ""},
    {"[a]\nmatrix-1=", "1/", ""},
    {"[a]\nmatrix-1=1/", " ", "1"},
    {"[a]\nmatrix-1=1\ndescription=", "\\s", ""},
    {"[a]\nmatrix-1=", "\\s", "x"},
    {"[a]\nmatrix-", "1", "=1"},
    {"[", "a", "]\nmatrix-1=1\n"},
    {"[", "a", "]\nmatrix-1"},
    {"", "a", ""},
    {"", "[", ""},
    {"", "#\n", ""},
    {"", "\n", "[a]\nmatrix-1=1\n"},
};

/* Makes names of character pairs that contribute equally to GLib's hash. */
static gchar *
same_hash_name(guint i) {
  static const gchar *const pairs[] = {"Ez", "FY", "G8"};
  GString *name = g_string_new(NULL);
  for (guint digit = 0; digit < 8; digit++, i /= 3)
    g_string_append(name, pairs[i % 3]);
  return g_string_free(name, FALSE);
}

static GString *
make_heavy(guint row, gsize length) {
  GString *text = g_string_new(heavy[row].start);
  const gchar *mark = strpbrk(heavy[row].piece, "%^");
  for (guint i = 0; text->len + strlen(heavy[row].piece) + 16 < length; i++) {
    if (!mark) {
      g_string_append(text, heavy[row].piece);
      continue;
    }
    g_autofree gchar *name = *mark == '^' ? same_hash_name(i) : g_strdup_printf("%u", i);
    g_string_append_len(text, heavy[row].piece, mark - heavy[row].piece);
    g_string_append_printf(text, "%s%s", name, mark + 1);
  }
  g_string_append(text, heavy[row].end);
  return text;
}

/* The peak memory of the process, in KiB. */
static glong
get_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static gdouble
get_cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gdouble)time.tv_sec + (gdouble)time.tv_nsec * 1e-9;
}

static void
load_heavy(const Files *files, guint row, gsize length) {
  g_autoptr(GString) text = make_heavy(row, length);
  write_file(files, text->str, text->len);
  const gdouble start = get_cpu_seconds();
  g_autoptr(GError) error = NULL;
  g_autoptr(CcKernel) kernel = cc_kernel_load(files->path, &error);
  const gdouble seconds = get_cpu_seconds() - start;
  g_test_message("row %u, %" G_GSIZE_FORMAT " bytes: %.1f ms, %ld KiB, %.100s", row, text->len,
                 seconds * 1e3, get_memory(), error ? error->message : "");
  g_assert_true((kernel == NULL) == (error != NULL));
  g_assert_cmpfloat(seconds, <, MAX_SECONDS);
}

static void
test_heavy(Files *files, gconstpointer data) {
  g_free(g_malloc0(2 * 1024 * 1024)); /* as much as the texts take */
  const glong before = get_memory();
  for (guint row = 0; row < G_N_ELEMENTS(heavy); row++) {
    load_heavy(files, row, 16000);
    load_heavy(files, row, CC_MAX_FILE_BYTES);
    load_heavy(files, row, 1024 * 1024);
  }
  g_assert_cmpint(get_memory() - before, <, MAX_MEMORY);
}

static void
add_file_test(const gchar *path, void (*test)(Files *, gconstpointer)) {
  g_test_add(path, Files, NULL, set_up, test, tear_down);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_file_test("/kernelload/regular", test_load);
  add_file_test("/kernelload/symlink", test_load_symlink);
  add_file_test("/kernelload/byte-order-mark", test_load_byte_order_mark);
  add_file_test("/kernelload/fifo", test_load_fifo);
  add_file_test("/kernelload/socket", test_load_socket);
  add_file_test("/kernelload/device", test_load_device);
  add_file_test("/kernelload/folder", test_load_folder);
  add_file_test("/kernelload/sparse", test_load_sparse);
  add_file_test("/kernelload/longest", test_load_longest);
  add_file_test("/kernelload/kernel-files", test_load_kernel_files);
  add_file_test("/kernelload/names", test_load_names);
  add_file_test("/kernelload/swapped-fifo", test_load_swapped_fifo);
  add_file_test("/kernelload/swapped-long", test_load_swapped_long);
  add_file_test("/kernelload/secrets", test_secrets);
  add_file_test("/kernelload/heavy", test_heavy);
  return g_test_run();
}
