/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-explain: prints the plan and the kernels of a filter for any processor and GPU,
 * even if this machine does not have them. docs/explain.md explains the lines. */

#include <stdlib.h>
#include <string.h>
#include "cpu/lower.h"
#include "engine/error.h"
#include "engine/ablation.h"
#ifdef BENCH_HAS_CUDA
#include "cuda/lower.h"
#endif
#include "cases.h"

/* Appends the entries of `table` with these names to `found`. An entry has `size` bytes and starts
 * with a pointer to its name. The name of the last entry is NULL. */
static gboolean
find_entries(const gchar *option, const gchar *names, gconstpointer table, gsize size,
             GPtrArray *found, GError **error) {
  g_auto(GStrv) words = g_strsplit(*names ? names : ",", ",", -1);
  for (gchar **word = words; *word; word++) {
    const guint before = found->len;
    g_autoptr(GString) all = g_string_new(NULL);
    const gchar *name;
    for (const gchar *entry = table; (name = *(const gchar *const *)entry); entry += size) {
      if (g_str_equal(*word, name) || g_str_equal(*word, "all"))
        g_ptr_array_add(found, (gpointer)entry);
      g_string_append_printf(all, ", %s", name);
    }
    if (found->len == before)
      return bench_refuse(error, "%s=%s: all%s are known", option, *word, all->str);
  }
  return TRUE;
}

static void
print_lines(const gchar *title, GStrv lines) {
  g_print("%s\n", title);
  for (guint i = 0; lines[i]; i++)
    g_print("  %u. %s\n", i + 1, lines[i]);
}

static void
explain_on_cpu(const CcPlan *plan, const CcVariant *variant) {
  CcCpuProgram *program = cc_cpu_program_new(plan, variant);
  g_auto(GStrv) lines = cc_cpu_program_explain(program);
  print_lines(variant->name, lines);
  cc_cpu_program_free(program);
}

#ifdef BENCH_HAS_CUDA
static gboolean
find_gpus(const gchar *names, GPtrArray *found, GError **error) {
  return find_entries("--gpu", names, cc_cuda_gpus, sizeof *cc_cuda_gpus, found, error);
}

static gboolean
explain_on_gpu(const CcPlan *plan, const CcCudaGpu *gpu, GError **error) {
  g_autoptr(CcCudaLowered) lowered = cc_cuda_lower(plan, gpu, error);
  if (lowered)
    print_lines(gpu->name, (GStrv)lowered->lines->pdata);
  return lowered != NULL;
}
#else
static gboolean
find_gpus(const gchar *names, GPtrArray *found, GError **error) {
  return bench_refuse(error, "--gpu=%s: this build has no CUDA", names);
}
#endif

static gboolean
explain_case(const gchar *text, const GPtrArray *variants, const GPtrArray *gpus, GError **error) {
  g_auto(BenchCase) c = {0};
  if (!bench_case_parse(&c, text, NULL, NULL, "", error))
    return FALSE;
  g_autoptr(CcPlan) plan = cc_plan_new(&c.filter, &c.layout, error);
  if (!plan)
    return FALSE;
  g_autofree gchar *description = cc_plan_describe(plan);
  g_print("%s: %s\n", text, description);
  for (guint i = 0; i < variants->len; i++)
    explain_on_cpu(plan, g_ptr_array_index(variants, i));
#ifdef BENCH_HAS_CUDA
  for (guint i = 0; i < gpus->len; i++)
    if (!explain_on_gpu(plan, g_ptr_array_index(gpus, i), error))
      return FALSE;
#endif
  return TRUE;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *isa = NULL, *gpu = NULL, *without = NULL;
  const GOptionEntry entries[] = {
      {"isa", 0, 0, G_OPTION_ARG_STRING, &isa,
       "Processors: plain, c, avx2, avxvnni, avx512, avx512vnni or all (default without --gpu: "
       "the best of this machine)",
       "NAME,..."},
      {"gpu", 0, 0, G_OPTION_ARG_STRING, &gpu,
       "GPUs: sm_75 (T4), sm_80 (A100), sm_90 (H100) or all (none)", "NAME,..."},
      {"without", 0, 0, G_OPTION_ARG_STRING, &without, "Leave special paths out", "PATH,..."},
      G_OPTION_ENTRY_NULL};
  g_autoptr(GPtrArray) variants = g_ptr_array_new(), gpus = g_ptr_array_new();
  if (!bench_parse_options(
          &argc, &argv, entries, "\"" BENCH_CASE_SYNTAX "\"...",
          "Prints what would run for a filter on processors and GPUs, also on those that this\n"
          "machine does not have. A case can have\n" BENCH_OPTIONS ".",
          NULL, NULL, &error))
    return bench_fail(error, BENCH_USAGE_ERROR);
  cc_leave_out(without);
  if (!isa && !gpu)
    g_ptr_array_add(variants, (gpointer)cc_cpu_variant());
  if ((isa && !find_entries("--isa", isa, cc_cpu_all_variants, sizeof *cc_cpu_all_variants,
                            variants, &error)) ||
      (gpu && !find_gpus(gpu, gpus, &error)))
    return bench_fail(error, BENCH_USAGE_ERROR);
  if (argc == 1)
    bench_refuse(&error, "a case is needed: \"" BENCH_CASE_SYNTAX "\"");
  for (gint i = 1; i < argc && !error; i++)
    explain_case(argv[i], variants, gpus, &error);
  return error ? bench_fail(error, BENCH_USAGE_ERROR) : EXIT_SUCCESS;
}
