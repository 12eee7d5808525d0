/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan.h"
#include "output_stage.h"
#include "engine/enum_names.h"
#include "operator.h"
#include "roi_sigma.h"

#include <math.h>
#include <string.h>

#define MAX_BIAS_DENOMINATOR (1 << 24)

/* --- planes --- */

/* The kernel of some components, with the settings of the filter that belong to it. */
typedef struct {
  const CcOperator *taps;
  gdouble bias;
} Kernel;

typedef struct {
  const CcFilter *filter;
  Kernel kernel, chroma_kernel; /* for the components that are not chroma, and for chroma */
  CcPlan *plan;
  CcDirectionColor *color;       /* or NULL */
  gdouble offset[CC_MAX_PASSES]; /* the offset of each op of the plan */
  CcCanny *canny;                /* or NULL */
  gboolean is_outside;           /* the plan is for what lies outside of all regions */
  CcWeighted *weighted;          /* or NULL */
  CcPlan *inner;                 /* the plan of the frames of `weighted` */
} Builder;

static const Kernel *
kernel_of(const Builder *b, CcRole role) {
  return cc_role_is_chroma(role) && b->chroma_kernel.taps ? &b->chroma_kernel : &b->kernel;
}

/* Finds the range of code values of results, and `zero`: the code value of black, to which bias is
 * added. Luma of edge kernels stays within the stream's legal range, so flat areas become the
 * stream's black. Angles and results around mid-grey have no black, so their range is full. With a
 * negative scale, `zero` of limited luma of edge kernels is 255 8-bit code values below white, so
 * that bias=255 draws on white in both ranges. */
static void
find_limits(const Builder *b, CcRole role, guint depth, gint *lo, gint *hi, gint *zero) {
  const CcOperator *taps = kernel_of(b, role)->taps;
  const gboolean is_edge = taps->klass == CC_KERNEL_EDGE &&
                           taps->response != CC_RESPONSE_DIRECTION &&
                           taps->response != CC_RESPONSE_OFFSET;
  const gboolean limited = is_edge && role == CC_ROLE_LUMA && b->plan->frame_layout.limited_range;
  const gint unit = 1 << (depth - 8);
  *lo = limited ? 16 * unit : 0;
  *hi = limited ? 235 * unit : (1 << depth) - 1;
  *zero = !limited ? 0 : taps->falls ? (235 - 255) * unit : 16 * unit;
}

/* The number of code values of `depth` bits that equal one 8-bit code value. In full range, 255 is
 * white at every depth. Limited-range code values, and angles with 2^depth per turn, scale by a
 * power of two instead. */
static CcRational
unit_of_bias(const Builder *b, CcRole role, guint depth) {
  const gboolean limited =
      b->plan->frame_layout.limited_range && (role == CC_ROLE_LUMA || cc_role_is_chroma(role));
  if (limited || kernel_of(b, role)->taps->response == CC_RESPONSE_DIRECTION)
    return (CcRational){1 << (depth - 8), 1};
  const gint64 white = (1 << depth) - 1, common = cc_gcd(white, 255);
  return (CcRational){white / common, 255 / common};
}

/* The code value of a zero result, relative to black: mid-grey for response=offset, neutral for
 * chroma of edge kernels unless the response is direction, else 0. */
static gint
middle(const Builder *b, CcRole role, guint depth) {
  const CcOperator *taps = kernel_of(b, role)->taps;
  const gboolean signed_chroma = taps->klass == CC_KERNEL_EDGE && cc_role_is_chroma(role) &&
                                 taps->response != CC_RESPONSE_DIRECTION;
  return taps->response == CC_RESPONSE_OFFSET || signed_chroma ? 1 << (depth - 1) : 0;
}

/* The op for samples of `role`. Roles and planes that need the same op share it. */
static const CcOp *
get_op(Builder *b, CcRole role, guint depth) {
  const Kernel *kernel = kernel_of(b, role);
  gint lo, hi, zero;
  find_limits(b, role, depth, &lo, &hi, &zero);
  const gint level = zero + middle(b, role, depth);
  const CcRational unit = unit_of_bias(b, role, depth);
  const gdouble offset =
      (kernel->bias * (gdouble)unit.num + (gdouble)(level * unit.den)) / (gdouble)unit.den;
  for (guint i = 0; i < b->plan->n_ops; i++) {
    const CcOp *other = &b->plan->op[i];
    if (other->is_of_chroma == (kernel == &b->chroma_kernel) && other->lo == lo &&
        other->hi == hi && b->offset[i] == offset)
      return other;
  }
  b->offset[b->plan->n_ops] = offset;
  CcOp *op = &b->plan->op[b->plan->n_ops++];
  op->is_of_chroma = kernel == &b->chroma_kernel;
  op->lo = lo;
  op->hi = hi;
  CcRational fraction;
  const gdouble scale = cc_operator_set_taps(kernel->taps, op, (1 << depth) - 1, &fraction);
  const CcRational bias = cc_rational(kernel->bias, MAX_BIAS_DENOMINATOR);
  const gint64 common = cc_gcd(bias.num * unit.num, bias.den * unit.den);
  /* `level` is an integer and changes no denominator */
  cc_op_set_output_stage(op, scale, fraction, offset, bias.den ? bias.den * unit.den / common : 0);
  return op;
}

typedef enum {
  ACTION_FILTER,
  ACTION_COPY,
  ACTION_FILL,
} Action;

/* How the stages before compose make chroma. */
static CcChroma
chroma_of(const Builder *b) {
  if (b->filter->overlay) /* replaces chroma */
    return CC_CHROMA_COPY;
  if (b->color) /* makes chroma */
    return CC_CHROMA_FILTER;
  return b->filter->threshold > 0 ? CC_CHROMA_NEUTRAL : b->kernel.taps->chroma;
}

static Action
action_for(const Builder *b, CcRole role) {
  /* the stage DIVIDE changes copies of the source's colors */
  const Action filtered = b->weighted ? ACTION_COPY : ACTION_FILTER;
  if (b->is_outside)
    return b->filter->outside == CC_OUTSIDE_BLACK ? ACTION_FILL : ACTION_COPY;
  switch (role) {
  case CC_ROLE_CB:
  case CC_ROLE_CR:
    return chroma_of(b) == CC_CHROMA_FILTER ? filtered
           : chroma_of(b) == CC_CHROMA_COPY ? ACTION_COPY
                                            : ACTION_FILL;
  case CC_ROLE_ALPHA:
    return b->filter->alpha == CC_ALPHA_COPY     ? ACTION_COPY
           : b->filter->alpha == CC_ALPHA_OPAQUE ? ACTION_FILL
                                                 : ACTION_FILTER;
  case CC_ROLE_PADDING:
    return ACTION_COPY;
  default:
    return b->canny ? ACTION_FILL : filtered;
  }
}

static guint16
border_code(const Builder *b, CcRole role, guint depth) {
  const gint hi = (1 << depth) - 1;
  switch (role) {
  case CC_ROLE_CB:
  case CC_ROLE_CR:
    return (guint16)(1 << (depth - 1));
  case CC_ROLE_ALPHA:
    return (guint16)hi;
  default:
    return (guint16)floor(b->filter->border_value * hi + 0.5);
  }
}

/* The pass of the plane that runs `op`. A pass of the plane that has no op yet gets `op`. If `op`
 * is NULL, any pass of the plane. */
static CcPass *
get_pass(Builder *b, guint plane, const CcOp *op) {
  CcPlan *plan = b->plan;
  for (guint i = 0; i < plan->n_passes; i++) {
    CcPass *pass = &plan->pass[i];
    if (pass->plane != plane)
      continue;
    if (op && !pass->op)
      pass->op = op;
    if (!op || pass->op == op)
      return pass;
  }
  CcPass *pass = &plan->pass[plan->n_passes++];
  pass->plane = plane;
  pass->op = op;
  for (guint c = 0; c < plan->layout.plane[plane].step; c++)
    pass->border[c] =
        border_code(b, plan->layout.plane[plane].role[c], plan->layout.plane[plane].depth);
  return pass;
}

/* Black, neutral chroma, or opaque alpha. */
static guint16
fill_code(const Builder *b, CcRole role, guint depth) {
  if (cc_role_is_chroma(role))
    return (guint16)(1 << (depth - 1));
  if (role >= CC_ROLE_ALPHA)
    return (guint16)((1 << depth) - 1);
  return role == CC_ROLE_LUMA && b->plan->frame_layout.limited_range ? 16 << (depth - 8) : 0;
}

/* Whether EDGES makes a component alone. In a packed frame whose other components are made by
 * passes, a pass fills it before. */
static gboolean
is_only_edges(const Builder *b, guint plane, CcRole role) {
  const CcPlan *plan = b->plan;
  return b->canny && plane == b->canny->group.plane &&
         (role == CC_ROLE_LUMA || role == CC_ROLE_GREY) &&
         (!plan->packed || plan->layout.n_planes == 1);
}

static void
add_component(Builder *b, guint plane, guint component) {
  const CcPlaneLayout *layout = &b->plan->layout.plane[plane];
  const CcRole role = layout->role[component];
  const CcDirectionColor *color = b->color;
  if (is_only_edges(b, plane, role))
    return;
  if (color && (role < CC_ROLE_ALPHA || (color->passthrough && color->passthrough_role == role)))
    return; /* direction color makes this component */
  if (b->filter->overlay && cc_role_is_chroma(role) && !b->plan->packed && !b->is_outside)
    return; /* the overlay makes chroma; packed frames are faster with a copy of it */
  const Action action = action_for(b, role);
  const CcOp *op = action == ACTION_FILTER ? get_op(b, role, layout->depth) : NULL;
  CcPass *pass = get_pass(b, plane, op);
  const guint bit = 1u << component;
  if (action == ACTION_FILTER)
    pass->filter_mask |= bit;
  else if (action == ACTION_COPY)
    pass->copy_mask |= bit;
  else
    pass->fill_mask |= bit;
  pass->fill[component] = fill_code(b, role, layout->depth);
}

/* --- the filter --- */

static gboolean
check_number(const gchar *name, gdouble value, gdouble min, gdouble max, GError **error) {
  if (value >= min && value <= max)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s=%g: a number from %g to %g is needed", name,
              value, min, max);
  return FALSE;
}

static gboolean
check_direction(const CcFilter *filter, const CcOperator *op, GError **error) {
  if (op->response != CC_RESPONSE_DIRECTION || op->n == 2)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "response=direction: the kernel %s has %u matri%s; a gradient of two is needed: "
              "sobel, scharr, prewitt or roberts",
              filter->kernel->name, op->n, op->n == 1 ? "x" : "ces");
  return FALSE;
}

static gboolean
check_filter(const CcFilter *filter, const CcOperator *op, GError **error) {
  if (!check_number("sigma", filter->sigma, 0, CC_MAX_SIGMA, error) ||
      !check_number("scale", filter->scale, -CC_MAX_SCALE, CC_MAX_SCALE, error) ||
      !check_number("bias", filter->bias, -CC_MAX_BIAS, CC_MAX_BIAS, error) ||
      !check_number("border-value", filter->border_value, 0, 1, error) ||
      !check_number("threshold", filter->threshold, 0, 1, error) ||
      !check_number("mix", filter->mix, -CC_MAX_MIX, CC_MAX_MIX, error) ||
      !check_number("low", filter->low, 0, CC_MAX_GRADIENT, error) ||
      !check_number("high", filter->high, 0, CC_MAX_GRADIENT, error) ||
      !check_number("roi-sigma", filter->roi_sigma, 0, 1, error) ||
      !cc_filter_check_roi_sigma(filter, error))
    return FALSE;
  if (filter->stride > 4 || filter->stride == 3) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "stride=%u: 1, 2 or 4 is needed",
                filter->stride);
    return FALSE;
  }
  return check_direction(filter, op, error);
}

/* The chroma of frames whose luma becomes edges cannot be filtered by the same kernel. */
static gboolean
check_canny(const CcFilter *filter, const CcOperator *taps, const CcOperator *chroma_taps,
            GError **error) {
  const CcKernel *kernel = filter->kernel;
  if (!taps->finds_edges)
    return TRUE;
  g_autofree gchar *why = NULL;
  if (kernel != cc_kernels_find("sobel") && kernel != cc_kernels_find("scharr") &&
      kernel != cc_kernels_find("prewitt"))
    why = g_strdup_printf("the kernel is %s; sobel, scharr or prewitt is needed", kernel->name);
  else if (filter->color == CC_COLOR_COMPONENTS)
    why = g_strdup("color=components is set; auto or grey is needed");
  else if (chroma_taps && chroma_taps->finds_edges)
    why = g_strdup("chroma-size is set; a chroma-kernel is needed, or 0");
  else if (!chroma_taps && taps->chroma == CC_CHROMA_FILTER)
    why = g_strdup("chroma=filter is set; auto, copy or neutral is needed");
  if (why)
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "response=%s: %s",
                cc_response_names[filter->response], why);
  return !why;
}

/* With alpha=weighted, a result must be a mean of the samples. */
static gboolean
check_weighted(const CcFilter *filter, const CcOperator *taps, GError **error) {
  const gchar *const kernel = filter->kernel->name;
  if (filter->alpha != CC_ALPHA_WEIGHTED)
    return TRUE;
  g_autofree gchar *why = NULL;
  if (filter->scale != 0)
    why = g_strdup_printf("scale=%g is set; 0 is needed", filter->scale);
  else if (cc_operator_has_negative_tap(taps))
    why = g_strdup_printf("the kernel %s has negative taps; a blur is needed, such as gaussian or "
                          "box",
                          kernel);
  else if (taps->n > 1)
    why = g_strdup_printf("the kernel %s has %u matrices; one is needed", kernel, taps->n);
  else if (taps->scale != 0)
    why = g_strdup_printf("the scale is %g, that of the kernel %s; the automatic scale is needed",
                          taps->scale, kernel);
  else if (taps->response != CC_RESPONSE_CLAMP)
    why = g_strdup_printf("the response is %s; clamp is needed", cc_response_names[taps->response]);
  else if (filter->bias != 0)
    why = g_strdup_printf("bias=%g is set; 0 is needed", filter->bias);
  else if (filter->border == CC_BORDER_CONSTANT)
    why = g_strdup("border=constant is set; another border is needed, such as replicate");
  if (why)
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "alpha=weighted: %s", why);
  return !why;
}

static gboolean
check_repeats(const CcFilter *filter, gboolean is_single, GError **error) {
  const guint max = filter->stride > 1 || is_single ? 1 : CC_MAX_REPEATS;
  if (filter->repeats <= max)
    return TRUE;
  g_set_error(
      error, CC_ERROR, CC_ERROR_INVALID,
      "repeats=%u: a number from 0 to %u is needed, or to 1 with a stride, with canny, or if "
      "directions become colors",
      filter->repeats, CC_MAX_REPEATS);
  return FALSE;
}

static gboolean
has_chroma_kernel(const CcFilter *filter) {
  return filter->chroma_kernel || filter->chroma_size;
}

const gchar *
cc_filter_ignores_chroma_kernel(const CcFilter *self) {
  if (!self->kernel || !has_chroma_kernel(self))
    return NULL;
  if (self->overlay)
    return "the overlay replaces chroma";
  if (self->threshold > 0)
    return "the threshold sets chroma to grey";
  if (cc_filter_has_roi_sigma(self))
    return "roi-sigma blurs chroma as it blurs luma";
  return cc_filter_get_chroma(self) == CC_CHROMA_FILTER
             ? NULL
             : "chroma is not filtered; chroma=filter filters it";
}

/* The filter with the kernel of the chroma planes. */
static CcFilter
filter_of_chroma(const CcFilter *filter) {
  CcFilter chroma = *filter;
  if (filter->chroma_size)
    chroma.size = filter->chroma_size;
  if (!filter->chroma_kernel)
    return chroma;
  chroma.kernel = filter->chroma_kernel;
  chroma.scale = chroma.bias = 0;
  chroma.response = CC_RESPONSE_AUTO;
  return chroma;
}

/* The operator of the chroma planes. `chroma` is from filter_of_chroma. */
static CcOperator *
chroma_operator_new(const CcFilter *chroma, GError **error) {
  g_autoptr(CcOperator) taps = cc_operator_new(chroma, error);
  if (taps && check_direction(chroma, taps, error) &&
      (cc_filter_ignores_chroma_kernel(chroma) || check_weighted(chroma, taps, error)))
    return g_steal_pointer(&taps);
  if (chroma->chroma_kernel)
    g_prefix_error(error, "chroma-kernel=%s: ", chroma->chroma_kernel->name);
  else
    g_prefix_error(error, "chroma-size=%u: ", chroma->chroma_size);
  return NULL;
}

gboolean
cc_filter_equal(const CcFilter *a, const CcFilter *b) {
  return a->kernel == b->kernel && a->size == b->size && a->sigma == b->sigma &&
         a->scale == b->scale && a->bias == b->bias && a->response == b->response &&
         a->border == b->border && a->border_value == b->border_value && a->chroma == b->chroma &&
         a->chroma_kernel == b->chroma_kernel && a->chroma_size == b->chroma_size &&
         a->color == b->color && a->alpha == b->alpha && a->algorithm == b->algorithm &&
         a->stride == b->stride && a->repeats == b->repeats && a->threshold == b->threshold &&
         a->invert == b->invert && a->mixes == b->mixes && a->mix == b->mix &&
         a->overlay == b->overlay && a->low == b->low && a->high == b->high &&
         a->measure == b->measure && a->fields == b->fields && a->outside == b->outside &&
         a->roi_sigma == b->roi_sigma;
}

/* Whether R, G and B are filtered as their luma. */
static gboolean
is_grey(const CcFilter *filter, const CcOperator *taps, const CcFrameLayout *frame) {
  const gboolean wanted = filter->color == CC_COLOR_AUTO ? taps->klass == CC_KERNEL_EDGE
                                                         : filter->color == CC_COLOR_GREY;
  return wanted && cc_frame_layout_has_rgb(frame);
}

/* Whether direction becomes a color: R, G and B are filtered as their luma, or the frame has luma
 * and chroma with chroma=auto. The coefficients must be exact integers over a divisor and not
 * factored. */
static gboolean
has_direction_color(const CcFilter *filter, const CcOperator *taps, const CcPlan *plan) {
  return taps->response == CC_RESPONSE_DIRECTION && taps->divisor && !taps->factored &&
         (plan->map[0].kind == CC_PLANE_MAP_LUMA ||
          (filter->chroma == CC_CHROMA_AUTO && !filter->chroma_kernel &&
           cc_frame_layout_has_yuv(&plan->frame_layout)));
}

static CcDirectionColor *
direction_color_new(Builder *b) {
  CcDirectionColor *color = g_new(CcDirectionColor, 1);
  cc_direction_color_init(color, &b->plan->layout, b->plan->map);
  const CcPlaneLayout *luma = &b->plan->layout.plane[color->plane];
  color->op = get_op(b, CC_ROLE_LUMA, luma->depth);
  color->add = (gfloat)(b->kernel.bias + 0.5);
  color->border = border_code(b, CC_ROLE_LUMA, luma->depth);
  if (!color->passthrough)
    return color;
  const Action action = action_for(b, color->passthrough_role);
  color->passthrough = action == ACTION_COPY   ? CC_PASSTHROUGH_COPY
                       : action == ACTION_FILL ? CC_PASSTHROUGH_FILL
                                               : CC_PASSTHROUGH_NONE;
  color->passthrough_word = (guint16)(((1u << luma->depth) - 1) << luma->shift);
  return color;
}

static CcCanny *
canny_new(Builder *b) {
  CcCanny *canny = g_new0(CcCanny, 1);
  const CcFilter *filter = b->filter;
  const CcRole role = cc_canny_set_group(canny, &b->plan->layout, b->plan->map);
  const CcPlaneLayout *layout = &b->plan->layout.plane[canny->group.plane];
  const CcOp *op = canny->op = get_op(b, role, layout->depth);
  canny->border = border_code(b, role, layout->depth);
  canny->is_l2 = op->response == CC_RESPONSE_MAGNITUDE;
  canny->round_bits = op->width == 7 ? 4 : 0;
  const CcRational unit = unit_of_bias(b, role, layout->depth);
  const gdouble by = (gdouble)unit.num / (gdouble)unit.den;
  cc_canny_set_thresholds(canny, filter->low * by, filter->high * by);
  canny->black = (guint16)(op->lo << layout->shift);
  canny->white = (guint16)(op->hi << layout->shift);
  return canny;
}

/* A plan without passes. `grey` is whether R, G and B are filtered as their luma. */
static CcPlan *
plan_new(const CcFilter *filter, const CcFrameLayout *frame, gboolean grey) {
  CcPlan *plan = g_new0(CcPlan, 1);
  g_atomic_ref_count_init(&plan->refs);
  plan->border = filter->border;
  plan->stride = MAX(1, filter->stride);
  plan->algorithm = filter->algorithm;
  plan->frame_layout = *frame;
  plan->out_frame_layout = cc_frame_layout_shrink(frame, plan->stride);
  plan->packed = cc_plane_map_find(frame, grey, &plan->layout, plan->map);
  plan->out_layout = cc_frame_layout_shrink(&plan->layout, plan->stride);
  plan->op = g_new0(CcOp, CC_MAX_PASSES);
  return plan;
}

static void
add_components(Builder *b) {
  const CcFrameLayout *layout = &b->plan->layout;
  for (guint p = 0; p < layout->n_planes; p++)
    for (guint c = 0; c < layout->plane[p].step; c++)
      add_component(b, p, c);
}

/* --- stages --- */

static const CcStage *appended;
static guint n_appended;

void
cc_plan_append_stages(const CcStage *stages, guint n) {
  appended = stages;
  n_appended = n;
}

static void
add_stage(CcPlan *plan, CcStage stage) {
  g_assert(plan->n_stages < CC_MAX_STAGES);
  const CcStageReads before =
      plan->n_stages > 0 ? plan->stage[plan->n_stages - 1].reads : CC_READS_SOURCE;
  g_assert(stage.reads >= before);
  g_assert(!stage.sample_bytes || before == CC_READS_PLANES);
  stage.result_at = plan->result_bytes;
  plan->result_bytes += stage.result_bytes;
  plan->stage[plan->n_stages++] = stage;
}

static void
add_stages(Builder *b) {
  CcPlan *plan = b->plan;
  CcDirectionColor *color = b->color;
  CcCompose *compose = cc_compose_new(b->filter, chroma_of(b), &plan->frame_layout);
  CcOverlay *overlay = cc_overlay_new(b->filter, &plan->frame_layout);
  /* Direction color makes colors, and divide keeps those of transparent pixels. */
  const gboolean is_grey = plan->map[0].kind == CC_PLANE_MAP_LUMA && !color && !b->weighted;
  CcMeasure *measure =
      plan->is_inner ? NULL : cc_measure_new(b->filter, &plan->out_frame_layout, is_grey);
  add_stage(plan, (CcStage){.kind = CC_STAGE_CONVOLVE, .reads = CC_READS_SOURCE});
  if (color)
    add_stage(plan, (CcStage){.kind = CC_STAGE_DIRECTION_COLOR,
                              .reads = CC_READS_SOURCE,
                              .data = color,
                              .free_data = g_free});
  if (b->canny)
    add_stage(plan, (CcStage){.kind = CC_STAGE_SUPPRESS,
                              .reads = CC_READS_SOURCE,
                              .data = b->canny,
                              .free_data = g_free});
  for (guint i = 1; i < b->filter->repeats; i++)
    add_stage(plan, (CcStage){.kind = CC_STAGE_REPEAT, .reads = CC_READS_PLANES});
  for (guint i = 0; i < n_appended && !plan->is_inner && !b->canny; i++)
    add_stage(plan, appended[i]);
  if (b->weighted) {
    add_stage(plan, (CcStage){.kind = CC_STAGE_PREMULTIPLY,
                              .reads = CC_READS_SAMPLES,
                              .needs_source = TRUE,
                              .data = b->weighted});
    add_stage(plan, (CcStage){.kind = CC_STAGE_DIVIDE,
                              .reads = CC_READS_SAMPLES,
                              .inner = b->inner,
                              .data = b->weighted,
                              .free_data = g_free});
  }
  if (b->canny) {
    add_stage(plan, (CcStage){.kind = CC_STAGE_HYSTERESIS,
                              .reads = CC_READS_SAMPLES,
                              .is_alone = TRUE,
                              .data = b->canny});
    add_stage(plan, (CcStage){.kind = CC_STAGE_EDGES, .reads = CC_READS_SAMPLES, .data = b->canny});
  }
  if (measure)
    add_stage(plan, (CcStage){.kind = CC_STAGE_MEASURE,
                              .reads = CC_READS_SAMPLES,
                              .is_alone = cc_measure_reads_planes(measure),
                              .result_bytes = cc_measure_result_bytes(measure),
                              .data = measure,
                              .free_data = g_free});
  if (compose)
    add_stage(plan, (CcStage){.kind = CC_STAGE_COMPOSE,
                              .reads = CC_READS_SAMPLES,
                              .needs_source = compose->mix != CC_MIX_ONE && !overlay,
                              .data = compose,
                              .free_data = g_free});
  if (overlay)
    add_stage(plan, (CcStage){.kind = CC_STAGE_OVERLAY,
                              .reads = CC_READS_PIXELS,
                              .needs_source = TRUE,
                              .data = overlay,
                              .free_data = g_free});
}

const CcPlan *
cc_plan_get_inner(const CcPlan *plan) {
  for (guint i = 0; i < plan->n_stages; i++)
    if (plan->stage[i].inner)
      return plan->stage[i].inner;
  return NULL;
}

static const CcStage *
find_stage(const CcPlan *plan, CcStageKind kind) {
  for (guint i = 0; i < plan->n_stages; i++)
    if (plan->stage[i].kind == kind)
      return &plan->stage[i];
  return NULL;
}

const CcDirectionColor *
cc_plan_get_direction_color(const CcPlan *plan) {
  const CcStage *stage = find_stage(plan, CC_STAGE_DIRECTION_COLOR);
  return stage ? stage->data : NULL;
}

const CcCanny *
cc_plan_get_canny(const CcPlan *plan) {
  const CcStage *stage = find_stage(plan, CC_STAGE_SUPPRESS);
  return stage ? stage->data : NULL;
}

const CcStage *
cc_plan_get_measure(const CcPlan *plan) {
  return find_stage(plan, CC_STAGE_MEASURE);
}

const CcStage *
cc_plan_get_reader(const CcPlan *plan, const CcStage *stage) {
  for (const CcStage *next = stage + 1; next < plan->stage + plan->n_stages; next++)
    if (next->reads == CC_READS_PLANES && plan->n_passes > 0)
      return next;
  return NULL;
}

gboolean
cc_plan_may_change_planes(const CcPlan *plan) {
  for (guint i = 0; i < plan->n_stages; i++)
    if ((plan->stage[i].reads == CC_READS_PLANES && plan->stage[i].kind != CC_STAGE_REPEAT) ||
        plan->stage[i].kind == CC_STAGE_SUPPRESS)
      return FALSE;
  return TRUE;
}

guint
cc_plan_n_repeats(const CcPlan *plan) {
  guint n = 1;
  while (n < plan->n_stages && plan->stage[n].kind == CC_STAGE_REPEAT)
    n++;
  return n;
}

gsize
cc_plan_sample_bytes(const CcPlan *plan, const CcStage *reader, guint plane) {
  return reader && reader->sample_bytes ? reader->sample_bytes
                                        : cc_sample_size(plan->layout.plane[plane].type);
}

guint
cc_plan_filtered_components(const CcPlan *plan, guint plane) {
  guint mask = 0;
  for (guint i = 0; i < plan->n_passes; i++)
    if (plan->pass[i].plane == plane)
      mask |= plan->pass[i].filter_mask;
  return mask;
}

guint
cc_plan_made_components(const CcPlan *plan, guint plane) {
  guint mask = 0;
  for (guint i = 0; i < plan->n_passes; i++)
    if (plan->pass[i].plane == plane)
      mask |= plan->pass[i].filter_mask | plan->pass[i].copy_mask | plan->pass[i].fill_mask;
  return mask;
}

gboolean
cc_plan_reads_source(const CcPlan *plan) {
  gboolean reads = plan->n_stages > 1 || plan->packed;
  for (guint i = 0; i < plan->n_passes; i++)
    reads |= (plan->pass[i].filter_mask | plan->pass[i].copy_mask) != 0;
  return reads;
}

gboolean
cc_plan_copies(const CcPlan *plan) {
  gboolean copies = plan->n_stages == 1 && plan->stride == 1;
  for (guint i = 0; i < plan->n_passes; i++)
    copies &= (plan->pass[i].filter_mask | plan->pass[i].fill_mask) == 0;
  for (guint p = 0; p < plan->frame_layout.n_planes; p++)
    copies &=
        !plan->frame_layout.plane[p].has_macropixels || plan->frame_layout.plane[p].width % 2 == 0;
  return copies;
}

guint
cc_plan_border_code(const CcPlan *plan, guint plane, guint component) {
  for (guint i = 0; i < plan->n_passes; i++)
    if (plan->pass[i].plane == plane && plan->pass[i].filter_mask >> component & 1)
      return plan->pass[i].border[component];
  g_return_val_if_reached(0);
}

/* --- the plan --- */

static CcPlan *make_plan(const CcFilter *filter, const CcFrameLayout *layout, gboolean is_inner,
                         GError **error);

/* Makes the parameters and the inner plan of the stages PREMULTIPLY and DIVIDE. */
static gboolean
make_weighted(Builder *b, GError **error) {
  CcComponentOffset alpha;
  const CcPlan *plan = b->plan;
  if (b->filter->alpha != CC_ALPHA_WEIGHTED ||
      !cc_frame_layout_find_role(&plan->frame_layout, CC_ROLE_ALPHA, &alpha))
    return TRUE;
  CcWeighted weighted;
  cc_weighted_init(&weighted, &plan->frame_layout, plan->map[0].kind == CC_PLANE_MAP_LUMA,
                   chroma_of(b) == CC_CHROMA_FILTER, b->chroma_kernel.taps != NULL);
  CcFilter inner = *b->filter;
  inner.alpha = CC_ALPHA_COPY;
  inner.threshold = 0;
  inner.invert = inner.mixes = FALSE;
  inner.overlay = 0;
  inner.measure = CC_MEASURE_OFF;
  b->inner = make_plan(&inner, &weighted.frame, TRUE, error);
  if (b->inner)
    b->weighted = g_memdup2(&weighted, sizeof weighted);
  return b->inner != NULL;
}

static CcPlan *
make_plan(const CcFilter *filter, const CcFrameLayout *layout, gboolean is_inner, GError **error) {
  g_autoptr(CcOperator) taps = cc_operator_new(filter, error);
  if (!taps || !check_filter(filter, taps, error) || !check_weighted(filter, taps, error))
    return NULL;
  g_autoptr(CcOperator) chroma_taps = NULL;
  const CcFilter chroma = filter_of_chroma(filter);
  if (has_chroma_kernel(filter) && !(chroma_taps = chroma_operator_new(&chroma, error)))
    return NULL;

  g_autoptr(CcPlan) plan = plan_new(filter, layout, is_grey(filter, taps, layout));
  plan->kernel_width = taps->width;
  plan->kernel_height = taps->height;
  plan->is_inner = is_inner;
  const gboolean has_color = has_direction_color(filter, taps, plan);
  if (!check_canny(filter, taps, chroma_taps, error) ||
      !check_repeats(filter, has_color || taps->finds_edges, error))
    return NULL;
  Builder builder = {.filter = filter,
                     .kernel = {taps, filter->bias},
                     .chroma_kernel = {chroma_taps, chroma.bias},
                     .plan = plan};
  if (!make_weighted(&builder, error))
    return NULL;
  if (has_color)
    builder.color = direction_color_new(&builder);
  if (taps->finds_edges)
    builder.canny = canny_new(&builder);
  add_components(&builder);
  add_stages(&builder);
  return g_steal_pointer(&plan);
}

CcPlan *
cc_plan_new(const CcFilter *filter, const CcFrameLayout *layout, GError **error) {
  return make_plan(filter, layout, FALSE, error);
}

CcPlan *
cc_plan_new_outside(const CcFilter *filter, const CcFrameLayout *layout) {
  CcPlan *plan = plan_new(filter, layout, FALSE);
  plan->algorithm = 0;
  plan->kernel_width = plan->kernel_height = 1;
  add_components(&(Builder){.filter = filter, .plan = plan, .is_outside = TRUE});
  add_stage(plan, (CcStage){.kind = CC_STAGE_CONVOLVE, .reads = CC_READS_SOURCE});
  return plan;
}

const CcOp *
cc_plan_get_op(const CcPlan *plan, gboolean of_chroma) {
  for (guint i = 0; i < plan->n_ops; i++)
    if (plan->op[i].is_of_chroma == of_chroma)
      return &plan->op[i];
  return NULL;
}

gboolean
cc_filter_check(const CcFilter *filter, GError **error) {
  /* 8-bit samples give the smallest sums */
  static const CcFrameLayout least_demanding = {
      .n_planes = 1,
      .plane = {{.width = 1, .height = 1, .step = 1, .depth = 8}},
  };
  g_autoptr(CcPlan) plan = cc_plan_new(filter, &least_demanding, error);
  return plan != NULL;
}

CcPlan *
cc_plan_ref(CcPlan *plan) {
  g_atomic_ref_count_inc(&plan->refs);
  return plan;
}

void
cc_plan_unref(CcPlan *plan) {
  if (!g_atomic_ref_count_dec(&plan->refs))
    return;
  for (guint i = 0; i < plan->n_stages; i++) {
    if (plan->stage[i].inner)
      cc_plan_unref(plan->stage[i].inner);
    if (plan->stage[i].free_data)
      plan->stage[i].free_data(plan->stage[i].data);
  }
  g_free(plan->op);
  g_free(plan);
}

/* --- regions --- */

void
cc_plan_place(const CcPlan *plan, const CcRegion *region, CcPlacement *placement) {
  cc_region_place(region, &plan->frame_layout, &plan->out_frame_layout, plan->stride,
                  placement->frame_source, placement->frame_target);
  memset(placement->repeats, 0, sizeof placement->repeats);
  memset(placement->target_field, 0, sizeof placement->target_field);
  if (!plan->packed) {
    memcpy(placement->source, placement->frame_source, sizeof placement->source);
    memcpy(placement->target, placement->frame_target, sizeof placement->target);
    return;
  }
  cc_region_place(region, &plan->layout, &plan->out_layout, plan->stride, placement->source,
                  placement->target);
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const guint f = plan->map[p].offset[0].plane;
    if (plan->frame_layout.plane[f].has_macropixels && plan->layout.plane[p].step == 1)
      placement->repeats[p] = 2 * placement->frame_target[f].width - placement->target[p].width;
  }
}

/* Sets the rectangles of a field. Returns the field of the target. */
static guint
take_field(CcRect *source, CcRect *target, guint field) {
  const guint skip = (source->y + field) % 2, first = target->y + skip;
  source->y = (source->y + skip) / 2;
  source->height = (source->height + 1 - skip) / 2;
  target->y = first / 2;
  target->height = (target->height + 1 - skip) / 2;
  return first % 2;
}

void
cc_placement_take_field(CcPlacement *self, const CcPlan *plan, guint field) {
  for (guint p = 0; p < plan->frame_layout.n_planes; p++)
    self->target_field[p] = take_field(&self->frame_source[p], &self->frame_target[p], field);
  for (guint p = 0; p < plan->layout.n_planes; p++)
    take_field(&self->source[p], &self->target[p], field);
}

/* --- for people --- */

/* The bits of a sum in two's complement. */
static guint
bits_of_sums(const CcOp *op) {
  return g_bit_storage((gulong)cc_op_largest_sum(op)) + 1;
}

static void
describe_op(GString *text, const CcOp *op) {
  g_string_append_printf(text, "%ux%u, %u matri%s, %s, ", op->width, op->height, op->n_matrices,
                         op->n_matrices == 1 ? "x" : "ces",
                         op->separable ? "separable" : "not separable");
  if (op->error > 0)
    g_string_append_printf(text, "rounded to within %.2g codes, ", op->error);
  else
    g_string_append(text, "exact, ");
  g_string_append_printf(text, "sums of %u bits, %s", bits_of_sums(op),
                         cc_response_names[op->response]);
}

gchar *
cc_plan_describe(const CcPlan *plan) {
  g_autoptr(GString) text = g_string_new(NULL);
  if (plan->n_ops == 0) {
    g_string_append(text, "no filtering");
  } else {
    const CcOp *op = cc_plan_get_op(plan, FALSE), *of_chroma = cc_plan_get_op(plan, TRUE);
    if (op)
      describe_op(text, op);
    if (cc_plan_get_direction_color(plan))
      g_string_append(text, " as color");
    if (cc_plan_get_canny(plan))
      g_string_append(text, ", Canny's edges");
    if (of_chroma) {
      g_string_append(text, op ? ", chroma: " : "chroma: ");
      describe_op(text, of_chroma);
    }
  }
  if (cc_plan_get_inner(plan))
    g_string_append(text, ", colors weighted by alpha");
  if (plan->stride > 1)
    g_string_append_printf(text, ", stride %u", plan->stride);
  if (cc_plan_n_repeats(plan) > 1)
    g_string_append_printf(text, ", %u repetitions", cc_plan_n_repeats(plan));
  g_string_append_printf(text, ", %u passes", plan->n_passes);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
