/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All frames come out in order, whatever events come between them. A GPU keeps frames in flight, so
 * each of these events must push or drop them. */

#include "common.h"

#include <string.h>

/* The buffers and events that arrived downstream, one letter each. A frame's letter is its first
 * byte; the tests push flat frames of letters. The letters of events are below. */
typedef struct {
  GMutex lock;
  GString *log;
} Recorder;

static GstPadProbeReturn
record(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Recorder *recorder = user_data;
  gchar letter = 0;
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
    guint8 byte = '?';
    gst_buffer_extract(GST_PAD_PROBE_INFO_BUFFER(info), 0, &byte, 1);
    letter = (gchar)byte;
  } else {
    switch (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info))) {
    case GST_EVENT_CAPS:
      letter = 'C';
      break;
    case GST_EVENT_SEGMENT:
      letter = 'S';
      break;
    case GST_EVENT_GAP:
      letter = 'G';
      break;
    case GST_EVENT_TAG:
      letter = 'T';
      break;
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      letter = 'U';
      break;
    case GST_EVENT_FLUSH_STOP:
      letter = 'F';
      break;
    case GST_EVENT_EOS:
      letter = 'E';
      break;
    default:
      return GST_PAD_PROBE_OK;
    }
  }
  g_mutex_lock(&recorder->lock);
  g_string_append_c(recorder->log, letter);
  g_mutex_unlock(&recorder->lock);
  return GST_PAD_PROBE_OK;
}

static Recorder recorder;

static void
setup(void) {
  g_mutex_init(&recorder.lock);
  recorder.log = g_string_new(NULL);
}

static void
teardown(void) {
  g_string_free(recorder.log, TRUE);
  g_mutex_clear(&recorder.lock);
}

static GstHarness *
recorded_harness(const gchar *properties, const gchar *caps) {
  GstHarness *h = test_harness_new(properties, NULL);
  gst_pad_add_probe(h->sinkpad,
                    GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                    record, &recorder, NULL);
  gst_harness_set_src_caps_str(h, caps);
  return h;
}

static void
push_letter(GstHarness *h, const gchar *caps, gchar letter) {
  fail_unless_equals_int(gst_harness_push(h, test_frame_flat(caps, (guint8)letter)), GST_FLOW_OK);
}

static void
push_event(GstHarness *h, GstEvent *event) {
  fail_unless(gst_harness_push_event(h, event));
}

GST_START_TEST(serialized_events_keep_their_order) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 4);
  GstHarness *h = recorded_harness("kernel=identity", caps);
  push_letter(h, caps, 'a');
  push_letter(h, caps, 'b');
  push_event(h, test_serialized_event());
  push_letter(h, caps, 'c');
  push_event(h, gst_event_new_gap(GST_SECOND, GST_SECOND));
  push_letter(h, caps, 'd');
  push_event(h, gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "x", NULL)));
  push_letter(h, caps, 'e');
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  push_event(h, gst_event_new_segment(&segment));
  push_letter(h, caps, 'f');
  push_letter(h, caps, 'g');
  push_event(h, gst_event_new_eos());
  fail_unless_equals_string(recorder.log->str, "CSabUcGdTeSfgE");
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(eos_pushes_every_frame) {
  g_autofree gchar *caps = test_caps("GRAY8", 33, 17);
  guint runs = test_count(35, 350);
  for (guint run = 0; run < runs; run++) {
    guint n = run % 7;
    GstHarness *h = test_harness_new("kernel=gaussian", caps);
    for (guint i = 0; i < n; i++) {
      GstBuffer *buffer = test_frame_flat(caps, (guint8)(10 + i));
      GST_BUFFER_PTS(buffer) = i * GST_SECOND / 30;
      fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
    }
    test_drain(h);
    fail_unless_equals_int(gst_harness_buffers_received(h), n);
    for (guint i = 0; i < n; i++) {
      GstBuffer *buffer = gst_harness_pull(h);
      guint8 byte;
      gst_buffer_extract(buffer, 0, &byte, 1);
      fail_unless_equals_int(byte, 10 + i);
      fail_unless_equals_uint64(GST_BUFFER_PTS(buffer), i * GST_SECOND / 30);
      gst_buffer_unref(buffer);
    }
    test_teardown(h);
  }
}
GST_END_TEST;

GST_START_TEST(caps_change_pushes_old_frames_first) {
  static const struct {
    const gchar *format;
    gint width, height;
  } steps[] = {{"GRAY8", 64, 48}, {"GRAY8", 17, 5}, {"RGB", 17, 5},      {"I420", 33, 17},
               {"NV12", 64, 48},  {"RGBA", 3, 2},   {"Y444_16LE", 9, 9}, {"GRAY8", 64, 48}};
  g_autofree gchar *caps = test_caps(steps[0].format, steps[0].width, steps[0].height);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    g_free(caps);
    caps = test_caps(steps[i].format, steps[i].width, steps[i].height);
    gst_harness_set_src_caps_str(h, caps);
    for (guint n = 0; n < 2; n++)
      fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, 2 * i + n)), GST_FLOW_OK);
  }
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), 2 * G_N_ELEMENTS(steps));
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    g_free(caps);
    caps = test_caps(steps[i].format, steps[i].width, steps[i].height);
    for (guint n = 0; n < 2; n++) {
      GstBuffer *expected =
          test_filter("kernel=gaussian", caps, test_frame_random(caps, 2 * i + n));
      GstBuffer *result = gst_harness_pull(h);
      test_assert_same_frame(caps, result, expected, "after a caps change");
      gst_buffer_unref(result);
      gst_buffer_unref(expected);
    }
  }
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(caps_event_follows_old_frames) {
  g_autofree gchar *small = test_caps("GRAY8", 16, 4);
  g_autofree gchar *large = test_caps("GRAY8", 32, 8);
  GstHarness *h = recorded_harness("kernel=identity", small);
  push_letter(h, small, 'a');
  push_letter(h, small, 'b');
  gst_harness_set_src_caps_str(h, large);
  push_letter(h, large, 'c');
  push_event(h, gst_event_new_eos());
  /* the harness may send its segment again with the caps */
  g_autofree gchar *log = g_strdup(recorder.log->str + strlen("CS"));
  fail_unless(g_str_has_prefix(recorder.log->str, "CSabC"), "%s", recorder.log->str);
  fail_unless(g_str_has_suffix(log, "cE"), "%s", recorder.log->str);
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(flush_drops_all_frames) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 4);
  GstHarness *h = recorded_harness("kernel=identity", caps);
  for (guint run = 0; run < 20; run++) {
    push_letter(h, caps, 'x');
    push_letter(h, caps, 'y');
    push_event(h, gst_event_new_flush_start());
    push_event(h, gst_event_new_flush_stop(TRUE));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    push_event(h, gst_event_new_segment(&segment));
    push_letter(h, caps, 'a');
    push_letter(h, caps, 'b');
    push_event(h, test_serialized_event());
    const gchar *flushed = strrchr(recorder.log->str, 'F');
    fail_unless(flushed != NULL, "%s", recorder.log->str);
    fail_unless_equals_string(flushed, "FSabU");
  }
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(stream_continues_after_eos_and_flush) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 4);
  GstHarness *h = recorded_harness("kernel=identity", caps);
  push_letter(h, caps, 'a');
  push_event(h, gst_event_new_eos());
  push_event(h, gst_event_new_flush_start());
  push_event(h, gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  push_event(h, gst_event_new_segment(&segment));
  push_letter(h, caps, 'b');
  push_event(h, gst_event_new_eos());
  fail_unless_equals_string(recorder.log->str, "CSaEFSbE");
  test_teardown(h);
}
GST_END_TEST;

/* QoS events from a slow sink must not stop the stream. Late frames may be skipped, frames in time
 * must pass. */
GST_START_TEST(qos_events_do_not_stop_the_stream) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 4);
  GstHarness *h = test_harness_new("kernel=identity", caps);
  gst_buffer_unref(test_push_pull(h, test_frame_flat(caps, 1)));
  fail_unless(gst_harness_push_upstream_event(
      h, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 100 * GST_MSECOND, 0)));
  GstEvent *event;
  gboolean seen = FALSE;
  while ((event = gst_harness_try_pull_upstream_event(h))) {
    seen |= GST_EVENT_TYPE(event) == GST_EVENT_QOS;
    gst_event_unref(event);
  }
  fail_unless(seen, "QOS does not reach upstream");
  for (guint i = 1; i < 5; i++) {
    GstBuffer *buffer = test_frame_flat(caps, (guint8)i);
    GST_BUFFER_PTS(buffer) = i * GST_SECOND;
    GstBuffer *result = test_push_pull(h, buffer);
    fail_unless_equals_uint64(GST_BUFFER_PTS(result), i * GST_SECOND);
    gst_buffer_unref(result);
  }
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(downstream_flow_is_returned_upstream) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 4);
  GstHarness *h = test_harness_new("kernel=identity", caps);
  gst_buffer_unref(test_push_pull(h, test_frame_flat(caps, 1)));
  gst_pad_set_active(h->sinkpad, FALSE);
  GstFlowReturn flow = GST_FLOW_OK;
  /* the result may come later by the number of frames in flight */
  for (guint i = 0; i < 16 && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push(h, test_frame_flat(caps, 1));
  fail_unless_equals_int(flow, GST_FLOW_FLUSHING);
  test_teardown(h);
}
GST_END_TEST;

/* Downstream that accepts `n_taken` frames and returns `flow` for all later ones. */
typedef struct {
  guint n_seen, n_taken;
  GstFlowReturn flow;
} Downstream;

static GstPadProbeReturn
return_flow(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Downstream *downstream = user_data;
  if (++downstream->n_seen <= downstream->n_taken)
    return GST_PAD_PROBE_OK;
  gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = downstream->flow;
  return GST_PAD_PROBE_HANDLED;
}

static const struct {
  GstFlowReturn flow;
  gboolean stops;
} flows[] = {
    {GST_FLOW_EOS, TRUE},
    {GST_FLOW_FLUSHING, TRUE},
    {GST_FLOW_ERROR, TRUE},
    {GST_FLOW_NOT_LINKED, FALSE},
};

/* After EOS, FLUSHING or an error from downstream, frames in flight are dropped, whatever event
 * would push them, and the result is returned upstream. If downstream accepts frames again, it gets
 * every later frame. After any other result, every frame is pushed. */
START_TEST(nothing_is_pushed_after_a_refusal) {
  static const gchar *const properties[] = {"kernel=identity", "kernel=identity in-flight=8"};
  const gchar *caps = "video/x-raw,format=GRAY8,width=64,height=4,framerate=30/1";
  const guint a = (guint)_i % G_N_ELEMENTS(flows);
  Downstream downstream = {.n_taken = 9, .flow = flows[a].flow};
  GstHarness *h = test_harness_new(properties[(guint)_i / G_N_ELEMENTS(flows)], caps);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, return_flow, &downstream, NULL);
  GstFlowReturn ret = GST_FLOW_OK;
  guint n = 0;
  for (; ret == GST_FLOW_OK && n < 40; n++)
    ret = gst_harness_push(h, test_frame_flat(caps, 'a'));
  fail_unless_equals_int(ret, downstream.flow);
  fail_unless_equals_int(downstream.n_seen, 10);
  gst_harness_push_event(h, test_serialized_event());
  fail_unless_equals_int(downstream.n_seen, flows[a].stops ? 10 : n);

  downstream.n_taken = G_MAXUINT;
  const guint seen_before = downstream.n_seen;
  for (guint i = 0; i < 20; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_flat(caps, 'b')), GST_FLOW_OK);
  gst_harness_push_event(h, gst_event_new_eos());
  fail_unless_equals_int(downstream.n_seen, seen_before + 20);
  test_teardown(h);
}
END_TEST

/* A buffer list is filtered frame by frame. A frame that cannot be filtered ends the list. */
GST_START_TEST(buffer_lists) {
  enum { N = 7 };
  g_autofree gchar *caps = test_caps("I420", 33, 17);
  for (guint bad = N; bad >= N - 2; bad--) {
    GstHarness *h = test_harness_new("kernel=gaussian", caps);
    GstBufferList *list = gst_buffer_list_new();
    for (guint i = 0; i < N; i++) {
      GstBuffer *frame =
          i == bad ? gst_buffer_new_allocate(NULL, 10, NULL) : test_frame_random(caps, i);
      GST_BUFFER_PTS(frame) = i * GST_SECOND;
      gst_buffer_list_add(list, frame);
    }
    const GstFlowReturn flow = gst_pad_push_list(h->srcpad, list);
    fail_unless_equals_int(flow, bad < N ? GST_FLOW_ERROR : GST_FLOW_OK);
    test_drain(h);
    for (guint i = 0; i < MIN(bad, N); i++) {
      GstBuffer *result = gst_harness_try_pull(h);
      fail_unless(result && GST_BUFFER_PTS(result) == i * GST_SECOND, "frame %u of %u", i, bad);
      GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, i));
      test_assert_same_frame(caps, result, expected, "frame of a list");
      gst_buffer_unref(expected);
      gst_buffer_unref(result);
    }
    fail_unless_equals_int(gst_harness_buffers_in_queue(h), 0);
    guint n;
    g_free(test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n));
    fail_unless_equals_int(n, bad < N);
    test_teardown(h);
  }
}
GST_END_TEST;

/* After a flushing seek, the first frame is from the new position. */
typedef struct {
  gboolean flushed;
  GstClockTime first; /* timestamp of the first frame after the flush */
} SeekWatch;

static GstPadProbeReturn
watch_seek(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  SeekWatch *watch = user_data;
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
    if (watch->flushed && watch->first == GST_CLOCK_TIME_NONE)
      watch->first = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_FLUSH_STOP) {
    watch->flushed = TRUE;
    watch->first = GST_CLOCK_TIME_NONE;
  }
  return GST_PAD_PROBE_OK;
}

GST_START_TEST(seeks) {
  g_autofree gchar *line =
      g_strdup_printf("videotestsrc ! video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1 ! "
                      "cudaconv kernel=gaussian backend=%s ! fakesink name=sink",
                      test_backend());
  GstElement *pipeline = gst_parse_launch(line, NULL);
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad(sink, "sink");
  SeekWatch watch = {.first = GST_CLOCK_TIME_NONE};
  gst_pad_add_probe(pad,
                    GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                    watch_seek, &watch, NULL);
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int(gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND),
                         GST_STATE_CHANGE_SUCCESS);
  for (guint i = 1; i <= 20; i++) {
    GstClockTime position = i * GST_SECOND;
    fail_unless(
        gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, (gint64)position));
    fail_unless_equals_int(gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND),
                           GST_STATE_CHANGE_SUCCESS);
    fail_unless_equals_uint64(watch.first, position);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pad);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
}
GST_END_TEST;

static Suite *
flow_stream_suite(void) {
  Suite *suite = suite_create("flow-stream");
  TCase *tc = tcase_create("flow-stream");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, serialized_events_keep_their_order);
  tcase_add_test(tc, eos_pushes_every_frame);
  tcase_add_test(tc, caps_change_pushes_old_frames_first);
  tcase_add_test(tc, caps_event_follows_old_frames);
  tcase_add_test(tc, flush_drops_all_frames);
  tcase_add_test(tc, stream_continues_after_eos_and_flush);
  tcase_add_test(tc, qos_events_do_not_stop_the_stream);
  tcase_add_test(tc, downstream_flow_is_returned_upstream);
  tcase_add_loop_test(tc, nothing_is_pushed_after_a_refusal, 0, 2 * G_N_ELEMENTS(flows));
  tcase_add_test(tc, buffer_lists);
  tcase_add_test(tc, seeks);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(flow_stream)
