/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Timing, options and lines of JSON, for all benchmark programs. */

#include <glib.h>

G_BEGIN_DECLS

#define BENCH_SKIPPED 77    /* no device */
#define BENCH_USAGE_ERROR 2 /* wrong options */

typedef struct {
  gdouble us;             /* time of a frame: the median of the batches */
  gdouble min_us, max_us; /* time of a frame in the fastest and the slowest batch */
  guint n_batches;
  guint n_frames; /* number of frames in a batch */
} BenchTime;

/* The fields and the values of a BenchTime for bench_print. */
#define BENCH_TIME_FIELDS                                                                          \
  "'us': <%d>, 'least_us': <%d>, 'most_us': <%d>, 'batches': <%u>, 'frames_a_batch': <%u>"
#define BENCH_TIME_VALUES(time)                                                                    \
  (time)->us, (time)->min_us, (time)->max_us, (time)->n_batches, (time)->n_frames

/* Sorts n values. Returns their median, minimum and maximum. The caller sets n_frames. */
BenchTime bench_summarize(gdouble *values, guint n);

/* Runs a batch of frames. Sets *us to the time of the whole batch. */
typedef gboolean (*BenchBatch)(gpointer self, guint n_frames, gdouble *us, GError **error);

/* Runs one batch to warm up. Then times three to nine batches of up to `max_frames` frames. Takes
 * about `budget_ms` in total. */
gboolean bench_time_batches(BenchBatch run, gpointer self, guint max_frames, gdouble budget_ms,
                            BenchTime *time, GError **error);

/* Every call writes the same pseudo-random values. */
void bench_fill_random(guint8 *pixels, gsize bytes);

/* Prints an object as one line of JSON. The arguments are those of g_variant_new_parsed for an
 * a{sv} of strings and numbers. */
void bench_print(const gchar *format, ...);

/* Parses "WIDTHxHEIGHT". */
gboolean bench_parse_size(const gchar *text, guint *width, guint *height, GError **error);

/* Sets CC_ERROR_INVALID and returns FALSE. */
gboolean bench_refuse(GError **error, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* Parses `entries`, and the options --device and --budget if their pointers are not NULL. `entries`
 * may be NULL. The other arguments stay in argv. `syntax` describes them in messages. */
gboolean bench_parse_options(int *argc, char ***argv, const GOptionEntry *entries,
                             const gchar *syntax, const gchar *summary, gint *device_id,
                             gdouble *budget_ms, GError **error);

/* Prints the error and returns the status. */
int bench_fail(const GError *error, int status);

G_END_DECLS
