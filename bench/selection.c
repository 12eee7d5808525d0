/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "selection.h"

#include <stdio.h>
#include <string.h>
#include "plugin/layout.h"

#define MAX_SIDE 32768

/* A plane is named behind a dash. */
static const BenchFormat formats[] = {
    {"GRAY8", GST_VIDEO_FORMAT_GRAY8, BENCH_ALL_PLANES},
    {"GRAY16_LE", GST_VIDEO_FORMAT_GRAY16_LE, BENCH_ALL_PLANES},
    {"RGB", GST_VIDEO_FORMAT_RGB, BENCH_ALL_PLANES},
    {"RGBA", GST_VIDEO_FORMAT_RGBA, BENCH_ALL_PLANES},
    {"ARGB64", GST_VIDEO_FORMAT_ARGB64, BENCH_ALL_PLANES},
    {"NV12", GST_VIDEO_FORMAT_NV12, BENCH_ALL_PLANES},
    {"NV12-Y", GST_VIDEO_FORMAT_NV12, 0},
    {"NV12-UV", GST_VIDEO_FORMAT_NV12, 1},
    {"I420", GST_VIDEO_FORMAT_I420, BENCH_ALL_PLANES},
    {"Y444", GST_VIDEO_FORMAT_Y444, BENCH_ALL_PLANES},
    {"P010_10LE", GST_VIDEO_FORMAT_P010_10LE, BENCH_ALL_PLANES},
};

static const BenchSize common_sizes[] = {{7680, 4320}, {3840, 2160}, {1920, 1080}};

static const gchar *const border_names[] = {
    [CC_BORDER_REPLICATE] = "replicate", [CC_BORDER_CONSTANT] = "constant",
    [CC_BORDER_REFLECT] = "reflect",     [CC_BORDER_REFLECT_101] = "reflect-101",
    [CC_BORDER_WRAP] = "wrap",
};

BenchSelection *
bench_selection_new(void) {
  BenchSelection *self = g_new0(BenchSelection, 1);
  self->formats = g_array_new(FALSE, FALSE, sizeof(const BenchFormat *));
  self->kernels = g_array_new(FALSE, FALSE, sizeof(BenchKernel));
  self->sizes = g_array_new(FALSE, FALSE, sizeof(BenchSize));
  self->algorithms = g_array_new(FALSE, FALSE, sizeof(guint));
  self->border = CC_BORDER_REPLICATE;
  self->stride = 1;
  return self;
}

void
bench_selection_free(BenchSelection *selection) {
  g_array_unref(selection->formats);
  g_array_unref(selection->kernels);
  g_array_unref(selection->sizes);
  g_array_unref(selection->algorithms);
  g_free(selection);
}

BenchSelection *
bench_selection_new_from(const gchar *format_list, const gchar *size_list, const gchar *kernel_list,
                         const gchar *algorithm_list) {
  g_autoptr(GError) error = NULL;
  BenchSelection *self = bench_selection_new();
  if (!bench_parse_formats(self, format_list, &error) ||
      !bench_parse_sizes(self, size_list, &error) ||
      !bench_parse_kernels(self, kernel_list, &error) ||
      !bench_parse_algorithms(self, algorithm_list, &error))
    g_error("%s", error->message);
  return self;
}

static const gchar *
algorithm_name(guint algorithm) {
  return algorithm == BENCH_NPP ? "npp" : cc_algorithm_name((CcAlgorithm)algorithm);
}

static gchar *
join_formats(void) {
  const gchar *names[G_N_ELEMENTS(formats) + 1] = {NULL};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
    names[i] = formats[i].name;
  return g_strjoinv(", ", (gchar **)names);
}

static gchar *
join_algorithms(void) {
  const gchar *names[BENCH_NPP + 2] = {NULL};
  for (guint i = 0; i <= BENCH_NPP; i++)
    names[i] = algorithm_name(i);
  return g_strjoinv(", ", (gchar **)names);
}

static gchar *
join_kernels(void) {
  const GPtrArray *kernels = cc_kernels_builtin();
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < kernels->len; i++)
    g_ptr_array_add(names, ((CcKernel *)g_ptr_array_index(kernels, i))->name);
  g_ptr_array_add(names, NULL);
  return g_strjoinv(", ", (gchar **)names->pdata);
}

gchar *
bench_selection_help(void) {
  g_autofree gchar *format_names = join_formats(), *kernel_names = join_kernels(),
                   *algorithm_names = join_algorithms();
  return g_strdup_printf(
      "--kernel, --algorithm, --format and --size take one value, several divided by commas, or\n"
      "\"all\", and may be repeated.\n\n"
      "Kernels are NAME, NAME:SIZE or, Gaussians, NAME:SIZE:SIGMA; NAME is one of %s.\n\n"
      "Algorithms: %s (NVIDIA's library, where the machine has it).\n\n"
      "Formats: %s; NV12-Y and NV12-UV are a plane alone.\n\n"
      "Sizes are WIDTHxHEIGHT; \"all\" is 7680x4320, 3840x2160 and 1920x1080.",
      kernel_names, algorithm_names, format_names);
}

typedef gboolean (*ParseWord)(BenchSelection *selection, const gchar *word, GError **error);

static gboolean
parse_list(BenchSelection *selection, const gchar *list, ParseWord parse_word, GError **error) {
  g_auto(GStrv) words = g_strsplit(list, ",", -1);
  for (gchar **word = words; *word; word++)
    if (!parse_word(selection, g_strstrip(*word), error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_format(BenchSelection *selection, const gchar *word, GError **error) {
  const gboolean all = strcmp(word, "all") == 0;
  gboolean found = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    const BenchFormat *format = &formats[i];
    if (!all && g_ascii_strcasecmp(word, format->name) != 0)
      continue;
    g_array_append_val(selection->formats, format);
    found = TRUE;
  }
  if (found)
    return TRUE;
  g_autofree gchar *names = join_formats();
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "--format=%s: there are all, %s", word, names);
  return FALSE;
}

gboolean
bench_parse_formats(BenchSelection *selection, const gchar *list, GError **error) {
  return parse_list(selection, list, parse_format, error);
}

static gboolean
parse_size(BenchSelection *selection, const gchar *word, GError **error) {
  BenchSize size;
  gchar rest;
  if (strcmp(word, "all") == 0) {
    g_array_append_vals(selection->sizes, common_sizes, G_N_ELEMENTS(common_sizes));
    return TRUE;
  }
  if (sscanf(word, "%ux%u%c", &size.width, &size.height, &rest) != 2 || size.width < 1 ||
      size.width > MAX_SIDE || size.height < 1 || size.height > MAX_SIDE) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "--size=%s: a size is WIDTHxHEIGHT, each 1 to %d, or all", word, MAX_SIDE);
    return FALSE;
  }
  g_array_append_val(selection->sizes, size);
  return TRUE;
}

gboolean
bench_parse_sizes(BenchSelection *selection, const gchar *list, GError **error) {
  return parse_list(selection, list, parse_size, error);
}

static void
add_all_kernels(BenchSelection *selection) {
  const GPtrArray *kernels = cc_kernels_builtin();
  for (guint i = 0; i < kernels->len; i++) {
    CcKernel *kernel = g_ptr_array_index(kernels, i);
    for (guint s = 0; s < kernel->n_sizes; s++) {
      const BenchKernel one = {.kernel = kernel, .size = kernel->sizes[s].size};
      g_array_append_val(selection->kernels, one);
    }
  }
}

/* NAME[:SIZE[:SIGMA]] */
static gboolean
parse_kernel(BenchSelection *selection, const gchar *word, GError **error) {
  if (strcmp(word, "all") == 0) {
    add_all_kernels(selection);
    return TRUE;
  }
  g_auto(GStrv) parts = g_strsplit(word, ":", -1);
  const guint n_parts = g_strv_length(parts);
  guint64 size = 0;
  gchar *end = NULL;
  CcKernel *kernel = n_parts > 0 ? cc_kernels_find(parts[0]) : NULL;
  if (!kernel || n_parts > 3) {
    g_autofree gchar *names = join_kernels();
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "--kernel=%s: a kernel is NAME[:SIZE[:SIGMA]] or all; names are %s", word, names);
    return FALSE;
  }
  if (n_parts > 1 && !g_ascii_string_to_unsigned(parts[1], 10, 1, CC_MAX_KERNEL_SIZE, &size, error))
    return FALSE;
  const CcKernelSize *entry = cc_kernel_get_size(kernel, (guint)size, error);
  if (!entry)
    return FALSE;
  BenchKernel one = {.kernel = kernel, .size = entry->size};
  if (n_parts > 2)
    one.sigma = g_ascii_strtod(parts[2], &end);
  if (end && (*end || !(one.sigma > 0) || !kernel->gaussian)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "--kernel=%s: the third part is the sigma of a Gaussian, a number above 0", word);
    return FALSE;
  }
  g_array_append_val(selection->kernels, one);
  return TRUE;
}

gboolean
bench_parse_kernels(BenchSelection *selection, const gchar *list, GError **error) {
  return parse_list(selection, list, parse_kernel, error);
}

/* "all" leaves out auto, which is one of the others. */
static gboolean
parse_algorithm(BenchSelection *selection, const gchar *word, GError **error) {
  const gboolean all = strcmp(word, "all") == 0;
  gboolean found = FALSE;
  for (guint i = CC_ALGORITHM_AUTO; i <= BENCH_NPP; i++)
    if (all ? i != CC_ALGORITHM_AUTO : strcmp(word, algorithm_name(i)) == 0) {
      g_array_append_val(selection->algorithms, i);
      found = TRUE;
    }
  if (found)
    return TRUE;
  g_autofree gchar *names = join_algorithms();
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "--algorithm=%s: there are all, %s", word, names);
  return FALSE;
}

gboolean
bench_parse_algorithms(BenchSelection *selection, const gchar *list, GError **error) {
  return parse_list(selection, list, parse_algorithm, error);
}

gboolean
bench_parse_border(BenchSelection *selection, const gchar *name, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(border_names); i++)
    if (strcmp(name, border_names[i]) == 0) {
      selection->border = (CcBorder)i;
      return TRUE;
    }
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "--border=%s: there are replicate, constant, reflect, reflect-101 and wrap", name);
  return FALSE;
}

gchar *
bench_kernel_label(const BenchKernel *kernel) {
  if (kernel->sigma > 0)
    return g_strdup_printf("%s %ux%u sigma %.3g", kernel->kernel->name, kernel->size, kernel->size,
                           kernel->sigma);
  return g_strdup_printf("%s %ux%u", kernel->kernel->name, kernel->size, kernel->size);
}

gboolean
bench_case_layout(const BenchCase *c, CcFrameLayout *layout, GError **error) {
  const BenchFormat *format = c->format;
  GstVideoInfo info;
  if (!gst_video_info_set_format(&info, format->format, c->size.width, c->size.height)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s of %ux%u is too large for GStreamer",
                format->name, c->size.width, c->size.height);
    return FALSE;
  }
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255; /* the same work for all formats */
  if (!cc_frame_layout_from_video_info(&info, layout, error))
    return FALSE;
  if (format->plane != BENCH_ALL_PLANES) {
    layout->plane[0] = layout->plane[format->plane];
    layout->n_planes = 1;
  }
  return TRUE;
}
