/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Checks of row kernels. */

#include "cpu/isa.h"
#include "cpu/kernels/row_kernels.h"

/* For every variant with row kernels, which is then the one in use. */
static inline void
for_each_rows(void (*check)(const CcRows *rows)) {
  for (const gchar *const *name = cc_cpu_variants(); *name; name++) {
    g_assert_true(cc_cpu_set_variant(*name));
    g_test_message("variant %s", *name);
    if (cc_cpu_variant()->rows)
      check(cc_cpu_variant()->rows);
  }
  g_assert_true(cc_cpu_set_variant(NULL));
}
