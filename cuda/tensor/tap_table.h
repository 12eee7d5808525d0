/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tables of taps for conv2d kernels. These kernels multiply windows (bytes of a source row) by
 * matrices of taps. */

#include "requantization.h"
#include "pass.h"

G_BEGIN_DECLS

/* The dimensions of a table. */
typedef struct {
  guint8 digits;
  guint8 chunks, chunk_bytes; /* chunks of a window, bytes of a chunk */
  guint8 groups;              /* groups of 8 target bytes per window */
  guint8 rows;                /* rows of taps for each matrix, digit and chunk */
  guint8 lead; /* bytes of a window before the source bytes at the positions of its target bytes */
  guint8 stride;
  /* phase i is for windows that begin with component i of a pixel */
  guint8 phases;
} CcTensorCoreTable;

/* The size in bytes of a plane job's table, for an op. */
guint cc_tensor_core_table_bytes(const CcTensorCoreTable *table, const CcOp *op);

/* Writes a table to zeroed memory. Each phase has rows of taps for each matrix, digit (the highest
 * first) and chunk. A row of taps is a matrix of chunk_bytes window bytes x 8 target bytes for each
 * group, in the layout of an mma operand. Each lane of a warp has chunk_bytes / 4 bytes of it for
 * each group. After the rows come the initial sums as int32: for each two neighbouring target bytes
 * both sums, and then both sums once more. */
void cc_tensor_core_write_table(guint8 *to, const CcTensorCoreTable *table, const CcPlaneJob *job,
                                const CcPass *pass, const CcRequantization *numbers,
                                guint macropixel_luma);

/* The position of the source sample of target sample n of a window. The window begins with
 * component `first`. Positions are counted in samples from the source sample at `stride` times the
 * position of the window's first target sample. The table's `lead` ends at that source sample. */
gint cc_tensor_core_source_sample(guint macropixel_luma, gint step, gint stride, gint first,
                                  gint n);

/* The digit of weight 256^d of a tap. Digits are signed bytes. */
gint8 cc_tensor_digit(gint64 tap, guint d);

/* The smallest number of digits with which each of `n` taps can be written. */
guint cc_tensor_n_digits(const gint32 *tap, guint n);

G_END_DECLS
