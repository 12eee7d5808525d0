/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs a pipeline to its end, shows its progress, and stops it if a signal arrives. */

#include <gst/video/video.h>

#include "app/progress.h"
#include "input.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *pipeline, *filter; /* set by run_play; not owned */
  const gchar *input, *output;   /* names for messages */
  Progress *progress;            /* NULL: no progress line */
  gboolean quiet;                /* TRUE: print no notes; may be set before run_play */
  gboolean video_only;           /* TRUE: the audio of the input is not used */
  GstClockTime begin, end;       /* part of the input, in ns; end GST_CLOCK_TIME_NONE: no limit */
  guint file_depth;              /* bits per sample in the input file; 0: unknown */
  const Input *sequence;         /* the input, if it is numbered images; set before run_play */

  /* Results, known after run_play. */
  guint64 frames;     /* number of frames that left the filter */
  gint width, height; /* size of the first filtered frame, in pixels */
  GstClockTime last;  /* stream time of the end of the last frame */
  GstClockTime took;  /* nanoseconds from the start of run_play to the end of the stream */
  gchar *backend, *device;
  gchar *codec; /* name of the video codec; set by the caller; NULL for images */
  gchar *audio; /* audio and subtitles, such as "copied AAC"; set by the caller; empty: none */
  gint signal;  /* the last signal that arrived; 0: none */

  /* Private. */
  GstVideoInfo decoded, encoded; /* formats of source and encoder; finfo NULL: unknown */
  gboolean states_length;        /* TRUE: the container of the input states its length */
  GstClockTime stream_end;       /* stream time of the end of the longest stream of the input */
  guint64 images;                /* number of numbered images that were decoded, without a gap */
  GMainLoop *loop;
  GError *error;
  gchar *missing; /* description of the decoders that are not installed */
  gchar *warning; /* the first of the `warnings` about the input */
  guint warnings;
  guint signals[3]; /* GSource ids of the signal handlers */
  guint stopped;    /* seconds since a demuxer stopped, while the source has no pads */
  gboolean live;
  gint64 started;
  GstClockTime length;
  guint64 expected; /* expected number of frames; may be set before run_play; 0: unknown */
} PipelineRun;

/* Handles SIGINT, SIGTERM and SIGHUP until run_clear, so that temporary files can be removed before
 * the process ends. Ignores SIGPIPE. The names and the progress must live as long as `self`. */
void run_init(PipelineRun *self, Progress *progress, const gchar *input, const gchar *output);
void run_clear(PipelineRun *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PipelineRun, run_clear)

/* Sets the input and the part of it that is played. Call it before run_play. The input must live as
 * long as `self`. */
void run_set_part(PipelineRun *self, const Input *input, GstClockTime begin, GstClockTime end);

/* Plays the pipeline until EOS, run_finish, an error or a signal, and then sets the pipeline to
 * NULL. `filter` is the element of the pipeline whose output frames are counted. TRUE at EOS or
 * run_finish. The first signal makes a live source send EOS. Any other signal stops the run; then
 * the result is FALSE without an error, and `signal` is set. FALSE with an error if it failed. */
gboolean run_play(PipelineRun *self, GstElement *pipeline, GstElement *filter, GError **error);

/* Ends the run. Takes ownership of the error. Earlier messages of elements are handled first. May
 * be called from any thread. */
void run_fail(PipelineRun *self, GError *error);

/* Like run_fail, for an input without video that can be decoded. */
void run_fail_without_video(PipelineRun *self);

/* Records when a stream of the input ends. Set `is_video` for the video that is filtered: its
 * format is recorded too, and the run fails if one of several numbered images is not decoded. `pad`
 * is a source pad. Call this function before the first buffer. */
void run_watch_stream(PipelineRun *self, GstPad *pad, gboolean is_video);

/* Records the format of the frames that the encoder gets. run_play uses it for notes about lost
 * bits, alpha and chroma. Call this function before the encoder's first frame. May be called from
 * any thread. */
void run_watch_encoder(PipelineRun *self, GstElement *encoder);

/* FALSE with an error if no frame left the filter. Call it after run_play. */
gboolean run_check_frames(const PipelineRun *self, GError **error);

/* FALSE with an error if the input ended much earlier than its container states. The tolerance is 2
 * percent of the length, but at least 0.5 and at most 5 seconds. Call it after run_play. */
gboolean run_check_length(const PipelineRun *self, GError **error);

/* Returns the signal that ended the run or that arrived after it; 0: none. */
gint run_take_signal(PipelineRun *self);

/* Prints a line for the user that is not an error. May be called from any thread. */
void run_note(PipelineRun *self, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* Ends the run before EOS, without an error. May be called from any thread. */
void run_finish(PipelineRun *self);

G_END_DECLS
