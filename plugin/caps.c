/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "caps.h"

#include <gst/video/video.h>

#define CUDA_FEATURE "memory:CUDAMemory"

#define FORMATS                                                                                    \
  "{ GRAY8, GRAY16_LE, I420, YV12, Y42B, Y444, NV12, NV21, NV16, RGB, BGR, RGBx, BGRx, xRGB, "     \
  "xBGR, RGBA, BGRA, ARGB, ABGR, AYUV, GBR, RGBP, I420_10LE, I422_10LE, Y444_10LE, P010_10LE, "    \
  "P016_LE, Y444_16LE, ARGB64 }"

/* Those of them that GstCudaMemory holds in GStreamer 1.22; it ends the process on others. */
#define CUDA_FORMATS                                                                               \
  "{ I420, YV12, Y42B, Y444, NV12, NV21, RGB, BGR, RGBx, BGRx, RGBA, BGRA, ARGB, ABGR, GBR, "      \
  "RGBP, I420_10LE, I422_10LE, P010_10LE, P016_LE, Y444_16LE }"

/* --- memory --- */

GstCaps *
cc_caps_template(gboolean cuda) {
  return gst_caps_from_string(
      cuda ? GST_VIDEO_CAPS_MAKE(FORMATS) "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES(CUDA_FEATURE,
                                                                                 CUDA_FORMATS)
           : GST_VIDEO_CAPS_MAKE(FORMATS));
}

static gboolean
structure_is_cuda(GstCapsFeatures *features, GstStructure *structure, gpointer user_data) {
  return !gst_caps_features_is_any(features) && gst_caps_features_contains(features, CUDA_FEATURE);
}

static gboolean
is_cuda(const GstCaps *caps, guint i) {
  return structure_is_cuda(gst_caps_get_features(caps, i), NULL, NULL);
}

gboolean
cc_caps_are_cuda(const GstCaps *caps) {
  return gst_caps_get_size(caps) > 0 && is_cuda(caps, 0);
}

static gboolean
structure_is_not_cuda(GstCapsFeatures *features, GstStructure *structure, gpointer user_data) {
  return !structure_is_cuda(features, structure, user_data);
}

GstCaps *
cc_caps_in_cuda(const GstCaps *caps) {
  if (gst_caps_is_any(caps))
    return gst_caps_new_empty();
  GstCaps *result = gst_caps_copy(caps);
  gst_caps_filter_and_map_in_place(result, structure_is_cuda, NULL);
  return result;
}

/* GStreamer 1.22 lets the last plane of planar 4:2:0 begin half a row early in CUDA memory when the
 * height is odd, on top of the plane before it. */
static gboolean
planes_are_apart(GstCapsFeatures *features, GstStructure *structure, gpointer user_data) {
  static const gchar *const planar[] = {"I420", "YV12", "I420_10LE", NULL};
  const gchar *format = gst_structure_get_string(structure, "format");
  gint height;
  return !structure_is_cuda(features, structure, NULL) || !format ||
         !g_strv_contains(planar, format) || !gst_structure_get_int(structure, "height", &height) ||
         height % 2 == 0;
}

gboolean
cc_caps_are_of_frames(const GstCaps *caps) {
  g_autoptr(GstCaps) all = cc_caps_template(TRUE);
  return gst_caps_is_fixed(caps) && gst_caps_is_subset(caps, all);
}

/* The same caps in the other memory, as far as that is possible. */
static GstCaps *
swap_memory(const GstCaps *caps) {
  g_autoptr(GstCaps) all = cc_caps_template(TRUE);
  g_autoptr(GstCaps) swapped = gst_caps_copy(caps);
  for (guint i = 0; i < gst_caps_get_size(swapped); i++)
    gst_caps_set_features(swapped, i,
                          is_cuda(caps, i)
                              ? gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, NULL)
                              : gst_caps_features_new(CUDA_FEATURE, NULL));
  GstCaps *possible =
      gst_caps_make_writable(gst_caps_intersect_full(swapped, all, GST_CAPS_INTERSECT_FIRST));
  gst_caps_filter_and_map_in_place(possible, planes_are_apart, NULL);
  return possible;
}

/* --- sizes --- */

typedef struct {
  GstPadDirection direction; /* of the pad whose caps are transformed */
  gint stride;
} Transform;

/* Numbers from min to max, as a number or a range; nothing when there is none. */
static gboolean
init_span(GValue *value, gint64 min, gint64 max) {
  min = MAX(min, 1);
  max = MIN(max, G_MAXINT);
  if (min > max)
    return FALSE;
  g_value_init(value, min == max ? G_TYPE_INT : GST_TYPE_INT_RANGE);
  if (min == max)
    g_value_set_int(value, (gint)min);
  else
    gst_value_set_int_range(value, (gint)min, (gint)max);
  return TRUE;
}

static gboolean
transform_span(const Transform *self, GValue *to, gint64 min, gint64 max) {
  if (self->direction == GST_PAD_SINK)
    return init_span(to, (min + self->stride - 1) / self->stride,
                     (max + self->stride - 1) / self->stride);
  return init_span(to, (min - 1) * self->stride + 1, max * self->stride);
}

/* Takes `one`; an element that is in the list already is not added. */
static void
add_to_list(GValue *list, GValue *one) {
  GValue both = G_VALUE_INIT;
  if (!G_IS_VALUE(list)) {
    *list = *one;
    return;
  }
  gst_value_list_merge(&both, list, one);
  g_value_unset(list);
  g_value_unset(one);
  *list = both;
}

/* Initialises `to` with the sizes of the other side. FALSE: there are none. */
static gboolean
transform_size(const Transform *self, GValue *to, const GValue *from) {
  if (G_VALUE_HOLDS_INT(from))
    return transform_span(self, to, g_value_get_int(from), g_value_get_int(from));
  if (GST_VALUE_HOLDS_INT_RANGE(from))
    return transform_span(self, to, gst_value_get_int_range_min(from),
                          gst_value_get_int_range_max(from));
  if (!GST_VALUE_HOLDS_LIST(from))
    return FALSE;
  for (guint i = 0; i < gst_value_list_get_size(from); i++) {
    GValue one = G_VALUE_INIT;
    if (transform_size(self, &one, gst_value_list_get_value(from, i)))
      add_to_list(to, &one);
  }
  return G_IS_VALUE(to);
}

/* FALSE: no size is left, so the structure has to go. */
static gboolean
transform_structure(GstCapsFeatures *features, GstStructure *structure, gpointer user_data) {
  static const gchar *const fields[] = {"width", "height"};
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
    const GValue *from = gst_structure_get_value(structure, fields[i]);
    GValue to = G_VALUE_INIT;
    if (!from)
      continue; /* any size */
    if (!transform_size(user_data, &to, from))
      return FALSE;
    gst_structure_take_value(structure, fields[i], &to);
  }
  return TRUE;
}

/* --- both --- */

GstCaps *
cc_caps_transform(const GstCaps *caps, GstPadDirection direction, guint stride, gboolean cuda) {
  GstCaps *other = gst_caps_copy(caps);
  Transform transform = {direction, (gint)stride};
  if (stride > 1)
    gst_caps_filter_and_map_in_place(other, transform_structure, &transform);
  if (cuda)
    gst_caps_append(other, swap_memory(other));
  else
    gst_caps_filter_and_map_in_place(other, structure_is_not_cuda, NULL);
  return other;
}
