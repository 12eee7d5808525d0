/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames in memory that betrays every access outside the samples: pages without access on both
 * sides, and known bytes in all gaps that may be read but not written. */

#include "engine/frame.h"
#include "tests/ref/oracle.h"

G_BEGIN_DECLS

/* How planes lie between the two forbidden pages. */
typedef enum {
  PLACEMENT_AT_END,    /* rows without gaps; the last sample touches the page behind */
  PLACEMENT_AT_START,  /* rows without gaps; the first sample touches the page before */
  PLACEMENT_ALIGNED,   /* rows at multiples of 64 bytes */
  PLACEMENT_ODD,       /* odd start and odd pitch, in samples */
  PLACEMENT_BOTTOM_UP, /* negative pitch, with gaps */
  PLACEMENT_COUNT,
} Placement;

extern const gchar *const placement_names[PLACEMENT_COUNT];

typedef enum {
  PATTERN_RANDOM,
  PATTERN_ZERO,
  PATTERN_MAX,
  PATTERN_CHECKER, /* 0 and the maximum in turn */
  PATTERN_SPIKES,  /* a maximum here and there in black, or the reverse */
  PATTERN_RAMP,
  PATTERN_COUNT,
} Pattern;

extern const gchar *const pattern_names[PATTERN_COUNT];

typedef struct {
  CcFrame frame;
  CcFrameLayout layout;
  struct {
    guint8 *map; /* with the forbidden pages */
    gsize map_length;
    guint8 *area; /* what may be read */
    gsize length;
  } plane[CC_MAX_PLANES];
} GuardedFrame;

/* All bytes hold the guard value. */
GuardedFrame *guarded_frame_new(const CcFrameLayout *layout, Placement placement);
void guarded_frame_free(GuardedFrame *guarded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GuardedFrame, guarded_frame_free)

/* The first sample of row y of a plane. */
static inline guint8 *
guarded_frame_row(const GuardedFrame *guarded, guint plane, guint y) {
  return guarded->frame.plane[plane].data + (gssize)y * guarded->frame.plane[plane].pitch;
}

/* Draws a pattern. What holds no picture is random: the low bits of P010, and the spare luma of an
 * odd width in pairs. */
void guarded_frame_draw(GuardedFrame *guarded, Pattern pattern, GRand *rand);

/* Gives `guarded` the samples of a frame of the same layout. */
void guarded_frame_copy(GuardedFrame *guarded, const GuardedFrame *from);

/* Puts random bits into all samples outside of a rectangle of each plane, in groups of samples. */
void guarded_frame_poison(GuardedFrame *guarded, const CcRect *keep, GRand *rand);

/* Makes AddressSanitizer, where the program is built with it, report every access outside of a
 * rectangle of each plane; up to 7 bytes left and right of it go unseen. NULL allows all again. */
void guarded_frame_forbid(const GuardedFrame *guarded, const CcRect *except);

/* Whether all gaps still hold the guard value; if not, says where. */
gboolean guarded_frame_intact(const GuardedFrame *guarded, gchar **message);

/* All accessible bytes of all planes, for a comparison before and after. */
GBytes *guarded_frame_snapshot(const GuardedFrame *guarded);

/* Whether all samples are as expected; if not, describes the first that is not. `layout` is the
 * frames'; `tolerance` may be NULL. */
gboolean frames_match(const CcFrameLayout *layout, const CcFrame *expected, const CcFrame *got,
                      const OracleTolerance *tolerance, gchar **message);

/* How many samples are not as expected, of the *n that `tolerance` gives a limit, angles aside. */
guint64 frames_count_off(const CcFrameLayout *layout, const CcFrame *expected, const CcFrame *got,
                         const OracleTolerance *tolerance, guint64 *n);

G_END_DECLS
