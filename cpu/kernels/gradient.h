/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels for gradients of bytes. One kernel computes both sums, the response and the output stage.
 * Included by row_kernels.c. Sums are split as in byte_sums.h. */

#define MAX_GRADIENT_TAPS 8

/* The sums of matrix a and of matrix b, for one vector of words. */
typedef struct {
  Vector_16 a, b;
} Gradient;

static ALWAYS_INLINE Gradient
gradient_of(const Vector_16 in[], guint n_taps, const Vector_16 f[2]) {
  const Vector_16 falling = in[0] - in[1], rising = in[2] - in[3];
  if (n_taps == 4)
    return (Gradient){f[0] * falling, f[0] * rising};
  return (Gradient){f[0] * (falling + rising) + f[1] * (in[4] - in[5]),
                    f[0] * (falling - rising) + f[1] * (in[6] - in[7])};
}

/* --- the norm --- */

/* FIRST_GROUPS and SECOND_GROUPS interleave the words of two vectors to dot groups. Each macro
 * handles half of the words. WORDS_OF packs the results for both halves into words, in the original
 * order. */
#if defined __AVX512BW__
#define FIRST_GROUPS(a, b) ((Sums)_mm512_unpacklo_epi16((__m512i)(a), (__m512i)(b)))
#define SECOND_GROUPS(a, b) ((Sums)_mm512_unpackhi_epi16((__m512i)(a), (__m512i)(b)))
#define WORDS_OF(first, second) ((Vector_16)_mm512_packs_epi32((__m512i)(first), (__m512i)(second)))
#define ROOT(v) ((Floats)_mm512_sqrt_ps((__m512)(v)))
#define FUSED(v, mul, add) ((Floats)_mm512_fmadd_ps((__m512)(v), (__m512)(mul), (__m512)(add)))
#elif defined __AVX2__
#define FIRST_GROUPS(a, b) ((Sums)_mm256_unpacklo_epi16((__m256i)(a), (__m256i)(b)))
#define SECOND_GROUPS(a, b) ((Sums)_mm256_unpackhi_epi16((__m256i)(a), (__m256i)(b)))
#define WORDS_OF(first, second) ((Vector_16)_mm256_packs_epi32((__m256i)(first), (__m256i)(second)))
#define ROOT(v) ((Floats)_mm256_sqrt_ps((__m256)(v)))
#define FUSED(v, mul, add) ((Floats)_mm256_fmadd_ps((__m256)(v), (__m256)(mul), (__m256)(add)))
#else
#define FUSED(v, mul, add) fused(v, mul, add)
static ALWAYS_INLINE Floats
fused(Floats v, Floats mul, Floats add) {
  for (guint i = 0; i < SUMS_AT_ONCE; i++)
    v[i] = fmaf(v[i], mul[i], add[i]);
  return v;
}
#if defined __SSE2__
#define FIRST_GROUPS(a, b) ((Sums)_mm_unpacklo_epi16((__m128i)(a), (__m128i)(b)))
#define SECOND_GROUPS(a, b) ((Sums)_mm_unpackhi_epi16((__m128i)(a), (__m128i)(b)))
#define WORDS_OF(first, second) ((Vector_16)_mm_packs_epi32((__m128i)(first), (__m128i)(second)))
#define ROOT(v) ((Floats)_mm_sqrt_ps((__m128)(v)))
#else
#define LOW_WORD 0xffff
#define FIRST_GROUPS(a, b) (((Sums)(a)&LOW_WORD) | (Sums)(b) << 16)
#define SECOND_GROUPS(a, b) (((Sums)(a) >> 16 & LOW_WORD) | ((Sums)(b) & ~LOW_WORD))
#define WORDS_OF(first, second) ((Vector_16)((first) | (second) << 16))
#define ROOT(v) root(v)
static ALWAYS_INLINE Floats
root(Floats v) {
  for (guint i = 0; i < SUMS_AT_ONCE; i++)
    v[i] = sqrtf(v[i]);
  return v;
}
#endif
#endif

/* The sum of two squares fits 31 bits. It is rounded once, by the conversion to float, as in
 * cc_op_code. */
static ALWAYS_INLINE Sums
codes_of_norms(Sums groups, const CcFinish *f, gboolean use_fused) {
  const Floats zero = {0}, mul = f->mul_f + zero, add = f->add_f + zero;
  const Sums squares = DOT_WORDS((Sums){0}, groups, groups);
  const Floats t = ROOT(__builtin_convertvector(squares, Floats));
  Floats v = t * mul + add;
  if (use_fused)
    v = FUSED(t, mul, add);
  return TRUNCATE(v, (gfloat)f->lo + zero, (gfloat)f->hi + zero);
}

/* --- the kernels --- */

/* `simple`: for the norm, the output stage needs no fused multiply-add. For other responses, it
 * needs neither limits nor base. */
static ALWAYS_INLINE Vector_16
codes_of_gradient(Gradient g, const CcFinish *finish, const VectorFinish *in_16, CcReduce reduce,
                  gboolean simple) {
  if (reduce == CC_REDUCE_NORM)
    return WORDS_OF(codes_of_norms(FIRST_GROUPS(g.a, g.b), finish, !simple),
                    codes_of_norms(SECOND_GROUPS(g.a, g.b), finish, !simple));
  const Vector_16 a = ABSOLUTE_WORDS(g.a), b = ABSOLUTE_WORDS(g.b);
  const Vector_16 sum = a + b, larger = GREATER(a, b);
  return codes_of_sums(reduce == CC_REDUCE_SUM_ABS ? sum : larger, in_16, FALSE, simple);
}

static ALWAYS_INLINE Vector_16
bytes_of_gradient(const guint8 *const tap[], guint n_taps, const Vector_16 f[2], gsize x,
                  const CcFinish *finish, const VectorFinish *in_16, CcReduce reduce,
                  gboolean simple) {
  Vector_16 in[MAX_GRADIENT_TAPS];
  for (guint i = 0; i < n_taps; i++)
    in[i] = *(const UnalignedBytes *)(tap[i] + x);
  /* otherwise GCC loads all vectors again for the second sums */
  atomic_signal_fence(memory_order_acquire);
  const Gradient whole = gradient_of(in, n_taps, f); /* low + 2^8 high, modulo 2^16 */
  for (guint i = 0; i < n_taps; i++)
    in[i] >>= 8;
  const Gradient high = gradient_of(in, n_taps, f);
  const Gradient low = {whole.a - (high.a << 8), whole.b - (high.b << 8)};
  return codes_of_gradient(low, finish, in_16, reduce, simple) |
         codes_of_gradient(high, finish, in_16, reduce, simple) << 8;
}

static ALWAYS_INLINE void
apply_gradient(guint8 *dst, const CcTapGroup *group, const gconstpointer *taps, guint n,
               const CcFinish *finish, const CcAhead *ahead, guint n_taps, CcReduce reduce,
               gboolean simple) {
  const guint8 *tap[MAX_GRADIENT_TAPS];
  Vector_16 f[2] = {{0}};
  for (guint i = 0; i < n_taps; i++)
    tap[i] = taps[i];
  for (guint i = 0; i < n_taps / 4; i++)
    f[i] = (guint16)group[i].factor + (Vector_16){0};
  const CcFinish constants = *finish;
  const VectorFinish in_16 = vector_finish(&constants.in_16);
  STORE_ROW(dst, n, ahead,
            bytes_of_gradient(tap, n_taps, f, x, &constants, &in_16, reduce, simple));
}

#define DEFINE_APPLY_GRADIENT(name, n_taps, reduce, is_simple)                                     \
  static void name(guint8 *dst, const CcTapGroup *group, const gconstpointer *taps, guint n,       \
                   const CcFinish *finish, const CcAhead *ahead) {                                 \
    if (is_simple)                                                                                 \
      apply_gradient(dst, group, taps, n, finish, ahead, n_taps, reduce, TRUE);                    \
    else                                                                                           \
      apply_gradient(dst, group, taps, n, finish, ahead, n_taps, reduce, FALSE);                   \
  }
#define DEFINE_APPLY_GRADIENTS(kind, n_taps)                                                       \
  DEFINE_APPLY_GRADIENT(max_abs_##kind, n_taps, CC_REDUCE_MAX_ABS, is_plain(&finish->in_16))       \
  DEFINE_APPLY_GRADIENT(sum_abs_##kind, n_taps, CC_REDUCE_SUM_ABS, is_plain(&finish->in_16))       \
  DEFINE_APPLY_GRADIENT(norm_##kind, n_taps, CC_REDUCE_NORM, !PREFER_FUSED(finish))

DEFINE_APPLY_GRADIENTS(of_four, 4)
DEFINE_APPLY_GRADIENTS(of_eight, 8)
