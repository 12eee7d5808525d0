/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is read is what runs: a value that cannot work goes back to what it was, wherever that is
 * found, and before the start it is an error at the start, unless a later value mends it. */

#include "common.h"

#include <gst/controller/controller.h>
#include <string.h>

#include "engine/shared.h"

#define CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1"

static void
set(GstElement *element, const gchar *settings) {
  g_auto(GStrv) words = g_strsplit(settings, " ", -1);
  g_object_freeze_notify(G_OBJECT(element)); /* all of them are one change */
  for (guint i = 0; words[i]; i++) {
    g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);
    gst_util_set_object_arg(G_OBJECT(element), pair[0], pair[1]);
  }
  g_object_thaw_notify(G_OBJECT(element));
}

/* Exactly so many warnings since the last call, and `says` in them; no errors. */
static void
assert_warnings(GstHarness *h, guint n_wanted, const gchar *says) {
  guint n;
  g_autofree gchar *text =
      test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, &n);
  fail_unless(n == n_wanted && strstr(text, says), "%u instead of %u: %s", n, n_wanted, text);
}

static void
assert_filters_as(GstHarness *h, const gchar *properties) {
  g_autoptr(GstBuffer) expected = test_filter(properties, CAPS, test_frame_random(CAPS, 1));
  g_autoptr(GstBuffer) result = test_push_pull(h, test_frame_random(CAPS, 1));
  test_assert_same_picture(CAPS, result, expected, properties);
}

/* --- while frames flow --- */

typedef struct {
  const gchar *runs, *refused, *says;
} Contradiction;

static const Contradiction contradictions[] = {
    {"kernel=gaussian size=9", "response=direction", "response=direction: the kernel gaussian"},
    {"kernel=sobel response=direction", "kernel=box", "response=direction: the kernel box"},
    {"kernel=sobel response=direction", "matrix=<1,2,1,2,4,2,1,2,1>", "the kernel custom"},
    {"kernel=sobel", "kernel=custom", "kernel=custom: no coefficients"},
    {"kernel=gaussian", "sigma=22", "21.08 is the largest sigma"},
    {"kernel=gaussian size=15 sigma=24", "size=0", "21.08 is the largest sigma"},
    {"kernel=sobel",
     "bias=7 response=offset stride=2 algorithm=scatter row=<1,2,1> kernel=custom "
     "response=direction",
     "response=direction"},
    /* on CUDA only; the CPU has no use for an algorithm */
    {"kernel=box size=3", "algorithm=two-pass kernel=kirsch", "algorithm=two-pass cannot run"},
    {"row=<1,2,1> algorithm=two-pass", "matrix=<1,0,0,0,3,0,0,0,5>", "algorithm=two-pass cannot"},
};
enum { N_ON_CUDA_ONLY = 2 };

static gboolean
is_on_cuda(void) {
  return g_str_equal(test_backend(), "cuda");
}

static void
note(GObject *object, GParamSpec *pspec, gpointer data) {
  g_hash_table_add(data, g_strdup(pspec->name));
}

/* After a refusal at a frame boundary all reads as before, those that went back are notified, and
 * an unrelated change and a restart work. */
GST_START_TEST(contradiction_goes_back) {
  const Contradiction *c = &contradictions[__i__];
  GstHarness *h = test_harness_new(c->runs, CAPS);
  assert_filters_as(h, c->runs);
  g_autofree gchar *before = test_pixel_properties(h->element);
  set(h->element, c->refused);
  g_autofree gchar *asked = test_pixel_properties(h->element);
  fail_if(g_str_equal(asked, before), "%s changes nothing", c->refused);

  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  const gulong id = g_signal_connect(h->element, "notify", G_CALLBACK(note), seen);
  assert_filters_as(h, c->runs);
  g_signal_handler_disconnect(h->element, id);
  g_autofree gchar *after = test_pixel_properties(h->element);
  fail_unless_equals_string(after, before);
  g_auto(GStrv) words = g_strsplit(c->refused, " ", -1);
  for (guint i = 0; words[i]; i++) {
    g_autofree gchar *name = g_strndup(words[i], strcspn(words[i], "="));
    fail_unless(g_hash_table_contains(seen, name), "no notify of %s", name);
  }
  assert_warnings(h, 1, c->says);

  set(h->element, "bias=20");
  g_autofree gchar *with_bias = g_strdup_printf("%s bias=20", c->runs);
  assert_filters_as(h, with_bias);
  gst_element_set_state(h->element, GST_STATE_NULL);
  fail_unless(gst_element_set_state(h->element, GST_STATE_PLAYING) == GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event(h, gst_event_new_stream_start("again"));
  gst_harness_set_src_caps_str(h, CAPS);
  assert_filters_as(h, with_bias);
  assert_warnings(h, 0, "");
  test_teardown(h);
}
GST_END_TEST;

/* A value that is set anew before the frame boundary stays. */
GST_START_TEST(newer_value_stays) {
  GstHarness *h = test_harness_new("kernel=gaussian", CAPS);
  assert_filters_as(h, "kernel=gaussian");
  set(h->element, "response=direction bias=7");
  g_object_freeze_notify(G_OBJECT(h->element)); /* so that this is not committed yet */
  g_object_set(h->element, "bias", 9.0, NULL);
  g_autoptr(GstBuffer) old = test_push_pull(h, test_frame_random(CAPS, 1));
  test_assert_text(h->element, "response", "auto");
  test_assert_text(h->element, "bias", "9");
  g_object_thaw_notify(G_OBJECT(h->element));
  assert_filters_as(h, "kernel=gaussian bias=9");
  assert_warnings(h, 1, "response=direction");
  test_teardown(h);
}
GST_END_TEST;

static void
set_again(GObject *object, GParamSpec *pspec, gpointer user_data) {
  guint *left = user_data;
  if (*left > 0) {
    (*left)--;
    g_object_set(object, "response", CC_RESPONSE_DIRECTION, "bias", 3.0, NULL);
  }
}

/* A handler that sets the refused value again and again gets a refusal for each. */
GST_START_TEST(handler_of_notify_sets_again) {
  guint left = 5;
  GstHarness *h = test_harness_new("kernel=gaussian", CAPS);
  assert_filters_as(h, "kernel=gaussian");
  g_signal_connect(h->element, "notify::algorithm", G_CALLBACK(set_again), &left);
  for (guint i = 0; i < 8; i++) {
    set(h->element, "algorithm=scatter response=direction");
    assert_filters_as(h, "kernel=gaussian");
    test_assert_text(h->element, "response", left ? "direction" : "auto");
  }
  test_teardown(h);
}
GST_END_TEST;

/* A value that is wrong by itself. */
GST_START_TEST(wrong_value_stays_out) {
  static const gchar *const wrong[][2] = {
      {"stride=3", "stride=3 is refused: 1, 2 or 4 is needed"},
      {"size=4", "size=4 is refused: an odd number from 1 to 127, or 0"},
      {"size=129", "size=129 is refused: an odd number from 1 to 127, or 0"},
      {"sigma=-0.5", "sigma=-0.5 is refused: a number from 0 to 1000 is needed. What was set"},
      {"bias=nan", "bias=nan is refused: a number from -65535 to 65535 is needed"},
      {"border-value=1.01", "border-value=1.01 is refused: a number from 0 to 1 is needed"},
      {"matrix=<1,1,1,1>", "matrix=<1, 1, 1, 1> is refused"},
      {"kernel-file=nope.ini", "kernel-file=\"nope.ini\" is refused"},
  };
  GstHarness *h = test_harness_new("kernel=gaussian stride=2", CAPS);
  g_autofree gchar *before = test_pixel_properties(h->element);
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    set(h->element, wrong[i][0]);
    g_autofree gchar *after = test_pixel_properties(h->element);
    fail_unless_equals_string(after, before);
    assert_warnings(h, 1, wrong[i][1]);
  }
  test_teardown(h);
}
GST_END_TEST;

/* A kernel takes the size that is nearest below, and nothing is refused. */
GST_START_TEST(size_is_a_wish) {
  GstHarness *h = test_harness_new("kernel=gaussian size=9", CAPS);
  assert_filters_as(h, "kernel=gaussian size=9");
  set(h->element, "kernel=sobel");
  assert_filters_as(h, "kernel=sobel size=7");
  set(h->element, "bias=20");
  assert_filters_as(h, "kernel=sobel size=7 bias=20");
  set(h->element, "kernel=kirsch bias=0");
  assert_filters_as(h, "kernel=kirsch");
  set(h->element, "row=<1,2,1>");
  assert_filters_as(h, "row=<1,2,1>");
  set(h->element, "kernel=gaussian");
  assert_filters_as(h, "kernel=gaussian size=9");
  test_assert_text(h->element, "size", "9");
  assert_warnings(h, 0, "");
  test_teardown(h);
}
GST_END_TEST;

/* sigma that no Gaussian uses is told when that begins. */
GST_START_TEST(useless_sigma) {
  GstHarness *h = test_harness_new("sigma=1.5", CAPS);
  assert_filters_as(h, "kernel=sobel");
  assert_warnings(h, 1, "sigma=1.5 has no effect on the kernel sobel");
  set(h->element, "sigma=2 bias=20");
  assert_filters_as(h, "kernel=sobel bias=20");
  assert_warnings(h, 0, "");
  set(h->element, "kernel=gaussian bias=0");
  assert_filters_as(h, "kernel=gaussian sigma=2");
  assert_warnings(h, 0, "");
  set(h->element, "kernel=box");
  assert_filters_as(h, "kernel=box");
  assert_warnings(h, 1, "sigma=2 has no effect on the kernel box");
  test_teardown(h);
}
GST_END_TEST;

/* --- control bindings --- */

static void
bind(GstHarness *h, const gchar *property, const gdouble *values, guint n) {
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  for (guint i = 0; i < n; i++)
    fail_unless(gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source),
                                                   i * GST_SECOND, values[i]));
  fail_unless(gst_object_add_control_binding(
      GST_OBJECT(h->element),
      gst_direct_control_binding_new_absolute(GST_OBJECT(h->element), property, source)));
  gst_object_unref(source);
}

static void
push_at(GstHarness *h, guint seconds) {
  GstBuffer *frame = test_frame_random(CAPS, 1);
  GST_BUFFER_PTS(frame) = seconds * GST_SECOND;
  gst_buffer_unref(test_push_pull(h, frame));
}

/* A binding that sets wrong values for one frame after the other is told of once, another one once
 * more, and what others set is taken. */
GST_START_TEST(bindings_are_told_once) {
  static const gdouble sizes[] = {4, 6, 8, 3, 10, 12}, sigmas[] = {23, 24, 1, 25, 26, 27};
  static const gdouble biases[] = {1, 2, 3, 4, 5, 6};
  GstHarness *h = test_harness_new("kernel=gaussian", CAPS);
  push_at(h, 0);
  for (guint round = 0; round < 2; round++) {
    bind(h, "size", sizes, G_N_ELEMENTS(sizes));
    bind(h, "sigma", sigmas, G_N_ELEMENTS(sigmas));
    bind(h, "bias", biases, G_N_ELEMENTS(biases));
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
      g_autofree gchar *scale = g_strdup_printf("%g", 0.25 * (i + 1));
      g_autofree gchar *bias = g_strdup_printf("%g", biases[i]);
      set(h->element, i < 3 ? "size=0 border=wrap" : "border=reflect");
      gst_util_set_object_arg(G_OBJECT(h->element), "scale", scale);
      push_at(h, i);
      test_assert_text(h->element, "bias", bias);
      test_assert_text(h->element, "scale", scale);
      test_assert_text(h->element, "border", i < 3 ? "wrap" : "reflect");
      test_assert_text(h->element, "size", i < 3 ? "0" : "3");
      g_autofree gchar *sigma = g_strdup_printf("%g", i < 2 ? 0 : sigmas[i]); /* size=3 cuts off */
      test_assert_text(h->element, "sigma", sigma);
    }
    assert_warnings(h, 2, "21.08 is the largest sigma");
    static const gchar *const bound[] = {"size", "sigma", "bias"};
    for (guint i = 0; i < G_N_ELEMENTS(bound); i++) {
      g_autoptr(GstControlBinding) binding =
          gst_object_get_control_binding(GST_OBJECT(h->element), bound[i]);
      gst_object_remove_control_binding(GST_OBJECT(h->element), binding);
    }
    set(h->element, "size=0 sigma=0");
    push_at(h, 0);
  }
  test_teardown(h);
}
GST_END_TEST;

/* --- before the start --- */

typedef struct {
  const gchar *refused, *mended; /* NULL: it does not start */
  const gchar *says;
} Start;

static const Start starts[] = {
    {"stride=3", NULL, "stride=3 is refused: 1, 2 or 4 is needed"},
    {"size=4", NULL, "size=4 is refused: an odd number"},
    {"matrix=<1,1,1,1>", NULL, "matrix=<1, 1, 1, 1> is refused"},
    {"kernel-file=nope.ini", NULL, "kernel-file=\"nope.ini\" is refused: nope.ini: No such file"},
    {"kernel-file=nope.ini", "bias=20 stride=2", "kernel-file=\"nope.ini\" is refused"},
    {"matrix=<1,1,1,1>", "kernel=custom", "matrix=<1, 1, 1, 1> is refused"},
    {"stride=3 size=4", "stride=2", "size=4 is refused"},
    {"stride=3", "kernel=box", "stride=3 is refused"},
    {"kernel=custom", NULL, "kernel=custom: no coefficients are set"},
    {"kernel=gaussian sigma=22", NULL, "21.08 is the largest sigma"},
    {"kernel=gaussian sigma=22", "response=direction", "21.08 is the largest sigma"},
    {"kernel=gaussian response=direction", NULL, "response=direction: the kernel gaussian has 1"},
    {"kernel=custom stride=3", "stride=2", "kernel=custom: no coefficients are set"},
    {"kernel=custom", "matrix=<1,2,1,2,4,2,1,2,1>", NULL},
    {"kernel=custom", "kernel=box", NULL},
    {"kernel=gaussian sigma=22", "sigma=2", NULL},
    {"kernel=gaussian sigma=22", "kernel=custom row=<1,2,1>", NULL},
    {"kernel=gaussian response=direction", "kernel=scharr", NULL},
    {"kernel=gaussian response=direction", "@preset=edges", NULL},
    {"stride=3", "stride=2", NULL},
    {"stride=3", "stride=1", NULL},
    {"size=4 stride=3", "stride=4 size=5", NULL},
    {"matrix=<1,1,1,1>", "matrix=<1,2,1,2,4,2,1,2,1>", NULL},
    {"matrix=<1,1,1,1>", "row=<1,2,1>", NULL},
    {"row=<1,2>", "column=<1,2,1>", "row=<1, 2> is refused"},
    {"column=<1,2>", "row=<1,2,1>", "column=<1, 2> is refused"},
    {"matrix=<1,2>", "row=<>", "matrix=<1, 2> is refused"},
    {"matrix=<1,2>", "kernel-file=", "matrix=<1, 2> is refused"},
    {"row=<1,2>", "row=<1,2,1> column=<1,2,1>", NULL},
    {"row=<1,2> column=<1,2>", "matrix-text=1;2;1", NULL},
    {"row=<1,2> column=<1,2,1>", "row=<>", NULL},
    {"kernel-file=nope.ini row=<1,2>", "kernel=box", NULL},
    {"kernel-file=nope.ini", "kernel-file=", NULL},
    {"kernel-file=nope.ini stride=3", "@preset=edges", NULL},
};

static void
mend(GstElement *element, const gchar *with) {
  if (g_str_has_prefix(with, "@preset="))
    fail_unless(gst_preset_load_preset(GST_PRESET(element), with + strlen("@preset=")));
  else
    set(element, with);
}

/* One error and no warnings, each time, until a value mends it; in READY as in NULL. */
GST_START_TEST(refused_before_the_start) {
  const Start *start = &starts[__i__];
  for (GstState state = GST_STATE_NULL; state <= GST_STATE_READY; state++) {
    g_autoptr(GstElement) element = test_element_new(NULL);
    g_autoptr(GstBus) bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    gst_element_set_state(element, state);
    set(element, start->refused);
    for (guint i = 0; i < 2; i++) {
      guint n;
      const GstStateChangeReturn ret = gst_element_set_state(element, GST_STATE_PAUSED);
      fail_unless_equals_int(ret, GST_STATE_CHANGE_FAILURE);
      g_autofree gchar *text = test_bus_take(bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, &n);
      fail_unless(n == 1 && (start->mended || strstr(text, start->says)), "%u: %s", n, text);
      gst_element_set_state(element, state);
    }
    if (start->mended)
      mend(element, start->mended);
    guint n;
    const GstStateChangeReturn ret = gst_element_set_state(element, GST_STATE_PAUSED);
    g_autofree gchar *text = test_bus_take(bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, &n);
    fail_unless((ret == GST_STATE_CHANGE_FAILURE) == (start->says != NULL), "%s", text);
    fail_unless(start->says ? n == 1 && strstr(text, start->says) : n == 0, "%u: %s", n, text);
    gst_bus_set_flushing(bus, TRUE);
    gst_element_set_state(element, GST_STATE_NULL);
  }
}
GST_END_TEST;

/* CUDA refuses an algorithm that cannot run the kernel with the first caps. The CPU ignores it, and
 * it reads what was set. */
GST_START_TEST(algorithm_without_the_kernel) {
  GstHarness *h = test_harness_new("kernel=kirsch algorithm=two-pass", CAPS);
  if (is_on_cuda()) {
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(CAPS, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    assert_warnings(h, 1, "algorithm=two-pass cannot run this kernel (3x3, 8 matrices");
  } else {
    assert_filters_as(h, "kernel=kirsch");
    set(h->element, "kernel=log algorithm=register-tile");
    assert_filters_as(h, "kernel=log");
    test_assert_text(h->element, "algorithm", "register-tile");
    assert_warnings(h, 0, "");
  }
  test_teardown(h);
}
GST_END_TEST;

/* Between two streams it is as before the first. */
GST_START_TEST(refused_between_streams) {
  GstHarness *h = test_harness_new("kernel=gaussian", CAPS);
  assert_filters_as(h, "kernel=gaussian");
  set(h->element, "stride=3");
  assert_warnings(h, 1, "What was set before stays.");
  gst_element_set_state(h->element, GST_STATE_READY);
  fail_unless(gst_element_set_state(h->element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(h->element, GST_STATE_READY);
  set(h->element, "stride=3");
  assert_warnings(h, 0, "");
  fail_unless(gst_element_set_state(h->element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
properties_refused_suite(void) {
  Suite *suite = suite_create("properties-refused");
  TCase *tc = tcase_create("properties-refused");
  tcase_add_loop_test(tc, contradiction_goes_back, 0,
                      (int)G_N_ELEMENTS(contradictions) - (is_on_cuda() ? 0 : N_ON_CUDA_ONLY));
  tcase_add_test(tc, newer_value_stays);
  tcase_add_test(tc, handler_of_notify_sets_again);
  tcase_add_test(tc, wrong_value_stays_out);
  tcase_add_test(tc, size_is_a_wish);
  tcase_add_test(tc, useless_sigma);
  tcase_add_test(tc, bindings_are_told_once);
  tcase_add_loop_test(tc, refused_before_the_start, 0, G_N_ELEMENTS(starts));
  tcase_add_test(tc, algorithm_without_the_kernel);
  tcase_add_test(tc, refused_between_streams);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(properties_refused)
