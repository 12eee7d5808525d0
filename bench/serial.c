/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "serial.h"

void
bench_serial_convolve(const BenchPicture *src, const BenchPicture *dst, gint stride,
                      const gint *taps, gint side, gint divisor) {
  for (gint y = 0; y < dst->height; y++)
    for (gint x = 0; x < dst->width; x++) {
      gint sum = 0;
      for (gint k = 0; k < side; k++)
        for (gint l = 0; l < side; l++) {
          const gint row = stride * y + k - side / 2, column = stride * x + l - side / 2;
          if (row >= 0 && row < src->height && column >= 0 && column < src->width)
            sum += taps[k * side + l] * src->data[(gsize)row * src->pitch + (gsize)column];
        }
      dst->data[(gsize)y * dst->pitch + (gsize)x] = (guint8)((sum + divisor / 2) / divisor);
    }
}
