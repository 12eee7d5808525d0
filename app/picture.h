/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pictures through the filter into pictures: one, or numbered ones; also those of a film. */

#include <gst/gst.h>

#include "input.h"
#include "work.h"
#include "output.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *encoder; /* as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless;
  GstClockTime start, end; /* of the input; one picture is the frame that is shown at the start;
                            * end: GST_CLOCK_TIME_NONE: all of it */
  const gchar *rate;       /* of numbered pictures that are read, as "25/1" */
} PictureOptions;

/* Runs `filter` (floating) over the input and writes the output. FALSE with an error, or without
 * one when a signal ended it, which the work tells; pictures that were written by then stay. */
gboolean picture_make(GstElement *filter, const Input *input, const Output *output,
                      const PictureOptions *options, Work *work, GError **error);

G_END_DECLS
