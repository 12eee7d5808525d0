/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A sweep is a pass over one plane, with the method and the kernels that the CPU uses for it. */

#include "engine/plan/plan.h"
#include "cpu/methods/method.h"

G_BEGIN_DECLS

/* Maximum number of samples in a tile. */
#define CC_MAX_TILE (16 * CC_MASK_PERIOD)

/* Estimated picoseconds for one 16-bit tap with the widest registers. */
#define CC_TAP_PS 5

/* The loops over the rows of a target. */
typedef enum {
  CC_LOOP_PLAIN,  /* the definition as a plain loop, for any pass */
  CC_LOOP_FILTER, /* filters components; copied, kept and filled components are merged in */
  CC_LOOP_MERGE,  /* some components are copied and others are filled; none is filtered */
  CC_LOOP_COPY,   /* all components are copied */
  CC_LOOP_FILL,   /* all components are filled */
} CcLoop;

/* Consecutive rows of a rectangle, from row number `first` on. The memory is a ring of mask + 1
 * rows. mask + 1 is a power of two. */
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

/* Each source row of a slice is loaded once, as lanes, with the samples left and right of it that
 * the window needs. A ring keeps the data that later windows need. Depending on the method, the
 * data is the row itself, dot groups of samples of several rows, or horizontal sums. The sums of a
 * result row, or of all rows of a block, are computed from the rings. Rows outside the source are
 * also loaded into the rings, with the samples that the border rule gives. Methods therefore need
 * no code for borders. In these comments, "the source" is the source rectangle of a region.
 *
 * A row is processed in tiles. Neighbouring tiles have their own rings and are interleaved: each
 * advances by as few rows as possible, so memory is read and written in row order.
 *
 * With a stride, only some pixels are results. A row without results is not computed, unless it
 * shares a block with rows that have results. In a row with results every pixel up to the last
 * result is computed. `thin` then selects the results. */
struct _CcSweep {
  const CcPlan *plan; /* plan of the program, which outlives the sweep */
  const CcPass *pass;
  const CcRows *kernels; /* NULL for the plain loop */
  CcLoop loop;
  guint plane;
  CcSampleType type;
  /* size of the output plane of a whole frame in pixels; a target may be smaller */
  guint width, height;
  guint stride;
  guint step;        /* number of samples of a pixel */
  guint shift;       /* bits by which stored words are shifted left */
  gsize sample_size; /* bytes of a sample */
  gsize pixel_size;
  CcBorder border;

  guint8 *fill;     /* pixels of a filled row; set only if all components are filled */
  gsize fill_bytes; /* size of `fill` in bytes, a multiple of the pixel size */
  CcMasks *masks;   /* how each byte of a row is made; NULL: all components are handled alike */
  CcThinFunc thin;  /* selects every second or fourth pixel; NULL with stride 1 */
  guint spacing;    /* distance from a sample of the source to the next, in samples */
  /* rows of the source are read from deinterleaved rows, also those above and below the source */
  gboolean by_position;
  /* the sweep makes a few rows at a time, alternating with other sweeps and stages */
  gboolean in_chunks;
  gboolean to_scratch; /* the rows of the target are in scratch memory */

  /* --- the members below, except `thinned`, `thinned_src` and scratch_size, are set only for
   * CC_LOOP_FILTER --- */
  guint n_matrices;
  guint window_rows; /* height of the window in rows */
  /* pixels of the constant border for a tile and its edges, stored like a row of the source */
  guint8 *outside;
  guint n_edge;            /* number of samples that the window needs on each side of a row */
  CcOutput output;         /* output stage with the narrowest lane; a method may use another one */
  const gchar *why_not_16; /* why the narrowest lane has more than 16 bits; NULL: it has 16 */
  CcMethod *method;
  /* why each method before `method` does not take the pass; NULL: no reason is reported */
  const gchar *declined[CC_N_METHODS];
  gboolean prefetches;
  /* whether non-temporal stores may be used; only if the target exceeds the caches */
  gboolean streams;
  CcLoadFunc load;
  CcExtendFunc extend;
  CcReduceFunc reduce; /* NULL if there is one sum, which is t */
  CcFinishFunc finish;
  gsize sum_size, sample_lane_size; /* bytes of a lane of sums, and of a lane of loaded samples */

  /* maximum samples in a tile; if possible, the ring rows and sums in use at a time fit L1 */
  guint tile;
  guint interleaved_tiles; /* maximum number of tiles that are interleaved */
  /* The offsets of data in the scratch memory. The offset of a row is that of its sample 0. Members
   * named _pitch, except tile_pitch, are the bytes from one row to the next. */
  gsize ring, ring_pitch;
  gsize tile_pitch; /* bytes from the ring of a tile to the ring of the next tile */
  gsize sums, sums_pitch, t, filtered;
  /* with a stride: results, and source samples, of a tile or a part of a row */
  gsize thinned, thinned_src;
  gsize outside_left, outside_right; /* CcArea.left and CcArea.right */
  gsize scratch_size;
};

/* A rectangle of the target plane that a sweep computes from a rectangle of the source plane. */
typedef struct {
  const CcSweep *sweep;
  guint source_height;
  guint width, height; /* size of the target in pixels */
  guint n_source;      /* number of samples in a row of the source */
  /* number of samples that are computed for a row; one in `stride` pixels is a result */
  guint n;
  gsize row_bytes; /* bytes of a row of the target */
  guint tile, interleaved_tiles;
  CcOutside *left, *right; /* where the n_edge samples on each side of a row come from */
} CcArea;

/* Returns how many samples of a row are computed for `width` results. */
static inline guint
cc_sweep_samples(const CcSweep *self, guint width) {
  return (self->stride * (width - 1) + 1) * self->step;
}

/* Prepares an area in which a sweep makes `target` from `source`. `left` and `right` of the area
 * lie in the scratch memory. */
void cc_area_init(CcArea *self, const CcSweep *sweep, const CcRect *source, const CcRect *target,
                  guint8 *scratch);

/* Estimates how many picoseconds one thread takes for a row of `width` results. The estimate is
 * rough and tends to be too low. */
guint64 cc_sweep_cost(const CcSweep *self, guint width);

/* --- for methods --- */

gsize cc_lane_size(CcLane lane);

/* Reserves scratch memory. Returns its offset, a multiple of CC_ROW_ALIGN. */
gsize cc_sweep_reserve(CcSweep *self, gsize n_bytes);

/* Returns whether a frame of the output exceeds the caches, so that non-temporal stores pay. */
gboolean cc_exceeds_caches(const CcPlan *plan);

/* Reserves scratch memory for n_rows rows of a tile. Each row includes the samples that the window
 * needs left and right of the tile. Sets *pitch. Returns the offset of sample 0 of the first
 * row. */
gsize cc_sweep_reserve_rows(CcSweep *self, guint n_rows, gsize lane_size, gsize *pitch);

/* Chooses the width of tiles. Reserves a ring of n_rows rows for each interleaved tile, and n_sums
 * rows of sums, in the method's lanes. n_used is how many rows of a ring the method uses at a
 * time. */
void cc_sweep_reserve_tiles(CcSweep *self, const CcMethod *method, guint n_rows, guint n_used,
                            guint n_sums);

/* Returns how many lanes lie before the tile in a row of 32-bit lanes. Their size in bytes is a
 * multiple of CC_ROW_ALIGN. */
static inline guint
cc_sweep_lead(const CcSweep *self) {
  return (guint)(cc_row_align(self->n_edge * sizeof(gint32)) / sizeof(gint32));
}

G_END_DECLS
