/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Times, options and lines of JSON, for all programs. */

#include <glib.h>

G_BEGIN_DECLS

#define BENCH_SKIPPED 77 /* the exit status when there is no device */
#define BENCH_WRONG 2    /* that of wrong options */

typedef struct {
  gdouble us;                /* a frame's time: the median of the batches */
  gdouble min_us, max_us;    /* the quickest and the slowest batch */
  guint n_batches, n_frames; /* frames of a batch */
} BenchTime;

/* A BenchTime for bench_print. */
#define BENCH_TIME_FIELDS                                                                          \
  "'us': <%d>, 'least_us': <%d>, 'most_us': <%d>, 'batches': <%u>, 'frames_a_batch': <%u>"
#define BENCH_TIME_VALUES(time)                                                                    \
  (time)->us, (time)->min_us, (time)->max_us, (time)->n_batches, (time)->n_frames

/* The median and the extremes of n values, which it sorts. The number of a batch's frames is left
 * to the caller. */
BenchTime bench_summarize(gdouble *values, guint n);

/* Runs a batch of frames; *us is what they took together. */
typedef gboolean (*BenchBatch)(gpointer self, guint n_frames, gdouble *us, GError **error);

/* Times batches of up to `max_frames`, at least three and at most nine, within about the budget,
 * behind one that warms up. */
gboolean bench_time_batches(BenchBatch run, gpointer self, guint max_frames, gdouble budget_ms,
                            BenchTime *time, GError **error);

/* Writes random pixels, the same at every call. */
void bench_fill_random(guint8 *pixels, gsize bytes);

/* Prints an object as one line of JSON. The format and the values are those of
 * g_variant_new_parsed, for an a{sv} of strings and numbers. */
void bench_print(const gchar *format, ...);

/* Reads "WIDTHxHEIGHT". */
gboolean bench_parse_size(const gchar *text, guint *width, guint *height, GError **error);

/* Sets CC_ERROR_INVALID and returns FALSE. */
gboolean bench_refuse(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* Parses `entries`, if any, and the options --device and --budget, unless their pointers are NULL.
 * What is left are arguments, whose form is `words`, which messages show. */
gboolean bench_parse_options(int *argc, char ***argv, const GOptionEntry *entries,
                             const gchar *words, const gchar *summary, gint *device_id,
                             gdouble *budget_ms, GError **error);

/* Prints the error; returns the status. */
int bench_fail(const GError *error, int status);

G_END_DECLS
