/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Stages that only tests have, on both backends, and what they have to give.
 *
 * MAXIMUM reads planes: a sample becomes the largest of the 3x3 samples around it, with the plan's
 * border rule at the edges of the region's target; components that are not filtered pass. LARGER
 * reads samples: every sample of the frame becomes the larger of itself and the sample of the
 * source that it was made from. Both count how many samples they change, as a guint64 that is read
 * back. */

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

/* Which sample of a row of the source, counted from the region's left edge, becomes sample i of a
 * row of the target, counted likewise. In packed 4:2:2 the spare luma of an odd width, behind
 * `n_pixels` of luma, is as the last one. */
static inline guint
test_stages_source_sample(const CcPlaneLayout *frame_plane, guint stride, guint n_pixels, guint i) {
  const guint step = frame_plane->step, c = i % step, group = i / step;
  if (!frame_plane->pairs || frame_plane->role[c] != CC_ROLE_LUMA)
    return stride * group * step + c;
  const guint pixel = stride * MIN(2 * group + c / 2, n_pixels - 1);
  return pixel / 2 * step + c % 2 + 2 * (pixel % 2);
}

/* Pixels of luma in a row of a packed 4:2:2 target. */
static inline guint
test_stages_pixels(const CcPlaneLayout *out_frame_plane, const CcRect *frame_target) {
  const guint n = 2 * frame_target->width;
  const gboolean is_cut = out_frame_plane->width % 2 &&
                          frame_target->x + frame_target->width == cc_plane_groups(out_frame_plane);
  return is_cut ? n - 1 : n;
}

/* Lets the CPU backend run them. */
void test_stages_use_on_cpu(void);

/* Lets the CUDA backend run them; only in builds with CUDA, and from tests/stages/on-gpu.c. */
void test_stages_use_on_gpu(void);

/* Copies of frames in memory that a device reaches: pinned, in one block or in several, or its own.
 * The planes begin at odd places, or at those that kernels want. Only in builds with CUDA. */
typedef struct _TestDeviceFrame TestDeviceFrame;
TestDeviceFrame *test_device_frame_new(CcDevice *device, const CcFrameLayout *layout,
                                       CcMemoryKind memory, gboolean is_aligned);
void test_device_frame_free(TestDeviceFrame *self);
const CcFrame *test_device_frame_get(const TestDeviceFrame *self);
/* Copies all samples to the device frame, or back. */
void test_device_frame_copy(const TestDeviceFrame *self, const CcFrame *host, gboolean to_device);

/* Makes of the targets of a region in `dst`, which a plan without the stages has made, what a plan
 * with them makes. Adds to count[i] how many samples stage i changes. */
void test_stages_apply(const TestStages *stages, const CcPlan *plan, const CcRegion *region,
                       const CcFrame *src, const CcFrame *dst, guint64 count[3]);

G_END_DECLS
