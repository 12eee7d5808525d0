/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A test harness for the fast code of the CPU backend, modelled on dav1d's checkasm. The code of
 * each instruction set runs on random and extreme input inside guard bands. It must give the same
 * bytes as plain code. */

#include "cpu/isa.h"
#include "cpu/workers.h"

G_BEGIN_DECLS

#define MAX_VARIANTS 16

typedef struct {
  const CcVariant *variant; /* being checked */
  gchar *name;              /* of the row kernel or frame being checked */
  guint n;                  /* samples in the rows of a row kernel */
  GRand *rand;              /* seeded again for each name */
  guint side;               /* whose row kernel runs: 0: C's, 1: the variant's */
  gboolean some;            /* only checks of some names run */
  gboolean bench, timing;   /* the run measures; the current row kernel is measured */
} Check;

extern Check check;

/* Returns a random number from min to max, both included. */
guint check_uint(guint min, guint max);

/* Starts the check of a row kernel or a frame. Returns FALSE if its name was not selected. */
gboolean check_begin(const gchar *format, ...) G_GNUC_PRINTF(1, 2);

/* Continues with another variant and seeds the random numbers again. */
void check_set_variant(const CcVariant *variant);

/* Counts a failure. Prints the first failure of each name. */
void check_fail(const gchar *format, ...) G_GNUC_PRINTF(1, 2);

/* Fills memory with random bytes, with bytes of 0 and 255, or with equal bytes. */
void check_fill(gpointer memory, gsize n_bytes);

/* --- row kernels --- */

/* Repeats a block for rows of several lengths, the last time for 1,000 samples. */
#define EACH(...) for (check_begin(__VA_ARGS__); check_next();)
gboolean check_next(void);

/* Returns row number i to read, filled at its first use in a round. It starts at a multiple of
 * `align`. Inaccessible memory begins `slack` bytes behind the row, or less than `align` bytes
 * later. */
gpointer check_source(guint i, gsize n_bytes, gsize align, gsize slack);
#define SRC(i, n_bytes, align) check_source(i, n_bytes, align, 0)
#define LANES(i, n_bytes, align) check_source(i, n_bytes, align, CC_ROW_SLACK)

/* Returns row number i to write, of the current side. Only the row and `slack` bytes behind it may
 * be written. */
gpointer check_out(guint i, gsize n_bytes, gsize align, gsize slack);
#define OUT(i, n_bytes, align) check_out(i, n_bytes, align, 0)
#define OUT_LANES(i, n_bytes) check_out(i, n_bytes, CC_ROW_ALIGN, CC_ROW_SLACK)

/* Compares the rows of both sides with each other, and their surroundings with the initial
 * content. */
void check_compare(void);

/* Ends one of 40 measurements, in which both sides alternate. The last one prints the best of both
 * sides. */
void check_measure(guint64 start, guint number);

/* Runs a statement that calls row kernels of `rows`: first with C's, then with the variant's. */
#define CHECK(...)                                                                                 \
  do {                                                                                             \
    for (guint i_ = 0; i_ < (check.n == 1000 && check.bench ? 42 : 2); i_++) {                     \
      const CcRows *rows = i_ % 2 ? check.variant->rows : &cc_rows_c;                              \
      check.side = i_ % 2;                                                                         \
      check.timing = i_ >= 2;                                                                      \
      const guint64 start_ = cc_now();                                                             \
      for (guint k_ = 0; k_ < (check.timing ? 100 : 1); k_++) {                                    \
        __VA_ARGS__;                                                                               \
      }                                                                                            \
      if (check.timing)                                                                            \
        check_measure(start_, i_ - 2);                                                             \
      else if (check.side)                                                                         \
        check_compare();                                                                           \
    }                                                                                              \
    check.timing = FALSE;                                                                          \
  } while (0)

/* --- the checks --- */

/* Checks the row kernels of check.variant. */
void check_row_kernels(void);

/* Checks the kernels of measuring of check.variant. */
void check_measuring(void);

/* Checks the methods of the given variants (NULL-terminated), plane maps and direction color. */
void check_frames(const CcVariant *const *variants);

G_END_DECLS
