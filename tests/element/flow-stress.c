/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Other threads change properties and states, send events and make queries during a stream. Each
 * test takes one second, or 20 in a complete run. */

#include "common.h"

#define N_FRAMES 10 /* minimum */

static gulong
stress_duration(void) {
  return test_count(1, 20) * G_USEC_PER_SEC;
}

static GstBuffer *
prepare_buffer(GstHarness *h, gpointer data) {
  return gst_buffer_copy(data);
}

/* Pushes frames from a thread of its own. The harness drops the frames that come out. */
static GstHarnessThread *
stress_frames(GstHarness *h, const gchar *caps_text, GstBuffer *buffer) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_set_drop_buffers(h, TRUE);
  return gst_harness_stress_push_buffer_with_cb_start_full(h, caps, &segment, prepare_buffer,
                                                           buffer, NULL, 0);
}

/* A value that is set and read again and again. */
typedef struct {
  GstHarness *h;
  const gchar *name, *value;
} Setting;

static void
set_and_get(gpointer thread, gpointer data) {
  const Setting *setting = data;
  GObject *element = G_OBJECT(setting->h->element);
  gst_util_set_object_arg(element, setting->name, setting->value);
  GValue value = G_VALUE_INIT;
  g_object_get_property(element, setting->name, &value);
  g_value_unset(&value);
}

static GstHarnessThread *
stress_setting(Setting *setting) {
  return gst_harness_stress_custom_start(setting->h, NULL, set_and_get, setting, 0);
}

GST_START_TEST(properties_while_frames_flow) {
  static const gchar *const formats[] = {"I420", "AYUV"};
  g_autofree gchar *caps = test_caps(formats[__i__], 65, 33);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  Setting settings[] = {
      {h, "kernel", "sobel"},
      {h, "kernel", "gaussian"},
      {h, "matrix", "<1,2,1,2,4,2,1,2,1>"},
      {h, "sigma", "1.5"},
      {h, "bias", "20"},
      {h, "border", "wrap"},
      {h, "border", "constant"},
      {h, "chroma", "filter"},
      {h, "row", "<1,2,1>"},
      {h, "column", "<1,2,1>"},
      {h, "border-value", "0.5"},
      {h, "scale", "0.1"},
      {h, "stride", "2"},
      {h, "stride", "1"},
      {h, "algorithm", "direct"},
      {h, "algorithm", "auto"},
      {h, "threshold", "0.5"},
      {h, "mix", "-2"},
      {h, "overlay", "0xffff0000"},
      {h, "roi", "<<0,0,8,8>,<5,5,60,28>>"},
      {h, "roi", "<>"},
      {h, "target", "<<1,2>,<3,4>>"},
      {h, "target", "<>"},
      {h, "outside", "black"},
      {h, "roi-meta", "true"},
      {h, "roi-meta", "false"},
      {h, "roi-sigma", "0.25"},
      {h, "chroma-kernel", "box"},
      {h, "chroma-kernel", "same"},
      {h, "chroma-size", "9"},
      {h, "fields", "frame"},
      {h, "alpha", "weighted"},
      {h, "alpha", "filter"},
  };
  GstBuffer *buffer = test_frame_random(caps, 1);
  GstHarnessThread *threads[G_N_ELEMENTS(settings)];
  GstHarnessThread *frames = stress_frames(h, caps, buffer);
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
    threads[i] = stress_setting(&settings[i]);
  g_usleep(stress_duration());
  /* on a loaded machine so many threads leave little time for the frames */
  for (guint i = 0; gst_harness_buffers_received(h) <= N_FRAMES && i < 300; i++)
    g_usleep(100000);
  guint changes = 0;
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
    changes += gst_harness_stress_thread_stop(threads[i]);
  guint pushed = gst_harness_stress_thread_stop(frames);
  fail_unless(pushed > N_FRAMES && changes > 1000, "only %u frames, %u changes", pushed, changes);
  GST_INFO("%u frames, %u property changes", pushed, changes);
  guint errors;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &errors);
  fail_unless(errors == 0, "%s", text);
  gst_buffer_unref(buffer);
  test_teardown(h);
}
GST_END_TEST;

static void
read_everything(gpointer thread, gpointer data) {
  GstHarness *h = data;
  guint n;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties(G_OBJECT_GET_CLASS(h->element), &n);
  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(h->element), specs[i]->name, &value);
    g_value_unset(&value);
  }
  gst_harness_query_latency(h);
  g_autoptr(GstCaps) caps = gst_pad_peer_query_caps(h->srcpad, NULL);
  fail_unless(caps != NULL);
}

GST_START_TEST(reading_while_frames_flow) {
  g_autofree gchar *caps = test_caps("NV12", 65, 33);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBuffer *buffer = test_frame_random(caps, 1);
  GstHarnessThread *frames = stress_frames(h, caps, buffer);
  GstHarnessThread *reader = gst_harness_stress_custom_start(h, NULL, read_everything, h, 100);
  GstEvent *event = gst_event_new_qos(GST_QOS_TYPE_OVERFLOW, 0.5, -1000, GST_SECOND);
  GstHarnessThread *qos = gst_harness_stress_push_upstream_event_start_full(h, event, 0);
  Setting setting = {h, "matrix", "<<1,2,1>>"};
  GstHarnessThread *matrix = stress_setting(&setting);
  g_usleep(stress_duration());
  gst_harness_stress_thread_stop(matrix);
  gst_harness_stress_thread_stop(qos);
  gst_event_unref(event);
  guint reads = gst_harness_stress_thread_stop(reader);
  guint pushed = gst_harness_stress_thread_stop(frames);
  fail_unless(reads > 10 && pushed > 10, "only %u reads, %u frames", reads, pushed);
  gst_buffer_unref(buffer);
  test_teardown(h);
}
GST_END_TEST;

/* A source whose stream another thread interrupts. The interruption happens at any time; the
 * restart of the stream only while no frame is pushed. */
typedef struct {
  GstHarness *h;
  const gchar *caps;
  GMutex streaming;
  GstBuffer *buffer;
} Source;

static void
source_init(Source *source, const gchar *properties, const gchar *caps) {
  source->h = test_harness_new(properties, caps);
  source->caps = caps;
  source->buffer = test_frame_random(caps, 1);
  g_mutex_init(&source->streaming);
  gst_harness_set_drop_buffers(source->h, TRUE);
}

static void
source_clear(Source *source) {
  gst_buffer_unref(source->buffer);
  test_teardown(source->h);
  g_mutex_clear(&source->streaming);
}

static void
push_segment(Source *source) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(source->h, gst_event_new_segment(&segment));
}

static void
push_frame(gpointer thread, gpointer data) {
  Source *source = data;
  g_mutex_lock(&source->streaming);
  GstFlowReturn flow = gst_harness_push(source->h, gst_buffer_copy(source->buffer));
  g_mutex_unlock(&source->streaming);
  fail_unless(flow == GST_FLOW_OK || flow == GST_FLOW_FLUSHING, "%s", gst_flow_get_name(flow));
}

/* Runs the frames and the interruptions until the time is over. */
static void
interrupt(Source *source, GFunc interruption) {
  GstHarnessThread *frames =
      gst_harness_stress_custom_start(source->h, NULL, push_frame, source, 0);
  GstHarnessThread *interruptions =
      gst_harness_stress_custom_start(source->h, NULL, interruption, source, 500);
  g_usleep(stress_duration());
  guint n = gst_harness_stress_thread_stop(interruptions);
  guint pushed = gst_harness_stress_thread_stop(frames);
  fail_unless(n > 10 && pushed > 10, "only %u interruptions, %u frames", n, pushed);
}

static void
stop_and_start(gpointer thread, gpointer data) {
  Source *source = data;
  gst_element_set_state(source->h->element, GST_STATE_NULL);
  g_mutex_lock(&source->streaming);
  gst_element_set_state(source->h->element, GST_STATE_PLAYING);
  GstCaps *caps = gst_caps_from_string(source->caps);
  gst_harness_push_event(source->h, gst_event_new_stream_start("stress"));
  gst_harness_push_event(source->h, gst_event_new_caps(caps));
  push_segment(source);
  gst_caps_unref(caps);
  g_mutex_unlock(&source->streaming);
}

GST_START_TEST(restarts_while_frames_flow) {
  Source source;
  g_autofree gchar *caps = test_caps("GRAY8", 65, 33);
  source_init(&source, "kernel=sobel", caps);
  Setting setting = {source.h, "bias", "20"};
  GstHarnessThread *bias = stress_setting(&setting);
  interrupt(&source, stop_and_start);
  gst_harness_stress_thread_stop(bias);
  source_clear(&source);
}
GST_END_TEST;

static void
flush(gpointer thread, gpointer data) {
  Source *source = data;
  gst_harness_push_event(source->h, gst_event_new_flush_start());
  g_mutex_lock(&source->streaming);
  gst_harness_push_event(source->h, gst_event_new_flush_stop(TRUE));
  push_segment(source);
  g_mutex_unlock(&source->streaming);
}

GST_START_TEST(flushes_while_frames_flow) {
  Source source;
  g_autofree gchar *caps = test_caps("RGB", 65, 33);
  source_init(&source, "kernel=sobel", caps);
  interrupt(&source, flush);
  source_clear(&source);
}
GST_END_TEST;

/* Sets two properties whenever another property changes, also when a refused value is reset. The
 * handler ignores changes of these two properties, or it would be called forever: a notify during a
 * notify of the same property starts the next one. */
static void
set_another(GObject *object, GParamSpec *pspec, gpointer data) {
  static const gchar *const targets[] = {"border-value", "bias", NULL};
  if (!g_strv_contains(targets, pspec->name))
    g_object_set(object, targets[0], g_random_double(), targets[1], 3.0, NULL);
}

/* The frame may come out or not, depending on the current values and state. */
static void
push_or_not(gpointer thread, gpointer data) {
  Source *source = data;
  g_mutex_lock(&source->streaming);
  gst_harness_push(source->h, gst_buffer_copy(source->buffer));
  g_mutex_unlock(&source->streaming);
}

/* Impossible values and combinations, set from many threads, from notify handlers and during state
 * changes. A preset fixes all of them at the end. */
GST_START_TEST(refusals_while_frames_flow) {
  Source source;
  g_autofree gchar *caps = test_caps("I420", 65, 33);
  source_init(&source, "kernel=sobel", caps);
  GstHarness *h = source.h;
  Setting settings[] = {
      {h, "kernel", "sobel"},   {h, "kernel", "box"},       {h, "response", "direction"},
      {h, "response", "auto"},  {h, "stride", "3"},         {h, "stride", "2"},
      {h, "size", "4"},         {h, "chroma-size", "4"},    {h, "chroma-kernel", "gaussian"},
      {h, "matrix", "<1,2>"},   {h, "matrix", "<<1,2,1>>"}, {h, "algorithm", "two-pass"},
      {h, "algorithm", "auto"}, {h, "kernel", "kirsch"},    {h, "sigma", "5"},
      {h, "sigma", "22"},       {h, "kernel", "gaussian"},  {h, "kernel-file", "nope.ini"},
      {h, "alpha", "weighted"}, {h, "alpha", "copy"},
  };
  GstHarnessThread *threads[G_N_ELEMENTS(settings)];
  g_signal_connect(h->element, "notify", G_CALLBACK(set_another), NULL);
  GstHarnessThread *frames = gst_harness_stress_custom_start(h, NULL, push_or_not, &source, 0);
  GstHarnessThread *restarts =
      gst_harness_stress_custom_start(h, NULL, stop_and_start, &source, 5000);
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
    threads[i] = gst_harness_stress_custom_start(h, NULL, set_and_get, &settings[i], 200);
  g_usleep(stress_duration());
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
    gst_harness_stress_thread_stop(threads[i]);
  gst_harness_stress_thread_stop(restarts);
  gst_harness_stress_thread_stop(frames);

  g_signal_handlers_disconnect_by_func(h->element, set_another, NULL);
  fail_unless(gst_preset_load_preset(GST_PRESET(h->element), "edges"));
  stop_and_start(NULL, &source);
  push_frame(NULL, &source);
  test_drain(h);
  g_autoptr(GstStructure) stats = NULL;
  guint64 n;
  g_object_get(h->element, "stats", &stats, NULL);
  fail_unless(gst_structure_get_uint64(stats, "frames", &n) && n == 1);
  source_clear(&source);
}
GST_END_TEST;

/* --- many elements --- */

#define MANY_FRAMES 6

typedef struct {
  const gchar *caps;
  gchar *properties;
  GstBuffer *results[MANY_FRAMES];
} Instance;

static gpointer
run_instance(gpointer data) {
  Instance *instance = data;
  GstHarness *h = test_harness_new(instance->properties, instance->caps);
  for (guint i = 0; i < MANY_FRAMES; i++)
    instance->results[i] = test_push_pull(h, test_frame_random(instance->caps, i));
  test_teardown(h);
  return NULL;
}

/* Elements that share the CPU's cores or a device give the same frames as one element alone. */
GST_START_TEST(many_elements) {
  enum { N = 16 };
  static const gchar *const kernels[] = {"gaussian", "sobel", "identity", "log"};
  g_autofree gchar *caps = test_caps("I420", 320, 181);
  Instance instances[N];
  GThread *threads[N];
  for (guint i = 0; i < N; i++) {
    instances[i] =
        (Instance){caps, g_strdup_printf("kernel=%s n-threads=%u", kernels[i % 4], i % 5), {NULL}};
    threads[i] = g_thread_new("instance", run_instance, &instances[i]);
  }
  for (guint i = 0; i < N; i++)
    g_thread_join(threads[i]);
  for (guint frame = 0; frame < MANY_FRAMES; frame++)
    for (guint k = 0; k < G_N_ELEMENTS(kernels); k++) {
      g_autofree gchar *properties = g_strdup_printf("kernel=%s", kernels[k]);
      GstBuffer *expected = test_filter(properties, caps, test_frame_random(caps, frame));
      for (guint i = k; i < N; i += G_N_ELEMENTS(kernels)) {
        test_assert_same_frame(caps, instances[i].results[frame], expected, properties);
        gst_buffer_unref(instances[i].results[frame]);
      }
      gst_buffer_unref(expected);
    }
  for (guint i = 0; i < N; i++)
    g_free(instances[i].properties);
}
GST_END_TEST;

static Suite *
flow_stress_suite(void) {
  Suite *suite = suite_create("flow-stress");
  TCase *tc = tcase_create("flow-stress");
  tcase_set_timeout(tc, 30 + 2.0 * stress_duration() / G_USEC_PER_SEC);
  tcase_add_loop_test(tc, properties_while_frames_flow, 0, 2);
  tcase_add_test(tc, restarts_while_frames_flow);
  tcase_add_test(tc, reading_while_frames_flow);
  tcase_add_test(tc, flushes_while_frames_flow);
  tcase_add_test(tc, refusals_while_frames_flow);
  tcase_add_test(tc, many_elements);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(flow_stress)
