/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stage OVERLAY. A row of cells is one row of chroma with the rows of pixels that it covers, or
 * one row of pixels if no chroma is subsampled. The strengths of all pixels of these rows are
 * computed first, because the strength of chroma is their mean. Then the samples are replaced. A
 * strength has the type of a sample. */

#include "compose_row.h"

#define PIXEL_PS 150 /* cost of a pixel, in picoseconds */
#define MAX_DOWN 2   /* maximum number of rows of pixels in a row of cells */

typedef struct {
  const CcOverlay *overlay;
  const CcRows *kernels;        /* NULL: plain loops */
  guint8 groups[CC_MAX_PLANES]; /* bit g is set if the plane has components of group g */
  CcComposeRow params[CC_MAX_PLANES];
  gsize row_bytes; /* of a row in the scratch memory */
} Overlay;

/* The rows in the scratch memory. */
typedef enum {
  ROW_STRENGTHS,                       /* of the pixels, MAX_DOWN rows */
  ROW_MEAN = ROW_STRENGTHS + MAX_DOWN, /* strengths of chroma */
  ROW_PAIRS,                           /* the same, each twice */
  ROW_SPREAD,                          /* a strength for each sample of a row of the frame */
  ROW_CODE,                            /* luma, extracted or computed */
  ROW_SOURCE,
  N_ROWS,
} Row;

static gpointer
create(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  Overlay *self = g_new0(Overlay, 1);
  const CcOverlay *overlay = self->overlay = stage->data;
  self->kernels = kernels;
  g_assert(overlay->group[overlay->n_groups - 1].down <= MAX_DOWN);
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcPlaneLayout *out = &plan->out_frame_layout.plane[p];
    CcComposeRow *params = &self->params[p];
    cc_compose_row_init(params, out);
    params->scalars.lo = overlay->lo;
    params->scalars.hi = overlay->hi;
    params->scalars.whole = overlay->whole;
    params->scalars.part = overlay->part;
    self->row_bytes = MAX(self->row_bytes, cc_plane_row_bytes(out));
  }
  for (guint g = 0; g < overlay->n_groups; g++)
    for (guint i = 0; i < overlay->group[g].n; i++) {
      const CcComponentOffset *offset = &overlay->group[g].offset[i];
      const CcPlaneLayout *plane = &plan->frame_layout.plane[offset->plane];
      self->groups[offset->plane] |= (guint8)(1 << g);
      for (guint c = offset->first; c < plane->step; c += offset->spacing)
        cc_compose_row_set_color(&self->params[offset->plane], plane, c,
                                 overlay->color[overlay->group[g].component[i]]);
    }
  self->row_bytes = cc_row_align(self->row_bytes) + CC_ROW_SLACK;
  *scratch_size = N_ROWS * self->row_bytes;
  return self;
}

static guint
n_rows(gconstpointer state, const CcPlan *plan, const CcPlacement *placement) {
  const Overlay *self = state;
  return cc_overlay_cells(self->overlay, &plan->out_frame_layout, placement->frame_target).height;
}

static guint64
cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  const Overlay *self = state;
  const CcRect pixels =
      cc_overlay_rect(self->overlay, 0, &plan->out_frame_layout, placement->frame_target);
  return (guint64)pixels.width * PIXEL_PS * self->overlay->group[self->overlay->n_groups - 1].down;
}

/* A row of cells while a thread processes it. */
typedef struct {
  const Overlay *self;
  const CcStageRows *rows;
  const CcPlaneLayout *plane;           /* of the strengths */
  CcRect rect[CC_MAX_COMPONENT_GROUPS]; /* the samples of each group in the target */
  guint n;                              /* number of rows of pixels in the row of cells */
  guint8 *scratch;
} Cells;

static guint8 *
row_at(const Cells *cells, guint row) {
  return cells->scratch + row * cells->self->row_bytes;
}

/* Returns the address of a component in row y of the target. */
static const guint8 *
component_at(const Cells *cells, const CcComponentOffset *offset, guint y) {
  return cc_target_row(cells->rows, offset->plane, y) +
         offset->first * cc_sample_size(cells->plane->type);
}

/* --- strengths --- */

/* Computes the strengths of row y of the pixels. */
static void
find_strengths(const Cells *cells, guint y, guint8 *q) {
  const Overlay *self = cells->self;
  const CcOverlay *overlay = self->overlay;
  const CcPlaneLayout *plane = cells->plane;
  const CcComponentOffset *offset = overlay->group[0].offset;
  const gboolean is_rgb = plane->role[offset->first] == CC_ROLE_RED;
  const guint n = cells->rect[0].width, spacing = offset[0].spacing;
  const guint8 *row = component_at(cells, &offset[0], y);
  if (!self->kernels) {
    for (guint x = 0; x < n; x++) {
      guint r[3];
      for (guint i = 0; i < (is_rgb ? 3 : 1); i++)
        r[i] = cc_row_load(plane, component_at(cells, &offset[i], y), x * offset[i].spacing) >>
               plane->shift;
      cc_row_store(plane, q, x,
                   cc_overlay_strength(is_rgb ? cc_luma_of(r[0], r[1], r[2]) : r[0], overlay->lo,
                                       overlay->hi));
    }
    return;
  }
  const CcSampleKernels *samples = self->kernels->samples;
  guint8 *code = row_at(cells, ROW_CODE);
  if (is_rgb) {
    const gconstpointer rgb[3] = {row, component_at(cells, &offset[1], y),
                                  component_at(cells, &offset[2], y)};
    samples->luma[plane->type](code, rgb, spacing, n, plane->shift);
    row = code;
  } else if (spacing > 1) {
    samples->load[plane->type][plane->type == CC_SAMPLE_U8 ? CC_LANE_8 : CC_LANE_16](code, row,
                                                                                     spacing, n, 0);
    row = code;
  }
  self->kernels->compose->strength[plane->type](q, row, &self->params[overlay->plane], n);
}

/* Returns the mean strength of the pixels that a sample of chroma covers. `first` is the number of
 * the first of them in a row, and may be negative. Pixels outside of the target do not count. */
static guint
mean_of(const Cells *cells, gint first) {
  const guint across = cells->self->overlay->group[1].across;
  const guint left = (guint)MAX(first, 0);
  const guint right = (guint)CLAMP(first + (gint)across, 0, (gint)cells->rect[0].width);
  const guint count = right > left ? (right - left) * cells->n : 0;
  guint sum = 0;
  for (guint r = 0; r < cells->n; r++)
    for (guint x = left; x < right; x++)
      sum += cc_row_load(cells->plane, row_at(cells, ROW_STRENGTHS + r), x);
  return count ? (2 * sum + count) / (2 * count) : 0;
}

/* Computes the strengths of a row of chroma. */
static void
find_means(const Cells *cells, guint8 *mean) {
  const CcRows *kernels = cells->self->kernels;
  const guint n = cells->rect[1].width, across = cells->self->overlay->group[1].across;
  const gint left = (gint)(across * cells->rect[1].x) - (gint)cells->rect[0].x;
  const gsize size = cc_sample_size(cells->plane->type);
  guint x = 0;
  if (kernels && across == 2 && cells->n > 0) {
    for (; x < n && left + (gint)(2 * x) < 0; x++)
      cc_row_store(cells->plane, mean, x, mean_of(cells, left + (gint)(2 * x)));
    const guint first = (guint)(left + (gint)(2 * x)), width = cells->rect[0].width;
    const guint n_whole = first < width ? MIN((width - first) / 2, n - x) : 0;
    const guint8 *q = row_at(cells, ROW_STRENGTHS) + first * size;
    kernels->compose->mean[cells->plane->type](
        mean + x * size, q, q + (cells->n - 1) * cells->self->row_bytes, n_whole);
    x += n_whole;
  }
  for (; x < n; x++)
    cc_row_store(cells->plane, mean, x, mean_of(cells, left + (gint)(across * x)));
}

/* --- samples --- */

/* Interleaves two to four rows of n samples. */
static void
join(const Cells *cells, guint8 *to, const gconstpointer parts[CC_MAX_COMPONENTS], guint n_parts,
     guint n) {
  const CcPlaneLayout *plane = cells->plane;
  if (cells->self->kernels)
    cells->self->kernels->samples->join[plane->type](to, parts, n_parts, n);
  else
    for (guint i = 0; i < n_parts * n; i++)
      cc_row_store(plane, to, i, cc_row_load(plane, parts[i % n_parts], i / n_parts));
}

/* Returns a strength for each sample of a row of plane p. `q` has the strengths of the pixels or of
 * chroma. With macropixels, `q` has those of the pixels and `chroma` those of chroma. */
static const guint8 *
spread(const Cells *cells, guint p, const guint8 *q, const guint8 *chroma) {
  const CcPlaneLayout *plane = &cells->rows->plan->frame_layout.plane[p];
  const guint n = cells->rows->placement->frame_target[p].width;
  guint8 *to = row_at(cells, ROW_SPREAD), *pairs = row_at(cells, ROW_PAIRS);
  if (plane->has_macropixels) {
    const gboolean luma_first = plane->role[0] == CC_ROLE_LUMA;
    join(cells, pairs, (gconstpointer[CC_MAX_COMPONENTS]){chroma, chroma}, 2, n);
    join(cells, to,
         (gconstpointer[CC_MAX_COMPONENTS]){luma_first ? q : pairs, luma_first ? pairs : q}, 2,
         2 * n);
    return to;
  }
  if (plane->step == 1)
    return q;
  join(cells, to, (gconstpointer[CC_MAX_COMPONENTS]){q, q, q, q}, plane->step, n);
  return to;
}

static void
blend_plainly(const CcPlaneLayout *plane, const CcComposeRow *params, guint8 *row,
              const guint8 *source, const guint8 *strengths, guint n) {
  for (guint i = 0; i < n; i++) {
    const guint c = i % plane->step;
    if (cc_row_load(plane, params->keep_u8, c))
      continue;
    const guint weight = cc_overlay_weight(cc_row_load(plane, strengths, i), params->scalars.whole,
                                           params->scalars.part);
    const guint s = cc_row_load(plane, source, i) >> plane->shift;
    cc_row_store(plane, row, i,
                 cc_overlay_blend(s, cc_row_load(plane, params->color_u8, c), weight)
                     << plane->shift);
  }
}

/* Replaces the samples of row y of plane p. */
static void
blend_row(const Cells *cells, guint p, guint y, const guint8 *q, const guint8 *chroma) {
  const Overlay *self = cells->self;
  const CcPlaneLayout *plane = &cells->rows->plan->frame_layout.plane[p];
  const guint n = cells->rows->placement->frame_target[p].width * plane->step;
  const guint8 *strengths = spread(cells, p, q, chroma);
  const guint8 *source =
      cc_cpu_source_row(cells->rows, self->kernels, p, y, row_at(cells, ROW_SOURCE));
  guint8 *row = cc_target_row(cells->rows, p, y);
  if (self->kernels)
    self->kernels->compose->blend[plane->type](row, source, strengths, &self->params[p], n);
  else
    blend_plainly(plane, &self->params[p], row, source, strengths, n);
  cc_repeat_half_pixel(cells->rows, p, row);
}

/* --- the stage --- */

/* Processes row `cell` of cells, counted in the frame. A plane has the components of one group, or
 * of both with macropixels. */
static void
run_cells(Cells *cells, guint cell) {
  const Overlay *self = cells->self;
  const CcOverlay *overlay = self->overlay;
  const guint last = overlay->n_groups - 1, down = overlay->group[last].down;
  const CcRect *pixels = &cells->rect[0], *samples = &cells->rect[last];
  const guint top = MAX(cell * down, pixels->y);
  const guint end = MIN((cell + 1) * down, pixels->y + pixels->height);
  const gboolean has_chroma =
      last == 1 && cell >= samples->y && cell < samples->y + samples->height;
  guint8 *mean = row_at(cells, ROW_MEAN);
  cells->n = end > top ? end - top : 0;
  for (guint r = 0; r < cells->n; r++)
    find_strengths(cells, top + r - pixels->y, row_at(cells, ROW_STRENGTHS + r));
  if (has_chroma)
    find_means(cells, mean);
  for (guint p = 0; p < CC_MAX_PLANES; p++) {
    for (guint r = 0; r < cells->n && (self->groups[p] & 1); r++) {
      const guint8 *q = row_at(cells, ROW_STRENGTHS + r);
      blend_row(cells, p, top + r - pixels->y, q, last == 1 ? mean : q);
    }
    if (has_chroma && self->groups[p] == 2)
      blend_row(cells, p, cell - samples->y, mean, NULL);
  }
}

static void
run(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Overlay *self = state;
  const CcFrameLayout *out = &rows->plan->out_frame_layout;
  const CcRect *target = rows->placement->frame_target;
  const CcOverlayCells all = cc_overlay_cells(self->overlay, out, target);
  Cells cells = {.self = self,
                 .rows = rows,
                 .plane = &rows->plan->frame_layout.plane[self->overlay->plane],
                 .scratch = scratch};
  for (guint g = 0; g < self->overlay->n_groups; g++)
    cells.rect[g] = cc_overlay_rect(self->overlay, g, out, target);
  for (guint y = rows->y0; y < rows->y1; y++)
    run_cells(&cells, all.y + y);
}

static void
explain(gconstpointer state, GPtrArray *lines) {
  const Overlay *self = state;
  const CcComponentGroup *last = &self->overlay->group[self->overlay->n_groups - 1];
  g_ptr_array_add(lines,
                  g_strdup_printf("overlay: cells of %ux%u pixels", last->across, last->down));
}

const CcCpuStageClass cc_cpu_overlay = {.name = "overlay",
                                        .n_rows = n_rows,
                                        .create = create,
                                        .free = g_free,
                                        .cost = cost,
                                        .run = run,
                                        .explain = explain};
