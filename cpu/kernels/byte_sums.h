/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* 16-bit sums of bytes, computed without widening the bytes and packing the results. Included by
 * row_kernels.c.
 *
 * A vector of bytes is read as 16-bit words. The low bytes of the words are summed in one vector,
 * the high bytes in another vector. The resulting bytes are combined into words in the same way.
 * For each VECTOR_BYTES samples, a row of split sums has the sums of the low bytes in one vector,
 * and then the sums of the high bytes in another vector. */

typedef gint16 SignedVector_16 __attribute__((vector_size(VECTOR_BYTES)));
typedef guint16 UnalignedBytes __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

typedef struct {
  Vector_16 low, high;
} SplitSums;

#if defined __AVX512BW__
#define HIGH_PRODUCT(a, b) ((Vector_16)_mm512_mulhi_epu16((__m512i)(a), (__m512i)(b)))
#define LESSER(a, b) ((Vector_16)_mm512_min_epu16((__m512i)(a), (__m512i)(b)))
#define GREATER(a, b) ((Vector_16)_mm512_max_epu16((__m512i)(a), (__m512i)(b)))
#define ABSOLUTE_WORDS(a) ((Vector_16)_mm512_abs_epi16((__m512i)(a)))
#elif defined __AVX2__
#define HIGH_PRODUCT(a, b) ((Vector_16)_mm256_mulhi_epu16((__m256i)(a), (__m256i)(b)))
#define LESSER(a, b) ((Vector_16)_mm256_min_epu16((__m256i)(a), (__m256i)(b)))
#define GREATER(a, b) ((Vector_16)_mm256_max_epu16((__m256i)(a), (__m256i)(b)))
#define ABSOLUTE_WORDS(a) ((Vector_16)_mm256_abs_epi16((__m256i)(a)))
#elif defined __SSE2__
#define HIGH_PRODUCT(a, b) ((Vector_16)_mm_mulhi_epu16((__m128i)(a), (__m128i)(b)))
#define EXCESS(a, b) ((Vector_16)_mm_subs_epu16((__m128i)(a), (__m128i)(b)))
#define LESSER(a, b) ((a)-EXCESS(a, b))
#define GREATER(a, b) ((b) + EXCESS(a, b))
#define ABSOLUTE_WORDS(a) ((Vector_16)_mm_max_epi16((__m128i)(a), (__m128i)(-(a))))
#else
#define SELECT(which, a, b) (((a) & (Vector_16)(which)) | ((b) & ~(Vector_16)(which)))
#define LESSER(a, b) SELECT((a) < (b), a, b)
#define GREATER(a, b) SELECT((a) > (b), a, b)
#define ABSOLUTE_WORDS(a) SELECT((SignedVector_16)(a) < 0, -(a), a)
#define HIGH_PRODUCT(a, b) high_product(a, b)
static ALWAYS_INLINE Vector_16
high_product(Vector_16 a, Vector_16 b) {
  for (guint i = 0; i < VECTOR_BYTES / sizeof(guint16); i++)
    a[i] = (guint16)((guint32)a[i] * b[i] >> 16);
  return a;
}
#endif

/* The constants of a CcFinish16, repeated in vectors. */
typedef struct {
  Vector_16 offset, factor, min, max, base;
  gint right;
} VectorFinish;

static ALWAYS_INLINE VectorFinish
vector_finish(const CcFinish16 *f) {
  const Vector_16 zero = {0};
  return (VectorFinish){f->offset + zero, f->factor + zero, f->min + zero,
                        f->max + zero,    f->base + zero,   (gint)f->right};
}

/* Returns the code value (code_of_16) of each t, or of each |t| if `absolute`. If `plain`, min, max
 * and base are not applied. */
static ALWAYS_INLINE Vector_16
codes_of_sums(Vector_16 t, const VectorFinish *f, gboolean absolute, gboolean plain) {
  if (absolute)
    t = ABSOLUTE_WORDS(t);
  const Vector_16 q = HIGH_PRODUCT(t + f->offset, f->factor) >> f->right;
  if (plain)
    return q;
  const Vector_16 raised = GREATER(q, f->min);
  return LESSER(raised, f->max) + f->base;
}

static ALWAYS_INLINE Vector_16
bytes_of_split(SplitSums sums, const VectorFinish *f, gboolean absolute, gboolean plain) {
  const Vector_16 low = codes_of_sums(sums.low, f, absolute, plain);
  const Vector_16 high = codes_of_sums(sums.high, f, absolute, plain);
  return low | high << 8;
}

static ALWAYS_INLINE void
store_split(guint8 *out, Vector_16 bytes, gboolean streams) {
#if defined __AVX512BW__
  store_vector(out, (__m512i)bytes, streams);
#elif defined __AVX2__
  store_vector(out, (__m256i)bytes, streams);
#elif defined __SSE2__
  store_vector(out, (__m128i)bytes, streams);
#else
  *(UnalignedBytes *)out = bytes;
#endif
}

/* Stores a row of n bytes. `bytes` is an expression for the vector of bytes from number x on. */
#define STORE_ROW(dst, n, ahead, bytes)                                                            \
  do {                                                                                             \
    gsize x = 0;                                                                                   \
    for (; x + VECTOR_BYTES <= (n); x += VECTOR_BYTES) {                                           \
      cc_look_ahead(ahead, x);                                                                     \
      store_split((dst) + x, bytes, (ahead)->streams);                                             \
    }                                                                                              \
    if (x < (n)) {                                                                                 \
      const Vector_16 last = bytes;                                                                \
      memcpy((dst) + x, &last, (n)-x);                                                             \
    }                                                                                              \
  } while (0)

/* `near` and `far` have the addresses of taps 1 4 6 4 1, in the order 1 1 4 4 6. Returns whether
 * `far` has for taps 4 4 6 the addresses that `near` has for taps 1 1 6. This is the case if the
 * taps of `far` are twice as far apart as the taps of `near`. Loading the shared samples only once
 * saves much time. */
static inline gboolean
shares_taps(const guint8 *const *near, const guint8 *const *far) {
  return far[2] == near[0] && far[3] == near[1] && far[4] == near[4];
}
