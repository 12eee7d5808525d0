/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pipelines that carry frames on one path, and the sweeps over them. */

#include <gst/gst.h>
#include <stdio.h>
#include "meter.h"
#include "pipeline-result.h"
#include "selection.h"

G_BEGIN_DECLS

#define BENCH_FRAMES_A_SECOND 60 /* as the caps say; live sources keep to it */

/* What stays the same from one measurement to the next. */
typedef struct {
  BenchTimer *timer;
  FILE *text;          /* where the tables go */
  GArray *results;     /* BenchPipelineResult, in the order of measurement */
  gdouble budget_ms;   /* for the stretches of one line; 0: as long as each of them wants */
  gboolean one_device; /* the timer's, also for many streams */
} BenchPipelines;

/* One pipeline. */
typedef struct {
  BenchPath path;
  const gchar *format;
  guint width, height;
  gint device_id;
  const gchar *file; /* of BENCH_PATH_DECODE and _DECODE_FILTER */
} BenchPipelineConfig;

/* Sets up the process. Fails with a hint when GStreamer does not find cudaconv. */
gboolean bench_pipelines_prepare(GError **error);

/* A pipeline in state NULL with a sink of the name "sink" and, on cudaconv's paths, a "filter".
 * CC_ERROR_INVALID says which element is missing here, or does not take such frames. */
GstElement *bench_pipeline_new(const BenchPipelineConfig *config, GError **error);

/* Whether this path is one of cudaconv. */
gboolean bench_path_is_own(BenchPath path);

/* What the elements say after some frames; the frames' format and size come from the sink. Fails
 * when they did not come out in the memory that the path wants. */
gboolean bench_pipeline_describe(GstElement *pipeline, const BenchPipelineConfig *config,
                                 BenchPipelineResult *result, GError **error);

/* Stops and frees pipelines (GstElement *), which it takes out of the array. */
void bench_pipelines_stop(GPtrArray *pipelines);

/* Starts pipelines; what goes wrong then is a message. */
void bench_pipelines_start(const GPtrArray *pipelines);

/* Runs one pipeline (taken) until the meter (cleared) has measured, and completes the result. */
gboolean bench_pipeline_run(GstElement *pipeline, const BenchPipelineConfig *config,
                            BenchMeter *meter, BenchPipelineResult *result, GError **error);

/* The memory paths and their peers, for each format and size; NULL: those with targets. */
gboolean bench_pipelines_run_paths(BenchPipelines *self, const BenchSelection *selection,
                                   GError **error);

/* `n_streams` pipelines at once, spread over the devices. */
gboolean bench_pipelines_run_streams(BenchPipelines *self, const BenchSelection *selection,
                                     guint n_streams, GError **error);

/* How long frames of a live source stay in the element. */
gboolean bench_pipelines_run_latency(BenchPipelines *self, const BenchSelection *selection,
                                     GError **error);

/* A decoder with and without the element behind it. */
gboolean bench_pipelines_run_decode(BenchPipelines *self, const gchar *file, GError **error);

G_END_DECLS
