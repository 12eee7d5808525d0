/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The pipeline of `cudaconv play`: shows a filtered video, image or camera stream in a window. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  /* player_new takes ownership of floating elements. */
  GstElement *source; /* named "source" */
  GstElement *filter; /* named "filter" */
  GstElement *sink;
  gboolean audio;
} PlayerSetup;

/* Name of the textoverlay. There is no such element if textoverlay is not installed. */
#define PLAYER_TEXT "text"

/* Application message: the input has no video that can be decoded. */
#define PLAYER_NO_VIDEO "cudaconv-play-no-video"

/* Returns a pipeline (floating) in state NULL. Keys and the mouse in the window are navigation
 * messages of the filter, or of the sink if the pipeline is flushing. Returns NULL with an error if
 * an element is not installed or cannot be linked. */
GstElement *player_new(const PlayerSetup *setup, GError **error);

/* Filters and shows the current frame again, asynchronously. Returns FALSE and does nothing if the
 * input cannot seek, such as a live input. */
gboolean player_repeat_frame(GstElement *player);

/* Restarts the video. Returns FALSE if the input cannot seek, such as a live input. */
gboolean player_rewind(GstElement *player);

/* Returns whether the input is one image. May wrongly return FALSE before the first frame flows. */
gboolean player_shows_image(GstElement *player);

/* Returns a sink (floating) that can open a window, or NULL with an error. */
GstElement *player_find_window(GError **error);

G_END_DECLS
