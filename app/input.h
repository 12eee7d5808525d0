/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What IN stands for: a file, a URI, a camera, or numbered pictures. */

#include <gst/gst.h>
#include <sys/stat.h>

#include "numbered.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;    /* as it was given */
  gchar *path;          /* of a file; NULL for what is none */
  gchar *uri;           /* NULL for numbered pictures */
  Numbered *pictures;   /* NULL for all others */
  guint first, last;    /* numbers of the pictures */
  struct stat at_start; /* of a file; st_nlink is 0 for what is none */
  GHashTable *files;    /* what tells those that are read from others; NULL: not asked for yet */
} Input;

/* Finds out what `name` is, which has to live as long as the result. FALSE when there is nothing of
 * that name, or numbered pictures have a gap. Clear it in both cases. */
gboolean input_init(Input *self, const gchar *name, GError **error);
void input_clear(Input *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Input, input_clear)

/* FALSE when the file is another one than at the start, or has become shorter. */
gboolean input_check_unchanged(const Input *self, GError **error);

/* What tells a file from all others, whatever name leads to it, or NULL for one that is not there.
 * Free it. */
gchar *input_identify(const gchar *path);

/* Whether the file, or one of the numbered pictures, is that of the name `path`. */
gboolean input_has_file(Input *self, const gchar *path);

/* For a uridecodebin that is to read the input's URI. */
void input_prepare(const Input *self, GstElement *source);

/* A URI that uridecodebin reads; free it. `rate` is the frame rate of numbered pictures, as "25/1".
 */
gchar *input_get_uri(const Input *self, const gchar *rate);

G_END_DECLS
