/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The tables of taps for kernels that make windows in one stage: windows of bytes of a source row,
 * multiplied with matrices of taps. */

#include "requantization.h"
#include "pass.h"

G_BEGIN_DECLS

typedef struct {
  guint8 digits;              /* of a tap */
  guint8 chunks, chunk_bytes; /* of a window */
  guint8 groups;              /* of 8 target bytes that are made of a window */
  guint8 rows;                /* of taps, for each matrix, digit and chunk */
  guint8 lead;                /* bytes of a window left of those above its target bytes */
  guint8 stride;
  guint8 phases; /* tables, for windows that begin with component 0, 1 and so on of a pixel */
} CcTensorCoreTable;

/* How many bytes a part's table has, for an op. */
guint cc_tensor_core_table_bytes(const CcTensorCoreTable *table, const CcOp *op);

/* Writes it to where all is zero. For each phase it has, for each matrix, digit (the highest first)
 * and chunk, rows of taps as matrices of bytes of the window x 8 target bytes, as the tensor cores
 * take them: chunk_bytes / 4 of each group for each lane of a warp. Behind them stands what the
 * sums of each two target bytes begin with, as int32, twice. */
void cc_tensor_core_write_table(guint8 *to, const CcTensorCoreTable *table, const CcPlaneJob *job,
                                const CcPass *pass, const CcRequantization *numbers, guint pairs);

/* How far the source sample under sample n of a window's target is from where the source bytes of
 * the window begin; the window begins with component `first`. */
gint cc_tensor_core_source_sample(guint pairs, gint step, gint stride, gint first, gint n);

/* The digit of weight 256^d of a tap: digits are signed bytes. */
gint8 cc_tensor_digit(gint64 tap, guint d);

/* How many digits the largest of `n` taps needs. */
guint cc_tensor_n_digits(const gint32 *tap, guint n);

G_END_DECLS
