/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages PREMULTIPLY and DIVIDE. A row of the frame is made into a row of each plane of the
 * inner frames, and from them. */

#include "compose_row.h"

#define PIXEL_PS 1500 /* cost of a pixel, in picoseconds */

typedef struct {
  const CcWeighted *weighted;
  const CcWeightedKernels *kernels; /* NULL: plain loops, which luma always has */
} Weighted;

static gpointer
create(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  Weighted *self = g_new(Weighted, 1);
  self->weighted = stage->data;
  self->kernels = kernels && !self->weighted->is_luma ? kernels->weighted : NULL;
  return self;
}

static guint64
cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  const Weighted *self = state;
  return (guint64)placement->frame_target[0].width * PIXEL_PS * self->weighted->frame.n_planes;
}

/* The address of pixel (x, y) of plane g. */
static guint8 *
pixel_at(const CcFrame *frame, const CcFrameLayout *layout, guint g, guint x, guint y) {
  return frame->plane[g].data + (gssize)y * frame->plane[g].pitch +
         x * cc_plane_group_bytes(&layout->plane[g]);
}

/* --- rows --- */

static void
premultiply_plainly(const CcWeighted *self, const CcPlaneLayout *plane, guint16 *to,
                    const guint8 *from, guint n) {
  for (guint x = 0; x < n; x++) {
    guint code[4];
    for (guint c = 0; c < 4; c++)
      code[c] = cc_row_load(plane, from, 4 * x + c);
    const guint alpha = code[self->alpha];
    code[self->alpha] = self->max;
    if (self->is_luma) {
      guint rgb[3] = {0};
      for (guint c = 0; c < 4; c++)
        if (plane->role[c] != CC_ROLE_ALPHA)
          rgb[plane->role[c] - CC_ROLE_RED] = code[c];
      code[0] = cc_luma_of(rgb[0], rgb[1], rgb[2]);
      code[1] = self->max;
    }
    for (guint c = 0; c < (self->is_luma ? 2 : 4); c++)
      *to++ = (guint16)cc_weighted_multiply(code[c], alpha, self->max);
  }
}

static void
divide_plainly(const CcWeighted *self, const CcPlaneLayout *plane, guint colors, guint8 *to,
               const guint16 *from, guint n) {
  for (guint x = 0; x < n; x++, from += self->is_luma ? 2 : 4) {
    const guint q = from[self->is_luma ? 1 : self->alpha];
    for (guint c = 0; c < 4; c++)
      if (colors >> c & 1 && q > 0)
        cc_row_store(plane, to, 4 * x + c,
                     cc_weighted_divide(from[self->is_luma ? 0 : c], q, self->max));
  }
}

/* --- the stages --- */

/* The last row of a target has all rows of the source that remain. */
static void
premultiply(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Weighted *self = state;
  const CcWeighted *weighted = self->weighted;
  const CcFrameLayout *layout = &rows->plan->frame_layout;
  const guint stride = rows->plan->stride;
  const CcRect *source = &rows->placement->frame_source[0];
  const gboolean is_last = rows->y1 == rows->placement->frame_target[0].height;
  const guint end = is_last ? source->height : rows->y1 * stride;
  for (guint y = rows->y0 * stride; y < end; y++)
    for (guint g = 0; g < weighted->frame.n_planes; g++) {
      const guint8 *from = pixel_at(rows->src, layout, 0, source->x, source->y + y);
      guint8 *to = pixel_at(&rows->inner->source, &weighted->frame, g, source->x, source->y + y);
      if (self->kernels)
        self->kernels->premultiply[layout->plane[0].type]((guint16 *)to, from, weighted->alpha,
                                                          source->width);
      else
        premultiply_plainly(weighted, &layout->plane[0], (guint16 *)to, from, source->width);
    }
}

static void
divide(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Weighted *self = state;
  const CcWeighted *weighted = self->weighted;
  const CcPlaneLayout *plane = &rows->plan->frame_layout.plane[0];
  const CcRect *target = &rows->placement->frame_target[0];
  for (guint y = rows->y0; y < rows->y1; y++)
    for (guint g = 0; g < weighted->frame.n_planes; g++) {
      const guint8 *from =
          pixel_at(&rows->inner->target, &weighted->frame, g, target->x, target->y + y);
      guint8 *to = cc_target_row(rows, 0, y);
      if (self->kernels)
        self->kernels->divide[plane->type](to, (const guint16 *)from, weighted->alpha,
                                           weighted->colors[g], target->width);
      else
        divide_plainly(weighted, plane, weighted->colors[g], to, (const guint16 *)from,
                       target->width);
    }
}

const CcCpuStageClass cc_cpu_premultiply = {
    .name = "premultiply", .create = create, .free = g_free, .cost = cost, .run = premultiply};

const CcCpuStageClass cc_cpu_divide = {
    .name = "divide by alpha", .create = create, .free = g_free, .cost = cost, .run = divide};
