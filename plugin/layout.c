/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <string.h>
#include "engine/error.h"

static gboolean
is_limited(const GstVideoInfo *info) {
  return info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235 && !GST_VIDEO_INFO_IS_RGB(info);
}

/* Grey is treated like R, G and B unless the colorimetry has limited range, where black is 16.
 * Limited grey is treated like luma. */
static CcRole
component_role(const GstVideoInfo *info, guint component) {
  static const CcRole yuv[] = {CC_ROLE_LUMA, CC_ROLE_CB, CC_ROLE_CR};
  static const CcRole rgb[] = {CC_ROLE_RED, CC_ROLE_GREEN, CC_ROLE_BLUE};
  if (component == GST_VIDEO_COMP_A)
    return CC_ROLE_ALPHA;
  if (GST_VIDEO_INFO_IS_YUV(info))
    return yuv[component];
  if (GST_VIDEO_INFO_IS_RGB(info))
    return rgb[component];
  return is_limited(info) ? CC_ROLE_LUMA : CC_ROLE_GREY;
}

/* The number of samples from one sample of a component to the next. */
static guint
component_step(const GstVideoFormatInfo *format, guint component) {
  return format->pixel_stride[component] /
         (format->depth[component] + format->shift[component] > 8 ? 2 : 1);
}

/* The number of samples after which a row of the plane repeats: the largest step of its components.
 * In packed 4:2:2 the step of luma is half that of chroma. */
static guint
plane_step(const GstVideoFormatInfo *format, guint plane) {
  guint step = 0;
  for (guint c = 0; c < format->n_components; c++)
    if (format->plane[c] == plane)
      step = MAX(step, component_step(format, c));
  return step;
}

/* The index of the component's first sample in its row. Corrects two errors of GStreamer 1.22. For
 * the second chroma sample of P010 and P016, GStreamer 1.22 gives the offset in samples instead of
 * bytes. For VYUY it lists Cb before Cr, although Cr comes first. */
static guint
first_sample(const GstVideoFormatInfo *format, guint component, guint bytes) {
  const guint offset = format->poffset[component];
  if (format->format == GST_VIDEO_FORMAT_VYUY && component != GST_VIDEO_COMP_Y)
    return component == GST_VIDEO_COMP_U ? 2 : 0;
  return offset % bytes == 0 ? offset / bytes : offset;
}

static void
add_component(CcPlaneLayout *plane, const GstVideoInfo *info, guint component) {
  const GstVideoFormatInfo *format = info->finfo;
  const guint step = component_step(format, component);
  plane->width = MAX(plane->width, (guint)GST_VIDEO_INFO_COMP_WIDTH(info, component));
  plane->height = GST_VIDEO_INFO_COMP_HEIGHT(info, component);
  plane->depth = format->depth[component];
  plane->shift = format->shift[component];
  plane->type = plane->depth + plane->shift > 8 ? CC_SAMPLE_U16 : CC_SAMPLE_U8;
  plane->step = plane_step(format, format->plane[component]);
  plane->has_macropixels |= step < plane->step;
  const guint first = first_sample(format, component, cc_sample_size(plane->type));
  for (guint i = first; i < plane->step; i += step)
    plane->role[i] = component_role(info, component);
}

/* The maximum number of bytes in a row, and the maximum number of rows. Backends can count bytes
 * and rows with int and have some margin. */
#define MAX_SIDE (G_MAXINT / 2)

/* GstVideoInfo uses int for some computations. If its size has overflowed, the planes exceed this
 * size, which is detected here. The size must also fit into a guint, because pools count bytes with
 * guint. */
static gboolean
check_frame_size(const GstVideoInfo *info, const CcFrameLayout *layout) {
  if (info->size > G_MAXUINT)
    return FALSE;
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcPlaneLayout *plane = &layout->plane[p];
    if (info->stride[p] < 0 || (gsize)info->stride[p] < cc_plane_row_bytes(plane) ||
        info->stride[p] > MAX_SIDE || plane->height > MAX_SIDE || info->offset[p] > info->size ||
        (guint64)info->stride[p] * plane->height > info->size - info->offset[p])
      return FALSE;
  }
  return TRUE;
}

gboolean
cc_frame_layout_from_video_info(const GstVideoInfo *info, CcFrameLayout *layout, GError **error) {
  const GstVideoFormatInfo *format = info->finfo;
  memset(layout, 0, sizeof *layout);
  layout->n_planes = format->n_planes;
  layout->limited_range = is_limited(info);
  /* Leaves kr and kb at 0 if the matrix is unknown or the identity matrix of RGB. */
  gst_video_color_matrix_get_Kr_Kb(info->colorimetry.matrix, &layout->kr, &layout->kb);
  for (guint p = 0; p < layout->n_planes; p++)
    for (guint i = 0; i < CC_MAX_COMPONENTS; i++)
      layout->plane[p].role[i] = CC_ROLE_PADDING;
  for (guint c = 0; c < format->n_components; c++)
    add_component(&layout->plane[format->plane[c]], info, c);

  if (check_frame_size(info, layout))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "%s of %dx%d is too large: a frame must fit into %u bytes, and the rows and the "
              "bytes of a row may be at most %d",
              format->name, info->width, info->height, G_MAXUINT, MAX_SIDE);
  return FALSE;
}
