/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests which devices users get that take any. Users are separate processes, because the stand-ins
 * for the driver and NVML read their settings once, and because selection depends on other
 * processes. */

#include <gio/gio.h>
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "plugin/backends.h"

#define MAX_SLOTS 64 /* of a device */

static const gchar *program_path;

/* --- the child --- */

static CcBackend *
open_backend(gint device_id) {
  g_autoptr(GError) error = NULL;
  const CcBackendConfig config = {.choice = CC_BACKEND_CUDA, .device_id = device_id};
  CcBackend *backend = cc_backend_open(&config, NULL, &error);
  if (backend)
    g_print("%d\n", backend->device_id);
  else
    g_print("%s\n", error->message);
  return backend;
}

/* Opens the devices, prints their numbers or errors, and holds them until standard input ends.
 * "any" opens any device. "-N" closes backend N of the list instead. */
static int
use_devices(gchar **words) {
  g_autoptr(GPtrArray) backends = g_ptr_array_new();
  for (; *words; words++)
    if (**words == '-') {
      CcBackend **closed = (CcBackend **)&g_ptr_array_index(backends, atoi(*words + 1));
      cc_backend_close(*closed);
      *closed = NULL;
    } else {
      g_ptr_array_add(backends, open_backend(g_str_equal(*words, "any") ? -1 : atoi(*words)));
    }
  g_print("ready\n");
  while (getchar() != EOF)
    ;
  for (guint i = 0; i < backends->len; i++)
    if (backends->pdata[i])
      cc_backend_close(backends->pdata[i]);
  return EXIT_SUCCESS;
}

/* Sets one pipeline after another to READY, and prints the devices of the elements named "a" and
 * "b" of each. */
static int
use_pipelines(gchar **lines) {
  g_autoptr(GPtrArray) pipelines = g_ptr_array_new();
  gst_init(NULL, NULL);
  for (; *lines; lines++) {
    GstElement *pipeline = gst_parse_launch(*lines, NULL);
    gst_element_set_state(pipeline, GST_STATE_READY);
    for (const gchar *const *name = (const gchar *const[]){"a", "b", NULL}; *name; name++) {
      g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(pipeline), *name);
      g_autoptr(GstStructure) stats = NULL;
      gint id = -1;
      if (!element)
        continue;
      g_object_get(element, "stats", &stats, NULL);
      gst_structure_get_int(stats, "device-id", &id);
      g_print("%d\n", id);
    }
    g_ptr_array_add(pipelines, pipeline);
  }
  g_print("ready\n");
  for (guint i = 0; i < pipelines->len; i++) {
    gst_element_set_state(pipelines->pdata[i], GST_STATE_NULL);
    gst_object_unref(pipelines->pdata[i]);
  }
  gst_deinit();
  return EXIT_SUCCESS;
}

/* --- the parent --- */

/* Settings for users on one machine, which only this process uses. */
static gchar *
on_one_machine(const gchar *settings) {
  return g_strdup_printf("%s,machine=%d", settings, getpid());
}

/* Starts a child with these settings. Arguments are separated by spaces, or by "|" for
 * "pipelines". */
static GSubprocess *
start(const gchar *settings, const gchar *nvml, const gchar *mode, const gchar *arguments) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocessLauncher) launcher =
      g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_subprocess_launcher_setenv(launcher, "FAKE_CUDA", settings, TRUE);
  if (nvml)
    g_subprocess_launcher_setenv(launcher, "FAKE_NVML", nvml, TRUE);
  else
    g_subprocess_launcher_unsetenv(launcher, "FAKE_NVML");
  g_auto(GStrv) words = g_strsplit(arguments, g_str_equal(mode, "pipelines") ? "|" : " ", -1);
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_ptr_array_add(argv, (gpointer)program_path);
  g_ptr_array_add(argv, (gpointer)mode);
  for (gchar **word = words; *word; word++)
    g_ptr_array_add(argv, *word);
  g_ptr_array_add(argv, NULL);
  GSubprocess *child =
      g_subprocess_launcher_spawnv(launcher, (const gchar *const *)argv->pdata, &error);
  g_assert_no_error(error);
  return child;
}

/* Returns the child's output up to "ready", with blanks instead of line ends. */
static gchar *
read_answer(GSubprocess *child) {
  GString *text = g_string_new(NULL);
  gchar c = 0;
  while (!g_str_has_suffix(text->str, "ready") &&
         g_input_stream_read(g_subprocess_get_stdout_pipe(child), &c, 1, NULL, NULL) == 1)
    g_string_append_c(text, c == '\n' ? ' ' : c);
  g_assert_true(g_str_has_suffix(text->str, " ready"));
  g_string_truncate(text, text->len - strlen(" ready"));
  return g_string_free(text, FALSE);
}

static void
assert_answer(GSubprocess *child, const gchar *wanted) {
  g_autofree gchar *answer = read_answer(child);
  g_assert_cmpstr(answer, ==, wanted);
}

/* Ends the child, which must have freed everything. Returns its standard error. */
static gchar *
finish(GSubprocess *child) {
  gchar *complaints = NULL;
  g_subprocess_communicate_utf8(child, NULL, NULL, NULL, &complaints, NULL);
  if (!g_subprocess_get_successful(child))
    g_error("status %d: %s", g_subprocess_get_status(child), complaints);
  g_object_unref(child);
  return complaints;
}

static void
end(GSubprocess *child) {
  g_free(finish(child));
}

static void
assert_devices(const gchar *settings, const gchar *nvml, const gchar *mode, const gchar *arguments,
               const gchar *wanted) {
  GSubprocess *child = start(settings, nvml, mode, arguments);
  assert_answer(child, wanted);
  end(child);
}

/* --- in one process --- */

/* Users are spread over devices. Users of named devices count, and closed ones no longer do. */
static void
test_users(void) {
  assert_devices("devices=2", NULL, "use", "any any any any", "0 1 0 1");
  assert_devices("devices=3", NULL, "use", "0 1 any any", "0 1 2 0");
  assert_devices("devices=2", NULL, "use", "1 1 any any any", "1 1 0 0 0");
  assert_devices("devices=2", NULL, "use", "any any any -1 any", "0 1 0 1");
  assert_devices("devices=2", NULL, "use", "any -0 any", "0 0");
}

#define ONE "videotestsrc ! cudaconv name=a backend=cuda ! fakesink"
#define TWO                                                                                        \
  "videotestsrc ! cudaconv name=a backend=cuda ! queue ! cudaconv name=b backend=cuda ! fakesink"

/* Elements of different pipelines are spread. Elements that share a context stay together. */
static void
test_elements(void) {
  assert_devices("devices=2", NULL, "pipelines", ONE "|" ONE "|" ONE "|" ONE, "0 1 0 1");
  assert_devices("devices=2", NULL, "pipelines", TWO "|" ONE "|" ONE "|" TWO, "0 0 1 1 0 0");
}

/* --- several processes --- */

static void
test_processes(void) {
  g_autofree gchar *settings = on_one_machine("devices=2");
  const gchar *const wanted[] = {"0", "1", "0", "1"};
  GSubprocess *users[G_N_ELEMENTS(wanted)];
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
    users[i] = start(settings, NULL, "use", "any");
    assert_answer(users[i], wanted[i]);
  }
  end(users[1]);
  assert_devices(settings, NULL, "use", "any", "1");
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    if (i != 1)
      end(users[i]);
}

/* A process that names its device counts for processes that do not. */
static void
test_named(void) {
  g_autofree gchar *settings = on_one_machine("devices=2");
  GSubprocess *user = start(settings, NULL, "use", "0");
  assert_answer(user, "0");
  assert_devices(settings, NULL, "use", "any any any", "1 0 1");
  end(user);
}

/* Eight processes that start at the same moment get one device each. */
static void
test_at_once(void) {
  g_autofree gchar *settings = on_one_machine("devices=8");
  GSubprocess *users[8];
  guint seen = 0;
  for (guint i = 0; i < G_N_ELEMENTS(users); i++)
    users[i] = start(settings, NULL, "use", "any");
  for (guint i = 0; i < G_N_ELEMENTS(users); i++) {
    g_autofree gchar *answer = read_answer(users[i]);
    seen |= 1u << atoi(answer);
  }
  g_assert_cmphex(seen, ==, 0xff);
  for (guint i = 0; i < G_N_ELEMENTS(users); i++)
    end(users[i]);
}

/* A process that is killed leaves its device free. */
static void
test_killed(void) {
  g_autofree gchar *settings = on_one_machine("devices=2");
  g_autoptr(GSubprocess) killed = start(settings, NULL, "use", "any");
  assert_answer(killed, "0");
  assert_devices(settings, NULL, "use", "any", "1");
  g_subprocess_force_exit(killed);
  g_subprocess_wait(killed, NULL, NULL);
  g_assert_true(g_subprocess_get_if_signaled(killed));
  assert_devices(settings, NULL, "use", "any", "0");
}

/* Slot names that another process has taken prevent nobody from using a device. */
static void
test_no_slots(void) {
  g_autofree gchar *settings = on_one_machine("devices=2");
  int socks[2 * MAX_SLOTS];
  for (gsize i = 0; i < G_N_ELEMENTS(socks); i++) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const gint length =
        g_snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "cudaconv/%08x:%02x:00.0/%u",
                   getpid(), (guint)i / MAX_SLOTS, (guint)i % MAX_SLOTS);
    socks[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(socks[i], (struct sockaddr *)&address,
                         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (gsize)length)),
                    ==, 0);
    if (i + 1 == MAX_SLOTS)
      assert_devices(settings, NULL, "use", "any", "1");
  }
  assert_devices(settings, NULL, "use", "any any any", "0 1 0");
  for (gsize i = 0; i < G_N_ELEMENTS(socks); i++)
    close(socks[i]);
}

/* --- devices that fail --- */

/* The next best device is used instead of one that fails, and the failed one is not held. */
static void
test_refused(void) {
  g_autofree gchar *settings = on_one_machine("devices=2,fail=cuDevicePrimaryCtxRetain:1:2");
  g_autofree gchar *sound = on_one_machine("devices=2");
  GSubprocess *user = start(settings, NULL, "use", "any");
  assert_answer(user, "1");
  assert_devices(sound, NULL, "use", "any", "0");
  end(user);
  assert_devices("devices=2,fail=cuDevicePrimaryCtxRetain:1+:2", NULL, "use", "any",
                 "CUDA device 1 does not open: cuDevicePrimaryCtxRetain: "
                 "CUDA_ERROR_OUT_OF_MEMORY (2), as the fake driver was told");
}

/* Without a PCI ID no slots can be held, but the users of this process count. */
static void
test_no_pci_id(void) {
  g_autofree gchar *settings = on_one_machine("devices=2,fail=cuDeviceGetPCIBusId:1+:999");
  GSubprocess *user = start(settings, "80,10", "use", "any any any");
  assert_answer(user, "0 1 0");
  assert_devices(settings, "80,10", "use", "any", "0");
  end(user);
}

/* --- load --- */

static void
test_load(void) {
  static const struct {
    const gchar *nvml, *wanted;
  } cases[] = {
      {"80,10", "1 0 1 0"}, {"24,3", "0 1 0 1"}, {"25,3", "1 0 1 0"},
      {"60,", "1 0 1 0"},   {",60", "0 1 0 1"},  {"", "0 1 0 1"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    assert_devices("devices=2", cases[i].nvml, "use", "any any any any", cases[i].wanted);
}

/* Processes of this project count before the load. */
static void
test_load_comes_last(void) {
  g_autofree gchar *settings = on_one_machine("devices=2");
  GSubprocess *user = start(settings, "0,100", "use", "any");
  assert_answer(user, "0");
  assert_devices(settings, "0,100", "use", "any", "1");
  end(user);
}

/* Whether a process holds a device of this machine, according to /proc/net/unix. */
static gboolean
is_held(void) {
  g_autofree gchar *sockets = NULL;
  g_autofree gchar *name = g_strdup_printf("@cudaconv/%08x:", getpid());
  g_assert_true(g_file_get_contents("/proc/net/unix", &sockets, NULL, NULL));
  return strstr(sockets, name) != NULL;
}

/* With only one device, nobody holds it. NVML is used only if devices differ in nothing but their
 * load. */
static void
test_queries_no_more_than_needed(void) {
  static const struct {
    const gchar *devices, *uses, *wanted, *complaints;
    gboolean holds;
  } cases[] = {
      {"devices=1", "any 0", "0 0", "", FALSE},
      {"devices=1", "0 any", "0 0", "", FALSE},
      {"devices=2", "any any 0", "0 1 0", "fake NVML: started\n", TRUE},
      {"devices=2", "0 any", "0 1", "", TRUE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *settings = on_one_machine(cases[i].devices);
    GSubprocess *user = start(settings, "0,0", "use", cases[i].uses);
    assert_answer(user, cases[i].wanted);
    g_assert_cmpint(is_held(), ==, cases[i].holds);
    g_autofree gchar *complaints = finish(user);
    g_assert_cmpstr(complaints, ==, cases[i].complaints);
    g_assert_false(is_held());
  }
}

int
main(int argc, char **argv) {
  const gchar *mode = argc > 1 ? argv[1] : "";
  if (g_str_equal(mode, "use"))
    return use_devices(argv + 2);
  if (g_str_equal(mode, "pipelines"))
    return use_pipelines(argv + 2);
  program_path = argv[0];
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/device-selection/users", test_users);
  g_test_add_func("/device-selection/elements", test_elements);
  g_test_add_func("/device-selection/processes", test_processes);
  g_test_add_func("/device-selection/named", test_named);
  g_test_add_func("/device-selection/at-once", test_at_once);
  g_test_add_func("/device-selection/killed", test_killed);
  g_test_add_func("/device-selection/no-slots", test_no_slots);
  g_test_add_func("/device-selection/refused", test_refused);
  g_test_add_func("/device-selection/no-pci-id", test_no_pci_id);
  g_test_add_func("/device-selection/load", test_load);
  g_test_add_func("/device-selection/load-comes-last", test_load_comes_last);
  g_test_add_func("/device-selection/queries-no-more-than-needed",
                  test_queries_no_more_than_needed);
  return g_test_run();
}
