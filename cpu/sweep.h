/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A pass over a plane, resolved for the CPU. */

#include "engine/plan/plan.h"
#include "cpu/methods/method.h"

G_BEGIN_DECLS

/* The most samples of a row that are worked on at a time. */
#define CC_MAX_TILE (16 * CC_MASK_PERIOD)

/* Picoseconds for a tap of 16 bits, with the widest registers. */
#define CC_TAP_PS 5

/* The loops over the rows of a target. */
typedef enum {
  CC_LOOP_PLAIN,  /* the definition; does whatever the pass is */
  CC_LOOP_FILTER, /* filters, and merges other components in where there are some */
  CC_LOOP_MERGE,  /* copied and filled components together */
  CC_LOOP_COPY,   /* all are copied */
  CC_LOOP_FILL,   /* all are filled */
} CcLoop;

/* Rows of a rectangle, one after another; the first is row number `first`. There is memory for
 * mask + 1 rows, a power of two, which is then taken for the next ones. */
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

/* A row is loaded once, as lanes with its surroundings. What the windows of the next rows want of
 * it stays in a ring: the row itself, dot groups of its samples with those of its neighbours, or
 * sums along it. From the rings come the sums of a result row, or of all rows of a block at once.
 * Rows outside the picture are loaded like others, from where the border rule says, so that nothing
 * else knows of borders. "The picture" is the source of a region throughout.
 *
 * A row is processed in tiles. Neighbouring tiles have rings of their own and are interleaved: each
 * advances by as few rows as possible, so that memory is read and written in its order.
 *
 * With a stride, rows that are left out are not made, unless they are in a block with others. Of a
 * row every pixel up to the last result is made, and `thin` takes the results from those. */
struct _CcSweep {
  const CcPlan *plan; /* the program keeps it */
  const CcPass *pass;
  const CcRows *kernels; /* row kernels; NULL: the plain loop */
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

  guint8 *fill;         /* a part of a row of the fill, where all components are filled */
  gsize fill_bytes;     /* how much that is; whole pixels */
  CcMasks *masks;       /* of components of different fates; NULL: all have the same */
  CcThinFunc thin;      /* NULL with stride 1 */
  guint spacing;        /* from one sample of the source to the next */
  gboolean by_position; /* rows of the source are deinterleaved, with those around it */
  gboolean in_chunks;   /* it makes some rows at a time, and other rows of the phase come between */

  /* --- the rest only with CC_LOOP_FILTER --- */
  guint n_matrices;
  guint window_rows;       /* that the window reaches over */
  guint8 *outside;         /* pixels of the constant border, as in the frame, for a tile */
  guint n_edge;            /* samples that the window reaches left and right of a row */
  CcOutput output;         /* in the narrowest lane; a method may have another */
  const gchar *why_not_16; /* NULL: that lane is 16 bits */
  CcMethod *method;
  const gchar *declined[CC_N_METHODS]; /* why a method before it does not run; NULL: no word */
  gboolean prefetches;
  gboolean streams; /* no cache keeps the target */
  CcLoadFunc load;
  CcExtendFunc extend;
  CcReduceFunc reduce; /* NULL where the only sum is t */
  CcFinishFunc finish;
  gsize sum_size, sample_lane_size; /* bytes of lanes */

  guint tile;          /* the most samples of a row that are worked on at a time; the rings stay in
                          L1 */
  guint tiles_in_turn; /* the most tiles that take turns */
  /* offsets into the scratch memory; those of rows are of sample 0 */
  gsize ring, ring_pitch;
  gsize tile_pitch; /* from a tile's ring to the next one's */
  gsize sums, sums_pitch, t, filtered;
  gsize thinned, thinned_src;        /* with a stride: results and source samples of a chunk */
  gsize outside_left, outside_right; /* of an area, n_edge each */
  gsize scratch_size;
};

/* A rectangle of the plane that a sweep goes over, from a rectangle of the source. */
typedef struct {
  const CcSweep *sweep;
  guint source_height;
  guint width, height; /* of the target */
  guint n_source;      /* samples in a row of the source */
  guint n;         /* those of them that are made, of which one in `stride` pixels is a result */
  gsize row_bytes; /* of a row of the target */
  guint tile, tiles_in_turn;
  CcOutside *left, *right; /* where samples beside a row come from, n_edge each */
} CcArea;

/* Samples of a row of which a row of `width` results is made. */
static inline guint
cc_sweep_samples(const CcSweep *self, guint width) {
  return (self->stride * (width - 1) + 1) * self->step;
}

/* Sets the area of a sweep that makes `target` from `source`; it has a part in the scratch memory.
 */
void cc_area_init(CcArea *self, const CcSweep *sweep, const CcRect *source, const CcRect *target,
                  guint8 *scratch);

/* What a row of so many results takes one thread, in picoseconds: no more than a rough guess, and
 * rather too little. */
guint64 cc_sweep_cost(const CcSweep *self, guint width);

/* --- for methods --- */

/* Bytes of a lane. */
gsize cc_lane_size(CcLane lane);

/* Takes scratch memory. Returns where it is, a multiple of CC_ROW_ALIGN. */
gsize cc_sweep_take(CcSweep *self, gsize n_bytes);

/* Takes n_rows rows of a tile, each with what the window reaches left and right of it; sets the
 * distance from one to the next. Returns where sample 0 of the first is. */
gsize cc_sweep_take_rows(CcSweep *self, guint n_rows, gsize lane_size, gsize *pitch);

/* Chooses the width of tiles, and takes rings of n_rows rows and n_sums rows of sums for them, as
 * the lanes of a method have it. Of the rings n_used rows are in use at a time. */
void cc_sweep_take_tiles(CcSweep *self, const CcMethod *method, guint n_rows, guint n_used,
                         guint n_sums);

/* Samples left of a tile that rows of 32-bit lanes have; whole vectors. */
static inline guint
cc_sweep_lead(const CcSweep *self) {
  return (guint)(cc_row_align(self->n_edge * sizeof(gint32)) / sizeof(gint32));
}

G_END_DECLS
