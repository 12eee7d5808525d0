/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CUDA contexts: the context that elements work in, frames from other contexts of the same GPU, and
 * buffers with memories of several contexts or of the system. */

#include "cudacontext.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudaloader.h>
#include <string.h>

#define BLUR "kernel=gaussian"
#define ON_ZERO BLUR " cuda-device-id=0" /* the device of the contexts that the tests create */

/* In a pipeline all elements share a context, and frames between them stay on the device. */
GST_START_TEST(two_elements_share_a_context) {
  GstElement *pipeline = gst_parse_launch(
      "videotestsrc num-buffers=10 ! video/x-raw,format=NV12,width=320,height=240 ! "
      "cudaconv name=a backend=cuda kernel=gaussian ! queue ! cudaconv name=b backend=cuda ! "
      "video/x-raw ! fakesink",
      NULL);
  g_autoptr(GstElement) a = gst_bin_get_by_name(GST_BIN(pipeline), "a");
  g_autoptr(GstElement) b = gst_bin_get_by_name(GST_BIN(pipeline), "b");
  test_play_to_eos(pipeline, 30);
  fail_unless(test_context_handle(a) == test_context_handle(b));
  g_autofree gchar *between = test_stats_string(a, "output-path");
  g_autofree gchar *there = test_stats_string(b, "input-path");
  g_autofree gchar *behind = test_stats_string(b, "output-path");
  fail_unless_equals_string(between, "CUDA memory");
  fail_unless_equals_string(there, "CUDA memory");
  fail_unless_equals_string(behind, "pinned pool");
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}
GST_END_TEST;

/* An element in a new context on this device, which the application sets. */
static GstHarness *
harness_in_new_context(guint device_id) {
  fail_unless(gst_cuda_load_library());
  GstCudaContext *own = gst_cuda_context_new(device_id);
  fail_unless(own != NULL);
  g_autoptr(GstElement) element = test_element_new(BLUR);
  g_autoptr(GstContext) context = gst_context_new_cuda_context(own);
  gst_element_set_context(element, context);
  GstHarness *h = test_harness_around(element, NULL);
  fail_unless(test_context_handle(element) == gst_cuda_context_get_handle(own));
  gst_object_unref(own);
  return h;
}

GST_START_TEST(context_of_the_application_is_used) {
  GstHarness *h = harness_in_new_context(0);
  for (guint i = 0; i < 3; i++)
    test_filter_frame_of(h, h, BLUR, i);
  test_teardown(h);
}
GST_END_TEST;

/* An element moves to the context of an input frame on the same device. */
GST_START_TEST(element_moves_to_the_context_of_a_frame) {
  GstHarness *other = harness_in_new_context(0), *h = test_harness_new(ON_ZERO, NULL);
  gpointer own = test_context_handle(h->element);
  fail_if(own == test_context_handle(other->element));
  test_filter_frame_of(h, h, BLUR, 1);
  for (guint i = 0; i < 3; i++) {
    test_filter_frame_of(other, h, BLUR, i);
    fail_unless(test_context_handle(h->element) == test_context_handle(other->element));
    g_autofree gchar *path = test_stats_string(h->element, "input-path");
    fail_unless_equals_string(path, "CUDA memory");
  }
  test_filter_frame_of(other, other, BLUR, 7);
  test_teardown(h);
  test_teardown(other);
}
GST_END_TEST;

/* Counts the messages that the element opened a backend, and returns the texts of its warnings. */
static gchar *
take_messages(GstHarness *h, guint *n_openings, guint *n_warnings) {
  GstMessage *message;
  g_autoptr(GString) text = g_string_new(NULL);
  *n_openings = *n_warnings = 0;
  while ((message = gst_bus_pop(test_harness_bus(h)))) {
    *n_openings += gst_message_has_name(message, "cudaconv-backend");
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
      g_autoptr(GError) error = NULL;
      gst_message_parse_warning(message, &error, NULL);
      g_string_append(text, error->message);
      (*n_warnings)++;
    }
    gst_message_unref(message);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Frames of several contexts alternate in one element, which starts in a context of its own. The
 * element moves to each context once and stays in the last one. The other frames are copied there,
 * and the element warns once. */
GST_START_TEST(contexts_alternate) {
  const guint n = 2 + (guint)__i__;
  guint n_openings, n_warnings;
  GstHarness *owners[3], *h = test_harness_new(ON_ZERO, NULL);
  for (guint i = 0; i < n; i++)
    owners[i] = harness_in_new_context(0);
  for (guint i = 0; i < 4 * n; i++) {
    const guint owner = i % n, at = MIN(i, n - 1);
    test_filter_frame_of(owners[owner], h, BLUR, i);
    fail_unless(test_context_handle(h->element) == test_context_handle(owners[at]->element));
    g_autofree gchar *path = test_stats_string(h->element, "input-path");
    fail_unless_equals_string(path, owner == at ? "CUDA memory" : "CUDA memory of another context");
  }
  g_autofree gchar *text = take_messages(h, &n_openings, &n_warnings);
  fail_unless_equals_int(n_openings, 1 + n);
  fail_unless(n_warnings == 1 && strstr(text, "contexts alternate"), "%s", text);

  /* in the next stream the element moves again */
  gst_element_set_state(h->element, GST_STATE_READY);
  gst_harness_play(h);
  test_filter_frame_of(owners[0], h, BLUR, 1);
  fail_unless(test_context_handle(h->element) == test_context_handle(owners[0]->element));
  test_teardown(h);
  for (guint i = 0; i < n; i++)
    test_teardown(owners[i]);
}
GST_END_TEST;

GST_START_TEST(contexts_alternate_in_flight) {
  GstHarness *const owners[] = {harness_in_new_context(0), harness_in_new_context(0)};
  GstHarness *h = test_harness_new(ON_ZERO " in-flight=4", NULL);
  test_filter_alternately(owners, h, BLUR, 12);
  g_autoptr(GstStructure) stats = test_stats(h->element);
  guint in_flight = 0;
  fail_unless(gst_structure_get_uint(stats, "in-flight", &in_flight) && in_flight == 4);
  test_teardown(h);
  for (guint i = 0; i < 2; i++)
    test_teardown(owners[i]);
}
GST_END_TEST;

/* The device fails while frames of both contexts are in flight. The CPU filters all of them. */
GST_START_TEST(contexts_alternate_and_fail) {
  g_autofree gchar *settings =
      g_strdup_printf("pinned-only=32768,fail=cuLaunchKernelEx:%d:719", 3 + __i__);
  g_setenv("FAKE_CUDA", settings, TRUE);
  GstHarness *const owners[] = {harness_in_new_context(0), harness_in_new_context(0)};
  GstHarness *h = test_harness_new("backend=auto in-flight=4 " BLUR, NULL);
  test_filter_alternately(owners, h, "backend=cpu " BLUR, 12);
  fail_if(test_is_on_cuda(h), "%s", settings);
  guint n;
  g_autofree gchar *errors = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(n == 0, "%s: %s", settings, errors);
  test_teardown(h);
  for (guint i = 0; i < 2; i++)
    test_teardown(owners[i]);
}
GST_END_TEST;

/* If the device does not work in the frame's context, the CPU takes over and no frame is lost. */
GST_START_TEST(move_fails) {
  g_autofree gchar *settings =
      g_strdup_printf("pinned-only=32768,fail=cuStreamCreate:%d+:2", 9 + __i__);
  g_setenv("FAKE_CUDA", settings, TRUE);
  g_autofree gchar *caps = test_caps("NV12", 322, 240);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  GstHarness *other = harness_in_new_context(0);
  gst_harness_set_src_caps_str(other, caps_in_cuda);
  g_autoptr(GstBufferPool) pool = test_offered_pool(other, caps_in_cuda);
  GstHarness *h = test_harness_new("backend=auto " BLUR, caps_in_cuda);
  fail_unless(test_is_on_cuda(h), "%s", settings); /* opening the backend takes eight streams */
  for (guint i = 0; i < 3; i++) {
    GstBuffer *expected = test_filter("backend=cpu " BLUR, caps, test_frame_random(caps, i));
    GstBuffer *result =
        test_push_pull(h, test_move_to_pool(pool, caps, test_frame_random(caps, i)));
    test_assert_same_frame(caps, result, expected, settings);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  guint n;
  g_autofree gchar *errors = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(n == 0, "%s: %s", settings, errors);
  fail_if(test_is_on_cuda(h), "%s", settings);
  gst_buffer_pool_set_active(pool, FALSE);
  test_teardown(h);
  test_teardown(other);
}
GST_END_TEST;

/* After a failover the input frames are still in CUDA memory. A new output size must still be
 * negotiated. */
GST_START_TEST(stride_after_a_failover) {
  g_setenv("FAKE_CUDA", "pinned-only=32768,fail=cuLaunchKernelEx:2:719", TRUE);
  g_autofree gchar *caps = test_caps("NV12", 322, 240);
  g_autofree gchar *half = test_caps_divided(caps, 2);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  GstHarness *h = test_harness_new("backend=auto " BLUR, caps_in_cuda);
  g_autoptr(GstBufferPool) pool = test_offered_pool(h, caps_in_cuda);
  for (guint i = 0; i < 6; i++) {
    g_autofree gchar *properties = g_strdup_printf("backend=cpu " BLUR " stride=%d", i < 3 ? 1 : 2);
    if (i == 3)
      g_object_set(h->element, "stride", 2, NULL);
    GstBuffer *expected = test_filter(properties, caps, test_frame_random(caps, i));
    GstBuffer *result =
        test_push_pull(h, test_move_to_pool(pool, caps, test_frame_random(caps, i)));
    test_assert_same_frame(i < 3 ? caps : half, result, expected, properties);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  fail_if(test_is_on_cuda(h));
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n);
  fail_unless(n == 1 && strstr(text, "the CPU filters from now on"), "%s", text);
  gst_buffer_pool_set_active(pool, FALSE);
  test_teardown(h);
}
GST_END_TEST;

/* Downstream insists on CUDA memory, but none can be allocated. There is one error for all
 * frames. */
GST_START_TEST(no_cuda_memory_is_one_error) {
  g_setenv("FAKE_CUDA", "memory=30000", TRUE);
  g_autofree gchar *caps = test_caps("NV12", 322, 240);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  GstHarness *h = test_harness_new(BLUR, NULL);
  gst_harness_set_sink_caps_str(h, caps_in_cuda);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < 4; i++)
    fail_if(gst_harness_push(h, test_frame_random(caps, i)) == GST_FLOW_OK);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(n == 1 && strstr(text, "CUDA memory"), "%u: %s", n, text);
  test_teardown(h);
}
GST_END_TEST;

/* --- buffers of several memories --- */

#define MIXED_WIDTH 322
#define MIXED_HEIGHT 240

/* The offset and stride of a plane of NV12 in its buffer. */
static void
find_plane(GstBuffer *buffer, guint p, gsize *offset, gint *stride) {
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  GstVideoInfo info;
  gst_video_info_init(&info);
  fail_unless(gst_video_info_set_format(&info, GST_VIDEO_FORMAT_NV12, MIXED_WIDTH, MIXED_HEIGHT));
  *offset = meta ? meta->offset[p] : info.offset[p];
  *stride = meta ? meta->stride[p] : info.stride[p];
}

/* A frame with the first plane of `first` and the second plane of `second`, in their memories. */
static GstBuffer *
join_planes(GstBuffer *first, GstBuffer *second) {
  GstBuffer *result = gst_buffer_new();
  gsize offset[GST_VIDEO_MAX_PLANES] = {0};
  gint stride[GST_VIDEO_MAX_PLANES] = {0};
  find_plane(first, 0, &offset[0], &stride[0]);
  find_plane(second, 1, &offset[1], &stride[1]);
  offset[1] += gst_buffer_get_size(first);
  gst_buffer_append_memory(result, gst_buffer_get_memory(first, 0));
  gst_buffer_append_memory(result, gst_buffer_get_memory(second, 0));
  gst_buffer_add_video_meta_full(result, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12,
                                 MIXED_WIDTH, MIXED_HEIGHT, 2, offset, stride);
  return result;
}

typedef enum { SYSTEM, OWN, OTHER } Domain;

static const struct {
  Domain first, second;
  const gchar *path;
} mixtures[] = {
    {OWN, OWN, "CUDA memory"},
    {OWN, SYSTEM, "staged: not plain system memory"},
    {SYSTEM, OWN, "staged: not plain system memory"},
    {OWN, OTHER, "staged: not plain system memory"},
    {OTHER, OWN, "staged: not plain system memory"},
    {OTHER, SYSTEM, "staged: not plain system memory"},
    {SYSTEM, SYSTEM, NULL}, /* any path is right */
};

/* Treating one kind of address as another would be a fault that ends the context for everybody who
 * shares it. The elements must still work afterwards. */
GST_START_TEST(buffers_of_several_memories) {
  g_autofree gchar *caps = test_caps("NV12", MIXED_WIDTH, MIXED_HEIGHT);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  const gchar *in_caps = __i__ ? caps_in_cuda : caps;
  GstHarness *h = test_harness_new(ON_ZERO, in_caps), *other = harness_in_new_context(0);
  gst_harness_set_src_caps_str(other, caps_in_cuda);
  GstBufferPool *pools[] = {
      [OWN] = test_offered_pool(h, caps_in_cuda),
      [OTHER] = test_offered_pool(other, caps_in_cuda),
  };
  for (guint i = 0; i < G_N_ELEMENTS(mixtures); i++) {
    const Domain domains[] = {mixtures[i].first, mixtures[i].second};
    GstBuffer *plane[2];
    for (guint p = 0; p < 2; p++) {
      plane[p] = test_frame_random(caps, i);
      if (domains[p] != SYSTEM)
        plane[p] = test_move_to_pool(pools[domains[p]], caps, plane[p]);
    }
    GstBuffer *expected = test_filter(BLUR, caps, test_frame_random(caps, i));
    GstBuffer *result = test_push_pull(h, join_planes(plane[0], plane[1]));
    g_autofree gchar *what = g_strdup_printf("mixture %u", i);
    test_assert_same_frame(caps, result, expected, what);
    g_autofree gchar *path = test_stats_string(h->element, "input-path");
    fail_unless(!mixtures[i].path || g_str_equal(path, mixtures[i].path), "%s: %s", what, path);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
    gst_buffer_unref(plane[0]);
    gst_buffer_unref(plane[1]);
  }
  test_filter_frame_of(other, other, BLUR, 7);
  for (Domain p = OWN; p <= OTHER; p++) {
    gst_buffer_pool_set_active(pools[p], FALSE);
    gst_object_unref(pools[p]);
  }
  test_teardown(other);
  test_teardown(h);
}
GST_END_TEST;

/* A pool of mixed buffers, for the output. */
typedef struct {
  GstBufferPool parent;
  GstBufferPool *cuda;
  gboolean cuda_first;
  guint bytes; /* size of a buffer */
} MixedPool;

typedef struct {
  GstBufferPoolClass parent_class;
} MixedPoolClass;

GType mixed_pool_get_type(void);
G_DEFINE_TYPE(MixedPool, mixed_pool, GST_TYPE_BUFFER_POOL)

static GstBuffer *
new_mixed_buffer(MixedPool *pool) {
  g_autofree gchar *caps = test_caps("NV12", MIXED_WIDTH, MIXED_HEIGHT);
  GstBuffer *on_device = test_move_to_pool(pool->cuda, caps, test_frame_flat(caps, 0x11));
  GstBuffer *on_host = test_frame_flat(caps, 0x22);
  GstBuffer *mixed =
      pool->cuda_first ? join_planes(on_device, on_host) : join_planes(on_host, on_device);
  gst_buffer_unref(on_device);
  gst_buffer_unref(on_host);
  return mixed;
}

static GstFlowReturn
mixed_pool_alloc_buffer(GstBufferPool *pool, GstBuffer **buffer,
                        GstBufferPoolAcquireParams *params) {
  *buffer = new_mixed_buffer((MixedPool *)pool);
  return GST_FLOW_OK;
}

static MixedPool *
mixed_pool_new(GstBufferPool *cuda, gboolean cuda_first) {
  MixedPool *pool = gst_object_ref_sink(g_object_new(mixed_pool_get_type(), NULL));
  pool->cuda = cuda;
  pool->cuda_first = cuda_first;
  GstBuffer *one = new_mixed_buffer(pool);
  pool->bytes = (guint)gst_buffer_get_size(one);
  gst_buffer_unref(one);
  return pool;
}

static void
mixed_pool_init(MixedPool *self) {
}

static void
mixed_pool_class_init(MixedPoolClass *klass) {
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = mixed_pool_alloc_buffer;
}

static GstPadProbeReturn
offer_pool(GstPad *pad, GstPadProbeInfo *info, gpointer pool) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool(query, pool, ((MixedPool *)pool)->bytes, 0, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

GST_START_TEST(output_of_several_memories) {
  g_autofree gchar *caps = test_caps("NV12", MIXED_WIDTH, MIXED_HEIGHT);
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  GstHarness *h = test_harness_new(ON_ZERO, NULL), *owner = test_harness_new(ON_ZERO, caps_in_cuda);
  MixedPool *pool = mixed_pool_new(test_offered_pool(owner, caps_in_cuda), __i__);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                    offer_pool, pool, NULL);
  gst_harness_set_sink_caps_str(h, caps);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *expected = test_filter(BLUR, caps, test_frame_random(caps, i));
    GstBuffer *result = test_push_pull(h, test_frame_random(caps, i));
    fail_unless(result->pool == (GstBufferPool *)pool);
    test_assert_same_frame(caps, result, expected, "output of two memories");
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  GstBufferPool *cuda = pool->cuda;
  test_teardown(h);
  gst_object_unref(pool);
  gst_buffer_pool_set_active(cuda, FALSE);
  gst_object_unref(cuda);
  test_teardown(owner);
}
GST_END_TEST;

/* --- device memory --- */

/* The driver's functions, and a context that this test keeps open. */
typedef struct {
  gint (*init)(guint flags);
  gint (*retain)(gpointer *context, gint device);
  gint (*release)(gint device);
  gint (*push)(gpointer context);
  gint (*pop)(gpointer *context);
  gint (*info)(gsize *unused, gsize *all);
  gpointer context;
} Driver;

static Driver
open_driver(void) {
  Driver self;
  gpointer library = dlopen("libcuda.so.1", RTLD_LAZY);
  fail_unless(library != NULL);
  *(gpointer *)&self.init = dlsym(library, "cuInit");
  *(gpointer *)&self.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(gpointer *)&self.release = dlsym(library, "cuDevicePrimaryCtxRelease_v2");
  *(gpointer *)&self.push = dlsym(library, "cuCtxPushCurrent_v2");
  *(gpointer *)&self.pop = dlsym(library, "cuCtxPopCurrent_v2");
  *(gpointer *)&self.info = dlsym(library, "cuMemGetInfo_v2");
  fail_unless_equals_int(self.init(0), 0);
  fail_unless_equals_int(self.retain(&self.context, 0), 0);
  return self;
}

static gsize
used_bytes(const Driver *driver) {
  gsize unused = 0, all = 0;
  gpointer context;
  fail_unless_equals_int(driver->push(driver->context), 0);
  fail_unless_equals_int(driver->info(&unused, &all), 0);
  driver->pop(&context);
  return all - unused;
}

static void
run_chain(guint n_frames) {
  g_autofree gchar *line = g_strdup_printf(
      "videotestsrc num-buffers=%u ! video/x-raw,format=NV12,width=64,height=48 ! "
      "cudaconv backend=cuda kernel=gaussian ! cudaconv backend=cuda kernel=sharpen ! "
      "cudaconv backend=cuda kernel=sobel cuda-device-id=0 ! fakesink",
      n_frames);
  GstElement *pipeline = gst_parse_launch(line, NULL);
  test_play_to_eos(pipeline, 60);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

/* After many starts and stops of a chain, and many frames, no more device memory is in use than
 * before. */
GST_START_TEST(chain_frees_its_memory) {
  const Driver driver = open_driver();
  const guint n_cycles = test_count(20, 200);
  run_chain(3);
  const gsize before = used_bytes(&driver);
  for (guint i = 0; i < n_cycles; i++)
    run_chain(3);
  run_chain(10 * n_cycles);
  const gsize after = used_bytes(&driver);
  g_print("%u starts and stops, %u frames: %.3f MB before, %.3f MB after\n", n_cycles,
          10 * n_cycles, (gdouble)before / 1e6, (gdouble)after / 1e6);
  fail_unless(after <= before, "%zu more bytes in use", after - before);
  driver.release(0);
}
GST_END_TEST;

static Suite *
memory_contexts_suite(void) {
  Suite *suite = suite_create("memory-contexts");
  TCase *tc = tcase_create("memory-contexts");
  tcase_add_test(tc, two_elements_share_a_context);
  tcase_add_test(tc, context_of_the_application_is_used);
  tcase_add_test(tc, element_moves_to_the_context_of_a_frame);
  tcase_add_loop_test(tc, contexts_alternate, 0, 2);
  tcase_add_test(tc, contexts_alternate_in_flight);
  if (g_getenv("FAKE_CUDA")) {
    tcase_add_loop_test(tc, contexts_alternate_and_fail, 0, 6);
    tcase_add_loop_test(tc, move_fails, 0, 4);
    tcase_add_test(tc, stride_after_a_failover);
    tcase_add_test(tc, no_cuda_memory_is_one_error);
  }
  tcase_add_loop_test(tc, buffers_of_several_memories, 0, 2);
  tcase_add_loop_test(tc, output_of_several_memories, 0, 2);
  tcase_add_test(tc, chain_frees_its_memory);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(memory_contexts)
