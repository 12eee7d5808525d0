/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The table of containers and image formats. The extension of a file name selects an entry. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { MEDIA_VIDEO, MEDIA_IMAGE } MediaKind;

/* Encoders are descriptions as in a gst-launch line. The first encoder of a list that is installed
 * is used. Lists end with NULL. */
typedef struct {
  const gchar *endings[3]; /* file name extensions, with the dot */
  MediaKind kind;
  const gchar *muxer;       /* name of the muxer element; NULL for images */
  const gchar *video[3];    /* encoders for 8 bits per sample */
  const gchar *deep[3];     /* encoders for more than 8 bits per sample; empty: `video` is used */
  const gchar *lossless[3]; /* lossless encoders; empty: there is none */
  const gchar *audio[4];    /* encoders for audio that the container cannot hold unchanged */
  gboolean can_join; /* TRUE: chunks of a video can be concatenated without encoding them again */
} Media;

/* NULL if the extension of `name` is not known. Upper and lower case are the same. */
const Media *media_of_name(const gchar *name);

/* TRUE if files with the extension of `name` can be read. Some of these files cannot be written. */
gboolean media_is_readable(const gchar *name);

/* Returns the extensions of all entries for which `is` returns TRUE, separated by spaces. With a
 * NULL `is`, returns those of all entries. Free the text. */
gchar *media_list_endings(gboolean (*is)(const Media *media));
gboolean media_is_video(const Media *self);
gboolean media_is_image(const Media *self);
gboolean media_is_lossless(const Media *self);
gboolean media_is_joinable(const Media *self);

/* Returns the first encoder of a list that is installed, as a bin (floating) with a sink and a
 * source pad. NULL if none is installed; the error says that `what` needs the encoder. */
GstElement *media_new_encoder(const gchar *const *list, const gchar *what, GError **error);

/* Sets a fixed number of threads on encoders whose output depends on the number of threads. So the
 * output is the same on 2 cores and on 64. The encoder must not have started. */
void media_fix_threads(GstElement *encoder);

G_END_DECLS
