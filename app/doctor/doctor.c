/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sub-command `doctor`: what is installed, what is missing and how to mend it. What may crash
 * or hang, a plugin that loads or a driver that starts, is tried in a process of its own. */

#include "doctor.h"
#include "app/command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define INDENT "           "

/* ---- the report ---- */

void
doctor_begin(const gchar *section) {
  g_print("\n%s\n", section);
}

void
doctor_say(Doctor *self, DoctorMark mark, const gchar *format, ...) {
  static const gchar *const marks[] = {[DOCTOR_OK] = "ok",
                                       [DOCTOR_NOTE] = "-",
                                       [DOCTOR_MISSING] = "missing",
                                       [DOCTOR_BROKEN] = "broken"};
  va_list values;
  va_start(values, format);
  g_autofree gchar *text = g_strdup_vprintf(format, values);
  va_end(values);
  g_print("  %-9s%s\n", marks[mark], text);
  self->n_missing += mark == DOCTOR_MISSING;
  self->n_broken += mark == DOCTOR_BROKEN;
}

void
doctor_mend(const gchar *format, ...) {
  va_list values;
  va_start(values, format);
  g_autofree gchar *text = g_strdup_vprintf(format, values);
  va_end(values);
  g_print(INDENT "%s\n", text);
}

void
doctor_mend_with_package(Doctor *self, const gchar *package) {
  guint at;
  doctor_mend("install the Debian package %s", package);
  if (!g_ptr_array_find_with_equal_func(self->packages, package, g_str_equal, &at))
    g_ptr_array_add(self->packages, (gpointer)package);
}

/* ---- the start of GStreamer ---- */

static guint start_seconds;

/* Ends the children of this thread, which is GStreamer's scanner; returns how many. As part of a
 * signal handler it calls nothing but the system. */
static guint
end_children(void) {
  guint n = 0;
  char text[256];
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : 0;
  if (file >= 0)
    close(file);
  pid_t child = 0;
  for (ssize_t i = 0; i < length; i++) {
    if (text[i] >= '0' && text[i] <= '9') {
      child = child * 10 + (text[i] - '0');
    } else if (child > 0) {
      n += kill(child, SIGKILL) == 0;
      child = 0;
    }
  }
  return n;
}

static void
tell(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return; /* there is nobody to tell */
}

/* GStreamer waits for its scanner for ever. When that ends, GStreamer goes on with the next file.
 */
static void
on_alarm(int number) {
  if (end_children() == 0) {
    tell("cudaconv doctor: GStreamer does not start: a plugin hangs while it loads. "
         "GST_DEBUG=GST_PLUGIN_LOADING:5 shows which; move it out of the folder.\n");
    _exit(APP_FAILED);
  }
  tell(
      "cudaconv doctor: GStreamer waits for a plugin that does not load; it goes on without it.\n");
  alarm(start_seconds);
}

static void
start_gstreamer(guint seconds) {
  start_seconds = seconds;
  signal(SIGALRM, on_alarm);
  alarm(seconds);
  app_start_gstreamer();
  alarm(0);
  signal(SIGALRM, SIG_DFL);
}

/* ---- what everything runs on ---- */

/* What the distribution calls itself, or NULL. */
static gchar *
find_distribution(void) {
  g_autofree gchar *text = NULL;
  if (!g_file_get_contents("/etc/os-release", &text, NULL, NULL))
    return NULL;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gchar **line = lines; *line; line++) {
    if (g_str_has_prefix(*line, "PRETTY_NAME="))
      return g_shell_unquote(*line + strlen("PRETTY_NAME="), NULL);
  }
  return NULL;
}

static void
print_versions(void) {
  g_autofree gchar *gstreamer = gst_version_string(), *distribution = find_distribution();
  struct utsname machine;
  if (uname(&machine) < 0)
    memset(&machine, 0, sizeof machine);
  g_print("cudaconv %s, %s, GLib %u.%u.%u, %s, Linux %s %s, %u processor%s\n", VERSION, gstreamer,
          glib_major_version, glib_minor_version, glib_micro_version,
          distribution ? distribution : "unknown distribution", machine.release, machine.machine,
          g_get_num_processors(), g_get_num_processors() == 1 ? "" : "s");
}

/* ---- the environment ---- */

static int
compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const gchar *const *)a, *(const gchar *const *)b);
}

static gboolean
matters(const gchar *name) {
  static const gchar *const names[] = {"DISPLAY",
                                       "WAYLAND_DISPLAY",
                                       "XDG_DATA_HOME",
                                       "XDG_CACHE_HOME",
                                       "CUDA_VISIBLE_DEVICES",
                                       "CUDA_CACHE_DISABLE",
                                       "LD_LIBRARY_PATH",
                                       "LD_PRELOAD",
                                       "NVIDIA_VISIBLE_DEVICES",
                                       "FAKE_CUDA",
                                       "G_DEBUG",
                                       NULL};
  return g_str_has_prefix(name, "GST_") || g_str_has_prefix(name, "CUDACONV_") ||
         g_strv_contains(names, name);
}

static void
check_variable(Doctor *self, const gchar *name) {
  const gchar *value = g_getenv(name);
  if (strcmp(name, "CUDACONV_REGISTERED_LIMIT") == 0 && *value) {
    guint64 bytes;
    if (!g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT64, &bytes, NULL)) {
      doctor_say(self, DOCTOR_MISSING, "%s=%s: this is no number of bytes", name, value);
      doctor_mend("unset it, or set a whole number such as 1073741824");
      return;
    }
  }
  doctor_say(self, DOCTOR_NOTE, "%s=%s", name, value);
}

void
doctor_check_environment(Doctor *self) {
  guint n = 0;
  doctor_begin("Environment that changes what happens");
  g_auto(GStrv) names = g_listenv();
  qsort(names, g_strv_length(names), sizeof *names, compare_names);
  for (gchar **name = names; *name; name++) {
    if (matters(*name)) {
      check_variable(self, *name);
      n++;
    }
  }
  if (n == 0)
    doctor_say(self, DOCTOR_NOTE, "none is set");
}

/* ---- all ---- */

static void
sum_up(const Doctor *self) {
  g_print("\n");
  if (self->n_broken)
    g_print("cudaconv does not work here: see what is broken above.\n");
  else if (self->n_missing)
    g_print("cudaconv works; %u thing%s missing that not everybody needs.\n", self->n_missing,
            self->n_missing == 1 ? " is" : "s are");
  else
    g_print("cudaconv works, and nothing is missing.\n");
  if (self->packages->len) {
    g_ptr_array_add(self->packages, NULL);
    g_autofree gchar *list = g_strjoinv(" ", (gchar **)self->packages->pdata);
    g_print("On Debian this installs all packages that are missing: apt-get install %s\n", list);
  }
}

static AppStatus
examine(Doctor *self) {
  print_versions();
  const gboolean usable = doctor_check_plugin(self);
  doctor_check_gpu(self);
  if (usable)
    doctor_check_filtering(self);
  doctor_check_elements(self);
  doctor_check_environment(self);
  sum_up(self);
  return self->n_broken ? APP_FAILED : APP_DONE;
}

AppStatus
app_doctor(int argc, char **argv) {
  static const gchar *const backends[] = {"auto", "cuda", "cpu", NULL};
  gint seconds = 60;
  g_autofree gchar *backend = g_strdup("auto"), *question = NULL;
  const GOptionEntry entries[] = {
      {"backend", 0, 0, G_OPTION_ARG_STRING, &backend,
       "The backend that has to work, or the exit status is 1 (auto): auto, cuda, cpu", "NAME"},
      {"timeout", 0, 0, G_OPTION_ARG_INT, &seconds,
       "How long the load of a plugin or the start of a driver may take (60); 1 or more",
       "SECONDS"},
      {"probe", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &question, NULL, NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = app_option_context_new(
      "doctor",
      "Says what is installed, what is missing and how to mend it. Each line has a mark: ok;\n"
      "missing, which some uses need; broken, without which nothing works; - where nothing is "
      "wrong.",
      entries, NULL);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 0, 0, &error);
  if (words && !g_strv_contains(backends, backend))
    error = g_error_new(APP_USAGE_ERROR, 0,
                        "--backend \"%s\": there is no such backend; there are: auto, cuda, cpu",
                        backend);
  else if (words && seconds < 1)
    error = g_error_new(APP_USAGE_ERROR, 0, "--timeout \"%d\": it takes 1 or more", seconds);
  if (error)
    return app_fail("doctor", APP_WRONG_USAGE, error);
  start_gstreamer((guint)seconds);
  if (question)
    return doctor_answer(question) ? APP_DONE : APP_WRONG_USAGE;
  g_autoptr(GPtrArray) packages = g_ptr_array_new();
  Doctor self = {.backend = backend, .seconds = (guint)seconds, .packages = packages};
  return examine(&self);
}
