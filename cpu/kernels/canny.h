/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels of Canny's edges for lanes of one type. engine/plan/canny_shared.h has the
 * definition. Included by row_kernels.c once for each lane type, with
 *   SIGNED       the type
 *   LANE_BITS    its bits
 *   ABSOLUTE(a)  the absolute values of a vector
 *   SLOPE(a)     a * CC_CANNY_TAN / 2^CC_CANNY_BITS, rounded down; `a` is a vector
 *   HAS_REST(a)  1 where SLOPE was rounded, else 0
 *   NAME(f)      f with the lane's suffix
 *   NAME(canny_bits)  a bit for each lane of a vector, whose lanes are 0 or -1; not with AVX-512,
 *                     which has PASTE(a, b, c): a, b and c as one token */

static void
NAME(canny_magnitude)(gpointer magnitude, gpointer x, gpointer y, guint n, guint bits,
                      gboolean is_l2) {
  SIGNED *restrict out = magnitude, *restrict across = x, *restrict down = y;
  if (bits) {
    const SIGNED half = (SIGNED)((1 << (bits - 1)) - 1);
    for (guint i = 0; i < n; i++) {
      across[i] = (SIGNED)((across[i] + half + (across[i] >> bits & 1)) >> bits);
      down[i] = (SIGNED)((down[i] + half + (down[i] >> bits & 1)) >> bits);
    }
  }
  if (is_l2)
    for (guint i = 0; i < n; i++)
      out[i] = (SIGNED)(across[i] * across[i] + down[i] * down[i]);
  else
    for (guint i = 0; i < n; i++)
      out[i] =
          (SIGNED)((across[i] < 0 ? -across[i] : across[i]) + (down[i] < 0 ? -down[i] : down[i]));
}

typedef SIGNED NAME(CannyVector) __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef SIGNED NAME(CannyUnaligned)
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(SIGNED)), may_alias));

static ALWAYS_INLINE
NAME(CannyVector) NAME(canny_load)(gconstpointer row, gssize i) {
  return *(const NAME(CannyUnaligned) *)((const SIGNED *)row + i);
}

/* A mask has a bit for each lane in a mask register, or is a vector of 0 and -1. */
#if defined __AVX512BW__
#define MASK guint64
#define ABOVE(a, b) PASTE(_mm512_cmpgt_epi, LANE_BITS, _mask)((__m512i)(a), (__m512i)(b))
#define SELECT_LANES(mask, a, b)                                                                   \
  ((NAME(CannyVector))PASTE(_mm512_mask_blend_epi, LANE_BITS, )(mask, (__m512i)(b), (__m512i)(a)))
#define BITS(mask) (mask)
#else
#define MASK NAME(CannyVector)
#define ABOVE(a, b) ((NAME(CannyVector))((a) > (b)))
#define SELECT_LANES(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
#define BITS(mask) NAME(bits_of)(mask)
static ALWAYS_INLINE guint64
NAME(bits_of)(NAME(CannyVector) mask) {
  return NAME(canny_bits)(&mask);
}
#endif

static void
NAME(canny_suppress)(guint64 *weak, guint64 *strong, const CcCannyRows *rows, guint n) {
  const NAME(CannyVector) low = (SIGNED)rows->low - (NAME(CannyVector)){0};
  const NAME(CannyVector) high = (SIGNED)rows->high - (NAME(CannyVector)){0};
  const gssize step = VECTOR_BYTES / sizeof(SIGNED);
  for (guint word = 0; word < (n + 63) / 64; word++) {
    guint64 is_weak = 0, is_strong = 0;
    for (gssize k = 0, at = 64 * (gssize)word; k < 64; k += step, at += step) {
      const NAME(CannyVector) m = NAME(canny_load)(rows->magnitude[1], at);
      const guint64 above_low = BITS(ABOVE(m, low));
      if (!above_low) /* most pixels of most images */
        continue;
      const NAME(CannyVector) x = NAME(canny_load)(rows->x, at), y = NAME(canny_load)(rows->y, at);
      const NAME(CannyVector) a = ABSOLUTE(x);
      const NAME(CannyVector) rise = ABSOLUTE(y) - SLOPE(a);
      const NAME(CannyVector) none = {0};
      const MASK is_across = ABOVE(HAS_REST(a), rise), is_down = ABOVE(rise, a + a);
      const MASK rises = ABOVE(none, x ^ y);
#define NEIGHBOUR(row, column) NAME(canny_load)(rows->magnitude[row], at + (column))
#define ALONG(across, down, rising, falling)                                                       \
  SELECT_LANES(is_across, across, SELECT_LANES(is_down, down, SELECT_LANES(rises, rising, falling)))
      const NAME(CannyVector) before =
          ALONG(NEIGHBOUR(1, -1), NEIGHBOUR(0, 0), NEIGHBOUR(0, 1), NEIGHBOUR(0, -1));
      /* a magnitude may equal the one after it, unless the axis is diagonal */
      const NAME(CannyVector) after =
          ALONG(NEIGHBOUR(1, 1) - 1, NEIGHBOUR(2, 0) - 1, NEIGHBOUR(2, -1), NEIGHBOUR(2, 1));
#undef ALONG
#undef NEIGHBOUR
      const guint64 bits = BITS(ABOVE(m, before)) & BITS(ABOVE(m, after)) & above_low;
      is_weak |= bits << k;
      is_strong |= (bits & BITS(ABOVE(m, high))) << k;
    }
    weak[word] = is_weak;
    strong[word] = is_strong;
  }
}

#undef SIGNED
#undef NAME
#undef LANE_BITS
#undef MASK
#undef ABOVE
#undef SELECT_LANES
#undef BITS
