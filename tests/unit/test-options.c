/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options: numbers as text, accepted and refused values of each option, and several options in one
 * text. */

#include <math.h>

#include "cuda/algorithm.h"
#include "engine/number.h"
#include "engine/options.h"
#include "plugin/backends.h"

static void
test_numbers(void) {
  static const struct {
    const gchar *text;
    gdouble number;
  } good[] = {{"2", 2},  {"-0.5", -0.5}, {"1e-3", 1e-3},   {"1/9", 1.0 / 9}, {"-1/4", -.25},
              {"+3", 3}, {"0x10", 16},   {"1e300", 1e300}, {"inf", INFINITY}};
  static const gchar *const bad[] = {"", " ", "x", "2x", "1,5", "1/", "/2", "1/2/3", "1 2", "--1"};
  gdouble number;
  for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
    g_assert_true(cc_number_parse(good[i].text, NULL, &number));
    g_assert_cmpfloat(number, ==, good[i].number);
  }
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
    g_assert_false(cc_number_parse(bad[i], NULL, &number));
  const gchar *list = "12 34";
  g_assert_true(cc_number_parse(list, list + 2, &number));
  g_assert_cmpfloat(number, ==, 12);
  g_assert_false(cc_number_parse(list, list + 1, &number));
  g_autofree gchar *digits = g_strnfill(400, '1'), *more = g_strconcat(digits, "1", NULL);
  g_assert_true(cc_number_parse(digits, NULL, &number));
  g_assert_false(cc_number_parse(more, NULL, &number));

  gint whole;
  g_assert_true(cc_integer_parse("-2147483648", &whole) && whole == G_MININT);
  g_assert_false(cc_integer_parse("2147483648", &whole));
  g_assert_false(cc_integer_parse("3x", &whole));
  g_assert_false(cc_integer_parse("3.0", &whole));
}

/* Each text sets one value of each option, and the filter gets each value. */
static void
test_text(void) {
  g_auto(CcOptions) options;
  g_auto(CcFilter) filter = {0};
  cc_options_init(&options);
  g_assert_true(cc_options_set_text(
      &options,
      "kernel=GAUSSIAN size=5 sigma=1/2 scale=-2 bias=-4.5 response=absolute low=1/8 high=900.5 "
      "border=wrap "
      "border-value=0.5 chroma=copy chroma-kernel=Motion-Blur chroma-size=7 color=grey "
      "alpha=filter threshold=1/4 invert=YES mix=-2 overlay=#10A0ff measure=Sums "
      "stride=4 roi='10,20,300,200; 0 0 8 8' target=<<1,2>,<3,4>> outside=BLACK roi-meta=yes "
      "roi-type=face "
      "roi-sigma=1/4 fields=FRAME algorithm=direct",
      NULL));
  cc_options_get_filter(&options, &filter);
  g_assert_cmpstr(filter.kernel->name, ==, "gaussian");
  g_assert_cmpuint(filter.size, ==, 5);
  g_assert_cmpfloat(filter.sigma, ==, 0.5);
  g_assert_cmpfloat(filter.scale, ==, -2);
  g_assert_cmpfloat(filter.bias, ==, -4.5);
  g_assert_cmpint(filter.response, ==, CC_RESPONSE_ABSOLUTE);
  g_assert_cmpfloat(filter.low, ==, 0.125);
  g_assert_cmpfloat(filter.high, ==, 900.5);
  g_assert_cmpint(filter.border, ==, CC_BORDER_WRAP);
  g_assert_cmpfloat(filter.border_value, ==, 0.5);
  g_assert_cmpint(filter.chroma, ==, CC_CHROMA_COPY);
  g_assert_true(filter.chroma_kernel == cc_kernels_find("motion-blur"));
  g_assert_cmpuint(filter.chroma_size, ==, 7);
  g_assert_cmpint(filter.color, ==, CC_COLOR_GREY);
  g_assert_cmpint(filter.alpha, ==, CC_ALPHA_FILTER);
  g_assert_cmpfloat(filter.threshold, ==, 0.25);
  g_assert_true(filter.invert);
  g_assert_true(filter.mixes);
  g_assert_cmpfloat(filter.mix, ==, -2);
  g_assert_cmphex(filter.overlay, ==, 0xff10a0ff);
  g_assert_cmpint(filter.measure, ==, CC_MEASURE_SUMS);
  g_assert_cmpuint(filter.stride, ==, 4);
  g_assert_cmpint(filter.algorithm, ==, CC_ALGORITHM_DIRECT);
  g_assert_cmpint(filter.outside, ==, CC_OUTSIDE_BLACK);
  g_assert_cmpfloat(filter.roi_sigma, ==, 0.25);
  g_assert_cmpint(filter.fields, ==, CC_FIELDS_FRAME);
  const CcRegionOptions *regions = &options.regions;
  g_assert_true(regions->roi.n == 2 && regions->roi.number[0][2] == 300);
  g_assert_true(regions->target.n == 2 && regions->target.number[1][0] == 3);
  g_assert_true(regions->by_meta);
  g_assert_cmpstr(g_quark_to_string(regions->meta_type), ==, "face");
  g_assert_true(cc_options_set_text(&options, "roi='' target='' roi-meta=0 roi-type=''", NULL));
  g_assert_true(regions->roi.n == 0 && regions->target.n == 0);
  g_assert_true(!regions->by_meta && regions->meta_type == 0);
  g_assert_true(cc_options_set_text(&options, "overlay=#80a0b0c0 invert=0", NULL));
  g_assert_cmphex(options.filter.overlay, ==, 0x80a0b0c0);
  g_assert_false(options.filter.invert);
  g_assert_true(cc_options_set_text(&options, "", NULL));
  g_assert_true(cc_options_set_text(&options, " bias=1\tbias='2'\n", NULL));
  g_assert_cmpfloat(options.filter.bias, ==, 2);
}

/* The option chroma-kernel has the value `same` and the named kernels. */
static void
test_chroma_kernel(void) {
  const GPtrArray *kernels = cc_kernels_builtin();
  const CcOption *option = &cc_options[cc_options_find("chroma-kernel")];
  for (guint i = 0; i <= kernels->len; i++) {
    CcKernel *kernel = i > 0 ? g_ptr_array_index(kernels, i - 1) : NULL;
    g_autofree gchar *text =
        g_strdup_printf("kernel=box chroma-kernel=%s", kernel ? kernel->name : "same");
    g_auto(CcOptions) options;
    g_auto(CcFilter) filter = {0};
    cc_options_init(&options);
    g_assert_true(cc_options_set_text(&options, text, NULL));
    cc_options_get_filter(&options, &filter);
    g_assert_true(filter.kernel == cc_kernels_find("box"));
    g_assert_true(filter.chroma_kernel == kernel);
    g_assert_cmpstr(option->choices(option)[i].name, ==, kernel ? kernel->name : "same");
  }
  g_assert_null(option->choices(option)[kernels->len + 1].name);
}

/* The ways to define a custom kernel. Each replaces the one before. */
static void
test_definitions(void) {
  static const struct {
    const gchar *text;
    guint width, height;
  } definitions[] = {
      {"matrix='1 2 1 2 4 2 1 2 1'", 3, 3},
      {"matrix-text='1 2 1; 2 4 2; 1 2 1'", 3, 3},
      {"row='1 2 1'", 3, 1},
      {"column='1;'", 3, 1}, /* together with the row before */
      {"row='' column='1 4 6 4 1'", 1, 5},
      {"matrix-text='1;2;1'", 1, 3},
  };
  g_auto(CcOptions) options;
  cc_options_init(&options);
  for (guint i = 0; i < G_N_ELEMENTS(definitions); i++) {
    g_autoptr(GError) error = NULL;
    g_auto(CcFilter) filter = {0};
    cc_options_set_text(&options, definitions[i].text, &error);
    g_assert_no_error(error);
    cc_options_get_filter(&options, &filter);
    g_assert_cmpuint(filter.kernel->sizes[0].matrix[0].width, ==, definitions[i].width);
    g_assert_cmpuint(filter.kernel->sizes[0].matrix[0].height, ==, definitions[i].height);
  }
  g_assert_cmpstr(cc_options_get(&options, CC_OPTION_MATRIX_TEXT).text, ==, "1;2;1");
  g_assert_null(cc_options_get(&options, CC_OPTION_COLUMN).text);
  g_assert_true(cc_options_set_text(&options, "column='1 2 1' kernel=box row=''", NULL));
  g_assert_true(options.custom != NULL); /* it is kept, but an empty value does not select it */
  g_assert_cmpint(options.kernel, !=, CC_KERNEL_CUSTOM);
  g_assert_true(cc_options_set_text(&options, "kernel=custom column=''", NULL));
  g_auto(CcFilter) none = {0};
  cc_options_get_filter(&options, &none);
  g_assert_null(none.kernel);
}

/* A wrong word is named in the error, and no other word takes effect. */
static void
test_refusals(void) {
  static const gchar *const wrong[][2] = {
      {"bias=1 sigma=-0.5", "\"sigma=-0.5\": a number from 0 to 1000 is needed"},
      {"bias=1 sigma=nan", "\"sigma=nan\": a number from 0 to 1000 is needed"},
      {"bias=1 size=4", "\"size=4\": an odd number from 1 to 127, or 0 for the kernel's own, is"},
      {"bias=1 size=-1", "\"size=-1\": an odd number"},
      {"bias=1 chroma-size=4",
       "\"chroma-size=4\": an odd number from 1 to 127, or 0 for the size of luma, is needed"},
      {"bias=1 chroma-kernel=custom", "\"chroma-kernel=custom\": one of same, identity, box"},
      {"bias=1 fields=both", "\"fields=both\": one of auto, frame is needed"},
      {"bias=1 stride=3", "\"stride=3\": 1, 2 or 4 is needed"},
      {"bias=1 size=3x", "\"size=3x\": an odd number"},
      {"bias=1 threshold=1.5", "\"threshold=1.5\": a number from 0 to 1 is needed"},
      {"bias=1 invert=maybe", "\"invert=maybe\": true or false is needed"},
      {"bias=1 mix=9", "\"mix=9\": a number from -8 to 8 is needed"},
      {"bias=1 overlay=red", "\"overlay=red\": a color as 0xAARRGGBB, #AARRGGBB or #RRGGBB is"},
      {"bias=1 overlay=#12345", "\"overlay=#12345\": a color as"},
      {"bias=1 overlay=0x1ffffffff", "\"overlay=0x1ffffffff\": a color as"},
      {"bias=1 overlay=0xff0000", "\"overlay=0xff0000\": a color as"},
      {"bias=1 overlay=-1", "\"overlay=-1\": a color as"},
      {"bias=1 roi=1,2,3", "\"roi=1,2,3\": 3 numbers: each region needs <x, y, width, height>"},
      {"bias=1 roi=a,2,3,4", "\"roi=a,2,3,4\": \"a\": each region needs"},
      {"bias=1 target=1,2,3,4", "\"target=1,2,3,4\": 4 numbers: each position needs <x, y>"},
      {"bias=1 outside=white", "\"outside=white\": one of copy, black is needed"},
      {"bias=1 roi-meta=maybe", "\"roi-meta=maybe\": true or false is needed"},
      {"bias=1 roi-sigma=1.01", "\"roi-sigma=1.01\": a number from 0 to 1 is needed"},
      {"bias=1 border=mirror",
       "\"border=mirror\": one of replicate, constant, reflect, reflect-101"},
      {"bias=1 kernel=nope", "\"kernel=nope\": one of custom, identity, box"},
      {"bias=1 algorithm=nope", "\"algorithm=nope\": one of auto, direct"},
      {"bias=1 matrix='1 2'", "\"matrix=1 2\": a list of 2 coefficients is not the square"},
      {"bias=1 matrix=''", NULL},
      {"bias=1 row='1 2'", "\"row=1 2\": the length of row is 2; an odd number from 1 to 31"},
      {"bias=1 row='1 2 1; 1 2 1'", "\"row=1 2 1; 1 2 1\": the length of row is 6"},
      {"bias=1 kernel-file=nope.ini", "\"kernel-file=nope.ini\": nope.ini: No such file"},
      {"bias=1 nope=1", "\"nope=1\": NAME=VALUE is needed, where NAME is one of matrix, matrix-t"},
      {"bias=1 nope", "\"nope\": NAME=VALUE is needed"},
      {"bias=1 'sigma=1", "a quote or a backslash in the text has no end"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_auto(CcOptions) options;
    g_autoptr(GError) error = NULL;
    cc_options_init(&options);
    const gboolean ok = cc_options_set_text(&options, wrong[i][0], &error);
    g_assert_cmpint(ok, ==, wrong[i][1] == NULL);
    g_assert_cmpfloat(options.filter.bias, ==, ok ? 1 : 0);
    if (ok)
      continue;
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, wrong[i][1]));
  }
}

/* Changing any option that is a member of the filter changes the filter. */
static void
test_equality(void) {
  g_auto(CcOptions) options;
  cc_options_init(&options);
  for (guint i = CC_OPTION_SIZE; i < cc_n_options; i++) {
    const CcOption *option = &cc_options[i];
    if (option->offset >= sizeof(CcFilter))
      continue;
    CcFilter changed = options.filter;
    CcOptionValue value = cc_option_load(option, &options);
    value.number += 1;
    value.whole += 1;
    value.color += 1;
    cc_option_store(option, &changed, &value); /* the filter is the first member of CcOptions */
    g_test_message("%s", option->name);
    g_assert_false(cc_filter_equal(&options.filter, &changed));
  }
  CcFilter repeated = options.filter, of_chroma = options.filter;
  repeated.repeats = 2;
  g_assert_false(cc_filter_equal(&options.filter, &repeated));
  of_chroma.chroma_kernel = cc_kernels_find("box");
  g_assert_false(cc_filter_equal(&options.filter, &of_chroma));
  g_assert_true(cc_filter_equal(&options.filter, &options.filter));
}

/* A type has up to 255 bytes. Types are never freed, so a long one is refused. */
static void
test_long_type(void) {
  g_auto(CcOptions) options;
  g_autoptr(GError) error = NULL;
  g_autofree gchar *type = g_strnfill(255, 'x');
  g_autofree gchar *text = g_strconcat("roi-type=", type, NULL);
  g_autofree gchar *longer = g_strconcat(text, "x", NULL);
  cc_options_init(&options);
  g_assert_true(cc_options_set_text(&options, text, NULL));
  g_assert_false(cc_options_set_text(&options, longer, &error));
  g_assert_nonnull(strstr(error->message, ": a text of up to 255 bytes is needed"));
  g_assert_cmpstr(cc_options_get(&options, cc_options_find("roi-type")).text, ==, type);
}

/* Regions that are valid as texts may be impossible together, or in frames of some sizes. */
static void
test_regions(void) {
  static const struct {
    const gchar *text;
    guint n;
    const gchar *message; /* NULL: accepted */
  } cases[] = {
      {"", 0, NULL},
      {"roi=10,20,300,200", 1, NULL},
      {"roi=0,0,8,8;63,47,1,1", 2, NULL},
      {"roi=0,0,8,8 target=56,40", 1, NULL},
      {"roi=0,0,8,8 stride=2 target=31,23", 1, NULL},
      {"roi=64,0,8,8", 0, "roi=<64, 0, 8, 8>: outside of the frame"},
      {"roi=0,0,8,8;0,48,8,8", 1, "roi=<0, 48, 8, 8>: outside of the frame"},
      {"roi=0,0,0,8", 0, "roi=<0, 0, 0, 8>: a width and a height of 1 or more are needed"},
      {"roi=0,0,8,0", 0, "roi=<0, 0, 8, 0>: a width and a height of 1 or more are needed"},
      {"roi=0,0,8,8 target=64,0", 0, "target=<64, 0>: outside of the output frame"},
      {"roi=0,0,8,8 stride=2 target=32,0", 0, "target=<32, 0>: outside of the output frame"},
      {"target=1,2", 0, "target has 1 position and roi has 0 regions; one position for each"},
      {"roi=0,0,8,8 target=1,2;3,4", 0, "target has 2 positions and roi has 1 region;"},
      /* metas replace roi and target */
      {"roi-meta=1 roi=64,0,8,8", 0, NULL},
      {"roi-meta=1 roi=0,0,0,8 target=1,2;3,4", 0, NULL},
  };
  const CcFrameLayout layout = {.n_planes = 1,
                                .plane = {{.width = 64, .height = 48, .step = 1, .depth = 8}}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(CcOptions) options;
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) regions = g_array_new(FALSE, FALSE, sizeof(CcRegion));
    cc_options_init(&options);
    g_test_message("%s", cases[i].text);
    g_assert_true(cc_options_set_text(&options, cases[i].text, NULL));
    const gboolean ok = cc_options_find_regions(&options, &layout, regions, &error);
    g_assert_cmpint(ok, ==, cases[i].message == NULL);
    g_assert_cmpuint(regions->len, ==, cases[i].n);
    if (ok)
      continue;
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_assert_nonnull(strstr(error->message, cases[i].message));
  }
}

/* Every row has a text and a valid default. */
static void
test_table(void) {
  for (guint i = 0; i < cc_n_options; i++) {
    const CcOption *option = &cc_options[i];
    g_assert_true(option->name && option->nick && option->text && *option->text);
    g_assert_cmpuint(cc_options_find(option->name), ==, i);
    if (i < CC_N_DEFINITIONS)
      continue;
    const CcOptionValue value = cc_option_default(option);
    g_assert_true(cc_option_check(option, &value, NULL));
  }
  g_assert_cmpuint(cc_options_find("nope"), ==, cc_n_options);
  g_assert_cmpstr(cc_options[CC_OPTION_KERNEL_FILE].name, ==, "kernel-file");
  g_assert_cmpstr(cc_options[CC_OPTION_KERNEL].name, ==, "kernel");
  g_assert_cmpstr(cc_options[CC_OPTION_SIZE].name, ==, "size");
}

/* The algorithm tensor-core was called sliding up to version 0.1. */
static void
test_former_name(void) {
  const CcOption *algorithm = &cc_options[cc_options_find("algorithm")];
  CcOptionValue current, former;
  g_assert_true(cc_option_parse(algorithm, "tensor-core", &current, NULL, NULL));
  g_assert_true(cc_option_parse(algorithm, "sliding", &former, NULL, NULL));
  g_assert_cmpint(former.whole, ==, current.whole);
  g_assert_cmpstr(cc_option_find_choice_of(algorithm, former.whole)->name, ==, "tensor-core");
  g_autofree gchar *values = cc_option_describe_values(algorithm);
  g_assert_nonnull(strstr(values, "tensor-core"));
  g_assert_null(strstr(values, "sliding"));
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  cc_options_set_algorithms(cc_backend_algorithms());
  g_test_add_func("/options/numbers", test_numbers);
  g_test_add_func("/options/table", test_table);
  g_test_add_func("/options/equality", test_equality);
  g_test_add_func("/options/text", test_text);
  g_test_add_func("/options/chroma-kernel", test_chroma_kernel);
  g_test_add_func("/options/definitions", test_definitions);
  g_test_add_func("/options/refusals", test_refusals);
  g_test_add_func("/options/long-type", test_long_type);
  g_test_add_func("/options/regions", test_regions);
  g_test_add_func("/options/former-name", test_former_name);
  return g_test_run();
}
