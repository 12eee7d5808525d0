/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Direction as hue, row by row with the row kernels; the same bytes as plain_direction_color.c.
 *
 * A row of a field is made in tiles of so many samples. For each row of pixels that its samples
 * stand for, the rows of the window are loaded as lanes into a ring, each once a slice, and the
 * sums of both matrices over them are added to those of the rows before. Then the sums of a
 * sample's pixels are added, and a table has what is stored for the hue of that. */

#include "cpu/kernels/row_kernels.h"
#include "cpu/methods/tap_pattern.h"

G_BEGIN_DECLS

typedef struct {
  const CcPlan *plan; /* the program keeps it */
  const CcHueField *field;
  const CcRows *rows; /* NULL: the plain loop */
  CcSampleType type;
  CcLane lane; /* of sums, and of the samples that they are over */
  gsize lane_size;
  guint apart;    /* pixels from the first of a sample to the first of the next */
  gint left, top; /* the first pixel of the first sample, in the source; may be negative */
  guint tile;     /* samples of a row that are worked on at a time */
  guint n_pixels; /* most of a row that a tile has, without what the window reaches around */
  CcTapGroups weights[2];

  /* offsets into the scratch memory */
  gsize words, ring, ring_pitch, sums[2], totals[2], index;
  gsize scratch_size;
} CcHueSweep;

/* Makes a field of the plan's hue ready, to be run with the row kernels. */
void cc_hue_sweep_init(CcHueSweep *sweep, const CcPlan *plan, const CcHueField *field,
                       const CcRows *rows);
void cc_hue_sweep_clear(CcHueSweep *sweep);

/* Makes rows y0 to y1 - 1 of the field's target. src and dst are whole frames; scratch has the
 * sweep's scratch_size, aligned to CC_ROW_ALIGN. */
void cc_hue_sweep_run(const CcHueSweep *sweep, const CcFrame *src, const CcFrame *dst, guint y0,
                      guint y1, guint8 *scratch);

G_END_DECLS
