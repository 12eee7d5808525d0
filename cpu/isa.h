/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The variants of the CPU backend: the plain loop, and the row kernels compiled for different
 * instruction sets. */

#include <glib.h>
#include "cpu/kernels/row_kernels.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;  /* unique name: "avx2" */
  const gchar *title; /* name in messages: "AVX2" */
  const CcRows *rows; /* NULL for the plain loop */
} CcVariant;

/* Returns the names of the variants that this machine can run, slowest first, NULL-terminated:
 * "plain", "c" and, on x86-64, "avx2", "avxvnni", "avx512" and "avx512vnni". If the environment
 * variable CUDACONV_CPU names a variant, the variants after it in this order are left out. */
const gchar *const *cc_cpu_variants(void);

/* Selects variant `name` for programs that are prepared from now on; NULL: the fastest one. Returns
 * FALSE and changes nothing if this machine cannot run the variant. */
gboolean cc_cpu_set_variant(const gchar *name);

/* Returns the variant that the next program uses. */
const CcVariant *cc_cpu_variant(void);

/* All variants, slowest first, including those that this machine cannot run. The name of the last
 * entry is NULL. */
extern const CcVariant cc_cpu_all_variants[];

G_END_DECLS
