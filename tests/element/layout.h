/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames mapped as planes. The layout is from the tests' own table of formats and not from
 * GstVideoFormatInfo, so that wrong use of GstVideoFormatInfo in the plugin is found. */

#include <gst/video/video.h>
#include "engine/frame.h"

/* The formats of the element's caps. */
extern const gchar *const test_formats_in_caps[];
extern const guint test_n_formats_in_caps;

/* The memory layout of frames with these caps. */
CcFrameLayout test_layout(const gchar *caps);

/* A buffer mapped as planes, from test_map to test_unmap. */
typedef struct {
  GstVideoFrame frame;
  CcFrameLayout layout;
  CcFrame planes;
} TestFrame;

void test_map(TestFrame *mapped, const gchar *caps, GstBuffer *buffer, GstMapFlags flags);
void test_unmap(TestFrame *mapped);

static inline guint8 *
test_row(const TestFrame *mapped, guint plane, guint y) {
  const CcPlane *p = &mapped->planes.plane[plane];
  return p->data + (gssize)y * p->pitch;
}
