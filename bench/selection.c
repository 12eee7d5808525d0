/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "selection.h"

#include <stdio.h>
#include <string.h>

#define MAX_SIDE 32768

#define C CC_ROLE_COLOR
#define Y CC_ROLE_LUMA
#define U CC_ROLE_CHROMA
#define A CC_ROLE_ALPHA

#define U8 CC_SAMPLE_U8, 8, 0
#define U10_HIGH CC_SAMPLE_U16, 10, 6
#define U16 CC_SAMPLE_U16, 16, 0

/* Named as in GStreamer, a plane behind a dash. */
static const BenchFormat formats[] = {
    {"GRAY8", U8, 1, {{1, 1, 1, {C}}}},
    {"GRAY16_LE", U16, 1, {{1, 1, 1, {C}}}},
    {"RGB", U8, 1, {{3, 1, 1, {C, C, C}}}},
    {"RGBA", U8, 1, {{4, 1, 1, {C, C, C, A}}}},
    {"ARGB64", U16, 1, {{4, 1, 1, {A, C, C, C}}}},
    {"NV12", U8, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, U}}}},
    {"NV12-Y", U8, 1, {{1, 1, 1, {Y}}}},
    {"NV12-UV", U8, 1, {{2, 2, 2, {U, U}}}},
    {"I420", U8, 3, {{1, 1, 1, {Y}}, {1, 2, 2, {U}}, {1, 2, 2, {U}}}},
    {"Y444", U8, 3, {{1, 1, 1, {Y}}, {1, 1, 1, {U}}, {1, 1, 1, {U}}}},
    {"P010_10LE", U10_HIGH, 2, {{1, 1, 1, {Y}}, {2, 2, 2, {U, U}}}},
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

CcFrameLayout
bench_case_layout(const BenchCase *c) {
  const BenchFormat *format = c->format;
  CcFrameLayout layout = {.n_planes = format->n_planes};
  for (guint p = 0; p < format->n_planes; p++) {
    const guint columns = format->plane[p].columns, rows = format->plane[p].rows;
    CcPlaneLayout *plane = &layout.plane[p];
    plane->width = (c->size.width + columns - 1) / columns;
    plane->height = (c->size.height + rows - 1) / rows;
    plane->step = format->plane[p].step;
    plane->type = format->type;
    plane->depth = format->depth;
    plane->shift = format->shift;
    memcpy(plane->role, format->plane[p].role, sizeof plane->role);
  }
  return layout;
}
