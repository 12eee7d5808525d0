/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two GPUs: the one that an element selects, and frames that come from one and are filtered on the
 * other. */

#include "cudacontext.h"

#define BLUR "kernel=gaussian"
#define ON_ZERO BLUR " cuda-device-id=0"
#define ON_ONE BLUR " cuda-device-id=1"
#define FRAMES 3

/* An element stays on the GPU that its properties name. */
GST_START_TEST(frame_is_copied_to_the_named_gpu) {
  GstHarness *gpu[] = {test_harness_new(ON_ZERO, NULL), test_harness_new(ON_ONE, NULL)};
  for (guint i = 0; i < 2 * FRAMES; i++) {
    GstHarness *from = gpu[i % 2], *to = gpu[1 - i % 2];
    gpointer handle = test_context_handle(to->element);
    test_filter_frame_of(from, to, i % 2 ? ON_ZERO : ON_ONE, i);
    g_autofree gchar *path = test_stats_string(to->element, "input-path");
    fail_unless_equals_string(path, "CUDA memory of another context");
    fail_unless(test_context_handle(to->element) == handle);
  }
  test_teardown(gpu[0]);
  test_teardown(gpu[1]);
}
GST_END_TEST;

/* If the properties name no GPU, the element moves to that of the frame. If frames of both GPUs
 * alternate, the element stays on the second GPU and the other frames are copied there. */
GST_START_TEST(element_moves_to_the_gpu_of_a_frame) {
  GstHarness *gpu[] = {test_harness_new(ON_ZERO, NULL), test_harness_new(ON_ONE, NULL)};
  GstHarness *any = test_harness_new(BLUR, NULL);
  for (guint i = 0; i < 2 * FRAMES; i++) {
    const guint at = MIN(i, 1);
    test_filter_frame_of(gpu[i % 2], any, BLUR, i);
    fail_unless(test_context_handle(any->element) == test_context_handle(gpu[at]->element));
    g_autofree gchar *path = test_stats_string(any->element, "input-path");
    fail_unless_equals_string(path, i % 2 == at ? "CUDA memory" : "CUDA memory of another context");
  }
  test_teardown(any);
  any = test_harness_new(BLUR " in-flight=4", NULL);
  test_filter_alternately(gpu, any, BLUR, 4 * FRAMES);
  test_teardown(any);
  test_teardown(gpu[0]);
  test_teardown(gpu[1]);
}
GST_END_TEST;

/* If the properties name no GPU and no frames are in CUDA memory, the element selects the GPU with
 * fewer users. Elements of one pipeline select the same GPU. */
GST_START_TEST(element_selects_the_gpu_with_fewer_users) {
  g_autofree gchar *caps = test_caps("NV12", 322, 240);
  for (guint busy = 0; busy < 2; busy++) {
    GstHarness *user = test_harness_new(busy ? ON_ONE : ON_ZERO, NULL);
    GstHarness *any = gst_harness_new_parse("cudaconv name=a backend=cuda ! "
                                            "cudaconv name=b backend=cuda");
    for (guint i = 0; i < 2; i++) {
      g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(any->element), i ? "b" : "a");
      g_autoptr(GstStructure) stats = NULL;
      gint id = -1;
      g_object_get(element, "stats", &stats, NULL);
      gst_structure_get_int(stats, "device-id", &id);
      fail_unless_equals_int(id, 1 - (gint)busy);
    }
    gst_harness_set_sink_caps_str(any, caps);
    gst_harness_set_src_caps_str(any, caps);
    gst_buffer_unref(test_push_pull(any, test_frame_random(caps, busy)));
    gst_harness_teardown(any);
    test_teardown(user);
  }
}
GST_END_TEST;

/* Each element works on the GPU that it names, with frames in CUDA memory between them. */
GST_START_TEST(pipeline_over_two_gpus) {
  g_autofree gchar *caps = test_caps("NV12", 322, 240);
  g_autofree gchar *line = g_strdup_printf("cudaconv name=a backend=cuda " ON_ZERO " ! "
                                           "video/x-raw(memory:CUDAMemory) ! "
                                           "cudaconv name=b backend=cuda " ON_ONE);
  GstHarness *h = gst_harness_new_parse(line);
  g_autoptr(GstElement) a = gst_bin_get_by_name(GST_BIN(h->element), "a");
  g_autoptr(GstElement) b = gst_bin_get_by_name(GST_BIN(h->element), "b");
  gst_harness_set_live(h, FALSE);
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *once = test_filter(ON_ZERO, caps, test_frame_random(caps, i));
    GstBuffer *twice = test_filter(ON_ONE, caps, once);
    GstBuffer *result = test_push_pull(h, test_frame_random(caps, i));
    test_assert_same_frame(caps, result, twice, "a pipeline over two GPUs");
    gst_buffer_unref(result);
    gst_buffer_unref(twice);
  }
  fail_if(test_context_handle(a) == test_context_handle(b));
  g_autofree gchar *path = test_stats_string(b, "input-path");
  fail_unless_equals_string(path, "CUDA memory of another context");
  gst_harness_teardown(h);
}
GST_END_TEST;

static Suite *
memory_gpus_suite(void) {
  Suite *suite = suite_create("memory-gpus");
  TCase *tc = tcase_create("memory-gpus");
  tcase_add_test(tc, frame_is_copied_to_the_named_gpu);
  tcase_add_test(tc, element_moves_to_the_gpu_of_a_frame);
  tcase_add_test(tc, element_selects_the_gpu_with_fewer_users);
  tcase_add_test(tc, pipeline_over_two_gpus);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN_ON_DEVICES(memory_gpus, 2)
