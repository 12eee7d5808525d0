/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a file is made of another one with, and what is known of it afterwards. */

#include "input.h"
#include "output.h"
#include "pipelinerun.h"

G_BEGIN_DECLS

typedef struct {
  const gchar *encoder; /* of the video, as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless;
  GstClockTime start, end; /* of the input; one image is the frame that is shown at the start;
                            * end: GST_CLOCK_TIME_NONE: all of it */
  const gchar *rate;       /* of numbered images that are read, as "25/1" */
} ConvertOptions;

typedef struct {
  gchar *codec; /* of its video, for people; NULL: it has none */
  gchar *audio; /* what became of the audio and subtitles; empty: there were none */
} ConvertReport;

static inline void
convert_report_clear(ConvertReport *self) {
  g_clear_pointer(&self->codec, g_free);
  g_clear_pointer(&self->audio, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConvertReport, convert_report_clear)

G_END_DECLS
