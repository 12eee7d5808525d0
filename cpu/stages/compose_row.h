/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Rows of the frame, for the stages COMPOSE and OVERLAY. */

#include "stage.h"

G_BEGIN_DECLS

/* Sets the parameters for a plane of which all samples stay as they are. */
void cc_compose_row_init(CcComposeRow *self, const CcPlaneLayout *plane);

/* Sets the color of an overlay, a code value, for component c. */
void cc_compose_row_set_color(CcComposeRow *self, const CcPlaneLayout *plane, guint c,
                              guint16 color);

/* The address of row y of the target in a plane of the frame. */
guint8 *cc_target_row(const CcStageRows *rows, guint plane, guint y);

/* If a row of a target ends in half a macropixel, repeats the sample of its luma. */
void cc_repeat_half_pixel(const CcStageRows *rows, guint plane, guint8 *row);

static inline guint
cc_row_load(const CcPlaneLayout *plane, const guint8 *row, guint i) {
  return plane->type == CC_SAMPLE_U8 ? row[i] : ((const CcWord *)row)[i];
}

static inline void
cc_row_store(const CcPlaneLayout *plane, guint8 *row, guint i, guint word) {
  if (plane->type == CC_SAMPLE_U8)
    row[i] = (guint8)word;
  else
    ((CcWord *)row)[i] = (guint16)word;
}

G_END_DECLS
