/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When changes of properties take effect. A call that sets several properties takes effect as a
 * whole. No change is delayed more than 50 ms, whatever other threads do. */

#include "common.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <string.h>

#define MAX_PENDING_US 50000
#define N_FRAMES 2 /* few enough to come well within that time */
#define N_SETTERS 16
#define N_CHANGES 12

/* --- flat frames, whose value changes with bias --- */

static GstHarness *
open_harness(const gchar **caps) {
  *caps = "video/x-raw,format=GRAY8,width=16,height=8,framerate=30/1";
  return test_harness_new("kernel=identity", *caps);
}

/* The value of a flat frame of 50 after the filter. */
static guint8
filtered(GstHarness *h, const gchar *caps, GstClockTime time) {
  guint8 value;
  GstBuffer *frame = test_frame_flat(caps, 50);
  GST_BUFFER_PTS(frame) = time;
  GstBuffer *result = test_push_pull(h, frame);
  gst_buffer_extract(result, 0, &value, 1);
  gst_buffer_unref(result);
  return value;
}

/* Pushes frames until the change takes effect that was made at `since`. Fails if that takes longer
 * than MAX_PENDING_US. */
static void
push_until(GstHarness *h, const gchar *caps, guint8 expected, gint64 since) {
  for (;;) {
    const gint64 waited = g_get_monotonic_time() - since;
    if (filtered(h, caps, 0) == expected)
      break;
    fail_if(waited >= MAX_PENDING_US, "not in effect %" G_GINT64_FORMAT " us after the change",
            waited);
    g_usleep(1000);
  }
}

/* --- one call that never ends --- */

GST_START_TEST(change_takes_effect_during_an_unfinished_call) {
  const gchar *caps;
  GstHarness *h = open_harness(&caps);
  fail_unless_equals_int(filtered(h, caps, 0), 50);
  g_object_freeze_notify(G_OBJECT(h->element)); /* as g_object_set does until it returns */
  for (guint i = 1; i <= 3; i++) {
    const gint64 start = g_get_monotonic_time();
    g_object_set(h->element, "bias", 10.0 * i, NULL);
    push_until(h, caps, (guint8)(50 + 10 * i), g_get_monotonic_time());
    const gint64 waited = g_get_monotonic_time() - start;
    fail_unless(waited >= MAX_PENDING_US, "in effect after %" G_GINT64_FORMAT " us, within a call",
                waited);
  }
  g_object_thaw_notify(G_OBJECT(h->element));
  test_teardown(h);
}
GST_END_TEST;

/* Properties that are set together take effect together. */
GST_START_TEST(one_call_takes_effect_as_a_whole) {
  const gchar *caps;
  GstHarness *h = open_harness(&caps);
  for (guint i = 0; i < 20; i++) {
    g_object_set(h->element, "bias", 0.0, "scale", 1.0, NULL);
    fail_unless_equals_int(filtered(h, caps, 0), 50);
    g_object_freeze_notify(G_OBJECT(h->element));
    g_object_set(h->element, "bias", 7.0, NULL);
    fail_unless_equals_int(filtered(h, caps, 0), 50);
    g_object_set(h->element, "scale", 2.0, NULL);
    fail_unless_equals_int(filtered(h, caps, 0), 50);
    g_object_thaw_notify(G_OBJECT(h->element));
    fail_unless_equals_int(filtered(h, caps, 0), 107);
  }
  test_teardown(h);
}
GST_END_TEST;

/* A call may begin between the end of another call and GObject's notify for that other call. This
 * notify must not commit a part of the new call. */
GST_START_TEST(notify_of_one_call_does_not_commit_another) {
  const gchar *caps;
  GstHarness *h = open_harness(&caps);
  GObject *object = G_OBJECT(h->element);
  GObjectClass *klass = G_OBJECT_GET_CLASS(object);
  GParamSpec *notified = g_object_class_find_property(klass, "border");
  fail_unless_equals_int(filtered(h, caps, 0), 50);
  g_object_freeze_notify(object);
  g_object_set(object, "bias", 7.0, NULL);
  klass->dispatch_properties_changed(object, 1, &notified);
  fail_unless_equals_int(filtered(h, caps, 0), 50);
  g_object_set(object, "scale", 2.0, NULL);
  g_object_thaw_notify(object);
  fail_unless_equals_int(filtered(h, caps, 0), 107);
  test_teardown(h);
}
GST_END_TEST;

/* Values set before the start are in effect at the start. */
GST_START_TEST(change_before_the_start) {
  static const gchar caps[] = "video/x-raw,format=GRAY8,width=16,height=8,framerate=30/1";
  g_autoptr(GstElement) element = test_element_new("kernel=identity");
  g_object_freeze_notify(G_OBJECT(element));
  g_object_set(element, "bias", 30.0, NULL);
  GstHarness *h = test_harness_around(element, caps);
  fail_unless_equals_int(filtered(h, caps, 0), 80);
  g_object_thaw_notify(G_OBJECT(element));
  test_teardown(h);
}
GST_END_TEST;

/* --- many calls --- */

typedef struct {
  GstElement *element;
  gint stop; /* atomic */
} Setter;

/* Sets values that do not affect the frames. */
static gpointer
set_repeatedly(gpointer data) {
  Setter *setter = data;
  for (guint i = 0; !g_atomic_int_get(&setter->stop); i++)
    g_object_set(setter->element, "border-value", i % 2 * 0.5, "sigma", i % 3 * 1.0, NULL);
  return NULL;
}

GST_START_TEST(change_takes_effect_among_many_setters) {
  const gchar *caps;
  GstHarness *h = open_harness(&caps);
  Setter setter = {.element = h->element};
  GThread *threads[N_SETTERS];
  for (guint i = 0; i < N_SETTERS; i++)
    threads[i] = g_thread_new("setter", set_repeatedly, &setter);
  const guint n_changes = test_is_instrumented() ? 3 : N_CHANGES;
  for (guint i = 1; i <= n_changes; i++) {
    const guint8 bias = (guint8)(10 * i);
    g_object_set(h->element, "bias", (gdouble)bias, NULL);
    push_until(h, caps, 50 + bias, g_get_monotonic_time());
  }
  g_atomic_int_set(&setter.stop, TRUE);
  for (guint i = 0; i < N_SETTERS; i++)
    g_thread_join(threads[i]);
  test_teardown(h);
}
GST_END_TEST;

/* A controller's value takes effect with its frame, even during an unfinished call. */
GST_START_TEST(controlled_values_take_effect_at_once) {
  const gchar *caps;
  GstHarness *h = open_harness(&caps);
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  fail_unless(gst_timed_value_control_source_set(values, 0, 0));
  fail_unless(gst_timed_value_control_source_set(values, GST_SECOND, 100));
  fail_unless(gst_object_add_control_binding(
      GST_OBJECT(h->element),
      gst_direct_control_binding_new_absolute(GST_OBJECT(h->element), "bias", source)));
  gst_object_unref(source);
  g_object_freeze_notify(G_OBJECT(h->element));
  g_object_set(h->element, "scale", 2.0, NULL); /* part of an unfinished call */
  for (guint i = 0; i < N_FRAMES; i++)
    fail_unless_equals_int(filtered(h, caps, i * 10 * GST_MSECOND), 50 + i);
  g_object_thaw_notify(G_OBJECT(h->element));
  for (guint i = 0; i < 20; i++)
    fail_unless_equals_int(filtered(h, caps, i * 10 * GST_MSECOND), 100 + i);
  test_teardown(h);
}
GST_END_TEST;

/* A disabled control binding sets nothing, so its property waits for the end of the call. */
GST_START_TEST(disabled_binding_commits_nothing) {
  static const gchar *const names[] = {"sigma", "bias"};
  const gchar *caps;
  GstHarness *h = open_harness(&caps);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    GstControlSource *source = gst_interpolation_control_source_new();
    fail_unless(gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), 0, 0));
    fail_unless(gst_object_add_control_binding(
        GST_OBJECT(h->element),
        gst_direct_control_binding_new_absolute(GST_OBJECT(h->element), names[i], source)));
    gst_object_unref(source);
  }
  gst_object_set_control_binding_disabled(GST_OBJECT(h->element), "bias", TRUE);
  fail_unless_equals_int(filtered(h, caps, 0), 50);
  g_object_freeze_notify(G_OBJECT(h->element));
  g_object_set(h->element, "bias", 100.0, NULL);
  fail_unless_equals_int(filtered(h, caps, GST_MSECOND), 50);
  g_object_thaw_notify(G_OBJECT(h->element));
  fail_unless_equals_int(filtered(h, caps, 2 * GST_MSECOND), 150);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
properties_commit_suite(void) {
  Suite *suite = suite_create("properties-commit");
  TCase *tc = tcase_create("properties-commit");
  tcase_add_test(tc, change_takes_effect_during_an_unfinished_call);
  tcase_add_test(tc, one_call_takes_effect_as_a_whole);
  tcase_add_test(tc, notify_of_one_call_does_not_commit_another);
  tcase_add_test(tc, change_before_the_start);
  tcase_add_test(tc, change_takes_effect_among_many_setters);
  tcase_add_test(tc, controlled_values_take_effect_at_once);
  tcase_add_test(tc, disabled_binding_commits_nothing);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(properties_commit)
