/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "cuda/algorithm.h"
#include "engine/kernel/coefficients.h"
#include "engine/number.h"
#include "engine/options.h"
#include "plugin/backends.h"
#include "plugin/memory/formats.h"
#include "plugin/layout.h"

#define MATRIX "matrix:"

#define FORMAT_NAME(name, in_cuda) #name,
static const gchar *const formats[] = {CC_FORMATS(FORMAT_NAME) NULL}; /* formats of the element */

gint
bench_find_name(const gchar *const *names, const gchar *name) {
  for (gint i = 0; names[i]; i++)
    if (strcmp(names[i], name) == 0)
      return i;
  return -1;
}

static gboolean
parse_format(const gchar *text, guint width, guint height, CcFrameLayout *layout, GError **error) {
  const gchar *dash = strchr(text, '-');
  g_autofree gchar *name = g_strndup(text, strcspn(text, "-"));
  const GstVideoFormat format = gst_video_format_from_string(name);
  const gboolean limited = dash && strcmp(dash, "-limited") == 0;
  const guint plane = dash && strcmp(dash, "-UV") == 0;
  GstVideoInfo info;
  if (!g_strv_contains(formats, name) || (dash && !plane && !limited && strcmp(dash, "-Y") != 0))
    return bench_refuse(error, "there is no format \"%s\"", text);
  if (!gst_video_info_set_format(&info, format, width, height))
    return bench_refuse(error, "%s of %ux%u is too large for GStreamer", name, width, height);
  /* Full range by default, so that all formats need the same computation. */
  info.colorimetry.range = limited ? GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255;
  if (!cc_frame_layout_from_video_info(&info, layout, error))
    return FALSE;
  if (limited)
    return TRUE;
  if (dash && plane >= layout->n_planes)
    return bench_refuse(error, "%s has no such plane", text);
  if (dash) {
    layout->plane[0] = layout->plane[plane];
    layout->n_planes = 1;
  }
  return TRUE;
}

static gboolean
refuse_size(const CcKernel *kernel, const gchar *word, GError **error) {
  g_autoptr(GString) sizes = g_string_new(NULL);
  for (guint i = 0; i < kernel->n_sizes; i++)
    g_string_append_printf(sizes, "%s%u", i > 0 ? ", " : "", kernel->sizes[i].size);
  if (cc_kernel_has_larger_size(kernel, CC_MAX_KERNEL_SIZE))
    g_string_append_printf(sizes, ", and odd ones to %d", CC_MAX_KERNEL_SIZE);
  return bench_refuse(error, "\"%s\": the kernel %s has no such size; it has %s", word,
                      kernel->name, sizes->str);
}

/* Returns a generated kernel (BENCH_SEPARABLE or BENCH_WHOLE), or NULL for other names. */
static CcKernel *
make_kernel(const gchar *name, guint size, GError **error) {
  gdouble coeff[CC_MAX_COEFFS];
  for (guint i = 0; i < MIN(size * size, CC_MAX_COEFFS); i++)
    coeff[i] = fmod(sqrt(i + 2), 1) / size;
  if (strcmp(name, BENCH_SEPARABLE) == 0)
    return cc_kernel_new_separable(coeff, size, coeff, size, error);
  return strcmp(name, BENCH_WHOLE) == 0 ? cc_kernel_new_matrix(coeff, size * size, size, error)
                                        : NULL;
}

/* Parses "-1,0,1;-2,0,2;-1,0,1". */
static gboolean
parse_matrix(const gchar *text, CcFilter *filter, gchar **label, GError **error) {
  CcCoefficients matrix = {0};
  g_autofree gchar *rows = g_strdelimit(g_strconcat(text, ";", NULL), ",", ' ');
  if (!cc_coefficients_parse(&matrix, rows, error))
    return FALSE;
  filter->kernel = cc_coefficients_make_kernel(&matrix, error);
  if (!filter->kernel)
    return FALSE;
  *label = g_strdup_printf("matrix %ux%u", matrix.n / matrix.n_rows, matrix.n_rows);
  return TRUE;
}

static gboolean
parse_kernel(const gchar *text, CcFilter *filter, gchar **label, GError **error) {
  if (g_str_has_prefix(text, MATRIX))
    return parse_matrix(text + strlen(MATRIX), filter, label, error);
  g_auto(GStrv) parts = g_strsplit(text, ":", 3);
  g_autoptr(GError) reason = NULL;
  guint64 size = 0;
  if (parts[0] && parts[1] && *parts[1] &&
      !g_ascii_string_to_unsigned(parts[1], 10, 1, CC_MAX_KERNEL_SIZE, &size, NULL))
    return bench_refuse(error, "\"%s\": the second part is a size, 1 to %d", text,
                        CC_MAX_KERNEL_SIZE);
  CcKernel *kernel = parts[0] ? cc_kernels_find(parts[0]) : NULL;
  if (!kernel && size > 0)
    kernel = make_kernel(parts[0], (guint)size, &reason);
  if (!kernel)
    return bench_refuse(error, "there is no kernel \"%s\"%s%s", text, reason ? ": " : "",
                        reason ? reason->message : "");
  const CcKernelSize *entry = cc_kernel_get_size(kernel, (guint)size);
  const gboolean is_larger = cc_kernel_has_larger_size(kernel, (guint)size);
  if (size && entry->size != size && !is_larger)
    return refuse_size(kernel, text, error);
  filter->kernel = kernel;
  filter->size = is_larger ? (guint)size : entry->size;
  if (parts[1] && !*parts[1])
    filter->size = 0; /* sigma determines the size */
  if (parts[1] && parts[2]) {
    if (!cc_number_parse(parts[2], NULL, &filter->sigma) || !(filter->sigma > 0) ||
        !kernel->gaussian)
      return bench_refuse(error, "\"%s\": the third part is a Gaussian's sigma, above 0", text);
  }
  g_autofree gchar *sigma = g_strdup_printf(" sigma %.15g", filter->sigma);
  *label = g_strdup_printf("%s %ux%u%s", parts[0], filter->size, filter->size,
                           filter->sigma > 0 ? sigma : "");
  return TRUE;
}

/* --- options --- */

#define ALGORITHM_NAME(constant, name, ...) name,
const gchar *const bench_algorithm_names[] = {CC_ALGORITHMS_AND_AUTO(ALGORITHM_NAME) NULL};
#undef ALGORITHM_NAME

/* Kernel and size have a place of their own in a case, and a case has no regions and no fields. */
static gboolean
has_option(guint i) {
  const gsize offset = cc_options[i].offset;
  return i > CC_OPTION_KERNEL && i != CC_OPTION_SIZE && offset != offsetof(CcFilter, fields) &&
         offset != offsetof(CcFilter, outside) && offset != offsetof(CcFilter, roi_sigma) &&
         (offset < sizeof(CcFilter) || offset == offsetof(CcOptions, chroma_kernel));
}

static gboolean
parse_option(CcFilter *filter, const gchar *name, const gchar *value, const gchar *others,
             GError **error) {
  CcOptionValue parsed;
  g_autoptr(GError) reason = NULL;
  const guint i = cc_options_find(name);
  CcOptions options = {.filter = *filter};
  if (i == cc_n_options || !has_option(i)) {
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint k = 0; k < cc_n_options; k++)
      if (has_option(k))
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", cc_options[k].name);
    return bench_refuse(error, "%s=%s: there are %s%s", name, value, names->str, others);
  }
  if (!cc_option_parse(&cc_options[i], value, &parsed, NULL, &reason))
    return bench_refuse(error, "%s=%s: %s", name, value, reason->message);
  cc_option_store(&cc_options[i], &options, &parsed);
  *filter = options.filter;
  if (options.chroma_kernel != CC_CHROMA_KERNEL_SAME)
    filter->chroma_kernel = cc_options_named_kernel(options.chroma_kernel);
  return TRUE;
}

static gboolean
parse_assignment(BenchCase *self, const gchar *word, BenchOption option, gpointer data,
                 const gchar *others, GError **error) {
  g_auto(GStrv) sides = g_strsplit(word, "=", 2);
  g_autoptr(GError) reason = NULL;
  if (!sides[0] || !sides[1])
    return bench_refuse(error, "\"%s\": NAME=VALUE is needed", word);
  if (option && option(data, sides[0], sides[1], &reason))
    return TRUE;
  if (!reason)
    return parse_option(&self->filter, sides[0], sides[1], others, error);
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

/* --- cases --- */

gboolean
bench_case_parse(BenchCase *self, const gchar *text, BenchOption option, gpointer data,
                 const gchar *others, GError **error) {
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  cc_options_set_algorithms(cc_backend_algorithms());
  if (g_strv_length(words) < 3)
    return bench_refuse(error, "\"%s\": a case is \"" BENCH_CASE_SYNTAX "\"", text);
  *self = (BenchCase){.format = g_strdup(words[0]),
                      .filter = {.stride = 1, .mixes = TRUE, .mix = 1, .low = 100, .high = 200}};
  if (!bench_parse_size(words[1], &self->width, &self->height, error) ||
      !parse_format(words[0], self->width, self->height, &self->layout, error) ||
      !parse_kernel(words[2], &self->filter, &self->kernel, error))
    return FALSE;
  for (gchar **word = words + 3; *word; word++)
    if (!parse_assignment(self, *word, option, data, others, error))
      return FALSE;
  return TRUE;
}

void
bench_case_clear(BenchCase *self) {
  g_free(self->format);
  g_free(self->kernel);
  *self = (BenchCase){0};
}
