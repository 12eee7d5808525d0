/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The frames of a video between two of its times, each just once: what a chunk of a job is made of.
 *
 * A video is not cut for that, since a stream cannot be cut at any frame. The source is asked to go
 * to a time some seconds before the range and to decode from there, and what comes before the range
 * or after it is dropped. So the frames at its ends do not depend on where the source's key frames
 * are. */

#include <gst/gst.h>

#include "app/convert/pipelinerun.h"

G_BEGIN_DECLS

/* How far before the range the source starts, at first; ten times as far when that was too little.
 */
#define CHUNK_MARGIN (2 * GST_SECOND)

/* What to do with a video that cannot be read so. */
#define CHUNK_REMEDY                                                                               \
  "copy it into a Matroska file first (ffmpeg -i IN -map 0:v -map '0:a?' -c copy IN.mkv), or "     \
  "make "                                                                                          \
  "it whole, with --files 1 or with `cudaconv apply`"

/* A frame as the decoder gave it. */
typedef struct {
  GstClockTime time; /* GST_CLOCK_TIME_NONE: there is none */
  gchar *hash;       /* of its samples */
} BoundaryFrame;

void boundary_frame_clear(BoundaryFrame *self);

typedef struct {
  GstClockTime begin, end; /* of the video; a frame at `end` is not in the range */
  guint64 frames;          /* in the range */
  GstClockTime first;      /* of them; GST_CLOCK_TIME_NONE: there is none */

  /* Those at the boundaries: the one in front of the range and its last one. The last frame of a
   * range has to be the one in front of the next range; so two chunks show that the decoder found
   * the same frames from both sides. */
  BoundaryFrame before, last;

  GstClockTime
      margin; /* CHUNK_MARGIN; may be set before, and so much as `begin` is no seek at all */

  /* Private. */
  PipelineRun *run;
  GstElement *source;
  GstPad *pad;
  GstSegment segment;
  GstBuffer *recent; /* the frame that came before */
  GstCaps *caps;
  GstClockTime zero; /* at which the source starts by itself: some videos start later than at 0 */
  GstClockTime start, previous;
  guint seen; /* frames in front of the range since the last seek */
  gint state;
} ChunkReader;

void reader_init(ChunkReader *self, GstClockTime begin, GstClockTime end);
void reader_clear(ChunkReader *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ChunkReader, reader_clear)

/* Lets only the frames of the range leave a pad of raw video of the source, with the times of the
 * video, and then the end of the stream. Before the pad is linked. Where the source does not go to
 * the time, or the video's times do not go up, the work fails. Where no frame is in the range, the
 * work is finished. */
void reader_attach(ChunkReader *self, GstElement *source, GstPad *pad, PipelineRun *run);

G_END_DECLS
