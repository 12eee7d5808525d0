/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

#define CLASS(constant, name) [constant] = &cc_cpu_##name,
const CcCpuStageClass *cc_cpu_stage_classes[CC_N_STAGE_KINDS] = {CC_STAGES(CLASS)};
