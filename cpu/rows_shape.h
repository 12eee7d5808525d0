/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The weighted sums of one shape, included by rows.c once for each, with
 *   SHAPE    its digits, as in the names of CcShape
 *   N_TAPS, N_TERMS
 *   SUM      the sum of taps T(0), T(1)... with factors f[0], f[1]...
 *   ALONG    1 for shapes of a line, whose taps are also rows of 16-bit sums
 * Sums are modulo 2^32, of which a lane keeps the low bits. */

#define NAME_OF(f, shape) f##_##shape
#define NAME_WITH(f, shape) NAME_OF(f, shape)
#define NAME(f) NAME_WITH(f, SHAPE)
#define T(i) ((guint32)tap[i][x])

/* Local copies, which no store to a row can change. */
#define DEFINE_TAPS_AND_FACTORS(from)                                                              \
  const from *tap[N_TAPS];                                                                         \
  guint32 f[N_TERMS];                                                                              \
  for (guint i = 0; i < N_TAPS; i++)                                                               \
    tap[i] = (gconstpointer)((const guint8 *)taps[i] + at);                                        \
  for (guint i = 0; i < N_TERMS; i++)                                                              \
    f[i] = (guint32)terms[i].factor;

#define DEFINE_SUM(name, from, to)                                                                 \
  static void NAME(name)(gpointer out, const CcTerm *terms, guint n_terms,                         \
                         const gconstpointer *taps, gsize at, guint n) {                           \
    DEFINE_TAPS_AND_FACTORS(from)                                                                  \
    to *restrict sums = out;                                                                       \
    for (guint x = 0; x < n; x++)                                                                  \
      sums[x] = (to)(SUM);                                                                         \
  }

#define DEFINE_APPLY(name, from, absolute)                                                         \
  static void NAME(name)(guint8 *restrict dst, const CcTerm *terms, const gconstpointer *taps,     \
                         gsize at, guint n, const CcFinish *finish) {                              \
    DEFINE_TAPS_AND_FACTORS(from)                                                                  \
    const CcFinish16 form = finish->in_16;                                                         \
    for (guint x = 0; x < n; x++) {                                                                \
      const gint16 s = (gint16)(SUM);                                                              \
      const guint16 t = absolute ? (guint16)abs(s) : (guint16)s;                                   \
      dst[x] = (guint8)code_of_16(t, &form);                                                       \
    }                                                                                              \
  }

DEFINE_SUM(sum_8, guint8, guint16)
DEFINE_SUM(sum_32, guint32, guint32)
#if ALONG
DEFINE_SUM(sum_16, guint16, guint16)
DEFINE_APPLY(apply, guint16, FALSE)
DEFINE_APPLY(apply_absolute, guint16, TRUE)
#else
DEFINE_APPLY(apply, guint8, FALSE)
DEFINE_APPLY(apply_absolute, guint8, TRUE)
#endif

#undef NAME_OF
#undef NAME_WITH
#undef NAME
#undef T
#undef DEFINE_TAPS_AND_FACTORS
#undef DEFINE_SUM
#undef DEFINE_APPLY
#undef SHAPE
#undef N_TAPS
#undef N_TERMS
#undef SUM
#undef ALONG
