/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-steps: prints the steps of many random plans for all processors and GPUs, in the format
 * of steps.txt. The first part has each step once, after an identifier made from its text. The
 * second part has the parameters of each plan, and the identifiers for each processor or GPU. Those
 * with the same steps share a list. Numbers that depend on the frame's size are left out: tiles,
 * blocks and the CPU's cost of a frame. The file thus stays small, and diff shows which choices
 * changed. */

#include "cpu/lower.h"
#include "cuda/lower.h"
#include "engine/enum_names.h"
#include "tests/compare/cases.h"

#include <string.h>

#define N_PLANS 5000
#define SEED 43
#define ID_DIGITS 7

typedef struct {
  GHashTable *lines; /* from text to identifier */
  GString *plans;
  GRegex *sizes[4];
} Steps;

static const struct {
  const gchar *what, *replacement;
} sizes[] = {
    {"\\d+ blocks of", "blocks of"},
    {"tiles of \\d+ samples(, \\d+ interleaved)?", "tiles"},
    {"; (plain )?(C|AVX)[^;]*", ""},
    {": \\d+ rows at once$", ""},
};

/* Returns a line without the numbers that depend on the frame's size, and without the processor's
 * name. */
static gchar *
shorten(const Steps *self, const gchar *line) {
  gchar *shorter = g_strdup(line);
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree gchar *longer = shorter;
    shorter = g_regex_replace_literal(self->sizes[i], longer, -1, 0, sizes[i].replacement, 0, NULL);
  }
  return shorter;
}

/* Returns the identifiers of lines as one text: "1f2e3d4 5a6b7c8". */
static gchar *
name_lines(Steps *self, gchar **lines) {
  GString *names = g_string_new(NULL);
  for (; *lines; lines++) {
    gchar *line = shorten(self, *lines);
    g_autofree gchar *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, line, -1);
    sum[ID_DIGITS] = '\0';
    g_hash_table_insert(self->lines, line, g_strdup(sum));
    g_string_append_printf(names, "%s%s", names->len ? " " : "", sum);
  }
  return g_string_free(names, FALSE);
}

/* Adds the identifiers for a processor or GPU, and takes ownership of them. If they equal the
 * previous ones, both share one list. */
static void
add_names(Steps *self, const gchar *who, gchar *names, gchar **last) {
  const gboolean same = *last && g_str_equal(*last, names);
  if (*last && !same)
    g_string_append_printf(self->plans, " %s", *last);
  g_string_append_printf(self->plans, "%s%s", same ? "," : *last ? "; " : "  ", who);
  g_free(*last);
  *last = names;
}

static void
add_plan(Steps *self, const CcPlan *plan) {
  g_autofree gchar *last = NULL;
  for (const CcVariant *variant = cc_cpu_all_variants + 1; variant->name; variant++) {
    CcCpuProgram *program = cc_cpu_program_new(plan, variant);
    g_auto(GStrv) lines = cc_cpu_program_explain(program);
    add_names(self, variant->name, name_lines(self, lines), &last);
    cc_cpu_program_free(program);
  }
  for (const CcCudaGpu *gpu = cc_cuda_gpus; gpu->name; gpu++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(CcCudaLowered) lowered = cc_cuda_lower(plan, gpu, &error);
    g_assert_no_error(error);
    add_names(self, gpu->name, name_lines(self, (gchar **)lowered->lines->pdata), &last);
  }
  g_string_append_printf(self->plans, " %s\n", last);
}

static void
add_case(Steps *self, const Case *c) {
  g_autoptr(GError) error = NULL;
  CcRegion region;
  const CcFilter *f = &c->filter;
  g_autoptr(CcPlan) plan = cc_plan_new(f, &c->layout, &error);
  if (!plan || !cc_roi_find_region(&c->roi, f->stride, &c->layout, &region, NULL))
    return; /* tests/unit/test-plan.c covers refused plans */
  g_autofree gchar *chroma = case_describe_chroma(f);
  g_string_append_printf(self->plans, "%s %s %s %s %s %s %s %s %.5g %g %u%s%s\n", c->kernel,
                         c->format, c->range, cc_border_names[f->border],
                         cc_response_names[f->response], cc_chroma_names[f->chroma],
                         cc_color_names[f->color], cc_alpha_names[f->alpha], f->scale, f->bias,
                         f->stride, chroma, c->roi.source.width ? " region" : "");
  add_plan(self, plan);
}

static gint
compare_texts(gconstpointer a, gconstpointer b) {
  return strcmp(*(gchar *const *)a, *(gchar *const *)b);
}

int
main(void) {
  Steps steps = {.lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                 .plans = g_string_new(NULL)};
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    steps.sizes[i] = g_regex_new(sizes[i].what, G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr(CaseList) list = case_list_new_of_plans(SEED, N_PLANS);
  for (guint i = 0; i < list->combinations->len; i++) {
    const Case c = case_list_get(list, i);
    add_case(&steps, &c);
  }
  guint n;
  g_autofree gchar **texts = (gchar **)g_hash_table_get_keys_as_array(steps.lines, &n);
  qsort(texts, n, sizeof *texts, compare_texts);
  for (guint i = 0; i < n; i++)
    g_print("%s %s\n", (const gchar *)g_hash_table_lookup(steps.lines, texts[i]), texts[i]);
  g_print("\n%s", steps.plans->str);
  g_string_free(steps.plans, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    g_regex_unref(steps.sizes[i]);
  g_hash_table_unref(steps.lines);
  return 0;
}
