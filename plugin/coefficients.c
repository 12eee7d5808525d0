/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "coefficients.h"

#include <gst/gst.h>
#include <string.h>
#include "valuetext.h"

#define MAX_NUMBER_TEXT 400 /* bytes of a number that is written out: more than any double has */

typedef struct {
  guint n;
  gdouble value[CC_MAX_COEFFS];
} Numbers;

/* "2", "-0.5", "1e-3" or "1/9". */
static gboolean
number_from_string(const gchar *text, gdouble *number) {
  gchar *end;
  if (strnlen(text, MAX_NUMBER_TEXT + 1) > MAX_NUMBER_TEXT)
    return FALSE;
  *number = g_ascii_strtod(text, &end);
  if (end == text)
    return FALSE;
  if (*end == '/') {
    const gchar *divisor = end + 1;
    *number /= g_ascii_strtod(divisor, &end);
    if (end == divisor)
      return FALSE;
  }
  return *end == '\0';
}

/* Only of types that are one number, so that nothing large is looked at. */
static gboolean
number_from_value(const GValue *value, gdouble *number) {
  if (G_VALUE_HOLDS_STRING(value))
    return g_value_get_string(value) && number_from_string(g_value_get_string(value), number);
  g_auto(GValue) converted = G_VALUE_INIT;
  g_value_init(&converted, G_TYPE_DOUBLE);
  if (G_VALUE_HOLDS_BOOLEAN(value) || !g_value_transform(value, &converted))
    return FALSE;
  *number = g_value_get_double(&converted);
  return TRUE;
}

static gboolean
refuse_entry(guint i, const GValue *entry, GError **error) {
  g_autofree gchar *text = cc_value_describe(entry);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "coefficient %u is %s; a number such as 2, -0.5 or 1/9 is needed", i, text);
  return FALSE;
}

static gboolean
append_number(Numbers *numbers, const GValue *entry, GError **error) {
  if (numbers->n == CC_MAX_COEFFS) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "more than %d coefficients; a matrix has at most %d rows of %d", CC_MAX_COEFFS,
                CC_MAX_MATRIX_SIZE, CC_MAX_MATRIX_SIZE);
    return FALSE;
  }
  if (!number_from_value(entry, &numbers->value[numbers->n]))
    return refuse_entry(numbers->n + 1, entry, error);
  numbers->n++;
  return TRUE;
}

static gboolean
append_numbers(Numbers *numbers, const GValue *array, GError **error) {
  for (guint i = 0; i < gst_value_array_get_size(array); i++)
    if (!append_number(numbers, gst_value_array_get_value(array, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
refuse_length(guint row, guint length, guint width, GError **error) {
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "row %u has %u coefficients and row 1 has %u; every row needs the same number", row,
              length, width);
  return FALSE;
}

/* The length of every row, or 0 with an error. */
static guint
common_row_length(const GValue *matrix, GError **error) {
  guint width = 0;
  for (guint i = 0; i < gst_value_array_get_size(matrix); i++) {
    const GValue *row = gst_value_array_get_value(matrix, i);
    const guint length = GST_VALUE_HOLDS_ARRAY(row) ? gst_value_array_get_size(row) : 0;
    if (length > 0 && (i == 0 || length == width)) {
      width = length;
      continue;
    }
    if (i == 0 || length == 0)
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                  "entry %u is not a row of coefficients; write <<1,2,1>,<2,4,2>,<1,2,1>>", i + 1);
    else
      refuse_length(i + 1, length, width, error);
    return 0;
  }
  return width;
}

CcKernel *
cc_kernel_new_from_matrix(const GValue *matrix, GError **error) {
  Numbers numbers = {0};
  if (!GST_VALUE_HOLDS_ARRAY(gst_value_array_get_value(matrix, 0)))
    return append_numbers(&numbers, matrix, error)
               ? cc_kernel_new_square(numbers.value, numbers.n, error)
               : NULL;

  const guint width = common_row_length(matrix, error);
  if (width == 0)
    return NULL;
  for (guint i = 0; i < gst_value_array_get_size(matrix); i++)
    if (!append_numbers(&numbers, gst_value_array_get_value(matrix, i), error))
      return NULL;
  return cc_kernel_new_matrix(numbers.value, numbers.n, width, error);
}

/* The coefficients of `row` or `column`, which is `name`. An empty list is the one coefficient that
 * leaves the other direction alone. */
static gboolean
numbers_or_one(Numbers *numbers, const gchar *name, const GValue *array, GError **error) {
  const guint length = gst_value_array_get_size(array);
  *numbers = (Numbers){0};
  if (length > CC_MAX_LINE_SIZE) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "the length of %s is %u; an odd number from 1 to %d is needed", name, length,
                CC_MAX_LINE_SIZE);
    return FALSE;
  }
  if (!append_numbers(numbers, array, error))
    return FALSE;
  if (numbers->n == 0)
    numbers->value[numbers->n++] = 1;
  return TRUE;
}

CcKernel *
cc_kernel_new_from_row_and_column(const GValue *row, const GValue *column, GError **error) {
  Numbers x, y;
  if (!numbers_or_one(&x, "row", row, error) || !numbers_or_one(&y, "column", column, error))
    return NULL;
  return cc_kernel_new_separable(x.value, x.n, y.value, y.n, error);
}

/* --- text --- */

#define BLANKS " \t\r\f\v"
#define ROW_ENDS ";\n"

typedef struct {
  Numbers numbers;
  guint n_rows, row[CC_MAX_COEFFS]; /* the length of each */
  gboolean divided;                 /* by `;` */
} Text;

/* What else to do about a word that is no number, for people who are used to other forms. */
static const gchar *
hint(const gchar *word) {
  return strpbrk(word, ",|[]{}()<>")
             ? ", with white space between coefficients and \";\" between rows"
             : "";
}

static gboolean
append_word(Numbers *numbers, const gchar *word, gsize length, GError **error) {
  g_auto(GValue) entry = G_VALUE_INIT;
  g_value_init(&entry, G_TYPE_STRING);
  g_value_take_string(&entry, g_strndup(word, length));
  g_autoptr(GError) reason = NULL;
  if (append_number(numbers, &entry, &reason))
    return TRUE;
  g_set_error(error, reason->domain, reason->code, "%s%s", reason->message,
              hint(g_value_get_string(&entry)));
  return FALSE;
}

/* Lines with nothing in them are no rows. */
static gboolean
end_row(Text *self, guint length, gchar end, GError **error) {
  self->divided |= end == ';';
  if (length > 0) {
    self->row[self->n_rows++] = length;
  } else if (end == ';') {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "no coefficients stand before \";\" of row %u",
                self->n_rows + 1);
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_text(Text *self, const gchar *at, GError **error) {
  for (guint before = 0;;) {
    at += strspn(at, BLANKS);
    const gsize length = strcspn(at, BLANKS ROW_ENDS);
    if (length > 0) {
      if (!append_word(&self->numbers, at, length, error))
        return FALSE;
      at += length;
      continue;
    }
    if (!end_row(self, self->numbers.n - before, *at, error))
      return FALSE;
    if (*at++ == '\0')
      return TRUE;
    before = self->numbers.n;
  }
}

static gboolean
is_square(guint n) {
  guint side = 1;
  while (side * side < n)
    side += 2;
  return side * side == n;
}

static gboolean
check_rows(const Text *self, GError **error) {
  if (self->n_rows < 2 && !self->divided) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "a list of %u coefficients is no square of an odd side up to %d (1, 9, 25, 49, ... "
                "225); in other shapes each row ends with \";\": \"1 2 1;\" is a row and "
                "\"1;2;1\" a column, of up to %d coefficients",
                self->numbers.n, CC_MAX_MATRIX_SIZE, CC_MAX_LINE_SIZE);
    return FALSE;
  }
  for (guint i = 1; i < self->n_rows; i++)
    if (self->row[i] != self->row[0])
      return refuse_length(i + 1, self->row[i], self->row[0], error);
  return TRUE;
}

CcKernel *
cc_kernel_new_from_text(const gchar *text, GError **error) {
  Text parsed = {0};
  if (strnlen(text, CC_MAX_MATRIX_TEXT + 1) > CC_MAX_MATRIX_TEXT) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "the text has more than %d bytes",
                CC_MAX_MATRIX_TEXT);
    return NULL;
  }
  if (!parse_text(&parsed, text, error))
    return NULL;
  const Numbers *numbers = &parsed.numbers;
  if (!parsed.divided && is_square(numbers->n))
    return cc_kernel_new_square(numbers->value, numbers->n, error);
  return check_rows(&parsed, error)
             ? cc_kernel_new_matrix(numbers->value, numbers->n, parsed.row[0], error)
             : NULL;
}
