/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dot products of several neighbouring samples. Included by row_kernels.c.
 *
 * A dot group is a 32-bit lane that holds neighbouring samples: two signed words, or four bytes.
 * A dot product multiplies each sample of the dot group by its own tap and adds the products to a
 * 32-bit lane. Sums are modulo 2^32. A row of dot groups has one dot group for each sample, so the
 * dot group of the next pixel is `step` dot groups further. */

/* Instruction sets without an instruction for four byte products add two products in 16 bits, with
 * saturation. MAX_BYTE_TAPS is the maximum of the sum of the absolute values of two neighbouring
 * taps. The value 256 allows all signed bytes. */
#if defined __AVX512VNNI__ || defined __AVXVNNI__
#define HAS_DOT_OF_FOUR
#define MAX_BYTE_TAPS 256
#else
#define MAX_BYTE_TAPS 128
#endif

#if defined __AVX512VNNI__
#define DOT_WORDS(sum, group, taps)                                                                \
  ((Sums)_mm512_dpwssd_epi32((__m512i)(sum), (__m512i)(group), (__m512i)(taps)))
#define DOT_BYTES(sum, group, taps)                                                                \
  ((Sums)_mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(group), (__m512i)(taps)))
#elif defined __AVX512BW__
#define DOT_WORDS(sum, group, taps)                                                                \
  ((sum) + (Sums)_mm512_madd_epi16((__m512i)(group), (__m512i)(taps)))
#define DOT_BYTES(sum, group, taps)                                                                \
  DOT_WORDS(sum, _mm512_maddubs_epi16((__m512i)(group), (__m512i)(taps)), _mm512_set1_epi16(1))
#elif defined __AVXVNNI__
#define DOT_WORDS(sum, group, taps)                                                                \
  ((Sums)_mm256_dpwssd_avx_epi32((__m256i)(sum), (__m256i)(group), (__m256i)(taps)))
#define DOT_BYTES(sum, group, taps)                                                                \
  ((Sums)_mm256_dpbusd_avx_epi32((__m256i)(sum), (__m256i)(group), (__m256i)(taps)))
#elif defined __AVX2__
#define DOT_WORDS(sum, group, taps)                                                                \
  ((sum) + (Sums)_mm256_madd_epi16((__m256i)(group), (__m256i)(taps)))
#define DOT_BYTES(sum, group, taps)                                                                \
  DOT_WORDS(sum, _mm256_maddubs_epi16((__m256i)(group), (__m256i)(taps)), _mm256_set1_epi16(1))
#elif defined __SSE2__
#define DOT_WORDS(sum, group, taps)                                                                \
  ((sum) + (Sums)_mm_madd_epi16((__m128i)(group), (__m128i)(taps)))
#else
#define DOT_WORDS(sum, group, taps)                                                                \
  ((sum) + ((group) << 16 >> 16) * ((taps) << 16 >> 16) + ((group) >> 16) * ((taps) >> 16))
#endif

/* The elements are bytes if `bytes` is set and the instruction set can multiply bytes, else
 * words. */
static ALWAYS_INLINE Sums
dot(Sums sum, Sums group, Sums taps, gboolean bytes) {
#ifdef DOT_BYTES
  if (bytes)
    return DOT_BYTES(sum, group, taps);
#endif
  return DOT_WORDS(sum, group, taps);
}

/* --- conv2d: vertical dot groups --- */

static void
group_words(gpointer groups, const gconstpointer *lines, guint n, gint32 flip) {
  guint32 *restrict out = groups;
  const guint16 *restrict a = lines[0], *restrict b = lines[1];
  for (guint x = 0; x < n; x++)
    out[x] = (a[x] | (guint32)b[x] << 16) ^ (guint32)flip;
}

static void
group_widened(gpointer groups, const gconstpointer *lines, guint n, gint32 flip) {
  guint32 *restrict out = groups;
  const guint8 *restrict a = lines[0], *restrict b = lines[1];
  for (guint x = 0; x < n; x++)
    out[x] = a[x] | (guint32)b[x] << 16;
}

#ifdef __AVX2__
static void
group_bytes(gpointer groups, const gconstpointer *lines, guint n, gint32 flip) {
  guint32 *restrict out = groups;
  const guint8 *restrict a = lines[0], *restrict b = lines[1];
  const guint8 *restrict c = lines[2], *restrict d = lines[3];
  for (guint x = 0; x < n; x++)
    out[x] = a[x] | (guint32)b[x] << 8 | (guint32)c[x] << 16 | (guint32)d[x] << 24;
}
#endif

/* Computes n_vectors vectors of sums for each of n_rows result rows, from sample x on. */
static ALWAYS_INLINE void
sums_of_windows(Sums total[4][UNROLL], guint n_rows, guint n_vectors, const gconstpointer *groups,
                const gint32 *taps, guint n_groups, gint32 start, gsize x) {
  for (guint i = 0; i < n_rows; i++)
    for (guint u = 0; u < n_vectors; u++)
      total[i][u] = start + (Sums){0};
  for (guint g = 0; g < n_groups; g++, taps += n_rows) {
    const UnalignedSums *in = (gconstpointer)((const gint32 *)groups[g] + x);
    for (guint i = 0; i < n_rows; i++) {
      const Sums factor = taps[i] + (Sums){0};
      for (guint u = 0; u < n_vectors; u++)
        total[i][u] = dot(total[i][u], in[u], factor, n_rows == 4);
    }
  }
}

/* Number of vectors of each result row that are summed at once: as many as fit into registers. */
#define CONV2D_AT_ONCE(n_rows) (VECTOR_BYTES == 64 || (n_rows) == 2 ? UNROLL : UNROLL / 2)

#define DEFINE_CONV2D(name, n_rows, store, codes_of)                                               \
  static void name##_##n_rows(gpointer const *rows, const gconstpointer *groups,                   \
                              const gint32 *taps, guint n_groups, guint n, gint32 start,           \
                              const CcFinish *finish, const CcAhead *ahead) {                      \
    const gboolean streams = ahead->streams;                                                       \
    const CcFinish constants = *finish;                                                            \
    for (gsize x = 0; x < n; x += CODES_AT_ONCE) {                                                 \
      cc_look_ahead(ahead, x);                                                                     \
      Sums codes[n_rows][UNROLL];                                                                  \
      for (guint u = 0; u < UNROLL; u += CONV2D_AT_ONCE(n_rows)) {                                 \
        Sums sums[4][UNROLL];                                                                      \
        sums_of_windows(sums, n_rows, CONV2D_AT_ONCE(n_rows), groups, taps, n_groups, start,       \
                        x + u * SUMS_AT_ONCE);                                                     \
        for (guint i = 0; i < n_rows; i++)                                                         \
          for (guint v = 0; v < CONV2D_AT_ONCE(n_rows); v++)                                       \
            codes[i][u + v] = codes_of(sums[i][v], &constants);                                    \
      }                                                                                            \
      for (guint i = 0; i < n_rows; i++)                                                           \
        store##_some(rows[i], x, n, codes[i], &constants, streams);                                \
    }                                                                                              \
  }

#define SAME(t, finish) (t)

DEFINE_CONV2D(conv2d_sums, 2, store_sums, SAME)
DEFINE_CONV2D(conv2d_bits_u8, 2, store_bytes, codes_of_bits)
DEFINE_CONV2D(conv2d_bits_u16, 2, store_words, codes_of_bits)
DEFINE_CONV2D(conv2d_shifted_u8, 2, store_bytes, codes_of_shifted)
DEFINE_CONV2D(conv2d_shifted_u16, 2, store_words, codes_of_shifted)
#ifdef __AVX2__
DEFINE_CONV2D(conv2d_sums, 4, store_sums, SAME)
DEFINE_CONV2D(conv2d_bits_u8, 4, store_bytes, codes_of_bits)
DEFINE_CONV2D(conv2d_shifted_u8, 4, store_bytes, codes_of_shifted)
#endif

/* --- horizontal pass: dot groups of samples one step apart --- */

/* Returns the dot groups of SUMS_AT_ONCE neighbouring samples. `order` selects the bytes: each
 * block of 16 bytes of the result is selected from 16 loaded bytes. */
#if !defined __AVX512VBMI__
static ALWAYS_INLINE Sums
horizontal_groups(const guint8 *at, const CcHorizontal *f, CcDotKind kind) {
#if defined __AVX512BW__
  const guint size = kind == CC_DOT_WORDS ? sizeof(guint16) : 1;
  __m512i parts = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)at));
  parts = _mm512_inserti32x4(parts, _mm_loadu_si128((const __m128i *)(at + 4 * size)), 1);
  parts = _mm512_inserti32x4(parts, _mm_loadu_si128((const __m128i *)(at + 8 * size)), 2);
  parts = _mm512_inserti32x4(parts, _mm_loadu_si128((const __m128i *)(at + 12 * size)), 3);
  return (Sums)_mm512_shuffle_epi8(parts, _mm512_loadu_si512(f->order));
#elif defined __AVX2__
  const guint size = kind == CC_DOT_WORDS ? sizeof(guint16) : 1;
  const __m256i parts =
      _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)at)),
                              _mm_loadu_si128((const __m128i *)(at + 4 * size)), 1);
  return (Sums)_mm256_shuffle_epi8(parts, _mm256_loadu_si256((const __m256i *)f->order));
#else
  Sums groups;
  for (guint i = 0; i < SUMS_AT_ONCE; i++)
    groups[i] = kind == CC_DOT_WORDS
                    ? (gint32)(((const guint16 *)(gconstpointer)at)[i] |
                               (guint32)((const guint16 *)(gconstpointer)at)[i + f->step] << 16)
                    : at[i] | at[i + f->step] << 16;
  return groups;
#endif
}
#endif

/* Loads n_vectors vectors of dot groups. If an instruction can put the bytes of a whole vector in
 * any order, two vectors of samples of one byte are made from one load, because unaligned loads are
 * the slowest part. */
static ALWAYS_INLINE void
load_groups(Sums *groups, const guint8 *at, const CcHorizontal *f, CcDotKind kind,
            guint n_vectors) {
#if defined __AVX512VBMI__
  typedef guint8 Bytes __attribute__((vector_size(VECTOR_BYTES)));
  const __mmask64 used = kind == CC_DOT_WIDENED ? 0x5555555555555555 : ~(__mmask64)0;
  const guint bytes = SUMS_AT_ONCE * (kind == CC_DOT_WORDS ? sizeof(guint16) : 1);
  const guint at_once = kind == CC_DOT_WORDS ? 1 : 2;
  const Bytes order = (Bytes)_mm512_loadu_si512(f->order);
  for (guint u = 0; u < n_vectors; u++) {
    const guint shared = u / at_once * at_once;
    groups[u] =
        (Sums)_mm512_maskz_permutexvar_epi8(used, (__m512i)(order + (guint8)((u - shared) * bytes)),
                                            _mm512_loadu_si512(at + shared * bytes));
  }
#else
  const gsize size = kind == CC_DOT_WORDS ? sizeof(guint16) : 1;
  for (guint u = 0; u < n_vectors; u++)
    groups[u] = horizontal_groups(at + u * SUMS_AT_ONCE * size, f, kind);
#endif
}

static ALWAYS_INLINE Sums
dot_horizontal(Sums total, Sums group, Sums taps, const CcHorizontal *f, CcDotKind kind) {
  if (kind == CC_DOT_CENTRED)
    return dot(total, taps, group ^ f->flip, TRUE);
  if (kind == CC_DOT_WORDS)
    group ^= f->flip;
  return dot(total, group, taps, kind == CC_DOT_BYTES);
}

/* The sums are over dot groups `first` to end - 1, from sample x on. */
static ALWAYS_INLINE void
sums_of_groups(Sums *total, const gconstpointer *lines, const CcHorizontal *f, gsize x,
               CcDotKind kind, guint n_lines, guint n_vectors, guint first, guint end) {
  const gsize size = kind == CC_DOT_WORDS ? sizeof(guint16) : 1;
  for (guint i = 0; i < n_lines * n_vectors; i++)
    total[i] = f->start + (Sums){0};
  gsize at = x * size + first * f->stride;
  for (guint g = first; g < end; g++, at += f->stride) {
    const Sums factor = f->taps[g] + (Sums){0};
    for (guint i = 0; i < n_lines; i++) {
      Sums groups[UNROLL];
      load_groups(groups, (const guint8 *)lines[i] + at, f, kind, n_vectors);
      for (guint u = 0; u < n_vectors; u++)
        total[i * n_vectors + u] =
            dot_horizontal(total[i * n_vectors + u], groups[u], factor, f, kind);
    }
  }
}

static ALWAYS_INLINE Sums
group_of(Sums a, Sums b) {
  return (a & 0xffff) | b << 16;
}

/* Computes horizontal sums as high * 2^CC_HIGH_BITS + rest. `high` adds the pieces without their
 * lowest bits, because the sum of whole pieces would not fit 32 bits. `high` may therefore be too
 * small by one. `rest` is the sum minus high * 2^CC_HIGH_BITS, modulo 2^32. It is exact, because
 * this difference is small. */
static ALWAYS_INLINE void
sums_of_pieces(Sums *rest, Sums *high, const gconstpointer *lines, const CcHorizontal *f, gsize x,
               CcDotKind kind, guint n_lines, guint n_vectors) {
  enum { LOWEST = 8 };
  const guint n = n_lines * n_vectors;
  for (guint i = 0; i < n; i++)
    rest[i] = high[i] = (Sums){0};
  for (guint p = 0, first = 0; p < f->n_pieces; first = f->piece_end[p++]) {
    Sums piece[4];
    sums_of_groups(piece, lines, f, x, kind, n_lines, n_vectors, first, f->piece_end[p]);
    for (guint i = 0; i < n; i++) {
      rest[i] += piece[i];
      high[i] += piece[i] >> LOWEST;
    }
  }
  for (guint i = 0; i < n; i++) {
    high[i] >>= CC_HIGH_BITS - LOWEST;
    rest[i] -= high[i] << CC_HIGH_BITS;
  }
}

static ALWAYS_INLINE void
horizontal_of(gint32 *const *parts, const gconstpointer *lines, const CcHorizontal *f, guint n,
              CcDotKind kind, guint n_parts) {
  enum { AT_ONCE = 2 };
  const gint32 low = n_parts == 1 ? 0xffff : (1 << f->low_bits) - 1;
  for (gsize x = 0; x < n; x += AT_ONCE * SUMS_AT_ONCE) {
    Sums total[2 * AT_ONCE], high[2 * AT_ONCE];
    if (n_parts == 3)
      sums_of_pieces(total, high, lines, f, x, kind, 2, AT_ONCE);
    else
      sums_of_groups(total, lines, f, x, kind, 2, AT_ONCE, 0, f->n_groups);
    for (guint u = 0; u < AT_ONCE; u++) {
      const Sums a = total[u], b = total[AT_ONCE + u];
      ((Sums *)(gpointer)(parts[0] + x))[u] = (a & low) | (b & low) << 16;
      if (n_parts > 1)
        ((Sums *)(gpointer)(parts[1] + x))[u] =
            group_of(a >> (gint)f->low_bits, b >> (gint)f->low_bits);
      if (n_parts == 3)
        ((Sums *)(gpointer)(parts[2] + x))[u] = group_of(high[u], high[AT_ONCE + u]);
    }
  }
}

#define DEFINE_HORIZONTAL(name, kind, n_parts)                                                     \
  static void name##_##n_parts(gint32 *const *parts, const gconstpointer *lines,                   \
                               const CcHorizontal *f, guint n) {                                   \
    horizontal_of(parts, lines, f, n, kind, n_parts);                                              \
  }

/* Without dot products of four bytes, byte_pairs.h adds byte products in words if the sums fit. */
#ifdef HAS_DOT_OF_FOUR
DEFINE_HORIZONTAL(horizontal_bytes, CC_DOT_BYTES, 1)
DEFINE_HORIZONTAL(horizontal_centred, CC_DOT_CENTRED, 1)
#endif
#ifdef __AVX2__
DEFINE_HORIZONTAL(horizontal_bytes, CC_DOT_BYTES, 2)
DEFINE_HORIZONTAL(horizontal_bytes, CC_DOT_BYTES, 3)
DEFINE_HORIZONTAL(horizontal_centred, CC_DOT_CENTRED, 2)
DEFINE_HORIZONTAL(horizontal_centred, CC_DOT_CENTRED, 3)
#endif
DEFINE_HORIZONTAL(horizontal_widened, CC_DOT_WIDENED, 1)
DEFINE_HORIZONTAL(horizontal_widened, CC_DOT_WIDENED, 2)
DEFINE_HORIZONTAL(horizontal_widened, CC_DOT_WIDENED, 3)
DEFINE_HORIZONTAL(horizontal_words, CC_DOT_WORDS, 1)
DEFINE_HORIZONTAL(horizontal_words, CC_DOT_WORDS, 2)
DEFINE_HORIZONTAL(horizontal_words, CC_DOT_WORDS, 3)

/* --- horizontal pass with split taps instead of split sums --- */

/* Part 0 has the sums with the low parts of the taps, part 1 with the high parts. The sums fit
 * words. */
#ifdef HAS_DOT_OF_FOUR
static void
horizontal_split(gint32 *const *parts, const gconstpointer *lines, const CcHorizontal *f, guint n) {
  enum { AT_ONCE = 2 };
  for (gsize x = 0; x < n; x += AT_ONCE * SUMS_AT_ONCE) {
    Sums low[2 * AT_ONCE], high[2 * AT_ONCE];
    for (guint i = 0; i < 2 * AT_ONCE; i++) {
      low[i] = f->low_start + (Sums){0};
      high[i] = f->start + (Sums){0};
    }
    gsize at = x;
    for (guint g = 0; g < f->n_groups; g++, at += f->stride) {
      const Sums low_tap = f->low_taps[g] + (Sums){0}, high_tap = f->taps[g] + (Sums){0};
      for (guint i = 0; i < 2; i++) {
        Sums groups[AT_ONCE];
        load_groups(groups, (const guint8 *)lines[i] + at, f, CC_DOT_BYTES, AT_ONCE);
        for (guint u = 0; u < AT_ONCE; u++) {
          low[i * AT_ONCE + u] = DOT_BYTES(low[i * AT_ONCE + u], groups[u], low_tap);
          high[i * AT_ONCE + u] = DOT_BYTES(high[i * AT_ONCE + u], groups[u], high_tap);
        }
      }
    }
    for (guint u = 0; u < AT_ONCE; u++) {
      ((Sums *)(gpointer)(parts[0] + x))[u] = group_of(low[u], low[AT_ONCE + u]);
      ((Sums *)(gpointer)(parts[1] + x))[u] = group_of(high[u], high[AT_ONCE + u]);
    }
  }
}
#endif

/* --- vertical pass --- */

#define VERTICAL_AT_ONCE(n_parts) (VECTOR_BYTES == 64 || (n_parts) == 1 ? UNROLL : UNROLL / 2)

static ALWAYS_INLINE Sums
codes_of_three(Sums low, Sums middle, Sums high, const CcFinish *finish) {
  const gint32 mask = (1 << CC_PART_BITS) - 1;
  return codes_of_parts(high + (middle >> CC_PART_BITS), ((middle & mask) << CC_PART_BITS) + low,
                        finish);
}

/* With three parts, computes code values instead of sums. */
static ALWAYS_INLINE void
vertical_of(Sums result[2][UNROLL], const gconstpointer *groups, const CcVertical *f,
            const CcFinish *finish, gsize x, guint n_parts) {
  Sums total[2][CC_MAX_PARTS][UNROLL];
  for (guint i = 0; i < 2; i++)
    for (guint p = 0; p < n_parts; p++)
      for (guint u = 0; u < VERTICAL_AT_ONCE(n_parts); u++)
        total[i][p][u] = f->start[p] + (Sums){0};
  for (guint g = 0; g < f->n_groups; g++) {
    const Sums factor[2] = {f->taps[2 * g] + (Sums){0}, f->taps[2 * g + 1] + (Sums){0}};
    for (guint p = 0; p < n_parts; p++) {
      const Sums *in = (gconstpointer)((const gint32 *)groups[n_parts * g + p] + x);
      for (guint i = 0; i < 2; i++)
        for (guint u = 0; u < VERTICAL_AT_ONCE(n_parts); u++)
          total[i][p][u] = DOT_WORDS(total[i][p][u], in[u], factor[i]);
    }
  }
  for (guint i = 0; i < 2; i++)
    for (guint u = 0; u < VERTICAL_AT_ONCE(n_parts); u++) {
      const Sums low = total[i][0][u];
      if (n_parts == 1)
        result[i][u] = low;
      else if (n_parts == 3)
        result[i][u] = codes_of_three(low, total[i][1][u], total[i][2][u], finish);
      else if (f->drops_low)
        result[i][u] = total[i][1][u] + (low >> (gint)f->low_bits);
      else
        result[i][u] = (total[i][1][u] << (gint)f->low_bits) + low;
    }
}

#define DEFINE_VERTICAL(name, n_parts, store, codes_of)                                            \
  static void name##_##n_parts(gpointer const *rows, const gconstpointer *groups,                  \
                               const CcVertical *f, guint n, const CcFinish *finish,               \
                               const CcAhead *ahead) {                                             \
    const CcVertical vertical = *f;                                                                \
    const CcFinish constants = *finish;                                                            \
    for (gsize x = 0; x < n; x += CODES_AT_ONCE) {                                                 \
      cc_look_ahead(ahead, x);                                                                     \
      Sums codes[2][UNROLL];                                                                       \
      for (guint u = 0; u < UNROLL; u += VERTICAL_AT_ONCE(n_parts)) {                              \
        Sums sums[2][UNROLL];                                                                      \
        vertical_of(sums, groups, &vertical, &constants, x + u * SUMS_AT_ONCE, n_parts);           \
        for (guint i = 0; i < 2; i++)                                                              \
          for (guint v = 0; v < VERTICAL_AT_ONCE(n_parts); v++)                                    \
            codes[i][u + v] = codes_of(sums[i][v], &constants);                                    \
      }                                                                                            \
      for (guint i = 0; i < 2; i++)                                                                \
        store##_some(rows[i], x, n, codes[i], &constants, FALSE);                                  \
    }                                                                                              \
  }

#define DEFINE_VERTICALS(n_parts)                                                                  \
  DEFINE_VERTICAL(vertical_sums, n_parts, store_sums, SAME)                                        \
  DEFINE_VERTICAL(vertical_bits_u8, n_parts, store_bytes, codes_of_bits)                           \
  DEFINE_VERTICAL(vertical_bits_u16, n_parts, store_words, codes_of_bits)                          \
  DEFINE_VERTICAL(vertical_shifted_u8, n_parts, store_bytes, codes_of_shifted)                     \
  DEFINE_VERTICAL(vertical_shifted_u16, n_parts, store_words, codes_of_shifted)

DEFINE_VERTICALS(1)
DEFINE_VERTICALS(2)
DEFINE_VERTICAL(vertical_parts_u8, 3, store_bytes, SAME)
DEFINE_VERTICAL(vertical_parts_u16, 3, store_words, SAME)
