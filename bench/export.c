/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "export.h"

#include "claims.h"
#include "pipeline-report.h"

void
bench_run_clear(BenchRun *run) {
  g_clear_pointer(&run->npp, g_free);
  g_clear_pointer(&run->results, g_array_unref);
  g_clear_pointer(&run->pipelines, g_array_unref);
  g_clear_pointer(&run->verdicts, g_array_unref);
}

/* A string in quotes, as JSON writes it. */
static void
append_json_string(GString *out, const gchar *text) {
  g_string_append_c(out, '"');
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      g_string_append_printf(out, "\\%c", *text);
    else if ((guchar)*text < 0x20)
      g_string_append_printf(out, "\\u%04x", (guint)*text);
    else
      g_string_append_c(out, *text);
  g_string_append_c(out, '"');
}

void
bench_json_append_member(GString *out, const gchar *name, const gchar *value) {
  g_string_append_printf(out, "\"%s\": ", name);
  if (value)
    append_json_string(out, value);
  else
    g_string_append(out, "null");
}

static void
append_json_result(GString *out, const BenchResult *r) {
  g_string_append(out, "    {");
  bench_json_append_member(out, "format", r->format);
  g_string_append_printf(out, ", \"width\": %u, \"height\": %u, \"stride\": %u, ", r->width,
                         r->height, r->stride);
  bench_json_append_member(out, "kernel", r->kernel);
  g_string_append(out, ", ");
  bench_json_append_member(out, "algorithm", r->algorithm);
  g_string_append_printf(out,
                         ", \"us\": %.4f, \"least_us\": %.4f, \"most_us\": %.4f, "
                         "\"batches\": %u, \"frames_a_batch\": %u, \"bytes\": %" G_GSIZE_FORMAT
                         ", \"gb_s\": %.2f, \"copy_us\": %.4f, \"percent_of_copy\": %.2f",
                         r->time.us, r->time.least_us, r->time.most_us, r->time.n_batches,
                         r->time.n_frames, r->bytes, bench_time_rate(&r->time, r->bytes),
                         r->copy_us, bench_time_share(&r->time, r->copy_us));
  g_string_append(out, ", \"times_as_fast_as\": {");
  const gchar *comma = "";
  for (guint p = 0; p < BENCH_N_PEERS; p++)
    if (r->versus[p] > 0) {
      g_string_append_printf(out, "%s\"%s\": %.3f", comma, bench_peer_name((BenchPeer)p),
                             r->versus[p]);
      comma = ", ";
    }
  g_string_append(out, "}}");
}

static void
append_json_verdict(GString *out, const BenchVerdict *v) {
  g_string_append(out, "    {");
  bench_json_append_member(out, "claim", v->text);
  if (v->measured > 0)
    g_string_append_printf(out, ", \"measured\": %.3f", v->measured);
  else
    g_string_append(out, ", \"measured\": null");
  g_string_append_printf(out, ", \"%s\": %g", v->at_least ? "at_least" : "at_most", v->wanted);
  if (v->copy > 0)
    g_string_append_printf(out, ", \"copy\": %.3f", v->copy);
  g_string_append_c(out, '}');
}

static void
append_json_results(GString *out, const BenchRun *run) {
  const GArray *all = run->pipelines ? run->pipelines : run->results;
  g_string_append_printf(out, ",\n  \"%s\": [\n", run->pipelines ? "pipelines" : "results");
  for (guint i = 0; i < all->len; i++) {
    if (run->pipelines)
      bench_pipeline_append_json(out, all, i);
    else
      append_json_result(out, &g_array_index(all, BenchResult, i));
    g_string_append(out, i + 1 < all->len ? ",\n" : "\n");
  }
}

gchar *
bench_export_json(const BenchRun *run) {
  GString *out = g_string_new("{\n  ");
  bench_json_append_member(out, "device", run->device);
  g_string_append_printf(out, ",\n  \"cuda\": \"%d.%d\",\n  \"l2_bytes\": %" G_GSIZE_FORMAT ",\n  ",
                         run->driver_version / 1000, run->driver_version % 1000 / 10,
                         run->l2_bytes);
  bench_json_append_member(out, "npp", run->npp);
  append_json_results(out, run);
  g_string_append(out, "  ],\n  \"targets\": [\n");
  for (guint i = 0; i < run->verdicts->len; i++) {
    append_json_verdict(out, &g_array_index(run->verdicts, BenchVerdict, i));
    g_string_append(out, i + 1 < run->verdicts->len ? ",\n" : "\n");
  }
  g_string_append(out, "  ]\n}\n");
  return g_string_free(out, FALSE);
}

/* No field has a comma or a quote in it. */
static void
append_csv_results(GString *out, const BenchRun *run) {
  g_string_append(out, "format,width,height,stride,kernel,algorithm,us,least_us,most_us,"
                       "batches,frames_a_batch,bytes,gb_s,copy_us,percent_of_copy");
  for (guint p = 0; p < BENCH_N_PEERS; p++)
    g_string_append_printf(out, ",times_%s", bench_peer_name((BenchPeer)p));
  g_string_append_c(out, '\n');
  for (guint i = 0; i < run->results->len; i++) {
    const BenchResult *r = &g_array_index(run->results, BenchResult, i);
    g_string_append_printf(out, "%s,%u,%u,%u,%s,%s,%.4f,%.4f,%.4f,%u,%u,%" G_GSIZE_FORMAT,
                           r->format, r->width, r->height, r->stride, r->kernel, r->algorithm,
                           r->time.us, r->time.least_us, r->time.most_us, r->time.n_batches,
                           r->time.n_frames, r->bytes);
    g_string_append_printf(out, ",%.2f,%.4f,%.2f", bench_time_rate(&r->time, r->bytes), r->copy_us,
                           bench_time_share(&r->time, r->copy_us));
    for (guint p = 0; p < BENCH_N_PEERS; p++)
      if (r->versus[p] > 0)
        g_string_append_printf(out, ",%.3f", r->versus[p]);
      else
        g_string_append_c(out, ',');
    g_string_append_c(out, '\n');
  }
}

gchar *
bench_export_csv(const BenchRun *run) {
  GString *out = g_string_new(NULL);
  if (run->pipelines)
    bench_pipeline_append_csv(out, run->pipelines);
  else
    append_csv_results(out, run);
  return g_string_free(out, FALSE);
}
