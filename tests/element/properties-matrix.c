/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The user's own coefficients. All notations mean the same, and a refused value leaves the old
 * coefficients in effect. */

#include "common.h"

#include <glib/gstdio.h>
#include <string.h>

static gchar *caps;

static void
setup(void) {
  caps = test_caps("RGB", 33, 17);
}

static void
teardown(void) {
  g_clear_pointer(&caps, g_free);
}

static void
assert_same_filter(const gchar *a, const gchar *b) {
  GstBuffer *expected = test_filter(a, caps, test_frame_random(caps, 1));
  GstBuffer *result = test_filter(b, caps, test_frame_random(caps, 1));
  test_assert_same_frame(caps, result, expected, b);
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
}

/* The longest row. With other separators it is a column. */
#define LONG_TEXT(between)                                                                         \
  "1" between "2" between "3" between "4" between "5" between "6" between "7" between "8" between  \
  "9" between "10" between "11" between "12" between "13" between "14" between "15" between        \
  "16" between "15" between "14" between "13" between "12" between "11" between "10" between       \
  "9" between "8" between "7" between "6" between "5" between "4" between "3" between "2" between  \
  "1"

static const gchar *const same[][2] = {
    /* nested, with spaces, doubles, strings, mixed */
    {"matrix=<1,2,1,2,4,2,1,2,1>", "matrix=<<1,2,1>,<2,4,2>,<1,2,1>>"},
    {"matrix=<1,2,1,2,4,2,1,2,1>", "matrix=\"< < 1, 2, 1 >, < 2, 4, 2 >, < 1, 2, 1 > >\""},
    {"matrix=<1,2,1,2,4,2,1,2,1>", "matrix=<1.0,2.0,1.0,2.0,4.0,2.0,1.0,2.0,1.0>"},
    {"matrix=<1,2,1,2,4,2,1,2,1>",
     "matrix=<(string)1,(string)2.0,(string)1e0,2,4.0,2,1,(double)2,1>"},
    {"matrix=<1,2,1,2,4,2,1,2,1>", "matrix=\"<<1,2,1>,<2,4.0,2>,<(string)1,2,1>>\""},
    {"matrix=\"<-1, 0, 1, -2, 0, 2, -1, 0, 1>\" response=absolute",
     "matrix=<<-1,0,1>,<-2,0,2>,<-1,0,1>> response=absolute"},
    /* separable */
    {"matrix=<1,2,1,2,4,2,1,2,1>", "row=<1,2,1> column=<1,2,1>"},
    {"matrix=<1,2,1,2,4,2,1,2,1>", "column=<1,2,1> row=<1.0,2,(string)1>"},
    {"matrix=<<1,4,6,4,1>>", "row=<1,4,6,4,1> column=<1>"},
    {"matrix=<<1>,<2>,<1>>", "row=<1> column=<1,2,1>"},
    {"matrix=<<1,2,3,2,1>,<2,4,6,4,2>,<1,2,3,2,1>>", "row=<1,2,3,2,1> column=<1,2,1>"},
    /* text: a square with line breaks anywhere; rows that end with `;`, new lines or both */
    {"matrix=<0,-1,0,-1,5,-1,0,-1,0>", "matrix-text=\"0 -1 0 -1 5 -1 0 -1 0\""},
    {"matrix=<0,-1,0,-1,5,-1,0,-1,0>", "matrix-text=\"  0 -1\n\t0 -1 5 -1 0\r\n-1 0 \n\""},
    {"matrix=<0,-1,0,-1,5,-1,0,-1,0>", "matrix-text=\"0 -1 0; -1 5 -1; 0 -1 0\""},
    {"matrix=<0,-1,0,-1,5,-1,0,-1,0>", "matrix-text=\"0 -1 0;\n-1 5 -1;\n\n0 -1 0;\n\""},
    {"matrix=<<1,4,6,4,1>>", "matrix-text=\"1 4 6 4 1;\""},
    {"matrix=<<1,1,1,1,1,1,1,1,1>>", "matrix-text=\"1 1 1 1 1 1 1 1 1;\""},
    {"matrix=<<1>,<2>,<1>>", "matrix-text=\"1;2;1\""},
    {"matrix=<<1>,<2>,<1>>", "matrix-text=\"1\n2\n1\""},
    {"matrix=<<1,2,3,2,1>,<2,4,6,4,2>,<1,2,3,2,1>>",
     "matrix-text=\"1 2 3 2 1\n2 4 6 4 2\n1 2 3 2 1\""},
    {"matrix=<<1,2,3,2,1>,<2,4,6,4,2>,<1,2,3,2,1>>",
     "matrix-text=\"1e0 2 3.0 +2 1;\n18/9 4 6 4 2\n1 2 3 2 1\""},
    {"matrix=<1>", "matrix-text=7"},
    /* one row or one column, longer than the side of other matrices */
    {"row=<" LONG_TEXT(",") ">", "matrix-text=\"" LONG_TEXT(" ") ";\""},
    {"row=<" LONG_TEXT(",") ">", "matrix=<<" LONG_TEXT(",") ">>"},
    {"column=<" LONG_TEXT(",") ">", "matrix-text=\"" LONG_TEXT(";") "\""},
    {"column=<" LONG_TEXT(",") ">", "matrix-text=\"" LONG_TEXT("\n") "\""},
    {"column=<" LONG_TEXT(",") ">", "matrix=<<" LONG_TEXT(">,<") ">>"},
    {"row=<1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1>",
     "matrix-text=\"1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1;\""},
    {"matrix=<<1,2,1>>", "matrix=<1,2,1,2,4,2,1,2,1> matrix-text=\"1 2 1;\""},
    {"row=<1,2,1>", "matrix-text=\"1 4 6 4 1;\" row=<1,2,1>"},
    {"kernel=gaussian", "matrix-text=\"1 2 1;\" kernel=gaussian"},
    /* compared with named kernels whose class treats RGB as a matrix does */
    {"kernel=gaussian size=5", "row=<1,4,6,4,1> column=<1,4,6,4,1>"},
    {"kernel=box size=3", "matrix=<1,1,1,1,1,1,1,1,1>"},
    {"kernel=sharpen size=3", "matrix=<<0,-1,0>,<-1,5,-1>,<0,-1,0>>"},
    {"kernel=identity", "matrix=<1>"},
    {"kernel=identity", "matrix=<0,0,0,0,5,0,0,0,0>"},
    /* the automatic scale is 1/sum, or 1 if the sum is not positive */
    {"matrix=<1,1,1,1,1,1,1,1,1>", "matrix=<2,2,2,2,2,2,2,2,2>"},
    {"matrix=<<1,2,1>>", "matrix=<<1,2,1>> scale=0.25"},
    {"kernel=identity", "matrix-text=1e-25 response=magnitude"},
    {"kernel=identity", "matrix-text=1e-39"},
    {"kernel=identity", "matrix-text=1e-300 response=magnitude"},
    {"matrix=<<1,0,-1>> bias=128", "matrix=<<1,0,-1>> bias=128 scale=1"},
    {"matrix=<<-1,0,0>> bias=255", "matrix=<<-1,0,0>> bias=255 scale=1"},
    /* the coefficients imply kernel=custom, before or after them */
    {"matrix=<<1,2,1>>", "kernel=custom matrix=<<1,2,1>>"},
    {"matrix=<<1,2,1>>", "matrix=<<1,2,1>> kernel=custom"},
    {"kernel=gaussian", "matrix=<<1,2,1>> kernel=gaussian"},
};

GST_START_TEST(equal_notations) {
  assert_same_filter(same[__i__][0], same[__i__][1]);
}
GST_END_TEST;

/* Arrays that an application makes, set with g_object_set_property. */
GST_START_TEST(arrays_from_code) {
  GValue nested = G_VALUE_INIT, flat = G_VALUE_INIT;
  static const gint coeff[] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  gst_value_array_init(&nested, 3);
  gst_value_array_init(&flat, 9);
  for (guint y = 0; y < 3; y++) {
    GValue row = G_VALUE_INIT;
    gst_value_array_init(&row, 3);
    for (guint x = 0; x < 3; x++) {
      GValue number = G_VALUE_INIT, real = G_VALUE_INIT;
      g_value_init(&number, G_TYPE_INT);
      g_value_set_int(&number, coeff[3 * y + x]);
      gst_value_array_append_and_take_value(&row, &number);
      g_value_init(&real, G_TYPE_FLOAT);
      g_value_set_float(&real, (gfloat)coeff[3 * y + x]);
      gst_value_array_append_and_take_value(&flat, &real);
    }
    gst_value_array_append_and_take_value(&nested, &row);
  }
  GstBuffer *expected = test_filter("row=<1,2,1> column=<1,2,1>", caps, test_frame_random(caps, 1));
  const GValue *values[] = {&nested, &flat};
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    GstHarness *h = test_harness_new("kernel=sobel", caps);
    g_object_set_property(G_OBJECT(h->element), "matrix", values[i]);
    GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
    test_assert_same_frame(caps, result, expected, i ? "floats" : "nested ints");
    gst_buffer_unref(result);
    test_teardown(h);
  }
  gst_buffer_unref(expected);
  g_value_unset(&nested);
  g_value_unset(&flat);
}
GST_END_TEST;

/* A value that is read can be set on another element and gives the same frames. */
GST_START_TEST(read_value_can_be_set) {
  static const gchar *const settings[] = {"matrix=<1,2,1,2,4,2,1,2,1>", "matrix=<<1,2.5,1>>",
                                          "matrix=<(string)1>",
                                          "matrix=<<-1,0,1>,<-2,0,2>,<-1,0,1>>"};
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    GstElement *first = test_element_new(settings[i]);
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(first), "matrix", &value);
    fail_unless(GST_VALUE_HOLDS_ARRAY(&value));
    fail_unless(gst_value_array_get_size(&value) > 0, "%s reads empty", settings[i]);
    g_autofree gchar *text = gst_value_serialize(&value);
    g_autofree gchar *again = g_strdup_printf("matrix=\"%s\"", text);
    assert_same_filter(settings[i], again);
    g_value_unset(&value);
    gst_object_unref(first);
  }
}
GST_END_TEST;

/* Kernels of chroma and of luma, compared with formats that have chroma. */
static const gchar *const same_with_chroma[][2] = {
    {"kernel=gaussian size=5", "kernel=gaussian size=5 chroma-kernel=same"},
    {"kernel=gaussian size=5", "kernel=gaussian chroma-size=5 size=5"},
    {"kernel=gaussian size=5", "kernel=gaussian size=5 chroma-kernel=gaussian"},
    {"kernel=gaussian size=5", "matrix-text=\"1 4 6 4 1;\" chroma-kernel=gaussian chroma-size=5 "
                               "kernel=gaussian size=5"},
    {"kernel=gaussian size=5 chroma-size=3",
     "kernel=gaussian size=5 chroma-kernel=gaussian chroma-size=3"},
    {"kernel=gaussian size=5 chroma-size=3",
     "row=<1,4,6,4,1> column=<1,4,6,4,1> chroma-kernel=gaussian chroma-size=3"},
    {"kernel=gaussian size=3 chroma-size=5",
     "matrix=<1,2,1,2,4,2,1,2,1> chroma-kernel=gaussian chroma-size=5"},
    /* a matrix has one size */
    {"matrix=<1,2,1,2,4,2,1,2,1>", "matrix=<1,2,1,2,4,2,1,2,1> chroma-size=9"},
    /* scale, bias and response are those of the kernel for luma */
    {"kernel=identity chroma-kernel=box", "matrix=<2> scale=0.5 bias=0 chroma-kernel=box"},
    {"kernel=sobel chroma=copy", "kernel=sobel chroma-kernel=identity"},
    {"kernel=sobel chroma=copy bias=20 scale=0.5 response=offset",
     "kernel=sobel bias=20 scale=0.5 response=offset chroma-kernel=identity"},
    {"kernel=sobel chroma=copy response=canny low=40 high=200",
     "kernel=sobel chroma-kernel=identity response=canny low=200 high=40 scale=0.5 bias=9"},
    /* roi-sigma blurs chroma as luma */
    {"kernel=gaussian roi=<4,2,20,10> roi-sigma=0.2",
     "kernel=gaussian roi=<4,2,20,10> roi-sigma=0.2 chroma-kernel=box chroma-size=9"},
};

GST_START_TEST(kernels_of_chroma) {
  static const gchar *const formats[] = {"I420", "NV12", "UYVY", "AYUV", "P010_10LE"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_free(caps);
    caps = test_caps(formats[i], 34, 17);
    assert_same_filter(same_with_chroma[__i__][0], same_with_chroma[__i__][1]);
  }
}
GST_END_TEST;

static const gchar *const refused[] = {
    "<1,2>",                            /* not a square */
    "<1,2,3,4>",                        /* even side */
    "<<1,2>,<3,4>>",                    /* the same, nested */
    "<<1,2,1>,<1,2>,<1,2,1>>",          /* rows of different lengths */
    "<<1,2,1>,<>,<1,2,1>>",             /* an empty row */
    "<<>>",                             /* only an empty row */
    "<<1,2,1>,<2,4,2>>",                /* an even number of rows */
    "<1,2,1,2,4,2,1,2,<1>>",            /* a row among numbers */
    "<<1,2,1>,4,<1,2,1>>",              /* a number among rows */
    "<<<1,2,1>>>",                      /* nested too deep */
    "<1,2,1,2,nan,2,1,2,1>",            /* not a number */
    "<1,2,1,2,inf,2,1,2,1>",            /* not finite */
    "<1,2,1,2,-inf,2,1,2,1>",           /* not finite, negative */
    "<1,2,1,2,1e300,2,1,2,1>",          /* too large */
    "<1,2,1,2,four,2,1,2,1>",           /* text */
    "<1,2,1,2,4x,2,1,2,1>",             /* a number with text behind it */
    "<true,false,true>",                /* booleans */
    "<<" LONG_TEXT(",") ",1,1>>",       /* a row of 33 */
    "<<" LONG_TEXT(">,<") ">,<1>,<1>>", /* a column of 33 */
    "<<" LONG_TEXT(",") ">,<" LONG_TEXT(",") ">,<" LONG_TEXT(",") ">>", /* three rows of 31 */
};

/* Fails unless the value that was just set caused one warning, which names the property and
 * contains `why`, and the frames are still as expected. */
static void
assert_was_refused(GstHarness *h, GstBuffer *expected, const gchar *property, const gchar *value,
                   const gchar *why) {
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == 1, "%s=%s: %u warnings: %s", property, value, n, text);
  fail_unless(strstr(text, property) && strstr(text, why), "%s=%s: %s", property, value, text);
  GST_INFO("%s=%s: %s", property, value, text);
  GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
  test_assert_same_frame(caps, result, expected, value);
  gst_buffer_unref(result);
}

static void
assert_refused(GstHarness *h, GstBuffer *expected, const gchar *property, const gchar *value) {
  gst_util_set_object_arg(G_OBJECT(h->element), property, value);
  assert_was_refused(h, expected, property, value, "is refused: ");
}

GST_START_TEST(refused_matrices_leave_the_old_one) {
  GstBuffer *expected = test_filter("matrix=<1,2,3,4,5,6,7,8,9>", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("matrix=<1,2,3,4,5,6,7,8,9>", caps);
  for (guint i = 0; i < G_N_ELEMENTS(refused); i++)
    assert_refused(h, expected, "matrix", refused[i]);
  test_teardown(h);
  gst_buffer_unref(expected);
}
GST_END_TEST;

/* Also with more coefficients than the largest matrix has. */
GST_START_TEST(too_long_rows_and_columns) {
  static const gchar *const properties[] = {"row", "column"};
  static const guint lengths[] = {33, 225, 227, 1000};
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  for (guint p = 0; p < G_N_ELEMENTS(properties); p++)
    for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
      g_autoptr(GString) list = g_string_new("<1");
      for (guint k = 1; k < lengths[i]; k++)
        g_string_append(list, ",1");
      g_string_append_c(list, '>');
      g_autofree gchar *why =
          g_strdup_printf("the length of %s is %u; an odd number from 1 to 31 is needed",
                          properties[p], lengths[i]);
      gst_util_set_object_arg(G_OBJECT(h->element), properties[p], list->str);
      assert_was_refused(h, expected, properties[p], list->str, why);
    }
  test_teardown(h);
  gst_buffer_unref(expected);
}
GST_END_TEST;

/* Strings that GStreamer's parser would not accept. */
GST_START_TEST(strings_instead_of_numbers) {
  static const gchar *const texts[] = {NULL,  "",   " ",  "1 2", "1/0",
                                       "0/0", "1/", "/2", "--1", "1,2"};
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    GValue matrix = G_VALUE_INIT, text = G_VALUE_INIT;
    gst_value_array_init(&matrix, 1);
    g_value_init(&text, G_TYPE_STRING);
    g_value_set_string(&text, texts[i]);
    gst_value_array_append_and_take_value(&matrix, &text);
    g_object_set_property(G_OBJECT(h->element), "matrix", &matrix);
    assert_was_refused(h, expected, "matrix", texts[i] ? texts[i] : "NULL", "coefficient 1 is");
    g_value_unset(&matrix);
  }
  test_teardown(h);
  gst_buffer_unref(expected);
}
GST_END_TEST;

/* Writes the text to a new file and returns its path. Free with remove_file. */
static gchar *
write_kernel_file(const gchar *text) {
  gchar *path = NULL;
  gint fd = g_file_open_tmp("cudaconv-XXXXXX.ini", &path, NULL);
  fail_unless(fd >= 0);
  g_close(fd, NULL);
  fail_unless(g_file_set_contents(path, text, -1, NULL));
  return path;
}

static void
remove_file(gchar *path) {
  g_unlink(path);
  g_free(path);
}

typedef struct {
  const gchar *text, *why;
} RefusedText;

static const RefusedText refused_texts[] = {
    {" \n ", "a list of 0 coefficients is not the square of an odd number"},
    {";", "row 1 has no coefficients before \";\""},
    {"1 2 1;;1 2 1", "row 2 has no coefficients before \";\""},
    {"1 2", "a list of 2 coefficients is not the square of an odd number"},
    {"1 2 3 4", "a list of 4 coefficients is not the square"},
    {"1 2;", "the number of columns is 2; an odd number from 1 to 31 is needed"},
    {"1 2 1\n2 4 2", "the number of rows is 2; an odd number from 1 to 15 is needed"},
    {"1 2 1; 1 2; 1 2 1", "row 2 has 2 coefficients and row 1 has 3"},
    {"1 2 1 2 nan 2 1 2 1", "coefficient 5 is nan; a finite number from"},
    {"1 2 1 2 inf 2 1 2 1", "coefficient 5 is inf; a finite number from"},
    {"1 2 1 2 1e300 2 1 2 1", "coefficient 5 is 1e+300; a finite number from"},
    {"1 2 1 2 four 2 1 2 1", "coefficient 5 is \"four\"; a number such as 2, -0.5 or 1/9"},
    {"1 2 1 2 4x 2 1 2 1", "coefficient 5 is \"4x\"; a number"},
    {"1,2,1", "coefficient 1 is \"1,2,1\"; a number"},
    {"1 1/ 9", "coefficient 2 is \"1/\"; a number"},
    {"<1 2 1>", "coefficient 1 is \"<1\"; a number"},
    {"1 2 1", "rows, of up to 31 coefficients: in an array as <<1,2,1>>, in a text as \"1 2 1;\""},
    {LONG_TEXT(" "), "a list of 31 coefficients is not the square"},
    {LONG_TEXT(" ") " 1 1;", "the number of columns is 33; an odd number from 1 to 31 is needed"},
    {LONG_TEXT(";") ";1;1", "the number of rows is 33; an odd number from 1 to 31 is needed"},
    {LONG_TEXT(" ") ";" LONG_TEXT(" ") ";" LONG_TEXT(" "),
     "the number of columns is 31; an odd number from 1 to 15 is needed"},
};

GST_START_TEST(refused_texts_leave_the_old_matrix) {
  static const gchar *const before[] = {"matrix=<1,2,3,4,5,6,7,8,9>", "matrix-text=\"1 2 3;\"",
                                        "kernel=gaussian"};
  for (guint b = 0; b < G_N_ELEMENTS(before); b++) {
    GstBuffer *expected = test_filter(before[b], caps, test_frame_random(caps, 1));
    GstHarness *h = test_harness_new(before[b], caps);
    g_autofree gchar *text = test_property_text(h->element, "matrix-text");
    for (guint i = 0; i < G_N_ELEMENTS(refused_texts); i++) {
      g_object_set(h->element, "matrix-text", refused_texts[i].text, NULL);
      assert_was_refused(h, expected, "matrix-text", refused_texts[i].text, refused_texts[i].why);
      g_autofree gchar *after = test_property_text(h->element, "matrix-text");
      fail_unless_equals_string(after, text);
    }
    test_teardown(h);
    gst_buffer_unref(expected);
  }
}
GST_END_TEST;

/* The maximum length and more. */
GST_START_TEST(length_of_a_text) {
  g_autofree gchar *blanks = g_strnfill(16384 - 5, ' ');
  g_autofree gchar *longest = g_strconcat("1 2", blanks, "1;", NULL);
  g_autofree gchar *longer = g_strconcat(longest, " ", NULL);
  g_autofree gchar *endless = g_strnfill(10 << 20, '1');
  GstBuffer *expected = test_filter("matrix=<<1,2,1>>", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("kernel=sobel", caps);
  g_object_set(h->element, "matrix-text", longest, NULL);
  g_object_set(h->element, "matrix-text", longer, NULL);
  assert_was_refused(h, expected, "matrix-text", "16385 bytes", "more than 16384 bytes");
  g_object_set(h->element, "matrix-text", endless, NULL);
  assert_was_refused(h, expected, "matrix-text", "ten megabytes", "more than 16384 bytes");
  test_teardown(h);
  gst_buffer_unref(expected);
}
GST_END_TEST;

static void
assert_reads(GstElement *element, const gchar *property, const gchar *wanted) {
  g_autofree gchar *text = NULL;
  g_object_get(element, property, &text, NULL);
  fail_unless(g_strcmp0(text, wanted) == 0, "%s reads %s, not %s", property, text, wanted);
}

/* The text is read as it was set. Another definition of the kernel clears the text, and the text
 * clears the other definitions. */
GST_START_TEST(text_is_one_of_the_definitions) {
  static const gchar *const others[][2] = {
      {"matrix", "<1,2,1,2,4,2,1,2,1>"}, {"row", "<1,2,1>"}, {"column", "<1,2,1>"}};
  static const gchar text[] = "  1 2 1 ;2 4 2\n1 2 1\n";
  GstElement *element = test_element_new(NULL);
  assert_reads(element, "matrix-text", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    gst_util_set_object_arg(G_OBJECT(element), others[i][0], others[i][1]);
    g_object_set(element, "matrix-text", text, NULL);
    assert_reads(element, "matrix-text", text);
    g_autofree gchar *other = test_property_text(element, others[i][0]);
    fail_unless_equals_string(other, "<  >");
    gst_util_set_object_arg(G_OBJECT(element), others[i][0], others[i][1]);
    assert_reads(element, "matrix-text", NULL);
  }
  gchar *path = write_kernel_file("[mine]\nmatrix-1=1\n");
  g_object_set(element, "kernel-file", path, NULL);
  assert_reads(element, "matrix-text", NULL);
  g_object_set(element, "matrix-text", text, NULL);
  assert_reads(element, "kernel-file", NULL);
  remove_file(path);
  gst_object_unref(element);
}
GST_END_TEST;

/* An empty text removes the definition by a text, and no other definition. */
GST_START_TEST(empty_text) {
  static const gchar *const nothing[] = {"", NULL};
  for (guint i = 0; i < G_N_ELEMENTS(nothing); i++) {
    GstHarness *h = test_harness_new("row=<1,2,1>", NULL);
    g_object_set(h->element, "matrix-text", nothing[i], NULL);
    g_autofree gchar *row = test_property_text(h->element, "row");
    fail_unless_equals_string(row, "< (int)1, (int)2, (int)1 >");
    g_object_set(h->element, "matrix-text", "1 2 1;", NULL);
    g_object_set(h->element, "matrix-text", nothing[i], NULL);
    assert_reads(h->element, "matrix-text", NULL);
    guint n;
    gst_harness_set_src_caps_str(h, caps);
    g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
    fail_unless(n == 1 && strstr(text, "no coefficients are set"), "%u errors: %s", n, text);
    test_teardown(h);
  }
}
GST_END_TEST;

GST_START_TEST(refused_matrices_leave_a_named_kernel) {
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  assert_refused(h, expected, "matrix", "<1,2>");
  assert_refused(h, expected, "row", "<1,2>");
  assert_refused(h, expected, "column", "<1,nan,2>");
  assert_refused(h, expected, "kernel-file", "/nowhere/at/all.ini");
  test_teardown(h);
  gst_buffer_unref(expected);
}
GST_END_TEST;

static const gchar *const kernel_files[][2] = {
    {"[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2 1\n", "matrix=<1,2,1,2,4,2,1,2,1>"},
    {"# a comment\n[mine]\ndescription=a blur\nrow-3=1 2 1\ncolumn-3=1 2 1\n",
     "matrix=<1,2,1,2,4,2,1,2,1>"},
    {"[mine]\nclass=edge\nresponse=magnitude\nrow-3=-1 0 1 | 1 2 1\ncolumn-3=1 2 1 | -1 0 1\n",
     "kernel=sobel size=3"},
    {"[first]\nmatrix-3=1/9 1/9 1/9; 1/9 1/9 1/9; 1/9 1/9 1/9\n[second]\nmatrix-3=0 0 0; 0 1 0; 0 "
     "0 0\n",
     "kernel=box size=3"},
};

GST_START_TEST(good_kernel_files) {
  gchar *path = write_kernel_file(kernel_files[__i__][0]);
  g_autofree gchar *properties = g_strdup_printf("kernel-file=\"%s\"", path);
  assert_same_filter(kernel_files[__i__][1], properties);
  remove_file(path);
}
GST_END_TEST;

static const gchar *const bad_kernel_files[] = {
    "",
    "nonsense",
    "[mine]\n",
    "[mine]\nmatrix-3=1 2; 3 4\n",
    "[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2\n",
    "[mine]\nmatrix-3=1 2 1; 2 x 2; 1 2 1\n",
    "[mine]\nmatrix-3=1 2 1; 2 1/0 2; 1 2 1\n",
    "[mine]\nmatrix-4=1\n",
    "[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2 1\nresponse=loud\n",
    "[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2 1\ndefault-size=5\n",
    "[mine]\nrow-3=1 2 1\n",
    "[M i n e]\nmatrix-1=1\n",
};

GST_START_TEST(bad_kernel_files_leave_the_old_kernel) {
  GstBuffer *expected = test_filter("kernel=sobel", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("kernel=sobel", caps);
  gchar *path = write_kernel_file(bad_kernel_files[__i__]);
  assert_refused(h, expected, "kernel-file", path);
  assert_refused(h, expected, "kernel-file", g_get_tmp_dir());
  remove_file(path);
  test_teardown(h);
  gst_buffer_unref(expected);
}
GST_END_TEST;

static Suite *
properties_matrix_suite(void) {
  Suite *suite = suite_create("properties-matrix");
  TCase *tc = tcase_create("properties-matrix");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_loop_test(tc, equal_notations, 0, G_N_ELEMENTS(same));
  tcase_add_loop_test(tc, kernels_of_chroma, 0, G_N_ELEMENTS(same_with_chroma));
  tcase_add_test(tc, arrays_from_code);
  tcase_add_test(tc, read_value_can_be_set);
  tcase_add_test(tc, refused_matrices_leave_the_old_one);
  tcase_add_test(tc, too_long_rows_and_columns);
  tcase_add_test(tc, strings_instead_of_numbers);
  tcase_add_test(tc, refused_texts_leave_the_old_matrix);
  tcase_add_test(tc, length_of_a_text);
  tcase_add_test(tc, text_is_one_of_the_definitions);
  tcase_add_test(tc, empty_text);
  tcase_add_test(tc, refused_matrices_leave_a_named_kernel);
  tcase_add_loop_test(tc, good_kernel_files, 0, G_N_ELEMENTS(kernel_files));
  tcase_add_loop_test(tc, bad_kernel_files_leave_the_old_kernel, 0, G_N_ELEMENTS(bad_kernel_files));
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(properties_matrix)
