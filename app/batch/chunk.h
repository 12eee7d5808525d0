/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A chunk of a video: the frames of a range of its times, filtered and encoded into a Matroska file
 * without audio, and a file with the exact times of its packets. */

#include "app/convert/input.h"
#include "app/convert/options.h"
#include "app/convert/pipelinerun.h"
#include "record.h"

G_BEGIN_DECLS

/* The times of a packet in nanoseconds, which Matroska keeps to the millisecond only. Decoding may
 * begin before zero. */
typedef struct {
  gint64 pts, dts, duration; /* CHUNK_NO_TIME: there is none */
} ChunkPacket;

#define CHUNK_NO_TIME G_MININT64

/* The range of times of a chunk, and its encoder. */
typedef struct {
  GstClockTime begin, end; /* `end` is not in it; GST_CLOCK_TIME_NONE: the rest of the video */
  const ConvertOptions *options; /* encoder and lossless */
  const gchar *out;              /* the name of OUT, whose encoder is used */
} ChunkRange;

/* Runs `filter` over the frames of the range, and writes them into the file `location`,
 * which has the same bytes each time. Fills the record's frames, hash, caps, encoder, first, before
 * and last, and appends to `packets` (of ChunkPacket). FALSE with an error, or without one when a
 * signal ended the run. */
gboolean chunk_encode(Record *record, GArray *packets, GstElement *filter, const Input *input,
                      const ChunkRange *range, const gchar *location, PipelineRun *run,
                      GError **error);

/* The file of times: "PTS DTS DURATION" on a line for each packet, "-" for none. `pattern`: see
 * atomic_file_write. */
gboolean chunk_write_times(const GArray *packets, const gchar *path, const gchar *pattern,
                           GError **error);

/* Reads it. NULL with an error when it cannot be read or is damaged. No time is before
 * -limit. */
GArray *chunk_read_times(const gchar *path, gint64 limit, GError **error);

G_END_DECLS
