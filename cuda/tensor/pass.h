/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Properties of a pass that all tensor-core kernels need. */

#include "cuda/launch_config.h"
#include "conv2d_kernels.h"

G_BEGIN_DECLS

/* See CcTensorCoreJob. */
typedef struct {
  guint32 macropixel_luma, weights[2], colors;
  guint8 pixel;
} CcTensorCorePlaneMap;

/* Finds where the neighbours of samples lie in the pass's plane, and how its luma is computed.
 * FALSE: no kernel can compute it. */
gboolean cc_tensor_core_find_plane_map(CcTensorCorePlaneMap *found, const CcPlan *plan,
                                       const CcPass *pass);

/* Whether kernels can run a pass. They cannot copy shifted samples next to samples that they
 * filter. Differences between components must repeat after 8 bytes. */
gboolean cc_tensor_core_can_pass(const CcPass *pass, const CcPlaneLayout *layout);

/* Whether kernels can run a pass, and the pass writes all components of its plane. */
gboolean cc_tensor_core_can_write(const CcPass *pass, const CcPlaneLayout *layout);

/* The distance in samples to the outermost column of the filter kernel. */
guint cc_tensor_core_farthest_sample(const CcPass *pass, const CcPlaneLayout *layout);

/* Sets the border, the fill value and the plane map of a plane job. */
void cc_tensor_core_set_plane_map(CcPlaneJob *job, const CcTensorCorePlaneMap *map);

/* The distance in samples between neighbours of a component in a group of `step`. `macropixel_luma`
 * is that of CcTensorCoreJob. */
static inline gint
cc_tensor_core_samples_apart(guint macropixel_luma, gint step, gint component) {
  return macropixel_luma >> component & 1 ? step / 2 : step;
}

G_END_DECLS
