/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convert.h"
#include "picture.h"

gboolean
convert(GstElement *filter, const Input *input, Output *output, const ConvertOptions *options,
        Work *work, FilmReport *report, GError **error) {
  if (output->media->kind == MEDIA_FILM) {
    const FilmOptions wanted = {options->encoder, options->lossless, options->start, options->end,
                                options->rate};
    if (!output_begin(output, error) ||
        !film_make(filter, input, output, &wanted, work, report, error) ||
        !input_check_unchanged(input, error))
      return FALSE;
    g_autoptr(GError) cut_off = NULL;
    if (work_check_length(work, &cut_off))
      return output_commit(output, error);
    g_autofree gchar *kept = output_keep_incomplete(output, error);
    if (kept)
      g_set_error(error, cut_off->domain, cut_off->code, "%s; what there is of it is in %s",
                  cut_off->message, kept);
    return FALSE;
  }
  const PictureOptions wanted = {options->encoder, options->lossless, options->start, options->end,
                                 options->rate};
  if (!picture_make(filter, input, output, &wanted, work, error))
    return FALSE;
  g_autoptr(GError) cut_off = NULL;
  if (!output->pictures || work_check_length(work, &cut_off))
    return TRUE;
  g_set_error(error, cut_off->domain, cut_off->code,
              "%s; the %" G_GUINT64_FORMAT " images that there are of it stay", cut_off->message,
              work->frames);
  return FALSE;
}
