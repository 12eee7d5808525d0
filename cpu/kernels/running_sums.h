/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running sums (CcSlideFunc). Included by row_kernels.c. */

static void
slide_16(gpointer sums, gconstpointer in, gconstpointer out, guint n, gpointer dst,
         const CcFinish *finish, const CcAhead *ahead) {
  guint16 *restrict total = sums;
  const guint16 *restrict a = in, *restrict b = out;
  for (guint x = 0; x < n; x++)
    total[x] = (guint16)(total[x] + a[x] - b[x]);
}

static void
slide_32(gpointer sums, gconstpointer in, gconstpointer out, guint n, gpointer dst,
         const CcFinish *finish, const CcAhead *ahead) {
  guint32 *restrict total = sums;
  const guint32 *restrict a = in, *restrict b = out;
  for (guint x = 0; x < n; x++)
    total[x] = total[x] + a[x] - b[x];
}

static ALWAYS_INLINE void
store_bytes_of_words(guint8 *out, const Vector_16 codes[2]) {
#if defined __AVX512BW__
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i bytes = _mm512_packus_epi16((__m512i)codes[0], (__m512i)codes[1]);
  store_vector(out, _mm512_permutexvar_epi64(order, bytes), FALSE);
#elif defined __AVX2__
  const __m256i bytes = _mm256_packus_epi16((__m256i)codes[0], (__m256i)codes[1]);
  store_vector(out, _mm256_permute4x64_epi64(bytes, 0xd8), FALSE);
#elif defined __SSE2__
  store_vector(out, _mm_packus_epi16((__m128i)codes[0], (__m128i)codes[1]), FALSE);
#else
  for (guint i = 0; i < VECTOR_BYTES; i++)
    out[i] = (guint8)codes[i / (VECTOR_BYTES / 2)][i % (VECTOR_BYTES / 2)];
#endif
}

static void
slide_16_u8(gpointer sums, gconstpointer in, gconstpointer out, guint n, gpointer dst,
            const CcFinish *finish, const CcAhead *ahead) {
  const VectorFinish constants = vector_finish(&finish->in_16);
  Vector_16 *total = sums;
  const Vector_16 *a = in, *b = out;
  guint8 *to = dst;
  for (gsize x = 0; x < n; x += VECTOR_BYTES, total += 2, a += 2, b += 2) {
    cc_look_ahead(ahead, x);
    Vector_16 codes[2];
    for (guint i = 0; i < 2; i++) {
      total[i] += a[i] - b[i];
      codes[i] = codes_of_sums(total[i], &constants, FALSE, FALSE);
    }
    if (x + VECTOR_BYTES <= n) {
      store_bytes_of_words(to + x, codes);
    } else {
      guint8 last[VECTOR_BYTES];
      store_bytes_of_words(last, codes);
      memcpy(to + x, last, n - x);
    }
  }
}

#define DEFINE_SLIDE(name, store, codes_of)                                                        \
  static void name(gpointer sums, gconstpointer in, gconstpointer out, guint n, gpointer dst,      \
                   const CcFinish *finish, const CcAhead *ahead) {                                 \
    const CcFinish constants = *finish;                                                            \
    Sums *total = sums;                                                                            \
    const Sums *a = in, *b = out;                                                                  \
    for (gsize x = 0; x < n; x += CODES_AT_ONCE, total += UNROLL, a += UNROLL, b += UNROLL) {      \
      cc_look_ahead(ahead, x);                                                                     \
      Sums codes[UNROLL];                                                                          \
      for (guint u = 0; u < UNROLL; u++) {                                                         \
        total[u] += a[u] - b[u];                                                                   \
        codes[u] = codes_of(total[u], &constants);                                                 \
      }                                                                                            \
      store##_some(dst, x, n, codes, &constants, FALSE);                                           \
    }                                                                                              \
  }

DEFINE_SLIDE(slide_bits_u8, store_bytes, codes_of_bits)
DEFINE_SLIDE(slide_bits_u16, store_words, codes_of_bits)
DEFINE_SLIDE(slide_shifted_u8, store_bytes, codes_of_shifted)
DEFINE_SLIDE(slide_shifted_u16, store_words, codes_of_shifted)
