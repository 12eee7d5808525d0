/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of the classic algorithms. The columns of F are: the constant, the name, a text for
 * users, the ops that the algorithm runs (`small` means runs_small of cuda/algorithm.c), whether
 * `auto` may choose the algorithm, and the host code (`direct` means cc_cuda_direct of classic.c).
 * `auto` tries the algorithms from the last to the first. */
#define CC_CLASSIC_ALGORITHMS(F)                                                                   \
  F(CC_ALGORITHM_DIRECT, "direct", "One thread per pixel, coefficients in global memory", small,   \
    FALSE, direct)                                                                                 \
  F(CC_ALGORITHM_CONSTANT, "constant", "One thread per pixel, coefficients in constant memory",    \
    small, TRUE, constant)                                                                         \
  F(CC_ALGORITHM_TILE_HALO, "tile-halo", "Tiles with their halo in shared memory", small, FALSE,   \
    tile_halo)                                                                                     \
  F(CC_ALGORITHM_TILE_CACHED, "tile-cached", "Tiles in shared memory, their halo from the cache",  \
    small, FALSE, tile_cached)                                                                     \
  F(CC_ALGORITHM_SCATTER, "scatter", "One block per pixel, one thread per coefficient", taps,      \
    FALSE, scatter)                                                                                \
  F(CC_ALGORITHM_TWO_PASS, "two-pass", "Rows, then columns; separable kernels", separable, TRUE,   \
    two_pass)                                                                                      \
  F(CC_ALGORITHM_REGISTER_TILE, "register-tile",                                                   \
    "4x4 pixels per thread; separable kernels up to 7x7", tiny_separable, FALSE, register_tile)

/* The algorithm that runs a pass if no other algorithm does. It has a kernel for every type and
 * layout of samples. It runs no op larger than CC_MAX_MATRIX_SIZE. Such ops are separable, so
 * two-pass runs them. */
#define CC_ALGORITHM_FALLBACK CC_ALGORITHM_CONSTANT
