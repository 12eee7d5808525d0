/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reads the frames of a video in a time range. These frames become one chunk of a job. The ranges
 * of a video do not overlap, so each frame is in exactly one chunk.
 *
 * The video file is not cut, because an encoded stream cannot be cut at every frame. The reader
 * seeks to some seconds before the range, decodes from there, and drops the frames outside the
 * range. So the result does not depend on the positions of key frames. */

#include <gst/gst.h>

#include "app/convert/pipelinerun.h"

G_BEGIN_DECLS

/* The first seek goes this far before the range. Each further seek goes back 10 times as far. */
#define CHUNK_MARGIN (2 * GST_SECOND)

/* The advice in error messages for a video that cannot be split into chunks. */
#define CHUNK_REMEDY                                                                               \
  "copy it into a Matroska file first (ffmpeg -i IN -map 0:v -map '0:a?' -c copy IN.mkv), or "     \
  "filter it as a whole, with --files 1 or with `cudaconv apply`"

/* A decoded frame, before the filter. */
typedef struct {
  GstClockTime time; /* GST_CLOCK_TIME_NONE: no frame */
  gchar *hash;       /* hash of the frame's samples */
} BoundaryFrame;

void boundary_frame_clear(BoundaryFrame *self);

typedef struct {
  GstClockTime begin, end; /* the range; `end` is exclusive */
  guint64 frames;          /* number of frames in the range */
  GstClockTime first;      /* time of the first frame; GST_CLOCK_TIME_NONE: no frame */

  /* The boundary frames: the last frame before the range, and the last frame of the range. `last`
   * of a chunk has to equal `before` of the next chunk. If they are equal, both chunks decoded the
   * same frame at their boundary, so no frame is missing or in both chunks. */
  BoundaryFrame before, last;

  /* How far before `begin` the next seek goes. CHUNK_MARGIN by default. The caller may change it
   * after reader_init. If the margin is `begin` or larger, the reader does not seek. */
  GstClockTime margin;

  /* Private. */
  PipelineRun *run;
  GstElement *source;
  GstPad *pad;
  GstSegment segment;
  GstBuffer *recent; /* the latest frame */
  GstCaps *caps;
  GstClockTime origin;          /* stream time of the start of the video; may be later than 0 */
  GstClockTime start, previous; /* target of the seek; time of the latest frame */
  guint n_before;               /* frames before the range since the last seek */
  gint state;
} ChunkReader;

void reader_init(ChunkReader *self, GstClockTime begin, GstClockTime end);
void reader_clear(ChunkReader *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ChunkReader, reader_clear)

/* Adds a probe to a pad of raw video of the source, before the pad is linked. The probe passes only
 * the frames of the range, with times relative to the start of the video. It then ends the stream.
 * The run fails if the source cannot seek, if a frame has no time, or if the times of the frames do
 * not increase. The run is finished if no frame is in the range. */
void reader_attach(ChunkReader *self, GstElement *source, GstPad *pad, PipelineRun *run);

G_END_DECLS
