/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weighted sums of one tap pattern. Included by row_kernels.c once for each pattern, with
 *   PATTERN   its digits, as in the names of CcTapPattern
 *   N_TAPS    the number of taps
 *   N_GROUPS  the number of tap groups
 *   SUM       the sum of taps T(0), T(1)... with factors f[0], f[1]...
 *   IS_LINE   1 for patterns whose taps lie in one row or column; their kernels can also sum
 *             rows of 16-bit sums
 * Sums are computed modulo 2^32, or in vectors of 16-bit lanes modulo 2^16. */

#define NAME_OF(f, pattern) f##_##pattern
#define NAME_WITH(f, pattern) NAME_OF(f, pattern)
#define NAME(f) NAME_WITH(f, PATTERN)

/* The kernels copy the arguments to local variables, because stores to `out` could alias them. */
#define DEFINE_SUM(name, from, to)                                                                 \
  static void NAME(name)(gpointer out, const CcTapGroup *group, guint n_groups,                    \
                         const gconstpointer *taps, guint n) {                                     \
    const from *tap[N_TAPS];                                                                       \
    guint32 f[N_GROUPS];                                                                           \
    for (guint i = 0; i < N_TAPS; i++)                                                             \
      tap[i] = taps[i];                                                                            \
    for (guint i = 0; i < N_GROUPS; i++)                                                           \
      f[i] = (guint32)group[i].factor;                                                             \
    to *restrict sums = out;                                                                       \
    for (guint x = 0; x < n; x++)                                                                  \
      sums[x] = (to)(SUM);                                                                         \
  }

#define T(i) ((guint32)tap[i][x])
DEFINE_SUM(sum_8, guint8, guint16)
DEFINE_SUM(sum_32, guint32, guint32)
#if IS_LINE
DEFINE_SUM(sum_16, guint16, guint16)
#endif
#undef T

#define T(i) (in[i])

#define DEFINE_TAPS_AND_VECTOR_FACTORS                                                             \
  const guint8 *tap[N_TAPS];                                                                       \
  Vector_16 f[N_GROUPS];                                                                           \
  for (guint i = 0; i < N_TAPS; i++)                                                               \
    tap[i] = taps[i];                                                                              \
  for (guint i = 0; i < N_GROUPS; i++)                                                             \
    f[i] = (guint16)group[i].factor + (Vector_16){0};

static ALWAYS_INLINE SplitSums
NAME(sums_of_bytes)(const guint8 *const tap[N_TAPS], const Vector_16 f[N_GROUPS], gsize x) {
  Vector_16 in[N_TAPS];
  for (guint i = 0; i < N_TAPS; i++)
    in[i] = *(const UnalignedBytes *)(tap[i] + x);
  /* otherwise GCC loads all vectors again for the second sum */
  atomic_signal_fence(memory_order_acquire);
  const Vector_16 whole = SUM; /* low + 2^8 high, modulo 2^16 */
  for (guint i = 0; i < N_TAPS; i++)
    in[i] >>= 8;
  const Vector_16 high = SUM;
  return (SplitSums){whole - (high << 8), high};
}

static void
NAME(sum_split)(gpointer out, const CcTapGroup *group, guint n_groups, const gconstpointer *taps,
                guint n) {
  DEFINE_TAPS_AND_VECTOR_FACTORS
  SplitSums *to = out;
  for (gsize x = 0; x < n; x += VECTOR_BYTES) {
    const SplitSums sums = NAME(sums_of_bytes)(tap, f, x);
    to->low = sums.low;
    to->high = sums.high;
    to++;
  }
}

#if IS_LINE
/* Sums the low bytes of words with the taps `near` and the high bytes with the taps `far`. If
 * near_is_low is FALSE, low and high bytes change places. `shared` is the result of shares_taps. */
static ALWAYS_INLINE void
NAME(sum_pairs_of)(SplitSums *to, const guint8 *const near[N_TAPS], const guint8 *const far[N_TAPS],
                   const Vector_16 f[N_GROUPS], guint n, gboolean near_is_low, gboolean shared) {
  for (gsize x = 0; x < n; x += VECTOR_BYTES) {
    Vector_16 by_near[N_TAPS], by_far[N_TAPS], in[N_TAPS];
    for (guint i = 0; i < N_TAPS; i++)
      by_near[i] = *(const UnalignedBytes *)(near[i] + x);
    for (guint i = 0; i < N_TAPS; i++)
      if (shared && i >= 2)
        by_far[i] = by_near[i == N_TAPS - 1 ? i : i - 2];
      else
        by_far[i] = *(const UnalignedBytes *)(far[i] + x);
    if (shared)
      atomic_signal_fence(memory_order_acquire); /* otherwise GCC loads the shared vectors again */
    for (guint i = 0; i < N_TAPS; i++)
      in[i] = (near_is_low ? by_near[i] : by_far[i]) & 0xff;
    to->low = SUM;
    for (guint i = 0; i < N_TAPS; i++)
      in[i] = (near_is_low ? by_far[i] : by_near[i]) >> 8;
    to->high = SUM;
    to++;
  }
}

static void
NAME(sum_pairs)(gpointer out, const CcTapGroup *group, guint n_groups, const gconstpointer *taps,
                guint n) {
  DEFINE_TAPS_AND_VECTOR_FACTORS
  const guint8 *odd[N_TAPS];
  for (guint i = 0; i < N_TAPS; i++)
    odd[i] = taps[N_TAPS + i];
  if (N_GROUPS == 3 && shares_taps(tap, odd))
    NAME(sum_pairs_of)(out, tap, odd, f, n, TRUE, TRUE);
  else if (N_GROUPS == 3 && shares_taps(odd, tap))
    NAME(sum_pairs_of)(out, odd, tap, f, n, FALSE, TRUE);
  else
    NAME(sum_pairs_of)(out, tap, odd, f, n, TRUE, FALSE);
}

/* Returns the sums of rows of split sums, for the results from sample x on. */
static ALWAYS_INLINE SplitSums
NAME(sums_to_apply)(const guint8 *const tap[N_TAPS], const Vector_16 f[N_GROUPS], gsize x) {
  Vector_16 in[N_TAPS];
  for (guint i = 0; i < N_TAPS; i++)
    in[i] = ((const SplitSums *)(tap[i] + 2 * x))->low;
  const Vector_16 low = SUM;
  for (guint i = 0; i < N_TAPS; i++)
    in[i] = ((const SplitSums *)(tap[i] + 2 * x))->high;
  return (SplitSums){low, SUM};
}
#else
#define sums_to_apply sums_of_bytes
#endif

static ALWAYS_INLINE void
NAME(apply_with)(guint8 *dst, const CcTapGroup *group, const gconstpointer *taps, guint n,
                 const CcFinish16 *constants, gboolean absolute, gboolean plain,
                 const CcAhead *ahead) {
  DEFINE_TAPS_AND_VECTOR_FACTORS
  const VectorFinish finish = vector_finish(constants);
  STORE_ROW(dst, n, ahead,
            bytes_of_split(NAME(sums_to_apply)(tap, f, x), &finish, absolute, plain));
}

#define DEFINE_APPLY(name, absolute)                                                               \
  static void NAME(name)(guint8 * dst, const CcTapGroup *group, const gconstpointer *taps,         \
                         guint n, const CcFinish *finish, const CcAhead *ahead) {                  \
    if (is_plain(&finish->in_16))                                                                  \
      NAME(apply_with)(dst, group, taps, n, &finish->in_16, absolute, TRUE, ahead);                \
    else                                                                                           \
      NAME(apply_with)(dst, group, taps, n, &finish->in_16, absolute, FALSE, ahead);               \
  }

DEFINE_APPLY(apply, FALSE)
DEFINE_APPLY(apply_absolute, TRUE)

#undef NAME_OF
#undef NAME_WITH
#undef NAME
#undef T
#undef DEFINE_SUM
#undef DEFINE_APPLY
#undef DEFINE_TAPS_AND_VECTOR_FACTORS
#undef sums_to_apply
#undef PATTERN
#undef N_TAPS
#undef N_GROUPS
#undef SUM
#undef IS_LINE
