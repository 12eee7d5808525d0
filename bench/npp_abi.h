/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* NPP's functions as types: what they take, as its headers of CUDA 11 to 13 declare it, since the
 * build needs no NPP; where the headers are there, they are compared. */

#include <cuda.h>
#include <glib.h>
#include <stddef.h>

typedef struct {
  gint width, height;
} BenchNppSize;

typedef struct {
  gint x, y;
} BenchNppPoint;

typedef struct {
  gint major, minor, build;
} BenchNppVersion;

typedef struct {
  CUstream stream; /* cudaStream_t: the same handle */
  gint device_id;
  gint n_multiprocessors;
  gint max_threads_per_multiprocessor;
  gint max_threads_per_block;
  gsize shared_bytes_per_block;
  gint compute_major, compute_minor;
  guint stream_flags;
  gint reserved;
} BenchNppContext;

#define BENCH_NPP_BORDER_REPLICATE 2 /* NPP_BORDER_REPLICATE */
#define BENCH_NPP_MASK_3X3 200
#define BENCH_NPP_MASK_5X5 201
#define BENCH_NPP_MASK_7X7 400 /* and 100 more for each larger odd side up to 15x15 */

#if __has_include(<nppdefs.h>)
#include <nppdefs.h>
G_STATIC_ASSERT(sizeof(BenchNppSize) == sizeof(NppiSize));
G_STATIC_ASSERT(sizeof(BenchNppPoint) == sizeof(NppiPoint));
G_STATIC_ASSERT(sizeof(BenchNppVersion) == sizeof(NppLibraryVersion));
G_STATIC_ASSERT(sizeof(BenchNppContext) == sizeof(NppStreamContext));
#define SAME_PLACE(own, theirs)                                                                    \
  G_STATIC_ASSERT(offsetof(BenchNppContext, own) == offsetof(NppStreamContext, theirs))
SAME_PLACE(stream, hStream);
SAME_PLACE(device_id, nCudaDeviceId);
SAME_PLACE(n_multiprocessors, nMultiProcessorCount);
SAME_PLACE(max_threads_per_multiprocessor, nMaxThreadsPerMultiProcessor);
SAME_PLACE(max_threads_per_block, nMaxThreadsPerBlock);
SAME_PLACE(shared_bytes_per_block, nSharedMemPerBlock);
SAME_PLACE(compute_major, nCudaDevAttrComputeCapabilityMajor);
SAME_PLACE(compute_minor, nCudaDevAttrComputeCapabilityMinor);
SAME_PLACE(stream_flags, nStreamFlags);
G_STATIC_ASSERT(BENCH_NPP_BORDER_REPLICATE == NPP_BORDER_REPLICATE);
G_STATIC_ASSERT(BENCH_NPP_MASK_3X3 == NPP_MASK_SIZE_3_X_3);
G_STATIC_ASSERT(BENCH_NPP_MASK_5X5 == NPP_MASK_SIZE_5_X_5);
G_STATIC_ASSERT(BENCH_NPP_MASK_7X7 == NPP_MASK_SIZE_7_X_7);
G_STATIC_ASSERT(BENCH_NPP_MASK_7X7 + 400 == NPP_MASK_SIZE_15_X_15);
#endif

/* nppiFilterGaussBorder_*_Ctx; the samples are 8 or 16 bits */
typedef gint BenchNppGauss(gconstpointer src, gint src_step, BenchNppSize src_size,
                           BenchNppPoint src_offset, gpointer dst, gint dst_step, BenchNppSize roi,
                           gint mask, gint border, BenchNppContext context);

/* nppiFilterSobelHorizBorder_*_Ctx and nppiFilterSobelVertBorder_*_Ctx */
typedef gint BenchNppSobel(gconstpointer src, gint src_step, BenchNppSize src_size,
                           BenchNppPoint src_offset, gpointer dst, gint dst_step, BenchNppSize roi,
                           gint border, BenchNppContext context);

/* nppGetLibVersion */
typedef const BenchNppVersion *BenchNppGetVersion(void);
