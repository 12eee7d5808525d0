/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Behaviour expected of every GStreamer element: a registered factory with documentation, pad
 * templates, state changes in any order, and properties that can be listed and read. */

#include "common.h"

#include "layout.h"

GST_START_TEST(factory) {
  GstElementFactory *factory = gst_element_factory_find("cudaconv");
  fail_unless(factory != NULL);
  fail_unless_equals_string(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS),
                            "Filter/Effect/Video");
  static const gchar *const texts[] = {
      GST_ELEMENT_METADATA_LONGNAME, GST_ELEMENT_METADATA_DESCRIPTION, GST_ELEMENT_METADATA_AUTHOR};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    const gchar *text = gst_element_factory_get_metadata(factory, texts[i]);
    fail_unless(text && *text, "no %s", texts[i]);
  }
  g_autoptr(GstPlugin) plugin = gst_plugin_feature_get_plugin(GST_PLUGIN_FEATURE(factory));
  fail_unless_equals_string(gst_plugin_get_name(plugin), "cudaconv");
  fail_unless_equals_string(gst_plugin_get_license(plugin), "LGPL");
  gst_object_unref(factory);
  GstElement *element = test_element_new(NULL);
  fail_unless_equals_string(G_OBJECT_TYPE_NAME(element), "GstCudaConv");
  fail_unless(GST_IS_PRESET(element));
  gst_object_unref(element);
}
GST_END_TEST;

/* Both pads accept all formats of the list, from 1x1 up in system memory, and no others. */
GST_START_TEST(pad_templates) {
  GstElement *element = test_element_new(NULL);
  static const gchar *const pads[] = {"sink", "src"};
  for (guint i = 0; i < G_N_ELEMENTS(pads); i++) {
    GstPadTemplate *template =
        gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(element), pads[i]);
    fail_unless(template != NULL, "no %s template", pads[i]);
    fail_unless_equals_int(GST_PAD_TEMPLATE_PRESENCE(template), GST_PAD_ALWAYS);
    g_autoptr(GstCaps) caps = gst_pad_template_get_caps(template);
    for (guint f = 0; f < test_n_formats_in_caps; f++) {
      g_autofree gchar *text = test_caps(test_formats_in_caps[f], 1, 1);
      g_autoptr(GstCaps) expected = gst_caps_from_string(text);
      fail_unless(gst_caps_can_intersect(caps, expected), "%s lacks %s", pads[i], text);
    }
    g_autoptr(GstCaps) unsupported = gst_caps_from_string("video/x-raw,format=v210");
    fail_if(gst_caps_can_intersect(caps, unsupported));
  }
  gst_object_unref(element);
}
GST_END_TEST;

/* Reads all properties, as gst-inspect-1.0 does. */
static void
read_all_properties(GstElement *element) {
  guint n;
  g_autofree GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &n);
  for (guint i = 0; i < n; i++) {
    GParamSpec *spec = specs[i];
    const gchar *blurb = g_param_spec_get_blurb(spec);
    fail_unless(blurb && *blurb, "%s has no description", spec->name);
    fail_unless(*g_param_spec_get_nick(spec), "%s has no nick", spec->name);
    if (!(spec->flags & G_PARAM_READABLE))
      continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    g_object_get_property(G_OBJECT(element), spec->name, &value);
    g_autofree gchar *text = g_strdup_value_contents(&value);
    GST_INFO("%s=%s", spec->name, text);
    g_value_unset(&value);
  }
}

GST_START_TEST(all_properties_can_be_listed) {
  GstElement *element = test_element_new(NULL);
  read_all_properties(element);
  gst_object_unref(element);
  g_autofree gchar *caps = test_caps("GRAY8", 16, 16);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
  read_all_properties(h->element);
  test_teardown(h);
}
GST_END_TEST;

/* All transitions between states, and NULL twice. */
GST_START_TEST(states_in_any_order) {
  static const GstState walk[] = {
      GST_STATE_READY,   GST_STATE_NULL,   GST_STATE_READY,   GST_STATE_PAUSED,  GST_STATE_READY,
      GST_STATE_NULL,    GST_STATE_PAUSED, GST_STATE_NULL,    GST_STATE_PLAYING, GST_STATE_PAUSED,
      GST_STATE_PLAYING, GST_STATE_READY,  GST_STATE_PLAYING, GST_STATE_NULL,    GST_STATE_NULL,
  };
  GstElement *element = test_element_new(NULL);
  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < G_N_ELEMENTS(walk); i++)
      fail_unless_equals_int(gst_element_set_state(element, walk[i]), GST_STATE_CHANGE_SUCCESS);
  gst_object_unref(element);
}
GST_END_TEST;

GST_START_TEST(unused_elements_can_be_dropped) {
  for (guint i = 0; i < 50; i++) {
    GstElement *element = test_element_new("kernel=custom matrix=<1,2,1>");
    ASSERT_OBJECT_REFCOUNT(element, "cudaconv", 1);
    gst_object_unref(element);
  }
}
GST_END_TEST;

/* After a restart the frames are the same as before. */
GST_START_TEST(restart) {
  g_autofree gchar *caps = test_caps("I420", 33, 17);
  GstBuffer *expected = test_filter("kernel=sobel", caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("kernel=sobel", caps);
  for (guint i = 0; i < 5; i++) {
    GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
    test_assert_same_frame(caps, result, expected, "after a restart");
    gst_buffer_unref(result);
    fail_unless_equals_int(gst_element_set_state(h->element, GST_STATE_NULL),
                           GST_STATE_CHANGE_SUCCESS);
    fail_unless_equals_int(gst_element_set_state(h->element, GST_STATE_PLAYING),
                           GST_STATE_CHANGE_SUCCESS);
    gst_harness_set_src_caps_str(h, caps);
  }
  gst_buffer_unref(expected);
  test_teardown(h);
}
GST_END_TEST;

static gboolean
driver_is_loaded(void) {
  g_autofree gchar *maps = NULL;
  fail_unless(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
  return strstr(maps, "libcuda.so") != NULL;
}

/* Creating the element and reading its properties must not load the driver, because that wakes the
 * GPU. */
GST_START_TEST(creation_does_not_load_the_driver) {
  /* with CK_FORK=no another element of this process may have loaded it */
  gboolean loaded = driver_is_loaded();
  GstElement *element = test_element_new(NULL);
  read_all_properties(element);
  fail_unless_equals_int(driver_is_loaded(), loaded);
  gst_object_unref(element);
}
GST_END_TEST;

/* backend=auto must not hang or wait without a device. */
GST_START_TEST(ready_is_quick) {
  gint64 start = g_get_monotonic_time();
  GstElement *element = test_element_new("backend=auto");
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  gint64 took = g_get_monotonic_time() - start;
  g_autoptr(GstStructure) stats = NULL;
  g_object_get(element, "stats", &stats, NULL);
  gboolean on_cpu = g_str_equal(gst_structure_get_string(stats, "backend"), "cpu");
  if (on_cpu && !test_is_instrumented())
    fail_unless(took < 500 * G_TIME_SPAN_MILLISECOND, "READY took %" G_GINT64_FORMAT " us", took);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
}
GST_END_TEST;

static Suite *
generic_suite(void) {
  Suite *suite = suite_create("generic");
  TCase *tc = tcase_create("generic");
  /* first, because with CK_FORK=no all tests share one process */
  tcase_add_test(tc, creation_does_not_load_the_driver);
  tcase_add_test(tc, factory);
  tcase_add_test(tc, pad_templates);
  tcase_add_test(tc, all_properties_can_be_listed);
  tcase_add_test(tc, states_in_any_order);
  tcase_add_test(tc, unused_elements_can_be_dropped);
  tcase_add_test(tc, restart);
  tcase_add_test(tc, ready_is_quick);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(generic)
