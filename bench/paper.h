/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The experiments of the texts that the algorithms come from; docs/benchmarks.md has their figures
 * and where they come from. */

#include "cases.h"

G_BEGIN_DECLS

/* An 8-bit picture, 3x3, every second pixel of every second row kept: the serial loop on one CPU
 * core, and every algorithm on the GPU, whose results must be equal to the loop's byte by byte;
 * else CC_ERROR_DEVICE. */
gboolean bench_paper_stride(BenchSession *session, BenchSize size, GError **error);

/* All experiments: the one above at 10001x10001; the tiled convolution in registers beside two
 * passes; the naive version, constant memory and both ways of tiling in shared memory side by side.
 * `sizes` (BenchSize), when not NULL, replaces the texts' sizes. */
gboolean bench_paper_run(BenchSession *session, const GArray *sizes, GError **error);

/* The texts' size of the first. */
#define BENCH_PAPER_SIZE ((BenchSize){10001, 10001})

G_END_DECLS
