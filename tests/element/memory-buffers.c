/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The memory layout of the input does not change the result. The input is not written, and no byte
 * outside of its rows is read. */

#include "common.h"

#include "layout.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILTER "kernel=gaussian size=5 chroma=filter"
#define WIDTH 37
#define HEIGHT 11

/* The layout of a frame's planes in one block of memory. */
typedef struct {
  const gchar *name;
  gsize before;    /* bytes in front of each plane */
  gint extra;      /* stride less the bytes of a row */
  gboolean upward; /* the rows are stored bottom up, with a negative stride */
  gboolean swap;   /* the last plane comes first in memory */
} Layout;

static const Layout layouts[] = {
    {"tight", 0, 0, FALSE, FALSE},
    {"odd stride", 0, 13, FALSE, FALSE},
    {"odd offset", 13, 0, FALSE, FALSE},
    {"odd stride and offset", 7, 1, FALSE, FALSE},
    {"aligned", 64, 64 - WIDTH, FALSE, FALSE},
    {"huge stride", 0, 100000, FALSE, FALSE},
    {"bottom up", 5, 3, TRUE, FALSE},
    {"planes in reverse order", 16, 9, FALSE, TRUE},
    {"planes in reverse order, bottom up", 1, 0, TRUE, TRUE},
};

static const gchar *const formats[] = {"GRAY8", "GRAY16_LE", "I420",      "NV12",   "RGB",
                                       "RGBA",  "GBR",       "I420_10LE", "ARGB64", "YUY2"};

/* Copies the frame `tight` into this layout. The bytes between planes and rows are 0xdb. */
static GstBuffer *
copy_to_layout(const gchar *caps, GstBuffer *tight, const Layout *a) {
  TestFrame frame;
  test_map(&frame, caps, tight, GST_MAP_READ);
  guint n = frame.layout.n_planes;
  gsize offset[GST_VIDEO_MAX_PLANES] = {0}, size = 0;
  gint stride[GST_VIDEO_MAX_PLANES] = {0};
  for (guint i = 0; i < n; i++) {
    guint p = a->swap ? n - 1 - i : i;
    const CcPlaneLayout *plane = &frame.layout.plane[p];
    gsize row_bytes = cc_plane_row_bytes(plane), to_last_row;
    stride[p] = (gint)row_bytes + a->extra;
    to_last_row = (gsize)(plane->height - 1) * (gsize)stride[p];
    size += a->before;
    offset[p] = a->upward ? size + to_last_row : size;
    size += to_last_row + row_bytes;
    if (a->upward)
      stride[p] = -stride[p];
  }

  guint8 *data = g_malloc(size);
  memset(data, 0xdb, size);
  for (guint p = 0; p < n; p++)
    for (guint y = 0; y < frame.layout.plane[p].height; y++)
      memcpy(data + (gssize)offset[p] + (gssize)y * stride[p], test_row(&frame, p, y),
             cc_plane_row_bytes(&frame.layout.plane[p]));
  GstBuffer *buffer = gst_buffer_new_wrapped(data, size);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE,
                                 GST_VIDEO_FRAME_FORMAT(&frame.frame), WIDTH, HEIGHT, n, offset,
                                 stride);
  test_unmap(&frame);
  return buffer;
}

/* Also with stride=2, which keeps every second pixel. */
GST_START_TEST(any_stride_and_offset) {
  static const gchar *const filters[] = {FILTER, FILTER " stride=2"};
  g_autofree gchar *caps = test_caps(formats[__i__], WIDTH, HEIGHT);
  for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
    g_autofree gchar *out_caps = test_caps_divided(caps, f + 1);
    GstBuffer *tight = test_frame_random(caps, 1);
    GstBuffer *expected = test_filter(filters[f], caps, gst_buffer_ref(tight));
    for (guint i = 0; i < G_N_ELEMENTS(layouts); i++) {
      GstBuffer *arranged = copy_to_layout(caps, tight, &layouts[i]);
      GstBuffer *result = test_filter(filters[f], caps, arranged);
      test_assert_same_frame(out_caps, result, expected, layouts[i].name);
      gst_buffer_unref(result);
    }
    gst_buffer_unref(expected);
    gst_buffer_unref(tight);
  }
}
GST_END_TEST;

/* Rows may overlap. With a stride of 0 all rows are the first row. */
GST_START_TEST(overlapping_rows) {
  static gint strides[] = {0, 1, -1, 5};
  g_autofree gchar *caps = test_caps("GRAY8", WIDTH, HEIGHT);
  for (guint i = 0; i < G_N_ELEMENTS(strides); i++) {
    gsize offset[GST_VIDEO_MAX_PLANES] = {strides[i] < 0 ? HEIGHT : 0};
    GstBuffer *shared = test_frame_random(caps, 1), *tight = test_frame_flat(caps, 0);
    TestFrame frame;
    test_map(&frame, caps, tight, GST_MAP_WRITE);
    for (gint y = 0; y < HEIGHT; y++)
      gst_buffer_extract(shared, (gsize)((gssize)offset[0] + y * strides[i]),
                         test_row(&frame, 0, (guint)y), WIDTH);
    test_unmap(&frame);
    gst_buffer_add_video_meta_full(shared, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, WIDTH,
                                   HEIGHT, 1, offset, &strides[i]);
    GstBuffer *expected = test_filter(FILTER, caps, tight);
    GstBuffer *result = test_filter(FILTER, caps, shared);
    test_assert_same_frame(caps, result, expected, "overlapping rows");
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
}
GST_END_TEST;

/* The layout may change from buffer to buffer without new caps. */
GST_START_TEST(layout_changes_between_frames) {
  g_autofree gchar *caps = test_caps("NV12", WIDTH, HEIGHT);
  GstHarness *h = test_harness_new(FILTER, caps);
  for (guint i = 0; i < G_N_ELEMENTS(layouts); i++) {
    GstBuffer *tight = test_frame_random(caps, i);
    GstBuffer *expected = test_filter(FILTER, caps, gst_buffer_ref(tight));
    GstBuffer *result = test_push_pull(h, copy_to_layout(caps, tight, &layouts[i]));
    test_assert_same_frame(caps, result, expected, layouts[i].name);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
    gst_buffer_unref(tight);
  }
  test_teardown(h);
}
GST_END_TEST;

/* The part of the frame of WIDTH x HEIGHT in memory that is the frame according to the caps. */
typedef struct {
  guint x, y;
  gint width, height;
} Part;

/* Copies the part of a frame. If it begins inside a macropixel or a subsampled sample, the copy
 * begins with the whole of that. */
static GstBuffer *
copy_part(GstBuffer *whole, const gchar *format, const Part *part) {
  g_autofree gchar *caps = test_caps(format, WIDTH, HEIGHT);
  g_autofree gchar *part_caps = test_caps(format, part->width, part->height);
  GstBuffer *copy = test_frame_flat(part_caps, 0);
  TestFrame from, to;
  test_map(&from, caps, whole, GST_MAP_READ);
  test_map(&to, part_caps, copy, GST_MAP_WRITE);
  for (guint p = 0; p < to.layout.n_planes; p++) {
    const CcPlaneLayout *plane = &from.layout.plane[p];
    const guint columns = plane->has_macropixels || plane->width < WIDTH ? 2 : 1;
    const guint rows = plane->height < HEIGHT ? 2 : 1;
    const gsize group = plane->step * cc_sample_size(plane->type);
    for (guint y = 0; y < to.layout.plane[p].height; y++)
      memcpy(test_row(&to, p, y),
             test_row(&from, p, y + part->y / rows) + part->x / columns * group,
             cc_plane_row_bytes(&to.layout.plane[p]));
  }
  test_unmap(&to);
  test_unmap(&from);
  return copy;
}

/* Filters a buffer that holds the whole frame, with GstVideoMeta, under caps of the part's size.
 * The result must be that of a copy of the part. */
static void
check_part(const gchar *format, const Layout *layout_of_whole, const Part *part,
           gboolean has_crop) {
  g_autofree gchar *caps = test_caps(format, WIDTH, HEIGHT);
  g_autofree gchar *part_caps = test_caps(format, part->width, part->height);
  GstBuffer *whole = test_frame_random(caps, 1);
  GstBuffer *expected = test_filter(FILTER, part_caps, copy_part(whole, format, part));
  GstBuffer *input = copy_to_layout(caps, whole, layout_of_whole);
  if (has_crop) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(input);
    crop->x = part->x;
    crop->y = part->y;
    crop->width = (guint)part->width;
    crop->height = (guint)part->height;
  }
  GstBuffer *result = test_filter(FILTER, part_caps, input);
  test_assert_same_frame(part_caps, result, expected, layout_of_whole->name);
  const GstVideoMeta *meta = gst_buffer_get_video_meta(result);
  fail_unless(!meta || (meta->width == (guint)part->width && meta->height == (guint)part->height));
  fail_unless(gst_buffer_get_video_crop_meta(result) == NULL, "the result has a crop again");
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
  gst_buffer_unref(whole);
}

/* Some decoders give the size of the crop in the caps and the size of the memory in the
 * GstVideoMeta. The crop is then the frame. */
GST_START_TEST(caps_of_the_crop) {
  check_part(formats[__i__], &layouts[0], &(Part){4, 2, 20, 6}, TRUE);
  check_part(formats[__i__], &layouts[0], &(Part){5, 2, 20, 6}, TRUE);
}
GST_END_TEST;

/* Some decoders give the padded size in the GstVideoMeta, without a crop. The upper left part is
 * then the frame. */
GST_START_TEST(meta_of_the_padded_size) {
  static const Part parts[] = {{0, 0, 20, 6}, {0, 0, 21, 7}, {0, 0, WIDTH, 8}, {0, 0, 4, HEIGHT}};
  for (guint i = 0; i < G_N_ELEMENTS(layouts); i++)
    for (guint k = 0; k < G_N_ELEMENTS(parts); k++)
      check_part(formats[__i__], &layouts[i], &parts[k], FALSE);
}
GST_END_TEST;

static GstBuffer *
filter_with(const gchar *line, const gchar *caps, const gchar *out_caps, GstBuffer *buffer) {
  GstHarness *h = gst_harness_new_parse(line);
  gst_harness_set_sink_caps_str(h, out_caps);
  gst_harness_set_src_caps_str(h, caps);
  fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
  GstBuffer *result = gst_harness_pull(h);
  gst_harness_teardown(h);
  return result;
}

/* Elements of GStreamer, too, treat such a buffer as this frame. */
GST_START_TEST(other_elements_accept_the_padded_size) {
  static const gchar *const lines[][2] = {{"videobalance contrast=0.5", "I420"},
                                          {"videoconvert", "Y444"},
                                          {"cudaconv backend=cpu kernel=gaussian", "I420"}};
  static const Part part = {0, 0, 20, 6};
  g_autofree gchar *whole_caps = test_caps("I420", WIDTH, HEIGHT);
  g_autofree gchar *caps = test_caps("I420", part.width, part.height);
  GstBuffer *whole = test_frame_random(whole_caps, 1);
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree gchar *out_caps = test_caps(lines[i][1], part.width, part.height);
    GstBuffer *expected = filter_with(lines[i][0], caps, out_caps, copy_part(whole, "I420", &part));
    GstBuffer *result =
        filter_with(lines[i][0], caps, out_caps, copy_to_layout(whole_caps, whole, &layouts[0]));
    test_assert_same_frame(out_caps, result, expected, lines[i][0]);
    gst_buffer_unref(result);
    gst_buffer_unref(expected);
  }
  gst_buffer_unref(whole);
}
GST_END_TEST;

/* Splits a tight buffer into several memories, in the middle of rows and planes. */
GST_START_TEST(several_memories) {
  g_autofree gchar *caps = test_caps(formats[__i__], WIDTH, HEIGHT);
  GstBuffer *whole = test_frame_random(caps, 1);
  GstBuffer *expected = test_filter(FILTER, caps, gst_buffer_ref(whole));
  gsize size = gst_buffer_get_size(whole);
  const gsize cuts[] = {0, 1, size / 3 + 1, size / 2, size - 3, size};
  GstBuffer *split = gst_buffer_new();
  for (guint i = 0; i + 1 < G_N_ELEMENTS(cuts); i++) {
    gsize length = cuts[i + 1] - cuts[i];
    guint8 *data = g_malloc(length);
    gst_buffer_extract(whole, cuts[i], data, length);
    gst_buffer_append_memory(split,
                             gst_memory_new_wrapped(0, data, length, 0, length, data, g_free));
  }
  GstBuffer *result = test_filter(FILTER, caps, split);
  test_assert_same_frame(caps, result, expected, "five memories");
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
  gst_buffer_unref(whole);
}
GST_END_TEST;

GST_START_TEST(one_memory_for_each_plane) {
  g_autofree gchar *caps_text = test_caps("I420", WIDTH, HEIGHT);
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstBuffer *whole = test_frame_random(caps_text, 1);
  GstBuffer *expected = test_filter(FILTER, caps_text, gst_buffer_ref(whole));
  GstBuffer *planes = gst_buffer_new();
  for (guint p = 0; p < 3; p++) {
    gsize end = p < 2 ? info.offset[p + 1] : info.size;
    gsize length = end - info.offset[p];
    guint8 *data = g_malloc(length);
    gst_buffer_extract(whole, info.offset[p], data, length);
    gst_buffer_append_memory(planes,
                             gst_memory_new_wrapped(0, data, length, 0, length, data, g_free));
  }
  gst_buffer_add_video_meta_full(planes, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, WIDTH,
                                 HEIGHT, 3, info.offset, info.stride);
  GstBuffer *result = test_filter(FILTER, caps_text, planes);
  test_assert_same_frame(caps_text, result, expected, "a memory for each plane");
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
  gst_buffer_unref(whole);
}
GST_END_TEST;

GST_START_TEST(input_is_not_written) {
  g_autofree gchar *caps = test_caps(formats[__i__], WIDTH, HEIGHT);
  GstBuffer *writable = test_frame_random(caps, 1);
  gsize size = gst_buffer_get_size(writable);
  guint8 *data = g_malloc(size);
  gst_buffer_extract(writable, 0, data, size);
  GstBuffer *input = gst_buffer_new();
  gst_buffer_append_memory(
      input, gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, data, size, 0, size, NULL, NULL));
  GstBuffer *expected = test_filter(FILTER, caps, gst_buffer_ref(writable));
  GstBuffer *result = test_filter(FILTER, caps, gst_buffer_ref(input));
  test_assert_same_frame(caps, result, expected, "read-only input");
  fail_unless(gst_buffer_memcmp(writable, 0, data, size) == 0, "the input was written");
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
  gst_buffer_unref(input);
  gst_buffer_unref(writable);
  g_free(data);
}
GST_END_TEST;

/* An unshared, writable input must not be filtered in place, because each pixel is
 * needed for its neighbours' results. */
GST_START_TEST(unshared_input_gives_the_same) {
  g_autofree gchar *caps = test_caps(formats[__i__], WIDTH, HEIGHT);
  GstBuffer *shared = test_frame_random(caps, 2);
  GstBuffer *expected = test_filter(FILTER, caps, gst_buffer_ref(shared));
  GstBuffer *result = test_filter(FILTER, caps, test_frame_random(caps, 2));
  test_assert_same_frame(caps, result, expected, "unshared input");
  gst_buffer_unref(result);
  gst_buffer_unref(expected);
  gst_buffer_unref(shared);
}
GST_END_TEST;

typedef struct {
  guint8 *pages;
  gsize size;
} Mapping;

static void
unmap(gpointer user_data) {
  Mapping *mapping = user_data;
  munmap(mapping->pages, mapping->size);
  g_free(mapping);
}

/* Copies `tight` into memory with inaccessible pages before and after it. The data touches the page
 * after it, or the page before it. An access one byte outside is a crash. */
static GstBuffer *
fence(GstBuffer *tight, gboolean at_end) {
  gsize page = (gsize)sysconf(_SC_PAGESIZE);
  gsize size = gst_buffer_get_size(tight);
  gsize usable = (size + page - 1) / page * page;
  Mapping *mapping = g_new(Mapping, 1);
  mapping->size = usable + 2 * page;
  mapping->pages = mmap(NULL, mapping->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fail_unless(mapping->pages != MAP_FAILED);
  fail_unless(mprotect(mapping->pages + page, usable, PROT_READ | PROT_WRITE) == 0);
  guint8 *data = mapping->pages + page + (at_end ? usable - size : 0);
  gst_buffer_extract(tight, 0, data, size);
  return gst_buffer_new_wrapped_full(0, data, size, 0, size, mapping, unmap);
}

GST_START_TEST(no_access_outside) {
  const gchar *format = test_formats_in_caps[__i__];
  static const gint sizes[][2] = {{1, 1}, {3, 2}, {37, 11}, {64, 16}};
  static const gchar *const filters[] = {FILTER, "kernel=sobel size=3", "kernel=box size=15"};
  for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
    g_autofree gchar *caps = test_caps(format, sizes[s][0], sizes[s][1]);
    GstBuffer *tight = test_frame_random(caps, s);
    for (guint f = 0; f < G_N_ELEMENTS(filters); f++) {
      if (!test_is_complete() && (s + f + (guint)__i__) % G_N_ELEMENTS(filters) != 0)
        continue;
      GstBuffer *expected = test_filter(filters[f], caps, gst_buffer_ref(tight));
      for (guint at_end = 0; at_end < 2; at_end++) {
        GstBuffer *result = test_filter(filters[f], caps, fence(tight, at_end));
        test_assert_same_frame(caps, result, expected, filters[f]);
        gst_buffer_unref(result);
      }
      gst_buffer_unref(expected);
    }
    gst_buffer_unref(tight);
  }
}
GST_END_TEST;

static Suite *
memory_buffers_suite(void) {
  Suite *suite = suite_create("memory-buffers");
  TCase *tc = tcase_create("memory-buffers");
  tcase_add_loop_test(tc, any_stride_and_offset, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tc, overlapping_rows);
  tcase_add_test(tc, layout_changes_between_frames);
  tcase_add_loop_test(tc, caps_of_the_crop, 0, G_N_ELEMENTS(formats));
  tcase_add_loop_test(tc, meta_of_the_padded_size, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tc, other_elements_accept_the_padded_size);
  tcase_add_loop_test(tc, several_memories, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tc, one_memory_for_each_plane);
  tcase_add_loop_test(tc, input_is_not_written, 0, G_N_ELEMENTS(formats));
  tcase_add_loop_test(tc, unshared_input_gives_the_same, 0, G_N_ELEMENTS(formats));
  tcase_add_loop_test(tc, no_access_outside, 0, (int)test_n_formats_in_caps);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(memory_buffers)
