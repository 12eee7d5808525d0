/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares small frames inside guard bands with the plain loop. First passes at the limits of what
 * methods take, with every method. Then plane maps and direction color. */

#include "checkasm.h"

#include "cpu/component_offset.h"
#include "cpu/dispatch.h"
#include "cpu/lower.h"
#include "cpu/methods/tap_pattern.h"
#include "engine/plan/output_stage.h"
#include "tests/ref/formats.h"
#include "tests/ref/guarded.h"
#include "tests/stages/teststages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_PASSES 2700
#define N_BOXES 160     /* the first passes: 8 radii with 20 types of pixels */
#define N_EQUAL 1292    /* then rows of equal taps */
#define N_EQUAL_U8 1040 /* of them with bytes, the others with words */
#define N_BLURS 320     /* then blurs whose sums are around 32 bits */
#define N_FRAMES 500
#define MIN_PASSES 10   /* that each method must run */
#define MAX_TAPS 300000 /* of all samples of a frame, mostly */
#define MAX_SUM ((gint64)1 << 50)
#define MAX_REGIONS 4
#define MAX_WINDOWS (2 * 4 * 255 + 1) /* one for each sum of Sobel */

/* --- programs --- */

static const CcVariant *const *variants;
static guint n_passes[MAX_VARIANTS][CC_N_METHODS]; /* run by each method */

/* Returns how many passes a method runs. Enables non-temporal stores, which are otherwise for large
 * frames. */
static guint
prepare(CcCpuProgram *program, const gchar *method) {
  guint n = 0;
  for (guint i = 0; i < program->phase[0].n_sweeps; i++) {
    CcSweep *sweep = &program->phase[0].sweep[i];
    n += sweep->method && g_str_equal(sweep->method->klass->name, method);
    sweep->streams = sweep->method && sweep->method->streams && !sweep->plan->packed &&
                     !sweep->masks && sweep->stride == 1;
  }
  return n;
}

/* A frame and its regions. */
typedef struct {
  const GuardedFrame *src;
  CcRegion region[MAX_REGIONS];
  guint n_regions;
  gboolean by_fields;
} Input;

/* The results that the stages of a plan read back for each region. A plan has up to three. */
typedef guint64 Counts[3 * MAX_REGIONS];

static void
draw_roi(CcRoi *roi, guint stride, guint width, guint height) {
  roi->source.x = check_uint(0, width - 1);
  roi->source.y = check_uint(0, height - 1);
  roi->source.width = check_uint(1, width);
  roi->source.height = check_uint(1, height);
  roi->target_set = check_uint(0, 1);
  roi->target_x = check_uint(0, (width - 1) / stride);
  roi->target_y = check_uint(0, (height - 1) / stride);
}

/* Finds the region of `first`, and sometimes draws more. Returns FALSE if none is valid. */
static gboolean
draw_regions(Input *input, const CcRoi *first, guint stride, const CcFrameLayout *layout) {
  const guint wanted = check_uint(0, 2) ? 1 : check_uint(2, G_N_ELEMENTS(input->region));
  const guint width = layout->plane[0].width, height = layout->plane[0].height;
  CcRoi roi = *first;
  input->n_regions = 0;
  input->by_fields = stride == 1 && check_uint(0, 3) == 0;
  for (guint i = 0; i < wanted; i++) {
    input->n_regions +=
        cc_roi_find_region(&roi, stride, layout, &input->region[input->n_regions], NULL) ? 1 : 0;
    draw_roi(&roi, stride, width, height);
  }
  return input->n_regions > 0;
}

/* Runs the slices of a region, or of one field of it, each cut in two. */
static void
run_region(const CcCpuProgram *program, const Input *input, const GuardedFrame *dst, guint r,
           guint field, gpointer results, guint8 *planes, guint8 *scratch) {
  g_autoptr(GArray) slices = g_array_new(FALSE, FALSE, sizeof(CcSlice));
  const CcPlan *plan = program->phase[0].plan;
  const guint n_planes = plan->frame_layout.n_planes;
  const guint fields[CC_MAX_PLANES] = {field, field, field, field};
  CcSubmitInfo submission = {.src = input->src->frame,
                             .dst = dst->frame,
                             .regions = input->region,
                             .n_regions = input->n_regions,
                             .results = results};
  CcPlacement placement;
  cc_plan_place(plan, &input->region[r], &placement);
  if (input->by_fields) {
    cc_placement_take_field(&placement, plan, field);
    cc_frame_take_field(&submission.src, n_planes, fields);
    cc_frame_take_field(&submission.dst, n_planes, placement.target_field);
  }
  for (guint p = 0; p < program->n_phases; p++) {
    const CcPhase *phase = &program->phase[p];
    g_array_set_size(slices, 0);
    cc_phase_cut(phase, &placement, r, check_uint(1, 3), slices);
    for (guint i = 0; i < slices->len; i++) {
      CcSlice upper = g_array_index(slices, CcSlice, i), lower = upper;
      upper.y1 = lower.y0 = check_uint(upper.y0 + 1, upper.y1);
      cc_phase_run(phase, &placement, &upper, &submission, NULL, planes, scratch);
      if (lower.y0 < lower.y1)
        cc_phase_run(phase, &placement, &lower, &submission, NULL, planes, scratch);
    }
  }
}

/* Runs all slices with exactly the scratch memory that the program requires. */
static void
run(const CcCpuProgram *program, const Input *input, const GuardedFrame *dst, Counts counts) {
  static const guint8 guard[CC_ROW_ALIGN] = {0xa5, 0x5a};
  const gsize size = cc_row_align(program->scratch_size);
  guint8 *scratch = aligned_alloc(CC_ROW_ALIGN, size + sizeof guard);
  guint8 *planes = aligned_alloc(CC_ROW_ALIGN, program->planes_size + sizeof guard);
  memset(scratch, 0xa5, size);
  memcpy(scratch + size, guard, sizeof guard);
  memset(planes, 0x5a, program->planes_size);
  memcpy(planes + program->planes_size, guard, sizeof guard);
  for (guint r = 0; r < input->n_regions; r++)
    for (guint f = 0; f < (input->by_fields ? 2 : 1); f++)
      run_region(program, input, dst, r, f, (guint8 *)counts + r * program->plan->result_bytes,
                 planes, scratch);
  if (memcmp(scratch + size, guard, sizeof guard) != 0)
    check_fail("bytes behind the scratch memory are overwritten");
  if (memcmp(planes + program->planes_size, guard, sizeof guard) != 0)
    check_fail("bytes behind the planes are overwritten");
  free(planes);
  free(scratch);
}

static void
compare(const CcCpuProgram *program, const Input *input, const GuardedFrame *expected,
        const Counts expected_counts) {
  const Placement placement =
      check_uint(0, 2) ? check_uint(0, PLACEMENT_COUNT - 1) : PLACEMENT_ALIGNED;
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&expected->layout, placement);
  g_autofree gchar *message = NULL;
  Counts counts = {0};
  run(program, input, dst, counts);
  if (memcmp(counts, expected_counts, sizeof counts) == 0 &&
      frames_match(&dst->layout, &expected->frame, &dst->frame, NULL, &message) &&
      guarded_frame_intact(dst, &message))
    return;
  g_auto(GStrv) steps = cc_cpu_program_explain(program);
  g_autofree gchar *text = cc_plan_describe(program->plan), *all = g_strjoinv("\n  ", steps);
  check_fail("%s\n  %s\n  %s", message ? message : "other counts", text, all);
}

/* Makes the expected result of a plan with stages: runs the plain loops of the plan without stages,
 * then applies the stages, region by region. */
static void
expect(const CcPlan *plan, const TestStages *stages, const Input *input,
       const GuardedFrame *expected, Counts counts) {
  CcPlan without = *plan;
  without.n_stages -= stages->n;
  without.result_bytes = 0;
  CcCpuProgram *plain = cc_cpu_program_new(&without, &cc_cpu_all_variants[0]);
  for (guint r = 0; r < input->n_regions; r++) {
    const Input part = {.src = input->src,
                        .region = {input->region[r]},
                        .n_regions = 1,
                        .by_fields = input->by_fields};
    run(plain, &part, expected, NULL);
    test_stages_apply(stages, &without, &input->region[r], input->by_fields, &input->src->frame,
                      &expected->frame, &counts[r * stages->n]);
  }
  cc_cpu_program_free(plain);
}

/* Runs a plan on all variants with each method that takes one of its passes, and, if `whole`, with
 * the methods that dispatch selects. */
static void
check_plan(const CcPlan *plan, const TestStages *stages, const Input *input, gboolean whole) {
  g_autoptr(GuardedFrame) expected = guarded_frame_new(&plan->out_frame_layout, PLACEMENT_ALIGNED);
  Counts counts = {0};
  expect(plan, stages, input, expected, counts);
  if (stages->n) {
    CcCpuProgram *plain = cc_cpu_program_new(plan, &cc_cpu_all_variants[0]);
    compare(plain, input, expected, counts);
    cc_cpu_program_free(plain);
  }
  for (guint v = 0; variants[v]; v++)
    for (guint method = 0; method < CC_N_METHODS + (whole ? 1 : 0); method++) {
      const gchar *only = method < CC_N_METHODS ? cc_method_name(method) : NULL;
      check_set_variant(variants[v]);
      cc_dispatch_only(only);
      CcCpuProgram *program = cc_cpu_program_new(plan, variants[v]);
      cc_dispatch_only(NULL);
      const guint n = prepare(program, only ? only : "");
      if (n || !only)
        compare(program, input, expected, counts);
      if (only)
        n_passes[v][method] += n;
      cc_cpu_program_free(program);
    }
}

/* --- ops --- */

/* Returns a number of any size up to 2^n_bits: next to a power of two, up to an eighth above one,
 * or any. */
static gint64
draw_size(guint n_bits) {
  const gint64 power = (gint64)1 << check_uint(0, n_bits);
  switch (check_uint(0, 2)) {
  case 0:
    return power + check_uint(0, 4) - 2;
  case 1:
    return power + check_uint(0, (guint)power / 8);
  default:
    return (gint64)exp2(g_rand_double_range(check.rand, 0, n_bits));
  }
}

/* Returns how often `unit` fits into 15, 16, 31 or 32 bits plus `more` bits, plus or minus one; or
 * a number from half of that on. */
static gint64
draw_bound(gint64 unit, guint more) {
  static const guint bits[] = {15, 16, 31, 32};
  const gint64 bound = ((gint64)1 << (bits[check_uint(0, 3)] + more)) / unit;
  return check_uint(0, 1) ? bound + check_uint(0, 2) - 1
                          : (gint64)((gdouble)bound * g_rand_double_range(check.rand, 0.5, 1));
}

/* Returns a sum for the absolute values of n taps: near a limit of sums, near a limit of byte taps,
 * or any. */
static gint64
draw_sum(guint n, gint64 max_sample) {
  switch (check_uint(0, 4)) {
  case 0:
    return draw_bound(max_sample, 0);
  case 2: /* limit of high bytes of taps */
    return (255 + check_uint(0, 4)) << check_uint(0, 7);
  case 1:
    return n * ((64 << check_uint(0, 2)) + (gint64)check_uint(0, 3) - 1);
  default:
    return draw_size(check_uint(1, 20));
  }
}

/* Draws n taps whose absolute values add up to `sum`, as far as the taps fit words. */
static void
draw_line(gint32 *tap, guint n, gint64 sum) {
  const guint signs = check_uint(0, 4);
  const gboolean even = check_uint(0, 2) == 0;
  gint64 rest = MAX(sum, 1);
  for (guint i = 0; i < n; i++) {
    const gdouble share =
        even ? (gdouble)sum / n : g_rand_double_range(check.rand, 0, 2. * (gdouble)rest / (n - i));
    const gint64 max = G_MAXINT16 + (check_uint(0, 200) ? 0 : check_uint(0, 2));
    tap[i] = (gint32)MIN(i + 1 == n ? rest : (gint64)share, MIN(max, rest));
    rest -= tap[i];
    if (signs == 0 || (signs == 1 && check_uint(0, 1)) || (signs == 2 && i % 2))
      tap[i] = -tap[i];
  }
}

static gint64
sum_absolutes(const gint32 *tap, guint n) {
  gint64 sum = 0;
  for (guint i = 0; i < n; i++)
    sum += ABS(tap[i]);
  return MAX(sum, 1);
}

/* Draws rows and columns whose horizontal sums and whole sums are near limits. */
static void
draw_separable(CcOp *op, gint64 max_sample) {
  static const guint sides[] = {1, 3, 3, 3, 5, 5, 7, 9, 15, 17, 31, 63, 127};
  op->separable = TRUE;
  op->n_matrices = MIN(op->n_matrices, 2);
  const gboolean wide = check_uint(0, 2) == 0; /* beyond 32 bits, for methods that take one sum */
  if (wide) {
    op->n_matrices = 1;
    op->response = CC_RESPONSE_CLAMP;
  }
  op->width = sides[check_uint(0, G_N_ELEMENTS(sides) - 1)];
  op->height = sides[check_uint(0, G_N_ELEMENTS(sides) - 1)];
  for (guint m = 0; m < op->n_matrices; m++) {
    draw_line(op->row_i[m], op->width, draw_sum(op->width, max_sample));
    const gint64 row_sum = sum_absolutes(op->row_i[m], op->width) * max_sample;
    const guint more = wide ? check_uint(0, 18) : 0;
    const gint64 column_sum =
        wide || check_uint(0, 1) ? draw_bound(row_sum, more) : draw_size(check_uint(1, 22));
    draw_line(op->column_i[m], op->height, MIN(column_sum, MAX_SUM / row_sum));
  }
}

/* Draws blurs whose sums are around 32 bits: binomials, and byte taps like those of a Gaussian. */
static void
draw_blur(CcOp *op) {
  const gboolean bytes = check_uint(0, 2) == 0;
  op->separable = TRUE;
  op->n_matrices = 1;
  op->response = CC_RESPONSE_CLAMP;
  op->width = 2 * check_uint(bytes ? 2 : 4, 8) + 1;
  op->height = 2 * check_uint(bytes ? 2 : 4, 8) + 1;
  for (guint i = 0, tap = 1; i < op->width; i++, tap = tap * (op->width - i) / i)
    op->row_i[0][i] = (gint32)tap;
  for (guint i = 0, tap = 1; i < op->height; i++, tap = tap * (op->height - i) / i)
    op->column_i[0][i] = (gint32)tap;
  for (guint i = 0; i < CC_MAX_KERNEL_SIZE && bytes; i++) {
    op->row_i[0][i] = i < op->width ? (gint32)check_uint(100, 255) : 0;
    op->column_i[0][i] = i < op->height ? (gint32)check_uint(1, 4000) : 0;
  }
}

/* Draws a box. Radius 0: a large radius. */
static void
draw_box(CcOp *op, guint radius) {
  const gint32 tap = check_uint(0, 3) ? 1 : (gint32)check_uint(1, 40);
  op->separable = TRUE;
  op->n_matrices = 1;
  op->width = 2 * (radius ? radius : check_uint(8, 30)) + 1;
  op->height = check_uint(0, 1) ? op->width : 2 * check_uint(1, 8) + 1;
  for (guint i = 0; i < CC_MAX_KERNEL_SIZE; i++) {
    op->row_i[0][i] = i < op->width;
    op->column_i[0][i] = i < op->height ? tap : 0;
  }
}

/* Draws rows of equal taps that are too long for conv2d. The taps are first those around the limits
 * of bytes, then larger ones, up to sums that two words hold. Every fourth row has two neighbours
 * whose sum is around the limit of byte products. */
static void
draw_equal_taps(CcOp *op, guint number) {
  const guint k = number / 4, kind = number % 4;
  const gint32 tap = kind == 3 ? 250 + (gint32)k % 10
                     : k < 260 ? (gint32)k + 1
                               : (gint32)(260 * exp2((k - 260) / 16.));
  op->separable = TRUE;
  op->n_matrices = 1;
  op->width = kind == 3 ? 3 : 17;
  op->height = kind == 3 ? 17 : k % 2 ? 1 : 3;
  for (guint i = 0; i < op->width; i++)
    op->row_i[0][i] = kind == 3                           ? (tap + 1 - (gint32)i) / 2 * (i < 2)
                      : kind == 1 || (kind == 2 && i % 2) ? -tap
                                                          : tap;
  for (guint i = 0; i < op->height; i++)
    op->column_i[0][i] = 1;
}

static void
shuffle(gint32 *tap, guint n) {
  for (guint i = n; i > 1; i--) {
    const guint k = check_uint(0, i - 1);
    const gint32 last = tap[i - 1];
    tap[i - 1] = tap[k];
    tap[k] = last;
  }
}

/* Draws taps with the pattern of a row kernel, at random positions among n. */
static void
draw_pattern(gint32 *tap, guint n, CcTapPattern pattern) {
  const gchar *digits = cc_tap_pattern_name(pattern);
  const gint32 unit = (gint32)check_uint(1, 4);
  guint k = 0;
  memset(tap, 0, n * sizeof *tap);
  for (guint i = 0; digits[i]; i++)
    for (gint left = digits[i] == '-' ? 0 : digits[i] - '0'; left > 0 && k < n; left--)
      tap[k++] = unit * (gint32)(i / 3 + 1) * (i % 3 ? -1 : 1);
  shuffle(tap, n);
}

static void
draw_patterns(CcOp *op) {
  op->separable = check_uint(0, 1);
  op->n_matrices = 1;
  op->width = op->height = check_uint(0, 2) ? 3 : 5;
  draw_pattern(op->tap_i, op->width * op->height, check_uint(0, CC_PATTERN_ANY - 1));
  draw_pattern(op->row_i[0], op->width, check_uint(0, CC_PATTERN_22_11 - 1));
  draw_pattern(op->column_i[0], op->height, check_uint(0, CC_PATTERN_22_11 - 1));
}

/* Draws a derivative and its transpose, or two differences of two taps; or nearly so. */
static void
draw_gradient(CcOp *op) {
  static const CcResponse responses[] = {CC_RESPONSE_MAGNITUDE, CC_RESPONSE_MAGNITUDE_L1,
                                         CC_RESPONSE_ABSOLUTE};
  const gint32 corner = (gint32)check_uint(0, 10), middle = (gint32)check_uint(1, 10);
  const gint32 x[] = {-corner, 0, corner, -middle, 0, middle, -corner, 0, corner};
  const gint32 signs[] = {check_uint(0, 1) ? 1 : -1, check_uint(0, 1) ? 1 : -1};
  op->n_matrices = 2;
  op->width = op->height = 3;
  op->response = responses[check_uint(0, 2)];
  for (guint i = 0; i < 9; i++) {
    op->tap_i[i] = x[i];
    op->tap_i[9 + i] = signs[i % 2] * x[i % 3 * 3 + i / 3];
  }
  for (guint m = check_uint(0, 6); m < 2; m++) {
    draw_pattern(op->tap_i, 9, CC_PATTERN_11);
    draw_pattern(op->tap_i + 9, 9, CC_PATTERN_11);
  }
  if (check_uint(0, 4) == 0)
    op->tap_i[check_uint(0, 17)] *= -1;
}

static void
draw_matrices(CcOp *op, gint64 max_sample) {
  do {
    op->width = 2 * check_uint(0, check_uint(0, 3) ? 2 : 7) + 1;
    op->height = 2 * check_uint(0, check_uint(0, 3) ? 2 : 7) + 1;
  } while (op->n_matrices * op->width * op->height > CC_MAX_TAPS);
  const guint area = op->width * op->height;
  for (guint m = 0; m < op->n_matrices; m++) {
    draw_line(op->tap_i + m * area, area, draw_sum(area, max_sample));
    if (check_uint(0, 1))
      shuffle(op->tap_i + m * area, area);
  }
}

static void
set_sum_bounds(CcOp *op, gint64 max_sample) {
  for (guint m = 0; m < op->n_matrices; m++) {
    op->sum_min[m] = op->sum_max[m] = 0;
    for (guint i = 0; i < op->width * op->height; i++) {
      const gint64 tap = cc_op_tap(op, m, i / op->width, i % op->width);
      *(tap < 0 ? &op->sum_min[m] : &op->sum_max[m]) += tap * max_sample;
    }
  }
}

static gboolean
is_blur(guint number) {
  return number >= N_BOXES + N_EQUAL && number < N_BOXES + N_EQUAL + N_BLURS;
}

/* Draws all of an op except its output stage. `number` is that of the pass: boxes of all small
 * radii come first, then rows of equal taps, then blurs. */
static void
draw_op(CcOp *op, gint64 max_sample, guint number) {
  static const CcResponse responses[] = {
      CC_RESPONSE_CLAMP,     CC_RESPONSE_CLAMP,        CC_RESPONSE_CLAMP,    CC_RESPONSE_ABSOLUTE,
      CC_RESPONSE_MAGNITUDE, CC_RESPONSE_MAGNITUDE_L1, CC_RESPONSE_DIRECTION};
  const guint kind = number < N_BOXES ? 4 : check_uint(0, 9);
  op->response = responses[check_uint(0, G_N_ELEMENTS(responses) - 1)];
  op->n_matrices = check_uint(0, 2) ? 1 : check_uint(0, 1) ? 2 : check_uint(1, CC_MAX_MATRICES);
  if (number >= N_BOXES && number < N_BOXES + N_EQUAL)
    draw_equal_taps(op, number - N_BOXES);
  else if (is_blur(number))
    draw_blur(op);
  else if (kind < 4)
    draw_separable(op, max_sample);
  else if (kind < 5)
    draw_box(op, number / (N_BOXES / 8) % 8);
  else if (kind < 6)
    draw_gradient(op);
  else if (kind < 7)
    draw_patterns(op);
  else
    draw_matrices(op, max_sample);
  if (op->response == CC_RESPONSE_DIRECTION && op->n_matrices != 2)
    op->response = CC_RESPONSE_CLAMP;
  op->has_taps = !op->separable;
  if (op->separable)
    cc_op_set_taps_of_factors(op);
  cc_op_trim(op);
  set_sum_bounds(op, max_sample);
}

/* --- passes --- */

/* Draws a plane with pixels of one of 20 types. */
static CcFrameLayout
draw_layout(guint type) {
  static const guint depths[] = {8, 8, 10, 12, 16};
  CcPlaneLayout plane = {.step = 1 + type % 4,
                         .depth = depths[type / 4 % G_N_ELEMENTS(depths)],
                         .width = check_uint(1, check_uint(0, 3) ? 40 : 200),
                         .height = check_uint(1, 24)};
  plane.type = plane.depth == 8 ? CC_SAMPLE_U8 : CC_SAMPLE_U16;
  plane.shift = plane.type ? check_uint(0, 1) * (16 - plane.depth) : 0;
  for (guint c = 0; c < plane.step; c++)
    plane.role[c] = c && check_uint(0, 5) == 0 ? CC_ROLE_ALPHA : CC_ROLE_GREY;
  if (check_uint(0, 40) == 0) /* several tiles */
    plane.width = 4000 / plane.step;
  return (CcFrameLayout){.n_planes = 1, .plane = {plane}};
}

/* Draws all parameters except the kernel, and a region, which is mostly the whole frame. */
static CcFilter
draw_filter(guint width, guint height, CcRoi *roi) {
  CcFilter filter = {.border = check_uint(0, CC_N_BORDERS - 1),
                     .border_value = g_rand_double(check.rand),
                     .alpha = check_uint(0, CC_ALPHA_OPAQUE),
                     .stride = check_uint(0, 2) ? 1 : 1 << check_uint(0, 2)};
  *roi = (CcRoi){0};
  if (check_uint(0, 2) == 0)
    draw_roi(roi, filter.stride, width, height);
  return filter;
}

/* Finds sample i of the window of matrix 0 around pixel (x, y) of the source. Returns FALSE if the
 * sample is outside. */
static gboolean
find_sample(const CcPlan *plan, const CcRect *source, guint i, guint x, guint y, guint *column,
            guint *row) {
  const CcOp *op = plan->op;
  const gint from_x = cc_border_index((gint)(x + i % op->width) - (gint)op->width / 2,
                                      (gint)source->width, plan->border);
  const gint from_y = cc_border_index((gint)(y + i / op->width) - (gint)op->height / 2,
                                      (gint)source->height, plan->border);
  *column = (source->x + (guint)from_x) * plan->layout.plane[0].step;
  *row = source->y + (guint)from_y;
  return from_x >= 0 && from_y >= 0;
}

/* Gives pixel (x, y) of the source the largest or smallest possible sum. */
static void
draw_largest_sum(const CcPlan *plan, const GuardedFrame *src, const CcRect *source, guint x,
                 guint y) {
  const CcPlaneLayout *plane = &plan->layout.plane[0];
  const gboolean min = check_uint(0, 1);
  for (guint i = 0, column, row; i < plan->op->width * plan->op->height; i++) {
    const gint64 tap = cc_op_tap(plan->op, 0, i / plan->op->width, i % plan->op->width);
    const guint code = (min ? tap < 0 : tap > 0) ? (1u << plane->depth) - 1 : 0;
    for (guint c = 0; find_sample(plan, source, i, x, y, &column, &row) && c < plane->step; c++)
      cc_component_store(&plan->map[0].offset[0], &src->frame, plane->type, column + c, row,
                         code << plane->shift);
  }
}

/* Returns t of the first component of pixel (x, y) of the source. */
static gdouble
t_at(const CcPlan *plan, const GuardedFrame *src, const CcRect *source, guint x, guint y) {
  const CcOp *op = plan->op;
  const CcPlaneLayout *plane = &plan->layout.plane[0];
  CcSumsI64 sums = {0};
  for (guint m = 0; m < op->n_matrices; m++) {
    gint64 sum = 0;
    for (guint i = 0, column, row; i < op->width * op->height; i++) {
      guint code = plan->pass[0].border[0];
      if (find_sample(plan, source, i, x, y, &column, &row))
        code = cc_component_load(&plan->map[0].offset[0], &src->frame, plane->type, column, row) >>
               plane->shift;
      sum += cc_op_tap(op, m, i / op->width, i % op->width) * code;
    }
    cc_sums_add_i64(&sums, op->response, (gint)m, sum);
  }
  return cc_sums_t_i64(&sums, op->response);
}

/* Sets an output stage. Its code values cover all t, or those around the t of pixel (x, y), so that
 * low bits of sums matter: every bit with a scale of 1, and for blurs the bits from one of the
 * lowest on. */
static void
set_output_stage(const CcPlan *plan, const GuardedFrame *src, const CcRect *source, guint x,
                 guint y, gboolean blur) {
  enum { MIDDLE = 100 };
  CcOp *op = plan->op;
  gint64 den = 1;
  if (blur)
    den = check_uint(0, 1) ? (gint64)1 << check_uint(4, 10) : (gint64)check_uint(1 << 4, 1 << 20);
  else if (op->response != CC_RESPONSE_DIRECTION && check_uint(0, 2) == 0) {
    const CcRange range = cc_op_range(op);
    const gdouble span = (gdouble)range.max - (gdouble)range.min;
    den = 1 + (gint64)(op->response == CC_RESPONSE_MAGNITUDE ? sqrt(span) : span) / op->hi;
  } else if (check_uint(0, 1)) {
    den = draw_size(check_uint(1, 16));
    den = MAX(den, 1);
  }
  if (check_uint(0, 1))
    den = (gint64)1 << (g_bit_storage((gulong)den) - 1);
  const gdouble scale = 1 / (gdouble)den;
  const gdouble offset =
      check_uint(0, 5) ? floor(MIDDLE - t_at(plan, src, source, x, y) * scale) : 0;
  cc_op_set_output_stage(op, scale, (CcRational){1, den}, offset, 1);
}

static void
check_pass(guint number) {
  static CcOp op;
  const gboolean is_equal = number >= N_BOXES && number < N_BOXES + N_EQUAL;
  CcFrameLayout layout = draw_layout(!is_equal                       ? number
                                     : number < N_BOXES + N_EQUAL_U8 ? number % 4
                                                                     : 16 + number % 4);
  CcPlaneLayout *plane = &layout.plane[0];
  memset(&op, 0, sizeof op);
  draw_op(&op, (1 << plane->depth) - 1, number);
  const guint of_row = op.n_matrices * op.width * op.height * plane->width * plane->step;
  if (check_uint(0, 20))
    plane->height = CLAMP(MAX_TAPS / of_row, 1, plane->height);
  CcRoi roi;
  CcFilter filter = draw_filter(plane->width, plane->height, &roi);
  filter.kernel = cc_kernels_find("sobel");
  filter.response = op.response;
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
  op.lo = plan->op->lo;
  op.hi = plan->op->hi;
  const gint min_high = (gint)check_uint(200, 1000);
  if (op.response != CC_RESPONSE_DIRECTION && check_uint(0, 9)) /* faster to prove */
    op.hi = MIN(op.hi, min_high);
  *plan->op = op;
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, check_uint(0, PLACEMENT_COUNT - 1));
  guarded_frame_draw(src, check_uint(0, PATTERN_COUNT - 1), check.rand);
  Input input = {.src = src};
  CcPlacement placement;
  if (!draw_regions(&input, &roi, plan->stride, &layout))
    return;
  cc_plan_place(plan, &input.region[0], &placement);
  const guint x = check_uint(0, placement.target[0].width - 1) * plan->stride;
  const guint y = check_uint(0, placement.target[0].height - 1) * plan->stride;
  if (check_uint(0, 3))
    draw_largest_sum(plan, src, &placement.source[0], x, y);
  set_output_stage(plan, src, &placement.source[0], x, y, is_blur(number));
  check_plan(plan, &test_stages[0], &input, FALSE);
}

/* --- frames --- */

/* Checks a frame of any format with a named kernel. Direction color also gets large matrices. */
static void
check_frame(void) {
  static const CcResponse responses[] = {0, 0, CC_RESPONSE_OFFSET, CC_RESPONSE_DIRECTION};
  static const guint wide[] = {640, 2301, 4099};
  const GPtrArray *kernels = cc_kernels_builtin();
  const TestFormat *format = &test_formats[check_uint(0, test_formats_count() - 1)];
  const guint width =
      check_uint(0, 15) ? check_uint(1, check_uint(0, 1) ? 9 : 70) : wide[check_uint(0, 2)];
  const guint height = check_uint(1, width > 70 ? 3 : 40);
  const CcFrameLayout layout = test_format_layout(format, width, height, check_uint(0, 1));
  CcRoi roi;
  CcFilter filter = draw_filter(width, height, &roi);
  filter.kernel = g_ptr_array_index(kernels, check_uint(0, kernels->len - 1));
  filter.size = 2 * check_uint(0, 3) + 1;
  filter.response = responses[check_uint(0, G_N_ELEMENTS(responses) - 1)];
  if (filter.response == CC_RESPONSE_DIRECTION)
    filter.kernel = cc_kernels_find(check_uint(0, 1) ? "scharr" : "roberts");
  filter.color = check_uint(0, CC_N_COLORS - 1);
  filter.chroma = check_uint(0, 1) ? CC_CHROMA_AUTO : check_uint(0, CC_N_CHROMAS - 1);
  filter.bias = check_uint(0, 1) * 40;
  if (layout.plane[0].has_macropixels &&
      check_uint(0, 2)) { /* for methods that take whole macropixels */
    filter = (CcFilter){.kernel = cc_kernels_find(check_uint(0, 1) ? "gaussian" : "box"),
                        .size = check_uint(0, 1) ? 3 : 5,
                        .chroma = CC_CHROMA_FILTER,
                        .border = filter.border};
    roi = (CcRoi){0};
  }
  const TestStages *stages = &test_stages[check_uint(0, 1) * check_uint(0, 4)];
  cc_plan_append_stages(stages->stage, stages->n);
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
  cc_plan_append_stages(NULL, 0);
  const gint64 max_sample = (1 << layout.plane[0].depth) - 1;
  if (cc_plan_get_direction_color(plan) && width * height < 400 && check_uint(0, 3) == 0) {
    plan->op->separable = FALSE;
    draw_matrices(plan->op, max_sample);
    set_sum_bounds(plan->op, max_sample);
  }
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, check_uint(0, PLACEMENT_COUNT - 1));
  guarded_frame_draw(src, check_uint(0, 2 * PATTERN_COUNT - 1) % PATTERN_COUNT, check.rand);
  Input input = {.src = src};
  if (draw_regions(&input, &roi, plan->stride, &layout))
    check_plan(plan, stages, &input, TRUE);
}

/* --- gradients --- */

/* A kernel made of differences of two pixels each. plus and minus are their numbers in the window.
 * The sums are made of d0 and d1, which Sobel weights by 2, and d2 + d3 and d2 - d3. */
typedef struct {
  const gchar *kernel;
  gint max; /* of a sum */
  guint n, plus[4], minus[4];
} Gradient;

/* Finds differences that give two sums. Returns FALSE if no pixels have those sums. */
static gboolean
find_differences(const Gradient *self, gint x, gint y, gint d[4]) {
  const gint weight = (gint)self->n / 2;
  d[0] = CLAMP(x / weight, -255, 255);
  d[1] = CLAMP(y / weight, -255, 255);
  const gint rest_x = x - weight * d[0], rest_y = y - weight * d[1];
  d[2] = (rest_x + rest_y) / 2;
  d[3] = (rest_x - rest_y) / 2;
  return (rest_x + rest_y) % 2 == 0 && ABS(d[2]) <= 255 && ABS(d[3]) <= 255;
}

/* Checks all pairs of sums. Pairs with the same first sum are in neighbouring windows of one
 * frame. */
static void
check_gradient(const Gradient *self, CcFilter filter) {
  static gint expected[MAX_WINDOWS];
  CcCpuProgram *program[MAX_VARIANTS];
  const guint n = 2 * (guint)self->max + 1;
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 3 * n, 3, TRUE);
  filter.kernel = cc_kernels_find(self->kernel);
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
  g_autoptr(GuardedFrame) src = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&layout, PLACEMENT_AT_END);
  const Input input = {.src = src, .region = {cc_frame_layout_region(&layout)}, .n_regions = 1};
  for (guint v = 0; variants[v]; v++) {
    program[v] = cc_cpu_program_new(plan, variants[v]);
    g_assert_cmpuint(prepare(program[v], "fused"), ==, 1);
  }
  for (gint x = -self->max; x <= self->max; x++) {
    for (guint i = 0; i < n; i++) {
      const gint y = (gint)i - self->max;
      gint d[4];
      CcSumsI64 sums = {0};
      expected[i] = -1;
      if (!find_differences(self, x, y, d))
        continue;
      for (guint k = 0; k < self->n; k++) {
        const guint a = self->plus[k], b = self->minus[k];
        guarded_frame_row(src, 0, a / 3)[3 * i + a % 3] = (guint8)MAX(d[k], 0);
        guarded_frame_row(src, 0, b / 3)[3 * i + b % 3] = (guint8)MAX(-d[k], 0);
      }
      cc_sums_add_i64(&sums, filter.response, 0, x);
      cc_sums_add_i64(&sums, filter.response, 1, y);
      expected[i] = cc_op_code_of_sums_i64(plan->op, &sums);
    }
    for (guint v = 0; variants[v]; v++) {
      check_set_variant(variants[v]);
      run(program[v], &input, dst, NULL);
      for (guint i = 0; i < n; i++)
        if (expected[i] >= 0 && guarded_frame_row(dst, 0, 1)[3 * i + 1] != expected[i])
          check_fail("sums %d and %d", x, (gint)i - self->max);
    }
  }
  for (guint v = 0; variants[v]; v++)
    cc_cpu_program_free(program[v]);
}

static void
check_gradients(void) {
  static const Gradient gradients[] = {
      {"sobel", (MAX_WINDOWS - 1) / 2, 4, {5, 7, 8, 2}, {3, 1, 0, 6}},
      {"roberts", 255, 2, {4, 5}, {8, 7}},
  };
  static const CcFilter filters[] = {
      {.response = CC_RESPONSE_MAGNITUDE},
      {.response = CC_RESPONSE_MAGNITUDE, .scale = 0.25},
      {.response = CC_RESPONSE_MAGNITUDE, .scale = 2.3},
      {.response = CC_RESPONSE_MAGNITUDE, .scale = -1, .bias = 255},
      {.response = CC_RESPONSE_MAGNITUDE_L1, .scale = 0.3, .bias = 10},
      {.response = CC_RESPONSE_ABSOLUTE, .scale = 1.0 / 8},
  };
  for (guint i = 0; i < 2 * G_N_ELEMENTS(filters); i++)
    if (check_begin("gradient %s %u", gradients[i % 2].kernel, i / 2))
      check_gradient(&gradients[i % 2], filters[i / 2]);
}

/* --- all --- */

void
check_frames(const CcVariant *const *all) {
  variants = all;
  test_stages_use_on_cpu();
  check_gradients();
  for (guint i = 0; i < N_PASSES; i++)
    if (check_begin("pass %u", i))
      check_pass(i);
  for (guint i = 0; i < N_FRAMES; i++)
    if (check_begin("frame %u", i))
      check_frame();
  for (guint method = 0; method < CC_N_METHODS && !check.some; method++) {
    check_begin("all methods");
    g_print("%-32s", cc_method_name(method));
    for (guint v = 0; variants[v]; v++)
      g_print(" %s %u", variants[v]->name, n_passes[v][method]);
    g_print("\n");
    for (guint v = 0; variants[v]; v++) {
      const guint n = n_passes[v][method];
      check_set_variant(variants[v]);
      /* some methods have kernels for AVX2 and wider only */
      if (n < MIN_PASSES && (n > 0 || variants[v]->rows->vertical_first))
        check_fail("%s took %u passes", cc_method_name(method), n);
    }
  }
}
