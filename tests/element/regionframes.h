/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Regions of frames: as properties, as metas, and the frames that the oracle makes of them. */

#include "common.h"
#include "engine/plan/filter.h"
#include "engine/plan/region.h"

#define TEST_MAX_ROIS 300

typedef struct {
  guint n;
  CcRoi roi[TEST_MAX_ROIS];
} TestRois;

/* Adds a region that stays in its place. */
void test_rois_add(TestRois *rois, guint x, guint y, guint width, guint height);

/* Sets the properties roi and target as one change. target is set if the regions have one. */
void test_rois_set(GstElement *element, const TestRois *rois);

/* Attaches a GstVideoRegionOfInterestMeta of this type for each region. */
void test_rois_attach(GstBuffer *buffer, const TestRois *rois, const gchar *type);

/* Regions that differ from frame to frame, in frames of 64x48. */
TestRois test_rois_of_frame(guint frame);

/* The filter of these properties. Its kernel must be built in, and is borrowed. */
CcFilter test_filter_parse(const gchar *properties);

/* A frame of random samples. In packed 4:2:2 of odd width, the last sample of luma in each row,
 * which belongs to no pixel, repeats the sample before it, as in the frames that the element makes.
 */
GstBuffer *test_frame_regular(const gchar *caps, guint32 seed);

/* Filters the regions of `input`, one after another, into `output`. The filter must be rational:
 * then the result is exact. */
void test_filter_rois(const CcFilter *filter, const TestRois *rois, const gchar *caps,
                      GstBuffer *input, GstBuffer *output);

/* The whole result of a regular frame in the default layout. */
GstBuffer *test_expect_rois(const CcFilter *filter, const TestRois *rois, const gchar *caps,
                            GstBuffer *input);
