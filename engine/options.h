/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The table of all options that affect pixels, and the struct that holds their values. The
 * properties of the element, the options of the command and the documents are made from the table.
 * A new option is a new row with its doc comment, and a new member of CcFilter. */

#include "option.h"
#include "plan/filter.h"
#include "plan/region.h"

G_BEGIN_DECLS

/* The options that define the custom kernel come first. Only one definition exists at a time:
 * setting one of these options clears the other ones. Row and column are an exception: together
 * they define one kernel. */
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

/* The value of the option `kernel` for the custom kernel. The value for a named kernel is its
 * position in cc_kernels_builtin(), counted from 1. */
#define CC_KERNEL_CUSTOM 0

/* The value of the option `chroma-kernel` for the kernel of luma. The value for a named kernel is
 * that of `kernel`. */
#define CC_CHROMA_KERNEL_SAME 0

/* Which parts of a frame are filtered. */
typedef struct {
  CcTuples roi, target; /* as cc_options_find_regions uses them */
  gboolean by_meta;     /* the regions are the GstVideoRegionOfInterestMetas of the frame */
  GQuark meta_type;     /* only metas of this type count; 0: all */
} CcRegionOptions;

typedef struct {
  CcFilter filter; /* must be the first member; cc_options_get_filter adds the kernel */
  CcRegionOptions regions;
  gint kernel, chroma_kernel;
  CcKernel *custom; /* NULL: no custom kernel is defined */
  /* the texts of the options that define the custom kernel; NULL: the option is not set */
  gchar *text[CC_N_DEFINITIONS];
  guint n_row, n_column; /* numbers of coefficients of `row` and `column` */
  gdouble row[CC_MAX_LINE_SIZE], column[CC_MAX_LINE_SIZE];
} CcOptions;

/* All options, in the order in which presets set them. */
extern const CcOption cc_options[];
extern const guint cc_n_options;

/* A set of options: bit i stands for row i of the table. */
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

/* Returns column for row and row for column, because these two define a kernel together. Returns
 * CC_MAX_OPTIONS for every other option. */
static inline guint
cc_option_other_half(guint i) {
  return i == CC_OPTION_ROW      ? CC_OPTION_COLUMN
         : i == CC_OPTION_COLUMN ? CC_OPTION_ROW
                                 : CC_MAX_OPTIONS;
}

/* Sets the choices of the option `algorithm`, which come from the backends. Without this call
 * `auto` is the only choice. Must not be called after the table was used. */
void cc_options_set_algorithms(const CcChoice *choices);

/* The index of the option with a name, or cc_n_options. */
guint cc_options_find(const gchar *name);

/* Sets all options to their defaults. */
void cc_options_init(CcOptions *self);
void cc_options_clear(CcOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcOptions, cc_options_clear)

/* Sets option `i`, or refuses the value with CC_ERROR_INVALID and changes nothing. Coefficients or
 * a file that define the custom kernel also select it. An empty value removes the definition that
 * the same option made. A kernel file is read by this call. */
gboolean cc_options_set(CcOptions *self, guint i, const CcOptionValue *value, GError **error);

/* The value of option `i`. Its text belongs to `self`, and its coefficients are NULL. */
CcOptionValue cc_options_get(const CcOptions *self, guint i);

/* Sets options from a text of words NAME=VALUE, separated by white space and quoted as in a shell,
 * such as "kernel=gaussian size=5". Coefficients are written as for matrix-text. If one word is
 * wrong, nothing changes, and the message of the CC_ERROR_INVALID begins with that word in
 * quotes. */
gboolean cc_options_set_text(CcOptions *self, const gchar *text, GError **error);

/* The options whose values differ. The options that define the custom kernel are compared as one:
 * all of them differ or none does. */
CcOptionSet cc_options_compare(const CcOptions *a, const CcOptions *b);

/* Copies the values of the options in `set`. For an option that defines the custom kernel, the
 * whole definition is copied. */
void cc_options_assign(CcOptions *to, const CcOptions *from, CcOptionSet set);

/* The named kernel of a value of the options `kernel` and `chroma-kernel`, borrowed. NULL: the
 * value is CC_KERNEL_CUSTOM or CC_CHROMA_KERNEL_SAME. */
CcKernel *cc_options_named_kernel(gint value);

/* Sets `filter` from the options. The filter gets a new reference to its kernel. The kernel is NULL
 * if `kernel` is custom and no custom kernel is defined. */
void cc_options_get_filter(const CcOptions *self, CcFilter *filter);

/* Appends the regions (CcRegion) of `roi` and `target` in frames of a layout to `regions`. Appends
 * nothing if the whole frame is filtered or if the regions come from metas. CC_ERROR_INVALID if a
 * region cannot work in these frames. If `frame` is NULL, the frame is as large as possible. */
gboolean cc_options_find_regions(const CcOptions *self, const CcFrameLayout *frame, GArray *regions,
                                 GError **error);

G_END_DECLS
