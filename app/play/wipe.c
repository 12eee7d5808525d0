/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "wipe.h"

#include <gst/video/video.h>
#include <string.h>

#define META "cudaconv-split-original"
#define SHARES (1 << 24)

struct _Wipe {
  GstElement *filter; /* owns the wipe */
  gint share;         /* atomic; in units of 1 / SHARES */
};

/* A mapped frame and the position of the image in it. */
typedef struct {
  GstVideoFrame mapped;
  guint x, y;         /* offset of the crop meta if the caps have the size of the crop; else 0 */
  gint width, height; /* size of the image in the caps */
} MappedImage;

static gboolean
image_map(MappedImage *self, GstBuffer *buffer, const GstCaps *caps, GstMapFlags flags) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps) ||
      !gst_video_frame_map(&self->mapped, &info, buffer, flags))
    return FALSE;
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta(buffer);
  const GstVideoInfo *inside = &self->mapped.info;
  const gboolean is_cropped = inside->width != info.width || inside->height != info.height;
  self->x = is_cropped && crop ? crop->x : 0;
  self->y = is_cropped && crop ? crop->y : 0;
  self->width = info.width;
  self->height = info.height;
  if (self->x + (guint64)info.width <= (guint64)inside->width &&
      self->y + (guint64)info.height <= (guint64)inside->height)
    return TRUE;
  gst_video_frame_unmap(&self->mapped);
  return FALSE;
}

static gint
sample_bytes(const GstVideoFormatInfo *format, guint component) {
  return GST_VIDEO_FORMAT_INFO_DEPTH(format, component) +
                     GST_VIDEO_FORMAT_INFO_SHIFT(format, component) >
                 8
             ? 2
             : 1;
}

/* Returns the offset of a component in its plane in bytes. GStreamer 1.22 stores it in samples for
 * P010 and P016, and in bytes for all other formats. */
static gint
component_offset(const GstVideoFormatInfo *format, guint component) {
  const gint offset = GST_VIDEO_FORMAT_INFO_POFFSET(format, component);
  const gint bytes = sample_bytes(format, component);
  return offset % bytes == 0 ? offset : offset * bytes;
}

static guint8 *
image_row(const MappedImage *self, guint component, gint row) {
  const GstVideoFormatInfo *format = self->mapped.info.finfo;
  const gint plane = GST_VIDEO_FORMAT_INFO_PLANE(format, component);
  const gint x = (gint)self->x >> GST_VIDEO_FORMAT_INFO_W_SUB(format, component);
  const gint y = (gint)self->y >> GST_VIDEO_FORMAT_INFO_H_SUB(format, component);
  return (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&self->mapped, plane) +
         (gssize)(y + row) * GST_VIDEO_FRAME_PLANE_STRIDE(&self->mapped, plane) +
         (gssize)x * GST_VIDEO_FORMAT_INFO_PSTRIDE(format, component);
}

/* ---- drawing ---- */

typedef struct {
  guint component;
  gint rows, columns;
  gint offset; /* component offset: bytes from the start of a row to the first sample */
  gint step;   /* bytes from one sample to the next */
  gint bytes;  /* bytes per sample */
} Samples;

static Samples
describe(const MappedImage *image, guint component) {
  const GstVideoFormatInfo *format = image->mapped.info.finfo;
  return (Samples){
      .component = component,
      .rows = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(format, component, image->height),
      .columns = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(format, component, image->width),
      .offset = component_offset(format, component),
      .step = GST_VIDEO_FORMAT_INFO_PSTRIDE(format, component),
      .bytes = sample_bytes(format, component),
  };
}

/* Computes the filter's stride from the sizes of input and output. 0: no stride fits. */
static gint
find_stride(const MappedImage *in, const MappedImage *out) {
  for (gint stride = 1; stride <= 4; stride *= 2) {
    if ((in->width + stride - 1) / stride == out->width &&
        (in->height + stride - 1) / stride == out->height)
      return stride;
  }
  return 0;
}

static void
copy_rows(const MappedImage *out, const MappedImage *in, const Samples *samples, gsize bytes) {
  for (gint y = 0; y < samples->rows; y++)
    memcpy(image_row(out, samples->component, y), image_row(in, samples->component, y), bytes);
}

static void
copy_decimated(const MappedImage *out, const MappedImage *in, const Samples *samples, gint columns,
               gint stride) {
  const Samples source = describe(in, samples->component);
  for (gint y = 0; y < samples->rows; y++) {
    guint8 *to = image_row(out, samples->component, y) + samples->offset;
    const guint8 *from =
        image_row(in, samples->component, MIN(y * stride, source.rows - 1)) + samples->offset;
    for (gint x = 0; x < columns; x++)
      memcpy(to + x * samples->step, from + MIN(x * stride, source.columns - 1) * samples->step,
             (gsize)samples->bytes);
  }
}

static void
fill_columns(const MappedImage *out, const Samples *samples, gint first, gint end, guint16 value) {
  for (gint y = 0; y < samples->rows; y++) {
    guint8 *row = image_row(out, samples->component, y) + samples->offset;
    for (gint x = first; x < MIN(end, samples->columns); x++) {
      if (samples->bytes == 2)
        GST_WRITE_UINT16_LE(row + x * samples->step, value);
      else
        row[x * samples->step] = (guint8)value;
    }
  }
}

static guint16
shade(const GstVideoInfo *info, guint component, gboolean white) {
  gint low[GST_VIDEO_MAX_COMPONENTS], range[GST_VIDEO_MAX_COMPONENTS];
  gst_video_color_range_offsets(info->colorimetry.range, info->finfo, low, range);
  const gboolean is_chroma = GST_VIDEO_INFO_IS_YUV(info) && (component == 1 || component == 2);
  const gboolean is_alpha = GST_VIDEO_INFO_HAS_ALPHA(info) && component == 3;
  gint value = low[component];
  if (is_alpha || (white && !is_chroma))
    value += range[component];
  return (guint16)(value << GST_VIDEO_FORMAT_INFO_SHIFT(info->finfo, component));
}

/* Returns the column of the line: a multiple of `*unit`, or the width of the image. `*unit` is set
 * to the number of pixels that share a chroma sample. */
static gint
find_line(const MappedImage *out, gdouble share, gint *unit) {
  const GstVideoFormatInfo *format = out->mapped.info.finfo;
  *unit = 1;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); c++)
    *unit = MAX(*unit, 1 << GST_VIDEO_FORMAT_INFO_W_SUB(format, c));
  const gint line = (gint)(share * out->width / *unit + 0.5) * *unit;
  return MIN(line, out->width);
}

/* Copies the left part of `in` into `out`. Draws a white line with a black line beside it, so that
 * the line is visible on any image. */
static void
draw(const MappedImage *out, const MappedImage *in, gint stride, gdouble share) {
  const GstVideoInfo *info = &out->mapped.info;
  gint unit;
  const gint line = find_line(out, share, &unit);
  if (line == 0)
    return;
  /* For each plane: the number of bytes of each row that were copied for an earlier component. */
  gsize row_bytes[GST_VIDEO_MAX_PLANES] = {0};
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(info); c++) {
    const Samples samples = describe(out, c);
    const gint columns = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(info->finfo, c, line);
    gsize *const copied = &row_bytes[GST_VIDEO_FORMAT_INFO_PLANE(info->finfo, c)];
    const gsize bytes = (gsize)columns * (gsize)samples.step;
    if (stride > 1)
      copy_decimated(out, in, &samples, columns, stride);
    else if (bytes > *copied) {
      copy_rows(out, in, &samples, bytes);
      *copied = bytes;
    }
  }
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(info); c++) {
    const Samples samples = describe(out, c);
    const gint columns = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(info->finfo, c, line);
    const gint thick = unit >> GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, c);
    fill_columns(out, &samples, columns, columns + thick, shade(info, c, TRUE));
    fill_columns(out, &samples, columns + thick, columns + 2 * thick, shade(info, c, FALSE));
  }
}

static gboolean
draw_original(GstBuffer *result, GstCaps *caps, GstSample *original, gdouble share) {
  MappedImage in, out;
  if (!image_map(&in, gst_sample_get_buffer(original), gst_sample_get_caps(original), GST_MAP_READ))
    return FALSE;
  gboolean ok = image_map(&out, result, caps, GST_MAP_READWRITE);
  if (ok) {
    const gint stride = find_stride(&in, &out);
    ok = stride > 0 && GST_VIDEO_FRAME_FORMAT(&in.mapped) == GST_VIDEO_FRAME_FORMAT(&out.mapped);
    if (ok)
      draw(&out, &in, stride, share);
    gst_video_frame_unmap(&out.mapped);
  }
  gst_video_frame_unmap(&in.mapped);
  return ok;
}

/* ---- probes ---- */

/* Takes ownership of `buffer`. The result has the same memory and the original as a meta. */
static GstBuffer *
attach_original(GstBuffer *buffer, GstCaps *caps) {
  GstBuffer *copy = gst_buffer_copy(buffer);
  g_autoptr(GstSample) sample = gst_sample_new(buffer, caps, NULL, NULL);
  GstCustomMeta *meta = gst_buffer_add_custom_meta(copy, META);
  gst_structure_set(gst_custom_meta_get_structure(meta), "original", GST_TYPE_SAMPLE, sample, NULL);
  gst_buffer_unref(buffer);
  return copy;
}

static gboolean
attach_in_list(GstBuffer **buffer, guint index, gpointer caps) {
  *buffer = attach_original(*buffer, caps);
  return TRUE;
}

static GstPadProbeReturn
on_input(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (!caps)
    return GST_PAD_PROBE_OK;
  if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList *list = gst_buffer_list_make_writable(GST_PAD_PROBE_INFO_BUFFER_LIST(info));
    gst_buffer_list_foreach(list, attach_in_list, caps);
    info->data = list;
  } else {
    info->data = attach_original(GST_PAD_PROBE_INFO_BUFFER(info), caps);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_output(GstPad *pad, GstPadProbeInfo *info, gpointer user_data) {
  Wipe *self = user_data;
  GstCustomMeta *meta = gst_buffer_get_custom_meta(GST_PAD_PROBE_INFO_BUFFER(info), META);
  if (!meta) /* the frame entered the filter before the wipe was attached */
    return GST_PAD_PROBE_OK;
  g_autoptr(GstSample) original = NULL;
  gst_structure_get(gst_custom_meta_get_structure(meta), "original", GST_TYPE_SAMPLE, &original,
                    NULL);
  GstBuffer *result = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  info->data = result;
  gst_buffer_remove_meta(result, (GstMeta *)gst_buffer_get_custom_meta(result, META));

  const gdouble share = (gdouble)g_atomic_int_get(&self->share) / SHARES;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (share > 0 && !draw_original(result, caps, original, share))
    GST_ELEMENT_ERROR(
        self->filter, STREAM, FORMAT, ("a frame and its original cannot be shown side by side"),
        ("%" GST_PTR_FORMAT ", %" GST_PTR_FORMAT, gst_sample_get_caps(original), caps));
  return GST_PAD_PROBE_OK;
}

/* ---- public ---- */

Wipe *
wipe_attach(GstElement *filter, gdouble share) {
  static const gchar *no_tags[] = {NULL};
  if (!gst_meta_get_info(META))
    gst_meta_register_custom(META, no_tags, NULL, NULL, NULL);
  Wipe *self = g_new0(Wipe, 1);
  self->filter = filter;
  wipe_set_share(self, share);
  g_object_set_data_full(G_OBJECT(filter), META, self, g_free);

  g_autoptr(GstPad) sink = gst_element_get_static_pad(filter, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(filter, "src");
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_input,
                    self, NULL);
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, on_output, self, NULL);
  return self;
}

void
wipe_set_share(Wipe *self, gdouble share) {
  g_atomic_int_set(&self->share, (gint)(CLAMP(share, 0, 1) * SHARES + 0.5));
}
