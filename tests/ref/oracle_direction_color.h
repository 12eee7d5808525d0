/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle's direction color. It is computed in integers, except for the angle. */

#include "engine/frame.h"

G_BEGIN_DECLS

/* The first function returns whether components of a role show the color. The second returns the
 * index in the table that these components use. */
gboolean oracle_direction_color_has(CcRole role);
guint oracle_direction_color_component(CcRole role);

/* Returns the color index of the gradient (x, y). */
guint oracle_direction_color_index(gint64 x, gint64 y, gdouble bias);

/* Fills the table of stored words, by component and color index. `plane` is one of the planes that
 * show the color. */
void oracle_direction_color_table(const CcFrameLayout *layout, const CcPlaneLayout *plane,
                                  gboolean rgb, guint16 word[3][256]);

/* Returns whether the stored word `got` is correct although the oracle has the word `expected`. It
 * is if these are the words of two neighbouring colors. Black has no neighbours. */
gboolean oracle_direction_color_words_match(const guint16 word[256], guint expected, guint got);

G_END_DECLS
