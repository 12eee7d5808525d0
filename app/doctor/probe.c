/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"
#include "app/command.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <gmodule.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPLY "cudaconv-reply:"

void
probe_set(JsonObject *result, const gchar *member, const gchar *format, ...) {
  va_list values;
  va_start(values, format);
  g_autofree gchar *text = g_strdup_vprintf(format, values);
  va_end(values);
  g_autofree gchar *valid = g_utf8_make_valid(text, -1);
  json_object_set_string_member(result, member, valid);
}

/* ---- GStreamer's scanner ---- */

static guint start_seconds;

/* GStreamer waits without a limit for its scanner, the only child of this thread, and goes on with
 * the next file when the scanner has ended. */
static void
on_alarm(int number) {
  static const char message[] = "cudaconv doctor: a plugin hangs while GStreamer loads it; "
                                "GST_DEBUG=GST_PLUGIN_LOADING:5 shows which\n";
  pid_t scanner = 0;
  char text[32] = "";
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const ssize_t written G_GNUC_UNUSED = write(STDERR_FILENO, message, sizeof message - 1);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0)
    _exit(APP_FAILED); /* the plugin hangs in this process */
  close(file);
  for (const char *digit = text; g_ascii_isdigit(*digit); digit++)
    scanner = scanner * 10 + (*digit - '0');
  kill(scanner, SIGKILL);
  alarm(start_seconds);
}

void
probe_start_gstreamer(guint seconds) {
  start_seconds = seconds;
  signal(SIGALRM, on_alarm);
  alarm(seconds);
  app_start_gstreamer();
  alarm(0);
  signal(SIGALRM, SIG_DFL);
}

/* ---- the process that asks ---- */

static void
on_end(GObject *process, GAsyncResult *result, gpointer kept) {
  *(GAsyncResult **)kept = g_object_ref(result);
}

static gboolean
on_timeout(gpointer cancellable) {
  g_cancellable_cancel(cancellable);
  return G_SOURCE_CONTINUE;
}

static void
copy_member(JsonObject *reply, const gchar *name, JsonNode *node, gpointer result) {
  json_object_set_member(result, name, json_node_copy(node));
}

void
probe_ask(JsonObject *result, const gchar *check, const gchar *subject, guint seconds) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *option = g_strconcat("--probe=", check, NULL);
  /* the child may have to end a scanner as well, before its time is over */
  g_autofree gchar *limit = g_strdup_printf("--timeout=%u", MAX(seconds / 2, 1));
  g_autoptr(GSubprocess) process = g_subprocess_new(
      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, "/proc/self/exe", "doctor", limit, option, NULL);
  if (!process) {
    probe_set(result, "error", "%s", error->message);
    return;
  }
  g_autoptr(GAsyncResult) end = NULL;
  g_autoptr(GBytes) output = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  const guint timeout = g_timeout_add_seconds(seconds, on_timeout, cancellable);
  g_subprocess_communicate_async(process, NULL, cancellable, on_end, &end);
  while (!end)
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(timeout);
  if (g_subprocess_communicate_finish(process, end, &output, NULL, NULL)) {
    gsize length;
    const gchar *data = g_bytes_get_data(output, &length);
    g_autofree gchar *text = data ? g_strndup(data, length) : g_strdup("");
    gchar *begin = strstr(text, REPLY); /* a driver may print as well */
    if (begin)
      begin[strcspn(begin, "\n")] = '\0';
    g_autoptr(JsonNode) reply = begin ? json_from_string(begin + strlen(REPLY), NULL) : NULL;
    if (reply) {
      json_object_foreach_member(json_node_get_object(reply), copy_member, result);
      return;
    }
    g_subprocess_wait(process, NULL, NULL); /* it has closed its output: it ends now */
    if (g_subprocess_get_if_signaled(process))
      probe_set(result, "error", "%s crashes (%s)", subject,
                g_strsignal(g_subprocess_get_term_sig(process)));
    else
      probe_set(result, "error", "%s ends the process", subject);
  } else {
    /* at once, which g_subprocess_force_exit does not do; without a wait, because the kernel may
     * hold the child in a driver */
    const gchar *pid = g_subprocess_get_identifier(process);
    if (pid)
      kill((pid_t)atoi(pid), SIGKILL);
    probe_set(result, "error", "%s hangs: no answer within %u second%s", subject, seconds,
              seconds == 1 ? "" : "s");
  }
}

/* ---- the process that replies ---- */

static void
check_load(JsonObject *result, const gchar *file) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GstPlugin) plugin = gst_plugin_load_file(file, &error);
  if (!plugin)
    probe_set(result, "error", "%s", error->message);
}

/* All elements but the filter are part of GStreamer's core. */
static void
check_filter(JsonObject *result, const gchar *backend) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *line = g_strdup_printf(
      "fakesrc num-buffers=1 format=time sizetype=fixed sizemax=3072 filltype=zero "
      "! capsfilter caps=video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1 "
      "! cudaconv backend=%s ! fakesink",
      backend);
  g_autoptr(GstElement) pipeline = gst_parse_launch(line, &error);
  if (error) {
    probe_set(result, "error", "%s", error->message);
    return;
  }
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING); /* a message says why it fails */
  for (GstMessageType type = GST_MESSAGE_UNKNOWN;
       !(type & (GST_MESSAGE_ERROR | GST_MESSAGE_EOS));) {
    g_autoptr(GError) failure = NULL;
    g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(
        bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS);
    const GstStructure *structure = gst_message_get_structure(message);
    type = GST_MESSAGE_TYPE(message);
    if (type == GST_MESSAGE_ERROR) {
      gst_message_parse_error(message, &failure, NULL);
      probe_set(result, "error", "%s", failure->message);
    } else if (type == GST_MESSAGE_ELEMENT &&
               gst_structure_has_name(structure, "cudaconv-backend")) {
      probe_set(result, "runs", "%s", gst_structure_get_string(structure, "backend"));
      probe_set(result, "device", "%s", gst_structure_get_string(structure, "device"));
      probe_set(result, "reason", "%s", gst_structure_get_string(structure, "reason"));
    }
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
}

static void
check_driver(JsonObject *result) {
  enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
  /* their header comes with the CUDA Toolkit only */
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
    probe_set(result, "error", "%s", g_module_error());
    return; /* the library stays open */
  }
#undef LOADS
  Dl_info place = {0};
  int version = 0, count = 0;
  get_version(&version);
  dladdr((gpointer)init, &place);
  probe_set(result, "driver", "%s, for CUDA %d.%d", place.dli_fname, version / 1000,
            version % 1000 / 10);
  const int init_status = init(0), status = init_status ? init_status : get_count(&count);
  if (status != 0) {
    const char *name = NULL;
    get_error_name(status, &name);
    probe_set(result, "error", "%s: %s (%d)", init_status ? "cuInit" : "cuDeviceGetCount",
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
probe_reply(const gchar *check) {
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
  printf(REPLY "%s\n", text); /* g_print would convert it to the encoding of the locale */
  return TRUE;
}
