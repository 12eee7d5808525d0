/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of direction-color (engine/plan/direction_color.h) as a loop over the samples of
 * the target, without regard to speed. */

#include "plain.h"
#include "plain_luma.h"

typedef struct {
  const CcPlan *plan;
  const CcDirectionColor *color;
  const CcComponentGroup *group;
  const CcPlacement *placement;
  CcPlainLuma luma;
  const CcFrame *dst;
} Painting;

/* Returns the color index of sample (x, y) of the target. The color shows the direction of a sum of
 * gradients. The sum is over all pixels that the sample covers and that lie in the source. */
static guint
color_at(const Painting *self, guint x, guint y) {
  const CcComponentGroup *group = self->group;
  const CcRect *source = &self->placement->source[group->plane];
  const guint stride = self->plan->stride;
  const gint left = (gint)(group->across * (source->x + stride * x)) - (gint)self->luma.pixels->x;
  const gint top = (gint)(group->down * (source->y + stride * y)) - (gint)self->luma.pixels->y;
  const gint right = left + (gint)group->across, bottom = top + (gint)group->down;
  CcGradientSums sum = {0};
  for (gint j = MAX(top, 0); j < MIN(bottom, (gint)self->luma.pixels->height); j++)
    for (gint i = MAX(left, 0); i < MIN(right, (gint)self->luma.pixels->width); i++) {
      const CcGradientSums gradient = cc_plain_luma_gradient(&self->luma, i, j);
      sum.x += gradient.x;
      sum.y += gradient.y;
    }
  return (guint)cc_hue_index((gfloat)sum.x, (gfloat)sum.y, self->color->add);
}

static void
store_passthrough(const Painting *self, guint x, guint y) {
  const CcDirectionColor *color = self->color;
  const CcRect *target = &self->placement->target[color->plane];
  const guint from_x = self->luma.pixels->x + self->plan->stride * x;
  const guint from_y = self->luma.pixels->y + self->plan->stride * y;
  const guint word = color->passthrough == CC_PASSTHROUGH_COPY
                         ? cc_component_load(&color->passthrough_offset, self->luma.src,
                                             self->luma.layout->type, from_x, from_y)
                         : color->passthrough_word;
  cc_component_store(&color->passthrough_offset, self->dst, self->luma.layout->type, target->x + x,
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
      .luma = {.plan = plan,
               .op = color->op,
               .from = color->from,
               .n_from = color->n_from,
               .border = color->border,
               .layout = &plan->layout.plane[color->plane],
               .pixels = &placement->source[color->plane],
               .src = src},
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
          cc_component_store(&group->offset[i], dst, self.luma.layout->type, target->x + x + k,
                             target->y + y, color->word[group->component[i]][index]);
      }
    }
}
