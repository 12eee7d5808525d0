/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The ways that frames take from a source to a sink, each a pipeline of its own. */

#include <gst/video/video.h>
#include "source.h"

G_BEGIN_DECLS

#define BENCH_FRAMES_A_SECOND 60 /* as the caps say; live sources keep to it */

typedef struct {
  const gchar *name;
  BenchMemory memory;        /* of the source */
  gboolean live;             /* is the source */
  gboolean file;             /* frames are decoded; no source of ours */
  gboolean cuda_in;          /* in which memory the source's frames are, */
  gboolean cuda_out;         /* and those that arrive at the sink */
  const gchar *format;       /* the only one; NULL: several */
  const gchar *element;      /* that takes the frames, or decodes them */
  const gchar *line;         /* all behind the source; NULL: no pipeline but copies on the bus */
  gboolean bus_up, bus_down; /* which way these go */
} BenchPath;

/* One pipeline's frames. */
typedef struct {
  const BenchPath *path;
  gchar *format, *file; /* NULL where the path has none; without a path a heading */
  guint width, height, n_streams;
} BenchTask;

/* The path with this name, or NULL. */
const BenchPath *bench_path_find(const gchar *name);

/* All names, divided by commas. */
gchar *bench_path_names(void);

/* Whether this path is one of cudaconv. */
gboolean bench_path_is_own(const BenchPath *path);

/* Bytes of a frame as GStreamer lays it out, or 0 when it has none such. */
gsize bench_task_frame_bytes(const BenchTask *task);

/* A pipeline in state NULL with a sink of the name "sink" and, on cudaconv's paths, a "filter".
 * CC_ERROR_INVALID says which element is missing here, or does not take such frames. */
GstElement *bench_pipeline_new(const BenchTask *task, gint device_id, GError **error);

/* The frames that have arrived at the sink. Fails when they are not in the memory that the path
 * wants. */
gboolean bench_pipeline_get_frames(GstElement *pipeline, const BenchPath *path, GstVideoInfo *info,
                                   GError **error);

G_END_DECLS
