/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs a pipeline to its end, shows its progress, and stops it when a signal arrives. */

#include <gst/video/video.h>

#include "app/progress.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *pipeline, *filter; /* while it runs */
  const gchar *input, *output;   /* their names, for messages */
  Progress *progress;            /* NULL: it is not shown */
  gboolean quiet;                /* no notes; may be set before the run */
  gboolean video_only;           /* audio of the input is not wanted */
  GstClockTime begin, end;       /* the part of the input that is wanted; end: NONE: all of it */
  guint file_depth;              /* bits of the samples in the file; 0: nobody knows */

  /* What is known afterwards. */
  guint64 frames;     /* that left the filter */
  gint width, height; /* of the first of them */
  GstClockTime last;  /* time at the end of the last one */
  GstClockTime took;  /* from the first frame to the end of the stream */
  gchar *backend, *device;
  gchar *codec; /* of the video that was written; NULL: images were. Set by who wrote it */
  gchar *audio; /* audio and subtitles, as "copied AAC"; empty: there were none. As `codec` */
  gint signal;  /* that ended it early; 0: none did */

  /* Private. */
  GstVideoInfo decoded, encoded; /* formats of frames from the source and for the encoder; of no
                                  * known format before */
  gboolean states_length;        /* the input's container has its length, and does not guess it */
  GstClockTime stream_end;       /* time at the end of the longest stream of the input */
  GMainLoop *loop;
  GError *error;
  gchar *missing;   /* decoders that are not installed */
  gchar *warning;   /* the first about the input */
  guint warnings;   /* about the input */
  guint signals[3]; /* sources of the main context */
  guint stopped;    /* seconds for which the source did nothing before its start */
  gboolean live;
  gint64 started;
  GstClockTime length;
  guint64 expected; /* frames, where only their number is known; may be set before */
} PipelineRun;

/* From here until it is cleared, SIGINT, SIGTERM and SIGHUP do not end the process, so that what
 * was begun can be removed; SIGPIPE is ignored. The names and the progress have to live as long. */
void run_init(PipelineRun *self, Progress *progress, const gchar *input, const gchar *output);
void run_clear(PipelineRun *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PipelineRun, run_clear)

/* Plays the pipeline, of which `filter` is an element, until the end of its stream, an error or a
 * signal, and sets it to NULL. TRUE at the end of the stream. A first SIGINT or SIGTERM ends the
 * stream of a live source. FALSE without an error when a signal stopped it, which `signal` tells.
 */
gboolean run_play(PipelineRun *self, GstElement *pipeline, GstElement *filter, GError **error);

/* Ends the running work with an error, from any thread. It takes the error. What elements have said
 * before comes first. */
void run_fail(PipelineRun *self, GError *error);

/* Ends the running work because its input has no video that can be decoded. For any thread. */
void run_fail_without_video(PipelineRun *self);

/* Looks at a stream of the input, from a pad of the source, before its first buffer: its end, and
 * the format of its frames if it is the video that is filtered. */
void run_watch_stream(PipelineRun *self, GstPad *pad, gboolean is_video);

/* Looks at the frames that an encoder gets, so that a line in the end says what they have lost of
 * those of the input: bits, alpha, chroma. Before the encoder's first frame, from any thread. */
void run_watch_encoder(PipelineRun *self, GstElement *encoder);

/* FALSE with an error if the input ended much earlier than its container says, after run_play.
 * Half a second or 2 % may be missing, but no more than 5 seconds. */
gboolean run_check_length(const PipelineRun *self, GError **error);

/* The signal that ended the work, or came when nothing was running any more; 0: none. */
gint run_take_signal(PipelineRun *self);

/* A line about what the user ought to know, not an error. For any thread. */
void run_note(PipelineRun *self, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* The end of what was wanted has come before that of the stream. For any thread. */
void run_finish(PipelineRun *self);

G_END_DECLS
