/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "checkasm.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N_ROUNDS 32
#define AREA_BYTES 20480 /* of a row and its surroundings; whole pages */
#define N_SOURCES 40
#define N_OUTS 3

Check check;

static gchar *filter;
static gint seed = 1;
static guint n_checks, n_failures, n_round;
static gboolean failed;

/* A row to read or write. `end` has the ends of the areas of both sides, and of a copy of their
 * initial content. Rows to read use the first area only. */
typedef struct {
  guint8 *end[3];
  gsize at, n_bytes, slack; /* at: start of the row before `end`; 0: unused */
} GuardedRow;

static GuardedRow sources[N_SOURCES], outs[N_OUTS];

guint
check_uint(guint min, guint max) {
  return min + (guint)(g_rand_int(check.rand) * ((guint64)max - min + 1) >> 32);
}

#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED TRUE
#else
#define IS_SANITIZED FALSE
#endif

/* The name of the check, for on_crash. */
static gchar current[128];
static gsize current_length;

void
check_set_variant(const CcVariant *variant) {
  check.variant = variant;
  g_snprintf(current, sizeof current, "%s, %s, --seed=%d\n", check.name, variant->name, seed);
  current_length = strlen(current);
  g_rand_set_seed(check.rand, (guint)seed * 0x9e3779b1 ^ g_str_hash(check.name));
}

gboolean
check_begin(const gchar *format, ...) {
  va_list args;
  va_start(args, format);
  g_free(check.name);
  check.name = g_strdup_vprintf(format, args);
  va_end(args);
  check_set_variant(check.variant);
  const gboolean wanted = !filter || strstr(check.name, filter);
  failed = FALSE;
  n_round = wanted ? 0 : N_ROUNDS;
  n_checks += wanted;
  return wanted;
}

void
check_fail(const gchar *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree gchar *text = g_strdup_vprintf(format, args);
  va_end(args);
  if (!failed)
    g_print("FAILED %s, %s, --seed=%d: %s\n", check.name, check.variant->name, seed, text);
  n_failures += !failed;
  failed = TRUE;
}

void
check_fill(gpointer memory, gsize n_bytes) {
  const guint pattern = check_uint(0, 4), same = check_uint(0, 1) * G_MAXUINT8;
  for (gsize i = 0; i < n_bytes; i++) {
    const guint random = pattern < 4 ? g_rand_int(check.rand) : 0;
    ((guint8 *)memory)[i] = (guint8)(pattern < 3 ? random : pattern < 4 ? -(random & 1) : same);
  }
}

/* --- rows between inaccessible pages --- */

static guint8 *
new_area(void) {
  const gsize page = (gsize)sysconf(_SC_PAGESIZE);
  guint8 *map = mmap(NULL, AREA_BYTES + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true(map != MAP_FAILED);
  g_assert_cmpint(mprotect(map + page, AREA_BYTES, PROT_READ | PROT_WRITE), ==, 0);
  return map + page + AREA_BYTES;
}

gboolean
check_next(void) {
  static const guint max[] = {70, 300, 700};
  for (guint i = 0; i < N_SOURCES + N_OUTS; i++)
    (i < N_SOURCES ? &sources[i] : &outs[i - N_SOURCES])->at = 0;
  if (n_round == N_ROUNDS)
    return FALSE;
  check.n = ++n_round == N_ROUNDS ? 1000 : check_uint(1, max[n_round % G_N_ELEMENTS(max)]);
  return TRUE;
}

/* Sets the position of a row. `gap` bytes between the row and the inaccessible page are compared
 * for rows to write. */
static void
place_row(GuardedRow *row, gsize n_bytes, gsize align, gsize slack, gsize gap) {
  row->at = (n_bytes + slack + gap + align - 1) / align * align;
  row->n_bytes = n_bytes;
  row->slack = slack;
  g_assert_cmpuint(row->at, <, AREA_BYTES);
}

gpointer
check_source(guint i, gsize n_bytes, gsize align, gsize slack) {
  GuardedRow *row = &sources[i];
  if (!row->at) {
    place_row(row, n_bytes, align, slack, 0);
    check_fill(row->end[0] - row->at, n_bytes + slack);
  }
  return row->end[0] - row->at;
}

gpointer
check_out(guint i, gsize n_bytes, gsize align, gsize slack) {
  GuardedRow *row = &outs[i];
  if (!row->at) {
    place_row(row, n_bytes, align, slack, check_uint(0, 1) * check_uint(1, 70));
    check_fill(row->end[2] - AREA_BYTES, AREA_BYTES);
    for (guint side = 0; side < 2; side++)
      memcpy(row->end[side] - AREA_BYTES, row->end[2] - AREA_BYTES, AREA_BYTES);
  }
  return row->end[check.side] - row->at;
}

void
check_compare(void) {
  for (guint i = 0; i < N_OUTS; i++) {
    const GuardedRow *row = &outs[i];
    const guint8 *expected = row->end[0] - row->at, *found = row->end[1] - row->at;
    const gsize before = AREA_BYTES - row->at, behind = row->at - row->n_bytes - row->slack;
    if (!row->at)
      continue;
    for (gsize k = 0; k < row->n_bytes; k++)
      if (expected[k] != found[k])
        check_fail("%u samples, row %u: byte %zu is %u, not %u", check.n, i, k, found[k],
                   expected[k]);
    if (memcmp(found - before, row->end[2] - AREA_BYTES, before) != 0 ||
        memcmp(row->end[1] - behind, row->end[2] - behind, behind) != 0)
      check_fail("%u samples, row %u: bytes beside it are overwritten", check.n, i);
  }
}

/* --- measurements --- */

void
check_measure(guint64 start, guint number) {
  static gdouble best[2];
  const gdouble ns = (gdouble)(cc_now() - start) / 100;
  best[number % 2] = number < 2 ? ns : MIN(best[number % 2], ns);
  if (number == 39)
    g_print("%-24s %-12s %8.1f ns %6.2f x\n", check.name, check.variant->name, best[1],
            best[0] / best[1]);
}

/* Prints the check that accessed an inaccessible page. The text was made before, because a signal
 * handler may do little. */
static void
on_crash(gint number) {
  static const gchar crashed[] = "FAILED: ran into a page without access: ";
  if (write(STDERR_FILENO, crashed, sizeof crashed - 1) > 0 &&
      write(STDERR_FILENO, current, current_length) > 0)
    _exit(1);
  _exit(2);
}

static gboolean
runs_here(const CcVariant *variant) {
  return variant->rows && g_strv_contains(cc_cpu_variants(), variant->name);
}

int
main(int argc, char **argv) {
  g_autofree gchar *isa = NULL;
  const GOptionEntry entries[] = {
      {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "Seed of all random numbers", "N"},
      {"isa", 0, 0, G_OPTION_ARG_STRING, &isa, "Only this instruction set", "NAME"},
      {"test", 0, 0, G_OPTION_ARG_STRING, &filter, "Only names that contain TEXT", "TEXT"},
      {"bench", 0, 0, G_OPTION_ARG_NONE, &check.bench,
       "Print what row kernels take for 1,000 samples, and how many times as long C takes", NULL},
      {0},
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("%s\n", error->message);
    return 2;
  }
  if (argc > 1) {
    g_printerr("%s is no option; see --help\n", argv[1]);
    return 2;
  }
  check.some = filter != NULL;
  if (!IS_SANITIZED) /* the sanitizer reports more */
    signal(SIGSEGV, on_crash);
  check.rand = g_rand_new();
  for (guint i = 0; i < N_SOURCES + N_OUTS; i++)
    for (guint k = 0; k < (i < N_SOURCES ? 1 : 3); k++)
      (i < N_SOURCES ? &sources[i] : &outs[i - N_SOURCES])->end[k] = new_area();
  const CcVariant *wanted[MAX_VARIANTS + 1] = {NULL};
  guint n_wanted = 0;
  for (const CcVariant *variant = cc_cpu_all_variants; variant->name; variant++)
    if (runs_here(variant) && (!isa || g_str_equal(isa, variant->name))) {
      check.variant = wanted[n_wanted++] = variant;
      check_row_kernels();
      check_measuring();
    }
  if (n_wanted == 0) {
    g_printerr("--isa=%s is none of what this machine runs:", isa);
    for (const CcVariant *variant = cc_cpu_all_variants; variant->name; variant++)
      if (runs_here(variant))
        g_printerr(" %s", variant->name);
    g_printerr("; plain is what they are compared with\n");
    return 2;
  }
  if (!check.bench)
    check_frames(wanted);
  if (n_checks == 0)
    g_printerr("no check%s has \"%s\" in its name\n", check.bench ? " of a row kernel" : "",
               filter);
  g_print("checkasm: %u checks on %u instruction sets, %u failures\n", n_checks, n_wanted,
          n_failures);
  g_rand_free(check.rand);
  g_free(check.name);
  g_free(filter);
  return n_failures > 0 || n_checks == 0;
}
