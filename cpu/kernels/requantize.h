/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The output stage for 32-bit sums, in vectors. Included by row_kernels.c. Each variant is an
 * inline function from sums to code values. Samples are made from UNROLL vectors of code values.
 * The code values of codes_of_bits and codes_of_shifted may lie outside the range of samples. They
 * are clamped after they are packed if possible, because a packed vector holds more of them. */

typedef gint32 Sums __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef gint32 UnalignedSums __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef gfloat Floats __attribute__((vector_size(VECTOR_BYTES)));
typedef gdouble Doubles __attribute__((vector_size(VECTOR_BYTES)));
typedef gint32 HalfSums __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef guint64 Longs __attribute__((vector_size(VECTOR_BYTES)));
typedef gint64 SignedLongs __attribute__((vector_size(VECTOR_BYTES)));

#define SUMS_AT_ONCE (VECTOR_BYTES / 4)

/* --- code values --- */

#if defined __AVX512BW__
#define LIMIT_SUMS(v, min, max)                                                                    \
  ((Sums)_mm512_min_epi32(_mm512_max_epi32((__m512i)(v), (__m512i)(min)), (__m512i)(max)))
#define TRUNCATE(v, min, max)                                                                      \
  ((Sums)_mm512_cvttps_epi32(                                                                      \
      _mm512_min_ps(_mm512_max_ps((__m512)(v), (__m512)(min)), (__m512)(max))))
#elif defined __AVX2__
#define LIMIT_SUMS(v, min, max)                                                                    \
  ((Sums)_mm256_min_epi32(_mm256_max_epi32((__m256i)(v), (__m256i)(min)), (__m256i)(max)))
#define TRUNCATE(v, min, max)                                                                      \
  ((Sums)_mm256_cvttps_epi32(                                                                      \
      _mm256_min_ps(_mm256_max_ps((__m256)(v), (__m256)(min)), (__m256)(max))))
#elif defined __SSE2__
#define LIMIT_SUMS(v, min, max) limit_sums(v, min, max)
#define TRUNCATE(v, min, max)                                                                      \
  ((Sums)_mm_cvttps_epi32(_mm_min_ps(_mm_max_ps((__m128)(v), (__m128)(min)), (__m128)(max))))
#else
#define LIMIT_SUMS(v, min, max) limit_sums(v, min, max)
#define TRUNCATE(v, min, max) truncate_floats(v, min, max)
#endif

#if !defined __AVX2__
static ALWAYS_INLINE Sums
limit_sums(Sums v, Sums min, Sums max) {
  const Sums low = v<min, high = v> max;
  return (v & ~low & ~high) | (min & low) | (max & high);
}
#endif
#if !defined __SSE2__
static ALWAYS_INLINE Sums
truncate_floats(Floats v, Floats min, Floats max) {
  for (guint i = 0; i < SUMS_AT_ONCE; i++)
    v[i] = v[i] > min[i] ? (v[i] < max[i] ? v[i] : max[i]) : min[i];
  return __builtin_convertvector(v, Sums);
}
#endif

static ALWAYS_INLINE Sums
codes_of_bits(Sums t, const CcFinish *f) {
  return (t + f->bits.addend) >> (gint)f->bits.right;
}

/* Rounds once if the instruction set has a fused multiply-add, else twice. */
#if defined __AVX512BW__
#define MULTIPLY_ADD(v, mul, add)                                                                  \
  ((Floats)_mm512_fmadd_ps((__m512)(v), _mm512_set1_ps(mul), _mm512_set1_ps(add)))
#elif defined __AVX2__
#define MULTIPLY_ADD(v, mul, add)                                                                  \
  ((Floats)_mm256_fmadd_ps((__m256)(v), _mm256_set1_ps(mul), _mm256_set1_ps(add)))
#else
#define MULTIPLY_ADD(v, mul, add) ((v) * (mul) + (add))
#endif

/* CC_REQUANTIZE_SHIFTED. For negative numbers, truncation can give one more than floor. Clamping
 * hides the difference. */
static ALWAYS_INLINE Sums
codes_of_shifted(Sums t, const CcFinish *f) {
  const Floats number = __builtin_convertvector(t >> (gint)f->shifted.right, Floats);
  return __builtin_convertvector(MULTIPLY_ADD(number, f->shifted.mul, f->shifted.add), Sums);
}

#ifdef __AVX2__
static ALWAYS_INLINE Sums
codes_of_centred(Sums t, const CcFinish *f) {
  const Floats centred = __builtin_convertvector(t - f->centred.middle, Floats);
  const Floats v = MULTIPLY_ADD(centred, f->centred.mul, f->centred.add);
#if defined __AVX512BW__
  const Sums nearest = (Sums)_mm512_cvtps_epi32((__m512)v);
#else
  const Sums nearest = (Sums)_mm256_cvtps_epi32((__m256)v);
#endif
  return LIMIT_SUMS(nearest + f->centred.base, f->lo + (Sums){0}, f->hi + (Sums){0});
}
#endif

/* CC_REQUANTIZE_PARTS: the output stage in double. To convert an unsigned 32-bit integer, exponent
 * bits are set above its bits. The result is a double that is too large by a known power of two. */
#define UPPER(exponent) ((guint64)(1023 + (exponent)) << 52)
#define LOW_POWER 52
#define HIGH_POWER (LOW_POWER + CC_HIGH_BITS)

static ALWAYS_INLINE Longs
truncate_doubles(Doubles v) {
#ifdef __AVX512DQ__
  return (Longs) __builtin_convertvector(v, SignedLongs);
#else
  return (Longs) __builtin_convertvector(__builtin_convertvector(v, HalfSums), SignedLongs);
#endif
}

static ALWAYS_INLINE Longs
truncated_of_parts(Longs high, Longs low, const CcFinish *f) {
  const gdouble signs = 0x1p31 * (1 << CC_HIGH_BITS) + 0x1p31;
  const gdouble power = (gdouble)(1 << CC_HIGH_BITS) * 0x1p52 + 0x1p52;
  const Doubles t =
      ((Doubles)(high | UPPER(HIGH_POWER)) - (power + signs)) + (Doubles)(low | UPPER(LOW_POWER));
  return truncate_doubles(t * f->parts.mul + f->parts.add);
}

/* Returns the code values of high * 2^CC_HIGH_BITS + low. 2^31 must have been added to both `high`
 * and `low`. */
static ALWAYS_INLINE Sums
codes_of_parts(Sums high, Sums low, const CcFinish *f) {
  const guint64 even = G_MAXUINT32;
  const Sums zero = {0};
  const Longs first = truncated_of_parts((Longs)high & even, (Longs)low & even, f);
  const Longs second = truncated_of_parts((Longs)high >> 32, (Longs)low >> 32, f);
  return LIMIT_SUMS((Sums)((first & even) | second << 32), f->lo + zero, f->hi + zero);
}

/* --- samples --- */

#if defined __AVX512BW__
static ALWAYS_INLINE void
store_vector(gpointer out, __m512i samples, gboolean streams) {
  if (streams)
    _mm512_stream_si512(out, samples);
  else
    _mm512_storeu_si512(out, samples);
}
#elif defined __AVX2__
static ALWAYS_INLINE void
store_vector(gpointer out, __m256i samples, gboolean streams) {
  if (streams)
    _mm256_stream_si256(out, samples);
  else
    _mm256_storeu_si256(out, samples);
}
#elif defined __SSE2__
static ALWAYS_INLINE void
store_vector(gpointer out, __m128i samples, gboolean streams) {
  if (streams)
    _mm_stream_si128(out, samples);
  else
    _mm_storeu_si128(out, samples);
}
#endif

#ifdef __AVX2__
/* Packs words to bytes, with saturation. The words themselves are packed from two vectors each. */
static ALWAYS_INLINE Words
pack_words(Words a, Words b) {
#ifdef __AVX512BW__
  const Words order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(a, b));
#else
  const Words order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), order);
#endif
}
#endif

static ALWAYS_INLINE void
store_bytes(guint8 *out, const Sums codes[UNROLL], const CcFinish *f, gboolean streams) {
#if defined __AVX2__
  const Words a = V(packs_epi32)((Words)codes[0], (Words)codes[1]);
  const Words b = V(packs_epi32)((Words)codes[2], (Words)codes[3]);
  const Words min = V(set1_epi8)((gchar)f->lo), max = V(set1_epi8)((gchar)f->hi);
  store_vector(out, V(max_epu8)(V(min_epu8)(pack_words(a, b), max), min), streams);
#elif defined __SSE2__
  const __m128i a = _mm_packs_epi32((__m128i)codes[0], (__m128i)codes[1]);
  const __m128i b = _mm_packs_epi32((__m128i)codes[2], (__m128i)codes[3]);
  const __m128i min = _mm_set1_epi8((gchar)f->lo), max = _mm_set1_epi8((gchar)f->hi);
  store_vector(out, _mm_max_epu8(_mm_min_epu8(_mm_packus_epi16(a, b), max), min), streams);
#else
  for (guint i = 0; i < UNROLL * SUMS_AT_ONCE; i++)
    out[i] = (guint8)CLAMP(codes[i / SUMS_AT_ONCE][i % SUMS_AT_ONCE], f->lo, f->hi);
#endif
}

static ALWAYS_INLINE void
store_words(Word *out, const Sums codes[UNROLL], const CcFinish *f, gboolean streams) {
#if defined __AVX512BW__
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i min = _mm512_set1_epi16((gshort)f->lo), max = _mm512_set1_epi16((gshort)f->hi);
  const __m128i shift = _mm_cvtsi32_si128((gint)f->shift);
  for (guint u = 0; u < UNROLL; u += 2) {
    const __m512i packed = _mm512_packus_epi32((__m512i)codes[u], (__m512i)codes[u + 1]);
    const __m512i words =
        _mm512_sll_epi16(_mm512_max_epu16(_mm512_min_epu16(packed, max), min), shift);
    store_vector(out + u * SUMS_AT_ONCE, _mm512_permutexvar_epi64(order, words), streams);
  }
#elif defined __AVX2__
  const __m256i min = _mm256_set1_epi16((gshort)f->lo), max = _mm256_set1_epi16((gshort)f->hi);
  const __m128i shift = _mm_cvtsi32_si128((gint)f->shift);
  for (guint u = 0; u < UNROLL; u += 2) {
    const __m256i packed = _mm256_packus_epi32((__m256i)codes[u], (__m256i)codes[u + 1]);
    const __m256i words =
        _mm256_sll_epi16(_mm256_max_epu16(_mm256_min_epu16(packed, max), min), shift);
    store_vector(out + u * SUMS_AT_ONCE, _mm256_permute4x64_epi64(words, 0xd8), streams);
  }
#else
  const Sums zero = {0};
  for (guint u = 0; u < UNROLL; u++) {
    const Sums limited = LIMIT_SUMS(codes[u], f->lo + zero, f->hi + zero);
    for (guint i = 0; i < SUMS_AT_ONCE; i++)
      out[u * SUMS_AT_ONCE + i] = (guint16)(limited[i] << f->shift);
  }
#endif
}

static ALWAYS_INLINE void
store_sums(gint32 *out, const Sums codes[UNROLL], const CcFinish *f, gboolean streams) {
  for (guint u = 0; u < UNROLL; u++)
    ((UnalignedSums *)(gpointer)out)[u] = codes[u];
}

#define CODES_AT_ONCE (UNROLL * SUMS_AT_ONCE)

/* Stores UNROLL vectors of samples in a row of n samples, from sample x on. Writes nothing past the
 * end of the row. */
#define DEFINE_STORE_SOME(store, sample)                                                           \
  static ALWAYS_INLINE void store##_some(gpointer row, gsize x, guint n, const Sums codes[UNROLL], \
                                         const CcFinish *f, gboolean streams) {                    \
    sample *out = (sample *)row + x;                                                               \
    if (x + CODES_AT_ONCE <= n) {                                                                  \
      store(out, codes, f, streams);                                                               \
    } else {                                                                                       \
      sample last[CODES_AT_ONCE];                                                                  \
      store(last, codes, f, FALSE);                                                                \
      memcpy(out, last, (n - x) * sizeof *out);                                                    \
    }                                                                                              \
  }

DEFINE_STORE_SOME(store_bytes, guint8)
DEFINE_STORE_SOME(store_words, Word)

/* Writes whole vectors, even past the end of the row. */
static ALWAYS_INLINE void
store_sums_some(gpointer row, gsize x, guint n, const Sums codes[UNROLL], const CcFinish *f,
                gboolean streams) {
  store_sums((gint32 *)row + x, codes, f, streams);
}

#define DEFINE_FINISH_VECTORS(name, store, codes_of)                                               \
  static void name(gpointer dst, gconstpointer t, guint n, const CcFinish *finish) {               \
    const CcFinish constants = *finish;                                                            \
    const Sums *in = t;                                                                            \
    for (gsize x = 0; x < n; x += CODES_AT_ONCE, in += UNROLL) {                                   \
      Sums codes[UNROLL];                                                                          \
      for (guint u = 0; u < UNROLL; u++)                                                           \
        codes[u] = codes_of(in[u], &constants);                                                    \
      store##_some(dst, x, n, codes, &constants, FALSE);                                           \
    }                                                                                              \
  }

DEFINE_FINISH_VECTORS(finish_bits_u8, store_bytes, codes_of_bits)
DEFINE_FINISH_VECTORS(finish_bits_u16, store_words, codes_of_bits)
DEFINE_FINISH_VECTORS(finish_shifted_u8, store_bytes, codes_of_shifted)
DEFINE_FINISH_VECTORS(finish_shifted_u16, store_words, codes_of_shifted)
