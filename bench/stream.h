/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The two ends of a measured pipeline: a source that takes no time, and a meter at the sink. */

#include <gst/gst.h>
#include "common.h"

G_BEGIN_DECLS

/* --- the source ---
 *
 * Pushes frames of random pixels. The pixels are written once into each memory. */

/* The memory of the source's frames. */
typedef enum {
  BENCH_MEMORY_POOL,  /* from the pool that downstream proposes; the source fails without one */
  BENCH_MEMORY_OWN,   /* pageable, recycled by the source's own pool */
  BENCH_MEMORY_FRESH, /* pageable, new for each frame; threads of the source allocate it ahead and
                         write one byte of each page */
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

/* The duration of a measurement. */
typedef struct {
  guint n_warm;      /* frames of each pipeline to warm up: registers memory, grows pools */
  guint n_intervals; /* 1 to BENCH_MAX_INTERVALS, or 0 for one until the end of the stream */
  gdouble budget_ms; /* for all intervals */
} BenchSchedule;

/* The progress of all pipelines. */
typedef struct {
  guint n_cold;     /* pipelines that have not warmed up yet */
  guint64 n_frames; /* of all pipelines together */
  gint64 us;        /* arrival of the last frame */
} BenchProgress;

typedef struct {
  BenchSchedule schedule;
  GPtrArray *buses;  /* of the pipelines */
  gboolean ended;    /* a pipeline has ended */
  BenchProgress now; /* a copy of `last` at the last poll */
  GMutex lock;
  BenchProgress last; /* at the last frame; protected by `lock` */
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
