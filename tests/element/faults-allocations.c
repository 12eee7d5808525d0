/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lack of memory: allocations that fail while properties change, caps too large for their buffers,
 * and pools of other elements that fail. */

#include "memory.h"
#include "failing-allocations.h"

#include <string.h>

#define WIDTH 320
#define HEIGHT 64

/* --- allocations that fail --- */

static const gchar *const filters[] = {"kernel=identity", "kernel=gaussian size=3",
                                       "kernel=gaussian size=15", "kernel=kirsch",
                                       "kernel=gaussian size=9 sigma=1.7"};

static void
apply(GstElement *element, const gchar *filter) {
  g_object_freeze_notify(G_OBJECT(element));
  g_object_set(element, "size", 0, "sigma", 0.0, NULL);
  test_set(element, filter);
  g_object_thaw_notify(G_OBJECT(element));
}

/* Changes the properties, then lets n allocations succeed and all later ones fail. If the change
 * needs more than n allocations, the element refuses it with one warning and filters as before. If
 * not, the change takes effect. The element has one thread, because further threads without memory
 * would only be left out. */
static void
change_without_memory(const gchar *caps, const gchar *from, const gchar *to, gint n) {
  GstBuffer *old = test_filter(from, caps, test_frame_random(caps, 1));
  GstBuffer *new = test_filter(to, caps, test_frame_random(caps, 1));
  GstHarness *h = test_harness_new("n-threads=1", NULL);
  apply(h->element, from);
  gst_harness_set_src_caps_str(h, caps);
  gst_buffer_unref(test_push_pull(h, test_frame_random(caps, 1)));
  apply(h->element, to);
  test_allocations_allow(n);
  GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
  GstBuffer *again = test_push_pull(h, test_frame_random(caps, 1));
  const gboolean failed = test_allocations_has_failed();
  test_allocations_allow(G_MAXINT);
  guint n_warnings;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_WARNING, &n_warnings);
  g_autofree gchar *what = g_strdup_printf("%s to %s, %d", from, to, n);
  fail_unless(n_warnings == (failed ? 1 : 0), "%s: %s", what, text);
  fail_unless(!failed || strstr(text, "out of memory"), "%s: %s", what, text);
  test_assert_same_frame(caps, result, failed ? old : new, what);
  test_assert_same_frame(caps, again, failed ? old : new, what);
  gst_buffer_unref(result);
  gst_buffer_unref(again);
  /* with memory again, the next change works */
  apply(h->element, "kernel=sharpen");
  GstBuffer *sharp = test_filter("kernel=sharpen", caps, test_frame_random(caps, 1));
  result = test_push_pull(h, test_frame_random(caps, 1));
  test_assert_same_frame(caps, result, sharp, "after that");
  gst_buffer_unref(result);
  gst_buffer_unref(sharp);
  gst_buffer_unref(old);
  gst_buffer_unref(new);
  test_teardown(h);
}

GST_START_TEST(changes_without_memory) {
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  guint n_cases = 0;
  for (guint to = 0; to < G_N_ELEMENTS(filters); to++)
    for (gint n = 0; n < 3; n++)
      if (to != (guint)__i__) {
        change_without_memory(caps, filters[__i__], filters[to], n);
        n_cases++;
      }
  fail_unless_equals_int(n_cases, 3 * (G_N_ELEMENTS(filters) - 1));
}
GST_END_TEST;

/* If the first frame gets no scratch memory, the element posts one error. */
GST_START_TEST(start_without_memory) {
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  test_allocations_allow(0);
  gst_harness_set_src_caps_str(h, caps);
  const GstFlowReturn flow = gst_harness_push(h, test_frame_random(caps, 1));
  test_allocations_allow(G_MAXINT);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(flow != GST_FLOW_OK && n == 1 && strstr(text, "out of memory"), "%s: %s",
              gst_flow_get_name(flow), text);
  test_teardown(h);
}
GST_END_TEST;

/* --- caps too large for their buffers --- */

/* The peak memory use of this process in KB. */
static guint64
peak_memory(void) {
  g_autofree gchar *status = NULL;
  fail_unless(g_file_get_contents("/proc/self/status", &status, NULL, NULL));
  const gchar *line = strstr(status, "VmHWM:");
  return g_ascii_strtoull(line + strlen("VmHWM:"), NULL, 10);
}

/* The growth of the peak in KB. The kernel's count is approximate and may even shrink a little. */
static guint64
peak_growth(guint64 before) {
  const guint64 after = peak_memory();
  return after > before ? after - before : 0;
}

static const struct {
  const gchar *format, *properties;
  gint width, height;
} large[] = {{"GRAY8", "", 65536, 65535},
             {"RGBA", "in-flight=8", 8192, 4096},
             {"ARGB64", "kernel=gaussian size=15", 16384, 16384},
             {"GRAY8", "stride=4", 65536, 65535},
             {"GRAY8", "border=constant", 1000000000, 1},
             {"GRAY16_LE", "kernel=kirsch border=constant", 500000000, 3},
             {"I420", "kernel=sobel", 400000000, 2}};

/* Large caps with small buffers cause one error and no allocation, however often they come. */
GST_START_TEST(large_caps_with_small_buffers) {
  g_autofree gchar *small = test_caps("GRAY8", 64, 48);
  gst_buffer_unref(test_filter("kernel=gaussian", small, test_frame_flat(small, 1)));
  const guint64 before = peak_memory();
  g_autofree gchar *caps = test_caps(large[__i__].format, large[__i__].width, large[__i__].height);
  GstHarness *h = test_harness_new(large[__i__].properties, caps);
  for (guint i = 0; i < 5; i++)
    fail_unless_equals_int(gst_harness_push(h, gst_buffer_new_allocate(NULL, 100, NULL)),
                           GST_FLOW_ERROR);
  const guint64 taken = peak_growth(before);
  fail_unless(taken < 64 << 10, "%" G_GUINT64_FORMAT " KB for %s", taken, caps);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(n == 1 && strstr(text, "a buffer of 100 bytes is too small"), "%s", text);
  test_teardown(h);
}
GST_END_TEST;

/* --- pools of other elements --- */

/* A pool that cannot be activated, that has few buffers, or that returns something other than a
 * free buffer after some frames. */
typedef struct {
  GstBufferPool parent;
  gboolean starts;
  guint n, max;              /* number of buffers made, and its limit */
  guint n_good;              /* number of further frames that get a buffer */
  GstFlowReturn pool_result; /* after that; GST_FLOW_OK: a buffer with a second reference */
  GstBuffer *shared;
} BrokenPool;

typedef struct {
  GstBufferPoolClass parent_class;
} BrokenPoolClass;

GType broken_pool_get_type(void);
G_DEFINE_TYPE(BrokenPool, broken_pool, GST_TYPE_BUFFER_POOL)

static gboolean
broken_pool_start(GstBufferPool *pool) {
  return ((BrokenPool *)pool)->starts &&
         GST_BUFFER_POOL_CLASS(broken_pool_parent_class)->start(pool);
}

static GstFlowReturn
broken_pool_alloc_buffer(GstBufferPool *pool, GstBuffer **buffer,
                         GstBufferPoolAcquireParams *params) {
  if (((BrokenPool *)pool)->n++ >= ((BrokenPool *)pool)->max)
    return GST_FLOW_ERROR;
  return GST_BUFFER_POOL_CLASS(broken_pool_parent_class)->alloc_buffer(pool, buffer, params);
}

static GstFlowReturn
broken_pool_acquire_buffer(GstBufferPool *pool, GstBuffer **buffer,
                           GstBufferPoolAcquireParams *params) {
  BrokenPool *self = (BrokenPool *)pool;
  const gboolean good = self->n_good > 0;
  self->n_good -= good;
  if (!good && self->pool_result != GST_FLOW_OK)
    return self->pool_result;
  const GstFlowReturn ret =
      GST_BUFFER_POOL_CLASS(broken_pool_parent_class)->acquire_buffer(pool, buffer, params);
  if (!good && ret == GST_FLOW_OK)
    self->shared = gst_buffer_ref(*buffer);
  return ret;
}

static void
broken_pool_finalize(GObject *object) {
  gst_clear_buffer(&((BrokenPool *)object)->shared);
  G_OBJECT_CLASS(broken_pool_parent_class)->finalize(object);
}

static void
broken_pool_init(BrokenPool *self) {
  self->starts = TRUE;
  self->max = self->n_good = G_MAXUINT;
}

static void
broken_pool_class_init(BrokenPoolClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = broken_pool_finalize;
  GST_BUFFER_POOL_CLASS(klass)->acquire_buffer = broken_pool_acquire_buffer;
  GST_BUFFER_POOL_CLASS(klass)->start = broken_pool_start;
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = broken_pool_alloc_buffer;
}

static GstPadProbeReturn
offer_pool(GstPad *pad, GstPadProbeInfo *info, gpointer pool) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool(query, pool, WIDTH * HEIGHT, 0, 0);
  return GST_PAD_PROBE_HANDLED;
}

/* Two elements in a row. */
static GstElement *
new_chain(void) {
  g_autofree gchar *line =
      g_strdup_printf("cudaconv backend=%s kernel=gaussian ! cudaconv backend=%s kernel=sobel",
                      test_backend(), test_backend());
  return gst_object_ref_sink(gst_parse_bin_from_description(line, TRUE, NULL));
}

/* Downstream's pool does not start, or soon has no more buffers. The element posts one error, and
 * so do two elements in a row. */
GST_START_TEST(downstream_pool_fails) {
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  BrokenPool *pool = gst_object_ref_sink(g_object_new(broken_pool_get_type(), NULL));
  pool->starts = __i__ % 2;
  pool->max = 1;
  g_autoptr(GstElement) element = __i__ < 2 ? test_element_new("kernel=gaussian") : new_chain();
  GstHarness *h = test_harness_around(element, NULL);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                    offer_pool, pool, NULL);
  gst_harness_set_src_caps_str(h, caps);
  GstFlowReturn flow = GST_FLOW_OK;
  GstBufferList *held = gst_buffer_list_new();
  for (guint i = 0; i < 3 && flow == GST_FLOW_OK; i++) {
    flow = gst_harness_push(h, test_frame_random(caps, 1));
    gst_harness_push_event(h, test_serialized_event());
    GstBuffer *result = gst_harness_try_pull(h);
    if (result)
      gst_buffer_list_add(held, result);
  }
  fail_unless_equals_int(flow, GST_FLOW_ERROR);
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(n == 1, "%u: %s", n, text);
  gst_buffer_list_unref(held);
  test_teardown(h);
  gst_object_unref(pool);
}
GST_END_TEST;

/* The result of downstream's pool for the fifth frame, and the element's error. */
static const struct {
  GstFlowReturn pool_result;
  const gchar *error; /* NULL: no error; the result is returned upstream as it is */
} pool_results[] = {
    {GST_FLOW_FLUSHING, NULL},
    {GST_FLOW_EOS, NULL},
    {GST_FLOW_NOT_NEGOTIATED, NULL},
    {GST_FLOW_NOT_SUPPORTED, NULL},
    {GST_FLOW_CUSTOM_ERROR, NULL},
    {GST_FLOW_ERROR, "no buffer for an output frame is available"},
    {GST_FLOW_OK, "a buffer that is shared and cannot be written"},
};

/* Only GST_FLOW_ERROR counts as lack of memory. The element then pushes the frames in flight and
 * keeps one frame in flight from then on. */
GST_START_TEST(downstream_pool_returns) {
  enum { N_GOOD = 4 };
  const GstFlowReturn pool_result = pool_results[__i__].pool_result;
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  BrokenPool *pool = gst_object_ref_sink(g_object_new(broken_pool_get_type(), NULL));
  pool->n_good = N_GOOD;
  pool->pool_result = pool_result;
  GstHarness *h = test_harness_new("kernel=gaussian in-flight=3", NULL);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                    offer_pool, pool, NULL);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < N_GOOD; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  const guint n_held = test_is_on_cuda(h) ? 2 : 0;
  fail_unless_equals_int(gst_harness_buffers_received(h), N_GOOD - n_held);

  const GstFlowReturn flow = gst_harness_push(h, test_frame_random(caps, N_GOOD));
  fail_unless_equals_int(flow, pool_result == GST_FLOW_OK ? GST_FLOW_ERROR : pool_result);
  guint n;
  g_autofree gchar *text =
      test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR | GST_MESSAGE_WARNING, &n);
  const gchar *error = pool_results[__i__].error;
  fail_unless(error ? n == 1 && strstr(text, error) : n == 0, "%u: %s", n, text);
  const gboolean is_short = pool_result == GST_FLOW_ERROR;
  fail_unless_equals_int(gst_harness_buffers_received(h), is_short ? N_GOOD : N_GOOD - n_held);
  g_autoptr(GstStructure) stats = test_stats(h->element);
  guint in_flight = 0;
  fail_unless(gst_structure_get_uint(stats, "in-flight", &in_flight));
  fail_unless_equals_int(in_flight, is_short ? 1 : n_held + 1);
  fail_unless(g_str_equal(gst_structure_get_string(stats, "backend"), test_backend()));
  test_teardown(h);
  gst_object_unref(pool);
}
GST_END_TEST;

/* --- allocation parameters of other elements --- */

static const struct {
  gsize align, prefix, padding;
  guint size, min;
} proposals[] = {
    {15, 0, 0, WIDTH *HEIGHT, 0},
    {0, 0, 0, WIDTH *HEIGHT, G_MAXUINT},
    {0, 0, 0, G_MAXUINT, 0},
    {0, G_MAXSIZE - 255, 0, WIDTH *HEIGHT, 0},
    {0, 0, G_MAXSIZE - 255, WIDTH *HEIGHT, 0},
    {0, G_MAXSIZE / 2, G_MAXSIZE / 2, WIDTH *HEIGHT, 0},
    {0, (gsize)1 << 62, 0, WIDTH *HEIGHT, 0},
    {G_MAXSIZE / 2, 0, 0, WIDTH *HEIGHT, 0},
    {128, 0, 0, WIDTH *HEIGHT, 0},
    {G_MAXSIZE, G_MAXSIZE, G_MAXSIZE, 0, G_MAXUINT},
};

static GstPadProbeReturn
propose_params(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  const guint i = GPOINTER_TO_UINT(data);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  GstAllocationParams params = {.align = proposals[i].align};
  params.prefix = proposals[i].prefix;
  params.padding = proposals[i].padding;
  gst_query_add_allocation_param(query, NULL, &params);
  gst_query_add_allocation_pool(query, NULL, proposals[i].size, proposals[i].min, 0);
  return GST_PAD_PROBE_HANDLED;
}

/* Huge alignment, prefix, padding, sizes and numbers of buffers from downstream do not make the
 * element allocate much memory. */
GST_START_TEST(strange_allocation_parameters) {
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, 1));
  const guint64 before = peak_memory();
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  gst_pad_add_probe(h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                    propose_params, GUINT_TO_POINTER((guint)__i__), NULL);
  gst_harness_set_src_caps_str(h, caps);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
    test_assert_same_frame(caps, result, expected, "allocation parameters");
    gst_buffer_unref(result);
  }
  fail_unless(peak_growth(before) < 64 << 10);
  gst_buffer_unref(expected);
  test_teardown(h);
}
GST_END_TEST;

/* Allocation queries with strange caps, answered or not, do not disturb the stream. */
GST_START_TEST(strange_allocation_queries) {
  static const gchar *const queries[] = {
      "ANY",
      "EMPTY",
      "audio/x-raw",
      "video/x-raw",
      "video/x-raw,format={GRAY8,I420},width=64,height=48",
      "video/x-raw,format=GRAY8,width=[1,64],height=48,framerate=30/1",
      "video/x-raw,format=v210,width=64,height=48,framerate=30/1",
      "video/x-raw,format=ENCODED,width=64,height=48,framerate=30/1",
      "video/x-raw,format=RGBA,width=2147483647,height=2147483647,framerate=30/1",
      "video/x-raw(memory:CUDAMemory),format=GRAY8,width=64,height=48,framerate=30/1",
      "video/x-raw(memory:CUDAMemory),format=NV16,width=64,height=48,framerate=30/1",
      "video/x-raw(memory:CUDAMemory),format=v210,width=64,height=48,framerate=30/1",
      "video/x-raw(memory:CUDAMemory),format=ENCODED,width=64,height=48,framerate=30/1",
      "video/x-raw(memory:Nonsense),format=NV12,width=64,height=48,framerate=30/1",
  };
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  for (guint i = 0; i <= G_N_ELEMENTS(queries); i++) {
    g_autoptr(GstCaps) about = i < G_N_ELEMENTS(queries) ? gst_caps_from_string(queries[i]) : NULL;
    g_autoptr(GstQuery) query = gst_query_new_allocation(about, TRUE);
    gst_pad_peer_query(h->srcpad, query);
    gst_buffer_unref(test_push_pull(h, test_frame_random(caps, i)));
  }
  guint n;
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n);
  fail_unless(n == 0, "%s", text);
  test_teardown(h);
}
GST_END_TEST;

static Suite *
faults_allocations_suite(void) {
  Suite *suite = suite_create("faults-allocations");
  TCase *tc = tcase_create("faults-allocations");
  if (!test_allocations_works()) {
    g_print("faults-allocations: failing allocations skipped, a tool replaces aligned_alloc\n");
  } else if (g_str_equal(test_backend(), "cpu")) {
    tcase_add_loop_test(tc, changes_without_memory, 0, G_N_ELEMENTS(filters));
    tcase_add_test(tc, start_without_memory);
  }
  tcase_add_loop_test(tc, large_caps_with_small_buffers, 0, G_N_ELEMENTS(large));
  tcase_add_loop_test(tc, downstream_pool_fails, 0, 4);
  tcase_add_loop_test(tc, downstream_pool_returns, 0, G_N_ELEMENTS(pool_results));
  tcase_add_loop_test(tc, strange_allocation_parameters, 0, G_N_ELEMENTS(proposals));
  tcase_add_test(tc, strange_allocation_queries);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(faults_allocations)
