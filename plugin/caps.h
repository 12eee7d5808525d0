/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Caps on the two sides of the element: they are the same but for the size, which a stride divides
 * and rounds up, and the memory, which may be the system's or CUDA's. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* The caps that either pad can have (transfer full), those in system memory first, and those in
 * CUDA memory, which holds fewer formats, when `cuda` is TRUE. */
GstCaps *cc_caps_template(gboolean cuda);

/* Whether CUDA memory holds frames of a format and height in a version of GStreamer, which is
 * 10000 * major + 100 * minor + micro. */
gboolean cc_cuda_memory_holds(const gchar *format, gint height, guint version);

/* Whether the caps are fixed and of frames that a pad can have. Queries can be about others, for
 * some of which GStreamer's library for CUDA memory ends the process. */
gboolean cc_caps_are_of_frames(const GstCaps *caps);

/* Whether the first structure of the caps is of frames in CUDA memory. */
gboolean cc_caps_are_cuda(const GstCaps *caps);

/* What the other pad can have when the pad of `direction` has one of `caps` (transfer full): on the
 * source pad the size divided by `stride`, on the sink pad every size that gives this one. Sizes
 * may be numbers, ranges and lists. The step of a range is left out, so that the answer may hold
 * more than is possible; fixed sizes are exact. With `cuda` the memory may be the same, which comes
 * first, or the other; else it is the system's. */
GstCaps *cc_caps_transform(const GstCaps *caps, GstPadDirection direction, guint stride,
                           gboolean cuda);

/* The same set of caps with the formats in the order of CC_FORMATS, wherever caps leave the format
 * open; the order of everything else stays (transfer full). */
GstCaps *cc_caps_prefer(const GstCaps *caps);

/* The structures of `caps` that name CUDA memory, which ANY does not; transfer full. */
GstCaps *cc_caps_in_cuda(const GstCaps *caps);

G_END_DECLS
