/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pass.h"

#include <string.h>

/* Whether sample `i` of a group is luma of a macropixel (4:2:2). */
static gboolean
is_paired(const CcPlaneLayout *layout, guint i) {
  return layout->has_macropixels && layout->role[i] == CC_ROLE_LUMA;
}

guint
cc_tensor_core_farthest_sample(const CcPass *pass, const CcPlaneLayout *layout) {
  gboolean all_paired = TRUE;
  for (guint i = 0; i < layout->step; i++)
    all_paired &= is_paired(layout, i) || !(pass->filter_mask >> i & 1);
  return pass->op->width / 2 * (all_paired ? layout->step / 2 : layout->step);
}

gboolean
cc_tensor_core_can_pass(const CcPass *pass, const CcPlaneLayout *layout) {
  const guint all = (1u << layout->step) - 1;
  return (!(pass->copy_mask & all) || !pass->filter_mask || !layout->shift) &&
         (layout->step != 3 || pass->filter_mask == all || !pass->filter_mask);
}

static gboolean
writes_all(const CcPass *pass, const CcPlaneLayout *layout) {
  const guint all = (1u << layout->step) - 1;
  return ((pass->filter_mask | pass->copy_mask | pass->fill_mask) & all) == all;
}

gboolean
cc_tensor_core_can_write(const CcPass *pass, const CcPlaneLayout *layout) {
  return writes_all(pass, layout) && cc_tensor_core_can_pass(pass, layout);
}

gboolean
cc_tensor_core_find_plane_map(CcTensorCorePlaneMap *found, const CcPlan *plan, const CcPass *pass) {
  static const guint16 weights[3] = {CC_LUMA_RED, CC_LUMA_GREEN, CC_LUMA_BLUE};
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  const CcPlaneMap *map = &plan->map[pass->plane];
  const guint step = plan->frame_layout.plane[map->offset[0].plane].step;
  for (guint i = 0; i < layout->step; i++)
    found->macropixel_luma |= (guint)is_paired(layout, i) << i;
  if (map->kind != CC_PLANE_MAP_LUMA || plan->packed)
    return TRUE; /* there is no luma to compute, or the deinterleave step computes it */
  found->pixel = layout->step == 1 ? (guint8)step : 0;
  for (guint i = 0; i < 3; i++) {
    const guint at = map->offset[i].first;
    found->weights[at / 2] |= (guint32)weights[i] << at % 2 * 16;
    found->colors |= 0xFFu << 8 * at;
  }
  return (layout->type == CC_SAMPLE_U8 || (step == 4 && layout->shift == 0)) &&
         (!found->pixel || plan->stride == 1);
}

/* Fills `bytes` bytes with samples of a row. A sample of component c gets the code value
 * code[c]. */
static void
set_pattern(guint64 *to, gint bytes, const CcPlaneJob *job, const gint32 *code) {
  for (gint i = 0; i < bytes; i += job->sample_bytes) {
    const guint64 word = (guint64)code[i / job->sample_bytes % job->step] << job->shift;
    to[i / 8] = (i % 8 ? to[i / 8] : 0) | word << 8 * (i % 8);
  }
}

void
cc_tensor_core_set_plane_map(CcPlaneJob *job, const CcTensorCorePlaneMap *map) {
  CcTensorCoreJob *priv = CC_PRIVATE(CcTensorCoreJob, job);
  set_pattern(priv->border, sizeof priv->border, job, job->border_code);
  set_pattern(&priv->fill, sizeof priv->fill, job, job->fill);
  priv->macropixel_luma = map->macropixel_luma;
  priv->colors = map->colors;
  priv->pixel = map->pixel;
  memcpy(priv->weights, map->weights, sizeof priv->weights);
}
