/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The video of a file: decoded frames through the filter into an encoder and on to the muxer. */

#include "mux.h"
#include "options.h"

G_BEGIN_DECLS

typedef struct {
  /* Set before. */
  GstElement *filter;            /* in the pipeline already */
  const ConvertOptions *options; /* encoder and lossless */
  const Media *media;            /* of OUT, whose encoders are used */
  const gchar *name;             /* of OUT, for messages */
  gboolean is_reproducible;      /* the stream does not depend on the number of cores */

  /* Known afterwards. */
  GstElement *encoder;      /* a sink and a source pad */
  GstPad *frames, *packets; /* the encoder's pads; not owned */
  gchar *codec;             /* for people */
  guint64 encoded;          /* frames that left the encoder */
} Video;

void video_clear(Video *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Video, video_clear)

/* Takes the raw video of a source's pad, whose frames have durations, to the muxer. `self` has to
 * live as long as the pipeline runs. FALSE with an error when something does not fit. */
gboolean video_add(Video *self, Mux *mux, GstPad *pad, GstCaps *caps, GError **error);

G_END_DECLS
