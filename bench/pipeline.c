/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"

#include <gst/video/video.h>
#include <malloc.h>
#include "engine/error.h"
#include "source.h"

#define LEAST_MAPPED (64 << 10) /* from which memory has pages of its own */
#define CUDA_MEMORY "memory:CUDAMemory"
#define IN_CUDA "video/x-raw(" CUDA_MEMORY ")"
#define FILTER "cudaconv name=filter kernel=sobel backend=cuda"
#define SINK "fakesink name=sink sync=false enable-last-sample=false"
#define DECODER "filesrc name=file ! parsebin ! nvh264dec ! " IN_CUDA

/* How a pipeline is built. */
typedef struct {
  BenchMemory memory;   /* of the source */
  gboolean live;        /* is the source */
  gboolean cuda_in;     /* in which memory the source's frames are, */
  gboolean cuda_out;    /* and those that arrive at the sink */
  const gchar *format;  /* the only one; NULL: several */
  const gchar *element; /* that takes the frames, or decodes them */
  const gchar *line;    /* all behind the source */
} Build;

static const Build builds[BENCH_N_PATHS] = {
    [BENCH_PATH_POOL] = {.memory = BENCH_MEMORY_POOL,
                         .element = "cudaconv",
                         .line = FILTER " ! " SINK},
    [BENCH_PATH_OWN] = {.memory = BENCH_MEMORY_OWN,
                        .element = "cudaconv",
                        .line = FILTER " ! " SINK},
    [BENCH_PATH_FRESH] = {.memory = BENCH_MEMORY_FRESH,
                          .element = "cudaconv",
                          .line = FILTER " ! " SINK},
    [BENCH_PATH_CUDA] = {.memory = BENCH_MEMORY_POOL,
                         .cuda_in = TRUE,
                         .cuda_out = TRUE,
                         .element = "cudaconv",
                         .line = FILTER " ! " SINK},
    [BENCH_PATH_CUDA_TO_SYSTEM] = {.memory = BENCH_MEMORY_POOL,
                                   .cuda_in = TRUE,
                                   .element = "cudaconv",
                                   .line = FILTER " ! video/x-raw ! " SINK},
    [BENCH_PATH_SYSTEM_TO_CUDA] = {.memory = BENCH_MEMORY_POOL,
                                   .cuda_out = TRUE,
                                   .element = "cudaconv",
                                   .line = FILTER " ! " IN_CUDA " ! " SINK},
    [BENCH_PATH_CUDAUPLOAD] = {.memory = BENCH_MEMORY_OWN,
                               .element = "cudaupload",
                               .line =
                                   "cudaupload ! " IN_CUDA " ! cudadownload ! video/x-raw ! " SINK},
    [BENCH_PATH_CUDAUPLOAD_QUEUE] = {.memory = BENCH_MEMORY_OWN,
                                     .element = "cudaupload",
                                     .line = "cudaupload ! " IN_CUDA
                                             " ! queue ! cudadownload ! video/x-raw ! " SINK},
    [BENCH_PATH_GL] = {.memory = BENCH_MEMORY_OWN,
                       .format = "RGBA",
                       .element = "glupload",
                       .line = "glupload ! gleffects_sobel ! gldownload ! video/x-raw ! " SINK},
    [BENCH_PATH_DECODE] = {.cuda_out = TRUE, .element = "nvh264dec", .line = DECODER " ! " SINK},
    [BENCH_PATH_DECODE_FILTER] = {.cuda_out = TRUE,
                                  .element = "nvh264dec",
                                  .line = DECODER " ! " FILTER " ! " SINK},
    [BENCH_PATH_LIVE] = {.memory = BENCH_MEMORY_POOL,
                         .live = TRUE,
                         .element = "cudaconv",
                         .line = FILTER " ! " SINK},
};

gboolean
bench_path_is_own(BenchPath path) {
  return builds[path].line && g_strrstr(builds[path].line, FILTER);
}

gboolean
bench_pipelines_prepare(GError **error) {
  /* Otherwise malloc begins to take large blocks from a heap once it has freed one, and what
   * pages the frames of a case have depends on the cases before. */
  mallopt(M_MMAP_THRESHOLD, LEAST_MAPPED);
  g_autoptr(GstElementFactory) factory = gst_element_factory_find("cudaconv");
  if (factory)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
              "GStreamer finds no element cudaconv: install it, or set GST_PLUGIN_PATH to the "
              "folder of libgstcudaconv.so");
  return FALSE;
}

/* --- building --- */

static GstCaps *
caps_of(const BenchPipelineConfig *config) {
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, config->format,
                                      "width", G_TYPE_INT, (gint)config->width, "height",
                                      G_TYPE_INT, (gint)config->height, "framerate",
                                      GST_TYPE_FRACTION, BENCH_FRAMES_A_SECOND, 1, NULL);
  if (builds[config->path].cuda_in)
    gst_caps_set_features_simple(caps, gst_caps_features_from_string(CUDA_MEMORY));
  return caps;
}

/* Whether the element is here, and such frames exist. */
static gboolean
check_element(const BenchPipelineConfig *config, GstCaps *caps, GError **error) {
  const Build *build = &builds[config->path];
  g_autoptr(GstElementFactory) factory = gst_element_factory_find(build->element);
  if (!factory) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "there is no %s here", build->element);
    return FALSE;
  }
  if (config->file)
    return TRUE;
  if (build->format && g_strcmp0(build->format, config->format) != 0) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "takes %s only", build->format);
    return FALSE;
  }
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps) || info.size > G_MAXUINT) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s of %ux%u is no frame in GStreamer",
                config->format, config->width, config->height);
    return FALSE;
  }
  return TRUE;
}

/* Whether the elements behind the source take such frames. */
static gboolean
check_caps(const BenchPipelineConfig *config, GstElement *bin, GstCaps *caps, GError **error) {
  const Build *build = &builds[config->path];
  g_autoptr(GstPad) pad = gst_element_get_static_pad(bin, "sink");
  g_autoptr(GstCaps) possible = gst_pad_query_caps(pad, caps);
  if (!gst_caps_is_empty(possible))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s takes no %s of %ux%u%s", build->element,
              config->format, config->width, config->height,
              build->cuda_in || build->cuda_out ? " in CUDA memory" : "");
  return FALSE;
}

/* Elements that choose a device for themselves take this one. */
static void
set_device(GstElement *bin, gint device_id) {
  g_autoptr(GstIterator) elements = gst_bin_iterate_recurse(GST_BIN(bin));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    GObject *element = g_value_get_object(&item);
    const GParamSpec *spec =
        g_object_class_find_property(G_OBJECT_GET_CLASS(element), "cuda-device-id");
    if (spec && spec->flags & G_PARAM_WRITABLE)
      g_object_set(element, "cuda-device-id", device_id, NULL);
    g_value_unset(&item);
  }
}

static void
set_file(GstElement *bin, const gchar *name) {
  g_autoptr(GstElement) file = gst_bin_get_by_name(GST_BIN(bin), "file");
  g_object_set(file, "location", name, NULL);
}

GstElement *
bench_pipeline_new(const BenchPipelineConfig *config, GError **error) {
  const Build *build = &builds[config->path];
  g_autoptr(GstCaps) caps = config->file ? NULL : caps_of(config);
  g_autoptr(GError) reason = NULL;
  if (!check_element(config, caps, error))
    return NULL;
  GstElement *bin = gst_parse_bin_from_description_full(build->line, !config->file, NULL,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &reason);
  if (!bin) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s", reason->message);
    return NULL;
  }
  if (!config->file && !check_caps(config, bin, caps, error)) {
    gst_object_unref(gst_object_ref_sink(bin));
    return NULL;
  }
  GstElement *pipeline = gst_pipeline_new(NULL);
  gst_bin_add(GST_BIN(pipeline), bin);
  set_device(bin, config->device_id);
  if (config->file) {
    set_file(bin, config->file);
  } else {
    GstElement *source = bench_source_new(caps, build->memory, build->live);
    gst_bin_add(GST_BIN(pipeline), source);
    gst_element_link(source, bin);
  }
  return pipeline;
}

/* --- running --- */

void
bench_pipelines_start(const GPtrArray *pipelines) {
  for (guint i = 0; i < pipelines->len; i++)
    gst_element_set_state(g_ptr_array_index(pipelines, i), GST_STATE_PLAYING);
}

void
bench_pipelines_stop(GPtrArray *pipelines) {
  for (guint i = 0; i < pipelines->len; i++) {
    gst_element_set_state(g_ptr_array_index(pipelines, i), GST_STATE_NULL);
    gst_object_unref(g_ptr_array_index(pipelines, i));
  }
  g_ptr_array_set_size(pipelines, 0);
}

static const gchar *
get_word(const GstStructure *stats, const gchar *field) {
  return g_intern_string(gst_structure_get_string(stats, field));
}

static void
describe_filter(GstElement *filter, BenchPipelineResult *result) {
  g_autoptr(GstStructure) stats = NULL;
  g_object_get(filter, "stats", &stats, NULL);
  gst_structure_get_uint(stats, "in-flight", &result->in_flight);
  result->in_path = get_word(stats, "input-path");
  result->out_path = get_word(stats, "output-path");
}

static gboolean
describe_sink(GstElement *sink, const BenchPipelineConfig *config, BenchPipelineResult *result,
              GError **error) {
  const gboolean cuda = builds[config->path].cuda_out;
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  GstVideoInfo info;
  if (!caps || !gst_video_info_from_caps(&info, caps) ||
      gst_caps_features_contains(gst_caps_get_features(caps, 0), CUDA_MEMORY) != cuda) {
    g_autofree gchar *text = caps ? gst_caps_to_string(caps) : g_strdup("nothing");
    g_set_error(error, CC_ERROR, CC_ERROR_DEVICE, "%s arrives at the sink instead of frames in %s",
                text, cuda ? "CUDA memory" : "system memory");
    return FALSE;
  }
  result->format = gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info));
  result->width = (guint)info.width;
  result->height = (guint)info.height;
  result->bytes = config->file ? 0 : 2 * info.size; /* a decoder is given none */
  return TRUE;
}

gboolean
bench_pipeline_describe(GstElement *pipeline, const BenchPipelineConfig *config,
                        BenchPipelineResult *result, GError **error) {
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(pipeline), "filter");
  result->path = config->path;
  if (filter)
    describe_filter(filter, result);
  return describe_sink(sink, config, result, error);
}

gboolean
bench_pipeline_run(GstElement *pipeline, const BenchPipelineConfig *config, BenchMeter *meter,
                   BenchPipelineResult *result, GError **error) {
  g_autoptr(GPtrArray) pipelines = g_ptr_array_new();
  g_ptr_array_add(pipelines, pipeline);
  bench_meter_watch(meter, pipeline);
  bench_pipelines_start(pipelines);
  const gboolean ok = bench_meter_wait(meter, &result->time, error) &&
                      bench_pipeline_describe(pipeline, config, result, error);
  bench_pipelines_stop(pipelines);
  bench_meter_clear(meter);
  return ok;
}
