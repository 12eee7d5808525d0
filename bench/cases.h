/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A case is a filter, and the format and the size of its frames. Users write cases as text. */

#include "common.h"
#include "engine/plan/filter.h"
#include "engine/frame.h"

G_BEGIN_DECLS

#define BENCH_CASE_SYNTAX "FORMAT WIDTHxHEIGHT KERNEL[:SIZE[:SIGMA]] [NAME=VALUE...]"

/* The names of the options, for messages. */
#define BENCH_OPTIONS                                                                              \
  "border=, response=, chroma=, chroma-kernel=, chroma-size=, color=, alpha=, scale=, bias=, "     \
  "stride= and algorithm="

/* Names of generated kernels of any odd size. Their coefficients are fractional and irregular. */
#define BENCH_SEPARABLE "separable"
#define BENCH_WHOLE "whole"

/* The names of CcAlgorithm, NULL-terminated. */
extern const gchar *const bench_algorithm_names[];

/* Returns the index of a name in a NULL-terminated list, or -1. */
gint bench_find_name(const gchar *const *names, const gchar *name);

typedef struct {
  gchar *format; /* format as the user wrote it */
  guint width, height;
  CcFrameLayout layout;
  CcFilter filter;
  gchar *kernel; /* description for display: "gaussian 5x5 sigma 1.2" */
} BenchCase;

void bench_case_clear(BenchCase *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BenchCase, bench_case_clear)

/* Handles an option of the caller. Returns FALSE without an error if the caller has no option of
 * that name. */
typedef gboolean (*BenchOption)(gpointer data, const gchar *name, const gchar *value,
                                GError **error);

/* Parses a case with the syntax BENCH_CASE_SYNTAX.
 *
 * FORMAT is a format of GStreamer. The suffix "-Y" or "-UV" selects one plane. The suffix
 * "-limited" selects luma from 16 to 235. KERNEL is "NAME[:SIZE[:SIGMA]]", or "matrix:" with rows
 * separated by ";" and coefficients by ",". The parsed kernel is never freed. NAME is an option of
 * the filter, or of the caller if `option` is not NULL. `others` lists the names of the caller's
 * options, for messages. */
gboolean bench_case_parse(BenchCase *self, const gchar *text, BenchOption option, gpointer data,
                          const gchar *others, GError **error);

G_END_DECLS
