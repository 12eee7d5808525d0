/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Cuts all streams of a source to the part between two times.
 *
 * All times are stream times: the times at which a player of the file shows the frames. The output
 * begins with the video frame that is shown at the start. Encoded audio is cut between two buffers.
 * The length of the buffers depends on the source. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstClockTime start, end; /* nanoseconds; end GST_CLOCK_TIME_NONE: to the end of the input */

  /* Private. */
  GstElement *source;
  GstPad *video;
  gboolean is_begun, seeks;
  gint is_sought; /* atomic */
} Cut;

/* Cuts the stream of `pad`, a source pad that is not linked yet. `self` must live as long as the
 * pipeline runs. */
void cut_attach(Cut *self, GstElement *source, GstPad *pad, gboolean is_video);

/* Decides how to reach the start. Call it from the source's signal `no-more-pads`: then all pads
 * exist and no buffer has left them. The source seeks in local MP4, QuickTime, Matroska and WebM
 * files, because their times are exact after a seek. Other inputs are read from the beginning, and
 * the data before the start are dropped. */
void cut_begin(Cut *self);

/* Removes the stop from the segments that decoders get, because some demuxers set a wrong stop
 * after a seek.
 *
 * matroskademux sets the stop to the length that the file states. If the last frame has no
 * duration, the stated length is the time at which the last frame begins. Decoders would then drop
 * the last frame. A stop that exists before the seek is kept, because it comes from the file's edit
 * list.
 *
 * With `from_zero` the segments also begin as early as possible, so that decoders output all frames
 * from the key frame on, unchanged. Without `from_zero`, decoders drop the frames before the time
 * of the seek, or set their times to the time of the seek. */
void cut_open_segments(GstElement *source, gboolean from_zero);

G_END_DECLS
