/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels of Canny's edges for lanes of one type. engine/plan/canny_shared.h has the
 * definition. Included by row_kernels.c once for each lane type, with
 *   SIGNED       the type
 *   SLOPE(a)     a * CC_CANNY_TAN / 2^CC_CANNY_BITS, rounded down; `a` is a vector
 *   HAS_REST(a)  1 where SLOPE was rounded, else 0
 *   NAME(f)      f with the lane's suffix
 *   NAME(canny_bits)  a bit for each lane of a vector, whose lanes are 0 or -1 */

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

/* Masks are 0 or -1. */
static ALWAYS_INLINE
NAME(CannyVector)
    NAME(canny_select)(NAME(CannyVector) mask, NAME(CannyVector) a, NAME(CannyVector) b) {
  return (mask & a) | (~mask & b);
}

static ALWAYS_INLINE
NAME(CannyVector) NAME(canny_absolute)(NAME(CannyVector) v) {
  const NAME(CannyVector) sign = v < 0;
  return (v ^ sign) - sign;
}

static void
NAME(canny_suppress)(guint64 *weak, guint64 *strong, const CcCannyRows *rows, guint n) {
  const SIGNED low = (SIGNED)rows->low, high = (SIGNED)rows->high;
  const gssize step = VECTOR_BYTES / sizeof(SIGNED);
  for (guint word = 0; word < (n + 63) / 64; word++) {
    weak[word] = strong[word] = 0;
    for (gssize k = 0, at = 64 * (gssize)word; k < 64; k += step, at += step) {
      const NAME(CannyVector) m = NAME(canny_load)(rows->magnitude[1], at);
      const NAME(CannyVector) is_above = m > low;
      const guint64 above_low = NAME(canny_bits)(&is_above);
      if (!above_low) /* most pixels of most images */
        continue;
      const NAME(CannyVector) x = NAME(canny_load)(rows->x, at), y = NAME(canny_load)(rows->y, at);
      const NAME(CannyVector) a = NAME(canny_absolute)(x), slope = SLOPE(a);
      const NAME(CannyVector) rise = NAME(canny_absolute)(y) - slope;
      const NAME(CannyVector) is_across = (rise < HAS_REST(a)), is_down = (rise > a + a);
      const NAME(CannyVector) rises = (x ^ y) < 0;
#define NEIGHBOUR(row, column) NAME(canny_load)(rows->magnitude[row], at + (column))
#define ALONG(across, down, rising, falling)                                                       \
  NAME(canny_select)                                                                               \
  (is_across, across, NAME(canny_select)(is_down, down, NAME(canny_select)(rises, rising, falling)))
      const NAME(CannyVector) before =
          ALONG(NEIGHBOUR(1, -1), NEIGHBOUR(0, 0), NEIGHBOUR(0, 1), NEIGHBOUR(0, -1));
      const NAME(CannyVector) after =
          ALONG(NEIGHBOUR(1, 1), NEIGHBOUR(2, 0), NEIGHBOUR(2, -1), NEIGHBOUR(2, 1));
#undef ALONG
#undef NEIGHBOUR
      /* a magnitude may equal the one after it, unless the axis is diagonal */
      const NAME(CannyVector) is_maximum = (m > before) & (m > after + (is_across | is_down));
      const guint64 bits = NAME(canny_bits)(&is_maximum) & above_low;
      const NAME(CannyVector) above_high = m > high;
      weak[word] |= bits << k;
      strong[word] |= (bits & NAME(canny_bits)(&above_high)) << k;
    }
  }
}

#undef SIGNED
#undef NAME
