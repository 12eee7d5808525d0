/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-cpu: milliseconds a frame of one pipeline of one thread, between a source that
 * pushes the same random frame again and again and a fakesink, as a line of JSON. A process for
 * each measurement, as with gst-launch, so that none profits from what another left in the
 * allocator. */

#include <gst/gst.h>
#include <stdlib.h>

#define FRAMES 300

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

/* Runs the pipeline to its end. */
static gboolean
run(GstElement *pipeline, Arrivals *arrivals) {
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, arrivals, NULL);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS && arrivals->frames > 1;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  Arrivals arrivals = {0};
  if (argc != 3) {
    g_printerr("usage: cudaconv-bench-cpu CAPS FILTER\n");
    return 2;
  }
  gst_init(NULL, NULL);
  g_autofree gchar *line = g_strdup_printf("videotestsrc pattern=snow num-buffers=1 ! %s ! "
                                           "imagefreeze num-buffers=%d ! %s ! "
                                           "fakesink name=sink sync=false",
                                           argv[1], FRAMES, argv[2]);
  g_autoptr(GstElement) pipeline = gst_parse_launch(line, &error);
  if (error || !run(pipeline, &arrivals)) {
    g_printerr("cudaconv-bench-cpu: %s\n", error ? error->message : "the pipeline fails");
    return EXIT_FAILURE;
  }
  g_print("{\"ms\": %.6f}\n",
          (gdouble)(arrivals.last - arrivals.first) / 1000.0 / (arrivals.frames - 1));
  return EXIT_SUCCESS;
}
