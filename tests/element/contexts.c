/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CUDA contexts: which one elements work in, and frames from another one or from another GPU. */

#include "memory.h"

#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>

#define FORMAT "NV12"
#define WIDTH 322
#define HEIGHT 240

/* The context that an element answers a query with, borrowed from `query`; NULL: none. */
static GstContext *
ask_for_context(GstElement *element, GstQuery *query) {
  g_autoptr(GstPad) pad = gst_element_get_static_pad(element, "sink");
  GstContext *context = NULL;
  if (gst_pad_query(pad, query))
    gst_query_parse_context(query, &context);
  return context;
}

/* The driver's handle of the context that the element works in. */
static gpointer
context_handle(GstElement *element) {
  g_autoptr(GstQuery) query = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
  GstContext *context = ask_for_context(element, query);
  GstCudaContext *cuda = NULL;
  fail_unless(context != NULL, "no context");
  fail_unless(gst_structure_get(gst_context_get_structure(context), GST_CUDA_CONTEXT_TYPE,
                                GST_TYPE_CUDA_CONTEXT, &cuda, NULL));
  gpointer handle = gst_cuda_context_get_handle(cuda);
  gst_object_unref(cuda);
  return handle;
}

static gchar *
stats_string(GstElement *element, const gchar *field) {
  GstStructure *stats;
  g_object_get(element, "stats", &stats, NULL);
  gchar *text = g_strdup(gst_structure_get_string(stats, field));
  gst_structure_free(stats);
  return text;
}

/* In a pipeline all elements share a context, and frames between them stay on the device. */
GST_START_TEST(two_elements_share_a_context) {
  GstElement *pipeline = gst_parse_launch(
      "videotestsrc num-buffers=10 ! video/x-raw,format=NV12,width=320,height=240 ! "
      "cudaconv name=a backend=cuda kernel=gaussian ! queue ! cudaconv name=b backend=cuda ! "
      "video/x-raw ! fakesink",
      NULL);
  g_autoptr(GstElement) a = gst_bin_get_by_name(GST_BIN(pipeline), "a");
  g_autoptr(GstElement) b = gst_bin_get_by_name(GST_BIN(pipeline), "b");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, 30 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  fail_unless(context_handle(a) == context_handle(b));
  g_autofree gchar *between = stats_string(a, "output-path");
  g_autofree gchar *there = stats_string(b, "input-path");
  g_autofree gchar *behind = stats_string(b, "output-path");
  fail_unless_equals_string(between, "CUDA memory");
  fail_unless_equals_string(there, "CUDA memory");
  fail_unless_equals_string(behind, "pinned pool");
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}
GST_END_TEST;

/* An element in a context of its own on this device, which the application sets. */
static GstHarness *
harness_in_new_context(guint device_id) {
  fail_unless(gst_cuda_load_library());
  GstCudaContext *own = gst_cuda_context_new(device_id);
  fail_unless(own != NULL);
  g_autoptr(GstElement) element = test_element_new("kernel=gaussian");
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  g_autoptr(GstContext) context = gst_context_new_cuda_context(own);
  gst_element_set_context(element, context);
  GstHarness *h = gst_harness_new_with_element(element, "sink", "src");
  gst_harness_set_live(h, FALSE);
  fail_unless(context_handle(element) == gst_cuda_context_get_handle(own));
  gst_object_unref(own);
  return h;
}

/* Pushes a frame of CUDA memory that `owner` offers through `h`. */
static void
filter_frame_of(GstHarness *owner, GstHarness *h, guint seed) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  if (!gst_pad_has_current_caps(h->srcpad))
    gst_harness_set_src_caps_str(h, caps_in_cuda);
  GstBufferPool *pool = test_offered_pool(owner, caps_in_cuda);
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, seed));
  GstBuffer *result =
      test_push_pull(h, test_move_to_pool(pool, caps, test_frame_random(caps, seed)));
  test_assert_same_picture(caps, result, expected, "a frame of another context");
  gst_buffer_unref(expected);
  gst_buffer_unref(result);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

static void
prepare_to_offer(GstHarness *h) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  gst_harness_set_src_caps_str(h, caps_in_cuda);
}

GST_START_TEST(context_of_the_application_is_used) {
  GstHarness *h = harness_in_new_context(0);
  prepare_to_offer(h);
  for (guint i = 0; i < 3; i++)
    filter_frame_of(h, h, i);
  test_teardown(h);
}
GST_END_TEST;

/* A frame of another context on the same device: the element moves there, and back. */
GST_START_TEST(element_follows_a_frames_context) {
  GstHarness *other = harness_in_new_context(0), *h = test_harness_new("kernel=gaussian", NULL);
  prepare_to_offer(other);
  prepare_to_offer(h);
  gpointer own = context_handle(h->element);
  fail_if(own == context_handle(other->element));
  filter_frame_of(h, h, 1);
  for (guint i = 0; i < 3; i++) {
    filter_frame_of(other, h, i);
    fail_unless(context_handle(h->element) == context_handle(other->element));
    g_autofree gchar *way = stats_string(h->element, "input-path");
    fail_unless_equals_string(way, "CUDA memory");
  }
  filter_frame_of(other, other, 7);
  test_teardown(h);
  test_teardown(other);
}
GST_END_TEST;

static gboolean
device_opens(const gchar *id) {
  g_autofree gchar *properties = g_strdup_printf("cuda-device-id=%s", id);
  g_autoptr(GstElement) element = test_element_new(properties);
  const GstStateChangeReturn ret = gst_element_set_state(element, GST_STATE_READY);
  gst_element_set_state(element, GST_STATE_NULL);
  return ret == GST_STATE_CHANGE_SUCCESS;
}

/* With two GPUs: a frame is copied across to the one that the properties name; without a name the
 * element moves to that of the frame. */
GST_START_TEST(frames_of_another_gpu) {
  if (!device_opens("1")) {
    GST_INFO("there is one GPU only");
    return;
  }
  GstHarness *zero = test_harness_new("kernel=gaussian cuda-device-id=0", NULL);
  GstHarness *one = test_harness_new("kernel=gaussian cuda-device-id=1", NULL);
  GstHarness *any = test_harness_new("kernel=gaussian", NULL);
  prepare_to_offer(zero);
  prepare_to_offer(one);
  for (guint i = 0; i < 3; i++) {
    filter_frame_of(zero, one, i);
    g_autofree gchar *way = stats_string(one->element, "input-path");
    fail_unless_equals_string(way, "CUDA memory of another context");
    filter_frame_of(zero, any, i);
    filter_frame_of(one, any, i);
    fail_unless(context_handle(any->element) == context_handle(one->element));
  }
  test_teardown(any);
  test_teardown(one);
  test_teardown(zero);
}
GST_END_TEST;

static Suite *
contexts_suite(void) {
  Suite *suite = suite_create("contexts");
  TCase *tc = tcase_create("contexts");
  tcase_add_test(tc, two_elements_share_a_context);
  tcase_add_test(tc, context_of_the_application_is_used);
  tcase_add_test(tc, element_follows_a_frames_context);
  tcase_add_test(tc, frames_of_another_gpu);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(contexts)
