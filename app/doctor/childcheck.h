/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Checks that may crash or hang. Each runs in a child process, which is this program again. */

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Starts GStreamer. Its scanner, which loads the plugins, is ended when it does not end within
 * `seconds`; GStreamer leaves out the plugin that hangs then. */
void child_start_gstreamer(guint seconds);

/* Runs a check of `subject`, a noun such as "the driver", in a child process, and sets members of
 * `result`:
 *
 *   load:FILE       GStreamer loads the plugin FILE
 *   filter:BACKEND  the element filters one frame; sets "runs", "device" and "reason"
 *   driver          CUDA's driver counts its devices; sets "driver" and the array "devices"
 *
 * "error" is set when the check fails. A crash of the child is an error, also after its check, and
 * so is a hang, which is one after `seconds`. */
void child_check(JsonObject *result, const gchar *check, const gchar *subject, guint seconds);

/* Is the child process: does the check and writes the result into a pipe, which is descriptor 3.
 * FALSE when there is no such check, or nobody reads. */
gboolean child_reply(const gchar *check);

/* Sets a member to a text. Bytes of it that are not UTF-8, which JSON cannot have, are replaced. */
void child_set_text(JsonObject *result, const gchar *member, const gchar *format, ...)
    G_GNUC_PRINTF(3, 4);

G_END_DECLS
