/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "childcheck.h"
#include "app/command.h"
#include "app/convert/elements.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gmodule.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPLY_FD 3
#define MAX_REPLY 65536

void
child_set_text(JsonObject *result, const gchar *member, const gchar *format, ...) {
  va_list values;
  va_start(values, format);
  g_autofree gchar *text = g_strdup_vprintf(format, values);
  va_end(values);
  g_autofree gchar *valid = g_utf8_make_valid(text, -1);
  json_object_set_string_member(result, member, valid);
}

/* ---- GStreamer's scanner ---- */

static guint start_seconds;

/* Kills GStreamer's scanner, the only child of this thread. GStreamer waits for the scanner without
 * a time limit. When the scanner ends, GStreamer continues with the next file. */
static void
on_alarm(int number) {
  static const char message[] = "cudaconv doctor: a plugin hangs while GStreamer loads it; "
                                "GST_DEBUG=GST_PLUGIN_LOADING:5 shows which one\n";
  pid_t scanner = 0;
  char text[32] = "";
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const ssize_t written G_GNUC_UNUSED = write(STDERR_FILENO, message, sizeof message - 1);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0)
    _exit(APP_FAILED); /* there is no scanner, so the plugin hangs in this process */
  close(file);
  for (const char *digit = text; g_ascii_isdigit(*digit); digit++)
    scanner = scanner * 10 + (*digit - '0');
  kill(scanner, SIGKILL);
  alarm(start_seconds);
}

void
child_start_gstreamer(guint seconds) {
  start_seconds = seconds;
  signal(SIGALRM, on_alarm);
  alarm(seconds);
  app_start_gstreamer();
  alarm(0);
  signal(SIGALRM, SIG_DFL);
}

/* ---- the parent process ---- */

static void
copy_member(JsonObject *reply, const gchar *name, JsonNode *node, gpointer result) {
  json_object_set_member(result, name, json_node_copy(node));
}

/* Reads a line from the child. The line is incomplete if the child closes the pipe early, if the
 * line is longer than MAX_REPLY, or if the time `end` is reached. */
static void
read_line(int fd, GString *line, gint64 end) {
  struct pollfd ready = {fd, POLLIN, 0};
  gchar buffer[4096];
  gssize got = 1;
  while (got > 0 && line->len < MAX_REPLY && !memchr(line->str, '\n', line->len)) {
    const gint64 left = (end - g_get_monotonic_time()) / 1000;
    const int n = poll(&ready, 1, (int)MAX(left, 0));
    if (n == 0)
      return;
    if (n < 0)
      continue; /* a signal */
    got = read(fd, buffer, sizeof buffer);
    g_string_append_len(line, buffer, MAX(got, 0));
  }
}

void
child_check(JsonObject *result, const gchar *check, const gchar *subject, guint seconds) {
  const gint64 end = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) line = g_string_new(NULL);
  g_autofree gchar *option = g_strconcat("--probe=", check, NULL);
  /* half of the time, so that the child can kill its own GStreamer scanner before `end` */
  g_autofree gchar *limit = g_strdup_printf("--timeout=%u", MAX(seconds / 2, 1));
  const gchar *const words[] = {"/proc/self/exe", "doctor", limit, option, NULL};
  const int target = REPLY_FD;
  int fds[2], status = 0;
  GPid pid, ended = 0;
  if (pipe2(fds, O_CLOEXEC) != 0) {
    child_set_text(result, "error", "%s", g_strerror(errno));
    return;
  }
  /* standard output is dropped, because plugins and drivers may print to it */
  const GSpawnFlags flags = G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL;
  const gboolean started =
      g_spawn_async_with_pipes_and_fds(NULL, words, NULL, flags, NULL, NULL, -1, -1, -1, &fds[1],
                                       &target, 1, &pid, NULL, NULL, NULL, &error);
  close(fds[1]);
  if (started)
    read_line(fds[0], line, end);
  close(fds[0]);
  while (started && (ended = waitpid(pid, &status, WNOHANG)) == 0 && g_get_monotonic_time() < end)
    g_usleep(5000);
  g_autoptr(JsonNode) reply = strchr(line->str, '\n') ? json_from_string(line->str, NULL) : NULL;
  if (!started) {
    child_set_text(result, "error", "%s", error->message);
  } else if (ended == 0) {
    kill(pid, SIGKILL); /* no waitpid: the child may be stuck in a kernel driver */
    child_set_text(result, "error", "%s hangs: no answer within %u second%s", subject, seconds,
                   seconds == 1 ? "" : "s");
  } else if (WIFSIGNALED(status)) {
    child_set_text(result, "error", "%s crashes (%s)", subject, g_strsignal(WTERMSIG(status)));
  } else if (reply && JSON_NODE_HOLDS_OBJECT(reply)) {
    json_object_foreach_member(json_node_get_object(reply), copy_member, result);
  } else {
    child_set_text(result, "error", "%s ends the process", subject);
  }
}

/* ---- the child process ---- */

static void
check_load(JsonObject *result, const gchar *file) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GstPlugin) plugin = gst_plugin_load_file(file, &error);
  if (!plugin)
    child_set_text(result, "error", "%s", error->message);
}

static void
take_backend(GstMessage *message, gpointer result) {
  const GstStructure *structure = gst_message_get_structure(message);
  if (!gst_message_has_name(message, "cudaconv-backend"))
    return;
  child_set_text(result, "runs", "%s", gst_structure_get_string(structure, "backend"));
  child_set_text(result, "device", "%s", gst_structure_get_string(structure, "device"));
  child_set_text(result, "reason", "%s", gst_structure_get_string(structure, "reason"));
}

static void
check_filter(JsonObject *result, const gchar *backend) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  GstElement *filter = elements_new("cudaconv", NULL, &error);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  if (filter) {
    gst_util_set_object_arg(G_OBJECT(filter), "backend", backend);
    elements_filter_frame(pipeline, filter, &info, take_backend, result, &error);
    gst_element_set_state(pipeline, GST_STATE_NULL);
  }
  if (error)
    child_set_text(result, "error", "%s", error->message);
}

static void
check_driver(JsonObject *result) {
  enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
  /* declared here, because only the CUDA Toolkit has the header of these functions */
  int (*init)(unsigned int flags), (*get_version)(int *version), (*get_count)(int *count);
  int (*get_device)(int *device, int ordinal), (*get_name)(char *name, int bytes, int device);
  int (*get_attribute)(int *value, int attribute, int device);
  int (*get_error_name)(int status, const char **name);
  GModule *library = g_module_open("libcuda.so.1", G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
#define LOADS(function, name) g_module_symbol(library, name, (gpointer *)&(function))
  if (!library || !LOADS(init, "cuInit") || !LOADS(get_version, "cuDriverGetVersion") ||
      !LOADS(get_count, "cuDeviceGetCount") || !LOADS(get_device, "cuDeviceGet") ||
      !LOADS(get_name, "cuDeviceGetName") || !LOADS(get_attribute, "cuDeviceGetAttribute") ||
      !LOADS(get_error_name, "cuGetErrorName")) {
    child_set_text(result, "error", "%s", g_module_error());
    return; /* the library stays open */
  }
#undef LOADS
  Dl_info location = {0};
  int version = 0, count = 0;
  get_version(&version);
  dladdr((gpointer)init, &location);
  child_set_text(result, "driver", "%s, for CUDA %d.%d", location.dli_fname, version / 1000,
                 version % 1000 / 10);
  const int init_status = init(0), status = init_status ? init_status : get_count(&count);
  if (status != 0) {
    const char *name = NULL;
    get_error_name(status, &name);
    child_set_text(result, "error", "%s: %s (%d)", init_status ? "cuInit" : "cuDeviceGetCount",
                   name ? name : "unknown error", status);
  }
  JsonArray *devices = json_array_new();
  for (int i = 0; i < count; i++) {
    char model[256] = "unknown model";
    int device = 0, major = 0, minor = 0;
    if (get_device(&device, i) == 0) {
      get_name(model, sizeof model, device);
      get_attribute(&major, CAPABILITY_MAJOR, device);
      get_attribute(&minor, CAPABILITY_MINOR, device);
    }
    g_autofree gchar *text = g_strdup_printf("%s, compute capability %d.%d", model, major, minor);
    json_array_add_string_element(devices, text);
  }
  json_object_set_array_member(result, "devices", devices);
}

gboolean
child_reply(const gchar *check) {
  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
  JsonObject *result = json_object_new();
  json_node_take_object(node, result);
  if (g_str_has_prefix(check, "load:"))
    check_load(result, check + strlen("load:"));
  else if (g_str_has_prefix(check, "filter:"))
    check_filter(result, check + strlen("filter:"));
  else if (g_str_equal(check, "driver"))
    check_driver(result);
  else
    return FALSE;
  g_autofree gchar *text = json_to_string(node, FALSE);
  return dprintf(REPLY_FD, "%s\n", text) > 0;
}
