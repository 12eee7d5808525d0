/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Separable sums of bytes, vertical pass first. Included by row_kernels.c for AVX2 and wider.
 *
 * The vertical pass reads no horizontal neighbours. It makes a 32-bit lane of two words for each
 * sample. The horizontal pass multiplies both words of a lane at once. It loads neighbouring lanes
 * from other addresses. Therefore no pass gathers neighbours by shuffles, whatever the number of
 * samples of a pixel. */

#if defined __AVX512BW__
#define PERMUTE(order, v) _mm512_permutexvar_epi32(order, v)
#else
#define PERMUTE(order, v) _mm256_permutevar8x32_epi32(v, order)
#endif

/* Returns a permutation of the 4-byte parts of a vector. If the permuted vector is unpacked twice,
 * from bytes to words and from words to lanes, the lanes are in order. */
static ALWAYS_INLINE Sums
lane_order(void) {
  Sums order;
  for (gint i = 0; i < SUMS_AT_ONCE; i++)
    order[i] = i / 4 + VECTOR_BYTES / 16 * (i % 4);
  return order;
}

static void
interleave_rows(gpointer groups, const gconstpointer *lines, guint n, gint32 flip) {
  const Words order = (Words)lane_order();
  UnalignedWords *out = groups;
  for (gsize x = 0; x < n; x += VECTOR_BYTES) {
    const Words a = PERMUTE(order, *(const UnalignedWords *)((const guint8 *)lines[0] + x));
    const Words b = PERMUTE(order, *(const UnalignedWords *)((const guint8 *)lines[1] + x));
    *out++ = V(unpacklo_epi8)(a, b);
    *out++ = V(unpackhi_epi8)(a, b);
  }
}

/* The words of the vectors `low` become the low halves of the lanes, the words of `high` the high
 * halves. */
static ALWAYS_INLINE void
store_lanes(gpointer lanes, gsize x, const Words low[2], const Words high[2]) {
  UnalignedWords *out = (gpointer)((gint32 *)lanes + x);
  for (guint i = 0; i < 2; i++) {
    out[2 * i] = V(unpacklo_epi16)(low[i], high[i]);
    out[2 * i + 1] = V(unpackhi_epi16)(low[i], high[i]);
  }
}

static void
column_pass(gpointer const lanes[2], const gconstpointer *groups, const CcColumn *column, guint n) {
  const Vector_16 zero = {0};
  const Vector_16 start[2] = {(guint16)column->start[0] + zero, (guint16)column->start[1] + zero};
  const guint n_groups = column->n_groups;
  for (gsize x = 0; x < n; x += VECTOR_BYTES) {
    Vector_16 sums[2][2][2]; /* by row, part and half of the samples */
    for (guint i = 0; i < 8; i++)
      sums[i / 4][i / 2 % 2][i % 2] = start[i / 2 % 2];
    const CcWideTaps *taps = column->taps;
    for (guint g = 0; g < n_groups; g++, taps += 4) {
      const UnalignedWords *in = (gconstpointer)((const guint8 *)groups[g] + 2 * x);
      const Words first = in[0], second = in[1];
      for (guint i = 0; i < 4; i++) {
        const Words tap = *(const UnalignedWords *)taps[i];
        sums[i / 2][i % 2][0] += (Vector_16)V(maddubs_epi16)(first, tap);
        sums[i / 2][i % 2][1] += (Vector_16)V(maddubs_epi16)(second, tap);
      }
    }
    for (guint row = 0; row < 2; row++)
      store_lanes(lanes[row], x, (const Words *)sums[row][0], (const Words *)sums[row][1]);
  }
}

/* Handles columns of three taps whose outer taps are equal. The low word of a lane is the sum of
 * the outer rows. The high word is the middle row. `groups` are four rows of bytes, for two result
 * rows. */
static void
column_of_three(gpointer const lanes[2], const gconstpointer *groups, const CcColumn *column,
                guint n) {
  const Words order = (Words)lane_order(), zero = {0};
  for (gsize x = 0; x < n; x += VECTOR_BYTES) {
    Vector_16 line[4][2];
    for (guint i = 0; i < 4; i++) {
      const Words bytes = PERMUTE(order, *(const UnalignedWords *)((const guint8 *)groups[i] + x));
      line[i][0] = (Vector_16)V(unpacklo_epi8)(bytes, zero);
      line[i][1] = (Vector_16)V(unpackhi_epi8)(bytes, zero);
    }
    for (guint row = 0; row < 2; row++) {
      const Vector_16 outer[2] = {line[row][0] + line[row + 2][0], line[row][1] + line[row + 2][1]};
      store_lanes(lanes[row], x, (const Words *)outer, (const Words *)line[row + 1]);
    }
  }
}

#define ROW_AT_ONCE CC_CACHE_LINE /* samples */
#define ROW_VECTORS (ROW_AT_ONCE / SUMS_AT_ONCE)

static ALWAYS_INLINE void
sums_of_row(Sums sums[ROW_VECTORS], const gint32 *lanes, const CcRow *row, guint n_taps) {
  const gint32 *at = lanes - (gssize)(n_taps / 2 * row->step);
  for (guint v = 0; v < ROW_VECTORS; v++)
    sums[v] = row->start + (Sums){0};
  for (guint t = 0; t < n_taps; t++, at += row->step) {
    const Sums tap = row->taps[t] + (Sums){0};
    const UnalignedSums *in = (gconstpointer)at;
    for (guint v = 0; v < ROW_VECTORS; v++)
      sums[v] = DOT_WORDS(sums[v], in[v], tap);
  }
}

#define DEFINE_ROW(name, store, codes_of)                                                          \
  static ALWAYS_INLINE void name##_of(gpointer dst, const gint32 *lanes, const CcRow *row,         \
                                      guint n, const CcFinish *finish, const CcAhead *ahead,       \
                                      guint n_taps) {                                              \
    const CcFinish constants = *finish;                                                            \
    const CcRow of = *row;                                                                         \
    const gboolean streams = ahead->streams;                                                       \
    for (gsize x = 0; x < n; x += ROW_AT_ONCE) {                                                   \
      Sums sums[ROW_VECTORS];                                                                      \
      cc_look_ahead(ahead, x);                                                                     \
      sums_of_row(sums, lanes + x, &of, n_taps);                                                   \
      for (guint v = 0; v < ROW_VECTORS; v++)                                                      \
        sums[v] = codes_of(sums[v], &constants);                                                   \
      for (guint v = 0; v < ROW_VECTORS && x + v * SUMS_AT_ONCE < n; v += UNROLL)                  \
        store##_some(dst, x + v * SUMS_AT_ONCE, n, &sums[v], &constants, streams);                 \
    }                                                                                              \
  }                                                                                                \
  static void name(gpointer dst, const gint32 *lanes, const CcRow *row, guint n,                   \
                   const CcFinish *finish, const CcAhead *ahead) {                                 \
    if (row->n_taps == 3)                                                                          \
      name##_of(dst, lanes, row, n, finish, ahead, 3);                                             \
    else if (row->n_taps == 5)                                                                     \
      name##_of(dst, lanes, row, n, finish, ahead, 5);                                             \
    else                                                                                           \
      name##_of(dst, lanes, row, n, finish, ahead, row->n_taps);                                   \
  }

DEFINE_ROW(row_sums, store_sums, SAME)
DEFINE_ROW(row_bits, store_bytes, codes_of_bits)
DEFINE_ROW(row_shifted, store_bytes, codes_of_shifted)

#undef PERMUTE
