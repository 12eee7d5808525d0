/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The progress line, which has the same form in all sub-commands:
 *
 *   edges.mp4: 45 %, 1234 frames, 56 a second, 0:12 left
 *   chunk 2 of 6: 45 %, 45 of 100 files, 8 a second, 0:07 left
 *
 * On a terminal the line replaces the one before. Elsewhere a line is printed every ten seconds. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gdouble share; /* the part of the whole that is done, 0 to 1; negative: unknown */
  guint64 done;
  guint64 total;     /* 0: unknown */
  const gchar *unit; /* such as "frames" */
  gdouble rate;      /* units per second; 0: not known yet */
  gdouble left;      /* seconds until the end; negative: unknown */
} ProgressState;

typedef struct {
  gboolean quiet;
  gchar *label;   /* text before the colon */
  gint64 started; /* when the measurement of the rate began; microseconds of the monotonic clock */
  gboolean is_live; /* TRUE while a line is on the terminal */
  gint64 next;      /* when the next line is due; microseconds of the monotonic clock */
} Progress;

void progress_init(Progress *self, gboolean quiet);
void progress_clear(Progress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Progress, progress_clear)

/* Restarts the measurement of the rate and sets the label, a printf format. */
void progress_start(Progress *self, const gchar *label, ...) G_GNUC_PRINTF(2, 3);

/* Prints a line if the next line is due and `done` is not 0. The rate and the time left are
 * computed from the time since progress_start. A negative `share` is computed from `done` and
 * `total`. `total` is 0 if it is unknown. */
void progress_show(Progress *self, gdouble share, guint64 done, guint64 total, const gchar *unit);

/* Removes the line from the terminal. Call it before other text is printed. */
void progress_hide(Progress *self);

/* Returns the text of the line without the label. Free it. */
gchar *progress_describe(const ProgressState *state);

G_END_DECLS
