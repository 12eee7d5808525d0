/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The requantization variants of the tensor-core kernels, for host and device: how sums become code
 * values. requantization.c finds the numbers of each variant and proves that they are correct. */

#include "cuda/launch.h"

/* FLOAT_BITS is the bits of the float 1.5 * 2^23. FLOAT_BITS plus a sum with a magnitude below
 * MAX_FLOAT is the bits of the float 1.5 * 2^23 + sum. */
#define CC_TENSOR_CORE_FLOAT_BITS 0x4B400000
#define CC_TENSOR_CORE_MAX_FLOAT (1 << 22)

/* The list: F(family of kernels, variant). In each family the fastest variant comes first. S are
 * the sums of the matrices, including `start`. t is the result of the response.
 *
 * conv2d: unless stated otherwise, the code value is saturated to a byte. With scaleabs, lifted,
 * far and scale of two matrices, `excess` is then subtracted, so that code values saturate at
 * 255 - `excess`.
 *   bytes     byte `factor` of S; two bytes: bytes `factor` and `factor` + 1 of S
 *   whole     S
 *   absolute  |S|
 *   scale     (S * factor + addend) >> down; two matrices: |S0| + |S1| instead of S
 *   scaleabs  (|S| * factor + addend) >> down
 *   root      one byte: the approximate root of (S0^2 + S1^2) * factor, rounded to nearest;
 *             two bytes, without a shift: the root of S0^2 + S1^2, rounded to nearest, plus
 *             addend, at most hi
 *   lifted    one byte: as root, but addend is added before rounding
 *   far       as lifted, for larger sums; S0^2 + S1^2 above the maximum of lifted counts as that
 *             maximum
 *   clamp     (S + addend) >> down within lo..hi
 *   high      two bytes: (S * factor + low) >> down in 64 bits within lo..hi; |S| instead of S
 *             with the response absolute
 *   wide      two bytes: as high, with 64-bit sums; never |S|
 *
 * any: all variants clamp to lo..hi.
 *   scale     (t * factor + low) >> down, in 32 bits; two bytes: in 64 bits
 *   root      one byte: the approximate root of the sum of squares, times factor, plus addend,
 *             rounded to nearest; two bytes: the root of the sum of two squares, rounded to
 *             nearest, plus addend
 *   high      one byte: as scale, in 64 bits
 *   wide      two bytes: as scale, with 64-bit sums
 *   float     as engine/plan/output_stage_shared.h defines it
 *   double    as float, with 64-bit sums
 *
 * separable:
 *   low       bytes of S * factor, selected by `pick`
 *   high      bytes of (S * factor) >> 32, selected by `pick`
 *   scale     (max(2 S, 0) * factor) >> 32 >> down, clamped; with `absolute`: 2 |S| + addend
 *             instead of max(2 S, 0)
 *   dropped   as scale, with S >> 8 instead of 2 S; never with `absolute`
 *   root      two matrices: the approximate root of S0^2 + S1^2 times factor, plus addend,
 *             rounded down; the initial sums are FLOAT_BITS
 *   word      two matrices: the root of S0^2 + S1^2, rounded to nearest, plus addend
 *   wide      one matrix, sums below 2^51: floor(S * mul + add); with `absolute`: |S| instead of S
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
