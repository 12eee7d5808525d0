/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parser for kernel definitions in key files; presets/kernels.ini describes the format. */

#include "kernel.h"
#include "key_text.h"
#include "engine/enum_names.h"
#include "engine/number.h"
#include "text_file.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

/* Limit on lines that are neither blank nor comments. GKeyFile looks keys and groups up in hash
 * tables, and an attacker can slow these down with names that all have the same hash. */
#define MAX_LINES 1024

#define BLANKS " \t"
#define WORD_DIVIDERS BLANKS ","
#define ROW_DIVIDERS ";|"

/* The group that is being parsed. Messages give positions and quote nothing from the file, because
 * a reader of the message may not have permission to read the file. */
typedef struct {
  GKeyFile *file;
  const CcKeyText *text;
  const gchar *group;
} Section;

typedef struct {
  const Section *section;
  const gchar *key;
  const gchar *text; /* without blanks around it; escapes are decoded */
} Value;

static const gchar *
group_position(const Section *section) {
  return cc_keytext_find_group(section->text, section->group);
}

static const gchar *
key_position(const Section *section, const gchar *key) {
  return cc_keytext_find_key(section->text, section->group, key);
}

static const gchar *
value_start(const Section *section, const gchar *key) {
  return cc_keytext_find_value(section->text, section->group, key);
}

/* The position in the file of `at`, which points into the value's text. If the value has escapes,
 * positions after them are shifted, so the start of the value is returned. */
static const gchar *
value_position(const Value *value, const gchar *at) {
  const Section *section = value->section;
  g_autofree gchar *raw = g_key_file_get_value(section->file, section->group, value->key, NULL);
  const gchar *start = value_start(section, value->key);
  return start && raw && !strchr(raw, '\\') ? start + (at - value->text) : start;
}

static gchar *
get_text(const Section *section, const gchar *key) {
  gchar *text = g_key_file_get_string(section->file, section->group, key, NULL);
  return text ? g_strstrip(text) : NULL;
}

/* Sets *value to the index of the key's word in `names`. Valid words have the indices first to
 * end - 1.
 * Leaves *value unchanged if the key is missing. */
static gboolean
get_word(const Section *section, const gchar *key, const gchar *const *names, gint first, gint end,
         gint *value, GError **error) {
  g_autofree gchar *text = get_text(section, key);
  if (!text)
    return TRUE;
  g_autoptr(GString) known = g_string_new(NULL);
  for (gint i = first; i < end; i++) {
    if (strcmp(text, names[i]) == 0) {
      *value = i;
      return TRUE;
    }
    g_string_append_printf(known, "%s%s", i == first ? "" : ", ", names[i]);
  }
  const Value wrong = {section, key, text};
  return cc_keytext_refuse(section->text, value_position(&wrong, text), error,
                           "%s is not one of %s", key, known->str);
}

static gboolean
parse_coefficient(const gchar *text, const gchar *end, gdouble *value) {
  return cc_number_parse(text, end, value) && isfinite(*value) && fabs(*value) <= CC_MAX_COEFF;
}

/* Sets *end to the ";" or "|" after the row that starts at `at`, or to the end of the value. */
static gboolean
parse_numbers(const Value *value, const gchar *at, gdouble *coeff, guint max, guint *n,
              const gchar **end, GError **error) {
  const CcKeyText *text = value->section->text;
  gsize length;
  *n = 0;
  while ((length = strcspn(at, WORD_DIVIDERS ROW_DIVIDERS)) > 0) {
    if (*n == max)
      return cc_keytext_refuse(text, value_position(value, at), error,
                               "more than %u coefficients in a row", max);
    if (!parse_coefficient(at, at + length, &coeff[(*n)++]))
      return cc_keytext_refuse(text, value_position(value, at), error,
                               "not a number or a fraction between -%g and %g", CC_MAX_COEFF,
                               CC_MAX_COEFF);
    at += length;
    at += strspn(at, WORD_DIVIDERS);
  }
  *end = at;
  return TRUE;
}

/* Appends the row at *at to the matrix, and advances *at to the end of the row. */
static gboolean
parse_row(const Value *value, const gchar **at, guint max, CcMatrix *matrix, GError **error) {
  const CcKeyText *text = value->section->text;
  const gchar *row = *at + strspn(*at, WORD_DIVIDERS);
  guint n;
  if (matrix->height == CC_MAX_MATRIX_SIZE || matrix->width > CC_MAX_MATRIX_SIZE)
    return cc_keytext_refuse(text, value_position(value, row), error, "more than %d rows",
                             matrix->width > CC_MAX_MATRIX_SIZE ? 1 : CC_MAX_MATRIX_SIZE);
  if (!parse_numbers(value, row, matrix->coeff + matrix->height * matrix->width, max, &n, at,
                     error))
    return FALSE;
  if (n % 2 == 0)
    return cc_keytext_refuse(text, value_position(value, row), error,
                             "%u coefficients in a row; an odd number is needed", n);
  if (matrix->height > 0 && n != matrix->width)
    return cc_keytext_refuse(text, value_position(value, row), error,
                             "row %u has %u coefficients, the first has %u", matrix->height + 1, n,
                             matrix->width);
  matrix->width = n;
  matrix->height++;
  return TRUE;
}

/* Skips a ";" and returns whether a row follows. The last row may end with ";" too. */
static gboolean
next_row(const gchar **at) {
  if (**at != ';')
    return FALSE;
  *at += 1;
  *at += strspn(*at, BLANKS);
  return **at != '|' && **at != '\0';
}

static gboolean
parse_matrix(const Value *value, const gchar **at, guint max, CcMatrix *matrix, GError **error) {
  const gchar *start = *at + strspn(*at, BLANKS);
  do {
    if (!parse_row(value, at, max, matrix, error))
      return FALSE;
  } while (next_row(at));
  if (matrix->height % 2 == 0)
    return cc_keytext_refuse(value->section->text, value_position(value, start), error,
                             "%u rows; an odd number is needed", matrix->height);
  return TRUE;
}

/* Returns an array of CcMatrix, or NULL. A row has at most `max` coefficients. */
static GArray *
parse_matrices(const Section *section, const gchar *key, guint max, GError **error) {
  g_autofree gchar *text = get_text(section, key);
  const Value value = {section, key, text ? text : ""};
  const gchar *at = value.text;
  g_autoptr(GArray) matrices = g_array_new(FALSE, TRUE, sizeof(CcMatrix));
  do {
    CcMatrix matrix = {0};
    if (matrices->len == CC_MAX_MATRICES) {
      cc_keytext_refuse(section->text, value_position(&value, at), error, "more than %d matrices",
                        CC_MAX_MATRICES);
      return NULL;
    }
    if (!parse_matrix(&value, &at, max, &matrix, error))
      return NULL;
    g_array_append_val(matrices, matrix);
  } while (*at++ == '|');
  return g_steal_pointer(&matrices);
}

static GArray *
parse_lists(const Section *section, const gchar *key, GError **error) {
  g_autoptr(GArray) lists = parse_matrices(section, key, CC_MAX_LINE_SIZE, error);
  for (guint i = 0; lists && i < lists->len; i++) {
    if (g_array_index(lists, CcMatrix, i).height == 1)
      continue;
    cc_keytext_refuse(section->text, value_start(section, key), error,
                      "\";\" is not allowed here: a row and a column are plain lists");
    return NULL;
  }
  return g_steal_pointer(&lists);
}

/* Replaces `row` by column times row. */
static void
multiply(CcMatrix *row, const CcMatrix *column) {
  CcMatrix product;
  cc_matrix_init_product(&product, row->coeff, row->width, column->coeff, column->width);
  *row = product;
}

static GArray *
parse_separable(const Section *section, const gchar *row_key, guint size, GError **error) {
  g_autofree gchar *column_key = g_strdup_printf("column-%u", size);
  if (!g_key_file_has_key(section->file, section->group, column_key, NULL)) {
    cc_keytext_refuse(section->text, key_position(section, row_key), error, "%s is missing",
                      column_key);
    return NULL;
  }
  g_autoptr(GArray) rows = parse_lists(section, row_key, error);
  g_autoptr(GArray) columns = rows ? parse_lists(section, column_key, error) : NULL;
  if (!columns)
    return NULL;
  if (rows->len != columns->len) {
    cc_keytext_refuse(section->text, key_position(section, column_key), error,
                      "%u columns for %u rows", columns->len, rows->len);
    return NULL;
  }
  for (guint i = 0; i < rows->len; i++)
    multiply(&g_array_index(rows, CcMatrix, i), &g_array_index(columns, CcMatrix, i));
  return g_steal_pointer(&rows);
}

static gdouble
largest_coefficient(const CcMatrix *matrix) {
  gdouble of_row = 0, of_column = 0, largest = 0;
  for (guint i = 0; matrix->factored && i < matrix->width; i++)
    of_row = MAX(of_row, fabs(matrix->row[i]));
  for (guint i = 0; matrix->factored && i < matrix->height; i++)
    of_column = MAX(of_column, fabs(matrix->column[i]));
  for (guint i = 0; !matrix->factored && i < matrix->width * matrix->height; i++)
    largest = MAX(largest, fabs(matrix->coeff[i]));
  return matrix->factored ? of_row * of_column : largest;
}

static gboolean
check_matrices(const Section *section, const gchar *key, const GArray *matrices, guint size,
               GError **error) {
  const CcMatrix *matrix = (const CcMatrix *)(gpointer)matrices->data;
  for (guint i = 1; i < matrices->len; i++)
    if (matrix[i].width != matrix->width || matrix[i].height != matrix->height)
      return cc_keytext_refuse(section->text, value_start(section, key), error,
                               "matrix %u is %ux%u, the first is %ux%u", i + 1, matrix[i].width,
                               matrix[i].height, matrix->width, matrix->height);
  if (MAX(matrix->width, matrix->height) != size)
    return cc_keytext_refuse(section->text, value_start(section, key), error,
                             "%u columns and %u rows; the larger number must be the size, %u",
                             matrix->width, matrix->height, size);
  for (guint i = 0; i < matrices->len; i++)
    if (largest_coefficient(&matrix[i]) > CC_MAX_COEFF)
      return cc_keytext_refuse(section->text, value_start(section, key), error,
                               "a product of column and row is not between -%g and %g",
                               CC_MAX_COEFF, CC_MAX_COEFF);
  if (matrix->factored && matrices->len > 2)
    return cc_keytext_refuse(section->text, value_start(section, key), error,
                             "more than 2 matrices of more than %d rows or columns",
                             CC_MAX_MATRIX_SIZE);
  if (!matrix->factored && matrices->len * matrix->width * matrix->height > CC_MAX_TAPS)
    return cc_keytext_refuse(section->text, value_start(section, key), error,
                             "more than %d coefficients in all", CC_MAX_TAPS);
  return TRUE;
}

static gint
compare_sizes(gconstpointer a, gconstpointer b) {
  return (gint)((const CcKernelSize *)a)->size - (gint)((const CcKernelSize *)b)->size;
}

/* Leaves *scale unchanged if the key is missing. */
static gboolean
parse_scale(const Section *section, guint size, gdouble *scale, GError **error) {
  g_autofree gchar *key = g_strdup_printf("scale-%u", size);
  g_autofree gchar *text = get_text(section, key);
  const Value value = {section, key, text};
  if (text && (!parse_coefficient(text, text + strlen(text), scale) || *scale == 0))
    return cc_keytext_refuse(section->text, value_position(&value, text), error,
                             "not a number or a fraction between -%g and %g other than 0",
                             CC_MAX_COEFF, CC_MAX_COEFF);
  return TRUE;
}

static gboolean
parse_size(const Section *section, const gchar *key, guint size, GArray *sizes, GError **error) {
  for (guint i = 0; i < sizes->len; i++)
    if (g_array_index(sizes, CcKernelSize, i).size == size)
      return cc_keytext_refuse(section->text, key_position(section, key), error,
                               "size %u is given twice", size);
  g_autoptr(GArray) matrices = g_str_has_prefix(key, "row-")
                                   ? parse_separable(section, key, size, error)
                                   : parse_matrices(section, key, CC_MAX_MATRIX_SIZE, error);
  CcKernelSize entry = {.size = size};
  if (!matrices || !check_matrices(section, key, matrices, size, error) ||
      !parse_scale(section, size, &entry.scale, error))
    return FALSE;
  entry.n_matrices = matrices->len;
  entry.matrix = g_array_steal(matrices, NULL);
  g_array_append_val(sizes, entry);
  return TRUE;
}

static gboolean
is_size_key(const gchar *key) {
  return g_str_has_prefix(key, "matrix-") || g_str_has_prefix(key, "row-");
}

/* Checks the key column-N or scale-N, which needs another key that defines the size. */
static gboolean
has_main_key(const Section *section, const gchar *key, guint size, GError **error) {
  g_autofree gchar *row = g_strdup_printf("row-%u", size);
  g_autofree gchar *matrix = g_strdup_printf("matrix-%u", size);
  if (g_key_file_has_key(section->file, section->group, row, NULL))
    return TRUE;
  if (g_str_has_prefix(key, "column-"))
    return cc_keytext_refuse(section->text, key_position(section, key), error, "%s is missing",
                             row);
  return g_key_file_has_key(section->file, section->group, matrix, NULL) ||
         cc_keytext_refuse(section->text, key_position(section, key), error,
                           "one of %s and %s is needed", matrix, row);
}

static gboolean
is_extra_key(const gchar *key) {
  return g_str_has_prefix(key, "column-") || g_str_has_prefix(key, "scale-");
}

static gboolean
is_plain_key(const gchar *key) {
  static const gchar *const plain[] = {"description", "class", "response",     "chroma",
                                       "gaussian",    "mean",  "default-size", NULL};
  return g_strv_contains(plain, key);
}

/* The N of a key such as matrix-N, or 0 after an error. N can be written in one way only, so that
 * messages can derive the other keys of that size. */
static guint
parse_key_size(const Section *section, const gchar *key, GError **error) {
  const gchar *text = strchr(key, '-') + 1;
  guint64 size;
  if (*text != '0' && g_ascii_string_to_unsigned(text, 10, 1, CC_MAX_LINE_SIZE, &size, NULL) &&
      size % 2 == 1)
    return (guint)size;
  const gchar *position = key_position(section, key);
  cc_keytext_refuse(section->text, position ? position + (text - key) : NULL, error,
                    "the size is not an odd number from 1 to %d", CC_MAX_LINE_SIZE);
  return 0;
}

static gboolean
parse_key(const Section *section, const gchar *key, GArray *sizes, GError **error) {
  if (is_plain_key(key))
    return TRUE;
  if (!is_size_key(key) && !is_extra_key(key))
    return cc_keytext_refuse(section->text, key_position(section, key), error,
                             "no such key; there are description, class, response, chroma, "
                             "gaussian, mean, default-size, matrix-N, row-N, column-N and scale-N");
  const guint size = parse_key_size(section, key, error);
  if (size == 0)
    return FALSE;
  return is_size_key(key) ? parse_size(section, key, size, sizes, error)
                          : has_main_key(section, key, size, error);
}

/* The first "\" that starts no valid escape, or NULL. */
static const gchar *
find_wrong_escape(const gchar *raw) {
  for (const gchar *at = raw; (at = strchr(at, '\\')); at += 2)
    if (at[1] == '\0' || !strchr("sntr\\", at[1]))
      return at;
  return NULL;
}

/* Checks escapes here because GLib versions differ: for a value with an unknown escape GLib 2.74
 * returns the readable part, 2.84 returns NULL. */
static gboolean
check_escapes(const Section *section, GError **error) {
  g_auto(GStrv) keys = g_key_file_get_keys(section->file, section->group, NULL, NULL);
  for (gchar **key = keys; *key; key++) {
    g_autofree gchar *raw = g_key_file_get_value(section->file, section->group, *key, NULL);
    const gchar *wrong = find_wrong_escape(raw);
    if (!wrong)
      continue;
    const gchar *position = value_start(section, *key);
    return cc_keytext_refuse(section->text, position ? position + (wrong - raw) : NULL, error,
                             "a \"\\\" that is not followed by s, n, t, r or \\");
  }
  return TRUE;
}

static gboolean
parse_sizes(const Section *section, CcKernel *kernel, GError **error) {
  g_auto(GStrv) keys = g_key_file_get_keys(section->file, section->group, NULL, NULL);
  g_autoptr(GArray) sizes = g_array_new(FALSE, TRUE, sizeof(CcKernelSize));
  gboolean ok = TRUE;
  for (gchar **key = keys; ok && *key; key++)
    ok = parse_key(section, *key, sizes, error);
  if (ok && sizes->len == 0)
    ok = cc_keytext_refuse(section->text, group_position(section), error,
                           "matrix-N, or row-N and column-N, is missing");
  g_array_sort(sizes, compare_sizes);
  kernel->n_sizes = sizes->len;
  kernel->sizes = g_array_steal(sizes, NULL);
  return ok;
}

static gboolean
parse_default_size(const Section *section, CcKernel *kernel, GError **error) {
  g_autofree gchar *text = get_text(section, "default-size");
  const Value value = {section, "default-size", text};
  guint64 size = kernel->sizes[0].size;
  if (text && (!g_ascii_string_to_unsigned(text, 10, 1, CC_MAX_KERNEL_SIZE, &size, NULL) ||
               cc_kernel_get_size(kernel, (guint)size)->size != size)) {
    g_autoptr(GString) known = g_string_new(NULL);
    for (guint i = 0; i < kernel->n_sizes; i++)
      g_string_append_printf(known, "%s%u", i == 0 ? "" : ", ", kernel->sizes[i].size);
    return cc_keytext_refuse(section->text, value_position(&value, text), error,
                             "default-size is not one of the sizes defined here: %s", known->str);
  }
  kernel->default_size = (guint)size;
  return TRUE;
}

static gboolean
parse_name(const Section *section, CcKernel *kernel, GError **error) {
  const gchar *name = section->group;
  if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0' || *name == '\0')
    return cc_keytext_refuse(section->text, group_position(section), error,
                             "a name has lower case letters, digits and dashes");
  if (strcmp(name, "custom") == 0)
    return cc_keytext_refuse(section->text, group_position(section), error,
                             "the name is taken by the user's own matrix");
  kernel->name = g_strdup(name);
  return TRUE;
}

#define CLASS_CHROMA(klass, name, chroma) chroma,

static gboolean
parse_words(const Section *section, CcKernel *kernel, GError **error) {
  static const CcChroma class_chroma[] = {CC_KERNEL_CLASSES(CLASS_CHROMA)};
  static const gchar *const boolean_names[] = {[FALSE] = "false", [TRUE] = "true", NULL};
  gint klass = CC_KERNEL_PLAIN, response = CC_RESPONSE_CLAMP;
  if (!get_word(section, "class", cc_kernel_class_names, 0, CC_N_KERNEL_CLASSES, &klass, error) ||
      !get_word(section, "response", cc_response_names, CC_RESPONSE_AUTO + 1, CC_RESPONSE_CANNY,
                &response, error))
    return FALSE;
  gint chroma = (gint)class_chroma[klass];
  if (!get_word(section, "chroma", cc_chroma_names, CC_CHROMA_AUTO + 1, CC_N_CHROMAS, &chroma,
                error) ||
      !get_word(section, "gaussian", boolean_names, FALSE, TRUE + 1, &kernel->gaussian, error) ||
      !get_word(section, "mean", boolean_names, FALSE, TRUE + 1, &kernel->mean, error))
    return FALSE;
  kernel->klass = klass;
  kernel->response = response;
  kernel->chroma = chroma;
  return TRUE;
}

static CcKernel *
load_group(const Section *section, GError **error) {
  g_autoptr(CcKernel) kernel = g_new0(CcKernel, 1);
  g_atomic_ref_count_init(&kernel->refs);
  if (!parse_name(section, kernel, error) || !check_escapes(section, error) ||
      !parse_words(section, kernel, error))
    return NULL;
  kernel->description = get_text(section, "description");
  if (!parse_sizes(section, kernel, error) || !parse_default_size(section, kernel, error))
    return NULL;
  return g_steal_pointer(&kernel);
}

/* Replaces GKeyFile's own messages, which quote the line that they refuse. */
static gboolean
refuse_syntax(const CcKeyText *text, GError **error) {
  const gchar *first = cc_keytext_find_line(text, 0);
  if (first && *first != '[')
    return cc_keytext_refuse(text, first, error, "a [name] must come before all else");
  return cc_keytext_refuse(text, cc_keytext_find_fault(text), error,
                           "neither a [name] nor a known key with = and a value nor a # comment");
}

static gboolean
check_text(const CcKeyText *text, GError **error) {
  const gchar *invalid;
  if (text->end - text->start > CC_MAX_FILE_BYTES)
    return cc_keytext_refuse(text, NULL, error, "longer than %d bytes", CC_MAX_FILE_BYTES);
  if (!g_utf8_validate_len(text->start, (gsize)(text->end - text->start), &invalid))
    return cc_keytext_refuse(text, invalid, error, "not UTF-8 text");
  const gchar *too_many = cc_keytext_find_line(text, MAX_LINES);
  if (too_many)
    return cc_keytext_refuse(text, too_many, error,
                             "more than %d lines that are neither blank nor comments", MAX_LINES);
  return TRUE;
}

GPtrArray *
cc_kernels_parse(const gchar *text, gsize length, const gchar *origin, GError **error) {
  const CcKeyText key_text = {origin, text, text + length};
  g_autoptr(GKeyFile) file = g_key_file_new();
  if (!check_text(&key_text, error))
    return NULL;
  if (!g_key_file_load_from_data(file, text, length, G_KEY_FILE_NONE, NULL)) {
    refuse_syntax(&key_text, error);
    return NULL;
  }
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
  g_autoptr(GPtrArray) kernels = g_ptr_array_new_with_free_func((GDestroyNotify)cc_kernel_unref);
  for (gchar **group = groups; *group; group++) {
    const Section section = {file, &key_text, *group};
    CcKernel *kernel = load_group(&section, error);
    if (!kernel)
      return NULL;
    g_ptr_array_add(kernels, kernel);
  }
  if (kernels->len == 0) {
    cc_keytext_refuse(&key_text, NULL, error, "no kernel is defined; a [name] is missing");
    return NULL;
  }
  return g_steal_pointer(&kernels);
}

CcKernel *
cc_kernel_load(const gchar *path, GError **error) {
  gsize length;
  g_autofree gchar *text = cc_textfile_read(path, CC_MAX_FILE_BYTES, &length, error);
  if (!text)
    return NULL;
  g_autofree gchar *name = cc_textfile_name(path);
  /* the byte order mark that some editors write */
  const gsize mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(text + mark, length - mark, name, error);
  if (!kernels)
    return NULL;
  CcKernel *kernel = cc_kernel_ref(g_ptr_array_index(kernels, 0));
  g_free(kernel->name); /* messages show the kernel's name, which must not come from the file */
  kernel->name = g_strdup("custom");
  return kernel;
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
