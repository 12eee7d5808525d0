/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "media.h"

#include <string.h>

#define H264 "x264enc name=encoder pass=qual quantizer=20 speed-preset=veryfast"
#define H265_OPTIONS "crf=20:log-level=error"
#define H265 "x265enc name=encoder speed-preset=veryfast option-string=" H265_OPTIONS
#define H264_LOSSLESS "x264enc name=encoder pass=quant quantizer=0 speed-preset=veryfast"
/* vp9enc of GStreamer 1.22 loses frames if lag-in-frames is not 0. The default unit of its times is
 * the duration of a frame. In a video of variable frame rate, vp9enc would lose frames whose times
 * are equal after they are rounded to this unit. So `timebase` sets a smaller unit. */
#define VP9(quality)                                                                               \
  "vp9enc name=encoder target-bitrate=1000000000 lag-in-frames=0 timebase=1/90000 deadline=1 "     \
  "cpu-used=5 row-mt=true threads=16 " quality
/* JPEG has only one colorimetry. jpegenc does not convert frames to it, so caps request it. */
#define JPEG "capsfilter caps=video/x-raw,colorimetry=1:4:0:0 ! jpegenc name=encoder quality=95"
/* BMP files are written without alpha, because few programs read alpha from BMP. */
#define BMP "capsfilter caps=video/x-raw,format={BGR,GRAY8} ! avenc_bmp"
#define FFV1 "avenc_ffv1 name=encoder"
#define AAC "fdkaacenc", "avenc_aac bitrate=192000", "voaacenc bitrate=192000"

static const Media media[] = {
    {{".mp4", ".m4v"},
     MEDIA_VIDEO,
     "mp4mux",
     {H264, "openh264enc name=encoder"},
     {H265},
     {H264_LOSSLESS},
     {AAC},
     TRUE},
    {{".mov"},
     MEDIA_VIDEO,
     "qtmux",
     {H264, "openh264enc name=encoder"},
     {H265},
     {H264_LOSSLESS},
     {AAC},
     TRUE},
    {{".mkv"},
     MEDIA_VIDEO,
     "matroskamux",
     {H264, "openh264enc name=encoder"},
     {H265},
     {FFV1},
     {"flacenc", "opusenc"},
     TRUE},
    {{".ts"},
     MEDIA_VIDEO,
     "mpegtsmux",
     {H264, "openh264enc name=encoder"},
     {H265},
     {H264_LOSSLESS},
     {AAC},
     FALSE},
    {{".webm"},
     MEDIA_VIDEO,
     "webmmux",
     {VP9("end-usage=cq cq-level=24")},
     {0},
     {VP9("min-quantizer=0 max-quantizer=0")},
     {"opusenc bitrate=160000", "vorbisenc"},
     TRUE},
    {{".avi"},
     MEDIA_VIDEO,
     "avimux",
     {JPEG},
     {0},
     {0},
     {"lamemp3enc target=bitrate bitrate=192"},
     FALSE},
    {{".ogv", ".ogg"},
     MEDIA_VIDEO,
     "oggmux",
     {"theoraenc name=encoder quality=56"},
     {0},
     {0},
     {"vorbisenc quality=0.5"},
     FALSE},
    {{".png"}, MEDIA_IMAGE, NULL, {"pngenc"}, {0}, {"pngenc"}, {0}, FALSE},
    {{".jpg", ".jpeg"}, MEDIA_IMAGE, NULL, {JPEG}, {0}, {0}, {0}, FALSE},
    {{".tif", ".tiff"}, MEDIA_IMAGE, NULL, {"avenc_tiff"}, {0}, {"avenc_tiff"}, {0}, FALSE},
    {{".bmp"}, MEDIA_IMAGE, NULL, {BMP}, {0}, {BMP}, {0}, FALSE},
    {{".webp"},
     MEDIA_IMAGE,
     NULL,
     {"capsfilter caps=video/x-raw,format={RGB,RGBA} ! webpenc quality=95"},
     {0},
     {"capsfilter caps=video/x-raw,format={RGB,RGBA} ! webpenc lossless=true"},
     {0},
     FALSE},
};

/* Extensions of files that can be read but not written. */
static const gchar *const read_only[] = {".3gp",  ".dv",  ".flv",  ".gif", ".h264", ".h265", ".jp2",
                                         ".m2ts", ".m2v", ".mpeg", ".mpg", ".mts",  ".mxf",  ".pbm",
                                         ".pgm",  ".ppm", ".vob",  ".wmv", ".y4m"};

const Media *
media_of_name(const gchar *name) {
  g_autofree gchar *lower = g_ascii_strdown(name, -1);
  for (guint i = 0; i < G_N_ELEMENTS(media); i++) {
    for (const gchar *const *ending = media[i].endings; *ending; ending++) {
      if (g_str_has_suffix(lower, *ending))
        return &media[i];
    }
  }
  return NULL;
}

gboolean
media_is_readable(const gchar *name) {
  g_autofree gchar *lower = g_ascii_strdown(name, -1);
  for (guint i = 0; i < G_N_ELEMENTS(read_only); i++) {
    if (g_str_has_suffix(lower, read_only[i]))
      return TRUE;
  }
  return media_of_name(name) != NULL;
}

gchar *
media_list_endings(gboolean (*is)(const Media *media)) {
  GString *list = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(media); i++) {
    for (const gchar *const *ending = media[i].endings; *ending && (!is || is(&media[i])); ending++)
      g_string_append_printf(list, "%s%s", list->len ? " " : "", *ending);
  }
  return g_string_free(list, FALSE);
}

gboolean
media_is_video(const Media *self) {
  return self->kind == MEDIA_VIDEO;
}

gboolean
media_is_image(const Media *self) {
  return self->kind == MEDIA_IMAGE;
}

gboolean
media_is_lossless(const Media *self) {
  return self->lossless[0] != NULL;
}

gboolean
media_is_joinable(const Media *self) {
  return self->can_join;
}

/* Returns the last element of each description: "x264enc or openh264enc". */
static gchar *
element_names(const gchar *const *list) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (; *list; list++) {
    const gchar *last = strrchr(*list, '!');
    const gchar *begin = last ? last + strlen("! ") : *list;
    g_autofree gchar *name = g_strndup(begin, strcspn(begin, " "));
    g_string_append_printf(names, "%s%s", names->len ? " or " : "", name);
  }
  return g_string_free(g_steal_pointer(&names), FALSE);
}

GstElement *
media_new_encoder(const gchar *const *list, const gchar *what, GError **error) {
  for (const gchar *const *next = list; *next; next++) {
    GstElement *encoder =
        gst_parse_bin_from_description_full(*next, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
    if (encoder)
      return encoder;
  }
  g_autofree gchar *names = element_names(list);
  g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
              "%s needs %s, which is not installed; `cudaconv doctor` names the packages", what,
              names);
  return NULL;
}

void
media_fix_threads(GstElement *encoder) {
  static const struct {
    const gchar *factory, *property, *value;
  } fixed[] = {
      {"x264enc", "threads", "4"},
      /* With a threaded lookahead or a rate buffer model, the packets depend on thread timing. */
      {"x264enc", "sync-lookahead", "0"},
      {"x264enc", "vbv-buf-capacity", "0"},
      {"openh264enc", "multi-thread", "1"},
      {"x265enc", "option-string", H265_OPTIONS ":frame-threads=2"},
  };
  g_autoptr(GstElement) named = gst_bin_get_by_name(GST_BIN(encoder), "encoder");
  if (!named)
    return;
  const gchar *factory = GST_OBJECT_NAME(gst_element_get_factory(named));
  for (guint i = 0; i < G_N_ELEMENTS(fixed); i++) {
    if (g_str_equal(factory, fixed[i].factory))
      gst_util_set_object_arg(G_OBJECT(named), fixed[i].property, fixed[i].value);
  }
}
