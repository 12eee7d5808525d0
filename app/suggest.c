/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "suggest.h"

#include <string.h>

#define MAX_WORD 64

/* Each row has a word of another program, and the kernel, format, backend or option of this program
 * that is most similar in meaning. */
static const gchar *const synonyms[][2] = {
    {"average", "box"},
    {"begin", "start"},
    {"bgr24", "BGR"},
    {"bitrate", "encoder"},
    {"blur", "gaussian"},
    {"codec", "encoder"},
    {"crf", "encoder"},
    {"duration", "seconds"},
    {"edge", "sobel"},
    {"edges", "sobel"},
    {"fps", "framerate"},
    {"from", "start"},
    {"gauss", "gaussian"},
    {"gbrp", "GBR"},
    {"gpu", "cuda"},
    {"gpu", "backend"},
    {"kernel-size", "size"},
    {"ksize", "size"},
    {"mean", "box"},
    {"offset", "bias"},
    {"p010le", "P010_10LE"},
    {"padding", "border"},
    {"pix_fmt", "format"},
    {"pixel-format", "format"},
    {"quality", "encoder"},
    {"radius", "size"},
    {"rate", "framerate"},
    {"resolution", "frame-size"},
    {"rgb24", "RGB"},
    {"smooth", "gaussian"},
    {"ss", "start"},
    {"to", "end"},
    {"uyvy422", "UYVY"},
    {"yuv420p", "I420"},
    {"yuv420p10le", "I420_10LE"},
    {"yuv422p", "Y42B"},
    {"yuv422p10le", "I422_10LE"},
    {"yuv444p", "Y444"},
    {"yuv444p10le", "Y444_10LE"},
    {"yuyv422", "YUY2"},
};

/* Returns the Levenshtein distance. `a` is in lower case. `b` is compared in lower case. */
static guint
distance(const gchar *a, const gchar *b) {
  const gsize length = strlen(b);
  guint row[MAX_WORD + 1];
  for (gsize i = 0; i <= length; i++)
    row[i] = (guint)i;
  for (guint n = 1; *a; a++, n++) {
    guint diagonal = row[0];
    row[0] = n;
    for (gsize i = 1; i <= length; i++) {
      const guint replaced = diagonal + (*a != g_ascii_tolower(b[i - 1]));
      diagonal = row[i];
      row[i] = MIN(MIN(row[i], row[i - 1]) + 1, replaced);
    }
  }
  return row[length];
}

const gchar *
suggest(const gchar *word, const gchar *const *names) {
  g_autofree gchar *lower = g_ascii_strdown(word, -1);
  const gsize length = strlen(lower);
  const gchar *nearest = NULL;
  /* Words that differ in this number of edits or more are unrelated. */
  guint min = length < 5 ? 2 : length < 7 ? 3 : 4;
  if (length == 0 || length > MAX_WORD)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS(synonyms); i++) {
    if (g_str_equal(lower, synonyms[i][0])) {
      for (const gchar *const *name = names; *name; name++) {
        if (g_str_equal(*name, synonyms[i][1]))
          return *name;
      }
    }
  }
  for (const gchar *const *name = names; *name; name++) {
    const gsize other = strlen(*name);
    const guint edits = other <= MAX_WORD ? distance(lower, *name) : G_MAXUINT;
    if (edits < min && edits < length) {
      min = edits;
      nearest = *name;
    }
  }
  for (const gchar *const *name = names; !nearest && *name; name++) {
    const gsize shorter = MIN(length, strlen(*name));
    if (length >= 3 && g_ascii_strncasecmp(*name, lower, shorter) == 0)
      nearest = *name;
  }
  return nearest;
}

gchar *
suggest_text(const gchar *word, gchar **names) {
  const gchar *meant = names ? suggest(word, (const gchar *const *)names) : NULL;
  return meant ? g_strdup_printf("; perhaps you mean %s", meant) : g_strdup("");
}
