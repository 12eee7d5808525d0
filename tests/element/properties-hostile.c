/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Malicious values and texts: deeply nested or long arrays, long strings, values of strange types,
 * presets and kernel files. Each is refused quickly, with one short warning. */

#include "common.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TEXT 1000 /* maximum length of a warning in bytes */
#define MAX_US 100000 /* maximum duration of setting a value */

static const gchar *const arrays[] = {"matrix", "row", "column", "roi", "target"};

/* --- expectations --- */

/* Takes the one warning since the last call. The value was set at `began`. */
static gchar *
take_refusal(GstHarness *h, gint64 began, const gchar *what) {
  const gint64 took = g_get_monotonic_time() - began;
  g_autoptr(GstMessage) message =
      gst_bus_pop_filtered(test_harness_bus(h), GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_autoptr(GError) error = NULL;
  fail_unless(message != NULL, "%s: no warning", what);
  fail_unless_equals_int(GST_MESSAGE_TYPE(message), GST_MESSAGE_WARNING);
  gst_message_parse_warning(message, &error, NULL);
  fail_unless(strlen(error->message) <= MAX_TEXT, "%s: a warning of %zu bytes", what,
              strlen(error->message));
  fail_unless(g_utf8_validate(error->message, -1, NULL), "%s: not UTF-8", what);
  for (const gchar *c = error->message; *c; c = g_utf8_next_char(c))
    fail_if(g_unichar_iscntrl(g_utf8_get_char(c)), "%s: control characters in \"%s\"", what,
            error->message);
  fail_unless(took <= MAX_US || test_is_instrumented(), "%s: %" G_GINT64_FORMAT " us", what, took);
  fail_unless(gst_bus_pop_filtered(test_harness_bus(h), GST_MESSAGE_WARNING) == NULL,
              "%s: a second warning", what);
  return g_strdup(error->message);
}

/* Sets the value (taken). Fails unless it is refused and nothing has changed. */
static void
assert_refused(GstHarness *h, const gchar *property, GValue *value, const gchar *what) {
  g_autofree gchar *before = test_property_text(h->element, property);
  const gint64 began = g_get_monotonic_time();
  g_object_set_property(G_OBJECT(h->element), property, value);
  g_autofree gchar *text = take_refusal(h, began, what);
  g_autofree gchar *after = test_property_text(h->element, property);
  fail_unless_equals_string(after, before);
  g_value_unset(value);
}

/* --- arrays --- */

/* An array nested `depth` deep, with a string in the middle. Code that writes it as text has to
 * quote the quotes again on each level. */
static GValue
nested_array(guint depth, const gchar *middle) {
  GValue inner = G_VALUE_INIT;
  g_value_init(&inner, G_TYPE_STRING);
  g_value_set_string(&inner, middle);
  for (guint i = 0; i < depth; i++) {
    GValue outer = G_VALUE_INIT;
    gst_value_array_init(&outer, 1);
    gst_value_array_append_and_take_value(&outer, &inner);
    inner = outer;
  }
  return inner;
}

/* An array with copies of the entry (taken): as many as a region or a position has. */
static GValue
array_of(const gchar *property, GValue *entry) {
  GValue value = G_VALUE_INIT;
  const guint n = g_str_equal(property, "roi") ? 4 : g_str_equal(property, "target") ? 2 : 1;
  gst_value_array_init(&value, n);
  for (guint i = 0; i < n; i++)
    gst_value_array_append_value(&value, entry);
  g_value_unset(entry);
  return value;
}

/* Quoting doubles the length on each level, so 26 levels need 64 MB and more. */
GST_START_TEST(arrays_in_arrays) {
  static const guint depths[] = {3, 10, 26, 40, 1000};
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint p = 0; p < G_N_ELEMENTS(arrays); p++)
    for (guint i = 0; i < G_N_ELEMENTS(depths); i++) {
      GValue value = nested_array(depths[i], "\"1\\");
      g_autofree gchar *what = g_strdup_printf("%s of %u levels", arrays[p], depths[i]);
      assert_refused(h, arrays[p], &value, what);
    }
  test_teardown(h);
}
GST_END_TEST;

/* Nested brackets as text, as on a launch line. */
GST_START_TEST(brackets_in_brackets) {
  g_autofree gchar *open = g_strnfill(40, '<'), *close = g_strnfill(40, '>');
  g_autofree gchar *text = g_strconcat(open, close, NULL);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint p = 0; p < G_N_ELEMENTS(arrays); p++) {
    const gint64 began = g_get_monotonic_time();
    gst_util_set_object_arg(G_OBJECT(h->element), arrays[p], text);
    g_free(take_refusal(h, began, text));
  }
  test_teardown(h);
}
GST_END_TEST;

static void
append_number(GValue *array, gint number) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_INT);
  g_value_set_int(&value, number);
  gst_value_array_append_and_take_value(array, &value);
}

/* A long array of numbers, or of rows with one number. GObject itself copies the value more than
 * once. */
GST_START_TEST(long_arrays) {
  const guint n = 30000;
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint p = 0; p < G_N_ELEMENTS(arrays); p++)
    for (guint rows = 0; rows < 2; rows++) {
      GValue value = G_VALUE_INIT;
      gst_value_array_init(&value, n);
      for (guint i = 0; i < n; i++) {
        GValue row = G_VALUE_INIT;
        if (rows) {
          gst_value_array_init(&row, 1);
          append_number(&row, 1);
          gst_value_array_append_and_take_value(&value, &row);
        } else {
          append_number(&value, 1);
        }
      }
      assert_refused(h, arrays[p], &value, rows ? "rows" : "numbers");
    }
  test_teardown(h);
}
GST_END_TEST;

/* Strings instead of numbers: ten megabytes, invalid UTF-8, control characters. */
GST_START_TEST(long_and_strange_strings) {
  g_autofree gchar *digits = g_strnfill(10 << 20, '1');
  const gchar *const texts[] = {digits, "\xff\xfe\xfd", "\033[2J\r\n\a", "\\\\\\\"\"\"", "1\n2"};
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint p = 0; p < G_N_ELEMENTS(arrays); p++)
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
      GValue entry = nested_array(0, texts[i]);
      GValue value = array_of(arrays[p], &entry);
      const gint64 began = g_get_monotonic_time();
      g_object_set_property(G_OBJECT(h->element), arrays[p], &value);
      g_free(take_refusal(h, began, arrays[p]));
      g_value_unset(&value);
    }
  test_teardown(h);
}
GST_END_TEST;

/* The same strings instead of a whole matrix. */
GST_START_TEST(long_and_strange_texts) {
  g_autofree gchar *digits = g_strnfill(10 << 20, '1'), *rows = g_strnfill(16384, ';');
  g_autofree gchar *numbers = g_strnfill(16384, '1');
  for (gchar *c = numbers; *c; c += 2)
    *c = ' ';
  const gchar *const texts[] = {digits,      rows,       numbers, "\xff\xfe\xfd",
                                "\033[2J\a", "\\\\\"\"", "1/1/1"};
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_STRING);
    g_value_set_string(&value, texts[i]);
    assert_refused(h, "matrix-text", &value, "matrix-text");
  }
  test_teardown(h);
}
GST_END_TEST;

/* A type of regions is kept forever, so only short ones are accepted. Whatever its bytes are, it
 * reads as it was set. */
GST_START_TEST(long_and_strange_types_of_regions) {
  static const gchar *const strange[] = {"\xff\xfe\xfd", "\033[2J\a", "\\\"", " ", "<1>"};
  g_autofree gchar *longest = g_strnfill(255, 'x'), *longer = g_strnfill(256, 'x');
  g_autofree gchar *huge = g_strnfill(10 << 20, 'x');
  const gchar *const texts[] = {longer, huge};
  GstHarness *h = test_harness_new("roi-meta=true", NULL);
  for (guint i = 0; i <= G_N_ELEMENTS(strange); i++) {
    const gchar *text = i < G_N_ELEMENTS(strange) ? strange[i] : longest;
    g_autofree gchar *got = NULL;
    g_object_set(h->element, "roi-type", text, NULL);
    g_object_get(h->element, "roi-type", &got, NULL);
    fail_unless_equals_string(got, text);
  }
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_STRING);
    g_value_set_string(&value, texts[i]);
    assert_refused(h, "roi-type", &value, "roi-type");
  }
  test_teardown(h);
}
GST_END_TEST;

/* Values of types that are not numbers. Some are long as text. */
GST_START_TEST(strange_types) {
  const struct {
    GType type;
    const gchar *text;
  } values[] = {{G_TYPE_BOOLEAN, "true"},
                {GST_TYPE_CAPS, "video/x-raw, width=(int)[1, 2]; audio/x-raw"},
                {GST_TYPE_STRUCTURE, "a-structure, b=(string)c"},
                {GST_TYPE_BITMASK, "0x1"},
                {GST_TYPE_LIST, "{ 1, 2 }"},
                {GST_TYPE_DATE_TIME, "2026-11-21"}};
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint p = 0; p < G_N_ELEMENTS(arrays); p++)
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
      GValue entry = G_VALUE_INIT;
      g_value_init(&entry, values[i].type);
      fail_unless(gst_value_deserialize(&entry, values[i].text), "%s", values[i].text);
      GValue value = array_of(arrays[p], &entry);
      assert_refused(h, arrays[p], &value, values[i].text);
    }
  test_teardown(h);
}
GST_END_TEST;

/* --- presets --- */

static gchar *data_home; /* folder of the user's presets */

static void
write_preset(const gchar *property, const gchar *text) {
  g_autofree gchar *folder = g_build_filename(data_home, "gstreamer-1.0", "presets", NULL);
  g_autofree gchar *path = g_build_filename(folder, "GstCudaConv.prs", NULL);
  g_autofree gchar *preset = g_strdup_printf(
      "[_presets_]\nversion=9.9.9\nelement-name=GstCudaConv\n\n[hostile]\n%s=%s\n", property, text);
  g_mkdir_with_parents(folder, 0700);
  fail_unless(g_file_set_contents(path, preset, -1, NULL));
}

/* GStreamer reads the file of presets once per process, so each test loads a preset only once. */
GST_START_TEST(preset_with_brackets) {
  g_autofree gchar *open = g_strnfill(40, '<'), *close = g_strnfill(40, '>');
  g_autofree gchar *text = g_strconcat(open, close, NULL);
  write_preset(arrays[__i__], text);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  const gint64 began = g_get_monotonic_time();
  fail_if(gst_preset_load_preset(GST_PRESET(h->element), "hostile"));
  g_free(take_refusal(h, began, "preset"));
  test_teardown(h);
}
GST_END_TEST;

/* --- kernel files --- */

static gchar *
temporary(const gchar *name) {
  return g_build_filename(data_home, name, NULL);
}

/* A FIFO without a writer blocks nothing: the call returns, and other changes take effect. */
GST_START_TEST(fifo_as_kernel_file) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 8);
  g_autofree gchar *path = temporary("fifo");
  fail_unless(mkfifo(path, 0600) == 0);
  GstHarness *h = test_harness_new("kernel=identity", caps);
  const gint64 began = g_get_monotonic_time();
  g_object_set(h->element, "bias", 20.0, "kernel-file", path, NULL);
  g_free(take_refusal(h, began, "FIFO"));
  guint8 value;
  GstBuffer *result = test_push_pull(h, test_frame_flat(caps, 50));
  gst_buffer_extract(result, 0, &value, 1);
  fail_unless_equals_int(value, 70);
  gst_buffer_unref(result);
  test_teardown(h);
  g_unlink(path);
}
GST_END_TEST;

/* The contents of a file that is not a kernel file do not appear in messages. */
GST_START_TEST(messages_do_not_repeat_file_contents) {
  static const gchar *const texts[] = {"root:$6$secret$secret:19000:0:99999:7:::\n",
                                       "[secret]\nsecret=secret\n",
                                       "secret=secret\n",
                                       "[a]\nmatrix-1=secret\n",
                                       "[a]\nmatrix-1=1\nresponse=secret\n",
                                       "[secret secret]\n"};
  g_autofree gchar *path = temporary("shadow");
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    fail_unless(g_file_set_contents(path, texts[i], -1, NULL));
    const gint64 began = g_get_monotonic_time();
    g_object_set(h->element, "kernel-file", path, NULL);
    g_autofree gchar *text = take_refusal(h, began, texts[i]);
    fail_unless(strstr(text, "secret") == NULL, "%s", text);
  }
  test_teardown(h);
  g_unlink(path);
}
GST_END_TEST;

/* The kernel's name in the file does not appear in later messages about the kernel. */
GST_START_TEST(messages_do_not_repeat_kernel_names) {
  g_autofree gchar *caps = test_caps("GRAY8", 16, 8);
  g_autofree gchar *path = temporary("named");
  g_autofree gchar *name = g_strnfill(60000, 'a');
  g_autofree gchar *text = g_strdup_printf("[%s]\nmatrix-3=1 2 1; 2 4 2; 1 2 1\n", name);
  fail_unless(g_file_set_contents(path, text, -1, NULL));
  static const gchar *const settings[][2] = {
      {"size", "5"}, {"response", "direction"}, {"algorithm", "tensor-core"}};
  for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
    GstHarness *h = test_harness_new("kernel=gaussian", caps);
    g_object_set(h->element, "kernel-file", path, NULL);
    gst_buffer_unref(test_push_pull(h, test_frame_flat(caps, 50)));
    gst_util_set_object_arg(G_OBJECT(h->element), settings[i][0], settings[i][1]);
    gst_buffer_unref(test_push_pull(h, test_frame_flat(caps, 50)));
    g_autofree gchar *messages =
        test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT, NULL);
    fail_if(strstr(messages, "aaaa"), "%.200s", messages);
    test_teardown(h);
  }
  g_unlink(path);
}
GST_END_TEST;

/* A path of a megabyte, with invalid UTF-8 or with escape sequences for terminals, gives a short
 * and clean warning. */
GST_START_TEST(strange_paths) {
  g_autofree gchar *slashes = g_strnfill(1 << 20, '/');
  const gchar *const paths[] = {slashes, "/\xff\xfe", "/\033[2J", "/a\nb", "/\302\205"};
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    const gint64 began = g_get_monotonic_time();
    g_object_set(h->element, "kernel-file", paths[i], NULL);
    g_free(take_refusal(h, began, "path"));
  }
  test_teardown(h);
}
GST_END_TEST;

static Suite *
properties_hostile_suite(void) {
  Suite *suite = suite_create("properties-hostile");
  TCase *tc = tcase_create("properties-hostile");
  tcase_add_test(tc, arrays_in_arrays);
  tcase_add_test(tc, brackets_in_brackets);
  tcase_add_test(tc, long_arrays);
  tcase_add_test(tc, long_and_strange_strings);
  tcase_add_test(tc, long_and_strange_texts);
  tcase_add_test(tc, long_and_strange_types_of_regions);
  tcase_add_test(tc, strange_types);
  const gboolean forks = g_strcmp0(g_getenv("CK_FORK"), "no") != 0;
  tcase_add_loop_test(tc, preset_with_brackets, 0, forks ? G_N_ELEMENTS(arrays) : 1);
  tcase_add_test(tc, fifo_as_kernel_file);
  tcase_add_test(tc, messages_do_not_repeat_file_contents);
  tcase_add_test(tc, messages_do_not_repeat_kernel_names);
  tcase_add_test(tc, strange_paths);
  suite_add_tcase(suite, tc);
  return suite;
}

int
main(int argc, char **argv) {
  data_home = g_dir_make_tmp("cudaconv-hostile-XXXXXX", NULL);
  g_setenv("XDG_DATA_HOME", data_home, TRUE);
  const int failed = test_main(&argc, &argv, properties_hostile_suite, "hostile", 1);
  g_autofree gchar *command = g_strdup_printf("rm -rf '%s'", data_home);
  g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL);
  g_free(data_home);
  return failed;
}
