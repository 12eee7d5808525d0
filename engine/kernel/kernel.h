/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Kernel definitions: one or more matrices a size, with the defaults that belong to them. They come
 * from key files in the format of presets/kernels.ini or from a user's matrix. */

#include <glib.h>
#include "engine/error.h"
#include "engine/shared.h"

G_BEGIN_DECLS

#define CC_MAX_KERNEL_SIZE                                                                         \
  127                         /* rows and columns of any kernel; so large are means and Gaussians */
#define CC_MAX_LINE_SIZE 31   /* coefficients of a row or a column that is given */
#define CC_MAX_MATRIX_SIZE 15 /* rows and columns of a given matrix of several rows and columns */
#define CC_MAX_COEFFS (CC_MAX_MATRIX_SIZE * CC_MAX_MATRIX_SIZE) /* of such a one */
#define CC_MAX_MATRICES 8                                       /* of one kernel */
#define CC_MAX_TAPS (2 * CC_MAX_COEFFS)                         /* of all such of a kernel */
#define CC_MAX_COEFF 1e8                                        /* largest absolute value */
#define CC_MAX_FILE_BYTES (64 * 1024)                           /* of a file of definitions */

/* What becomes of chroma. */
#define CC_CHROMAS(F)                                                                              \
  F(CC_CHROMA_AUTO, "auto", "The kernel's own")                                                    \
  F(CC_CHROMA_FILTER, "filter", "Filtered as luma is")                                             \
  F(CC_CHROMA_COPY, "copy", "Copied")                                                              \
  F(CC_CHROMA_NEUTRAL, "neutral", "Set to grey")

typedef enum { CC_CHROMAS(CC_LIST_CONSTANT) } CcChroma;
enum { CC_N_CHROMAS = CC_CHROMAS(CC_LIST_PLUS_ONE) };

/* What a kernel is for, with the chroma that such a kernel has unless it says otherwise. PLAIN is
 * plain arithmetic on every plane: a user's matrix. EDGE answers flat areas with the stream's legal
 * black. */
#define CC_KERNEL_CLASSES(F)                                                                       \
  F(CC_KERNEL_PLAIN, "plain", CC_CHROMA_FILTER)                                                    \
  F(CC_KERNEL_BLUR, "blur", CC_CHROMA_FILTER)                                                      \
  F(CC_KERNEL_SHARPEN, "sharpen", CC_CHROMA_COPY)                                                  \
  F(CC_KERNEL_EDGE, "edge", CC_CHROMA_NEUTRAL)

typedef enum { CC_KERNEL_CLASSES(CC_LIST_CONSTANT) } CcKernelClass;
enum { CC_N_KERNEL_CLASSES = CC_KERNEL_CLASSES(CC_LIST_PLUS_ONE) };

/* `height` rows of `width` coefficients; both odd, 1 to CC_MAX_KERNEL_SIZE. */
typedef struct {
  guint width, height;
  gboolean factored;            /* beyond CC_MAX_MATRIX_SIZE: it is column times row */
  gdouble coeff[CC_MAX_COEFFS]; /* row by row; not when factored */
  gdouble row[CC_MAX_KERNEL_SIZE], column[CC_MAX_KERNEL_SIZE]; /* only when factored */
} CcMatrix;

/* The matrices of a kernel at one size; all have the same width and height. */
typedef struct {
  guint size;       /* what the user writes: the larger side */
  gdouble scale;    /* 0: automatic, 1/sum of the first matrix when that is positive, else 1 */
  guint n_matrices; /* 1 to CC_MAX_MATRICES, and at most CC_MAX_TAPS coefficients in all, or 1 or 2
                       when they are factored */
  CcMatrix *matrix;
} CcKernelSize;

/* One definition; immutable once made, reference counted. */
typedef struct {
  gatomicrefcount refs;
  gchar *name; /* lower case letters, digits and dashes */
  gchar *description;
  CcKernelClass klass;
  CcResponse response; /* never AUTO */
  CcChroma chroma;     /* never AUTO */
  gboolean gaussian;   /* may also be sampled from a Gaussian: with a given sigma, or of a larger
                          size than all of sizes */
  gboolean mean;       /* larger sizes than all of sizes are means */
  guint default_size;  /* one of sizes */
  guint n_sizes;
  CcKernelSize *sizes; /* ascending by size */
} CcKernel;

CcKernel *cc_kernel_ref(CcKernel *kernel);
void cc_kernel_unref(CcKernel *kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcKernel, cc_kernel_unref)

/* Makes a matrix of column times row, from n_row and n_column numbers. */
void cc_matrix_init_product(CcMatrix *matrix, const gdouble *row, guint n_row,
                            const gdouble *column, guint n_column);

/* The definition that a wish for `size` gets (0: the default): the one of that size, else the next
 * smaller one, and below the smallest that. A user's matrix has only its own. What is sampled, or a
 * larger mean, is no definition. */
const CcKernelSize *cc_kernel_get_size(const CcKernel *kernel, guint size);

/* Whether the kernel takes a size beyond all of its definitions, as Gaussian or mean. */
gboolean cc_kernel_has_larger_size(const CcKernel *kernel, guint size);

/* A plain kernel named "custom" of one matrix given as `n` coefficients in rows of `width`. A
 * single row or column may have up to CC_MAX_LINE_SIZE, other matrices up to CC_MAX_MATRIX_SIZE
 * each way. Refused with CC_ERROR_INVALID: even or too large sides, n not a multiple of width,
 * coefficients that are not finite or above CC_MAX_COEFF. */
CcKernel *cc_kernel_new_matrix(const gdouble *coeff, guint n, guint width, GError **error);

/* Makes such a kernel from a flat list whose shape is not told: n must be the square of an odd
 * number. */
CcKernel *cc_kernel_new_square(const gdouble *coeff, guint n, GError **error);

/* Makes such a kernel as column times row: `n_column` rows of `n_row` coefficients. */
CcKernel *cc_kernel_new_separable(const gdouble *row, guint n_row, const gdouble *column,
                                  guint n_column, GError **error);

/* All definitions of the text of a key file, in the order of the file: an array of CcKernel that
 * owns them, never empty. `origin` names the text in errors. These are CC_ERROR_INVALID, for a text
 * of more than CC_MAX_FILE_BYTES too, and begin with "ORIGIN:LINE:COLUMN: " where there is a place
 * to name. They repeat nothing from the text but the format's own words and sizes. */
GPtrArray *cc_kernels_parse(const gchar *text, gsize length, const gchar *origin, GError **error);

/* The first definition in the file at `path`, under the name "custom", which must be a regular
 * file: others are not opened. Errors are as above; they hold the path, or the end of a long one.
 */
CcKernel *cc_kernel_load(const gchar *path, GError **error);

/* The named kernels compiled in from presets/kernels.ini; owned by the library, made once. */
const GPtrArray *cc_kernels_builtin(void);

/* A named kernel, or NULL. Not a new reference. */
CcKernel *cc_kernels_find(const gchar *name);

G_END_DECLS
