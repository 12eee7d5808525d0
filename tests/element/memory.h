/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The memory of frames: the element's pools, CUDA memory, and the statistics about them. */

#include "common.h"

/* The element's property `stats`. Free with gst_structure_free. */
GstStructure *test_stats(GstElement *element);

/* The value of a string field of `stats`. Free with g_free. */
gchar *test_stats_string(GstElement *element, const gchar *field);

/* Whether the element uses the CUDA backend. */
gboolean test_is_on_cuda(GstHarness *h);

/* The caps with the feature memory:CUDAMemory. */
gchar *test_caps_in_cuda(const gchar *caps);

/* The pool that the element proposes upstream for these caps, activated. */
GstBufferPool *test_offered_pool(GstHarness *h, const gchar *caps);

/* Copies `frame` (taken), which is in system memory and has these caps, into a buffer of the pool,
 * whatever memory the pool has. */
GstBuffer *test_move_to_pool(GstBufferPool *pool, const gchar *caps, GstBuffer *frame);

/* Counts the programs that elements make, between these two calls. */
void test_programs_watch(void);
guint test_programs_count(void);
