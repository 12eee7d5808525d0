/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The results of pipelines as text, JSON and CSV. */

#include <stdio.h>
#include "pipeline-result.h"

G_BEGIN_DECLS

/* A heading and the names of the columns. */
void bench_pipeline_report_heading(FILE *file, const gchar *heading);

/* The results from `first` on, as rows. */
void bench_pipeline_report_rows(FILE *file, const GArray *results, guint first);

/* One object, without what the result does not have. */
void bench_pipeline_append_json(GString *out, const GArray *results, guint i);

/* A line with the names of the fields, and one for each result. */
void bench_pipeline_append_csv(GString *out, const GArray *results);

G_END_DECLS
