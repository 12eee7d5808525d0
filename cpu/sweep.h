/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A sweep: a pass over a plane, resolved for the CPU. */

#include "engine/plan/plan.h"
#include "cpu/methods/method.h"

G_BEGIN_DECLS

/* The largest number of samples of a row that are processed at a time. */
#define CC_MAX_TILE (16 * CC_MASK_PERIOD)

/* Picoseconds for a 16-bit tap with the widest registers. */
#define CC_TAP_PS 5

/* The loops over the rows of a target. */
typedef enum {
  CC_LOOP_PLAIN,  /* the definition; any pass */
  CC_LOOP_FILTER, /* filters; merges other components in, if the pass has some */
  CC_LOOP_MERGE,  /* copied and filled components together */
  CC_LOOP_COPY,   /* all components are copied */
  CC_LOOP_FILL,   /* all components are filled */
} CcLoop;

/* Consecutive rows of a rectangle, from row number `first` on. The memory holds mask + 1 rows, a
 * power of two, and is used as a ring. */
typedef struct {
  guint8 *data;
  gssize pitch;
  gint first;
  guint mask;
} CcStrip;

static inline guint8 *
cc_strip_row(const CcStrip *strip, gint y) {
  return strip->data + (gssize)((guint)(y - strip->first) & strip->mask) * strip->pitch;
}

#define CC_COUNT_ONE(name) +1
#define CC_N_METHODS (0 CC_METHODS(CC_COUNT_ONE))

/* Each source row is loaded once, as lanes, with the samples around it that the window needs. A
 * ring keeps what later windows need: the row itself, dot groups of its samples and those of
 * neighbouring rows, or horizontal sums. The sums of a result row, or of all rows of a block, are
 * computed from the rings. Rows outside the source are loaded like others, from where the border
 * rule says, so no other code handles borders. "The source" is the source rectangle of a region
 * throughout.
 *
 * A row is processed in tiles. Neighbouring tiles have their own rings and are interleaved: each
 * advances by as few rows as possible, so memory is read and written in row order.
 *
 * With a stride, rows that are left out are not computed, unless they share a block with other
 * rows. Within a row every pixel up to the last result is computed, and `thin` selects the
 * results. */
struct _CcSweep {
  const CcPlan *plan; /* kept by the program */
  const CcPass *pass;
  const CcRows *kernels; /* NULL: the plain loop */
  CcLoop loop;
  guint plane;
  CcSampleType type;
  guint width, height; /* pixels of the output of a whole frame; a target may be smaller */
  guint stride;
  guint step;        /* samples of a pixel */
  guint shift;       /* of stored words */
  gsize sample_size; /* bytes */
  gsize pixel_size;
  CcBorder border;

  guint8 *fill;         /* pixels of a filled row; only if all components are filled */
  gsize fill_bytes;     /* the size of `fill`, whole pixels */
  CcMasks *masks;       /* NULL: all components are handled alike */
  CcThinFunc thin;      /* NULL with stride 1 */
  guint spacing;        /* from a sample of the source to the next */
  gboolean by_position; /* source rows are deinterleaved, with the rows around the source */
  gboolean in_chunks;   /* it makes some rows at a time, alternating with other sweeps and stages */

  /* --- the rest is for CC_LOOP_FILTER only --- */
  guint n_matrices;
  guint window_rows;       /* height of the window */
  guint8 *outside;         /* pixels of the constant border in the frame's format, for a tile */
  guint n_edge;            /* samples that the window needs left and right of a row */
  CcOutput output;         /* in the narrowest lane; a method may have another */
  const gchar *why_not_16; /* NULL: that lane is 16 bits */
  CcMethod *method;
  const gchar *declined[CC_N_METHODS]; /* why an earlier method does not run; NULL: not reported */
  gboolean prefetches;
  gboolean streams; /* the target exceeds the caches: non-temporal stores */
  CcLoadFunc load;
  CcExtendFunc extend;
  CcReduceFunc reduce; /* NULL if t is the only sum */
  CcFinishFunc finish;
  gsize sum_size, sample_lane_size; /* bytes of lanes */

  guint tile;              /* max. samples processed at a time, so that the rings stay in L1 */
  guint interleaved_tiles; /* max. tiles that are interleaved */
  /* offsets into the scratch memory; of rows, the offset of sample 0 */
  gsize ring, ring_pitch;
  gsize tile_pitch; /* from the ring of a tile to the ring of the next */
  gsize sums, sums_pitch, t, filtered;
  gsize thinned,
      thinned_src; /* with a stride: results and source samples of a tile or part of a row */
  gsize outside_left, outside_right; /* CcOutside of an area, n_edge each */
  gsize scratch_size;
};

/* A rectangle of the plane that a sweep makes from a rectangle of the source. */
typedef struct {
  const CcSweep *sweep;
  guint source_height;
  guint width, height; /* of the target */
  guint n_source;      /* samples in a row of the source */
  guint n;             /* samples that are computed; one in `stride` pixels is a result */
  gsize row_bytes;     /* of a row of the target */
  guint tile, interleaved_tiles;
  CcOutside *left, *right; /* where samples beside a row come from, n_edge each */
} CcArea;

/* Returns how many samples of a row are computed for `width` results. */
static inline guint
cc_sweep_samples(const CcSweep *self, guint width) {
  return (self->stride * (width - 1) + 1) * self->step;
}

/* Prepares an area in which a sweep makes `target` from `source`. Parts of the area lie in the
 * scratch memory. */
void cc_area_init(CcArea *self, const CcSweep *sweep, const CcRect *source, const CcRect *target,
                  guint8 *scratch);

/* Estimates the picoseconds that one thread takes for a row of `width` results. The estimate is
 * rough, and rather too low. */
guint64 cc_sweep_cost(const CcSweep *self, guint width);

/* --- for methods --- */

gsize cc_lane_size(CcLane lane);

/* Reserves scratch memory. Returns its offset, a multiple of CC_ROW_ALIGN. */
gsize cc_sweep_reserve(CcSweep *self, gsize n_bytes);

/* Reserves n_rows rows of a tile, each with the samples that the window needs left and right of it.
 * Sets *pitch. Returns the offset of sample 0 of the first row. */
gsize cc_sweep_reserve_rows(CcSweep *self, guint n_rows, gsize lane_size, gsize *pitch);

/* Chooses the width of tiles. Reserves for each tile a ring of n_rows rows, and n_sums rows of
 * sums, in the method's lanes. n_used rows of the ring are in use at a time. */
void cc_sweep_reserve_tiles(CcSweep *self, const CcMethod *method, guint n_rows, guint n_used,
                            guint n_sums);

/* Returns the samples that rows of 32-bit lanes have left of a tile: whole vectors. */
static inline guint
cc_sweep_lead(const CcSweep *self) {
  return (guint)(cc_row_align(self->n_edge * sizeof(gint32)) / sizeof(gint32));
}

G_END_DECLS
