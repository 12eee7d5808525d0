/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stand-in for NPP that checks its arguments and filters nothing. */

#include "bench/npp.h"

#define BAD_ARGUMENT (-8)
#define BAD_MASK (-33)

BenchNppGetVersion nppGetLibVersion;
BenchNppGauss nppiFilterGaussBorder_8u_C1R_Ctx;
BenchNppSobel nppiFilterSobelVertBorder_8u_C1R_Ctx;

const gint *
nppGetLibVersion(void) {
  static const gint version[] = {13, 0, 1};
  return version;
}

static gint
check(gconstpointer src, gint src_step, BenchNppSize src_size, BenchNppPoint src_offset,
      gconstpointer dst, gint dst_step, BenchNppSize roi, gint border, BenchNppContext context) {
  const gboolean ok =
      src && dst && src != dst && src_offset.x == 0 && src_offset.y == 0 && src_size.width > 0 &&
      src_size.height > 0 && roi.width == src_size.width && roi.height == src_size.height &&
      src_step >= src_size.width && dst_step >= roi.width && border == BENCH_NPP_BORDER_REPLICATE &&
      context.stream && context.stream_flags == CU_STREAM_NON_BLOCKING &&
      context.n_multiprocessors > 0 &&
      context.max_threads_per_multiprocessor >= context.max_threads_per_block &&
      context.max_threads_per_block > 0 && context.shared_bytes_per_block > 0 &&
      context.compute_major > 0 && context.compute_minor >= 0 && context.reserved == 0;
  return ok ? 0 : BAD_ARGUMENT;
}

gint
nppiFilterGaussBorder_8u_C1R_Ctx(gconstpointer src, gint src_step, BenchNppSize src_size,
                                 BenchNppPoint src_offset, gpointer dst, gint dst_step,
                                 BenchNppSize roi, gint mask, gint border,
                                 BenchNppContext context) {
  if (mask != 200 && mask != 201) /* 3x3 and 5x5 */
    return BAD_MASK;
  return check(src, src_step, src_size, src_offset, dst, dst_step, roi, border, context);
}

gint
nppiFilterSobelVertBorder_8u_C1R_Ctx(gconstpointer src, gint src_step, BenchNppSize src_size,
                                     BenchNppPoint src_offset, gpointer dst, gint dst_step,
                                     BenchNppSize roi, gint border, BenchNppContext context) {
  return check(src, src_step, src_size, src_offset, dst, dst_step, roi, border, context);
}
