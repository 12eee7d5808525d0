/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties that change during a stream: set by the streaming thread, by another thread, and by a
 * controller. Every frame equals the result for one consistent set of values. */

#include "common.h"

#include "cuda/algorithm.h"

#include <gst/controller/controller.h>
#include <string.h>

static const gchar *const settings[] = {
    "kernel=gaussian size=5",
    "kernel=sobel size=3",
    "kernel=custom matrix=<1,2,1,2,4,2,1,2,1>",
    "kernel=box size=7 border=wrap",
    "kernel=laplacian response=offset",
    "kernel=sobel response=canny low=50 high=150",
    "kernel=scharr response=canny-l1 low=500 high=300",
    "kernel=sharpen scale=0.25 bias=10",
    "kernel=gaussian size=9 sigma=1.5 border=constant border-value=0.5",
    "kernel=sobel-x chroma=filter",
    "kernel=sobel threshold=0.25 invert=true",
    "kernel=gaussian mix=-1.5",
    "kernel=sobel overlay=0xffff0000",
    "kernel=gaussian roi=<3,2,20,11>",
    "kernel=sobel roi=<<0,0,9,9>,<5,5,28,12>> target=<<24,0>,<1,3>> outside=black",
    "kernel=gaussian roi-sigma=0.25",
    "kernel=box roi-meta=true roi-type=face", /* no frame has metas: all is copied */
    "kernel=gaussian size=5 chroma-size=3",
    "kernel=sobel chroma-kernel=gaussian",
    "kernel=sobel chroma-kernel=box chroma-size=9 bias=20",
    "kernel=gaussian chroma-kernel=laplacian",
    "kernel=gaussian fields=frame",
    "kernel=sobel measure=histogram",
};

/* First resets all properties to their defaults, so that values of an earlier setting do not
 * remain. */
static void
apply(GstElement *element, const gchar *setting) {
  static const gchar *const defaults[][2] = {
      {"size", "0"},         {"sigma", "0"},
      {"scale", "0"},        {"bias", "0"},
      {"response", "auto"},  {"low", "100"},
      {"high", "200"},       {"border", "replicate"},
      {"border-value", "0"}, {"chroma", "auto"},
      {"threshold", "0"},    {"invert", "false"},
      {"mix", "1"},          {"overlay", "0"},
      {"measure", "off"},    {"roi", "<>"},
      {"target", "<>"},      {"outside", "copy"},
      {"roi-meta", "false"}, {"roi-type", ""},
      {"roi-sigma", "0"},    {"algorithm", "auto"},
      {"chroma-size", "0"},  {"stride", "1"},
      {"fields", "auto"},    {"chroma-kernel", "same"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(defaults); i++)
    gst_util_set_object_arg(G_OBJECT(element), defaults[i][0], defaults[i][1]);
  g_auto(GStrv) words = g_strsplit(setting, " ", -1);
  for (guint i = 0; words[i]; i++) {
    g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);
    gst_util_set_object_arg(G_OBJECT(element), pair[0], pair[1]);
  }
}

GST_START_TEST(change_between_frames) {
  g_autofree gchar *caps = test_caps("I420", 33, 17);
  GstHarness *h = test_harness_new(settings[0], caps);
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    apply(h->element, settings[i]);
    for (guint n = 0; n < 2; n++)
      fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 2 * i + n)), GST_FLOW_OK);
  }
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), 2 * G_N_ELEMENTS(settings));
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
    for (guint n = 0; n < 2; n++) {
      GstBuffer *expected = test_filter(settings[i], caps, test_frame_random(caps, 2 * i + n));
      GstBuffer *result = gst_harness_pull(h);
      test_assert_same_frame(caps, result, expected, settings[i]);
      gst_buffer_unref(result);
      gst_buffer_unref(expected);
    }
  test_teardown(h);
}
GST_END_TEST;

static gboolean
is_on_cuda(void) {
  return g_str_equal(test_backend(), "cuda");
}

/* With integer coefficients all algorithms give the same bytes. Only the CUDA backend, which uses
 * the property, refuses an algorithm that cannot run the kernel. */
GST_START_TEST(change_of_algorithm) {
  static const gchar *const kernels[] = {"gaussian", "sobel", "sharpen"};
  const gchar *kernel = kernels[__i__];
  g_autofree gchar *caps = test_caps("NV12", 321, 117);
  g_autofree gchar *properties = g_strdup_printf("kernel=%s", kernel);
  GstBuffer *input = test_frame_random(caps, 1);
  GstBuffer *expected = test_filter(properties, caps, gst_buffer_ref(input));
  GstHarness *h = test_harness_new(properties, caps);
  const gboolean refuses = is_on_cuda() && g_str_equal(kernel, "sharpen"); /* not separable */
  guint refused = 0;
  const guint n_frames = CC_N_ALGORITHMS + 1; /* the last frame is with auto again */
  for (guint i = 0; i < n_frames; i++) {
    const CcAlgorithm a = (CcAlgorithm)(i % CC_N_ALGORITHMS);
    gst_util_set_object_arg(G_OBJECT(h->element), "algorithm", cc_algorithm_name(a));
    fail_unless_equals_int(gst_harness_push(h, gst_buffer_ref(input)), GST_FLOW_OK);
    refused += refuses && (a == CC_ALGORITHM_TWO_PASS || a == CC_ALGORITHM_REGISTER_TILE);
  }
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), n_frames);
  for (guint i = 0; i < n_frames; i++) {
    GstBuffer *result = gst_harness_pull(h);
    test_assert_same_frame(caps, result, expected,
                           cc_algorithm_name((CcAlgorithm)(i % CC_N_ALGORITHMS)));
    gst_buffer_unref(result);
  }
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == refused, "%u warnings: %s", n, text);
  gst_buffer_unref(expected);
  gst_buffer_unref(input);
  test_teardown(h);
}
GST_END_TEST;

/* CUDA only: the algorithm cannot run the kernel and is refused. The filter stays as it was. The
 * next kernel, which the refused algorithm could run, runs with the old one. */
GST_START_TEST(refused_algorithm) {
  g_autofree gchar *caps = test_caps("GRAY8", 33, 17);
  GstBuffer *kirsch = test_filter("kernel=kirsch", caps, test_frame_random(caps, 1));
  GstBuffer *box = test_filter("kernel=box", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("kernel=kirsch", caps);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));

  gst_util_set_object_arg(G_OBJECT(h->element), "algorithm", "two-pass");
  for (guint i = 0; i < 2; i++) {
    GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
    test_assert_same_frame(caps, result, kirsch, "a refused algorithm");
    gst_buffer_unref(result);
  }
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(
      n == 1 && strstr(text, "algorithm=two-pass cannot run this kernel") &&
          strstr(text, "direct, constant, tile-halo, tile-cached, scatter and tensor-core can") &&
          strstr(text, "The filter is unchanged."),
      "%u: %s", n, text);

  g_autofree gchar *algorithm = test_property_text(h->element, "algorithm");
  fail_unless_equals_string(algorithm, "auto");
  gst_util_set_object_arg(G_OBJECT(h->element), "kernel", "box");
  GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
  test_assert_same_frame(caps, result, box, "a kernel after a refused algorithm");
  g_autofree gchar *none = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == 0, "%s", none);
  gst_buffer_unref(result);
  gst_buffer_unref(box);
  gst_buffer_unref(kirsch);
  test_teardown(h);
}
GST_END_TEST;

typedef struct {
  GstElement *element;
  gint stop; /* atomic */
  guint changes;
} Changer;

/* A matrix is one value, so it changes as a whole. The coefficients of each sum to 1, so all have
 * the same scale. */
static const gchar *const matrices[] = {
    "<0,0,0,0,1,0,0,0,0>",
    "<0,0,0,1,0,0,0,0,0>",
    "<0,0,0,0,0,1,0,0,0>",
    "<-1,0,0,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0>",
};

static gpointer
change_matrices(gpointer user_data) {
  Changer *changer = user_data;
  while (!g_atomic_int_get(&changer->stop)) {
    const gchar *matrix = matrices[changer->changes++ % G_N_ELEMENTS(matrices)];
    gst_util_set_object_arg(G_OBJECT(changer->element), "matrix", matrix);
  }
  return NULL;
}

GST_START_TEST(change_from_another_thread) {
  g_autofree gchar *caps = test_caps("GRAY8", 65, 33);
  GstBuffer *expected[G_N_ELEMENTS(matrices)];
  for (guint i = 0; i < G_N_ELEMENTS(matrices); i++) {
    g_autofree gchar *properties = g_strdup_printf("kernel=custom matrix=%s", matrices[i]);
    expected[i] = test_filter(properties, caps, test_frame_random(caps, 1));
  }
  g_autofree gchar *first = g_strdup_printf("kernel=custom matrix=%s", matrices[0]);
  GstHarness *h = test_harness_new(first, caps);
  Changer changer = {.element = h->element};
  GThread *thread = g_thread_new("changer", change_matrices, &changer);
  GstBuffer *input = test_frame_random(caps, 1);
  guint seen[G_N_ELEMENTS(matrices)] = {0};
  for (guint n = 0; n < 500; n++) {
    GstBuffer *result = test_push_pull(h, gst_buffer_ref(input));
    guint i = 0;
    while (i < G_N_ELEMENTS(matrices) && !test_same_frame(caps, result, expected[i]))
      i++;
    fail_unless(i < G_N_ELEMENTS(matrices), "frame %u is not the result of one matrix", n);
    seen[i]++;
    gst_buffer_unref(result);
  }
  g_atomic_int_set(&changer.stop, TRUE);
  g_thread_join(thread);
  GST_INFO("%u changes; frames a matrix: %u %u %u %u", changer.changes, seen[0], seen[1], seen[2],
           seen[3]);
  for (guint i = 0; i < G_N_ELEMENTS(matrices); i++)
    gst_buffer_unref(expected[i]);
  gst_buffer_unref(input);
  test_teardown(h);
}
GST_END_TEST;

/* Moves a property linearly from one value at 0 s to another at 1 s. */
static void
control(GstHarness *h, const gchar *property, gdouble from, gdouble to) {
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  fail_unless(gst_timed_value_control_source_set(values, 0, from));
  fail_unless(gst_timed_value_control_source_set(values, GST_SECOND, to));
  fail_unless(gst_object_add_control_binding(
      GST_OBJECT(h->element),
      gst_direct_control_binding_new_absolute(GST_OBJECT(h->element), property, source)));
  gst_object_unref(source);
}

/* bias rises from 0 at 0 s to 100 at 1 s. A flat frame of 50 becomes 50 + 100 t, rounded half
 * up. */
GST_START_TEST(controlled_bias) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 8);
  GstHarness *h = test_harness_new("kernel=identity", caps);
  control(h, "bias", 0.0, 100.0);

  for (guint i = 0; i <= 100; i += 5) {
    GstBuffer *buffer = test_frame_flat(caps, 50);
    GST_BUFFER_PTS(buffer) = i * 10 * GST_MSECOND;
    GstBuffer *result = test_push_pull(h, buffer);
    guint8 top, bottom;
    gst_buffer_extract(result, 0, &top, 1);
    gst_buffer_extract(result, 16 * 8 - 1, &bottom, 1);
    fail_unless_equals_int(top, 50 + i);
    fail_unless_equals_int(bottom, 50 + i);
    gst_buffer_unref(result);
  }
  test_teardown(h);
}
GST_END_TEST;

/* sigma falls during the stream. Each frame equals the result of an element with the value that the
 * property has then. */
GST_START_TEST(controlled_sigma) {
  g_autofree gchar *caps = test_caps("GRAY8", 33, 17);
  GstHarness *h = test_harness_new("kernel=gaussian size=9", caps);
  control(h, "sigma", 3.0, 0.5);

  for (guint i = 0; i <= 10; i++) {
    GstBuffer *buffer = test_frame_random(caps, 4);
    GST_BUFFER_PTS(buffer) = i * 100 * GST_MSECOND;
    GstBuffer *result = test_push_pull(h, buffer);
    gdouble sigma;
    g_object_get(h->element, "sigma", &sigma, NULL);
    fail_unless(ABS(sigma - (3.0 - 0.25 * i)) < 1e-6, "sigma is %g at %u ms", sigma, i * 100);

    gchar number[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree gchar *properties = g_strdup_printf("kernel=gaussian size=9 sigma=%s",
                                                   g_ascii_dtostr(number, sizeof number, sigma));
    GstBuffer *expected = test_filter(properties, caps, test_frame_random(caps, 4));
    test_assert_same_frame(caps, result, expected, properties);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  test_teardown(h);
}
GST_END_TEST;

/* Each frame has the kernel for chroma that the bindings choose for its time: all names in turn,
 * and sizes from 1 up. A binding divides the range from 0 to 1 among the values of an enum. */
GST_START_TEST(controlled_chroma) {
  g_autofree gchar *caps = test_caps("I420", 66, 34);
  GstHarness *h = test_harness_new("kernel=gaussian size=5", caps);
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(h->element), "chroma-kernel");
  const GEnumClass *kernels = G_PARAM_SPEC_ENUM(spec)->enum_class;
  const guint last = kernels->n_values - 1;
  control(h, "chroma-kernel", 0.5 / last, 1 + 0.5 / last);
  control(h, "chroma-size", 1, 2 * last + 1);

  for (guint i = 0; i <= last; i++) {
    const gchar *kernel = kernels->values[i].value_nick;
    GstBuffer *buffer = test_frame_random(caps, 4);
    GST_BUFFER_PTS(buffer) = i * GST_SECOND / last;
    g_autoptr(GstBuffer) result = test_push_pull(h, buffer);
    test_assert_text(h->element, "chroma-kernel", kernel);
    gint size;
    g_object_get(h->element, "chroma-size", &size, NULL);
    g_autofree gchar *properties =
        g_strdup_printf("kernel=gaussian size=5 chroma-kernel=%s chroma-size=%d", kernel, size);
    g_autoptr(GstBuffer) expected = test_filter(properties, caps, test_frame_random(caps, 4));
    test_assert_same_frame(caps, result, expected, properties);
  }
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(pixel_properties_are_mutable_while_playing) {
  static const gchar *const scalars[] = {
      "kernel",    "size",    "sigma",    "scale",    "bias",      "border",        "border-value",
      "chroma",    "alpha",   "response", "stride",   "algorithm", "invert",        "mix",
      "threshold", "overlay", "outside",  "roi-meta", "roi-sigma", "chroma-kernel", "chroma-size",
      "fields",    "low",     "high",     "measure"};
  /* control bindings cannot set these */
  static const gchar *const others[] = {"matrix",      "row", "column", "matrix-text",
                                        "kernel-file", "roi", "target", "roi-type"};
  GstElement *element = test_element_new(NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS(element);
  for (guint i = 0; i < G_N_ELEMENTS(scalars); i++) {
    GParamSpec *spec = g_object_class_find_property(klass, scalars[i]);
    fail_unless(spec != NULL, "no property %s", scalars[i]);
    fail_unless(spec->flags & GST_PARAM_CONTROLLABLE, "%s is not controllable", scalars[i]);
    fail_unless(spec->flags & GST_PARAM_MUTABLE_PLAYING, "%s: not mutable", scalars[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    GParamSpec *spec = g_object_class_find_property(klass, others[i]);
    fail_unless(spec != NULL, "no property %s", others[i]);
    fail_if(spec->flags & GST_PARAM_CONTROLLABLE, "%s is controllable", others[i]);
    fail_unless(spec->flags & GST_PARAM_MUTABLE_PLAYING, "%s: not mutable", others[i]);
  }
  gst_object_unref(element);
}
GST_END_TEST;

static Suite *
properties_changes_suite(void) {
  Suite *suite = suite_create("properties-changes");
  TCase *tc = tcase_create("properties-changes");
  tcase_add_test(tc, change_between_frames);
  tcase_add_loop_test(tc, change_of_algorithm, 0, 3);
  if (is_on_cuda())
    tcase_add_test(tc, refused_algorithm);
  tcase_add_test(tc, change_from_another_thread);
  tcase_add_test(tc, controlled_bias);
  tcase_add_test(tc, controlled_sigma);
  tcase_add_test(tc, controlled_chroma);
  tcase_add_test(tc, pixel_properties_are_mutable_while_playing);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(properties_changes)
