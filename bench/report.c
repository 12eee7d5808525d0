/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"

const gchar *
bench_peer_name(BenchPeer peer) {
  static const gchar *const names[BENCH_N_PEERS] = {
      [BENCH_PEER_DIRECT] = "direct",
      [BENCH_PEER_TWO_PASS] = "two-pass",
      [BENCH_PEER_NPP] = "npp",
      [BENCH_PEER_SERIAL] = "serial",
  };
  return names[peer];
}

void
bench_report_heading(FILE *file, const gchar *heading) {
  fprintf(file, "\n%s\n%-10s %11s %-22s %-16s %10s %7s %7s", heading, "format", "size", "kernel",
          "algorithm", "us/frame", "GB/s", "% copy");
  for (guint p = 0; p < BENCH_N_PEERS; p++)
    fprintf(file, " %9s", bench_peer_name((BenchPeer)p));
  fputc('\n', file);
}

void
bench_report_case(FILE *file, const BenchResult *results, guint n) {
  for (guint i = 0; i < n; i++) {
    const BenchResult *r = &results[i];
    g_autofree gchar *size = g_strdup_printf("%ux%u", r->width, r->height);
    g_autofree gchar *kernel =
        r->stride == 1 ? g_strdup(r->kernel) : g_strdup_printf("%s /%u", r->kernel, r->stride);
    fprintf(file, "%-10s %11s %-22s %-16s %10.2f %7.0f %7.1f", r->format, size, kernel,
            r->algorithm, r->time.us, bench_time_rate(&r->time, r->bytes),
            bench_time_share(&r->time, r->copy_us));
    for (guint p = 0; p < BENCH_N_PEERS; p++)
      if (r->versus[p] > 0)
        fprintf(file, " %8.2fx", r->versus[p]);
      else
        fprintf(file, " %9s", "-");
    fputc('\n', file);
  }
  fflush(file);
}
