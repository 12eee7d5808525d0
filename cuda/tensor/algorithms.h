/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of algorithms on the tensor cores. Its columns are those of CC_CLASSIC_ALGORITHMS. */
#define CC_TENSOR_ALGORITHMS(F)                                                                    \
  F(CC_ALGORITHM_TENSOR_CORE, "tensor-core", "Matrix products on the tensor cores", exact_sums,    \
    TRUE, tensor_core)
