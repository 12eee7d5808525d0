/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A hardware decoder alone, and with the element behind it, in turns. */

#include "engine/error.h"
#include "meter.h"
#include "pipeline-report.h"
#include "pipeline.h"

#define BUDGET_MS 3000 /* for each of the two */
#define LEAST_ROUNDS 3
#define WARM_FRAMES 16

/* Runs the file once to its end. */
static gboolean
play_once(const BenchPipelineConfig *config, BenchPipelineResult *result, GError **error) {
  BenchMeter meter;
  GstElement *pipeline = bench_pipeline_new(config, error);
  if (!pipeline)
    return FALSE;
  bench_meter_init(&meter, 0, 0, WARM_FRAMES);
  return bench_pipeline_run(pipeline, config, &meter, result, error);
}

/* Plays the file on both paths in turns, as long as the budget lasts. */
static gboolean
play_in_turns(const BenchPipelineConfig configs[2], BenchPipelineResult results[2],
              gdouble budget_ms, GError **error) {
  gdouble us[2][BENCH_MAX_STRETCHES];
  guint n = 0;
  const gint64 end = g_get_monotonic_time() + (gint64)(2 * 1000 * budget_ms);
  do {
    for (guint i = 0; i < 2; i++) {
      if (!play_once(&configs[i], &results[i], error))
        return FALSE;
      us[i][n] = results[i].time.us;
    }
    n++;
  } while (n < BENCH_MAX_STRETCHES && (n < LEAST_ROUNDS || g_get_monotonic_time() < end));
  for (guint i = 0; i < 2; i++) {
    const guint n_frames = results[i].time.n_frames;
    results[i].time = bench_time_summarize(us[i], n);
    results[i].time.n_frames = n_frames;
  }
  return TRUE;
}

gboolean
bench_pipelines_run_decode(BenchPipelines *self, const gchar *file, GError **error) {
  BenchPipelineConfig configs[2];
  BenchPipelineResult results[2];
  g_autoptr(GError) reason = NULL;
  for (guint i = 0; i < 2; i++) {
    configs[i] = (BenchPipelineConfig){
        .path = i == 0 ? BENCH_PATH_DECODE : BENCH_PATH_DECODE_FILTER,
        .file = file,
        .device_id = self->timer->device->base.id,
    };
    results[i] = (BenchPipelineResult){.n_streams = 1, .n_devices = 1};
  }
  bench_pipeline_report_heading(self->text, "A decoder alone and with cudaconv");
  const gdouble budget_ms = self->budget_ms > 0 ? self->budget_ms : BUDGET_MS;
  if (play_in_turns(configs, results, budget_ms, &reason)) {
    g_array_append_vals(self->results, results, 2);
    bench_pipeline_report_rows(self->text, self->results, self->results->len - 2);
    return TRUE;
  }
  if (g_error_matches(reason, CC_ERROR, CC_ERROR_INVALID)) {
    fprintf(self->text, "  decode: %s\n", reason->message);
    return TRUE;
  }
  g_propagate_prefixed_error(error, g_steal_pointer(&reason), "%s: ", file);
  return FALSE;
}
