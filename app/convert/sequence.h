/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Names of numbered images, such as frames/%04d.png. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *before, *after; /* text of the name before and after the number */
  guint digits;          /* minimum number of digits; shorter numbers are padded with zeros */
} ImageSequence;

/* TRUE if a name contains %d, or %Nd or %0Nd with N from 1 to 9. */
gboolean sequence_is_pattern(const gchar *name);

/* Parses a pattern. NULL with an error if the pattern has a second %, or if the number is not in
 * the last component of the path. */
ImageSequence *sequence_new(const gchar *pattern, GError **error);
void sequence_free(ImageSequence *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImageSequence, sequence_free)

/* Returns the name of an image. Free it. */
gchar *sequence_name(const ImageSequence *self, guint number);

/* Returns the pattern in the form that GStreamer accepts. Free it. */
gchar *sequence_pattern(const ImageSequence *self);

/* Finds the lowest and the highest number of the existing files. FALSE with an error if no file
 * exists, or if a file between the lowest and the highest number is missing. */
gboolean sequence_find(const ImageSequence *self, guint *first, guint *last, GError **error);

G_END_DECLS
