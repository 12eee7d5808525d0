/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A film through the filter into a film: video is decoded, filtered and encoded, sound and
 * subtitles are copied where the container takes them. */

#include "conversion.h"

G_BEGIN_DECLS

/* Runs `filter` (floating) over the input and writes output->part. FALSE with an error, or without
 * one when a signal ended it, which the work tells. */
gboolean video_file_make(GstElement *filter, const Input *input, const Output *output,
                         const ConvertOptions *options, PipelineRun *run, ConvertReport *report,
                         GError **error);

G_END_DECLS
