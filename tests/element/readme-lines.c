/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs every gst-launch-1.0 line of a Markdown file's fenced blocks: readme-lines README.md. They
 * are lines for users, with cameras, files, screens and no end, so this table replaces what a
 * machine without them cannot run:
 *
 *   v4l2src, libcamerasrc, ...     videotestsrc num-buffers=10
 *   videotestsrc                   the same with num-buffers=10
 *   location= of a source, uri=    a short clip that is made first
 *   autovideosink, ...             fakesink
 *   location= of a sink            a file in the temporary folder
 *
 * The rest is run as it stands, in the working folder. Exit status 77: a line needs an element that
 * is not installed. */

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <string.h>

#define TIMEOUT (60 * GST_SECOND)
#define FRAMES "num-buffers=10"
#define COMMAND "gst-launch-1.0 "

typedef enum { PASSED, FAILED, SKIPPED } Outcome;

static gchar *clip;
static gchar *output;

static gboolean
is_one_of(const gchar *word, const gchar *const *list) {
  return g_strv_contains(list, word);
}

/* The words that stand for one word of the line, added to `words`. */
static void
add_replaced(GPtrArray *words, const gchar *word, gboolean is_sink) {
  static const gchar *const cameras[] = {"v4l2src",   "libcamerasrc", "pipewiresrc", "autovideosrc",
                                         "ximagesrc", "videotestsrc", NULL};
  static const gchar *const screens[] = {"autovideosink", "glimagesink", "xvimagesink",
                                         "ximagesink",    "waylandsink", NULL};
  if (is_one_of(word, cameras)) {
    g_ptr_array_add(words, g_strdup("videotestsrc"));
    g_ptr_array_add(words, g_strdup(FRAMES));
  } else if (is_one_of(word, screens)) {
    g_ptr_array_add(words, g_strdup("fakesink"));
  } else if (g_str_has_prefix(word, "uri=")) {
    g_autofree gchar *uri = gst_filename_to_uri(clip, NULL);
    g_ptr_array_add(words, g_strconcat("uri=", uri, NULL));
  } else if (g_str_has_prefix(word, "location=")) {
    g_ptr_array_add(words, g_strconcat("location=", is_sink ? output : clip, NULL));
  } else if (!g_str_has_prefix(word, "num-buffers=") && !g_str_has_prefix(word, "device=")) {
    g_ptr_array_add(words, g_strdup(word));
  }
}

/* The description of the pipeline as gst-launch-1.0 sees it, with the table applied. */
static gchar **
pipeline_words(const gchar *line, GError **error) {
  g_auto(GStrv) argv = NULL;
  if (!g_shell_parse_argv(line, NULL, &argv, error))
    return NULL;
  GPtrArray *words = g_ptr_array_new();
  gboolean is_sink = FALSE;
  for (gchar **word = argv + 1; *word; word++) {
    if ((*word)[0] == '-')
      continue; /* an option of gst-launch-1.0 */
    if (!strchr(*word, '='))
      is_sink = g_str_has_suffix(*word, "sink");
    add_replaced(words, *word, is_sink);
  }
  g_ptr_array_add(words, NULL);
  return (gchar **)g_ptr_array_free(words, FALSE);
}

/* The frames that the cudaconv elements of the pipeline have filtered. */
static guint64
count_filtered(GstElement *pipeline) {
  guint64 sum = 0;
  GstIterator *elements =
      gst_bin_iterate_all_by_element_factory_name(GST_BIN(pipeline), "cudaconv");
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    g_autoptr(GstStructure) stats = NULL;
    guint64 frames = 0;
    g_object_get(g_value_get_object(&item), "stats", &stats, NULL);
    gst_structure_get_uint64(stats, "frames", &frames);
    sum += frames;
    g_value_unset(&item);
  }
  gst_iterator_free(elements);
  return sum;
}

static Outcome
run(GstElement *pipeline) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(
      bus, TIMEOUT, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  Outcome outcome = PASSED;
  if (!message) {
    g_print("    does not end\n");
    outcome = FAILED;
  } else if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_EOS) {
    const GstStructure *structure = gst_message_get_structure(message);
    g_autofree gchar *text = gst_structure_to_string(structure);
    g_print("    %s\n", text);
    outcome = FAILED;
  } else if (count_filtered(pipeline) == 0) {
    g_print("    no frame was filtered\n");
    outcome = FAILED;
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return outcome;
}

static Outcome
run_words(gchar **words) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GstParseContext) context = gst_parse_context_new();
  GstElement *pipeline =
      gst_parse_launchv_full((const gchar **)words, context, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!pipeline) {
    g_print("    %s\n", error->message);
    return g_error_matches(error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT) ? SKIPPED
                                                                                    : FAILED;
  }
  gst_object_ref_sink(pipeline);
  Outcome outcome = run(pipeline);
  gst_object_unref(pipeline);
  return outcome;
}

static Outcome
run_line(const gchar *line) {
  g_autoptr(GError) error = NULL;
  g_print("%s\n", line);
  g_auto(GStrv) words = pipeline_words(line, &error);
  if (!words) {
    g_print("    %s\n", error->message);
    return FAILED;
  }
  return run_words(words);
}

/* A short clip of a kind that GStreamer's base plugins write and read. */
static gboolean
make_clip(void) {
  g_autofree gchar *location = g_strconcat("location=", clip, NULL);
  const gchar *words[] = {"videotestsrc", FRAMES, "!",        "theoraenc", "!",
                          "oggmux",       "!",    "filesink", location,    NULL};
  GstElement *pipeline = gst_parse_launchv(words, NULL);
  if (!pipeline)
    return FALSE;
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, TIMEOUT, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
}

/* Runs the lines of the fenced blocks; a line that ends with a backslash goes on in the next. */
static void
run_file(const gchar *text, guint *count) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  gboolean fenced = FALSE;
  g_autoptr(GString) line = g_string_new(NULL);
  for (gchar **next = lines; *next; next++) {
    if (g_str_has_prefix(*next, "```"))
      fenced = !fenced;
    g_string_append(line, *next);
    if (fenced && g_str_has_suffix(line->str, "\\")) {
      g_string_truncate(line, line->len - 1);
      continue;
    }
    if (fenced && g_str_has_prefix(line->str, COMMAND))
      count[run_line(line->str)]++;
    g_string_truncate(line, 0);
  }
}

int
main(int argc, char **argv) {
  g_autofree gchar *text = NULL;
  g_autoptr(GError) error = NULL;
  gst_init(&argc, &argv);
  if (argc != 2 || !g_file_get_contents(argv[1], &text, NULL, &error)) {
    g_printerr("usage: readme-lines FILE.md\n%s\n", error ? error->message : "");
    return 1;
  }
  g_autofree gchar *folder = g_dir_make_tmp("cudaconv-XXXXXX", NULL);
  clip = g_build_filename(folder, "in", NULL);
  output = g_build_filename(folder, "out", NULL);
  guint count[SKIPPED + 1] = {0};
  if (make_clip())
    run_file(text, count);
  else
    g_printerr("no clip can be made for lines that read a file\n");
  g_unlink(clip);
  g_unlink(output);
  g_rmdir(folder);
  g_free(clip);
  g_free(output);
  g_print("%u lines run, %u failed, %u skipped\n", count[PASSED], count[FAILED], count[SKIPPED]);
  if (count[FAILED] > 0 || count[PASSED] == 0)
    return 1;
  return count[SKIPPED] > 0 ? 77 : 0;
}
