/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sweeps over memory paths, and many pipelines at once. */

#include <gst/video/video.h>
#include "bus.h"
#include "cases.h"
#include "engine/error.h"
#include "meter.h"
#include "pipeline-report.h"
#include "sweeps.h"

#define BUDGET_MS 3000 /* for the stretches of one pipeline */
#define STRETCHES 3
#define WARM_FRAMES 64 /* until all memory is registered and every pool has grown */
#define MAX_BUS_BUDGET_MS 500

static const BenchPath system_paths[] = {BENCH_PATH_POOL,
                                         BENCH_PATH_OWN,
                                         BENCH_PATH_FRESH,
                                         BENCH_PATH_CUDAUPLOAD,
                                         BENCH_PATH_CUDAUPLOAD_QUEUE,
                                         BENCH_PATH_GL};
static const BenchPath cuda_paths[] = {BENCH_PATH_CUDA, BENCH_PATH_CUDA_TO_SYSTEM,
                                       BENCH_PATH_SYSTEM_TO_CUDA};

/* The frames of one case. */
typedef struct {
  const BenchCase *c;
  BenchBus *bus;
  gdouble bus_us[3]; /* of BENCH_PATH_BUS, _UP and _DOWN; 0: not measured */
  gdouble kernel_us;
} Frames;

static gdouble
budget_ms(const BenchPipelines *self) {
  return self->budget_ms > 0 ? self->budget_ms : BUDGET_MS;
}

BenchPipelineResult
bench_sweep_result(const BenchCase *c, BenchPath path) {
  return (BenchPipelineResult){
      .path = path,
      .format = c->format->name,
      .width = c->size.width,
      .height = c->size.height,
      .n_streams = 1,
      .n_devices = 1,
  };
}

/* Bytes of a frame as GStreamer lays it out, or 0 when it has none such. */
static gsize
frame_bytes(const BenchCase *c) {
  GstVideoInfo info;
  if (c->format->plane != BENCH_ALL_PLANES ||
      !gst_video_info_set_format(&info, c->format->format, c->size.width, c->size.height))
    return 0;
  return info.size;
}

/* --- the limits --- */

/* Adds a line for the bus, in some direction, or in both. */
static gboolean
measure_bus(BenchPipelines *self, Frames *frames, BenchPath direction, guint n_streams,
            GError **error) {
  const gsize bytes = frame_bytes(frames->c);
  const gsize up = direction == BENCH_PATH_BUS_DOWN ? 0 : bytes;
  const gsize down = direction == BENCH_PATH_BUS_UP ? 0 : bytes;
  BenchPipelineResult result = bench_sweep_result(frames->c, direction);
  if (!bench_bus_measure(frames->bus, up, down, MIN(budget_ms(self), MAX_BUS_BUDGET_MS),
                         &result.time, error))
    return FALSE;
  result.n_streams = n_streams;
  result.n_devices = frames->bus->n_ends;
  result.bytes = up + down;
  result.bus_us = result.time.us;
  frames->bus_us[direction] = result.time.us;
  g_array_append_val(self->results, result);
  return TRUE;
}

static gboolean
measure_limits(BenchPipelines *self, Frames *frames, gboolean system, gboolean cuda,
               GError **error) {
  BenchTime kernel;
  if (system && !measure_bus(self, frames, BENCH_PATH_BUS, 1, error))
    return FALSE;
  if (!cuda)
    return TRUE;
  if (!measure_bus(self, frames, BENCH_PATH_BUS_UP, 1, error) ||
      !measure_bus(self, frames, BENCH_PATH_BUS_DOWN, 1, error) ||
      !bench_time_case(self->timer, frames->c, &kernel, error))
    return FALSE;
  frames->kernel_us = kernel.us;
  return TRUE;
}

/* What the path's frames have to wait for: the bus, or the kernel. */
static void
set_limits(BenchPipelineResult *result, const Frames *frames) {
  switch (result->path) {
  case BENCH_PATH_CUDA:
    result->kernel_us = frames->kernel_us;
    break;
  case BENCH_PATH_CUDA_TO_SYSTEM:
    result->bus_us = frames->bus_us[BENCH_PATH_BUS_DOWN];
    break;
  case BENCH_PATH_SYSTEM_TO_CUDA:
    result->bus_us = frames->bus_us[BENCH_PATH_BUS_UP];
    break;
  default:
    result->bus_us = frames->bus_us[BENCH_PATH_BUS];
  }
}

/* --- pipelines --- */

/* Adds pipelines of one path, on the bus's devices in turns, that are watched but not started. */
static gboolean
add_pipelines(GPtrArray *pipelines, BenchPipelineConfig *config, const BenchBus *bus, guint n,
              BenchMeter *meter, GError **error) {
  for (guint i = 0; i < n; i++) {
    config->device_id = bus->end[i % bus->n_ends].device->base.id;
    GstElement *pipeline = bench_pipeline_new(config, error);
    if (!pipeline)
      return FALSE;
    bench_meter_watch(meter, pipeline);
    g_ptr_array_add(pipelines, pipeline);
  }
  return TRUE;
}

/* Device memory that is in use more than before, for each of the pipelines; 0 when the driver does
 * not tell. */
static gdouble
device_mb_since(const BenchBus *bus, gsize free_before, guint n_pipelines) {
  gsize free_now;
  if (!bench_bus_get_free(bus, &free_now, NULL) || free_before <= free_now)
    return 0;
  return 1e-6 * (gdouble)(free_before - free_now) / n_pipelines;
}

/* Runs as many pipelines as the result says and completes it. */
static gboolean
measure_path(BenchPipelines *self, const Frames *frames, BenchPipelineResult *result,
             GError **error) {
  g_autoptr(GPtrArray) pipelines = g_ptr_array_new();
  BenchPipelineConfig config = {.path = result->path,
                                .format = result->format,
                                .width = result->width,
                                .height = result->height};
  BenchMeter meter;
  gsize free_before = 0;
  bench_meter_init(&meter, STRETCHES, (gint64)(1000 * budget_ms(self) / STRETCHES), WARM_FRAMES);
  bench_bus_get_free(frames->bus, &free_before, NULL);
  gboolean ok = add_pipelines(pipelines, &config, frames->bus, result->n_streams, &meter, error);
  if (ok) {
    bench_pipelines_start(pipelines);
    ok = bench_meter_wait(&meter, &result->time, error) &&
         bench_pipeline_describe(g_ptr_array_index(pipelines, 0), &config, result, error);
    result->device_mb = device_mb_since(frames->bus, free_before, result->n_streams);
  }
  bench_pipelines_stop(pipelines);
  bench_meter_clear(&meter);
  set_limits(result, frames);
  return ok;
}

/* Adds the result of one path, or a line to `notes` that says why there is none. FALSE only when
 * cudaconv fails on what it takes: others' failures are their own. */
static gboolean
run_path(BenchPipelines *self, const Frames *frames, BenchPath path, GString *notes,
         GError **error) {
  g_autoptr(GError) reason = NULL;
  BenchPipelineResult result = bench_sweep_result(frames->c, path);
  if (measure_path(self, frames, &result, &reason)) {
    g_array_append_val(self->results, result);
    return TRUE;
  }
  if (bench_path_is_own(path) && !g_error_matches(reason, CC_ERROR, CC_ERROR_INVALID)) {
    g_propagate_prefixed_error(error, g_steal_pointer(&reason), "%s: ", bench_path_name(path));
    return FALSE;
  }
  g_string_append_printf(notes, "  %s: %s\n", bench_path_name(path), reason->message);
  return TRUE;
}

static gboolean
run_paths(BenchPipelines *self, const Frames *frames, const BenchPath *paths, guint n_paths,
          GString *notes, GError **error) {
  for (guint i = 0; i < n_paths; i++)
    if (!run_path(self, frames, paths[i], notes, error))
      return FALSE;
  return TRUE;
}

/* --- sweeps --- */

static gboolean
run_case(BenchPipelines *self, const BenchCase *c, gboolean system, gboolean cuda, GError **error) {
  const guint first = self->results->len;
  const gint device_id = self->timer->device->base.id;
  g_autoptr(GString) notes = g_string_new(NULL);
  BenchBus bus;
  Frames frames = {.c = c, .bus = &bus};
  const gboolean ok =
      bench_bus_open(&bus, &device_id, 1, error) &&
      measure_limits(self, &frames, system, cuda, error) &&
      run_paths(self, &frames, system_paths, system ? G_N_ELEMENTS(system_paths) : 0, notes,
                error) &&
      run_paths(self, &frames, cuda_paths, cuda ? G_N_ELEMENTS(cuda_paths) : 0, notes, error);
  bench_bus_close(&bus);
  bench_pipeline_report_rows(self->text, self->results, first);
  fputs(notes->str, self->text);
  return ok;
}

gboolean
bench_sweep(BenchPipelines *self, const BenchSelection *selection, BenchSweepCall call,
            gpointer data, GError **error) {
  g_autoptr(BenchSelection) standard =
      bench_selection_new_from("RGBA", "1920x1080", "sobel", "auto");
  if (!selection)
    selection = standard;
  for (guint s = 0; s < selection->sizes->len; s++)
    for (guint f = 0; f < selection->formats->len; f++) {
      const BenchCase c = {
          .format = g_array_index(selection->formats, const BenchFormat *, f),
          .size = g_array_index(selection->sizes, BenchSize, s),
          .kernel = g_array_index(selection->kernels, BenchKernel, 0),
          .border = selection->border,
          .stride = selection->stride,
      };
      if (frame_bytes(&c) == 0)
        fprintf(self->text, "  GStreamer has no frames of %s\n", c.format->name);
      else if (!call(self, &c, data, error))
        return FALSE;
    }
  return TRUE;
}

/* Which of the paths a case takes. */
typedef struct {
  gboolean system, cuda;
} Sides;

static gboolean
run_sides(BenchPipelines *self, const BenchCase *c, gpointer data, GError **error) {
  const Sides *sides = data;
  return run_case(self, c, sides->system, sides->cuda, error);
}

gboolean
bench_pipelines_run_paths(BenchPipelines *self, const BenchSelection *selection, GError **error) {
  static const struct {
    const gchar *heading, *formats, *sizes;
    Sides sides;
  } standard[] = {
      {"System memory", "RGBA", "1920x1080,3840x2160", {TRUE, FALSE}},
      {"System memory", "I420", "1920x1080", {TRUE, FALSE}},
      {"CUDA memory", "NV12", "1920x1080", {FALSE, TRUE}},
  };
  if (selection) {
    Sides both = {TRUE, TRUE};
    bench_pipeline_report_heading(self->text, "Selected frames");
    return bench_sweep(self, selection, run_sides, &both, error);
  }
  for (guint i = 0; i < G_N_ELEMENTS(standard); i++) {
    Sides sides = standard[i].sides;
    g_autoptr(BenchSelection) frames =
        bench_selection_new_from(standard[i].formats, standard[i].sizes, "sobel", "auto");
    bench_pipeline_report_heading(self->text, standard[i].heading);
    if (!bench_sweep(self, frames, run_sides, &sides, error))
      return FALSE;
  }
  return TRUE;
}

/* --- many at once --- */

static gboolean
open_all(BenchPipelines *self, BenchBus *bus, GError **error) {
  int n_devices = 0;
  g_autofree gint *ids = NULL;
  if (!BENCH_CALL(self->timer, cuDeviceGetCount, &n_devices))
    return FALSE;
  ids = g_new(gint, (gsize)n_devices);
  for (gint i = 0; i < n_devices; i++)
    ids[i] = i;
  if (self->one_device) {
    ids[0] = self->timer->device->base.id;
    n_devices = 1;
  }
  return bench_bus_open(bus, ids, (guint)n_devices, error);
}

static gboolean
run_streams(BenchPipelines *self, const BenchCase *c, gpointer data, GError **error) {
  const guint n_streams = *(guint *)data;
  const guint first = self->results->len;
  BenchBus bus = {0};
  Frames frames = {.c = c, .bus = &bus};
  BenchPipelineResult result = bench_sweep_result(c, BENCH_PATH_POOL);
  result.n_streams = n_streams;
  gboolean ok =
      open_all(self, &bus, error) && measure_bus(self, &frames, BENCH_PATH_BUS, n_streams, error);
  result.n_devices = bus.n_ends;
  ok = ok && measure_path(self, &frames, &result, error);
  if (ok)
    g_array_append_val(self->results, result);
  bench_bus_close(&bus);
  bench_pipeline_report_rows(self->text, self->results, first);
  return ok;
}

gboolean
bench_pipelines_run_streams(BenchPipelines *self, const BenchSelection *selection, guint n_streams,
                            GError **error) {
  bench_pipeline_report_heading(self->text, "Pipelines at once");
  return bench_sweep(self, selection, run_streams, &n_streams, error);
}
