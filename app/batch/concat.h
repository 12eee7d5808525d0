/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The pieces of a film put together, without encoding anything again: their packets one after the
 * other, with the times that they had, and the sound and the subtitles of the source. */

#include "app/convert/conversion.h"
#include "job.h"
#include "app/convert/output.h"
#include "record.h"
#include "app/convert/pipelinerun.h"

G_BEGIN_DECLS

/* Writes output->part. `records` are those of the source's pieces, in order; a piece is compared
 * with its hash before it is read. FALSE with an error, or without one when a signal ended it. */
gboolean concat_make(const Job *job, const JobSource *source, const GPtrArray *records,
                     const Output *output, PipelineRun *run, ConvertReport *report, GError **error);

G_END_DECLS
