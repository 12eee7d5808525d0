/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The input IN: a file, a URI, a camera, or numbered images. */

#include <gst/gst.h>
#include <sys/stat.h>

#include "sequence.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;       /* IN as on the command line */
  gchar *path;             /* path of the file; NULL if IN is not a file */
  gchar *uri;              /* URI for uridecodebin; NULL for numbered images */
  ImageSequence *sequence; /* name pattern; NULL if IN is not numbered images */
  guint first, last;       /* numbers of the first and the last image */
  struct stat at_start;    /* state of the file at input_init; st_nlink is 0 if IN is not a file */
  GHashTable *files;       /* set of the files of IN; NULL: not built yet */
  guint tiff_depth;        /* bits per sample of a TIFF, which GStreamer may reduce; 0: no TIFF */
  guint tiff_samples;      /* samples per pixel of a TIFF; 0: no TIFF */
} Input;

/* Finds out if `name` is a file, a URI, a camera or numbered images. `name` must live as long as
 * `self`. FALSE with an error if a file or a camera does not exist, if `name` is a folder, or if
 * a number is missing between numbered images. Other URIs than those of files are not checked.
 * Clear `self` also after FALSE. */
gboolean input_init(Input *self, const gchar *name, GError **error);
void input_clear(Input *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Input, input_clear)

/* FALSE with an error if the file was replaced, removed or shortened since input_init. */
gboolean input_check_unchanged(const Input *self, GError **error);

/* TRUE if `path` is the file of IN, or an image of the numbered images IN. */
gboolean input_has_file(Input *self, const gchar *path);

/* Returns a new uridecodebin (floating) named "source" that reads the input. All sub-commands
 * that read an input use this function, so they decode it in the same way. `rate` is the frame rate
 * of numbered images, such as "25/1". It is not used for other inputs. With `video_only` the source
 * does not decode the streams that are not video, so no decoder is needed for them. The caller must
 * discard these streams. NULL with an error if uridecodebin is not installed. */
GstElement *input_new_source(const Input *self, const gchar *rate, gboolean video_only,
                             GError **error);

G_END_DECLS
