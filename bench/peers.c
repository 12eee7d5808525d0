/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-peers: the element's CPU backend beside other CPU filters, as ratios of the time
 * of a frame, measured in turns in one run on the same processors. GStreamer's filters run in a
 * pipeline of one thread, between a source that pushes the same random frame again and again and a
 * fakesink; FFmpeg's run in the ffmpeg tool on such a frame. What each side needs without a filter
 * is measured too, and taken off. Every measurement is a process of its own, as with gst-launch, so
 * that none profits from what another left in the allocator. */

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <math.h>
#include <stdlib.h>

#define WIDTH 1920
#define HEIGHT 1080
#define ROUNDS 7
#define FRAMES 300 /* of a pipeline */

typedef struct {
  const gchar *title;
  const gchar *format; /* GStreamer's name */
  const gchar *own;    /* pipeline part */
  const gchar *peer;   /* pipeline part, or NULL */
  const gchar *ffmpeg; /* filter, or NULL */
  const gchar *pix_fmt;
  gdouble wanted; /* ratio */
} Comparison;

static const Comparison comparisons[] = {
    {"GRAY8 Gaussian 5x5 and cvsmooth", "GRAY8", "cudaconv backend=cpu kernel=gaussian size=5",
     "cvsmooth type=gaussian kernel-width=5 kernel-height=5", NULL, NULL, 4},
    {"RGB sobel-x and cvsobel", "RGB", "cudaconv backend=cpu kernel=sobel-x", "cvsobel", NULL, NULL,
     4},
    {"GRAY8 Sobel magnitude and FFmpeg's sobel", "GRAY8", "cudaconv backend=cpu kernel=sobel", NULL,
     "sobel", "gray", 8},
};

typedef struct {
  gint64 first, last;
  guint frames;
} Arrivals;

static GstPadProbeReturn
on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Arrivals *arrivals = data;
  arrivals->last = g_get_monotonic_time();
  if (arrivals->frames++ == 0)
    arrivals->first = arrivals->last;
  return GST_PAD_PROBE_OK;
}

/* The child: prints milliseconds a frame from the first buffer at the sink to the last. */
static int
run_pipeline(const gchar *format, const gchar *filter) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *line = g_strdup_printf(
      "videotestsrc pattern=snow num-buffers=1 ! "
      "video/x-raw,format=%s,width=%d,height=%d,framerate=30/1 ! imagefreeze num-buffers=%d ! %s ! "
      "fakesink name=sink sync=false",
      format, WIDTH, HEIGHT, FRAMES, filter);
  g_autoptr(GstElement) pipeline = gst_parse_launch(line, &error);
  if (error) {
    g_printerr("cudaconv-bench-peers: %s\n", error->message);
    return EXIT_FAILURE;
  }
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  Arrivals arrivals = {0};
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &arrivals, NULL);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  const gboolean ok = message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (!ok || arrivals.frames < 2)
    return EXIT_FAILURE;
  g_print("%.6f\n", (gdouble)(arrivals.last - arrivals.first) / 1000.0 / (arrivals.frames - 1));
  return EXIT_SUCCESS;
}

static const gchar *program_path;

/* Milliseconds a frame; NAN when the filter is not there. */
static gdouble
time_pipeline(const Comparison *c, const gchar *filter) {
  const gchar *argv[] = {program_path, c->format, filter, NULL};
  g_autofree gchar *text = NULL;
  gint status = 1;
  if (!g_spawn_sync(NULL, (gchar **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL, &status,
                    NULL) ||
      status != 0)
    return NAN;
  return g_ascii_strtod(text, NULL);
}

/* Milliseconds a frame of an ffmpeg filter; start-up drops out between a short and a long run. */
static gdouble
time_ffmpeg(const Comparison *c, const gchar *filter, const gchar *path) {
  gdouble seconds[2];
  const guint frames[2] = {20, 220};
  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *command = g_strdup_printf(
        "ffmpeg -nostdin -v error -stream_loop -1 -f rawvideo -pix_fmt %s -s %dx%d -i %s "
        "-frames:v %u -filter_threads %u -vf %s -f null -",
        c->pix_fmt, WIDTH, HEIGHT, path, frames[i], g_get_num_processors(), filter);
    gint status = 1;
    const gint64 begin = g_get_monotonic_time();
    if (!g_spawn_command_line_sync(command, NULL, NULL, &status, NULL) || status != 0)
      return NAN;
    seconds[i] = (gdouble)(g_get_monotonic_time() - begin) / 1e6;
  }
  return (seconds[1] - seconds[0]) * 1000 / (frames[1] - frames[0]);
}

static gdouble
time_peer(const Comparison *c, gboolean with_filter, const gchar *path) {
  if (c->ffmpeg)
    return time_ffmpeg(c, with_filter ? c->ffmpeg : "null", path);
  return time_pipeline(c, with_filter ? c->peer : "identity");
}

static int
compare_doubles(const void *a, const void *b) {
  const gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;
  return (x > y) - (x < y);
}

static gdouble
median(gdouble *values) {
  qsort(values, ROUNDS, sizeof *values, compare_doubles);
  return values[ROUNDS / 2];
}

/* FALSE when the peer is not there or something failed. */
static gboolean
run_comparison(const Comparison *c, const gchar *path) {
  gdouble own[ROUNDS], own_empty[ROUNDS], peer[ROUNDS], peer_empty[ROUNDS];
  for (guint i = 0; i < ROUNDS; i++) {
    own[i] = time_pipeline(c, c->own);
    own_empty[i] = time_pipeline(c, "identity");
    peer[i] = time_peer(c, TRUE, path);
    peer_empty[i] = time_peer(c, FALSE, path);
    if (isnan(own[i] + own_empty[i] + peer[i] + peer_empty[i])) {
      g_print("%-42s not measured: the peer is not installed\n", c->title);
      return FALSE;
    }
  }
  const gdouble ours = median(own) - median(own_empty), theirs = median(peer) - median(peer_empty);
  g_print("%-42s %8.3f %8.3f %7.1f %7.1f\n", c->title, ours, theirs, theirs / ours, c->wanted);
  return TRUE;
}

/* A file with one grey frame of random pixels; its path, or NULL. */
static gchar *
write_frame(void) {
  g_autofree guint8 *data = g_malloc(WIDTH * HEIGHT);
  guint32 state = 1;
  for (gsize i = 0; i < WIDTH * HEIGHT; i++) {
    state = state * 1664525 + 1013904223;
    data[i] = (guint8)(state >> 24);
  }
  g_autofree gchar *path = NULL;
  const gint fd = g_file_open_tmp("cudaconv-bench-XXXXXX", &path, NULL);
  if (fd < 0)
    return NULL;
  g_close(fd, NULL);
  if (!g_file_set_contents(path, (const gchar *)data, WIDTH * HEIGHT, NULL))
    return NULL;
  return g_steal_pointer(&path);
}

int
main(int argc, char **argv) {
  if (argc == 3) {
    gst_init(NULL, NULL);
    return run_pipeline(argv[1], argv[2]);
  }
  program_path = argv[0];
  g_autofree gchar *path = write_frame();
  if (!path)
    return EXIT_FAILURE;
  g_print("%dx%d, %u processors, ms a frame, medians of %d rounds in turns\n", WIDTH, HEIGHT,
          g_get_num_processors(), ROUNDS);
  g_print("%-42s %8s %8s %7s %7s\n", "", "cudaconv", "peer", "ratio", "wanted");
  gboolean all = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(comparisons); i++)
    all = run_comparison(&comparisons[i], path) && all;
  g_remove(path);
  return all ? EXIT_SUCCESS : 77;
}
