/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of direction-color (engine/plan/direction_color.h) as a loop over the samples of
 * the target, without regard to speed. */

#include "component_offset.h"
#include "plain.h"

typedef struct {
  const CcPlan *plan;
  const CcDirectionColor *color;
  const CcComponentGroup *group;
  const CcPlacement *placement;
  /* layout of the luma plane; words have the same format in all planes */
  const CcPlaneLayout *layout;
  const CcRect *pixels; /* source rectangle of luma */
  const CcFrame *src, *dst;
} Painting;

typedef struct {
  gint64 x, y;
} Gradient;

static guint
code_from(const Painting *self, const CcComponentOffset *offset, guint i, guint y) {
  return cc_component_load(offset, self->src, self->layout->type, i, y) >> self->layout->shift;
}

/* The pixel may lie outside the source. */
static gint64
luma_at(const Painting *self, gint x, gint y) {
  const CcComponentOffset *from = self->color->from;
  const gint column = cc_border_index(x, (gint)self->pixels->width, self->plan->border);
  const gint row = cc_border_index(y, (gint)self->pixels->height, self->plan->border);
  if (column < 0 || row < 0)
    return self->color->border;
  const guint i = self->pixels->x + (guint)column, j = self->pixels->y + (guint)row;
  if (self->color->n_from == 1)
    return code_from(self, &from[0], i, j);
  return cc_luma_of(code_from(self, &from[0], i, j), code_from(self, &from[1], i, j),
                    code_from(self, &from[2], i, j));
}

static Gradient
gradient_at(const Painting *self, gint x, gint y) {
  const CcOp *op = self->color->op;
  const gint width = (gint)op->width, height = (gint)op->height;
  const gint32 *tap = op->tap_i;
  Gradient gradient = {0};
  for (gint j = 0; j < height; j++)
    for (gint i = 0; i < width; i++, tap++) {
      const gint64 luma = luma_at(self, x + i - width / 2, y + j - height / 2);
      gradient.x += tap[0] * luma;
      gradient.y += tap[width * height] * luma;
    }
  return gradient;
}

/* Returns the color index of sample (x, y) of the target. The color shows the direction of a sum of
 * gradients. The sum is over all pixels that the sample covers and that lie in the source. */
static guint
color_at(const Painting *self, guint x, guint y) {
  const CcComponentGroup *group = self->group;
  const CcRect *source = &self->placement->source[group->plane];
  const guint stride = self->plan->stride;
  const gint left = (gint)(group->across * (source->x + stride * x)) - (gint)self->pixels->x;
  const gint top = (gint)(group->down * (source->y + stride * y)) - (gint)self->pixels->y;
  const gint right = left + (gint)group->across, bottom = top + (gint)group->down;
  Gradient sum = {0};
  for (gint j = MAX(top, 0); j < MIN(bottom, (gint)self->pixels->height); j++)
    for (gint i = MAX(left, 0); i < MIN(right, (gint)self->pixels->width); i++) {
      const Gradient gradient = gradient_at(self, i, j);
      sum.x += gradient.x;
      sum.y += gradient.y;
    }
  return (guint)cc_hue_index((gfloat)sum.x, (gfloat)sum.y, self->color->add);
}

static void
store_passthrough(const Painting *self, guint x, guint y) {
  const CcDirectionColor *color = self->color;
  const CcRect *target = &self->placement->target[color->plane];
  const guint from_x = self->pixels->x + self->plan->stride * x;
  const guint from_y = self->pixels->y + self->plan->stride * y;
  const guint word = color->passthrough == CC_PASSTHROUGH_COPY
                         ? cc_component_load(&color->passthrough_offset, self->src,
                                             self->layout->type, from_x, from_y)
                         : color->passthrough_word;
  cc_component_store(&color->passthrough_offset, self->dst, self->layout->type, target->x + x,
                     target->y + y, word);
}

void
cc_plain_direction_color(const CcPlan *plan, const CcComponentGroup *group,
                         const CcPlacement *placement, const CcFrame *src, const CcFrame *dst,
                         guint y0, guint y1) {
  const CcDirectionColor *color = cc_plan_get_direction_color(plan);
  const CcRect *target = &placement->target[group->plane];
  const Painting self = {
      .plan = plan,
      .color = color,
      .group = group,
      .placement = placement,
      .layout = &plan->layout.plane[color->plane],
      .pixels = &placement->source[color->plane],
      .src = src,
      .dst = dst,
  };
  for (guint y = y0; y < y1; y++)
    for (guint x = 0; x < target->width; x++) {
      const guint index = color_at(&self, x, y);
      if (color->passthrough && group == color->group)
        store_passthrough(&self, x, y);
      for (guint i = 0; i < group->n; i++) {
        const guint repeats = x + 1 == target->width
                                  ? cc_direction_color_repeats(color, group, i, placement->repeats)
                                  : 0;
        for (guint k = 0; k <= repeats; k++)
          cc_component_store(&group->offset[i], dst, self.layout->type, target->x + x + k,
                             target->y + y, color->word[group->component[i]][index]);
      }
    }
}
