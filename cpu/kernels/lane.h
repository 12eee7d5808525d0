/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The row kernels for one lane type. Included by row_kernels.c once for each lane type, with
 *   LANE         the type; unsigned for integers, so that intermediate sums may wrap around (the
 *                plan's bounds guarantee that the final sum fits)
 *   SIGNED       the signed type of the same size
 *   ABSOLUTE(a)  the absolute value of a
 *   NAME(f)      f with the lane's suffix */

#include "load.h"

static ALWAYS_INLINE void
NAME(load_spaced_u16)(LANE *restrict out, const Word *restrict in, guint spacing, guint n,
                      guint shift) {
  for (guint x = 0; x < n; x++)
    out[x] = (LANE)(in[(gsize)x * spacing] >> shift);
}

static void
NAME(load_u16)(gpointer row, gconstpointer src, guint spacing, guint n, guint shift) {
#define LOAD(constant) NAME(load_spaced_u16)(row, src, constant, n, shift)
  FOR_SPACING(spacing, LOAD)
#undef LOAD
}

static void
NAME(extend_u16)(gpointer row, gconstpointer src, const CcOutside *outside, guint n, guint shift) {
  LANE *out = row;
  const Word *in = src;
  for (guint i = 0; i < n; i++)
    out[i] = (LANE)(outside[i].index < 0 ? outside[i].constant : in[outside[i].index] >> shift);
}

typedef LANE NAME(Vector) __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef LANE NAME(Unaligned)
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(LANE)), may_alias));

static void
NAME(sum_any)(gpointer out, const CcTapGroup *group, guint n_groups, const gconstpointer *taps,
              guint n) {
  const gsize n_bytes = n * sizeof(LANE);
  for (gsize x = 0; x < n_bytes; x += UNROLL * VECTOR_BYTES) {
    const gconstpointer *tap = taps;
    NAME(Vector) total[UNROLL] = {{0}};
    for (guint t = 0; t < n_groups; t++) {
      NAME(Vector) part[UNROLL];
      const NAME(Unaligned) *in = (gconstpointer)((const guint8 *)*tap++ + x);
      for (guint u = 0; u < UNROLL; u++)
        part[u] = in[u];
      for (guint i = 1; i < group[t].n_plus; i++) {
        in = (gconstpointer)((const guint8 *)*tap++ + x);
        for (guint u = 0; u < UNROLL; u++)
          part[u] += in[u];
      }
      for (guint i = 0; i < group[t].n_minus; i++) {
        in = (gconstpointer)((const guint8 *)*tap++ + x);
        for (guint u = 0; u < UNROLL; u++)
          part[u] -= in[u];
      }
      const LANE factor = (LANE)group[t].factor;
      for (guint u = 0; u < UNROLL; u++)
        total[u] += part[u] * factor;
    }
    NAME(Vector) *to = (gpointer)((guint8 *)out + x);
    for (guint u = 0; u < UNROLL; u++)
      to[u] = total[u];
  }
}

static void
NAME(reduce_max)(gpointer t, const gconstpointer *sums, guint n_sums, guint n) {
  SIGNED *restrict out = t;
  memcpy(out, sums[0], n * sizeof *out);
  for (guint i = 1; i < n_sums; i++) {
    const SIGNED *restrict in = sums[i];
    for (guint x = 0; x < n; x++)
      out[x] = in[x] > out[x] ? in[x] : out[x];
  }
}

static void
NAME(reduce_max_abs)(gpointer t, const gconstpointer *sums, guint n_sums, guint n) {
  SIGNED *restrict out = t;
  const SIGNED *restrict first = sums[0];
  for (guint x = 0; x < n; x++)
    out[x] = (SIGNED)ABSOLUTE(first[x]);
  for (guint i = 1; i < n_sums; i++) {
    const SIGNED *restrict in = sums[i];
    for (guint x = 0; x < n; x++) {
      const SIGNED a = (SIGNED)ABSOLUTE(in[x]);
      out[x] = a > out[x] ? a : out[x];
    }
  }
}

static void
NAME(reduce_sum_abs)(gpointer t, const gconstpointer *sums, guint n_sums, guint n) {
  SIGNED *restrict out = t;
  const SIGNED *restrict first = sums[0];
  for (guint x = 0; x < n; x++)
    out[x] = (SIGNED)ABSOLUTE(first[x]);
  for (guint i = 1; i < n_sums; i++) {
    const SIGNED *restrict in = sums[i];
    for (guint x = 0; x < n; x++)
      out[x] = (SIGNED)(out[x] + (SIGNED)ABSOLUTE(in[x]));
  }
}

#undef LANE
#undef SIGNED
#undef ABSOLUTE
#undef NAME
