/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Cuts all streams of a source to the part between two times.
 *
 * Times are those at which a player shows the frames of the file. The output begins with the video
 * frame that is shown at the start. Encoded audio is cut between two buffers; the source decides
 * how long a buffer is. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstClockTime start, end; /* `end` may be GST_CLOCK_TIME_NONE */

  /* Private. */
  GstElement *source;
  GstPad *video;
  gboolean is_begun, seeks;
  gint is_sought; /* atomic */
} Cut;

/* Cuts the stream of a source pad that is not linked yet. `self` must live as long as the pipeline
 * runs. */
void cut_attach(Cut *self, GstElement *source, GstPad *pad, gboolean is_video);

/* Decides how to reach the start. Call it when all pads exist and no buffer has left one: in the
 * signal `no-more-pads` of the source. The source seeks in MP4, QuickTime, Matroska and WebM files,
 * because their times are exact. In other files everything before the start is read and dropped. */
void cut_begin(Cut *self);

/* Removes the stop that some demuxers set after a seek from the segments that decoders get.
 *
 * matroskademux sets the stop to the length that the file states. If the last frame has no
 * duration, that is the time at which the last frame begins, and decoders would drop it. A stop
 * that exists before the seek comes from the file's edit list, and is kept.
 *
 * With `from_zero` the segments also begin as early as possible, so that decoders output all frames
 * from the key frame on, unchanged. Otherwise they would drop frames before the time of the seek,
 * or move them to it. */
void cut_open_segments(GstElement *source, gboolean from_zero);

G_END_DECLS
