/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/frame.h"

G_BEGIN_DECLS

/* Converts a color of 8 bits to code values of `depth` bits, rounded half up. `frame` gives the
 * matrix and the range. */
void cc_color_to_rgb(const guint rgb[3], guint depth, guint16 code[3]);
void cc_color_to_yuv(const guint rgb[3], const CcFrameLayout *frame, guint depth, guint16 code[3]);

/* Converts to the luma of full range. */
guint16 cc_color_to_grey(const guint rgb[3], const CcFrameLayout *frame, guint depth);

G_END_DECLS
