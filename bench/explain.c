/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-explain: what would run for a filter on any processor and GPU, which need not be
 * here. docs/explain.md explains the lines. */

#include <stdlib.h>
#include <string.h>
#include "cpu/lower.h"
#include "engine/error.h"
#include "engine/ablation.h"
#ifdef BENCH_HAS_CUDA
#include "cuda/lower.h"
#endif
#include "words.h"

#define N_THREADS 1 /* lines do not depend on it */

/* Appends to `found` the entries of a table that a list names. An entry has `size` bytes and begins
 * with its name. The last one has none. */
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

/* Explains the filter of some words on all of the processors and GPUs. */
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

/* The words of a case, from options. */
static gchar *
case_of_options(const gchar *kernel, gint size, gdouble sigma, const gchar *format,
                const gchar *frame_size) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s %s %s", format ? format : "I420", frame_size ? frame_size : "1920x1080",
                  kernel);
  if (size || sigma > 0)
    g_string_append_printf(text, size ? ":%d" : ":", size);
  if (sigma > 0)
    g_string_append_printf(text, ":%g", sigma);
  return g_string_free(text, FALSE);
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *isa = NULL, *gpu = NULL, *without = NULL, *kernel = NULL, *format = NULL;
  g_autofree gchar *frame_size = NULL;
  gint size = 0;
  gdouble sigma = 0;
  const GOptionEntry entries[] = {
      {"kernel", 0, 0, G_OPTION_ARG_STRING, &kernel, "Kernel of a case", "NAME"},
      {"size", 0, 0, G_OPTION_ARG_INT, &size, "Its size (the kernel's own)", "N"},
      {"sigma", 0, 0, G_OPTION_ARG_DOUBLE, &sigma, "A Gaussian's sigma", "PIXELS"},
      {"format", 0, 0, G_OPTION_ARG_STRING, &format, "Format of the frames (I420)", "FORMAT"},
      {"frame-size", 0, 0, G_OPTION_ARG_STRING, &frame_size, "Their size (1920x1080)",
       "WIDTHxHEIGHT"},
      {"isa", 0, 0, G_OPTION_ARG_STRING, &isa,
       "Processors: plain, c, avx2, avxvnni, avx512, avx512vnni or all (without --gpu this "
       "machine's "
       "best)",
       "NAME,..."},
      {"gpu", 0, 0, G_OPTION_ARG_STRING, &gpu,
       "GPUs: sm_75 (T4), sm_80 (A100), sm_90 (H100) or all (none)", "NAME,..."},
      {"without", 0, 0, G_OPTION_ARG_STRING, &without, "Leave special paths out", "PATH,..."},
      G_OPTION_ENTRY_NULL};
  g_autoptr(GOptionContext) context = g_option_context_new("[CASE...]");
  g_option_context_set_summary(
      context, "Says what would run for a filter on processors and GPUs, which need not be here. A "
               "case is\n\"" BENCH_FILTER_WORDS "\", with " BENCH_OPTIONS ".");
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error))
    return bench_fail(error, BENCH_WRONG);
  g_autoptr(GPtrArray) variants = g_ptr_array_new(), gpus = g_ptr_array_new();
  cc_leave_out(without);
  if (!isa && !gpu)
    g_ptr_array_add(variants, (gpointer)cc_cpu_variant());
  if ((isa && !find_entries("--isa", isa, cc_cpu_all_variants, sizeof *cc_cpu_all_variants,
                            variants, &error)) ||
      (gpu && !find_gpus(gpu, gpus, &error)))
    return bench_fail(error, BENCH_WRONG);
  if (!kernel && argc == 1) {
    bench_refuse(&error, "--kernel=NAME or a case is needed");
    return bench_fail(error, BENCH_WRONG);
  }
  if ((kernel && strchr(kernel, ':') && !g_str_has_prefix(kernel, "matrix:")) ||
      (sigma != 0 && !(sigma > 0)) || size < 0) {
    bench_refuse(&error,
                 "--kernel=%s --size=%d --sigma=%g: a name, a size and a sigma above 0 are "
                 "needed",
                 kernel ? kernel : "", size, sigma);
    return bench_fail(error, BENCH_WRONG);
  }
  g_autofree gchar *of_options =
      kernel ? case_of_options(kernel, size, sigma, format, frame_size) : NULL;
  if (of_options && !explain_case(of_options, variants, gpus, &error))
    return bench_fail(error, BENCH_WRONG);
  for (gint i = 1; i < argc; i++)
    if (!explain_case(argv[i], variants, gpus, &error))
      return bench_fail(error, BENCH_WRONG);
  return EXIT_SUCCESS;
}
