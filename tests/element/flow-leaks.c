/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* With GStreamer's leaks tracer: streams leave no objects alive, not even after errors. */

#include "common.h"

static GstTracer *
find_tracer(void) {
  GstTracer *found = NULL;
  GList *tracers = gst_tracing_get_active_tracers();
  for (GList *link = tracers; link; link = link->next)
    if (g_str_equal(G_OBJECT_TYPE_NAME(link->data), "GstLeaksTracer"))
      found = gst_object_ref(link->data);
  g_list_free_full(tracers, gst_object_unref);
  fail_unless(found != NULL, "no leaks tracer");
  return found;
}

/* The types and addresses in a list of a checkpoint, one a line. */
static gchar *
list_text(const GValue *list) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < gst_value_list_get_size(list); i++) {
    g_autofree gchar *line = gst_value_serialize(gst_value_list_get_value(list, i));
    g_string_append_printf(text, "%s\n", line);
  }
  return g_string_free(text, FALSE);
}

/* Fails unless all GstObjects and GstMiniObjects created since the tracking began are gone. */
static void
assert_all_gone(GstTracer *tracer) {
  GstStructure *info = NULL;
  g_signal_emit_by_name(tracer, "activity-get-checkpoint", &info);
  const GValue *made = gst_structure_get_value(info, "objects-created-list");
  const GValue *gone = gst_structure_get_value(info, "objects-removed-list");
  g_autofree gchar *made_text = list_text(made), *gone_text = list_text(gone);
  fail_unless(gst_value_list_get_size(made) > 0, "nothing was tracked");
  fail_unless(gst_value_list_get_size(made) == gst_value_list_get_size(gone),
              "made:\n%s\ngone:\n%s", made_text, gone_text);
  gst_structure_free(info);
}

static void
filter_some(void) {
  g_autofree gchar *caps = test_caps("NV12", 33, 17);
  g_autofree gchar *other = test_caps("RGB", 17, 5);
  GstHarness *h = test_harness_new("kernel=sobel", caps);
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  gst_util_set_object_arg(G_OBJECT(h->element), "matrix", "<1,2,1,2,4,2,1,2,1>");
  gst_util_set_object_arg(G_OBJECT(h->element), "matrix", "<1,2>");
  gst_harness_set_src_caps_str(h, other);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(other, 1)), GST_FLOW_OK);
  test_teardown(h);
}

static void
flush_some(void) {
  g_autofree gchar *caps = test_caps("GRAY8", 33, 17);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)), GST_FLOW_OK);
  fail_unless(gst_harness_push_event(h, gst_event_new_flush_start()));
  fail_unless(gst_harness_push_event(h, gst_event_new_flush_stop(TRUE)));
  test_teardown(h);
}

static void
fail_with_frames_in_flight(void) {
  g_autofree gchar *caps = test_caps("I420", 64, 48);
  GstHarness *h = test_harness_new("kernel=sobel", caps);
  fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 1)), GST_FLOW_OK);
  fail_unless_equals_int(gst_harness_push(h, gst_buffer_new_allocate(NULL, 100, NULL)),
                         GST_FLOW_ERROR);
  test_teardown(h);
}

static void
stop_with_frames_in_flight(void) {
  g_autofree gchar *caps = test_caps("I420", 64, 48);
  GstHarness *h = test_harness_new("kernel=sobel", caps);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  gst_element_set_state(h->element, GST_STATE_NULL);
  test_teardown(h);
}

static void
fail_to_start(void) {
  GstElement *element = test_element_new("kernel=custom");
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PLAYING),
                         GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
}

static void (*const streams[])(void) = {filter_some, flush_some, fail_with_frames_in_flight,
                                        stop_with_frames_in_flight, fail_to_start};

GST_START_TEST(nothing_stays_alive) {
  /* one run before the tracking, for objects that GStreamer creates once and keeps */
  streams[__i__]();
  GstTracer *tracer = find_tracer();
  g_signal_emit_by_name(tracer, "activity-start-tracking");
  for (guint n = 0; n < 5; n++)
    streams[__i__]();
  assert_all_gone(tracer);
  g_signal_emit_by_name(tracer, "activity-stop-tracking");
  gst_object_unref(tracer);
}
GST_END_TEST;

static Suite *
flow_leaks_suite(void) {
  Suite *suite = suite_create("flow-leaks");
  TCase *tc = tcase_create("flow-leaks");
  tcase_add_loop_test(tc, nothing_stays_alive, 0, G_N_ELEMENTS(streams));
  suite_add_tcase(suite, tc);
  return suite;
}

int
main(int argc, char **argv) {
  g_setenv("GST_TRACERS", "leaks", TRUE);
  return test_main(&argc, &argv, flow_leaks_suite, "leaks", 1);
}
