/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Convolution as the texts write it for one CPU core: four nested loops with the boundary test
 * inside. Outside of the picture everything is 0. */

#include <glib.h>

G_BEGIN_DECLS

/* The picture as the loop sees it: 8-bit samples, `pitch` bytes from row to row. */
typedef struct {
  guint8 *data;
  gsize pitch;
  gint width, height;
} BenchPicture;

/* dst(x, y) = (sum of side x side taps over the window around src(stride * x, stride * y)) /
 * divisor, rounded half up; the taps are not negative and add up to the divisor. */
void bench_serial_convolve(const BenchPicture *src, const BenchPicture *dst, gint stride,
                           const gint *taps, gint side, gint divisor);

G_END_DECLS
