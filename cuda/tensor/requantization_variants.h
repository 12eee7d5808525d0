/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The requantization variants of the kernels on the tensor cores, for host and device: how sums
 * become code values. requantization.c has the numbers of each, and the proof. */

#include "cuda/launch.h"

/* Sums below MAX_FLOAT are the bits of floats once FLOAT_BITS, those of 1.5 * 2^23, are added. */
#define CC_TENSOR_CORE_FLOAT_BITS 0x4B400000
#define CC_TENSOR_CORE_MAX_FLOAT (1 << 22)

/* The list: F(family of kernels, variant), of each family the fastest first. S are the sums of the
 * matrices, begun with `start`, and t is what the response makes of them.
 *
 * conv2d: unless said otherwise the code value is saturated to a byte, and of scaleabs, lifted, far
 * and the scale of two matrices `excess` is taken away then, so that they saturate below 255.
 *   bytes     byte `factor` of S, or that and the next for samples of two
 *   whole     S
 *   absolute  |S|
 *   scale     (S * factor + addend) >> down; of two matrices |S0| + |S1|
 *   scaleabs  the same of |S|
 *   root      of a byte: the root of (S0^2 + S1^2) * factor, approximate, to the nearest; of two
 *             bytes, not shifted: that of S0^2 + S1^2, to the nearest, plus addend, at most hi
 *   lifted    of a byte: the same plus addend before it is rounded
 *   far       the same of greater sums, whose squares count as the most that lifted takes
 *   clamp     (S + addend) >> down within lo..hi
 *   high      of two bytes: S * factor + low >> down in 64 bits within lo..hi; with the response
 *             absolute |S|
 *   wide      of two bytes: the same of sums of 64 bits, never absolute
 *
 * any: all is clamped to lo..hi.
 *   scale     t * factor + low >> down, in 32 bits, or of two bytes in 64
 *   root      of a byte: the root of the sum of squares, approximate, times factor plus addend, to
 *             the nearest; of two bytes: that of two squares, to the nearest, plus addend
 *   high      of a byte: the same as scale in 64 bits
 *   wide      of two bytes: the same as scale of sums of 64 bits
 *   float     as engine/plan/output_stage_shared.h says
 *   double    the same of sums of 64 bits
 *
 * separable:
 *   low       the bytes that `pick` takes of S * factor
 *   high      those of S * factor >> 32
 *   scale     max(2 S, 0) * factor >> 32 >> down, clamped; with `absolute` of 2 |S| + addend
 *   dropped   the same of S >> 8 instead of 2 S, never absolute
 *   root      of two matrices: the root of S0^2 + S1^2 times factor, approximate, plus addend and
 *             rounded down; the sums begin with FLOAT_BITS
 *   word      of two matrices: the root of S0^2 + S1^2 to the nearest, plus addend
 *   wide      of one matrix, less than 2^51: floor(S * mul + add), or with `absolute` of |S|
 *   double    sums of 62 bits, as engine/plan/output_stage_shared.h says */
#define CC_REQUANTIZATIONS(F)                                                                      \
  F(conv2d, bytes)                                                                                 \
  F(conv2d, whole)                                                                                 \
  F(conv2d, absolute)                                                                              \
  F(conv2d, scale)                                                                                 \
  F(conv2d, scaleabs)                                                                              \
  F(conv2d, root)                                                                                  \
  F(conv2d, lifted)                                                                                \
  F(conv2d, far)                                                                                   \
  F(conv2d, clamp)                                                                                 \
  F(conv2d, high)                                                                                  \
  F(conv2d, wide)                                                                                  \
  F(any, scale)                                                                                    \
  F(any, root)                                                                                     \
  F(any, high)                                                                                     \
  F(any, wide)                                                                                     \
  F(any, float)                                                                                    \
  F(any, double)                                                                                   \
  F(separable, low)                                                                                \
  F(separable, high)                                                                               \
  F(separable, scale)                                                                              \
  F(separable, dropped)                                                                            \
  F(separable, root)                                                                               \
  F(separable, word)                                                                               \
  F(separable, wide)                                                                               \
  F(separable, double)

#define CC_REQUANTIZE(family, variant) CC_REQUANTIZE_##family##_##variant,
typedef enum { CC_REQUANTIZATIONS(CC_REQUANTIZE) } CcRequantizationVariant;
#undef CC_REQUANTIZE
