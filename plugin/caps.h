/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Caps on the two sides of the element: they are the same but for the size, which a stride divides
 * and rounds up, and the domain of their memory. */

#include <gst/gst.h>
#include "memory/domain.h"

G_BEGIN_DECLS

/* The caps that either pad can have (transfer full): those in system memory first, and those in the
 * other domains of the set, which may hold fewer formats. */
GstCaps *cc_caps_template(CcDomainSet domains);

/* Whether the caps are fixed and of frames that a pad can have. Queries can be about others, for
 * some of which GStreamer's library for CUDA memory ends the process. */
gboolean cc_caps_are_of_frames(const GstCaps *caps);

/* The domain that the first structure of the caps is of. */
const CcDomain *cc_caps_get_domain(const GstCaps *caps);

/* What the other pad can have when the pad of `direction` has one of `caps` (transfer full): on the
 * source pad the size divided by `stride`, on the sink pad every size that gives this one. Sizes
 * may be numbers, ranges and lists. The step of a range is left out, so that the answer may hold
 * more than is possible; fixed sizes are exact. The domain may be the same, which comes first, or
 * another one of `domains`; system memory always may. */
GstCaps *cc_caps_transform(const GstCaps *caps, GstPadDirection direction, guint stride,
                           CcDomainSet domains);

/* The same set of caps with the formats in the order of CC_FORMATS, wherever caps leave the format
 * open; the order of everything else stays (transfer full). */
GstCaps *cc_caps_prefer(const GstCaps *caps);

/* The structures of `caps` that are of a domain, which ANY is not; transfer full. */
GstCaps *cc_caps_in_domain(const GstCaps *caps, const CcDomain *domain);

G_END_DECLS
