/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer presets: shipped presets and the user's all load. Properties that a preset leaves out
 * get their defaults. A preset is one change, which takes effect completely or not at all. */

#include "common.h"
#include "layout.h"

#include <stdlib.h>
#include <string.h>

/* The user's presets. [_presets_] and [_hidden] must not appear in lists. */
static const gchar user_presets[] = "[_presets_]\n"
                                    "version=0.0.1\n"
                                    "element-name=GstCudaConv\n"
                                    "[my-bias]\n"
                                    "kernel=identity\n"
                                    "bias=10\n"
                                    "[my-scale]\n"
                                    "kernel=identity\n"
                                    "scale=2\n"
                                    "[my-row]\n"
                                    "row=<1,2,1>\n"
                                    "column=<1,4,6,4,1>\n"
                                    "size=0\n"
                                    "[my-text]\n"
                                    "matrix-text=0 -1 0 -1 5 -1 0 -1 0\n"
                                    "[my-chroma]\n"
                                    "kernel=sobel\n"
                                    "chroma-kernel=gaussian\n"
                                    "chroma-size=7\n"
                                    "fields=frame\n"
                                    "[my-regions]\n"
                                    "roi=<<0,0,8,8>,<8,8,4,4>>\n"
                                    "target=<<1,2>,<3,4>>\n"
                                    "outside=black\n"
                                    "roi-type=some\\ face\n"
                                    "[my-whole]\n"
                                    "matrix=<  >\n"
                                    "matrix-text=\n"
                                    "row=<  >\n"
                                    "column=<  >\n"
                                    "kernel-file=\n"
                                    "kernel=gaussian\n"
                                    "size=7\n"
                                    "stride=1\n"
                                    "[my-mistake]\n"
                                    "bias=10\n"
                                    "matrix=<1,2>\n"
                                    "stride=3\n"
                                    "[_hidden]\n"
                                    "bias=10\n";

/* The names of the shipped presets. */
static gchar **
preset_names(GstElement *element) {
  g_auto(GStrv) names = gst_preset_get_preset_names(GST_PRESET(element));
  g_autoptr(GStrvBuilder) shipped = g_strv_builder_new();
  for (guint i = 0; names && names[i]; i++)
    if (!g_str_has_prefix(names[i], "my-"))
      g_strv_builder_add(shipped, names[i]);
  gchar **result = g_strv_builder_end(shipped);
  fail_unless(g_strv_length(result) > 0, "no presets are compiled in");
  return result;
}

/* Sets properties to values other than their defaults. */
static void
disturb(GstElement *element) {
  static const gchar *const settings[][2] = {
      {"matrix", "<1,0,0,0,3,0,0,0,5>"},
      {"size", "15"},
      {"sigma", "7.5"},
      {"scale", "0.3"},
      {"bias", "-11"},
      {"response", "offset"},
      {"low", "3.5"},
      {"high", "7000"},
      {"border", "wrap"},
      {"border-value", "0.75"},
      {"chroma", "copy"},
      {"chroma-kernel", "log"},
      {"chroma-size", "9"},
      {"alpha", "opaque"},
      {"threshold", "0.2"},
      {"invert", "true"},
      {"mix", "-3"},
      {"overlay", "0x80ff0000"},
      {"measure", "sums"},
      {"stride", "2"},
      {"roi", "<1,2,3,4>"},
      {"target", "<5,6>"},
      {"outside", "black"},
      {"roi-meta", "true"},
      {"roi-type", "face"},
      {"roi-sigma", "0.2"},
      {"fields", "frame"},
      {"algorithm", "scatter"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
    gst_util_set_object_arg(G_OBJECT(element), settings[i][0], settings[i][1]);
}

/* Definitions of a kernel other than the matrix of disturb(). */
static const gchar *const definitions[] = {"row=<1,2,1>", "column=<1,4,6,4,1> row=<1,0,-1>",
                                           "matrix=<1,2,1,2,4,2,1,2,1> kernel=box",
                                           "matrix-text=\"1 2 1;\""};

static void
load(GstElement *element, const gchar *name) {
  fail_unless(gst_preset_load_preset(GST_PRESET(element), name), "%s", name);
}

static void
assert_loads(GstElement *element, const gchar *name, const gchar *wanted) {
  load(element, name);
  g_autofree gchar *got = test_pixel_properties(element);
  fail_unless_equals_string(got, wanted);
}

/* A preset sets the same values whatever was set before. */
static void
assert_complete(const gchar *name) {
  g_autoptr(GstElement) fresh = test_element_new(NULL);
  load(fresh, name);
  g_autofree gchar *wanted = test_pixel_properties(fresh);
  g_autoptr(GstElement) disturbed = test_element_new(NULL);
  disturb(disturbed);
  assert_loads(disturbed, name, wanted);
  for (guint i = 0; i < G_N_ELEMENTS(definitions); i++) {
    g_autoptr(GstElement) defined = test_element_new(definitions[i]);
    assert_loads(defined, name, wanted);
  }
  g_autoptr(GstElement) of_file = test_element_new(NULL);
  g_object_set(of_file, "kernel-file", g_getenv("KERNELS_INI"), NULL);
  test_assert_text(of_file, "kernel", "custom");
  assert_loads(of_file, name, wanted);
}

GST_START_TEST(every_preset_is_complete) {
  static const gchar *const of_user[] = {"my-bias",   "my-row",     "my-text",
                                         "my-chroma", "my-regions", "my-whole"};
  g_autoptr(GstElement) lister = test_element_new(NULL);
  g_auto(GStrv) properties = gst_preset_get_property_names(GST_PRESET(lister));
  fail_unless(g_strv_contains((const gchar *const *)properties, "kernel"));
  g_auto(GStrv) names = preset_names(lister);
  for (guint i = 0; names[i]; i++)
    assert_complete(names[i]);
  for (guint i = 0; i < G_N_ELEMENTS(of_user); i++)
    assert_complete(of_user[i]);
}
GST_END_TEST;

/* A preset sets its own values, and defaults for the rest. */
GST_START_TEST(preset_sets_its_values) {
  g_autoptr(GstElement) element = test_element_new("kernel=gaussian size=9");
  disturb(element);
  load(element, "sketch");
  test_assert_text(element, "kernel", "laplacian-8");
  test_assert_text(element, "bias", "255");
  test_assert_text(element, "matrix", "<  >");
  test_assert_text(element, "size", "0");
  load(element, "my-row");
  test_assert_text(element, "kernel", "custom");
  test_assert_text(element, "column", "< (int)1, (int)4, (int)6, (int)4, (int)1 >");
  test_assert_text(element, "bias", "0");
  load(element, "my-text");
  test_assert_text(element, "kernel", "custom");
  test_assert_text(element, "matrix-text", "\"0\\ -1\\ 0\\ -1\\ 5\\ -1\\ 0\\ -1\\ 0\"");
  load(element, "my-chroma");
  test_assert_text(element, "chroma-kernel", "gaussian");
  test_assert_text(element, "chroma-size", "7");
  test_assert_text(element, "fields", "frame");
  load(element, "my-regions");
  test_assert_text(element, "chroma-kernel", "same");
  test_assert_text(element, "chroma-size", "0");
  test_assert_text(element, "fields", "auto");
  test_assert_text(element, "roi",
                   "< (array)< (int)0, (int)0, (int)8, (int)8 >, "
                   "(array)< (int)8, (int)8, (int)4, (int)4 > >");
  test_assert_text(element, "target", "< (array)< (int)1, (int)2 >, (array)< (int)3, (int)4 > >");
  test_assert_text(element, "outside", "black");
  test_assert_text(element, "roi-type", "\"some\\ face\"");
  load(element, "my-bias");
  test_assert_text(element, "roi", "<  >");
  test_assert_text(element, "kernel", "identity");
  test_assert_text(element, "bias", "10");
  test_assert_text(element, "column", "<  >");
}
GST_END_TEST;

/* The code value of a component of the first pixel. */
static guint
first_code(const TestFrame *frame, guint plane, guint component) {
  const CcPlaneLayout *layout = &frame->layout.plane[plane];
  const guint8 *row = test_row(frame, plane, 0);
  return layout->type == CC_SAMPLE_U8 ? row[component]
                                      : GST_READ_UINT16_LE(row + 2 * component) >> layout->shift;
}

static void
assert_white(const gchar *caps, GstBuffer *buffer) {
  TestFrame frame;
  test_map(&frame, caps, buffer, GST_MAP_READ);
  for (guint p = 0; p < frame.layout.n_planes; p++) {
    const CcPlaneLayout *plane = &frame.layout.plane[p];
    for (guint c = 0; c < plane->step; c++) {
      const CcRole role = plane->role[c];
      if (role == CC_ROLE_ALPHA || role == CC_ROLE_PADDING)
        continue;
      const guint limited = role == CC_ROLE_LUMA && frame.layout.limited_range;
      const guint white = limited ? 235u << (plane->depth - 8) : (1u << plane->depth) - 1;
      const guint wanted = cc_role_is_chroma(role) ? 1u << (plane->depth - 1) : white;
      fail_unless_equals_int(first_code(&frame, p, c), wanted);
    }
  }
  test_unmap(&frame);
}

/* Without lines, the output of the sketches is white in the format's range. */
GST_START_TEST(sketches_are_on_white) {
  static const gchar *const presets[] = {"@preset=sketch", "@preset=sketch-thin"};
  /* full range; the format's default, which is limited for luma and chroma */
  static const gchar *const ranges[] = {"colorimetry=1:4:0:0", ""};
  const guint n_caps = test_n_formats_in_caps * G_N_ELEMENTS(ranges);
  for (guint i = 0; i < n_caps * G_N_ELEMENTS(presets); i++) {
    const gchar *format = test_formats_in_caps[i % n_caps / G_N_ELEMENTS(ranges)];
    g_autofree gchar *caps = test_caps_with(format, 8, 4, ranges[i % G_N_ELEMENTS(ranges)]);
    g_autoptr(GstElement) element = test_element_new(presets[i / n_caps]);
    GstHarness *h = test_harness_around(element, caps);
    g_autoptr(GstBuffer) result = test_push_pull(h, test_frame_flat(caps, 0));
    assert_white(caps, result);
    test_teardown(h);
  }
}
GST_END_TEST;

/* A preset does not change properties of the device. */
GST_START_TEST(presets_do_not_set_device_properties) {
  g_autoptr(GstElement) element = test_element_new("n-threads=3 in-flight=2 measure-interval=7");
  load(element, "edges");
  test_assert_text(element, "n-threads", "3");
  test_assert_text(element, "in-flight", "2");
  test_assert_text(element, "measure-interval", "7");
}
GST_END_TEST;

/* Loading a preset must not use up one of the names that GStreamer numbers. */
GST_START_TEST(presets_use_no_element_name) {
  g_autoptr(GstElement) first = gst_object_ref_sink(gst_element_factory_make("cudaconv", NULL));
  load(first, "sketch");
  g_autoptr(GstElement) second = gst_object_ref_sink(gst_element_factory_make("cudaconv", NULL));
  const guint64 a = g_ascii_strtoull(GST_OBJECT_NAME(first) + strlen("cudaconv"), NULL, 10);
  const guint64 b = g_ascii_strtoull(GST_OBJECT_NAME(second) + strlen("cudaconv"), NULL, 10);
  fail_unless(b == a + 1, "%s", GST_OBJECT_NAME(second));
}
GST_END_TEST;

/* Names that no preset has. */
GST_START_TEST(missing_preset_changes_nothing) {
  static const gchar *const names[] = {"no-such-preset", "", "_presets_", "_hidden"};
  g_autoptr(GstElement) element = test_element_new(NULL);
  disturb(element);
  g_autofree gchar *before = test_pixel_properties(element);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    fail_if(gst_preset_load_preset(GST_PRESET(element), names[i]), "[%s]", names[i]);
    g_autofree gchar *after = test_pixel_properties(element);
    fail_unless_equals_string(after, before);
  }
}
GST_END_TEST;

/* One warning lists all refused values of a preset. The other values are not set either. */
GST_START_TEST(refused_preset_changes_nothing) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 8);
  GstHarness *h = test_harness_new("kernel=identity bias=3", caps);
  g_autofree gchar *before = test_pixel_properties(h->element);
  fail_if(gst_preset_load_preset(GST_PRESET(h->element), "my-mistake"));
  g_autofree gchar *after = test_pixel_properties(h->element);
  fail_unless_equals_string(after, before);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == 1 && strstr(text, "matrix=<1, 2> is refused") &&
                  strstr(text, "stride=3 is refused"),
              "%u warnings: %s", n, text);
  guint8 value;
  g_autoptr(GstBuffer) result = test_push_pull(h, test_frame_flat(caps, 50));
  gst_buffer_extract(result, 0, &value, 1);
  fail_unless_equals_int(value, 53);
  test_teardown(h);
}
GST_END_TEST;

static GstBusSyncReply
load_another(GstBus *bus, GstMessage *message, gpointer data) {
  gboolean *loaded = data;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING && !*loaded) {
    *loaded = TRUE; /* before load(), because its warnings arrive here too */
    load(GST_ELEMENT(GST_MESSAGE_SRC(message)), "my-row");
  }
  return GST_BUS_PASS;
}

/* A handler of the warning may load another preset at once, because the refused one is finished by
 * then. */
GST_START_TEST(preset_after_a_refused_one) {
  g_autoptr(GstElement) element = test_element_new("kernel=identity bias=3");
  g_autoptr(GstElement) fresh = test_element_new(NULL);
  load(fresh, "my-row");
  g_autofree gchar *wanted = test_pixel_properties(fresh);
  gboolean loaded = FALSE;
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_bus_set_sync_handler(bus, load_another, &loaded, NULL);
  gst_element_set_bus(element, bus);
  fail_if(gst_preset_load_preset(GST_PRESET(element), "my-mistake"));
  fail_unless(loaded);
  g_autofree gchar *got = test_pixel_properties(element);
  fail_unless_equals_string(got, wanted);
  load(element, "my-bias");
  test_assert_text(element, "bias", "10");
  gst_element_set_bus(element, NULL);
}
GST_END_TEST;

typedef struct {
  const gchar *wanted; /* text of the properties at each notify */
  GHashTable *seen;
} Watch;

static void
watch_notify(GObject *object, GParamSpec *pspec, gpointer data) {
  Watch *watch = data;
  g_autofree gchar *text = test_pixel_properties(GST_ELEMENT(object));
  fail_unless(g_str_equal(text, watch->wanted), "at the notify of %s:\n%s", pspec->name, text);
  fail_unless(g_hash_table_add(watch->seen, g_strdup(pspec->name)), "%s twice", pspec->name);
}

/* Each property is notified once, after all properties have their new values. */
GST_START_TEST(preset_is_one_change) {
  static const gchar *const names[] = {"sketch", "my-row", "my-whole", "sketch"};
  g_autoptr(GstElement) element = test_element_new("stride=2");
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GstElement) fresh = test_element_new(NULL);
    load(fresh, names[i]);
    g_autofree gchar *wanted = test_pixel_properties(fresh);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Watch watch = {.wanted = wanted, .seen = seen};
    const gulong id = g_signal_connect(element, "notify", G_CALLBACK(watch_notify), &watch);
    load(element, names[i]);
    g_signal_handler_disconnect(element, id);
    g_auto(GStrv) properties = gst_preset_get_property_names(GST_PRESET(element));
    fail_unless_equals_int(g_hash_table_size(seen), g_strv_length(properties));
  }
}
GST_END_TEST;

/* During a stream, and with stride=1 after stride=2, which changes the caps. */
GST_START_TEST(preset_while_playing) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 8);
  GstHarness *h = test_harness_new("kernel=gaussian stride=2 border=wrap", caps);
  g_autoptr(GstBuffer) half = test_push_pull(h, test_frame_flat(caps, 50));
  load(h->element, "my-bias");
  g_autoptr(GstBuffer) whole = test_push_pull(h, test_frame_flat(caps, 50));
  fail_unless_equals_int(gst_buffer_get_size(half), 8 * 4);
  fail_unless_equals_int(gst_buffer_get_size(whole), 16 * 8);
  guint8 value;
  gst_buffer_extract(whole, 0, &value, 1);
  fail_unless_equals_int(value, 60);
  test_teardown(h);
}
GST_END_TEST;

/* On a launch line a preset is applied after the properties before and after it. */
GST_START_TEST(preset_on_a_launch_line) {
  g_autoptr(GstElement) element = test_element_new("size=5 @preset=my-bias bias=3 stride=2");
  test_assert_text(element, "bias", "10");
  test_assert_text(element, "size", "0");
  test_assert_text(element, "stride", "1");
}
GST_END_TEST;

/* Loading a saved preset restores the values. */
GST_START_TEST(saved_preset_is_restored) {
  static const gchar *const saved[] = {
      "row=<1,2,1> bias=-3 border=wrap chroma=copy",
      "kernel=sobel chroma-kernel=box chroma-size=9 fields=frame",
      "matrix-text=\"1 -2 1;\n 2 4 2\n1\t1/9 1 ;\" stride=2",
  };
  for (guint i = 0; i < G_N_ELEMENTS(saved); i++) {
    g_autoptr(GstElement) element = test_element_new(saved[i]);
    g_autofree gchar *wanted = test_pixel_properties(element);
    fail_unless(gst_preset_save_preset(GST_PRESET(element), "my-own"));
    disturb(element);
    load(element, "my-own");
    g_autofree gchar *got = test_pixel_properties(element);
    fail_unless_equals_string(got, wanted);
    fail_unless(gst_preset_delete_preset(GST_PRESET(element), "my-own"));
  }
}
GST_END_TEST;

/* A path with all kinds of characters except quotes, which GStreamer cannot read back. */
GST_START_TEST(saved_path_is_restored) {
  g_autofree gchar *path =
      g_build_filename(g_get_user_data_dir(), "a b\\c;e\tf\\012\xc3\xa9.ini", NULL);
  g_autofree gchar *got = NULL;
  fail_unless(g_file_set_contents(path, "[mine]\nmatrix-1=1\n", -1, NULL));
  g_autoptr(GstElement) element = test_element_new(NULL);
  g_object_set(element, "kernel-file", path, NULL);
  test_assert_text(element, "kernel", "custom");
  fail_unless(gst_preset_save_preset(GST_PRESET(element), "my-own"));
  disturb(element);
  load(element, "my-own");
  g_object_get(element, "kernel-file", &got, NULL);
  fail_unless_equals_string(got, path);
  fail_unless(gst_preset_delete_preset(GST_PRESET(element), "my-own"));
}
GST_END_TEST;

GST_START_TEST(path_with_a_quote_is_not_saved) {
  g_autofree gchar *path = g_build_filename(g_get_user_data_dir(), "a\"b.ini", NULL);
  fail_unless(g_file_set_contents(path, "[mine]\nmatrix-1=1\n", -1, NULL));
  g_autoptr(GstElement) element = test_element_new(NULL);
  g_object_set(element, "kernel-file", path, NULL);
  test_assert_text(element, "kernel", "custom");
  fail_if(gst_preset_save_preset(GST_PRESET(element), "my-own"));
  fail_if(gst_preset_load_preset(GST_PRESET(element), "my-own"));
}
GST_END_TEST;

/* Frames after a preset do not depend on earlier values. The preset also works on a launch line. */
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
    test_assert_same_frame(caps, result, expected, names[i]);
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

/* --- shipped presets and the user's --- */

/* Each name is listed once and in order, without the hidden ones. */
GST_START_TEST(names_of_presets) {
  g_autoptr(GstElement) element = test_element_new(NULL);
  g_auto(GStrv) names = gst_preset_get_preset_names(GST_PRESET(element));
  static const gchar *const some[] = {"edges", "sketch", "my-bias", "my-row"};
  for (guint i = 0; i < G_N_ELEMENTS(some); i++)
    fail_unless(g_strv_contains((const gchar *const *)names, some[i]), "%s", some[i]);
  for (guint i = 0; names[i]; i++) {
    fail_if(*names[i] == '_', "%s", names[i]);
    fail_unless(i == 0 || strcmp(names[i - 1], names[i]) < 0, "%s before %s", names[i - 1],
                names[i]);
  }
}
GST_END_TEST;

static void
assert_comment(GstElement *element, const gchar *name, const gchar *wanted) {
  g_autofree gchar *comment = NULL;
  const gboolean found = gst_preset_get_meta(GST_PRESET(element), name, "comment", &comment);
  fail_unless(found == (wanted != NULL) && g_strcmp0(comment, wanted) == 0, "[%s] %s", name,
              comment);
}

/* A user's preset overrides the shipped preset of the same name until it is deleted. */
GST_START_TEST(user_preset_overrides_shipped_preset) {
  static const gchar shipped[] = "The image in color with raised edges";
  g_autoptr(GstElement) element = test_element_new("kernel=identity bias=77");
  GstPreset *preset = GST_PRESET(element);
  assert_comment(element, "emboss", shipped);
  fail_unless(gst_preset_save_preset(preset, "emboss"));
  g_autoptr(GstElement) other = test_element_new(NULL);
  load(other, "emboss");
  test_assert_text(other, "kernel", "identity");
  test_assert_text(other, "bias", "77");
  assert_comment(other, "emboss", NULL);
  fail_unless(gst_preset_set_meta(preset, "emboss", "comment", "mine"));
  assert_comment(other, "emboss", "mine");
  g_auto(GStrv) names = gst_preset_get_preset_names(preset);
  guint n = 0;
  for (guint i = 0; names[i]; i++)
    n += g_str_equal(names[i], "emboss");
  fail_unless_equals_int(n, 1);

  fail_unless(gst_preset_rename_preset(preset, "emboss", "my-emboss"));
  load(other, "my-emboss");
  test_assert_text(other, "bias", "77");
  assert_comment(other, "my-emboss", "mine");
  fail_unless(gst_preset_delete_preset(preset, "my-emboss"));
  load(other, "emboss");
  test_assert_text(other, "kernel", "emboss");
  test_assert_text(other, "bias", "0");
  assert_comment(other, "emboss", shipped);
}
GST_END_TEST;

/* Names that GStreamer's file cannot hold, or that would be hidden. */
GST_START_TEST(invalid_names) {
  static const gchar *const names[] = {"", "_mine", "_presets_", "a]b", "[a", "a\nb", "\xff"};
  g_autoptr(GstElement) element = test_element_new("kernel=box");
  GstPreset *preset = GST_PRESET(element);
  fail_unless(gst_preset_save_preset(preset, "my-own"));
  g_auto(GStrv) before = gst_preset_get_preset_names(preset);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    fail_if(gst_preset_save_preset(preset, names[i]), "[%s]", names[i]);
    fail_if(gst_preset_rename_preset(preset, "my-own", names[i]), "[%s]", names[i]);
    g_auto(GStrv) after = gst_preset_get_preset_names(preset);
    fail_unless(g_strv_equal((const gchar *const *)before, (const gchar *const *)after));
  }
  fail_unless(gst_preset_delete_preset(preset, "my-own"));
}
GST_END_TEST;

/* Meta data that does not fit on one line of GStreamer's file is refused, so the file stays
 * valid. */
GST_START_TEST(invalid_meta_data) {
  static const gchar *const wrong[][2] = {
      {"", "x"},     {"a=b", "x"},        {"a]b", "x"},        {"a ", "x"},
      {"a\nb", "x"}, {"comment", "x\ny"}, {"comment", "\xff"}, {"\xff", "x"},
  };
  g_autoptr(GstElement) element = test_element_new("kernel=box");
  GstPreset *preset = GST_PRESET(element);
  fail_unless(gst_preset_save_preset(preset, "my-own"));
  fail_unless(gst_preset_set_meta(preset, "my-own", "comment", "Soft = [better]"));
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++)
    fail_if(gst_preset_set_meta(preset, "my-own", wrong[i][0], wrong[i][1]), "row %u", i);
  assert_comment(element, "my-own", "Soft = [better]");
  fail_unless(gst_preset_set_meta(preset, "my-own", "comment", NULL));
  fail_if(gst_preset_set_meta(preset, "another", "comment", "x"));
  fail_if(gst_preset_load_preset(preset, "another"));
  fail_unless(gst_preset_delete_preset(preset, "my-own"));
}
GST_END_TEST;

static guint n_logged;

static void
count_log(GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function,
          gint line, GObject *object, GstDebugMessage *message, gpointer data) {
  if (level == GST_LEVEL_WARNING && strstr(gst_debug_message_get(message), "part of the element"))
    n_logged++;
}

/* Shipped presets cannot be changed, and the attempt does not change the user's file. */
GST_START_TEST(shipped_presets_cannot_be_changed) {
  g_autofree gchar *path =
      g_build_filename(g_get_user_data_dir(), "gstreamer-1.0", "presets", "GstCudaConv.prs", NULL);
  g_autofree gchar *before = NULL, *after = NULL, *nothing = NULL;
  g_autoptr(GstElement) element = test_element_new("kernel=box");
  GstPreset *preset = GST_PRESET(element);
  gst_debug_set_threshold_for_name("cudaconv", GST_LEVEL_WARNING);
  gst_debug_add_log_function(count_log, NULL, NULL);
  g_file_get_contents(path, &before, NULL, NULL);
  fail_if(gst_preset_delete_preset(preset, "edges"));
  fail_if(gst_preset_rename_preset(preset, "edges", "my-edges"));
  fail_if(gst_preset_set_meta(preset, "edges", "comment", "mine"));
  fail_unless_equals_int(n_logged, 3);
  gst_debug_remove_log_function(count_log);
  fail_if(gst_preset_get_meta(preset, "edges", "no-such-tag", &nothing));
  fail_unless(nothing == NULL);
  fail_if(gst_preset_delete_preset(preset, "no-such-preset"));
  g_file_get_contents(path, &after, NULL, NULL);
  fail_unless(before && after && g_str_equal(before, after));
  load(element, "edges");
  test_assert_text(element, "kernel", "sobel");
  assert_comment(element, "edges",
                 "Outlines of everything, white on black: Sobel gradient magnitude");
}
GST_END_TEST;

/* --- repeated changes without a pause --- */

typedef struct {
  GstElement *element;
  gint stop; /* atomic */
} Setter;

static guint8
filter_flat(GstHarness *h, const gchar *caps) {
  guint8 value;
  g_autoptr(GstBuffer) result = test_push_pull(h, test_frame_flat(caps, 50));
  gst_buffer_extract(result, 0, &value, 1);
  return value;
}

/* A flat frame of 50 becomes 60, 125, or for a moment 100. */
static gpointer
set_at_full_speed(gpointer data) {
  Setter *setter = data;
  while (!g_atomic_int_get(&setter->stop)) {
    load(setter->element, "my-bias");
    load(setter->element, "my-scale");
    g_object_set(setter->element, "scale", 0.5, "bias", 100.0, NULL);
  }
  return NULL;
}

/* A thread sets properties and loads presets without a pause. Each frame has the values of one
 * change. The last change is in effect in the next frame. */
GST_START_TEST(one_setter_at_full_speed) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 8);
  GstHarness *h = test_harness_new("kernel=identity bias=10", caps);
  guint n_seen[256] = {0};
  for (guint round = 0; round < 3; round++) {
    Setter setter = {.element = h->element};
    GThread *thread = g_thread_new("setter", set_at_full_speed, &setter);
    for (guint n = 0; n < 20 || (n < 2000 && !(n_seen[60] && n_seen[125])); n++) {
      const guint8 value = filter_flat(h, caps);
      n_seen[value]++;
      fail_unless(value == 60 || value == 100 || value == 125, "%u", value);
    }
    g_atomic_int_set(&setter.stop, TRUE);
    g_thread_join(thread);
    fail_unless_equals_int(filter_flat(h, caps), 125);
  }
  fail_unless(n_seen[60] && n_seen[125], "%u and %u frames", n_seen[60], n_seen[125]);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
properties_presets_suite(void) {
  Suite *suite = suite_create("properties-presets");
  TCase *tc = tcase_create("properties-presets");
  tcase_add_test(tc, every_preset_is_complete);
  tcase_add_test(tc, every_preset_runs);
  tcase_add_test(tc, every_preset_is_described);
  tcase_add_test(tc, preset_sets_its_values);
  tcase_add_test(tc, sketches_are_on_white);
  tcase_add_test(tc, presets_do_not_set_device_properties);
  tcase_add_test(tc, presets_use_no_element_name);
  tcase_add_test(tc, missing_preset_changes_nothing);
  tcase_add_test(tc, refused_preset_changes_nothing);
  tcase_add_test(tc, preset_after_a_refused_one);
  tcase_add_test(tc, preset_is_one_change);
  tcase_add_test(tc, one_setter_at_full_speed);
  tcase_add_test(tc, preset_while_playing);
  tcase_add_test(tc, preset_on_a_launch_line);
  tcase_add_test(tc, saved_preset_is_restored);
  tcase_add_test(tc, saved_path_is_restored);
  tcase_add_test(tc, path_with_a_quote_is_not_saved);
  tcase_add_test(tc, names_of_presets);
  tcase_add_test(tc, user_preset_overrides_shipped_preset);
  tcase_add_test(tc, invalid_names);
  tcase_add_test(tc, invalid_meta_data);
  tcase_add_test(tc, shipped_presets_cannot_be_changed);
  suite_add_tcase(suite, tc);
  return suite;
}

/* The user's presets are in a temporary folder. Each process reads them once. */
int
main(int argc, char **argv) {
  g_autofree gchar *home = g_dir_make_tmp("cudaconv-presets-XXXXXX", NULL);
  g_autofree gchar *folder = g_build_filename(home, "gstreamer-1.0", "presets", NULL);
  g_autofree gchar *path = g_build_filename(folder, "GstCudaConv.prs", NULL);
  g_setenv("XDG_DATA_HOME", home, TRUE);
  if (g_mkdir_with_parents(folder, 0700) != 0 || !g_file_set_contents(path, user_presets, -1, NULL))
    return EXIT_FAILURE;
  const int failed = test_main(&argc, &argv, properties_presets_suite, "presets", 1);
  g_autofree gchar *command = g_strdup_printf("rm -rf '%s'", home);
  g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL);
  return failed;
}
