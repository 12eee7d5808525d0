/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Lists of positions and rectangles in options. */

#include <glib.h>

G_BEGIN_DECLS

#define CC_MAX_TUPLES 256
#define CC_MAX_TUPLE_SIZE 4

/* Up to CC_MAX_TUPLES tuples of whole numbers, which are 0 or more. Unused numbers are 0. */
typedef struct {
  guint n; /* number of tuples */
  gint number[CC_MAX_TUPLES][CC_MAX_TUPLE_SIZE];
} CcTuples;

/* Reads tuples of `size` numbers from a text such as "10, 20, 300, 200; 400, 20, 300, 200". Blanks
 * or commas separate numbers, and semicolons or new lines separate tuples. The text of an array of
 * GStreamer is accepted too: "<10, 20, 300, 200>". CC_ERROR_INVALID if the text has something
 * else. */
gboolean cc_tuples_parse(CcTuples *self, guint size, const gchar *text, GError **error);

/* Adds number `i` of the last tuple. The first number of a tuple begins the tuple. */
gboolean cc_tuples_append(CcTuples *self, guint size, guint i, gint number, GError **error);

/* Set an error about a text or a value that is no tuple of `size` numbers, or about a tuple of `n`
 * numbers. They return FALSE. */
gboolean cc_tuples_refuse(guint size, const gchar *what, GError **error);
gboolean cc_tuples_refuse_length(guint size, guint n, GError **error);

/* The tuples as the text of an array of GStreamer: "<10, 20>", or "<<10, 20>, <30, 40>>" for
 * several tuples. The caller frees it. */
gchar *cc_tuples_to_text(const CcTuples *self, guint size);

G_END_DECLS
