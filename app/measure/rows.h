/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The figures of frames as text: CSV or JSON lines. No text depends on the locale. */

#include <gst/gst.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct {
  FILE *file;
  gboolean is_json, has_regions;
  guint64 frames; /* number of frames that were written */
  GString *text;  /* of the current frame */
} Rows;

void rows_init(Rows *self, FILE *file, gboolean is_json, gboolean has_regions);
void rows_clear(Rows *self);

/* Writes the figures of a frame, and before the first frame of CSV the names of the columns.
 * `figures` is the structure `cudaconv-measure`. `time` is in nanoseconds; GST_CLOCK_TIME_NONE:
 * unknown. FALSE: the file cannot be written, and errno is set. */
gboolean rows_write(Rows *self, GstClockTime time, const GstStructure *figures);

G_END_DECLS
