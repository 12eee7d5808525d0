/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-compare: compares every variant and algorithm of a backend with the oracle. */

#include "plugin/backends.h"
#include "cpu/isa.h"
#include "tests/compare/bench.h"
#include "tests/compare/regressions.h"
#include "tests/compare/product.h"

#include <stdlib.h>
#include <string.h>

#define EXIT_SKIPPED 77 /* exit status of a skipped test for Meson and Automake */
#define MAX_DETAILS 20  /* failures that are described */
#define DEFAULT_SEED 2026
#define N_THREADS 2

static struct {
  gchar *backend, *variant, *algorithm, *filter;
  gint seed, only, threads;
  gboolean quick, full, product, regressions, bench;
} options = {.seed = DEFAULT_SEED, .only = -1, .threads = N_THREADS};

static const GOptionEntry entries[] = {
    {"backend", 0, 0, G_OPTION_ARG_STRING, &options.backend, "cpu (default) or cuda", "NAME"},
    {"variant", 0, 0, G_OPTION_ARG_STRING, &options.variant,
     "only this CPU variant, and the plain loop", "NAME"},
    {"algorithm", 0, 0, G_OPTION_ARG_STRING, &options.algorithm,
     "only this algorithm of CUDA, and the CPU in C", "NAME"},
    {"seed", 0, 0, G_OPTION_ARG_INT, &options.seed, "of the random choices", "N"},
    {"case", 0, 0, G_OPTION_ARG_INT, &options.only, "only the case of this number", "N"},
    {"filter", 0, 0, G_OPTION_ARG_STRING, &options.filter,
     "only cases whose description holds the text", "TEXT"},
    {"quick", 0, 0, G_OPTION_ARG_NONE, &options.quick, "fewer large frames", NULL},
    {"full", 0, 0, G_OPTION_ARG_NONE, &options.full, "several rounds of cases", NULL},
    {"product", 0, 0, G_OPTION_ARG_NONE, &options.product,
     "all combinations of what algorithms differ in; with --quick without large frames", NULL},
    {"regressions", 0, 0, G_OPTION_ARG_NONE, &options.regressions, "cases that went wrong once",
     NULL},
    {"threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "of the CPU backend", "N"},
    {"bench", 0, 0, G_OPTION_ARG_NONE, &options.bench,
     "measure times instead; --filter is of \"kernel size format\" then", NULL},
    {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
};

/* The source of cases. */
typedef struct {
  CaseList *list;   /* or */
  Product *product; /* with --product; neither with --regressions */
  guint n;
} Source;

static Source
open_source(void) {
  const guint32 seed = (guint32)options.seed;
  Source source = {0};
  if (options.product) {
    source.product = product_new(!options.quick);
    source.n = product_count(source.product);
    return source;
  }
  if (options.regressions) {
    source.n = regressions_count();
    return source;
  }
  source.list = options.full    ? case_list_new(seed, 5, 240, 48)
                : options.quick ? case_list_new(seed, 1, 16, 2)
                                : case_list_new(seed, 1, 80, 12);
  source.n = source.list->combinations->len;
  return source;
}

static void
close_source(Source *source) {
  g_clear_pointer(&source->list, case_list_free);
  g_clear_pointer(&source->product, product_free);
}

static Case
get_case(const Source *source, guint index) {
  return source->product ? product_get(source->product, index)
         : source->list  ? case_list_get(source->list, index)
                         : regressions_get(index);
}

/* --- verdicts --- */

enum { N_VERDICTS = VERDICT_REFUSED + 1 };

/* Counts the verdicts and prints failures. */
typedef struct {
  const Target *targets;
  guint n_targets;
  guint (*counts)[N_VERDICTS]; /* of each target */
  guint n_failed;
  guint64 n_tolerated, n_off; /* of samples, see trial_count_off() */
  /* the running case */
  const Case *c;
  guint index;
} Tally;

static const gchar *
mode_options(void) {
  if (options.product)
    return options.quick ? " --product --quick" : " --product";
  if (options.regressions)
    return " --regressions";
  return options.full ? " --full" : options.quick ? " --quick" : "";
}

static void
describe_failure(const Tally *tally, const Target *target, const gchar *why) {
  g_autofree gchar *name = target_name(target);
  g_autofree gchar *description = case_describe(tally->c);
  const gboolean is_cpu = target->variant != NULL;
  g_print("FAILED on %s: %s\n  case %u: %s\n"
          "  repeat: cudaconv-compare --backend %s --%s %s%s --seed %d --case %u\n",
          name, why, tally->index, description, target->backend->klass->name,
          is_cpu ? "variant" : "algorithm",
          is_cpu ? target->variant : cc_algorithm_name(target->algorithm), mode_options(),
          options.seed, tally->index);
}

static void
count_verdict(const Target *target, Verdict verdict, const gchar *why, gpointer data) {
  Tally *tally = data;
  tally->counts[target - tally->targets][verdict]++;
  if (verdict == VERDICT_FAILED && ++tally->n_failed <= MAX_DETAILS)
    describe_failure(tally, target, why);
}

static void
print_sums(const Tally *tally, guint n_skipped) {
  guint sum[N_VERDICTS] = {0};
  if (tally->n_failed > MAX_DETAILS)
    g_print("... and %u more failures\n", tally->n_failed - MAX_DETAILS);
  for (guint i = 0; i < tally->n_targets; i++) {
    const guint *counts = tally->counts[i];
    g_autofree gchar *name = target_name(&tally->targets[i]);
    g_print("%-20s %6u passed %6u failed %6u refused\n", name, counts[VERDICT_PASSED],
            counts[VERDICT_FAILED], counts[VERDICT_REFUSED]);
    for (guint v = 0; v < N_VERDICTS; v++)
      sum[v] += counts[v];
  }
  if (tally->n_tolerated > 0)
    g_print("where coefficients or scales are rounded, %.2f %% of %" G_GUINT64_FORMAT
            " samples are off by one\n",
            100.0 * (gdouble)tally->n_off / (gdouble)tally->n_tolerated, tally->n_tolerated);
  g_print("%u passed, %u failed, %u refused, %u skipped\n", sum[VERDICT_PASSED],
          sum[VERDICT_FAILED], sum[VERDICT_REFUSED], n_skipped);
}

/* --- cases --- */

/* A case whose oracle runs in its own thread, before the targets. */
typedef struct {
  guint index;
  Case c;
  Trial *trial;
} Slot;

static void
draw_slot(gpointer data, gpointer user_data) {
  Slot *slot = data;
  slot->trial = trial_new(&slot->c);
}

static void
run_slots(Slot *slots, guint n, Tally *tally) {
  GThreadPool *pool = g_thread_pool_new(draw_slot, NULL, (gint)g_get_num_processors(), FALSE, NULL);
  for (guint i = 0; i < n; i++)
    g_thread_pool_push(pool, &slots[i], NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  for (guint i = 0; i < n; i++) {
    tally->c = &slots[i].c;
    tally->index = slots[i].index;
    trial_run(slots[i].trial, tally->targets, tally->n_targets, count_verdict, tally);
    trial_count_off(slots[i].trial, &tally->n_tolerated, &tally->n_off);
    trial_free(slots[i].trial);
  }
}

static gboolean
is_wanted(const Case *c, guint index) {
  if (options.only >= 0)
    return index == (guint)options.only;
  if (!options.filter)
    return TRUE;
  g_autofree gchar *description = case_describe(c);
  return strstr(description, options.filter) != NULL;
}

static int
compare(const Target *targets, guint n_targets) {
  Source source = open_source();
  Tally tally = {.targets = targets, .n_targets = n_targets};
  const guint n_slots = 2 * g_get_num_processors();
  g_autofree Slot *slots = g_new0(Slot, n_slots);
  guint n_filled = 0, n_skipped = 0;
  tally.counts = g_malloc0_n(n_targets, sizeof *tally.counts);
  for (guint i = 0; i < source.n; i++) {
    const Case c = get_case(&source, i);
    if (is_wanted(&c, i))
      slots[n_filled++] = (Slot){.index = i, .c = c};
    else
      n_skipped += n_targets;
    if (n_filled == n_slots || (i + 1 == source.n && n_filled)) {
      run_slots(slots, n_filled, &tally);
      n_filled = 0;
    }
  }
  print_sums(&tally, n_skipped);
  g_free(tally.counts);
  close_source(&source);
  if (n_skipped == n_targets * source.n) {
    g_printerr("no case has that number, or \"%s\" in its description\n",
               options.filter ? options.filter : "");
    return EXIT_FAILURE;
  }
  return tally.n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* --- targets --- */

/* Opens a backend. If it is not available here, ends the program with EXIT_SKIPPED. */
static CcBackend *
open_backend(CcBackendChoice choice) {
  const CcBackendConfig config = {
      .choice = choice, .device_id = -1, .n_threads = (guint)options.threads};
  g_autoptr(GError) error = NULL;
  CcBackend *backend = cc_backend_open(&config, NULL, &error);
  if (backend) {
    g_print("%s: %s\n", backend->klass->name, backend->device_name);
    return backend;
  }
  g_print("%s\n", error->message);
  exit(g_error_matches(error, CC_ERROR, CC_ERROR_UNAVAILABLE) ? EXIT_SKIPPED : EXIT_FAILURE);
}

/* Adds all variants, or `only` after `base`, with which it is compared. */
static void
add_cpu_variants(GArray *targets, CcBackend *cpu, const gchar *base, const gchar *only) {
  for (const gchar *const *variant = cc_cpu_variants(); *variant; variant++) {
    const Target target = {cpu, *variant, CC_ALGORITHM_AUTO};
    if (!only || strcmp(*variant, base) == 0 || strcmp(*variant, only) == 0)
      g_array_append_val(targets, target);
  }
}

/* Adds all algorithms, or only the one of this name. */
static void
add_algorithms(GArray *targets, CcBackend *cuda, const gchar *only) {
  for (CcAlgorithm algorithm = CC_ALGORITHM_AUTO; algorithm < CC_N_ALGORITHMS; algorithm++) {
    const Target target = {cuda, NULL, algorithm};
    if (!only || strcmp(cc_algorithm_name(algorithm), only) == 0)
      g_array_append_val(targets, target);
  }
}

static gboolean
is_algorithm(const gchar *name) {
  for (CcAlgorithm algorithm = CC_ALGORITHM_AUTO; algorithm < CC_N_ALGORITHMS; algorithm++)
    if (strcmp(cc_algorithm_name(algorithm), name) == 0)
      return TRUE;
  return FALSE;
}

int
main(int argc, char **argv) {
  g_autoptr(GOptionContext) context = g_option_context_new("- backends against the oracle");
  g_option_context_add_main_entries(context, entries, NULL);
  g_autoptr(GError) error = NULL;
  gboolean parsed = g_option_context_parse(context, &argc, &argv, &error);
  gboolean cuda = g_strcmp0(options.backend, "cuda") == 0;
  if (!parsed || argc > 1 || (options.backend && !cuda && strcmp(options.backend, "cpu") != 0) ||
      options.threads < 1 || (options.algorithm && !is_algorithm(options.algorithm))) {
    g_printerr("%s\n", error ? error->message : "wrong arguments; see --help");
    return EXIT_FAILURE;
  }
  if (cuda ? options.variant != NULL : options.algorithm != NULL) {
    g_printerr("--%s has no effect on --backend %s\n", cuda ? "variant" : "algorithm",
               cuda ? "cuda" : "cpu");
    return EXIT_FAILURE;
  }

  if (options.variant && !g_strv_contains(cc_cpu_variants(), options.variant)) {
    g_print("no CPU variant \"%s\" here\n", options.variant);
    return EXIT_SKIPPED;
  }

  CcBackend *device = cuda ? open_backend(CC_BACKEND_CUDA) : NULL;
  CcBackend *cpu = open_backend(CC_BACKEND_CPU);
  g_autoptr(GArray) targets = g_array_new(FALSE, FALSE, sizeof(Target));
  if (device) {
    add_cpu_variants(targets, cpu, "c", "c"); /* the plain loop would take most of the time */
    add_algorithms(targets, device, options.algorithm);
  } else {
    add_cpu_variants(targets, cpu, options.bench ? "c" : "plain", options.variant);
  }
  const Target *first = (const Target *)(gpointer)targets->data;
  int status = EXIT_SUCCESS;
  if (options.bench)
    bench_targets(first, targets->len, options.filter);
  else
    status = compare(first, targets->len);
  if (device)
    cc_backend_close(device);
  cc_backend_close(cpu);
  return status;
}
