/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/known.h"

#define FAINT "faint" /* a kernel of this file */
#define FAINT_SIDE 17

static const struct {
  const gchar *kernel;
  guint size;
  gdouble scale;
  const gchar *format;
  guint width, height;
  CcBorder border;
  guint stride, target_x; /* 0: no target */
} cases[] = {
    /* repeated pixels that were not grey yet */
    {"gaussian", 9, 0, "RGB", 93, 14, CC_BORDER_WRAP, 1, 0},
    {"box", 31, 0, "RGB", 76, 8, CC_BORDER_WRAP, 1, 0},
    /* half a pair at the end of rows of which the source has more */
    {"gaussian", 21, 0, "YUY2", 50, 7, CC_BORDER_CONSTANT, 2, 22},
    {"box", 31, 0, "UYVY", 66, 9, CC_BORDER_REFLECT, 4, 4},
    /* code values far below the lowest bit of what sums are multiplied by */
    {FAINT, 0, 4.2e-10, "GRAY8", 64, 40, CC_BORDER_REPLICATE, 1, 0},
    {FAINT, 0, 4.8e-10, "GRAY8", 64, 40, CC_BORDER_REPLICATE, 1, 0},
    /* the widest, and all pixels of a stride */
    {"gaussian", 127, 0, "ARGB64", 150, 131, CC_BORDER_WRAP, 1, 0},
    {"gaussian", 127, 0, "NV12", 150, 131, CC_BORDER_REFLECT_101, 4, 0},
    {"box", 127, 0, "RGBA", 150, 131, CC_BORDER_CONSTANT, 2, 0},
};

guint
known_count(void) {
  return G_N_ELEMENTS(cases);
}

/* A row and a column with sums of 27 and of 6 bits. */
static CcKernel *
faint_kernel(void) {
  gdouble row[FAINT_SIDE], column[FAINT_SIDE];
  for (guint i = 0; i < FAINT_SIDE; i++) {
    row[i] = 4200 + (i == 0) - (i == FAINT_SIDE - 1);
    column[i] = -2 - (i == 0) + (i == FAINT_SIDE - 1);
  }
  return cc_kernel_new_separable(row, FAINT_SIDE, column, FAINT_SIDE, NULL);
}

Case
known_get(guint index) {
  static CcKernel *faint;
  const TestFormat *format = test_format_find(cases[index].format);
  if (!faint)
    faint = faint_kernel();
  return (Case){
      .filter =
          {
              .kernel = g_str_equal(cases[index].kernel, FAINT)
                            ? faint
                            : cc_kernels_find(cases[index].kernel),
              .size = cases[index].size,
              .scale = cases[index].scale,
              .border = cases[index].border,
              .border_value = 0.3,
              .chroma = CC_CHROMA_FILTER,
              .color = CC_COLOR_GREY,
              .stride = cases[index].stride,
              .target_set = cases[index].target_x > 0,
              .target_x = cases[index].target_x,
          },
      .layout = test_format_layout(format, cases[index].width, cases[index].height, FALSE),
      .pattern = PATTERN_RANDOM,
      .seed = index,
      .kernel = cases[index].kernel,
      .format = format->name,
      .range = "full",
      .width = cases[index].width,
      .height = cases[index].height,
  };
}
