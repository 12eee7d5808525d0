/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A case: a filter on frames of a format, as words. */

#include "common.h"
#include "engine/plan/filter.h"
#include "engine/frame.h"

G_BEGIN_DECLS

#define BENCH_FILTER_WORDS "FORMAT WIDTHxHEIGHT KERNEL[:SIZE[:SIGMA]] [NAME=VALUE...]"

/* The options' names. */
#define BENCH_OPTIONS                                                                              \
  "border=, response=, chroma=, color=, alpha=, scale=, bias=, stride= and algorithm="

/* Kernels of fractional coefficients without any pattern, of each odd side. */
#define BENCH_SEPARABLE "separable"
#define BENCH_WHOLE "whole"

/* The names of CcAlgorithm, with NULL after the last. */
extern const gchar *const bench_algorithm_names[];

/* The index of a name in a list that ends with NULL, or -1. */
gint bench_find_name(const gchar *const *names, const gchar *name);

typedef struct {
  gchar *format; /* as it was written */
  guint width, height;
  CcFrameLayout layout;
  CcFilter filter;
  gchar *kernel; /* for people: "gaussian 5x5 sigma 1.2" */
} BenchCase;

void bench_case_clear(BenchCase *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BenchCase, bench_case_clear)

/* An option of the caller. FALSE without an error: the caller has no option of this name. */
typedef gboolean (*BenchOption)(gpointer data, const gchar *name, const gchar *value,
                                GError **error);

/* Parses a case, which is BENCH_FILTER_WORDS.
 *
 * A format is one of GStreamer's. "-Y" or "-UV" behind it is one plane alone, and "-limited" is
 * luma from 16 to 235. A kernel is "NAME[:SIZE[:SIGMA]]", or "matrix:" with rows divided by ";" and
 * coefficients by ",". The filter uses the kernel as long as the process runs. Options are those of
 * the filter, and of the caller if `option` is not NULL. `others` names these in messages. */
gboolean bench_case_parse(BenchCase *self, const gchar *text, BenchOption option, gpointer data,
                          const gchar *others, GError **error);

G_END_DECLS
