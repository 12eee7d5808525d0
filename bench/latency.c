/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How long the frames of a live source stay in the element. */

#include "meter.h"
#include "pipeline-report.h"
#include "sweeps.h"

#define BUDGET_MS 10000 /* 600 frames */
#define WARM_FRAMES 60  /* kernels are loaded, and frames that were late for it are through */

/* When frames pass the element's two pads, both on the source's thread. */
typedef struct {
  guint n_frames;
  gint64 *entered_us; /* of each frame */
  gdouble *ms;        /* of those that have left, but for the first ones */
  guint n_left;
} Passage;

/* The number of the frame whose time stamp says so. */
static guint64
frame_number(GstPadProbeInfo *info) {
  return gst_util_uint64_scale_round(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)),
                                     BENCH_FRAMES_A_SECOND, GST_SECOND);
}

static GstPadProbeReturn
on_enter(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Passage *self = data;
  const guint64 n = frame_number(info);
  if (n < self->n_frames)
    self->entered_us[n] = g_get_monotonic_time();
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_leave(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Passage *self = data;
  const guint64 n = frame_number(info);
  if (n >= WARM_FRAMES && n < self->n_frames)
    self->ms[self->n_left++] = 1e-3 * (gdouble)(g_get_monotonic_time() - self->entered_us[n]);
  return GST_PAD_PROBE_OK;
}

static void
watch_pads(GstElement *pipeline, Passage *passage) {
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(pipeline), "filter");
  g_autoptr(GstPad) sink = gst_element_get_static_pad(filter, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(filter, "src");
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, on_enter, passage, NULL);
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, on_leave, passage, NULL);
}

static gboolean
measure_passage(const BenchPipelineConfig *config, gdouble budget_ms, Passage *passage,
                BenchPipelineResult *result, GError **error) {
  BenchMeter meter;
  GstElement *pipeline = bench_pipeline_new(config, error);
  if (!pipeline)
    return FALSE;
  watch_pads(pipeline, passage);
  bench_meter_init(&meter, 1, (gint64)(1000 * budget_ms), WARM_FRAMES);
  return bench_pipeline_run(pipeline, config, &meter, result, error);
}

static gboolean
run_live(BenchPipelines *self, const BenchCase *c, gpointer data, GError **error) {
  const gdouble budget_ms = self->budget_ms > 0 ? self->budget_ms : BUDGET_MS;
  const guint n_frames = (guint)(budget_ms * BENCH_FRAMES_A_SECOND / 1000) + 1;
  g_autofree gint64 *entered_us = g_new0(gint64, WARM_FRAMES + n_frames);
  g_autofree gdouble *ms = g_new0(gdouble, n_frames);
  Passage passage = {.n_frames = WARM_FRAMES + n_frames, .entered_us = entered_us, .ms = ms};
  BenchPipelineResult result = bench_sweep_result(c, BENCH_PATH_LIVE);
  const BenchPipelineConfig config = {.path = BENCH_PATH_LIVE,
                                      .format = c->format->name,
                                      .width = c->size.width,
                                      .height = c->size.height,
                                      .device_id = self->timer->device->base.id};
  if (!measure_passage(&config, budget_ms, &passage, &result, error))
    return FALSE;
  const BenchTime time = bench_time_summarize(ms, passage.n_left);
  result.latency_ms = time.us;
  result.worst_ms = time.most_us;
  g_array_append_val(self->results, result);
  fprintf(self->text, "%-10s %4ux%-4u %7u %10.3f %10.3f %9u  %s, %s\n", result.format, result.width,
          result.height, passage.n_left, result.latency_ms, result.worst_ms, result.in_flight,
          result.in_path, result.out_path);
  return TRUE;
}

gboolean
bench_pipelines_run_latency(BenchPipelines *self, const BenchSelection *selection, GError **error) {
  fprintf(self->text, "\nA live source of %d frames a second\n%-10s %9s %7s %10s %10s %9s  %s\n",
          BENCH_FRAMES_A_SECOND, "format", "size", "frames", "median ms", "worst ms", "in flight",
          "memory in, out");
  return bench_sweep(self, selection, run_live, NULL, error);
}
