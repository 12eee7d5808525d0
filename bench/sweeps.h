/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the sweeps over frames of different formats and sizes share. */

#include "pipeline.h"

G_BEGIN_DECLS

typedef gboolean (*BenchSweepCall)(BenchPipelines *self, const BenchCase *c, gpointer data,
                                   GError **error);

/* Calls for each combination of formats and sizes until one fails. NULL: for RGBA of 1920x1080. */
gboolean bench_sweep(BenchPipelines *self, const BenchSelection *selection, BenchSweepCall call,
                     gpointer data, GError **error);

/* A result that knows only its frames. */
BenchPipelineResult bench_sweep_result(const BenchCase *c, BenchPath path);

G_END_DECLS
