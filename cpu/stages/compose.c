/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stage COMPOSE: threshold, invert and mix. It changes the samples of a plane in place,
 * or makes the rows of the frame from rows in scratch memory (makes_rows). */

#include "compose_row.h"

#include <string.h>

#define SAMPLE_PS 20 /* cost of a sample, in picoseconds */

/* --- rows --- */

/* Sets a parameter of component c in all pixels of a row. */
#define SET_PARAMETER(params, name, plane, c, word)                                                \
  do {                                                                                             \
    for (guint i = (c); i < CC_ROW_PARAMETER_BYTES / cc_sample_size((plane)->type);                \
         i += (plane)->step) {                                                                     \
      if ((plane)->type == CC_SAMPLE_U8)                                                           \
        (params)->name##_u8[i] = (guint8)(word);                                                   \
      else                                                                                         \
        (params)->name##_u16[i] = (guint16)(word);                                                 \
    }                                                                                              \
  } while (0)

void
cc_compose_row_init(CcComposeRow *self, const CcPlaneLayout *plane) {
  *self = (CcComposeRow){.scalars = {.max = (1 << plane->depth) - 1, .shift = plane->shift}};
  memset(self->keep_u8, 0xff, sizeof self->keep_u8);
  memset(self->unmixed_u8, 0xff, sizeof self->unmixed_u8);
}

static void
set_parameters(CcComposeRow *self, const CcPlaneLayout *plane, guint c,
               const CcComposeComponent *component, gint mix) {
  const guint shift = plane->shift;
  self->scalars.mix = mix;
  if (component->mixes)
    SET_PARAMETER(self, unmixed, plane, c, 0);
  if (!component->point)
    return;
  SET_PARAMETER(self, keep, plane, c, 0);
  SET_PARAMETER(self, limit, plane, c, component->limit << shift);
  SET_PARAMETER(self, above, plane, c, component->above << shift);
  SET_PARAMETER(self, below, plane, c, component->below << shift);
  SET_PARAMETER(self, sum, plane, c, component->sum << shift);
}

void
cc_compose_row_set_color(CcComposeRow *self, const CcPlaneLayout *plane, guint c, guint16 color) {
  SET_PARAMETER(self, keep, plane, c, 0);
  SET_PARAMETER(self, color, plane, c, color);
}

guint8 *
cc_target_row(const CcStageRows *rows, guint plane, guint y) {
  const CcPlaneLayout *layout = &rows->plan->frame_layout.plane[plane];
  const CcRect *target = &rows->placement->frame_target[plane];
  return rows->dst->plane[plane].data + (gssize)(target->y + y) * rows->dst->plane[plane].pitch +
         target->x * cc_plane_group_bytes(layout);
}

void
cc_repeat_half_pixel(const CcStageRows *rows, guint plane, guint8 *row) {
  const CcPlaneLayout *layout = &rows->plan->out_frame_layout.plane[plane];
  const CcRect *target = &rows->placement->frame_target[plane];
  if (!layout->has_macropixels || cc_target_pixels(layout, target) % 2 == 0)
    return;
  const guint luma = layout->role[0] == CC_ROLE_LUMA ? 0 : 1;
  const guint last = (target->width - 1) * layout->step + luma;
  cc_row_store(layout, row, last + 2, cc_row_load(layout, row, last));
}

/* --- the stage --- */

typedef struct {
  const CcCompose *compose;
  const CcRows *kernels; /* NULL: plain loops */
  gboolean streams;      /* composes into the frame, with non-temporal stores */
  CcPoint point[CC_MAX_PLANES];
  gboolean mixes[CC_MAX_PLANES];
  CcComposeRow params[CC_MAX_PLANES];
} Compose;

static gpointer
create(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  Compose *self = g_new0(Compose, 1);
  self->compose = stage->data;
  self->kernels = kernels;
  /* not in place, because the rows of the frame are in a cache */
  self->streams = !plan->packed && !cc_plan_get_direction_color(plan) && !cc_plan_get_inner(plan) &&
                  cc_exceeds_caches(plan);
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->frame_layout.plane[p];
    cc_compose_row_init(&self->params[p], plane);
    for (guint c = 0; c < plane->step; c++) {
      const CcComposeComponent *component = &self->compose->component[p][c];
      self->point[p] = MAX(self->point[p], component->point);
      self->mixes[p] |= component->mixes;
      set_parameters(&self->params[p], plane, c, component, self->compose->mix);
    }
    if (plan->stride > 1)
      *scratch_size = MAX(*scratch_size, cc_plane_row_bytes(&plan->out_frame_layout.plane[p]));
  }
  return self;
}

static guint64
cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  const Compose *self = state;
  const guint n = placement->frame_target[plane].width * plan->frame_layout.plane[plane].step;
  return (guint64)n * SAMPLE_PS * ((self->point[plane] != 0) + (self->mixes[plane] != 0));
}

/* The definition as a loop. */
static void
compose_plainly(const Compose *self, const CcPlaneLayout *plane, guint p, guint8 *row,
                const guint8 *source, guint n) {
  const guint max = (1u << plane->depth) - 1;
  for (guint i = 0; i < n; i++) {
    const CcComposeComponent *component = &self->compose->component[p][i % plane->step];
    guint r = cc_row_load(plane, row, i) >> plane->shift;
    if (!component->point && !component->mixes)
      continue;
    if (component->point == CC_POINT_SELECT)
      r = cc_compose_select(r, component->limit, component->above, component->below);
    else if (component->point == CC_POINT_INVERT)
      r = cc_compose_invert(r, component->sum);
    if (component->mixes)
      r = cc_compose_mix((gint)r, (gint)(cc_row_load(plane, source, i) >> plane->shift),
                         self->compose->mix, (gint)max);
    cc_row_store(plane, row, i, r << plane->shift);
  }
}

static gboolean
makes_rows(gconstpointer state, guint plane) {
  const Compose *self = state;
  return self->streams && (self->point[plane] || self->mixes[plane]);
}

static void
run(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Compose *self = state;
  const CcPlan *plan = rows->plan;
  const guint p = rows->plane;
  const CcPlaneLayout *plane = &plan->frame_layout.plane[p];
  const guint n = rows->placement->frame_target[p].width * plane->step;
  if (!self->point[p] && !self->mixes[p])
    return;
  for (guint y = rows->y0; y < rows->y1; y++) {
    guint8 *row = cc_target_row(rows, p, y);
    const guint8 *source =
        self->mixes[p] ? cc_cpu_source_row(rows, self->kernels, p, y, scratch) : NULL;
    if (!self->kernels) {
      compose_plainly(self, plane, p, row, source, n);
    } else {
      const CcComposeKernels *kernels = self->kernels->compose;
      guint8 *filtered = plan->packed ? row : cc_strip_row(&rows->to[p], (gint)y);
      const gboolean mixes = self->mixes[p], streams = self->streams;
      guint8 *point = mixes ? filtered : row;
      if (self->point[p] == CC_POINT_SELECT)
        kernels->select[plane->type](point, filtered, &self->params[p], n, streams && !mixes);
      else if (self->point[p] == CC_POINT_INVERT)
        kernels->invert[plane->type](point, filtered, &self->params[p], n, streams && !mixes);
      if (mixes)
        kernels->mix[plane->type](row, filtered, source, &self->params[p], n, streams);
    }
    cc_repeat_half_pixel(rows, p, row);
  }
}

/* What happens to the samples of a plane, as text. */
static const gchar *
describe_point(const Compose *self, guint plane) {
  const CcComposeComponent *component = self->compose->component[plane];
  gboolean inverts = FALSE;
  for (guint c = 0; c < CC_MAX_COMPONENTS; c++)
    inverts |= component[c].above < component[c].below;
  return self->point[plane] == CC_POINT_NONE     ? ""
         : self->point[plane] == CC_POINT_INVERT ? "invert"
         : inverts                               ? "threshold, invert"
                                                 : "threshold";
}

static void
explain(gconstpointer state, GPtrArray *lines) {
  const Compose *self = state;
  for (guint p = 0; p < CC_MAX_PLANES; p++)
    if (self->point[p] || self->mixes[p])
      g_ptr_array_add(lines, g_strdup_printf("compose plane %u: %s%s%s", p, describe_point(self, p),
                                             self->point[p] && self->mixes[p] ? ", " : "",
                                             self->mixes[p] ? "mix" : ""));
}

const CcCpuStageClass cc_cpu_compose = {.name = "compose",
                                        .create = create,
                                        .free = g_free,
                                        .makes_rows = makes_rows,
                                        .cost = cost,
                                        .run = run,
                                        .explain = explain};
