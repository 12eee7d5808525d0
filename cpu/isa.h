/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The variants of the CPU backend: the plain loop, and the same row kernels for different
 * instruction sets. */

#include <glib.h>
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;  /* "avx2" */
  const gchar *title; /* for people: "AVX2" */
  const CcRows *rows; /* NULL: the plain loop */
} CcVariant;

/* The names of the variants that this machine can run, slowest first, NULL-terminated: "plain", "c"
 * and, on x86-64, "avx2", "avxvnni", "avx512" and "avx512vnni". The environment variable
 * CUDACONV_CPU names the last one that is allowed. */
const gchar *const *cc_cpu_variants(void);

/* Makes programs that are prepared from now on use variant `name`, or the fastest one again with
 * NULL. FALSE, and no change, when this machine cannot run it. */
gboolean cc_cpu_set_variant(const gchar *name);

/* The variant that the next program uses. */
const CcVariant *cc_cpu_variant(void);

/* All variants, slowest first, those included that this machine cannot run; the last one has no
 * name. */
extern const CcVariant cc_cpu_all_variants[];

G_END_DECLS
