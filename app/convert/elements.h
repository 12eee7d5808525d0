/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Functions that create, add and link elements. Their errors are for users. */

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Returns a new element (floating). With a NULL `name` GStreamer names it. NULL with an error if
 * the element is not installed. */
GstElement *elements_new(const gchar *factory, const gchar *name, GError **error);

/* Returns a bin (floating) from a description as in a gst-launch line. NULL with an error if the
 * description is wrong. The error is a usage error and mentions `option` and `example`. */
GstElement *elements_parse(const gchar *description, const gchar *option, const gchar *example,
                           GError **error);

/* TRUE if the brackets of a value are nested so deeply that GStreamer's recursive parser could
 * overflow the stack. */
gboolean elements_is_nested(const gchar *text);

/* Returns the bin (floating) that the text of --encoder describes. The bin has a sink and a source
 * pad. NULL with an error if the text is wrong. */
GstElement *elements_parse_encoder(const gchar *description, GError **error);

/* TRUE for a stream of video or an image, encoded or raw. */
gboolean elements_is_video(GstCaps *caps);

/* Returns the current caps of a pad. If the pad has none yet, returns the caps that it can have.
 * Unreference the caps. */
GstCaps *elements_get_caps(GstPad *pad);

/* TRUE for caps of decoded video. FALSE for NULL. */
gboolean elements_is_frames(const GstCaps *caps);

/* Adds an element and sets it to the pipeline's state. Returns the element. */
GstElement *elements_add(GstElement *pipeline, GstElement *element);

/* Returns the stream time of a buffer of `pad`, or GST_CLOCK_TIME_NONE if it has none. */
GstClockTime elements_stream_time(GstPad *pad, GstBuffer *buffer);

/* Turns the frames of `pad` upright if the stream has an orientation tag. `pad` is a source pad and
 * must be linked before the first frame. */
void elements_keep_upright(GstElement *pipeline, GstPad *pad);

/* Removes the orientation tag from the events that reach `sink`, a pad that is not linked yet.
 * Otherwise mp4mux would get the tag although the frames are upright: the demuxer sends the tag
 * before videoflip is inserted, and on audio pads too. mp4mux keeps the first value that it
 * gets. */
void elements_drop_orientation(GstPad *sink);

/* Sets the duration of each frame of `pad` that has no duration or a duration below 1 ms, because
 * muxers need the duration of the last frame. Drops gap events, because a gap event may reach the
 * muxer before the segment event. */
void elements_complete_frames(GstPad *pad);

/* Links `pad`, which has raw video of format `info`, to `sink`. Some decoders set the field order
 * of interlaced video only as a flag of each frame, but encoders read it from the caps. If the caps
 * of interlaced video lack the field order, the pads are linked at the first frame, and the field
 * order of that frame is added to the caps. */
gboolean elements_link_frames(GstElement *pipeline, GstPad *pad, GstPad *sink,
                              const GstVideoInfo *info);

/* Adds a queue for at most `buffers` buffers. 0: no limit. A queue before a muxer needs 0, because
 * the muxer waits for data on all of its pads. */
GstElement *elements_add_queue(GstElement *pipeline, guint buffers);

/* TRUE if a bin contains an element of one of these factories, at any depth. `factories` ends with
 * NULL. */
gboolean elements_have(GstBin *bin, const gchar *const *factories);

/* TRUE if the source of a pad can seek to a time. */
gboolean elements_is_seekable(GstPad *pad);

/* Starts a flushing, accurate seek of a pad's source. A separate thread sends the seek event,
 * because the seek waits until the pad's streaming thread stops, and the caller may be that thread.
 * If the seek fails, `source` posts an error with the text `failure`, a string constant. */
void elements_seek_async(GstElement *source, GstPad *pad, GstClockTime time, const gchar *failure);

/* For event probes: replaces the segment event by an event with `segment`. */
void elements_replace_segment(GstPadProbeInfo *info, const GstSegment *segment);

/* For probes of buffers and events: drops the data and returns GST_FLOW_EOS to the source. With
 * `first`, also sends EOS to the pad's peer; set it for the first dropped data only. */
GstPadProbeReturn elements_end_stream(GstPad *pad, GstPadProbeInfo *info, gboolean first);

/* Adds the filter to an empty pipeline and filters one frame of zeros. The frame must be smaller
 * than 2 GiB. The caller sets the pipeline to NULL afterwards. `on_message` (may be NULL) gets
 * warnings and element messages. FALSE with an error if the filter fails. Besides the filter, only
 * elements of GStreamer's core are used. */
gboolean elements_filter_frame(GstElement *pipeline, GstElement *filter, const GstVideoInfo *info,
                               void (*on_message)(GstMessage *message, gpointer data),
                               gpointer data, GError **error);

/* Links `pad` to a new fakesink. */
void elements_discard(GstElement *pipeline, GstPad *pad);

G_END_DECLS
