/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/program.h"
#include "cpu/arith.h"
#include "cpu/cpu.h"

#include <string.h>

#define RING_BYTES (32 * 1024) /* leaves room in a level 1 cache for what passes through */
#define MIN_TILE 768           /* samples; narrower ones would load too many edges */
#define MIN_SLICE_ROWS 16
#define WORK_PER_THREAD (64 * 1024) /* samples for which waking a thread pays */
#define FILL_PIXELS 4096
#define TAPS_PER_WORK 8 /* taps that cost as much as the rest of a sample */

static gsize
round_up(gsize n, gsize to) {
  return (n + to - 1) / to * to;
}

/* --- weighted sums --- */

/* Adds a term of those of the n taps whose coefficient is +-c[first]. */
static void
add_shared_term(CcWeights *weights, const gint32 *c, const CcTapPlace *places, guint n,
                guint first) {
  CcTerm *term = &weights->terms[weights->n_terms++];
  const gint32 factor = c[first]; /* the first tap makes n_plus >= 1 */
  *term = (CcTerm){.factor = factor};
  for (guint i = first; i < n; i++)
    if (c[i] == factor) {
      weights->places[weights->n_taps++] = places[i];
      term->n_plus++;
    }
  for (guint i = first; i < n; i++)
    if (c[i] == -factor) {
      weights->places[weights->n_taps++] = places[i];
      term->n_minus++;
    }
}

/* The shape of a weighted sum. */
static CcShape
find_shape(const CcWeights *weights) {
  static const guint shapes[CC_SHAPE_ANY] = {
      [CC_SHAPE_10] = 0x10,           [CC_SHAPE_11] = 0x11,      [CC_SHAPE_30] = 0x30,
      [CC_SHAPE_50] = 0x50,           [CC_SHAPE_20_10] = 0x2010, [CC_SHAPE_11_11] = 0x1111,
      [CC_SHAPE_20_20_10] = 0x202010, [CC_SHAPE_22_11] = 0x2211, [CC_SHAPE_33] = 0x33,
      [CC_SHAPE_40_10] = 0x4010,      [CC_SHAPE_80_10] = 0x8010, [CC_SHAPE_40_40_10] = 0x404010,
      [CC_SHAPE_11_23] = 0x1123,
  };
  guint digits = 0;
  if (weights->n_terms > 3)
    return CC_SHAPE_ANY;
  for (guint t = 0; t < weights->n_terms; t++) {
    const CcTerm *term = &weights->terms[t];
    if (term->n_plus > 9 || term->n_minus > 9)
      return CC_SHAPE_ANY;
    digits = digits << 8 | term->n_plus << 4 | term->n_minus;
  }
  for (CcShape shape = 0; shape < CC_SHAPE_ANY; shape++)
    if (shapes[shape] == digits)
      return shape;
  return CC_SHAPE_ANY;
}

/* The weighted sum of n taps: of c in integer lanes, of f in float. Taps of 0 add nothing, not even
 * a rounding, and are left out. */
static void
weights_init(CcWeights *weights, CcLane lane, const gint32 *c, const gfloat *f,
             const CcTapPlace *places, guint n) {
  weights->n_terms = weights->n_taps = 0;
  weights->terms = g_new(CcTerm, n);
  weights->places = g_new(CcTapPlace, n);
  for (guint i = 0; i < n; i++) {
    if (lane == CC_LANE_FLOAT) {
      if (f[i] == 0)
        continue;
      weights->terms[weights->n_terms++] = (CcTerm){.factor_f = f[i], .n_plus = 1};
      weights->places[weights->n_taps++] = places[i];
    } else if (c[i] != 0) {
      gboolean seen = FALSE;
      for (guint k = 0; k < i && !seen; k++)
        seen = c[k] == c[i] || c[k] == -c[i];
      if (!seen)
        add_shared_term(weights, c, places, n, i);
    }
  }
  weights->shape = lane == CC_LANE_FLOAT ? CC_SHAPE_ANY : find_shape(weights);
}

static void
weights_clear(CcWeights *weights) {
  g_free(weights->terms);
  g_free(weights->places);
}

static guint
count_nonzero(const gint32 *c, guint n) {
  guint count = 0;
  for (guint i = 0; i < n; i++)
    count += c[i] != 0;
  return count;
}

/* Whether column times row is less work than all taps at once: it is for 3x3 blurs, and not for 3x3
 * derivatives. Float has no choice: the plan fixes the order of its sums. */
static gboolean
runs_separable(const CcOp *op, CcLane lane) {
  if (!op->separable || lane == CC_LANE_FLOAT)
    return op->separable;
  const guint direct = count_nonzero(op->tap_i, op->n_matrices * op->width * op->height);
  guint separate = 0;
  for (guint m = 0; m < op->n_matrices; m++)
    separate += count_nonzero(op->row_i[m], op->width) +
                count_nonzero(op->column_i[m], op->height) +
                2; /* for storing and reading a row of the ring */
  return separate < direct;
}

/* Fills in along and over; `left` is how far left the final sums are shifted. */
static void
set_weights(CcSweep *sweep, const CcOp *op, guint step, guint left) {
  CcTapPlace places[CC_MAX_COEFFS];
  const CcLane lane = sweep->sum_lane;
  const gint center = (gint)op->width / 2, pixel = (gint)step;
  const guint area = op->width * op->height;
  for (guint m = 0; m < op->n_matrices; m++) {
    if (sweep->separable) {
      for (guint i = 0; i < op->width; i++)
        places[i] = (CcTapPlace){0, ((gint)i - center) * pixel};
      weights_init(&sweep->along[m], lane, op->row_i[m], op->row_f[m], places, op->width);
      for (guint i = 0; i < op->height; i++)
        places[i] = (CcTapPlace){i, 0};
      weights_init(&sweep->over[m], lane, op->column_i[m], op->column_f[m], places, op->height);
    } else {
      for (guint i = 0; i < area; i++)
        places[i] = (CcTapPlace){i / op->width, ((gint)(i % op->width) - center) * pixel};
      weights_init(&sweep->over[m], lane, op->tap_i + m * area, op->tap_f + m * area, places, area);
    }
    for (guint t = 0; t < sweep->over[m].n_terms; t++)
      sweep->over[m].terms[t].factor *= 1 << left;
  }
}

/* Samples of a byte stay bytes where all sums over them have a kernel that takes those. */
static CcLane
choose_sample_lane(const CcSweep *sweep, CcSampleType type) {
  if (type != CC_SAMPLE_U8 || sweep->sum_lane != CC_LANE_16)
    return sweep->sum_lane;
  const CcWeights *over_samples = sweep->separable ? sweep->along : sweep->over;
  for (guint m = 0; m < sweep->n_matrices; m++)
    if (over_samples[m].shape == CC_SHAPE_ANY)
      return sweep->sum_lane;
  return CC_LANE_8;
}

/* The kernels for sums over rows of one lane. */
static void
set_sums(CcWeights *weights, guint n_matrices, const CcSumFunc sums[CC_N_SHAPES]) {
  for (guint m = 0; m < n_matrices; m++) {
    weights[m].sum = sums[weights[m].shape];
    if (!weights[m].sum)
      weights[m].sum = sums[CC_SHAPE_ANY];
  }
}

/* --- rows that are the same for every frame --- */

/* A row of `width` pixels that all have the given code values. Its width is bounded, and not that
 * of the frame: no memory is taken for a frame that may never come. */
static guint8 *
constant_row(const CcPlaneLayout *plane, guint width, const guint16 *codes) {
  guint8 *row = g_malloc(width * plane->step * cc_sample_size(plane->type));
  for (guint x = 0; x < width * plane->step; x++) {
    const guint16 code = codes[x % plane->step];
    if (plane->type == CC_SAMPLE_U8)
      row[x] = (guint8)code;
    else
      ((guint16 *)row)[x] = (guint16)(code << plane->shift);
  }
  return row;
}

/* What becomes of the bytes of a row. */
static CcMasks *
merge_masks(const CcPass *pass, const CcPlaneLayout *plane) {
  CcMasks *masks = g_new0(CcMasks, 1);
  const gsize size = cc_sample_size(plane->type);
  for (guint i = 0; i < CC_MASK_PERIOD; i++) {
    const guint component = i / size % plane->step;
    const guint bit = 1u << component;
    const guint fill = (guint)pass->fill[component] << plane->shift;
    if (pass->filter_mask & bit)
      masks->filter[i] = 0xff;
    else if (pass->copy_mask & bit)
      masks->copy[i] = 0xff;
    else if (pass->fill_mask & bit)
      masks->fill[i] = (guint8)(i % size ? fill >> 8 : fill); /* samples are little endian */
    else
      masks->keep[i] = 0xff, masks->keeps = TRUE;
  }
  return masks;
}

/* The samples of the n pixels from pixel `first` on, which are outside of the picture. */
static CcOutside *
outside_pixels(const CcSweep *sweep, const CcPass *pass, const CcPlaneLayout *plane, gint first,
               guint n) {
  CcOutside *outside = g_new(CcOutside, n * plane->step), *to = outside;
  for (guint i = 0; i < n; i++) {
    const gint from = cc_border_index(first + (gint)i, (gint)sweep->source.width, sweep->border);
    for (guint c = 0; c < plane->step; c++)
      *to++ = (CcOutside){from < 0 ? -1 : from * (gint)plane->step + (gint)c, pass->border[c]};
  }
  return outside;
}

static void
set_edges(CcSweep *sweep, const CcPass *pass, const CcPlaneLayout *plane) {
  const guint radius = pass->op->width / 2;
  sweep->n_edge = radius * plane->step;
  sweep->left = outside_pixels(sweep, pass, plane, -(gint)radius, radius);
  sweep->right = outside_pixels(sweep, pass, plane, (gint)sweep->source.width, radius);
}

/* --- sweeps --- */

/* Takes aligned room from the scratch memory. */
static gsize
take(CcSweep *sweep, gsize n_bytes) {
  const gsize at = sweep->scratch_size;
  sweep->scratch_size += round_up(n_bytes, CC_ROW_ALIGN);
  return at;
}

/* Takes n_rows rows of a tile with its edges, a pitch apart; gives where sample 0 is. */
static gsize
take_rows(CcSweep *sweep, guint n_rows, gsize lane_size, gsize *pitch) {
  const gsize lead = round_up(sweep->n_edge * lane_size, CC_ROW_ALIGN);
  const gsize row = lead + (sweep->tile + sweep->n_edge) * lane_size + CC_ROW_SLACK;
  /* an odd number of cache lines, so that the rows of a column fall into different cache sets */
  *pitch = round_up(row, CC_ROW_ALIGN) | CC_ROW_ALIGN;
  return take(sweep, n_rows * *pitch) + lead;
}

/* Rows of the picture are cut into tiles of equal size where the rings would be too large. */
static guint
choose_tile(const CcSweep *sweep, guint n_ring_rows) {
  const gsize fitting = RING_BYTES / (n_ring_rows * sweep->ring_lane_size);
  const guint most = (guint)MAX(fitting, MIN_TILE);
  const guint n_tiles = (sweep->n + most - 1) / most;
  const guint tile = (guint)round_up((sweep->n + n_tiles - 1) / n_tiles, CC_MASK_PERIOD);
  return MIN(tile, sweep->n);
}

/* Sets the tile and the places of all rows in the scratch memory. */
static void
lay_out_scratch(CcSweep *sweep) {
  gsize line_pitch;
  const guint n_rings = sweep->separable ? sweep->n_matrices : 1;
  sweep->tile = choose_tile(sweep, n_rings * sweep->window);
  if (sweep->separable)
    sweep->line = take_rows(sweep, 1, sweep->sample_lane_size, &line_pitch);
  sweep->ring =
      take_rows(sweep, n_rings * sweep->window, sweep->ring_lane_size, &sweep->ring_pitch);
  sweep->matrix_pitch = sweep->separable ? sweep->window * sweep->ring_pitch : 0;
  sweep->sums_pitch = CC_CHUNK * sweep->sum_lane_size + CC_ROW_SLACK;
  sweep->sums = take(sweep, sweep->n_matrices * sweep->sums_pitch);
  sweep->t = take(sweep, CC_CHUNK * sizeof(gdouble));
  sweep->filtered = take(sweep, CC_CHUNK * sweep->sample_size);
}

static void
set_filter(CcSweep *sweep, const CcRows *rows, const CcPass *pass, const CcPlaneLayout *plane) {
  static const gsize lane_sizes[CC_N_LANES] = {2, 4, 8, sizeof(gfloat), 1};
  const CcOp *op = pass->op;
  const CcArithChoice arith = cc_choose_arith(op, plane, rows, &sweep->to_sample);
  sweep->n_matrices = op->n_matrices;
  sweep->window = op->height;
  sweep->sum_lane = arith.lane;
  sweep->separable = runs_separable(op, arith.lane);
  set_weights(sweep, op, plane->step, arith.left);
  sweep->sample_lane = choose_sample_lane(sweep, plane->type);
  const CcLane ring_lane = sweep->separable ? sweep->sum_lane : sweep->sample_lane;
  sweep->sum_lane_size = lane_sizes[sweep->sum_lane];
  sweep->sample_lane_size = lane_sizes[sweep->sample_lane];
  sweep->ring_lane_size = lane_sizes[ring_lane];

  sweep->load = rows->load[plane->type][sweep->sample_lane];
  sweep->extend = rows->extend[plane->type][sweep->sample_lane];
  if (sweep->separable)
    set_sums(sweep->along, op->n_matrices, rows->sum[sweep->sample_lane]);
  set_sums(sweep->over, op->n_matrices, rows->sum[ring_lane]);
  sweep->reduce = arith.reduces ? rows->reduce[arith.reduce][arith.lane] : NULL;
  sweep->finish = rows->finish[plane->type][arith.form][arith.number];
  /* one sum is only reduced to its absolute value there */
  if (sweep->sample_lane == CC_LANE_8 && op->n_matrices == 1 && arith.form == CC_FINISH_16)
    sweep->apply = rows->apply[ring_lane][sweep->over[0].shape][arith.reduces];
  if (sweep->apply && sweep->separable)
    set_sums(sweep->along, 1, rows->sum_split);

  set_edges(sweep, pass, plane);
  lay_out_scratch(sweep);
  sweep->outside =
      constant_row(plane, (sweep->tile + 2 * sweep->n_edge) / plane->step + 2, pass->border);
}

static void
set_thin(CcSweep *sweep, const CcRows *rows) {
  sweep->thin = rows->thin[sweep->stride == 4][sweep->pixel_size];
  sweep->thinned = take(sweep, CC_CHUNK * sweep->sample_size);
  sweep->thinned_src = take(sweep, CC_CHUNK * sweep->sample_size);
}

static void
sweep_init(CcSweep *sweep, const CcPlan *plan, const CcPass *pass, const CcRows *rows) {
  const CcPlaneLayout *plane = &plan->layout.plane[pass->plane];
  const guint all = (1u << plane->step) - 1;
  sweep->plane = pass->plane;
  sweep->source = plan->source[pass->plane];
  sweep->target = plan->target[pass->plane];
  sweep->stride = plan->stride;
  sweep->n_source = sweep->source.width * plane->step;
  sweep->n = (sweep->stride * (sweep->target.width - 1) + 1) * plane->step;
  sweep->sample_size = cc_sample_size(plane->type);
  sweep->pixel_size = plane->step * sweep->sample_size;
  sweep->row_bytes = sweep->target.width * sweep->pixel_size;
  sweep->border = plan->border;
  sweep->merge = rows->merge;
  if (pass->filter_mask) {
    sweep->run = cc_sweep_filter;
    set_filter(sweep, rows, pass, plane);
  } else if (pass->copy_mask == all) {
    sweep->run = cc_sweep_copy;
  } else if (pass->fill_mask == all) {
    sweep->run = cc_sweep_fill;
    const guint n_fill = MIN(sweep->target.width, FILL_PIXELS);
    sweep->fill_bytes = n_fill * sweep->pixel_size;
    sweep->fill = constant_row(plane, n_fill, pass->fill);
  } else {
    sweep->run = cc_sweep_merge;
  }
  if (sweep->run == cc_sweep_merge || (pass->filter_mask && pass->filter_mask != all))
    sweep->masks = merge_masks(pass, plane);
  if (sweep->stride > 1)
    set_thin(sweep, rows);
}

static void
sweep_clear(CcSweep *sweep) {
  g_free(sweep->fill);
  g_free(sweep->masks);
  g_free(sweep->outside);
  g_free(sweep->left);
  g_free(sweep->right);
  for (guint m = 0; m < CC_MAX_MATRICES; m++) {
    weights_clear(&sweep->along[m]);
    weights_clear(&sweep->over[m]);
  }
}

/* --- slices --- */

/* The threads, up to n_threads, that the work of a frame is worth. */
static guint
count_threads(const CcCpuProgram *program, guint n_threads) {
  gsize work = 0;
  for (guint i = 0; i < program->n_sweeps; i++) {
    const CcSweep *sweep = &program->sweep[i];
    guint taps = TAPS_PER_WORK;
    for (guint m = 0; m < sweep->n_matrices; m++)
      taps += sweep->along[m].n_taps + sweep->over[m].n_taps;
    work += (gsize)sweep->n * sweep->target.height * taps / TAPS_PER_WORK;
  }
  return (guint)CLAMP(work / WORK_PER_THREAD, 1, n_threads);
}

/* Cuts every plane so that threads take large slices first and small ones in the end, when they
 * should all be done at the same time. Slices are not too small, for each one loads the rows above
 * and below itself again. */
static void
cut_slices(CcCpuProgram *program, const CcPlan *plan) {
  GArray *slices = g_array_new(FALSE, FALSE, sizeof(CcSlice));
  guint window = 1;
  for (guint i = 0; i < program->n_sweeps; i++)
    window = MAX(window, program->sweep[i].window);
  const guint least = MAX(MIN_SLICE_ROWS, 4 * (window - 1));
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const guint height = plan->target[p].height;
    for (guint y = 0; y < height;) {
      guint rows = height - y;
      if (program->n_threads > 1) {
        rows = MAX(least, rows / (2 * program->n_threads));
        rows = y + rows + least > height ? height - y : rows;
      }
      const CcSlice slice = {p, y, y + rows};
      g_array_append_val(slices, slice);
      y += rows;
    }
  }
  program->n_slices = slices->len;
  program->slices = (CcSlice *)g_array_free(slices, FALSE);
}

CcCpuProgram *
cc_cpu_program_new(const CcPlan *plan, guint n_threads) {
  CcCpuProgram *program = g_new0(CcCpuProgram, 1);
  const CcRows *rows = cc_cpu_rows();
  program->n_sweeps = plan->n_passes;
  for (guint i = 0; i < plan->n_passes; i++) {
    CcSweep *sweep = &program->sweep[i];
    sweep_init(sweep, plan, &plan->pass[i], rows);
    program->scratch_size = MAX(program->scratch_size, sweep->scratch_size);
  }
  program->n_threads = count_threads(program, n_threads);
  cut_slices(program, plan);
  return program;
}

void
cc_cpu_program_free(CcCpuProgram *program) {
  for (guint i = 0; i < program->n_sweeps; i++)
    sweep_clear(&program->sweep[i]);
  g_free(program->slices);
  g_free(program);
}
