/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Progress of anything that takes time, in the same words everywhere:
 *
 *   edges.mp4: 45 %, 1234 frames, 56 a second, 0:12 left
 *   piece 2 of 6: 45 %, 45 of 100 files, 8 a second, 0:07 left
 *
 * On a terminal the line replaces itself; elsewhere a line follows every ten seconds. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gdouble share;     /* that is done, 0 to 1; less than 0: nobody knows */
  guint64 done;      /* number of units */
  guint64 total;     /* 0: nobody knows */
  const gchar *unit; /* "frames" */
  gdouble rate;      /* units a second; 0: not known yet */
  gdouble left;      /* seconds; less than 0: nobody knows */
} ProgressState;

typedef struct {
  gboolean quiet;   /* nothing is printed */
  gchar *label;     /* in front of the line */
  gint64 started;   /* of what the rate is counted from, in microseconds of the monotonic clock */
  gboolean is_live; /* the line is on the terminal now */
  gint64 next;      /* time of the next line */
} Progress;

void progress_init(Progress *self, gboolean quiet);
void progress_clear(Progress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Progress, progress_clear)

/* Begins to count anew. The label is copied. */
void progress_start(Progress *self, const gchar *label, ...) G_GNUC_PRINTF(2, 3);

/* Prints a line if it is time for the next one. The rate and the time left are counted from
 * progress_start. */
void progress_show(Progress *self, gdouble share, guint64 done, guint64 total, const gchar *unit);

/* Removes the line from the terminal, so that another text can be printed. */
void progress_hide(Progress *self);

/* The text without a label. Free it. */
gchar *progress_describe(const ProgressState *state);

G_END_DECLS
