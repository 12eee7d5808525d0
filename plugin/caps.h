/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Caps on both sides of the element. They differ only in the size, which a stride divides and
 * rounds up, and in the memory domain. */

#include <gst/gst.h>
#include "memory/domain.h"

G_BEGIN_DECLS

/* The caps that either pad can have (transfer full): in system memory first, then in the other
 * domains of the set, which may hold fewer formats. */
GstCaps *cc_caps_template(CcDomainSet domains);

/* Whether the caps are fixed and describe frames that a pad can have. Queries may have other caps,
 * for some of which GStreamer's library for CUDA memory aborts the process. */
gboolean cc_caps_are_of_frames(const GstCaps *caps);

/* The domain of the first structure of the caps. */
const CcDomain *cc_caps_get_domain(const GstCaps *caps);

/* The caps that the other pad can have if the pad of `direction` has one of `caps` (transfer full).
 * On the source pad the size is divided by `stride`; on the sink pad every size is possible that
 * gives this one. Sizes may be numbers, ranges and lists. The step of a range is ignored, so the
 * result may contain more than is possible; fixed sizes are exact. The domain stays the same, which
 * comes first, or becomes another one of `domains`; system memory is always possible. */
GstCaps *cc_caps_transform(const GstCaps *caps, GstPadDirection direction, guint stride,
                           CcDomainSet domains);

/* The same caps with open formats in the order of CC_FORMATS; the order of everything else is kept
 * (transfer full). */
GstCaps *cc_caps_prefer(const GstCaps *caps);

/* The structures of `caps` that are in a domain (transfer full); none for ANY. */
GstCaps *cc_caps_in_domain(const GstCaps *caps, const CcDomain *domain);

G_END_DECLS
