/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs a pipeline to its end, tells how far it is, and stops it when a signal asks for that. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *pipeline, *filter;
  const gchar *input, *output; /* their names, for messages */
  gboolean quiet;              /* nothing is said but errors */
  gdouble seconds;             /* of a live source, after which the stream ends; 0: none */

  /* What is known afterwards. */
  guint64 frames;           /* that left the filter */
  gint width, height;       /* of the first of them */
  GstClockTime first, last; /* presentation times of the first and the end of the last one */
  GstClockTime took;        /* from the first frame to the end of the stream */
  gchar *backend, *device;
  gint signal; /* that ended it early; 0: none did */

  /* Private. */
  GMainLoop *loop;
  GError *error;
  gchar *missing; /* a decoder that is not installed */
  gboolean live, terminal, told;
  gint64 started;
  GstClockTime length;
  guint64 expected; /* frames, where only their number is known; may be set before */
} Job;

/* `filter` is an element of the pipeline. Both have to live until the job has run. What is `quiet`
 * stays that. */
void job_init(Job *self, GstElement *pipeline, GstElement *filter, const gchar *input,
              const gchar *output);
void job_clear(Job *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Job, job_clear)

/* Plays the pipeline until the end of its stream, an error or a signal, and sets it to NULL. TRUE
 * at the end of the stream. A first SIGINT or SIGTERM ends the stream of a live source. FALSE
 * without an error when a signal stopped it, which `signal` tells. */
gboolean job_run(Job *self, GError **error);

/* Ends the job with an error, from any thread. It takes the error. */
void job_fail(Job *self, GError *error);

/* A line about what the user ought to know, not an error. For any thread. */
void job_note(Job *self, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* The end of what was wanted has come before that of the stream. For any thread. */
void job_finish(Job *self);

G_END_DECLS
