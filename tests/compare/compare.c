/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-compare: every variant of a backend against the oracle. */

#include "cpu/cpu.h"
#include "tests/compare/bench.h"

#include <stdlib.h>
#include <string.h>

#define EXIT_SKIPPED 77 /* what Meson and Automake take for a skip */
#define MAX_DETAILS 20  /* failures that are described */
#define DEFAULT_SEED 2026
#define N_THREADS 2

static struct {
  gchar *backend, *variant, *filter;
  gint seed, only;
  gboolean quick, full, bench;
} options = {.seed = DEFAULT_SEED, .only = -1};

static const GOptionEntry entries[] = {
    {"backend", 0, 0, G_OPTION_ARG_STRING, &options.backend, "cpu (default) or cuda", "NAME"},
    {"variant", 0, 0, G_OPTION_ARG_STRING, &options.variant, "only this CPU variant, and plain C",
     "NAME"},
    {"seed", 0, 0, G_OPTION_ARG_INT, &options.seed, "of the random choices", "N"},
    {"case", 0, 0, G_OPTION_ARG_INT, &options.only, "only the case of this number", "N"},
    {"filter", 0, 0, G_OPTION_ARG_STRING, &options.filter,
     "only cases whose description holds the text", "TEXT"},
    {"quick", 0, 0, G_OPTION_ARG_NONE, &options.quick, "fewer large pictures", NULL},
    {"full", 0, 0, G_OPTION_ARG_NONE, &options.full, "several rounds of cases", NULL},
    {"bench", 0, 0, G_OPTION_ARG_NONE, &options.bench, "measure times instead", NULL},
    {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
};

/* Counts the verdicts and tells about failures. */
typedef struct {
  const CaseList *list;
  guint index; /* of the case that runs */
  guint n_passed, n_failed;
} Tally;

static const gchar *
mode_option(void) {
  return options.full ? " --full" : options.quick ? " --quick" : "";
}

static void
count_verdict(const Target *target, const gchar *why, gpointer data) {
  Tally *tally = data;
  if (!why) {
    tally->n_passed++;
    return;
  }
  if (++tally->n_failed > MAX_DETAILS)
    return;
  g_autofree gchar *name = target_name(target);
  g_autofree gchar *description = case_list_describe(tally->list, tally->index);
  g_print("FAILED on %s: %s\n  case %u: %s\n"
          "  repeat: cudaconv-compare --backend %s%s%s%s --seed %d --case %u\n",
          name, why, tally->index, description, target->backend->klass->name,
          target->variant ? " --variant " : "", target->variant ? target->variant : "",
          mode_option(), options.seed, tally->index);
}

static CaseList *
make_cases(void) {
  guint32 seed = (guint32)options.seed;
  if (options.full)
    return case_list_new(seed, 5, 240, 48);
  return options.quick ? case_list_new(seed, 1, 16, 2) : case_list_new(seed, 1, 80, 12);
}

static gboolean
is_wanted(const CaseList *list, guint index) {
  if (options.only >= 0)
    return index == (guint)options.only;
  if (!options.filter)
    return TRUE;
  g_autofree gchar *description = case_list_describe(list, index);
  return strstr(description, options.filter) != NULL;
}

static int
compare(const Target *targets, guint n_targets) {
  g_autoptr(CaseList) list = make_cases();
  Tally tally = {.list = list};
  guint n_skipped = 0;
  for (guint i = 0; i < list->combinations->len; i++) {
    if (!is_wanted(list, i)) {
      n_skipped += n_targets;
      continue;
    }
    const Case c = case_list_get(list, i);
    tally.index = i;
    run_case(&c, targets, n_targets, count_verdict, &tally);
  }
  if (tally.n_failed > MAX_DETAILS)
    g_print("... and %u more failures\n", tally.n_failed - MAX_DETAILS);
  g_print("%u passed, %u failed, %u skipped\n", tally.n_passed, tally.n_failed, n_skipped);
  return tally.n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Opens a backend or ends the program: with a skip when it is not to be had here. */
static CcBackend *
open_backend(CcBackendChoice choice) {
  const CcBackendConfig config = {.choice = choice, .device_id = -1, .n_threads = N_THREADS};
  g_autoptr(GError) error = NULL;
  CcBackend *backend = cc_backend_open(&config, NULL, &error);
  if (backend) {
    g_print("%s: %s\n", backend->klass->name, backend->device);
    return backend;
  }
  g_print("%s\n", error->message);
  exit(g_error_matches(error, CC_ERROR, CC_ERROR_UNAVAILABLE) ? EXIT_SKIPPED : EXIT_FAILURE);
}

/* All variants, or `only` and before it plain C, so that there is something to be equal to. */
static void
add_cpu_variants(GArray *targets, CcBackend *cpu, const gchar *only) {
  for (const gchar *const *variant = cc_cpu_variants(); *variant; variant++) {
    const Target target = {cpu, *variant};
    if (!only || strcmp(*variant, "c") == 0 || strcmp(*variant, only) == 0)
      g_array_append_val(targets, target);
  }
}

int
main(int argc, char **argv) {
  g_autoptr(GOptionContext) context = g_option_context_new("- backends against the oracle");
  g_option_context_add_main_entries(context, entries, NULL);
  g_autoptr(GError) error = NULL;
  gboolean parsed = g_option_context_parse(context, &argc, &argv, &error);
  gboolean cuda = g_strcmp0(options.backend, "cuda") == 0;
  if (!parsed || argc > 1 || (options.backend && !cuda && strcmp(options.backend, "cpu") != 0)) {
    g_printerr("%s\n", error ? error->message : "wrong arguments; see --help");
    return EXIT_FAILURE;
  }

  if (options.variant && !g_strv_contains(cc_cpu_variants(), options.variant)) {
    g_print("no CPU variant \"%s\" here\n", options.variant);
    return EXIT_SKIPPED;
  }

  CcBackend *device = cuda ? open_backend(CC_BACKEND_CUDA) : NULL;
  CcBackend *cpu = open_backend(CC_BACKEND_CPU);
  g_autoptr(GArray) targets = g_array_new(FALSE, FALSE, sizeof(Target));
  add_cpu_variants(targets, cpu, cuda ? "c" : options.variant);
  if (device) {
    const Target target = {device, NULL};
    g_array_append_val(targets, target);
  }
  const Target *first = (const Target *)(gpointer)targets->data;
  int status = EXIT_SUCCESS;
  if (options.bench)
    bench_targets(first, targets->len);
  else
    status = compare(first, targets->len);
  if (device)
    cc_backend_close(device);
  cc_backend_close(cpu);
  return status;
}
