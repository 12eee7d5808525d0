/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The convolution algorithms of the GPU; docs/algorithms.md explains each. All give the same bytes.
 */

#include "op.h"

G_BEGIN_DECLS

/* The list of them: F(constant, name, text for users, ops that it runs as in algorithm.c, host
 * half, which is cc_cuda_... in cuda/). A new one needs its row here, its .cu and its host half. */
#define CC_ALGORITHMS(F)                                                                           \
  F(CC_ALGORITHM_DIRECT, "direct", "A thread a pixel, coefficients in global memory", small,       \
    direct)                                                                                        \
  F(CC_ALGORITHM_CONSTANT, "constant", "A thread a pixel, coefficients in constant memory", small, \
    constant)                                                                                      \
  F(CC_ALGORITHM_TILE_HALO, "tile-halo", "Tiles with their halo in shared memory", small,          \
    tile_halo)                                                                                     \
  F(CC_ALGORITHM_TILE_CACHED, "tile-cached", "Tiles in shared memory, their halo from the cache",  \
    small, tile_cached)                                                                            \
  F(CC_ALGORITHM_SCATTER, "scatter", "A block a pixel, a thread a coefficient", taps, scatter)     \
  F(CC_ALGORITHM_TWO_PASS, "two-pass", "Rows, then columns; separable kernels", separable,         \
    two_pass)                                                                                      \
  F(CC_ALGORITHM_REGISTER_TILE, "register-tile",                                                   \
    "4x4 pixels a thread; separable kernels up to 7x7", tiny_separable, register_tile)             \
  F(CC_ALGORITHM_SLIDING, "sliding", "Products of matrices on the tensor cores, down the picture", \
    sliding, sliding)

/* The list of algorithms with AUTO before them, which stands for the fastest one that runs the
 * plan; there always is one. */
#define CC_ALGORITHMS_AND_AUTO(F)                                                                  \
  F(CC_ALGORITHM_AUTO, "auto", "The fastest for the kernel", all, none)                            \
  CC_ALGORITHMS(F)

typedef enum { CC_ALGORITHMS_AND_AUTO(CC_LIST_CONSTANT) } CcAlgorithm;
#define CC_N_ALGORITHMS (0 CC_ALGORITHMS_AND_AUTO(CC_LIST_PLUS_ONE))

/* The name of the algorithm as users write it: "tile-halo". */
const gchar *cc_algorithm_name(CcAlgorithm algorithm);

/* Whether the algorithm can run the op. */
gboolean cc_algorithm_runs(CcAlgorithm algorithm, const CcOp *op);

/* Whether no sum, nor a part of one, in any order, leaves 32-bit integers. */
gboolean cc_op_fits_int32(const CcOp *op);

G_END_DECLS
