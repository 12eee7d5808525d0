/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CC_ROWS is the name of the table that a compilation makes (row_kernels.h). Most kernels that sum
 * use the compilers' vector types, so that sums stay in registers. They also use the instructions
 * for dot products and for packing. Most other kernels are plain loops that compilers vectorise
 * well. */

#include "row_kernels.h"
#include "engine/plan/canny_shared.h"
#include "engine/plan/compose_shared.h"
#include "engine/plan/direction_color_shared.h"
#include "engine/plan/measure_shared.h"
#include "engine/plan/plane_map.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined __AVX512BW__
#include <immintrin.h>
#define VECTOR_BYTES 64
#define V(name) _mm512_##name
typedef __m512i Words;
typedef __m512i_u UnalignedWords;
#elif defined __AVX2__
#include <immintrin.h>
#define VECTOR_BYTES 32
#define V(name) _mm256_##name
typedef __m256i Words;
typedef __m256i_u UnalignedWords;
#else
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#define VECTOR_BYTES 16
#endif

/* A sample of two bytes at any address, because a pitch may be odd. */
typedef guint16 Word __attribute__((aligned(1), may_alias));
typedef guint32 PairOfWords __attribute__((aligned(1), may_alias));

/* Forces inlining, so that vectors stay in registers and constant arguments remove code. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

#define UNROLL 4 /* number of vectors that a kernel sums at once, in registers */
G_STATIC_ASSERT(CC_ROW_SLACK >= UNROLL * VECTOR_BYTES);

/* Calls a function with a constant spacing, because compilers can then vectorise its loop. */
#define FOR_SPACING(spacing, call)                                                                 \
  switch (spacing) {                                                                               \
  case 1:                                                                                          \
    call(1);                                                                                       \
    break;                                                                                         \
  case 2:                                                                                          \
    call(2);                                                                                       \
    break;                                                                                         \
  case 3:                                                                                          \
    call(3);                                                                                       \
    break;                                                                                         \
  default:                                                                                         \
    call(4);                                                                                       \
    break;                                                                                         \
  }

#define LANE guint8
#define NAME(f) f##_8
#include "load.h"
#undef LANE
#undef NAME

/* load_second_bytes loads every second byte. join_two_bytes interleaves two rows of bytes. GCC
 * generates more instructions from plain loops. Both functions return how many of the n samples
 * they have processed. Plain loops process the rest. */
#if defined __AVX512BW__
static guint
load_second_bytes(guint8 *out, const guint8 *in, guint n) {
  const __m512i low = _mm512_set1_epi16(0xff), order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  guint x = 0;
  for (; x + VECTOR_BYTES < n; x += VECTOR_BYTES) { /* the memory may end at the last sample */
    const __m512i a = _mm512_and_si512(_mm512_loadu_si512(in + 2 * (gsize)x), low);
    const __m512i b = _mm512_and_si512(_mm512_loadu_si512(in + 2 * (gsize)x + VECTOR_BYTES), low);
    const __m512i both = _mm512_packus_epi16(a, b);
    _mm512_storeu_si512(out + x, _mm512_permutexvar_epi64(order, both));
  }
  return x;
}

static guint
join_two_bytes(guint8 *out, const guint8 *a, const guint8 *b, guint n) {
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  guint x = 0;
  for (; x + VECTOR_BYTES <= n; x += VECTOR_BYTES) {
    const __m512i in_a = _mm512_loadu_si512(a + x), in_b = _mm512_loadu_si512(b + x);
    const __m512i low = _mm512_unpacklo_epi8(in_a, in_b);
    const __m512i high = _mm512_unpackhi_epi8(in_a, in_b);
    guint8 *to = out + 2 * (gsize)x;
    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(low, first, high));
    _mm512_storeu_si512(to + VECTOR_BYTES, _mm512_permutex2var_epi64(low, second, high));
  }
  return x;
}
#else
static inline guint
load_second_bytes(guint8 *out, const guint8 *in, guint n) {
  return 0;
}

static inline guint
join_two_bytes(guint8 *out, const guint8 *a, const guint8 *b, guint n) {
  return 0;
}
#endif

static void
load_bytes(gpointer row, gconstpointer src, guint spacing, guint n, guint shift) {
  const guint done = spacing == 2 ? load_second_bytes(row, src, n) : 0;
  load_u8_8((guint8 *)row + done, (const guint8 *)src + (gsize)done * spacing, spacing, n - done,
            shift);
}

#define LANE guint16
#define SIGNED gint16
#define ABSOLUTE(a) ((a) < 0 ? -(a) : (a))
#define NAME(f) f##_16
#include "lane.h"

#define LANE guint32
#define SIGNED gint32
#define ABSOLUTE(a) ((a) < 0 ? -(a) : (a))
#define NAME(f) f##_32
#include "lane.h"

#define LANE guint64
#define SIGNED gint64
#define ABSOLUTE(a) ((a) < 0 ? -(a) : (a))
#define NAME(f) f##_64
#include "lane.h"

#define LANE gdouble
#define SIGNED gdouble
#define ABSOLUTE(a) ((a) < 0 ? -(a) : (a))
#define NAME(f) f##_double
#include "lane.h"

/* --- sums of known patterns, and the 16-bit output stage --- */

/* Vectorises well, because one instruction computes the high half of a product. */
static inline guint16
code_of_16(guint16 t, const CcFinish16 *f) {
  const guint16 u = (guint16)(t + f->offset);
  guint16 q = (guint16)(((guint32)u * f->factor) >> 16);
  q = (guint16)(q >> f->right);
  q = q < f->min ? f->min : q;
  q = q > f->max ? f->max : q;
  return (guint16)(q + f->base);
}

/* Returns whether the output stage needs neither limits nor base. */
static inline gboolean
is_plain(const CcFinish16 *f) {
  return f->min == 0 && f->max == G_MAXUINT16 && f->base == 0;
}

/* Whether output stages call fmaf. Without an fmaf instruction, fmaf is slow. If the product is
 * exact, a separate product and sum give the same result and are used instead. */
#if defined __AVX2__ || defined FP_FAST_FMAF
#define PREFER_FUSED(finish) TRUE
#else
#define PREFER_FUSED(finish) (!(finish)->exact_product)
#endif

#include "requantize.h"
#include "byte_sums.h"

#define PATTERN 11
#define N_TAPS 2
#define N_GROUPS 1
#define SUM (f[0] * (T(0) - T(1)))
#define IS_LINE 1
#include "tap_groups.h"

#define PATTERN 30
#define N_TAPS 3
#define N_GROUPS 1
#define SUM (f[0] * (T(0) + T(1) + T(2)))
#define IS_LINE 1
#include "tap_groups.h"

#define PATTERN 50
#define N_TAPS 5
#define N_GROUPS 1
#define SUM (f[0] * (T(0) + T(1) + T(2) + T(3) + T(4)))
#define IS_LINE 1
#include "tap_groups.h"

#define PATTERN 20_10
#define N_TAPS 3
#define N_GROUPS 2
#define SUM (f[0] * (T(0) + T(1)) + f[1] * T(2))
#define IS_LINE 1
#include "tap_groups.h"

#define PATTERN 11_11
#define N_TAPS 4
#define N_GROUPS 2
#define SUM (f[0] * (T(0) - T(1)) + f[1] * (T(2) - T(3)))
#define IS_LINE 1
#include "tap_groups.h"

#define PATTERN 20_20_10
#define N_TAPS 5
#define N_GROUPS 3
#define SUM (f[0] * (T(0) + T(1)) + f[1] * (T(2) + T(3)) + f[2] * T(4))
#define IS_LINE 1
#include "tap_groups.h"

#define PATTERN 22_11
#define N_TAPS 6
#define N_GROUPS 2
#define SUM (f[0] * (T(0) + T(1) - T(2) - T(3)) + f[1] * (T(4) - T(5)))
#define IS_LINE 0
#include "tap_groups.h"

#define PATTERN 33
#define N_TAPS 6
#define N_GROUPS 1
#define SUM (f[0] * (T(0) + T(1) + T(2) - T(3) - T(4) - T(5)))
#define IS_LINE 0
#include "tap_groups.h"

#define PATTERN 40_10
#define N_TAPS 5
#define N_GROUPS 2
#define SUM (f[0] * (T(0) + T(1) + T(2) + T(3)) + f[1] * T(4))
#define IS_LINE 0
#include "tap_groups.h"

#define PATTERN 80_10
#define N_TAPS 9
#define N_GROUPS 2
#define SUM (f[0] * (T(0) + T(1) + T(2) + T(3) + T(4) + T(5) + T(6) + T(7)) + f[1] * T(8))
#define IS_LINE 0
#include "tap_groups.h"

#define PATTERN 40_40_10
#define N_TAPS 9
#define N_GROUPS 3
#define SUM (f[0] * (T(0) + T(1) + T(2) + T(3)) + f[1] * (T(4) + T(5) + T(6) + T(7)) + f[2] * T(8))
#define IS_LINE 0
#include "tap_groups.h"

#define PATTERN 11_23
#define N_TAPS 7
#define N_GROUPS 2
#define SUM (f[0] * (T(0) - T(1)) + f[1] * (T(2) + T(3) - T(4) - T(5) - T(6)))
#define IS_LINE 0
#include "tap_groups.h"

#include "dot_products.h"
#if defined __AVX2__ && !defined HAS_DOT_OF_FOUR
#include "byte_pairs.h"
#endif
#ifdef __AVX2__
#include "vertical_first.h"
#endif

#include "luma.h"

#include "gradient.h"

#include "running_sums.h"

#ifdef __AVX2__
#include "column_sums.h"
#endif

/* --- magnitude --- */

/* Integer sums need no fmaf. Squares and their sums are exact in float, unless they are so large
 * that the result saturates. */
#define SQUARE_ADD(s, n) ((s) * (s) + (n))
#define SQUARE_ADD_FUSED_DOUBLE(s, n) fma(s, s, n)

/* With a constant n_sums the inner loop is unrolled and the outer loop vectorised. */
#define DEFINE_NORM(name, lane, real, square_add, root)                                            \
  static inline void name##_of(real *restrict t, const gconstpointer *sums, guint n_sums,          \
                               guint n) {                                                          \
    for (guint x = 0; x < n; x++) {                                                                \
      real squares = 0;                                                                            \
      for (guint i = 0; i < n_sums; i++) {                                                         \
        const real s = (real)((const lane *)sums[i])[x];                                           \
        squares = square_add(s, squares);                                                          \
      }                                                                                            \
      t[x] = root(squares);                                                                        \
    }                                                                                              \
  }                                                                                                \
  static void name(gpointer t, const gconstpointer *sums, guint n_sums, guint n) {                 \
    if (n_sums == 2)                                                                               \
      name##_of(t, (const gconstpointer[]){sums[0], sums[1]}, 2, n);                               \
    else                                                                                           \
      name##_of(t, sums, n_sums, n);                                                               \
  }

DEFINE_NORM(norm_16, gint16, gfloat, SQUARE_ADD, sqrtf)
DEFINE_NORM(norm_32, gint32, gfloat, SQUARE_ADD, sqrtf)
DEFINE_NORM(norm_double_32, gint32, gdouble, SQUARE_ADD_FUSED_DOUBLE, sqrt)
DEFINE_NORM(norm_double_64, gint64, gdouble, SQUARE_ADD_FUSED_DOUBLE, sqrt)
DEFINE_NORM(norm_double_double, gdouble, gdouble, SQUARE_ADD_FUSED_DOUBLE, sqrt)

/* --- direction --- */

#define DEFINE_TURNS(name, lane)                                                                   \
  static void name(gpointer t, const gconstpointer *sums, guint n_sums, guint n) {                 \
    gfloat *restrict out = t;                                                                      \
    const lane *restrict in_x = sums[0];                                                           \
    const lane *restrict in_y = sums[1];                                                           \
    for (guint x = 0; x < n; x++)                                                                  \
      out[x] = cc_direction((gfloat)in_x[x], (gfloat)in_y[x]);                                     \
  }

DEFINE_TURNS(turns_16, gint16)
DEFINE_TURNS(turns_32, gint32)
DEFINE_TURNS(turns_64, gint64)
DEFINE_TURNS(turns_double, gdouble)

#define DEFINE_DIRECTION_COLORS(name, lane)                                                        \
  static void name(guint8 *restrict index, gconstpointer x_sums, gconstpointer y_sums, guint n,    \
                   gfloat add) {                                                                   \
    const lane *restrict in_x = x_sums;                                                            \
    const lane *restrict in_y = y_sums;                                                            \
    for (guint x = 0; x < n; x++)                                                                  \
      index[x] = (guint8)cc_hue_index((gfloat)in_x[x], (gfloat)in_y[x], add);                      \
  }

DEFINE_DIRECTION_COLORS(direction_color_32, gint32)
DEFINE_DIRECTION_COLORS(direction_color_64, gint64)

/* --- t to samples --- */

/* Unlike CLAMP of GLib, LIMIT gives the same result as the min and max instructions, even for a
 * NaN. */
#define LIMIT(v, min, max) ((v) > (min) ? ((v) < (max) ? (v) : (max)) : (min))

static inline gint
floor_to_int(gfloat v) {
  const gint i = (gint)v;
  return i - (v < (gfloat)i);
}

#define SAMPLE guint8
#define STORE(code) (guint8)(code)
#define NAME(f) f##_u8
#include "output_stage.h"

#define SAMPLE Word
#define STORE(code) (guint16)((guint)(code) << finish->shift)
#define NAME(f) f##_u16
#include "output_stage.h"

/* --- compose --- */

/* A vector of bytes is processed as two vectors of words: its even bytes and its odd bytes. A
 * vector of words is two vectors of 32-bit lanes. */

/* Returns round(a b / 2^15) of signed numbers. */
static ALWAYS_INLINE Vector_16
rounded_product(Vector_16 a, Vector_16 b) {
#if defined __AVX512BW__
  return (Vector_16)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b);
#elif defined __AVX2__
  return (Vector_16)_mm256_mulhrs_epi16((__m256i)a, (__m256i)b);
#elif defined __SSE2__
  const Vector_16 low = (Vector_16)_mm_mullo_epi16((__m128i)a, (__m128i)b);
  const Vector_16 high = (Vector_16)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
  return (high << 1) + (low >> 15) + (low >> 14 & 1);
#else
  for (guint i = 0; i < VECTOR_BYTES / sizeof(guint16); i++)
    a[i] = (guint16)(((gint16)a[i] * (gint16)b[i] + (1 << 14)) >> 15);
  return a;
#endif
}

/* cc_compose_mix. The product 128 (r - s) fits 16 bits. */
static ALWAYS_INLINE Vector_16
mix_16(Vector_16 r, Vector_16 s, gint mix) {
  const Vector_16 zero = {0};
  const Vector_16 v = s + rounded_product((r - s) << 7, (guint16)mix + zero);
  const Vector_16 positive = v & ~(Vector_16)((SignedVector_16)v >> 15);
  return LESSER(positive, 255 + zero);
}

static ALWAYS_INLINE Vector_16
mix_bytes(Vector_16 r, Vector_16 s, const CcComposeScalars *scalars) {
  return mix_16(r & 0xff, s & 0xff, scalars->mix) | mix_16(r >> 8, s >> 8, scalars->mix) << 8;
}

static ALWAYS_INLINE Vector_32
mix_32(Vector_32 r, Vector_32 s, const CcComposeScalars *scalars) {
  const Sums v = (Sums)s + ((scalars->mix * (Sums)(r - s) + CC_MIX_ONE / 2) >> CC_MIX_BITS);
  const Sums positive = v & (v > 0), is_more = positive > scalars->max;
  return (Vector_32)((positive & ~is_more) | (scalars->max & is_more));
}

static ALWAYS_INLINE Vector_16
mix_words(Vector_16 r, Vector_16 s, const CcComposeScalars *scalars) {
  const Vector_32 a = (Vector_32)(r >> scalars->shift), b = (Vector_32)(s >> scalars->shift);
  const Vector_32 low = mix_32(a & 0xffff, b & 0xffff, scalars),
                  high = mix_32(a >> 16, b >> 16, scalars);
  return (Vector_16)(low | high << 16) << scalars->shift;
}

/* Returns 256 cc_overlay_blend plus a fraction. With d = color - s, the numerator of the definition
 * divided by 2^8 is v = 255 s + 127 + ((weight d + 128) >> 8), and v / 255 is
 * (v + (v >> 8) + 1) >> 8. The product is the sum of (weight - 2^15) d and 2^15 d, because a factor
 * of rounded_product must fit 16 bits with a sign. */
static ALWAYS_INLINE Vector_16
blend_16(Vector_16 s, Vector_16 color, Vector_16 q, const CcComposeScalars *scalars) {
  const Vector_16 zero = {0};
  const Vector_16 weight = q * (guint16)scalars->whole +
                           HIGH_PRODUCT(q, (guint16)((scalars->part + 0xffff) >> 16) + zero);
  const Vector_16 d = (color - s) << 7;
  const Vector_16 v = (s << 8) - s + 127 + rounded_product(d, weight - 0x8000) + d;
  return v + (v >> 8) + 1;
}

static ALWAYS_INLINE Vector_16
blend_bytes(Vector_16 s, Vector_16 color, Vector_16 q, const CcComposeScalars *scalars) {
  const Vector_16 low = blend_16(s & 0xff, color & 0xff, q & 0xff, scalars);
  const Vector_16 high = blend_16(s >> 8, color >> 8, q >> 8, scalars);
  return low >> 8 | (high & 0xff00);
}

/* cc_overlay_weight and cc_overlay_blend. v / 255 is (v + ((v + (v >> 8) + 1) >> 8) + 1) >> 8. */
static ALWAYS_INLINE Vector_32
blend_32(Vector_32 s, Vector_32 color, Vector_32 q, const CcComposeScalars *scalars) {
  const Vector_32 part = (q * (scalars->part >> 16) + (q * (scalars->part & 0xffff) >> 16)) >> 16;
  const Vector_32 weight = q * scalars->whole + part;
  const Vector_32 v =
      (weight * color + (CC_OVERLAY_ONE - weight) * s + CC_OVERLAY_ONE / 2) >> CC_MIX_BITS;
  return (v + ((v + (v >> 8) + 1) >> 8) + 1) >> 8;
}

static ALWAYS_INLINE Vector_16
blend_words(Vector_16 s, Vector_16 color, Vector_16 q, const CcComposeScalars *scalars) {
  const Vector_32 a = (Vector_32)(s >> scalars->shift), b = (Vector_32)color, c = (Vector_32)q;
  const Vector_32 low = blend_32(a & 0xffff, b & 0xffff, c & 0xffff, scalars);
  const Vector_32 high = blend_32(a >> 16, b >> 16, c >> 16, scalars);
  return (Vector_16)(low | high << 16) << scalars->shift;
}

#define SAMPLE guint8
#define LANE guint8
#define PAIR Word
#define NAME(f) f##_u8
#define MIX mix_bytes
#define BLEND blend_bytes
#include "compose.h"

#define SAMPLE Word
#define LANE guint16
#define PAIR PairOfWords
#define NAME(f) f##_u16
#define MIX mix_words
#define BLEND blend_words
#include "compose.h"

/* --- weighted alpha --- */

#include "weighted.h"

static const CcWeightedKernels weighted_kernels = {{premultiply_u8, premultiply_u16},
                                                   {divide_u8, divide_u16}};

/* --- merging components --- */

static inline void
merge_with(guint8 *dst, const guint8 *filtered, const guint8 *src, const CcMasks *masks,
           gsize n_bytes, gboolean keeps) {
  for (gsize at = 0; at < n_bytes; at += CC_MASK_PERIOD) {
    const gsize n = MIN(n_bytes - at, CC_MASK_PERIOD);
    for (gsize i = 0; i < n; i++) {
      const guint kept = keeps ? dst[at + i] & masks->keep[i] : 0;
      dst[at + i] = (guint8)((filtered[at + i] & masks->filter[i]) |
                             (src[at + i] & masks->copy[i]) | kept | masks->fill[i]);
    }
  }
}

static void
merge(guint8 *dst, const guint8 *filtered, const guint8 *src, const CcMasks *masks, gsize n_bytes) {
  if (masks->keeps)
    merge_with(dst, filtered, src, masks, n_bytes, TRUE);
  else
    merge_with(dst, filtered, src, masks, n_bytes, FALSE);
}

/* --- every second or fourth pixel --- */

#ifdef __AVX2__
/* Copies pixels of 3 bytes, several at a time in a vector of 16 bytes. Does not copy the last
 * pixels of a row, because a vector would reach past the end. Returns how many pixels were
 * copied. */
static ALWAYS_INLINE gsize
thin_threes(guint8 *dst, const guint8 *src, gsize n, gsize stride) {
  enum { BYTES = 16, SPARE = 6 };
  const gsize at_once = (BYTES - 3) / (3 * stride) + 1;
  guint8 from[BYTES] = {0};
  for (gsize i = 0; i < 3 * at_once; i++)
    from[i] = (guint8)(i / 3 * 3 * stride + i % 3);
  const __m128i order = _mm_loadu_si128((const __m128i *)from);
  gsize done = 0;
  for (; done + SPARE <= n; done += at_once) {
    const __m128i in = _mm_loadu_si128((const __m128i *)(src + 3 * stride * done));
    _mm_storeu_si128((__m128i *)(dst + 3 * done), _mm_shuffle_epi8(in, order));
  }
  return done;
}
#else
#define thin_threes(dst, src, n, stride) ((gsize)0)
#endif

/* Pixels of 3 bytes are copied as 4 bytes, and pixels of 6 bytes as 8 bytes. The next pixel
 * overwrites the surplus. The last pixel is copied without surplus. */
static ALWAYS_INLINE void
thin(guint8 *restrict dst, const guint8 *restrict src, guint n, gsize pixel_bytes, gsize stride) {
  const gsize at_once = pixel_bytes == 3 ? 4 : pixel_bytes == 6 ? 8 : pixel_bytes;
  const gsize last = n - 1;
  for (gsize i = pixel_bytes == 3 ? thin_threes(dst, src, n, stride) : 0; i < last; i++)
    memcpy(dst + i * pixel_bytes, src + i * stride * pixel_bytes, at_once);
  memcpy(dst + last * pixel_bytes, src + last * stride * pixel_bytes, pixel_bytes);
}

#define DEFINE_THIN(stride, pixel_bytes)                                                           \
  static void thin_##stride##_##pixel_bytes(guint8 *dst, const guint8 *src, guint n) {             \
    thin(dst, src, n, pixel_bytes, stride);                                                        \
  }
#define DEFINE_THINS(stride)                                                                       \
  DEFINE_THIN(stride, 1)                                                                           \
  DEFINE_THIN(stride, 2)                                                                           \
  DEFINE_THIN(stride, 3)                                                                           \
  DEFINE_THIN(stride, 4)                                                                           \
  DEFINE_THIN(stride, 6)                                                                           \
  DEFINE_THIN(stride, 8)

DEFINE_THINS(2)
DEFINE_THINS(4)

/* --- interleaved samples --- */

#define SAMPLE guint8
#define NAME(f) f##_u8
#include "spaced.h"

#define SAMPLE Word
#define NAME(f) f##_u16
#include "spaced.h"

static void
join_bytes(gpointer dst, const gconstpointer parts[], guint n_parts, guint n) {
  if (n_parts != 2) {
    join_u8(dst, parts, n_parts, n);
    return;
  }
  const guint done = join_two_bytes(dst, parts[0], parts[1], n);
  const gconstpointer rest[] = {(const guint8 *)parts[0] + done, (const guint8 *)parts[1] + done};
  join_u8((guint8 *)dst + 2 * (gsize)done, rest, 2, n - done);
}

/* --- Canny's edges --- */

/* The bytes from `from` on, one in each word. GCC would convert a vector in parts. */
static ALWAYS_INLINE Vector_16
words_of_bytes(const guint8 *from) {
#if defined __AVX512BW__
  return (Vector_16)_mm512_cvtepu8_epi16(*(const __m256i_u *)from);
#elif defined __AVX2__
  return (Vector_16)_mm256_cvtepu8_epi16(*(const __m128i_u *)from);
#elif defined __SSE2__
  return (Vector_16)_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)from), _mm_setzero_si128());
#else
  typedef guint8 Bytes __attribute__((vector_size(VECTOR_BYTES / 2), aligned(1), may_alias));
  return __builtin_convertvector(*(const Bytes *)from, Vector_16);
#endif
}

/* The gradient of three rows of bytes and its magnitude |x| + |y|. */
static void
canny_gradient(gint16 *magnitude, gint16 *x, gint16 *y, const guint8 *const rows[3], gint corner,
               gint side, guint n) {
  const Vector_16 f0 = (guint16)corner + (Vector_16){0}, f1 = (guint16)side + (Vector_16){0};
  const guint8 *up = rows[0], *at = rows[1], *down = rows[2];
  for (gssize i = 0; i < (gssize)n; i += VECTOR_BYTES / 2) {
    const Vector_16 falling = words_of_bytes(down + i + 1) - words_of_bytes(up + i - 1);
    const Vector_16 rising = words_of_bytes(up + i + 1) - words_of_bytes(down + i - 1);
    const Vector_16 across = words_of_bytes(at + i + 1) - words_of_bytes(at + i - 1);
    const Vector_16 along = words_of_bytes(down + i) - words_of_bytes(up + i);
    const Vector_16 dx = f0 * (falling + rising) + f1 * across;
    const Vector_16 dy = f0 * (falling - rising) + f1 * along;
    *(UnalignedBytes *)(x + i) = dx;
    *(UnalignedBytes *)(y + i) = dy;
    *(UnalignedBytes *)(magnitude + i) = ABSOLUTE_WORDS(dx) + ABSOLUTE_WORDS(dy);
  }
}

#if defined __AVX512BW__
#define PASTE_NOW(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_NOW(a, b, c)
#else
#if defined __AVX2__
#define BITS_OF_WORDS(mask)                                                                        \
  (guint) _mm_movemask_epi8(                                                                       \
      _mm_packs_epi16(((const __m128i *)(mask))[0], ((const __m128i *)(mask))[1]))
#define BITS_OF_INTS(mask) (guint) _mm256_movemask_ps(*(const __m256 *)(mask))
#define BITS_OF_LONGS(mask) (guint) _mm256_movemask_pd(*(const __m256d *)(mask))
#elif defined __SSE2__
#define BITS_OF_WORDS(mask)                                                                        \
  (guint) _mm_movemask_epi8(_mm_packs_epi16(*(const __m128i *)(mask), _mm_setzero_si128()))
#define BITS_OF_INTS(mask) (guint) _mm_movemask_ps(*(const __m128 *)(mask))
#define BITS_OF_LONGS(mask) (guint) _mm_movemask_pd(*(const __m128d *)(mask))
#else
static ALWAYS_INLINE guint64
bits_of_lanes(gconstpointer mask, guint bytes) {
  guint64 bits = 0;
  for (guint i = 0; i < VECTOR_BYTES / bytes; i++)
    bits |= (guint64)(((const guint8 *)mask)[i * bytes] & 1) << i;
  return bits;
}
#define BITS_OF_WORDS(mask) bits_of_lanes(mask, 2)
#define BITS_OF_INTS(mask) bits_of_lanes(mask, 4)
#define BITS_OF_LONGS(mask) bits_of_lanes(mask, 8)
#endif

#define DEFINE_CANNY_BITS(lane, bits)                                                              \
  static ALWAYS_INLINE guint64 canny_bits_##lane(gconstpointer mask) {                             \
    return bits(mask);                                                                             \
  }
DEFINE_CANNY_BITS(16, BITS_OF_WORDS)
DEFINE_CANNY_BITS(32, BITS_OF_INTS)
DEFINE_CANNY_BITS(64, BITS_OF_LONGS)
#endif

#ifdef V
#define SLOPE(a) ((CannyVector_16)V(mulhi_epu16)((Words)((a) + (a)), V(set1_epi16)(CC_CANNY_TAN)))
#elif defined __SSE2__
#define SLOPE(a)                                                                                   \
  ((CannyVector_16)_mm_mulhi_epu16((__m128i)((a) + (a)), _mm_set1_epi16(CC_CANNY_TAN)))
#else
#define SLOPE(a) slope_of_words(a)
typedef gint16 WordsOfVector __attribute__((vector_size(VECTOR_BYTES), may_alias));
static ALWAYS_INLINE WordsOfVector
slope_of_words(WordsOfVector a) {
  for (guint i = 0; i < VECTOR_BYTES / 2; i++)
    a[i] = (gint16)(a[i] * CC_CANNY_TAN >> CC_CANNY_BITS);
  return a;
}
#endif
/* Not where `a` is 0, but there another axis needs a magnitude of 0. */
#define HAS_REST(a) ((CannyVector_16){0} + 1)
#define SIGNED gint16
#define LANE_BITS 16
#define ABSOLUTE(v) ((CannyVector_16)ABSOLUTE_WORDS((Vector_16)(v)))
#define NAME(f) f##_16
#include "canny.h"
#undef ABSOLUTE
#undef SLOPE
#undef HAS_REST

/* The product of all bits could exceed the lane. */
#define LOW_BITS ((1 << CC_CANNY_BITS) - 1)
#define SLOPE(a)                                                                                   \
  (((a) >> CC_CANNY_BITS) * CC_CANNY_TAN + (((a)&LOW_BITS) * CC_CANNY_TAN >> CC_CANNY_BITS))
#define HAS_REST(a) -(((a)&LOW_BITS) != 0)
#define SIGNED gint32
#define LANE_BITS 32
#define ABSOLUTE(v) (((v) ^ ((v) < 0)) - ((v) < 0))
#define NAME(f) f##_32
#include "canny.h"

#define SIGNED gint64
#define LANE_BITS 64
#define NAME(f) f##_64
#include "canny.h"
#undef ABSOLUTE
#undef SLOPE
#undef HAS_REST

/* Eight bytes for each eight bits. */
static void
canny_paint(guint8 *row, const guint64 *bits, guint n, guint8 black, guint8 white) {
  guint8 last[64];
  for (guint x = 0; x < n; x += 64, bits++) {
    guint8 *to = n - x < 64 ? last : row + x;
#if defined __AVX512BW__
    _mm512_storeu_si512(to, _mm512_mask_blend_epi8(*bits, _mm512_set1_epi8((char)black),
                                                   _mm512_set1_epi8((char)white)));
#else
    const guint64 ones = G_GUINT64_CONSTANT(0x0101010101010101);
    for (guint i = 0; i < 8; i++) {
      const guint64 spread =
          (*bits >> 8 * i & 0xff) * ones & G_GUINT64_CONSTANT(0x8040201008040201);
      const guint64 is_set = ((spread + 0x7f * ones) >> 7) & ones;
      const guint64 made = is_set * (guint8)(white - black) + black * ones;
      memcpy(to + 8 * i, &made, sizeof made);
    }
#endif
    if (to == last)
      memcpy(row + x, last, n - x);
  }
}

static const CcCannyKernels canny_kernels = {
    .magnitude = {canny_magnitude_16, canny_magnitude_32, canny_magnitude_64},
    .suppress = {canny_suppress_16, canny_suppress_32, canny_suppress_64},
    .gradient = canny_gradient,
    .paint = canny_paint,
};

#include "measure.h"

/* --- the tables --- */

#define LANES(f)                                                                                   \
  { f##_16, f##_32, f##_64, [CC_LANE_DOUBLE] = f##_double }
#define LINE_PATTERNS(f)                                                                           \
  [CC_PATTERN_11] = f(11), [CC_PATTERN_30] = f(30), [CC_PATTERN_50] = f(50),                       \
  [CC_PATTERN_20_10] = f(20_10), [CC_PATTERN_11_11] = f(11_11),                                    \
  [CC_PATTERN_20_20_10] = f(20_20_10)
#define WINDOW_PATTERNS(f)                                                                         \
  [CC_PATTERN_22_11] = f(22_11), [CC_PATTERN_33] = f(33), [CC_PATTERN_40_10] = f(40_10),           \
  [CC_PATTERN_80_10] = f(80_10), [CC_PATTERN_40_40_10] = f(40_40_10),                              \
  [CC_PATTERN_11_23] = f(11_23)
#define SUM_8(pattern) sum_8_##pattern
#define SUM_16(pattern) sum_16_##pattern
#define SUM_32(pattern) sum_32_##pattern
#define SUM_SPLIT(pattern) sum_split_##pattern
#define SUM_PAIRS(pattern) sum_pairs_##pattern
#define APPLY(pattern)                                                                             \
  { apply_##pattern, apply_absolute_##pattern }
#define GRADIENTS(kind)                                                                            \
  {                                                                                                \
    [CC_REDUCE_MAX_ABS] = max_abs_##kind, [CC_REDUCE_SUM_ABS] = sum_abs_##kind,                    \
    [CC_REDUCE_NORM] = norm_##kind                                                                 \
  }
#define THINS(stride)                                                                              \
  {                                                                                                \
    NULL, thin_##stride##_1, thin_##stride##_2, thin_##stride##_3, thin_##stride##_4, NULL,        \
        thin_##stride##_6, NULL, thin_##stride##_8                                                 \
  }
#define COLUMN_SUMS_OF(step, lane)                                                                 \
  {                                                                                                \
    column_sums_##step##_1_##lane, column_sums_##step##_2_##lane, column_sums_##step##_3_##lane,   \
        column_sums_##step##_4_##lane, column_sums_##step##_5_##lane,                              \
        column_sums_##step##_6_##lane, column_sums_##step##_7_##lane                               \
  }
#define COLUMN_SUMS(lane)                                                                          \
  {                                                                                                \
    COLUMN_SUMS_OF(1, lane), COLUMN_SUMS_OF(2, lane), COLUMN_SUMS_OF(3, lane),                     \
        COLUMN_SUMS_OF(4, lane)                                                                    \
  }
#define FINISHES(sample)                                                                           \
  {                                                                                                \
    [CC_REQUANTIZE_16] = {[CC_NUMBER_16] = finish_16_##sample},                                    \
    [CC_REQUANTIZE_F32] = {[CC_NUMBER_16] = finish_f32_16_##sample,                                \
                           [CC_NUMBER_32] = finish_f32_32_##sample,                                \
                           [CC_NUMBER_FLOAT] = finish_f32_float_##sample},                         \
    [CC_REQUANTIZE_BITS] = {[CC_NUMBER_32] = finish_bits_##sample},                                \
    [CC_REQUANTIZE_SHIFTED] = {[CC_NUMBER_32] = finish_shifted_##sample},                          \
    [CC_REQUANTIZE_F64] = {[CC_NUMBER_32] = finish_f64_32_##sample,                                \
                           [CC_NUMBER_64] = finish_f64_64_##sample,                                \
                           [CC_NUMBER_DOUBLE] = finish_f64_double_##sample},                       \
    [CC_REQUANTIZE_TURNS] = {[CC_NUMBER_FLOAT] = finish_turns_##sample},                           \
  }

#define VERTICALS(sample)                                                                          \
  {                                                                                                \
    [CC_REQUANTIZE_NONE] = {vertical_sums_1, vertical_sums_2},                                     \
    [CC_REQUANTIZE_BITS] = {vertical_bits_##sample##_1, vertical_bits_##sample##_2},               \
    [CC_REQUANTIZE_SHIFTED] = {vertical_shifted_##sample##_1, vertical_shifted_##sample##_2},      \
    [CC_REQUANTIZE_PARTS] = {[2] = vertical_parts_##sample##_3},                                   \
  }
#define SUMS_AND_SAMPLES(sums, bits, shifted)                                                      \
  { [CC_REQUANTIZE_NONE] = sums, [CC_REQUANTIZE_BITS] = bits, [CC_REQUANTIZE_SHIFTED] = shifted }

static const CcSampleKernels sample_kernels = {
    .load =
        {
            [CC_SAMPLE_U8] = {load_u8_16, load_u8_32, load_u8_64, load_bytes, load_u8_double},
            [CC_SAMPLE_U16] = LANES(load_u16),
        },
    .extend =
        {
            [CC_SAMPLE_U8] = {extend_u8_16, extend_u8_32, extend_u8_64, extend_u8_8,
                              extend_u8_double},
            [CC_SAMPLE_U16] = LANES(extend_u16),
        },
    .merge = merge,
    .thin = {THINS(2), THINS(4)},
    .join = {join_bytes, join_u16},
    .luma = {luma_u8, luma_u16},
};

static const CcOutputKernels output_kernels = {
    .reduce =
        {
            [CC_REDUCE_MAX] = LANES(reduce_max),
            [CC_REDUCE_MAX_ABS] = LANES(reduce_max_abs),
            [CC_REDUCE_SUM_ABS] = LANES(reduce_sum_abs),
            [CC_REDUCE_NORM] = {norm_16, norm_32},
            [CC_REDUCE_NORM_DOUBLE] = {NULL, norm_double_32, norm_double_64, NULL,
                                       norm_double_double},
            [CC_REDUCE_TURNS] = LANES(turns),
        },
    .finish = {[CC_SAMPLE_U8] = FINISHES(u8), [CC_SAMPLE_U16] = FINISHES(u16)},
    .direction_color = {[CC_LANE_32] = direction_color_32, [CC_LANE_64] = direction_color_64},
};

static const CcMeasureKernels measure_kernels = {
    .sums = {measure_u8, measure_u16},
    .bins = {count_u8, count_u16},
};

static const CcTapGroupKernels tap_group_kernels = {
    .sum =
        {
            [CC_LANE_8] = {LINE_PATTERNS(SUM_8), WINDOW_PATTERNS(SUM_8)},
            [CC_LANE_16] = {LINE_PATTERNS(SUM_16), [CC_PATTERN_ANY] = sum_any_16},
            [CC_LANE_32] = {LINE_PATTERNS(SUM_32),
                            WINDOW_PATTERNS(SUM_32), [CC_PATTERN_ANY] = sum_any_32},
            [CC_LANE_64] = {[CC_PATTERN_ANY] = sum_any_64},
            [CC_LANE_DOUBLE] = {[CC_PATTERN_ANY] = sum_any_double},
        },
    .sum_split = {LINE_PATTERNS(SUM_SPLIT), WINDOW_PATTERNS(SUM_SPLIT)},
    .sum_pairs = {LINE_PATTERNS(SUM_PAIRS)},
    .apply = {[CC_LANE_8] = {WINDOW_PATTERNS(APPLY)}, [CC_LANE_16] = {LINE_PATTERNS(APPLY)}},
    .apply_gradient =
        {[CC_GRADIENT_OF_FOUR] = GRADIENTS(of_four), [CC_GRADIENT_OF_EIGHT] = GRADIENTS(of_eight)},
};

static const CcComposeKernels compose_kernels = {
    .select = {compose_select_u8, compose_select_u16},
    .invert = {compose_invert_u8, compose_invert_u16},
    .mix = {compose_mix_u8, compose_mix_u16},
    .strength = {overlay_strength_u8, overlay_strength_u16},
    .mean = {overlay_mean_u8, overlay_mean_u16},
    .blend = {overlay_blend_u8, overlay_blend_u16},
};

static const CcBoxKernels box_kernels = {
    .slide = {[CC_SAMPLE_U8] = {[CC_REQUANTIZE_NONE] = {slide_16, slide_32},
                                [CC_REQUANTIZE_16] = {slide_16_u8, NULL},
                                [CC_REQUANTIZE_BITS] = {NULL, slide_bits_u8},
                                [CC_REQUANTIZE_SHIFTED] = {NULL, slide_shifted_u8}},
              [CC_SAMPLE_U16] = {[CC_REQUANTIZE_NONE] = {slide_16, slide_32},
                                 [CC_REQUANTIZE_BITS] = {NULL, slide_bits_u16},
                                 [CC_REQUANTIZE_SHIFTED] = {NULL, slide_shifted_u16}}},
#ifdef __AVX2__
    .add_columns = {add_columns_16, add_columns_32},
    .make_columns = {COLUMN_SUMS(16), COLUMN_SUMS(32)},
#endif
};

static const CcConv2dKernels conv2d_kernels = {
    .group[CC_DOT_WIDENED] = group_widened,
    .group[CC_DOT_WORDS] = group_words,
    .sum[0] = {SUMS_AND_SAMPLES(conv2d_sums_2, conv2d_bits_u8_2, conv2d_shifted_u8_2),
               SUMS_AND_SAMPLES(conv2d_sums_2, conv2d_bits_u16_2, conv2d_shifted_u16_2)},
#ifdef __AVX2__
    .group[CC_DOT_BYTES] = group_bytes,
    .sum[1] = {SUMS_AND_SAMPLES(conv2d_sums_4, conv2d_bits_u8_4, conv2d_shifted_u8_4)},
#endif
};

static const CcSeparableKernels separable_kernels = {
    .horizontal[CC_DOT_WIDENED] = {horizontal_widened_1, horizontal_widened_2,
                                   horizontal_widened_3},
    .horizontal[CC_DOT_WORDS] = {horizontal_words_1, horizontal_words_2, horizontal_words_3},
#ifdef __AVX2__
    .horizontal[CC_DOT_BYTES] = {horizontal_bytes_1, horizontal_bytes_2, horizontal_bytes_3},
    .horizontal[CC_DOT_CENTRED] = {horizontal_centred_1, horizontal_centred_2,
                                   horizontal_centred_3},
    .horizontal_split = horizontal_split,
#endif
#ifdef __AVX512VBMI__
    .order_is_whole = TRUE,
#endif
    .vertical = {[CC_SAMPLE_U8] = VERTICALS(u8), [CC_SAMPLE_U16] = VERTICALS(u16)},
};

#ifdef __AVX2__
static const CcVerticalFirstKernels vertical_first_kernels = {
    .interleave_rows = interleave_rows,
    .column = column_pass,
    .column_of_three = column_of_three,
    .row = SUMS_AND_SAMPLES(row_sums, row_bits, row_shifted),
};
#endif

const CcRows CC_ROWS = {
    .samples = &sample_kernels,
    .output = &output_kernels,
    .compose = &compose_kernels,
    .weighted = &weighted_kernels,
    .canny = &canny_kernels,
    .measure = &measure_kernels,
    .tap_groups = &tap_group_kernels,
    .box = &box_kernels,
    .conv2d = &conv2d_kernels,
    .separable = &separable_kernels,
#ifdef __AVX2__
    .vertical_first = &vertical_first_kernels,
#endif
#ifdef HAS_DOT_OF_FOUR
    .has_dot_of_four = TRUE,
#endif
    .max_byte_taps = MAX_BYTE_TAPS,
};
