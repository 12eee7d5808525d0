/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The video branch of a pipeline: from decoded frames through the filter and an encoder to the
 * muxer. */

#include "mux.h"
#include "options.h"

G_BEGIN_DECLS

typedef struct {
  /* Set before video_add. */
  GstElement *filter;            /* the element `cudaconv`, already in the pipeline */
  const ConvertOptions *options; /* only `encoder` and `lossless` are used */
  const Media *media;            /* table entry of OUT */
  const gchar *name;             /* name of OUT, for messages */
  gboolean is_reproducible; /* TRUE: make the encoded stream independent of the number of cores */

  /* Set by video_add. */
  GstElement *encoder;      /* has a sink and a source pad */
  GstPad *frames, *packets; /* sink pad and source pad of the encoder; not owned */
  gchar *codec;             /* name of the codec, for users */
  guint64 encoded;          /* number of frames that left the encoder */
} Video;

void video_clear(Video *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Video, video_clear)

/* Links a source pad of raw video through the filter and the encoder to the muxer. The frames of
 * the pad must have durations. `self` must live as long as the pipeline runs. FALSE with an error
 * if linking fails. */
gboolean video_add(Video *self, Mux *mux, GstPad *pad, GstCaps *caps, GError **error);

G_END_DECLS
