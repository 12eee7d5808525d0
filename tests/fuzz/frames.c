/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzzes frames. The bytes choose properties and caps, and then describe up to four buffers
 * (buffers.h) that are pushed through the element. Each buffer must give a frame of the right size,
 * or end the stream with one error; then the stream starts again. A stream that did not end is used
 * for the next input with the same properties and caps, because starting a stream takes most of the
 * time. */

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string.h>
#include "buffers.h"
#include "common.h"
#include "plugin/backends.h"
#include "plugin/memory/formats.h"

#define MAX_FRAMES 4
#define MAX_FRAME_BYTES (1024 * 1024) /* of an output frame */

typedef struct {
  const gchar *property, *value;
} Setting;

/* The first N_COPYING settings and the setting COPYING_REGION copy every sample. interlace-mode is
 * a field of the caps, and the others are properties. */
static const Setting settings[][4] = {
    {{"kernel", "identity"}},
    {{"kernel", "identity"}, {"size", "1"}},
    {{"kernel", "identity"}, {"size", "5"}, {"border", "wrap"}},
    {{"kernel", "sobel"}},
    {{"kernel", "sobel"}, {"response", "direction"}, {"border", "reflect"}},
    {{"kernel", "gaussian"}, {"size", "15"}, {"border", "reflect-101"}},
    {{"kernel", "gaussian"}, {"sigma", "2.4"}, {"stride", "2"}, {"chroma", "copy"}},
    {{"kernel", "box"}, {"size", "9"}, {"border", "wrap"}, {"alpha", "filter"}},
    {{"kernel", "kirsch"}, {"border", "constant"}, {"border-value", "0.5"}, {"alpha", "opaque"}},
    {{"kernel", "identity"}, {"stride", "4"}},
    {{"kernel", "emboss"}, {"stride", "2"}, {"bias", "128"}, {"chroma", "neutral"}},
    {{"row", "<1,2,3,4,5,6,7,8,7,6,5,4,3,2,1>"}, {"stride", "4"}, {"border", "reflect"}},
    {{"column", "<1,0,-1,0,1,0,-1,0,1,0,-1,0,1,0,-1>"}, {"response", "offset"}},
    {{"kernel", "gaussian"}, {"mix", "-8"}, {"alpha", "filter"}, {"border", "reflect"}},
    {{"kernel", "sobel"}, {"threshold", "0.3"}, {"invert", "true"}, {"stride", "2"}},
    {{"kernel", "scharr"}, {"overlay", "0x80ff8000"}, {"stride", "2"}},
    {{"kernel", "sobel"}, {"threshold", "0.1"}, {"overlay", "0xffffffff"}, {"mix", "0.5"}},
    {{"matrix", "<0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9>"}, {"border", "wrap"}},
    {{"kernel", "sobel"}, {"chroma-kernel", "gaussian"}, {"chroma-size", "9"}, {"mix", "0.5"}},
    {{"kernel", "gaussian"}, {"chroma-size", "3"}, {"interlace-mode", "interleaved"}},
    {{"kernel", "box"}, {"interlace-mode", "alternate"}, {"border", "reflect"}},
    {{"kernel", "box"}, {"alpha", "weighted"}, {"chroma-size", "5"}, {"border", "wrap"}},
    {{"kernel", "gaussian"}, {"alpha", "weighted"}, {"color", "grey"}, {"stride", "2"}},
    {{"kernel", "sobel"}, {"response", "canny"}, {"low", "40"}, {"high", "250"}},
    {{"kernel", "scharr"}, {"response", "canny-l1"}, {"stride", "2"}, {"border", "constant"}},
    {{"kernel", "sobel"}, {"measure", "histogram"}, {"mix", "0"}, {"threshold", "0.2"}},
    {{"kernel", "identity"}, {"roi", "<0,0,8,2147483647>"}},
    {{"kernel", "sobel"}, {"roi", "<<0,0,6,1>,<0,0,2,2>>"}, {"outside", "black"}},
    {{"kernel", "box"}, {"roi", "<0,0,8,8>"}, {"target", "<0,0>"}, {"stride", "2"}},
    {{"kernel", "gaussian"},
     {"roi", "<<0,0,6,1>,<0,0,2,2>>"},
     {"alpha", "weighted"},
     {"interlace-mode", "interleaved"}},
    {{"kernel", "sobel"},
     {"roi", "<<0,0,6,1>,<0,0,2,2>>"},
     {"response", "canny"},
     {"interlace-mode", "interleaved"}},
    {{"kernel", "gaussian"}, {"roi", "<0,0,8,8>"}, {"roi-sigma", "1"}, {"overlay", "0xffff0000"}},
    {{"kernel", "gaussian"},
     {"roi-meta", "true"},
     {"roi-type", "face"},
     {"interlace-mode", "interleaved"}},
};
#define N_COPYING 3
/* The last settings have regions. */
#define COPYING_REGION (G_N_ELEMENTS(settings) - 7)
#define OF_METAS (G_N_ELEMENTS(settings) - 1)

static const gchar *const all_formats[] = {CC_FORMATS(CC_FORMAT_NAME)};

/* The element's formats, in the order of their bytes in an input. P016_LE and Y444_16LE are left
 * out: their planes are those of P010_10LE and Y444_10LE, and a plan for 16 bits takes
 * milliseconds. */
static const gchar *formats[G_N_ELEMENTS(all_formats)];
static guint n_formats;

static void
choose_formats(void) {
  static const gchar *const excluded[] = {"P016_LE", "Y444_16LE", NULL};
  for (guint i = 0; i < G_N_ELEMENTS(all_formats); i++)
    if (!g_strv_contains(excluded, all_formats[i]))
      formats[n_formats++] = all_formats[i];
}

typedef struct {
  guint setting;
  GstCaps *caps;
  gboolean possible;    /* a frame with these caps can exist in memory */
  GstVideoInfo in, out; /* valid if `possible` */
  GstHarness *harness;  /* NULL: the stream has not started */
} Stream;

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_init();
  choose_formats();
  return 0;
}

/* --- caps --- */

/* A width or height: mostly 1 to 16 or 1 to 64, sometimes any number. */
static gint
take_side(FuzzBytes *bytes) {
  const gint side = fuzz_take_byte(bytes);
  if (side < 192)
    return 1 + side % (side < 128 ? 16 : 64);
  return (gint)fuzz_take_number(bytes, G_MAXINT, 32768);
}

static const gchar *
find_value(guint setting, const gchar *name, const gchar *fallback) {
  for (guint i = 0; i < G_N_ELEMENTS(settings[setting]); i++)
    if (g_strcmp0(settings[setting][i].property, name) == 0)
      return settings[setting][i].value;
  return fallback;
}

static GstCaps *
new_caps(guint setting, const gchar *format, gint width, gint height) {
  const gchar *mode = find_value(setting, "interlace-mode", "progressive");
  GstCaps *caps =
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format, "width", G_TYPE_INT,
                          width, "height", G_TYPE_INT, height, "interlace-mode", G_TYPE_STRING,
                          mode, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  if (g_str_equal(mode, "alternate"))
    gst_caps_set_features_simple(caps,
                                 gst_caps_features_new(GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL));
  return caps;
}

/* Whether rows fit into their strides. GstVideoInfo computes with int and does not report
 * overflows, which make strides shorter than rows. */
static gboolean
rows_fit(const GstVideoInfo *info) {
  gboolean fit = TRUE;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(info); c++) {
    const gint64 pixel = GST_VIDEO_INFO_COMP_PSTRIDE(info, c);
    fit = fit && GST_VIDEO_INFO_COMP_WIDTH(info, c) * pixel <= GST_VIDEO_INFO_COMP_STRIDE(info, c);
  }
  return fit;
}

static void
take_caps(Stream *self, FuzzBytes *bytes) {
  const gchar *format = formats[fuzz_take_byte(bytes) % n_formats];
  const gint width = take_side(bytes), height = take_side(bytes);
  self->caps = new_caps(self->setting, format, width, height);
  self->possible = width > 0 && height > 0 && gst_video_info_from_caps(&self->in, self->caps) &&
                   self->in.size <= G_MAXUINT && rows_fit(&self->in);
  if (!self->possible) { /* the buffers are made for other caps then */
    gst_video_info_set_format(&self->in, gst_video_format_from_string(format), 16, 16);
    return;
  }
  const gint64 stride = g_ascii_strtoll(find_value(self->setting, "stride", "1"), NULL, 10);
  g_autoptr(GstCaps) out = new_caps(self->setting, format, (gint)((width + stride - 1) / stride),
                                    (gint)((height + stride - 1) / stride));
  gst_video_info_from_caps(&self->out, out);
}

/* --- the stream --- */

static GstElement *
new_element(guint setting) {
  GstElement *element = fuzz_element_new();
  g_object_set(element, "backend", CC_BACKEND_CPU, "n-threads", 1, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(settings[setting]) && settings[setting][i].property; i++)
    if (!g_str_equal(settings[setting][i].property, "interlace-mode"))
      gst_util_set_object_arg(G_OBJECT(element), settings[setting][i].property,
                              settings[setting][i].value);
  return element;
}

static void
start_stream(Stream *self) {
  GstSegment segment;
  GstElement *element = new_element(self->setting);
  self->harness = gst_harness_new_with_element(element, "sink", "src");
  gst_object_unref(element);
  gst_harness_set_live(self->harness, FALSE);
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(self->harness, gst_event_new_stream_start("fuzz"));
  gst_harness_push_event(self->harness, gst_event_new_caps(self->caps));
  gst_harness_push_event(self->harness, gst_event_new_segment(&segment));
}

static void
end_stream(Stream *self) {
  if (self->harness)
    gst_harness_teardown(self->harness);
  self->harness = NULL;
}

/* The stream for an input: that of the input before if it has the same properties and caps, else a
 * new one. */
static Stream *
take_stream(FuzzBytes *bytes) {
  static Stream stream;
  Stream wanted = {.setting = fuzz_take_byte(bytes) % G_N_ELEMENTS(settings)};
  take_caps(&wanted, bytes);
  if (stream.caps && stream.setting == wanted.setting &&
      gst_caps_is_equal(stream.caps, wanted.caps)) {
    gst_caps_unref(wanted.caps);
    return &stream;
  }
  end_stream(&stream);
  g_clear_pointer(&stream.caps, gst_caps_unref);
  stream = wanted;
  return &stream;
}

/* --- frames --- */

/* Compares the samples of pixels. Rows of packed 4:2:2 may also hold half a macropixel, which has
 * its own rules. */
static void
check_row(const FuzzBuffer *in, const GstVideoInfo *info, const GstVideoFrame *out, gint component,
          guint row) {
  const guint plane = GST_VIDEO_INFO_COMP_PLANE(info, component);
  const gsize offset = GST_VIDEO_INFO_COMP_POFFSET(info, component);
  const gsize step = GST_VIDEO_INFO_COMP_PSTRIDE(info, component);
  const gsize n_bytes = GST_VIDEO_INFO_COMP_DEPTH(info, component) > 8 ? 2 : 1;
  const guint8 *expected = fuzz_buffer_row(in, info, plane, row) + offset;
  const guint8 *got = (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA(out, plane) +
                      (gsize)row * (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(out, plane) + offset;
  for (gint x = 0; x < GST_VIDEO_INFO_COMP_WIDTH(info, component); x++)
    fuzz_check(memcmp(expected + (gsize)x * step, got + (gsize)x * step, n_bytes) == 0,
               "component %d at %d, %u differs from the buffer", component, x, row);
}

/* Samples of other depths have unused bits. */
static gboolean
copies_all_bits(const Stream *self) {
  const GstVideoFormatInfo *format = self->in.finfo;
  return (self->setting < N_COPYING || self->setting == COPYING_REGION) &&
         (format->depth[0] == 8 || format->depth[0] == 16);
}

static void
check_output(Stream *self, const FuzzBuffer *in, GstBuffer *out) {
  GstVideoFrame frame;
  const gsize size = gst_buffer_get_size(out);
  const gboolean may_be_in_place = self->setting >= COPYING_REGION;
  fuzz_check(size == self->out.size || (may_be_in_place && size == in->size),
             "a frame of %zu bytes, not of %zu", size, self->out.size);
  if (!gst_video_frame_map(&frame, &self->out, out, GST_MAP_READ)) {
    /* the locked memory is not read if it has nothing of the frame */
    fuzz_check(may_be_in_place && in->locked, "no frame comes out");
    return;
  }
  for (gint c = 0; copies_all_bits(self) && c < (gint)GST_VIDEO_INFO_N_COMPONENTS(&self->in); c++)
    for (gint y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&self->in, c); y++)
      check_row(in, &self->in, &frame, c, (guint)y);
  gst_video_frame_unmap(&frame);
}

/* A few bytes with a stride of 0 are a valid frame of any height. The output would have gigabytes,
 * so such a buffer is not pushed. An invalid buffer is refused before memory is allocated. */
static gboolean
makes_huge_frame(const Stream *self, const FuzzBuffer *in) {
  return self->possible && self->out.size > MAX_FRAME_BYTES && fuzz_buffer_is_valid(in, &self->in);
}

/* Attaches regions to the buffer, most of them inside of the frame. */
static void
take_metas(const Stream *self, FuzzBytes *bytes, GstBuffer *buffer) {
  const guint n = fuzz_take_byte(bytes) % 4;
  for (guint i = 0; i < n && gst_buffer_is_writable(buffer); i++) {
    const gchar *type = fuzz_take_byte(bytes) % 4 == 1 ? "car" : "face";
    const guint x = (guint)fuzz_take_number(bytes, i, (guint)self->in.width);
    const guint y = (guint)fuzz_take_number(bytes, 0, (guint)self->in.height);
    const guint width = (guint)fuzz_take_number(bytes, 3, G_MAXUINT);
    const guint height = (guint)fuzz_take_number(bytes, 2, G_MAXUINT);
    gst_buffer_add_video_region_of_interest_meta(buffer, type, x, y, width, height);
  }
}

/* Pushes the buffer and checks the result. With impossible caps no frame may come out. */
static void
push(Stream *self, FuzzBuffer *in) {
  if (!self->harness)
    start_stream(self);
  const GstFlowReturn flow = gst_harness_push(self->harness, g_steal_pointer(&in->buffer));
  const guint n_errors = fuzz_count_errors();
  GstBuffer *out = gst_harness_try_pull(self->harness);
  if (flow == GST_FLOW_OK) {
    fuzz_check(self->possible && fuzz_buffer_is_valid(in, &self->in),
               "an invalid buffer is accepted");
    fuzz_check(out && n_errors == 0, "%u errors and no frame", n_errors);
    check_output(self, in, out);
  } else {
    fuzz_check(!self->possible || in->locked || !fuzz_buffer_is_valid(in, &self->in),
               "a valid buffer is refused: %s, %s", gst_flow_get_name(flow), fuzz_last_error());
    fuzz_check(!out, "a frame with %s", gst_flow_get_name(flow));
    fuzz_check(n_errors == 1 || (n_errors == 0 && !self->possible), "%s with %u errors",
               gst_flow_get_name(flow), n_errors);
    end_stream(self);
  }
  g_clear_pointer(&out, gst_buffer_unref);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  FuzzBytes bytes = {.data = data, .size = size};
  Stream *stream = take_stream(&bytes);
  for (guint i = 0; i == 0 || (i < MAX_FRAMES && bytes.size > 0); i++) {
    FuzzBuffer buffer;
    fuzz_buffer_take(&buffer, &bytes, &stream->in);
    if (stream->setting == OF_METAS)
      take_metas(stream, &bytes, buffer.buffer);
    if (!makes_huge_frame(stream, &buffer))
      push(stream, &buffer);
    fuzz_buffer_clear(&buffer);
  }
  return 0;
}
