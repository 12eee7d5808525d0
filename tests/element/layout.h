/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pictures as planes, from the test's own table of formats and not from GstVideoFormatInfo, so that
 * a mistake in the plugin's use of that shows. */

#include <gst/video/video.h>
#include "engine/frame.h"

/* The formats of the element's caps. */
extern const gchar *const test_formats_in_caps[];
extern const guint test_n_formats_in_caps;

/* What pictures with these caps look like in memory. */
CcFrameLayout test_layout(const gchar *caps);

/* A frame of `caps` mapped as planes, until test_unmap. */
typedef struct {
  GstVideoFrame frame;
  CcFrameLayout layout;
  CcFrame planes;
} TestPicture;

void test_map(TestPicture *picture, const gchar *caps, GstBuffer *buffer, GstMapFlags flags);
void test_unmap(TestPicture *picture);

static inline guint8 *
test_row(const TestPicture *picture, guint plane, guint y) {
  const CcPlane *p = &picture->planes.plane[plane];
  return p->data + (gssize)y * p->pitch;
}
