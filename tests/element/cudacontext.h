/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The CUDA contexts that elements work in, and frames in CUDA memory of one or another. */

#include "memory.h"

#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudautils.h>

/* The context that the element works in; to be unreferenced. */
GstCudaContext *test_context(GstElement *element);

/* The driver's handle of it. */
gpointer test_context_handle(GstElement *element);

/* Pushes a random frame in CUDA memory that `owner` offers through `h`, and compares what comes out
 * with what a new element makes of it. Both elements have these properties. */
void test_filter_frame_of(GstHarness *owner, GstHarness *h, const gchar *properties, guint seed);

/* The same with `n` frames of two owners, which alternate and stay in flight. The element of `h`
 * may have in-flight set as well. */
void test_filter_alternately(GstHarness *const owners[2], GstHarness *h, const gchar *properties,
                             guint n);
