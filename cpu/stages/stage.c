/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

const CcCpuStageClass *cc_cpu_stage_classes[CC_N_STAGE_KINDS] = {
    [CC_STAGE_DIRECTION_COLOR] = &cc_cpu_direction_color,
};
