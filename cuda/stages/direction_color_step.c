/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "direction_color_step.h"

#include "cuda/launch_config.h"
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
set_own(CcHuePart *own, const CcPlan *plan, const CcHueField *field) {
  const CcHue *hue = plan->hue;
  const CcRect *source = &plan->source[field->plane], *pixels = &plan->source[hue->plane];
  own->across = (guint8)field->across;
  own->down = (guint8)field->down;
  own->left = (gint)(field->across * source->x) - (gint)pixels->x;
  own->top = (gint)(field->down * source->y) - (gint)pixels->y;
  own->n_src = (guint8)hue->n_from;
  for (guint i = 0; i < hue->n_from; i++) {
    own->src_plane[i] = (guint8)hue->from[i].plane;
    own->src_first[i] = (guint8)hue->from[i].first;
    own->src_spacing[i] = (guint8)hue->from[i].spacing;
  }
  own->n_dst = (guint8)field->n;
  own->repeats = (guint8)hue->repeats;
  for (guint i = 0; i < field->n; i++) {
    own->component[i] = (guint8)field->component[i];
    own->dst_plane[i] = (guint8)field->place[i].plane;
    own->dst_first[i] = (guint8)field->place[i].first;
    own->dst_spacing[i] = (guint8)field->place[i].spacing;
  }
}

static void
set_part(CcPart *part, const CcPlan *plan, const CcHueField *field) {
  const CcHue *hue = plan->hue;
  const CcPlaneLayout *luma = &plan->layout.plane[hue->plane];
  const CcRect *target = &plan->target[field->plane];
  part->src_width = (gint)plan->source[hue->plane].width;
  part->src_height = (gint)plan->source[hue->plane].height;
  part->width = (gint)target->width;
  part->height = (gint)target->height;
  part->step = 1;
  part->shift = (gint)luma->shift;
  part->sample_bytes = (gint)cc_sample_size(luma->type);
  part->border_code[0] = hue->border;
  part->add_f = hue->add;
  set_own(CC_OWN(CcHuePart, part), plan, field);
  if (field == hue->field) {
    CC_OWN(CcHuePart, part)->aside = (guint8)hue->aside;
    CC_OWN(CcHuePart, part)->aside_first = (guint8)hue->aside_place.first;
    part->fill[0] = hue->aside_word;
  }
  cc_cuda_part_set_tiles(part, cc_cuda_divide_up(target->width, CC_HUE_ACROSS),
                         cc_cuda_divide_up(target->height, CC_HUE_DOWN));
}

/* Whether the sums over all pixels of any sample fit 32 bits. */
static gboolean
fits_int32(const CcHue *hue) {
  gint64 most = 0;
  for (guint i = 0; i < hue->n_fields; i++)
    most = MAX(most, cc_op_largest_sum(hue->op) * hue->field[i].across * hue->field[i].down);
  return most <= G_MAXINT32;
}

GBytes *
cc_hue_set_step(CcCudaStep *step, const CcPlan *plan, GError **error) {
  const CcHue *hue = plan->hue;
  CcLaunch *launch = &step->params;
  step->kind = CC_CUDA_HUE;
  launch->stride = (gint)plan->stride;
  launch->border = plan->border;
  launch->response = hue->op->response;
  set_taps(launch, hue->op);
  launch->n_parts = (gint)hue->n_fields;
  for (guint i = 0; i < hue->n_fields; i++)
    set_part(&launch->part[i], plan, &hue->field[i]);
  if (!cc_cuda_set_first_tiles(launch, error))
    return NULL;
  step->n_blocks = (guint)launch->n_tiles;
  step->block[0] = CC_HUE_ACROSS;
  step->block[1] = CC_HUE_DOWN;
  step->overlaps = TRUE;
  step->module = cc_fatbin_direction_color;
  g_snprintf(step->name, sizeof step->name, "cc_hue_%s_%s",
             plan->layout.plane[hue->plane].type == CC_SAMPLE_U8 ? "u8" : "u16",
             fits_int32(hue) ? "i32" : "i64");
  return g_bytes_new(hue->word, sizeof hue->word);
}

void
cc_hue_place_parts(CcLaunch *launch, const CcCudaPlane *src, const CcCudaPlane *dst) {
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
