/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tables of taps for conv2d kernels, which multiply windows of bytes of a source row with
 * matrices of taps. */

#include "requantization.h"
#include "pass.h"

G_BEGIN_DECLS

typedef struct {
  guint8 digits;              /* of a tap */
  guint8 chunks, chunk_bytes; /* of a window */
  guint8 groups;              /* groups of 8 target bytes per window */
  guint8 rows;                /* of taps, for each matrix, digit and chunk */
  guint8 lead; /* bytes of a window to the left of the source bytes of its target bytes */
  guint8 stride;
  guint8 phases; /* tables, for windows that begin with component 0, 1 and so on of a pixel */
} CcTensorCoreTable;

/* Bytes of a plane job's table, for an op. */
guint cc_tensor_core_table_bytes(const CcTensorCoreTable *table, const CcOp *op);

/* Writes a table to zeroed memory. For each phase it has rows of taps for each matrix, digit (the
 * highest first) and chunk. A row is a matrix of window bytes x 8 target bytes as an mma operand:
 * chunk_bytes / 4 bytes of each group for each lane of a warp. Behind the rows are the initial sums
 * of each two target bytes, as int32, twice. */
void cc_tensor_core_write_table(guint8 *to, const CcTensorCoreTable *table, const CcPlaneJob *job,
                                const CcPass *pass, const CcRequantization *numbers,
                                guint macropixel_luma);

/* The position of the source sample of target sample n of a window. It is counted in samples from
 * `stride` times the position of the window's first target sample, where the table's `lead` ends.
 * The window begins with component `first`. */
gint cc_tensor_core_source_sample(guint macropixel_luma, gint step, gint stride, gint first,
                                  gint n);

/* The digit of weight 256^d of a tap. Digits are signed bytes. */
gint8 cc_tensor_digit(gint64 tap, guint d);

/* The number of digits of the largest of `n` taps. */
guint cc_tensor_n_digits(const gint32 *tap, guint n);

G_END_DECLS
