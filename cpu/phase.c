/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "phase.h"

#include "plain.h"
#include "tile.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static CcStrip
strip_of(const CcPlane *plane, const CcRect *rect, gsize pixel_size) {
  return (CcStrip){plane->data + (gssize)rect->y * plane->pitch + rect->x * pixel_size,
                   plane->pitch, 0, G_MAXUINT};
}

/* Some rows of all planes of a packed frame at a time, while they are in a cache. */
static void
run_packed(const CcPhase *self, const CcSlice *slice, const CcFrame *src, const CcFrame *dst,
           guint8 *scratch) {
  const CcUnpacked *unpacked = &self->unpacked;
  gint next[CC_MAX_PASSES];
  for (guint i = 0; i < self->n_sweeps; i++)
    next[i] = CC_NO_ROW;
  CcUnpacking unpacking;
  cc_unpacking_begin(&unpacking, unpacked, src, dst, slice->y0, scratch);
  for (guint y0 = slice->y0; y0 < slice->y1; y0 += unpacked->n_rows) {
    const guint y1 = y0 + MIN(unpacked->n_rows, slice->y1 - y0);
    cc_unpacking_load(&unpacking, y1);
    for (guint i = 0; i < self->n_sweeps; i++) {
      const CcSweep *sweep = &self->sweep[i];
      cc_sweep_run(sweep, &unpacking.from[sweep->plane], &unpacking.to[sweep->plane], y0, y1,
                   &next[i], scratch + self->scratch_at[i]);
    }
    cc_unpacking_store(&unpacking, y1);
  }
}

void
cc_phase_run(const CcPhase *self, const CcSlice *slice, const CcFrame *src, const CcFrame *dst,
             guint8 *scratch) {
  if (self->unpacks)
    run_packed(self, slice, src, dst, scratch);
  for (guint i = 0; i < self->n_sweeps && !self->unpacks; i++) {
    const CcSweep *sweep = &self->sweep[i];
    if (sweep->plane != slice->plane && !(sweep->plan->packed && sweep->loop == CC_LOOP_PLAIN))
      continue;
    if (sweep->loop == CC_LOOP_PLAIN) {
      cc_plain_sweep(sweep->plan, sweep->pass, src, dst, slice->y0, slice->y1);
      continue;
    }
    const CcStrip from = strip_of(&src->plane[sweep->plane], &sweep->source, sweep->pixel_size);
    const CcStrip to = strip_of(&dst->plane[sweep->plane], &sweep->target, sweep->pixel_size);
    gint next = CC_NO_ROW;
    cc_sweep_run(sweep, &from, &to, slice->y0, slice->y1, &next, scratch);
  }
  /* after those, which write whole pixels of packed frames */
  for (guint i = 0; i < self->n_hue_sweeps; i++) {
    const CcHueSweep *sweep = &self->hue_sweep[i];
    if (sweep->field->plane == slice->plane || self->plan->packed)
      cc_hue_sweep_run(sweep, src, dst, slice->y0, slice->y1, scratch);
  }
#ifdef __SSE2__
  _mm_sfence(); /* after what was written past the caches */
#endif
}
