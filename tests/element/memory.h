/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where frames lie, for tests of the element: its pools, CUDA memory and what it says of them. */

#include "common.h"

/* The element's statistics; to be freed. */
GstStructure *test_stats(GstElement *element);

/* A text among them; to be freed. */
gchar *test_stats_string(GstElement *element, const gchar *field);

/* Whether the element opened CUDA. */
gboolean test_is_on_cuda(GstHarness *h);

/* The caps with the feature memory:CUDAMemory. */
gchar *test_caps_in_cuda(const gchar *caps);

/* The pool that the element offers upstream for these caps, active. */
GstBufferPool *test_offered_pool(GstHarness *h, const gchar *caps);

/* Moves the picture of `frame` (taken), which has these caps in system memory, into a buffer of the
 * pool, in whatever memory that is. */
GstBuffer *test_move_to_pool(GstBufferPool *pool, const gchar *caps, GstBuffer *frame);
