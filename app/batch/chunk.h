/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One piece of a film: the frames of a range of its times, filtered and encoded into a Matroska
 * file, without sound. */

#include <gst/gst.h>

#include "app/convert/input.h"
#include "chunkreader.h"
#include "app/convert/video.h"
#include "app/convert/pipelinerun.h"

G_BEGIN_DECLS

typedef struct {
  guint64 frames;             /* that were encoded; 0: the range has none */
  gchar *hash;                /* MD5 of the samples of all of them, as the encoder got them */
  GstClockTime first;         /* time of the first one; GST_CLOCK_TIME_NONE: there is none */
  BoundaryFrame before, last; /* decoded frames at the seams (range.h) */
  gchar *caps;                /* of the encoded stream */
  gchar *encoder;             /* the element's name and version, for people */
  GArray *packets;            /* of PiecePacket, in the order of the file */
} Chunk;

/* The times of a packet in nanoseconds, which Matroska keeps to the millisecond only. Decoding may
 * begin before zero. */
typedef struct {
  gint64 pts, dts, duration; /* PIECE_NO_TIME: there is none */
} ChunkPacket;

#define CHUNK_NO_TIME G_MININT64

void chunk_clear(Chunk *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Chunk, chunk_clear)

/* Runs `filter` (floating) over the frames from `begin` to before `end`, and writes them into the
 * file `location`, which has the same bytes each time. FALSE with an error, or without one when a
 * signal ended it. */
gboolean chunk_make(Chunk *self, GstElement *filter, const Input *input, GstClockTime begin,
                    GstClockTime end, const VideoOptions *options, const gchar *location,
                    PipelineRun *run, GError **error);

G_END_DECLS
