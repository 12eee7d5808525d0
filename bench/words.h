/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the words of a case stand for. */

#include "common.h"
#include "engine/plan/filter.h"
#include "engine/frame.h"

G_BEGIN_DECLS

/* A filter on frames of a format, as words. */
#define BENCH_FILTER_WORDS "FORMAT WIDTHxHEIGHT KERNEL[:SIZE[:SIGMA]] [NAME=VALUE...]"

/* The names of those options. */
#define BENCH_OPTIONS                                                                              \
  "border=, response=, chroma=, color=, alpha=, scale=, bias=, stride= and algorithm="

/* Kernels of fractional coefficients without any pattern, of each odd side. */
#define BENCH_SEPARABLE "separable"
#define BENCH_WHOLE "whole"

/* The names of CcAlgorithm, with NULL after the last. */
extern const gchar *const bench_algorithm_names[];

/* The index of a name in a list that ends with NULL, or -1. */
gint bench_find_name(const gchar *const *names, const gchar *name);

/* Reads "RGBA": the layout of frames of a format of GStreamer's. One with "-Y" or "-UV" behind it
 * is a plane alone, and one with "-limited" has luma from 16 to 235. */
gboolean bench_parse_format(const gchar *text, guint width, guint height, CcFrameLayout *layout,
                            GError **error);

/* Reads "NAME[:SIZE[:SIGMA]]", or "matrix:" with rows divided by ";" and coefficients by ",". Sets
 * the filter's kernel, size and sigma, and *label, for people: "gaussian 5x5 sigma 1.2". A kernel
 * lives as long as the process, as far as the filter knows. */
gboolean bench_parse_kernel(const gchar *text, CcFilter *filter, gchar **label, GError **error);

/* Splits "NAME=VALUE" into the two. NULL: the word is nothing like that. */
gchar **bench_split_word(const gchar *word, GError **error);

/* Sets what a word says that is an option of a filter: "border=wrap". */
gboolean bench_parse_word(CcFilter *filter, const gchar *word, GError **error);

/* The same of its name and value. `others` are options of the caller, which are
 * named where there is no such option. */
gboolean bench_parse_option(CcFilter *filter, const gchar *name, const gchar *value,
                            const gchar *others, GError **error);

G_END_DECLS
