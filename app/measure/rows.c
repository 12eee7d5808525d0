/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rows.h"

#define HISTOGRAM "histogram"
#define REGIONS "regions"

/* The columns of a region's place. */
static const gchar *const place[] = {"x", "y", "width", "height"};

void
rows_init(Rows *self, FILE *file, gboolean is_json, gboolean has_regions) {
  *self = (Rows){file, is_json, has_regions, 0, g_string_new(NULL)};
}

void
rows_clear(Rows *self) {
  if (self->text)
    g_string_free(self->text, TRUE);
  self->text = NULL;
}

/* ---- values ---- */

/* NULL and arrays: nothing. */
static void
append_number(GString *text, const GValue *value) {
  gchar real[G_ASCII_DTOSTR_BUF_SIZE];
  if (!value)
    return;
  if (G_VALUE_HOLDS_UINT64(value))
    g_string_append_printf(text, "%" G_GUINT64_FORMAT, g_value_get_uint64(value));
  else if (G_VALUE_HOLDS_UINT(value))
    g_string_append_printf(text, "%u", g_value_get_uint(value));
  else if (G_VALUE_HOLDS_INT(value))
    g_string_append_printf(text, "%d", g_value_get_int(value));
  else if (G_VALUE_HOLDS_DOUBLE(value))
    g_string_append(text, g_ascii_dtostr(real, sizeof real, g_value_get_double(value)));
}

static void
append_numbers(GString *text, const GValue *array) {
  for (guint i = 0; i < gst_value_array_get_size(array); i++) {
    if (i > 0)
      g_string_append_c(text, ',');
    append_number(text, gst_value_array_get_value(array, i));
  }
}

static void
append_time(GString *text, GstClockTime time, const gchar *unknown) {
  if (GST_CLOCK_TIME_IS_VALID(time))
    g_string_append_printf(text, "%" G_GUINT64_FORMAT ".%09u", time / GST_SECOND,
                           (guint)(time % GST_SECOND));
  else
    g_string_append(text, unknown);
}

/* ---- CSV ---- */

static void
append_header(const Rows *self, const GstStructure *figures) {
  GString *text = self->text;
  g_string_append(text, "frame,time");
  if (self->has_regions)
    g_string_append(text, ",region");
  for (guint i = 0; i < G_N_ELEMENTS(place) && self->has_regions; i++)
    g_string_append_printf(text, ",%s", place[i]);
  for (gint i = 0; i < gst_structure_n_fields(figures); i++) {
    const gchar *name = gst_structure_nth_field_name(figures, i);
    const GValue *value = gst_structure_get_value(figures, name);
    const gboolean is_histogram = g_str_equal(name, HISTOGRAM);
    for (guint bin = 0; is_histogram && bin < gst_value_array_get_size(value); bin++)
      g_string_append_printf(text, ",bin-%u", bin);
    if (!is_histogram && !g_str_equal(name, REGIONS))
      g_string_append_printf(text, ",%s", name);
  }
  g_string_append_c(text, '\n');
}

/* Appends the line of the frame, or of a region. Figures that a region lacks, such as the depth,
 * are those of the frame. `number` is 0 for the frame. */
static void
append_line(const Rows *self, GstClockTime time, const GstStructure *figures,
            const GstStructure *region, guint number) {
  GString *text = self->text;
  g_string_append_printf(text, "%" G_GUINT64_FORMAT ",", self->frames);
  append_time(text, time, "");
  if (self->has_regions && region)
    g_string_append_printf(text, ",%u", number);
  else if (self->has_regions)
    g_string_append(text, ",all");
  for (guint i = 0; i < G_N_ELEMENTS(place) && self->has_regions; i++) {
    g_string_append_c(text, ',');
    append_number(text, region ? gst_structure_get_value(region, place[i]) : NULL);
  }
  for (gint i = 0; i < gst_structure_n_fields(figures); i++) {
    const gchar *name = gst_structure_nth_field_name(figures, i);
    const GValue *value = region ? gst_structure_get_value(region, name) : NULL;
    if (g_str_equal(name, REGIONS))
      continue;
    if (!value)
      value = gst_structure_get_value(figures, name);
    g_string_append_c(text, ',');
    if (g_str_equal(name, HISTOGRAM))
      append_numbers(text, value);
    else
      append_number(text, value);
  }
  g_string_append_c(text, '\n');
}

static void
append_csv(const Rows *self, GstClockTime time, const GstStructure *figures) {
  const GValue *regions = gst_structure_get_value(figures, REGIONS);
  if (self->frames == 0)
    append_header(self, figures);
  append_line(self, time, figures, NULL, 0);
  for (guint i = 0; regions && i < gst_value_array_get_size(regions); i++)
    append_line(self, time, figures, gst_value_get_structure(gst_value_array_get_value(regions, i)),
                i + 1);
}

/* ---- JSON ---- */

static void
append_members(GString *text, const GstStructure *figures) {
  for (gint i = 0; i < gst_structure_n_fields(figures); i++) {
    const gchar *name = gst_structure_nth_field_name(figures, i);
    const GValue *value = gst_structure_get_value(figures, name);
    if (g_str_equal(name, REGIONS))
      continue;
    g_string_append_printf(text, "%s\"%s\":", i ? "," : "", name);
    if (g_str_equal(name, HISTOGRAM)) {
      g_string_append_c(text, '[');
      append_numbers(text, value);
      g_string_append_c(text, ']');
    } else {
      append_number(text, value);
    }
  }
}

static void
append_json(const Rows *self, GstClockTime time, const GstStructure *figures) {
  GString *text = self->text;
  const GValue *regions = gst_structure_get_value(figures, REGIONS);
  g_string_append_printf(text, "{\"frame\":%" G_GUINT64_FORMAT ",\"time\":", self->frames);
  append_time(text, time, "null");
  g_string_append_c(text, ',');
  append_members(text, figures);
  if (regions)
    g_string_append(text, ",\"" REGIONS "\":[");
  for (guint i = 0; regions && i < gst_value_array_get_size(regions); i++) {
    g_string_append(text, i ? ",{" : "{");
    append_members(text, gst_value_get_structure(gst_value_array_get_value(regions, i)));
    g_string_append_c(text, '}');
  }
  g_string_append(text, regions ? "]}\n" : "}\n");
}

gboolean
rows_write(Rows *self, GstClockTime time, const GstStructure *figures) {
  g_string_truncate(self->text, 0);
  if (self->is_json)
    append_json(self, time, figures);
  else
    append_csv(self, time, figures);
  self->frames++;
  return fwrite(self->text->str, 1, self->text->len, self->file) == self->text->len &&
         fflush(self->file) == 0;
}
