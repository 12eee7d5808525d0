/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common.h"

#include "layout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIPPED 77

const gchar *
test_backend(void) {
  const gchar *backend = g_getenv("CUDACONV_TEST_BACKEND");
  return backend && *backend ? backend : "auto";
}

gboolean
test_is_instrumented(void) {
  static const gchar *const tools[] = {"vgpreload", "libasan", "libtsan", "libclang_rt"};
  static gint state; /* 0: not yet determined, 1: no, 2: yes */
  if (g_atomic_int_get(&state) == 0) {
    g_autofree gchar *maps = NULL;
    gboolean found = FALSE;
    if (g_file_get_contents("/proc/self/maps", &maps, NULL, NULL))
      for (guint i = 0; i < G_N_ELEMENTS(tools); i++)
        found |= strstr(maps, tools[i]) != NULL;
    g_atomic_int_set(&state, found ? 2 : 1);
  }
  return g_atomic_int_get(&state) == 2;
}

gboolean
test_is_complete(void) {
  return g_getenv("CUDACONV_TEST_COMPLETE") != NULL;
}

guint
test_count(guint quick, guint complete) {
  if (test_is_complete())
    return complete;
  return test_is_instrumented() ? MAX(quick / 5, 1) : quick;
}

GstElement *
test_element_new(const gchar *properties) {
  g_autofree gchar *line =
      g_strdup_printf("cudaconv backend=%s %s", test_backend(), properties ? properties : "");
  GError *error = NULL;
  GstElement *element = gst_parse_launch(line, &error);
  fail_unless(error == NULL, "%s: %s", line, error ? error->message : "");
  return gst_object_ref_sink(element);
}

gchar *
test_property_text(GstElement *element, const gchar *name) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), name, &value);
  gchar *text = gst_value_serialize(&value);
  g_value_unset(&value);
  return text;
}

void
test_set(GstElement *element, const gchar *settings) {
  g_auto(GStrv) words = g_strsplit(settings, " ", -1);
  g_object_freeze_notify(G_OBJECT(element)); /* all values are one change */
  for (guint i = 0; words[i]; i++) {
    g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);
    gst_util_set_object_arg(G_OBJECT(element), pair[0], pair[1]);
  }
  g_object_thaw_notify(G_OBJECT(element));
}

void
test_assert_text(GstElement *element, const gchar *name, const gchar *wanted) {
  g_autofree gchar *text = test_property_text(element, name);
  fail_unless(g_str_equal(text, wanted), "%s is %s instead of %s", name, text, wanted);
}

gchar *
test_pixel_properties(GstElement *element) {
  GString *text = g_string_new(NULL);
  g_auto(GStrv) names = gst_preset_get_property_names(GST_PRESET(element));
  for (guint i = 0; names[i]; i++) {
    g_autofree gchar *value = test_property_text(element, names[i]);
    g_string_append_printf(text, "%s=%s\n", names[i], value);
  }
  return g_string_free(text, FALSE);
}

gchar *
test_caps_with(const gchar *format, gint width, gint height, const gchar *fields) {
  return g_strdup_printf("video/x-raw,format=%s,width=%d,height=%d,framerate=30/1%s%s", format,
                         width, height, *fields ? "," : "", fields);
}

gchar *
test_caps(const gchar *format, gint width, gint height) {
  return test_caps_with(format, width, height, "");
}

gchar *
test_caps_divided(const gchar *caps_text, guint stride) {
  static const gchar *const fields[] = {"width", "height"};
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
    gint n;
    fail_unless(gst_structure_get_int(gst_caps_get_structure(caps, 0), fields[i], &n));
    gst_caps_set_simple(caps, fields[i], G_TYPE_INT, (n + (gint)stride - 1) / (gint)stride, NULL);
  }
  return gst_caps_to_string(caps);
}

GstHarness *
test_harness_new(const gchar *properties, const gchar *caps) {
  g_autoptr(GstElement) element = test_element_new(properties);
  return test_harness_around(element, caps);
}

GstHarness *
test_harness_around(GstElement *element, const gchar *caps) {
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  GstHarness *h = gst_harness_new_with_element(element, "sink", "src");
  gst_harness_set_live(h, FALSE);
  if (caps)
    gst_harness_set_src_caps_str(h, caps);
  return h;
}

/* Messages on the bus hold references to the element, and the element to the bus. Flushing the bus
 * breaks this cycle. */
void
test_teardown(GstHarness *h) {
  gst_bus_set_flushing(test_harness_bus(h), TRUE);
  gst_harness_teardown(h);
}

GstBus *
test_harness_bus(GstHarness *h) {
  return GST_ELEMENT_BUS(h->element);
}

static gchar *
message_text(GstMessage *message) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *debug = NULL;
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ERROR:
    gst_message_parse_error(message, &error, &debug);
    break;
  case GST_MESSAGE_WARNING:
    gst_message_parse_warning(message, &error, &debug);
    break;
  default: {
    const GstStructure *structure = gst_message_get_structure(message);
    return structure ? gst_structure_to_string(structure) : g_strdup("");
  }
  }
  return g_strdup_printf("%s (%s)", error->message, debug ? debug : "");
}

gchar *
test_bus_take(GstBus *bus, GstMessageType types, guint *count) {
  GString *text = g_string_new(NULL);
  guint n = 0;
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(bus, types))) {
    g_autofree gchar *line = message_text(message);
    g_string_append_printf(text, "%s\n", line);
    gst_message_unref(message);
    n++;
  }
  if (count)
    *count = n;
  return g_string_free(text, FALSE);
}

void
test_play_to_eos(GstElement *pipeline, guint seconds) {
  const guint limit = seconds * (test_is_instrumented() ? 10 : 1);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, limit * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(message != NULL, "no EOS after %u seconds", limit);
  g_autofree gchar *text = message_text(message);
  fail_unless(GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS, "%s", text);
}

GstEvent *
test_serialized_event(void) {
  return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("test"));
}

void
test_drain(GstHarness *h) {
  fail_unless(gst_harness_push_event(h, gst_event_new_eos()));
}

GstBuffer *
test_push_pull(GstHarness *h, GstBuffer *buffer) {
  fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  fail_unless(gst_harness_push_event(h, test_serialized_event()));
  GstBuffer *result = gst_harness_pull(h);
  GstEvent *event;
  fail_unless(result != NULL, "no frame came out");
  fail_unless_equals_int(gst_harness_buffers_in_queue(h), 0);
  while ((event = gst_harness_try_pull_event(h)))
    gst_event_unref(event);
  return result;
}

GstBuffer *
test_filter(const gchar *properties, const gchar *caps, GstBuffer *buffer) {
  GstHarness *h = test_harness_new(properties, caps);
  fail_unless(gst_harness_push(h, buffer) == GST_FLOW_OK, "%s: %s", caps, properties);
  test_drain(h);
  GstBuffer *result = gst_harness_pull(h);
  fail_unless(result != NULL, "%s: no frame came out of %s", caps, properties);
  test_teardown(h);
  return result;
}

GstBuffer *
test_frame_flat(const gchar *caps_text, guint8 value) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstVideoInfo info;
  fail_unless(caps != NULL && gst_video_info_from_caps(&info, caps), "%s", caps_text);
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
  gst_buffer_memset(buffer, 0, value, info.size);
  GST_BUFFER_PTS(buffer) = 0;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 30;
  return buffer;
}

static void
fill_plane(TestFrame *frame, guint p, GRand *rand, gboolean extreme) {
  const CcPlaneLayout *plane = &frame->layout.plane[p];
  guint32 max = (1u << plane->depth) - 1;
  for (guint y = 0; y < plane->height; y++) {
    guint8 *row = test_row(frame, p, y);
    for (guint i = 0; i < cc_plane_groups(plane) * plane->step; i++) {
      guint32 value = g_rand_int(rand);
      value = extreme ? (value & 1 ? max : 0) : value & max;
      if (plane->type == CC_SAMPLE_U8)
        row[i] = (guint8)value;
      else
        GST_WRITE_UINT16_LE(row + 2 * i, value << plane->shift);
    }
  }
}

GstBuffer *
test_frame_random(const gchar *caps, guint32 seed) {
  GstBuffer *buffer = test_frame_flat(caps, 0x5a);
  GRand *rand = g_rand_new_with_seed(seed);
  TestFrame frame;
  test_map(&frame, caps, buffer, GST_MAP_WRITE);
  for (guint p = 0; p < frame.layout.n_planes; p++)
    fill_plane(&frame, p, rand, seed % 3 == 2);
  test_unmap(&frame);
  g_rand_free(rand);
  return buffer;
}

/* Returns a description of the first difference of two planes, or NULL. Free with g_free. */
static gchar *
compare_planes(const TestFrame *a, const TestFrame *b, guint p) {
  const CcPlaneLayout *plane = &a->layout.plane[p];
  gsize bytes = cc_plane_row_bytes(plane);
  for (guint y = 0; y < plane->height; y++) {
    const guint8 *ra = test_row(a, p, y), *rb = test_row(b, p, y);
    for (gsize x = 0; x < bytes; x++)
      if (ra[x] != rb[x])
        return g_strdup_printf("plane %u, row %u, byte %zu: %u and %u", p, y, x, ra[x], rb[x]);
  }
  return NULL;
}

static gchar *
compare_frames(const gchar *caps, GstBuffer *a, GstBuffer *b) {
  TestFrame pa, pb;
  test_map(&pa, caps, a, GST_MAP_READ);
  test_map(&pb, caps, b, GST_MAP_READ);
  gchar *difference = NULL;
  for (guint p = 0; !difference && p < pa.layout.n_planes; p++)
    difference = compare_planes(&pa, &pb, p);
  test_unmap(&pa);
  test_unmap(&pb);
  return difference;
}

gboolean
test_same_frame(const gchar *caps, GstBuffer *a, GstBuffer *b) {
  g_autofree gchar *difference = compare_frames(caps, a, b);
  return difference == NULL;
}

void
test_assert_same_frame(const gchar *caps, GstBuffer *a, GstBuffer *b, const gchar *what) {
  g_autofree gchar *difference = compare_frames(caps, a, b);
  fail_unless(difference == NULL, "%s, %s: %s", caps, what, difference);
}

/* Returns an element on this CUDA device in READY, or NULL. Called outside of tests, so nothing
 * here may use fail_unless. */
static GstElement *
open_cuda(guint device_id) {
  GstElement *element = gst_element_factory_make("cudaconv", NULL);
  if (!element)
    return NULL;
  gst_object_ref_sink(element);
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda");
  g_object_set(element, "cuda-device-id", (gint)device_id, NULL);
  if (gst_element_set_state(element, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE)
    return element;
  gst_object_unref(element);
  return NULL;
}

static void
close_cuda(GstElement *element) {
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
}

static gboolean
cuda_opens(guint n_devices) {
  for (guint i = 0; i < n_devices; i++) {
    GstElement *element = open_cuda(i);
    if (!element)
      return FALSE;
    close_cuda(element);
  }
  return TRUE;
}

/* Opens the devices in a child process. The driver does not survive the fork that runs each test,
 * and the stand-in for the driver reads its settings once per process. The child also writes
 * GStreamer's registry: other plugins, when scanned, call the driver or start threads, whose ids
 * ThreadSanitizer forbids the forked tests to use. */
static gboolean
cuda_opens_in_child(guint n_devices) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    gst_init(NULL, NULL);
    _exit(cuda_opens(n_devices) ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == EXIT_SUCCESS;
}

int
test_main(int *argc, char ***argv, Suite *(*suite)(void), const gchar *name, guint n_devices) {
  gboolean cuda = g_str_equal(test_backend(), "cuda");
  const gboolean opens = cuda_opens_in_child(cuda ? n_devices : 0);
  if (cuda && !opens) {
    g_print("%s: skipped, fewer than %u CUDA devices open\n", name, n_devices);
    return g_getenv("CUDACONV_TEST_REQUIRED") ? EXIT_FAILURE : EXIT_SKIPPED;
  }
  gst_check_init(argc, argv);
  /* Without forks, an element on each device keeps the device's context alive, so that the tests'
   * elements open quickly. Every device then has one user, so the tests' elements select the first
   * device. */
  g_autoptr(GPtrArray) keepers = g_ptr_array_new_with_free_func((GDestroyNotify)close_cuda);
  const gboolean keeps = cuda && g_strcmp0(g_getenv("CK_FORK"), "no") == 0;
  for (GstElement *keeper; keeps && (keeper = open_cuda(keepers->len));)
    g_ptr_array_add(keepers, keeper);
  const int failed = gst_check_run_suite(suite(), name, __FILE__);
  return failed;
}
