/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Making, adding and linking elements, with errors for people. */

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* A new element (floating) with a name, or one of its own where that is NULL. NULL when it is not
 * installed. */
GstElement *elements_new(const gchar *factory, const gchar *name, GError **error);

/* What a user wrote as in a gst-launch line (floating). `option` and an example of what is right
 * are named in the error, which is a wrong usage. */
GstElement *elements_parse(const gchar *description, const gchar *option, const gchar *example,
                           GError **error);

/* Whether brackets of values are in each other so often that GStreamer would have no stack left to
 * read them. */
gboolean elements_is_nested(const gchar *text);

/* What --encoder gives, which has a sink and a source pad. */
GstElement *elements_parse_encoder(const gchar *description, GError **error);

/* Whether a stream is video or an image, encoded or raw. */
gboolean elements_is_video(GstCaps *caps);

/* The caps of a stream that a source has found: those that it has, or may have. Unreference them.
 */
GstCaps *elements_get_caps(GstPad *pad);

/* Whether a stream is decoded video; NULL is none. */
gboolean elements_is_frames(const GstCaps *caps);

/* Adds an element to a pipeline and brings it into its state. Returns the element. */
GstElement *elements_add(GstElement *pipeline, GstElement *element);

/* The time of a buffer of a pad in its video, or GST_CLOCK_TIME_NONE. */
GstClockTime elements_stream_time(GstPad *pad, GstBuffer *buffer);

/* Turns the frames that leave `pad` (a source pad, linked before the first of them) upright, when a
 * tag says that they are to be turned. */
void elements_keep_upright(GstElement *pipeline, GstPad *pad);

/* Keeps the tag that an image is to be turned from `sink`, a pad that is not linked yet. The tag
 * leaves the demuxer before there is an element that turns, on the pads of audio too, and mp4mux
 * keeps the first value that it gets. */
void elements_drop_orientation(GstPad *sink);

/* Gives each frame that leaves `pad` a duration, which muxers need for the last one, and keeps gaps
 * from it, which the muxer may get before its segment. */
void elements_complete_frames(GstPad *pad);

/* Links a pad of raw video with caps of `info`. Of interlaced video some decoders tell the order of
 * fields with each frame only, and encoders look for it in the caps: it is in them afterwards. */
gboolean elements_link_frames(GstElement *pipeline, GstPad *pad, GstPad *sink,
                              const GstVideoInfo *info);

/* Adds a queue of so many buffers; 0: of any number, for streams that wait for each other in a
 * muxer. */
GstElement *elements_add_queue(GstElement *pipeline, guint buffers);

/* Whether a bin has an element of one of these factories, at any depth; the list ends with NULL. */
gboolean elements_have(GstBin *bin, const gchar *const *factories);

/* Whether the source of a pad can be sent to a time. */
gboolean elements_is_seekable(GstPad *pad);

/* Sends the source of a pad to a time, exactly, and flushes what is on its way. A thread of its own
 * sends it, since the source stops the pad's thread. A source that does not go there posts an error
 * with the text `failure`, a constant. */
void elements_seek_async(GstElement *source, GstPad *pad, GstClockTime time, const gchar *failure);

/* For probes of events: replaces the event, which is a segment, by one of `segment`. */
void elements_replace_segment(GstPadProbeInfo *info, const GstSegment *segment);

/* For probes of buffers and events: takes the data, sends an end of the stream to the pad's peer if
 * `first` is set, and tells the source that no more is wanted of this stream. */
GstPadProbeReturn elements_end_stream(GstPad *pad, GstPadProbeInfo *info, gboolean first);

/* Adds the filter to an empty pipeline, which the caller sets to NULL afterwards, and filters one
 * frame of zeros, which has 2 GiB or less. `on_message` (NULL: nobody) gets warnings and messages
 * of elements. FALSE with the error of the filter. Only elements of GStreamer's core are needed. */
gboolean elements_filter_frame(GstElement *pipeline, GstElement *filter, const GstVideoInfo *info,
                               void (*on_message)(GstMessage *message, gpointer data),
                               gpointer data, GError **error);

/* Takes what leaves `pad` out of the way. */
void elements_discard(GstElement *pipeline, GstPad *pad);

G_END_DECLS
