/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Allocation queries: where the buffers between the element and its neighbours come from.
 * memory/pools.h makes the pools. */

#include "element.h"

G_BEGIN_DECLS

/* Sets the functions of the base class for allocation queries. */
void gst_cuda_conv_install_allocation(GstBaseTransformClass *klass);

G_END_DECLS
