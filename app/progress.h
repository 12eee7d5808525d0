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
  gdouble share;     /* that is done, 0 to 1; negative: unknown */
  guint64 done;      /* units that are done */
  guint64 total;     /* units; 0: unknown */
  const gchar *unit; /* "frames" */
  gdouble rate;      /* units a second; 0: not known yet */
  gdouble left;      /* seconds; negative: unknown */
} ProgressState;

typedef struct {
  gboolean quiet;   /* nothing is printed */
  gchar *label;     /* in front of the line */
  gint64 started;   /* start of the measurement of the rate, in microseconds (monotonic clock) */
  gboolean is_live; /* the line is on the terminal now */
  gint64 next;      /* time of the next line, in microseconds */
} Progress;

void progress_init(Progress *self, gboolean quiet);
void progress_clear(Progress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Progress, progress_clear)

/* Restarts the measurement of the rate. The label is copied. */
void progress_start(Progress *self, const gchar *label, ...) G_GNUC_PRINTF(2, 3);

/* Prints a line if the next one is due. The rate and the time left are measured from
 * progress_start. */
void progress_show(Progress *self, gdouble share, guint64 done, guint64 total, const gchar *unit);

/* Removes the line from the terminal. Call it before other text is printed. */
void progress_hide(Progress *self);

/* Returns the text of the line without the label. Free it. */
gchar *progress_describe(const ProgressState *state);

G_END_DECLS
