/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "progress.h"
#include "text.h"

#include <unistd.h>

#define TERMINAL_INTERVAL (G_USEC_PER_SEC / 5)
#define LINES_INTERVAL (10 * G_USEC_PER_SEC)
#define MIN_SHARE 0.01 /* below this share the time left cannot be estimated */

void
progress_init(Progress *self, gboolean quiet) {
  const gint64 now = g_get_monotonic_time();
  *self = (Progress){.quiet = quiet, .started = now};
  self->next = now + (isatty(STDERR_FILENO) ? TERMINAL_INTERVAL : LINES_INTERVAL);
}

void
progress_clear(Progress *self) {
  progress_hide(self);
  g_clear_pointer(&self->label, g_free);
}

void
progress_start(Progress *self, const gchar *label, ...) {
  va_list arguments;
  va_start(arguments, label);
  g_autofree gchar *text = g_strdup_vprintf(label, arguments);
  va_end(arguments);
  g_free(self->label);
  self->label = text_redact(text);
  self->started = g_get_monotonic_time();
}

void
progress_hide(Progress *self) {
  if (self->is_live)
    g_printerr("\r\033[K");
  self->is_live = FALSE;
}

gchar *
progress_describe(const ProgressState *state) {
  GString *text = g_string_new(NULL);
  if (state->share >= 0)
    g_string_append_printf(text, "%.0f %%, ", state->share * 100);
  g_string_append_printf(text, "%" G_GUINT64_FORMAT, state->done);
  if (state->total > 0)
    g_string_append_printf(text, " of %" G_GUINT64_FORMAT, state->total);
  g_string_append_printf(text, " %s", state->unit);
  if (state->rate > 0)
    g_string_append_printf(text, ", %.*f a second", state->rate < 10 ? 1 : 0, state->rate);
  if (state->left >= 0) {
    g_autofree gchar *left = text_format_time(state->left);
    g_string_append_printf(text, ", %s left", left);
  }
  return g_string_free(text, FALSE);
}

void
progress_show(Progress *self, gdouble share, guint64 done, guint64 total, const gchar *unit) {
  const gint64 now = g_get_monotonic_time();
  const gboolean is_terminal = isatty(STDERR_FILENO);
  if (self->quiet || done == 0 || now < self->next)
    return;
  if (share < 0 && total > 0)
    share = (gdouble)done / (gdouble)total;
  self->next = now + (is_terminal ? TERMINAL_INTERVAL : LINES_INTERVAL);
  const gdouble seconds = (gdouble)(now - self->started) / G_USEC_PER_SEC;
  const ProgressState state = {share,
                               done,
                               total,
                               unit,
                               seconds > 0 ? (gdouble)done / seconds : 0,
                               share > MIN_SHARE ? seconds * (1 - share) / share : -1};
  g_autofree gchar *text = progress_describe(&state);
  progress_hide(self);
  /* Turn line wrap off while printing, because a wrapped line could not be removed. */
  g_printerr(is_terminal ? "\033[?7l%s: %s\033[?7h" : "%s: %s\n", self->label, text);
  self->is_live = is_terminal;
}
