/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Kernels, algorithms, formats and sizes: what can be measured, and how a command line names it. */

#include <gst/video/video.h>
#include "engine/plan.h"

G_BEGIN_DECLS

#define BENCH_ALL_PLANES -1

/* A video format, or one plane of it alone. */
typedef struct {
  const gchar *name;
  GstVideoFormat format;
  gint plane; /* or BENCH_ALL_PLANES */
} BenchFormat;

typedef struct {
  CcKernel *kernel; /* a named one; not owned */
  guint size;
  gdouble sigma; /* 0: the kernel's coefficients of this size */
} BenchKernel;

typedef struct {
  guint width, height; /* pixels */
} BenchSize;

/* An algorithm is a value of CcAlgorithm, or this one. */
#define BENCH_NPP CC_N_ALGORITHMS

/* Everything that one sweep combines. */
typedef struct {
  GArray *formats;    /* const BenchFormat * */
  GArray *kernels;    /* BenchKernel */
  GArray *sizes;      /* BenchSize */
  GArray *algorithms; /* guint */
  CcBorder border;
  guint stride;
} BenchSelection;

/* One combination, but for the algorithm. */
typedef struct {
  const BenchFormat *format;
  BenchSize size;
  BenchKernel kernel;
  CcBorder border;
  guint stride;
} BenchCase;

/* The lists, for --help. */
gchar *bench_selection_help(void);

/* An empty selection: replicated borders, stride 1. */
BenchSelection *bench_selection_new(void);

/* One from the lists of four options, all of which must be right. */
BenchSelection *bench_selection_new_from(const gchar *formats, const gchar *sizes,
                                         const gchar *kernels, const gchar *algorithms);
void bench_selection_free(BenchSelection *selection);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BenchSelection, bench_selection_free)

/* Add what an option's value names, a list divided by commas. CC_ERROR_INVALID names what is not
 * understood and what would be. */
gboolean bench_parse_formats(BenchSelection *selection, const gchar *list, GError **error);
gboolean bench_parse_sizes(BenchSelection *selection, const gchar *list, GError **error);
gboolean bench_parse_kernels(BenchSelection *selection, const gchar *list, GError **error);
gboolean bench_parse_algorithms(BenchSelection *selection, const gchar *list, GError **error);
gboolean bench_parse_border(BenchSelection *selection, const gchar *name, GError **error);

/* "gaussian 5x5", "gaussian 5x5 sigma 1.2" */
gchar *bench_kernel_label(const BenchKernel *kernel);

/* The planes of a case's pictures, as cudaconv has them. CC_ERROR_INVALID when they are too large
 * for GStreamer. */
gboolean bench_case_layout(const BenchCase *c, CcFrameLayout *layout, GError **error);

G_END_DECLS
