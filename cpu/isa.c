/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "isa.h"

#ifdef CC_HAVE_X86_VARIANTS
#include <cpuid.h>
#endif

#ifdef CC_HAVE_X86_VARIANTS
/* Not all compilers have __builtin_cpu_supports for AVX-VNNI. */
static gboolean
supports_avx_vnni(void) {
  enum { LEAF = 7, SUBLEAF = 1, BIT = 4 };
  guint a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(LEAF, SUBLEAF, &a, &b, &c, &d) && (a >> BIT & 1);
}
#define SUPPORTS(feature) (__builtin_cpu_supports(feature) != 0)
#define X86_ROWS(name) &cc_rows_##name
#else
#define supports_avx_vnni() FALSE
#define SUPPORTS(feature) FALSE
#define X86_ROWS(name) NULL
#endif

enum { PLAIN, C, AVX2, AVXVNNI, AVX512, AVX512VNNI, N_VARIANTS };

const CcVariant cc_cpu_all_variants[N_VARIANTS + 1] = {
    [PLAIN] = {"plain", "plain C", NULL},
    [C] = {"c", "C", &cc_rows_c},
    [AVX2] = {"avx2", "AVX2", X86_ROWS(avx2)},
    [AVXVNNI] = {"avxvnni", "AVX-VNNI", X86_ROWS(avxvnni)},
    [AVX512] = {"avx512", "AVX-512", X86_ROWS(avx512)},
    [AVX512VNNI] = {"avx512vnni", "AVX-512 VNNI", X86_ROWS(avx512vnni)},
};

static const gchar *names[N_VARIANTS + 1]; /* names of the variants that can run, slowest first */
/* index of the selected variant in cc_cpu_all_variants; atomic */
static gint selected;

static gboolean
is_supported(guint variant) {
  switch (variant) {
  case AVX2:
    return SUPPORTS("avx2") && SUPPORTS("fma") && SUPPORTS("bmi2");
  case AVXVNNI:
    return is_supported(AVX2) && supports_avx_vnni();
  case AVX512:
    return is_supported(AVX2) && SUPPORTS("avx512f") && SUPPORTS("avx512bw") &&
           SUPPORTS("avx512dq") && SUPPORTS("avx512vl");
  case AVX512VNNI:
    return is_supported(AVX512) && SUPPORTS("avx512vnni") && SUPPORTS("avx512vbmi");
  default:
    return TRUE;
  }
}

static gchar *
list_names(void) {
  GString *list = g_string_new(cc_cpu_all_variants[0].name);
  for (guint i = 1; i < N_VARIANTS; i++)
    g_string_append_printf(list, ", %s", cc_cpu_all_variants[i].name);
  return g_string_free(list, FALSE);
}

/* Returns the index of the variant of this name, or N_VARIANTS. */
static guint
find_variant(const gchar *name) {
  guint i = 0;
  while (i < N_VARIANTS && !g_str_equal(cc_cpu_all_variants[i].name, name))
    i++;
  return i;
}

static void
detect(void) {
  static gsize done;
  if (!g_once_init_enter(&done))
    return;
  const gchar *wanted = g_getenv("CUDACONV_CPU");
  const guint limit = wanted && *wanted ? find_variant(wanted) : N_VARIANTS - 1;
  if (limit == N_VARIANTS) {
    g_autofree gchar *all = list_names();
    g_warning("CUDACONV_CPU=%s is ignored: it takes %s", wanted, all);
  }
  guint n = 0;
  for (guint i = 0; i <= MIN(limit, N_VARIANTS - 1); i++)
    if (is_supported(i)) {
      names[n++] = cc_cpu_all_variants[i].name;
      g_atomic_int_set(&selected, (gint)i);
    }
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
  guint n = g_strv_length((gchar **)names);
  if (name && !g_strv_contains(names, name))
    return FALSE;
  g_atomic_int_set(&selected, (gint)find_variant(name ? name : names[n - 1]));
  return TRUE;
}

const CcVariant *
cc_cpu_variant(void) {
  detect();
  return &cc_cpu_all_variants[g_atomic_int_get(&selected)];
}
