/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements of cudaconv in a pipeline with others: the memory of the frames between them, the number
 * of frames in flight, latency and memory use. The output is compared with that of the same
 * pipeline without a device. */

#include "memory.h"

#include <string.h>

#define N_FRAMES 20

/* --- pipelines --- */

/* Adds the checksum of the buffer to `checksums`. */
static GstPadProbeReturn
add_checksum(GstPad *pad, GstPadProbeInfo *info, gpointer checksums) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(GST_PAD_PROBE_INFO_BUFFER(info), &map, GST_MAP_READ));
  g_ptr_array_add(checksums, g_compute_checksum_for_data(G_CHECKSUM_SHA256, map.data, map.size));
  gst_buffer_unmap(GST_PAD_PROBE_INFO_BUFFER(info), &map);
  return GST_PAD_PROBE_OK;
}

/* The checksums, as text, of the frames that the sink will receive. */
static GPtrArray *
watch(GstElement *pipeline, const gchar *sink) {
  g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(pipeline), sink);
  g_autoptr(GstPad) pad = gst_element_get_static_pad(element, "sink");
  GPtrArray *checksums = g_ptr_array_new_with_free_func(g_free);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, add_checksum, checksums, NULL);
  return checksums;
}

static void
stop(GstElement *pipeline) {
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

static gchar *
replace(const gchar *text, const gchar *what, const gchar *with) {
  g_auto(GStrv) parts = g_strsplit(text, what, -1);
  return g_strjoinv(with, parts);
}

/* The pipeline of a line in which CONV stands for the element. UP, DOWN and CUDA stand for upload,
 * download and caps with CUDA memory. With the CPU backend they are left out. */
static GstElement *
new_pipeline(const gchar *line, const gchar *backend) {
  static const gchar *const on_device[][2] = {{"UP", "cudaupload !"},
                                              {"DOWN", "cudadownload !"},
                                              {"CUDA", "video/x-raw(memory:CUDAMemory) !"}};
  g_autofree gchar *element = g_strdup_printf("cudaconv backend=%s", backend);
  gchar *text = replace(line, "CONV", element);
  for (guint i = 0; i < G_N_ELEMENTS(on_device); i++) {
    gchar *next =
        replace(text, on_device[i][0], g_str_equal(backend, "cpu") ? "" : on_device[i][1]);
    g_free(text);
    text = next;
  }
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(text, &error);
  fail_unless(error == NULL, "%s: %s", text, error ? error->message : "");
  g_free(text);
  return pipeline;
}

#define SOURCE(format, width, height)                                                              \
  "videotestsrc num-buffers=20 pattern=ball ! "                                                    \
  "video/x-raw,format=" format ",width=" #width ",height=" #height " ! "

static GPtrArray *
checksums_of(const gchar *line, const gchar *backend, const gchar *sink) {
  GstElement *pipeline = new_pipeline(line, backend);
  GPtrArray *checksums = watch(pipeline, sink);
  test_play_to_eos(pipeline, 30);
  stop(pipeline);
  return checksums;
}

static gboolean
are_equal(const GPtrArray *some, const GPtrArray *others) {
  gboolean same = some->len == others->len;
  for (guint i = 0; same && i < some->len; i++)
    same = g_str_equal(some->pdata[i], others->pdata[i]);
  return same;
}

static gboolean
has_element(const gchar *name) {
  g_autoptr(GstElementFactory) factory = gst_element_factory_find(name);
  return factory != NULL;
}

static void
compare(const gchar *line, const gchar *sink) {
  if ((strstr(line, "UP") || strstr(line, "DOWN")) && !has_element("cudaupload"))
    return;
  g_autoptr(GPtrArray) expected = checksums_of(line, "cpu", sink);
  g_autoptr(GPtrArray) checksums = checksums_of(line, test_backend(), sink);
  fail_unless_equals_int(expected->len, N_FRAMES);
  fail_unless(are_equal(checksums, expected), "%s: %u frames", line, checksums->len);
}

/* --- together with other elements --- */

GST_START_TEST(mixed_chains) {
  static const gchar *const lines[] = {
      SOURCE("NV12", 160, 120) "CONV kernel=gaussian ! CONV kernel=sobel ! fakesink name=s",
      SOURCE("NV12", 160, 120) "UP CUDA CONV kernel=gaussian ! CONV kernel=sobel ! CUDA DOWN "
                               "video/x-raw ! fakesink name=s",
      SOURCE("NV12", 160, 120) "CONV kernel=gaussian ! CUDA DOWN video/x-raw ! "
                               "CONV kernel=sobel ! fakesink name=s",
      SOURCE("RGBA", 160, 120) "CONV kernel=gaussian ! queue ! CONV kernel=sobel ! queue ! "
                               "CONV kernel=sharpen ! videoconvert ! fakesink name=s",
      /* CUDA memory cannot hold gray frames */
      SOURCE("GRAY8", 160, 120) "CONV kernel=gaussian ! CONV kernel=sobel ! fakesink name=s",
      /* videocrop copies nothing here but adds a GstVideoCropMeta */
      SOURCE("I420", 163, 127) "CONV kernel=gaussian ! videocrop left=3 right=6 top=1 bottom=5 ! "
                               "CONV kernel=sobel ! fakesink name=s",
      SOURCE("I420", 162, 126) "CONV kernel=gaussian stride=2 ! CONV kernel=sobel ! "
                               "fakesink name=s",
      SOURCE("I420", 160, 120) "CONV kernel=gaussian in-flight=8 ! CONV kernel=box in-flight=1 ! "
                               "CONV kernel=sobel in-flight=2 ! fakesink name=s",
  };
  compare(lines[__i__], "s");
}
GST_END_TEST;

GST_START_TEST(tee_to_two) {
  const gchar *line = SOURCE(
      "NV12", 160, 120) "tee name=t "
                        "t. ! queue ! CONV kernel=gaussian ! CONV kernel=sobel ! fakesink name=s "
                        "t. ! queue ! CONV kernel=sharpen ! fakesink name=s2";
  compare(line, "s");
  compare(line, "s2");
  const gchar *shared =
      SOURCE("NV12", 160, 120) "CONV kernel=gaussian ! CUDA tee name=t "
                               "t. ! queue ! CONV kernel=sobel ! fakesink name=s "
                               "t. ! queue ! CONV kernel=sharpen ! fakesink name=s2";
  compare(shared, "s");
  compare(shared, "s2");
}
GST_END_TEST;

GST_START_TEST(compositor) {
  if (has_element("compositor"))
    compare("compositor name=c sink_0::width=160 sink_1::xpos=160 ! "
            "video/x-raw,format=I420,width=320,height=240 ! CONV kernel=sharpen ! fakesink "
            "name=s " SOURCE("I420", 320, 240) "CONV kernel=gaussian ! c.sink_0 " SOURCE(
                "I420", 160, 240) "CONV "
                                  "kernel=sobel ! "
                                  "c.sink_1",
            "s");
}
GST_END_TEST;

/* --- EOS from downstream --- */

GST_START_TEST(no_frames_after_eos) {
  static const gchar *const lines[] = {
      SOURCE("NV12", 64, 48) "CONV ! fakesink num-buffers=9 name=s",
      SOURCE("NV12", 64, 48) "CONV ! CONV kernel=sobel ! fakesink num-buffers=9 name=s",
      SOURCE("NV12", 64, 48) "CONV ! CONV kernel=sobel ! CONV ! identity eos-after=10 ! "
                             "fakesink name=s",
  };
  g_autoptr(GPtrArray) checksums = checksums_of(lines[__i__], test_backend(), "s");
  fail_unless_equals_int(checksums->len, 9);
}
GST_END_TEST;

/* --- latency --- */

static GstClockTime
latency_of(const gchar *line, const gchar *backend) {
  gboolean live;
  GstClockTime min, max;
  GstElement *pipeline = new_pipeline(line, backend);
  g_autoptr(GstQuery) query = gst_query_new_latency();
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  fail_unless_equals_int(gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND),
                         GST_STATE_CHANGE_SUCCESS);
  fail_unless(gst_element_query(pipeline, query));
  gst_query_parse_latency(query, &live, &min, &max);
  fail_unless(live);
  stop(pipeline);
  return min;
}

/* In a live pipeline the element keeps no frame in flight. */
GST_START_TEST(live_chain) {
  const gchar *line = "videotestsrc is-live=true ! video/x-raw,format=NV12,framerate=30/1 ! "
                      "CONV ! CONV kernel=sobel ! fakesink sync=true";
  fail_unless_equals_uint64(latency_of(line, test_backend()), latency_of(line, "cpu"));
}
GST_END_TEST;

/* --- device memory --- */

#define N_CHAIN 5
#define WIDTH 320
#define HEIGHT 180

static guint64
device_bytes(GstElement *pipeline, guint i) {
  guint64 bytes = 0;
  g_autofree gchar *name = g_strdup_printf("c%u", i);
  g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstStructure *stats = test_stats(element);
  fail_unless(gst_structure_get_uint64(stats, "device-bytes", &bytes));
  gst_structure_free(stats);
  return bytes;
}

/* Between two elements there are frames that are read, written or kept in flight by the first
 * element. The ends have staging memory for each frame in flight. */
GST_START_TEST(device_memory_of_a_chain) {
  GstElement *pipeline = new_pipeline(
      SOURCE("NV12", 320, 180) "CONV name=c0 ! CONV name=c1 ! CONV name=c2 ! CONV name=c3 ! "
                               "CONV name=c4 ! fakesink",
      test_backend());
  const guint64 frame = WIDTH * HEIGHT * 3 / 2, in_pool = 512 * HEIGHT * 2;
  guint64 sum = 0;
  test_play_to_eos(pipeline, 30);
  for (guint i = 0; i < N_CHAIN; i++)
    sum += device_bytes(pipeline, i);
  g_print("%.1f MB in %u elements\n", (gdouble)sum / 1e6, N_CHAIN);
  const guint64 max = 2 * 3 * frame * 11 / 10 + (N_CHAIN - 1) * 5 * in_pool;
  if (g_str_equal(test_backend(), "cpu")) {
    fail_unless_equals_uint64(sum, 0);
  } else {
    fail_unless(sum > 0 && sum <= max, "%" G_GUINT64_FORMAT, sum);
  }
  stop(pipeline);
}
GST_END_TEST;

/* --- branches while the driver fails; faults-chains.c does this without branches --- */

static GstElement *
new_pipeline_with_failures(const gchar *failures, const gchar *line) {
  g_setenv("FAKE_CUDA", failures, TRUE);
  return new_pipeline(line, "auto");
}

/* The number of failovers of all cudaconv elements. */
static guint
count_failovers(GstElement *pipeline) {
  GstIterator *elements =
      gst_bin_iterate_all_by_element_factory_name(GST_BIN(pipeline), "cudaconv");
  GValue value = G_VALUE_INIT;
  guint sum = 0;
  while (gst_iterator_next(elements, &value) == GST_ITERATOR_OK) {
    guint n = 0;
    GstStructure *stats = test_stats(g_value_get_object(&value));
    gst_structure_get_uint(stats, "failovers", &n);
    gst_structure_free(stats);
    sum += n;
    g_value_reset(&value);
  }
  g_value_unset(&value);
  gst_iterator_free(elements);
  return sum;
}

/* The first sink has its first frame and blocks until the other sink has one too. */
GST_START_TEST(preroll_of_branches) {
  static const gchar *const lines[] = {
      SOURCE("NV12", 64, 34) "tee name=t t. ! queue ! fakesink "
                             "t. ! queue ! CONV ! CONV kernel=sharpen ! fakesink name=s",
      SOURCE("NV12", 64, 34) "tee name=t t. ! queue ! CONV ! fakesink "
                             "t. ! queue ! CONV kernel=sharpen ! fakesink name=s",
  };
  static const gchar *const failures[] = {"fail=cuMemAlloc:1:999", "fail=cuMemAlloc:2:999",
                                          "fail=cuMemAlloc:3:999"};
  GstElement *pipeline = new_pipeline_with_failures(failures[__i__ / 2], lines[__i__ % 2]);
  test_play_to_eos(pipeline, 20);
  fail_unless_equals_int(count_failovers(pipeline), 1);
  stop(pipeline);
}
GST_END_TEST;

/* Caps insist on CUDA memory, of which no more can be allocated after some frames. The existing
 * frames come back from the next element, even if it keeps frames in flight. */
GST_START_TEST(few_frames_between_elements) {
  g_autofree gchar *failures = g_strdup_printf("fail=cuMemAllocPitch:%d+:2", 4 + __i__ % 3);
  g_autofree gchar *line =
      g_strdup_printf(SOURCE("NV12", 64, 34) "CONV kernel=gaussian ! CUDA CONV kernel=sobel "
                                             "in-flight=%d ! fakesink name=s",
                      1 + __i__ / 3);
  GstElement *pipeline = new_pipeline_with_failures(failures, line);
  g_autoptr(GPtrArray) checksums = watch(pipeline, "s");
  test_play_to_eos(pipeline, 20);
  fail_unless_equals_int(checksums->len, N_FRAMES);
  stop(pipeline);
}
GST_END_TEST;

static GstPadProbeReturn
block(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  return GST_PAD_PROBE_OK;
}

/* An application that records only on an event blocks a branch until then. */
GST_START_TEST(blocked_branch) {
  static const gchar *const failures[] = {"fail=cuMemAlloc:3:2", "memory=60000"};
  GstElement *pipeline = new_pipeline_with_failures(
      failures[__i__], SOURCE("NV12", 64, 34) "CONV ! CONV kernel=sobel ! tee name=t "
                                              "t. ! queue ! fakesink name=s async=false t. ! "
                                              "queue name=q leaky=downstream ! "
                                              "fakesink async=false");
  g_autoptr(GstElement) queue = gst_bin_get_by_name(GST_BIN(pipeline), "q");
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "s");
  g_autoptr(GstPad) blocked = gst_element_get_static_pad(queue, "src");
  g_autoptr(GstPad) open = gst_element_get_static_pad(sink, "sink");
  gst_pad_add_probe(blocked, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, NULL, NULL);
  g_autoptr(GPtrArray) checksums = watch(pipeline, "s");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 1000 && !GST_PAD_IS_EOS(open); i++)
    g_usleep(10000);
  fail_unless_equals_int(checksums->len, N_FRAMES);
  stop(pipeline);
}
GST_END_TEST;

/* The device is lost for all elements that share it. Each posts at most one error. */
GST_START_TEST(one_error_from_each_element) {
  GstElement *pipeline = new_pipeline_with_failures(
      "lost=cuEventQuery:20:700",
      SOURCE("NV12", 64, 34) "tee name=t "
                             "t. ! queue ! CONV kernel=gaussian ! CONV kernel=sobel ! fakesink "
                             "t. ! queue ! CONV kernel=sharpen ! CONV kernel=box ! fakesink");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GHashTable) sources = g_hash_table_new(NULL, NULL);
  GstMessage *message;
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_usleep(G_USEC_PER_SEC);
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR))) {
    if (g_str_has_prefix(GST_MESSAGE_SRC_NAME(message), "cudaconv"))
      fail_unless(g_hash_table_add(sources, GST_MESSAGE_SRC(message)), "two errors of %s",
                  GST_MESSAGE_SRC_NAME(message));
    gst_message_unref(message);
  }
  fail_unless(g_hash_table_size(sources) > 0);
  stop(pipeline);
}
GST_END_TEST;

/* An aggregator keeps the buffers of the pool that it is offered. At the end, the stand-in for the
 * driver reports memory that was not freed. */
GST_START_TEST(aggregator_after_a_failover) {
  if (!has_element("compositor"))
    return;
  GstElement *pipeline = new_pipeline_with_failures(
      "fail=cuLaunchKernelEx:2+:999",
      "compositor name=c ! video/x-raw,format=I420 ! CONV ! fakesink " SOURCE("I420", 64, 34) "c.");
  test_play_to_eos(pipeline, 20);
  fail_unless_equals_int(count_failovers(pipeline), 1);
  stop(pipeline);
}
GST_END_TEST;

static gint
compare_strings(gconstpointer a, gconstpointer b) {
  return strcmp(*(const gchar *const *)a, *(const gchar *const *)b);
}

/* Once, memory runs short in one of two branches that join. The order of the branches' frames
 * depends on the number of frames in flight, so the frames are compared without order. */
GST_START_TEST(joined_branches) {
  const gchar *line =
      SOURCE("NV12", 64, 34) "tee name=t t. ! CONV kernel=sobel stride=2 ! f. t. ! identity ! f. "
                             "funnel name=f ! CONV kernel=box ! fakesink name=s";
  g_autofree gchar *failures = g_strdup_printf("fail=cuMemAlloc:%d:2", 3 + __i__);
  g_setenv("FAKE_CUDA", failures, TRUE);
  g_autoptr(GPtrArray) expected = checksums_of(line, "cpu", "s");
  g_autoptr(GPtrArray) checksums = checksums_of(line, "auto", "s");
  g_ptr_array_sort(expected, compare_strings);
  g_ptr_array_sort(checksums, compare_strings);
  fail_unless(are_equal(checksums, expected), "%s", failures);
}
GST_END_TEST;

/* An element upstream allocates its frames from cudaconv's pool. If memory is short, cudaconv keeps
 * none of them in flight. */
GST_START_TEST(too_little_memory_for_upstream) {
  if (!has_element("cudaupload"))
    return;
  g_autofree gchar *failures = g_strdup_printf("memory=%d", 80000 + 10000 * __i__);
  GstElement *pipeline =
      new_pipeline_with_failures(failures, SOURCE("NV12", 64, 34) "UP CUDA CONV ! fakesink name=s");
  g_autoptr(GPtrArray) checksums = watch(pipeline, "s");
  test_play_to_eos(pipeline, 20);
  fail_unless_equals_int(checksums->len, N_FRAMES);
  stop(pipeline);
}
GST_END_TEST;

static Suite *
negotiation_peers_suite(void) {
  Suite *suite = suite_create("negotiation-peers");
  TCase *tc = tcase_create("negotiation-peers");
  suite_add_tcase(suite, tc);
  tcase_add_loop_test(tc, mixed_chains, 0, 8);
  tcase_add_test(tc, tee_to_two);
  tcase_add_test(tc, compositor);
  tcase_add_loop_test(tc, no_frames_after_eos, 0, 3);
  tcase_add_test(tc, live_chain);
  tcase_add_test(tc, device_memory_of_a_chain);
  if (g_getenv("FAKE_CUDA")) {
    tcase_add_loop_test(tc, preroll_of_branches, 0, 6);
    tcase_add_loop_test(tc, few_frames_between_elements, 0, 9);
    tcase_add_loop_test(tc, blocked_branch, 0, 2);
    tcase_add_test(tc, one_error_from_each_element);
    tcase_add_test(tc, aggregator_after_a_failover);
    tcase_add_loop_test(tc, joined_branches, 0, 6);
    tcase_add_loop_test(tc, too_little_memory_for_upstream, 0, 3);
  }
  return suite;
}

TEST_MAIN(negotiation_peers)
