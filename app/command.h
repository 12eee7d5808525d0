/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The sub-commands of the program `cudaconv`, and what all of them have in common. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* What a sub-command returns, and the program exits with. */
typedef enum {
  APP_DONE = 0,
  APP_FAILED = 1, /* one line on stderr says why and what to do */
  APP_WRONG_USAGE = 2,
} AppStatus;

/* Initializes GStreamer and finds the plugin. A plugin that crashes meanwhile ends no more than
 * GStreamer's scanner. */
void app_start_gstreamer(void);

/* Runs a sub-command. argv[0] is its name. GStreamer has been started, but for the doctor, who
 * looks after that himself. */
typedef AppStatus (*AppRun)(int argc, char **argv);

AppStatus app_apply(int argc, char **argv);
AppStatus app_play(int argc, char **argv);
AppStatus app_plan(int argc, char **argv);
AppStatus app_run(int argc, char **argv);
AppStatus app_status(int argc, char **argv);
AppStatus app_merge(int argc, char **argv);
AppStatus app_explain(int argc, char **argv);
AppStatus app_kernels(int argc, char **argv);
AppStatus app_presets(int argc, char **argv);
AppStatus app_doctor(int argc, char **argv);

/* A parser of the options of sub-command `name`, whose help begins with `summary`. Options are
 * added to its main group, whose callbacks get `user_data`. The caller owns it. */
GOptionContext *app_option_context_new(const gchar *name, const gchar *summary,
                                       const GOptionEntry *entries, gpointer user_data);

/* Parses the options and takes them out of argv, whose rest has to be from `least` to `most`
 * arguments; those are copied into a new array without the sub-command's name. NULL with `error`
 * when something is wrong with them, which is APP_WRONG_USAGE. */
gchar **app_parse_arguments(GOptionContext *context, int argc, char **argv, guint min, guint max,
                            GError **error);

/* Says on stderr what went wrong in sub-command `name`, in one line, and for a wrong usage where
 * help is. */
AppStatus app_fail(const gchar *name, AppStatus status, const GError *error);

/* Ends a sub-command whose result is what it prints: `status`, or APP_FAILED when standard output
 * could not be written. */
AppStatus app_end_output(const gchar *name, AppStatus status);

/* APP_WRONG_USAGE for errors of the command line, APP_FAILED for all others. */
AppStatus app_status_of(const GError *error);

/* Ends the process as the signal would have ended it, so that a loop of a shell ends as well. */
AppStatus app_end_by_signal(gint number);

/* Sets an error of the command line, which is a wrong usage; returns FALSE. */
gboolean app_refuse(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* Errors of the command line. */
#define APP_USAGE_ERROR g_quark_from_static_string("cudaconv-usage")

G_END_DECLS
