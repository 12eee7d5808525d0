/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Names of numbered images, such as frames/%04d.png. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *before, *after; /* the text around the number */
  guint digits;          /* minimum number of digits; padded with zeros */
} ImageSequence;

/* TRUE if a name contains %d, or %Nd or %0Nd with N from 1 to 9. */
gboolean sequence_is_pattern(const gchar *name);

/* NULL with an error if there is another % in the name, or the number is not in its last component.
 */
ImageSequence *sequence_new(const gchar *pattern, GError **error);
void sequence_free(ImageSequence *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImageSequence, sequence_free)

/* Returns the name of an image. Free it. */
gchar *sequence_name(const ImageSequence *self, guint number);

/* Returns the pattern in the form that GStreamer accepts. Free it. */
gchar *sequence_pattern(const ImageSequence *self);

/* Finds the lowest and the highest number of the existing files. FALSE with an error if there are
 * none, or one in between is missing. */
gboolean sequence_find(const ImageSequence *self, guint *first, guint *last, GError **error);

G_END_DECLS
