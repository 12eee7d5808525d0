/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The text table. */

#include <stdio.h>
#include "result.h"

G_BEGIN_DECLS

/* A heading and the names of the columns. */
void bench_report_heading(FILE *file, const gchar *heading);

/* The results of one case, as rows. */
void bench_report_case(FILE *file, const BenchResult *results, guint n);

G_END_DECLS
