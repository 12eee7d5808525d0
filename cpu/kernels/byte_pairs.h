/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Horizontal sums that fit words, from products of two bytes. Included by row_kernels.c for
 * AVX2 and wider, if no instruction adds four such products.
 *
 * A pair is a sample and the sample one step to the right of it. Pairs are made by interleaving two
 * vectors. One resulting vector has the pairs of the first eight of each 16 samples, the other the
 * pairs of the second eight. The sums of two rows are interleaved into dot groups in the same way.
 * The dot groups are then in order within blocks of 16 bytes. store_groups rearranges the
 * blocks. */

/* Sums for VECTOR_BYTES samples, in words. `first` has the sums for the first eight of each 16
 * samples, `second` for the second eight. */
typedef struct {
  Words first, second;
} WordSums;

static ALWAYS_INLINE WordSums
word_sums(gint32 start) {
  return (WordSums){V(set1_epi16)((gint16)start), V(set1_epi16)((gint16)start)};
}

static ALWAYS_INLINE WordSums
load_pairs(const guint8 *at, guint step) {
  const Words a = *(const UnalignedWords *)at, b = *(const UnalignedWords *)(at + step);
  return (WordSums){V(unpacklo_epi8)(a, b), V(unpackhi_epi8)(a, b)};
}

/* Returns a vector that has pair g of the taps in every word. */
static ALWAYS_INLINE Words
pair_of_taps(const gint32 *taps, guint g) {
  gint16 pair;
  memcpy(&pair, (const guint8 *)taps + g * sizeof pair, sizeof pair);
  return V(set1_epi16)(pair);
}

/* The sum of two byte products must fit a word. */
static ALWAYS_INLINE WordSums
dot_pairs(WordSums sums, WordSums pairs, Words taps, const CcHorizontal *f, CcDotKind kind) {
  if (kind == CC_DOT_CENTRED) {
    const Words flip = V(set1_epi8)((gchar)f->flip);
    pairs.first = V(maddubs_epi16)(taps, pairs.first ^ flip);
    pairs.second = V(maddubs_epi16)(taps, pairs.second ^ flip);
  } else {
    pairs.first = V(maddubs_epi16)(pairs.first, taps);
    pairs.second = V(maddubs_epi16)(pairs.second, taps);
  }
  return (WordSums){V(add_epi16)(sums.first, pairs.first), V(add_epi16)(sums.second, pairs.second)};
}

static ALWAYS_INLINE void
store_groups(gint32 *to, WordSums a, WordSums b) {
  Words *const out = (gpointer)to;
  const Words v0 = V(unpacklo_epi16)(a.first, b.first), v1 = V(unpackhi_epi16)(a.first, b.first);
  const Words v2 = V(unpacklo_epi16)(a.second, b.second);
  const Words v3 = V(unpackhi_epi16)(a.second, b.second);
#if defined __AVX512BW__
  const Words v01 = V(shuffle_i32x4)(v0, v1, 0x44), v23 = V(shuffle_i32x4)(v2, v3, 0x44);
  const Words w01 = V(shuffle_i32x4)(v0, v1, 0xee), w23 = V(shuffle_i32x4)(v2, v3, 0xee);
  out[0] = V(shuffle_i32x4)(v01, v23, 0x88);
  out[1] = V(shuffle_i32x4)(v01, v23, 0xdd);
  out[2] = V(shuffle_i32x4)(w01, w23, 0x88);
  out[3] = V(shuffle_i32x4)(w01, w23, 0xdd);
#else
  out[0] = V(permute2x128_si256)(v0, v1, 0x20);
  out[1] = V(permute2x128_si256)(v2, v3, 0x20);
  out[2] = V(permute2x128_si256)(v0, v1, 0x31);
  out[3] = V(permute2x128_si256)(v2, v3, 0x31);
#endif
}

/* The sums are modulo 2^16. With two parts, the first part has the sums with the low parts of split
 * taps. */
static ALWAYS_INLINE void
horizontal_pairs_of(gint32 *const *parts, const gconstpointer *lines, const CcHorizontal *f,
                    guint n, CcDotKind kind, guint n_parts) {
  const gint32 *const taps[2] = {n_parts == 1 ? f->taps : f->low_taps, f->taps};
  const gint32 start[2] = {n_parts == 1 ? f->start : f->low_start, f->start};
  for (gsize x = 0; x < n; x += VECTOR_BYTES) {
    WordSums sums[2][2];
    for (guint p = 0; p < n_parts; p++)
      sums[p][0] = sums[p][1] = word_sums(start[p]);
    gsize at = x;
    for (guint g = 0; g < f->n_pairs; g++, at += 2 * (gsize)f->step)
      for (guint i = 0; i < 2; i++) {
        const WordSums pairs = load_pairs((const guint8 *)lines[i] + at, f->step);
        for (guint p = 0; p < n_parts; p++)
          sums[p][i] = dot_pairs(sums[p][i], pairs, pair_of_taps(taps[p], g), f, kind);
      }
    for (guint p = 0; p < n_parts; p++)
      store_groups(parts[p] + x, sums[p][0], sums[p][1]);
  }
}

#define DEFINE_HORIZONTAL_PAIRS(name, kind, n_parts)                                               \
  static void name(gint32 *const *parts, const gconstpointer *lines, const CcHorizontal *f,        \
                   guint n) {                                                                      \
    horizontal_pairs_of(parts, lines, f, n, kind, n_parts);                                        \
  }

DEFINE_HORIZONTAL_PAIRS(horizontal_bytes_1, CC_DOT_BYTES, 1)
DEFINE_HORIZONTAL_PAIRS(horizontal_centred_1, CC_DOT_CENTRED, 1)
DEFINE_HORIZONTAL_PAIRS(horizontal_split, CC_DOT_BYTES, 2)
