/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The part of an input between two of its times. All streams of the source are cut to it.
 *
 * Times are those at which a player shows what is in the file. The first video frame is the one
 * that is shown at the start, and the output begins there. Encoded audio is cut between its
 * buffers, which are as long as the source makes them. */

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

/* Cuts what leaves a pad of the source, which is not linked yet. `self` has to live as long as the
 * pipeline runs. */
void cut_attach(Cut *self, GstElement *source, GstPad *pad, gboolean is_video);

/* Decides how to go to the start. To be called when all pads are there, before the first buffer has
 * left one: when the source says `no-more-pads`. In MP4, QuickTime, Matroska and WebM files, whose
 * times are exact, the source seeks; of others everything before the start is read and dropped. */
void cut_begin(Cut *self);

/* Removes the end that some demuxers set after a seek from the segments that decoders get.
 * matroskademux ends its segment at the length that the file says, which is where the last frame
 * begins if that has no length of its own; decoders would drop that frame. An end that is there
 * before the seek is one of the file's edit list, and stays. With `from_zero` the segments also
 * begin as early as they can, so that decoders give all frames from the key frame on, unchanged:
 * they would drop those that begin before the time of the seek, or move them there. */
void cut_open_segments(GstElement *source, gboolean from_zero);

G_END_DECLS
