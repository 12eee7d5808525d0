/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Stages that only tests have, for both backends, and their expected results.
 *
 * MAXIMUM reads planes. A sample becomes the largest of the 3x3 samples around it, with the plan's
 * border rule at the edges of the region's target. Components that are not filtered are copied.
 * LARGER reads samples. Every sample of the frame becomes the larger of itself and the source
 * sample that it was computed from. Both count the samples that they change, as a guint64 that is
 * read back. */

#include "engine/run/backend.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name;
  guint n;
  CcStage stage[3];
} TestStages;

/* Lists of such stages, terminated by one without a name. The first has no stage. Between two
 * MAXIMUM stages, planes have 32-bit samples. */
extern const TestStages test_stages[];

/* The source sample, counted from the region's left edge in a row, that becomes sample i of a row
 * of the target. In 4:2:2, if the width is odd, the spare luma behind `n_pixels` of luma is that of
 * the last pixel. */
static inline guint
test_stages_source_sample(const CcPlaneLayout *frame_plane, guint stride, guint n_pixels, guint i) {
  const guint step = frame_plane->step, c = i % step, group = i / step;
  if (!frame_plane->has_macropixels || frame_plane->role[c] != CC_ROLE_LUMA)
    return stride * group * step + c;
  const guint pixel = stride * MIN(2 * group + c / 2, n_pixels - 1);
  return pixel / 2 * step + c % 2 + 2 * (pixel % 2);
}

/* Pixels in a row of a 4:2:2 target. */
static inline guint
test_stages_pixels(const CcPlaneLayout *out_frame_plane, const CcRect *frame_target) {
  const guint n = 2 * frame_target->width;
  const gboolean is_cut = out_frame_plane->width % 2 &&
                          frame_target->x + frame_target->width == cc_plane_groups(out_frame_plane);
  return is_cut ? n - 1 : n;
}

/* Register the stages with the CPU backend. */
void test_stages_use_on_cpu(void);

/* Registers the stages with the CUDA backend. Only in builds with CUDA; implemented in
 * tests/stages/on-gpu.c. */
void test_stages_use_on_gpu(void);

/* A copy of a frame in memory that a device can access: pinned or device memory. The planes are
 * aligned as kernels need it, or not. Only in builds with CUDA. */
typedef struct _TestDeviceFrame TestDeviceFrame;
TestDeviceFrame *test_device_frame_new(CcDevice *device, const CcFrameLayout *layout,
                                       CcMemoryKind memory, gboolean is_aligned);
void test_device_frame_free(TestDeviceFrame *self);
const CcFrame *test_device_frame_get(const TestDeviceFrame *self);
/* Copies all samples to the device frame, or back. */
void test_device_frame_copy(const TestDeviceFrame *self, const CcFrame *host, gboolean to_device);

/* Applies the stages to the targets of a region in `dst`, which has the result of `plan`, a plan
 * without the stages. With `by_fields`, each field has its own edges. Adds to count[i] the number
 * of samples that stage i changes. */
void test_stages_apply(const TestStages *stages, const CcPlan *plan, const CcRegion *region,
                       gboolean by_fields, const CcFrame *src, const CcFrame *dst,
                       guint64 count[3]);

G_END_DECLS
