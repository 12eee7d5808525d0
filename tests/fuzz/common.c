/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plugin/element.h"
#include "sanitizers.h"

#define MAX_TEXT 1000 /* maximum length of a message in characters */

void
fuzz_fail(const gchar *file, gint line, const gchar *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree gchar *why = g_strdup_vprintf(format, args);
  va_end(args);
  fprintf(stderr, "%s:%d: %s\n", file, line, why);
  abort();
}

/* --- the process --- */

static const gchar *
log_field(const GLogField *fields, gsize n, const gchar *key) {
  for (gsize i = 0; i < n; i++)
    if (g_str_equal(fields[i].key, key))
      return fields[i].value;
  return "";
}

static gboolean is_parsing; /* code of GStreamer is running, whose criticals are not ours */
static guint n_criticals;   /* number of criticals meanwhile */

/* From GLib 2.76 on a number out of range is critical. This one is ignored. */
static GLogWriterOutput
write_log(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer unused) {
  const gchar *message = log_field(fields, n, "MESSAGE");
  const gboolean is_critical = (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)) &&
                               !strstr(message, "invalid or out of range");
  fuzz_check(!is_critical || is_parsing, "%s: %s", log_field(fields, n, "GLIB_DOMAIN"), message);
  n_criticals += is_critical;
  return G_LOG_WRITER_HANDLED;
}

FuzzParsed
fuzz_parse_value(GValue *value, const gchar *text, GParamSpec *pspec) {
  g_value_init(value, pspec->value_type);
  n_criticals = 0;
  is_parsing = TRUE;
  __lsan_disable();
  const gboolean ok = gst_value_deserialize_with_pspec(value, text, pspec);
  __lsan_enable();
  is_parsing = FALSE;
  return n_criticals ? FUZZ_FAULT : ok ? FUZZ_PARSED : FUZZ_REFUSED;
}

static gchar *temporary_folder;

static void
remove_folder(void) {
  const gchar *arguments[] = {"rm", "-rf", "--", temporary_folder, NULL};
  g_spawn_sync(NULL, (gchar **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
               NULL);
}

const gchar *
fuzz_folder(void) {
  if (temporary_folder)
    return temporary_folder;
  const gchar *preferred = g_getenv("TMPDIR") ? g_getenv("TMPDIR") : "/dev/shm";
  const gchar *parent = g_file_test(preferred, G_FILE_TEST_IS_DIR) ? preferred : g_get_tmp_dir();
  temporary_folder = g_build_filename(parent, "cudaconv-fuzz-XXXXXX", NULL);
  fuzz_check(g_mkdtemp(temporary_folder), "no folder in %s", parent);
  atexit(remove_folder);
  return temporary_folder;
}

void
fuzz_init(void) {
  g_autofree gchar *registry = g_build_filename(fuzz_folder(), "registry.bin", NULL);
  /* variables with a version take precedence over those without */
  g_setenv("GST_REGISTRY_1_0", registry, TRUE);
  g_setenv("GST_PLUGIN_PATH_1_0", "", TRUE);
  g_setenv("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  g_setenv("GST_REGISTRY_FORK", "no", TRUE);
  g_setenv("GST_PRESET_PATH", "", TRUE);
  g_setenv("XDG_DATA_HOME", fuzz_folder(), TRUE);
  g_setenv("GIO_USE_VFS", "local", TRUE);
  gst_init(NULL, NULL);
  fuzz_check(GST_ELEMENT_REGISTER(cudaconv, NULL), "cudaconv cannot be registered");
  g_log_set_writer_func(write_log, NULL, NULL);
}

/* --- the element --- */

static guint n_messages[2];        /* warnings, errors */
static gchar last_error[MAX_TEXT]; /* empty if there was none */

void
fuzz_check_text(const gchar *text) {
  fuzz_check(text && *text, "a message is empty");
  fuzz_check(g_utf8_validate(text, -1, NULL), "a message is not UTF-8: %s", text);
  fuzz_check(g_utf8_strlen(text, -1) <= MAX_TEXT, "a message of %ld characters: %s",
             g_utf8_strlen(text, -1), text);
}

static GstBusSyncReply
take_message(GstBus *bus, GstMessage *message, gpointer unused) {
  g_autoptr(GError) error = NULL;
  const gboolean is_error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
  if (is_error)
    gst_message_parse_error(message, &error, NULL);
  else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning(message, &error, NULL);
  if (error) {
    fuzz_check_text(error->message);
    n_messages[is_error]++;
    if (is_error)
      g_strlcpy(last_error, error->message, sizeof last_error);
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

/* The bus of all elements. It has no queue, which would need two file descriptors. */
static GstBus *
message_counter(void) {
  static GstBus *bus;
  if (!bus) {
    bus = g_object_new(GST_TYPE_BUS, "enable-async", FALSE, NULL);
    gst_bus_set_sync_handler(bus, take_message, NULL, NULL);
  }
  return bus;
}

GstElement *
fuzz_element_new(void) {
  GstElement *element = gst_object_ref_sink(gst_element_factory_make("cudaconv", NULL));
  gst_element_set_bus(element, message_counter());
  memset(n_messages, 0, sizeof n_messages);
  last_error[0] = '\0';
  return element;
}

guint
fuzz_count_warnings(void) {
  const guint n = n_messages[FALSE];
  n_messages[FALSE] = 0;
  return n;
}

guint
fuzz_count_errors(void) {
  const guint n = n_messages[TRUE];
  n_messages[TRUE] = 0;
  return n;
}

const gchar *
fuzz_last_error(void) {
  return last_error;
}

void
fuzz_check_readable(GstElement *element) {
  guint n;
  g_autofree GParamSpec **pspecs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &n);
  for (guint i = 0; i < n; i++) {
    g_auto(GValue) value = G_VALUE_INIT;
    if (!(pspecs[i]->flags & G_PARAM_READABLE))
      continue;
    g_object_get_property(G_OBJECT(element), pspecs[i]->name, &value);
    fuzz_check(G_VALUE_HOLDS(&value, pspecs[i]->value_type), "%s cannot be read", pspecs[i]->name);
  }
}
