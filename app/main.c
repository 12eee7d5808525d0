/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The program `cudaconv`, for users who do not know GStreamer. This file has the table of
 * sub-commands. */

#include "command.h"
#include "filteroptions.h"
#include "app/convert/media.h"
#include "suggest.h"
#include "text.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const gchar *name, *arguments, *summary;
  AppRun run;
  gboolean starts_by_itself; /* TRUE: the sub-command calls app_start_gstreamer itself */
} commands[] = {
    {"apply", "IN... OUT", "filter videos, images or a camera into files", app_apply, FALSE},
    {"play", "[IN]", "filter in a window, before and after side by side", app_play, FALSE},
    {"measure", "IN", "print figures of each frame: sharpness, edges", app_measure, FALSE},
    {"plan", "IN...", "split a long job into chunks, for many machines", app_plan, FALSE},
    {"run", "JOB", "make one chunk of a job, or all missing ones", app_run, FALSE},
    {"status", "JOB", "show which chunks of a job are made", app_status, FALSE},
    {"merge", "JOB", "check the chunks of a job and join them", app_merge, FALSE},
    {"explain", "", "show what runs for a filter, a format and a frame size", app_explain, FALSE},
    {"kernels", "", "list the kernels", app_kernels, FALSE},
    {"presets", "", "list the presets", app_presets, FALSE},
    {"doctor", "", "report what is installed, what is missing and how to fix it", app_doctor, TRUE},
};

static void
print_help(void) {
  g_print("Usage: cudaconv COMMAND [OPTION...]\n\n"
          "Filters video with a kernel: edges, blur, sharpening. Commands:\n\n");
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
    g_autofree gchar *usage = g_strdup_printf("%s %s", commands[i].name, commands[i].arguments);
    g_print("  %-16s %s\n", usage, commands[i].summary);
  }
  g_print(
      "\n`cudaconv COMMAND --help` lists the options of each, `cudaconv --version` the versions.\n"
      "\n"
      "  cudaconv apply --kernel sobel holiday.mp4 edges.mp4\n"
      "  cudaconv apply --kernel gaussian --sigma 3 photo.jpg soft.jpg\n"
      "  cudaconv play --preset sketch\n");
}

static void
print_version(void) {
  g_autofree gchar *gstreamer = gst_version_string();
  g_print("cudaconv %s, %s\n", VERSION, gstreamer);
}

static int
compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const gchar *const *)a, *(const gchar *const *)b);
}

static AppStatus
refuse_command(const gchar *name) {
  const gchar *names[G_N_ELEMENTS(commands) + 1] = {NULL};
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
    names[i] = commands[i].name;
  qsort(names, G_N_ELEMENTS(commands), sizeof *names, compare_names);
  g_autofree gchar *list = g_strjoinv(", ", (gchar **)names);
  static const gchar *const flags[] = {"--help", "--version", NULL};
  const gboolean is_argument = *name == '-' || g_file_test(name, G_FILE_TEST_EXISTS);
  g_autofree gchar *quoted = text_quote(name);
  g_autofree gchar *meant = suggest_text(name, (gchar **)(*name == '-' ? flags : names));
  if (!*meant && is_argument) {
    g_free(meant);
    meant = g_strdup_printf("; perhaps you mean cudaconv apply %s", quoted);
  }
  g_printerr("cudaconv: there is no command \"%s\"%s; there are: %s\n", name, meant, list);
  return APP_WRONG_USAGE;
}

/* Loads the plugin from a build folder, if GStreamer does not know it yet. The plugin is in
 * ../plugin, relative to this program. */
static void
find_plugin_in_build(void) {
  g_autoptr(GstElementFactory) known = gst_element_factory_find("cudaconv");
  g_autofree gchar *program = g_file_read_link("/proc/self/exe", NULL);
  if (known || !program)
    return;
  g_autofree gchar *folder = g_path_get_dirname(program);
  g_autofree gchar *plugins = g_build_filename(folder, "..", "plugin", NULL);
  gst_registry_scan_path(gst_registry_get(), plugins);
}

void
app_start_gstreamer(void) {
  /* If a plugin crashes GStreamer's scanner process, GStreamer writes to a closed pipe. The signal
   * SIGPIPE would then end this process. */
  void (*const kept)(int) = signal(SIGPIPE, SIG_IGN);
  gst_init(NULL, NULL);
  signal(SIGPIPE, kept);
  find_plugin_in_build();
  /* jpegparse reads the rotation of a photo. In GStreamer 1.22 its rank is none, so decodebin would
   * not use it. */
  g_autoptr(GstElementFactory) jpeg = gst_element_factory_find("jpegparse");
  if (jpeg && gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(jpeg)) == GST_RANK_NONE)
    gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(jpeg), GST_RANK_PRIMARY);
}

static const gchar *
arguments_of(const gchar *name) {
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
    if (strcmp(name, commands[i].name) == 0)
      return commands[i].arguments;
  }
  g_return_val_if_reached("");
}

GOptionContext *
app_option_context_new(const gchar *name, const gchar *summary, const GOptionEntry *entries,
                       gpointer user_data) {
  GOptionContext *context = g_option_context_new(arguments_of(name));
  GOptionGroup *group = g_option_group_new(name, name, name, user_data, NULL);
  g_option_group_add_entries(group, entries);
  g_option_context_set_main_group(context, group);
  g_option_context_set_summary(context, summary);
  return context;
}

/* TRUE if a word has the form PROPERTY=VALUE of a gst-launch line, such as kernel=sobel, and is not
 * the name of a file. */
static gboolean
is_setting(const gchar *word) {
  const gsize name = strspn(word, "abcdefghijklmnopqrstuvwxyz-");
  return name > 0 && word[name] == '=' && !media_of_name(word) && !strchr(word, '/') &&
         !g_file_test(word, G_FILE_TEST_EXISTS);
}

/* If the error is about an unknown option, adds the name of a similar option to its message. */
static void
add_suggestion(GOptionContext *context, GError **error) {
  const gchar *dashes = strstr((*error)->message, "--");
  if (!g_error_matches(*error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || !dashes)
    return;
  g_autofree gchar *help = g_option_context_get_help(context, TRUE, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GRegex) regex = g_regex_new("^ .*?--([a-z-]+)", G_REGEX_MULTILINE, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  for (g_regex_match(regex, help, 0, &match); g_match_info_matches(match);
       g_match_info_next(match, NULL))
    g_ptr_array_add(names, g_match_info_fetch(match, 1));
  g_ptr_array_add(names, NULL);
  g_autofree gchar *word = g_strndup(dashes + 2, strcspn(dashes + 2, "= "));
  const gchar *meant = suggest(word, (const gchar *const *)names->pdata);
  if (!meant || g_str_equal(meant, word))
    return;
  g_autofree gchar *text =
      g_strdup_printf("%s; perhaps you mean --%s%s", (*error)->message, meant,
                      g_str_equal(word, "radius") ? ", which is twice the radius plus 1" : "");
  g_clear_error(error);
  g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION, text);
}

gchar **
app_parse_arguments(GOptionContext *context, int argc, char **argv, guint min, guint max,
                    GError **error) {
  g_auto(GStrv) copy = g_new0(gchar *, argc + 1);
  gboolean has_options = TRUE; /* FALSE after -- */
  for (int i = 0; i < argc; i++) {
    has_options &= strcmp(argv[i], "--") != 0;
    copy[i] = has_options ? filter_options_convert(argv[i]) : g_strdup(argv[i]);
  }
  if (!g_option_context_parse_strv(context, &copy, error)) {
    add_suggestion(context, error);
    return NULL;
  }
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  for (gchar **word = copy + 1; *word; word++) {
    if (strcmp(*word, "--") == 0)
      continue;
    if (is_setting(*word)) {
      g_set_error(error, APP_USAGE_ERROR, 0, "%s: write it as an option: --%s", *word, *word);
      return NULL;
    }
    g_ptr_array_add(words, *word);
  }
  if (words->len < min || words->len > max) {
    const gchar *wanted = arguments_of(argv[0]);
    g_set_error(error, APP_USAGE_ERROR, 0, "expected %s, got %u argument%s",
                *wanted ? wanted : "no argument", words->len, words->len == 1 ? "" : "s");
    return NULL;
  }
  g_ptr_array_add(words, NULL);
  return g_strdupv((gchar **)words->pdata);
}

/* Opens /dev/null for each standard stream that is closed. Otherwise the next file that is opened,
 * such as OUT, would get the descriptor of the standard stream. Messages would then be written into
 * that file. */
static void
open_standard_streams(void) {
  int fd;
  do
    fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close(fd);
}

int
main(int argc, char **argv) {
  open_standard_streams();
  setlocale(LC_ALL, "");
  /* `cudaconv help apply` means `cudaconv apply --help` */
  gchar help[] = "--help";
  gchar *replaced[] = {argv[0], argc > 2 ? argv[2] : NULL, help, NULL};
  if (argc > 2 && strcmp(argv[1], "help") == 0) {
    argv = replaced;
    argc = 3;
  }
  if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help();
    return argc < 2 ? APP_WRONG_USAGE : APP_DONE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    print_version();
    return APP_DONE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      g_autofree gchar *usage = g_strconcat("cudaconv ", argv[1], NULL);
      g_set_prgname(usage); /* GLib begins the help text with this name */
      if (!commands[i].starts_by_itself)
        app_start_gstreamer();
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  return refuse_command(argv[1]);
}
