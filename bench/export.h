/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* All results of a run as JSON, CSV and a chart. */

#include "result.h"

G_BEGIN_DECLS

/* A run, for the files. */
typedef struct {
  const gchar *device;
  gint driver_version; /* as cuDriverGetVersion says: 13000 is CUDA 13.0 */
  gsize l2_bytes;
  const gchar *npp;       /* its version, or NULL */
  const GArray *results;  /* BenchResult */
  const GArray *verdicts; /* BenchVerdict */
} BenchRun;

/* The texts; to be freed. */
gchar *bench_export_json(const BenchRun *run);
gchar *bench_export_csv(const BenchRun *run);

/* An SVG file with a bar for each result: its share of the copy rate, in groups of one case. */
gchar *bench_export_svg(const BenchRun *run);

G_END_DECLS
