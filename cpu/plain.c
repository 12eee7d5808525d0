/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of a sweep: a loop over the samples of the target that follows engine/plan/plan.h
 * literally, without regard to speed. All other variants give the same bytes. */

#include "plain.h"
#include "engine/plan/output_stage.h"
#include "component_offset.h"

typedef struct {
  const CcPlan *plan;
  const CcPass *pass;
  guint plane;
  const CcPlaneLayout *layout;
  const CcPlaneMap *map;
  const CcPlacement *placement;
  const CcRect *source, *target;
  const CcFrame *src, *dst;
  const CcStrip *from; /* rows of the source, which lies at (0, 0); NULL: the source is in `src` */
  const CcStrip *to;   /* rows of the target; NULL: the target is in `dst` */
} Sweep;

static Sweep
sweep_of(const CcPlan *plan, guint plane, const CcPlacement *placement, const CcFrame *src,
         const CcFrame *dst) {
  return (Sweep){
      .plan = plan,
      .plane = plane,
      .layout = &plan->layout.plane[plane],
      .map = &plan->map[plane],
      .placement = placement,
      .source = &placement->source[plane],
      .target = &placement->target[plane],
      .src = src,
      .dst = dst,
  };
}

/* --- stored words --- */

/* Loads component c of pixel x of a row that has only the samples of the plane. */
static guint
load_from_row(const CcStrip *strip, const CcPlaneLayout *layout, guint x, guint y, guint c) {
  const CcFrame row = {.plane = {{.data = cc_strip_row(strip, (gint)y)}}};
  return cc_component_load(&(CcComponentOffset){.spacing = 1}, &row, layout->type,
                           x * layout->step + c, 0);
}

static guint
load_word(const Sweep *sweep, guint x, guint y, guint c) {
  const CcComponentOffset *offset = sweep->map->offset;
  const guint i = x * sweep->layout->step + c, shift = sweep->layout->shift;
  if (sweep->from)
    return load_from_row(sweep->from, sweep->layout, x, y, c);
  if (sweep->map->kind != CC_PLANE_MAP_LUMA)
    return cc_component_load(offset, sweep->src, sweep->layout->type, i, y);
  return cc_luma_of(cc_component_load(&offset[0], sweep->src, sweep->layout->type, i, y) >> shift,
                    cc_component_load(&offset[1], sweep->src, sweep->layout->type, i, y) >> shift,
                    cc_component_load(&offset[2], sweep->src, sweep->layout->type, i, y) >> shift)
         << shift;
}

/* Stores component c of pixel (x, y) of the target, and the copies of this sample that the frame
 * has. */
static void
store_word(const Sweep *sweep, guint x, guint y, guint c, guint word) {
  const CcSampleType type = sweep->layout->type;
  const guint step = sweep->layout->step;
  if (sweep->to) {
    const CcFrame row = {.plane = {{.data = cc_strip_row(sweep->to, (gint)y)}}};
    cc_component_store(&(CcComponentOffset){.spacing = 1}, &row, type, x * step + c, 0, word);
    return;
  }
  const guint n = x == sweep->target->width - 1 ? 1 + sweep->placement->repeats[sweep->plane] : 1;
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < cc_plane_map_n_offsets(sweep->map); k++)
      cc_component_store(&sweep->map->offset[k], sweep->dst, type,
                         (sweep->target->x + x + i) * step + c, sweep->target->y + y, word);
}

/* --- the window --- */

/* The position (x, y) is relative to the source rectangle and may lie outside it. */
static gint
code_at(const Sweep *sweep, gint x, gint y, guint c) {
  const CcRect *source = sweep->source;
  const gint column = cc_border_index(x, (gint)source->width, sweep->plan->border);
  const gint row = cc_border_index(y, (gint)source->height, sweep->plan->border);
  if (column < 0 || row < 0)
    return sweep->pass->border[c];
  return (gint)(load_word(sweep, source->x + (guint)column, source->y + (guint)row, c) >>
                sweep->layout->shift);
}

static void
read_window(const Sweep *sweep, gint x, gint y, guint c, gint *code) {
  const gint width = (gint)sweep->pass->op->width, height = (gint)sweep->pass->op->height;
  for (gint j = 0; j < height; j++)
    for (gint i = 0; i < width; i++)
      *code++ = code_at(sweep, x + i - width / 2, y + j - height / 2, c);
}

/* --- the code value of a window --- */

static gint64
sum_of_taps(const CcOp *op, guint m, const gint *code) {
  gint64 sum = 0;
  for (guint r = 0; r < op->height; r++)
    for (guint c = 0; c < op->width; c++)
      sum += cc_op_tap(op, m, r, c) * *code++;
  return sum;
}

static gint
filter_window(const CcOp *op, const gint *code) {
  CcSumsI64 sums = {0};
  for (guint m = 0; m < op->n_matrices; m++)
    cc_sums_add_i64(&sums, op->response, (gint)m, sum_of_taps(op, m, code));
  return cc_op_code_of_sums_i64(op, &sums);
}

/* --- samples --- */

/* Computes component c of pixel (x, y) of the target from the source around pixel (stride * x,
 * stride * y). The positions are relative to the target and source rectangles. */
static void
make_sample(const Sweep *sweep, guint x, guint y, guint c) {
  const CcPass *pass = sweep->pass;
  const CcRect *source = sweep->source;
  const guint from_x = sweep->plan->stride * x, from_y = sweep->plan->stride * y, bit = 1u << c;
  guint word;
  if (pass->filter_mask & bit) {
    gint code[CC_MAX_KERNEL_SIZE * CC_MAX_KERNEL_SIZE];
    read_window(sweep, (gint)from_x, (gint)from_y, c, code);
    word = (guint)filter_window(pass->op, code) << sweep->layout->shift;
  } else if (pass->copy_mask & bit) {
    word = load_word(sweep, source->x + from_x, source->y + from_y, c);
  } else if (pass->fill_mask & bit) {
    word = (guint)pass->fill[c] << sweep->layout->shift;
  } else {
    return; /* another pass writes it */
  }
  store_word(sweep, x, y, c, word);
}

void
cc_plain_sweep(const CcPlan *plan, const CcPass *pass, const CcPlacement *placement,
               const CcFrame *src, const CcFrame *dst, const CcStrip *from, const CcStrip *to,
               guint y0, guint y1) {
  Sweep sweep = sweep_of(plan, pass->plane, placement, src, dst);
  const CcRect before = {.width = sweep.target->width, .height = sweep.target->height};
  sweep.pass = pass;
  sweep.to = to ? &to[pass->plane] : NULL;
  if (from) {
    sweep.from = &from[pass->plane];
    sweep.source = &before;
  }
  for (guint y = y0; y < y1; y++)
    for (guint x = 0; x < sweep.target->width; x++)
      for (guint c = 0; c < sweep.layout->step; c++)
        make_sample(&sweep, x, y, c);
}

void
cc_plain_store(const CcPlan *plan, const CcPlacement *placement, const CcStrip *planes,
               const CcFrame *dst, guint y) {
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const Sweep sweep = sweep_of(plan, p, placement, NULL, dst);
    for (guint x = 0; x < sweep.target->width; x++)
      for (guint c = 0; c < sweep.layout->step; c++)
        store_word(&sweep, x, y, c, load_from_row(&planes[p], sweep.layout, x, y, c));
  }
}
