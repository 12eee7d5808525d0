/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* NVIDIA's image library NPP as a peer, opened at run time where the machine has it. */

#include <gmodule.h>
#include "cuda/program.h"
#include "device.h"

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

typedef struct {
  GModule *filters; /* libnppif; NULL: NPP is not here */
  gchar *version;   /* "NPP 13.0.1 (libnppif.so.13)" */
  BenchNppContext context;
} BenchNpp;

/* Loads the library, from `folder` when it is not NULL; it works on the timer's stream and with its
 * device's primary context. It stays open. CC_ERROR_UNAVAILABLE says what is missing. */
gboolean bench_npp_open(BenchNpp *self, const BenchTimer *timer, const gchar *folder,
                        GError **error);

/* Measures the filter that does what `filter` does on frames of the plan and its program, with
 * replicated borders: Gaussians (of the same sides, with coefficients of its own above 3x3), and
 * Sobel along x or y. CC_ERROR_INVALID when there is none, or has NPP's status;
 * CC_ERROR_UNAVAILABLE when NPP is not here. */
gboolean bench_npp_time(const BenchNpp *self, BenchTimer *timer, const CcFilter *filter,
                        const CcPlan *plan, const CcCudaProgram *program, BenchTime *time,
                        GError **error);

G_END_DECLS
