/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Video formats as the element lays them out, for tests that do not use the element. */

#include "engine/frame.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name; /* name in GstVideoFormat, if GStreamer has the format */
  CcSampleType type;
  guint depth, shift;
  guint n_planes;
  struct {
    guint step;
    guint columns, rows;            /* size in luma pixels of one pixel of this plane */
    CcRole role[CC_MAX_COMPONENTS]; /* if two roles are luma, `step` samples are a macropixel */
  } plane[CC_MAX_PLANES];
} TestFormat;

/* One entry for each format of the element, then an entry without a name. */
extern const TestFormat test_formats[];

guint test_formats_count(void);

/* Returns the format of this name, which must be one of the element's. */
const TestFormat *test_format_find(const gchar *name);

/* Returns the planes of an image of width x height pixels. Odd chroma sizes are rounded up. */
CcFrameLayout test_format_layout(const TestFormat *format, guint width, guint height,
                                 gboolean limited_range);

G_END_DECLS
