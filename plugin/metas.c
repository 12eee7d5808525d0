/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metas.h"

#include "memory/mappedframe.h"

gboolean
cc_meta_survives(GType api) {
  static const gchar *const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                      GST_META_TAG_VIDEO_ORIENTATION_STR,
                                      GST_META_TAG_VIDEO_COLORSPACE_STR, NULL};
  for (const gchar *const *tag = gst_meta_api_type_get_tags(api); tag && *tag; tag++)
    if (!g_strv_contains(kept, *tag))
      return FALSE;
  return TRUE;
}

static gboolean
remove_stale(GstBuffer *buffer, GstMeta **meta, gpointer unused) {
  const GType api = (*meta)->info->api;
  const gboolean describes_frame =
      api == GST_VIDEO_META_API_TYPE || api == GST_VIDEO_CROP_META_API_TYPE;
  if (!describes_frame && !cc_meta_survives(api) &&
      !GST_META_FLAG_IS_SET(*meta, GST_META_FLAG_LOCKED))
    *meta = NULL;
  return TRUE;
}

void
cc_metas_remove_stale(GstBuffer *buffer) {
  gst_buffer_foreach_meta(buffer, remove_stale, NULL);
}

static gboolean
is_bound_to_size(GType api) {
  return gst_meta_api_type_has_tag(api, g_quark_from_static_string(GST_META_TAG_VIDEO_SIZE_STR));
}

gboolean
cc_meta_transform(GstBuffer *out, GstMeta *meta, GstBuffer *in, const GstVideoInfo *in_info,
                  const GstVideoInfo *out_info) {
  const GstMetaInfo *info = meta->info;
  if (info->api == GST_VIDEO_CROP_META_API_TYPE && cc_buffer_is_cropped(in, in_info))
    return FALSE; /* the crop is applied when the frame is mapped */
  if (!cc_meta_survives(info->api))
    return FALSE;
  const gboolean same_size =
      in_info->width == out_info->width && in_info->height == out_info->height;
  if (same_size || !is_bound_to_size(info->api))
    return TRUE;
  GstVideoMetaTransform scale = {(GstVideoInfo *)in_info, (GstVideoInfo *)out_info};
  if (info->transform_func)
    info->transform_func(out, meta, in, gst_video_meta_transform_scale_get_quark(), &scale);
  return FALSE;
}
