/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A wipe: a frame shows the input of a filter on the left of a line, and the filter's output on the
 * right.
 *
 * No element is added. A probe on the filter's sink pad attaches the original to each frame as a
 * meta. The filter copies metas to its output. A probe on the filter's source pad removes the meta
 * and copies the left columns of the original into the output frame. So each output frame is
 * combined with its own original, even if several frames are in flight or frames are dropped. The
 * number of frames, their timestamps, caps and depth, the latency, flushes and caps changes are the
 * same as without a wipe. A compositor would output frames at its own rate, and convert them.
 *
 * If the filter's property `stride` is 2 or 4, the output is smaller. The left part then has every
 * second or fourth pixel and row of the original. Frames in CUDA memory are copied to the CPU and
 * back. With horizontally subsampled chroma the line is at a multiple of the pixels that share a
 * chroma sample. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Wipe Wipe;

/* Attaches a wipe to a filter. The filter owns the wipe. `share`: see wipe_set_share. The filter
 * must have one sink pad and one source pad. Both pads must always exist and have the same format.
 * Call this function once, before frames flow. */
Wipe *wipe_attach(GstElement *filter, gdouble share);

/* Sets the share of the image's width that is not filtered, from 0 (all filtered) to 1 (nothing
 * filtered). The new share applies from the next output frame on. May be called from any thread. */
void wipe_set_share(Wipe *self, gdouble share);

G_END_DECLS
