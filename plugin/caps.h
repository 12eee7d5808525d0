/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Caps on both sides of the element. Input and output caps differ only in the size and the memory
 * domain. The output size is the input size divided by the stride, rounded up. */

#include <gst/gst.h>
#include "memory/domain.h"

G_BEGIN_DECLS

/* The caps that either pad can have (transfer full). System memory comes first, followed by the
 * other domains of the set. Those domains may hold fewer formats. */
GstCaps *cc_caps_template(CcDomainSet domains);

/* Whether the caps are fixed and describe frames that a pad can have. Queries may contain other
 * caps. For some of these, GStreamer's library for CUDA memory aborts the process. */
gboolean cc_caps_are_of_frames(const GstCaps *caps);

/* The domain of the first structure of the caps. */
const CcDomain *cc_caps_get_domain(const GstCaps *caps);

/* The caps that the other pad can have if the pad of `direction` has one of `caps` (transfer full).
 * The source pad gets the size divided by `stride`. The sink pad gets every size whose division by
 * `stride` gives the size in `caps`. Sizes may be numbers, ranges and lists. Fixed sizes are exact.
 * The step of a range is ignored, so the result may contain sizes that are not possible. The result
 * has the caps in their own domain first, then the same caps in the other `domains`. System memory
 * is always among the domains. */
GstCaps *cc_caps_transform(const GstCaps *caps, GstPadDirection direction, guint stride,
                           CcDomainSet domains);

/* A copy of the caps in which the formats have the order of CC_FORMATS (transfer full). The order
 * of everything else is kept. */
GstCaps *cc_caps_prefer(const GstCaps *caps);

/* The structures of `caps` that are in `domain` (transfer full). Empty if `caps` is ANY. */
GstCaps *cc_caps_in_domain(const GstCaps *caps, const CcDomain *domain);

G_END_DECLS
