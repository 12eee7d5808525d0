/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stage direction-color with the row kernels. Gives the same bytes as plain_direction_color.c.
 *
 * A row of a component group is processed in tiles. A sample may cover several pixels. The rows of
 * the windows around these pixels are loaded as lanes into a ring. Each row is loaded once per
 * slice. The sums of both matrices are added over all rows of pixels that a sample covers, then
 * over all pixels in a row. A table maps the color index of the total to stored words. */

#include "luma_rows.h"

#include "cpu/plain.h"
#include "engine/plan/output_stage.h"

#include <string.h>

#define PIXEL_TAPS 64    /* cost of a pixel without its taps, in taps (CC_TAP_PS) */
#define TILE_PIXELS 1024 /* pixels of a tile; the ring of a 3x3 window then fits L1 */

typedef struct {
  const CcPlan *plan; /* plan of the program, which outlives the sweep */
  const CcDirectionColor *color;
  const CcComponentGroup *group;
  const CcRows *rows; /* kernels; NULL for the plain loop */
  CcLumaRows luma;    /* not set for the plain loop */
  /* distance from the first pixel of a sample to the first pixel of the next, in pixels */
  guint apart;
  guint tile;     /* number of samples of a row that are processed at a time */
  guint n_pixels; /* maximum number of pixels of a row in a tile, without the window's edges */

  /* offsets in the scratch memory, which begins with that of `luma` */
  gsize sums[2], totals[2], index;
  gsize scratch_size;
} DirectionColorSweep;

typedef struct {
  const CcDirectionColor *color;
  DirectionColorSweep sweep[2]; /* one sweep for each component group */
} DirectionColor;

/* A tile while a thread processes it. */
typedef struct {
  const DirectionColorSweep *sweep;
  const CcDirectionColor *color;
  const CcPlacement *placement;
  CcLumaPart part; /* the pixels of the tile */
  const CcFrame *dst;
  guint8 *scratch;
  /* position, in the source, of the first pixel that the target's first sample covers; may be
   * negative */
  gint left, top;
  guint x, n; /* the tile has samples x to x + n - 1 of each row of the component group */
} Tile;

/* --- sums --- */

/* add_NAME adds n sums to n other sums. gather_NAME computes n sums. Sum number i is over `across`
 * elements from at + i * apart on. Elements outside of 0 to n_in - 1 count as 0. */
#define DEFINE_SUMS(name, lane)                                                                    \
  static void add_##name(gpointer to, gconstpointer from, guint n) {                               \
    lane *restrict out = to;                                                                       \
    const lane *restrict in = from;                                                                \
    for (guint i = 0; i < n; i++)                                                                  \
      out[i] += in[i];                                                                             \
  }                                                                                                \
  static lane gather_one_##name(const lane *in, gint n_in, gint at, gint across) {                 \
    lane sum = 0;                                                                                  \
    for (gint i = MAX(at, 0); i < MIN(at + across, n_in); i++)                                     \
      sum += in[i];                                                                                \
    return sum;                                                                                    \
  }                                                                                                \
  static void gather_##name(gpointer to, gconstpointer from, gint n_in, gint at, gint across,      \
                            gint apart, gint n) {                                                  \
    lane *restrict out = to;                                                                       \
    const lane *restrict in = from;                                                                \
    const gint i0 = at < 0 ? 1 : 0, i1 = at + apart * (n - 1) + across > n_in ? n - 1 : n;         \
    if (i0)                                                                                        \
      out[0] = gather_one_##name(in, n_in, at, across);                                            \
    if (across == 2 && apart == 2)                                                                 \
      for (gint i = i0; i < i1; i++)                                                               \
        out[i] = in[at + 2 * i] + in[at + 2 * i + 1];                                              \
    else                                                                                           \
      for (gint i = i0; i < i1; i++)                                                               \
        out[i] = gather_one_##name(in, n_in, at + apart * i, across);                              \
    if (i1 < n)                                                                                    \
      out[i1] = gather_one_##name(in, n_in, at + apart * i1, across);                              \
  }

DEFINE_SUMS(32, gint32)
DEFINE_SUMS(64, gint64)

/* Adds the sums of both matrices over all pixels that each sample of row y covers. */
static void
sum_samples(Tile *tile, guint y, gconstpointer samples[2]) {
  const DirectionColorSweep *sweep = tile->sweep;
  const CcComponentGroup *group = sweep->group;
  const gboolean narrow = sweep->luma.sum_lane == CC_LANE_32;
  const gint height = (gint)tile->part.pixels->height;
  const guint n_pixels = tile->part.n_pixels;
  const gint top = tile->top + (gint)(group->down * sweep->plan->stride * y);
  const gint from = MAX(top, 0), end = MIN(top + (gint)group->down, height);
  for (guint m = 0; m < 2 && from >= end; m++) /* a field may have chroma and no luma */
    memset(tile->scratch + sweep->totals[m], 0, n_pixels * (narrow ? 4 : 8));
  for (gint row = from; row < end; row++)
    for (guint m = 0; m < 2; m++) {
      guint8 *total = tile->scratch + sweep->totals[m], *sums = tile->scratch + sweep->sums[m];
      cc_luma_part_sum(&tile->part, m, row, row == from ? total : sums);
      if (row > from)
        (narrow ? add_32 : add_64)(total, sums, n_pixels);
    }
  for (guint m = 0; m < 2; m++) {
    guint8 *total = tile->scratch + sweep->totals[m], *sums = tile->scratch + sweep->sums[m];
    const gint at = tile->left + (gint)(sweep->apart * tile->x) - tile->part.first;
    samples[m] = sweep->apart == 1 ? total : sums;
    if (sweep->apart > 1)
      (narrow ? gather_32 : gather_64)(sums, total, (gint)n_pixels, at, (gint)group->across,
                                       (gint)sweep->apart, (gint)tile->n);
  }
}

/* --- samples --- */

/* Stores component number i of the samples of row y. Their color indices are in the scratch
 * memory. */
static void
paint(const Tile *tile, guint y, guint i) {
  const DirectionColorSweep *sweep = tile->sweep;
  const CcComponentOffset *offset = &sweep->group->offset[i];
  const CcRect *target = &tile->placement->target[sweep->group->plane];
  const CcPlane *plane = &tile->dst->plane[offset->plane];
  const guint16 *word = tile->color->word[sweep->group->component[i]];
  const guint8 *index = tile->scratch + sweep->index;
  const gsize spacing = offset->spacing, n = tile->n;
  const gsize sample = offset->first + (gsize)(target->x + tile->x) * spacing;
  guint8 *row = plane->data + (gssize)(target->y + y) * plane->pitch;
  const guint repeats =
      tile->x + tile->n == target->width
          ? cc_direction_color_repeats(tile->color, sweep->group, i, tile->placement->repeats)
          : 0;
  if (sweep->luma.type == CC_SAMPLE_U8) {
    guint8 *to = row + sample;
    for (gsize x = 0; x < n; x++)
      to[x * spacing] = (guint8)word[index[x]];
    for (gsize k = 0; k < repeats; k++)
      to[(n + k) * spacing] = to[(n - 1) * spacing];
  } else {
    CcWord *to = (CcWord *)row + sample;
    for (gsize x = 0; x < n; x++)
      to[x * spacing] = word[index[x]];
    for (gsize k = 0; k < repeats; k++)
      to[(n + k) * spacing] = to[(n - 1) * spacing];
  }
}

static void
paint_passthrough(const Tile *tile, guint y) {
  const DirectionColorSweep *sweep = tile->sweep;
  const CcComponentOffset *offset = &tile->color->passthrough_offset;
  const CcRect *target = &tile->placement->target[tile->color->plane];
  const CcRect *pixels = tile->part.pixels;
  const guint stride = sweep->plan->stride, from_y = pixels->y + stride * y;
  const CcPlane *src = &tile->part.src->plane[offset->plane];
  const CcPlane *dst = &tile->dst->plane[offset->plane];
  const gsize spacing = offset->spacing, apart = spacing * stride;
  const gsize from_x = offset->first + (pixels->x + stride * (gsize)tile->x) * spacing;
  const gsize to_x = offset->first + (gsize)(target->x + tile->x) * spacing;
  const guint8 *from = src->data + (gssize)from_y * src->pitch;
  guint8 *to = dst->data + (gssize)(target->y + y) * dst->pitch;
  const gboolean copies = tile->color->passthrough == CC_PASSTHROUGH_COPY;
  for (gsize x = 0; x < tile->n; x++)
    if (sweep->luma.type == CC_SAMPLE_U8)
      to[to_x + x * spacing] =
          copies ? from[from_x + x * apart] : (guint8)tile->color->passthrough_word;
    else
      ((CcWord *)to)[to_x + x * spacing] =
          copies ? ((const CcWord *)from)[from_x + x * apart] : tile->color->passthrough_word;
}

static void
run_tile(Tile *tile, guint y0, guint y1) {
  const DirectionColorSweep *sweep = tile->sweep;
  const gint left = tile->left + (gint)(sweep->apart * tile->x);
  const gint last = left + (gint)(sweep->apart * (tile->n - 1));
  CcLumaPart *part = &tile->part;
  part->first = MAX(left, 0);
  part->n_pixels =
      (guint)(MIN(last + (gint)sweep->group->across, (gint)part->pixels->width) - part->first);
  part->next = G_MININT;
  for (guint y = y0; y < y1; y++) {
    gconstpointer sums[2];
    sum_samples(tile, y, sums);
    sweep->rows->output->direction_color[sweep->luma.sum_lane](
        tile->scratch + sweep->index, sums[0], sums[1], tile->n, tile->color->add);
    for (guint i = 0; i < sweep->group->n; i++)
      paint(tile, y, i);
    if (tile->color->passthrough && sweep->group == tile->color->group)
      paint_passthrough(tile, y);
  }
}

static void
run_sweep(const DirectionColorSweep *sweep, const CcStageRows *rows, guint8 *scratch) {
  const CcPlacement *placement = rows->placement;
  const CcComponentGroup *group = sweep->group;
  const CcRect *source = &placement->source[group->plane];
  const CcRect *pixels = &placement->source[sweep->color->plane];
  const guint width = placement->target[group->plane].width;
  if (!sweep->rows) {
    cc_plain_direction_color(sweep->plan, group, placement, rows->src, rows->dst, rows->y0,
                             rows->y1);
    return;
  }
  for (guint x = 0; x < width; x += sweep->tile) {
    Tile tile = {
        .sweep = sweep,
        .color = sweep->color,
        .placement = placement,
        .part = {&sweep->luma, pixels, rows->src, scratch, 0, 0, 0},
        .dst = rows->dst,
        .scratch = scratch,
        .left = (gint)(group->across * source->x) - (gint)pixels->x,
        .top = (gint)(group->down * source->y) - (gint)pixels->y,
        .x = x,
        .n = MIN(sweep->tile, width - x),
    };
    run_tile(&tile, rows->y0, rows->y1);
  }
}

static void
run(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const DirectionColor *self = state;
  for (guint i = 0; i < self->color->n_groups; i++)
    if (self->color->group[i].plane == rows->plane)
      run_sweep(&self->sweep[i], rows, scratch);
}

/* --- plan time --- */

static gsize
take(DirectionColorSweep *sweep, gsize n_bytes) {
  const gsize at = sweep->scratch_size;
  sweep->scratch_size += cc_row_align(n_bytes);
  return at;
}

static void
lay_out_scratch(DirectionColorSweep *sweep, gint64 largest) {
  /* color indices are made from sums of at least 32 bits */
  sweep->scratch_size =
      cc_row_align(cc_luma_rows_init(&sweep->luma, MAX(largest, G_MAXINT16 + 1), sweep->n_pixels));
  const gsize size = sweep->luma.sum_lane == CC_LANE_32 ? sizeof(gint32) : sizeof(gint64);
  for (guint m = 0; m < 2; m++) {
    sweep->sums[m] = take(sweep, sweep->n_pixels * size + CC_ROW_SLACK);
    sweep->totals[m] = take(sweep, sweep->n_pixels * size + CC_ROW_SLACK);
  }
  sweep->index = take(sweep, sweep->tile);
}

static void
init_sweep(DirectionColorSweep *sweep, const CcPlan *plan, const CcDirectionColor *color,
           const CcComponentGroup *group, const CcRows *rows) {
  const gint64 largest = cc_op_largest_sum(color->op) * group->across * group->down;
  const guint width = plan->out_layout.plane[group->plane].width;
  *sweep = (DirectionColorSweep){.plan = plan, .color = color, .group = group, .rows = rows};
  if (!rows)
    return;
  sweep->luma = (CcLumaRows){.plan = plan,
                             .op = color->op,
                             .from = color->from,
                             .n_from = color->n_from,
                             .plane = color->plane,
                             .border = color->border,
                             .rows = rows};
  sweep->apart = group->across * plan->stride;
  sweep->tile = MIN(MAX(TILE_PIXELS / sweep->apart, 1), width);
  sweep->n_pixels = sweep->apart * sweep->tile;
  lay_out_scratch(sweep, largest);
}

static gpointer
create(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  DirectionColor *self = g_new0(DirectionColor, 1);
  self->color = stage->data;
  for (guint i = 0; i < self->color->n_groups; i++) {
    init_sweep(&self->sweep[i], plan, self->color, &self->color->group[i], kernels);
    *scratch_size = MAX(*scratch_size, self->sweep[i].scratch_size);
  }
  return self;
}

static void
direction_color_free(gpointer state) {
  DirectionColor *self = state;
  for (guint i = 0; i < self->color->n_groups; i++)
    cc_luma_rows_clear(&self->sweep[i].luma);
  g_free(self);
}

static guint64
cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  const DirectionColor *self = state;
  const CcOp *op = self->color->op;
  guint64 taps = 0;
  for (guint i = 0; i < self->color->n_groups; i++) {
    const CcComponentGroup *group = &self->color->group[i];
    if (group->plane == plane)
      taps += (guint64)group->across * group->down * placement->target[plane].width *
              (2 * op->width * op->height + PIXEL_TAPS);
  }
  return taps * CC_TAP_PS;
}

static void
explain(gconstpointer state, GPtrArray *lines) {
  const DirectionColor *self = state;
  for (guint i = 0; i < self->color->n_groups; i++) {
    const DirectionColorSweep *sweep = &self->sweep[i];
    const CcComponentGroup *group = sweep->group;
    GString *line = g_string_new(NULL);
    g_string_append_printf(line, "direction color, %u components of plane %u, %ux%u pixels each: ",
                           group->n, group->plane, group->across, group->down);
    if (!sweep->rows) {
      g_string_append(line, "the plain loop");
    } else {
      cc_luma_rows_explain(&sweep->luma, line);
      g_string_append_printf(line, "; tiles of %u samples", sweep->tile);
    }
    g_ptr_array_add(lines, g_string_free(line, FALSE));
  }
}

const CcCpuStageClass cc_cpu_direction_color = {.name = "direction color",
                                                .create = create,
                                                .free = direction_color_free,
                                                .cost = cost,
                                                .run = run,
                                                .explain = explain};
