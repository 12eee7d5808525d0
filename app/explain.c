/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv explain: filters one frame and prints the backend, the plan and the steps that the
 * element used for it. All three come from the element's property `stats`. */

#include "command.h"
#include "app/convert/elements.h"
#include "filteroptions.h"
#include "text.h"
#include "suggest.h"

#define NAME "explain"
#define MAX_SIDE 32767 /* maximum width and height of a frame, in pixels */
#define SUMMARY                                                                                    \
  "Prints what runs for a filter, a format and a frame size on this machine: the backend, how\n"   \
  "the kernel is computed, and a line for each step. It filters one frame of zeros.\n"             \
  "docs/explain.md explains the lines."

typedef struct {
  gchar *format, *frame_size; /* texts of the options; NULL: not given */
  const gchar *name;          /* name of the frame format in GStreamer */
  GstVideoInfo info;
} ExplainOptions;

static void
clear_options(ExplainOptions *options) {
  g_free(options->format);
  g_free(options->frame_size);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExplainOptions, clear_options)

/* ---- options ---- */

static gboolean
read_format(ExplainOptions *options, gchar **formats, GError **error) {
  const gchar *text = options->format ? options->format : "I420";
  for (gchar **format = formats; !options->name && *format; format++) {
    if (g_ascii_strcasecmp(*format, text) == 0)
      options->name = *format;
  }
  if (options->name)
    return TRUE;
  g_autofree gchar *upper = g_ascii_strup(text, -1);
  const gboolean exists = gst_video_format_from_string(text) != GST_VIDEO_FORMAT_UNKNOWN ||
                          gst_video_format_from_string(upper) != GST_VIDEO_FORMAT_UNKNOWN;
  g_autofree gchar *list = g_strjoinv(", ", formats);
  g_autofree gchar *meant = exists ? g_strdup("") : suggest_text(text, formats);
  return app_refuse(error, "--format \"%s\": %s: %s%s", text,
                    exists ? "the filter does not accept this format; it accepts"
                           : "there is no such format; there are",
                    list, meant);
}

static gboolean
read_frame_size(ExplainOptions *options, GError **error) {
  const gchar *text = options->frame_size ? options->frame_size : "1920x1080";
  g_autofree gchar *lower = g_ascii_strdown(text, -1);
  g_auto(GStrv) sides = g_strsplit(lower, "x", 2);
  guint64 width, height;
  if (g_strv_length(sides) != 2 ||
      !g_ascii_string_to_unsigned(sides[0], 10, 1, MAX_SIDE, &width, NULL) ||
      !g_ascii_string_to_unsigned(sides[1], 10, 1, MAX_SIDE, &height, NULL))
    return app_refuse(error,
                      "--frame-size \"%s\": expected width and height, 1x1 to %ux%u, such as "
                      "1920x1080",
                      text, MAX_SIDE, MAX_SIDE);
  GstVideoInfo *info = &options->info;
  if (!gst_video_info_set_format(info, gst_video_format_from_string(options->name), (guint)width,
                                 (guint)height) ||
      info->size > G_MAXINT)
    return app_refuse(
        error,
        "--frame-size \"%s\": a frame of %s of this size is too large for GStreamer; use a smaller "
        "one, such as 1920x1080",
        text, options->name);
  GST_VIDEO_INFO_FPS_N(info) = 25;
  GST_VIDEO_INFO_FPS_D(info) = 1;
  return TRUE;
}

/* ---- the frame ---- */

static void
print_warning(GstMessage *message, gpointer unused) {
  g_autoptr(GError) warning = NULL;
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_WARNING)
    return;
  gst_message_parse_warning(message, &warning, NULL);
  g_autofree gchar *text = text_redact(warning->message);
  g_printerr("Warning: %s\n", text);
}

static void
print(GstElement *filter, const ExplainOptions *options) {
  g_autoptr(GstStructure) stats = NULL;
  g_object_get(filter, "stats", &stats, NULL);
  g_print("frame: %s of %dx%d\n", options->name, options->info.width, options->info.height);
  g_print("backend: %s (%s)\n", gst_structure_get_string(stats, "backend"),
          gst_structure_get_string(stats, "device"));
  g_print("plan: %s\n", gst_structure_get_string(stats, "plan"));
  const GValue *steps = gst_structure_get_value(stats, "steps");
  for (guint i = 0; steps && i < gst_value_array_get_size(steps); i++)
    g_print("%u. %s\n", i + 1, g_value_get_string(gst_value_array_get_value(steps, i)));
}

static gboolean
explain(GstElement *filter, const ExplainOptions *options, GError **error) {
  g_autoptr(GstElement) pipeline = gst_object_ref_sink(gst_pipeline_new(NULL));
  const gboolean ok =
      elements_filter_frame(pipeline, filter, &options->info, print_warning, NULL, error);
  if (ok)
    print(filter, options);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return ok;
}

AppStatus
app_explain(int argc, char **argv) {
  g_auto(ExplainOptions) options = {0};
  g_autoptr(GError) error = NULL;
  g_autoptr(FilterOptions) properties = filter_options_new(&error);
  if (!properties)
    return app_fail(NAME, APP_FAILED, error);
  g_auto(GStrv) formats = filter_options_list_formats(properties);
  g_autofree gchar *list = g_strjoinv(", ", formats);
  g_autofree gchar *about_format = g_strdup_printf("Format of the frame (I420): %s", list);
  const GOptionEntry entries[] = {
      {"format", 0, 0, G_OPTION_ARG_STRING, &options.format, about_format, "NAME"},
      {"frame-size", 0, 0, G_OPTION_ARG_STRING, &options.frame_size,
       "Width and height of the frame (1920x1080)", "WIDTHxHEIGHT"},
      {0}};
  g_autoptr(GOptionContext) context = app_option_context_new(NAME, SUMMARY, entries, properties);
  filter_options_add(properties, context);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 0, 0, &error);
  if (!words || !read_format(&options, formats, &error) || !read_frame_size(&options, &error))
    return app_fail(NAME, APP_WRONG_USAGE, error);
  g_autoptr(GstElement) filter = filter_options_make(properties, &error);
  if (filter && explain(filter, &options, &error))
    return app_end_output(NAME, APP_DONE);
  return app_fail(NAME, app_status_of(error), error);
}
