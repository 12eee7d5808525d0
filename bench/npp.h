/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* NVIDIA's image library NPP as a peer. The library is loaded at run time if it is installed. */

#include <gmodule.h>
#include "cuda/program.h"
#include "device.h"

G_BEGIN_DECLS

/* --- NPP's types and functions, as NPP's headers in CUDA 11 to 13 declare them --- */

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

/* nppiFilterGaussBorder_*_Ctx, for samples of 8 and 16 bits */
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

typedef struct {
  GModule *filters; /* libnppif; NULL: NPP is not installed */
  gchar *version;   /* "NPP 13.0.1 (libnppif.so.13)" */
  BenchNppContext context;
} BenchNpp;

/* Loads the library, from `folder` if `folder` is not NULL. NPP uses the timer's stream and the
 * primary context of the timer's device. The library stays loaded. Fails with CC_ERROR_UNAVAILABLE
 * if a library is missing. */
gboolean bench_npp_open(BenchNpp *self, const BenchTimer *timer, const gchar *folder,
                        GError **error);

/* Measures NPP's counterpart of `filter`, on frames in the layout of the plan and its program. NPP
 * has Sobel along x or y and Gaussians, both with replicated borders. NPP's Gaussians have the same
 * sizes as ours. Above 3x3 their coefficients differ from ours. Fails with CC_ERROR_INVALID if NPP
 * has no such filter or reports a status, and with CC_ERROR_UNAVAILABLE if NPP is not installed. */
gboolean bench_npp_time(const BenchNpp *self, BenchTimer *timer, const CcFilter *filter,
                        const CcPlan *plan, const CcCudaProgram *program, BenchTime *time,
                        GError **error);

G_END_DECLS
