/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One input into one output, film or pictures, whichever the output is. */

#include "film.h"
#include "input.h"
#include "output.h"
#include "work.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *encoder; /* of the video, as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless;
  GstClockTime start, end; /* of the input; one picture is the frame that is shown at the start;
                            * end: GST_CLOCK_TIME_NONE: all of it */
  const gchar *rate;       /* of numbered pictures that are read, as "25/1" */
} ConvertOptions;

/* Runs `filter` (floating) over the input and writes the output. FALSE with an error, or without
 * one when a signal ended it, which the work tells. */
gboolean convert(GstElement *filter, const Input *input, Output *output,
                 const ConvertOptions *options, Work *work, FilmReport *report, GError **error);

G_END_DECLS
