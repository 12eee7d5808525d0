/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The plan: how every sample of every plane is made. It is computed once when caps or properties
 * change, never per frame. It defines the arithmetic to the last bit, so that all backends and
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

/* One pass over a plane. The masks have one bit per component and do not overlap. A component in no
 * mask is not written by this pass. Code values are of the plane's depth, not shifted. */
typedef struct {
  guint plane;
  const CcOp *op;    /* NULL when filter_mask is 0 */
  guint filter_mask; /* filtered with op */
  guint copy_mask;   /* copied unchanged, shifted words included */
  guint fill_mask;   /* set to fill[] */
  guint16 fill[CC_MAX_COMPONENTS];
  guint16 border[CC_MAX_COMPONENTS]; /* value of a tap outside with CC_BORDER_CONSTANT */
} CcPass;

#define CC_MAX_PASSES (2 * CC_MAX_PLANES)
#define CC_MAX_STAGES 6

/* Immutable once made, reference counted. */
typedef struct {
  gatomicrefcount refs;
  CcFrameLayout frame_layout;     /* of the input */
  CcFrameLayout out_frame_layout; /* of the output: planes of 1/stride the size, rounded up */
  /* The planes that passes work on: the planes of the frame, or those that `map` makes of them. If
   * `packed`, all planes have the same height. All members below refer to these planes. */
  CcFrameLayout layout, out_layout;
  gboolean packed; /* some planes are not the frame's own */
  CcPlaneMap map[CC_MAX_PLANES];
  guint stride;    /* 1, 2 or 4 */
  guint algorithm; /* the filter's, for the GPU; other backends ignore it */
  CcBorder border;
  guint n_stages; /* in the order of execution; the first is CONVOLVE */
  CcStage stage[CC_MAX_STAGES];
  gsize result_bytes; /* read back by all stages for one region */
  /* Of CONVOLVE: every component of every plane is written by exactly one pass, or by
   * direction-color. */
  guint n_passes;
  CcPass pass[CC_MAX_PASSES];
  guint kernel_width, kernel_height; /* with the outer zeros that the ops leave out */
  guint n_ops;
  CcOp *op;
} CcPlan;

/* The rectangles of a region in all planes of a plan. Pixel (x, y) of a target is made from the
 * neighbourhood of pixel (stride * x, stride * y) of the source, both counted from their top left
 * corners. */
typedef struct {
  CcRect frame_source[CC_MAX_PLANES],
      frame_target[CC_MAX_PLANES];                     /* of the frame's planes, in groups */
  CcRect source[CC_MAX_PLANES], target[CC_MAX_PLANES]; /* of the planes that the plan works on */
  /* How many samples after the target's last one repeat it in the frame: 1 if an odd width ends in
   * half a macropixel, else 0. */
  guint repeats[CC_MAX_PLANES];
} CcPlacement;

/* Makes the plan of `filter` for frames of `layout`. CC_ERROR_INVALID names the property, its value
 * and the accepted values. */
CcPlan *cc_plan_new(const CcFilter *filter, const CcFrameLayout *layout, GError **error);

/* Whether the filter can work for any frames, so that errors that no frame could avoid are known
 * before the first frame. Errors are those of cc_plan_new. */
gboolean cc_filter_check(const CcFilter *filter, GError **error);

CcPlan *cc_plan_ref(CcPlan *plan);
void cc_plan_unref(CcPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcPlan, cc_plan_unref)

/* Finds the rectangles of a region of the plan's frames. */
void cc_plan_place(const CcPlan *plan, const CcRegion *region, CcPlacement *placement);

/* The data of the stage direction-color; NULL: the plan has no such stage. */
const CcDirectionColor *cc_plan_get_direction_color(const CcPlan *plan);

/* The components of a plane that CONVOLVE filters, and those that it makes (filters, copies or
 * fills), one bit each. */
guint cc_plan_filtered_components(const CcPlan *plan, guint plane);
guint cc_plan_made_components(const CcPlan *plan, guint plane);

/* The code value outside of a plane with CC_BORDER_CONSTANT, for a filtered component. */
guint cc_plan_border_code(const CcPlan *plan, guint plane, guint component);

/* The stage that reads the planes that `stage`, one of the plan's, makes; NULL: `stage` makes the
 * frame. If no pass makes anything, there are no planes, and no stage that reads planes runs. */
const CcStage *cc_plan_get_reader(const CcPlan *plan, const CcStage *stage);

/* Bytes of a sample of a plane that `reader` reads; with NULL, of the frame. */
gsize cc_plan_sample_bytes(const CcPlan *plan, const CcStage *reader, guint plane);

/* Appends these stages, in the order of CcStageReads, to every plan that is made from now on; n =
 * 0: none. A plan has at most CC_MAX_STAGES stages in total. For tests, while no other thread makes
 * plans. The stages are borrowed. */
void cc_plan_append_stages(const CcStage *stages, guint n);

/* One line for people that describes the filter's arithmetic: "3x3, 2 matrices, separable, exact,
 * sums of 12 bits, magnitude, 1 passes". */
gchar *cc_plan_describe(const CcPlan *plan);

G_END_DECLS
