/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "key_text.h"

#include "engine/error.h"

#include <string.h>

/* A line that is neither blank nor a comment, without the blanks before it. */
typedef struct {
  const gchar *start, *end;
} Line;

static const gchar *
skip_blanks(const gchar *at, const gchar *end) {
  while (at < end && g_ascii_isspace(*at))
    at++;
  return at;
}

static const gchar *
find_line_end(const gchar *at, const gchar *end) {
  const gchar *line_end = at < end ? memchr(at, '\n', (gsize)(end - at)) : NULL;
  return line_end ? line_end : end;
}

static gboolean
get_line(const gchar *at, const gchar *end, Line *line) {
  while ((at = skip_blanks(at, end)) < end && *at == '#')
    at = find_line_end(at, end);
  line->start = at;
  line->end = find_line_end(at, end);
  return at < end;
}

/* Whether GKeyFile accepts the line inside a group. */
static gboolean
is_accepted(const Line *line, const gchar *end) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GString) text = g_string_new("[a]\n");
  const gchar *next = line->end < end ? line->end + 1 : end; /* GKeyFile accepts "\r\n" as well */
  g_string_append_len(text, line->start, next - line->start);
  return g_key_file_load_from_data(file, text->str, text->len, G_KEY_FILE_NONE, NULL);
}

const gchar *
cc_keytext_find_line(const CcKeyText *self, guint n) {
  Line line = {self->start, self->start};
  for (guint i = 0; i <= n; i++)
    if (!get_line(line.end, self->end, &line))
      return NULL;
  return line.start;
}

const gchar *
cc_keytext_find_fault(const CcKeyText *self) {
  for (Line line = {self->start, self->start}; get_line(line.end, self->end, &line);)
    if (!is_accepted(&line, self->end))
      return line.start;
  return NULL;
}

static gboolean
is_text(const gchar *start, const gchar *end, const gchar *text) {
  const gsize length = strlen(text);
  return (gsize)(end - start) == length && memcmp(start, text, length) == 0;
}

static gboolean
is_header(const Line *line, const gchar *group) {
  const gchar *name = line->start + 1;
  const gchar *end = memchr(name, ']', (gsize)(line->end - name));
  return end && is_text(name, end, group);
}

/* The "=" of a line that sets the key, or NULL. */
static const gchar *
get_divider(const Line *line, const gchar *key) {
  const gchar *divider = memchr(line->start, '=', (gsize)(line->end - line->start));
  const gchar *end = divider;
  while (end && end > line->start && g_ascii_isspace(end[-1]))
    end--;
  return end && is_text(line->start, end, key) ? divider : NULL;
}

/* Finds the last line that sets the key. Returns its "=", or NULL. */
static const gchar *
find_divider(const CcKeyText *self, const gchar *group, const gchar *key, Line *found) {
  const gchar *divider = NULL;
  gboolean inside = FALSE;
  for (Line line = {self->start, self->start}; get_line(line.end, self->end, &line);) {
    const gchar *here = inside ? get_divider(&line, key) : NULL;
    if (*line.start == '[') {
      inside = is_header(&line, group);
    } else if (here) {
      divider = here;
      *found = line;
    }
  }
  return divider;
}

const gchar *
cc_keytext_find_group(const CcKeyText *self, const gchar *group) {
  for (Line line = {self->start, self->start}; get_line(line.end, self->end, &line);)
    if (*line.start == '[' && is_header(&line, group))
      return line.start + 1;
  return NULL;
}

const gchar *
cc_keytext_find_key(const CcKeyText *self, const gchar *group, const gchar *key) {
  Line line;
  return find_divider(self, group, key, &line) ? line.start : NULL;
}

const gchar *
cc_keytext_find_value(const CcKeyText *self, const gchar *group, const gchar *key) {
  Line line;
  const gchar *divider = find_divider(self, group, key, &line);
  return divider ? skip_blanks(divider + 1, line.end) : NULL;
}

gboolean
cc_keytext_refuse(const CcKeyText *self, const gchar *at, GError **error, const gchar *format,
                  ...) {
  va_list args;
  va_start(args, format);
  g_autofree gchar *why = g_strdup_vprintf(format, args);
  va_end(args);
  if (!at) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: %s", self->origin, why);
    return FALSE;
  }
  const gchar *line = self->start;
  guint number = 1;
  for (const gchar *next; (next = find_line_end(line, at)) < at; number++)
    line = next + 1;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s:%u:%u: %s", self->origin, number,
              (guint)g_utf8_strlen(line, at - line) + 1, why);
  return FALSE;
}
