/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/error.h"

#define MAX_SIDE 32768
#define MAX_BATCHES 9
#define MIN_BATCHES 3

static int
compare_doubles(const void *a, const void *b) {
  const gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;
  return (x > y) - (x < y);
}

BenchTime
bench_summarize(gdouble *values, guint n) {
  qsort(values, n, sizeof *values, compare_doubles);
  return (BenchTime){
      .us = values[n / 2], .min_us = values[0], .max_us = values[n - 1], .n_batches = n};
}

gboolean
bench_time_batches(BenchBatch run, gpointer self, guint max_frames, gdouble budget_ms,
                   BenchTime *time, GError **error) {
  const gdouble budget_us = 1000 * budget_ms;
  gdouble us[MAX_BATCHES];
  /* The first frame is slow, because it loads code and memory. The time of the second frame sets
   * the size of a batch. */
  if (!run(self, 1, &us[0], error) || (us[0] < budget_us && !run(self, 1, &us[0], error)))
    return FALSE;
  const guint n_frames = (guint)CLAMP(budget_us / MAX_BATCHES / MAX(us[0], 0.1), 1, max_frames);
  if (n_frames > 1 && !run(self, n_frames, &us[0], error))
    return FALSE;
  const guint n_batches = (guint)CLAMP(budget_us / MAX(us[0], 0.1), MIN_BATCHES, MAX_BATCHES) | 1;
  for (guint i = 0; i < n_batches; i++) {
    if (!run(self, n_frames, &us[i], error))
      return FALSE;
    us[i] /= n_frames;
  }
  *time = bench_summarize(us, n_batches);
  time->n_frames = n_frames;
  return TRUE;
}

void
bench_fill_random(guint8 *pixels, gsize bytes) {
  g_autoptr(GRand) generator = g_rand_new_with_seed(1);
  for (gsize at = 0; at < bytes; at += sizeof(guint32)) {
    const guint32 four = g_rand_int(generator);
    memcpy(pixels + at, &four, MIN(sizeof four, bytes - at));
  }
}

/* --- JSON --- */

void
bench_print(const gchar *format, ...) {
  va_list args;
  va_start(args, format);
  g_autoptr(GVariant) object = g_variant_ref_sink(g_variant_new_parsed_va(format, &args));
  va_end(args);
  g_autofree gchar *line = json_gvariant_serialize_data(object, NULL);
  puts(line);
  fflush(stdout);
}

/* --- options --- */

gboolean
bench_refuse(GError **error, const gchar *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree gchar *text = g_strdup_vprintf(format, args);
  va_end(args);
  g_set_error_literal(error, CC_ERROR, CC_ERROR_INVALID, text);
  return FALSE;
}

gboolean
bench_parse_size(const gchar *text, guint *width, guint *height, GError **error) {
  g_auto(GStrv) sides = g_strsplit(text, "x", 2);
  guint64 across, down;
  if (g_strv_length(sides) == 2 &&
      g_ascii_string_to_unsigned(sides[0], 10, 1, MAX_SIDE, &across, NULL) &&
      g_ascii_string_to_unsigned(sides[1], 10, 1, MAX_SIDE, &down, NULL)) {
    *width = (guint)across;
    *height = (guint)down;
    return TRUE;
  }
  return bench_refuse(error, "\"%s\": a size is WIDTHxHEIGHT, each 1 to %d", text, MAX_SIDE);
}

gboolean
bench_parse_options(int *argc, char ***argv, const GOptionEntry *entries, const gchar *syntax,
                    const gchar *summary, gint *device_id, gdouble *budget_ms, GError **error) {
  const GOptionEntry budget[] = {
      {"budget", 0, 0, G_OPTION_ARG_DOUBLE, budget_ms, "Time to measure each line for", "MS"},
      G_OPTION_ENTRY_NULL};
  const GOptionEntry device[] = {
      {"device", 'd', 0, G_OPTION_ARG_INT, device_id, "CUDA device", "ID"}, G_OPTION_ENTRY_NULL};
  g_autoptr(GOptionContext) context = g_option_context_new(syntax);
  g_autoptr(GError) reason = NULL;
  g_option_context_set_summary(context, summary);
  if (budget_ms)
    g_option_context_add_main_entries(context, budget, NULL);
  if (device_id)
    g_option_context_add_main_entries(context, device, NULL);
  if (entries)
    g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, argc, argv, &reason))
    return bench_refuse(error, "%s; usage: %s %s", reason->message, g_get_prgname(), syntax);
  if (budget_ms && *budget_ms <= 0) /* NAN: not set */
    return bench_refuse(error, "--budget has to be above 0");
  return TRUE;
}

int
bench_fail(const GError *error, int status) {
  g_printerr("%s: %s\n", g_get_prgname(), error->message);
  return status;
}
