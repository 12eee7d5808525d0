/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The methods that the CPU backend chooses for common filters: choosing a slower one would show
 * only in the speed. The steps of a program name the methods. The variant is plain C, so that the
 * steps are the same on every machine. */

#include "cpu/lower.h"
#include "tests/ref/formats.h"

#include <string.h>

#define SUMS_16 "; 8-bit samples, 16-bit sums, "
#define FROM_16 "output in 16 bits"
#define ABSOLUTE "largest absolute value, "

static const struct {
  const gchar *format, *kernel;
  CcFilter filter; /* without the kernel */
  const gchar *steps[4];
} cases[] = {
    /* 8-bit samples, 16-bit sums */
    {"GRAY8",
     "gaussian",
     {.size = 3},
     {"filter plane 0 (grey): fused tap groups 20-10 horizontal, 20-10 vertical" SUMS_16 FROM_16}},
    {"RGBA",
     "sharpen",
     {.size = 3},
     {"filter plane 0 (R G B), copy A: fused tap groups 40-10" SUMS_16 FROM_16}},
    {"GRAY8",
     "sobel-x",
     {.size = 3, .response = CC_RESPONSE_ABSOLUTE},
     {"filter plane 0 (grey): fused tap groups 22-11" SUMS_16 ABSOLUTE FROM_16}},
    /* the root of two sums is in float and in the same kernel */
    {"GRAY8",
     "sobel",
     {.size = 3},
     {"filter plane 0 (grey): fused gradient" SUMS_16 "root in float, output in float"}},
    {"GRAY8",
     "scharr",
     {.size = 3, .response = CC_RESPONSE_MAGNITUDE_L1},
     {"filter plane 0 (grey): fused gradient" SUMS_16 "sum of absolute values, " FROM_16}},
    {"GRAY8",
     "roberts",
     {.response = CC_RESPONSE_ABSOLUTE},
     {"filter plane 0 (grey): fused gradient" SUMS_16 ABSOLUTE FROM_16}},
    /* the maximum of two sums, and directions, are not fused */
    {"GRAY8",
     "sobel",
     {.size = 3, .response = CC_RESPONSE_CLAMP},
     {"filter plane 0 (grey): tap groups 22-11, 22-11" SUMS_16 "maximum, " FROM_16}},
    {"GRAY8",
     "sobel",
     {.size = 3, .response = CC_RESPONSE_DIRECTION},
     {"filter plane 0 (grey): tap groups 22-11, 22-11" SUMS_16 "angle, output of an angle"}},
    /* 16-bit samples: the sums of blurs and edges need more than 16 bits */
    {"GRAY16_LE",
     "gaussian",
     {.size = 5},
     {"filter plane 0 (grey): separable by dot products of 2 words, sums along a row in two words "
      "added by dot products; 16-bit samples, 32-bit sums, output by a shift"}},
    {"GRAY16_LE",
     "sobel",
     {.size = 3},
     {"filter plane 0 (grey): conv2d by dot products of 2 words, 2 rows at once; 16-bit samples, "
      "32-bit sums, root in double, output in double"}},
    /* fractional taps: sums beyond 32 bits drop their low bits or are split into three words;
     * otherwise sums are in double, and beyond that in 64-bit integers */
    {"GRAY8",
     "gaussian",
     {.size = 7, .sigma = 1.5},
     {"filter plane 0 (grey): separable by dot products of 2 widened bytes, sums along a row in "
      "two words; 8-bit samples, 32-bit sums, output in float of shifted sums"}},
    {"GRAY8",
     "gaussian",
     {.size = 15},
     {"filter plane 0 (grey): separable by dot products of 2 widened bytes, sums along a row in "
      "two words, low 8 bits dropped; 8-bit samples, 32-bit sums, output by a shift"}},
    {"P010_10LE",
     "gaussian",
     {.size = 15, .sigma = 3, .chroma = CC_CHROMA_COPY},
     {"filter plane 0 (Y): separable by dot products of 2 words, sums along a row in three words; "
      "16-bit samples, 32-bit sums, output in double of three parts",
      "copy plane 1 (U V)"}},
    {"GRAY16_LE",
     "gaussian",
     {.size = 15, .sigma = 3, .response = CC_RESPONSE_ABSOLUTE},
     {"filter plane 0 (grey): tap groups any horizontal, any vertical; 16-bit samples widened to "
      "double, double sums, " ABSOLUTE "output in double"}},
    {"GRAY16_LE",
     "gaussian",
     {.size = 63, .sigma = 10},
     {"filter plane 0 (grey): tap groups any horizontal, any vertical; 16-bit samples widened to "
      "64 bits, 64-bit sums, output in double"}},
    /* boxes use running sums, in 16 bits if the sums fit, except small boxes of bytes */
    {"GRAY8",
     "box",
     {.size = 3},
     {"filter plane 0 (grey): fused tap groups 30 horizontal, 30 vertical" SUMS_16 FROM_16}},
    {"RGB",
     "box",
     {.size = 15},
     {"filter plane 0 (R G B): box by running sums; 8-bit samples widened to 16 bits, 16-bit "
      "sums, " FROM_16}},
    {"GRAY8",
     "box",
     {.size = 31},
     {"filter plane 0 (grey): box by running sums; 8-bit samples widened to 32 bits, 32-bit sums, "
      "output in float of shifted sums"}},
    /* luma and chroma of macropixels in one sweep, if a fused kernel has the taps */
    {"YUY2",
     "gaussian",
     {.size = 5, .chroma = CC_CHROMA_FILTER},
     {"filter plane 0 (Y U Y V): fused tap groups 20-20-10 horizontal, 20-20-10 vertical, whole "
      "macropixels" SUMS_16 FROM_16}},
    {"YUY2",
     "sharpen",
     {.chroma = CC_CHROMA_FILTER},
     {"filter plane 0 (Y): fused tap groups 40-10" SUMS_16 FROM_16,
      "filter plane 1 (U V): fused tap groups 40-10" SUMS_16 FROM_16, "interleave"}},
    /* no known tap pattern */
    {"GRAY8",
     "log",
     {.size = 5},
     {"filter plane 0 (grey): conv2d by dot products of 2 widened bytes, 2 rows at once; 8-bit "
      "samples, 32-bit sums, " ABSOLUTE "output by a shift"}},
    /* identity, and planes that are only copied or filled */
    {"GRAY8", "identity", {0}, {"copy plane 0 (grey): the kernel changes nothing"}},
    {"NV12",
     "identity",
     {.size = 1, .chroma = CC_CHROMA_NEUTRAL},
     {"copy plane 0 (Y): the kernel changes nothing", "fill plane 1 (U V)"}},
    {"NV12",
     "gaussian",
     {.size = 3, .chroma = CC_CHROMA_NEUTRAL},
     {"filter plane 0 (Y): fused tap groups 20-10 horizontal, 20-10 vertical" SUMS_16 FROM_16,
      "fill plane 1 (U V)"}},
    /* direction as a color */
    {"RGB",
     "sobel",
     {.size = 3, .response = CC_RESPONSE_DIRECTION},
     {"direction color, 3 components of plane 0, 1x1 pixels each: tap groups 22-11, 22-11; 32-bit "
      "sums"}},
};

static GStrv
steps_of(guint i, const gchar *variant) {
  const CcVariant *found = cc_cpu_all_variants;
  while (strcmp(found->name, variant) != 0)
    found++;
  CcFilter filter = cases[i].filter;
  filter.kernel = cc_kernels_find(cases[i].kernel);
  const CcFrameLayout layout = test_format_layout(test_format_find(cases[i].format), 64, 32, FALSE);
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, &error);
  g_assert_no_error(error);
  CcCpuProgram *program = cc_cpu_program_new(plan, found);
  GStrv steps = cc_cpu_program_explain(program);
  cc_cpu_program_free(program);
  return steps;
}

static void
test_filters(void) {
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(GStrv) steps = steps_of(i, "c");
    guint s = 0;
    for (; s < G_N_ELEMENTS(cases[i].steps) && cases[i].steps[s]; s++) {
      g_assert_nonnull(steps[s]);
      const gsize n = strlen(cases[i].steps[s]);
      g_autofree gchar *begins = g_strndup(steps[s], n);
      g_assert_cmpstr(begins, ==, cases[i].steps[s]);
      g_assert_true(!steps[s][n] || strchr(";:", steps[s][n]));
    }
    g_assert_cmpuint(g_strv_length(steps), ==, s);
  }
}

/* The plain variant has no row kernels, so every step is the plain loop. */
static void
test_plain(void) {
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(GStrv) steps = steps_of(i, "plain");
    g_assert_nonnull(steps[0]);
    for (gchar **step = steps; *step; step++)
      g_assert_nonnull(strstr(*step, "the plain loop; plain C"));
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/dispatch/filters", test_filters);
  g_test_add_func("/dispatch/plain", test_plain);
  return g_test_run();
}
