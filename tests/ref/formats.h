/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Video formats as the element lays them out, for tests below the element. */

#include "engine/frame.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *name; /* as in GstVideoFormat where there is one */
  CcSampleType type;
  guint depth, shift;
  guint n_planes;
  struct {
    guint step;
    guint columns, rows;            /* luma pixels that one pixel of this plane stands for */
    CcRole role[CC_MAX_COMPONENTS]; /* with two of luma, `step` samples are a pair of pixels */
  } plane[CC_MAX_PLANES];
} TestFormat;

/* One for each format of the element. Ends with an entry without a name. */
extern const TestFormat test_formats[];

guint test_formats_count(void);

/* The format of that name, which is one of the element's. */
const TestFormat *test_format_find(const gchar *name);

/* The planes of a picture of width x height pixels; odd chroma sizes are rounded up. */
CcFrameLayout test_format_layout(const TestFormat *format, guint width, guint height,
                                 gboolean limited_range);

G_END_DECLS
