/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What was measured of pipelines, for the tables, files and claims. */

#include "timing.h"

G_BEGIN_DECLS

#define BENCH_STREAMS 16 /* pipelines at once, unless told otherwise */

/* The way that frames take from a source to a sink. */
typedef enum {
  BENCH_PATH_BUS,              /* no pipeline: copies in pinned memory, both ways at once */
  BENCH_PATH_BUS_UP,           /* to the device only */
  BENCH_PATH_BUS_DOWN,         /* from the device only */
  BENCH_PATH_POOL,             /* cudaconv, frames in the pool that it proposes */
  BENCH_PATH_OWN,              /* cudaconv, frames in recycled memory of the source's own */
  BENCH_PATH_FRESH,            /* cudaconv, frames in new memory */
  BENCH_PATH_CUDA,             /* cudaconv, CUDA memory in and out */
  BENCH_PATH_CUDA_TO_SYSTEM,   /* cudaconv, CUDA memory in */
  BENCH_PATH_SYSTEM_TO_CUDA,   /* cudaconv, CUDA memory out, frames in the pool that it proposes */
  BENCH_PATH_CUDAUPLOAD,       /* GStreamer's upload and download, with no filter between */
  BENCH_PATH_CUDAUPLOAD_QUEUE, /* the same with a queue between */
  BENCH_PATH_GL,               /* GStreamer's Sobel filter on OpenGL */
  BENCH_PATH_DECODE,           /* a decoder into CUDA memory alone */
  BENCH_PATH_DECODE_FILTER,    /* the decoder, then cudaconv */
  BENCH_PATH_LIVE, /* cudaconv after a live source, frames in the pool that it proposes */
  BENCH_N_PATHS,
} BenchPath;

typedef struct {
  BenchPath path;
  const gchar *format; /* as GStreamer names it */
  guint width, height;
  guint n_streams, n_devices; /* pipelines at once, and devices that they are spread over */
  BenchTime time;             /* between two frames, of all pipelines together; wall clock */
  gsize bytes;                /* of a frame going in and of one coming out */
  /* 0 where there is none: */
  gdouble bus_us;                  /* the time that the bus needs for such a frame */
  gdouble kernel_us;               /* the time that the kernel alone needs */
  gdouble latency_ms, worst_ms;    /* from the element's sink pad to its source pad */
  gdouble device_mb;               /* device memory of a stream, 10^6 bytes */
  guint in_flight;                 /* frames that cudaconv has under way */
  const gchar *in_path, *out_path; /* what cudaconv says of the memory, or NULL; interned */
} BenchPipelineResult;

/* "bus", "pool", "cuda-to-system" ... */
const gchar *bench_path_name(BenchPath path);

/* Frames a second. */
static inline gdouble
bench_pipeline_fps(const BenchPipelineResult *result) {
  return 1e6 / result->time.us;
}

/* Microseconds a frame above the kernel's own time; 0 where there is none. */
static inline gdouble
bench_pipeline_above_kernel(const BenchPipelineResult *result) {
  return result->kernel_us > 0 ? result->time.us - result->kernel_us : 0;
}

/* The result of a path on the same frames, as many at once, or NULL. */
const BenchPipelineResult *bench_pipeline_find(const GArray *results, BenchPath path,
                                               const gchar *format, guint width, guint height,
                                               guint n_streams);

/* How many times as fast as `peer` on the same frames a result is; 0 when that was not measured,
 * and for the bus. */
gdouble bench_pipeline_versus(const GArray *results, const BenchPipelineResult *result,
                              BenchPath peer);

G_END_DECLS
