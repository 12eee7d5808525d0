/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cudacontext.h"

GstCudaContext *
test_context(GstElement *element) {
  g_autoptr(GstPad) pad = gst_element_get_static_pad(element, "sink");
  g_autoptr(GstQuery) query = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
  GstContext *result = NULL;
  GstCudaContext *context = NULL;
  fail_unless(gst_pad_query(pad, query), "no context");
  gst_query_parse_context(query, &result);
  fail_unless(gst_structure_get(gst_context_get_structure(result), GST_CUDA_CONTEXT_TYPE,
                                GST_TYPE_CUDA_CONTEXT, &context, NULL));
  return context;
}

gpointer
test_context_handle(GstElement *element) {
  GstCudaContext *context = test_context(element);
  gpointer handle = gst_cuda_context_get_handle(context);
  gst_object_unref(context);
  return handle;
}

static void
set_caps_once(GstHarness *h, const gchar *caps) {
  if (!gst_pad_has_current_caps(h->srcpad))
    gst_harness_set_src_caps_str(h, caps);
}

void
test_filter_frame_of(GstHarness *owner, GstHarness *h, const gchar *properties, guint seed) {
  g_autofree gchar *caps = test_caps("NV12", 322, 240);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  set_caps_once(owner, caps_in_cuda);
  set_caps_once(h, caps_in_cuda);
  g_autoptr(GstBufferPool) pool = test_offered_pool(owner, caps_in_cuda);
  GstBuffer *expected = test_filter(properties, caps, test_frame_random(caps, seed));
  GstBuffer *result =
      test_push_pull(h, test_move_to_pool(pool, caps, test_frame_random(caps, seed)));
  test_assert_same_frame(caps, result, expected, "a frame of another context");
  gst_buffer_unref(expected);
  gst_buffer_unref(result);
  gst_buffer_pool_set_active(pool, FALSE);
}

void
test_filter_alternately(GstHarness *const owners[2], GstHarness *h, const gchar *properties,
                        guint n) {
  g_autofree gchar *caps = test_caps("NV12", 322, 240);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  GstBufferPool *pools[2];
  set_caps_once(h, caps_in_cuda);
  for (guint i = 0; i < 2; i++) {
    set_caps_once(owners[i], caps_in_cuda);
    pools[i] = test_offered_pool(owners[i], caps_in_cuda);
  }
  for (guint i = 0; i < n; i++) {
    GstBuffer *frame = test_move_to_pool(pools[i % 2], caps, test_frame_random(caps, i));
    fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_OK);
  }
  fail_unless(gst_harness_push_event(h, test_serialized_event()));
  for (guint i = 0; i < n; i++) {
    GstBuffer *expected = test_filter(properties, caps, test_frame_random(caps, i));
    GstBuffer *result = gst_harness_try_pull(h);
    fail_unless(result != NULL, "frame %u did not come out", i);
    test_assert_same_frame(caps, result, expected, "frames of alternating contexts");
    gst_buffer_unref(expected);
    gst_buffer_unref(result);
  }
  for (guint i = 0; i < 2; i++) {
    gst_buffer_pool_set_active(pools[i], FALSE);
    gst_object_unref(pools[i]);
  }
}
