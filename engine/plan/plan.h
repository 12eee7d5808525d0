/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The plan: what happens to every sample of every plane, worked out once when caps or properties
 * change, never per frame. It fixes the arithmetic to the last bit, so that all backends and
 * algorithms give the same bytes; docs/numerics.md explains it. */

#include <glib.h>
#include "filter.h"
#include "engine/frame.h"
#include "direction_color.h"
#include "op.h"
#include "plane_map.h"
#include "region.h"
#include "stage.h"

G_BEGIN_DECLS

/* One sweep over a plane. The masks have a bit per component and do not overlap; a component in
 * none of them is not written (another pass does). Code values are of the plane's depth, not
 * shifted. */
typedef struct {
  guint plane;
  const CcOp *op;    /* NULL when filter_mask is 0 */
  guint filter_mask; /* filtered with op */
  guint copy_mask;   /* copied bit by bit, shifted words included */
  guint fill_mask;   /* set to fill[] */
  guint16 fill[CC_MAX_COMPONENTS];
  guint16 border[CC_MAX_COMPONENTS]; /* what a tap outside reads with CC_BORDER_CONSTANT */
} CcPass;

#define CC_MAX_PASSES (2 * CC_MAX_PLANES)
#define CC_MAX_STAGES 6

/* Immutable once made, reference counted. */
typedef struct {
  gatomicrefcount refs;
  CcFrameLayout frame_layout;     /* of the input */
  CcFrameLayout out_frame_layout; /* of the output: planes of 1/stride the size, rounded up */
  /* What passes work on: the planes of the frame, or what packing makes of them. Of planes that are
   * packed, all have the same height. All that follows counts these planes. */
  CcFrameLayout layout, out_layout;
  gboolean packed; /* not all planes are the frame's */
  CcPlaneMap map[CC_MAX_PLANES];
  guint stride;    /* 1, 2 or 4 */
  guint algorithm; /* for the GPU, from the filter; other backends ignore it */
  CcBorder border;
  guint n_stages; /* in the order in which a sample passes them; the first is CONVOLVE */
  CcStage stage[CC_MAX_STAGES];
  gsize result_bytes; /* that all of them read back for a region */
  /* Of CONVOLVE: every component of every plane is written by exactly one, or by direction-color.
   */
  guint n_passes;
  CcPass pass[CC_MAX_PASSES];
  guint kernel_width, kernel_height; /* outer zeros included, which the ops leave out */
  guint n_ops;
  CcOp *op;
} CcPlan;

/* Where a region lies in all planes of a plan. Pixel (x, y) of a target is made from the window
 * around pixel (stride * x, stride * y) of the source, both counted from their top left corners. */
typedef struct {
  CcRect frame_source[CC_MAX_PLANES], frame_target[CC_MAX_PLANES]; /* of the frame, in groups */
  CcRect source[CC_MAX_PLANES], target[CC_MAX_PLANES]; /* of the planes that the plan works on */
  guint repeats[CC_MAX_PLANES]; /* how many samples behind the target's last one repeat it in the
                                   frame: 1 where an odd width ends in half a pair, else 0 */
} CcPlacement;

/* Works out the plan of `filter` for frames of `layout`. CC_ERROR_INVALID names the property, its
 * value and what would be accepted. */
CcPlan *cc_plan_new(const CcFilter *filter, const CcFrameLayout *layout, GError **error);

/* Whether there are frames that the filter can work on, so that what no frame can mend is known
 * before the first one. Errors are as above. */
gboolean cc_filter_check(const CcFilter *filter, GError **error);

CcPlan *cc_plan_ref(CcPlan *plan);
void cc_plan_unref(CcPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcPlan, cc_plan_unref)

/* Where a region of the plan's frames lies. */
void cc_plan_place(const CcPlan *plan, const CcRegion *region, CcPlacement *placement);

/* How direction-color paints; NULL: it is none of the stages. */
const CcDirectionColor *cc_plan_get_direction_color(const CcPlan *plan);

/* The components of a plane that CONVOLVE filters, a bit each; and those that it makes: filters,
 * copies or fills. */
guint cc_plan_filtered_components(const CcPlan *plan, guint plane);
guint cc_plan_made_components(const CcPlan *plan, guint plane);

/* The code value outside of a plane with CC_BORDER_CONSTANT, of a component that is filtered. */
guint cc_plan_border_code(const CcPlan *plan, guint plane, guint component);

/* The stage that reads the planes that `stage`, one of the plan's, makes; NULL: it makes the frame.
 * Where no pass makes anything there are no planes, and no stage that reads them runs. */
const CcStage *cc_plan_get_reader(const CcPlan *plan, const CcStage *stage);

/* Bytes of a sample of a plane that a stage reads; of NULL, of a frame. */
gsize cc_plan_sample_bytes(const CcPlan *plan, const CcStage *reader, guint plane);

/* Gives every plan that is made from now on these stages behind its own, which may be as many as
 * CC_MAX_STAGES with them, in the order of CcStageReads; n = 0: none. For tests,
 * while no other thread makes plans; the stages are borrowed. */
void cc_plan_append_stages(const CcStage *stages, guint n);

/* One line for people, which says how the filter is computed: "3x3, 2 matrices, separable, exact,
 * sums of 12 bits, magnitude, 1 passes". */
gchar *cc_plan_describe(const CcPlan *plan);

G_END_DECLS
