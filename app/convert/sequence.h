/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Names of numbered images, such as frames/%04d.png. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *before, *after; /* the text around the number */
  guint digits;          /* the number has at least so many, with zeros in front */
} ImageSequence;

/* Whether a name has a place for a number: %d, or %Nd or %0Nd with N from 1 to 9. */
gboolean sequence_is_pattern(const gchar *name);

/* NULL with an error when there is another % in the name, or the number is not in its last part. */
ImageSequence *sequence_new(const gchar *pattern, GError **error);
void sequence_free(ImageSequence *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImageSequence, sequence_free)

gchar *sequence_name(const ImageSequence *self, guint number);

/* The pattern in the form that GStreamer takes. */
gchar *sequence_pattern(const ImageSequence *self);

/* The lowest and the highest number of the files that there are. FALSE when there is none, or one
 * between the two is missing. */
gboolean sequence_find(const ImageSequence *self, guint *first, guint *last, GError **error);

G_END_DECLS
