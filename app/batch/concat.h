/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Joins the chunks of a video without encoding again. The packets of the chunks follow each other
 * with their exact times. Audio and subtitles are copied from the source. */

#include "app/convert/convert.h"
#include "record.h"

G_BEGIN_DECLS

/* Writes output->file. `records` are the records of the source's chunks, in order. Each chunk is
 * compared with its hash before it is read. Returns FALSE with an error, or without one if a signal
 * ended the run. */
gboolean concat_chunks(const Job *job, const JobSource *source, const GPtrArray *records,
                       const Output *output, PipelineRun *run, GError **error);

G_END_DECLS
