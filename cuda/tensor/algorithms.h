/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The algorithm on the tensor cores, with the columns of CC_CLASSIC_ALGORITHMS. */
#define CC_TENSOR_ALGORITHMS(F)                                                                    \
  F(CC_ALGORITHM_SLIDING, "sliding", "Products of matrices on the tensor cores, down the picture", \
    exact_sums, TRUE, sliding)
