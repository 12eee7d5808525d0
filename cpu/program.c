/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"
#include "cpu/stages/identity.h"
#include "isa.h"
#include "loops.h"
#include "cpu/stages/macropixel.h"
#include "plain.h"
#include "cpu/methods/scratch_layout.h"
#include "cpu/methods/methods.h"
#include "engine/plan/explain.h"
#include "engine/ablation.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LARGE_FRAME 4000000 /* bytes */
#define MIN_SLICE_ROWS 16
#define MIN_SLICE_NS 3000
#define FILL_PIXELS 4096
#define MOST_BUNDLE 4 /* rows of the source that sweeps take at once */
#define SAMPLE_TAPS 8 /* as much work as what is done with a sample but for its taps */
#define HUE_TAPS 64   /* as much as the hue of a gradient */
#define TAP_PS 5      /* picoseconds for a tap of 16 bits, with the widest registers */

/* --- rows that are the same for every frame --- */

/* A row of `width` pixels that all have the given code values, whose samples are `spacing` apart.
 * Its width is bounded, and not that of the frame: no memory is taken for a frame that may never
 * come. */
static guint8 *
constant_row(const CcPlaneLayout *plane, guint spacing, guint width, const guint16 *codes) {
  const guint n = width * plane->step * spacing;
  guint8 *row = g_malloc(n * cc_sample_size(plane->type));
  for (guint x = 0; x < n; x++) {
    const guint16 code = codes[x / spacing % plane->step];
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

/* The samples of the n pixels, or pairs, from number `first` on, which are outside the picture. */
static CcOutside *
outside_pixels(const CcSweep *sweep, const CcPass *pass, const CcPlaneLayout *plane, gint first,
               guint n) {
  CcOutside *outside = g_new(CcOutside, n * plane->step);
  for (guint i = 0; i < n * plane->step; i++) {
    const guint c = i % plane->step;
    const gint step = (gint)cc_pairs_step(plane, c), in_pixel = (gint)c % step;
    const gint pixel = (first * (gint)plane->step + (gint)i - in_pixel) / step;
    const gint from = cc_border_index(pixel, (gint)sweep->n_source / step, sweep->border);
    outside[i] = (CcOutside){from < 0 ? -1 : (from * step + in_pixel) * (gint)sweep->spacing,
                             pass->border[c]};
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

/* Packed samples are loaded from where they lie if nothing else wants them. */
static void
set_source(CcSweep *sweep, const CcPlan *plan, const CcPass *pass) {
  const CcPacking *packing = &plan->packing[pass->plane];
  const gboolean where_it_lies = sweep->choice.loop == CC_LOOP_FILTER && !sweep->choice.merges &&
                                 packing->kind != CC_PACKING_LUMA;
  sweep->by_position = plan->packed && !where_it_lies;
  sweep->spacing = plan->packed && where_it_lies ? packing->place[0].spacing : 1;
}

static void
set_filter(CcSweep *sweep, const CcRows *rows, const CcPass *pass, const CcPlaneLayout *plane) {
  static const gsize lane_sizes[CC_N_LANES] = {2, 4, 8, 1, 8};
  const CcChoice *choice = &sweep->choice;
  sweep->n_matrices = pass->op->n_matrices;
  sweep->window_rows = pass->op->height;
  sweep->sum_lane_size = lane_sizes[choice->sum_lane];
  sweep->sample_lane_size = lane_sizes[choice->sample_lane];
  sweep->ring_lane_size = lane_sizes[choice->ring_lane];
  sweep->load = rows->load[plane->type][choice->sample_lane];
  sweep->extend = rows->extend[plane->type][choice->sample_lane];
  sweep->reduce = choice->reduces ? rows->reduce[choice->reduce][choice->sum_lane] : NULL;
  sweep->finish = rows->finish[plane->type][choice->form][choice->number];
  set_edges(sweep, pass, plane);
  if (choice->window)
    cc_window_prepare(sweep, rows, plane->type);
  else if (choice->lines)
    cc_lines_prepare(sweep, rows, plane->type);
  else if (choice->means && choice->means->by_columns)
    cc_columns_prepare(sweep, rows, plane->type);
  else if (choice->means)
    cc_means_prepare(sweep, rows, plane->type);
  else
    cc_terms_prepare(sweep);
  /* only the kernels that wait for memory gain by it */
  sweep->streams =
      (choice->apply || choice->window || (choice->means && choice->means->by_columns)) &&
      !sweep->plan->packed && !choice->merges && sweep->stride == 1 &&
      cc_frame_layout_bytes(&sweep->plan->out_frame_layout) >= LARGE_FRAME &&
      !cc_is_left_out("streaming");
  sweep->outside = constant_row(plane, sweep->spacing,
                                (sweep->tile + 2 * sweep->n_edge) / plane->step + 2, pass->border);
}

static void
set_fill(CcSweep *sweep, const CcPass *pass, const CcPlaneLayout *plane) {
  const guint n_pixels = MIN(sweep->target.width, FILL_PIXELS);
  sweep->fill_bytes = n_pixels * sweep->pixel_size;
  sweep->fill = constant_row(plane, 1, n_pixels, pass->fill);
}

static void
set_thin(CcSweep *sweep, const CcRows *rows) {
  sweep->thin = rows->thin[sweep->stride == 4][sweep->pixel_size];
  sweep->thinned = cc_sweep_take(sweep, CC_MOST_TILE * sweep->sample_size);
  sweep->thinned_src = cc_sweep_take(sweep, CC_MOST_TILE * sweep->sample_size);
}

static void
sweep_init(CcSweep *sweep, const CcPlan *plan, const CcPass *pass, const CcRows *rows) {
  const CcPlaneLayout *plane = &plan->layout.plane[pass->plane];
  sweep->plan = plan;
  sweep->pass = pass;
  sweep->plane = pass->plane;
  sweep->source = plan->source[pass->plane];
  sweep->target = plan->target[pass->plane];
  sweep->stride = plan->stride;
  sweep->n_source = sweep->source.width * plane->step;
  sweep->n = (sweep->stride * (sweep->target.width - 1) + 1) * plane->step;
  sweep->sample_size = cc_sample_size(plane->type);
  sweep->pixel_size = plane->step * sweep->sample_size;
  sweep->step = plane->step;
  sweep->prefetches = !cc_is_left_out("prefetch");
  sweep->row_bytes = sweep->target.width * sweep->pixel_size;
  sweep->border = plan->border;
  cc_choice_init(&sweep->choice, plan, pass, rows);
  if (sweep->choice.loop == CC_LOOP_PLAIN)
    return;
  set_source(sweep, plan, pass);
  if (sweep->choice.loop == CC_LOOP_FILTER)
    set_filter(sweep, rows, pass, plane);
  if (sweep->choice.loop == CC_LOOP_FILL)
    set_fill(sweep, pass, plane);
  if (sweep->choice.merges) {
    sweep->merge = rows->merge;
    sweep->masks = merge_masks(pass, plane);
  }
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
  cc_choice_clear(&sweep->choice);
}

/* --- slices --- */

guint64
cc_sweep_cost(const CcSweep *sweep) {
  guint64 taps = SAMPLE_TAPS;
  for (guint m = 0; m < sweep->n_matrices; m++)
    taps += (sweep->choice.along[m].n_taps + sweep->choice.over[m].n_taps) *
            MAX(sweep->sum_lane_size / 2, 1);
  return sweep->n * taps * TAP_PS;
}

static guint64
hue_work(const CcHueSweep *sweep) {
  const CcOp *op = sweep->plan->hue->op;
  const guint width = sweep->plan->target[sweep->field->plane].width;
  const guint64 n_pixels = (guint64)sweep->field->across * sweep->field->down * width;
  return n_pixels * (2 * op->width * op->height + HUE_TAPS) * TAP_PS;
}

/* For a row of a plane; of packed planes, of all. */
static guint64
row_work(const CcCpuProgram *program, const CcPlan *plan, guint plane) {
  guint64 work = 0;
  for (guint i = 0; i < program->n_sweeps; i++)
    if (plan->packed || program->sweep[i].plane == plane)
      work += cc_sweep_cost(&program->sweep[i]);
  for (guint i = 0; i < program->n_hue_sweeps; i++)
    if (plan->packed || program->hue_sweep[i].field->plane == plane)
      work += hue_work(&program->hue_sweep[i]);
  return work;
}

/* The fewest rows of a slice. Each loads the rows above and below itself again, and takes long
 * enough that taking it costs nothing beside that. Larger ones leave more threads without any. */
static guint
least_rows(const CcCpuProgram *program, const CcPlan *plan, guint64 work) {
  guint window = 1;
  for (guint i = 0; i < program->n_sweeps; i++)
    window = MAX(window, program->sweep[i].window_rows);
  if (plan->hue)
    window = MAX(window, plan->hue->op->height);
  const guint64 worth = MIN_SLICE_NS * G_GUINT64_CONSTANT(1000) / MAX(work, 1);
  return (guint)MAX(MAX(MIN_SLICE_ROWS, window - 1), MIN(worth, G_MAXINT));
}

/* Cuts every plane so that threads take large slices first and small ones in the end, when they
 * should all be done at the same time. */
static void
cut_slices(CcCpuProgram *program, const CcPlan *plan, guint n_threads) {
  GArray *slices = g_array_new(FALSE, FALSE, sizeof(CcSlice));
  for (guint p = 0; p < (plan->packed ? 1 : plan->layout.n_planes); p++) {
    const guint height = plan->target[p].height;
    const guint64 work = row_work(program, plan, p);
    const guint least = least_rows(program, plan, work);
    program->work += work * height / 1000;
    for (guint y = 0; y < height;) {
      const guint left = height - y;
      guint rows = n_threads > 1 ? MAX(least, 3 * left / (4 * n_threads)) : left;
      rows = (rows + MOST_BUNDLE - 1) / MOST_BUNDLE * MOST_BUNDLE; /* no block is made twice */
      if (rows + least > left)
        rows = left;
      const CcSlice slice = {p, y, y + rows};
      g_array_append_val(slices, slice);
      y += rows;
    }
  }
  program->n_slices = slices->len;
  program->slices = (CcSlice *)g_array_free(slices, FALSE);
}

static void
set_unpacked(CcCpuProgram *program, const CcPlan *plan, const CcRows *rows) {
  guint window = 1, mask = 0;
  gsize at = 0;
  for (guint i = 0; i < program->n_sweeps; i++) {
    const CcSweep *sweep = &program->sweep[i];
    program->scratch_at[i] = at;
    at += sweep->scratch_size;
    /* A block begins up to block_rows - 1 rows above the last row that is made, or ends as many
     * below, and its last bundle has as many more. */
    const guint beside = MAX(sweep->block_rows, 1) - 1;
    window = MAX(window, sweep->window_rows + 4 * beside);
    if (sweep->by_position && sweep->pass->filter_mask | sweep->pass->copy_mask)
      mask |= 1u << sweep->plane;
  }
  program->unpacks = TRUE;
  program->scratch_size = 0;
  cc_unpacked_init(&program->unpacked, plan, rows, mask, window / 2, at);
}

/* Whether pairs can be filtered as they lie, which is faster than to take them apart. */
static gboolean
find_pairs(const CcPlan *plan, const CcRows *rows, CcPlan *whole) {
  if (!rows || !cc_pairs_find(plan, whole))
    return FALSE;
  CcChoice choice;
  cc_choice_init(&choice, whole, &whole->pass[0], rows);
  const gboolean found = choice.pairs;
  cc_choice_clear(&choice);
  return found;
}

CcCpuProgram *
cc_cpu_program_new(const CcPlan *plan, const CcVariant *variant, guint n_threads) {
  CcCpuProgram *program = g_new0(CcCpuProgram, 1);
  const CcRows *rows = variant->rows;
  program->variant = variant;
  if (rows && !cc_is_left_out("identity"))
    program->copies = cc_copies_find(plan, &program->whole);
  if (program->copies || find_pairs(plan, rows, &program->whole))
    plan = &program->whole;
  program->n_sweeps = plan->n_passes;
  for (guint i = 0; i < plan->n_passes; i++) {
    CcSweep *sweep = &program->sweep[i];
    sweep_init(sweep, plan, &plan->pass[i], rows);
    program->scratch_size = MAX(program->scratch_size, sweep->scratch_size);
  }
  if (plan->packed && rows && program->n_sweeps > 0)
    set_unpacked(program, plan, rows);
  program->n_hue_sweeps = plan->hue ? plan->hue->n_fields : 0;
  for (guint i = 0; i < program->n_hue_sweeps; i++) {
    CcHueSweep *sweep = &program->hue_sweep[i];
    cc_hue_sweep_init(sweep, plan, &plan->hue->field[i], rows);
    program->scratch_size = MAX(program->scratch_size, sweep->scratch_size);
  }
  cut_slices(program, plan, n_threads);
  return program;
}

void
cc_cpu_program_free(CcCpuProgram *program) {
  for (guint i = 0; i < program->n_sweeps; i++)
    sweep_clear(&program->sweep[i]);
  for (guint i = 0; i < program->n_hue_sweeps; i++)
    cc_hue_sweep_clear(&program->hue_sweep[i]);
  g_free(program->slices);
  g_free(program);
}

/* --- frames --- */

gsize
cc_cpu_program_frame_scratch(const CcCpuProgram *program) {
  return MAX(program->scratch_size, program->unpacked.size);
}

static CcStrip
strip_of(const CcPlane *plane, const CcRect *rect, gsize pixel_size) {
  return (CcStrip){plane->data + (gssize)rect->y * plane->pitch + rect->x * pixel_size,
                   plane->pitch, 0, G_MAXUINT};
}

static void
run_where_it_lies(const CcSweep *sweep, const CcSlice *slice, const CcFrame *src,
                  const CcFrame *dst, guint8 *scratch) {
  const CcStrip from = strip_of(&src->plane[sweep->plane], &sweep->source, sweep->pixel_size);
  const CcStrip to = strip_of(&dst->plane[sweep->plane], &sweep->target, sweep->pixel_size);
  gint next = CC_NO_ROW;
  cc_sweep_run(sweep, &from, &to, slice->y0, slice->y1, &next, scratch);
}

static void
run_unpacked(const CcCpuProgram *program, const CcSlice *slice, const CcFrame *src,
             const CcFrame *dst, guint8 *scratch) {
  const CcUnpacked *unpacked = &program->unpacked;
  gint next[CC_MAX_PASSES];
  for (guint i = 0; i < program->n_sweeps; i++)
    next[i] = CC_NO_ROW;
  CcUnpacking unpacking;
  cc_unpacking_begin(&unpacking, unpacked, src, dst, slice->y0, scratch);
  for (guint y0 = slice->y0; y0 < slice->y1; y0 += unpacked->n_rows) {
    const guint y1 = y0 + MIN(unpacked->n_rows, slice->y1 - y0);
    cc_unpacking_load(&unpacking, y1);
    for (guint i = 0; i < program->n_sweeps; i++) {
      const CcSweep *sweep = &program->sweep[i];
      cc_sweep_run(sweep, &unpacking.from[sweep->plane], &unpacking.to[sweep->plane], y0, y1,
                   &next[i], scratch + program->scratch_at[i]);
    }
    cc_unpacking_store(&unpacking, y1);
  }
}

static void
run_sweeps(const CcCpuProgram *program, const CcSlice *slice, const CcFrame *src,
           const CcFrame *dst, guint8 *scratch) {
  for (guint i = 0; i < program->n_sweeps; i++) {
    const CcSweep *sweep = &program->sweep[i];
    if (sweep->choice.loop == CC_LOOP_PLAIN &&
        (sweep->plane == slice->plane || sweep->plan->packed))
      cc_plain_sweep(sweep->plan, sweep->pass, src, dst, slice->y0, slice->y1);
    else if (sweep->plane == slice->plane)
      run_where_it_lies(sweep, slice, src, dst, scratch);
  }
}

void
cc_cpu_program_run(const CcCpuProgram *program, const CcSlice *slice, const CcFrame *src,
                   const CcFrame *dst, guint8 *scratch) {
  if (program->unpacks)
    run_unpacked(program, slice, src, dst, scratch);
  else
    run_sweeps(program, slice, src, dst, scratch);
  /* after those, which write whole pixels of packed frames */
  for (guint i = 0; i < program->n_hue_sweeps; i++) {
    const CcHueSweep *sweep = &program->hue_sweep[i];
    if (sweep->field->plane == slice->plane || sweep->plan->packed)
      cc_hue_sweep_run(sweep, src, dst, slice->y0, slice->y1, scratch);
  }
#ifdef __SSE2__
  _mm_sfence(); /* after what was written past the caches */
#endif
}
