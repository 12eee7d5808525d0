/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory of frames, how the device accesses it, and the number of frames in flight. With the
 * CPU backend nothing is pinned, and the frames are the same. */

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gst/allocators/gstdmabuf.h>
#include <gst/allocators/gstfdmemory.h>

#include "memory.h"
#include "plugin/memory/formats.h"

#define WIDTH 321
#define HEIGHT 240
#define FORMAT "RGBA" /* large enough to be registered */

/* The paths of the last frame from the statistics, as "input, output". */
static gchar *
paths(GstHarness *h) {
  g_autoptr(GstStructure) stats = test_stats(h->element);
  return g_strdup_printf("%s, %s", gst_structure_get_string(stats, "input-path"),
                         gst_structure_get_string(stats, "output-path"));
}

static guint64
registered_bytes(GstHarness *h) {
  g_autoptr(GstStructure) stats = test_stats(h->element);
  guint64 bytes = 0;
  fail_unless(gst_structure_get_uint64(stats, "registered-bytes", &bytes));
  return bytes;
}

/* Pushes the buffer (taken). Checks the frame that comes out and, with CUDA, the paths. */
static void
check_path(GstHarness *h, const gchar *caps, GstBuffer *buffer, const gchar *wanted_on_cuda) {
  GstBuffer *copy = gst_buffer_copy_deep(buffer);
  GstBuffer *expected = test_filter("kernel=gaussian", caps, copy);
  GstBuffer *result = test_push_pull(h, buffer);
  test_assert_same_frame(caps, result, expected, wanted_on_cuda);
  g_autofree gchar *found = paths(h);
  const gchar *wanted = test_is_on_cuda(h) ? wanted_on_cuda : "system memory, system memory";
  fail_unless(g_str_equal(found, wanted), "%s, not %s", found, wanted);
  gst_buffer_unref(expected);
  gst_buffer_unref(result);
}

GST_START_TEST(pool_is_pinned) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBufferPool *pool = test_offered_pool(h, caps);
  for (guint i = 0; i < 3; i++)
    check_path(h, caps, test_move_to_pool(pool, caps, test_frame_random(caps, i)),
               "pinned pool, pinned pool");
  fail_unless_equals_uint64(registered_bytes(h), 0);
  test_teardown(h);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}
GST_END_TEST;

/* Upstream's own memory is copied the first time, registered when it is seen again, and
 * unregistered when it is freed. */
GST_START_TEST(recycled_memory_is_registered) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBuffer *frame = test_frame_random(caps, 1);
  const gsize bytes = gst_buffer_get_size(frame);
  check_path(h, caps, gst_buffer_copy(frame),
             "staged: memory that has not been seen before, pinned pool");
  for (guint i = 0; i < 3; i++)
    check_path(h, caps, gst_buffer_copy(frame), "registered, pinned pool");
  const guint64 registered = registered_bytes(h);
  fail_unless(test_is_on_cuda(h) ? registered >= bytes && registered < 2 * bytes : registered == 0,
              "%" G_GUINT64_FORMAT " bytes are registered", registered);
  /* part of registered memory counts as registered */
  GstBuffer *part = gst_buffer_copy_region(frame, GST_BUFFER_COPY_ALL, 0, bytes);
  check_path(h, caps, part, "registered, pinned pool");
  gst_buffer_unref(frame);
  fail_unless_equals_uint64(registered_bytes(h), 0);
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(memory_outlives_the_element) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBuffer *frame = test_frame_random(caps, 1), *result = NULL;
  for (guint i = 0; i < 2; i++) {
    gst_clear_buffer(&result);
    result = test_push_pull(h, gst_buffer_copy(frame));
  }
  test_teardown(h);
  GstBuffer *expected = test_filter("kernel=gaussian", caps, frame);
  test_assert_same_frame(caps, result, expected, "after the element");
  gst_buffer_unref(expected);
  gst_buffer_unref(result);
}
GST_END_TEST;

/* Two elements that use the same memory register it once. */
GST_START_TEST(memory_is_registered_once) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  GstHarness *a = test_harness_new("kernel=gaussian", caps);
  GstHarness *b = test_harness_new("kernel=gaussian", caps);
  GstBuffer *frame = test_frame_random(caps, 1);
  gst_buffer_unref(test_push_pull(a, gst_buffer_copy(frame)));
  check_path(b, caps, gst_buffer_copy(frame), "registered, pinned pool");
  const guint64 registered = registered_bytes(a);
  check_path(a, caps, gst_buffer_copy(frame), "registered, pinned pool");
  fail_unless_equals_uint64(registered_bytes(a), registered);
  test_teardown(b);
  check_path(a, caps, gst_buffer_copy(frame), "registered, pinned pool");
  gst_buffer_unref(frame);
  fail_unless_equals_uint64(registered_bytes(a), 0);
  test_teardown(a);
}
GST_END_TEST;

/* A random frame in the given memory. */
static GstBuffer *
frame_in(GstMemory *memory, const gchar *caps, guint seed) {
  GstBuffer *frame = test_frame_random(caps, seed), *result = gst_buffer_new();
  GstMapInfo map;
  gst_buffer_append_memory(result, memory);
  fail_unless(gst_buffer_map(frame, &map, GST_MAP_READ));
  fail_unless_equals_uint64(gst_buffer_fill(result, 0, map.data, map.size), map.size);
  gst_buffer_unmap(frame, &map);
  gst_buffer_unref(frame);
  return result;
}

static void
unmap_pages(gpointer pages) {
  munmap(pages, WIDTH * HEIGHT * 4);
}

/* A read-only mapping, for example of a file, cannot be pinned. */
GST_START_TEST(unpinnable_memory_is_copied) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  const gsize bytes = WIDTH * HEIGHT * 4;
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  guint8 *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fail_unless(pages != MAP_FAILED);
  for (gsize i = 0; i < bytes; i++)
    pages[i] = (guint8)(i * 7);
  mprotect(pages, bytes, PROT_READ);
  GstBuffer *frame = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, pages, bytes, 0, bytes,
                                                 pages, unmap_pages);
  gst_buffer_unref(test_push_pull(h, gst_buffer_copy(frame)));
  for (guint i = 0; i < 2; i++)
    check_path(h, caps, gst_buffer_copy(frame),
               "staged: the driver does not register this memory, pinned pool");
  gst_buffer_unref(frame);

  /* memory that is mapped only on demand */
  int fd = memfd_create("frame", 0);
  fail_unless(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
  g_autoptr(GstAllocator) allocator = gst_fd_allocator_new();
  frame = frame_in(gst_fd_allocator_alloc(allocator, fd, bytes, GST_FD_MEMORY_FLAG_NONE), caps, 3);
  for (guint i = 0; i < 2; i++)
    check_path(h, caps, gst_buffer_copy(frame), "staged: not plain system memory, pinned pool");
  gst_buffer_unref(frame);
  fail_unless_equals_uint64(registered_bytes(h), 0);
  test_teardown(h);
}
GST_END_TEST;

/* Blocks that share pages, as adjacent blocks of a heap do. */
GST_START_TEST(adjacent_heap_blocks_are_registered) {
  enum { N = 4 };
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBuffer *frame[N];
  const gsize bytes = WIDTH * HEIGHT * 4;
  guint8 *heap = g_malloc(N * bytes);
  for (guint i = 0; i < N; i++) {
    GstMemory *memory = gst_memory_new_wrapped(0, heap + i * bytes, bytes, 0, bytes, NULL, NULL);
    frame[i] = frame_in(memory, caps, i);
    gst_buffer_unref(test_push_pull(h, gst_buffer_copy(frame[i])));
  }
  for (guint n = 0; n < 2; n++)
    for (guint i = 0; i < N; i++)
      check_path(h, caps, gst_buffer_copy(frame[i]), "registered, pinned pool");
  for (guint i = 0; i < N; i++)
    gst_buffer_unref(frame[i]);
  fail_unless_equals_uint64(registered_bytes(h), 0);
  g_free(heap);
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(small_frames_are_copied) {
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBuffer *frame = test_frame_random(caps, 1);
  for (guint i = 0; i < 2; i++)
    check_path(h, caps, gst_buffer_copy(frame), "staged: too small to be registered, pinned pool");
  gst_buffer_unref(frame);
  test_teardown(h);
}
GST_END_TEST;

GST_START_TEST(registered_bytes_are_bounded) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  g_autofree gchar *limit = g_strdup_printf("%d", WIDTH * HEIGHT * 4 * 3 / 2);
  g_setenv("CUDACONV_REGISTERED_LIMIT", limit, TRUE);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBuffer *one = test_frame_random(caps, 1), *other = test_frame_random(caps, 2);
  gst_buffer_unref(test_push_pull(h, gst_buffer_copy(one)));
  gst_buffer_unref(test_push_pull(h, gst_buffer_copy(other)));
  check_path(h, caps, gst_buffer_copy(one), "registered, pinned pool");
  check_path(h, caps, gst_buffer_copy(other),
             "staged: the limit of registered memory is reached, pinned pool");
  /* once the first is freed, the other can be registered */
  gst_buffer_unref(one);
  check_path(h, caps, gst_buffer_copy(other), "registered, pinned pool");
  gst_buffer_unref(other);
  fail_unless_equals_uint64(registered_bytes(h), 0);
  test_teardown(h);
  g_unsetenv("CUDACONV_REGISTERED_LIMIT");
}
GST_END_TEST;

/* The driver cannot register a second memory until the first is unregistered. */
GST_START_TEST(driver_refuses_to_register_more) {
  g_setenv("FAKE_CUDA", "pinned-only=32768,fail=cuMemHostRegister:2:2", TRUE);
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  GstBuffer *one = test_frame_random(caps, 1), *other = test_frame_random(caps, 2);
  gst_buffer_unref(test_push_pull(h, gst_buffer_copy(one)));
  gst_buffer_unref(test_push_pull(h, gst_buffer_copy(other)));
  check_path(h, caps, gst_buffer_copy(one), "registered, pinned pool");
  for (guint i = 0; i < 2; i++)
    check_path(h, caps, gst_buffer_copy(other),
               "staged: the driver has no memory to register more, pinned pool");
  gst_buffer_unref(one);
  check_path(h, caps, gst_buffer_copy(other), "registered, pinned pool");
  gst_buffer_unref(other);
  test_teardown(h);
}
GST_END_TEST;

/* Sizes that overflow return NULL, and large alignments are kept. */
GST_START_TEST(extreme_allocations) {
  g_autofree gchar *caps_text = test_caps(FORMAT, WIDTH, HEIGHT);
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstHarness *h = test_harness_new("kernel=gaussian", caps_text);
  g_autoptr(GstQuery) query = gst_query_new_allocation(caps, TRUE);
  fail_unless(gst_pad_peer_query(h->srcpad, query));
  g_autoptr(GstAllocator) offered = NULL;
  gst_query_parse_nth_allocation_param(query, 0, &offered, NULL);
  fail_unless((offered != NULL) == test_is_on_cuda(h));
  static const struct {
    gsize bytes, prefix, padding;
  } too_many[] = {{1 << 20, G_MAXSIZE, 0},
                  {1 << 20, 0, G_MAXSIZE - 100},
                  {1 << 20, G_MAXSIZE / 2, G_MAXSIZE / 2},
                  {G_MAXSIZE, 1, 0},
                  {G_MAXSIZE - 4096, 4096, 4096}};
  for (guint i = 0; offered && i < G_N_ELEMENTS(too_many); i++) {
    GstAllocationParams params = {0};
    params.prefix = too_many[i].prefix;
    params.padding = too_many[i].padding;
    fail_unless(gst_allocator_alloc(offered, too_many[i].bytes, &params) == NULL, "case %u", i);
  }
  for (gsize align = 63; offered && align < 1 << 20; align = 2 * align + 1) {
    GstMapInfo map;
    GstAllocationParams params = {.align = align, .flags = GST_MEMORY_FLAG_ZERO_PREFIXED};
    params.prefix = align + 1;
    GstMemory *memory = gst_allocator_alloc(offered, 1000, &params);
    fail_unless(memory && gst_memory_map(memory, &map, GST_MAP_WRITE));
    fail_unless((GPOINTER_TO_SIZE(map.data) & align) == 0, "%p for %zx", map.data, align);
    fail_unless(map.data[-1] == 0 && map.data[-(gssize)params.prefix] == 0);
    memset(map.data, 1, map.size);
    gst_memory_unmap(memory, &map);
    gst_memory_unref(memory);
  }
  test_teardown(h);
}
GST_END_TEST;

/* DMABuf memory, as cameras and decoders use it. The memory here is no device's. */
GST_START_TEST(dmabuf) {
  g_autofree gchar *caps = test_caps(FORMAT, WIDTH, HEIGHT);
  const gsize bytes = WIDTH * HEIGHT * 4;
  GstHarness *h = test_harness_new("kernel=gaussian", caps);
  int fd = memfd_create("frame", 0);
  fail_unless(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
  g_autoptr(GstAllocator) allocator = gst_dmabuf_allocator_new();
  GstBuffer *frame = frame_in(gst_dmabuf_allocator_alloc(allocator, fd, bytes), caps, 3);
  for (guint i = 0; i < 3; i++)
    check_path(h, caps, gst_buffer_copy(frame), "staged: not plain system memory, pinned pool");
  gst_buffer_unref(frame);
  fail_unless_equals_uint64(registered_bytes(h), 0);

  /* a file shorter than the frame is refused */
  fd = memfd_create("short", 0);
  fail_unless(fd >= 0 && ftruncate(fd, 100) == 0);
  frame = gst_buffer_new();
  gst_buffer_append_memory(frame, gst_dmabuf_allocator_alloc(allocator, fd, 100));
  fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_ERROR);
  test_teardown(h);
}
GST_END_TEST;

/* --- CUDA memory --- */

typedef struct {
  const gchar *format;
  CcInCuda in_cuda;
} CudaFormat;

#define CUDA_FORMAT(name, in_cuda) {#name, in_cuda},
static const CudaFormat cuda_formats[] = {CC_FORMATS(CUDA_FORMAT)};

/* A random frame of `memory_caps`, whose size is in the GstVideoMeta. Under smaller caps its upper
 * left part is the frame. */
static GstBuffer *
part_of_random(const gchar *memory_caps, guint32 seed) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(memory_caps);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstBuffer *buffer = test_frame_random(memory_caps, seed);
  gst_buffer_add_video_meta(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                            (guint)info.width, (guint)info.height);
  return buffer;
}

/* Compares the result from and to the given memories with the result from and to system memory. The
 * frame may be the upper left part of the memory. */
static void
check_cuda_memory(const gchar *caps, const gchar *memory_caps, gboolean in_cuda,
                  gboolean out_cuda) {
  g_autofree gchar *caps_in_cuda = test_caps_in_cuda(caps);
  g_autofree gchar *memory_caps_in_cuda = test_caps_in_cuda(memory_caps);
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  gst_harness_set_sink_caps_str(h, out_cuda ? caps_in_cuda : caps);
  gst_harness_set_src_caps_str(h, in_cuda ? caps_in_cuda : caps);
  GstBufferPool *pool = test_offered_pool(h, in_cuda ? memory_caps_in_cuda : memory_caps);
  for (guint n = 0; n < 3; n++) {
    GstBuffer *expected = test_filter("kernel=gaussian", caps, part_of_random(memory_caps, n));
    GstBuffer *result =
        test_push_pull(h, test_move_to_pool(pool, memory_caps, part_of_random(memory_caps, n)));
    test_assert_same_frame(caps, result, expected, caps);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  g_autofree gchar *found = paths(h);
  g_autofree gchar *wanted = g_strdup_printf("%s, %s", in_cuda ? "CUDA memory" : "pinned pool",
                                             out_cuda ? "CUDA memory" : "pinned pool");
  fail_unless(g_str_equal(found, wanted), "%s: %s, not %s", caps, found, wanted);
  test_teardown(h);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

static gboolean
is_at_least(guint minor, guint micro) {
  guint loaded_major, loaded_minor, loaded_micro, nano;
  gst_version(&loaded_major, &loaded_minor, &loaded_micro, &nano);
  return loaded_major > 1 || loaded_minor > minor ||
         (loaded_minor == minor && loaded_micro >= micro);
}

/* Whether the loaded GStreamer can hold frames of this kind and height in CUDA memory. */
static gboolean
is_held(CcInCuda in_cuda, gint height) {
  const gboolean is_even = height % 2 == 0;
  const gboolean by_kind[] = {
      [CC_IN_CUDA_NEVER] = FALSE,
      [CC_IN_CUDA_ANY] = TRUE,
      [CC_IN_CUDA_ANY_1_24] = is_at_least(24, 0),
      [CC_IN_CUDA_ANY_1_24_4] = is_at_least(24, 4),
      [CC_IN_CUDA_PLANAR] = is_at_least(24, 4) || (!is_at_least(24, 0) && is_even),
      [CC_IN_CUDA_EVEN] = is_even,
  };
  return by_kind[in_cuda];
}

/* All formats that CUDA memory can hold, in even and odd sizes. The width of packed 4:2:2 is even,
 * because gst_video_frame_copy() does not copy the last chroma sample of an odd width. */
GST_START_TEST(cuda_memory) {
  static const gint sizes[][2] = {{65, 33}, {66, 34}, {1, 1}};
  for (guint f = 0; f < G_N_ELEMENTS(cuda_formats); f++)
    for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
      const gchar *format = cuda_formats[f].format;
      const gboolean packed_422 = g_str_equal(format, "YUY2") || g_str_equal(format, "UYVY");
      g_autofree gchar *caps =
          test_caps(format, sizes[s][0] + (packed_422 ? sizes[s][0] % 2 : 0), sizes[s][1]);
      if (is_held(cuda_formats[f].in_cuda, sizes[s][1]))
        check_cuda_memory(caps, caps, __i__ & 1, __i__ >> 1);
    }
}
GST_END_TEST;

/* CUDA memory of a decoder with the padded size and without a crop. */
GST_START_TEST(padded_size_in_cuda_memory) {
  for (guint f = 0; f < G_N_ELEMENTS(cuda_formats); f++)
    for (gint height = 34; height <= 35; height++) {
      g_autofree gchar *caps = test_caps(cuda_formats[f].format, 61, height);
      g_autofree gchar *memory_caps = test_caps(cuda_formats[f].format, 96, 48);
      if (is_held(cuda_formats[f].in_cuda, height))
        check_cuda_memory(caps, memory_caps, __i__ & 1, __i__ >> 1);
    }
}
GST_END_TEST;

/* Whether the caps are possible on the element's pad of this name. */
static gboolean
pad_accepts(GstHarness *h, const gchar *pad_name, const gchar *caps_text) {
  g_autoptr(GstPad) pad = gst_element_get_static_pad(h->element, pad_name);
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  g_autoptr(GstCaps) possible = gst_pad_query_caps(pad, caps);
  return !gst_caps_is_empty(possible);
}

/* CUDA memory is not offered for formats that libgstcuda cannot hold, nor with the CPU backend. */
GST_START_TEST(cuda_memory_is_offered_if_usable) {
  static const gchar *const pads[] = {"sink", "src"};
  GstHarness *h = test_harness_new("kernel=gaussian", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(pads); i++) {
    g_autofree gchar *nv12 = test_caps("NV12", 64, 48);
    g_autofree gchar *grey = test_caps("GRAY8", 64, 48);
    g_autofree gchar *nv12_in_cuda = test_caps_in_cuda(nv12);
    g_autofree gchar *grey_in_cuda = test_caps_in_cuda(grey);
    fail_unless(pad_accepts(h, pads[i], nv12) && pad_accepts(h, pads[i], grey));
    fail_unless(pad_accepts(h, pads[i], nv12_in_cuda) == test_is_on_cuda(h), "%s", pads[i]);
    fail_if(pad_accepts(h, pads[i], grey_in_cuda), "%s", pads[i]);
  }
  test_teardown(h);
}
GST_END_TEST;

/* Downstream prefers CUDA memory. The output is in CUDA memory, or in system memory if libgstcuda
 * would lay out the frame wrongly. */
GST_START_TEST(frames_that_cuda_memory_cannot_hold) {
  for (guint f = 0; f < G_N_ELEMENTS(cuda_formats); f++)
    for (gint height = 33; height <= 34; height++) {
      const gchar *format = cuda_formats[f].format;
      g_autofree gchar *caps = test_caps(format, 66, height);
      g_autofree gchar *sink_caps = g_strdup_printf(
          "video/x-raw(memory:CUDAMemory),format=%s;video/x-raw,format=%s", format, format);
      GstHarness *h = test_harness_new("kernel=gaussian", NULL);
      gst_harness_set_sink_caps_str(h, sink_caps);
      gst_harness_set_src_caps_str(h, caps);
      GstBuffer *expected = test_filter("kernel=gaussian", caps, test_frame_random(caps, 1));
      GstBuffer *result = test_push_pull(h, test_frame_random(caps, 1));
      test_assert_same_frame(caps, result, expected, format);
      g_autofree gchar *found = paths(h);
      const gboolean in_cuda = g_str_has_suffix(found, ", CUDA memory");
      fail_unless(in_cuda == (test_is_on_cuda(h) && is_held(cuda_formats[f].in_cuda, height)),
                  "%s of height %d: %s", format, height, found);
      gst_buffer_unref(result);
      gst_buffer_unref(expected);
      test_teardown(h);
    }
}
GST_END_TEST;

/* --- frames in flight --- */

#define KNOWN_RATE "framerate=30/1"

/* Checks the number of frames that stay in flight while more are coming, and that the latency
 * includes them. */
static void
check_held(const gchar *properties, gboolean live, const gchar *rate, guint wanted_on_cuda) {
  g_autofree gchar *caps = test_caps("GRAY8", 64, 48);
  g_autofree gchar *rate_caps =
      g_strconcat("video/x-raw,format=GRAY8,width=64,height=48,", rate, NULL);
  GstHarness *h = test_harness_new(properties, NULL);
  gst_harness_set_live(h, live);
  gst_harness_set_upstream_latency(h, 5 * GST_MSECOND);
  gst_harness_set_src_caps_str(h, rate_caps);
  const guint wanted = test_is_on_cuda(h) ? wanted_on_cuda : 0;
  for (guint i = 0; i < 12; i++)
    fail_unless_equals_int(gst_harness_push(h, test_frame_random(caps, i)), GST_FLOW_OK);
  fail_unless(12 - gst_harness_buffers_received(h) == wanted, "%s, %s, %s: %u frames, not %u",
              properties, live ? "live" : "not live", rate, 12 - gst_harness_buffers_received(h),
              wanted);
  const guint n_counted = g_str_equal(rate, KNOWN_RATE) ? wanted : 0;
  const GstClockTime latency = gst_harness_query_latency(h);
  fail_unless_equals_uint64(latency,
                            5 * GST_MSECOND + gst_util_uint64_scale(n_counted, GST_SECOND, 30));
  g_autoptr(GstStructure) stats = test_stats(h->element);
  guint in_flight = 0;
  fail_unless(gst_structure_get_uint(stats, "in-flight", &in_flight));
  fail_unless_equals_int(in_flight, wanted + 1);
  test_drain(h);
  fail_unless_equals_int(gst_harness_buffers_received(h), 12);
  test_teardown(h);
}

GST_START_TEST(frames_in_flight) {
  for (guint n = 1; n <= 8; n++) {
    g_autofree gchar *properties = g_strdup_printf("in-flight=%u", n);
    check_held(properties, FALSE, KNOWN_RATE, n - 1);
    check_held(properties, TRUE, KNOWN_RATE, n - 1);
  }
  check_held("", FALSE, KNOWN_RATE, 2);
  check_held("", TRUE, KNOWN_RATE, 0);
}
GST_END_TEST;

/* Without a known frame rate, a live pipeline keeps no frame in flight. max-framerate does not
 * count as the frame rate. */
GST_START_TEST(frames_in_flight_without_a_frame_rate) {
  static const gchar *const rates[] = {"framerate=0/1", "framerate=0/1,max-framerate=30/1",
                                       "pixel-aspect-ratio=1/1"};
  for (guint i = 0; i < G_N_ELEMENTS(rates); i++) {
    check_held("in-flight=3", TRUE, rates[i], 0);
    check_held("in-flight=3", FALSE, rates[i], 2);
    check_held("", TRUE, rates[i], 0);
    check_held("", FALSE, rates[i], 2);
  }
}
GST_END_TEST;

static Suite *
memory_transfers_suite(void) {
  Suite *suite = suite_create("memory-transfers");
  TCase *tc = tcase_create("memory-transfers");
  tcase_add_test(tc, pool_is_pinned);
  tcase_add_test(tc, recycled_memory_is_registered);
  tcase_add_test(tc, memory_outlives_the_element);
  tcase_add_test(tc, memory_is_registered_once);
  tcase_add_test(tc, unpinnable_memory_is_copied);
  tcase_add_test(tc, adjacent_heap_blocks_are_registered);
  tcase_add_test(tc, small_frames_are_copied);
  tcase_add_test(tc, registered_bytes_are_bounded);
  if (g_getenv("FAKE_CUDA"))
    tcase_add_test(tc, driver_refuses_to_register_more);
  tcase_add_test(tc, extreme_allocations);
  tcase_add_test(tc, dmabuf);
  if (g_str_equal(test_backend(), "cuda")) {
    tcase_add_loop_test(tc, cuda_memory, 0, 4);
    tcase_add_loop_test(tc, padded_size_in_cuda_memory, 0, 4);
  }
  tcase_add_test(tc, cuda_memory_is_offered_if_usable);
  tcase_add_test(tc, frames_that_cuda_memory_cannot_hold);
  tcase_add_test(tc, frames_in_flight);
  tcase_add_test(tc, frames_in_flight_without_a_frame_rate);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(memory_transfers)
