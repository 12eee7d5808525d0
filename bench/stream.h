/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The two ends of a measured pipeline: a source that takes no time, and a meter at the sink. */

#include <gst/gst.h>
#include "common.h"

G_BEGIN_DECLS

/* --- the source ---
 *
 * Pushes frames of random pixels. The pixels are written into a memory only at its first use. */

typedef enum {
  BENCH_MEMORY_POOL,  /* from the pool that downstream proposes; without a pool, the source fails */
  BENCH_MEMORY_OWN,   /* pageable, recycled by the source's own pool */
  BENCH_MEMORY_FRESH, /* pageable, new for each frame; threads of the source allocate frames ahead
                         and write one byte of each page */
} BenchMemory;

/* Returns a floating element that produces an endless stream. `caps` are fixed caps of raw video,
 * with or without a memory feature, with an integer frame rate. A `live` source waits for each
 * frame's time on the clock. */
GstElement *bench_source_new(GstCaps *caps, BenchMemory memory, gboolean live);

/* --- the meter ---
 *
 * Measures the rate at which frames arrive at the sinks of pipelines that run at the same time. The
 * measurement starts when all pipelines have warmed up. */

#define BENCH_MAX_INTERVALS 9

typedef struct {
  guint n_warm;      /* frames to warm up each pipeline: memory is registered, pools grow */
  guint n_intervals; /* 1 to BENCH_MAX_INTERVALS; 0: one interval, to the end of the stream */
  gdouble budget_ms; /* duration of all intervals together */
} BenchSchedule;

typedef struct {
  guint n_cold;     /* pipelines that have not warmed up yet */
  guint64 n_frames; /* frames of all pipelines together */
  gint64 us;        /* monotonic time when the last frame arrived */
} BenchProgress;

typedef struct {
  BenchSchedule schedule;
  GPtrArray *buses;  /* GstBus of each pipeline */
  gboolean ended;    /* a pipeline has reached the end of its stream */
  BenchProgress now; /* a copy of `last` at the last poll */
  GMutex lock;
  BenchProgress last; /* progress at the last frame; protected by `lock` */
} BenchMeter;

void bench_meter_init(BenchMeter *self, BenchSchedule schedule);

/* Watches a pipeline that has not been started, and its element "sink". The meter has to outlive
 * the pipeline. */
void bench_meter_watch(BenchMeter *self, GstElement *pipeline);

/* Waits until the measurement is complete. Fails if a pipeline posts an error, or if a stream ends
 * too early or stalls. Does not stop the pipelines. */
gboolean bench_meter_run(BenchMeter *self, BenchTime *time, GError **error);

/* Call only when no watched pipeline is running. */
void bench_meter_clear(BenchMeter *self);

G_END_DECLS
