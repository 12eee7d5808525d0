/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the ending of OUT's name stands for: one table of containers and image formats. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { MEDIA_VIDEO, MEDIA_IMAGE } MediaKind;

/* Encoders as in a gst-launch line; of a list, which ends with NULL, the first that is installed is
 * used. */
typedef struct {
  const gchar *endings[3]; /* of the file's name, with the dot */
  MediaKind kind;
  const gchar *muxer;       /* of a video */
  const gchar *video[3];    /* for samples of 8 bits */
  const gchar *deep[3];     /* for deeper ones; empty: as for 8 bits */
  const gchar *lossless[3]; /* empty: there is none */
  const gchar *audio[4];    /* for audio that the container does not take as it is */
  gboolean can_join;        /* a video is put together from chunks without encoding them again */
} Media;

/* NULL when the ending is not known. Upper and lower case are the same. */
const Media *media_of_name(const gchar *name);

/* Whether a name has the ending of a file that is read: those of the table, and others. */
gboolean media_is_readable(const gchar *name);

/* The endings of the table with which `is` is TRUE (NULL: all), as text. Free it. */
gchar *media_list_endings(gboolean (*is)(const Media *media));
gboolean media_is_video(const Media *self);
gboolean media_is_image(const Media *self);
gboolean media_is_lossless(const Media *self);
gboolean media_is_joinable(const Media *self);

/* The first encoder of a list that is installed, as an element (floating) with a sink and a source
 * pad. NULL when there is none; the error names `what` it was for. */
GstElement *media_new_encoder(const gchar *const *list, const gchar *what, GError **error);

/* Gives an encoder of the table, which has not started, a number of threads of its own where its
 * stream depends on that: the stream is the same then on a machine of 2 cores and one of 64. */
void media_fix_threads(GstElement *encoder);

G_END_DECLS
