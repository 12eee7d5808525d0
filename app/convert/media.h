/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The table of containers and image formats, by the ending of a file name. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { MEDIA_VIDEO, MEDIA_IMAGE } MediaKind;

/* Encoders are descriptions as in a gst-launch line. The first encoder of a list that is installed
 * is used. Lists end with NULL. */
typedef struct {
  const gchar *endings[3]; /* of file names, with the dot */
  MediaKind kind;
  const gchar *muxer;       /* of a video; NULL for images */
  const gchar *video[3];    /* encoders of samples of 8 bits */
  const gchar *deep[3];     /* encoders of deeper samples; empty: as for 8 bits */
  const gchar *lossless[3]; /* lossless encoders; empty: there is none */
  const gchar *audio[4];    /* encoders of audio that the container cannot hold as it is */
  gboolean can_join;        /* chunks of video can be concatenated without encoding them again */
} Media;

/* Returns NULL if the ending is not known. Upper and lower case are the same. */
const Media *media_of_name(const gchar *name);

/* TRUE if a name has the ending of a file that can be read: one of the table, or of some others. */
gboolean media_is_readable(const gchar *name);

/* Returns the endings of the media for which `is` returns TRUE (NULL: of all), as text. Free it. */
gchar *media_list_endings(gboolean (*is)(const Media *media));
gboolean media_is_video(const Media *self);
gboolean media_is_image(const Media *self);
gboolean media_is_lossless(const Media *self);
gboolean media_is_joinable(const Media *self);

/* Returns the first encoder of a list that is installed, as a bin (floating) with a sink and a
 * source pad. NULL if none is installed; the error says that `what` needs the encoder. */
GstElement *media_new_encoder(const gchar *const *list, const gchar *what, GError **error);

/* Sets a fixed number of threads on an encoder of the table whose output depends on that number, so
 * that the output is the same on 2 cores and on 64. The encoder must not have started. */
void media_fix_threads(GstElement *encoder);

G_END_DECLS
