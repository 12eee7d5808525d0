/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline-result.h"

#include <string.h>

const gchar *
bench_path_name(BenchPath path) {
  static const gchar *const names[BENCH_N_PATHS] = {
      [BENCH_PATH_BUS] = "bus",
      [BENCH_PATH_BUS_UP] = "bus-up",
      [BENCH_PATH_BUS_DOWN] = "bus-down",
      [BENCH_PATH_POOL] = "pool",
      [BENCH_PATH_OWN] = "own",
      [BENCH_PATH_FRESH] = "fresh",
      [BENCH_PATH_CUDA] = "cuda",
      [BENCH_PATH_CUDA_TO_SYSTEM] = "cuda-to-system",
      [BENCH_PATH_SYSTEM_TO_CUDA] = "system-to-cuda",
      [BENCH_PATH_CUDAUPLOAD] = "cudaupload",
      [BENCH_PATH_CUDAUPLOAD_QUEUE] = "cudaupload-queue",
      [BENCH_PATH_GL] = "gl",
      [BENCH_PATH_DECODE] = "decode",
      [BENCH_PATH_DECODE_FILTER] = "decode-cudaconv",
      [BENCH_PATH_LIVE] = "live",
  };
  return names[path];
}

const BenchPipelineResult *
bench_pipeline_find(const GArray *results, BenchPath path, const gchar *format, guint width,
                    guint height, guint n_streams) {
  for (guint i = 0; i < results->len; i++) {
    const BenchPipelineResult *r = &g_array_index(results, BenchPipelineResult, i);
    if (r->path == path && r->width == width && r->height == height && r->n_streams == n_streams &&
        strcmp(r->format, format) == 0)
      return r;
  }
  return NULL;
}

gdouble
bench_pipeline_versus(const GArray *results, const BenchPipelineResult *result, BenchPath peer) {
  if (result->path <= BENCH_PATH_BUS_DOWN) /* it filters nothing */
    return 0;
  const BenchPipelineResult *other = bench_pipeline_find(
      results, peer, result->format, result->width, result->height, result->n_streams);
  return other && other != result ? other->time.us / result->time.us : 0;
}
