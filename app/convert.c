/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "convert.h"
#include "picture.h"

gboolean
convert(GstElement *filter, const Input *input, Output *output, const ConvertOptions *options,
        Work *work, FilmReport *report, GError **error) {
  if (output->media->kind == MEDIA_FILM) {
    const FilmOptions wanted = {options->encoder, options->lossless, options->seconds,
                                options->rate};
    return output_begin(output, error) &&
           film_make(filter, input, output, &wanted, work, report, error) &&
           input_check_unchanged(input, error) && output_commit(output, error);
  }
  const PictureOptions wanted = {options->encoder, options->lossless, options->seconds, options->at,
                                 options->rate};
  return picture_make(filter, input, output, &wanted, work, error);
}
