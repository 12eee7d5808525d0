/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Converts one input into one output, a video or images. The first video stream is decoded,
 * filtered and encoded. If the output is a video, audio and subtitles are kept if its container
 * supports them. */

#include "input.h"
#include "options.h"
#include "output.h"
#include "pipelinerun.h"

G_BEGIN_DECLS

/* Filters the input and writes the output. FALSE with an error, or without an error if a signal
 * ended the run; then run->signal is set. */
gboolean convert(GstElement *filter, const Input *input, Output *output,
                 const ConvertOptions *options, PipelineRun *run, GError **error);

/* Keeps a device open while files are filtered one after another, because opening a device takes
 * longer than filtering an image. */
typedef struct {
  GstElement *anchor; /* element that keeps the device open; gets no frames; NULL: none */
  gint number;        /* number of the CUDA device; -1: none */
} Device;

/* Opens the device that `filter` chooses. `filter` becomes the anchor and must not get frames. An
 * error of the filter is ignored here: the first file reports the same error. */
void device_open(Device *self, GstElement *filter);

/* Makes `filter` use the device of `self`. `filter` must not have started yet. */
void device_use(const Device *self, GstElement *filter);

void device_close(Device *self);

G_END_DECLS
