/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Timestamps, flags and metas of a frame are kept, except metas that describe the input's
 * memory. */

#include "common.h"

#define FRAMES 5

static gchar *caps;

static void
setup(void) {
  caps = test_caps("GRAY8", 17, 5);
}

static void
teardown(void) {
  g_clear_pointer(&caps, g_free);
}

GST_START_TEST(timestamps_are_kept) {
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *buffer = test_frame_random(caps, i);
    GST_BUFFER_PTS(buffer) = 1000 + i * 40 * GST_MSECOND;
    GST_BUFFER_DTS(buffer) = 500 + i * 40 * GST_MSECOND;
    GST_BUFFER_DURATION(buffer) = (39 + i) * GST_MSECOND;
    GST_BUFFER_OFFSET(buffer) = 70 + i;
    GST_BUFFER_OFFSET_END(buffer) = 71 + i;
    fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  }
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), FRAMES);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *buffer = gst_harness_pull(h);
    fail_unless_equals_uint64(GST_BUFFER_PTS(buffer), 1000 + i * 40 * GST_MSECOND);
    fail_unless_equals_uint64(GST_BUFFER_DTS(buffer), 500 + i * 40 * GST_MSECOND);
    fail_unless_equals_uint64(GST_BUFFER_DURATION(buffer), (39 + i) * GST_MSECOND);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET(buffer), 70 + i);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET_END(buffer), 71 + i);
    gst_buffer_unref(buffer);
  }
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(absent_timestamps_stay_absent) {
  GstBuffer *buffer = test_frame_random(caps, 1);
  GST_BUFFER_PTS(buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
  GstBuffer *result = test_filter("kernel=sobel", caps, buffer);
  fail_if(GST_BUFFER_PTS_IS_VALID(result));
  fail_if(GST_BUFFER_DTS_IS_VALID(result));
  fail_if(GST_BUFFER_DURATION_IS_VALID(result));
  fail_if(GST_BUFFER_OFFSET_IS_VALID(result));
  gst_buffer_unref(result);
}
GST_END_TEST;

static const GstBufferFlags kept_flags[] = {
    GST_BUFFER_FLAG_GAP,
    GST_BUFFER_FLAG_DROPPABLE,
    GST_BUFFER_FLAG_DELTA_UNIT,
    GST_BUFFER_FLAG_DISCONT,
    GST_BUFFER_FLAG_CORRUPTED,
    GST_BUFFER_FLAG_MARKER,
    (GstBufferFlags)GST_VIDEO_BUFFER_FLAG_INTERLACED,
    (GstBufferFlags)GST_VIDEO_BUFFER_FLAG_TFF,
};

GST_START_TEST(flags_are_kept) {
  GstBufferFlags flag = kept_flags[__i__];
  GstHarness *h = test_harness_new("kernel=identity", caps);
  /* the first frame of a stream always has the flag DISCONT */
  gst_buffer_unref(test_push_pull(h, test_frame_flat(caps, 9)));
  GstBuffer *flagged = test_frame_flat(caps, 10);
  GST_BUFFER_FLAG_SET(flagged, flag);
  GstBuffer *result = test_push_pull(h, flagged);
  fail_unless(GST_BUFFER_FLAG_IS_SET(result, flag), "flag %#x is lost", flag);
  gst_buffer_unref(result);
  result = test_push_pull(h, test_frame_flat(caps, 11));
  fail_if(GST_BUFFER_FLAG_IS_SET(result, flag), "flag %#x stays set", flag);
  gst_buffer_unref(result);
  test_teardown(h);
}
GST_END_TEST;

/* A frame with the flag GAP has pixels, which are filtered as usual. */
GST_START_TEST(gap_frames_are_filtered) {
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, 3));
  GstBuffer *gap = test_frame_random(caps, 3);
  GST_BUFFER_FLAG_SET(gap, GST_BUFFER_FLAG_GAP);
  GstBuffer *result = test_filter("kernel=gaussian", caps, gap);
  test_assert_same_frame(caps, result, expected, "GAP");
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
}
GST_END_TEST;

typedef struct {
  const gchar *name;
  const gchar *tags[3];
  gboolean kept;
} MetaCase;

static const MetaCase meta_cases[] = {
    {"CudaconvTestPlain", {NULL}, TRUE},
    {"CudaconvTestVideo", {GST_META_TAG_VIDEO_STR, NULL}, TRUE},
    {"CudaconvTestSize", {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, NULL}, TRUE},
    {"CudaconvTestMemory", {GST_META_TAG_MEMORY_STR, NULL}, FALSE},
    {"CudaconvTestVideoMemory", {GST_META_TAG_VIDEO_STR, GST_META_TAG_MEMORY_STR, NULL}, FALSE},
};

GST_START_TEST(metas_are_kept_unless_tagged_memory) {
  const MetaCase *c = &meta_cases[__i__];
  if (!gst_meta_get_info(c->name)) {
    const gchar *tags[G_N_ELEMENTS(c->tags)];
    memcpy(tags, c->tags, sizeof tags);
    gst_meta_register_custom(c->name, tags, NULL, NULL, NULL);
  }
  GstBuffer *buffer = test_frame_random(caps, 1);
  GstCustomMeta *meta = gst_buffer_add_custom_meta(buffer, c->name);
  gst_structure_set(gst_custom_meta_get_structure(meta), "answer", G_TYPE_INT, 42, NULL);

  GstBuffer *result = test_filter("kernel=sobel", caps, buffer);
  meta = gst_buffer_get_custom_meta(result, c->name);
  fail_unless((meta != NULL) == c->kept, "%s: %s", c->name, meta ? "kept" : "lost");
  if (meta) {
    gint answer = 0;
    fail_unless(gst_structure_get_int(gst_custom_meta_get_structure(meta), "answer", &answer));
    fail_unless_equals_int(answer, 42);
  }
  gst_buffer_unref(result);
}
GST_END_TEST;

GST_START_TEST(known_metas_are_kept) {
  GstBuffer *buffer = test_frame_random(caps, 1);
  g_autoptr(GstCaps) reference = gst_caps_from_string("timestamp/x-ntp");
  gst_buffer_add_reference_timestamp_meta(buffer, reference, 123456789, 40);
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta(buffer, "face", 3, 1, 5, 2);
  roi->id = 7;
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(buffer);
  crop->x = 2;
  crop->y = 1;
  crop->width = 10;
  crop->height = 3;
  gst_buffer_add_video_time_code_meta_full(buffer, 30, 1, NULL, 0, 1, 2, 3, 4, 0);

  GstBuffer *result = test_filter("kernel=gaussian", caps, buffer);

  GstReferenceTimestampMeta *time = gst_buffer_get_reference_timestamp_meta(result, reference);
  fail_unless(time != NULL);
  fail_unless_equals_uint64(time->timestamp, 123456789);
  roi = gst_buffer_get_video_region_of_interest_meta_id(result, 7);
  fail_unless(roi != NULL);
  fail_unless_equals_int(roi->x, 3);
  fail_unless_equals_int(roi->w, 5);
  crop = gst_buffer_get_video_crop_meta(result);
  fail_unless(crop != NULL);
  fail_unless_equals_int(crop->x, 2);
  fail_unless_equals_int(crop->width, 10);
  GstVideoTimeCodeMeta *code = gst_buffer_get_video_time_code_meta(result);
  fail_unless(code != NULL);
  fail_unless_equals_int(code->tc.seconds, 3);
  gst_buffer_unref(result);
}
GST_END_TEST;

/* The crop rectangle is for elements downstream. The whole frame is filtered. */
GST_START_TEST(crop_meta_does_not_affect_pixels) {
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, 4));
  GstBuffer *buffer = test_frame_random(caps, 4);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(buffer);
  crop->x = 5;
  crop->y = 2;
  crop->width = 4;
  crop->height = 2;
  GstBuffer *result = test_filter("kernel=gaussian", caps, buffer);
  test_assert_same_frame(caps, result, expected, "crop meta");
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
}
GST_END_TEST;

static Suite *
flow_metadata_suite(void) {
  Suite *suite = suite_create("flow-metadata");
  TCase *tc = tcase_create("flow-metadata");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, timestamps_are_kept);
  tcase_add_test(tc, absent_timestamps_stay_absent);
  tcase_add_loop_test(tc, flags_are_kept, 0, G_N_ELEMENTS(kept_flags));
  tcase_add_test(tc, gap_frames_are_filtered);
  tcase_add_loop_test(tc, metas_are_kept_unless_tagged_memory, 0, G_N_ELEMENTS(meta_cases));
  tcase_add_test(tc, known_metas_are_kept);
  tcase_add_test(tc, crop_meta_does_not_affect_pixels);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(flow_metadata)
