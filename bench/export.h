/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* All results of a run as JSON, CSV and a chart. */

#include "result.h"

G_BEGIN_DECLS

/* A run, for the files. It owns the arrays and `npp`. */
typedef struct {
  const gchar *device;
  gint driver_version; /* as cuDriverGetVersion says: 13000 is CUDA 13.0 */
  gsize l2_bytes;
  gchar *npp;        /* its version, or NULL */
  GArray *results;   /* BenchResult, or NULL: pipelines were measured */
  GArray *pipelines; /* BenchPipelineResult, or NULL: kernels were measured */
  GArray *verdicts;  /* BenchVerdict */
} BenchRun;

void bench_run_clear(BenchRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BenchRun, bench_run_clear)

/* "name": "value" or "name": null, as JSON writes it. */
void bench_json_append_member(GString *out, const gchar *name, const gchar *value);

/* The texts; to be freed. */
gchar *bench_export_json(const BenchRun *run);
gchar *bench_export_csv(const BenchRun *run);

/* An SVG file with a bar for each result: its share of the copy rate, in groups of one case. */
gchar *bench_export_svg(const BenchRun *run);

G_END_DECLS
