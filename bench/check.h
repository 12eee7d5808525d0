/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A case as the texts' serial loop does it on one CPU core, for its time, and for what the
 * algorithms on the device have to give, byte by byte. */

#include "cuda/program.h"
#include "timing.h"

G_BEGIN_DECLS

/* 8-bit samples, `pitch` bytes from row to row. */
typedef struct {
  guint8 *data;
  gsize pitch;
  gint width, height;
} BenchPicture;

typedef struct {
  BenchPicture src, expected; /* src lies as in device memory, expected without padding */
  gsize src_bytes;
  guint n_checked; /* algorithms that gave the same */
} BenchCheck;

/* Runs the loop on a picture of random pixels. CC_ERROR_INVALID for plans that it cannot run: it
 * knows 8-bit grey with a constant border of 0, and a matrix of integers that are not negative,
 * over their sum. The program is one of the plan's. */
gboolean bench_check_begin(BenchCheck *self, const CcPlan *plan, const CcCudaProgram *program,
                           BenchTime *time, GError **error);
void bench_check_clear(BenchCheck *self);

/* Runs a program of the plan on that picture. CC_ERROR_DEVICE says how many pixels differ. */
gboolean bench_check_program(BenchCheck *self, BenchTimer *timer, const CcCudaProgram *program,
                             GError **error);

G_END_DECLS
