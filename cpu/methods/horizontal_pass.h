/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Sums along lines by products of several neighbours at a time, as dot_products.h wants them. */

#include "dot_taps.h"

G_BEGIN_DECLS

/* The kind of bundles for n rows of taps, which are words, and samples of `type`. */
CcBundleKind cc_along_find_kind(const CcTaps *taps, guint n, CcSampleType type, const CcRows *rows);

/* The neighbours that a bundle holds. */
guint cc_along_bundle(CcBundleKind kind);

/* Puts a row of taps into bundles in `room`; gives what is left of it. */
gint32 *cc_along_bundle_taps(CcTaps taps, CcBundleKind kind, gint32 *room);

/* Sums of samples of `depth` bits, of which `step` make a pixel. `room` is for the bundles of taps,
 * two neighbours or more each; gives what is left of it. low_bits is left to the caller. */
gint32 *cc_along_init(CcAlong *self, CcBundleKind kind, CcTaps taps, guint depth, guint step,
                      const CcRows *rows, gint32 *room);

G_END_DECLS
