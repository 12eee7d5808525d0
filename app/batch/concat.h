/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The chunks of a video put together without encoding anything again: their packets one after the
 * other, with the times that they had, and the audio and the subtitles of the source. */

#include "app/convert/convert.h"
#include "record.h"

G_BEGIN_DECLS

/* Writes output->file. `records` are those of the source's chunks, in order; a chunk is compared
 * with its hash before it is read. FALSE with an error, or without one when a signal ended the run.
 */
gboolean concat_chunks(const Job *job, const JobSource *source, const GPtrArray *records,
                       const Output *output, PipelineRun *run, GError **error);

G_END_DECLS
