/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How fast frames arrive at the sinks of pipelines that run at once. The clock starts when each of
 * them has warmed up. */

#include <gst/gst.h>
#include "common.h"

G_BEGIN_DECLS

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
