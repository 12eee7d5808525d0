/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tap_table.h"

#include "conv2d_kernels.h"

/* --- digits --- */

gint8
cc_tensor_digit(gint64 tap, guint d) {
  for (; d > 0; d--)
    tap = (tap - (gint8)tap) / 256;
  return (gint8)tap;
}

guint
cc_tensor_n_digits(const gint32 *tap, guint n) {
  guint max = 1;
  for (guint i = 0; i < n; i++) {
    guint digits = 1;
    for (gint64 rest = tap[i]; rest != (gint8)rest; digits++)
      rest = (rest - (gint8)rest) / 256;
    max = MAX(max, digits);
  }
  return max;
}

/* --- tables --- */

/* A window and the inputs of its table. The window begins with component `first`. */
typedef struct {
  const CcTensorCoreTable *table;
  const CcPlaneJob *job;
  const CcPass *pass;
  const CcRequantization *numbers;
  guint macropixel_luma;
  gint first;
} Window;

gint
cc_tensor_core_source_sample(guint macropixel_luma, gint step, gint stride, gint first, gint n) {
  const gint sample = first + n,
             apart = cc_tensor_core_samples_apart(macropixel_luma, step, sample % step);
  return stride * (sample / apart * apart - first) + sample % apart;
}

static gint
component_of(const Window *w, gint byte) {
  return (w->first + byte / w->job->sample_bytes) % w->job->step;
}

/* The tap of row r of matrix m for byte `at` of a window and target byte `byte`. With samples of
 * two bytes, the first target byte of a sample is the sum of the low bytes, and the second target
 * byte is the sum of the high bytes. */
static gint
tap_for_byte(const Window *w, guint m, guint r, gint byte, gint at) {
  const CcOp *op = w->pass->op;
  const gint bytes = w->job->sample_bytes, half = byte % bytes, component = component_of(w, byte);
  if (at % bytes != half)
    return 0;
  const gint distance = (at - w->table->lead - half) / bytes -
                        cc_tensor_core_source_sample(w->macropixel_luma, w->job->step,
                                                     w->table->stride, w->first, byte / bytes);
  if (!(w->pass->filter_mask >> component & 1))
    return w->pass->copy_mask >> component & 1 && distance == 0 && m == 0 && r == op->height / 2;
  const gint apart = cc_tensor_core_samples_apart(w->macropixel_luma, w->job->step, component);
  const gint c = distance / apart + (gint)op->width / 2;
  if (distance % apart != 0 || c < 0 || c >= (gint)op->width)
    return 0;
  return op->tap_i[(m * op->height + r) * op->width + (guint)c] * (1 << w->numbers->tap_shift);
}

/* Writes digit d of row r of matrix m, for the chunk that begins with byte `from` of the window.
 * Lane 4g + t holds bytes 4t to 4t + 3 and 16 + 4t to 19 + 4t of column g. Columns are ordered so
 * that each lane of the products gets neighbouring target bytes. */
static void
write_row(gint8 *to, const Window *w, guint m, guint r, guint d, gint from) {
  const gint groups = w->table->groups;
  for (gint lane = 0; lane < 32; lane++)
    for (gint group = 0; group < groups; group++)
      for (gint i = 0; i < w->table->chunk_bytes / 4; i++) {
        const gint column = lane / 4, byte = 2 * (groups * (column / 2) + group) + column % 2;
        const gint at = from + 4 * (lane % 4) + 16 * (i / 4) + i % 4;
        *to++ = cc_tensor_digit(tap_for_byte(w, m, r, byte, at), d);
      }
}

static gint32
start_of_byte(const Window *w, gint byte) {
  const gint component = component_of(w, byte);
  if (byte % w->job->sample_bytes != 0)
    return 0;
  if (w->pass->filter_mask >> component & 1)
    return (gint32)w->numbers->start;
  return w->pass->fill_mask >> component & 1 ? w->pass->fill[component] << w->job->shift : 0;
}

static guint
row_bytes(const CcTensorCoreTable *table) {
  return 8u * table->groups * table->chunk_bytes;
}

static guint
taps_bytes(const CcTensorCoreTable *table, const CcOp *op) {
  return op->n_matrices * table->digits * table->chunks * table->rows * row_bytes(table);
}

static guint
phase_bytes(const CcTensorCoreTable *table, const CcOp *op) {
  return taps_bytes(table, op) + 16u * table->groups * (guint)sizeof(gint32);
}

guint
cc_tensor_core_table_bytes(const CcTensorCoreTable *table, const CcOp *op) {
  return table->phases * phase_bytes(table, op);
}

static void
write_phase(guint8 *to, const Window *w) {
  const CcTensorCoreTable *table = w->table;
  const CcOp *op = w->pass->op;
  const guint above = (table->rows - op->height) / 2;
  gint8 *chunk_taps = (gint8 *)to + above * row_bytes(table);
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint d = table->digits; d-- > 0;)
      for (guint chunk = 0; chunk < table->chunks; chunk++) {
        for (guint r = 0; r < op->height; r++)
          write_row(chunk_taps + r * row_bytes(table), w, m, r, d,
                    (gint)chunk * table->chunk_bytes);
        chunk_taps += table->rows * row_bytes(table);
      }
  gint32 *start = (gint32 *)(gpointer)(to + taps_bytes(table, op));
  for (gint pair = 0; pair < 4 * table->groups; pair++)
    for (gint i = 0; i < 4; i++)
      *start++ = start_of_byte(w, 2 * pair + i % 2);
}

void
cc_tensor_core_write_table(guint8 *to, const CcTensorCoreTable *table, const CcPlaneJob *job,
                           const CcPass *pass, const CcRequantization *numbers,
                           guint macropixel_luma) {
  for (gint first = 0; first < table->phases; first++) {
    const Window window = {table, job, pass, numbers, macropixel_luma, first};
    write_phase(to, &window);
    to += phase_bytes(table, pass->op);
  }
}
