/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Changes a filter and its wipe when keys or the mouse are used. Call all functions from one
 * thread. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Controls Controls;

/* The result of a key: the action that the caller must take. */
typedef enum {
  CONTROLS_NOTHING, /* no action: the key has no meaning */
  CONTROLS_CHANGED, /* the filter or the wipe has changed; the next frame shows the change */
  CONTROLS_PAUSE,   /* pause or continue */
  CONTROLS_HELP,    /* show or hide the help */
  CONTROLS_TEXT,    /* show or hide the line of text in the window */
  CONTROLS_QUIT,
} ControlsRequest;

/* Attaches a wipe to the filter, and lets it measure each frame. `share` is the argument of
 * wipe_attach. The filter must outlive the controls. */
Controls *controls_new(GstElement *filter, gdouble share);
void controls_free(Controls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Controls, controls_free)

/* Runs the action of a key. `key` is its X name: "k", "K", "Left", "space". */
ControlsRequest controls_press(Controls *self, const gchar *key);

/* Moves the wipe's line. `share` is its distance from the left edge, from 0 to 1 of the width. */
void controls_drag(Controls *self, gdouble share);

/* Returns the current values of the filter as options, such as "--kernel gaussian --sigma 2". Free
 * it. */
gchar *controls_describe(const Controls *self);

/* Returns whether the response is canny or canny-l1. */
gboolean controls_finds_edges(const Controls *self);

/* Returns the help: one line per key. Free it. */
gchar *controls_help(void);

G_END_DECLS
