/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where things stand in the text of a key file, for messages: GKeyFile itself knows no lines. */

#include <glib.h>

G_BEGIN_DECLS

/* UTF-8 text from `start` to `end`, without zeros in it. `origin` names it in messages. */
typedef struct {
  const gchar *origin;
  const gchar *start, *end;
} CcKeyText;

/* Each returns a place in the text, or NULL. Lines that are blank or comments are passed over, and
 * the text of find_group, find_key and find_value is one that GKeyFile accepts. */

/* Line `n`, counted from 0. */
const gchar *cc_keytext_find_line(const CcKeyText *self, guint n);

/* The first line that GKeyFile would refuse in any group. */
const gchar *cc_keytext_find_fault(const CcKeyText *self);

/* The name in the first header of a group. */
const gchar *cc_keytext_find_group(const CcKeyText *self, const gchar *group);

/* A key of a group, and the value as it is written there: the last, which is the one that counts.
 */
const gchar *cc_keytext_find_key(const CcKeyText *self, const gchar *group, const gchar *key);
const gchar *cc_keytext_find_value(const CcKeyText *self, const gchar *group, const gchar *key);

/* Sets CC_ERROR_INVALID to "ORIGIN:LINE:COLUMN: " and the message, or to "ORIGIN: " and the message
 * where `at` is NULL. Lines and columns count from 1, columns in characters. Returns FALSE. */
gboolean cc_keytext_refuse(const CcKeyText *self, const gchar *at, GError **error,
                           const gchar *format, ...) G_GNUC_PRINTF(4, 5);

G_END_DECLS
