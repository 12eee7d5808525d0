/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

static const CcCudaStageClass *classes[CC_N_STAGE_KINDS] = {
    [CC_STAGE_DIRECTION_COLOR] = &cc_cuda_direction_color,
};

const CcCudaStageClass *
cc_cuda_stage_class(CcStageKind kind) {
  return classes[kind];
}

void
cc_cuda_set_test_stage(const CcCudaStageClass *klass) {
  classes[CC_STAGE_TEST] = klass;
}
