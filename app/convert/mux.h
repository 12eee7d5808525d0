/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The container of a video: the muxer, its file, and all streams other than the video. */

#include <gst/gst.h>

#include "media.h"
#include "pipelinerun.h"

G_BEGIN_DECLS

/* How an encoded stream is linked to a muxer. */
typedef struct {
  GstPadTemplate *into;      /* of the muxer's pad; not owned; NULL: the muxer does not accept it */
  GstElementFactory *parser; /* of the parser before the muxer; NULL: none */
} Route;

void route_clear(Route *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Route, route_clear)

/* FALSE if the muxer does not accept such a stream, not even after a parser. */
gboolean route_find(Route *self, GstElement *muxer, GstCaps *caps);

typedef struct {
  GstElement *pipeline, *muxer;
  const Media *media; /* of the file */
  const gchar *name;  /* of the file, for messages */
  PipelineRun *run;
  GString *audio; /* how audio and subtitles were written, for users; empty: there are none */
} Mux;

/* Adds the muxer of `media` and a sink for the file `location`. `media` and `name` must live as
 * long as `self`. FALSE with an error if an element is not installed. */
gboolean mux_init(Mux *self, GstElement *pipeline, const Media *media, const gchar *name,
                  const gchar *location, PipelineRun *run, GError **error);
void mux_clear(Mux *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mux, mux_clear)

/* Makes the bytes of a Matroska or WebM file reproducible. Its muxer writes the time of day, and
 * random numbers from GLib. Call it before the pipeline starts. Different files get different
 * seeds. */
void mux_fix_file(const Mux *self, guint32 seed);

/* Links the stream of an element to the muxer by its route. */
gboolean mux_link(Mux *self, GstElement *last, const Route *route);

/* For the signal `autoplug-continue` of a decoding source and streams other than video. TRUE: the
 * source decodes the stream; FALSE: it outputs the stream encoded. */
gboolean mux_wants_decoded(const Mux *self, GstCaps *caps);

/* Adds a stream other than video from a source. Copies it if the container can hold it. Otherwise
 * encodes it if it is decoded audio, or leaves it out with a message. */
void mux_add_stream(Mux *self, GstPad *pad, GstCaps *caps);

/* Leaves a stream out, with a message that says why. */
void mux_leave_out(Mux *self, GstPad *pad, GstCaps *caps, const gchar *why);

/* Returns the name of the codec for users, without profile and level: these are not known before
 * the end. Free it. */
gchar *mux_describe_codec(GstCaps *caps);

G_END_DECLS
