/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"
#include "text.h"

#include <signal.h>
#include <stdio.h>

AppStatus
app_fail(const gchar *name, AppStatus status, const GError *error) {
  g_autofree gchar *text = text_redact(error->message);
  g_printerr("cudaconv %s: %s\n", name, text);
  if (status == APP_WRONG_USAGE)
    g_printerr("`cudaconv %s --help` lists the options.\n", name);
  return status;
}

AppStatus
app_end_output(const gchar *name, AppStatus status) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  g_printerr("cudaconv %s: the output cannot be written\n", name);
  return APP_FAILED;
}

AppStatus
app_status_of(const GError *error) {
  return error->domain == APP_USAGE_ERROR || error->domain == G_OPTION_ERROR ||
                 error->domain == GST_PARSE_ERROR
             ? APP_WRONG_USAGE
             : APP_FAILED;
}

gboolean
app_refuse(GError **error, const gchar *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *error = g_error_new_valist(APP_USAGE_ERROR, 0, format, arguments);
  va_end(arguments);
  return FALSE;
}

AppStatus
app_end_by_signal(gint number) {
  signal(number, SIG_DFL);
  raise(number);
  return APP_FAILED;
}
