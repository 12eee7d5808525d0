/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Separability: whether a matrix is a column times a row. */

#include <glib.h>

G_BEGIN_DECLS

/* Factors `height` rows of `width` integers. Returns FALSE if the matrix is not separable; row and
 * column are then undefined. */
gboolean cc_factor_whole(const gint64 *c, guint width, guint height, gint32 *row, gint32 *column);

/* Finds the column and the row whose product approximates a matrix of reals. */
void cc_factor_real(const gdouble *c, guint width, guint height, gdouble *row, gdouble *column);

G_END_DECLS
