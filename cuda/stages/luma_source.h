/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sets CcLumaSource. */

#include "luma.h"
#include "cuda/step.h"

G_BEGIN_DECLS

static inline void
cc_cuda_luma_source_init(CcLumaSource *self, const CcComponentOffset *from, guint n) {
  self->n = (uint8_t)n;
  for (guint i = 0; i < n; i++) {
    self->plane[i] = (uint8_t)from[i].plane;
    self->first[i] = (uint8_t)from[i].first;
    self->spacing[i] = (uint8_t)from[i].spacing;
  }
}

static inline void
cc_cuda_luma_source_set_addresses(CcLumaSource *self, const CcCudaPlane *planes) {
  for (guint i = 0; i < self->n; i++) {
    self->address[i] = planes[self->plane[i]].offset;
    self->pitch[i] = (gint)planes[self->plane[i]].pitch;
  }
}

G_END_DECLS
