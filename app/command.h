/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The sub-commands of the program `cudaconv`, and the functions that all of them share. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* The result of a sub-command, which is the exit status of the program. */
typedef enum {
  APP_DONE = 0,
  APP_FAILED = 1, /* messages on stderr or the report of `doctor` give the reason */
  APP_WRONG_USAGE = 2,
} AppStatus;

/* Initialises GStreamer and finds the plugin. GStreamer loads new plugins in a separate process,
 * its scanner. A plugin that crashes there does not end this process. */
void app_start_gstreamer(void);

/* Runs a sub-command. argv[0] is its name. GStreamer is initialised, except for `doctor`, which
 * calls app_start_gstreamer itself. */
typedef AppStatus (*AppRun)(int argc, char **argv);

AppStatus app_apply(int argc, char **argv);
AppStatus app_play(int argc, char **argv);
AppStatus app_measure(int argc, char **argv);
AppStatus app_plan(int argc, char **argv);
AppStatus app_run(int argc, char **argv);
AppStatus app_status(int argc, char **argv);
AppStatus app_merge(int argc, char **argv);
AppStatus app_explain(int argc, char **argv);
AppStatus app_kernels(int argc, char **argv);
AppStatus app_presets(int argc, char **argv);
AppStatus app_doctor(int argc, char **argv);

/* Returns a parser for the options of sub-command `name`. The help begins with `summary`. Callers
 * may add more options to the main group. The callbacks of these options get `user_data`. Free the
 * parser. */
GOptionContext *app_option_context_new(const gchar *name, const gchar *summary,
                                       const GOptionEntry *entries, gpointer user_data);

/* Parses the options and returns the other arguments as a new array, without the name of the
 * sub-command. The command line must have at least `min` and at most `max` other arguments. Returns
 * NULL with an error if the command line is wrong (APP_WRONG_USAGE). */
gchar **app_parse_arguments(GOptionContext *context, int argc, char **argv, guint min, guint max,
                            GError **error);

/* Prints the error of sub-command `name` on stderr, in one line, and returns `status`. If `status`
 * is APP_WRONG_USAGE, a second line points to --help. */
AppStatus app_fail(const gchar *name, AppStatus status, const GError *error);

/* Flushes standard output at the end of a sub-command that only prints. Returns `status`, or
 * APP_FAILED if standard output could not be written. */
AppStatus app_end_output(const gchar *name, AppStatus status);

/* Returns APP_WRONG_USAGE for errors of the command line and APP_FAILED for all other errors. */
AppStatus app_status_of(const GError *error);

/* Ends the process by the default action of signal `number`. A shell script that runs the program
 * in a loop then ends the loop too. */
AppStatus app_end_by_signal(gint number);

/* Sets an error of domain APP_USAGE_ERROR and returns FALSE. */
gboolean app_refuse(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* The GError domain for errors of the command line. */
#define APP_USAGE_ERROR g_quark_from_static_string("cudaconv-usage")

G_END_DECLS
