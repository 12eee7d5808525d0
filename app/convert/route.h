/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How an encoded stream gets into a muxer. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstPadTemplate *into;      /* of the muxer's pad, not owned; NULL: the muxer does not take it */
  GstElementFactory *parser; /* that has to come before; NULL: none */
} Route;

void route_clear(Route *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Route, route_clear)

/* FALSE when the muxer does not take such a stream, not even after a parser. */
gboolean route_find(Route *self, GstElement *muxer, GstCaps *caps);

G_END_DECLS
