/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One input into one output, video or images, whichever the output is. */

#include "conversion.h"

G_BEGIN_DECLS

/* Runs `filter` (floating) over the input and writes the output. FALSE with an error, or without
 * one when a signal ended it, which the work tells. */
gboolean convert(GstElement *filter, const Input *input, Output *output,
                 const ConvertOptions *options, PipelineRun *run, ConvertReport *report,
                 GError **error);

G_END_DECLS
