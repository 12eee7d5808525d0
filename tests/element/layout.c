/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <gst/check/gstcheck.h>
#include "plugin/memory/formats.h"
#include "tests/ref/formats.h"

const gchar *const test_formats_in_caps[] = {CC_FORMATS(CC_FORMAT_NAME)};
const guint test_n_formats_in_caps = G_N_ELEMENTS(test_formats_in_caps);

/* Y'CbCr is limited range unless the colorimetry says otherwise ("1:..."). All other formats are
 * full range. */
static gboolean
is_limited(const TestFormat *format, const GstStructure *caps) {
  const gchar *colorimetry = gst_structure_get_string(caps, "colorimetry");
  gboolean full = colorimetry && g_str_has_prefix(colorimetry, "1:");
  for (guint c = 0; c < format->plane[0].step; c++)
    if (format->plane[0].role[c] == CC_ROLE_LUMA)
      return !full;
  return FALSE;
}

/* Sets the weights of red and blue in luma. If the caps have no matrix, GStreamer's default
 * applies. */
static void
set_weights(CcFrameLayout *layout, const GstCaps *caps) {
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  switch (info.colorimetry.matrix) {
  case GST_VIDEO_COLOR_MATRIX_BT709:
    layout->kr = 0.2126;
    layout->kb = 0.0722;
    break;
  case GST_VIDEO_COLOR_MATRIX_BT601:
    layout->kr = 0.299;
    layout->kb = 0.114;
    break;
  case GST_VIDEO_COLOR_MATRIX_BT2020:
    layout->kr = 0.2627;
    layout->kb = 0.0593;
    break;
  default:
    break; /* unknown, or RGB */
  }
}

CcFrameLayout
test_layout(const gchar *caps_text) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gint width, height;
  fail_unless(gst_structure_get(structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT,
                                &height, NULL));
  const TestFormat *format = test_format_find(gst_structure_get_string(structure, "format"));
  CcFrameLayout layout =
      test_format_layout(format, (guint)width, (guint)height, is_limited(format, structure));
  set_weights(&layout, caps);
  return layout;
}

void
test_map(TestFrame *mapped, const gchar *caps_text, GstBuffer *buffer, GstMapFlags flags) {
  g_autoptr(GstCaps) caps = gst_caps_from_string(caps_text);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps), "%s", caps_text);
  fail_unless(gst_video_frame_map(&mapped->frame, &info, buffer, flags), "%s", caps_text);
  mapped->layout = test_layout(caps_text);
  for (guint p = 0; p < mapped->layout.n_planes; p++) {
    mapped->planes.plane[p].data = GST_VIDEO_FRAME_PLANE_DATA(&mapped->frame, p);
    mapped->planes.plane[p].pitch = GST_VIDEO_FRAME_PLANE_STRIDE(&mapped->frame, p);
  }
}

void
test_unmap(TestFrame *mapped) {
  gst_video_frame_unmap(&mapped->frame);
}
