/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pictures through the filter into pictures: one, or numbered ones; also those of a film. */

#include "conversion.h"

G_BEGIN_DECLS

/* Runs `filter` (floating) over the input and writes the output. FALSE with an error, or without
 * one when a signal ended it, which the work tells; pictures that were written by then stay. */
gboolean image_make(GstElement *filter, const Input *input, const Output *output,
                    const ConvertOptions *options, PipelineRun *run, GError **error);

G_END_DECLS
