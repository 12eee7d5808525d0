/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The CUDA contexts of elements, and frames in CUDA memory of a given context. */

#include "memory.h"

#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudautils.h>

/* The element's CUDA context. Free with gst_object_unref. */
GstCudaContext *test_context(GstElement *element);

/* The driver's handle of the element's CUDA context. */
gpointer test_context_handle(GstElement *element);

/* Pushes a random frame, in CUDA memory from the pool that `owner` proposes, through `h`. Compares
 * the result with the result of a new element. `owner` and `h` have the given properties. */
void test_filter_frame_of(GstHarness *owner, GstHarness *h, const gchar *properties, guint seed);

/* Does the same with `n` frames that come alternately from two owners and are in flight together.
 * The element of `h` may also have in-flight set. */
void test_filter_alternately(GstHarness *const owners[2], GstHarness *h, const gchar *properties,
                             guint n);
