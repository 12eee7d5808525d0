/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is measured: a kernel on frames of a format and a size, with several algorithms. */

#include "engine/plan.h"

G_BEGIN_DECLS

typedef struct {
  gchar *heading; /* no case, but a text to print; else NULL */
  gchar *format;  /* of GStreamer, or one with "-Y" or "-UV" behind it: one plane alone */
  guint width, height;
  CcFrameLayout layout;
  CcFilter filter; /* with the algorithm AUTO */
  gchar *border;
  gchar **algorithms; /* and peers */
} BenchCase;

/* What the words of a case are. */
#define BENCH_CASE_WORDS                                                                           \
  "FORMAT WIDTHxHEIGHT KERNEL[:SIZE[:SIGMA]] BORDER STRIDE ALGORITHM,...\" or \"# HEADING"

/* Reads a case, which is cleared before and to be cleared after, also after a failure.
 * CC_ERROR_INVALID says what is wrong. The algorithms' names are left to the caller. */
gboolean bench_case_parse(BenchCase *self, const gchar *text, GError **error);
void bench_case_clear(BenchCase *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BenchCase, bench_case_clear)

/* "gaussian 5x5", "gaussian 5x5 sigma 1.2" */
gchar *bench_case_kernel(const BenchCase *self);

/* The algorithm with this name; FALSE when there is none. */
gboolean bench_find_algorithm(const gchar *name, CcAlgorithm *algorithm);

/* What a frame has to read and write: samples of the regions, without padding; planes that are
 * only filled are not read. */
gsize bench_plan_bytes(const CcPlan *plan);

G_END_DECLS
