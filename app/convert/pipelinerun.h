/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs a pipeline to its end, shows its progress, and stops it if a signal arrives. */

#include <gst/video/video.h>

#include "app/progress.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *pipeline, *filter; /* set by run_play; not owned */
  const gchar *input, *output;   /* their names, for messages */
  Progress *progress;            /* NULL: not shown */
  gboolean quiet;                /* print no notes; may be set before the run */
  gboolean video_only;           /* audio of the input is not used */
  GstClockTime begin, end;       /* the part of the input; end GST_CLOCK_TIME_NONE: up to its end */
  guint file_depth;              /* bits per sample in the file; 0: unknown */

  /* Results, known after run_play. */
  guint64 frames;     /* that left the filter */
  gint width, height; /* of the first frame */
  GstClockTime last;  /* time at the end of the last frame */
  GstClockTime took;  /* elapsed time of run_play, until the end of the stream */
  gchar *backend, *device;
  gchar *codec; /* of the video that was written; set by its writer; NULL for images */
  gchar *audio; /* audio and subtitles, such as "copied AAC"; set like `codec`; empty: none */
  gint signal;  /* the signal that ended the run early; 0: none */

  /* Private. */
  GstVideoInfo decoded, encoded; /* formats of the source's and the encoder's frames; finfo is NULL
                                  * before they are known */
  gboolean states_length;        /* the input's container states its length */
  GstClockTime stream_end;       /* time at the end of the longest stream of the input */
  GMainLoop *loop;
  GError *error;
  gchar *missing;   /* description of the decoders that are not installed */
  gchar *warning;   /* the first warning about the input */
  guint warnings;   /* number of warnings about the input */
  guint signals[3]; /* GSource ids of the signal handlers */
  guint stopped;    /* seconds since the source stopped without output */
  gboolean live;
  gint64 started;
  GstClockTime length;
  guint64 expected; /* number of frames; may be set before the run; 0: unknown */
} PipelineRun;

/* Handles SIGINT, SIGTERM and SIGHUP until run_clear, so that temporary files can be removed before
 * the process ends. Ignores SIGPIPE. The names and the progress must live as long as `self`. */
void run_init(PipelineRun *self, Progress *progress, const gchar *input, const gchar *output);
void run_clear(PipelineRun *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PipelineRun, run_clear)

/* Plays the pipeline until EOS, an error or a signal, and sets it to NULL. `filter` is an element
 * of the pipeline. TRUE at EOS. The first signal makes a live source end its stream with EOS. FALSE
 * without an error if a signal stopped the run; the signal is in `signal`. */
gboolean run_play(PipelineRun *self, GstElement *pipeline, GstElement *filter, GError **error);

/* Ends the run with an error. Takes the error. Earlier messages of elements are handled first. May
 * be called from any thread. */
void run_fail(PipelineRun *self, GError *error);

/* Ends the run with the error that the input has no video that can be decoded. May be called from
 * any thread. */
void run_fail_without_video(PipelineRun *self);

/* Records the end of a stream of the input. With `is_video`, for the filtered video, also its
 * format. `pad` is a source pad; call it before the first buffer. */
void run_watch_stream(PipelineRun *self, GstPad *pad, gboolean is_video);

/* Records the format of the encoder's frames. After the run, notes report lost bits, alpha and
 * chroma. Call it before the encoder's first frame. May be called from any thread. */
void run_watch_encoder(PipelineRun *self, GstElement *encoder);

/* Call it after run_play. FALSE with an error if the input ended much earlier than its container
 * states. 2 % of the length may be missing, but at least 0.5 and at most 5 seconds. */
gboolean run_check_length(const PipelineRun *self, GError **error);

/* Returns the signal that ended the run or that arrived after it; 0: none. */
gint run_take_signal(PipelineRun *self);

/* Prints a line for the user that is not an error. May be called from any thread. */
void run_note(PipelineRun *self, const gchar *format, ...) G_GNUC_PRINTF(2, 3);

/* Ends the run before EOS, without an error. May be called from any thread. */
void run_finish(PipelineRun *self);

G_END_DECLS
