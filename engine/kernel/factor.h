/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Separability: whether a matrix is a column times a row. */

#include <glib.h>

G_BEGIN_DECLS

/* Of `height` rows of `width` integers. FALSE: it is not, and what is in row and column is open. */
gboolean cc_factor_whole(const gint64 *c, guint width, guint height, gint32 *row, gint32 *column);

/* Of reals: the column and the row whose products come close to them. */
void cc_factor_real(const gdouble *c, guint width, guint height, gdouble *row, gdouble *column);

G_END_DECLS
