/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stage direction-color with the row kernels. Gives the same bytes as plain_direction_color.c.
 *
 * A row of a component group is processed in tiles. A sample may cover several pixels. The rows of
 * the windows around these pixels are loaded as lanes into a ring. Each row is loaded once per
 * slice. The sums of both matrices are added over all rows of pixels that a sample covers, then
 * over all pixels in a row. A table maps the color index of the total to stored words. */

#include "stage.h"

#include "cpu/methods/tap_pattern.h"
#include "cpu/plain.h"
#include "engine/plan/output_stage.h"
#include "engine/ablation.h"

#include <string.h>

#define PIXEL_TAPS 64    /* cost of a pixel without its taps, in taps (CC_TAP_PS) */
#define TILE_PIXELS 1024 /* pixels of a tile; the ring of a 3x3 window then fits L1 */

typedef struct {
  const CcPlan *plan; /* plan of the program, which outlives the sweep */
  const CcDirectionColor *color;
  const CcComponentGroup *group;
  const CcRows *rows; /* kernels; NULL for the plain loop */
  CcSampleType type;
  CcLane lane; /* lane type of sums and of loaded samples */
  gsize lane_size;
  /* distance from the first pixel of a sample to the first pixel of the next, in pixels */
  guint apart;
  guint tile;     /* number of samples of a row that are processed at a time */
  guint n_pixels; /* maximum number of pixels of a row in a tile, without the window's edges */
  CcTapGroups weights[2];

  /* offsets in the scratch memory */
  gsize words, ring, ring_pitch, sums[2], totals[2], index;
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
  const CcRect *pixels; /* source rectangle of luma */
  const CcFrame *src, *dst;
  guint8 *scratch;
  /* position, in the source, of the first pixel that the target's first sample covers; may be
   * negative */
  gint left, top;
  guint x, n;     /* the tile has samples x to x + n - 1 of each row of the component group */
  gint first;     /* number of the first pixel of the tile that lies in the source */
  guint n_pixels; /* number of pixels from `first` on; all lie in the source */
  gint next;      /* row of pixels that is loaded next */
} Tile;

/* --- rows of pixels --- */

static const guint8 *
pixel_at(const Tile *tile, guint i, guint y, guint x) {
  const CcComponentOffset *from = &tile->color->from[i];
  const CcPlane *plane = &tile->src->plane[from->plane];
  const gsize sample = from->first + (gsize)(tile->pixels->x + x) * from->spacing;
  return plane->data + (gssize)(tile->pixels->y + y) * plane->pitch +
         sample * cc_sample_size(tile->sweep->type);
}

static void
load_pixels(const Tile *tile, guint y, guint x, guint n, guint8 *lanes) {
  const DirectionColorSweep *sweep = tile->sweep;
  const guint shift = sweep->plan->layout.plane[tile->color->plane].shift;
  const guint8 *in = pixel_at(tile, 0, y, x);
  guint8 *words = tile->scratch + sweep->words;
  guint spacing = tile->color->from[0].spacing;
  if (tile->color->n_from == 3) {
    const gconstpointer rgb[3] = {in, pixel_at(tile, 1, y, x), pixel_at(tile, 2, y, x)};
    sweep->rows->samples->luma[sweep->type](words, rgb, spacing, n, shift);
    in = words;
    spacing = 1;
  }
  sweep->rows->samples->load[sweep->type][sweep->lane](lanes, in, spacing, n, shift);
}

static void
set_border(const Tile *tile, guint8 *lanes, guint n) {
  for (guint i = 0; i < n; i++)
    if (tile->sweep->lane == CC_LANE_32)
      ((gint32 *)(gpointer)lanes)[i] = tile->color->border;
    else
      ((gint64 *)(gpointer)lanes)[i] = tile->color->border;
}

/* Returns row `at` of the ring. Row y of the source lies in row (y + radius) % window of the ring.
 * If row y lies outside the source, the ring has the row that the border rule gives. */
static guint8 *
ring_row(const Tile *tile, guint at) {
  return tile->scratch + tile->sweep->ring + at * tile->sweep->ring_pitch;
}

/* Pixels x0 to x1 - 1 lie left or right of the source. */
static void
load_beside(const Tile *tile, guint y, gint x0, gint x1, guint8 *lanes) {
  for (gint x = x0; x < x1; x++, lanes += tile->sweep->lane_size) {
    const gint column = cc_border_index(x, (gint)tile->pixels->width, tile->sweep->plan->border);
    if (column < 0)
      set_border(tile, lanes, 1);
    else
      load_pixels(tile, y, (guint)column, 1, lanes);
  }
}

/* Loads the tile's part of row y, and the pixels that the window needs left and right of the tile.
 * Row y may lie outside the source. */
static void
load_row(const Tile *tile, gint y) {
  const DirectionColorSweep *sweep = tile->sweep;
  const CcOp *op = tile->color->op;
  const gint radius = (gint)op->width / 2, lane_size = (gint)sweep->lane_size;
  const gint from = cc_border_index(y, (gint)tile->pixels->height, sweep->plan->border);
  const gint left = tile->first - radius, right = tile->first + (gint)tile->n_pixels + radius;
  const gint inside = MAX(left, 0), beside = MIN(right, (gint)tile->pixels->width);
  guint8 *row = ring_row(tile, (guint)(y + (gint)op->height / 2) % op->height) - radius * lane_size;
  if (from < 0) {
    set_border(tile, row, (guint)(right - left));
    return;
  }
  load_beside(tile, (guint)from, left, inside, row);
  load_pixels(tile, (guint)from, (guint)inside, (guint)(beside - inside),
              row + (inside - left) * lane_size);
  load_beside(tile, (guint)from, beside, right, row + (beside - left) * lane_size);
}

/* --- sums --- */

/* The rows of the windows around row y must be in the ring. */
static void
sum_row(const Tile *tile, guint m, guint y, guint8 *out) {
  const DirectionColorSweep *sweep = tile->sweep;
  const CcTapGroups *weights = &sweep->weights[m];
  gconstpointer taps[CC_MAX_COEFFS];
  for (guint i = 0; i < weights->n_taps; i++)
    taps[i] = ring_row(tile, (y + weights->offsets[i].row) % tile->color->op->height) +
              weights->offsets[i].offset * (gssize)sweep->lane_size;
  weights->sum(out, weights->group, weights->n_groups, taps, tile->n_pixels);
}

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
  const gboolean narrow = sweep->lane == CC_LANE_32;
  const gint radius = (gint)tile->color->op->height / 2;
  const gint top = tile->top + (gint)(group->down * sweep->plan->stride * y);
  const gint from = MAX(top, 0), end = MIN(top + (gint)group->down, (gint)tile->pixels->height);
  for (guint m = 0; m < 2 && from >= end; m++) /* a field may have chroma and no luma */
    memset(tile->scratch + sweep->totals[m], 0, tile->n_pixels * (narrow ? 4 : 8));
  for (gint row = from; row < end; row++) {
    for (tile->next = MAX(tile->next, row - radius); tile->next <= row + radius; tile->next++)
      load_row(tile, tile->next);
    for (guint m = 0; m < 2; m++) {
      guint8 *total = tile->scratch + sweep->totals[m], *sums = tile->scratch + sweep->sums[m];
      sum_row(tile, m, (guint)row, row == from ? total : sums);
      if (row > from)
        (narrow ? add_32 : add_64)(total, sums, tile->n_pixels);
    }
  }
  for (guint m = 0; m < 2; m++) {
    guint8 *total = tile->scratch + sweep->totals[m], *sums = tile->scratch + sweep->sums[m];
    const gint at = tile->left + (gint)(sweep->apart * tile->x) - tile->first;
    samples[m] = sweep->apart == 1 ? total : sums;
    if (sweep->apart > 1)
      (narrow ? gather_32 : gather_64)(sums, total, tile->n_pixels, at, group->across, sweep->apart,
                                       tile->n);
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
  if (sweep->type == CC_SAMPLE_U8) {
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
  const guint stride = sweep->plan->stride, from_y = tile->pixels->y + stride * y;
  const CcPlane *src = &tile->src->plane[offset->plane], *dst = &tile->dst->plane[offset->plane];
  const gsize spacing = offset->spacing, apart = spacing * stride;
  const gsize from_x = offset->first + (tile->pixels->x + stride * (gsize)tile->x) * spacing;
  const gsize to_x = offset->first + (gsize)(target->x + tile->x) * spacing;
  const guint8 *from = src->data + (gssize)from_y * src->pitch;
  guint8 *to = dst->data + (gssize)(target->y + y) * dst->pitch;
  const gboolean copies = tile->color->passthrough == CC_PASSTHROUGH_COPY;
  for (gsize x = 0; x < tile->n; x++)
    if (sweep->type == CC_SAMPLE_U8)
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
  tile->first = MAX(left, 0);
  tile->n_pixels =
      (guint)(MIN(last + (gint)sweep->group->across, (gint)tile->pixels->width) - tile->first);
  tile->next = G_MININT;
  for (guint y = y0; y < y1; y++) {
    gconstpointer sums[2];
    sum_samples(tile, y, sums);
    sweep->rows->output->direction_color[sweep->lane](tile->scratch + sweep->index, sums[0],
                                                      sums[1], tile->n, tile->color->add);
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
        .pixels = pixels,
        .src = rows->src,
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
lay_out_scratch(DirectionColorSweep *sweep) {
  const CcOp *op = sweep->color->op;
  const guint n_loaded = sweep->n_pixels + op->width - 1;
  const gsize lead = cc_row_align(op->width / 2 * sweep->lane_size);
  sweep->words = take(sweep, n_loaded * cc_sample_size(sweep->type));
  sweep->ring_pitch = cc_row_align(lead + n_loaded * sweep->lane_size + CC_ROW_SLACK);
  sweep->ring = take(sweep, op->height * sweep->ring_pitch) + lead;
  for (guint m = 0; m < 2; m++) {
    sweep->sums[m] = take(sweep, sweep->n_pixels * sweep->lane_size + CC_ROW_SLACK);
    sweep->totals[m] = take(sweep, sweep->n_pixels * sweep->lane_size + CC_ROW_SLACK);
  }
  sweep->index = take(sweep, sweep->tile);
}

static void
set_weights(DirectionColorSweep *sweep) {
  const CcOp *op = sweep->color->op;
  const guint area = op->width * op->height;
  CcTapPosition offsets[CC_MAX_COEFFS];
  for (guint i = 0; i < area; i++)
    offsets[i] = (CcTapPosition){i / op->width, (gint)(i % op->width) - (gint)op->width / 2};
  for (guint m = 0; m < 2; m++) {
    CcTapGroups *weights = &sweep->weights[m];
    const CcSumFunc *kernels = sweep->rows->tap_groups->sum[sweep->lane];
    cc_tap_groups_init(weights, op->tap_i + m * area, offsets, area);
    if (!kernels[weights->pattern] || cc_is_left_out("sum-patterns"))
      weights->pattern = CC_PATTERN_ANY;
    weights->sum = kernels[weights->pattern];
  }
}

static void
init_sweep(DirectionColorSweep *sweep, const CcPlan *plan, const CcDirectionColor *color,
           const CcComponentGroup *group, const CcRows *rows) {
  const gint64 largest = cc_op_largest_sum(color->op) * group->across * group->down;
  const guint width = plan->out_layout.plane[group->plane].width;
  *sweep = (DirectionColorSweep){.plan = plan, .color = color, .group = group, .rows = rows};
  if (!rows)
    return;
  sweep->type = plan->layout.plane[color->plane].type;
  sweep->lane = largest <= G_MAXINT32 ? CC_LANE_32 : CC_LANE_64;
  sweep->lane_size = sweep->lane == CC_LANE_32 ? sizeof(gint32) : sizeof(gint64);
  sweep->apart = group->across * plan->stride;
  sweep->tile = MIN(MAX(TILE_PIXELS / sweep->apart, 1), width);
  sweep->n_pixels = sweep->apart * sweep->tile;
  set_weights(sweep);
  lay_out_scratch(sweep);
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
    for (guint m = 0; m < 2; m++)
      cc_tap_groups_clear(&self->sweep[i].weights[m]);
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
  static const gchar *const lane_names[] = {[CC_LANE_32] = "32-bit", [CC_LANE_64] = "64-bit"};
  const DirectionColor *self = state;
  for (guint i = 0; i < self->color->n_groups; i++) {
    const DirectionColorSweep *sweep = &self->sweep[i];
    const CcComponentGroup *group = sweep->group;
    GString *line = g_string_new(NULL);
    g_string_append_printf(line, "direction color, %u components of plane %u, %ux%u pixels each: ",
                           group->n, group->plane, group->across, group->down);
    if (!sweep->rows)
      g_string_append(line, "the plain loop");
    else
      g_string_append_printf(line, "tap groups %s, %s; %s sums; tiles of %u samples",
                             cc_tap_pattern_name(sweep->weights[0].pattern),
                             cc_tap_pattern_name(sweep->weights[1].pattern),
                             lane_names[sweep->lane], sweep->tile);
    g_ptr_array_add(lines, g_string_free(line, FALSE));
  }
}

const CcCpuStageClass cc_cpu_direction_color = {.name = "direction color",
                                                .create = create,
                                                .free = direction_color_free,
                                                .cost = cost,
                                                .run = run,
                                                .explain = explain};
