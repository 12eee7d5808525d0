/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle's color of a direction: in integers, except for the angle. */

#include "engine/frame.h"

G_BEGIN_DECLS

/* Return whether components of a role show the color, and which row of the table they use. */
gboolean oracle_direction_color_has(CcRole role);
guint oracle_direction_color_component(CcRole role);

/* Returns the color index of the gradient (x, y). */
guint oracle_direction_color_index(gint64 x, gint64 y, gdouble bias);

/* Makes the table of stored words, by component and color index. `plane` is one of the planes that
 * show the color. */
void oracle_direction_color_table(const CcFrameLayout *layout, const CcPlaneLayout *plane,
                                  gboolean rgb, guint16 word[3][256]);

/* Returns whether a correct sample may have the stored word `got` if `expected` is right: whether
 * two neighbouring colors have these words. Black has no neighbours. */
gboolean oracle_direction_color_words_match(const guint16 word[256], guint expected, guint got);

G_END_DECLS
