/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paths.h"

#include <string.h>
#include "common.h"
#include "engine/error.h"

#define CUDA_MEMORY "memory:CUDAMemory"
#define IN_CUDA "video/x-raw(" CUDA_MEMORY ")"
#define FILTER "cudaconv name=filter kernel=sobel backend=cuda"
#define SINK "fakesink name=sink sync=false enable-last-sample=false"
#define DECODER "filesrc name=file ! parsebin ! nvh264dec ! " IN_CUDA

/* A peer is a row here and a word in a list of report.py. */
static const BenchPath paths[] = {
    {"bus", .bus_up = TRUE, .bus_down = TRUE},
    {"bus-up", .bus_up = TRUE},
    {"bus-down", .bus_down = TRUE},
    {"pool", BENCH_MEMORY_POOL, .element = "cudaconv", .line = FILTER " ! " SINK},
    {"own", BENCH_MEMORY_OWN, .element = "cudaconv", .line = FILTER " ! " SINK},
    {"fresh", BENCH_MEMORY_FRESH, .element = "cudaconv", .line = FILTER " ! " SINK},
    {"live", BENCH_MEMORY_POOL, .live = TRUE, .element = "cudaconv", .line = FILTER " ! " SINK},
    {"cuda", BENCH_MEMORY_POOL, .cuda_in = TRUE, .cuda_out = TRUE, .element = "cudaconv",
     .line = FILTER " ! " SINK},
    {"cuda-to-system", BENCH_MEMORY_POOL, .cuda_in = TRUE, .element = "cudaconv",
     .line = FILTER " ! video/x-raw ! " SINK},
    {"system-to-cuda", BENCH_MEMORY_POOL, .cuda_out = TRUE, .element = "cudaconv",
     .line = FILTER " ! " IN_CUDA " ! " SINK},
    {"cudaupload", BENCH_MEMORY_OWN, .element = "cudaupload",
     .line = "cudaupload ! " IN_CUDA " ! cudadownload ! video/x-raw ! " SINK},
    {"cudaupload-queue", BENCH_MEMORY_OWN, .element = "cudaupload",
     .line = "cudaupload ! " IN_CUDA " ! queue ! cudadownload ! video/x-raw ! " SINK},
    {"gl", BENCH_MEMORY_OWN, .format = "RGBA", .element = "glupload",
     .line = "glupload ! gleffects_sobel ! gldownload ! video/x-raw ! " SINK},
    {"decode", .file = TRUE, .cuda_out = TRUE, .element = "nvh264dec", .line = DECODER " ! " SINK},
    {"decode-cudaconv", .file = TRUE, .cuda_out = TRUE, .element = "nvh264dec",
     .line = DECODER " ! " FILTER " ! " SINK},
};

const BenchPath *
bench_path_find(const gchar *name) {
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
    if (strcmp(name, paths[i].name) == 0)
      return &paths[i];
  return NULL;
}

gchar *
bench_path_names(void) {
  const gchar *names[G_N_ELEMENTS(paths) + 1] = {NULL};
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
    names[i] = paths[i].name;
  return g_strjoinv(", ", (gchar **)names);
}

gboolean
bench_path_is_own(const BenchPath *path) {
  return path->line && strstr(path->line, FILTER);
}

static GstCaps *
caps_of(const BenchTask *task) {
  GstCaps *caps =
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, task->format, "width", G_TYPE_INT,
                          (gint)task->width, "height", G_TYPE_INT, (gint)task->height, "framerate",
                          GST_TYPE_FRACTION, BENCH_FRAMES_A_SECOND, 1, NULL);
  if (task->path->cuda_in)
    gst_caps_set_features_simple(caps, gst_caps_features_from_string(CUDA_MEMORY));
  return caps;
}

gsize
bench_task_frame_bytes(const BenchTask *task) {
  GstVideoInfo info;
  const GstVideoFormat format = gst_video_format_from_string(task->format);
  return format != GST_VIDEO_FORMAT_UNKNOWN &&
                 gst_video_info_set_format(&info, format, task->width, task->height) &&
                 info.size <= G_MAXUINT
             ? info.size
             : 0;
}

/* Whether the element is here, and takes the format. */
static gboolean
check_element(const BenchPath *path, const BenchTask *task, GError **error) {
  g_autoptr(GstElementFactory) factory = gst_element_factory_find(path->element);
  if (!factory)
    return bench_refuse(error, "there is no %s here", path->element);
  if (path->format && g_strcmp0(path->format, task->format) != 0)
    return bench_refuse(error, "takes %s only", path->format);
  return TRUE;
}

/* Whether the elements behind the source take such frames. */
static gboolean
check_caps(const BenchTask *task, GstElement *bin, GstCaps *caps, GError **error) {
  const BenchPath *path = task->path;
  g_autoptr(GstPad) pad = gst_element_get_static_pad(bin, "sink");
  g_autoptr(GstCaps) possible = gst_pad_query_caps(pad, caps);
  return !gst_caps_is_empty(possible) ||
         bench_refuse(error, "%s takes no %s of %ux%u%s", path->element, task->format, task->width,
                      task->height, path->cuda_in || path->cuda_out ? " in CUDA memory" : "");
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

GstElement *
bench_pipeline_new(const BenchTask *task, gint device_id, GError **error) {
  const BenchPath *path = task->path;
  g_autoptr(GstCaps) caps = path->file ? NULL : caps_of(task);
  g_autoptr(GError) reason = NULL;
  if (!check_element(path, task, error))
    return NULL;
  GstElement *bin = gst_parse_bin_from_description_full(path->line, !path->file, NULL,
                                                        GST_PARSE_FLAG_FATAL_ERRORS, &reason);
  if (!bin) {
    bench_refuse(error, "%s", reason->message);
    return NULL;
  }
  if (caps && !check_caps(task, bin, caps, error)) {
    gst_object_unref(gst_object_ref_sink(bin));
    return NULL;
  }
  GstElement *pipeline = gst_pipeline_new(NULL);
  gst_bin_add(GST_BIN(pipeline), bin);
  set_device(bin, device_id);
  if (path->file) {
    g_autoptr(GstElement) file = gst_bin_get_by_name(GST_BIN(bin), "file");
    g_object_set(file, "location", task->file, NULL);
  } else {
    GstElement *source = bench_source_new(caps, path->memory, path->live);
    gst_bin_add(GST_BIN(pipeline), source);
    gst_element_link(source, bin);
  }
  return pipeline;
}

gboolean
bench_pipeline_get_frames(GstElement *pipeline, const BenchPath *path, GstVideoInfo *info,
                          GError **error) {
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (caps && gst_video_info_from_caps(info, caps) &&
      gst_caps_features_contains(gst_caps_get_features(caps, 0), CUDA_MEMORY) == path->cuda_out)
    return TRUE;
  g_autofree gchar *text = caps ? gst_caps_to_string(caps) : g_strdup("nothing");
  g_set_error(error, CC_ERROR, CC_ERROR_DEVICE, "%s arrives at the sink instead of frames in %s",
              text, path->cuda_out ? "CUDA memory" : "system memory");
  return FALSE;
}
