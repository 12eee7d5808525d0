/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* NVIDIA's image library NPP as a peer, opened at run time where the machine has it. */

#include "cuda/device.h"
#include "engine/plan.h"

G_BEGIN_DECLS

/* --- what NPP's functions take, as its headers of CUDA 11 to 13 declare it --- */

typedef struct {
  gint width, height;
} BenchNppSize;

typedef struct {
  gint x, y;
} BenchNppPoint;

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

/* nppiFilterGaussBorder_*_Ctx; the samples are 8 or 16 bits */
typedef gint BenchNppGauss(gconstpointer src, gint src_step, BenchNppSize src_size,
                           BenchNppPoint src_offset, gpointer dst, gint dst_step, BenchNppSize roi,
                           gint mask, gint border, BenchNppContext context);

/* nppiFilterSobelHorizBorder_*_Ctx and nppiFilterSobelVertBorder_*_Ctx */
typedef gint BenchNppSobel(gconstpointer src, gint src_step, BenchNppSize src_size,
                           BenchNppPoint src_offset, gpointer dst, gint dst_step, BenchNppSize roi,
                           gint border, BenchNppContext context);

/* nppGetLibVersion: major, minor, build */
typedef const gint *BenchNppGetVersion(void);

/* --- the peer --- */

typedef struct _BenchNpp BenchNpp;

/* One of NPP's filters on one plane. */
typedef struct {
  const BenchNpp *npp;
  gpointer function;
  gint mask; /* NppiMaskSize, or -1 for functions that take none */
  BenchNppSize size;
  gint src_pitch, dst_pitch; /* bytes; to be set by the caller */
} BenchNppCall;

/* Loads the library, from `folder` when it is not NULL; it works on `stream`, which was made with
 * CU_STREAM_NON_BLOCKING, and with the device's primary context. It stays open.
 * CC_ERROR_UNAVAILABLE says what is missing. */
BenchNpp *bench_npp_open(const CcCudaDevice *device, CUstream stream, const gchar *folder,
                         GError **error);

/* "NPP 13.0.1 (libnppif.so.13)" */
const gchar *bench_npp_version(const BenchNpp *self);

/* The filter that does what `filter` does on such frames, with replicated borders: Gaussians (of
 * the same sides, with coefficients of its own above 3x3), and Sobel along x or y. CC_ERROR_INVALID
 * when there is none. */
gboolean bench_npp_find(const BenchNpp *self, const CcFilter *filter, const CcFrameLayout *layout,
                        BenchNppCall *call, GError **error);

/* Queues the filter. CC_ERROR_INVALID has NPP's status. */
gboolean bench_npp_queue(const BenchNppCall *call, CUdeviceptr src, CUdeviceptr dst,
                         GError **error);

G_END_DECLS
