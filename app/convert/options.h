/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The options of a conversion: those of `apply`, of `plan`, and of the chunks of a job. */

#include "app/filteroptions.h"
#include "media.h"

G_BEGIN_DECLS

typedef struct {
  FilterOptions *filter; /* the properties of the element */
  gchar *encoder;        /* of the video, as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless, quiet;

  /* Only used by `apply`. */
  GstClockTime start, end; /* times of the input; one image is the frame shown at the start;
                            * an end of GST_CLOCK_TIME_NONE: up to its end */
  gchar *rate;             /* frame rate of numbered images as IN, such as "25/1"; NULL: unused */
  gdouble original;        /* share of each frame that is not filtered, on the left */
} ConvertOptions;

void convert_options_clear(ConvertOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConvertOptions, convert_options_clear)

/* Parses the command line of sub-command `name`: its own options `entries`, and the options of this
 * struct. Returns the other arguments without the name; there must be `min` to `max` of them. NULL
 * with an error if the element is not installed or the command line is wrong. */
gchar **convert_options_parse(ConvertOptions *self, const gchar *name, const gchar *summary,
                              const GOptionEntry *entries, int argc, char **argv, guint min,
                              guint max, GError **error);

/* FALSE with an error if both --lossless and --encoder are given, if `media` has no lossless
 * encoder, or if the text of --encoder is wrong. */
gboolean convert_options_check(const ConvertOptions *self, const Media *media, GError **error);

/* Returns a new encoder (floating) for samples of `depth` bits: that of --encoder, or one of
 * `media`. The error mentions `what` if none is installed. */
GstElement *convert_options_make_encoder(const ConvertOptions *self, const Media *media,
                                         guint depth, const gchar *what, GError **error);

/* Reads a time: 1.5, 90s, 2m, 1h, 1:30 or 1:02:03.5. It must be at least `min` and less than 1e9
 * seconds. A NULL text does not change `*time`. FALSE with an error that mentions `option` and the
 * accepted forms. */
gboolean option_read_time(const gchar *option, const gchar *text, GstClockTime min,
                          GstClockTime *time, GError **error);

/* Reads --split: a share of the width, 0 to 1. A NULL text does not change `*share`. FALSE with an
 * error. */
gboolean option_read_share(const gchar *text, gdouble *share, GError **error);

G_END_DECLS
