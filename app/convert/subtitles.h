/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Subtitles of text, which GStreamer's demuxers hand out as Pango's markup and its muxers take as
 * plain UTF-8. */

#include "route.h"

G_BEGIN_DECLS

/* A new element (floating) that makes plain text of such markup, and the way of that into the
 * muxer. NULL when `caps` are something else, or the muxer does not take plain text. */
GstElement *subtitles_new_converter(GstCaps *caps, GstElement *muxer, Route *route);

/* Markup with its entities replaced; `keep_tags` leaves tags such as <i>, which SubRip has as well.
 */
gchar *subtitles_plain(const gchar *markup, gsize size, gboolean keep_tags);

G_END_DECLS
