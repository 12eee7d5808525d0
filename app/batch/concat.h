/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Joins the chunks of a video without encoding again. The packets of all chunks are written in
 * order, with their exact times. Audio and subtitles are copied from the source. */

#include "app/convert/convert.h"
#include "record.h"

G_BEGIN_DECLS

/* Writes output->file. `records` are the records of the source's chunks, in order. The files of
 * each chunk are compared with their hashes before they are read. Returns FALSE with an error, or
 * without an error if a signal ended the run. */
gboolean concat_chunks(const Job *job, const JobSource *source, const GPtrArray *records,
                       const Output *output, PipelineRun *run, GError **error);

G_END_DECLS
