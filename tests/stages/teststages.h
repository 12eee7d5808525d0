/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Stages that only tests have, on both backends, and what they have to give.
 *
 * MAXIMUM reads planes: a sample becomes the largest of the 3x3 samples around it, with the plan's
 * border rule at the edges of the region's target. LARGER reads samples: a sample becomes the
 * larger of itself and the sample of the source that it was made from. Both count how many samples
 * they change, as a guint64 that is read back. They leave components alone that are not filtered.
 */

#include "engine/run/backend.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;
  guint n;
  CcStage stage[3];
} TestStages;

/* Lists of such stages, up to one without a name; the first has none. MAXIMUM twice has planes of
 * 32 bits in between. */
extern const TestStages test_stages[];

/* Lets the CPU backend run them. */
void test_stages_use_on_cpu(void);

/* Lets the CUDA backend run them; only in builds with CUDA, and from tests/stages/on-gpu.c. */
void test_stages_use_on_gpu(void);

/* Makes of the targets of a region in `dst`, which a plan without the stages has made, what a plan
 * with them makes. Adds to count[i] how many samples stage i changes. */
void test_stages_apply(const TestStages *stages, const CcPlan *plan, const CcRegion *region,
                       const CcFrame *src, const CcFrame *dst, guint64 count[3]);

G_END_DECLS
