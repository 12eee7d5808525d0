/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where the buffers between the element and its neighbours come from: the answers to allocation
 * queries. memory/pools.h makes the pools. */

#include "element.h"

G_BEGIN_DECLS

/* Takes over the functions of the base class for that. */
void gst_cuda_conv_install_allocation(GstBaseTransformClass *klass);

G_END_DECLS
