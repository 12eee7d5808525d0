/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "claims.h"

#include <string.h>

typedef enum {
  SHARE,        /* percent of the copy rate, at least */
  COPIES,       /* times as long as a copy, at most */
  PLANES,       /* times as long as the planes alone, together, at most */
  VERSUS,       /* times as fast as another, at least */
  MICROSECONDS, /* at most */
} Measure;

/* A set of claims: each format with each kernel. */
typedef struct {
  Measure measure;
  gdouble wanted;
  const gchar *algorithm;
  BenchPeer peer; /* of VERSUS */
  guint width, height, stride;
  const gchar *formats[5], *kernels[4];
} Claims;

#define LARGE 7680, 4320, 1
#define HD 1920, 1080, 1
#define PAPER 10001, 10001, 2

static const Claims claims[] = {
    {SHARE, 95, "sliding", 0, LARGE, {"GRAY8", "RGBA"}, {"gaussian 3x3"}},
    {SHARE, 90, "sliding", 0, LARGE, {"GRAY8", "RGBA"}, {"gaussian 5x5"}},
    {SHARE, 85, "sliding", 0, LARGE, {"GRAY8", "RGBA"}, {"sobel 3x3"}},
    {SHARE, 90, "sliding", 0, LARGE, {"GRAY16_LE"}, {"gaussian 3x3", "gaussian 5x5"}},
    {PLANES, 1.1, "sliding", 0, LARGE, {"NV12"}, {"gaussian 3x3", "gaussian 5x5"}},
    {COPIES,
     1.6,
     "sliding",
     0,
     HD,
     {"GRAY8", "RGBA", "GRAY16_LE", "NV12"},
     {"gaussian 3x3", "gaussian 5x5", "sobel 3x3"}},
    {VERSUS, 10, "sliding", BENCH_PEER_NPP, LARGE, {"GRAY8"}, {"gaussian 5x5"}},
    {VERSUS,
     2.2,
     "sliding",
     BENCH_PEER_NPP,
     LARGE,
     {"GRAY8"},
     {"gaussian 3x3", "sobel-x 3x3", "sobel-y 3x3"}},
    {VERSUS, 8, "sliding", BENCH_PEER_TWO_PASS, LARGE, {"GRAY8"}, {"gaussian 3x3", "gaussian 5x5"}},
    {VERSUS, 10, "sliding", BENCH_PEER_DIRECT, LARGE, {"GRAY8"}, {"gaussian 3x3", "gaussian 5x5"}},
    {VERSUS,
     4,
     "register-tile",
     BENCH_PEER_TWO_PASS,
     LARGE,
     {"GRAY8"},
     {"gaussian 3x3", "gaussian 5x5"}},
    {MICROSECONDS, 100, "sliding", 0, PAPER, {"GRAY8"}, {"gaussian 3x3"}},
    {VERSUS, 100, "sliding", BENCH_PEER_SERIAL, PAPER, {"GRAY8"}, {"gaussian 3x3"}},
};

static const BenchResult *
find_result(const GArray *results, const Claims *c, const gchar *format, const gchar *kernel) {
  for (guint i = 0; i < results->len; i++) {
    const BenchResult *r = &g_array_index(results, BenchResult, i);
    if (r->width == c->width && r->height == c->height && r->stride == c->stride &&
        strcmp(r->format, format) == 0 && strcmp(r->kernel, kernel) == 0 &&
        strcmp(r->algorithm, c->algorithm) == 0)
      return r;
  }
  return NULL;
}

/* The time of a frame over that of its planes alone; 0 when one of them was not measured. */
static gdouble
ratio_to_planes(const GArray *results, const Claims *c, const BenchResult *frame) {
  g_autofree gchar *luma = g_strconcat(frame->format, "-Y", NULL);
  g_autofree gchar *chroma = g_strconcat(frame->format, "-UV", NULL);
  const BenchResult *y = find_result(results, c, luma, frame->kernel);
  const BenchResult *uv = find_result(results, c, chroma, frame->kernel);
  return y && uv ? frame->time.us / (y->time.us + uv->time.us) : 0;
}

static gdouble
measured(const GArray *results, const Claims *c, const BenchResult *result) {
  switch (c->measure) {
  case SHARE:
    return bench_time_share(&result->time, result->copy_us);
  case COPIES:
    return result->time.us / result->copy_us;
  case PLANES:
    return ratio_to_planes(results, c, result);
  case VERSUS:
    return result->versus[c->peer];
  default:
    return result->time.us;
  }
}

/* How many times as fast as the peer a copy is that reads and writes as much. */
static gdouble
copy_versus_peer(const Claims *c, const BenchResult *result) {
  return c->measure == VERSUS && result
             ? result->versus[c->peer] * result->time.us / result->copy_us
             : 0;
}

static gchar *
describe(const Claims *c, const gchar *format, const gchar *kernel) {
  static const gchar *const units[] = {
      [SHARE] = "% of the copy rate",
      [COPIES] = "times the time of a copy",
      [PLANES] = "times its planes' sum",
      [VERSUS] = "times as fast as ",
      [MICROSECONDS] = "us",
  };
  g_autofree gchar *stride = c->stride == 1 ? NULL : g_strdup_printf(" stride %u", c->stride);
  return g_strdup_printf("%s %s %ux%u %s%s, %s%s", c->algorithm, format, c->width, c->height,
                         kernel, stride ? stride : "", units[c->measure],
                         c->measure == VERSUS ? bench_peer_name(c->peer) : "");
}

static void
clear_verdict(gpointer verdict) {
  g_free(((BenchVerdict *)verdict)->text);
}

GArray *
bench_verdicts_new(void) {
  GArray *verdicts = g_array_new(FALSE, FALSE, sizeof(BenchVerdict));
  g_array_set_clear_func(verdicts, clear_verdict);
  return verdicts;
}

GArray *
bench_claims_judge(const GArray *results, gboolean all) {
  GArray *verdicts = bench_verdicts_new();
  for (const Claims *c = claims; c < claims + G_N_ELEMENTS(claims); c++)
    for (const gchar *const *kernel = c->kernels; *kernel; kernel++)
      for (const gchar *const *format = c->formats; *format; format++) {
        const BenchResult *result = find_result(results, c, *format, *kernel);
        const gdouble value = result ? measured(results, c, result) : 0;
        if (value <= 0 && !all)
          continue;
        const BenchVerdict verdict = {
            .text = describe(c, *format, *kernel),
            .measured = value,
            .wanted = c->wanted,
            .at_least = c->measure == SHARE || c->measure == VERSUS,
            .copy = copy_versus_peer(c, result),
        };
        g_array_append_val(verdicts, verdict);
      }
  return verdicts;
}

gboolean
bench_verdict_met(const BenchVerdict *verdict) {
  if (verdict->measured <= 0)
    return FALSE;
  return verdict->at_least ? verdict->measured >= verdict->wanted
                           : verdict->measured <= verdict->wanted;
}

void
bench_claims_report(FILE *file, const GArray *verdicts) {
  if (verdicts->len == 0)
    return;
  fprintf(file, "\nTargets\n");
  for (guint i = 0; i < verdicts->len; i++) {
    const BenchVerdict *v = &g_array_index(verdicts, BenchVerdict, i);
    if (v->measured > 0)
      fprintf(file, "%-76s %9.2f", v->text, v->measured);
    else
      fprintf(file, "%-76s %9s", v->text, "-");
    fprintf(file, " (wanted: %s %.5g", v->at_least ? "at least" : "at most", v->wanted);
    if (v->copy > 0)
      fprintf(file, "; a copy: %.2f", v->copy);
    fprintf(file, ")%s\n",
            v->measured <= 0       ? " not measured"
            : bench_verdict_met(v) ? ""
                                   : " missed");
  }
}
