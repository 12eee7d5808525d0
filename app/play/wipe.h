/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A image of two halves: what comes into a filter left of a line, what it makes of that on the
 * right.
 *
 * No element is added. A probe on the filter's sink pad ties each frame to a reference to itself,
 * as a meta, which the filter carries over to its result as it does all metas; a probe on its
 * source pad takes the meta off and copies the left columns of the original into the result. So a
 * frame meets its own original however many are under way and whichever are dropped. There are as
 * many frames as without the split, with the same timestamps, caps and depth, and latency, flushes
 * and changes of caps are the filter's. A compositor would make frames at a rate of its own, and
 * convert them.
 *
 * The filter may make images that are smaller by 2 or 4 (its property stride); the left part then
 * has every second or fourth pixel and row of the original. Frames in CUDA memory are copied to the
 * CPU and back for it. The line is at a multiple of two columns where two share their chroma. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Wipe Wipe;

/* Splits what leaves a filter with one sink and one source pad, always pads, of the same format.
 * The filter owns the result. To be called once, before frames flow. */
Wipe *wipe_attach(GstElement *filter, gdouble share);

/* How much of the image's width is as it was, from 0 (all is filtered) to 1 (nothing is), from
 * the next frame on that leaves. Any thread may call it. */
void wipe_set_share(Wipe *self, gdouble share);

G_END_DECLS
