/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The pipeline of `cudaconv play`: a video, image or camera through the filter into a window. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *source; /* taken, named "source" */
  GstElement *filter; /* taken, named "filter" */
  GstElement *sink;   /* taken */
  gboolean audio;
} PlayerSetup;

/* What the elements of the pipeline are called. */
#define PLAYER_TEXT "text" /* a textoverlay; not there where that is not installed */

/* Names of the application messages that it posts on its bus. */
#define PLAYER_NO_VIDEO "cudaconv-play-no-video" /* the input has none that can be decoded */
#define PLAYER_KEY "cudaconv-play-key"           /* `key` (string) was pressed in the window */
#define PLAYER_DRAG                                                                                \
  "cudaconv-play-drag" /* the mouse was pressed at `share` (double) of the width */

/* A pipeline (floating) in NULL. NULL when an element is not installed, which the error names. */
GstElement *player_new(const PlayerSetup *setup, GError **error);

/* Shows the frame of now once more, through the filter as it is now, unless the input is live. It
 * is asynchronous; FALSE: nothing will change. */
gboolean player_repeat_frame(GstElement *player);

/* From the beginning. FALSE: it has none, being live. */
gboolean player_rewind(GstElement *player);

/* Whether the input is one image, which is known when the first frame flows. */
gboolean player_shows_image(GstElement *player);

/* A sink that opens a window here, or NULL. */
GstElement *player_find_window(GError **error);

G_END_DECLS
