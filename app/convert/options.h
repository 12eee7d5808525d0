/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The options that say how an input becomes an output: those of `apply`, of `plan`, and of the
 * chunks of a job. */

#include "app/filteroptions.h"
#include "media.h"

G_BEGIN_DECLS

typedef struct {
  FilterOptions *filter; /* the properties of the element */
  gchar *encoder;        /* of the video, as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless, quiet;

  /* Of `apply` alone. */
  GstClockTime start, end; /* of the input; one image is the frame that is shown at the start;
                            * end: GST_CLOCK_TIME_NONE: all of it */
  gchar *rate;             /* of numbered images that are read, as "25/1"; NULL: there are none */
  gdouble original;        /* share of each frame that stays as it was, on the left; 0: none */
} ConvertOptions;

void convert_options_clear(ConvertOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConvertOptions, convert_options_clear)

/* Parses the command line of sub-command `name`: `entries`, which are its own, and the options of
 * this struct. The other words, from `min` to `max` of them, are returned without the name. NULL
 * with an error when the element is not installed or the command line is wrong. */
gchar **convert_options_parse(ConvertOptions *self, const gchar *name, const gchar *summary,
                              const GOptionEntry *entries, int argc, char **argv, guint min,
                              guint max, GError **error);

/* FALSE with an error when --lossless and --encoder exclude each other, or `media` has no lossless
 * encoder, or the text of --encoder is wrong. */
gboolean convert_options_check(const ConvertOptions *self, const Media *media, GError **error);

/* A new encoder (floating) for samples of `depth` bits: the one of --encoder, or one of the media.
 * `what` is named in the error if none is installed. */
GstElement *convert_options_make_encoder(const ConvertOptions *self, const Media *media,
                                         guint depth, const gchar *what, GError **error);

/* Reads 1.5, 90s, 2m, 1h, 1:30 or 1:02:03.5, of `least` or more and less than 1e9 seconds. A NULL
 * text leaves `*time` as it is. FALSE with an error that names `option` and the accepted forms. */
gboolean option_read_time(const gchar *option, const gchar *text, GstClockTime min,
                          GstClockTime *time, GError **error);

/* Reads --split: a share of the width, 0 to 1. A NULL text leaves `*share` as it is. FALSE with an
 * error. */
gboolean option_read_share(const gchar *text, gdouble *share, GError **error);

G_END_DECLS
