/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The options of a conversion: used by `apply`, by `plan`, and for the chunks of a job. */

#include "app/filteroptions.h"
#include "input.h"
#include "media.h"

G_BEGIN_DECLS

typedef struct {
  FilterOptions *filter; /* options that set the properties of the element */
  gchar *encoder;        /* text of --encoder; NULL: the encoder of the table in media.c */
  gboolean lossless, quiet;

  /* Chosen only by users of `apply`. All other sub-commands convert whole inputs. A single image is
   * the frame shown at `start`. */
  GstClockTime start, end; /* nanoseconds; end GST_CLOCK_TIME_NONE: to the end of the input */
  gchar *rate;             /* frame rate if IN is numbered images, such as "25/1"; NULL: unused */
  gdouble original;        /* share of the width, on the left, that is not filtered; 0 to 1 */
} ConvertOptions;

void convert_options_clear(ConvertOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConvertOptions, convert_options_clear)

/* Parses the command line of sub-command `name`: its own options `entries`, and the options of this
 * struct. Returns the other arguments without the name; their number must be from `min` to `max`.
 * NULL with an error if the element is not installed or the command line is wrong. */
gchar **convert_options_parse(ConvertOptions *self, const gchar *name, const gchar *summary,
                              const GOptionEntry *entries, int argc, char **argv, guint min,
                              guint max, GError **error);

/* FALSE with an error if both --lossless and --encoder are given, if `media` has no lossless
 * encoder, or if the text of --encoder is wrong. */
gboolean convert_options_check(const ConvertOptions *self, const Media *media, GError **error);

/* Returns a new encoder (floating) for samples of `depth` bits: the encoder of --encoder, or an
 * encoder of `media` if there is no --encoder. The error mentions `what` if none is installed. */
GstElement *convert_options_make_encoder(const ConvertOptions *self, const Media *media,
                                         guint depth, const gchar *what, GError **error);

/* Reads a time: 1.5, 90s, 2m, 1h, 1:30 or 1:02:03.5. It must be at least `min` and less than 1e9
 * seconds. A NULL `text` leaves `*time` unchanged. FALSE with an error that mentions `option` and
 * the accepted forms. */
gboolean option_read_time(const gchar *option, const gchar *text, GstClockTime min,
                          GstClockTime *time, GError **error);

/* The texts of the options --start, --end and --seconds; NULL: not given. */
typedef struct {
  const gchar *start, *end, *seconds;
} OptionPart;

/* Reads the part of the input. Times that are not given leave `*start` and `*end` unchanged. FALSE
 * with an error if a text is wrong, or if the part is empty. */
gboolean option_read_part(const OptionPart *part, GstClockTime *start, GstClockTime *end,
                          GError **error);

/* Reads --framerate, as the rate of numbered images. A NULL `text` means 25. Free the rate. FALSE
 * with an error if the text is wrong. */
gboolean option_read_rate(const gchar *text, gchar **rate, GError **error);

/* FALSE with an error if --framerate is given and the input is not numbered images. */
gboolean option_check_rate(const gchar *text, const Input *input, GError **error);

/* Reads --split: a share of the width, 0 to 1. A NULL `text` leaves `*share` unchanged. FALSE with
 * an error if the text is wrong. */
gboolean option_read_share(const gchar *text, gdouble *share, GError **error);

G_END_DECLS
