/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Hues, as the oracle has them: in whole numbers, but for the angle. */

#include "engine/frame.h"

G_BEGIN_DECLS

/* Whether samples of a role show hues, and which row of the table they have then. */
gboolean oracle_direction_color_has(CcRole role);
guint oracle_direction_color_component(CcRole role);

/* The index of the hue of the gradient (x, y). */
guint oracle_direction_color_index(gint64 x, gint64 y, gdouble bias);

/* What is stored for each component and index. `plane` is one of those that are painted. */
void oracle_direction_color_table(const CcFrameLayout *layout, const CcPlaneLayout *plane,
                                  gboolean rgb, guint16 word[3][256]);

/* Whether a right sample may have the stored word `got` where `expected` is the right one: whether
 * two neighbouring hues have these words. Black has no neighbours. */
gboolean oracle_direction_color_words_match(const guint16 word[256], guint expected, guint got);

G_END_DECLS
