/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The luma of red, green and blue. Included by row_kernels.c. */

static ALWAYS_INLINE void
luma_words_spaced(Word *restrict out, const Word *restrict red, const Word *restrict green,
                  const Word *restrict blue, guint spacing, guint n, guint shift) {
  for (gsize i = 0; i < n; i++) {
    const gsize at = i * spacing;
    out[i] = (guint16)(cc_luma_of((guint)red[at] >> shift, (guint)green[at] >> shift,
                                  (guint)blue[at] >> shift)
                       << shift);
  }
}

static void
luma_u16(gpointer dst, const gconstpointer rgb[3], guint spacing, guint n, guint shift) {
#define LUMA(constant) luma_words_spaced(dst, rgb[0], rgb[1], rgb[2], constant, n, shift)
  FOR_SPACING(spacing, LUMA)
#undef LUMA
}

/* --- bytes --- */

/* The weights of cc_luma_of have 16 bits. With the sum of products by their high bytes, and the sum
 * by their low bytes, the luma is (high + (low >> 8) + 128) >> 8. All numbers fit 16 bits. */
static ALWAYS_INLINE void
luma_bytes_spaced(guint8 *restrict out, const guint8 *restrict red, const guint8 *restrict green,
                  const guint8 *restrict blue, guint spacing, guint n) {
#define WEIGHTED_SUM(byte)                                                                         \
  (byte(CC_LUMA_RED) * r + byte(CC_LUMA_GREEN) * g + byte(CC_LUMA_BLUE) * b)
#define LOW_BYTE(weight) ((weight)&0xff)
#define HIGH_BYTE(weight) ((weight) >> 8)
  for (gsize i = 0; i < n; i++) {
    const guint16 r = red[i * spacing], g = green[i * spacing], b = blue[i * spacing];
    const guint16 low = (guint16)WEIGHTED_SUM(LOW_BYTE);
    const guint16 luma = (guint16)(WEIGHTED_SUM(HIGH_BYTE) + (low >> 8) + 128);
    out[i] = (guint8)(luma >> 8);
  }
#undef WEIGHTED_SUM
#undef LOW_BYTE
#undef HIGH_BYTE
}

#ifdef __AVX2__
/* A group has R, G, B and G. Each weight of G is the sum of two numbers, because the sum of two
 * products must fit 16 bits with a sign (MAX_BYTE_TAPS). */
#define GROUP(a, b, c, d) ((gint32)((a) | (b) << 8 | (c) << 16 | (d) << 24))
#define LOW_TAPS GROUP(109, 19, 124, 4)
#define HIGH_TAPS GROUP(54, 73, 18, 110)

/* The pairs of bytes are R and G, and B and G. */
static ALWAYS_INLINE Vector_16
luma_of_pairs(Words rg, Words bg) {
#define PAIR_SUM(pair, taps)                                                                       \
  ((Vector_16)V(maddubs_epi16)(pair, V(set1_epi16)((gshort)((taps)&0xffff))))
  const Vector_16 low = PAIR_SUM(rg, LOW_TAPS) + PAIR_SUM(bg, LOW_TAPS >> 16);
  const Vector_16 high = PAIR_SUM(rg, HIGH_TAPS) + PAIR_SUM(bg, HIGH_TAPS >> 16);
  return (high + (low >> 8) + 128) >> 8;
#undef PAIR_SUM
}

static ALWAYS_INLINE void
luma_of_planes(guint8 *out, const guint8 *const rgb[3], gsize x) {
  const Words r = *(const UnalignedWords *)(gconstpointer)(rgb[0] + x);
  const Words g = *(const UnalignedWords *)(gconstpointer)(rgb[1] + x);
  const Words b = *(const UnalignedWords *)(gconstpointer)(rgb[2] + x);
  const Vector_16 low = luma_of_pairs(V(unpacklo_epi8)(r, g), V(unpacklo_epi8)(b, g));
  const Vector_16 high = luma_of_pairs(V(unpackhi_epi8)(r, g), V(unpackhi_epi8)(b, g));
  store_vector(out + x, V(packus_epi16)((Words)low, (Words)high), FALSE);
}

/* Four pixels of 3 or 4 bytes become a block of 16 bytes: the groups of the pixels, or without dot
 * products of four bytes, four pairs of R and G, and then four pairs of B and G. A load may read
 * bytes of PIXELS_BEHIND further pixels. */
#define PIXELS_BEHIND 6

static ALWAYS_INLINE Words
load_pixels(const guint8 *at, guint spacing, Words order) {
  const Words v = *(const UnalignedWords *)(gconstpointer)at;
#ifdef __AVX512BW__
  const Words spread = _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
  return _mm512_shuffle_epi8(spacing == 3 ? _mm512_permutexvar_epi32(spread, v) : v, order);
#else
  const Words spread = _mm256_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5);
  return _mm256_shuffle_epi8(spacing == 3 ? _mm256_permutevar8x32_epi32(v, spread) : v, order);
#endif
}

/* Returns where load_pixels finds the bytes, from the offsets of R, G and B in a pixel. */
static ALWAYS_INLINE Words
order_of_pixels(gint32 r, gint32 g, gint32 b, gint32 spacing) {
  Sums pixel; /* the number of the first pixel of four bytes, in a block */
#ifdef HAS_DOT_OF_FOUR
  const Sums first = GROUP(r, g, b, g) + (Sums){0};
  for (gint i = 0; i < SUMS_AT_ONCE; i++)
    pixel[i] = i % 4;
#else
  Sums is_blue;
  for (gint i = 0; i < SUMS_AT_ONCE; i++) {
    pixel[i] = i % 2 * 2;
    is_blue[i] = i % 4 < 2 ? 0 : -1;
  }
  const Sums first = (GROUP(r, g, r + spacing, g + spacing) & ~is_blue) |
                     (GROUP(b, g, b + spacing, g + spacing) & is_blue);
#endif
  return (Words)(pixel * (spacing * 0x01010101) + first);
}

/* Words of two vectors of load_pixels. */
static ALWAYS_INLINE Words
luma_of_pixels(Words first, Words second) {
#ifdef HAS_DOT_OF_FOUR
  const Sums pixels[2] = {(Sums)first, (Sums)second}, zero = {0};
  Sums luma[2];
  for (guint i = 0; i < 2; i++) {
    const Sums low = DOT_BYTES((1 << 15) + zero, pixels[i], LOW_TAPS + zero);
    luma[i] = DOT_BYTES(low >> 8, pixels[i], HIGH_TAPS + zero) >> 8;
  }
  return V(packs_epi32)((Words)luma[0], (Words)luma[1]);
#else
  return (Words)luma_of_pairs(V(unpacklo_epi64)(first, second), V(unpackhi_epi64)(first, second));
#endif
}

/* Makes the luma of n >= VECTOR_BYTES + PIXELS_BEHIND pixels. The last vector overlaps the one
 * before. */
static ALWAYS_INLINE void
luma_vectors(guint8 *out, const guint8 *const rgb[3], guint spacing, guint n) {
  const guint behind = spacing == 1 ? 0 : PIXELS_BEHIND;
  const guint8 *in = MIN(MIN(rgb[0], rgb[1]), rgb[2]);
  const Words order = order_of_pixels((gint32)(rgb[0] - in), (gint32)(rgb[1] - in),
                                      (gint32)(rgb[2] - in), (gint32)spacing);
  const gsize last = n - VECTOR_BYTES - behind;
  for (gsize x = 0;; x = MIN(x + VECTOR_BYTES, last)) {
    if (spacing == 1) {
      luma_of_planes(out, rgb, x);
    } else {
      Words v[UNROLL];
      for (guint u = 0; u < UNROLL; u++)
        v[u] = load_pixels(in + (x + u * SUMS_AT_ONCE) * spacing, spacing, order);
      store_vector(out + x, pack_words(luma_of_pixels(v[0], v[1]), luma_of_pixels(v[2], v[3])),
                   FALSE);
    }
    if (x == last)
      break;
  }
  for (gsize x = n - behind; x < n; x++)
    out[x] = (guint8)cc_luma_of(rgb[0][x * spacing], rgb[1][x * spacing], rgb[2][x * spacing]);
}
#endif

static void
luma_u8(gpointer dst, const gconstpointer rgb[3], guint spacing, guint n, guint shift) {
#ifdef __AVX2__
  const guint8 *const from[3] = {rgb[0], rgb[1], rgb[2]};
#define LUMA(constant) luma_vectors(dst, from, constant, n)
  if (spacing != 2 && n >= VECTOR_BYTES + PIXELS_BEHIND) {
    FOR_SPACING(spacing, LUMA)
    return;
  }
#undef LUMA
#endif
#define LUMA(constant) luma_bytes_spaced(dst, rgb[0], rgb[1], rgb[2], constant, n)
  FOR_SPACING(spacing, LUMA)
#undef LUMA
}
