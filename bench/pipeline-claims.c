/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "claims.h"

#include "pipeline-result.h"

typedef enum {
  SHARE,   /* percent of the bus limit, at least */
  VERSUS,  /* times as fast as a peer, at least */
  ABOVE,   /* microseconds above the kernel's own time, at most */
  LATENCY, /* milliseconds that a frame stays in the element, the median, at most */
  WORST,   /* the same, the longest */
} Measure;

/* A set of claims: each path with each size and format. */
typedef struct {
  Measure measure;
  gdouble wanted;
  BenchPath peer; /* of VERSUS */
  guint n_streams;
  guint width[2], height[2];
  const BenchPath paths[3]; /* ended by BENCH_PATH_BUS, which is none */
  const gchar *formats[3];
} Claims;

#define BOTH                                                                                       \
  {1920, 3840}, {                                                                                  \
    1080, 2160                                                                                     \
  }
#define HD                                                                                         \
  {1920}, {                                                                                        \
    1080                                                                                           \
  }
#define SYSTEM                                                                                     \
  { BENCH_PATH_POOL, BENCH_PATH_OWN }

static const Claims claims[] = {
    {SHARE, 85, 0, 1, BOTH, SYSTEM, {"RGBA"}},
    {SHARE, 85, 0, 1, HD, SYSTEM, {"I420"}},
    {VERSUS, 5, BENCH_PATH_CUDAUPLOAD, 1, BOTH, SYSTEM, {"RGBA"}},
    {VERSUS, 5, BENCH_PATH_CUDAUPLOAD, 1, HD, SYSTEM, {"I420"}},
    {VERSUS, 8, BENCH_PATH_GL, 1, BOTH, SYSTEM, {"RGBA"}},
    {ABOVE, 10, 0, 1, HD, {BENCH_PATH_CUDA}, {"NV12"}},
    {SHARE, 95, 0, BENCH_STREAMS, HD, {BENCH_PATH_POOL}, {"RGBA"}},
    {LATENCY, 2, 0, 1, HD, {BENCH_PATH_LIVE}, {"RGBA"}},
    {WORST, 2, 0, 1, HD, {BENCH_PATH_LIVE}, {"RGBA"}},
};

static gdouble
measured(const GArray *results, const Claims *c, const BenchPipelineResult *result) {
  switch (c->measure) {
  case SHARE:
    return bench_time_share(&result->time, result->bus_us);
  case VERSUS:
    return bench_pipeline_versus(results, result, c->peer);
  case ABOVE:
    return bench_pipeline_above_kernel(result);
  case LATENCY:
    return result->latency_ms;
  default:
    return result->worst_ms;
  }
}

static gchar *
describe(const Claims *c, BenchPath path, const gchar *format, guint width, guint height) {
  static const gchar *const units[] = {
      [SHARE] = "% of the bus limit",         [VERSUS] = "times as fast as ",
      [ABOVE] = "us above the kernel's time", [LATENCY] = "ms in the element, median",
      [WORST] = "ms in the element, worst",
  };
  g_autofree gchar *streams =
      c->n_streams == 1 ? NULL : g_strdup_printf(", %u at once", c->n_streams);
  return g_strdup_printf("%s %s %ux%u%s, %s%s", bench_path_name(path), format, width, height,
                         streams ? streams : "", units[c->measure],
                         c->measure == VERSUS ? bench_path_name(c->peer) : "");
}

static void
judge(GArray *verdicts, const GArray *results, const Claims *c, BenchPath path, const gchar *format,
      guint size, gboolean all) {
  const guint width = c->width[size], height = c->height[size];
  const BenchPipelineResult *result =
      bench_pipeline_find(results, path, format, width, height, c->n_streams);
  const gdouble value = result ? measured(results, c, result) : 0;
  if (value <= 0 && !all)
    return;
  const BenchVerdict verdict = {
      .text = describe(c, path, format, width, height),
      .measured = value,
      .wanted = c->wanted,
      .at_least = c->measure == SHARE || c->measure == VERSUS,
  };
  g_array_append_val(verdicts, verdict);
}

/* The only claim that holds for any frames: whatever the file has. */
static void
judge_decoding(GArray *verdicts, const GArray *results) {
  for (guint i = 0; i < results->len; i++) {
    const BenchPipelineResult *r = &g_array_index(results, BenchPipelineResult, i);
    if (r->path != BENCH_PATH_DECODE_FILTER)
      continue;
    const BenchVerdict verdict = {
        .text = g_strdup_printf("%s %s %ux%u, %% of the decoder's own rate",
                                bench_path_name(r->path), r->format, r->width, r->height),
        .measured = 100 * bench_pipeline_versus(results, r, BENCH_PATH_DECODE),
        .wanted = 98,
        .at_least = TRUE,
    };
    g_array_append_val(verdicts, verdict);
  }
}

GArray *
bench_claims_judge_pipelines(const GArray *results, gboolean all) {
  GArray *verdicts = bench_verdicts_new();
  for (const Claims *c = claims; c < claims + G_N_ELEMENTS(claims); c++)
    for (const BenchPath *path = c->paths; *path != BENCH_PATH_BUS; path++)
      for (const gchar *const *format = c->formats; *format; format++)
        for (guint size = 0; size < G_N_ELEMENTS(c->width) && c->width[size]; size++)
          judge(verdicts, results, c, *path, *format, size, all);
  judge_decoding(verdicts, results);
  return verdicts;
}
