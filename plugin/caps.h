/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Caps on the two sides of the element: they are the same but for the size, which a stride divides
 * and rounds up. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* What the other pad can have when the pad of `direction` has one of `caps` (transfer full): on the
 * source pad the size divided by `stride`, on the sink pad every size that gives this one. Sizes
 * may be numbers, ranges and lists. The step of a range is left out, so that the answer may hold
 * more than is possible; fixed sizes are exact. */
GstCaps *cc_caps_transform(const GstCaps *caps, GstPadDirection direction, guint stride);

G_END_DECLS
