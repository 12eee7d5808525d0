/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu.h"

/* All variants, slowest first. A machine that runs one runs those before it. */
enum { PLAIN, C, AVX2, AVX512, N_VARIANTS };

static const CcVariant variants[N_VARIANTS] = {
    [PLAIN] = {"plain", "plain C", NULL},
    [C] = {"c", "C", &cc_rows_c},
#ifdef CC_HAVE_X86_VARIANTS
    [AVX2] = {"avx2", "AVX2", &cc_rows_avx2},
    [AVX512] = {"avx512", "AVX-512", &cc_rows_avx512},
#else
    [AVX2] = {"avx2", "AVX2", NULL},
    [AVX512] = {"avx512", "AVX-512", NULL},
#endif
};

static const gchar *names[N_VARIANTS + 1]; /* of those that are usable */
static guint n_usable;
static gint selected; /* index into variants, atomic */

/* How many of them this machine runs. */
static guint
count_usable(void) {
#ifdef CC_HAVE_X86_VARIANTS
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return AVX2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return AVX512;
  return N_VARIANTS;
#else
  return AVX2;
#endif
}

/* The index of the variant of that name, or `n` where none of the first n has it. */
static guint
find_variant(const gchar *name, guint n) {
  guint i = 0;
  while (i < n && !g_str_equal(variants[i].name, name))
    i++;
  return i;
}

static void
detect(void) {
  static gsize done;
  if (!g_once_init_enter(&done))
    return;
  n_usable = count_usable();
  const gchar *wanted = g_getenv("CUDACONV_CPU");
  if (wanted && find_variant(wanted, N_VARIANTS) == N_VARIANTS)
    g_warning("CUDACONV_CPU=%s: plain, c, avx2 or avx512 is needed", wanted);
  else if (wanted)
    n_usable = MIN(n_usable, find_variant(wanted, N_VARIANTS) + 1);
  for (guint i = 0; i < n_usable; i++)
    names[i] = variants[i].name;
  g_atomic_int_set(&selected, (gint)n_usable - 1);
  g_once_init_leave(&done, 1);
}

const gchar *const *
cc_cpu_variants(void) {
  detect();
  return names;
}

gboolean
cc_cpu_set_variant(const gchar *name) {
  detect();
  const guint i = name ? find_variant(name, n_usable) : n_usable - 1;
  if (i == n_usable)
    return FALSE;
  g_atomic_int_set(&selected, (gint)i);
  return TRUE;
}

const CcVariant *
cc_cpu_variant(void) {
  detect();
  return &variants[g_atomic_int_get(&selected)];
}
