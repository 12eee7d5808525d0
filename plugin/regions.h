/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which regions of a frame are filtered, and whether they are filtered in place. Used by the
 * streaming thread. */

#include "element.h"

G_BEGIN_DECLS

void gst_cuda_conv_init_regions(GstCudaConv *self);
void gst_cuda_conv_clear_regions(GstCudaConv *self);

/* Uses these options from now on. `roi` has the regions (CcRegion) that cc_options_find_regions
 * found. */
void gst_cuda_conv_set_regions(GstCudaConv *self, const CcRegionOptions *options,
                               const GArray *roi);

/* The regions (CcRegion) of a frame (transfer full). NULL: the whole frame is filtered. Sets *types
 * to the types (GQuark) of the metas that the regions are from (transfer full); NULL: they are not
 * from metas. */
GArray *gst_cuda_conv_list_regions(GstCudaConv *self, GstBuffer *in, GArray **types);

/* Whether the frame can be filtered in its own buffer: everything outside of the regions stays as
 * it is, the buffer has no other user, and downstream accepts its memory and layout. */
gboolean gst_cuda_conv_is_in_place(GstCudaConv *self, GstBuffer *in, const GArray *regions);

G_END_DECLS
