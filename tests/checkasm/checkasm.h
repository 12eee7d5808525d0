/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A harness for the fast code of the CPU backend, in the manner of dav1d's checkasm. The code of
 * each instruction set runs on random and extreme input inside guard bands, and has to give the
 * bytes of plain code. */

#include "cpu/isa.h"
#include "cpu/workers.h"

G_BEGIN_DECLS

#define MAX_VARIANTS 16

typedef struct {
  const CcVariant *variant; /* that is checked now */
  gchar *name;              /* of the row kernel or the frame that is checked now */
  guint n;                  /* samples of the rows of a row kernel */
  GRand *rand;              /* starts anew with each name */
  guint side;               /* whose row kernel runs: 0: C's, 1: the variant's */
  gboolean some;            /* only checks of some names run */
  gboolean bench, timing;   /* the run measures; the row kernel that runs is measured */
} Check;

extern Check check;

/* A random number from `least` to `most`, both included. */
guint check_uint(guint min, guint max);

/* Starts the check of a row kernel or a frame. FALSE: its name is not wanted. */
gboolean check_begin(const gchar *format, ...) G_GNUC_PRINTF(1, 2);

/* Goes on with another variant, whose random numbers start anew. */
void check_set_variant(const CcVariant *variant);

/* Counts a failure, and prints the first one of a name. */
void check_fail(const gchar *format, ...) G_GNUC_PRINTF(1, 2);

/* Fills memory with random bytes, with bytes of 0 and 255, or with one byte. */
void check_fill(gpointer memory, gsize n_bytes);

/* --- row kernels --- */

/* Repeats a block for rows of several lengths, the last time for 1,000 samples. */
#define EACH(...) for (check_begin(__VA_ARGS__); check_next();)
gboolean check_next(void);

/* Row number i to read, filled at its first use in a round. It starts at a multiple of `align`.
 * Memory without access begins `slack` bytes behind it, or less than `align` bytes later. */
gpointer check_source(guint i, gsize n_bytes, gsize align, gsize slack);
#define SRC(i, n_bytes, align) check_source(i, n_bytes, align, 0)
#define LANES(i, n_bytes, align) check_source(i, n_bytes, align, CC_ROW_SLACK)

/* Row number i to write, one for each side. Nothing but the row may be written, and `slack` bytes
 * behind it. */
gpointer check_out(guint i, gsize n_bytes, gsize align, gsize slack);
#define OUT(i, n_bytes, align) check_out(i, n_bytes, align, 0)
#define OUT_LANES(i, n_bytes) check_out(i, n_bytes, CC_ROW_ALIGN, CC_ROW_SLACK)

/* Compares the rows of both sides with each other, and what surrounds them with what was there. */
void check_compare(void);

/* Takes one of 40 measurements, which take turns, and prints the best of both sides in the end. */
void check_measure(guint64 start, guint number);

/* Runs a statement that calls row kernels of `rows`: of C, then of the variant. */
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

/* --- what is checked --- */

/* The row kernels of check.variant. */
void check_row_kernels(void);

/* The methods of all variants that are wanted, up to a NULL, and plane maps and direction color. */
void check_frames(const CcVariant *const *variants);

G_END_DECLS
