/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The output OUT. It is written to a temporary file in the same folder, which is renamed to OUT
 * when it is complete. An older OUT is kept until then. */

#include <gio/gio.h>

#include "atomicfile.h"
#include "media.h"
#include "sequence.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name; /* the text of the command line */
  const Media *media;
  ImageSequence *sequence; /* NULL for one file */
  gchar *path;             /* of the file, with links followed; of sequences, the first file */
  AtomicFile file;         /* of a video; its writer begins it and commits it as `path` */
} Output;

/* Finds out what `name` is. `name` must live as long as `self`. FALSE if its ending is not known,
 * its folder does not exist, or it exists and is not a file. Clear `self` also after FALSE. */
gboolean output_init(Output *self, const gchar *name, GError **error);

/* Removes the temporary file if it was not committed. */
void output_clear(Output *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Output, output_clear)

/* Writes a whole image: the only one, or image `number` of the sequence. */
gboolean output_write(const Output *self, guint number, GBytes *image, GError **error);

G_END_DECLS
