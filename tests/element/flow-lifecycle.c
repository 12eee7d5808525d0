/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many starts, many elements and many frames leak nothing: memory use does not grow. */

#include "common.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#define ALLOWED_GROWTH (1024 * 1024)
#define WARM_UP 100

/* The resident memory of this process in bytes, or 0 under a tool that keeps freed memory. */
static gsize
resident_bytes(void) {
  if (test_is_instrumented())
    return 0;
  g_autofree gchar *text = NULL;
  gulong pages = 0;
  malloc_trim(0);
  fail_unless(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
  fail_unless(sscanf(text, "%*u %lu", &pages) == 1);
  return pages * (gsize)sysconf(_SC_PAGESIZE);
}

static void
assert_flat(gsize before, const gchar *what) {
  gsize after = resident_bytes();
  fail_unless(after <= before + ALLOWED_GROWTH, "%s: memory grew from %zu to %zu KiB", what,
              before / 1024, after / 1024);
}

GST_START_TEST(start_and_stop) {
  g_autofree gchar *line =
      g_strdup_printf("videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=64,height=48 ! "
                      "cudaconv kernel=sobel backend=%s ! fakesink sync=false async=false",
                      test_backend());
  GstElement *pipeline = gst_parse_launch(line, NULL);
  guint cycles = test_count(200, 1000);
  gsize before = 0;
  for (guint i = 0; i < cycles; i++) {
    if (i == WARM_UP)
      before = resident_bytes();
    test_play_to_eos(pipeline, 10);
    gst_element_set_state(pipeline, GST_STATE_NULL);
  }
  if (cycles > WARM_UP)
    assert_flat(before, "starting and stopping");
  gst_object_unref(pipeline);
}
GST_END_TEST;

GST_START_TEST(create_and_destroy) {
  g_autofree gchar *caps = test_caps("GRAY8", 33, 17);
  guint cycles = test_count(200, 1000);
  gsize before = 0;
  for (guint i = 0; i < cycles; i++) {
    if (i == WARM_UP)
      before = resident_bytes();
    gst_buffer_unref(test_filter(i % 2 ? "kernel=sobel" : "matrix=<1,2,1,2,4,2,1,2,1>", caps,
                                 test_frame_flat(caps, (guint8)i)));
  }
  if (cycles > WARM_UP)
    assert_flat(before, "creating and destroying");
}
GST_END_TEST;

GST_START_TEST(many_frames) {
  g_autofree gchar *caps = test_caps("NV12", 33, 17);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  guint frames = 10 * test_count(200, 1000);
  gsize before = 0;
  for (guint i = 0; i < frames; i++) {
    if (i == 10 * WARM_UP)
      before = resident_bytes();
    gst_buffer_unref(test_push_pull(h, test_frame_flat(caps, (guint8)i)));
  }
  if (frames > 10 * WARM_UP)
    assert_flat(before, "frames");
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(many_elements_at_once) {
  enum { ELEMENTS = 64, FRAMES = 3 };
  static const gchar *const kernels[] = {"kernel=sobel", "kernel=gaussian", "kernel=box size=7",
                                         "matrix=<0,1,0,1,-4,1,0,1,0>"};
  g_autofree gchar *caps = test_caps("I420", 65, 33);
  GstHarness *h[ELEMENTS];
  for (guint i = 0; i < ELEMENTS; i++)
    h[i] = test_harness_new(kernels[i % G_N_ELEMENTS(kernels)], caps);
  for (guint n = 0; n < FRAMES; n++)
    for (guint i = 0; i < ELEMENTS; i++)
      fail_unless_equals_int(gst_harness_push(h[i], test_frame_random(caps, n)), GST_FLOW_OK);
  for (guint i = 0; i < ELEMENTS; i++)
    test_drain(h[i]);
  for (guint n = 0; n < FRAMES; n++)
    for (guint k = 0; k < G_N_ELEMENTS(kernels); k++) {
      GstBuffer *expected = test_filter(kernels[k], caps, test_frame_random(caps, n));
      for (guint i = k; i < ELEMENTS; i += G_N_ELEMENTS(kernels)) {
        GstBuffer *result = gst_harness_pull(h[i]);
        test_assert_same_frame(caps, result, expected, kernels[k]);
        gst_buffer_unref(result);
      }
      gst_buffer_unref(expected);
    }
  for (guint i = 0; i < ELEMENTS; i++)
    test_teardown(h[i]);
}
GST_END_TEST;

/* In a chain of 64 elements all frames come out. */
GST_START_TEST(a_chain_of_elements) {
  GString *line =
      g_string_new("videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8,width=64,height=48 ");
  for (guint i = 0; i < 64; i++)
    g_string_append_printf(line, "! cudaconv kernel=identity backend=%s ", test_backend());
  g_string_append(line, "! fakesink name=sink sync=false");
  GstElement *pipeline = gst_parse_launch(line->str, NULL);
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  test_play_to_eos(pipeline, 20);
  g_autoptr(GstStructure) stats = NULL;
  guint64 rendered = 0;
  g_object_get(sink, "stats", &stats, NULL);
  gst_structure_get_uint64(stats, "rendered", &rendered);
  fail_unless_equals_uint64(rendered, 5);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  g_string_free(line, TRUE);
}
GST_END_TEST;

static Suite *
flow_lifecycle_suite(void) {
  Suite *suite = suite_create("flow-lifecycle");
  TCase *tc = tcase_create("flow-lifecycle");
  tcase_add_test(tc, start_and_stop);
  tcase_add_test(tc, create_and_destroy);
  tcase_add_test(tc, many_frames);
  tcase_add_test(tc, many_elements_at_once);
  tcase_add_test(tc, a_chain_of_elements);
  suite_add_tcase(suite, tc);
  return suite;
}

int
main(int argc, char **argv) {
  /* with an arena for each thread, memory use would depend on the scheduling of threads */
  mallopt(M_ARENA_MAX, 1);
  return test_main(&argc, &argv, flow_lifecycle_suite, "lifecycle", 1);
}
