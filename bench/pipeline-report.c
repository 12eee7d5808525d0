/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline-report.h"

#include <string.h>
#include "export.h"

static const BenchPath peers[] = {BENCH_PATH_CUDAUPLOAD, BENCH_PATH_CUDAUPLOAD_QUEUE, BENCH_PATH_GL,
                                  BENCH_PATH_DECODE};

/* --- text --- */

void
bench_pipeline_report_heading(FILE *file, const gchar *heading) {
  fprintf(file, "\n%s\n%-17s %-10s %11s %7s %10s %10s %7s %7s %9s", heading, "path", "format",
          "size", "streams", "frames/s", "us/frame", "GB/s", "% bus", "+kernel");
  fprintf(file, " %11s %11s %8s %9s  %s\n", "cudaupload", "with queue", "gl", "MB/stream",
          "memory in, out");
}

/* A number in a column of `width`, or a dash where there is none. */
static void
print_number(FILE *file, gint width, gint digits, gdouble value, const gchar *unit) {
  if (value != 0)
    fprintf(file, " %*.*f%s", width, digits, value, unit);
  else
    fprintf(file, " %*s", width + (gint)strlen(unit), "-");
}

static void
print_row(FILE *file, const GArray *results, const BenchPipelineResult *r) {
  g_autofree gchar *size = g_strdup_printf("%ux%u", r->width, r->height);
  g_autofree gchar *streams = r->n_devices == 1
                                  ? g_strdup_printf("%u", r->n_streams)
                                  : g_strdup_printf("%u/%u", r->n_streams, r->n_devices);
  fprintf(file, "%-17s %-10s %11s %7s %10.1f %10.2f", bench_path_name(r->path), r->format, size,
          streams, bench_pipeline_fps(r), r->time.us);
  print_number(file, 7, 1, bench_time_rate(&r->time, r->bytes), "");
  print_number(file, 7, 1, bench_time_share(&r->time, r->bus_us), "");
  print_number(file, 9, 2, bench_pipeline_above_kernel(r), "");
  print_number(file, 10, 2, bench_pipeline_versus(results, r, BENCH_PATH_CUDAUPLOAD), "x");
  print_number(file, 10, 2, bench_pipeline_versus(results, r, BENCH_PATH_CUDAUPLOAD_QUEUE), "x");
  print_number(file, 7, 2, bench_pipeline_versus(results, r, BENCH_PATH_GL), "x");
  print_number(file, 9, 1, r->device_mb, "");
  if (r->in_path)
    fprintf(file, "  %s, %s; %u in flight", r->in_path, r->out_path, r->in_flight);
  fputc('\n', file);
}

void
bench_pipeline_report_rows(FILE *file, const GArray *results, guint first) {
  for (guint i = first; i < results->len; i++)
    print_row(file, results, &g_array_index(results, BenchPipelineResult, i));
  fflush(file);
}

/* --- files --- */

static void
append_json_number(GString *out, const gchar *name, gdouble value, gint digits) {
  if (value != 0)
    g_string_append_printf(out, ", \"%s\": %.*f", name, digits, value);
}

static void
append_json_word(GString *out, const gchar *name, const gchar *word) {
  if (!word)
    return;
  g_string_append(out, ", ");
  bench_json_append_member(out, name, word);
}

static void
append_json_versus(GString *out, const GArray *results, const BenchPipelineResult *r) {
  const gchar *comma = "";
  g_string_append(out, ", \"times_as_fast_as\": {");
  for (guint p = 0; p < G_N_ELEMENTS(peers); p++) {
    const gdouble times = bench_pipeline_versus(results, r, peers[p]);
    if (times > 0) {
      g_string_append_printf(out, "%s\"%s\": %.3f", comma, bench_path_name(peers[p]), times);
      comma = ", ";
    }
  }
  g_string_append_c(out, '}');
}

void
bench_pipeline_append_json(GString *out, const GArray *results, guint i) {
  const BenchPipelineResult *r = &g_array_index(results, BenchPipelineResult, i);
  g_string_append(out, "    {");
  bench_json_append_member(out, "path", bench_path_name(r->path));
  append_json_word(out, "format", r->format);
  g_string_append_printf(out,
                         ", \"width\": %u, \"height\": %u, \"streams\": %u, \"devices\": %u, "
                         "\"us\": %.3f, \"least_us\": %.3f, \"most_us\": %.3f, "
                         "\"stretches\": %u, \"frames_a_stretch\": %u, \"fps\": %.2f",
                         r->width, r->height, r->n_streams, r->n_devices, r->time.us,
                         r->time.least_us, r->time.most_us, r->time.n_batches, r->time.n_frames,
                         bench_pipeline_fps(r));
  append_json_number(out, "bytes", (gdouble)r->bytes, 0);
  append_json_number(out, "gb_s", bench_time_rate(&r->time, r->bytes), 3);
  append_json_number(out, "bus_us", r->bus_us, 3);
  append_json_number(out, "percent_of_bus", bench_time_share(&r->time, r->bus_us), 2);
  append_json_number(out, "kernel_us", r->kernel_us, 3);
  append_json_number(out, "latency_ms", r->latency_ms, 4);
  append_json_number(out, "worst_latency_ms", r->worst_ms, 4);
  append_json_number(out, "device_mb_a_stream", r->device_mb, 2);
  append_json_number(out, "in_flight", r->in_flight, 0);
  append_json_word(out, "memory_in", r->in_path);
  append_json_word(out, "memory_out", r->out_path);
  append_json_versus(out, results, r);
  g_string_append_c(out, '}');
}

static void
append_csv_number(GString *out, gdouble value, gint digits) {
  g_string_append_c(out, ',');
  if (value != 0)
    g_string_append_printf(out, "%.*f", digits, value);
}

/* cudaconv's words have no quotes, and no comma either. */
static void
append_csv_row(GString *out, const GArray *results, const BenchPipelineResult *r) {
  g_string_append_printf(out, "%s,%s,%u,%u,%u,%u,%.3f,%.3f,%.3f,%u,%u,%.2f",
                         bench_path_name(r->path), r->format, r->width, r->height, r->n_streams,
                         r->n_devices, r->time.us, r->time.least_us, r->time.most_us,
                         r->time.n_batches, r->time.n_frames, bench_pipeline_fps(r));
  append_csv_number(out, (gdouble)r->bytes, 0);
  append_csv_number(out, bench_time_rate(&r->time, r->bytes), 3);
  append_csv_number(out, r->bus_us, 3);
  append_csv_number(out, bench_time_share(&r->time, r->bus_us), 2);
  append_csv_number(out, r->kernel_us, 3);
  append_csv_number(out, r->latency_ms, 4);
  append_csv_number(out, r->worst_ms, 4);
  append_csv_number(out, r->device_mb, 2);
  append_csv_number(out, r->in_flight, 0);
  g_string_append_printf(out, ",%s,%s", r->in_path ? r->in_path : "",
                         r->out_path ? r->out_path : "");
  for (guint p = 0; p < G_N_ELEMENTS(peers); p++)
    append_csv_number(out, bench_pipeline_versus(results, r, peers[p]), 3);
  g_string_append_c(out, '\n');
}

void
bench_pipeline_append_csv(GString *out, const GArray *results) {
  g_string_append(out, "path,format,width,height,streams,devices,us,least_us,most_us,stretches,"
                       "frames_a_stretch,fps,bytes,gb_s,bus_us,percent_of_bus,kernel_us,latency_ms,"
                       "worst_latency_ms,device_mb_a_stream,in_flight,memory_in,memory_out");
  for (guint p = 0; p < G_N_ELEMENTS(peers); p++)
    g_string_append_printf(out, ",times_%s", bench_path_name(peers[p]));
  g_string_append_c(out, '\n');
  for (guint i = 0; i < results->len; i++)
    append_csv_row(out, results, &g_array_index(results, BenchPipelineResult, i));
}
