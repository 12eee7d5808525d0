/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Finds positions in the text of a key file, for messages, because GKeyFile does not report lines.
 */

#include <glib.h>

G_BEGIN_DECLS

/* UTF-8 text from `start` to `end`, without zero bytes. `origin` names the text in messages. */
typedef struct {
  const gchar *origin;
  const gchar *start, *end;
} CcKeyText;

/* The find functions return a position in the text, or NULL. They skip blank lines and comments.
 * find_group, find_key and find_value need a text that GKeyFile accepts. */

/* Line `n`, counted from 0. */
const gchar *cc_keytext_find_line(const CcKeyText *self, guint n);

/* The first line that GKeyFile refuses even inside a group. */
const gchar *cc_keytext_find_fault(const CcKeyText *self);

/* The name in the first header of a group. */
const gchar *cc_keytext_find_group(const CcKeyText *self, const gchar *group);

/* A key of a group, or its value as written. If the key occurs several times, the last one counts.
 */
const gchar *cc_keytext_find_key(const CcKeyText *self, const gchar *group, const gchar *key);
const gchar *cc_keytext_find_value(const CcKeyText *self, const gchar *group, const gchar *key);

/* Sets CC_ERROR_INVALID with "ORIGIN:LINE:COLUMN: " before the message, or "ORIGIN: " if `at` is
 * NULL. Lines and columns count from 1, columns in characters. Returns FALSE. */
gboolean cc_keytext_refuse(const CcKeyText *self, const gchar *at, GError **error,
                           const gchar *format, ...) G_GNUC_PRINTF(4, 5);

G_END_DECLS
