/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The plan: how every sample of every plane is made. It is computed once when caps or properties
 * change, never per frame. It defines the arithmetic to the last bit, so that all backends and
 * algorithms give the same bytes; docs/numerics.md explains it. */

#include <glib.h>
#include "filter.h"
#include "engine/frame.h"
#include "canny.h"
#include "compose.h"
#include "direction_color.h"
#include "measure.h"
#include "op.h"
#include "plane_map.h"
#include "region.h"
#include "stage.h"
#include "weighted.h"

G_BEGIN_DECLS

/* One pass over a plane. The masks have one bit per component and do not overlap. A component in no
 * mask is not written by this pass. Code values are of the plane's depth, not shifted. */
typedef struct {
  guint plane;
  const CcOp *op;    /* NULL when filter_mask is 0 */
  guint filter_mask; /* components that are filtered with op */
  guint copy_mask;   /* components that are copied; all bits of the stored words stay unchanged */
  guint fill_mask;   /* components that are set to fill[] */
  guint16 fill[CC_MAX_COMPONENTS];
  guint16 border[CC_MAX_COMPONENTS]; /* code value outside of the plane with CC_BORDER_CONSTANT */
} CcPass;

#define CC_MAX_PASSES (2 * CC_MAX_PLANES)
#define CC_MAX_STAGES 10

/* Immutable once made, reference counted. */
typedef struct _CcPlan {
  gatomicrefcount refs;
  CcFrameLayout frame_layout; /* layout of the input */
  /* layout of the output: the input's width and height divided by stride, rounded up */
  CcFrameLayout out_frame_layout;
  /* The layouts of the planes that passes work on. These are the frame's own planes, or planes that
   * `map` derives from the frame's planes. If `packed`, all planes have the same height. All
   * members below refer to these planes. */
  CcFrameLayout layout, out_layout;
  gboolean packed; /* some planes are not the frame's own */
  CcPlaneMap map[CC_MAX_PLANES];
  guint stride;    /* 1, 2 or 4 */
  guint algorithm; /* algorithm of the filter; only the GPU uses it */
  CcBorder border;
  gboolean is_inner; /* the plan is that of CcWeighted; its planes have products and weights */
  /* stages run in the order of the array; the first one is CONVOLVE, followed by all of REPEAT */
  guint n_stages;
  CcStage stage[CC_MAX_STAGES];
  gsize result_bytes; /* of all stages for one region */
  /* The passes of CONVOLVE and REPEAT. Every component of every plane is written by exactly one
   * pass, or by direction-color, or by EDGES. */
  guint n_passes;
  CcPass pass[CC_MAX_PASSES];
  /* size of the kernel, including the outer rows and columns of zeros that the ops leave out */
  guint kernel_width, kernel_height;
  guint n_ops;
  CcOp *op;
} CcPlan;

/* The rectangles of a region in all planes of a plan. Pixel (x, y) of a target is made from the
 * neighbourhood of pixel (stride * x, stride * y) of the source, both counted from their top left
 * corners. */
typedef struct {
  /* rectangles of the frame's planes, in groups */
  CcRect frame_source[CC_MAX_PLANES], frame_target[CC_MAX_PLANES];
  /* rectangles of the planes that passes work on */
  CcRect source[CC_MAX_PLANES], target[CC_MAX_PLANES];
  /* The number of samples in the frame that follow the last sample of a target row and repeat it: 1
   * if an odd width ends in half a macropixel, else 0. */
  guint repeats[CC_MAX_PLANES];
  /* Of a field (cc_placement_take_field): the field of the frame that its target is in, by planes
   * of the frame. */
  guint target_field[CC_MAX_PLANES];
} CcPlacement;

/* Makes the plan of `filter` for frames of `layout`. CC_ERROR_INVALID names the property, its value
 * and the accepted values. */
CcPlan *cc_plan_new(const CcFilter *filter, const CcFrameLayout *layout, GError **error);

/* Makes the plan for what lies outside of all regions of a filter: it fills or copies every
 * sample. */
CcPlan *cc_plan_new_outside(const CcFilter *filter, const CcFrameLayout *layout);

/* Whether at least some frames can be filtered. Reports errors that would occur with every frame,
 * before the first frame is known. Errors are those of cc_plan_new. */
gboolean cc_filter_check(const CcFilter *filter, GError **error);

CcPlan *cc_plan_ref(CcPlan *plan);
void cc_plan_unref(CcPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcPlan, cc_plan_unref)

void cc_plan_place(const CcPlan *plan, const CcRegion *region, CcPlacement *placement);

/* Changes the placement of a region in frames to the placement of one of its fields. Field 0 has
 * the even rows of the source frame, and field 1 the odd rows. All rectangles are then in frames
 * whose rows are the rows of one field. A rectangle may have no rows. Only for plans with a stride
 * of 1. */
void cc_placement_take_field(CcPlacement *self, const CcPlan *plan, guint field);

/* The first op of the kernel for chroma only, or of the kernel for the other components. NULL:
 * there is none. */
const CcOp *cc_plan_get_op(const CcPlan *plan, gboolean of_chroma);

/* The inner plan of a stage. NULL: no stage has one. */
const CcPlan *cc_plan_get_inner(const CcPlan *plan);

/* NULL: the plan has no stage direction-color. */
const CcDirectionColor *cc_plan_get_direction_color(const CcPlan *plan);

/* NULL: the plan does not find Canny's edges. */
const CcCanny *cc_plan_get_canny(const CcPlan *plan);

/* The stage MEASURE. NULL: the plan does not measure. */
const CcStage *cc_plan_get_measure(const CcPlan *plan);

/* The components of a plane that CONVOLVE filters, and the components that it makes (filters,
 * copies or fills). One bit stands for each component. */
guint cc_plan_filtered_components(const CcPlan *plan, guint plane);
guint cc_plan_made_components(const CcPlan *plan, guint plane);

/* Whether the source is read. It is not if all samples are filled, unless backends deinterleave
 * the frame. */
gboolean cc_plan_reads_source(const CcPlan *plan);

/* Whether the result has all bytes of the source. A copy of half a macropixel has not. */
gboolean cc_plan_copies(const CcPlan *plan);

/* The code value outside of a plane with CC_BORDER_CONSTANT, for a filtered component. */
guint cc_plan_border_code(const CcPlan *plan, guint plane, guint component);

/* Returns the stage that reads the planes written by `stage`, a stage of the plan. NULL: `stage`
 * writes the frame. A plan without passes has no intermediate planes, so its stages with
 * CC_READS_PLANES do not run. */
const CcStage *cc_plan_get_reader(const CcPlan *plan, const CcStage *stage);

/* Whether backends may run the plan with other planes that give the same frame. They may not if a
 * stage other than REPEAT reads planes, or if the plan finds Canny's edges. */
gboolean cc_plan_may_change_planes(const CcPlan *plan);

/* How often the passes run: 1 + the number of stages REPEAT. */
guint cc_plan_n_repeats(const CcPlan *plan);

/* Bytes of a sample in a plane that `reader` reads, or in the frame if `reader` is NULL. */
gsize cc_plan_sample_bytes(const CcPlan *plan, const CcStage *reader, guint plane);

/* Appends `n` stages, which must be in the order of CcStageReads, to every plan that is made from
 * now on. 0 appends none. A plan has at most CC_MAX_STAGES stages in total. Only tests call this
 * function, while no other thread makes plans. The stages are borrowed. */
void cc_plan_append_stages(const CcStage *stages, guint n);

/* One line for people that describes the filter's arithmetic: "3x3, 2 matrices, separable, exact,
 * sums of 12 bits, magnitude, 1 passes". */
gchar *cc_plan_describe(const CcPlan *plan);

G_END_DECLS
