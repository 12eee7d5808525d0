/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Checks that may crash or hang. Each check runs this program again as a child process. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Initialises GStreamer. Kills GStreamer's scanner, a child process that loads the plugins, if it
 * runs longer than `seconds`. GStreamer then continues without the plugin that hangs. If a plugin
 * hangs in this process instead, ends the process. */
void child_start_gstreamer(guint seconds);

/* Runs a check in a child process and sets members of `result`. `subject` is a noun for messages,
 * such as "the driver". The checks are
 *
 *   load:FILE       GStreamer loads the plugin FILE
 *   filter:BACKEND  the element filters one frame; sets "runs", "device" and "reason"
 *   driver          CUDA's driver counts its devices; sets "driver" and the array "devices"
 *
 * "error" is set if the check fails. A crash of the child is a failure, even after the check has
 * passed. A child that runs longer than `seconds` counts as hung. */
void child_check(JsonObject *result, const gchar *check, const gchar *subject, guint seconds);

/* The code of the child process: runs the check and writes the result into a pipe, descriptor 3.
 * Returns FALSE if there is no such check or the pipe is closed. */
gboolean child_reply(const gchar *check);

/* Sets a member of `result` to a text. Replaces the bytes of the text that are not UTF-8, because
 * JSON is UTF-8. */
void child_set_text(JsonObject *result, const gchar *member, const gchar *format, ...)
    G_GNUC_PRINTF(3, 4);

G_END_DECLS
