/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CUDA contexts: which one elements work in, and frames from another one of the same GPU. */

#include "cudacontext.h"

#include <gst/cuda/gstcudaloader.h>

#define BLUR "kernel=gaussian"

/* In a pipeline all elements share a context, and frames between them stay on the device. */
GST_START_TEST(two_elements_share_a_context) {
  GstElement *pipeline = gst_parse_launch(
      "videotestsrc num-buffers=10 ! video/x-raw,format=NV12,width=320,height=240 ! "
      "cudaconv name=a backend=cuda kernel=gaussian ! queue ! cudaconv name=b backend=cuda ! "
      "video/x-raw ! fakesink",
      NULL);
  g_autoptr(GstElement) a = gst_bin_get_by_name(GST_BIN(pipeline), "a");
  g_autoptr(GstElement) b = gst_bin_get_by_name(GST_BIN(pipeline), "b");
  test_play_to_eos(pipeline, 30);
  fail_unless(test_context_handle(a) == test_context_handle(b));
  g_autofree gchar *between = test_stats_string(a, "output-path");
  g_autofree gchar *there = test_stats_string(b, "input-path");
  g_autofree gchar *behind = test_stats_string(b, "output-path");
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
  g_autoptr(GstElement) element = test_element_new(BLUR);
  g_autoptr(GstContext) context = gst_context_new_cuda_context(own);
  gst_element_set_context(element, context);
  GstHarness *h = test_harness_around(element, NULL);
  fail_unless(test_context_handle(element) == gst_cuda_context_get_handle(own));
  gst_object_unref(own);
  return h;
}

GST_START_TEST(context_of_the_application_is_used) {
  GstHarness *h = harness_in_new_context(0);
  for (guint i = 0; i < 3; i++)
    test_filter_frame_of(h, h, BLUR, i);
  test_teardown(h);
}
GST_END_TEST;

/* A frame of another context on the same device: the element moves there, and back. */
GST_START_TEST(element_follows_a_frames_context) {
  GstHarness *other = harness_in_new_context(0), *h = test_harness_new(BLUR, NULL);
  gpointer own = test_context_handle(h->element);
  fail_if(own == test_context_handle(other->element));
  test_filter_frame_of(h, h, BLUR, 1);
  for (guint i = 0; i < 3; i++) {
    test_filter_frame_of(other, h, BLUR, i);
    fail_unless(test_context_handle(h->element) == test_context_handle(other->element));
    g_autofree gchar *way = test_stats_string(h->element, "input-path");
    fail_unless_equals_string(way, "CUDA memory");
  }
  test_filter_frame_of(other, other, BLUR, 7);
  test_teardown(h);
  test_teardown(other);
}
GST_END_TEST;

static Suite *
contexts_suite(void) {
  Suite *suite = suite_create("contexts");
  TCase *tc = tcase_create("contexts");
  tcase_add_test(tc, two_elements_share_a_context);
  tcase_add_test(tc, context_of_the_application_is_used);
  tcase_add_test(tc, element_follows_a_frames_context);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(contexts)
