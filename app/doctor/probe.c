/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checks that may crash or hang. They run in another process of this program, which prints what it
 * found as one structure. */

#include "doctor.h"

#include <dlfcn.h>
#include <gio/gio.h>
#include <gmodule.h>
#include <string.h>

#define ANSWER "cudaconv-answer"

/* ---- the process that asks ---- */

typedef struct {
  GMainLoop *loop;
  GCancellable *cancellable;
  gchar *output, *complaints;
  gboolean late;
} Asking;

static void
on_end(GObject *process, GAsyncResult *result, gpointer data) {
  Asking *asking = data;
  g_subprocess_communicate_utf8_finish(G_SUBPROCESS(process), result, &asking->output,
                                       &asking->complaints, NULL);
  g_main_loop_quit(asking->loop);
}

static gboolean
on_timeout(gpointer data) {
  Asking *asking = data;
  asking->late = TRUE;
  g_cancellable_cancel(asking->cancellable);
  return G_SOURCE_REMOVE;
}

static GstStructure *
answer_new(const gchar *error) {
  GstStructure *answer = gst_structure_new_empty(ANSWER);
  if (error)
    gst_structure_set(answer, "error", G_TYPE_STRING, error, NULL);
  return answer;
}

/* What a process that has ended says, or that it did not come that far. */
static GstStructure *
read_answer(const Asking *asking, GSubprocess *process) {
  gchar *end;
  const gchar *start = asking->output ? strstr(asking->output, ANSWER) : NULL;
  GstStructure *answer = start ? gst_structure_from_string(start, &end) : NULL;
  if (!answer) {
    g_autofree gchar *how =
        g_subprocess_get_if_signaled(process)
            ? g_strdup_printf("crashes (%s)", g_strsignal(g_subprocess_get_term_sig(process)))
            : g_strdup("ends the process");
    return answer_new(how);
  }
  return answer;
}

/* Waits for the end of the process for so long and no longer, even if it cannot be killed. */
static GstStructure *
await(GSubprocess *process, guint seconds, GMainContext *main_context) {
  g_autoptr(GMainLoop) loop = g_main_loop_new(main_context, FALSE);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  Asking asking = {.loop = loop, .cancellable = cancellable};
  g_autoptr(GSource) timeout = g_timeout_source_new_seconds(seconds);
  g_source_set_callback(timeout, on_timeout, &asking, NULL);
  g_source_attach(timeout, main_context);
  g_subprocess_communicate_utf8_async(process, NULL, cancellable, on_end, &asking);
  g_main_loop_run(loop);
  g_source_destroy(timeout);
  g_autofree gchar *late = NULL;
  GstStructure *answer;
  if (asking.late) {
    g_subprocess_force_exit(process);
    late = g_strdup_printf("hangs: no answer within %u second%s", seconds, seconds == 1 ? "" : "s");
    answer = answer_new(late);
  } else {
    g_subprocess_wait(process, NULL, NULL); /* its pipes are closed: it ends now */
    answer = read_answer(&asking, process);
  }
  g_free(asking.output);
  if (asking.complaints && *g_strstrip(asking.complaints))
    gst_structure_set(answer, "complaints", G_TYPE_STRING, asking.complaints, NULL);
  g_free(asking.complaints);
  return answer;
}

GstStructure *
doctor_ask(const Doctor *self, const gchar *what) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *option = g_strconcat("--probe=", what, NULL);
  g_autoptr(GMainContext) main_context = g_main_context_new();
  g_main_context_push_thread_default(main_context);
  g_autoptr(GSubprocessLauncher) launcher =
      g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_subprocess_launcher_unsetenv(launcher, "GST_DEBUG");
  g_autoptr(GSubprocess) process =
      g_subprocess_launcher_spawn(launcher, &error, "/proc/self/exe", "doctor", option, NULL);
  GstStructure *answer =
      process ? await(process, self->seconds, main_context) : answer_new(error->message);
  g_main_context_pop_thread_default(main_context);
  return answer;
}

/* ---- the process that answers ---- */

static void
set_text(GstStructure *answer, const gchar *field, const gchar *text) {
  gst_structure_set(answer, field, G_TYPE_STRING, text, NULL);
}

static void
answer_load(GstStructure *answer, const gchar *file) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GstPlugin) plugin = gst_plugin_load_file(file, &error);
  if (!plugin)
    set_text(answer, "error", error->message);
}

/* Keeps what a message of the pipeline says. TRUE when it is the last one. */
static gboolean
read_message(GstStructure *answer, GstMessage *message) {
  g_autoptr(GError) error = NULL;
  const GstStructure *structure = gst_message_get_structure(message);
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ERROR:
    gst_message_parse_error(message, &error, NULL);
    set_text(answer, "error", error->message);
    return TRUE;
  case GST_MESSAGE_WARNING:
    gst_message_parse_warning(message, &error, NULL);
    set_text(answer, "warning", error->message);
    return FALSE;
  case GST_MESSAGE_ELEMENT:
    if (gst_structure_has_name(structure, "cudaconv-backend")) {
      gst_structure_set(answer, "backend", G_TYPE_STRING,
                        gst_structure_get_string(structure, "backend"), "device", G_TYPE_STRING,
                        gst_structure_get_string(structure, "device"), "reason", G_TYPE_STRING,
                        gst_structure_get_string(structure, "reason"), NULL);
    }
    return FALSE;
  default:
    return TRUE;
  }
}

/* All elements but the filter are part of GStreamer itself. */
static void
answer_filter(GstStructure *answer, const gchar *backend) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *line = g_strdup_printf(
      "fakesrc num-buffers=1 format=time sizetype=fixed sizemax=3072 filltype=zero "
      "! capsfilter caps=video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1 "
      "! cudaconv name=filter backend=%s ! fakesink",
      backend);
  g_autoptr(GstElement) pipeline = gst_parse_launch(line, &error);
  if (error) {
    set_text(answer, "error", error->message);
    return;
  }
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  /* of a start that fails, the message says why */
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (gboolean last = FALSE; !last;) {
    g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(
        bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS);
    last = read_message(answer, message);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
}

static void
answer_sink(GstStructure *answer, const gchar *name) {
  g_autoptr(GstElement) sink = gst_element_factory_make(name, NULL);
  if (!sink) {
    set_text(answer, "error", "there is no such element");
    return;
  }
  gst_object_ref_sink(sink);
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_element_set_bus(sink, bus);
  if (gst_element_set_state(sink, GST_STATE_READY) == GST_STATE_CHANGE_FAILURE) {
    g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    set_text(answer, "error", "it does not open");
    if (message)
      read_message(answer, message);
  }
  gst_element_set_state(sink, GST_STATE_NULL);
  gst_element_set_bus(sink, NULL);
}

/* What is asked of the driver; its header comes with the CUDA Toolkit only. */
typedef struct {
  int (*init)(unsigned int flags);
  int (*get_version)(int *version);
  int (*get_count)(int *count);
  int (*get_device)(int *device, int ordinal);
  int (*get_name)(char *name, int bytes, int device);
  int (*get_attribute)(int *value, int attribute, int device);
  int (*get_error_name)(int result, const char **name);
} Driver;

static gboolean
load_driver(GstStructure *answer, Driver *driver) {
  const struct {
    const gchar *name;
    gpointer *function;
  } functions[] = {
      {"cuInit", (gpointer *)&driver->init},
      {"cuDriverGetVersion", (gpointer *)&driver->get_version},
      {"cuDeviceGetCount", (gpointer *)&driver->get_count},
      {"cuDeviceGet", (gpointer *)&driver->get_device},
      {"cuDeviceGetName", (gpointer *)&driver->get_name},
      {"cuDeviceGetAttribute", (gpointer *)&driver->get_attribute},
      {"cuGetErrorName", (gpointer *)&driver->get_error_name},
  };
  GModule *library = g_module_open("libcuda.so.1", G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (!library) {
    set_text(answer, "error", g_module_error());
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(functions); i++) {
    if (!g_module_symbol(library, functions[i].name, functions[i].function)) {
      set_text(answer, "error", g_module_error());
      return FALSE;
    }
  }
  Dl_info place;
  if (dladdr(*functions[0].function, &place))
    set_text(answer, "file", place.dli_fname);
  return TRUE; /* the library stays open */
}

static gboolean
check_result(const Driver *driver, int result, const gchar *call, GstStructure *answer) {
  const char *name = NULL;
  if (result == 0)
    return TRUE;
  driver->get_error_name(result, &name);
  g_autofree gchar *text =
      g_strdup_printf("%s: %s (%d)", call, name ? name : "unknown error", result);
  set_text(answer, "error", text);
  return FALSE;
}

static void
answer_driver(GstStructure *answer, const gchar *argument) {
  enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
  Driver driver;
  int version = 0, count = 0;
  if (!load_driver(answer, &driver))
    return;
  if (check_result(&driver, driver.get_version(&version), "cuDriverGetVersion", answer))
    gst_structure_set(answer, "version", G_TYPE_INT, version, NULL);
  if (!check_result(&driver, driver.init(0), "cuInit", answer) ||
      !check_result(&driver, driver.get_count(&count), "cuDeviceGetCount", answer))
    return;
  gst_structure_set(answer, "devices", G_TYPE_INT, count, NULL);
  for (int i = 0; i < count; i++) {
    char name[256] = "";
    int device = 0, major = 0, minor = 0;
    g_autofree gchar *field = g_strdup_printf("device-%d", i);
    if (driver.get_device(&device, i) || driver.get_name(name, sizeof name, device) ||
        driver.get_attribute(&major, CAPABILITY_MAJOR, device) ||
        driver.get_attribute(&minor, CAPABILITY_MINOR, device)) {
      set_text(answer, field, "the driver does not tell what this is");
      continue;
    }
    g_autofree gchar *text = g_strdup_printf("%s, compute capability %d.%d", name, major, minor);
    set_text(answer, field, text);
  }
}

gboolean
doctor_answer(const gchar *what) {
  static const struct {
    const gchar *name;
    void (*answer)(GstStructure *answer, const gchar *argument);
  } checks[] = {
      {"load", answer_load},
      {"filter", answer_filter},
      {"driver", answer_driver},
      {"sink", answer_sink},
  };
  g_auto(GStrv) words = g_strsplit(what, ":", 2);
  for (guint i = 0; i < G_N_ELEMENTS(checks); i++) {
    if (words[0] && strcmp(words[0], checks[i].name) == 0) {
      g_autoptr(GstStructure) answer = gst_structure_new_empty(ANSWER);
      checks[i].answer(answer, words[1] ? words[1] : "");
      g_autofree gchar *text = gst_structure_to_string(answer);
      g_print("%s\n", text);
      return TRUE;
    }
  }
  return FALSE;
}
