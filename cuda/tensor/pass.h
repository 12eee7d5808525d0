/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What all kernels on the tensor cores have to know of a pass. */

#include "cuda/launch_config.h"
#include "conv2d_kernels.h"

G_BEGIN_DECLS

/* As in CcTensorCoreJob. */
typedef struct {
  guint32 pairs, weights[2], colors;
  guint8 pixel;
} CcTensorCorePlaneMap;

/* Finds where neighbours lie, and how luma is made that a pass of a plan filters. FALSE: that is
 * not made of such samples. */
gboolean cc_tensor_core_find_plane_map(CcTensorCorePlaneMap *found, const CcPlan *plan,
                                       const CcPass *pass);

/* Whether kernels can run a pass. They copy no samples that are shifted beside some that they
 * filter, and whatever differs between components has to repeat after 8 bytes. */
gboolean cc_tensor_core_can_pass(const CcPass *pass, const CcPlaneLayout *layout);

/* Whether kernels can run a pass, which leaves no component to another one. */
gboolean cc_tensor_core_can_write(const CcPass *pass, const CcPlaneLayout *layout);

/* The samples that the outermost column of the window is away. */
guint cc_tensor_core_farthest_sample(const CcPass *pass, const CcPlaneLayout *layout);

/* Sets what a part knows of its border, its filling and its packing. */
void cc_tensor_core_set_plane_map(CcPlaneJob *job, const CcTensorCorePlaneMap *map);

/* The samples from one of a component to its next in a group of `step`; `pairs` as in
 * CcTensorCoreJob. */
static inline gint
cc_tensor_core_samples_apart(guint pairs, gint step, gint component) {
  return pairs >> component & 1 ? step / 2 : step;
}

G_END_DECLS
