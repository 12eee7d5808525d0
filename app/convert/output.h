/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The output OUT. Its files are atomic, so an older OUT is kept until the new one is complete. */

#include <gio/gio.h>

#include "atomicfile.h"
#include "media.h"
#include "sequence.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name; /* OUT as on the command line */
  const Media *media;
  ImageSequence *sequence; /* name pattern of numbered images; NULL for one file */
  gchar *path;     /* path of OUT with links resolved; for numbered images, name of image 1 */
  AtomicFile file; /* only for a video; convert() begins and commits it */
} Output;

/* Returns the path of an output file: what symbolic links lead to. NULL with an error if its folder
 * does not exist, or if it exists and is not a file. */
gchar *output_find_path(const gchar *name, GError **error);

/* Finds out if `name` is a video, an image or numbered images. `name` must live as long as `self`.
 * FALSE with an error if the extension is unknown, if the folder of OUT does not exist, or if
 * `name` exists and is not a file. Clear `self` also after FALSE. */
gboolean output_init(Output *self, const gchar *name, GError **error);

/* Removes the temporary file if it was not committed. */
void output_clear(Output *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Output, output_clear)

/* Writes the encoded `image` to OUT, or to the file with `number` if OUT is numbered images. FALSE
 * with an error if writing fails. */
gboolean output_write(const Output *self, guint number, GBytes *image, GError **error);

G_END_DECLS
