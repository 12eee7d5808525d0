/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's own elements for CUDA memory with the stand-in for the driver: frames come back
 * unchanged, and everything is freed. */

#include <gst/gst.h>

#define FRAMES 5

static GstPadProbeReturn
add_to_sum(GstPad *pad, GstPadProbeInfo *info, gpointer sum) {
  GstMapInfo map;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  g_assert_true(gst_buffer_map(buffer, &map, GST_MAP_READ));
  g_checksum_update(sum, map.data, (gssize)map.size);
  gst_buffer_unmap(buffer, &map);
  return GST_PAD_PROBE_OK;
}

/* The checksum of all bytes of the frames at the end of the pipeline. */
static gchar *
sum_of(const gchar *elements) {
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree gchar *line = g_strdup_printf("videotestsrc num-buffers=%d pattern=ball ! "
                                           "video/x-raw,format=NV12,width=320,height=240 ! %s"
                                           "fakesink name=sink",
                                           FRAMES, elements);
  GstElement *pipeline = gst_parse_launch(line, NULL);
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, add_to_sum, sum, NULL);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message =
      gst_bus_timed_pop_filtered(bus, 10 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_true(message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  gchar *text = g_strdup(g_checksum_get_string(sum));
  g_checksum_free(sum);
  return text;
}

/* Compares the output of `cpu` with that of `cuda` between upload and download. */
static void
compare_pipelines(const gchar *cpu, const gchar *cuda) {
  g_autoptr(GstElementFactory) factory = gst_element_factory_find("cudaupload");
  if (!factory) {
    g_test_skip("GStreamer has no element cudaupload here");
    return;
  }
  g_autofree gchar *there_and_back =
      g_strdup_printf("cudaupload ! video/x-raw(memory:CUDAMemory) ! %s cudadownload ! "
                      "video/x-raw ! ",
                      cuda);
  g_autofree gchar *expected = sum_of(cpu);
  g_autofree gchar *sum = sum_of(there_and_back);
  g_assert_cmpstr(sum, ==, expected);
}

static void
test_there_and_back(void) {
  compare_pipelines("", "");
}

static void
test_filter(void) {
  compare_pipelines("cudaconv backend=cpu kernel=gaussian ! ",
                    "cudaconv backend=cuda kernel=gaussian ! video/x-raw(memory:CUDAMemory) ! ");
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  gst_init(NULL, NULL);
  g_test_add_func("/upload/there-and-back", test_there_and_back);
  g_test_add_func("/upload/filter", test_filter);
  const int result = g_test_run();
  gst_deinit();
  return result;
}
