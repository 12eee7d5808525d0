/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties: defaults, reading back what was set, messages of the element and its statistics.
 * Matrices are tested in properties-matrix.c, refused values in faults-input.c. */

#include "common.h"

#include "cuda/algorithm.h"

#include <string.h>

typedef struct {
  const gchar *name;
  const gchar *fallback; /* the default, as text; NULL: no text */
  const gchar *values[4];
} Row;

static const Row rows[] = {
    {"kernel", "sobel", {"gaussian", "custom", "motion-blur", "laplacian-8"}},
    {"size", "0", {"3", "5", "15", "0"}},
    {"sigma", "0", {"0.5", "2", "10"}},
    {"scale", "0", {"0.25", "1", "-2"}},
    {"bias", "0", {"128", "-255", "0.5"}},
    {"response", "auto", {"clamp", "absolute", "offset", "magnitude"}},
    {"response", "auto", {"magnitude-l1", "direction", "canny", "canny-l1"}},
    {"response", "auto", {"auto"}},
    {"low", "100", {"0", "0.5", "1000000", "100"}},
    {"high", "200", {"0", "0.5", "1000000", "200"}},
    {"border", "replicate", {"constant", "reflect", "reflect-101", "wrap"}},
    {"border-value", "0", {"0.5", "1", "0"}},
    {"chroma", "auto", {"filter", "copy", "neutral", "auto"}},
    {"chroma-kernel", "same", {"gaussian", "motion-blur", "laplacian-8", "same"}},
    {"chroma-size", "0", {"3", "127", "0"}},
    {"alpha", "copy", {"filter", "opaque", "weighted", "copy"}},
    {"threshold", "0", {"0.5", "1", "0.001", "0"}},
    {"invert", "false", {"true", "false"}},
    {"mix", "1", {"-1.5", "0", "8", "1"}},
    {"overlay", "0", {"0xff00ff00", "0x80ffffff", "255", "0"}},
    {"measure", "off", {"sums", "histogram", "off"}},
    {"stride", "1", {"2", "4", "1"}},
    {"roi", "< >", {"<10, 20, 300, 200>", "<<0, 0, 8, 8>, <4, 4, 1, 2147483647>>", "< >"}},
    {"target", "< >", {"<10, 20>", "<<0, 0>, <4, 2147483647>>", "< >"}},
    {"outside", "copy", {"black", "copy"}},
    {"roi-meta", "false", {"true", "false"}},
    {"roi-type", NULL, {"face", "a text", "true"}},
    {"roi-sigma", "0", {"0.25", "1", "0"}},
    {"fields", "auto", {"frame", "auto"}},
    {"algorithm", "auto", {"direct", "tile-halo", "tensor-core"}}, /* all are in named_algorithms */
    {"backend", "auto", {"cpu", "cuda", "auto"}},
    {"cuda-device-id", "-1", {"0", "3", "-1"}},
    {"n-threads", "0", {"1", "2", "64"}},
    {"measure-interval", "0.1", {"0", "2.5", "1000000"}},
};

static gchar *
normalise(GstElement *element, const gchar *name, const gchar *text) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
  fail_unless(spec != NULL, "no property %s", name);
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  fail_unless(gst_value_deserialize(&value, text), "%s=%s", name, text);
  gchar *normal = gst_value_serialize(&value);
  g_value_unset(&value);
  return normal;
}

static GstElement *
element_with_defaults(void) {
  GstElement *element = gst_element_factory_make("cudaconv", NULL);
  fail_unless(element != NULL);
  return gst_object_ref_sink(element);
}

GST_START_TEST(defaults_and_round_trips) {
  const Row *row = &rows[__i__];
  GstElement *element = element_with_defaults();
  g_autofree gchar *fallback = row->fallback ? normalise(element, row->name, row->fallback) : NULL;
  g_autofree gchar *first = test_property_text(element, row->name);
  fail_unless(g_strcmp0(first, fallback) == 0, "%s is %s at first", row->name, first);
  for (guint i = 0; i < G_N_ELEMENTS(row->values) && row->values[i]; i++) {
    gst_util_set_object_arg(G_OBJECT(element), row->name, row->values[i]);
    g_autofree gchar *wanted = normalise(element, row->name, row->values[i]);
    g_autofree gchar *got = test_property_text(element, row->name);
    fail_unless(g_str_equal(got, wanted), "%s=%s reads as %s", row->name, row->values[i], got);
  }
  gst_object_unref(element);
}
GST_END_TEST;

/* The default in the GParamSpec equals the value of a new element. */
GST_START_TEST(listed_defaults_are_true) {
  GstElement *element = element_with_defaults();
  guint n;
  g_autofree GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &n);
  for (guint i = 0; i < n; i++) {
    if (specs[i]->owner_type != G_OBJECT_TYPE(element) || !(specs[i]->flags & G_PARAM_WRITABLE) ||
        specs[i]->value_type == GST_TYPE_ARRAY)
      continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, specs[i]->value_type);
    g_object_get_property(G_OBJECT(element), specs[i]->name, &value);
    fail_unless(g_param_value_defaults(specs[i], &value), "%s", specs[i]->name);
    g_value_unset(&value);
  }
  gst_object_unref(element);
}
GST_END_TEST;

GST_START_TEST(arrays_are_empty_at_first) {
  static const gchar *const names[] = {"matrix", "row", "column", "roi", "target"};
  GstElement *element = element_with_defaults();
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(element), names[i], &value);
    fail_unless_equals_int(gst_value_array_get_size(&value), 0);
    g_value_unset(&value);
  }
  g_autofree gchar *path = NULL, *text = NULL;
  g_object_get(element, "kernel-file", &path, "matrix-text", &text, NULL);
  fail_unless(path == NULL && text == NULL);
  gst_object_unref(element);
}
GST_END_TEST;

/* Numbers of a region may be of several types. An empty type is the same as none. */
GST_START_TEST(regions_read_as_set) {
  static const gchar *const texts[][2] = {
      {"<(uint)10, (gint64)20, (string)300, 200>", "< (int)10, (int)20, (int)300, (int)200 >"},
      {"<<10, 20, 300, 200>>", "< (int)10, (int)20, (int)300, (int)200 >"},
      {"<<1, 2, 3, 4>, <5, 6, 7, 8>>",
       "< (array)< (int)1, (int)2, (int)3, (int)4 >, (array)< (int)5, (int)6, (int)7, (int)8 > >"},
  };
  g_autoptr(GstElement) element = element_with_defaults();
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree gchar *text = g_strdup(texts[i][0]); /* the parser writes into a text with types */
    gst_util_set_object_arg(G_OBJECT(element), "roi", text);
    test_assert_text(element, "roi", texts[i][1]);
  }
  g_object_set(element, "roi-type", "face", NULL);
  test_assert_text(element, "roi-type", "face");
  g_object_set(element, "roi-type", "", NULL);
  g_autofree gchar *type = NULL;
  g_object_get(element, "roi-type", &type, NULL);
  fail_unless(type == NULL, "%s", type);
}
GST_END_TEST;

/* All named kernels of the documents are values of the two enums. */
GST_START_TEST(named_kernels) {
  static const gchar *const properties[] = {"kernel", "chroma-kernel"};
  static const gchar *const names[] = {
      "identity", "box",       "gaussian",    "sharpen", "unsharp",     "emboss",
      "sobel",    "sobel-x",   "sobel-y",     "scharr",  "prewitt",     "roberts",
      "kirsch",   "laplacian", "laplacian-8", "log",     "motion-blur",
  };
  static const gchar *const others[] = {"custom", "same"};
  const gchar *property = properties[__i__];
  GstElement *element = element_with_defaults();
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property);
  fail_unless(G_IS_PARAM_SPEC_ENUM(spec));
  GEnumClass *klass = G_PARAM_SPEC_ENUM(spec)->enum_class;
  fail_unless_equals_int(klass->n_values, G_N_ELEMENTS(names) + 1);
  fail_unless_equals_string(g_enum_get_value(klass, 0)->value_nick, others[__i__]);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    fail_unless(g_enum_get_value_by_nick(klass, names[i]) != NULL, "no kernel %s", names[i]);
  for (guint i = 0; i < klass->n_values; i++)
    fail_unless(*klass->values[i].value_name, "%s has no description", klass->values[i].value_nick);
  gst_object_unref(element);
}
GST_END_TEST;

GST_START_TEST(named_algorithms) {
  GstElement *element = element_with_defaults();
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "algorithm");
  fail_unless(G_IS_PARAM_SPEC_ENUM(spec));
  GEnumClass *klass = G_PARAM_SPEC_ENUM(spec)->enum_class;
  fail_unless_equals_int(klass->n_values, CC_N_ALGORITHMS + 1); /* and one former name */
  for (CcAlgorithm a = CC_ALGORITHM_AUTO; a < CC_N_ALGORITHMS; a++) {
    const GEnumValue *value = g_enum_get_value(klass, a);
    fail_unless_equals_string(value->value_nick, cc_algorithm_name(a));
    gst_util_set_object_arg(G_OBJECT(element), "algorithm", cc_algorithm_name(a));
    g_autofree gchar *got = test_property_text(element, "algorithm");
    fail_unless_equals_string(got, cc_algorithm_name(a));
    fail_unless(*value->value_name, "%s has no description", value->value_nick);
  }
  gst_util_set_object_arg(G_OBJECT(element), "algorithm", "sliding");
  g_autofree gchar *current = test_property_text(element, "algorithm");
  fail_unless_equals_string(current, "tensor-core");
  gst_object_unref(element);
}
GST_END_TEST;

static void
assert_kernel(GstElement *element, const gchar *wanted) {
  g_autofree gchar *kernel = test_property_text(element, "kernel");
  fail_unless_equals_string(kernel, wanted);
}

GST_START_TEST(coefficients_select_custom) {
  static const gchar *const settings[][2] = {
      {"matrix", "<1,2,1,2,4,2,1,2,1>"}, {"row", "<1,2,1>"}, {"column", "<1,2,1>"}};
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    GstElement *element = element_with_defaults();
    assert_kernel(element, "sobel");
    gst_util_set_object_arg(G_OBJECT(element), settings[i][0], settings[i][1]);
    assert_kernel(element, "custom");
    gst_object_unref(element);
  }
}
GST_END_TEST;

/* An element message names the backend of a stream. */
static void
assert_backend_message(const gchar *requested) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 16);
  g_autofree gchar *properties = g_strdup_printf("kernel=sobel backend=%s", requested);
  GstHarness *h = test_harness_new(properties, caps);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ELEMENT, &n);
  fail_unless(n == 1, "%u element messages: %s", n, text);
  g_autoptr(GstStructure) stats = NULL;
  g_object_get(h->element, "stats", &stats, NULL);
  const gchar *backend = gst_structure_get_string(stats, "backend");
  fail_unless(backend != NULL, "stats name no backend");
  fail_unless(strstr(text, backend) != NULL, "%s does not name %s", text, backend);
  fail_unless(g_str_equal(backend, "cpu") || g_str_equal(backend, "cuda"), "%s", backend);
  if (!g_str_equal(requested, "auto"))
    fail_unless_equals_string(backend, requested);
  test_teardown(h);
}

GST_START_TEST(backend_message) {
  assert_backend_message(test_backend());
  assert_backend_message("auto");
  assert_backend_message("cpu");
}
GST_END_TEST;

static guint64
stat_number(const GstStructure *stats, const gchar *name) {
  guint64 value = 0;
  g_autofree gchar *text = gst_structure_to_string(stats);
  fail_unless(gst_structure_get_uint64(stats, name, &value), "no number %s in %s", name, text);
  return value;
}

GST_START_TEST(stats_count_frames) {
  g_autofree gchar *caps = test_caps("I420", 64, 48);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  for (guint i = 0; i < 7; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  test_drain(h);
  g_autoptr(GstStructure) stats = NULL;
  g_object_get(h->element, "stats", &stats, NULL);
  fail_unless_equals_uint64(stat_number(stats, "frames"), 7);
  fail_unless(stat_number(stats, "bytes") >= 7 * 64 * 48 * 3 / 2);
  fail_unless(stat_number(stats, "kernel-time") > 0);
  stat_number(stats, "upload-time");
  stat_number(stats, "download-time");
  stat_number(stats, "wait-time");
  fail_unless(gst_structure_get_string(stats, "device") != NULL);
  test_teardown(h);
}
GST_END_TEST;

/* With CUDA the statistics name the algorithm in use. The CPU backend ignores the property. */
GST_START_TEST(stats_name_the_algorithm) {
  static const gchar *const names[] = {"auto", "direct", "two-pass", "tensor-core"};
  const gboolean on_cuda = g_str_equal(test_backend(), "cuda");
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree gchar *properties = g_strdup_printf("kernel=gaussian algorithm=%s", names[i]);
    GstHarness *h = test_harness_new(properties, caps);
    gst_buffer_unref(test_push_pull(h, test_frame_random(caps, i)));
    g_autoptr(GstStructure) stats = NULL;
    g_object_get(h->element, "stats", &stats, NULL);
    const gchar *algorithm = gst_structure_get_string(stats, "algorithm");
    fail_unless((algorithm != NULL) == on_cuda, "%s: %s", names[i], algorithm);
    /* the algorithm in use is never auto */
    fail_unless(!algorithm || g_str_equal(algorithm, names[i]) == (i > 0), "%s: %s", names[i],
                algorithm);
    test_teardown(h);
  }
}
GST_END_TEST;

/* The property size may differ from the size in use, which is in the statistics. */
GST_START_TEST(stats_have_the_size) {
  static const struct {
    const gchar *properties;
    gint reads;
    guint size;
  } cases[] = {
      {"kernel=sobel", 0, 3},
      {"kernel=sobel size=9", 9, 7},
      {"kernel=scharr size=1", 1, 3},
      {"kernel=gaussian size=9", 9, 9},
      {"kernel=gaussian", 0, 5},
      {"kernel=gaussian sigma=1", 0, 7},
      {"matrix=<<1,2,1>>", 0, 3},
      {"matrix=<<1,2,3,2,1>> size=3", 3, 5},
      {"kernel=sobel chroma-kernel=box chroma-size=9", 0, 3},
  };
  g_autofree gchar *caps = test_caps("I420", 16, 8);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    GstHarness *h = test_harness_new(cases[i].properties, NULL);
    g_autoptr(GstStructure) before = NULL, stats = NULL;
    gint reads;
    guint size = 0;
    g_object_get(h->element, "stats", &before, NULL);
    fail_if(gst_structure_has_field(before, "size"));
    gst_harness_set_src_caps_str(h, caps);
    g_object_get(h->element, "stats", &stats, "size", &reads, NULL);
    fail_unless(gst_structure_get_uint(stats, "size", &size));
    fail_unless(size == cases[i].size && reads == cases[i].reads, "%s: %d, %u", cases[i].properties,
                reads, size);
    test_teardown(h);
  }
}
GST_END_TEST;

/* The plan in the statistics names both kernels if chroma has another one. */
GST_START_TEST(stats_have_both_kernels) {
  static const gchar *const texts[][2] = {
      {"I420", "3x3, 2 matrices, separable, exact, sums of 11 bits, magnitude, "
               "chroma: 9x9, 1 matrix, separable, exact, sums of 16 bits, clamp, 3 passes"},
      {"GRAY8", "3x3, 2 matrices, separable, exact, sums of 11 bits, magnitude, 1 passes"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree gchar *caps = test_caps(texts[i][0], 16, 8);
    GstHarness *h = test_harness_new("kernel=sobel chroma-kernel=box chroma-size=9", caps);
    g_autoptr(GstStructure) stats = NULL;
    g_object_get(h->element, "stats", &stats, NULL);
    fail_unless_equals_string(gst_structure_get_string(stats, "plan"), texts[i][1]);
    test_teardown(h);
  }
}
GST_END_TEST;

/* The lines of `steps` in the statistics, each with a line break, or NULL if there are none. */
static gchar *
read_steps(GstElement *element) {
  g_autoptr(GstStructure) stats = NULL;
  g_object_get(element, "stats", &stats, NULL);
  const GValue *steps = gst_structure_get_value(stats, "steps");
  if (!steps)
    return NULL;
  fail_unless(GST_VALUE_HOLDS_ARRAY(steps));
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < gst_value_array_get_size(steps); i++)
    g_string_append_printf(text, "%s\n", g_value_get_string(gst_value_array_get_value(steps, i)));
  return g_string_free(text, FALSE);
}

/* The steps are available with the first program. Another kernel has other steps. */
GST_START_TEST(stats_have_the_steps) {
  g_autofree gchar *caps = test_caps("I420", 64, 48);
  GstHarness *h = test_harness_new("kernel=gaussian size=9", NULL);
  g_autofree gchar *before = read_steps(h->element);
  fail_if(before != NULL, "%s", before);
  gst_harness_set_src_caps_str(h, caps);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
  g_autofree gchar *first = read_steps(h->element);
  fail_unless(first && *first, "%s", first);

  gst_util_set_object_arg(G_OBJECT(h->element), "kernel", "sobel");
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 2)));
  g_autofree gchar *second = read_steps(h->element);
  fail_unless(second && !g_str_equal(first, second), "%s", second);
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(stats_can_be_read_at_any_time) {
  GstElement *element = test_element_new(NULL);
  static const GstState states[] = {GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED,
                                    GST_STATE_PLAYING, GST_STATE_NULL};
  for (guint i = 0; i < G_N_ELEMENTS(states); i++) {
    gst_element_set_state(element, states[i]);
    g_autoptr(GstStructure) stats = NULL;
    g_object_get(element, "stats", &stats, NULL);
    fail_unless(stats != NULL);
  }
  gst_object_unref(element);
}
GST_END_TEST;

/* The number of threads does not change the frames. */
GST_START_TEST(threads_do_not_change_pixels) {
  g_autofree gchar *caps = test_caps("NV12", 321, 241);
  GstBuffer *expected = test_filter("kernel=sobel n-threads=1", caps, test_frame_random(caps, 1));
  static const guint threads[] = {0, 2, 3, 7, 64};
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
    g_autofree gchar *properties = g_strdup_printf("kernel=sobel n-threads=%u", threads[i]);
    GstBuffer *result = test_filter(properties, caps, test_frame_random(caps, 1));
    test_assert_same_frame(caps, result, expected, properties);
    gst_buffer_unref(result);
  }
  gst_buffer_unref(expected);
}
GST_END_TEST;

/* The minimum and maximum of a property's range work without a warning. */
GST_START_TEST(ends_of_ranges_work) {
  static const gchar *const names[] = {"sigma",     "scale",     "bias",       "border-value",
                                       "roi-sigma", "n-threads", "chroma-size"};
  g_autofree gchar *caps = test_caps("I420", 33, 17);
  for (guint i = 0; i < 2 * G_N_ELEMENTS(names); i++) {
    g_autoptr(GstElement) element = test_element_new("kernel=gaussian size=15");
    const gchar *name = names[i / 2];
    GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
    if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
      const GParamSpecDouble *range = G_PARAM_SPEC_DOUBLE(spec);
      g_object_set(element, name, i % 2 ? range->maximum : range->minimum, NULL);
    } else {
      const GParamSpecInt *range = G_PARAM_SPEC_INT(spec);
      g_object_set(element, name, i % 2 ? range->maximum : range->minimum, NULL);
    }
    GstHarness *h = test_harness_around(element, caps);
    gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
    guint n;
    g_autofree gchar *text =
        test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, &n);
    fail_unless(n == 0, "%s: %s", name, text);
    test_teardown(h);
  }
}
GST_END_TEST;

/* The element starts as many threads as n-threads says, up to the maximum. */
GST_START_TEST(number_of_threads_is_as_set) {
  GstElement *element = test_element_new(NULL);
  const GParamSpecInt *range =
      G_PARAM_SPEC_INT(g_object_class_find_property(G_OBJECT_GET_CLASS(element), "n-threads"));
  const gint numbers[] = {2, 3, 64, range->maximum};
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    const gint wanted = numbers[i];
    g_object_set(element, "n-threads", wanted, NULL);
    gst_element_set_state(element, GST_STATE_READY);
    g_autoptr(GstStructure) stats = NULL;
    g_object_get(element, "stats", &stats, NULL);
    g_autofree gchar *threads = g_strdup_printf(" %d threads", wanted);
    fail_unless(g_str_has_suffix(gst_structure_get_string(stats, "device"), threads), "not%s",
                threads);
    gst_element_set_state(element, GST_STATE_NULL);
  }
  gst_object_unref(element);
}
GST_END_TEST;

static Suite *
properties_values_suite(void) {
  Suite *suite = suite_create("properties-values");
  TCase *tc = tcase_create("properties-values");
  tcase_add_loop_test(tc, defaults_and_round_trips, 0, G_N_ELEMENTS(rows));
  tcase_add_test(tc, listed_defaults_are_true);
  tcase_add_test(tc, arrays_are_empty_at_first);
  tcase_add_test(tc, regions_read_as_set);
  tcase_add_loop_test(tc, named_kernels, 0, 2);
  tcase_add_test(tc, named_algorithms);
  tcase_add_test(tc, stats_have_the_size);
  tcase_add_test(tc, stats_have_both_kernels);
  tcase_add_test(tc, stats_have_the_steps);
  tcase_add_test(tc, coefficients_select_custom);
  tcase_add_test(tc, backend_message);
  tcase_add_test(tc, stats_count_frames);
  tcase_add_test(tc, stats_name_the_algorithm);
  tcase_add_test(tc, stats_can_be_read_at_any_time);
  tcase_add_test(tc, threads_do_not_change_pixels);
  tcase_add_test(tc, ends_of_ranges_work);
  if (g_str_equal(test_backend(), "cpu"))
    tcase_add_test(tc, number_of_threads_is_as_set);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(properties_values)
