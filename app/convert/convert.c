/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convert.h"
#include "film.h"
#include "picture.h"

/* Whether there was a frame to filter. */
static gboolean
check_frames(const ConvertOptions *options, const PipelineRun *run, GError **error) {
  if (run->frames > 0)
    return TRUE;
  if (options->start > 0)
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                "%s: it has no frame at %g seconds", run->input,
                (gdouble)options->start / GST_SECOND);
  else
    g_set_error(error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
                "%s: no frame of its video could be read", run->input);
  return FALSE;
}

gboolean
convert(GstElement *filter, const Input *input, Output *output, const ConvertOptions *options,
        PipelineRun *run, ConvertReport *report, GError **error) {
  g_autoptr(GError) cut_off = NULL;
  run->begin = options->start;
  run->end = options->end;
  run->file_depth = input->tiff_depth;
  if (input->sequence && options->start == 0 && !GST_CLOCK_TIME_IS_VALID(options->end))
    run->expected = input->last - input->first + 1;
  else if (output->media->kind == MEDIA_IMAGE && !output->sequence)
    run->expected = 1;
  if (output->media->kind == MEDIA_IMAGE) {
    if (!image_make(filter, input, output, options, run, error) ||
        !check_frames(options, run, error))
      return FALSE;
    if (!output->sequence || run_check_length(run, &cut_off))
      return TRUE;
    g_set_error(error, cut_off->domain, cut_off->code,
                "%s; the %" G_GUINT64_FORMAT " images that there are of it stay", cut_off->message,
                run->frames);
    return FALSE;
  }
  if (!output_begin(output, error) ||
      !video_file_make(filter, input, output, options, run, report, error) ||
      !check_frames(options, run, error) || !input_check_unchanged(input, error))
    return FALSE;
  if (run_check_length(run, &cut_off))
    return output_commit(output, error);
  g_autoptr(GError) why = NULL;
  g_autofree gchar *kept = output_keep_incomplete(output, &why);
  g_set_error(error, cut_off->domain, cut_off->code, "%s; %s%s", cut_off->message,
              kept ? "what there is of it is in " : "", kept ? kept : why->message);
  return FALSE;
}
