/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/bench.h"

#include <string.h>

#define SECONDS 1 /* measured for each line */

static const struct {
  const gchar *kernel;
  guint size;
  const gchar *format;
  guint stride;
  CcChroma chroma;
  CcColor color;
} cases[] = {
    {"gaussian", 3, "GRAY8", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "GRAY8", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sobel", 3, "GRAY8", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sharpen", 3, "GRAY8", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"box", 15, "GRAY8", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sobel-x", 3, "RGB", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "RGBA", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "NV12", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sobel", 3, "NV12", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "P010_10LE", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sobel", 3, "GRAY16_LE", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"kirsch", 3, "GRAY8", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "GRAY8", 2, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "RGB", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "RGB", 2, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"gaussian", 5, "RGBA", 2, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sobel", 3, "NV12", 4, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sobel", 3, "GRAY16_LE", 2, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    /* packed formats, and planar ones to compare with */
    {"gaussian", 3, "NV16", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"gaussian", 3, "YUY2", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"gaussian", 3, "UYVY", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"gaussian", 5, "NV16", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"gaussian", 5, "YUY2", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"gaussian", 5, "UYVY", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"sharpen", 3, "NV16", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"sharpen", 3, "YUY2", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"sharpen", 3, "UYVY", 1, CC_CHROMA_FILTER, CC_COLOR_AUTO},
    {"sobel", 3, "NV16", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sobel", 3, "YUY2", 1, CC_CHROMA_AUTO, CC_COLOR_AUTO},
    {"sharpen", 3, "NV16", 1, CC_CHROMA_COPY, CC_COLOR_AUTO},
    {"sharpen", 3, "YUY2", 1, CC_CHROMA_COPY, CC_COLOR_AUTO},
    {"sobel", 3, "RGB", 1, CC_CHROMA_AUTO, CC_COLOR_GREY},
    {"sobel", 3, "RGB", 1, CC_CHROMA_AUTO, CC_COLOR_COMPONENTS},
    {"sobel", 3, "RGBA", 1, CC_CHROMA_AUTO, CC_COLOR_GREY},
    {"sobel", 3, "RGBA", 1, CC_CHROMA_AUTO, CC_COLOR_COMPONENTS},
    {"sobel", 3, "GBR", 1, CC_CHROMA_AUTO, CC_COLOR_GREY},
    {"sobel", 3, "GBR", 1, CC_CHROMA_AUTO, CC_COLOR_COMPONENTS},
};

/* Returns the seconds for a frame, the best of as many as fit into SECONDS; or -1. */
static gdouble
time_frames(const Target *target, CcProgram *program, const GuardedFrame *src,
            const GuardedFrame *dst) {
  const CcRegion whole = cc_frame_layout_region(&src->layout);
  const CcSubmitInfo info = {
      .src = src->frame, .dst = dst->frame, .regions = &whole, .n_regions = 1};
  g_autoptr(GTimer) total = g_timer_new();
  g_autoptr(GTimer) timer = g_timer_new();
  gdouble best = -1;
  for (guint i = 0; i < 3 || g_timer_elapsed(total, NULL) < SECONDS; i++) {
    CcTimes times = {0};
    g_timer_start(timer);
    CcSubmission *submission = cc_backend_submit(target->backend, program, &info, NULL);
    if (!submission || !cc_backend_wait(target->backend, submission, &times, NULL))
      return -1;
    gdouble seconds = g_timer_elapsed(timer, NULL);
    if (i > 0 && (best < 0 || seconds < best))
      best = seconds;
  }
  return best;
}

static void
bench_case(const Target *target, guint i) {
  const CcFrameLayout layout =
      test_format_layout(test_format_find(cases[i].format), 1920, 1080, TRUE);
  const CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel),
                           .size = cases[i].size,
                           .chroma = cases[i].chroma,
                           .color = cases[i].color,
                           .algorithm = target->algorithm,
                           .stride = cases[i].stride};
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, &error);
  CcProgram *program = plan ? target_prepare(target, plan, &error) : NULL;
  if (!program) {
    g_print("%s %s: %s\n", cases[i].kernel, cases[i].format, error->message);
    return;
  }
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&plan->out_frame_layout, PLACEMENT_ALIGNED);
  guarded_frame_draw(src, PATTERN_RANDOM, rand);
  gdouble seconds = time_frames(target, program, src, dst);
  g_autofree gchar *name = target_name(target);
  const gchar *color = cases[i].color == CC_COLOR_GREY         ? " grey"
                       : cases[i].color == CC_COLOR_COMPONENTS ? " components"
                                                               : "";
  g_print(
      "%-18s %-12s %2u %-10s%s 1920x1080 stride %u %10.0f ns/frame %8.2f GB/s\n", name,
      cases[i].kernel, cases[i].size, cases[i].format, color, cases[i].stride, seconds * 1e9,
      (gdouble)(cc_frame_layout_bytes(&layout) + cc_frame_layout_bytes(&plan->out_frame_layout)) /
          seconds / 1e9);
  cc_program_unref(program);
}

void
bench_targets(const Target *targets, guint n_targets, const gchar *filter) {
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *text =
        g_strdup_printf("%s %u %s", cases[i].kernel, cases[i].size, cases[i].format);
    for (guint t = 0; t < n_targets; t++)
      if (!filter || strstr(text, filter))
        bench_case(&targets[t], i);
  }
}
