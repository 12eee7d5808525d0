/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A source of video that costs nothing: frames of random pixels, written once into each memory and
 * pushed again and again. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Where the frames' memory comes from. */
typedef enum {
  BENCH_MEMORY_POOL,  /* the pool that downstream proposes, without which the source fails */
  BENCH_MEMORY_OWN,   /* pageable, recycled by a pool of the source's own */
  BENCH_MEMORY_FRESH, /* pageable, new for each frame; threads of the source's own make it ahead,
                         and write only one byte of each page */
} BenchMemory;

/* A floating element that produces frames without end. The caps are those of fixed raw video, with
 * or without a memory feature, and a whole number of frames a second. With `live` it is a live
 * source, which waits for each frame's time on the clock. */
GstElement *bench_source_new(GstCaps *caps, BenchMemory memory, gboolean live);

G_END_DECLS
