/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chart: a group of horizontal bars for each case, a bar for each algorithm. */

#include "export.h"

#include <math.h>
#include <string.h>

#define WIDTH 1030u
#define LEFT 380u /* where the axis begins */
#define RIGHT 970u
#define TOP 112u
#define BAR 12u
#define BAR_STEP 15u
#define GROUP_GAP 14u
#define LEGEND_COLUMNS 7u

/* Colours that stay apart on white and on black, also for the colour-blind. */
static const struct {
  const gchar *algorithm, *colour;
} series[] = {
    {"sliding", "#0072b2"},  {"register-tile", "#56b4e9"}, {"two-pass", "#009e73"},
    {"constant", "#b08f00"}, {"tile-halo", "#e69f00"},     {"tile-cached", "#d55e00"},
    {"direct", "#cc79a7"},   {"scatter", "#8a63b8"},       {"npp", "#7a8b00"},
};

/* "auto (sliding)" has sliding's colour. */
static gint
series_of(const BenchResult *result) {
  const gchar *inner = strchr(result->algorithm, '(');
  const gchar *name = inner ? inner + 1 : result->algorithm;
  for (guint i = 0; i < G_N_ELEMENTS(series); i++)
    if (g_str_has_prefix(name, series[i].algorithm))
      return (gint)i;
  return -1;
}

static gboolean
same_case(const BenchResult *a, const BenchResult *b) {
  return a->width == b->width && a->height == b->height && a->stride == b->stride &&
         strcmp(a->format, b->format) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

static void
append_style(GString *out) {
  g_string_append(out, "<style>\n"
                       "  text { font: 12px sans-serif; fill: #222; }\n"
                       "  .title { font-size: 17px; font-weight: bold; }\n"
                       "  .small, .value { font-size: 10px; fill: #555; }\n"
                       "  .paper { fill: #fff; }\n"
                       "  .grid { stroke: #ccc; }\n"
                       "  .axis { stroke: #666; }\n"
                       "  @media (prefers-color-scheme: dark) {\n"
                       "    text { fill: #ddd; }\n"
                       "    .small, .value { fill: #aaa; }\n"
                       "    .paper { fill: #16181c; }\n"
                       "    .grid { stroke: #3a3d44; }\n"
                       "    .axis { stroke: #999; }\n"
                       "  }\n"
                       "</style>\n");
}

static void
append_legend(GString *out, const gboolean *used) {
  guint shown = 0;
  for (guint i = 0; i < G_N_ELEMENTS(series); i++) {
    if (!used[i])
      continue;
    const guint x = 24 + shown % LEGEND_COLUMNS * 130, y = 62 + shown / LEGEND_COLUMNS * 18;
    g_string_append_printf(out,
                           "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/>\n"
                           "<text x=\"%u\" y=\"%u\">%s</text>\n",
                           x, y, series[i].colour, x + 18, y + 10, series[i].algorithm);
    shown++;
  }
}

static void
append_axis(GString *out, guint top, guint bottom, gdouble most) {
  for (guint percent = 0; percent <= (guint)most; percent += 20) {
    const gdouble x = LEFT + (RIGHT - LEFT) * percent / most;
    g_string_append_printf(
        out,
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%u\" x2=\"%.1f\" y2=\"%u\"/>\n"
        "<text class=\"small\" x=\"%.1f\" y=\"%u\" text-anchor=\"middle\">%u %%</text>\n",
        percent == 0 ? "axis" : "grid", x, top, x, bottom, x, bottom + 16, percent);
  }
  g_string_append_printf(out,
                         "<text class=\"small\" x=\"%u\" y=\"%u\" text-anchor=\"middle\">share of "
                         "the copy rate</text>\n",
                         (LEFT + RIGHT) / 2, bottom + 32);
}

static void
append_bar(GString *out, const BenchResult *result, guint y, gdouble most) {
  const gdouble share = bench_time_share(&result->time, result->copy_us);
  const gdouble width = (RIGHT - LEFT) * share / most;
  g_string_append_printf(out,
                         "<rect x=\"%u\" y=\"%u\" width=\"%.1f\" height=\"%u\" fill=\"%s\">"
                         "<title>%s: %.2f us a frame, %.0f GB/s</title></rect>\n"
                         "<text class=\"value\" x=\"%.1f\" y=\"%u\">%.1f</text>\n",
                         LEFT, y, width, BAR, series[series_of(result)].colour, result->algorithm,
                         result->time.us, bench_time_rate(&result->time, result->bytes),
                         LEFT + width + 4, y + BAR - 2, share);
}

/* The label of a case, beside its `n_bars` bars. */
static void
append_label(GString *out, const BenchResult *result, guint top, guint n_bars) {
  const guint y = top + (n_bars * BAR_STEP - (BAR_STEP - BAR)) / 2 + 4;
  g_string_append_printf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%s %ux%u, %s", LEFT - 10,
                         y, result->format, result->width, result->height, result->kernel);
  if (result->stride != 1)
    g_string_append_printf(out, ", stride %u", result->stride);
  g_string_append(out, "</text>\n");
}

gchar *
bench_export_svg(const BenchRun *run) {
  g_autoptr(GString) bars = g_string_new(NULL);
  gboolean used[G_N_ELEMENTS(series)] = {FALSE};
  gdouble most = 100;
  const BenchResult *results = (const BenchResult *)(gpointer)run->results->data;
  const guint n = run->results->len;
  for (guint i = 0; i < n; i++)
    if (series_of(&results[i]) >= 0)
      most = MAX(most, 20 * ceil(bench_time_share(&results[i].time, results[i].copy_us) / 20));
  guint y = TOP;
  for (guint first = 0, end; first < n; first = end) {
    guint n_bars = 0;
    const guint top = y;
    for (end = first; end < n && same_case(&results[first], &results[end]); end++) {
      if (series_of(&results[end]) < 0)
        continue;
      used[series_of(&results[end])] = TRUE;
      append_bar(bars, &results[end], y, most);
      y += BAR_STEP;
      n_bars++;
    }
    if (n_bars > 0) {
      append_label(bars, &results[first], top, n_bars);
      y += GROUP_GAP;
    }
  }
  GString *out = g_string_new(NULL);
  g_string_append_printf(out,
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                         "viewBox=\"0 0 %u %u\" role=\"img\">\n",
                         WIDTH, y + 44, WIDTH, y + 44);
  g_autofree gchar *device = g_markup_escape_text(run->device, -1);
  append_style(out);
  g_string_append_printf(out,
                         "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n"
                         "<text class=\"title\" x=\"24\" y=\"30\">Convolution on %s</text>\n"
                         "<text class=\"small\" x=\"24\" y=\"48\">bytes read and written a second, "
                         "as a share of what a device-to-device copy reaches in the same run; "
                         "longer is faster</text>\n",
                         device);
  append_legend(out, used);
  append_axis(out, TOP - 6, y, most);
  g_string_append(out, bars->str);
  g_string_append(out, "</svg>\n");
  return g_string_free(out, FALSE);
}
