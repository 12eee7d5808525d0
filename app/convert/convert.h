/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One input into one output, a video or images, whichever the output is. Of a video the first video
 * stream is decoded, filtered and encoded; audio and subtitles are copied if the container takes
 * them. */

#include "input.h"
#include "options.h"
#include "output.h"
#include "pipelinerun.h"

G_BEGIN_DECLS

/* Runs `filter` over the input and writes the output. FALSE with an error, or without
 * one when a signal ended the run, which is in run->signal. */
gboolean convert(GstElement *filter, const Input *input, Output *output,
                 const ConvertOptions *options, PipelineRun *run, GError **error);

/* A device that stays open while files are filtered one after the other, because opening one takes
 * longer than filtering an image. */
typedef struct {
  GstElement *keeper; /* an element that filters nothing; NULL: there is none */
  gint number;        /* of the CUDA device; -1: none */
} Device;

/* Opens the device that `filter` chooses, which does not filter anything. An error of the filter is
 * not reported: it comes again with the first file, to which it belongs. */
void device_open(Device *self, GstElement *filter);

/* Lets a filter that has not started use the same device. */
void device_use(const Device *self, GstElement *filter);

void device_close(Device *self);

G_END_DECLS
