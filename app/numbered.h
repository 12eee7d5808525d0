/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Names of numbered pictures, such as frames/%04d.png. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *before, *after; /* the text around the number */
  guint digits;          /* the number has at least so many, with zeros in front */
} Numbered;

/* Whether a name has a place for a number: %d, or %Nd or %0Nd with N from 1 to 9. */
gboolean numbered_is_pattern(const gchar *name);

/* NULL with an error when there is another % in the name, or the number is not in its last part. */
Numbered *numbered_new(const gchar *pattern, GError **error);
void numbered_free(Numbered *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Numbered, numbered_free)

gchar *numbered_name(const Numbered *self, guint number);

/* The pattern in the form that GStreamer takes. */
gchar *numbered_pattern(const Numbered *self);

/* The lowest and the highest number of the files that there are. FALSE when there is none, or one
 * between the two is missing. */
gboolean numbered_find(const Numbered *self, guint *first, guint *last, GError **error);

G_END_DECLS
