/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

static const CcCpuStageClass *classes[CC_N_STAGE_KINDS] = {
    [CC_STAGE_DIRECTION_COLOR] = &cc_cpu_direction_color,
};

const CcCpuStageClass *
cc_cpu_stage_class(CcStageKind kind) {
  return classes[kind];
}

void
cc_cpu_set_test_stage(const CcCpuStageClass *klass) {
  classes[CC_STAGE_TEST] = klass;
}
