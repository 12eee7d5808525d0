/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "requantization.h"

#include <math.h>
#include "engine/plan/output_stage.h"

/* Twice the relative error of the device's approximate root. The error includes the operations on
 * the root. */
#define ROOT_ERROR 0x1p-21

/* try_scale declines ops whose largest and smallest n differ by this or more. */
#define MAX_SCALED (1 << 30)

/* Sums of squares below this fit the mantissa of a float with the exponent of 2^23. */
#define MAX_SQUARES (1 << 23)

/* The variant far adds the sum of squares to the bits of 2^23. Sums of squares above this overflow
 * 32 bits. */
#define MAX_FAR_SQUARES (G_MAXINT32 - 0x4B000000)

/* For samples of two bytes, the device rounds roots exactly if the sum of squares is below this. */
#define MAX_WORD_SQUARES (G_GINT64_CONSTANT(1) << 60)

/* The maximum number of bits by which a tap can be shifted left and still fit a signed byte. */
#define MAX_TAP_SHIFT 6

/* The maximum number of bits by which unfiltered samples of one byte are shifted left, with the
 * variant scale of the families `any` and `conv2d`. */
#define MAX_ANY_PASSED 22
#define MAX_CONV2D_PASSED 23

/* For sums below this, including their initial values, the part above the lowest four bytes fits 32
 * bits. */
#define MAX_DOUBLE (G_GINT64_CONSTANT(1) << 61)

/* Sums with a magnitude below this are converted to a double by adding them to the bits of 1.5 *
 * 2^52 (double_of in separable.cu). */
#define MAX_WIDE (G_GINT64_CONSTANT(1) << 51)

/* --- emulation of the device --- */

/* The device's approximate root is the exact root times `error`. */
typedef struct {
  const CcRequantization *numbers;
  const CcOp *op;
  gdouble error;
} Device;

static gint
saturate(gint64 code) {
  return (gint)CLAMP(code, 0, G_MAXUINT8);
}

static gint
clamp(const CcOp *op, gint code) {
  return cc_clamp_code(code, op->lo, op->hi);
}

/* Returns the code value that `pick` selects from the first number of two. */
static gint
pick_code(const CcRequantization *self, guint32 number) {
  const gint low = (gint)(number >> 8 * (self->pick & 7) & 0xFF);
  return self->bytes == 1 ? low : low | (gint)(number >> 8 * (self->pick >> 4 & 7) & 0xFF) << 8;
}

/* The number that variants of `separable` multiply by the factor. */
static gint64
multiplicand(const CcRequantization *self, gint64 n) {
  const gint64 sum = n + self->start;
  if (self->variant == CC_REQUANTIZE_separable_dropped)
    return MAX(sum >> 8, 0);
  if (self->variant == CC_REQUANTIZE_separable_scale)
    return self->absolute ? 2 * n + (guint32)self->addend.i : 2 * MAX(sum, 0);
  return sum;
}

/* The code value from the root of n for samples of two bytes. The device rounds the root exactly. n
 * is an integer, so its root is never exactly halfway between two integers. */
static gint
word_of_root(const Device *device, gint64 n) {
  const gdouble root = rint(sqrt((gdouble)n));
  return (gint)MIN(root + device->numbers->addend.i, device->op->hi);
}

/* The code value for n (see engine/plan/output_stage.h), computed with the operations of the
 * device. */
static gint
code_of_device(gconstpointer data, gint64 n) {
  const Device *device = data;
  const CcRequantization *self = device->numbers;
  const CcOp *op = device->op;
  const guint64 product = (guint64)multiplicand(self, n) * (guint32)self->factor.i;
  switch (self->variant) {
  case CC_REQUANTIZE_conv2d_bytes: {
    const guint32 sum = (guint32)(n * (1 << (self->tap_shift + self->shift)) + self->start);
    const guint32 word = sum >> 8 * self->factor.i;
    return self->bytes == 1 ? (gint)(word & 0xFF) : (gint)((word & 0xFFFF) >> self->shift);
  }
  case CC_REQUANTIZE_conv2d_whole:
    return saturate(n + self->start);
  case CC_REQUANTIZE_conv2d_absolute:
    return saturate(n);
  case CC_REQUANTIZE_conv2d_scale:
  case CC_REQUANTIZE_conv2d_scaleabs:
    return saturate((n * self->factor.i + self->addend.i) >> self->down) - (gint)self->excess;
  case CC_REQUANTIZE_conv2d_root:
  case CC_REQUANTIZE_conv2d_lifted:
  case CC_REQUANTIZE_conv2d_far: {
    if (self->bytes == 2)
      return word_of_root(device, n);
    const gint64 squares = MIN(n, MAX_SQUARES - 1);
    const gdouble root = sqrt((gdouble)squares * (gdouble)self->factor.f) * device->error;
    return (gint)rintf(MIN((gfloat)root + self->addend.f, G_MAXUINT8)) - (gint)self->excess;
  }
  case CC_REQUANTIZE_separable_word:
    return word_of_root(device, n);
  case CC_REQUANTIZE_conv2d_clamp:
    return clamp(op, (gint)((n + self->addend.i) >> self->down));
  case CC_REQUANTIZE_conv2d_wide: /* sums are sums of stored words */
    return clamp(op, (gint)((n * self->factor.i * (1 << self->shift) + self->low) >> self->down));
  case CC_REQUANTIZE_conv2d_high:
  case CC_REQUANTIZE_any_scale:
  case CC_REQUANTIZE_any_high:
  case CC_REQUANTIZE_any_wide:
    return clamp(op, (gint)((n * self->factor.i + self->low) >> self->down));
  case CC_REQUANTIZE_any_root: {
    if (self->bytes == 2)
      return word_of_root(device, n);
    const gdouble root = sqrt((gdouble)n) * device->error * (gdouble)self->factor.f;
    return clamp(op, (gint)rintf((gfloat)(root + (gdouble)self->addend.f)));
  }
  case CC_REQUANTIZE_separable_low:
    return pick_code(self, (guint32)product);
  case CC_REQUANTIZE_separable_high:
    return pick_code(self, (guint32)(product >> 32));
  case CC_REQUANTIZE_separable_scale:
  case CC_REQUANTIZE_separable_dropped: {
    const gint code = (gint)(product >> 32 >> self->down);
    return self->bytes == 1 && !self->absolute ? saturate(code) : clamp(op, code);
  }
  case CC_REQUANTIZE_separable_root: {
    const gfloat root = (gfloat)(sqrt((gdouble)n) * device->error);
    return clamp(op, cc_floor_f32(fmaf(root, self->factor.f, self->addend.f)));
  }
  case CC_REQUANTIZE_separable_wide:
    return clamp(op, (gint)floor(fma((gdouble)n, op->mul, op->add)));
  case CC_REQUANTIZE_any_float:
  case CC_REQUANTIZE_any_double:
  case CC_REQUANTIZE_separable_double:
    break; /* computed like the definition */
  }
  return cc_op_code(op, n);
}

/* --- the proof --- */

/* Whether the factor was found, all intermediate numbers that the device keeps in 32 bits fit, and
 * no unsigned intermediate number would be negative. */
static gboolean
fits_device(const CcRequantization *self, const CcRange *range) {
  const gint64 min = range->min, max = range->max;
  switch (self->variant) {
  case CC_REQUANTIZE_conv2d_scale:
  case CC_REQUANTIZE_conv2d_scaleabs: {
    const gint64 low = min * self->factor.i + self->addend.i;
    const gint64 high = max * self->factor.i + self->addend.i;
    return low == (gint32)low && high == (gint32)high;
  }
  case CC_REQUANTIZE_separable_low:
    return self->factor.i != 0 && min + self->start >= 0 &&
           max + self->start <= (gint64)(G_MAXUINT32 / (guint32)self->factor.i);
  case CC_REQUANTIZE_separable_high:
    return self->factor.i != 0 && min + self->start >= 0 && max + self->start <= G_MAXUINT32;
  case CC_REQUANTIZE_separable_scale: /* an unsigned multiplicand; the result becomes an int */
    return self->factor.i != 0 && min + self->start >= G_MININT32 &&
           multiplicand(self, max) <= (self->down == 0 ? G_MAXINT32 : G_MAXUINT32);
  case CC_REQUANTIZE_separable_dropped:
    return (min + self->start) >> 8 >= G_MININT32 && multiplicand(self, max) <= G_MAXINT32;
  case CC_REQUANTIZE_conv2d_whole:
    return min + self->start >= G_MININT32 && max + self->start <= G_MAXINT32;
  default:
    return TRUE; /* try_variant has checked the ranges */
  }
}

/* Whether the device gives the op's code value for every sum that can occur, with any error of its
 * approximate root. */
static gboolean
agrees(const CcRequantization *self, const CcOp *op) {
  switch (self->variant) {
  case CC_REQUANTIZE_any_float: /* computed like the definition; the response direction has no n */
  case CC_REQUANTIZE_any_double:
  case CC_REQUANTIZE_separable_double:
    return TRUE;
  default:
    break;
  }
  const CcRange range = cc_op_range(op);
  const gdouble error = op->response == CC_RESPONSE_MAGNITUDE && self->bytes == 1 ? ROOT_ERROR : 0;
  const Device lowest = {self, op, 1 - error}, highest = {self, op, 1 + error};
  return fits_device(self, &range) && cc_op_agrees(op, range, code_of_device, &lowest) &&
         (error == 0 || cc_op_agrees(op, range, code_of_device, &highest));
}

/* --- properties of sums and responses --- */

/* Whether the response is the sum of one matrix, unchanged. */
static gboolean
is_linear(const CcOp *op) {
  return op->n_matrices == 1 &&
         (op->response == CC_RESPONSE_CLAMP || op->response == CC_RESPONSE_OFFSET ||
          (op->response == CC_RESPONSE_ABSOLUTE && op->sum_min[0] >= 0));
}

static gboolean
is_absolute(const CcOp *op) {
  return op->n_matrices == 1 && op->response == CC_RESPONSE_ABSOLUTE;
}

static gboolean
is_magnitude_of_two(const CcOp *op) {
  return op->response == CC_RESPONSE_MAGNITUDE && op->n_matrices == 2;
}

/* Whether no code value has to be clamped. The scale must be positive. The smallest and the largest
 * code value occur at the ends of the range of sums. */
static gboolean
never_clamps(const CcOp *op) {
  const gdouble min = floor((gdouble)op->sum_min[0] * op->mul + op->add);
  const gdouble max = floor((gdouble)op->sum_max[0] * op->mul + op->add);
  return min >= op->lo && max <= op->hi;
}

/* Whether sums of stored words fit 32 bits. With magnitude-l1, the totals of their absolute values
 * must fit too. */
static gboolean
fits_int32(const CcOp *op, guint shift) {
  const gint64 max = G_MAXINT32 >> shift;
  return cc_op_largest_sum(op) <= max &&
         (op->response != CC_RESPONSE_MAGNITUDE_L1 || cc_op_range(op).max <= max);
}

/* The right shift of a sum if the scale is a power of two from 2^-30 to 1. Otherwise -1. */
static gint
shift_of_scale(const CcOp *op) {
  gint exponent;
  return frexp(op->mul, &exponent) == 0.5 && exponent <= 1 && exponent > -30 ? 1 - exponent : -1;
}

static gint
largest_tap(const CcOp *op) {
  gint largest = 0;
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++)
    largest = MAX(largest, ABS(op->tap_i[i]));
  return largest;
}

/* --- numbers --- */

/* Each function try_...() sets the numbers of a variant for an attempt. Attempts are counted from
 * 0. A function without the parameter `attempt` has one attempt. FALSE: the variant does not suit
 * the op, or no attempts are left. */

/* For the variant bytes. (S + start) >> down equals floor(S * 2^-down + add) if `start` is
 * floor(add * 2^down), because S is an integer. Taps are shifted left so that the code value, as a
 * stored word, begins at a byte boundary of the sum. */
static gboolean
try_bytes(CcRequantization *self, const CcOp *op) {
  const gint down = shift_of_scale(op);
  if (!is_linear(op) || down < 1 || down > 16 || !never_clamps(op))
    return FALSE;
  const gint byte = down <= 8 ? 1 : 2, up = 8 * byte - down;
  const gdouble start = floor(ldexp(op->add, 8 * byte + (gint)self->shift));
  if (up > MAX_TAP_SHIFT || largest_tap(op) << up > G_MAXINT8 || start > G_MAXINT32)
    return FALSE;
  self->tap_shift = (guint8)up;
  self->start = (gint)start;
  self->factor.i = byte;
  return TRUE;
}

/* For the variants whole and absolute. The scale must be 1, and code values saturate to a byte. */
static gboolean
try_saturated(CcRequantization *self, const CcOp *op) {
  const gboolean absolute = self->variant == CC_REQUANTIZE_conv2d_absolute;
  const gboolean fits = absolute ? op->n_matrices == 1 &&
                                       (is_absolute(op) || op->response == CC_RESPONSE_MAGNITUDE_L1)
                                 : is_linear(op) && fabs(op->add) <= G_MAXUINT8;
  if (op->mul != 1 || op->hi != G_MAXUINT8 || !fits)
    return FALSE;
  self->start = absolute ? 0 : (gint)floor(op->add);
  self->passed_factor.i = 1;
  return TRUE;
}

/* The factor has `down` fraction bits. The first attempt uses the largest `down` with which
 * products fit 31 bits, but at most MAX_CONV2D_PASSED, so that copied bytes fit too. Each further
 * attempt uses one bit less. */
static gboolean
try_scale(CcRequantization *self, const CcOp *op, gint attempt) {
  const gboolean absolute = self->variant == CC_REQUANTIZE_conv2d_scaleabs || op->n_matrices == 2;
  const gboolean fits = absolute ? is_absolute(op) || op->response == CC_RESPONSE_MAGNITUDE_L1
                                 : is_linear(op) && op->hi == G_MAXUINT8;
  if (!fits || op->hi > G_MAXUINT8)
    return FALSE;
  const CcRange range = cc_op_range(op);
  self->excess = (guint8)(G_MAXUINT8 - op->hi);
  const gdouble add = op->add + self->excess;
  const gdouble largest = (gdouble)MAX(-range.min, range.max) * fabs(op->mul) + fabs(add) + 1;
  self->down = MIN(MAX_CONV2D_PASSED, (gint)floor(31 - log2(largest))) - attempt;
  if (range.max - range.min >= MAX_SCALED || self->down < 0 || (attempt > 0 && self->down < 7))
    return FALSE;
  self->factor.i = (gint)CLAMP(round(ldexp(op->mul, self->down)), -G_MAXINT32, G_MAXINT32);
  self->addend.i = (gint)CLAMP(floor(ldexp(add, self->down)), -G_MAXINT32, G_MAXINT32);
  self->passed_factor.i = 1 << self->down;
  return TRUE;
}

/* Sets the numbers for (t * factor + low) >> down, computed in `bits` bits. `down` is at most
 * `max_down`. */
static gboolean
try_product(CcRequantization *self, const CcOp *op, gint bits, gint max_down) {
  if (op->response == CC_RESPONSE_MAGNITUDE || op->response == CC_RESPONSE_DIRECTION)
    return FALSE;
  const CcRange range = cc_op_range(op);
  const gdouble largest = (gdouble)MAX(-range.min, range.max) + 1;
  const gdouble max = largest * fabs(op->mul) + fabs(op->add) + 2;
  if (max > (1 << 30))
    return FALSE;
  gint exponent;
  frexp(op->mul, &exponent);
  const gint down = MIN(31 - exponent, MIN(max_down, (gint)floor(bits - log2(max))));
  if (down < 0)
    return FALSE;
  const gdouble factor = round(ldexp(op->mul, down)), low = floor(ldexp(op->add, down));
  if (fabs(factor) > G_MAXINT32 || fabs(factor) * largest + fabs(low) >= ldexp(1, bits))
    return FALSE;
  self->factor.i = (gint)factor;
  self->low = (gint64)low;
  self->down = down;
  /* only used with samples of one byte */
  self->passed_factor.i = down <= MAX_ANY_PASSED ? 1 << down : 0;
  return TRUE;
}

/* Products are computed from sums of stored words, which are shifted left by `shift`. The sums of
 * low bytes and the sums of high bytes must each fit 32 bits. */
static gboolean
try_wide_sums(CcRequantization *self, const CcOp *op) {
  const gint bits = 62 - (gint)self->shift;
  if (!is_linear(op) || cc_op_largest_sum(op) >> 8 > G_MAXINT32 >> self->shift ||
      !try_product(self, op, bits, bits))
    return FALSE;
  for (; self->factor.i % 2 == 0 && self->down > 0; self->down--) { /* changes no code value */
    self->factor.i /= 2;
    self->low = (self->low - (self->low & 1)) / 2;
  }
  self->low *= G_GINT64_CONSTANT(1) << self->shift;
  self->down += (gint)self->shift;
  return ABS(self->factor.i) <= G_MAXINT32 / 256;
}

static gboolean
try_clamp(CcRequantization *self, const CcOp *op) {
  const gint down = shift_of_scale(op);
  const gdouble addend = floor(ldexp(op->add, down));
  if (!is_linear(op) || down < 0 || (gdouble)cc_op_largest_sum(op) + fabs(addend) > G_MAXINT32)
    return FALSE;
  self->addend.i = (gint)addend;
  self->down = down;
  return TRUE;
}

/* The factor is under the root. */
static gboolean
try_root_byte(CcRequantization *self, const CcOp *op) {
  const gint lift = self->variant == CC_REQUANTIZE_conv2d_root ? 0 : (gint)floor(op->add);
  const gint64 max = self->variant == CC_REQUANTIZE_conv2d_far ? MAX_FAR_SQUARES : MAX_SQUARES;
  if (!is_magnitude_of_two(op) || op->mul < 0 || op->lo > lift || op->hi < lift ||
      op->hi > G_MAXUINT8 || op->arith != CC_ARITH_F32 || cc_op_range(op).max >= max ||
      (self->variant == CC_REQUANTIZE_conv2d_root && op->hi != G_MAXUINT8))
    return FALSE;
  self->excess = (guint8)(G_MAXUINT8 - op->hi);
  self->factor.f = (gfloat)(op->mul * op->mul);
  self->addend.f = (gfloat)(lift + (gint)self->excess);
  self->passed_factor.f = 1;
  return TRUE;
}

/* The root for samples of two bytes. The sums must be sums of code values, not of shifted words. */
static gboolean
try_root_word(CcRequantization *self, const CcOp *op) {
  const gdouble offset = floor(op->add);
  if (!is_magnitude_of_two(op) || op->mul != 1 || offset < 0 || offset > op->hi ||
      cc_op_range(op).max >= MAX_WORD_SQUARES)
    return FALSE;
  self->addend.i = (gint)offset;
  return TRUE;
}

static gboolean
try_any_root(CcRequantization *self, const CcOp *op) {
  if (op->response != CC_RESPONSE_MAGNITUDE)
    return FALSE;
  if (self->bytes == 2)
    return op->lo == 0 && try_root_word(self, op);
  if (cc_op_largest_sum(op) >= CC_TENSOR_CORE_MAX_FLOAT)
    return FALSE;
  self->factor.f = (gfloat)op->mul;
  self->addend.f = (gfloat)(op->add - 0.5);
  self->passed_factor.f = 1;
  const gdouble max = sqrt((gdouble)cc_op_range(op).max);
  return max * fabs(op->mul) + fabs(op->add) < CC_TENSOR_CORE_MAX_FLOAT;
}

/* Sets the factor and the initial value. The factor is for sums without their lowest `drop` bits,
 * whose products are shifted right by `down`. Attempts 0 and 1 round the factor up and down.
 * Attempts 2 and 3 do the same with an initial value that is larger by 1. */
static gboolean
try_factor(CcRequantization *self, const CcOp *op, gint drop, gint down, gint attempt) {
  const gdouble exact = ldexp(op->mul, down + drop), start = floor(op->add / op->mul);
  const gdouble factor = MIN(attempt % 2 == 0 ? ceil(exact) : floor(exact), G_MAXUINT32);
  if (attempt > 3 || exact < 1 || exact >= 0x1p32 || fabs(start) > 0x1p50)
    return FALSE;
  self->factor.i = (gint32)(guint32)factor;
  self->start = (gint64)start + attempt / 2;
  return TRUE;
}

/* Code values are a byte of a product, or two neighbouring bytes. */
static gboolean
try_picked(CcRequantization *self, const CcOp *op, gint attempt) {
  const gint bytes = self->bytes, at = 4 - bytes - bytes * (attempt / 4);
  if (!is_linear(op) || op->mul <= 0 || !never_clamps(op))
    return FALSE;
  if (at < 0)
    return FALSE;
  const guint first = bytes == 1 ? (guint)at : (guint)at | ((guint)at + 1) << 4;
  self->pick = first | (first + (bytes == 1 ? 4 : 0x44)) << 4 * bytes;
  const gint down = 8 * at + (self->variant == CC_REQUANTIZE_separable_high ? 32 : 0);
  if (!try_factor(self, op, 0, down, attempt % 4))
    self->factor.i = 0; /* the proof fails then */
  return TRUE;
}

/* For a positive scale, which must be below 2, or below 1/256 in the variant dropped. In the
 * variant scale the device doubles sums, so that the factor has 32 bits there as well. */
static gboolean
try_high_product(CcRequantization *self, const CcOp *op, gint attempt) {
  const gint drop = self->variant == CC_REQUANTIZE_separable_dropped ? 8 : 0, doubled = drop == 0;
  gint exponent;
  frexp(ldexp(op->mul, drop), &exponent); /* mul * 2^drop is at least half of 2^exponent */
  if (op->mul <= 0 || exponent > doubled || exponent < doubled - 31 ||
      !try_factor(self, op, drop, 32 - exponent, attempt))
    return FALSE;
  self->down = doubled - exponent;
  return TRUE;
}

/* For linear responses, attempts 0 to 3 use the sum. All other attempts use the absolute value of
 * the sum. */
static gboolean
try_doubled(CcRequantization *self, const CcOp *op, gint attempt) {
  if (attempt < 4 && is_linear(op))
    return try_high_product(self, op, attempt);
  self->absolute = TRUE;
  if (!is_absolute(op) || !try_high_product(self, op, is_linear(op) ? attempt - 4 : attempt))
    return FALSE;
  if (self->start < 0 || self->start > G_MAXINT32)
    self->factor.i = 0; /* the proof fails then */
  self->addend.i = (gint32)(guint32)(2 * self->start);
  self->start = 0;
  return TRUE;
}

static gboolean
try_separable_root(CcRequantization *self, const CcOp *op) {
  self->factor.f = (gfloat)op->mul;
  self->addend.f = (gfloat)op->add;
  self->start = CC_TENSOR_CORE_FLOAT_BITS;
  return is_magnitude_of_two(op) && op->mul > 0 && cc_op_largest_sum(op) < CC_TENSOR_CORE_MAX_FLOAT;
}

/* The device cannot convert values of 2^31 and more to an integer. */
static gboolean
try_double_product(CcRequantization *self, const CcOp *op) {
  const gint64 largest = cc_op_largest_sum(op);
  self->absolute = op->response == CC_RESPONSE_ABSOLUTE;
  return op->arith == CC_ARITH_I64 && (is_linear(op) || is_absolute(op)) && largest < MAX_WIDE &&
         (gdouble)largest * fabs(op->mul) + fabs(op->add) < G_MAXINT32;
}

static gboolean
try_variant(CcRequantization *self, const CcOp *op, gint attempt) {
  const gboolean is_byte = self->bytes == 1, is_first = attempt == 0;
  const gboolean fits = fits_int32(op, self->shift);
  const gboolean fits_word = cc_op_largest_sum(op) <= G_MAXINT32 >> self->shift;
  switch (self->variant) {
  case CC_REQUANTIZE_conv2d_bytes:
    return is_first && fits_word && try_bytes(self, op);
  case CC_REQUANTIZE_conv2d_whole:
  case CC_REQUANTIZE_conv2d_absolute:
    return is_first && is_byte && fits_word && try_saturated(self, op);
  case CC_REQUANTIZE_conv2d_scale:
    return is_byte && fits_word && try_scale(self, op, attempt);
  case CC_REQUANTIZE_conv2d_scaleabs:
    return is_byte && fits_word && op->n_matrices == 1 && try_scale(self, op, attempt);
  case CC_REQUANTIZE_conv2d_root:
    return is_first && fits_word &&
           (is_byte ? try_root_byte(self, op) : !self->shift && try_root_word(self, op));
  case CC_REQUANTIZE_conv2d_lifted:
  case CC_REQUANTIZE_conv2d_far:
    return is_first && is_byte && fits_word && try_root_byte(self, op);
  case CC_REQUANTIZE_conv2d_clamp:
    return is_first && !is_byte && fits_word && try_clamp(self, op);
  case CC_REQUANTIZE_conv2d_high:
    return is_first && !is_byte && fits_word && op->n_matrices == 1 &&
           op->response != CC_RESPONSE_MAGNITUDE_L1 && try_product(self, op, 62, 62);
  case CC_REQUANTIZE_conv2d_wide:
    return is_first && !is_byte && try_wide_sums(self, op);
  case CC_REQUANTIZE_any_scale:
    return is_first && fits &&
           try_product(self, op, is_byte ? 31 : 62, is_byte ? MAX_ANY_PASSED : 62);
  case CC_REQUANTIZE_any_high:
    return is_first && fits && is_byte && try_product(self, op, 62, 62);
  case CC_REQUANTIZE_any_wide:
    return is_first && !is_byte && try_product(self, op, 62, 62);
  case CC_REQUANTIZE_any_root:
    return is_first && fits && try_any_root(self, op);
  case CC_REQUANTIZE_any_float:
    return is_first && fits && op->arith == CC_ARITH_F32 &&
           (!is_byte || cc_op_largest_sum(op) < CC_TENSOR_CORE_MAX_FLOAT);
  case CC_REQUANTIZE_any_double:
    return is_first;
  case CC_REQUANTIZE_separable_low:
  case CC_REQUANTIZE_separable_high:
    return try_picked(self, op, attempt);
  case CC_REQUANTIZE_separable_scale:
    return cc_op_largest_sum(op) <= G_MAXINT32 && try_doubled(self, op, attempt);
  case CC_REQUANTIZE_separable_dropped:
    return is_linear(op) && try_high_product(self, op, attempt);
  case CC_REQUANTIZE_separable_root:
    return is_first && try_separable_root(self, op);
  case CC_REQUANTIZE_separable_word:
    return is_first && cc_op_largest_sum(op) <= G_MAXINT32 && try_root_word(self, op);
  case CC_REQUANTIZE_separable_wide:
    return is_first && try_double_product(self, op);
  case CC_REQUANTIZE_separable_double:
    return is_first && op->arith == CC_ARITH_I64 && cc_op_largest_sum(op) < MAX_DOUBLE;
  }
  g_return_val_if_reached(FALSE);
}

gboolean
cc_requantization_find(CcRequantization *self, CcRequantizationVariant variant, const CcOp *op,
                       guint bytes, guint shift) {
  for (gint attempt = 0;; attempt++) {
    *self = (CcRequantization){.variant = variant, .bytes = (guint8)bytes, .shift = (guint8)shift};
    if (!try_variant(self, op, attempt))
      return FALSE;
    if (agrees(self, op))
      return TRUE;
  }
}
