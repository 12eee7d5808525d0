/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What host and device code share: enumerations and the border rule; last_step_shared.h has the
 * last step. Without GLib, which nvcc does not see. */

#include <math.h>

#ifdef __CUDACC__
#define CC_SHARED static __device__ __forceinline__
#else
#define CC_SHARED static inline
#endif

/* How the sums S_i of a kernel's matrices become one number t, before scale and bias:
 *   clamp         max S_i
 *   absolute      max |S_i|
 *   offset        max S_i, with mid-grey added to the result
 *   magnitude     sqrt(sum S_i^2)
 *   magnitude-l1  sum |S_i|
 *   direction     atan2(S_1, S_0) in turns, of exactly two matrices (x, y) */
typedef enum {
  CC_RESPONSE_AUTO, /* the kernel's own */
  CC_RESPONSE_CLAMP,
  CC_RESPONSE_ABSOLUTE,
  CC_RESPONSE_OFFSET,
  CC_RESPONSE_MAGNITUDE,
  CC_RESPONSE_MAGNITUDE_L1,
  CC_RESPONSE_DIRECTION,
} CcResponse;

/* What a tap outside the picture reads, for a row |abcdefgh|:
 *   replicate    aaa|abcdefgh|hhh      constant  vvv|abcdefgh|vvv      wrap  fgh|abcdefgh|abc
 *   reflect      cba|abcdefgh|hgf      reflect-101  dcb|abcdefgh|gfe
 * The picture may be smaller than the kernel: the rule repeats until it lands inside. */
typedef enum {
  CC_BORDER_REPLICATE,
  CC_BORDER_CONSTANT,
  CC_BORDER_REFLECT,
  CC_BORDER_REFLECT_101,
  CC_BORDER_WRAP,
} CcBorder;

/* The index inside 0..n-1 that position i stands for, or -1 for CC_BORDER_CONSTANT outside. n >= 1.
 */
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
    if (m >= 0 && m < n) /* nearly always, and without a division */
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
  default:
    return -1;
  }
}
