/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "timetext.h"
#include "command.h"

#include <string.h>

#define MAX_SECONDS 1e9

/* H:M:S or M:S, the last with a fraction; minutes and seconds behind a colon are below 60. */
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
  /* no sign, exponent or hexadecimal number */
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
time_read(const gchar *option, const gchar *text, GstClockTime least, GstClockTime *time,
          GError **error) {
  gdouble seconds;
  if (!text)
    return TRUE;
  if ((read_clock(text, &seconds) || read_number(text, &seconds)) && seconds >= 0 &&
      seconds < MAX_SECONDS && (GstClockTime)(seconds * GST_SECOND + 0.5) >= least) {
    *time = (GstClockTime)(seconds * GST_SECOND + 0.5);
    return TRUE;
  }
  g_autofree gchar *of =
      least > 0 ? g_strdup_printf(" of %g seconds or more", (gdouble)least / GST_SECOND)
                : g_strdup("");
  return app_refuse(error, "%s \"%s\": it takes a time%s, such as 1.5, 90s, 2m or 0:03", option,
                    text, of);
}

gchar *
time_format(gdouble seconds) {
  guint64 whole = (guint64)(seconds + 0.5);
  if (whole >= 3600)
    return g_strdup_printf("%" G_GUINT64_FORMAT ":%02u:%02u", whole / 3600,
                           (guint)(whole / 60 % 60), (guint)(whole % 60));
  return g_strdup_printf("%u:%02u", (guint)(whole / 60), (guint)(whole % 60));
}
