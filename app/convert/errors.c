/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "errors.h"

#include <string.h>

static gboolean
has_flag(GstObject *object, guint flag) {
  return object && GST_IS_ELEMENT(object) && GST_OBJECT_FLAG_IS_SET(object, flag);
}

static gboolean
is_within(GstObject *object, const gchar *name) {
  for (; object; object = GST_OBJECT_PARENT(object)) {
    if (g_strcmp0(GST_OBJECT_NAME(object), name) == 0)
      return TRUE;
  }
  return FALSE;
}

gboolean
error_is_of_input(GstObject *from) {
  return is_within(from, "source");
}

gboolean
error_is_full_disk(const GError *error) {
  return g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC) ||
         g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

static gchar *
explain_missing(const gchar *input, const gchar *missing) {
  return g_strdup_printf(
      "%s: not installed: %s; decoders are in the packages gstreamer1.0-libav and "
      "gstreamer1.0-plugins-good, -bad and -ugly",
      input, missing);
}

GError *
error_no_video(const gchar *input, const gchar *missing) {
  g_autofree gchar *text = missing ? explain_missing(input, missing)
                                   : g_strdup_printf("%s: there is no video in it", input);
  return g_error_new_literal(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, text);
}

static gchar *
explain_input(const GError *error, const gchar *input, const gchar *missing) {
  if (g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SEEK))
    return g_strdup_printf("%s: %s", input, error->message);
  /* decodebin first counts a stream as undecodable, and then posts the name of the missing decoder.
   * In between, another thread of decodebin may post a missing-plugin error without the name. */
  if (missing || g_error_matches(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN))
    return explain_missing(input, missing ? missing : "a decoder for it");
  if (g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_TYPE_NOT_FOUND) ||
      g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE))
    return g_strdup_printf("%s: not a video or image that GStreamer can read (%s)", input,
                           error->message);
  if (g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED))
    return g_strdup_printf("%s: could not be read (%s)", input, error->message);
  return g_strdup_printf("%s: %s", input, error->message);
}

gboolean
error_is_of_format(const gchar *details) {
  return details && strstr(details, "not-negotiated");
}

/* Whether the filter has output frames, so that what refuses frames comes after it. */
static gboolean
has_output(GstElement *filter) {
  g_autoptr(GstPad) src = gst_element_get_static_pad(filter, "src");
  return gst_pad_has_current_caps(src);
}

gchar *
error_explain(GstMessage *message, GstElement *filter, const gchar *input, const gchar *output,
              const gchar *missing) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *details = NULL;
  gst_message_parse_error(message, &error, &details);
  GstObject *from = GST_MESSAGE_SRC(message);
  g_strdelimit(error->message, "\n", ' ');

  if (from == GST_OBJECT(filter))
    return g_strdup(error->message);
  if (g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    return g_strdup_printf("%s: no space left on the device", output);
  if (has_flag(from, GST_ELEMENT_FLAG_SINK))
    return g_strdup_printf("%s: %s", output, error->message);
  const gboolean refused = error_is_of_format(details);
  if (error_is_of_input(from) && !(refused && has_output(filter)))
    return explain_input(error, input, missing);
  if (refused)
    return g_strdup_printf("%s: the encoder does not accept frames of this size or format (%s)",
                           output, error->message);
  return g_strdup_printf("%s: %s: %s", output, GST_OBJECT_NAME(from), error->message);
}
