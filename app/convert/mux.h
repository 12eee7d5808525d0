/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A video's container: the muxer and its file, and the streams that are copied into it beside the
 * video. */

#include <gst/gst.h>

#include "media.h"
#include "pipelinerun.h"

G_BEGIN_DECLS

/* How an encoded stream gets into a muxer. */
typedef struct {
  GstPadTemplate *into;      /* of the muxer's pad, not owned; NULL: the muxer does not take it */
  GstElementFactory *parser; /* that has to come before; NULL: none */
} Route;

void route_clear(Route *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Route, route_clear)

/* FALSE when the muxer does not take such a stream, not even after a parser. */
gboolean route_find(Route *self, GstElement *muxer, GstCaps *caps);

typedef struct {
  GstElement *pipeline, *muxer;
  const Media *media; /* of the file */
  const gchar *name;  /* of the file, for messages */
  PipelineRun *run;
  GString *audio; /* what became of the audio, for people; empty: there was none */
} Mux;

/* Adds a muxer of the factory that `media` names, and a sink for the file `location`. The names
 * have to live as long as the pipeline. FALSE when one of them is not installed. */
gboolean mux_init(Mux *self, GstElement *pipeline, const Media *media, const gchar *name,
                  const gchar *location, PipelineRun *run, GError **error);
void mux_clear(Mux *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mux, mux_clear)

/* Makes a Matroska or WebM file the same each time, whose muxer draws numbers from GLib and writes
 * the time of day. Before the pipeline starts; `seed` tells one file from another. */
void mux_fix_file(const Mux *self, guint32 seed);

/* Links an element's stream to the muxer on the way that was found for it. */
gboolean mux_link(Mux *self, GstElement *last, const Route *route);

/* For the signal `autoplug-continue` of a source of decoded streams: whether it goes on decoding a
 * stream other than video, or hands it out as it is. */
gboolean mux_wants_decoded(const Mux *self, GstCaps *caps);

/* Takes a stream other than video from a source: copies it, encodes audio anew where the container
 * does not take it as it is, or says that it is left out. */
void mux_add_stream(Mux *self, GstPad *pad, GstCaps *caps);

/* Leaves a stream out, and says why. */
void mux_leave_out(Mux *self, GstPad *pad, GstCaps *caps, const gchar *why);

/* The codec alone, for people, without profile and level, which are not known before the end. */
gchar *mux_describe_codec(GstCaps *caps);

G_END_DECLS
