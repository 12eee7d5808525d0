/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cpu.h"

#define MAX_VARIANTS 3

static const CcRows *usable[MAX_VARIANTS];
static const gchar *names[MAX_VARIANTS + 1];
static guint n_usable;
static gint selected; /* index into usable, atomic */

static void
add_variant(const CcRows *rows) {
  names[n_usable] = rows->name;
  usable[n_usable++] = rows;
}

static gint
find_variant(const gchar *name) {
  for (guint i = 0; i < n_usable; i++)
    if (g_str_equal(names[i], name))
      return (gint)i;
  return -1;
}

static gboolean
is_compiled_in(const gchar *name) {
  static const gchar *const all[] = {"c", "avx2", "avx512", NULL};
  return g_strv_contains(all, name);
}

static void
detect(void) {
  static gsize done;
  if (!g_once_init_enter(&done))
    return;
  add_variant(&cc_rows_c);
#ifdef CC_HAVE_X86_VARIANTS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    add_variant(&cc_rows_avx2);
  if (n_usable == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    add_variant(&cc_rows_avx512);
#endif
  const gchar *wanted = g_getenv("CUDACONV_CPU");
  const gint cap = wanted ? find_variant(wanted) : -1;
  if (cap >= 0)
    n_usable = (guint)cap + 1;
  else if (wanted && !is_compiled_in(wanted))
    g_warning("CUDACONV_CPU=%s: c, avx2 or avx512 is needed", wanted);
  names[n_usable] = NULL;
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
  const gint i = name ? find_variant(name) : (gint)n_usable - 1;
  if (i < 0)
    return FALSE;
  g_atomic_int_set(&selected, i);
  return TRUE;
}

const CcRows *
cc_cpu_rows(void) {
  detect();
  return usable[g_atomic_int_get(&selected)];
}
