/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A film's video: decoded frames through the filter into an encoder and on to the muxer. */

#include <gst/gst.h>

#include "mux.h"

G_BEGIN_DECLS

typedef struct {
  const Media *media;   /* of OUT, whose encoders are used */
  const gchar *name;    /* of OUT, for messages */
  const gchar *encoder; /* as in a gst-launch line; NULL: one of media's */
  gboolean lossless;
  gboolean same; /* its stream is the same on each machine, however many cores that has */
} VideoOptions;

typedef struct {
  GstElement *filter;  /* in the pipeline, between the two pads below */
  GstElement *encoder; /* a sink and a source pad */
  GstPad *frames;      /* what the encoder gets; not owned */
  GstPad *packets;     /* what it makes; not owned */
  gchar *codec;        /* for people */
  guint64 encoded;     /* frames that left it */
} Video;

void video_clear(Video *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Video, video_clear)

/* Takes the raw video of a source's pad, whose frames have durations, to the muxer. `filter` is in
 * the pipeline already, and `self` has to live as long as that runs. FALSE with an error when
 * something does not fit. */
gboolean video_add(Video *self, Mux *mux, GstElement *filter, const VideoOptions *options,
                   GstPad *pad, GstCaps *caps, GError **error);

G_END_DECLS
