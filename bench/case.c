/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "case.h"

#include <string.h>
#include "common.h"
#include "plugin/layout.h"

static const gchar *const borders[] = {
    [CC_BORDER_REPLICATE] = "replicate", [CC_BORDER_CONSTANT] = "constant",
    [CC_BORDER_REFLECT] = "reflect",     [CC_BORDER_REFLECT_101] = "reflect-101",
    [CC_BORDER_WRAP] = "wrap",
};

static gboolean
parse_layout(BenchCase *self, GError **error) {
  const gchar *dash = strchr(self->format, '-');
  g_autofree gchar *name = g_strndup(self->format, strcspn(self->format, "-"));
  const GstVideoFormat format = gst_video_format_from_string(name);
  const guint plane = dash && strcmp(dash, "-UV") == 0;
  GstVideoInfo info;
  if (format == GST_VIDEO_FORMAT_UNKNOWN || (dash && !plane && strcmp(dash, "-Y") != 0))
    return bench_refuse(error, "there is no format \"%s\"", self->format);
  if (!gst_video_info_set_format(&info, format, self->width, self->height))
    return bench_refuse(error, "%s of %ux%u is too large for GStreamer", name, self->width,
                        self->height);
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255; /* the same work for all formats */
  if (!cc_frame_layout_from_video_info(&info, &self->layout, error))
    return FALSE;
  if (dash && plane >= self->layout.n_planes)
    return bench_refuse(error, "%s has no such plane", self->format);
  if (dash) {
    self->layout.plane[0] = self->layout.plane[plane];
    self->layout.n_planes = 1;
  }
  return TRUE;
}

/* NAME[:SIZE[:SIGMA]] */
static gboolean
parse_kernel(BenchCase *self, const gchar *word, GError **error) {
  g_auto(GStrv) parts = g_strsplit(word, ":", 3);
  guint64 size = 0;
  gchar *end = NULL;
  CcKernel *kernel = parts[0] ? cc_kernels_find(parts[0]) : NULL;
  if (!kernel)
    return bench_refuse(error, "there is no kernel \"%s\"", word);
  if (parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 1, CC_MAX_KERNEL_SIZE, &size, error))
    return FALSE;
  const CcKernelSize *entry = cc_kernel_get_size(kernel, (guint)size, error);
  if (!entry)
    return FALSE;
  self->filter.kernel = kernel;
  self->filter.size = entry->size;
  if (!parts[1] || !parts[2])
    return TRUE;
  self->filter.sigma = g_ascii_strtod(parts[2], &end);
  if (*end || !(self->filter.sigma > 0) || !kernel->gaussian)
    return bench_refuse(error, "\"%s\": the third part is a Gaussian's sigma, above 0", word);
  return TRUE;
}

static gboolean
parse_border(BenchCase *self, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(borders); i++)
    if (strcmp(self->border, borders[i]) == 0) {
      self->filter.border = (CcBorder)i;
      return TRUE;
    }
  return bench_refuse(error, "there is no border \"%s\"", self->border);
}

gboolean
bench_case_parse(BenchCase *self, const gchar *text, GError **error) {
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  guint64 stride;
  if (g_str_has_prefix(text, "# ")) {
    self->heading = g_strdup(text + 2);
    return TRUE;
  }
  if (g_strv_length(words) != 6)
    return bench_refuse(error, "\"%s\": a case is \"" BENCH_CASE_WORDS "\"", text);
  self->format = g_strdup(words[0]);
  self->border = g_strdup(words[3]);
  self->algorithms = g_strsplit(words[5], ",", -1);
  if (!bench_parse_size(words[1], &self->width, &self->height, error) ||
      !parse_kernel(self, words[2], error) || !parse_border(self, error) ||
      !g_ascii_string_to_unsigned(words[4], 10, 1, 4, &stride, error) || !parse_layout(self, error))
    return FALSE;
  self->filter.stride = (guint)stride;
  g_autoptr(CcPlan) plan = cc_plan_new(&self->filter, &self->layout, error);
  return plan != NULL;
}

void
bench_case_clear(BenchCase *self) {
  g_free(self->heading);
  g_free(self->format);
  g_free(self->border);
  g_strfreev(self->algorithms);
  *self = (BenchCase){0};
}

gchar *
bench_case_kernel(const BenchCase *self) {
  const CcFilter *filter = &self->filter;
  if (filter->sigma > 0)
    return g_strdup_printf("%s %ux%u sigma %.3g", filter->kernel->name, filter->size, filter->size,
                           filter->sigma);
  return g_strdup_printf("%s %ux%u", filter->kernel->name, filter->size, filter->size);
}

gboolean
bench_find_algorithm(const gchar *name, CcAlgorithm *algorithm) {
  for (guint i = 0; i < CC_N_ALGORITHMS; i++)
    if (strcmp(name, cc_algorithm_name((CcAlgorithm)i)) == 0) {
      *algorithm = (CcAlgorithm)i;
      return TRUE;
    }
  return FALSE;
}

gsize
bench_plan_bytes(const CcPlan *plan) {
  gsize bytes = 0;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->layout.plane[p];
    const gsize pixel = plane->step * cc_sample_size(plane->type);
    guint read_mask = 0;
    for (guint i = 0; i < plan->n_passes; i++)
      if (plan->pass[i].plane == p)
        read_mask |= plan->pass[i].filter_mask | plan->pass[i].copy_mask;
    if (read_mask)
      bytes += pixel * plan->source[p].width * plan->source[p].height;
    bytes += pixel * plan->target[p].width * plan->target[p].height;
  }
  return bytes;
}
