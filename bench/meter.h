/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How fast frames arrive at the sinks of pipelines that run at once. The clock starts when each of
 * them has warmed up. */

#include <gst/gst.h>
#include "common.h"

G_BEGIN_DECLS

#define BENCH_MAX_STRETCHES 9

typedef struct {
  GMutex lock;
  GCond changed;
  /* what is wanted */
  guint n_warm, n_stretches;
  gint64 stretch_us;
  /* what there is */
  guint n_cold;       /* pipelines that have not warmed up yet */
  gint64 begin, last; /* of this stretch; when the last frame came */
  guint64 n_frames;   /* of this stretch, of all pipelines */
  guint64 n_all;      /* frames since the beginning */
  gdouble us[BENCH_MAX_STRETCHES];
  guint64 n_timed; /* frames of all stretches */
  guint n_done;    /* stretches */
  gboolean ended;  /* a pipeline did */
  GError *error;   /* the first one of a pipeline */
} BenchMeter;

/* Behind `n_warm` frames of each pipeline, for `n_stretches` (1 to BENCH_MAX_STRETCHES) of
 * `stretch_us`, or with 0 for one until the end of the stream. */
void bench_meter_init(BenchMeter *self, guint n_warm, guint n_stretches, gint64 stretch_us);

/* Watches a pipeline that has not been started, and its element "sink". The meter has to outlast
 * it. */
void bench_meter_watch(BenchMeter *self, GstElement *pipeline);

/* Waits until all is measured. What a pipeline posts as an error is one here, and so is a stream
 * that ends too soon or stands still. The pipelines run on. */
gboolean bench_meter_wait(BenchMeter *self, BenchTime *time, GError **error);

/* When no watched pipeline runs any more. */
void bench_meter_clear(BenchMeter *self);

G_END_DECLS
