/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The verdicts on made-up results. */

#include <string.h>
#include "claims.h"
#include "pipeline-result.h"

static void
add_result(GArray *results, const gchar *format, const gchar *algorithm, gdouble us) {
  BenchResult result = {.format = format,
                        .width = 7680,
                        .height = 4320,
                        .stride = 1,
                        .time = {.us = us},
                        .bytes = 1000,
                        .copy_us = 18};
  g_strlcpy(result.kernel, "gaussian 3x3", sizeof result.kernel);
  g_strlcpy(result.algorithm, algorithm, sizeof result.algorithm);
  g_array_append_val(results, result);
}

static const BenchVerdict *
find_verdict(const GArray *verdicts, const gchar *text) {
  for (guint i = 0; i < verdicts->len; i++) {
    const BenchVerdict *verdict = &g_array_index(verdicts, BenchVerdict, i);
    if (strcmp(verdict->text, text) == 0)
      return verdict;
  }
  return NULL;
}

/* 18 us for the copy against 18.5 and 20 us: 97 and 90 percent, where 95 are wanted. */
static void
test_share(void) {
  static const gchar *const text = "sliding GRAY8 7680x4320 gaussian 3x3, % of the copy rate";
  for (guint slow = 0; slow < 2; slow++) {
    g_autoptr(GArray) results = g_array_new(FALSE, FALSE, sizeof(BenchResult));
    add_result(results, "GRAY8", "sliding", slow ? 20 : 18.5);
    g_autoptr(GArray) verdicts = bench_claims_judge(results, FALSE);
    g_assert_cmpuint(verdicts->len, ==, 1);
    const BenchVerdict *verdict = find_verdict(verdicts, text);
    g_assert_nonnull(verdict);
    g_assert_cmpfloat_with_epsilon(verdict->measured, slow ? 90 : 97.297, 0.001);
    g_assert_cmpfloat(verdict->copy, ==, 0); /* the share says it */
    g_assert_cmpint(bench_verdict_met(verdict), ==, !slow);
  }
}

static void
test_versus(void) {
  g_autoptr(GArray) results = g_array_new(FALSE, FALSE, sizeof(BenchResult));
  add_result(results, "GRAY8", "register-tile", 30);
  g_array_index(results, BenchResult, 0).versus[BENCH_PEER_TWO_PASS] = 3.9;
  g_autoptr(GArray) missed = bench_claims_judge(results, FALSE);
  g_assert_cmpuint(missed->len, ==, 1);
  g_assert_false(bench_verdict_met(&g_array_index(missed, BenchVerdict, 0)));
  /* the peer takes 117 us, and a copy 18 */
  g_assert_cmpfloat_with_epsilon(g_array_index(missed, BenchVerdict, 0).copy, 6.5, 1e-9);
  g_array_index(results, BenchResult, 0).versus[BENCH_PEER_TWO_PASS] = 4.1;
  g_autoptr(GArray) met = bench_claims_judge(results, FALSE);
  g_assert_true(bench_verdict_met(&g_array_index(met, BenchVerdict, 0)));
}

static void
test_planes(void) {
  g_autoptr(GArray) results = g_array_new(FALSE, FALSE, sizeof(BenchResult));
  add_result(results, "NV12", "sliding", 33);
  add_result(results, "NV12-Y", "sliding", 19);
  g_autoptr(GArray) without = bench_claims_judge(results, FALSE);
  g_assert_cmpuint(without->len, ==, 0);
  add_result(results, "NV12-UV", "sliding", 10);
  g_autoptr(GArray) with = bench_claims_judge(results, FALSE);
  g_assert_cmpuint(with->len, ==, 1);
  const BenchVerdict *verdict = &g_array_index(with, BenchVerdict, 0);
  g_assert_cmpfloat_with_epsilon(verdict->measured, 33.0 / 29, 1e-9);
  g_assert_false(bench_verdict_met(verdict)); /* 1.14 times the sum, at most 1.1 */
}

/* What was not measured is not met. */
static void
test_missing(void) {
  g_autoptr(GArray) results = g_array_new(FALSE, FALSE, sizeof(BenchResult));
  g_autoptr(GArray) none = bench_claims_judge(results, FALSE);
  g_assert_cmpuint(none->len, ==, 0);
  g_autoptr(GArray) all = bench_claims_judge(results, TRUE);
  g_assert_cmpuint(all->len, >, 20);
  for (guint i = 0; i < all->len; i++)
    g_assert_false(bench_verdict_met(&g_array_index(all, BenchVerdict, i)));
}

/* --- pipelines --- */

static GArray *
new_pipelines(void) {
  return g_array_new(FALSE, FALSE, sizeof(BenchPipelineResult));
}

/* A path's HD frames, `us` each. */
static BenchPipelineResult *
add_pipeline(GArray *results, BenchPath path, const gchar *format, gdouble us) {
  const BenchPipelineResult result = {.path = path,
                                      .format = format,
                                      .width = 1920,
                                      .height = 1080,
                                      .n_streams = 1,
                                      .n_devices = 1,
                                      .time = {.us = us}};
  g_array_append_val(results, result);
  return &g_array_index(results, BenchPipelineResult, results->len - 1);
}

/* Judges the results, finds the one verdict and compares it. */
static void
assert_verdict(const GArray *results, const gchar *text, gdouble value, gboolean met) {
  g_autoptr(GArray) verdicts = bench_claims_judge_pipelines(results, FALSE);
  const BenchVerdict *verdict = find_verdict(verdicts, text);
  g_assert_nonnull(verdict);
  g_assert_cmpfloat_with_epsilon(verdict->measured, value, 0.001);
  g_assert_cmpint(bench_verdict_met(verdict), ==, met);
}

static void
test_bus(void) {
  static const gchar *const text = "own RGBA 1920x1080, % of the bus limit";
  g_autoptr(GArray) results = new_pipelines();
  add_pipeline(results, BENCH_PATH_OWN, "RGBA", 1000)->bus_us = 840;
  assert_verdict(results, text, 84, FALSE);
  g_array_index(results, BenchPipelineResult, 0).bus_us = 860;
  assert_verdict(results, text, 86, TRUE);
}

/* Many at once have a claim of their own, and are no answer to that of one. */
static void
test_streams(void) {
  g_autoptr(GArray) results = new_pipelines();
  BenchPipelineResult *result = add_pipeline(results, BENCH_PATH_POOL, "RGBA", 1000);
  result->bus_us = 940;
  result->n_streams = 16;
  assert_verdict(results, "pool RGBA 1920x1080, 16 at once, % of the bus limit", 94, FALSE);
  g_autoptr(GArray) verdicts = bench_claims_judge_pipelines(results, FALSE);
  g_assert_cmpuint(verdicts->len, ==, 1);
}

static void
test_pipeline_peers(void) {
  g_autoptr(GArray) results = new_pipelines();
  add_pipeline(results, BENCH_PATH_POOL, "RGBA", 1000);
  add_pipeline(results, BENCH_PATH_CUDAUPLOAD, "I420", 9000); /* other frames */
  g_autoptr(GArray) none = bench_claims_judge_pipelines(results, FALSE);
  g_assert_cmpuint(none->len, ==, 0);
  add_pipeline(results, BENCH_PATH_CUDAUPLOAD, "RGBA", 5100);
  add_pipeline(results, BENCH_PATH_GL, "RGBA", 7900);
  assert_verdict(results, "pool RGBA 1920x1080, times as fast as cudaupload", 5.1, TRUE);
  assert_verdict(results, "pool RGBA 1920x1080, times as fast as gl", 7.9, FALSE);
}

static void
test_kernel(void) {
  static const gchar *const text = "cuda NV12 1920x1080, us above the kernel's time";
  g_autoptr(GArray) results = new_pipelines();
  add_pipeline(results, BENCH_PATH_CUDA, "NV12", 14.5)->kernel_us = 5;
  assert_verdict(results, text, 9.5, TRUE);
  g_array_index(results, BenchPipelineResult, 0).kernel_us = 4;
  assert_verdict(results, text, 10.5, FALSE);
}

static void
test_latency(void) {
  g_autoptr(GArray) results = new_pipelines();
  BenchPipelineResult *result = add_pipeline(results, BENCH_PATH_LIVE, "RGBA", 16667);
  result->latency_ms = 1.5;
  result->worst_ms = 2.5;
  assert_verdict(results, "live RGBA 1920x1080, ms in the element, median", 1.5, TRUE);
  assert_verdict(results, "live RGBA 1920x1080, ms in the element, worst", 2.5, FALSE);
}

static void
test_decoder(void) {
  static const gchar *const text = "decode-cudaconv NV12 1920x1080, % of the decoder's own rate";
  g_autoptr(GArray) results = new_pipelines();
  add_pipeline(results, BENCH_PATH_DECODE, "NV12", 970);
  add_pipeline(results, BENCH_PATH_DECODE_FILTER, "NV12", 1000);
  assert_verdict(results, text, 97, FALSE);
  g_array_index(results, BenchPipelineResult, 1).time.us = 980;
  assert_verdict(results, text, 98.98, TRUE);
}

/* A file to decode has to be given, so it is not missed. */
static void
test_missing_pipelines(void) {
  g_autoptr(GArray) results = new_pipelines();
  g_autoptr(GArray) none = bench_claims_judge_pipelines(results, FALSE);
  g_assert_cmpuint(none->len, ==, 0);
  g_autoptr(GArray) all = bench_claims_judge_pipelines(results, TRUE);
  g_assert_cmpuint(all->len, ==, 20);
  for (guint i = 0; i < all->len; i++) {
    g_assert_false(bench_verdict_met(&g_array_index(all, BenchVerdict, i)));
    g_assert_null(strstr(g_array_index(all, BenchVerdict, i).text, "decode"));
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/bench/claims/share", test_share);
  g_test_add_func("/bench/claims/versus", test_versus);
  g_test_add_func("/bench/claims/planes", test_planes);
  g_test_add_func("/bench/claims/missing", test_missing);
  g_test_add_func("/bench/claims/pipelines/bus", test_bus);
  g_test_add_func("/bench/claims/pipelines/streams", test_streams);
  g_test_add_func("/bench/claims/pipelines/peers", test_pipeline_peers);
  g_test_add_func("/bench/claims/pipelines/kernel", test_kernel);
  g_test_add_func("/bench/claims/pipelines/latency", test_latency);
  g_test_add_func("/bench/claims/pipelines/decoder", test_decoder);
  g_test_add_func("/bench/claims/pipelines/missing", test_missing_pipelines);
  return g_test_run();
}
