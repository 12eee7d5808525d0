/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The container of a video: the muxer, its file, and all streams other than the video. */

#include <gst/gst.h>

#include "media.h"
#include "pipelinerun.h"

G_BEGIN_DECLS

/* How an encoded stream is linked to a muxer. */
typedef struct {
  GstPadTemplate *into;      /* template of the muxer's pad; not owned; NULL: stream not accepted */
  GstElementFactory *parser; /* factory of the parser before the muxer; NULL: no parser */
} Route;

void route_clear(Route *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Route, route_clear)

/* Finds the route of a stream with these caps. FALSE if the muxer does not accept the stream, with
 * or without a parser. */
gboolean route_find(Route *self, GstElement *muxer, GstCaps *caps);

typedef struct {
  GstElement *pipeline, *muxer;
  const Media *media; /* table entry of the output file */
  const gchar *name;  /* name of the output file, for messages */
  PipelineRun *run;
  GString *audio; /* text for users, such as "copied AAC"; empty: no audio and no subtitles */
} Mux;

/* Adds the muxer of `media` and a sink for the file `location`. `media` and `name` must live as
 * long as `self`. FALSE with an error if an element is not installed. */
gboolean mux_init(Mux *self, GstElement *pipeline, const Media *media, const gchar *name,
                  const gchar *location, PipelineRun *run, GError **error);
void mux_clear(Mux *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mux, mux_clear)

/* Makes the bytes of a Matroska or WebM file reproducible. Sets a fixed date, because the muxer
 * would write the current date. Seeds GLib's random numbers with `seed`, because the muxer writes
 * some of them. Call this before the pipeline starts, with a different seed for each chunk of a
 * video. */
void mux_fix_file(const Mux *self, guint32 seed);

/* Links the source pad of `last` to the muxer, with the parser of `route` and a queue in between.
 * FALSE if linking fails. */
gboolean mux_link(Mux *self, GstElement *last, const Route *route);

/* Returns the value for a decoding source's signal `autoplug-continue`, for a stream that is not
 * video. TRUE: the source decodes the stream; FALSE: it outputs the stream encoded. */
gboolean mux_wants_decoded(const Mux *self, GstCaps *caps);

/* Adds a stream that is not video. Copies the stream if the container can hold it. Otherwise
 * encodes it if it is decoded audio. Leaves all other streams out with a message. */
void mux_add_stream(Mux *self, GstPad *pad, GstCaps *caps);

/* Discards a stream and prints a message with the reason `why`. */
void mux_leave_out(Mux *self, GstPad *pad, GstCaps *caps, const gchar *why);

/* Returns the name of the codec for users, without profile and level, because these are not known
 * yet when an encoder is linked. Free the name. */
gchar *mux_describe_codec(GstCaps *caps);

G_END_DECLS
