/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The two ends of a pipeline that is measured: a source that costs nothing, and a meter at the
 * sink. */

#include <gst/gst.h>
#include "common.h"

G_BEGIN_DECLS

/* --- the source ---
 *
 * Frames of random pixels, written once into each memory and pushed again and again. */

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

/* --- the meter ---
 *
 * How fast frames arrive at the sinks of pipelines that run at once. The clock starts when each of
 * them has warmed up. */

#define BENCH_MAX_STRETCHES 9

/* How long pipelines are measured. */
typedef struct {
  guint n_warm;      /* frames of each until all memory is registered and every pool has grown */
  guint n_stretches; /* 1 to BENCH_MAX_STRETCHES; or 0 for one until the end of the stream */
  gdouble budget_ms; /* for all stretches */
} BenchSchedule;

/* How far the pipelines are. */
typedef struct {
  guint n_cold;     /* those that have not warmed up yet */
  guint64 n_frames; /* of all of them together */
  gint64 us;        /* when the last frame came */
} BenchMark;

typedef struct {
  BenchSchedule schedule;
  GPtrArray *buses; /* of the pipelines */
  gboolean ended;   /* a pipeline did */
  BenchMark now;    /* as of the last look */
  GMutex lock;
  BenchMark last; /* with the lock: as of the last frame */
} BenchMeter;

void bench_meter_init(BenchMeter *self, BenchSchedule schedule);

/* Watches a pipeline that has not been started, and its element "sink". The meter has to outlast
 * it. */
void bench_meter_watch(BenchMeter *self, GstElement *pipeline);

/* Waits until all is measured. What a pipeline posts as an error is one here, and so is a stream
 * that ends too soon or stands still. The pipelines run on. */
gboolean bench_meter_run(BenchMeter *self, BenchTime *time, GError **error);

/* When no watched pipeline runs any more. */
void bench_meter_clear(BenchMeter *self);

G_END_DECLS
