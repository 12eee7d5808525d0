/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The requantization variants of the tensor-core kernels, for host and device: how sums become code
 * values. requantization.c finds the numbers of each, and proves them. */

#include "cuda/launch.h"

/* A sum with a magnitude below MAX_FLOAT, plus FLOAT_BITS (the bits of 1.5 * 2^23), is the bits of
 * a float. */
#define CC_TENSOR_CORE_FLOAT_BITS 0x4B400000
#define CC_TENSOR_CORE_MAX_FLOAT (1 << 22)

/* The list: F(family of kernels, variant), in each family the fastest first. S are the sums of the
 * matrices, including `start`. t is the result of the response.
 *
 * conv2d: unless stated otherwise, the code value is saturated to a byte. With scaleabs, lifted,
 * far and scale of two matrices, `excess` is then subtracted, so that they saturate below 255.
 *   bytes     byte `factor` of S, or that and the next for samples of two bytes
 *   whole     S
 *   absolute  |S|
 *   scale     (S * factor + addend) >> down; of two matrices |S0| + |S1|
 *   scaleabs  the same of |S|
 *   root      one byte: the approximate root of (S0^2 + S1^2) * factor, to nearest; two
 *             bytes, not shifted: the root of S0^2 + S1^2, to nearest, plus addend, at most hi
 *   lifted    one byte: the same plus addend before rounding
 *   far       the same of larger sums, whose squares count as the maximum of lifted
 *   clamp     (S + addend) >> down within lo..hi
 *   high      two bytes: S * factor + low >> down in 64 bits within lo..hi; of |S| with the
 *             response absolute
 *   wide      two bytes: the same of 64-bit sums, never absolute
 *
 * any: all variants clamp to lo..hi.
 *   scale     t * factor + low >> down, in 32 bits; two bytes: in 64 bits
 *   root      one byte: the approximate root of the sum of squares, times factor plus addend, to
 *             nearest; two bytes: the root of two squares, to nearest, plus addend
 *   high      one byte: scale in 64 bits
 *   wide      two bytes: scale of 64-bit sums
 *   float     as engine/plan/output_stage_shared.h defines it
 *   double    the same of 64-bit sums
 *
 * separable:
 *   low       the bytes of S * factor that `pick` selects
 *   high      those of S * factor >> 32
 *   scale     max(2 S, 0) * factor >> 32 >> down, clamped; with `absolute` of 2 |S| + addend
 *   dropped   the same of S >> 8 instead of 2 S, never absolute
 *   root      two matrices: the approximate root of S0^2 + S1^2 times factor, plus addend,
 *             rounded down; the sums begin with FLOAT_BITS
 *   word      two matrices: the root of S0^2 + S1^2, to nearest, plus addend
 *   wide      one matrix, sums below 2^51: floor(S * mul + add), or of |S| with `absolute`
 *   double    62-bit sums, as engine/plan/output_stage_shared.h defines it */
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
