/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames for tests that detect every access outside the samples. Inaccessible pages lie before and
 * after each plane. All gaps are filled with guard bytes. Guard bytes may be read but not
 * written. */

#include "engine/frame.h"
#include "tests/ref/oracle.h"

G_BEGIN_DECLS

/* The position of a plane between its two inaccessible pages. */
typedef enum {
  /* rows without gaps; the last sample touches the inaccessible page after the plane */
  PLACEMENT_AT_END,
  /* rows without gaps; the first sample touches the inaccessible page before the plane */
  PLACEMENT_AT_START,
  PLACEMENT_ALIGNED,   /* rows at multiples of 64 bytes */
  PLACEMENT_ODD,       /* start and pitch are odd numbers of samples */
  PLACEMENT_BOTTOM_UP, /* negative pitch, with gaps */
  PLACEMENT_COUNT,
} Placement;

extern const gchar *const placement_names[PLACEMENT_COUNT];

typedef enum {
  PATTERN_RANDOM,
  PATTERN_ZERO,
  PATTERN_MAX,
  PATTERN_CHECKER, /* 0 and the maximum alternate */
  PATTERN_SPIKES,  /* single samples of the maximum among zeros, or the reverse */
  PATTERN_RAMP,
  PATTERN_COUNT,
  /* Faint lines on black with a bright spot at the top left. Random cases do not have them. */
  PATTERN_SPIRAL = PATTERN_COUNT, /* a line from the spot to the middle */
  PATTERN_SERPENTINE,             /* a line from the spot, right and left down to the bottom */
  PATTERN_COMB,                   /* a line at the top, and vertical lines that it touches */
  PATTERN_ALL_COUNT,
} Pattern;

extern const gchar *const pattern_names[PATTERN_ALL_COUNT];

typedef struct {
  CcFrame frame;
  CcFrameLayout layout;
  struct {
    guint8 *map; /* memory of a plane, including the inaccessible pages */
    gsize map_length;
    guint8 *area; /* the accessible part of `map` */
    gsize length;
  } plane[CC_MAX_PLANES];
} GuardedFrame;

/* Makes a frame in which all bytes are guard bytes. */
GuardedFrame *guarded_frame_new(const CcFrameLayout *layout, Placement placement);
void guarded_frame_free(GuardedFrame *guarded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GuardedFrame, guarded_frame_free)

/* Returns the first sample of row y of a plane. */
static inline guint8 *
guarded_frame_row(const GuardedFrame *guarded, guint plane, guint y) {
  return guarded->frame.plane[plane].data + (gssize)y * guarded->frame.plane[plane].pitch;
}

/* Draws a pattern. Bits that belong to no pixel are set to random values. These are the low bits of
 * P010 and the unused luma sample of the last macropixel. */
void guarded_frame_draw(GuardedFrame *guarded, Pattern pattern, GRand *rand);

/* Copies the samples of `from` to `guarded`. Both frames must have the same layout. */
void guarded_frame_copy(GuardedFrame *guarded, const GuardedFrame *from);

/* Puts random bits into all samples outside a rectangle of each plane. Rectangles are in groups of
 * samples. */
void guarded_frame_poison(GuardedFrame *guarded, const CcRect *keep, GRand *rand);

/* With AddressSanitizer, lets it report every access outside the rectangle `except` of each plane.
 * Accesses up to 7 bytes left or right of the rectangle are not detected. NULL allows all accesses
 * again. Without AddressSanitizer, does nothing. */
void guarded_frame_forbid(const GuardedFrame *guarded, const CcRect *except);

/* Returns whether all gaps still have the guard value. If not, sets *message to a text that says
 * where a gap has changed. */
gboolean guarded_frame_intact(const GuardedFrame *guarded, gchar **message);

/* Returns a copy of all accessible bytes of all planes, so that tests can compare them before and
 * after a call. */
GBytes *guarded_frame_snapshot(const GuardedFrame *guarded);

/* Returns whether all samples are as expected. If not, sets *message to a text that describes the
 * first wrong sample. Both frames have the layout `layout`. `tolerance` may be NULL. */
gboolean frames_match(const CcFrameLayout *layout, const CcFrame *expected, const CcFrame *got,
                      const OracleTolerance *tolerance, gchar **message);

/* Returns how many samples differ from the expected ones. Only samples for which `tolerance` has a
 * limit are compared, but not angles. Sets *n to the number of compared samples. */
guint64 frames_count_off(const CcFrameLayout *layout, const CcFrame *expected, const CcFrame *got,
                         const OracleTolerance *tolerance, guint64 *n);

G_END_DECLS
