/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A frame of the session whose input and output are GstBuffers. */

#include "engine/run/session.h"
#include "mappedframe.h"

G_BEGIN_DECLS

/* Makes a frame with the input `in` and the output `out`. The frame takes over `out`, which must
 * have no other reference. If `out` is NULL, the frame is filtered in place, and takes over `in`,
 * which must have no other reference. Otherwise it adds a reference to `in`. `in_info` and
 * `out_info` come from the caps. `regions` (CcRegion) is taken over, too; NULL: the whole frame.
 * `reads_whole`: not only the regions are read. */
CcSessionFrame *cc_buffer_frame_new(GstBuffer *in, const GstVideoInfo *in_info, GstBuffer *out,
                                    const GstVideoInfo *out_info, GArray *regions,
                                    gboolean reads_whole);

/* Keeps what the results of a measured frame mean, until the frame is freed: a reference to `plan`,
 * the plan of the filter, and `types`, which is taken over: the type of the meta (GQuark) of each
 * region. NULL: the regions are not from metas. */
void cc_buffer_frame_set_plan(CcSessionFrame *frame, CcPlan *plan, GArray *types);

/* NULL: none was set. */
const CcPlan *cc_buffer_frame_get_plan(const CcSessionFrame *frame, const GArray **types);

/* Frees the frame and returns the buffer with the result (transfer full). The result is normally
 * `out`, or `in` if the frame was filtered in place, and *lost is NULL. If `out` was in device
 * memory that could no longer be mapped, the result is a buffer in system memory, and *lost is
 * `out` (transfer full). */
GstBuffer *cc_buffer_frame_free_to_output(CcSessionFrame *frame, GstBuffer **lost);

/* Copies the frame in `system` into `to`. Both have the caps of `info`. `to` must be in device
 * memory. The function fails if `to` has several memories or no GstVideoMeta. */
gboolean cc_buffer_copy_to_device(GstBuffer *to, GstBuffer *system, const GstVideoInfo *info,
                                  GError **error);

G_END_DECLS
