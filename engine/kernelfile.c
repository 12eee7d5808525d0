/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernel definitions as key files; presets/kernels.ini tells the format. */

#include "kernel.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define MAX_FILE_BYTES (1024 * 1024)

typedef struct {
  const gchar *text;
  gint value;
} Word;

static const Word class_words[] = {{"plain", CC_KERNEL_PLAIN},
                                   {"blur", CC_KERNEL_BLUR},
                                   {"sharpen", CC_KERNEL_SHARPEN},
                                   {"edge", CC_KERNEL_EDGE},
                                   {NULL, 0}};

static const Word response_words[] = {{"clamp", CC_RESPONSE_CLAMP},
                                      {"absolute", CC_RESPONSE_ABSOLUTE},
                                      {"offset", CC_RESPONSE_OFFSET},
                                      {"magnitude", CC_RESPONSE_MAGNITUDE},
                                      {"magnitude-l1", CC_RESPONSE_MAGNITUDE_L1},
                                      {"direction", CC_RESPONSE_DIRECTION},
                                      {NULL, 0}};

static const Word chroma_words[] = {{"filter", CC_CHROMA_FILTER},
                                    {"copy", CC_CHROMA_COPY},
                                    {"neutral", CC_CHROMA_NEUTRAL},
                                    {NULL, 0}};

/* Where a parser stands, for its messages. */
typedef struct {
  GKeyFile *file;
  const gchar *origin;
  const gchar *group;
} Section;

static gboolean refuse(const Section *section, const gchar *key, GError **error,
                       const gchar *format, ...) G_GNUC_PRINTF(4, 5);

static gboolean
refuse(const Section *section, const gchar *key, GError **error, const gchar *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree gchar *why = g_strdup_vprintf(format, args);
  va_end(args);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: [%s]%s%s: %s", section->origin,
              section->group, key ? " " : "", key ? key : "", why);
  return FALSE;
}

static gchar *
get_text(const Section *section, const gchar *key) {
  gchar *text = g_key_file_get_string(section->file, section->group, key, NULL);
  return text ? g_strstrip(text) : NULL;
}

/* Leaves *value alone when the key is not there. */
static gboolean
get_word(const Section *section, const gchar *key, const Word *words, gint *value, GError **error) {
  g_autofree gchar *text = get_text(section, key);
  if (!text)
    return TRUE;
  g_autoptr(GString) known = g_string_new(NULL);
  for (const Word *word = words; word->text; word++) {
    if (strcmp(text, word->text) == 0) {
      *value = word->value;
      return TRUE;
    }
    g_string_append_printf(known, "%s%s", word == words ? "" : ", ", word->text);
  }
  return refuse(section, key, error, "\"%s\" is none of %s", text, known->str);
}

/* A number or a fraction of two. */
static gboolean
parse_number(const gchar *text, gdouble *value) {
  gchar *end;
  *value = g_ascii_strtod(text, &end);
  if (end == text)
    return FALSE;
  if (*end == '/') {
    const gchar *below = end + 1;
    *value /= g_ascii_strtod(below, &end);
    if (end == below)
      return FALSE;
  }
  return *end == '\0' && isfinite(*value) && fabs(*value) <= CC_MAX_COEFF;
}

/* The numbers of one row, divided by spaces or commas. */
static gboolean
parse_row(const Section *section, const gchar *key, const gchar *text, gdouble *coeff, guint *n,
          GError **error) {
  g_auto(GStrv) words = g_strsplit_set(text, " \t,", -1);
  *n = 0;
  for (gchar **word = words; *word; word++) {
    if (**word == '\0')
      continue;
    if (*n == CC_MAX_KERNEL_SIZE)
      return refuse(section, key, error, "more than %d coefficients in a row", CC_MAX_KERNEL_SIZE);
    if (!parse_number(*word, &coeff[*n]))
      return refuse(section, key, error, "\"%s\" is not a number or a fraction between -%g and %g",
                    *word, CC_MAX_COEFF, CC_MAX_COEFF);
    (*n)++;
  }
  if (*n % 2 == 0)
    return refuse(section, key, error, "%u coefficients in a row; an odd number is needed", *n);
  return TRUE;
}

static gboolean
parse_matrix(const Section *section, const gchar *key, const gchar *text, CcMatrix *matrix,
             GError **error) {
  g_auto(GStrv) rows = g_strsplit(text, ";", -1);
  matrix->width = matrix->height = 0;
  for (gchar **row = rows; *row; row++) {
    gdouble coeff[CC_MAX_KERNEL_SIZE];
    guint n;
    if (*g_strchug(*row) == '\0' && row[1] == NULL && row != rows)
      break; /* a ";" after the last row */
    if (!parse_row(section, key, *row, coeff, &n, error))
      return FALSE;
    if (matrix->height == CC_MAX_KERNEL_SIZE)
      return refuse(section, key, error, "more than %d rows", CC_MAX_KERNEL_SIZE);
    if (matrix->height > 0 && n != matrix->width)
      return refuse(section, key, error, "row %u has %u coefficients, the first has %u",
                    matrix->height + 1, n, matrix->width);
    matrix->width = n;
    memcpy(matrix->coeff + matrix->height++ * n, coeff, n * sizeof *coeff);
  }
  if (matrix->height % 2 == 0)
    return refuse(section, key, error, "%u rows; an odd number is needed", matrix->height);
  return TRUE;
}

/* The matrices of a key's value, divided by "|"; an array of CcMatrix, or NULL. */
static GArray *
parse_matrices(const Section *section, const gchar *key, GError **error) {
  g_autofree gchar *text = get_text(section, key);
  g_auto(GStrv) parts = g_strsplit(text ? text : "", "|", -1);
  g_autoptr(GArray) matrices = g_array_new(FALSE, TRUE, sizeof(CcMatrix));
  for (gchar **part = parts; *part; part++) {
    CcMatrix matrix = {0};
    if (matrices->len == CC_MAX_MATRICES) {
      refuse(section, key, error, "more than %d matrices", CC_MAX_MATRICES);
      return NULL;
    }
    if (!parse_matrix(section, key, *part, &matrix, error))
      return NULL;
    g_array_append_val(matrices, matrix);
  }
  if (matrices->len == 0) {
    refuse(section, key, error, "no coefficients");
    return NULL;
  }
  return g_steal_pointer(&matrices);
}

/* The matrices of row-N and column-N. */
static GArray *
parse_separable(const Section *section, const gchar *size, GError **error) {
  g_autofree gchar *row_key = g_strconcat("row-", size, NULL);
  g_autofree gchar *column_key = g_strconcat("column-", size, NULL);
  if (!g_key_file_has_key(section->file, section->group, column_key, NULL)) {
    refuse(section, row_key, error, "%s is missing", column_key);
    return NULL;
  }
  g_autoptr(GArray) rows = parse_matrices(section, row_key, error);
  g_autoptr(GArray) columns = rows ? parse_matrices(section, column_key, error) : NULL;
  if (!columns)
    return NULL;
  if (rows->len != columns->len) {
    refuse(section, column_key, error, "%u columns for %u rows", columns->len, rows->len);
    return NULL;
  }
  for (guint i = 0; i < rows->len; i++) {
    CcMatrix *row = &g_array_index(rows, CcMatrix, i);
    const CcMatrix *column = &g_array_index(columns, CcMatrix, i);
    CcMatrix product = {.width = row->width, .height = column->width};
    if (row->height != 1 || column->height != 1) {
      refuse(section, row->height != 1 ? row_key : column_key, error,
             "\";\" has no place here: a row and a column are plain lists");
      return NULL;
    }
    for (guint y = 0; y < product.height; y++)
      for (guint x = 0; x < product.width; x++)
        product.coeff[y * product.width + x] = column->coeff[y] * row->coeff[x];
    *row = product;
  }
  return g_steal_pointer(&rows);
}

static gboolean
check_matrices(const Section *section, const gchar *key, const GArray *matrices, guint size,
               GError **error) {
  const CcMatrix *matrix = (const CcMatrix *)(gpointer)matrices->data;
  for (guint i = 1; i < matrices->len; i++)
    if (matrix[i].width != matrix->width || matrix[i].height != matrix->height)
      return refuse(section, key, error, "matrix %u is %ux%u, the first is %ux%u", i + 1,
                    matrix[i].width, matrix[i].height, matrix->width, matrix->height);
  if (MAX(matrix->width, matrix->height) != size)
    return refuse(section, key, error, "a matrix of %ux%u under size %u", matrix->width,
                  matrix->height, size);
  for (guint i = 0; i < matrices->len; i++)
    for (guint c = 0; c < matrix->width * matrix->height; c++)
      if (fabs(matrix[i].coeff[c]) > CC_MAX_COEFF)
        return refuse(section, key, error, "a coefficient of %g; at most %g is possible",
                      matrix[i].coeff[c], CC_MAX_COEFF);
  if (matrices->len * matrix->width * matrix->height > CC_MAX_TAPS)
    return refuse(section, key, error, "more than %d coefficients in all", CC_MAX_TAPS);
  return TRUE;
}

static gint
compare_sizes(gconstpointer a, gconstpointer b) {
  return (gint)((const CcKernelSize *)a)->size - (gint)((const CcKernelSize *)b)->size;
}

/* Adds the size that a key of the form matrix-N or row-N defines. */
static gboolean
parse_size(const Section *section, const gchar *key, GArray *sizes, GError **error) {
  const gchar *text = strchr(key, '-') + 1;
  guint64 size;
  if (!g_ascii_string_to_unsigned(text, 10, 1, CC_MAX_KERNEL_SIZE, &size, NULL) || size % 2 == 0)
    return refuse(section, key, error, "the size is \"%s\"; an odd number from 1 to %d is needed",
                  text, CC_MAX_KERNEL_SIZE);
  for (guint i = 0; i < sizes->len; i++)
    if (g_array_index(sizes, CcKernelSize, i).size == size)
      return refuse(section, key, error, "size %u is given twice", (guint)size);

  g_autoptr(GArray) matrices = g_str_has_prefix(key, "row-") ? parse_separable(section, text, error)
                                                             : parse_matrices(section, key, error);
  if (!matrices || !check_matrices(section, key, matrices, (guint)size, error))
    return FALSE;

  CcKernelSize entry = {.size = (guint)size};
  g_autofree gchar *scale_key = g_strconcat("scale-", text, NULL);
  g_autofree gchar *scale = get_text(section, scale_key);
  if (scale && (!parse_number(scale, &entry.scale) || entry.scale == 0))
    return refuse(section, scale_key, error, "\"%s\" is not a number or fraction other than 0",
                  scale);
  entry.n_matrices = matrices->len;
  entry.matrix = g_array_steal(matrices, NULL);
  g_array_append_val(sizes, entry);
  return TRUE;
}

static gboolean
is_size_key(const gchar *key) {
  return g_str_has_prefix(key, "matrix-") || g_str_has_prefix(key, "row-");
}

/* column-N and scale-N only say more about a size that is defined elsewhere. */
static gboolean
has_main_key(const Section *section, const gchar *key, GError **error) {
  const gchar *size = strchr(key, '-') + 1;
  g_autofree gchar *row = g_strconcat("row-", size, NULL);
  g_autofree gchar *matrix = g_strconcat("matrix-", size, NULL);
  if (g_key_file_has_key(section->file, section->group, row, NULL))
    return TRUE;
  if (g_str_has_prefix(key, "column-"))
    return refuse(section, key, error, "%s is missing", row);
  return g_key_file_has_key(section->file, section->group, matrix, NULL) ||
         refuse(section, key, error, "there is no size %s: neither %s nor %s", size, matrix, row);
}

static gboolean
is_extra_key(const gchar *key) {
  return g_str_has_prefix(key, "column-") || g_str_has_prefix(key, "scale-");
}

static gboolean
is_known_key(const gchar *key) {
  static const gchar *const plain[] = {"description", "class",        "response", "chroma",
                                       "gaussian",    "default-size", NULL};
  return g_strv_contains(plain, key) || is_size_key(key) || is_extra_key(key);
}

/* Of a value with an unknown escape GLib 2.74 returns what it can read, 2.84 nothing. */
static gboolean
check_escapes(const Section *section, GError **error) {
  g_auto(GStrv) keys = g_key_file_get_keys(section->file, section->group, NULL, NULL);
  for (gchar **key = keys; *key; key++) {
    g_autoptr(GError) reason = NULL;
    g_autofree gchar *text = g_key_file_get_string(section->file, section->group, *key, &reason);
    if (reason) {
      g_autofree gchar *raw = g_key_file_get_value(section->file, section->group, *key, NULL);
      return refuse(section, *key, error, "\"%s\" has a \"\\\" before none of s, n, t, r and \\",
                    raw);
    }
  }
  return TRUE;
}

static CcChroma
class_chroma(CcKernelClass klass) {
  switch (klass) {
  case CC_KERNEL_SHARPEN:
    return CC_CHROMA_COPY;
  case CC_KERNEL_EDGE:
    return CC_CHROMA_NEUTRAL;
  default:
    return CC_CHROMA_FILTER;
  }
}

static gboolean
parse_sizes(const Section *section, CcKernel *kernel, GError **error) {
  g_auto(GStrv) keys = g_key_file_get_keys(section->file, section->group, NULL, NULL);
  g_autoptr(GArray) sizes = g_array_new(FALSE, TRUE, sizeof(CcKernelSize));
  gboolean ok = TRUE;
  for (gchar **key = keys; ok && *key; key++) {
    if (!is_known_key(*key))
      ok = refuse(section, *key, error, "no such key");
    else if (is_size_key(*key))
      ok = parse_size(section, *key, sizes, error);
    else if (is_extra_key(*key))
      ok = has_main_key(section, *key, error);
  }
  if (ok && sizes->len == 0)
    ok = refuse(section, NULL, error, "matrix-N, or row-N and column-N, is missing");
  g_array_sort(sizes, compare_sizes);
  kernel->n_sizes = sizes->len;
  kernel->sizes = g_array_steal(sizes, NULL);
  return ok;
}

static gboolean
parse_kernel(const Section *section, CcKernel *kernel, GError **error) {
  if (strspn(section->group, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(section->group) ||
      *section->group == '\0')
    return refuse(section, NULL, error, "a name has lower case letters, digits and dashes");
  if (strcmp(section->group, "custom") == 0)
    return refuse(section, NULL, error, "the name is taken by the user's own matrix");
  if (!check_escapes(section, error))
    return FALSE;

  gint klass = CC_KERNEL_PLAIN, response = CC_RESPONSE_CLAMP;
  if (!get_word(section, "class", class_words, &klass, error) ||
      !get_word(section, "response", response_words, &response, error))
    return FALSE;
  gint chroma = class_chroma(klass);
  if (!get_word(section, "chroma", chroma_words, &chroma, error))
    return FALSE;
  static const Word boolean_words[] = {{"false", FALSE}, {"true", TRUE}, {NULL, 0}};
  if (!get_word(section, "gaussian", boolean_words, &kernel->gaussian, error))
    return FALSE;
  kernel->klass = klass;
  kernel->response = response;
  kernel->chroma = chroma;
  kernel->name = g_strdup(section->group);
  kernel->description = get_text(section, "description");
  if (!parse_sizes(section, kernel, error))
    return FALSE;

  kernel->default_size = kernel->sizes[0].size;
  g_autofree gchar *default_size = get_text(section, "default-size");
  if (!default_size)
    return TRUE;
  guint64 size;
  g_autoptr(GError) unknown = NULL;
  if (!g_ascii_string_to_unsigned(default_size, 10, 1, CC_MAX_KERNEL_SIZE, &size, NULL))
    return refuse(section, "default-size", error, "\"%s\" is no size", default_size);
  if (!cc_kernel_get_size(kernel, (guint)size, &unknown))
    return refuse(section, "default-size", error, "%s", unknown->message);
  kernel->default_size = (guint)size;
  return TRUE;
}

static CcKernel *
load_group(const Section *section, GError **error) {
  g_autoptr(CcKernel) kernel = g_new0(CcKernel, 1);
  g_atomic_ref_count_init(&kernel->refs);
  if (!parse_kernel(section, kernel, error))
    return NULL;
  return g_steal_pointer(&kernel);
}

GPtrArray *
cc_kernels_parse(const gchar *text, gsize length, const gchar *origin, GError **error) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autoptr(GError) syntax = NULL;
  if (!g_utf8_validate_len(text, length, NULL)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: not UTF-8 text", origin);
    return NULL;
  }
  if (!g_key_file_load_from_data(file, text, length, G_KEY_FILE_NONE, &syntax)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: %s", origin, syntax->message);
    return NULL;
  }
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
  g_autoptr(GPtrArray) kernels = g_ptr_array_new_with_free_func((GDestroyNotify)cc_kernel_unref);
  for (gchar **group = groups; *group; group++) {
    const Section section = {file, origin, *group};
    CcKernel *kernel = load_group(&section, error);
    if (!kernel)
      return NULL;
    g_ptr_array_add(kernels, kernel);
  }
  if (kernels->len == 0) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: no kernel is defined; a [name] is missing",
                origin);
    return NULL;
  }
  return g_steal_pointer(&kernels);
}

CcKernel *
cc_kernel_load(const gchar *path, GError **error) {
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GError) reason = NULL;
  g_autoptr(GFileInputStream) stream = g_file_read(file, NULL, &reason);
  g_autofree gchar *text = g_malloc(MAX_FILE_BYTES + 1);
  gsize length = 0;
  if (!stream || !g_input_stream_read_all(G_INPUT_STREAM(stream), text, MAX_FILE_BYTES + 1, &length,
                                          NULL, &reason)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: %s", path, reason->message);
    return NULL;
  }
  if (length > MAX_FILE_BYTES) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: longer than %d bytes", path,
                MAX_FILE_BYTES);
    return NULL;
  }
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(text, length, path, error);
  return kernels ? cc_kernel_ref(g_ptr_array_index(kernels, 0)) : NULL;
}

GResource *cc_get_resource(void); /* generated */

static gpointer
load_builtin(gpointer unused) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_resource_lookup_data(cc_get_resource(), "/cudaconv/kernels.ini",
                                                   G_RESOURCE_LOOKUP_FLAGS_NONE, &error);
  gsize length = 0;
  const gchar *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;
  GPtrArray *kernels = text ? cc_kernels_parse(text, length, "kernels.ini", &error) : NULL;
  if (!kernels)
    g_error("the compiled-in kernels: %s", error->message);
  return kernels;
}

const GPtrArray *
cc_kernels_builtin(void) {
  static GOnce once = G_ONCE_INIT;
  return g_once(&once, load_builtin, NULL);
}

CcKernel *
cc_kernels_find(const gchar *name) {
  const GPtrArray *kernels = cc_kernels_builtin();
  for (guint i = 0; i < kernels->len; i++) {
    CcKernel *kernel = g_ptr_array_index(kernels, i);
    if (strcmp(kernel->name, name) == 0)
      return kernel;
  }
  return NULL;
}
