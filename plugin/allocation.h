/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Answers allocation queries, which decide where the buffers between the element and its neighbours
 * come from. memory/pools.h makes the pools. */

#include "element.h"

G_BEGIN_DECLS

/* Sets the base class's virtual functions for allocation queries. */
void gst_cuda_conv_install_allocation(GstBaseTransformClass *klass);

G_END_DECLS
