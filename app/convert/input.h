/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What IN stands for: a file, a URI, a camera, or numbered images. */

#include <gst/gst.h>
#include <sys/stat.h>

#include "sequence.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;       /* as it was given */
  gchar *path;             /* of a file; NULL for what is none */
  gchar *uri;              /* NULL for numbered images */
  ImageSequence *sequence; /* NULL for all others */
  guint first, last;       /* numbers of the images */
  struct stat at_start;    /* of a file; st_nlink is 0 for what is none */
  GHashTable *files;       /* identifiers of those that are read; NULL: not asked for yet */
  guint tiff_depth;   /* bits of the samples in a TIFF, of which GStreamer may read fewer; else 0 */
  guint tiff_samples; /* of a pixel of it */
} Input;

/* Finds out what `name` is, which has to live as long as the result. FALSE when there is nothing of
 * that name, or numbered images have a gap. Clear it in both cases. */
gboolean input_init(Input *self, const gchar *name, GError **error);
void input_clear(Input *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Input, input_clear)

/* FALSE when the file is another one than at the start, or has become shorter. */
gboolean input_check_unchanged(const Input *self, GError **error);

/* Whether the file, or one of the numbered images, is that of the name `path`. */
gboolean input_has_file(Input *self, const gchar *path);

/* A new uridecodebin (floating) named "source" that reads the input. `rate` is the frame rate of
 * numbered images, as "25/1". Streams other than video leave it as they are in the container if
 * `video_only` is set, so that no decoder is needed for them; its user discards them. All commands
 * open their input with this, so that all of them read the same files. NULL if uridecodebin is not
 * installed. */
GstElement *input_new_source(const Input *self, const gchar *rate, gboolean video_only,
                             GError **error);

G_END_DECLS
