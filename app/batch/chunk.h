/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A chunk of a video: the frames of a time range, filtered and encoded. A chunk with frames
 * consists of two files: a Matroska file without audio, and a text file with the exact times of the
 * packets. */

#include "app/convert/input.h"
#include "app/convert/options.h"
#include "app/convert/pipelinerun.h"
#include "record.h"

G_BEGIN_DECLS

/* The times of a packet in nanoseconds. Matroska rounds them to milliseconds. Decoding times may be
 * negative. */
typedef struct {
  gint64 pts, dts, duration; /* CHUNK_NO_TIME: unknown */
} ChunkPacket;

#define CHUNK_NO_TIME G_MININT64

typedef struct {
  GstClockTime begin, end;       /* `end` is exclusive; GST_CLOCK_TIME_NONE: end of the video */
  const ConvertOptions *options; /* only `encoder` and `lossless` are used */
  const gchar *out;              /* name of OUT; its extension selects the default encoder */
} ChunkRange;

/* Filters and encodes the frames of the range into the file `location`. The same range gives the
 * same bytes on all machines with the same software. But an encoder from --encoder may make other
 * bytes if the number of cores differs. Sets `frames`, `hash`, `caps`, `encoder`, `first`, `before`
 * and `last` of the record, and appends a ChunkPacket for each packet. Returns FALSE with an error,
 * or without an error if a signal ended the run. */
gboolean chunk_encode(Record *record, GArray *packets, GstElement *filter, const Input *input,
                      const ChunkRange *range, const gchar *location, PipelineRun *run,
                      GError **error);

/* Writes the file of times: a line "PTS DTS DURATION" for each packet, with "-" for an unknown
 * time. `pattern`: see atomic_file_begin. */
gboolean chunk_write_times(const GArray *packets, const gchar *path, const gchar *pattern,
                           GError **error);

/* Reads the file of times. Returns NULL with an error if it cannot be read or is damaged. A time
 * before -limit counts as damage. */
GArray *chunk_read_times(const gchar *path, gint64 limit, GError **error);

G_END_DECLS
