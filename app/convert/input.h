/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The input IN: a file, a URI, a camera, or numbered images. */

#include <gst/gst.h>
#include <sys/stat.h>

#include "sequence.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;       /* the text of the command line */
  gchar *path;             /* of a file; NULL if IN is not a file */
  gchar *uri;              /* NULL for numbered images */
  ImageSequence *sequence; /* NULL if IN is not numbered images */
  guint first, last;       /* numbers of the images */
  struct stat at_start;    /* of a file; st_nlink is 0 if IN is not a file */
  GHashTable *files;       /* set of the files of IN; NULL: not built yet */
  guint tiff_depth;        /* bits per sample of a TIFF; GStreamer may read fewer; 0: no TIFF */
  guint tiff_samples;      /* samples per pixel of a TIFF */
} Input;

/* Finds out what `name` is. `name` must live as long as `self`. FALSE if it does not exist, or if
 * numbered images have a gap. Clear `self` also after FALSE. */
gboolean input_init(Input *self, const gchar *name, GError **error);
void input_clear(Input *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Input, input_clear)

/* FALSE if the file was replaced, was removed, or became shorter since input_init. */
gboolean input_check_unchanged(const Input *self, GError **error);

/* TRUE if `path` is the file of IN or one of its numbered images. */
gboolean input_has_file(Input *self, const gchar *path);

/* Returns a new uridecodebin (floating) named "source" that reads the input. All commands open
 * their input with this function, so all of them read the same files. `rate` is the frame rate of
 * numbered images, such as "25/1". With `video_only` other streams are output encoded, so no
 * decoder is needed for them; the caller discards them. NULL with an error if uridecodebin is not
 * installed. */
GstElement *input_new_source(const Input *self, const gchar *rate, gboolean video_only,
                             GError **error);

G_END_DECLS
