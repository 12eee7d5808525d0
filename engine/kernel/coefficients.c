/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "coefficients.h"

#include <string.h>
#include "engine/number.h"
#include "printable.h"

#define BLANKS " \t\r\f\v"
#define ROW_ENDS ";\n"

gboolean
cc_coefficients_append(CcCoefficients *self, gdouble number, GError **error) {
  if (self->n == CC_MAX_COEFFS) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "more than %d coefficients; a matrix has at most %d rows of %d", CC_MAX_COEFFS,
                CC_MAX_MATRIX_SIZE, CC_MAX_MATRIX_SIZE);
    return FALSE;
  }
  self->value[self->n++] = number;
  return TRUE;
}

/* The length of the open row. */
static guint
open_length(const CcCoefficients *self) {
  guint length = self->n;
  for (guint i = 0; i < self->n_rows; i++)
    length -= self->row[i];
  return length;
}

static gboolean
check_rows(const CcCoefficients *self, GError **error) {
  for (guint i = 1; i < self->n_rows; i++)
    if (self->row[i] != self->row[0]) {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                  "row %u has %u coefficients and row 1 has %u; every row needs the same number",
                  i + 1, self->row[i], self->row[0]);
      return FALSE;
    }
  return TRUE;
}

gboolean
cc_coefficients_end_row(CcCoefficients *self, GError **error) {
  const guint length = open_length(self);
  self->row[self->n_rows++] = length;
  return check_rows(self, error);
}

void
cc_coefficients_refuse(const CcCoefficients *self, const gchar *value, const gchar *hint,
                       GError **error) {
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "coefficient %u is %s; a number such as 2, -0.5 or 1/9 is needed%s", self->n + 1,
              value, hint);
}

/* Appends the number that a word gives. If the word is not a number, but has commas or brackets as
 * in the syntax of other programs, the error has a hint. */
static gboolean
append_word(CcCoefficients *self, const gchar *word, gsize length, GError **error) {
  gdouble number;
  if (cc_number_parse(word, word + length, &number))
    return cc_coefficients_append(self, number, error);
  g_autofree gchar *text = g_strndup(word, length), *quoted = cc_quote(text);
  const gboolean has_other_form = strpbrk(text, ",|[]{}()<>") != NULL;
  cc_coefficients_refuse(
      self, quoted,
      has_other_form ? ", with white space between coefficients and \";\" between rows" : "",
      error);
  return FALSE;
}

static gboolean
is_square(guint n) {
  guint side = 1;
  while (side * side < n)
    side++;
  return side * side == n;
}

gboolean
cc_coefficients_parse(CcCoefficients *self, const gchar *text, GError **error) {
  gboolean divided = FALSE; /* the text has `;` */
  if (strnlen(text, CC_MAX_MATRIX_TEXT + 1) > CC_MAX_MATRIX_TEXT) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "the text has more than %d bytes",
                CC_MAX_MATRIX_TEXT);
    return FALSE;
  }
  *self = (CcCoefficients){0};
  for (const gchar *at = text;;) {
    at += strspn(at, BLANKS);
    const gsize length = strcspn(at, BLANKS ROW_ENDS);
    if (length > 0) {
      if (!append_word(self, at, length, error))
        return FALSE;
      at += length;
      continue;
    }
    divided |= *at == ';';
    const guint row = open_length(self);
    if (row > 0) {
      self->row[self->n_rows++] = row;
    } else if (*at == ';') {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "row %u has no coefficients before \";\"",
                  self->n_rows + 1);
      return FALSE;
    }
    if (*at++ == '\0')
      break;
  }
  if (!divided && (self->n_rows < 2 || is_square(self->n)))
    self->n_rows = 0;
  return check_rows(self, error);
}

gboolean
cc_coefficients_refuse_length(const gchar *name, guint n, GError **error) {
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "the length of %s is %u; an odd number from 1 to %d is needed", name, n,
              CC_MAX_LINE_SIZE);
  return FALSE;
}

CcKernel *
cc_coefficients_make_kernel(const CcCoefficients *self, GError **error) {
  return self->n_rows == 0 ? cc_kernel_new_square(self->value, self->n, error)
                           : cc_kernel_new_matrix(self->value, self->n, self->row[0], error);
}
