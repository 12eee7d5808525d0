/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What keys and the mouse do to a filter and the split around it. One thread uses it. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Controls Controls;

/* What is left to do after a key. */
typedef enum {
  CONTROLS_NOTHING, /* no key of ours */
  CONTROLS_CHANGED, /* the image is another one from the next frame on */
  CONTROLS_PAUSE,   /* or go on */
  CONTROLS_HELP,    /* show it, or take it away */
  CONTROLS_TEXT,    /* the same of the line in the window */
  CONTROLS_QUIT,
} ControlsRequest;

/* Splits what the filter makes; both live as long as the filter. `share` is that of wipe_attach.
 */
Controls *controls_new(GstElement *filter, gdouble share);
void controls_free(Controls *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Controls, controls_free)

/* A key by its name in X: "k", "K", "Left", "space". */
ControlsRequest controls_press(Controls *self, const gchar *key);

/* Puts the line at a share of the image's width. */
void controls_drag(Controls *self, gdouble share);

/* The options that make the filter what it is now, as in "--kernel gaussian --sigma 2". */
gchar *controls_describe(const Controls *self);

/* All keys and what they do, a line each. */
gchar *controls_help(void);

G_END_DECLS
