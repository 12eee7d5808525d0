/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels of weighted alpha. engine/plan/weighted_shared.h has the definition. A kernel copies
 * pixels to blocks, whose loops compilers vectorise, because their lengths are constant. */

#define BLOCK 64 /* pixels */

/* Codes and weights are in arrays of their own, so that compilers vectorise the products. */
typedef struct {
  guint8 code[4 * BLOCK], weight[4 * BLOCK];
} BytesOfPixels;

typedef struct {
  guint16 code[4 * BLOCK], weight[4 * BLOCK];
} WordsOfPixels;

static ALWAYS_INLINE void
premultiply_bytes(guint16 *restrict to, const guint32 *restrict pixels, guint alpha) {
  BytesOfPixels block;
  for (guint i = 0; i < BLOCK; i++) {
    const guint32 code = pixels[i] | 0xffu << 8 * alpha;
    const guint32 weight = (pixels[i] >> 8 * alpha & 0xff) * 0x01010101u;
    memcpy(block.code + 4 * i, &code, sizeof code);
    memcpy(block.weight + 4 * i, &weight, sizeof weight);
  }
  for (guint i = 0; i < 4 * BLOCK; i++)
    to[i] = (guint16)(block.code[i] * block.weight[i]);
}

static ALWAYS_INLINE void
spread_weights(guint16 *restrict weight, const guint64 *restrict pixels, guint alpha) {
  for (guint i = 0; i < BLOCK; i++) {
    guint64 spread = pixels[i] >> 16 * alpha & 0xffff;
    spread |= spread << 16;
    spread |= spread << 32;
    memcpy(weight + 4 * i, &spread, sizeof spread);
  }
}

static ALWAYS_INLINE void
premultiply_words(guint16 *restrict to, const guint64 *restrict pixels, guint alpha) {
  WordsOfPixels block;
  spread_weights(block.weight, pixels, alpha);
  for (guint i = 0; i < BLOCK; i++) {
    const guint64 code = pixels[i] | G_GUINT64_CONSTANT(0xffff) << 16 * alpha;
    memcpy(block.code + 4 * i, &code, sizeof code);
  }
  for (guint i = 0; i < 4 * BLOCK; i++)
    to[i] = (guint16)(((guint32)block.code[i] * block.weight[i] + 32767) / 65535);
}

/* The quotient in float may be wrong by one, which the remainder shows. */
static ALWAYS_INLINE void
divide_bytes(guint8 *restrict to, const guint64 *restrict products, guint alpha,
             const guint8 *restrict colors) {
  guint16 product[4 * BLOCK], weight[4 * BLOCK];
  spread_weights(weight, products, alpha);
  memcpy(product, products, sizeof product);
  for (guint i = 0; i < 4 * BLOCK; i++) {
    const gint32 q = weight[i], num = 510 * product[i] + q, den = q ? 2 * q : 1;
    const gfloat quotient = (gfloat)num / (gfloat)den;
    gint32 code = (gint32)(quotient < 256 ? quotient : 256);
    const gint32 rest = num - code * den;
    code += (rest >= den) - (rest < 0);
    code = code < 255 ? code : 255;
    to[i] = colors[i] && q ? (guint8)code : to[i];
  }
}

/* With 1/2 added to the dividend, no quotient in double is so close to an integer that its rounding
 * error matters: the dividend is below 2^34, and the divisor below 2^17. */
static ALWAYS_INLINE void
divide_words(guint16 *restrict to, const guint64 *restrict products, guint alpha,
             const guint8 *restrict colors) {
  guint16 product[4 * BLOCK], weight[4 * BLOCK];
  spread_weights(weight, products, alpha);
  memcpy(product, products, sizeof product);
  for (guint i = 0; i < 4 * BLOCK; i++) {
    const gint32 q = weight[i];
    const gdouble quotient = (131070.0 * product[i] + q + 0.5) / (q ? 2 * q : 1);
    const gint32 code = (gint32)(quotient < 65535 ? quotient : 65535);
    to[i] = colors[i] && q ? (guint16)code : to[i];
  }
}

/* Defines the kernels of a sample type, which run the functions above block by block. PIXEL is the
 * type of a pixel. */
#define WEIGHTED_KERNELS(type, SAMPLE, PIXEL, multiply, divide)                                    \
  static void premultiply_##type(guint16 *products, gconstpointer row, guint alpha, guint n) {     \
    for (guint x = 0; x < n; x += BLOCK) {                                                         \
      const guint length = MIN(n - x, BLOCK);                                                      \
      PIXEL pixels[BLOCK] = {0};                                                                   \
      guint16 made[4 * BLOCK];                                                                     \
      memcpy(pixels, (const guint8 *)row + x * sizeof *pixels, length * sizeof *pixels);           \
      multiply(made, pixels, alpha);                                                               \
      memcpy(products + 4 * x, made, 8 * length);                                                  \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  static void divide_##type(gpointer row, const guint16 *products, guint alpha, guint colors,      \
                            guint n) {                                                             \
    guint8 is_color[4 * BLOCK];                                                                    \
    for (guint i = 0; i < 4 * BLOCK; i++)                                                          \
      is_color[i] = colors >> i % 4 & 1;                                                           \
    for (guint x = 0; x < n; x += BLOCK) {                                                         \
      const guint length = MIN(n - x, BLOCK);                                                      \
      guint8 *at = (guint8 *)row + x * sizeof(PIXEL);                                              \
      guint64 from[BLOCK] = {0};                                                                   \
      SAMPLE made[4 * BLOCK] = {0};                                                                \
      memcpy(from, products + 4 * x, 8 * length);                                                  \
      memcpy(made, at, length * sizeof(PIXEL));                                                    \
      divide(made, from, alpha, is_color);                                                         \
      memcpy(at, made, length * sizeof(PIXEL));                                                    \
    }                                                                                              \
  }

WEIGHTED_KERNELS(u8, guint8, guint32, premultiply_bytes, divide_bytes)
WEIGHTED_KERNELS(u16, guint16, guint64, premultiply_words, divide_words)

#undef WEIGHTED_KERNELS
#undef BLOCK
