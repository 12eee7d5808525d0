/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a program paints direction as hue. */

#include "stage.h"

#include "direction_color.h"
#include "engine/plan/output_stage.h"

CC_CUDA_DECLARE_MODULE(direction_color);

G_STATIC_ASSERT(CC_ASIDE_COPY == CC_HUE_ASIDE_COPY && CC_ASIDE_FILL == CC_HUE_ASIDE_FILL);

static void
set_taps(CcLaunch *launch, const CcOp *op) {
  launch->n_matrices = (gint)op->n_matrices;
  launch->window_width = (gint)op->width;
  launch->window_height = (gint)op->height;
  for (guint i = 0; i < op->n_matrices * op->width * op->height; i++)
    launch->tap[i].i = op->tap_i[i];
}

static void
set_part(CcPart *part, const CcPlan *plan, const CcHue *hue, const CcHueField *field) {
  const CcPlaneLayout *luma = &plan->layout.plane[hue->plane];
  CcHuePart *own = CC_OWN(CcHuePart, part);
  part->step = 1;
  part->shift = (gint)luma->shift;
  part->sample_bytes = (gint)cc_sample_size(luma->type);
  part->border_code[0] = hue->border;
  part->add_f = hue->add;
  own->across = (guint8)field->across;
  own->down = (guint8)field->down;
  own->n_src = (guint8)hue->n_from;
  for (guint i = 0; i < hue->n_from; i++) {
    own->src_plane[i] = (guint8)hue->from[i].plane;
    own->src_first[i] = (guint8)hue->from[i].first;
    own->src_spacing[i] = (guint8)hue->from[i].spacing;
  }
  own->n_dst = (guint8)field->n;
  for (guint i = 0; i < field->n; i++) {
    own->component[i] = (guint8)field->component[i];
    own->dst_plane[i] = (guint8)field->place[i].plane;
    own->dst_first[i] = (guint8)field->place[i].first;
    own->dst_spacing[i] = (guint8)field->place[i].spacing;
  }
  if (field == hue->field) {
    own->aside = (guint8)hue->aside;
    own->aside_first = (guint8)hue->aside_place.first;
    part->fill[0] = hue->aside_word;
  }
}

static void
set_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  const CcHue *hue = step->stage->data;
  const CcRect *pixels = &placement->source[hue->plane];
  for (guint i = 0; i < hue->n_fields; i++) {
    const CcHueField *field = &hue->field[i];
    const CcRect *source = &placement->source[field->plane];
    const CcRect *target = &placement->target[field->plane];
    CcPart *part = &launch->part[i];
    CcHuePart *own = CC_OWN(CcHuePart, part);
    part->src_width = (gint)pixels->width;
    part->src_height = (gint)pixels->height;
    part->width = (gint)target->width;
    part->height = (gint)target->height;
    own->left = (gint)(field->across * source->x) - (gint)pixels->x;
    own->top = (gint)(field->down * source->y) - (gint)pixels->y;
    own->repeats = (guint8)placement->repeats[hue->plane];
    cc_cuda_part_set_tiles(part, cc_cuda_divide_up(target->width, CC_HUE_ACROSS),
                           cc_cuda_divide_up(target->height, CC_HUE_DOWN));
  }
}

static void
set_places(CcLaunch *launch, const CcCudaStep *step, const CcCudaPlaces *places) {
  const CcCudaPlane *src = places->set[step->from], *dst = places->set[step->to];
  for (gint p = 0; p < launch->n_parts; p++) {
    CcHuePart *own = CC_OWN(CcHuePart, &launch->part[p]);
    for (guint i = 0; i < own->n_src; i++) {
      own->src[i] = src[own->src_plane[i]].offset;
      own->src_pitch[i] = (gint)src[own->src_plane[i]].pitch;
    }
    for (guint i = 0; i < own->n_dst; i++) {
      own->dst[i] = dst[own->dst_plane[i]].offset;
      own->dst_pitch[i] = (gint)dst[own->dst_plane[i]].pitch;
    }
  }
}

/* Whether the sums over all pixels of any sample fit 32 bits. */
static gboolean
fits_int32(const CcHue *hue) {
  gint64 most = 0;
  for (guint i = 0; i < hue->n_fields; i++)
    most = MAX(most, cc_op_largest_sum(hue->op) * hue->field[i].across * hue->field[i].down);
  return most <= G_MAXINT32;
}

static void
set_step(CcCudaStep *step, GByteArray *taps, GString *what) {
  const CcPlan *plan = step->plan;
  const CcHue *hue = step->stage->data;
  CcLaunch *launch = &step->params;
  launch->stride = (gint)plan->stride;
  launch->border = plan->border;
  launch->response = hue->op->response;
  set_taps(launch, hue->op);
  launch->n_parts = (gint)hue->n_fields;
  for (guint i = 0; i < hue->n_fields; i++)
    set_part(&launch->part[i], plan, hue, &hue->field[i]);
  step->set_sizes = set_sizes;
  step->set_places = set_places;
  step->block[0] = CC_HUE_ACROSS;
  step->block[1] = CC_HUE_DOWN;
  step->overlaps = TRUE;
  step->module = cc_fatbin_direction_color;
  g_snprintf(step->name, sizeof step->name, "cc_hue_%s_%s",
             plan->layout.plane[hue->plane].type == CC_SAMPLE_U8 ? "u8" : "u16",
             fits_int32(hue) ? "i32" : "i64");
  cc_cuda_step_add_taps(step, taps, hue->word, sizeof hue->word);
  g_string_append_printf(what, "direction color, %u group%s of components", hue->n_fields,
                         hue->n_fields == 1 ? "" : "s");
}

const CcCudaStageClass cc_cuda_direction_color = {.set_step = set_step};
