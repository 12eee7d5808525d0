/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The convolution algorithms of the GPU; docs/algorithms.md explains each. All give the same bytes.
 */

#include "op.h"

G_BEGIN_DECLS

typedef enum {
  CC_ALGORITHM_AUTO, /* the fastest that runs the plan; there always is one */
  CC_ALGORITHM_DIRECT,
  CC_ALGORITHM_CONSTANT,
  CC_ALGORITHM_TILE_HALO,
  CC_ALGORITHM_TILE_CACHED,
  CC_ALGORITHM_SCATTER,
  CC_ALGORITHM_TWO_PASS,
  CC_ALGORITHM_REGISTER_TILE,
  CC_ALGORITHM_SLIDING,
  CC_N_ALGORITHMS,
} CcAlgorithm;

/* "tile-halo" */
const gchar *cc_algorithm_name(CcAlgorithm algorithm);

/* Whether the algorithm can run the op. AUTO can run any; direct, constant, tile-halo, tile-cached
 * and scatter as well. */
gboolean cc_algorithm_runs(CcAlgorithm algorithm, const CcOp *op);

/* Whether the op is exact and no sum, nor a part of one, in any order, leaves 32-bit integers. */
gboolean cc_op_fits_int32(const CcOp *op);

G_END_DECLS
