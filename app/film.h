/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A film through the filter into a film: video is decoded, filtered and encoded, sound and
 * subtitles are copied where the container takes them. */

#include <gst/gst.h>

#include "input.h"
#include "work.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *encoder; /* of the video, as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless;
  GstClockTime start, end; /* of the input; end: GST_CLOCK_TIME_NONE: all of it */
  const gchar *rate;       /* of numbered pictures, as "25/1" */
} FilmOptions;

typedef struct {
  gchar *codec; /* of its video, for people; NULL: it has none */
  gchar *sound; /* what became of the sound; empty: there was none */
} FilmReport;

void film_report_clear(FilmReport *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FilmReport, film_report_clear)

/* Runs `filter` (floating) over the input and writes output->part. FALSE with an error, or without
 * one when a signal ended it, which the work tells. */
gboolean film_make(GstElement *filter, const Input *input, const Output *output,
                   const FilmOptions *options, Work *work, FilmReport *report, GError **error);

G_END_DECLS
