/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.h"
#include "app/command.h"
#include "elements.h"
#include "engine/number.h"

#include <string.h>

#define MAX_SECONDS 1e9

void
convert_options_clear(ConvertOptions *self) {
  g_clear_pointer(&self->filter, filter_options_free);
  g_clear_pointer(&self->encoder, g_free);
  g_clear_pointer(&self->rate, g_free);
}

gchar **
convert_options_parse(ConvertOptions *self, const gchar *name, const gchar *summary,
                      const GOptionEntry *entries, int argc, char **argv, guint min, guint max,
                      GError **error) {
  const GOptionEntry common[] = {
      {"lossless", 0, 0, G_OPTION_ARG_NONE, &self->lossless,
       "Encode without losses: FFV1 in .mkv, H.264 in .mp4, .mov and .ts, VP9 in .webm; images in "
       ".webp",
       NULL},
      {"encoder", 0, 0, G_OPTION_ARG_STRING, &self->encoder,
       "Encode the video with this element, as in a gst-launch line: \"x264enc bitrate=4000\"",
       "ELEMENT"},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &self->quiet, "Print errors only", NULL},
      {0}};
  self->end = GST_CLOCK_TIME_NONE;
  self->filter = filter_options_new(error);
  if (!self->filter)
    return NULL;
  g_autoptr(GOptionContext) context = app_option_context_new(name, summary, entries, self->filter);
  g_option_group_add_entries(g_option_context_get_main_group(context), common);
  filter_options_add(self->filter, context);
  return app_parse_arguments(context, argc, argv, min, max, error);
}

gboolean
convert_options_check(const ConvertOptions *self, const Media *media, GError **error) {
  if (self->lossless && self->encoder)
    return app_refuse(error, "--lossless and --encoder \"%s\": only one of the two can be given",
                      self->encoder);
  if (self->lossless && !media->lossless[0]) {
    g_autofree gchar *endings = media_list_endings(media_is_lossless);
    return app_refuse(error, "--lossless: %s is always lossy; expected one of %s",
                      media->endings[0], endings);
  }
  GstElement *encoder = self->encoder ? elements_parse_encoder(self->encoder, error) : NULL;
  if (encoder)
    gst_object_unref(encoder);
  return encoder || !self->encoder;
}

GstElement *
convert_options_make_encoder(const ConvertOptions *self, const Media *media, guint depth,
                             const gchar *what, GError **error) {
  if (self->encoder)
    return elements_parse_encoder(self->encoder, error);
  const gchar *const *list = self->lossless                ? media->lossless
                             : depth > 8 && media->deep[0] ? media->deep
                                                           : media->video;
  return media_new_encoder(list, what, error);
}

/* ---- times ---- */

/* Reads H:M:S or M:S. Seconds may have a fraction. Numbers after a colon must be below 60. */
static gboolean
read_clock(const gchar *text, gdouble *seconds) {
  g_auto(GStrv) fields = g_strsplit(text, ":", 3);
  const guint n = g_strv_length(fields);
  *seconds = 0;
  for (guint i = 0; i < n; i++) {
    gchar *end;
    const gdouble value = g_ascii_strtod(fields[i], &end);
    const gsize allowed = strspn(fields[i], i + 1 < n ? "0123456789" : "0123456789.");
    if (!g_ascii_isdigit(*fields[i]) || fields[i][allowed] != '\0' || *end != '\0' ||
        (i > 0 && value >= 60))
      return FALSE;
    *seconds = *seconds * 60 + value;
  }
  return n > 1;
}

static gboolean
read_number(const gchar *text, gdouble *seconds) {
  static const struct {
    const gchar *name;
    gdouble seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
  gchar *end;
  const gdouble number = g_ascii_strtod(text, &end);
  /* Refuse signs, exponents and hexadecimal numbers. */
  if (end == text || end != text + strspn(text, "0123456789."))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
    if (g_str_equal(end, units[i].name)) {
      *seconds = number * units[i].seconds;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
option_read_time(const gchar *option, const gchar *text, GstClockTime min, GstClockTime *time,
                 GError **error) {
  gdouble seconds;
  if (!text)
    return TRUE;
  if ((read_clock(text, &seconds) || read_number(text, &seconds)) && seconds >= 0 &&
      seconds < MAX_SECONDS && (GstClockTime)(seconds * GST_SECOND + 0.5) >= min) {
    *time = (GstClockTime)(seconds * GST_SECOND + 0.5);
    return TRUE;
  }
  g_autofree gchar *of =
      min > 0 ? g_strdup_printf(" of %g seconds or more", (gdouble)min / GST_SECOND) : g_strdup("");
  return app_refuse(error, "%s \"%s\": expected a time%s, such as 1.5, 90s, 2m or 0:03", option,
                    text, of);
}

gboolean
option_read_part(const OptionPart *part, GstClockTime *start, GstClockTime *end, GError **error) {
  GstClockTime seconds = 0;
  if (part->end && part->seconds)
    return app_refuse(error, "--end \"%s\" and --seconds \"%s\": only one of the two can be given",
                      part->end, part->seconds);
  if (!option_read_time("--start", part->start, 0, start, error) ||
      !option_read_time("--end", part->end, GST_MSECOND, end, error) ||
      !option_read_time("--seconds", part->seconds, GST_MSECOND, &seconds, error))
    return FALSE;
  if (part->end && *end <= *start)
    return app_refuse(error, "--end \"%s\": expected a time after --start, which is %g seconds",
                      part->end, (gdouble)*start / GST_SECOND);
  if (part->seconds)
    *end = *start + seconds;
  return TRUE;
}

gboolean
option_read_rate(const gchar *text, gchar **rate, GError **error) {
  if (!text)
    text = "25";
  g_auto(GStrv) parts = g_strsplit(text, "/", 2);
  guint64 n = 0, d = 1;
  if (!parts[0] || !g_ascii_string_to_unsigned(parts[0], 10, 1, G_MAXINT, &n, NULL) ||
      (parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 1, G_MAXINT, &d, NULL)) ||
      n < d) /* imagesequencesrc would ignore such a rate */
    return app_refuse(
        error, "--framerate \"%s\": expected 1 or more images a second, such as 25 or 30000/1001",
        text);
  *rate = g_strdup_printf("%u/%u", (guint)n, (guint)d);
  return TRUE;
}

gboolean
option_check_rate(const gchar *text, const Input *input, GError **error) {
  if (text && !input->sequence)
    return app_refuse(
        error, "--framerate \"%s\": only for numbered images as IN, such as frames/%%04d.png",
        text);
  return TRUE;
}

gboolean
option_read_share(const gchar *text, gdouble *share, GError **error) {
  gdouble value;
  if (!text)
    return TRUE;
  if (!cc_number_parse(text, NULL, &value) || !(value >= 0 && value <= 1))
    return app_refuse(
        error, "--split \"%s\": expected a share of the width from 0 to 1, such as 0.5", text);
  *share = value;
  return TRUE;
}
