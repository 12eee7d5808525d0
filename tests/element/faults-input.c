/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Wrong property values and caps on a launch line, with the messages that users get. None may cause
 * a crash or a critical. If the element refuses a value, for example a number out of range, the
 * stream ends with one error. If a later value replaces the refused one, the stream runs without a
 * message. With --print the program prints the table for docs/messages.md. */

#include <gst/gst.h>
#include <string.h>

#define FRAMES 2
#define TIMEOUT (10 * GST_SECOND)
#define VIDEO "videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8,width=64,height=48"
#define YUY2 "videotestsrc num-buffers=2 ! video/x-raw,format=YUY2,width=64,height=48"
/* source of buffers with n bytes, or 100, for any caps */
#define BYTES_OF(n)                                                                                \
  "fakesrc num-buffers=2 sizetype=fixed sizemax=" #n " filltype=zero format=time ! "
#define BYTES BYTES_OF(100)
#define RAW "video/x-raw,framerate=30/1,format="
#define FIELDS "video/x-raw(format:Interlaced),framerate=30/1,format="

typedef enum {
  RUNS,     /* the value has no effect or is replaced, and all frames come out */
  STOPS,    /* the stream ends with an error */
  NO_START, /* the launch line is refused */
} Outcome;

typedef struct {
  const gchar *source;
  const gchar *properties;
  Outcome outcome;
  const gchar *says; /* part of the message */
} Row;

static const Row rows[] = {
    /* values that GStreamer or GLib refuses, with their messages */
    {VIDEO, "radius=3", NO_START, "no property \"radius\""},
    {VIDEO, "kernel=nonsense", NO_START, "could not set property \"kernel\""},
    {VIDEO, "size=large", NO_START, "could not set property \"size\""},
    {VIDEO, "bias=grey", NO_START, "could not set property \"bias\""},
    {VIDEO, "border=mirror", NO_START, "could not set property \"border\""},
    {VIDEO, "chroma=none", NO_START, "could not set property \"chroma\""},
    {VIDEO, "chroma-kernel=custom", NO_START, "could not set property \"chroma-kernel\""},
    {VIDEO, "alpha=drop", NO_START, "could not set property \"alpha\""},
    {VIDEO, "threshold=half", NO_START, "could not set property \"threshold\""},
    {VIDEO, "invert=maybe", NO_START, "could not set property \"invert\""},
    {VIDEO, "mix=strong", NO_START, "could not set property \"mix\""},
    {VIDEO, "overlay=#ff0000", NO_START, "could not set property \"overlay\""},
    {VIDEO, "measure=on", NO_START, "could not set property \"measure\""},
    {VIDEO, "response=loud", NO_START, "could not set property \"response\""},
    {VIDEO, "low=dim", NO_START, "could not set property \"low\""},
    {VIDEO, "high=bright", NO_START, "could not set property \"high\""},
    {VIDEO, "algorithm=fastest", NO_START, "could not set property \"algorithm\""},
    {VIDEO, "stride=half", NO_START, "could not set property \"stride\""},
    {VIDEO, "roi=face", NO_START, "could not set property \"roi\""},
    {VIDEO, "roi=10,20,8,8", NO_START, "could not set property \"roi\""},
    {VIDEO, "outside=white", NO_START, "could not set property \"outside\""},
    {VIDEO, "roi-meta=maybe", NO_START, "could not set property \"roi-meta\""},
    {VIDEO, "roi-sigma=large", NO_START, "could not set property \"roi-sigma\""},
    {VIDEO, "fields=both", NO_START, "could not set property \"fields\""},
    {VIDEO, "backend=gpu", NO_START, "could not set property \"backend\""},
    {VIDEO, "matrix=nonsense", NO_START, "could not set property \"matrix\""},
    {VIDEO, "matrix=\"<1,2,1\"", NO_START, "could not set property \"matrix\""},
    /* numbers out of range, which the element refuses */
    {VIDEO, "size=-1", STOPS, "size=-1 is refused: an odd number from 1 to 127, or 0"},
    {VIDEO, "size=129", STOPS, "size=129 is refused: an odd number from 1 to 127"},
    {VIDEO, "chroma-size=4", STOPS, "chroma-size=4 is refused: an odd number from 1 to 127, or 0"},
    {VIDEO, "kernel=gaussian sigma=-1", STOPS, "sigma=-1 is refused: a number from 0 to 1000"},
    {VIDEO, "scale=inf", STOPS, "scale=inf is refused: a number from -1000000 to 1000000"},
    {VIDEO, "bias=1e300", STOPS, "is refused: a number from -65535 to 65535 is needed"},
    {VIDEO, "border=constant border-value=2", STOPS,
     "border-value=2 is refused: a number from 0 to 1"},
    {VIDEO, "threshold=2", STOPS, "threshold=2 is refused: a number from 0 to 1"},
    {VIDEO, "mix=9", STOPS, "mix=9 is refused: a number from -8 to 8"},
    {VIDEO, "kernel=gaussian roi-sigma=2", STOPS, "roi-sigma=2 is refused: a number from 0 to 1"},
    {VIDEO, "response=canny low=-1", STOPS, "low=-1 is refused: a number from 0 to 1000000"},
    {VIDEO, "high=2000000", STOPS, "high=2000000 is refused: a number from 0 to 1000000"},
    {VIDEO, "low=nan", STOPS, "low=nan is refused: a number from 0 to 1000000"},
    {VIDEO, "stride=0", STOPS, "stride=0 is refused: 1, 2 or 4 is needed"},
    {VIDEO, "stride=8", STOPS, "stride=8 is refused: 1, 2 or 4 is needed"},
    {VIDEO, "cuda-device-id=-2", STOPS, "cuda-device-id=-2 is refused: a whole number from -1 up"},
    {VIDEO, "n-threads=-1", STOPS, "n-threads=-1 is refused: a whole number from 0 to 256"},
    {VIDEO, "n-threads=1000000", STOPS, "n-threads=1000000 is refused: a whole number from 0 to"},
    {VIDEO, "in-flight=9", STOPS, "in-flight=9 is refused: a whole number from 0 to 8"},
    {VIDEO, "measure-interval=-1", STOPS,
     "measure-interval=-1 is refused: a number from 0 to 1000000"},
    {VIDEO, "measure-interval=nan", STOPS,
     "measure-interval=nan is refused: a number from 0 to 1000000"},
    {VIDEO, "sigma=nan", STOPS, "sigma=nan is refused: a number from 0 to 1000"},
    {VIDEO, "mix=nan", STOPS, "mix=nan is refused: a number from -8 to 8"},
    {VIDEO, "scale=nan", STOPS, "scale=nan is refused: a number from"},
    /* other values that the element refuses */
    {VIDEO, "matrix=<1,2>", STOPS, "a list of 2 coefficients"},
    {VIDEO, "matrix=<<1,2>,<3,4>>", STOPS, "matrix"},
    {VIDEO, "matrix=<<1,2,1>,<1,2>,<1,2,1>>", STOPS, "row 2 has 2 coefficients and row 1 has 3"},
    {VIDEO, "matrix=<<1,2,1>,<>,<1,2,1>>", STOPS, "entry 2 is not a row"},
    {VIDEO, "matrix=<1,2,1,2,nan,2,1,2,1>", STOPS, "coefficient 5 is nan"},
    {VIDEO, "matrix=<1,2,1,2,inf,2,1,2,1>", STOPS, "coefficient 5 is inf"},
    {VIDEO, "matrix=<1,2,1,2,four,2,1,2,1>", STOPS, "coefficient 5 is \"four\""},
    {VIDEO, "matrix=<1,2,1,2,1e300,2,1,2,1>", STOPS, "coefficient 5 is 1e+300"},
    {VIDEO, "matrix=<<1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1>>", STOPS,
     "odd number from 1 to 31"},
    {VIDEO, "matrix-text=\"1 2 1\"", STOPS, "a list of 3 coefficients"},
    {VIDEO, "matrix-text=\"1 2 1; 1 2; 1 2 1\"", STOPS, "row 2 has 2 coefficients and row 1 has 3"},
    {VIDEO, "matrix-text=\"1 2 1 2 four 2 1 2 1\"", STOPS, "coefficient 5 is \"four\""},
    {VIDEO, "matrix-text=\"0,-1,0,-1,5,-1,0,-1,0\"", STOPS,
     "with white space between coefficients"},
    {VIDEO, "matrix-text=\"[1 2 1; 2 4 2; 1 2 1]\"", STOPS, "and \";\" between rows"},
    {VIDEO, "size=4", STOPS, "size=4 is refused: an odd number from 1 to 127, or 0"},
    {VIDEO, "stride=3", STOPS, "stride=3 is refused: 1, 2 or 4 is needed"},
    {VIDEO, "row=<1,2>", STOPS, "the length of row is 2; an odd number"},
    {VIDEO, "column=<1,x,1>", STOPS, "coefficient 2 is \"x\""},
    {VIDEO, "kernel-file=/nowhere/kernel.ini", STOPS, "No such file"},
    {VIDEO, "kernel-file=/dev/null", STOPS, "/dev/null: not a regular file"},
    {VIDEO, "kernel-file=/", STOPS, "/: not a regular file"},
    {VIDEO, "kernel-file=/dev/zero", STOPS, "/dev/zero: not a regular file"},
    {VIDEO, "stride=3 matrix=<1,2>", STOPS,
     "in a text as \"1 2 1;\" or \"1;2;1\". stride=3 is refused"},
    {VIDEO, "kernel-file=/etc/passwd", STOPS,
     "/etc/passwd:1:1: a [name] must come before all else"},
    {VIDEO, "roi=<10,20,8>", STOPS, "3 numbers: each region needs <x, y, width, height>"},
    {VIDEO, "roi=<10,20,-8,8>", STOPS, "-8: each region needs <x, y, width, height>"},
    {VIDEO, "roi=<0.25,0.25,0.5,0.5>", STOPS, "0.25: each region needs <x, y, width, height>"},
    {VIDEO, "roi=<10,20,8,left>", STOPS, "\"left\": each region needs <x, y, width, height>"},
    {VIDEO, "target=<<10,20>,30>", STOPS, "30: each position needs <x, y>"},
    /* refused values that a later value replaces */
    {VIDEO, "stride=3 stride=2", RUNS, ""},
    {VIDEO, "size=129 size=7", RUNS, ""},
    {VIDEO, "mix=9 mix=0", RUNS, ""},
    {VIDEO, "roi=<1,2> roi=<0,0,8,8>", RUNS, ""},
    {VIDEO, "n-threads=-1 n-threads=0", RUNS, ""},
    {VIDEO, "matrix=<1,2> kernel=box", RUNS, ""},
    {VIDEO, "kernel-file=/nowhere/kernel.ini row=<1,2,1>", RUNS, ""},
    /* values without effect */
    {VIDEO, "overlay=0xff0000", RUNS, "overlay=0x00ff0000 is transparent and draws nothing"},
    {VIDEO, "sigma=1.5", RUNS, "sigma=1.5 has no effect on the kernel sobel"},
    {VIDEO, "roi-sigma=0.2", RUNS, "roi-sigma=0.2 has no effect on the kernel sobel"},
    {VIDEO, "chroma-size=3", RUNS, "chroma-size=3 has no effect, because chroma is not filtered"},
    {VIDEO, "chroma-kernel=box chroma=copy", RUNS, "because chroma is not filtered"},
    {VIDEO, "chroma-kernel=box overlay=0xffff0000", RUNS, "because the overlay replaces chroma"},
    {VIDEO, "chroma-kernel=box threshold=0.5", RUNS, "because the threshold sets chroma to grey"},
    {VIDEO, "kernel=gaussian chroma-size=3 roi-sigma=0.2", RUNS,
     "chroma-size=3 has no effect, because roi-sigma blurs chroma"},
    {VIDEO, "low=30.5", RUNS, "low=30.5 has no effect on the response magnitude"},
    {VIDEO, "response=direction high=300", RUNS, "high=300 has no effect on the response direct"},
    {VIDEO, "response=canny scale=0.5", RUNS, "scale=0.5 has no effect on the response canny"},
    {VIDEO, "response=canny-l1 bias=9", RUNS, "bias=9 has no effect on the response canny-l1"},
    {VIDEO, "roi=<60,40,100,100>", RUNS, ""},
    {VIDEO, "roi=<0,0,8,8>,<20,0,8,8>", RUNS, ""},
    {VIDEO, "roi=<0,0,0,8> roi-meta=true", RUNS, ""},
    {VIDEO, "roi-type=face", RUNS, ""},
    {VIDEO, "kernel=sobel size=9", RUNS, ""},
    {VIDEO, "kernel=kirsch algorithm=two-pass", RUNS, ""},
    {VIDEO, "kernel=box size=9 algorithm=register-tile", RUNS, ""},
    /* values that contradict each other */
    {VIDEO, "kernel=custom", STOPS, "kernel=custom"},
    {VIDEO, "kernel=gaussian sigma=22", STOPS, "21.08 is the largest sigma"},
    {VIDEO, "chroma-kernel=gaussian sigma=22", STOPS, "chroma-kernel=gaussian: sigma=22 needs"},
    {VIDEO, "kernel=gaussian response=direction", STOPS, "response=direction: the kernel gaussian"},
    {VIDEO, "kernel=roberts response=canny", STOPS, "response=canny: the kernel is roberts; sobel"},
    {VIDEO, "row=<1,0,-1> response=canny-l1", STOPS, "response=canny-l1: the kernel is custom"},
    {VIDEO, "response=canny color=components", STOPS, "color=components is set; auto or grey"},
    {VIDEO, "response=canny chroma=filter", STOPS, "chroma=filter is set; auto, copy or"},
    {VIDEO, "response=canny chroma-size=3", STOPS, "chroma-size is set; a chroma-kernel is needed"},
    {VIDEO, "alpha=weighted", STOPS, "alpha=weighted: the kernel sobel has negative taps"},
    {VIDEO, "kernel=sharpen alpha=weighted", STOPS, "the kernel sharpen has negative taps"},
    {VIDEO, "kernel=box alpha=weighted response=absolute", STOPS,
     "the response is absolute; clamp"},
    {VIDEO, "kernel=box alpha=weighted scale=0.5", STOPS, "scale=0.5 is set; 0 is needed"},
    {VIDEO, "kernel=box alpha=weighted bias=3", STOPS, "bias=3 is set; 0 is needed"},
    {VIDEO, "kernel=box alpha=weighted border=constant", STOPS, "another border is needed"},
    {VIDEO, "kernel=box alpha=weighted chroma-kernel=unsharp", STOPS,
     "chroma-kernel=unsharp: alpha=weighted: the kernel unsharp has negative taps"},
    {VIDEO, "roi=<64,0,8,8>", STOPS, "roi=<64, 0, 8, 8>: outside of the frame"},
    {VIDEO, "roi=<10,20,0,8>", STOPS, "roi=<10, 20, 0, 8>: a width and a height of 1 or more"},
    {YUY2, "roi=<1,0,8,8>", STOPS, "in packed 4:2:2 regions must start and end at even columns"},
    {VIDEO, "target=<10,20>", STOPS, "target has 1 position and roi has 0 regions"},
    {VIDEO, "roi=<0,0,8,8> target=<<10,20>,<30,40>>", STOPS,
     "target has 2 positions and roi has 1"},
    {VIDEO, "roi=<0,0,8,8> target=<64,0>", STOPS, "target=<64, 0>: outside of the output frame"},
    {VIDEO, "kernel=gaussian roi-sigma=0.2 stride=2", STOPS, "roi-sigma=0.2: stride=1 is needed"},
    {VIDEO, "backend=cuda cuda-device-id=99", STOPS, "backend=cuda is not available: "},
    /* caps */
    {BYTES RAW "v210,width=64,height=48", "", NO_START, "can't handle caps"},
    {BYTES "audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved", "", NO_START,
     "can't handle caps"},
    {BYTES RAW "GRAY8,width=0,height=48", "", NO_START, "can't handle caps"},
    {VIDEO, "stride=2 ! video/x-raw,width=64,height=48", NO_START, "could not link"},
    {BYTES RAW "GRAY8,width=64,height=48", "", STOPS, "too small"},
    /* buffers without the row padding that GStreamer's default layout has */
    {BYTES_OF(5776) RAW "GRAY8,width=722,height=8", "", STOPS,
     "rows that begin every 724 bytes are needed, 5792 bytes in all"},
    {BYTES_OF(8664) RAW "I420,width=722,height=8", "", STOPS,
     "rows that begin every 724, 364, 364 bytes are needed, 8704 bytes in all"},
    {BYTES RAW "ARGB64,width=32768,height=32768", "", STOPS, "too large"},
    {BYTES RAW "RGBA,width=2147483647,height=2147483647", "", STOPS, "too large"},
    {BYTES RAW "GRAY8,width=64,height=48,interlace-mode=alternate", "", STOPS,
     "or with fields that contradict each other: "},
    {BYTES_OF(1536) FIELDS "GRAY8,width=64,height=48,interlace-mode=alternate", "", RUNS, ""},
    {BYTES FIELDS "GRAY8,width=64,height=48,interlace-mode=alternate", "", STOPS,
     "too small for GRAY8 of 64x24"},
};

/* --- messages of GLib --- */

static GMutex lock;
static GString *printed;
static guint n_criticals;

static const gchar *
log_field(const GLogField *fields, gsize n, const gchar *key) {
  for (gsize i = 0; i < n; i++)
    if (g_str_equal(fields[i].key, key))
      return fields[i].value;
  return "";
}

static GLogWriterOutput
collect(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer user_data) {
  const gchar *message = log_field(fields, n, "MESSAGE");
  if (!(level & (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)))
    return G_LOG_WRITER_HANDLED;
  g_mutex_lock(&lock);
  g_string_append_printf(printed, "%s\n", message);
  n_criticals += !(level & G_LOG_LEVEL_WARNING);
  g_mutex_unlock(&lock);
  return G_LOG_WRITER_HANDLED;
}

/* --- one row --- */

typedef struct {
  GString *messages;
  guint n_errors;
  gboolean refused, ended;
  guint64 frames;
} Result;

static void
take_message(Result *result, GstMessage *message) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *details = NULL;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
    result->ended = TRUE;
    return;
  }
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning(message, &error, &details);
  } else {
    gst_message_parse_error(message, &error, &details);
    result->n_errors++;
  }
  /* the details begin with file, line, function and the path of the object */
  gchar *text = details ? strstr(details, ":\n") : NULL;
  g_string_append_printf(result->messages, "%s%s%s\n", error->message, text ? " " : "",
                         text ? g_strstrip(text + 2) : "");
}

static void
watch(Result *result, GstElement *pipeline) {
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessageType types = GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS;
  GstMessage *message;
  while (!result->ended && result->n_errors == 0 &&
         (message = gst_bus_timed_pop_filtered(bus, TIMEOUT, types))) {
    take_message(result, message);
    gst_message_unref(message);
  }
  g_autoptr(GstStructure) stats = NULL;
  g_object_get(sink, "stats", &stats, NULL);
  gst_structure_get_uint64(stats, "rendered", &result->frames);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  /* a second error would be on the bus by now */
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR))) {
    g_autofree gchar *source = gst_object_get_name(GST_MESSAGE_SRC(message));
    result->n_errors += g_str_has_prefix(source, "cudaconv");
    gst_message_unref(message);
  }
}

static void
try_row(const Row *row, Result *result) {
  const gchar *backend = g_getenv("CUDACONV_TEST_BACKEND");
  g_autofree gchar *line =
      g_strdup_printf("%s ! cudaconv backend=%s %s ! fakesink name=sink", row->source,
                      backend ? backend : "auto", row->properties);
  g_string_truncate(printed, 0);
  g_autoptr(GError) error = NULL;
  GstElement *pipeline = gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (pipeline) {
    watch(result, gst_object_ref_sink(pipeline));
    gst_object_unref(pipeline);
  } else {
    g_string_append_printf(result->messages, "%s\n", error->message);
    result->refused = TRUE;
  }
  g_mutex_lock(&lock);
  g_string_prepend(result->messages, printed->str);
  g_mutex_unlock(&lock);
}

static gboolean
as_expected(const Row *row, const Result *result) {
  const gchar *messages = result->messages->str;
  if (*row->says ? !strstr(messages, row->says) : *messages != '\0')
    return FALSE;
  if (n_criticals > 0)
    return FALSE;
  switch (row->outcome) {
  case RUNS:
    return result->ended && result->n_errors == 0 && result->frames == FRAMES;
  case STOPS:
    return result->n_errors == 1 && result->frames == 0;
  default:
    return result->refused;
  }
}

static void
print_row(const Row *row, const Result *result) {
  static const gchar *const outcomes[] = {"runs on", "stops", "does not start"};
  const gchar *caps = g_str_equal(row->source, VIDEO) ? "" : strrchr(row->source, '!') + 2;
  g_autofree gchar *message = g_strstrip(g_strdup(result->messages->str));
  g_strdelimit(message, "\n", ' ');
  g_auto(GStrv) parts = g_strsplit(message, "<", -1); /* "<x, y>" would be a tag of HTML */
  g_autofree gchar *escaped = g_strjoinv("&lt;", parts);
  g_print("| `%s%s%s` | %s | %s |\n", caps, *caps && *row->properties ? " ! cudaconv " : "",
          row->properties, outcomes[row->outcome], *escaped ? escaped : "(none)");
}

int
main(int argc, char **argv) {
  gboolean print = argc > 1 && g_str_equal(argv[1], "--print");
  gst_init(&argc, &argv);
  printed = g_string_new(NULL);
  g_log_set_writer_func(collect, NULL, NULL);
  if (print)
    g_print("| input | the stream | message |\n| --- | --- | --- |\n");
  guint failures = 0;
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    Result result = {.messages = g_string_new(NULL)};
    try_row(&rows[i], &result);
    if (print)
      print_row(&rows[i], &result);
    if (!as_expected(&rows[i], &result)) {
      failures++;
      g_printerr("FAILED: %s ! cudaconv %s\n  expected: %s\n  %u errors, %" G_GUINT64_FORMAT
                 " frames, %u criticals, messages: %s\n",
                 rows[i].source, rows[i].properties, rows[i].says, result.n_errors, result.frames,
                 n_criticals, result.messages->str);
    }
    n_criticals = 0;
    g_string_free(result.messages, TRUE);
  }
  g_string_free(printed, TRUE);
  if (!print)
    g_print("%u wrong inputs, %u without the expected message\n", (guint)G_N_ELEMENTS(rows),
            failures);
  gst_deinit();
  return failures > 0;
}
