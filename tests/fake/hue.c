/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the kernels that paint direction as hue compute. The luma of all pixels of a source is
 * worked out first, then for each sample the sum of its pixels' gradients, in 64 bits. */

#include "cuda/stages/direction_color.h"

#include <string.h>
#include "launch.h"

/* A sample of a frame: number i of row y, among those that begin at `first` and are so far apart.
 */
static guint8 *
sample_of(const CcPart *part, guint64 address, gint pitch, gint first, gint spacing, gint i,
          gint y) {
  return (guint8 *)address + (gint64)y * pitch + (first + (gint64)i * spacing) * part->sample_bytes;
}

static guint
luma_of_pixel(const CcPart *part, const CcHuePart *own, gint x, gint y) {
  guint code[3] = {0};
  for (gint i = 0; i < own->n_src; i++) {
    const guint8 *at = sample_of(part, own->src[i], own->src_pitch[i], own->src_first[i],
                                 own->src_spacing[i], x, y);
    code[i] = (part->sample_bytes == 1 ? at[0] : at[0] | (guint)at[1] << 8) >> part->shift;
  }
  return own->n_src == 3 ? cc_luma_of(code[0], code[1], code[2]) : code[0];
}

/* The luma of all pixels of the source. */
static gint *
read_luma(const CcPart *part, const CcHuePart *own) {
  gint *luma = g_new(gint, (gsize)part->src_width * (gsize)part->src_height);
  for (gint y = 0; y < part->src_height; y++)
    for (gint x = 0; x < part->src_width; x++)
      luma[y * part->src_width + x] = (gint)luma_of_pixel(part, own, x, y);
  return luma;
}

/* The sum of matrix m over the window around pixel (x, y). */
static gint64
sum_at(const CcLaunch *l, const CcPart *part, const gint *luma, gint m, gint x, gint y) {
  gint64 sum = 0;
  for (gint j = 0; j < l->window_height; j++)
    for (gint i = 0; i < l->window_width; i++) {
      const gint column = cc_border_index(x + i - l->window_width / 2, part->src_width, l->border);
      const gint row = cc_border_index(y + j - l->window_height / 2, part->src_height, l->border);
      const gint64 code =
          column < 0 || row < 0 ? part->border_code[0] : luma[row * part->src_width + column];
      sum += code * l->tap[(m * l->window_height + j) * l->window_width + i].i;
    }
  return sum;
}

static guint16
word_of_hue(const CcLaunch *launch, guint component, gint index) {
  guint16 word;
  memcpy(&word, (const guint8 *)launch->memory_taps + 2 * (component * CC_HUE_INDICES) + 2 * index,
         sizeof word);
  return word;
}

static void
store_hue(const CcLaunch *launch, const CcPart *part, gint x, gint y, gint index) {
  const CcHuePart *own = CC_OWN(const CcHuePart, part);
  for (gint i = 0; i < own->n_dst; i++) {
    const guint16 word = word_of_hue(launch, own->component[i], index);
    gint copies = 1;
    if (own->component[i] == 0 && x + 1 == part->width)
      copies += own->repeats;
    for (gint k = 0; k < copies; k++) {
      guint8 *at = sample_of(part, own->dst[i], own->dst_pitch[i], own->dst_first[i],
                             own->dst_spacing[i], x + k, y);
      at[0] = (guint8)word;
      if (part->sample_bytes == 2)
        at[1] = (guint8)(word >> 8);
    }
  }
}

/* What lies beside sample (x, y) of the first field. */
static void
store_aside(const CcLaunch *launch, const CcPart *part, gint x, gint y) {
  const CcHuePart *own = CC_OWN(const CcHuePart, part);
  guint8 *to =
      sample_of(part, own->dst[0], own->dst_pitch[0], own->aside_first, own->dst_spacing[0], x, y);
  const guint8 *from = sample_of(part, own->src[0], own->src_pitch[0], own->aside_first,
                                 own->src_spacing[0], launch->stride * x, launch->stride * y);
  const guint8 fill[] = {(guint8)part->fill[0], (guint8)(part->fill[0] >> 8)};
  memcpy(to, own->aside == CC_HUE_ASIDE_COPY ? from : fill, (gsize)part->sample_bytes);
}

static void
run_part(const CcLaunch *launch, const CcPart *part) {
  const CcHuePart *own = CC_OWN(const CcHuePart, part);
  g_autofree gint *luma = read_luma(part, own);
  for (gint y = 0; y < part->height; y++)
    for (gint x = 0; x < part->width; x++) {
      gint64 sum[2] = {0};
      for (gint k = 0; k < own->across * own->down; k++) {
        const gint column = own->left + own->across * launch->stride * x + k % own->across;
        const gint row = own->top + own->down * launch->stride * y + k / own->across;
        if (column < 0 || row < 0 || column >= part->src_width || row >= part->src_height)
          continue;
        for (gint m = 0; m < 2; m++)
          sum[m] += sum_at(launch, part, luma, m, column, row);
      }
      store_hue(launch, part, x, y, cc_hue_of((gfloat)sum[0], (gfloat)sum[1], part->add_f));
      if (own->aside)
        store_aside(launch, part, x, y);
    }
}

void
fake_launch_hue(const CcLaunch *launch) {
  g_assert_cmpint(launch->n_matrices, ==, 2);
  for (gint p = 0; p < launch->n_parts; p++)
    run_part(launch, &launch->part[p]);
}
