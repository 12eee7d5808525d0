/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-pipelines: measures the frame rate of pipelines with the element or a peer, and
 * the frame rate of copies on the bus. Prints lines of JSON for each task. docs/benchmarks.md
 * explains the figures. */

#include <gst/video/video.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"
#include "engine/error.h"
#include "stream.h"

#define MIN_MAPPED (64 << 10) /* bytes; malloc gives larger blocks a mapping of their own */
#define MAX_STREAMS 256
#define MAX_BUS_BUDGET_MS 500
#define MAX_IN_FLIGHT 64 /* number of frames; no backend has more frames in flight */
#define TASK_SYNTAX                                                                                \
  "PATH FORMAT WIDTHxHEIGHT STREAMS [ELEMENTS of a peer]\", \"PATH FILE\" or \"# HEADING"

typedef struct {
  const gchar *name;
  BenchMemory memory;
  gboolean live;
  gboolean interlaced; /* frames have two fields, which the element filters by themselves */
  gboolean file;       /* frames are decoded from a file; there is no BenchSource */
  gboolean cuda_in;    /* the source's frames are in CUDA memory */
  gboolean cuda_out;   /* frames at the sink are in CUDA memory */
  const gchar *line;   /* elements after the source; NULL: no pipeline, only copies on the bus */
  gboolean bus_up, bus_down; /* directions of the copies */
  gboolean peer;             /* the path does not use cudaconv and may fail */
} Path;

typedef struct {
  const Path *path;    /* NULL: `file` is a heading to print */
  const gchar *format; /* interned; NULL if the path reads a file */
  const gchar *file;   /* interned; a file name or a heading, or NULL */
  guint width, height, n_streams;
} Task;

#define CUDA_MEMORY "memory:CUDAMemory"
#define IN_CUDA "video/x-raw(" CUDA_MEMORY ")"
#define FILTER "cudaconv name=filter kernel=sobel backend=cuda"
#define NEXT " ! cudaconv kernel=sobel backend=cuda"
#define REGION " roi=\"<160,90,320,180>\"" /* frames with it are filtered in place */
#define SINK "fakesink name=sink sync=false enable-last-sample=false"
#define DECODER "filesrc name=file ! parsebin ! nvh264dec ! " IN_CUDA

/* The predefined paths. Paths of peers are not in the table, because the task of a peer names the
 * peer's elements. */
static const Path paths[] = {
    {"bus", .bus_up = TRUE, .bus_down = TRUE},
    {"bus-up", .bus_up = TRUE},
    {"bus-down", .bus_down = TRUE},
    {"pool", BENCH_MEMORY_POOL, .line = FILTER " ! " SINK},
    {"chain-2", BENCH_MEMORY_POOL, .line = FILTER NEXT " ! " SINK},
    {"chain-5", BENCH_MEMORY_POOL, .line = FILTER NEXT NEXT NEXT NEXT " ! " SINK},
    {"own", BENCH_MEMORY_OWN, .line = FILTER " ! " SINK},
    {"fresh", BENCH_MEMORY_FRESH, .line = FILTER " ! " SINK},
    {"roi", BENCH_MEMORY_POOL, .line = FILTER REGION " ! " SINK},
    {"roi-own", BENCH_MEMORY_OWN, .line = FILTER REGION " ! " SINK},
    {"roi-black", BENCH_MEMORY_POOL, .line = FILTER REGION " outside=black ! " SINK},
    {"roi-cuda", BENCH_MEMORY_POOL, .cuda_in = TRUE, .cuda_out = TRUE,
     .line = FILTER REGION " ! " IN_CUDA " ! " SINK},
    {"fields", BENCH_MEMORY_POOL, .interlaced = TRUE, .line = FILTER " ! " SINK},
    {"fields-cuda", BENCH_MEMORY_POOL, .interlaced = TRUE, .cuda_in = TRUE, .cuda_out = TRUE,
     .line = FILTER " ! " IN_CUDA " ! " SINK},
    {"live", BENCH_MEMORY_POOL, .live = TRUE, .line = FILTER " ! " SINK},
    {"cuda", BENCH_MEMORY_POOL, .cuda_in = TRUE, .cuda_out = TRUE,
     .line = FILTER " ! " IN_CUDA " ! " SINK},
    {"cuda-to-system", BENCH_MEMORY_POOL, .cuda_in = TRUE, .line = FILTER " ! " SINK},
    {"system-to-cuda", BENCH_MEMORY_POOL, .cuda_out = TRUE,
     .line = FILTER " ! " IN_CUDA " ! " SINK},
    {"decode", .peer = TRUE, .file = TRUE, .cuda_out = TRUE, .line = DECODER " ! " SINK},
    {"decode-cudaconv", .file = TRUE, .cuda_out = TRUE,
     .line = DECODER " ! " FILTER " ! " IN_CUDA " ! " SINK},
};

/* Returns the path with this name. If there is none, returns a new path for a peer with these
 * elements, or NULL without elements. The source of a peer recycles the frames of its own pool. If
 * the name starts with "fresh-", the source allocates each frame instead. Paths live as long as the
 * process. */
static const Path *
find_path(const gchar *name, const gchar *elements) {
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
    if (strcmp(name, paths[i].name) == 0)
      return &paths[i];
  if (!elements)
    return NULL;
  Path *path = g_new0(Path, 1);
  path->peer = TRUE;
  path->memory = g_str_has_prefix(name, "fresh-") ? BENCH_MEMORY_FRESH : BENCH_MEMORY_OWN;
  path->name = g_intern_string(name);
  path->line = g_strdup_printf("%s ! video/x-raw ! " SINK, elements);
  return path;
}

/* Only live sources limit their rate to the frame rate of the caps. */
static GstCaps *
caps_of(const Task *task) {
  g_autofree gchar *text =
      g_strdup_printf("video/x-raw%s,format=%s,width=%u,height=%u,framerate=60/1%s",
                      task->path->cuda_in ? "(" CUDA_MEMORY ")" : "", task->format, task->width,
                      task->height, task->path->interlaced ? ",interlace-mode=interleaved" : "");
  return gst_caps_from_string(text);
}

/* Returns 0 if GStreamer does not support such a frame. */
static gsize
frame_bytes(const Task *task) {
  GstVideoInfo info;
  const GstVideoFormat format = gst_video_format_from_string(task->format);
  return format != GST_VIDEO_FORMAT_UNKNOWN &&
                 gst_video_info_set_format(&info, format, task->width, task->height) &&
                 info.size <= G_MAXUINT
             ? info.size
             : 0;
}

static void
set_device(const GValue *item, gpointer device_id) {
  GObject *element = g_value_get_object(item);
  const GParamSpec *spec =
      g_object_class_find_property(G_OBJECT_GET_CLASS(element), "cuda-device-id");
  if (spec && spec->flags & G_PARAM_WRITABLE)
    g_object_set(element, "cuda-device-id", GPOINTER_TO_INT(device_id), NULL);
}

static gboolean
add_source(const Task *task, GstElement *pipeline, GstElement *bin, GError **error) {
  const Path *path = task->path;
  if (path->file) {
    g_autoptr(GstElement) file = gst_bin_get_by_name(GST_BIN(bin), "file");
    g_object_set(file, "location", task->file, NULL);
    return TRUE;
  }
  g_autoptr(GstCaps) caps = caps_of(task);
  GstElement *source = bench_source_new(caps, path->memory, path->live);
  gst_bin_add(GST_BIN(pipeline), source);
  return gst_element_link(source, bin) ||
         bench_refuse(error, "no element takes %s of %ux%u%s", task->format, task->width,
                      task->height, path->cuda_in || path->cuda_out ? " in CUDA memory" : "");
}

/* Returns a pipeline in state NULL. Its sink is named "sink", and the element cudaconv "filter".
 * Fails with CC_ERROR_INVALID if an element is missing or does not accept the task's frames. */
static GstElement *
new_pipeline(const Task *task, gint device_id, GError **error) {
  g_autoptr(GError) reason = NULL;
  GstElement *bin = gst_parse_bin_from_description_full(task->path->line, !task->path->file, NULL,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &reason);
  if (!bin) {
    bench_refuse(error, "%s", reason->message);
    return NULL;
  }
  GstElement *pipeline = gst_pipeline_new(NULL);
  gst_bin_add(GST_BIN(pipeline), bin);
  g_autoptr(GstIterator) elements = gst_bin_iterate_recurse(GST_BIN(bin));
  gst_iterator_foreach(elements, set_device, GINT_TO_POINTER(device_id));
  if (add_source(task, pipeline, bin, error))
    return pipeline;
  gst_object_unref(pipeline);
  return NULL;
}

/* --- measuring --- */

static const BenchSchedule endless = {64, 3, 3000}, live = {60, 1, 10000}, file = {16, 0, 0};

static BenchSchedule
schedule_of(const Path *path, gdouble budget_ms) {
  BenchSchedule schedule = path->live ? live : path->file ? file : endless;
  if (!isnan(budget_ms))
    schedule.budget_ms = budget_ms;
  return schedule;
}

typedef struct {
  GPtrArray *devices; /* CcCudaDevice; several streams use all devices, one stream uses the first */
  gdouble budget_ms;  /* value of --budget; NAN: each path has its own default */
} Bench;

typedef struct {
  Task task;              /* the task, with the format and the frame size at the sink */
  CcCudaDevice **devices; /* devices that the pipelines use in turn */
  guint n_devices;
  BenchTime time;                  /* wall time divided by the frames of all pipelines together */
  gsize bytes;                     /* bytes of an input frame and an output frame together */
  gdouble latency_ms, worst_ms;    /* latency from the element's sink pad to its source pad */
  gdouble device_mb;               /* device memory per stream, 10^6 bytes */
  guint in_flight;                 /* number of frames in flight in cudaconv */
  const gchar *in_path, *out_path; /* from cudaconv's stats, or ""; interned */
} Result;

/* --- the latency of live sources --- */

/* Frames pass the element's two pads in the same order and on one thread. */
typedef struct {
  gint64 entered_us[MAX_IN_FLIGHT]; /* ring buffer */
  guint n_entered, n_left;
  GArray *ms; /* gdouble: latency of each frame after the frames that warm up */
} LatencyProbe;

static GstPadProbeReturn
on_pass(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  LatencyProbe *self = data;
  const gint64 now = g_get_monotonic_time();
  if (GST_PAD_IS_SINK(pad)) {
    self->entered_us[self->n_entered++ % MAX_IN_FLIGHT] = now;
    return GST_PAD_PROBE_OK;
  }
  const gdouble ms = 1e-3 * (gdouble)(now - self->entered_us[self->n_left++ % MAX_IN_FLIGHT]);
  if (self->n_left > live.n_warm)
    g_array_append_val(self->ms, ms);
  return GST_PAD_PROBE_OK;
}

static void
watch_latency(GstElement *pipeline, LatencyProbe *probe) {
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(pipeline), "filter");
  g_autoptr(GstPad) sink = gst_element_get_static_pad(filter, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(filter, "src");
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, on_pass, probe, NULL);
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, on_pass, probe, NULL);
}

/* --- pipelines --- */

/* Spreads the pipelines of a task over the devices. Does not start them. */
static gboolean
add_pipelines(GPtrArray *pipelines, const Result *r, BenchMeter *meter, LatencyProbe *probe,
              GError **error) {
  for (guint i = 0; i < r->task.n_streams; i++) {
    const CcCudaDevice *device = r->devices[i % r->n_devices];
    GstElement *pipeline = new_pipeline(&r->task, device->base.id, error);
    if (!pipeline)
      return FALSE;
    bench_meter_watch(meter, pipeline);
    if (r->task.path->live)
      watch_latency(pipeline, probe);
    g_ptr_array_add(pipelines, pipeline);
  }
  return TRUE;
}

static void
stop_pipeline(gpointer pipeline) {
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

static const gchar *
get_word(const GstStructure *stats, const gchar *field) {
  const gchar *word = gst_structure_get_string(stats, field);
  return g_intern_string(word ? word : "");
}

/* Reads the caps at the sink and cudaconv's stats after some frames. Fails if the frames are not in
 * the memory that the path requires. */
static gboolean
describe(GstElement *pipeline, Result *result, GError **error) {
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(pipeline), "filter");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  g_autoptr(GstStructure) stats = NULL;
  const gboolean cuda_out = result->task.path->cuda_out;
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps) ||
      gst_caps_features_contains(gst_caps_get_features(caps, 0), CUDA_MEMORY) != cuda_out) {
    g_autofree gchar *text = gst_caps_to_string(caps);
    g_set_error(error, CC_ERROR, CC_ERROR_DEVICE, "%s arrives at the sink instead of frames in %s",
                text, cuda_out ? "CUDA memory" : "system memory");
    return FALSE;
  }
  result->task.format = gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info));
  result->task.width = (guint)info.width;
  result->task.height = (guint)info.height;
  result->bytes = result->task.file ? 0 : 2 * info.size; /* decoders have no input frames */
  if (!filter)
    return TRUE;
  g_object_get(filter, "stats", &stats, NULL);
  gst_structure_get_uint(stats, "in-flight", &result->in_flight);
  result->in_path = get_word(stats, "input-path");
  result->out_path = get_word(stats, "output-path");
  return TRUE;
}

/* Returns the free memory of all devices together in bytes, or 0 if the driver cannot report it. */
static gsize
get_free(const Result *r) {
  gsize free_bytes = 0;
  for (guint i = 0; i < r->n_devices; i++) {
    gsize here = 0, all;
    if (!r->devices[i]->cuda->cuMemGetInfo || !cc_cuda_device_push(r->devices[i], NULL))
      return 0;
    r->devices[i]->cuda->cuMemGetInfo(&here, &all);
    cc_cuda_device_pop(r->devices[i]);
    free_bytes += here;
  }
  return free_bytes;
}

static gboolean
run_meter(const GPtrArray *pipelines, BenchMeter *meter, Result *result, GError **error) {
  const gsize free_before = get_free(result);
  for (guint i = 0; i < pipelines->len; i++) /* failures are posted on the bus */
    gst_element_set_state(g_ptr_array_index(pipelines, i), GST_STATE_PLAYING);
  if (!bench_meter_run(meter, &result->time, error) ||
      !describe(g_ptr_array_index(pipelines, 0), result, error))
    return FALSE;
  const gsize free_now = get_free(result);
  if (free_now < free_before)
    result->device_mb = 1e-6 * (gdouble)(free_before - free_now) / result->task.n_streams;
  return TRUE;
}

static gboolean
measure_pipelines(const Bench *self, Result *result, GError **error) {
  g_autoptr(GPtrArray) pipelines = g_ptr_array_new_with_free_func(stop_pipeline);
  g_autoptr(GArray) ms = g_array_new(FALSE, FALSE, sizeof(gdouble));
  LatencyProbe probe = {.ms = ms};
  BenchMeter meter;
  bench_meter_init(&meter, schedule_of(result->task.path, self->budget_ms));
  const gboolean ok = add_pipelines(pipelines, result, &meter, &probe, error) &&
                      run_meter(pipelines, &meter, result, error);
  g_ptr_array_set_size(pipelines, 0);
  bench_meter_clear(&meter);
  if (ms->len > 0) {
    const BenchTime latency = bench_summarize((gdouble *)(gpointer)ms->data, ms->len);
    result->latency_ms = latency.us;
    result->worst_ms = latency.max_us;
  }
  return ok;
}

/* --- tasks --- */

static gboolean
measure_bus(const Bench *self, Result *result, GError **error) {
  const Path *path = result->task.path;
  const gsize bytes = frame_bytes(&result->task);
  const gsize up = path->bus_up ? bytes : 0, down = path->bus_down ? bytes : 0;
  const gdouble budget_ms = schedule_of(path, self->budget_ms).budget_ms;
  result->bytes = up + down;
  return bench_bus_measure(result->devices, result->n_devices, up, down,
                           MIN(budget_ms, MAX_BUS_BUDGET_MS), &result->time, error);
}

static gboolean
measure_task(const Bench *self, const Task *task, GError **error) {
  Result r = {.task = *task,
              .devices = (CcCudaDevice **)self->devices->pdata,
              .n_devices = task->n_streams > 1 ? self->devices->len : 1,
              .in_path = "",
              .out_path = ""};
  if (!(task->path->line ? measure_pipelines : measure_bus)(self, &r, error))
    return FALSE;
  bench_print("{'path': <%s>, 'format': <%s>, 'width': <%u>, 'height': <%u>, 'streams': <%u>, "
              "'devices': <%u>, " BENCH_TIME_FIELDS ", 'bytes': <%t>, 'latency_ms': <%d>, "
              "'worst_latency_ms': <%d>, 'device_mb_a_stream': <%d>, 'in_flight': <%u>, "
              "'memory_in': <%s>, 'memory_out': <%s>}",
              task->path->name, r.task.format, r.task.width, r.task.height, task->n_streams,
              r.n_devices, BENCH_TIME_VALUES(&r.time), (guint64)r.bytes, r.latency_ms, r.worst_ms,
              r.device_mb, r.in_flight, r.in_path, r.out_path);
  return TRUE;
}

/* Prints the result, or a note with the reason why there is none. Returns FALSE only if the device
 * fails, or if cudaconv fails on frames that it accepts. If a peer fails, only prints a note. */
static gboolean
run_task(const Bench *self, const Task *task, GError **error) {
  g_autoptr(GError) reason = NULL;
  if (!task->path) {
    bench_print("{'heading': <%s>}", task->file);
    return TRUE;
  }
  if (!task->path->file && frame_bytes(task) == 0)
    g_set_error(&reason, CC_ERROR, CC_ERROR_INVALID, "GStreamer has no frames of %s", task->format);
  else if (measure_task(self, task, &reason))
    return TRUE;
  g_prefix_error(&reason, "%s: ", task->path->name);
  if (!g_error_matches(reason, CC_ERROR, CC_ERROR_INVALID) && !task->path->peer) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
  }
  bench_print("{'note': <%s>}", reason->message);
  return TRUE;
}

static gboolean
parse_task(Task *task, const gchar *text, GError **error) {
  g_auto(GStrv) words = g_strsplit(text, " ", 5);
  const guint n = g_strv_length(words);
  guint64 n_streams = 1;
  const gboolean heading = g_str_has_prefix(text, "# ");
  task->path = heading || n < 2 ? NULL : find_path(words[0], n > 4 ? words[4] : NULL);
  if (heading || (task->path && task->path->file)) {
    task->file = g_intern_string(strchr(text, ' ') + 1);
  } else {
    if (!task->path || n < 4)
      return bench_refuse(error, "\"%s\": a task is \"" TASK_SYNTAX "\"", text);
    task->format = g_intern_string(words[1]);
    if (!bench_parse_size(words[2], &task->width, &task->height, error) ||
        !g_ascii_string_to_unsigned(words[3], 10, 1, MAX_STREAMS, &n_streams, error))
      return FALSE;
  }
  task->n_streams = (guint)n_streams;
  return TRUE;
}

/* --- the program --- */

static gboolean
prepare(GError **error) {
  /* By default, malloc takes large blocks from the heap after a large block was freed. Then the
   * pages of a task's frames would depend on the tasks before. */
  mallopt(M_MMAP_THRESHOLD, MIN_MAPPED);
  if (!gst_init_check(NULL, NULL, error))
    return FALSE;
  g_autoptr(GstElementFactory) factory = gst_element_factory_find("cudaconv");
  if (factory)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
              "GStreamer finds no element cudaconv: install it, or set GST_PLUGIN_PATH to the "
              "folder of libgstcudaconv.so");
  return FALSE;
}

/* If `device_id` is -1, opens all devices that work. */
static gboolean
open_devices(GPtrArray *devices, gint device_id, GError **error) {
  CcCudaDevice *any = cc_cuda_device_open(device_id, error);
  int n = 0;
  if (!any)
    return FALSE;
  if (device_id < 0)
    any->cuda->cuDeviceGetCount(&n);
  for (gint id = 0; id < n; id++) {
    CcCudaDevice *device = cc_cuda_device_open(id, NULL);
    if (device)
      g_ptr_array_add(devices, device);
  }
  if (devices->len == 0)
    g_ptr_array_add(devices, any);
  else
    cc_cuda_device_close(any);
  return TRUE;
}

static gboolean
run_tasks(const Bench *self, const Task *tasks, guint n, GError **error) {
  const CcCudaDevice *device = g_ptr_array_index(self->devices, 0);
  g_autofree gchar *gstreamer = gst_version_string();
  bench_print("{'device': <%s>, 'cuda': <%s>, 'gstreamer': <%s>}", device->name,
              bench_driver_version(device->cuda), gstreamer);
  for (guint i = 0; i < n; i++)
    if (!run_task(self, &tasks[i], error))
      return FALSE;
  return TRUE;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) devices =
      g_ptr_array_new_with_free_func((GDestroyNotify)cc_cuda_device_close);
  Bench bench = {devices, NAN};
  gint device_id = -1;
  if (!bench_parse_options(&argc, &argv, NULL, "TASK...",
                           "Times pipelines. A task is \"" TASK_SYNTAX "\".", &device_id,
                           &bench.budget_ms, &error))
    return bench_fail(error, BENCH_USAGE_ERROR);
  const guint n = (guint)argc - 1;
  g_autofree Task *tasks = g_new0(Task, n);
  for (guint i = 0; i < n; i++)
    if (!parse_task(&tasks[i], argv[i + 1], &error))
      return bench_fail(error, BENCH_USAGE_ERROR);
  /* Open the devices before GStreamer is initialised, because GStreamer's CUDA plugin needs the
   * driver. */
  if (!open_devices(devices, device_id, &error))
    return bench_fail(error, BENCH_SKIPPED);
  return prepare(&error) && run_tasks(&bench, tasks, n, &error) ? EXIT_SUCCESS
                                                                : bench_fail(error, EXIT_FAILURE);
}
