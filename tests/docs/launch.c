/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replaces gst-launch-1.0 when the launch lines of a page are tested: gst-launch-1.0 [OPTION...]
 * LINE. Lines for users have cameras, displays, servers and no end. The tables below replace
 * elements that a machine without these cannot run. The rest runs unchanged in the working folder,
 * which contains in.mp4. The program fails on an error or a warning, if the line does not end, if
 * no frame reaches a sink, and if the line has a cudaconv that filters no frame.
 *
 * The first 10 frames for a window are written unchanged to window-1.gdp, those for the next window
 * in this folder to window-2.gdp. Output to another computer is written to sent-1.mkv or sent-1.ts.
 * At the end the number of filtered frames is printed. -v prints changes of properties, -m prints
 * messages. */

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_S 40
#define CLIP "in.mp4"

typedef enum {
  ALWAYS,
  IF_MISSING, /* only if the element is not installed */
  IF_REMOTE,  /* only if its location is on another computer */
} When;

/* An element and its replacement. `drops_properties`: the element's properties are dropped, except
 * `name`. A %d becomes the first number that gives the name of a new file. */
typedef struct {
  const gchar *element;
  const gchar *words;
  When when;
  gboolean drops_properties;
} Substitute;

/* Five seconds, so that a stream in segments has several of them. */
#define CAMERA "videotestsrc num-buffers=150"
/* identity counts the frame that it refuses. A decoder may have more frames, which come through. */
#define WINDOW "identity eos-after=11 ! gdppay ! filesink location=window-%d.gdp"

static const Substitute substitutes[] = {
    {"v4l2src", CAMERA, ALWAYS, TRUE},
    {"libcamerasrc", CAMERA, ALWAYS, TRUE},
    {"pipewiresrc", CAMERA, ALWAYS, TRUE},
    {"autovideosrc", CAMERA, ALWAYS, TRUE},
    {"ximagesrc", CAMERA, ALWAYS, TRUE},
    {"videotestsrc", "videotestsrc num-buffers=10", ALWAYS, FALSE},
    {"autoaudiosrc", "audiotestsrc num-buffers=10", ALWAYS, TRUE},
    {"audiotestsrc", "audiotestsrc num-buffers=10", ALWAYS, FALSE},
    {"rtspsrc", "filesrc location=" CLIP, IF_REMOTE, TRUE},
    {"autovideosink", WINDOW, ALWAYS, TRUE},
    {"glimagesink", WINDOW, ALWAYS, TRUE},
    {"xvimagesink", WINDOW, ALWAYS, TRUE},
    {"ximagesink", WINDOW, ALWAYS, TRUE},
    {"waylandsink", WINDOW, ALWAYS, TRUE},
    {"v4l2sink", WINDOW, ALWAYS, TRUE},
    {"autoaudiosink", "fakesink", ALWAYS, TRUE},
    {"rtspclientsink", "matroskamux ! filesink location=sent-%d.mkv", IF_REMOTE, TRUE},
    {"srtsink", "filesink location=sent-%d.ts", IF_REMOTE, TRUE},
    {"rtmp2sink", "fakesink", IF_REMOTE, TRUE},
    {"nvh264dec", "avdec_h264", IF_MISSING, TRUE},
    {"nvh264enc", "x264enc", IF_MISSING, TRUE},
    {"cudaupload", "identity", IF_MISSING, TRUE},
    {"cudadownload", "identity", IF_MISSING, TRUE},
};

static gboolean
has_prefix_of(const gchar *word, const gchar *const *list) {
  for (; *list; list++) {
    if (g_str_has_prefix(word, *list))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_property(const gchar *word) {
  const gchar *sign = strchr(word, '=');
  return sign && strcspn(word, "/, (") > (gsize)(sign - word);
}

/* Whether the address is not of this computer. */
static gboolean
is_remote(const gchar *address) {
  static const gchar *const local[] = {"file", "127.0.0.1", "localhost", "[::1]", NULL};
  const gchar *host = strstr(address, "://");
  return host && !g_str_has_prefix(address, "file:") && !has_prefix_of(host + 3, local);
}

/* Whether the element at `word` has a location or URI on another computer. */
static gboolean
has_remote_location(gchar **word) {
  for (gchar **next = word + 1; *next && is_property(*next); next++) {
    if (is_remote(strchr(*next, '=') + 1))
      return TRUE;
  }
  return FALSE;
}

static gboolean
applies(const Substitute *substitute, gchar **word) {
  if (!g_str_equal(*word, substitute->element))
    return FALSE;
  switch (substitute->when) {
  case IF_MISSING: {
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(*word);
    return !factory;
  }
  case IF_REMOTE:
    return has_remote_location(word);
  default:
    return TRUE;
  }
}

static const Substitute *
find_substitute(gchar **word) {
  for (guint i = 0; i < G_N_ELEMENTS(substitutes); i++) {
    if (applies(&substitutes[i], word))
      return &substitutes[i];
  }
  return NULL;
}

/* A word other than an element: addresses are replaced, and CUDA if it may be missing. */
static gchar *
replaced(const gchar *word) {
  static const gchar cuda[] = "(memory:CUDAMemory)";
  if (g_str_has_prefix(word, "uri=") && is_remote(word)) {
    g_autofree gchar *uri = gst_filename_to_uri(CLIP, NULL);
    return g_strconcat("uri=", uri, NULL);
  }
  if (g_str_equal(word, "backend=cuda"))
    return g_strdup("backend=auto");
  g_autoptr(GstElementFactory) upload = gst_element_factory_find("cudaupload");
  const gchar *feature = upload ? NULL : strstr(word, cuda);
  if (feature)
    return g_strdup_printf("%.*s%s", (int)(feature - word), word, feature + strlen(cuda));
  return g_strdup(word);
}

/* A word of a replacement with its number. All files of one line have different numbers, whatever
 * their names. */
static gchar *
numbered(const gchar *word) {
  static guint number;
  const gchar *mark = strstr(word, "%d");
  if (!mark)
    return g_strdup(word);
  for (;;) {
    gchar *text = g_strdup_printf("%.*s%u%s", (int)(mark - word), word, ++number, mark + 2);
    if (!g_file_test(strchr(text, '=') + 1, G_FILE_TEST_EXISTS))
      return text;
    g_free(text);
  }
}

static void
add_words(GPtrArray *words, const gchar *text) {
  g_auto(GStrv) parts = g_strsplit(text, " ", -1);
  for (gchar **part = parts; *part; part++)
    g_ptr_array_add(words, numbered(*part));
}

/* The words of the line after replacement. */
static gchar **
line_words(gchar **argv) {
  GPtrArray *words = g_ptr_array_new();
  const Substitute *current = NULL;
  for (gchar **word = argv; *word; word++) {
    if ((*word)[0] == '-')
      continue; /* an option of gst-launch-1.0 */
    const Substitute *substitute = find_substitute(word);
    if (substitute) {
      add_words(words, substitute->words);
      current = substitute;
    } else if (!is_property(*word)) {
      g_ptr_array_add(words, replaced(*word));
      current = NULL;
    } else if (!current || g_str_has_prefix(*word, "name=") ||
               (!current->drops_properties && !g_str_has_prefix(*word, "num-buffers="))) {
      g_ptr_array_add(words, replaced(*word));
    }
  }
  g_ptr_array_add(words, NULL);
  return (gchar **)g_ptr_array_free(words, FALSE);
}

/* The sum of a number in the `stats` of all elements. */
static guint64
sum_of_stats(GstIterator *elements, const gchar *field) {
  guint64 sum = 0;
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    GObject *element = g_value_get_object(&item);
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats")) {
      g_autoptr(GstStructure) stats = NULL;
      guint64 number = 0;
      g_object_get(element, "stats", &stats, NULL);
      gst_structure_get_uint64(stats, field, &number);
      sum += number;
    }
    g_value_unset(&item);
  }
  gst_iterator_free(elements);
  return sum;
}

/* Whether frames came through a pipeline that ended without an error. */
static gboolean
check_result(GstBin *pipeline, gboolean filters) {
  GstIterator *filtering = gst_bin_iterate_all_by_element_factory_name(pipeline, "cudaconv");
  guint64 frames = sum_of_stats(filtering, "frames");
  g_print("%" G_GUINT64_FORMAT " frames were filtered\n", frames);
  if (frames == 0 && filters) {
    g_printerr("no frame was filtered\n");
    return FALSE;
  }
  if (sum_of_stats(gst_bin_iterate_recurse(pipeline), "rendered") == 0) {
    g_printerr("no frame reached a sink\n");
    return FALSE;
  }
  return TRUE;
}

/* Prints an error or warning and the name of its element. */
static void
print_error(GstMessage *message) {
  g_autoptr(GError) error = NULL;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning(message, &error, NULL);
  else
    gst_message_parse_error(message, &error, NULL);
  g_printerr("%s from %s: %s\n", GST_MESSAGE_TYPE_NAME(message), GST_MESSAGE_SRC_NAME(message),
             error->message);
}

/* Waits for the message that ends the line. If `prints` is set, prints all messages before it. */
static GstMessage *
wait_for_end(GstBus *bus, gboolean prints) {
  gint64 end = g_get_monotonic_time() + TIMEOUT_S * G_USEC_PER_SEC;
  for (gint64 left = 1; left > 0; left = end - g_get_monotonic_time()) {
    g_autoptr(GstMessage) message =
        gst_bus_timed_pop(bus, MAX(end - g_get_monotonic_time(), 0) * GST_USECOND);
    if (!message)
      break;
    GstMessageType type = GST_MESSAGE_TYPE(message);
    if (type == GST_MESSAGE_EOS || type == GST_MESSAGE_ERROR || type == GST_MESSAGE_WARNING)
      return g_steal_pointer(&message);
    const GstStructure *structure = gst_message_get_structure(message);
    if (prints && structure) {
      g_autofree gchar *text = gst_structure_to_string(structure);
      g_print("%s from %s: %s\n", GST_MESSAGE_TYPE_NAME(message), GST_MESSAGE_SRC_NAME(message),
              text);
    }
  }
  return NULL;
}

static gboolean
play(GstElement *pipeline, gboolean filters, gboolean prints) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message = wait_for_end(bus, prints);
  gboolean passed = FALSE;
  if (!message)
    g_printerr("the line does not end\n");
  else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS)
    passed = check_result(GST_BIN(pipeline), filters);
  else
    print_error(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return passed;
}

int
main(int argc, char **argv) {
  gst_init(&argc, &argv);
  g_autoptr(GError) error = NULL;
  g_autoptr(GstParseContext) context = gst_parse_context_new();
  g_auto(GStrv) words = line_words(argv + 1);
  g_autofree gchar *line = g_strjoinv(" ", words);
  GstElement *element =
      gst_parse_launchv_full((const gchar **)words, context, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!element) {
    g_printerr("%s\n", error->message);
    return EXIT_FAILURE;
  }
  GstElement *pipeline = element;
  if (!GST_IS_PIPELINE(element)) {
    pipeline = gst_pipeline_new(NULL);
    gst_bin_add(GST_BIN(pipeline), element);
  }
  gst_object_ref_sink(pipeline);
  if (g_strv_contains((const gchar *const *)argv, "-v"))
    g_signal_connect(pipeline, "deep-notify", G_CALLBACK(gst_object_default_deep_notify), NULL);
  gboolean passed = play(pipeline, strstr(line, "cudaconv") != NULL,
                         g_strv_contains((const gchar *const *)argv, "-m"));
  gst_object_unref(pipeline);
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
