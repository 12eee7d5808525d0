/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What OUT stands for, and how it is written: under another name in the same folder, which becomes
 * OUT's when everything is in it. What was there before stays until then. */

#include <gio/gio.h>

#include "atomicfile.h"
#include "media.h"
#include "sequence.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name; /* as it was given */
  const Media *media;
  ImageSequence *sequence; /* NULL for one file */
  gchar *path;             /* of the file, links followed */
  AtomicFile file;         /* of a video; its writer begins and commits it, as `path` */
} Output;

/* Finds out what `name` is, which has to live as long as the result. FALSE when its ending is not
 * known, its folder is missing, or something else than a file is in its place. Clear it in both
 * cases. */
gboolean output_init(Output *self, const gchar *name, GError **error);

/* Removes what was written and not committed. */
void output_clear(Output *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Output, output_clear)

/* Writes a whole image: the one, or that of a number. */
gboolean output_write(const Output *self, guint number, GBytes *image, GError **error);

G_END_DECLS
