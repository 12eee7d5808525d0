/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan.h"
#include "factor.h"
#include "last_step.h"
#include "names.h"
#include "rational.h"
#include "region.h"

#include <math.h>
#include <string.h>

#define MAX_DIVISOR 4096     /* of the coefficients of an exact op */
#define COEFF_TOLERANCE 1e-6 /* of the largest coefficient, or of 1 when that is less */
#define MAX_SCALE_DENOMINATOR (1 << 20)

/* A kernel at one size with what the user's filter says about it. */
typedef struct {
  guint n, width, height;
  CcMatrix *matrix; /* n of them, owned */
  CcResponse response;
  CcChroma chroma;
  CcKernelClass klass;
  gdouble scale; /* 0: automatic */
  /* all coefficients are whole[] / divisor; divisor is 0 when there is none */
  gint64 divisor;
  gint64 whole[CC_MAX_TAPS];
} Operator;

/* --- coefficients --- */

static void
sample_gaussian(CcMatrix *matrix, gdouble sigma, guint size) {
  gdouble weight[CC_MAX_KERNEL_SIZE], sum = 0;
  const gint r = (gint)size / 2;
  for (gint i = -r; i <= r; i++)
    sum += weight[i + r] = exp(-0.5 * (i / sigma) * (i / sigma));
  matrix->width = matrix->height = size;
  for (guint y = 0; y < size; y++)
    for (guint x = 0; x < size; x++)
      matrix->coeff[y * size + x] = weight[y] / sum * (weight[x] / sum);
}

static gdouble
largest_coefficient(const Operator *op) {
  gdouble largest = 0;
  for (guint m = 0; m < op->n; m++)
    for (guint i = 0; i < op->width * op->height; i++)
      largest = MAX(largest, fabs(op->matrix[m].coeff[i]));
  return largest;
}

/* Finds the least divisor that makes every coefficient an integer within the tolerance. */
static void
find_divisor(Operator *op) {
  const guint area = op->width * op->height;
  const gdouble tolerance = COEFF_TOLERANCE * MIN(1, largest_coefficient(op));
  for (gint64 d = 1; d <= MAX_DIVISOR; d++) {
    gboolean fits = TRUE;
    for (guint m = 0; fits && m < op->n; m++) {
      gint64 sum = 0;
      for (guint i = 0; fits && i < area; i++) {
        const gdouble c = op->matrix[m].coeff[i];
        const gdouble whole = round(c * (gdouble)d);
        fits = fabs(c - whole / (gdouble)d) <= tolerance;
        op->whole[m * area + i] = (gint64)whole;
        sum += ABS((gint64)whole);
      }
      fits = fits && sum <= G_MAXINT32;
    }
    if (fits) {
      op->divisor = d;
      return;
    }
  }
  op->divisor = 0;
}

/* Moves a negative scale into the taps, for which there are more and faster last steps. Only where
 * the result is linear in the sums is it the same. */
static void
move_sign(Operator *op) {
  const gboolean is_linear =
      op->n == 1 && (op->response == CC_RESPONSE_CLAMP || op->response == CC_RESPONSE_OFFSET);
  if (op->scale >= 0 || !is_linear)
    return;
  for (guint i = 0; i < op->width * op->height; i++)
    op->matrix->coeff[i] = -op->matrix->coeff[i];
  op->scale = -op->scale;
}

/* As many taps as three sigma on both sides need, by OpenCV's rule for pictures of 8 bits. */
static guint
taps_of_sigma(gdouble sigma) {
  return MAX(3, (guint)round(6 * MIN(sigma, CC_MAX_SIGMA) + 1) | 1);
}

static gboolean
check_size(guint size, GError **error) {
  if (size == 0 || (size % 2 == 1 && size <= CC_MAX_KERNEL_SIZE))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "size=%u: an odd number from 1 to %d is needed, or 0 for the kernel's own", size,
              CC_MAX_KERNEL_SIZE);
  return FALSE;
}

/* The rows and columns of a sampled Gaussian; 0: it has too many. */
static guint
gaussian_size(const CcFilter *filter, GError **error) {
  const guint size = filter->size ? filter->size : taps_of_sigma(filter->sigma);
  if (size <= CC_MAX_KERNEL_SIZE)
    return size;
  /* the least that is too much, rounded down to what a person writes */
  const gdouble largest = floor((CC_MAX_KERNEL_SIZE - 0.5) / 6 * 100) / 100;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "sigma=%g: that Gaussian has %u rows and columns, and %d are the most; %g is the "
              "largest sigma, or an explicit size, such as size=%d, cuts the Gaussian off there",
              filter->sigma, size, CC_MAX_KERNEL_SIZE, largest, CC_MAX_KERNEL_SIZE);
  return 0;
}

/* Fills an op of zeros; what it owns is freed with it, also after an error. */
static gboolean
operator_init(Operator *op, const CcFilter *filter, GError **error) {
  const CcKernel *kernel = filter->kernel;
  if (!check_size(filter->size, error))
    return FALSE;
  if (kernel->gaussian && filter->sigma > 0) {
    const guint size = gaussian_size(filter, error);
    if (size == 0)
      return FALSE;
    op->n = 1;
    op->matrix = g_new0(CcMatrix, 1);
    sample_gaussian(op->matrix, filter->sigma, size);
  } else {
    const CcKernelSize *size = cc_kernel_get_size(kernel, filter->size);
    op->n = size->n_matrices;
    op->matrix = g_memdup2(size->matrix, size->n_matrices * sizeof *size->matrix);
    op->scale = size->scale;
  }
  op->width = op->matrix[0].width;
  op->height = op->matrix[0].height;
  op->klass = kernel->klass;
  op->response = filter->response ? filter->response : kernel->response;
  op->chroma = filter->chroma ? filter->chroma : kernel->chroma;
  if (filter->scale != 0)
    op->scale = filter->scale;
  move_sign(op);
  find_divisor(op);
  return TRUE;
}

static void
operator_free(Operator *op) {
  g_free(op->matrix);
  g_free(op);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Operator, operator_free)

/* The factor from sums of coefficients (of whole numbers where there is a divisor) to results. */
static gdouble
operator_scale(const Operator *op, CcRational *fraction) {
  const guint area = op->width * op->height;
  *fraction = (CcRational){0, 0};
  if (op->divisor && op->scale == 0) {
    gint64 sum = 0;
    for (guint i = 0; i < area; i++)
      sum += op->whole[i];
    *fraction = (CcRational){1, sum > 0 ? sum : op->divisor};
  } else if (op->divisor) {
    const CcRational scale = cc_rational(op->scale, MAX_SCALE_DENOMINATOR);
    if (!scale.den)
      return op->scale / (gdouble)op->divisor;
    *fraction = (CcRational){scale.num, scale.den * op->divisor};
  } else if (op->scale == 0) {
    gdouble sum = 0, sum_abs = 0;
    for (guint i = 0; i < area; i++) {
      sum += op->matrix[0].coeff[i];
      sum_abs += fabs(op->matrix[0].coeff[i]);
    }
    return sum > COEFF_TOLERANCE * sum_abs ? 1 / sum : 1;
  } else {
    return op->scale;
  }
  return (gdouble)fraction->num / (gdouble)fraction->den;
}

static void
set_taps(CcOp *op, const Operator *from) {
  const guint area = from->width * from->height;
  op->n_matrices = from->n;
  op->width = from->width;
  op->height = from->height;
  op->response = from->response;
  op->exact = from->divisor != 0;
  op->separable = TRUE;
  for (guint m = 0; m < from->n; m++) {
    for (guint i = 0; i < area; i++) {
      const guint at = m * area + i;
      op->tap_i[at] = op->exact ? (gint32)from->whole[at] : 0;
      op->tap_f[at] = op->exact ? (gfloat)from->whole[at] : (gfloat)from->matrix[m].coeff[i];
    }
    if (!op->separable)
      continue;
    if (op->exact) {
      op->separable = cc_factor_whole(from->whole + m * area, from->width, from->height,
                                      op->row_i[m], op->column_i[m]);
      for (guint i = 0; i < CC_MAX_KERNEL_SIZE; i++) {
        op->row_f[m][i] = (gfloat)op->row_i[m][i];
        op->column_f[m][i] = (gfloat)op->column_i[m][i];
      }
    } else {
      op->separable = cc_factor_real(&from->matrix[m], op->row_f[m], op->column_f[m]);
    }
  }
}

/* Samples are 0 to `most_code`. */
static void
set_bounds(CcOp *op, gint most_code) {
  const guint area = op->width * op->height;
  if (!op->exact)
    return;
  for (guint m = 0; m < op->n_matrices; m++) {
    op->sum_min[m] = op->sum_max[m] = 0;
    for (guint i = 0; i < area; i++) {
      const gint64 most = (gint64)op->tap_i[m * area + i] * most_code;
      *(most < 0 ? &op->sum_min[m] : &op->sum_max[m]) += most;
    }
  }
}

/* --- planes --- */

typedef struct {
  const CcFilter *filter;
  const Operator *taps;
  CcPlan *plan;
  gdouble offset[CC_MAX_PASSES]; /* what each op of the plan adds */
} Builder;

/* The code values that results may have. Edges lie within the stream's range: its black is what
 * they answer a flat area with. Angles, and what lies around mid-grey, know no black. */
static void
find_limits(const Builder *b, CcRole role, guint depth, gint *lo, gint *hi) {
  const gboolean is_edge = b->taps->klass == CC_KERNEL_EDGE &&
                           b->taps->response != CC_RESPONSE_DIRECTION &&
                           b->taps->response != CC_RESPONSE_OFFSET;
  const gboolean limited = is_edge && role == CC_ROLE_LUMA && b->plan->frame_layout.limited_range;
  *lo = limited ? 16 << (depth - 8) : 0;
  *hi = limited ? 235 << (depth - 8) : (1 << depth) - 1;
}

/* Edge results of chroma lie around neutral; mid-grey is where signed results lie around. */
static gint
middle(const Builder *b, CcRole role, guint depth) {
  const gboolean signed_chroma = b->taps->klass == CC_KERNEL_EDGE && cc_role_is_chroma(role) &&
                                 b->taps->response != CC_RESPONSE_DIRECTION;
  return b->taps->response == CC_RESPONSE_OFFSET || signed_chroma ? 1 << (depth - 1) : 0;
}

/* The op for samples of `role`; the same one for all roles and planes that need the same. */
static const CcOp *
get_op(Builder *b, CcRole role, guint depth) {
  gint lo, hi;
  find_limits(b, role, depth, &lo, &hi);
  const gdouble offset =
      b->filter->bias * (gdouble)(1 << (depth - 8)) + lo + middle(b, role, depth);
  for (guint i = 0; i < b->plan->n_ops; i++) {
    const CcOp *other = &b->plan->op[i];
    if (other->lo == lo && other->hi == hi && b->offset[i] == offset)
      return other;
  }
  b->offset[b->plan->n_ops] = offset;
  CcOp *op = &b->plan->op[b->plan->n_ops++];
  op->lo = lo;
  op->hi = hi;
  set_taps(op, b->taps);
  set_bounds(op, (1 << depth) - 1);
  CcRational fraction;
  const gdouble scale = operator_scale(b->taps, &fraction);
  cc_op_set_last_step(op, scale, fraction, offset);
  return op;
}

typedef enum {
  ACTION_FILTER,
  ACTION_COPY,
  ACTION_FILL,
} Action;

static Action
action_for(const Builder *b, CcRole role) {
  switch (role) {
  case CC_ROLE_CB:
  case CC_ROLE_CR:
    return b->taps->chroma == CC_CHROMA_FILTER ? ACTION_FILTER
           : b->taps->chroma == CC_CHROMA_COPY ? ACTION_COPY
                                               : ACTION_FILL;
  case CC_ROLE_ALPHA:
    return b->filter->alpha == CC_ALPHA_FILTER ? ACTION_FILTER
           : b->filter->alpha == CC_ALPHA_COPY ? ACTION_COPY
                                               : ACTION_FILL;
  case CC_ROLE_PADDING:
    return ACTION_COPY;
  default:
    return ACTION_FILTER;
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

/* The pass of the plane that runs `op`, or the plane's first when it has none yet. */
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

static void
add_component(Builder *b, guint plane, guint component) {
  const CcPlaneLayout *layout = &b->plan->layout.plane[plane];
  const CcRole role = layout->role[component];
  const CcHue *hue = b->plan->hue;
  if (hue && (role < CC_ROLE_ALPHA || (hue->aside && hue->aside_role == role)))
    return; /* painted */
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
  pass->fill[component] =
      (guint16)(cc_role_is_chroma(role) ? 1 << (layout->depth - 1) : (1 << layout->depth) - 1);
}

/* --- the plan --- */

static gboolean
check_number(const gchar *name, gdouble value, gdouble least, gdouble most, GError **error) {
  if (value >= least && value <= most)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s=%g: a number from %g to %g is needed", name,
              value, least, most);
  return FALSE;
}

static gboolean
check_filter(const CcFilter *filter, const Operator *op, GError **error) {
  if (!check_number("sigma", filter->sigma, 0, CC_MAX_SIGMA, error) ||
      !check_number("scale", filter->scale, -CC_MAX_SCALE, CC_MAX_SCALE, error) ||
      !check_number("bias", filter->bias, -CC_MAX_BIAS, CC_MAX_BIAS, error) ||
      !check_number("border-value", filter->border_value, 0, 1, error))
    return FALSE;
  if (filter->stride > 4 || filter->stride == 3) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "stride=%u: 1, 2 or 4 is needed",
                filter->stride);
    return FALSE;
  }
  if (op->response == CC_RESPONSE_DIRECTION && op->n != 2) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "response=direction: the kernel %s has %u matri%s; a gradient of two is needed: "
                "sobel, scharr, prewitt or roberts",
                filter->kernel->name, op->n, op->n == 1 ? "x" : "ces");
    return FALSE;
  }
  return TRUE;
}

static gboolean
runs_plan(CcAlgorithm algorithm, const CcPlan *plan) {
  for (guint i = 0; i < plan->n_ops; i++)
    if (!cc_algorithm_runs(algorithm, &plan->op[i]))
      return FALSE;
  return TRUE;
}

/* Whether R, G and B are filtered as their luma. */
static gboolean
is_grey(const CcFilter *filter, const Operator *taps, const CcFrameLayout *frame) {
  const gboolean wanted = filter->color == CC_COLOR_AUTO ? taps->klass == CC_KERNEL_EDGE
                                                         : filter->color == CC_COLOR_GREY;
  return wanted && cc_frame_layout_has_rgb(frame);
}

/* Whether direction is painted as hue: there is colour, and nothing says what else is to become of
 * it. Only sums of integers are the same in any order. */
static gboolean
is_painted(const CcFilter *filter, const Operator *taps, const CcFrameLayout *frame) {
  return taps->response == CC_RESPONSE_DIRECTION && taps->divisor &&
         (is_grey(filter, taps, frame) ||
          (filter->chroma == CC_CHROMA_AUTO && cc_frame_layout_has_yuv(frame)));
}

static void
set_hue(Builder *b) {
  CcHue *hue = b->plan->hue = g_new(CcHue, 1);
  cc_hue_init(hue, &b->plan->layout, b->plan->packing);
  const CcPlaneLayout *luma = &b->plan->layout.plane[hue->plane];
  hue->op = get_op(b, CC_ROLE_LUMA, luma->depth);
  hue->add = (gfloat)(b->filter->bias + 0.5);
  hue->border = border_code(b, CC_ROLE_LUMA, luma->depth);
  hue->repeats = b->plan->repeats[hue->plane];
  if (!hue->aside)
    return;
  const Action action = action_for(b, hue->aside_role);
  hue->aside = action == ACTION_COPY   ? CC_ASIDE_COPY
               : action == ACTION_FILL ? CC_ASIDE_FILL
                                       : CC_ASIDE_NOTHING;
  hue->aside_word = (guint16)(((1u << luma->depth) - 1) << luma->shift);
}

/* Sets what of each plane of the frame is read and written. Chroma of pairs, which comes after
 * luma, tells how many groups that is. */
static void
set_frame_regions(CcPlan *plan) {
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPacking *packing = &plan->packing[p];
    for (guint i = 0; i < cc_packing_n_places(packing); i++) {
      plan->frame_source[packing->place[i].plane] = plan->source[p];
      plan->frame_target[packing->place[i].plane] = plan->target[p];
    }
  }
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const guint of_frame = plan->packing[p].place[0].plane;
    if (plan->frame_layout.plane[of_frame].pairs && plan->layout.plane[p].step == 1)
      plan->repeats[p] = 2 * plan->frame_target[of_frame].width - plan->target[p].width;
  }
}

/* Sets everything about frames and planes but the passes. */
static gboolean
set_planes(CcPlan *plan, const CcFilter *filter, const Operator *taps, const CcFrameLayout *frame,
           GError **error) {
  plan->frame_layout = *frame;
  plan->out_frame_layout = cc_frame_layout_shrink(frame, plan->stride);
  plan->packed = cc_packing_find(frame, is_grey(filter, taps, frame), &plan->layout, plan->packing);
  plan->out_layout = cc_frame_layout_shrink(&plan->layout, plan->stride);
  if (!cc_filter_find_regions(filter, frame, &plan->layout, &plan->out_layout, plan->stride,
                              plan->source, plan->target, error))
    return FALSE;
  set_frame_regions(plan);
  return TRUE;
}

/* The algorithms that run the plan, as "direct, constant and scatter"; every one without a plan. */
static gchar *
list_algorithms(const CcPlan *plan) {
  const gchar *names[CC_N_ALGORITHMS + 1] = {NULL};
  guint n = 0;
  for (CcAlgorithm a = CC_ALGORITHM_DIRECT; a < CC_N_ALGORITHMS; a++)
    if (!plan || runs_plan(a, plan))
      names[n++] = cc_algorithm_name(a);
  const gchar *last = names[--n];
  names[n] = NULL;
  g_autofree gchar *others = g_strjoinv(", ", (gchar **)names);
  return g_strdup_printf("%s and %s", others, last);
}

static gboolean
check_algorithm(const CcPlan *plan, CcAlgorithm algorithm, GError **error) {
  if ((guint)algorithm >= CC_N_ALGORITHMS) {
    g_autofree gchar *all = list_algorithms(NULL);
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "algorithm=%d: there is no such one; there are %s, and auto", (gint)algorithm, all);
    return FALSE;
  }
  if (runs_plan(algorithm, plan))
    return TRUE;
  const CcOp *op = &plan->op[0];
  g_autofree gchar *able = list_algorithms(plan);
  g_autofree gchar *matrices =
      op->n_matrices > 1 ? g_strdup_printf(", %u matrices", op->n_matrices) : g_strdup("");
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "algorithm=%s cannot run this kernel (%ux%u%s, %s%s): %s can, or auto",
              cc_algorithm_name(algorithm), op->width, op->height, matrices,
              op->separable ? "separable" : "not separable",
              op->exact && !cc_op_fits_int32(op) ? ", sums beyond 32 bits" : "", able);
  return FALSE;
}

CcPlan *
cc_plan_new(const CcFilter *filter, const CcFrameLayout *layout, GError **error) {
  g_autoptr(Operator) taps = g_new0(Operator, 1);
  if (!operator_init(taps, filter, error) || !check_filter(filter, taps, error))
    return NULL;

  g_autoptr(CcPlan) plan = g_new0(CcPlan, 1);
  g_atomic_ref_count_init(&plan->refs);
  plan->border = filter->border;
  plan->stride = MAX(1, filter->stride);
  plan->algorithm = filter->algorithm;
  if (!set_planes(plan, filter, taps, layout, error))
    return NULL;
  plan->op = g_new0(CcOp, CC_MAX_PASSES);
  Builder builder = {.filter = filter, .taps = taps, .plan = plan};
  if (is_painted(filter, taps, layout))
    set_hue(&builder);
  for (guint p = 0; p < plan->layout.n_planes; p++)
    for (guint c = 0; c < plan->layout.plane[p].step; c++)
      add_component(&builder, p, c);
  if (!check_algorithm(plan, filter->algorithm, error))
    return NULL;
  return g_steal_pointer(&plan);
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
  g_free(plan->hue);
  g_free(plan->op);
  g_free(plan);
}

static gboolean
is_whole(const CcRect *rect, const CcPlaneLayout *plane) {
  return rect->width == plane->width && rect->height == plane->height;
}

static void
describe_regions(const CcPlan *plan, GString *text) {
  const CcRect *from = &plan->source[0], *to = &plan->target[0];
  if (plan->stride > 1)
    g_string_append_printf(text, ", stride %u", plan->stride);
  if (!is_whole(from, &plan->layout.plane[0]) || !is_whole(to, &plan->out_layout.plane[0]))
    g_string_append_printf(text, ", %ux%u at %u,%u to %ux%u at %u,%u", from->width, from->height,
                           from->x, from->y, to->width, to->height, to->x, to->y);
}

gchar *
cc_plan_describe(const CcPlan *plan) {
  g_autoptr(GString) text = g_string_new(NULL);
  if (plan->n_ops == 0) {
    g_string_append(text, "no filtering");
  } else {
    const CcOp *op = &plan->op[0];
    g_string_append_printf(text, "%ux%u, %u matri%s, %s, %s, %s, %s%s", op->width, op->height,
                           op->n_matrices, op->n_matrices == 1 ? "x" : "ces",
                           op->separable ? "separable" : "not separable",
                           op->exact ? "exact integers" : "fractional",
                           op->arith == CC_ARITH_F32 ? "float sums" : "64-bit sums",
                           cc_response_names[op->response], plan->hue ? " as hue" : "");
    if (plan->algorithm != CC_ALGORITHM_AUTO)
      g_string_append_printf(text, ", algorithm %s", cc_algorithm_name(plan->algorithm));
  }
  describe_regions(plan, text);
  g_string_append_printf(text, ", %u passes", plan->n_passes);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
