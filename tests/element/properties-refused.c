/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties read as the values in effect. A value that cannot work is reset, wherever it is
 * detected. Before the start it is an error at the start, unless a later value fixes it. */

#include "common.h"

#include <gst/controller/controller.h>
#include <string.h>

#include "engine/shared.h"

#define CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1"

/* Fails unless there were `n_wanted` warnings since the last call, no errors, and `says` is in the
 * text. */
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
  test_assert_same_frame(CAPS, result, expected, properties);
}

/* --- during a stream --- */

typedef struct {
  const gchar *runs, *refused, *says;
} Contradiction;

static const Contradiction contradictions[] = {
    {"kernel=gaussian size=9", "response=direction", "response=direction: the kernel gaussian"},
    {"kernel=sobel response=direction", "kernel=box", "response=direction: the kernel box"},
    {"kernel=sobel response=direction", "matrix=<1,2,1,2,4,2,1,2,1>", "the kernel custom"},
    {"kernel=sobel response=canny", "kernel=roberts",
     "response=canny: the kernel is roberts; sobel"},
    {"kernel=sobel response=canny-l1", "row=<1,2,1>",
     "response=canny-l1: the kernel is custom; sobel"},
    {"kernel=sobel response=canny", "color=components", "response=canny: color=components is set"},
    {"kernel=scharr chroma=filter", "response=canny",
     "response=canny: chroma=filter is set; auto, copy or"},
    {"kernel=gaussian chroma-size=5", "kernel=sobel response=canny",
     "chroma-size is set; a chroma-kernel is needed"},
    {"kernel=sobel", "kernel=custom", "kernel=custom: no coefficients"},
    {"kernel=gaussian", "sigma=22", "21.08 is the largest sigma"},
    {"kernel=gaussian size=15 sigma=24", "size=0", "21.08 is the largest sigma"},
    {"kernel=box chroma-kernel=gaussian", "sigma=22", "chroma-kernel=gaussian: sigma=22 needs"},
    {"kernel=gaussian size=9 sigma=22", "chroma-kernel=gaussian size=0",
     "21.08 is the largest sigma"},
    {"kernel=sobel",
     "bias=7 response=offset stride=2 algorithm=scatter row=<1,2,1> kernel=custom "
     "response=direction",
     "response=direction"},
    {"kernel=gaussian", "roi=<64,0,8,8>", "roi=<64, 0, 8, 8>: outside of the frame"},
    {"kernel=sobel roi=<0,0,8,8>", "roi=<1,2,0,4>", "a width and a height of 1 or more"},
    {"kernel=sobel roi=<0,0,8,8>", "target=<<0,0>,<1,1>>", "target has 2 positions and roi has 1"},
    {"kernel=sobel roi=<0,0,8,8> target=<1,2>", "roi=<>", "target has 1 position and roi has 0"},
    {"kernel=sobel roi=<0,0,8,8> target=<40,2>", "stride=2", "target=<40, 2>: outside of the"},
    {"kernel=gaussian roi=<0,0,8,8>", "stride=2 roi-sigma=0.2",
     "roi-sigma=0.2: stride=1 is needed"},
    {"kernel=gaussian roi-sigma=0.2", "scale=2", "roi-sigma=0.2: scale=0 is needed"},
    {"kernel=gaussian roi-sigma=0.2", "response=offset", "roi-sigma=0.2: response=auto or clamp"},
    {"kernel=sharpen", "alpha=weighted", "alpha=weighted: the kernel sharpen has negative taps"},
    {"kernel=box alpha=weighted", "kernel=sobel", "the kernel sobel has negative taps"},
    {"kernel=box alpha=weighted", "border=constant", "border=constant is set; another border"},
    {"kernel=box alpha=weighted", "scale=0.5 bias=7", "alpha=weighted: scale=0.5 is set; 0 is"},
    {"kernel=box alpha=weighted chroma=filter", "chroma-kernel=unsharp",
     "chroma-kernel=unsharp: alpha=weighted: the kernel unsharp has negative taps"},
    /* CUDA only; the CPU backend ignores `algorithm` */
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

/* After a refusal at a frame boundary all properties read as before, the reset ones are notified,
 * and an unrelated change and a restart work. */
GST_START_TEST(contradiction_is_reset) {
  const Contradiction *c = &contradictions[__i__];
  GstHarness *h = test_harness_new(c->runs, CAPS);
  assert_filters_as(h, c->runs);
  g_autofree gchar *before = test_pixel_properties(h->element);
  test_set(h->element, c->refused);
  g_autofree gchar *changed = test_pixel_properties(h->element);
  fail_if(g_str_equal(changed, before), "%s changes nothing", c->refused);

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

  test_set(h->element, "border=wrap");
  g_autofree gchar *with_border = g_strdup_printf("%s border=wrap", c->runs);
  assert_filters_as(h, with_border);
  gst_element_set_state(h->element, GST_STATE_NULL);
  fail_unless(gst_element_set_state(h->element, GST_STATE_PLAYING) == GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event(h, gst_event_new_stream_start("again"));
  gst_harness_set_src_caps_str(h, CAPS);
  assert_filters_as(h, with_border);
  assert_warnings(h, 0, "");
  test_teardown(h);
}
GST_END_TEST;

/* A value that is set again before the frame boundary is kept. */
GST_START_TEST(newer_value_is_kept) {
  GstHarness *h = test_harness_new("kernel=gaussian", CAPS);
  assert_filters_as(h, "kernel=gaussian");
  test_set(h->element, "response=direction bias=7");
  g_object_freeze_notify(G_OBJECT(h->element)); /* so that the next value is not committed yet */
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

/* A handler that keeps setting the refused value gets a refusal each time. */
GST_START_TEST(handler_of_notify_sets_again) {
  guint left = 5;
  GstHarness *h = test_harness_new("kernel=gaussian", CAPS);
  assert_filters_as(h, "kernel=gaussian");
  g_signal_connect(h->element, "notify::algorithm", G_CALLBACK(set_again), &left);
  for (guint i = 0; i < 8; i++) {
    test_set(h->element, "algorithm=scatter response=direction");
    assert_filters_as(h, "kernel=gaussian");
    test_assert_text(h->element, "response", left ? "direction" : "auto");
  }
  test_teardown(h);
}
GST_END_TEST;

/* A value that is invalid by itself. */
GST_START_TEST(invalid_value_is_refused) {
  static const gchar *const invalid[][2] = {
      {"stride=3", "stride=3 is refused: 1, 2 or 4 is needed"},
      {"size=4", "size=4 is refused: an odd number from 1 to 127, or 0"},
      {"size=129", "size=129 is refused: an odd number from 1 to 127, or 0"},
      {"chroma-size=4",
       "chroma-size=4 is refused: an odd number from 1 to 127, or 0 for the size of luma, is"},
      {"chroma-size=-1", "chroma-size=-1 is refused: an odd number from 1 to 127, or 0"},
      {"sigma=-0.5",
       "sigma=-0.5 is refused: a number from 0 to 1000 is needed. The previous value"},
      {"bias=nan", "bias=nan is refused: a number from -65535 to 65535 is needed"},
      {"border-value=1.01", "border-value=1.01 is refused: a number from 0 to 1 is needed"},
      {"threshold=1.01", "threshold=1.01 is refused: a number from 0 to 1 is needed"},
      {"mix=8.5", "mix=8.5 is refused: a number from -8 to 8 is needed"},
      {"roi-sigma=-0.5", "roi-sigma=-0.5 is refused: a number from 0 to 1 is needed"},
      {"roi-sigma=nan", "roi-sigma=nan is refused: a number from 0 to 1 is needed"},
      {"roi=<1,2,3>",
       "roi=<1, 2, 3> is refused: 3 numbers: each region needs <x, y, width, height>"},
      {"roi=<1,2,3,-4>", "roi=<1, 2, 3, -4> is refused: -4: each region needs"},
      {"roi=<1,2,3,4.5>", "roi=<1, 2, 3, 4.5> is refused: 4.5: each region needs"},
      {"roi=<1,2,3,x>", "roi=<1, 2, 3, x> is refused: \"x\": each region needs"},
      {"roi=<<1,2,3,4>,5>", "roi=<<1, 2, 3, 4>, 5> is refused: 5: each region needs"},
      {"roi=<5,<1,2,3,4>>", "roi=<5, <1, 2, 3, 4>> is refused: 2 numbers: each region needs"},
      {"roi=<<1,2,3,4>,<>>", "is refused: 0 numbers: each region needs"},
      {"roi=<1,2,3,9999999999>", "is refused: 9999999999: each region needs"},
      {"target=<1,2,3>", "target=<1, 2, 3> is refused: 3 numbers: each position needs <x, y>"},
      {"matrix=<1,1,1,1>", "matrix=<1, 1, 1, 1> is refused"},
      {"kernel-file=nope.ini", "kernel-file=\"nope.ini\" is refused"},
  };
  GstHarness *h = test_harness_new("kernel=gaussian stride=2", CAPS);
  g_autofree gchar *before = test_pixel_properties(h->element);
  for (guint i = 0; i < G_N_ELEMENTS(invalid); i++) {
    test_set(h->element, invalid[i][0]);
    g_autofree gchar *after = test_pixel_properties(h->element);
    fail_unless_equals_string(after, before);
    assert_warnings(h, 1, invalid[i][1]);
  }
  test_teardown(h);
}
GST_END_TEST;

/* A kernel uses its next smaller size, and nothing is refused. */
GST_START_TEST(size_is_a_preference) {
  GstHarness *h = test_harness_new("kernel=gaussian size=9", CAPS);
  assert_filters_as(h, "kernel=gaussian size=9");
  test_set(h->element, "kernel=sobel");
  assert_filters_as(h, "kernel=sobel size=7");
  test_set(h->element, "bias=20");
  assert_filters_as(h, "kernel=sobel size=7 bias=20");
  test_set(h->element, "kernel=kirsch bias=0");
  assert_filters_as(h, "kernel=kirsch");
  test_set(h->element, "row=<1,2,1>");
  assert_filters_as(h, "row=<1,2,1>");
  test_set(h->element, "kernel=gaussian");
  assert_filters_as(h, "kernel=gaussian size=9");
  test_assert_text(h->element, "size", "9");
  assert_warnings(h, 0, "");
  test_teardown(h);
}
GST_END_TEST;

/* A sigma without effect is reported once, when a kernel other than gaussian comes into use. */
GST_START_TEST(useless_sigma) {
  GstHarness *h = test_harness_new("sigma=1.5", CAPS);
  assert_filters_as(h, "kernel=sobel");
  assert_warnings(h, 1, "sigma=1.5 has no effect on the kernel sobel");
  test_set(h->element, "sigma=2 bias=20");
  assert_filters_as(h, "kernel=sobel bias=20");
  assert_warnings(h, 0, "");
  test_set(h->element, "kernel=gaussian bias=0");
  assert_filters_as(h, "kernel=gaussian sigma=2");
  assert_warnings(h, 0, "");
  test_set(h->element, "kernel=box");
  assert_filters_as(h, "kernel=box");
  assert_warnings(h, 1, "sigma=2 has no effect on the kernel box");
  test_teardown(h);
}
GST_END_TEST;

/* The same holds for roi-sigma, which is reported by itself. */
GST_START_TEST(useless_roi_sigma) {
  GstHarness *h = test_harness_new("roi-sigma=0.2", CAPS);
  assert_filters_as(h, "kernel=sobel");
  assert_warnings(h, 1, "roi-sigma=0.2 has no effect on the kernel sobel; kernel=gaussian uses it");
  test_set(h->element, "roi-sigma=0.3");
  assert_filters_as(h, "kernel=sobel");
  assert_warnings(h, 0, "");
  test_set(h->element, "kernel=gaussian");
  assert_filters_as(h, "kernel=gaussian roi-sigma=0.3");
  assert_warnings(h, 0, "");
  test_set(h->element, "kernel=box sigma=2");
  assert_filters_as(h, "kernel=box");
  assert_warnings(h, 2, "sigma=2 has no effect on the kernel box");
  test_teardown(h);
}
GST_END_TEST;

/* A kernel for chroma without effect is reported once, and again only after it had an effect. */
GST_START_TEST(useless_chroma_kernel) {
  static const struct {
    const gchar *changes, *says; /* NULL: no warning */
  } steps[] = {
      {"chroma=copy", "chroma-kernel=box has no effect, because chroma is not filtered; "
                      "chroma=filter filters it"},
      {"bias=20 chroma=neutral", NULL},
      {"overlay=0xffff0000", NULL},
      {"overlay=0 chroma=filter", NULL},
      {"overlay=0xffff0000", "because the overlay replaces chroma"},
      {"overlay=0 chroma=auto", NULL},
      {"threshold=0.5", "because the threshold sets chroma to grey"},
      {"threshold=0 chroma-size=3", NULL},
      {"chroma-kernel=same", "chroma-size=3 has no effect, because chroma is not filtered"},
      {"kernel=gaussian", NULL},
      {"bias=0 roi-sigma=0.2 chroma-kernel=sobel",
       "chroma-kernel=sobel has no effect, because roi-sigma blurs chroma as it blurs luma"},
      {"chroma-kernel=same chroma-size=0", NULL},
      {"roi-sigma=0 chroma=neutral", NULL},
      {"chroma-size=1", "chroma-size=1 has no effect"},
  };
  GstHarness *h = test_harness_new("chroma-kernel=box", CAPS);
  gst_buffer_unref(test_push_pull(h, test_frame_random(CAPS, 1)));
  assert_warnings(h, 0, "");
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    test_set(h->element, steps[i].changes);
    for (guint n = 0; n < 2; n++)
      gst_buffer_unref(test_push_pull(h, test_frame_random(CAPS, 1)));
    assert_warnings(h, steps[i].says != NULL, steps[i].says ? steps[i].says : "");
  }
  test_teardown(h);
}
GST_END_TEST;

/* Thresholds without effect are reported once, and so are scale and bias. */
GST_START_TEST(useless_with_response) {
  static const struct {
    const gchar *changes;
    guint n; /* number of warnings */
    const gchar *says;
  } steps[] = {
      {"low=100 high=200", 0, ""},
      {"low=50", 1, "low=50 has no effect on the response magnitude; response=canny uses it"},
      {"low=60 bias=20", 0, ""},
      {"high=100", 1, "high=100 has no effect on the response magnitude; response=canny uses it"},
      {"response=canny", 1, "bias=20 has no effect on the response canny"},
      {"bias=0 low=100 scale=0.5", 1, "scale=0.5 has no effect on the response canny"},
      {"response=canny-l1 scale=2", 0, ""},
      {"response=direction", 1, "high=100 has no effect on the response direction"},
      {"high=200 response=canny", 1, "scale=2 has no effect on the response canny"},
      {"scale=0", 0, ""},
      {"response=auto", 0, ""},
      {"low=0 high=0 kernel=box", 2, "low=0 has no effect on the response clamp"},
  };
  GstHarness *h = test_harness_new("kernel=sobel", CAPS);
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    test_set(h->element, steps[i].changes);
    for (guint n = 0; n < 2; n++)
      gst_buffer_unref(test_push_pull(h, test_frame_random(CAPS, 1)));
    assert_warnings(h, steps[i].n, steps[i].says);
  }
  test_teardown(h);
}
GST_END_TEST;

/* A Gaussian for chroma uses sigma, and not roi-sigma. */
GST_START_TEST(sigma_of_chroma) {
  GstHarness *h = test_harness_new("sigma=2 chroma-kernel=gaussian roi-sigma=0.2", CAPS);
  assert_filters_as(h, "kernel=sobel");
  assert_warnings(h, 1, "roi-sigma=0.2 has no effect on the kernel sobel");
  test_set(h->element, "chroma-kernel=box");
  assert_filters_as(h, "kernel=sobel");
  assert_warnings(h, 1, "sigma=2 has no effect on the kernel sobel");
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

/* If a binding sets invalid values frame after frame, one warning is posted. A new binding gets its
 * own warning. Values set otherwise take effect. */
GST_START_TEST(bindings_are_reported_once) {
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
      test_set(h->element, i < 3 ? "size=0 border=wrap" : "border=reflect");
      gst_util_set_object_arg(G_OBJECT(h->element), "scale", scale);
      push_at(h, i);
      test_assert_text(h->element, "bias", bias);
      test_assert_text(h->element, "scale", scale);
      test_assert_text(h->element, "border", i < 3 ? "wrap" : "reflect");
      test_assert_text(h->element, "size", i < 3 ? "0" : "3");
      /* with size=3, large sigmas are accepted */
      g_autofree gchar *sigma = g_strdup_printf("%g", i < 2 ? 0 : sigmas[i]);
      test_assert_text(h->element, "sigma", sigma);
    }
    assert_warnings(h, 2, "21.08 is the largest sigma");
    static const gchar *const bound[] = {"size", "sigma", "bias"};
    for (guint i = 0; i < G_N_ELEMENTS(bound); i++) {
      g_autoptr(GstControlBinding) binding =
          gst_object_get_control_binding(GST_OBJECT(h->element), bound[i]);
      gst_object_remove_control_binding(GST_OBJECT(h->element), binding);
    }
    test_set(h->element, "size=0 sigma=0");
    push_at(h, 0);
  }
  test_teardown(h);
}
GST_END_TEST;

/* --- before the start --- */

typedef struct {
  const gchar *refused, *fixed; /* NULL: the element does not start */
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
    {"sigma=22 chroma-kernel=gaussian", NULL, "chroma-kernel=gaussian: sigma=22 needs a Gaussian"},
    {"sigma=22 chroma-kernel=gaussian", "chroma-size=9", NULL},
    {"sigma=22 chroma-kernel=gaussian", "chroma-kernel=box", NULL},
    {"chroma-size=4", NULL, "chroma-size=4 is refused: an odd number"},
    {"chroma-size=4", "chroma-size=0", NULL},
    {"kernel=gaussian sigma=22", "response=direction", "21.08 is the largest sigma"},
    {"kernel=gaussian response=direction", NULL, "response=direction: the kernel gaussian has 1"},
    {"alpha=weighted", NULL, "alpha=weighted: the kernel sobel has negative taps"},
    {"alpha=weighted", "kernel=box", NULL},
    {"alpha=weighted row=<1,2,-1>", "row=<1,2,1>", NULL},
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
fix(GstElement *element, const gchar *with) {
  if (g_str_has_prefix(with, "@preset="))
    fail_unless(gst_preset_load_preset(GST_PRESET(element), with + strlen("@preset=")));
  else
    test_set(element, with);
}

/* Each attempt to start gives one error and no warning until a value fixes the refused one, in NULL
 * and in READY. */
GST_START_TEST(refused_before_the_start) {
  const Start *start = &starts[__i__];
  for (GstState state = GST_STATE_NULL; state <= GST_STATE_READY; state++) {
    g_autoptr(GstElement) element = test_element_new(NULL);
    g_autoptr(GstBus) bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    gst_element_set_state(element, state);
    test_set(element, start->refused);
    for (guint i = 0; i < 2; i++) {
      guint n;
      const GstStateChangeReturn ret = gst_element_set_state(element, GST_STATE_PAUSED);
      fail_unless_equals_int(ret, GST_STATE_CHANGE_FAILURE);
      g_autofree gchar *text = test_bus_take(bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, &n);
      fail_unless(n == 1 && (start->fixed || strstr(text, start->says)), "%u: %s", n, text);
      gst_element_set_state(element, state);
    }
    if (start->fixed)
      fix(element, start->fixed);
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

/* The CUDA backend refuses, with the first caps, an algorithm that cannot run the kernel. The CPU
 * backend ignores the property, which reads as it was set. */
GST_START_TEST(algorithm_that_cannot_run_the_kernel) {
  GstHarness *h = test_harness_new("kernel=kirsch algorithm=two-pass", CAPS);
  if (is_on_cuda()) {
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(CAPS, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    assert_warnings(h, 1, "algorithm=two-pass cannot run this kernel (3x3, 8 matrices");
  } else {
    assert_filters_as(h, "kernel=kirsch");
    test_set(h->element, "kernel=log algorithm=register-tile");
    assert_filters_as(h, "kernel=log");
    test_assert_text(h->element, "algorithm", "register-tile");
    assert_warnings(h, 0, "");
  }
  test_teardown(h);
}
GST_END_TEST;

/* The same with a kernel for chroma. */
GST_START_TEST(algorithm_that_cannot_run_the_kernel_of_chroma) {
  g_autofree gchar *caps = test_caps("NV12", 33, 17);
  GstHarness *h = test_harness_new("kernel=box chroma-kernel=laplacian algorithm=two-pass", caps);
  if (is_on_cuda()) {
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    assert_warnings(h, 1,
                    "algorithm=two-pass cannot run the kernel of chroma (3x3, not separable): "
                    "direct, constant, tile-halo, tile-cached, scatter and tensor-core can, or");
  } else {
    gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
    assert_warnings(h, 0, "");
  }
  test_teardown(h);
}
GST_END_TEST;

/* Between two streams refusals work as before the first stream. */
GST_START_TEST(refused_between_streams) {
  GstHarness *h = test_harness_new("kernel=gaussian", CAPS);
  assert_filters_as(h, "kernel=gaussian");
  test_set(h->element, "stride=3");
  assert_warnings(h, 1, "The previous value stays in use.");
  gst_element_set_state(h->element, GST_STATE_READY);
  fail_unless(gst_element_set_state(h->element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(h->element, GST_STATE_READY);
  test_set(h->element, "stride=3");
  assert_warnings(h, 0, "");
  fail_unless(gst_element_set_state(h->element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
properties_refused_suite(void) {
  Suite *suite = suite_create("properties-refused");
  TCase *tc = tcase_create("properties-refused");
  tcase_add_loop_test(tc, contradiction_is_reset, 0,
                      (int)G_N_ELEMENTS(contradictions) - (is_on_cuda() ? 0 : N_ON_CUDA_ONLY));
  tcase_add_test(tc, newer_value_is_kept);
  tcase_add_test(tc, handler_of_notify_sets_again);
  tcase_add_test(tc, invalid_value_is_refused);
  tcase_add_test(tc, size_is_a_preference);
  tcase_add_test(tc, useless_sigma);
  tcase_add_test(tc, useless_roi_sigma);
  tcase_add_test(tc, useless_chroma_kernel);
  tcase_add_test(tc, useless_with_response);
  tcase_add_test(tc, sigma_of_chroma);
  tcase_add_test(tc, bindings_are_reported_once);
  tcase_add_loop_test(tc, refused_before_the_start, 0, G_N_ELEMENTS(starts));
  tcase_add_test(tc, algorithm_that_cannot_run_the_kernel);
  tcase_add_test(tc, algorithm_that_cannot_run_the_kernel_of_chroma);
  tcase_add_test(tc, refused_between_streams);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(properties_refused)
