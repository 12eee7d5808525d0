/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The table of all options that affect pixels, and the struct that holds their values. The
 * properties of the element, the options of the command and the documents are made from it. A new
 * option is a row with its doc comment and a field of CcFilter. */

#include "option.h"
#include "plan/filter.h"

G_BEGIN_DECLS

/* The options that define the custom kernel come first. There is one definition: setting one of
 * these options empties the others, but for row and column, which make a kernel together. */
enum {
  CC_OPTION_MATRIX,
  CC_OPTION_MATRIX_TEXT,
  CC_OPTION_ROW,
  CC_OPTION_COLUMN,
  CC_OPTION_KERNEL_FILE,
  CC_OPTION_KERNEL,
  CC_OPTION_SIZE,
  CC_N_DEFINITIONS = CC_OPTION_KERNEL,
};

/* The value of the option `kernel` for the custom kernel. That of a named kernel is its place in
 * cc_kernels_builtin(), counted from 1. */
#define CC_KERNEL_CUSTOM 0

typedef struct {
  CcFilter filter; /* first; without its kernel, which cc_options_get_filter finds */
  gint kernel;
  CcKernel *custom;              /* NULL: none is defined */
  gchar *text[CC_N_DEFINITIONS]; /* the values that define it; NULL: the others */
  guint n_row, n_column;         /* coefficients of `row` and `column` */
  gdouble row[CC_MAX_LINE_SIZE], column[CC_MAX_LINE_SIZE];
} CcOptions;

/* In the order in which presets set them. */
extern const CcOption cc_options[];
extern const guint cc_n_options;

/* Some of the options: bit i is row i. */
typedef guint64 CcOptionSet;
enum { CC_MAX_OPTIONS = 64 };
#define CC_ALL_OPTIONS (~(CcOptionSet)0)

static inline CcOptionSet
cc_option_bit(guint i) {
  return (CcOptionSet)1 << i;
}

static inline CcOptionSet
cc_options_all(void) {
  return cc_option_bit(cc_n_options) - 1;
}

/* Of row the column and of column the row, which make a kernel together; else CC_MAX_OPTIONS. */
static inline guint
cc_option_other_half(guint i) {
  return i == CC_OPTION_ROW      ? CC_OPTION_COLUMN
         : i == CC_OPTION_COLUMN ? CC_OPTION_ROW
                                 : CC_MAX_OPTIONS;
}

/* Sets the choices of the option `algorithm`, which the backends have; without them it has `auto`
 * alone. To be called before the table is used, and once. */
void cc_options_set_algorithms(const CcChoice *choices);

/* The row with a name; cc_n_options: there is none. */
guint cc_options_find(const gchar *name);

/* Starts with the defaults. */
void cc_options_init(CcOptions *self);
void cc_options_clear(CcOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcOptions, cc_options_clear)

/* Sets option `i`, or refuses the value with CC_ERROR_INVALID and changes nothing. Coefficients or
 * a file that define the custom kernel also select it; an empty value undefines what the same
 * option defined. A file is read here. */
gboolean cc_options_set(CcOptions *self, guint i, const CcOptionValue *value, GError **error);

/* The value of option `i`; its text belongs to `self`, and it has no coefficients. */
CcOptionValue cc_options_get(const CcOptions *self, guint i);

/* Sets what a text says: words NAME=VALUE, with white space between them and quotes as in a shell,
 * as in "kernel=gaussian size=5". Coefficients are written as for matrix-text. Where one word is
 * wrong, nothing changes; the error then is CC_ERROR_INVALID and begins with that word. */
gboolean cc_options_set_text(CcOptions *self, const gchar *text, GError **error);

/* The options whose values differ. Definitions of the custom kernel differ all or none. */
CcOptionSet cc_options_compare(const CcOptions *a, const CcOptions *b);

/* Copies the values of the options in `set`; of one that defines the custom kernel, the whole
 * definition. */
void cc_options_assign(CcOptions *to, const CcOptions *from, CcOptionSet set);

/* The filter that the options describe, with a new reference to its kernel. The kernel is NULL when
 * kernel is custom and none is defined. */
void cc_options_get_filter(const CcOptions *self, CcFilter *filter);

G_END_DECLS
