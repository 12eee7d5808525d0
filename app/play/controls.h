/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Applies keys and the mouse to a filter and its wipe. For one thread. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Controls Controls;

/* What the caller must do after a key. */
typedef enum {
  CONTROLS_NOTHING, /* nothing: the key has no action */
  CONTROLS_CHANGED, /* nothing: the filter or the wipe has changed, from the next frame on */
  CONTROLS_PAUSE,   /* pause or continue */
  CONTROLS_HELP,    /* show or hide the help */
  CONTROLS_TEXT,    /* show or hide the line of text in the window */
  CONTROLS_QUIT,
} ControlsRequest;

/* Attaches a wipe to the filter. `share` is the argument of wipe_attach. The filter must outlive
 * the controls. */
Controls *controls_new(GstElement *filter, gdouble share);
void controls_free(Controls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Controls, controls_free)

/* Runs the action of a key, by its X name: "k", "K", "Left", "space". */
ControlsRequest controls_press(Controls *self, const gchar *key);

/* Moves the line to a share of the image's width. */
void controls_drag(Controls *self, gdouble share);

/* Returns the current values of the filter as options, such as "--kernel gaussian --sigma 2". Free
 * it. */
gchar *controls_describe(const Controls *self);

/* Returns the help: one line per key. Free it. */
gchar *controls_help(void);

G_END_DECLS
