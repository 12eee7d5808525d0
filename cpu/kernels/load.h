/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Converts samples of one byte to rows of lanes of one type. Included by row_kernels.c and lane.h
 * with
 *   LANE     the type
 *   NAME(f)  f with the lane's suffix */

static ALWAYS_INLINE void
NAME(load_spaced_u8)(LANE *restrict out, const guint8 *restrict in, guint spacing, guint n) {
  for (guint x = 0; x < n; x++)
    out[x] = in[(gsize)x * spacing];
}

static void
NAME(load_u8)(gpointer row, gconstpointer src, guint spacing, guint n, guint shift) {
#define LOAD(constant) NAME(load_spaced_u8)(row, src, constant, n)
  FOR_SPACING(spacing, LOAD)
#undef LOAD
}

static void
NAME(extend_u8)(gpointer row, gconstpointer src, const CcOutside *outside, guint n, guint shift) {
  LANE *out = row;
  const guint8 *in = src;
  for (guint i = 0; i < n; i++)
    out[i] = (LANE)(outside[i].index < 0 ? outside[i].constant : in[outside[i].index]);
}
