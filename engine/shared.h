/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Enumerations, the border rule and the luma of RGB, for host and device code.
 * output_stage_shared.h has the output stage. This header does not use GLib, because nvcc has no
 * access to GLib's headers. */

#include <math.h>

#ifdef __CUDACC__
#define CC_SHARED static __device__ __forceinline__
#else
#define CC_SHARED static inline
#endif

/* Each enum that users see is one list. A row is F(constant, its name, its text in
 * gst-inspect-1.0), and the macro F expands a row. The two macros below make the constants of the
 * enum and the number of its values. */
#define CC_LIST_CONSTANT(constant, ...) constant,
#define CC_LIST_PLUS_ONE(constant, ...) +1

/* How the sums S_i of a kernel's matrices are combined into one number t, before scale and bias:
 *   clamp         max S_i
 *   absolute      max |S_i|
 *   offset        max S_i, with mid-grey added to the result
 *   magnitude     sqrt(sum S_i^2)
 *   magnitude-l1  sum |S_i|
 *   direction     atan2(S_1, S_0) in turns; exactly two matrices (x, y)
 *   canny         the edges that J. Canny's detector finds (engine/plan/canny.h), from magnitude
 *   canny-l1      the same, from magnitude-l1
 * No op has AUTO, CANNY or CANNY_L1. */
#define CC_RESPONSES(F)                                                                            \
  F(CC_RESPONSE_AUTO, "auto", "The kernel's own")                                                  \
  F(CC_RESPONSE_CLAMP, "clamp", "Negative results become black")                                   \
  F(CC_RESPONSE_ABSOLUTE, "absolute", "The absolute value")                                        \
  F(CC_RESPONSE_OFFSET, "offset", "Mid-grey is added")                                             \
  F(CC_RESPONSE_MAGNITUDE, "magnitude", "Root of the sum of squares over the kernel's matrices")   \
  F(CC_RESPONSE_MAGNITUDE_L1, "magnitude-l1", "Sum of absolute values over the kernel's matrices") \
  F(CC_RESPONSE_DIRECTION, "direction", "Angle of the gradient, a full turn over the pixel range") \
  F(CC_RESPONSE_CANNY, "canny", "Thin edges of Canny's detector, between low and high")            \
  F(CC_RESPONSE_CANNY_L1, "canny-l1", "The same, with the gradient of magnitude-l1")

typedef enum { CC_RESPONSES(CC_LIST_CONSTANT) } CcResponse;
enum { CC_N_RESPONSES = CC_RESPONSES(CC_LIST_PLUS_ONE) };

/* The value of a tap outside the frame, for a row |abcdefgh|:
 *   replicate    aaa|abcdefgh|hhh      constant  vvv|abcdefgh|vvv      wrap  fgh|abcdefgh|abc
 *   reflect      cba|abcdefgh|hgf      reflect-101  dcb|abcdefgh|gfe
 * The frame may be smaller than the kernel: the rule is then repeated until the index is inside. */
#define CC_BORDERS(F)                                                                              \
  F(CC_BORDER_REPLICATE, "replicate", "The nearest pixel: aaa|abcd|ddd")                           \
  F(CC_BORDER_CONSTANT, "constant", "border-value")                                                \
  F(CC_BORDER_REFLECT, "reflect", "Mirrored, edge repeated: cba|abcd|dcb")                         \
  F(CC_BORDER_REFLECT_101, "reflect-101", "Mirrored at the edge pixel: dcb|abcd|cba")              \
  F(CC_BORDER_WRAP, "wrap", "From the opposite side: bcd|abcd|abc")

typedef enum { CC_BORDERS(CC_LIST_CONSTANT) } CcBorder;
enum { CC_N_BORDERS = CC_BORDERS(CC_LIST_PLUS_ONE) };

/* The index in 0..n-1 that the border rule gives for position i, or -1 with CC_BORDER_CONSTANT if i
 * is outside. n >= 1. */
CC_SHARED int
cc_border_index(int i, int n, CcBorder border) {
  if (i >= 0 && i < n)
    return i;
  int m;
  switch (border) {
  case CC_BORDER_REPLICATE:
    return i < 0 ? 0 : n - 1;
  case CC_BORDER_REFLECT:
    m = i < 0 ? -1 - i : 2 * n - 1 - i;
    if (m >= 0 && m < n) /* the usual case, without a division */
      return m;
    m = i % (2 * n);
    m = m < 0 ? m + 2 * n : m;
    return m < n ? m : 2 * n - 1 - m;
  case CC_BORDER_REFLECT_101:
    if (n == 1)
      return 0;
    m = i < 0 ? -i : 2 * n - 2 - i;
    if (m >= 0 && m < n)
      return m;
    m = i % (2 * n - 2);
    m = m < 0 ? m + 2 * n - 2 : m;
    return m < n ? m : 2 * n - 2 - m;
  case CC_BORDER_WRAP:
    m = i < 0 ? i + n : i - n;
    if (m >= 0 && m < n)
      return m;
    m = i % n;
    return m < 0 ? m + n : m;
  case CC_BORDER_CONSTANT:
    break;
  }
  return -1;
}

/* The luma of red, green and blue, with the weights of BT.709, as a code value of the same depth.
 * The weights add up to 2^CC_LUMA_SHIFT, so grey stays unchanged and no sum of 16-bit samples
 * exceeds 32 bits. */
#define CC_LUMA_RED 13933u
#define CC_LUMA_GREEN 46871u
#define CC_LUMA_BLUE 4732u
#define CC_LUMA_HALF 32768u
#define CC_LUMA_SHIFT 16

CC_SHARED unsigned
cc_luma_of(unsigned red, unsigned green, unsigned blue) {
  return (CC_LUMA_RED * red + CC_LUMA_GREEN * green + CC_LUMA_BLUE * blue + CC_LUMA_HALF) >>
         CC_LUMA_SHIFT;
}
