/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Properties of a pass that all tensor-core kernels need. */

#include "cuda/launch_config.h"
#include "conv2d_kernels.h"

G_BEGIN_DECLS

/* The plane map of a pass. The members are described in CcTensorCoreJob. */
typedef struct {
  guint32 macropixel_luma, weights[2], colors;
  guint8 pixel;
} CcTensorCorePlaneMap;

/* Finds the distances between neighbouring samples in the pass's plane, and how the luma of the
 * plane is computed. FALSE: no kernel can compute this luma. */
gboolean cc_tensor_core_find_plane_map(CcTensorCorePlaneMap *found, const CcPlan *plan,
                                       const CcPass *pass);

/* Whether kernels can run a pass. Kernels cannot copy samples that are stored shifted if the pass
 * also filters samples. In a plane with three samples per pixel, a pass must filter all components
 * or none, because the pattern of components must repeat after 8 bytes. */
gboolean cc_tensor_core_can_pass(const CcPass *pass, const CcPlaneLayout *layout);

/* Whether kernels can run a pass, and the pass writes all components of its plane. */
gboolean cc_tensor_core_can_write(const CcPass *pass, const CcPlaneLayout *layout);

/* The distance in samples from the middle column of the filter kernel to its outermost column. */
guint cc_tensor_core_farthest_sample(const CcPass *pass, const CcPlaneLayout *layout);

/* Sets the border, the fill value and the plane map of a plane job. */
void cc_tensor_core_set_plane_map(CcPlaneJob *job, const CcTensorCorePlaneMap *map);

/* The distance in samples between neighbours of a component. A group has `step` samples.
 * `macropixel_luma` is the member of CcTensorCoreJob. */
static inline gint
cc_tensor_core_samples_apart(guint macropixel_luma, gint step, gint component) {
  return macropixel_luma >> component & 1 ? step / 2 : step;
}

G_END_DECLS
