/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Kernel definitions: one or more matrices for each size, and the defaults of the kernel.
 * Definitions come from key files in the format of presets/kernels.ini or from a user's matrix. */

#include <glib.h>
#include "engine/error.h"
#include "engine/shared.h"

G_BEGIN_DECLS

/* The maximum number of rows or columns of any kernel. Only box and Gaussian kernels can be this
 * large. */
#define CC_MAX_KERNEL_SIZE 127
#define CC_MAX_LINE_SIZE 31 /* coefficients of a row or column that a user or a file gives */
/* The maximum number of rows or columns of a given matrix with several rows and several columns. */
#define CC_MAX_MATRIX_SIZE 15
#define CC_MAX_COEFFS (CC_MAX_MATRIX_SIZE * CC_MAX_MATRIX_SIZE) /* of one given matrix */
#define CC_MAX_MATRICES 8 /* matrices of one kernel at one size */
/* The maximum number of coefficients of all given matrices of a kernel at one size. */
#define CC_MAX_TAPS (2 * CC_MAX_COEFFS)
#define CC_MAX_COEFF 1e8              /* largest absolute value of a coefficient */
#define CC_MAX_FILE_BYTES (64 * 1024) /* size of a kernel file */

#define CC_CHROMAS(F)                                                                              \
  F(CC_CHROMA_AUTO, "auto", "The kernel's own")                                                    \
  F(CC_CHROMA_FILTER, "filter", "Filtered as luma is")                                             \
  F(CC_CHROMA_COPY, "copy", "Copied")                                                              \
  F(CC_CHROMA_NEUTRAL, "neutral", "Set to grey")

typedef enum { CC_CHROMAS(CC_LIST_CONSTANT) } CcChroma;
enum { CC_N_CHROMAS = CC_CHROMAS(CC_LIST_PLUS_ONE) };

/* The purpose of a kernel, with its default for chroma. PLAIN is plain arithmetic on every plane,
 * as for a user's matrix. EDGE turns flat areas into the stream's legal black. */
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
  gboolean factored; /* a side is above CC_MAX_MATRIX_SIZE: only column and row are stored */
  gdouble coeff[CC_MAX_COEFFS];                                /* row by row; unset if factored */
  gdouble row[CC_MAX_KERNEL_SIZE], column[CC_MAX_KERNEL_SIZE]; /* set only if factored */
} CcMatrix;

/* The matrices of a kernel at one size; all have the same width and height. */
typedef struct {
  guint size; /* value of the property `size`: the larger side of the matrices */
  /* 0: automatic, that is, 1 / sum of the first matrix if the sum is positive, else 1 */
  gdouble scale;
  /* 1 to CC_MAX_MATRICES, with at most CC_MAX_TAPS coefficients in total; 1 or 2 if factored */
  guint n_matrices;
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
  /* The kernel is a Gaussian. It is sampled if a sigma is given or the size is larger than all of
   * `sizes`. */
  gboolean gaussian;
  gboolean mean;      /* with a size larger than all of `sizes`, the kernel is a box (mean) */
  guint default_size; /* one of sizes */
  guint n_sizes;
  CcKernelSize *sizes; /* ascending by size */
} CcKernel;

CcKernel *cc_kernel_ref(CcKernel *kernel);
void cc_kernel_unref(CcKernel *kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcKernel, cc_kernel_unref)

/* Makes the matrix column times row. */
void cc_matrix_init_product(CcMatrix *matrix, const gdouble *row, guint n_row,
                            const gdouble *column, guint n_column);

/* The definition for a requested `size`; 0 requests the default size. Returns the definition of
 * that size, else of the next smaller size, else of the smallest size. A user's matrix has only its
 * own size. Sampled Gaussians have no definition, and neither have mean kernels that are larger
 * than all of `sizes`. */
const CcKernelSize *cc_kernel_get_size(const CcKernel *kernel, guint size);

/* Whether `size` is a valid size of the kernel that is larger than all of its definitions. Only
 * Gaussian and mean kernels have such sizes. */
gboolean cc_kernel_has_larger_size(const CcKernel *kernel, guint size);

/* Makes a plain kernel named "custom" with one matrix of `n` coefficients in rows of `width`. A
 * single row or column may have up to CC_MAX_LINE_SIZE coefficients, other matrices up to
 * CC_MAX_MATRIX_SIZE rows and columns. CC_ERROR_INVALID if a side is even or too large, if n
 * is 0 or not a multiple of width, or if a coefficient is not finite or its absolute value is above
 * CC_MAX_COEFF. */
CcKernel *cc_kernel_new_matrix(const gdouble *coeff, guint n, guint width, GError **error);

/* Like cc_kernel_new_matrix for a flat list: n must be the square of an odd number. */
CcKernel *cc_kernel_new_square(const gdouble *coeff, guint n, GError **error);

/* Like cc_kernel_new_matrix for column times row, with up to CC_MAX_LINE_SIZE coefficients each.
 * CC_MAX_COEFF limits only the products. */
CcKernel *cc_kernel_new_separable(const gdouble *row, guint n_row, const gdouble *column,
                                  guint n_column, GError **error);

/* Parses the text of a key file. Returns an array that owns its CcKernels, in the order of the file
 * and never empty. `origin` names the text in errors. Errors are CC_ERROR_INVALID, also for a text
 * of more than CC_MAX_FILE_BYTES. An error about one position begins with "ORIGIN:LINE:COLUMN: ".
 * Errors quote nothing from the text except the format's own words and sizes. */
GPtrArray *cc_kernels_parse(const gchar *text, gsize length, const gchar *origin, GError **error);

/* Loads the first definition in the file at `path`, under the name "custom". Only regular files are
 * opened. Errors are those of cc_textfile_read and of cc_kernels_parse, which also checks the other
 * definitions. They contain the path, or the end of a long path. */
CcKernel *cc_kernel_load(const gchar *path, GError **error);

/* The named kernels, compiled in from presets/kernels.ini. The array is made once and owned by the
 * library. */
const GPtrArray *cc_kernels_builtin(void);

/* The named kernel, or NULL. Returns no new reference. */
CcKernel *cc_kernels_find(const gchar *name);

G_END_DECLS
