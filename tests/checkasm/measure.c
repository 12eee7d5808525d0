/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares the kernels of measuring with those of the plain C table and with the definition. */

#include "checkasm.h"

#include "engine/plan/measure.h"

#include <stddef.h>
#include <string.h>

#define MAX_ROWS 5
#define LONG_ROW 40000 /* samples; several blocks of vectors */

/* Draws limits, often the smallest and largest possible ones. */
static CcMeasureLimits
draw_limits(guint depth) {
  const guint max = (1u << depth) - 1;
  const guint black = check_uint(0, 1) ? 0 : check_uint(0, max - 1);
  const guint above[] = {G_MAXUINT32, G_MAXUINT32, 1, max, check_uint(1, max)};
  return (CcMeasureLimits){.above = above[check_uint(0, G_N_ELEMENTS(above) - 1)],
                           .black = black,
                           .white = check_uint(0, 1) ? max : check_uint(black + 1, max),
                           .bin_shift = depth - 8};
}

/* Words have their code values in the lower or in the upper bits. */
static guint
draw_shift(CcSampleType type, guint depth) {
  return type ? check_uint(0, 1) * (16 - depth) : 0;
}

/* Compares the kernels of the variant with the definition. */
static void
check_definition(CcSampleType type, const CcMeasureLimits *limits, const guint8 *rows, gssize pitch,
                 guint n, guint n_rows, guint shift) {
  const CcMeasureKernels *kernels = check.variant->rows->measure;
  CcMeasured expected = {0}, got = {0};
  for (guint y = 0; y < n_rows; y++)
    for (guint x = 0; x < n; x++) {
      const guint8 *row = rows + (gssize)y * pitch;
      const guint code = (type ? row[2 * x] | row[2 * x + 1] << 8 : row[x]) >> shift;
      cc_measured_take(&expected, limits, code);
      expected.bin[(guint8)(code >> limits->bin_shift)]++;
    }
  kernels->sums[type](&got, limits, rows, pitch, n, n_rows, shift);
  kernels->bins[type](got.bin, rows, pitch, n, n_rows, limits->bin_shift + shift);
  const guint64 *want = &expected.n, *have = &got.n;
  for (guint i = 0; i < sizeof got / sizeof *have; i++)
    if (have[i] != want[i])
      check_fail("%u rows of %u samples: figure %u is %" G_GUINT64_FORMAT
                 ", not %" G_GUINT64_FORMAT,
                 n_rows, n, i, have[i], want[i]);
}

static void
check_type(CcSampleType type) {
  const gsize size = cc_sample_size(type);
  static guint8 memory[2 * LONG_ROW + 8];
  EACH("measure[%u]", type) {
    const guint depth = type ? check_uint(9, 16) : 8, n = check.n;
    const guint n_rows = check_uint(1, MAX_ROWS), shift = draw_shift(type, depth);
    const CcMeasureLimits limits = draw_limits(depth);
    const gsize pitch = n * size + check_uint(0, 3);
    const guint8 *in = SRC(0, (n_rows - 1) * pitch + n * size, 1);
    CHECK(rows->measure->sums[type](OUT(0, offsetof(CcMeasured, bin), 8), &limits, in,
                                    (gssize)pitch, n, n_rows, shift));
    check_definition(type, &limits, in, (gssize)pitch, n, n_rows, shift);
  }
  EACH("bins[%u]", type) {
    const guint shift = type ? check_uint(1, 8) : 0, n = check.n;
    const guint8 *in = SRC(0, n * size, 1);
    CHECK(rows->measure->bins[type](OUT(0, CC_MEASURE_BINS * sizeof(guint64), 8), in, 0, n, 1,
                                    shift));
  }
  if (check.bench || !check_begin("measure[%u], long rows", type))
    return;
  for (guint i = 0; i < 24; i++) {
    const guint depth = type ? check_uint(9, 16) : 8, shift = draw_shift(type, depth);
    const CcMeasureLimits limits = draw_limits(depth);
    const guint n = LONG_ROW - check_uint(0, 200);
    guint8 *at = memory + check_uint(0, 8);
    check_fill(at, n * size);
    if (i < 4)
      memset(at, i % 2 ? 0xff : 0, n * size);
    check_definition(type, &limits, at, 0, n, i % 2 + 1, shift);
  }
}

void
check_measuring(void) {
  for (CcSampleType type = CC_SAMPLE_U8; type <= CC_SAMPLE_U16; type++)
    check_type(type);
}
