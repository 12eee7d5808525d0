/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Presets in GStreamer's sense: each one loads, and because loading resets nothing that a preset
 * leaves out, each one sets everything that affects pixels. */

#include "common.h"

static gchar **
preset_names(GstElement *element) {
  gchar **names = gst_preset_get_preset_names(GST_PRESET(element));
  fail_unless(names && g_strv_length(names) > 0, "no presets in GST_PRESET_PATH=%s",
              g_getenv("GST_PRESET_PATH"));
  return names;
}

/* Away from every default. */
static void
disturb(GstElement *element) {
  static const gchar *const settings[][2] = {
      {"matrix", "<1,0,0,0,3,0,0,0,5>"},
      {"size", "15"},
      {"sigma", "7.5"},
      {"scale", "0.3"},
      {"bias", "-11"},
      {"response", "offset"},
      {"border", "wrap"},
      {"border-value", "0.75"},
      {"chroma", "copy"},
      {"alpha", "opaque"},
      {"stride", "2"},
      {"algorithm", "scatter"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
    gst_util_set_object_arg(G_OBJECT(element), settings[i][0], settings[i][1]);
}

GST_START_TEST(every_preset_is_complete) {
  GstElement *lister = test_element_new(NULL);
  g_auto(GStrv) names = preset_names(lister);
  for (guint i = 0; names[i]; i++) {
    GstElement *fresh = test_element_new(NULL), *disturbed = test_element_new(NULL);
    disturb(disturbed);
    fail_unless(gst_preset_load_preset(GST_PRESET(fresh), names[i]), "%s", names[i]);
    fail_unless(gst_preset_load_preset(GST_PRESET(disturbed), names[i]), "%s", names[i]);
    g_auto(GStrv) properties = gst_preset_get_property_names(GST_PRESET(fresh));
    fail_unless(g_strv_contains((const gchar *const *)properties, "kernel"));
    for (guint p = 0; properties[p]; p++) {
      g_autofree gchar *wanted = test_property_text(fresh, properties[p]);
      g_autofree gchar *got = test_property_text(disturbed, properties[p]);
      fail_unless(g_strcmp0(wanted, got) == 0, "preset %s leaves %s at %s instead of %s", names[i],
                  properties[p], got, wanted);
    }
    gst_object_unref(disturbed);
    gst_object_unref(fresh);
  }
  gst_object_unref(lister);
}
GST_END_TEST;

/* On a launch line a preset wins over the properties beside it, and the frames show it. */
GST_START_TEST(every_preset_runs) {
  g_autofree gchar *caps = test_caps("I420", 33, 17);
  GstElement *lister = test_element_new(NULL);
  g_auto(GStrv) names = preset_names(lister);
  for (guint i = 0; names[i]; i++) {
    GstHarness *fresh = test_harness_new(NULL, caps), *disturbed = test_harness_new(NULL, caps);
    disturb(disturbed->element);
    gst_preset_load_preset(GST_PRESET(fresh->element), names[i]);
    gst_preset_load_preset(GST_PRESET(disturbed->element), names[i]);
    GstBuffer *expected = test_push_pull(fresh, test_frame_random(caps, 1));
    GstBuffer *result = test_push_pull(disturbed, test_frame_random(caps, 1));
    test_assert_same_picture(caps, result, expected, names[i]);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
    test_teardown(disturbed);
    test_teardown(fresh);
    g_autofree gchar *properties = g_strdup_printf("@preset=%s", names[i]);
    gst_buffer_unref(test_filter(properties, caps, test_frame_random(caps, 1)));
  }
  gst_object_unref(lister);
}
GST_END_TEST;

GST_START_TEST(every_preset_is_described) {
  GstElement *element = test_element_new(NULL);
  g_auto(GStrv) names = preset_names(element);
  for (guint i = 0; names[i]; i++) {
    g_autofree gchar *comment = NULL;
    fail_unless(gst_preset_get_meta(GST_PRESET(element), names[i], "comment", &comment) &&
                    comment && *comment,
                "preset %s has no comment", names[i]);
  }
  gst_object_unref(element);
}
GST_END_TEST;

static Suite *
presets_suite(void) {
  Suite *suite = suite_create("presets");
  TCase *tc = tcase_create("presets");
  tcase_add_test(tc, every_preset_is_complete);
  tcase_add_test(tc, every_preset_runs);
  tcase_add_test(tc, every_preset_is_described);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(presets)
