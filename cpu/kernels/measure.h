/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels of measuring. engine/plan/measure_shared.h has the definition. A kernel sums blocks
 * of vectors in narrow lanes, and adds the sums of each block to totals in lanes of 64 bits.
 * Samples that do not fill a vector are copied to a vector with zeros, which change no total. */

#define MEASURED_AT_ONCE 128 /* vectors of a block; the sums of a block fit their lanes */
#define MEASURED_LIMITS 3    /* black + 1, white, and the threshold, which comes last */

typedef gint8 SignedVector_8 __attribute__((vector_size(VECTOR_BYTES), may_alias));

static ALWAYS_INLINE Vector_32
sum_words(Vector_16 v) {
  return ((Vector_32)v & 0xffff) + ((Vector_32)v >> 16);
}

static ALWAYS_INLINE Longs
sum_longs(Vector_32 v) {
  return ((Longs)v & G_MAXUINT32) + ((Longs)v >> 32);
}

/* Counts of lanes that are larger than a bound. COUNT_8 and COUNT_16 are the counts of a vector of
 * samples. TOTAL_8 and TOTAL_16 make a total from the counts of a block. */
#ifdef __AVX512BW__
typedef guint64 Counts_8, Counts_16, CountTotal;
#define COUNT_8(v, below)                                                                          \
  ((guint64)__builtin_popcountll(                                                                  \
      _mm512_cmpgt_epi8_mask((__m512i)(v), _mm512_set1_epi8((gchar)(below)))))
#define COUNT_16(v, below)                                                                         \
  ((guint64)__builtin_popcountll(                                                                  \
      _mm512_cmpgt_epi16_mask((__m512i)(v), _mm512_set1_epi16((gshort)(below)))))
#define TOTAL_8(counts) (counts)
#define TOTAL_16(counts) (counts)
#define SUM_TOTAL(total) (total)
#else
typedef SignedVector_8 Counts_8;
typedef SignedVector_16 Counts_16;
typedef Longs CountTotal;
#define COUNT_8(v, below) (-((v) > (gint8)(below) + (SignedVector_8){0}))
#define COUNT_16(v, below) (-((v) > (gint16)(below) + (SignedVector_16){0}))
#define TOTAL_8(counts)                                                                            \
  sum_longs(sum_words(((Vector_16)(counts)&0xff) + ((Vector_16)(counts) >> 8)))
#define TOTAL_16(counts) sum_longs(sum_words((Vector_16)(counts)))
#define SUM_TOTAL(total) sum_lanes(total)
#endif

/* Constant in each kernel. Squares of narrow words need not be widened before they are summed. */
typedef enum {
  MEASURE_BYTES,
  MEASURE_NARROW_WORDS, /* code values of up to NARROW_BITS bits */
  MEASURE_WORDS,
} MeasureKind;
#define NARROW_BITS 12
#define NARROW_MAX ((1 << NARROW_BITS) - 1)
G_STATIC_ASSERT(2ull * NARROW_MAX * NARROW_MAX * MEASURED_AT_ONCE <= G_MAXUINT32);

/* Code values minus 128 (bytes) or 32768 (words) are signed, because all instruction sets compare
 * signed lanes. Narrow words are signed as they are. */
typedef struct {
  Longs sum;
  Longs squares;                     /* of code values minus a centre, see below */
  CountTotal count[MEASURED_LIMITS]; /* code values at or above a limit */
  Longs largest;                     /* signed lanes of samples */
  guint64 n_vectors;                 /* with zeros behind samples */
} MeasureTotals;

/* A code value is at or above a limit if its signed lane is larger than `below`. */
typedef struct {
  gint below[MEASURED_LIMITS];
  guint n;
} MeasureBounds;

#if defined __AVX512BW__ || defined __AVX2__
#define LARGER_8(a, b) ((SignedVector_8)V(max_epi8)((Words)(a), (Words)(b)))
#define LARGER_16(a, b) ((SignedVector_16)V(max_epi16)((Words)(a), (Words)(b)))
#else
#define LARGER_8(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))
#define LARGER_16(a, b) LARGER_8(a, b)
#endif

/* With dot products of four bytes, the sum of x (x - 128) gives the sum of (x - 64)^2. */
#ifdef HAS_DOT_OF_FOUR
#define CENTRE_OF_BYTES 64
typedef Sums SumsOfBytes;
#else
#define CENTRE_OF_BYTES 0
typedef Vector_16 SumsOfBytes;
#endif
#define CENTRE_OF_WORDS 32768

/* The sums of a block. Neighbouring vectors have sums of their own, because a dot product waits for
 * the sum to which it is added. */
typedef struct {
  Sums squares[2];
  SumsOfBytes sum[2];
  SignedVector_8 largest;
  Counts_8 count[MEASURED_LIMITS];
} BytesMeasured;

static ALWAYS_INLINE void
measure_vector_of_bytes(BytesMeasured *to, const guint8 *row, guint i,
                        const MeasureBounds *bounds) {
  SignedVector_8 x;
  memcpy(&x, row, sizeof x);
  const SignedVector_8 centred = x ^ G_MININT8;
#ifdef HAS_DOT_OF_FOUR
  to->squares[i] = DOT_BYTES(to->squares[i], x, centred);
  to->sum[i] = DOT_BYTES(to->sum[i], x, 1 + (SignedVector_8){0});
#else
  const Vector_16 even = (Vector_16)x & 0xff, odd = (Vector_16)x >> 8;
  to->squares[i] = DOT_WORDS(to->squares[i], even, even);
  to->squares[i] = DOT_WORDS(to->squares[i], odd, odd);
  to->sum[i] += even + odd;
#endif
  to->largest = LARGER_8(to->largest, centred);
  for (guint k = 0; k < bounds->n; k++)
    to->count[k] += COUNT_8(centred, bounds->below[k]);
}

/* Adds a block of n_rows rows of n vectors. */
static ALWAYS_INLINE void
measure_bytes(MeasureTotals *totals, const guint8 *rows, gssize pitch, guint n, guint n_rows,
              const MeasureBounds *bounds) {
  BytesMeasured block = {.largest = (SignedVector_8)totals->largest};
  block.squares[0] += (gint32)(4 * CENTRE_OF_BYTES * CENTRE_OF_BYTES * n * n_rows);
  for (guint y = 0; y < n_rows; y++, rows += pitch) {
    guint i = 0;
    for (; i + 2 <= n; i += 2) {
      measure_vector_of_bytes(&block, rows + i * VECTOR_BYTES, 0, bounds);
      measure_vector_of_bytes(&block, rows + (i + 1) * VECTOR_BYTES, 1, bounds);
    }
    if (i < n)
      measure_vector_of_bytes(&block, rows + i * VECTOR_BYTES, 0, bounds);
  }
  const SumsOfBytes sum = block.sum[0] + block.sum[1];
#ifdef HAS_DOT_OF_FOUR
  totals->sum += sum_longs((Vector_32)sum);
#else
  totals->sum += sum_longs(sum_words(sum));
#endif
  totals->squares += sum_longs((Vector_32)(block.squares[0] + block.squares[1]));
  totals->largest = (Longs)block.largest;
  for (guint k = 0; k < bounds->n; k++)
    totals->count[k] += TOTAL_8(block.count[k]);
}

typedef struct {
  Sums squares[2], sum[2]; /* modulo 2^32 */
  Vector_32 high_squares;  /* sum of the upper halves of the squares of wide words */
  SignedVector_16 largest;
  Counts_16 count[MEASURED_LIMITS];
} WordsMeasured;

static ALWAYS_INLINE void
measure_vector_of_words(WordsMeasured *to, const guint8 *row, guint i, const MeasureBounds *bounds,
                        guint shift, MeasureKind kind) {
  Vector_16 x;
  memcpy(&x, row, sizeof x);
  SignedVector_16 code = (SignedVector_16)(x >> shift);
  if (kind == MEASURE_WORDS) {
    code ^= G_MININT16;
    const Sums squares = DOT_WORDS((Sums){0}, code, code);
    to->squares[i] += squares;
    to->high_squares += (Vector_32)squares >> 16;
  } else {
    to->squares[i] = DOT_WORDS(to->squares[i], code, code);
  }
  to->sum[i] = DOT_WORDS(to->sum[i], code, 1 + (SignedVector_16){0});
  to->largest = LARGER_16(to->largest, code);
  for (guint k = 0; k < bounds->n; k++)
    to->count[k] += COUNT_16(code, bounds->below[k]);
}

static ALWAYS_INLINE void
measure_words(MeasureTotals *totals, const guint8 *rows, gssize pitch, guint n, guint n_rows,
              const MeasureBounds *bounds, guint shift, MeasureKind kind) {
  WordsMeasured block = {.largest = (SignedVector_16)totals->largest};
  if (kind == MEASURE_WORDS)
    block.sum[0] += (gint32)(2 * CENTRE_OF_WORDS * n * n_rows); /* undoes the centre of pairs */
  for (guint y = 0; y < n_rows; y++, rows += pitch) {
    guint i = 0;
    for (; i + 2 <= n; i += 2) {
      measure_vector_of_words(&block, rows + i * VECTOR_BYTES, 0, bounds, shift, kind);
      measure_vector_of_words(&block, rows + (i + 1) * VECTOR_BYTES, 1, bounds, shift, kind);
    }
    if (i < n)
      measure_vector_of_words(&block, rows + i * VECTOR_BYTES, 0, bounds, shift, kind);
  }
  const Vector_32 squares = (Vector_32)(block.squares[0] + block.squares[1]);
  const Vector_32 high = block.high_squares;
  /* the sum of the lower halves fits 32 bits */
  totals->squares += sum_longs(squares - (high << 16)) + (sum_longs(high) << 16);
  totals->sum += sum_longs((Vector_32)(block.sum[0] + block.sum[1]));
  totals->largest = (Longs)block.largest;
  for (guint k = 0; k < bounds->n; k++)
    totals->count[k] += TOTAL_16(block.count[k]);
}

static ALWAYS_INLINE void
measure_block(MeasureTotals *totals, const guint8 *rows, gssize pitch, guint n, guint n_rows,
              const MeasureBounds *bounds, guint shift, MeasureKind kind) {
  if (kind == MEASURE_BYTES)
    measure_bytes(totals, rows, pitch, n, n_rows, bounds);
  else
    measure_words(totals, rows, pitch, n, n_rows, bounds, shift, kind);
  totals->n_vectors += n * n_rows;
}

static ALWAYS_INLINE guint64
sum_lanes(Longs v) {
  guint64 sum = 0;
  for (guint i = 0; i < VECTOR_BYTES / sizeof(guint64); i++)
    sum += v[i];
  return sum;
}

static ALWAYS_INLINE guint
largest_lane(Longs v, MeasureKind kind) {
  gint largest = G_MININT16;
  for (guint i = 0; i < VECTOR_BYTES / 2; i++) {
    const gint lane = ((SignedVector_16)v)[i];
    const gint low = ((lane & 0xff) ^ 0x80) - 0x80, high = lane >> 8;
    largest = MAX(largest, kind == MEASURE_BYTES ? MAX(low, high) : lane);
  }
  return (guint)largest;
}

/* `n_limits` is constant. */
static ALWAYS_INLINE void
measure_rows(CcMeasured *to, const CcMeasureLimits *limits, const guint8 *rows, gssize pitch,
             guint n, guint n_rows, guint shift, guint n_limits, MeasureKind kind) {
  const guint max[] = {G_MAXUINT8, NARROW_MAX, G_MAXUINT16}, half[] = {128, 0, 32768};
  const guint64 centres[] = {CENTRE_OF_BYTES, 0, CENTRE_OF_WORDS}, centre = centres[kind];
  const guint at_least[MEASURED_LIMITS] = {limits->black + 1, limits->white, limits->above};
  const guint bytes = kind == MEASURE_BYTES ? 1 : 2;
  const gsize n_bytes = (gsize)n * bytes, n_vectors = n_bytes / VECTOR_BYTES;
  MeasureTotals totals = {0};
  MeasureBounds bounds = {.n = n_limits};
  totals.largest = kind == MEASURE_BYTES ? (Longs)(G_MININT8 + (SignedVector_8){0})
                                         : (Longs)(G_MININT16 + (SignedVector_16){0});
  for (guint k = 0; k < n_limits; k++)
    bounds.below[k] = (gint)(MIN(at_least[k] - 1, max[kind]) - half[kind]);
  const guint n_at_once = (guint)MAX(MEASURED_AT_ONCE / MAX(n_vectors, 1), 1);
  for (guint y = 0; y < n_rows; y += n_at_once) {
    const guint8 *row = rows + (gssize)y * pitch;
    for (gsize i = 0; i < n_vectors; i += MEASURED_AT_ONCE)
      measure_block(&totals, row + i * VECTOR_BYTES, pitch,
                    (guint)MIN(n_vectors - i, MEASURED_AT_ONCE), MIN(n_rows - y, n_at_once),
                    &bounds, shift, kind);
  }
  for (guint y = 0; y < n_rows && n_bytes % VECTOR_BYTES > 0; y++) {
    guint8 last[VECTOR_BYTES] = {0};
    memcpy(last, rows + (gssize)y * pitch + n_vectors * VECTOR_BYTES, n_bytes % VECTOR_BYTES);
    measure_block(&totals, last, 0, 1, 1, &bounds, shift, kind);
  }
  const guint64 all = (guint64)n * n_rows, sum = sum_lanes(totals.sum);
  const guint largest = largest_lane(totals.largest, kind) + half[kind];
  to->n += all;
  to->sum += sum;
  to->squares += sum_lanes(totals.squares) + 2 * centre * sum -
                 centre * centre * totals.n_vectors * (VECTOR_BYTES / bytes);
  to->largest = MAX(to->largest, largest);
  to->n_black += all - SUM_TOTAL(totals.count[0]);
  to->n_white += SUM_TOTAL(totals.count[1]);
  if (n_limits > 2)
    to->n_above += SUM_TOTAL(totals.count[2]);
}

/* Without a threshold there are two limits. No limit is 0. */
static ALWAYS_INLINE void
measure(CcMeasured *to, const CcMeasureLimits *limits, const guint8 *rows, gssize pitch, guint n,
        guint n_rows, guint shift, MeasureKind kind) {
  if (limits->above == G_MAXUINT32)
    measure_rows(to, limits, rows, pitch, n, n_rows, shift, 2, kind);
  else
    measure_rows(to, limits, rows, pitch, n, n_rows, shift, 3, kind);
}

static void
measure_u8(CcMeasured *to, const CcMeasureLimits *limits, const guint8 *rows, gssize pitch, guint n,
           guint n_rows, guint shift) {
  measure(to, limits, rows, pitch, n, n_rows, 0, MEASURE_BYTES);
}

static void
measure_u16(CcMeasured *to, const CcMeasureLimits *limits, const guint8 *rows, gssize pitch,
            guint n, guint n_rows, guint shift) {
  if (shift >= 16 - NARROW_BITS)
    measure(to, limits, rows, pitch, n, n_rows, shift, MEASURE_NARROW_WORDS);
  else
    measure(to, limits, rows, pitch, n, n_rows, shift, MEASURE_WORDS);
}

/* --- histograms --- */

/* Neighbouring samples have bins of their own, because a bin that was just written is slow to read.
 */
#define BINS_AT_ONCE 4

static ALWAYS_INLINE guint8
bin_of(const guint8 *row, gsize i, guint shift, gboolean is_words) {
  return (guint8)((is_words ? ((const Word *)row)[i] : row[i]) >> shift);
}

static ALWAYS_INLINE void
count_bins(guint64 *bins, const guint8 *rows, gssize pitch, guint n, guint n_rows, guint shift,
           gboolean is_words) {
  guint32 bin[BINS_AT_ONCE][CC_MEASURE_BINS] = {0};
  for (guint y = 0; y < n_rows; y++) {
    const guint8 *row = rows + (gssize)y * pitch;
    guint x = 0;
    for (; x + BINS_AT_ONCE <= n; x += BINS_AT_ONCE)
      for (guint k = 0; k < BINS_AT_ONCE; k++)
        bin[k][bin_of(row, x + k, shift, is_words)]++;
    for (; x < n; x++)
      bin[0][bin_of(row, x, shift, is_words)]++;
  }
  for (guint i = 0; i < CC_MEASURE_BINS; i++)
    bins[i] += (guint64)bin[0][i] + bin[1][i] + bin[2][i] + bin[3][i];
}

static void
count_u8(guint64 *bins, const guint8 *rows, gssize pitch, guint n, guint n_rows, guint shift) {
  count_bins(bins, rows, pitch, n, n_rows, 0, FALSE);
}

static void
count_u16(guint64 *bins, const guint8 *rows, gssize pitch, guint n, guint n_rows, guint shift) {
  count_bins(bins, rows, pitch, n, n_rows, shift, TRUE);
}
