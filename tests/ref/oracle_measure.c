/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle_measure.h"

#include "tests/ref/oracle.h"
#include "tests/ref/oracle_compose.h"
#include "tests/ref/oracle_samples.h"

/* Finds the samples that are measured: luma, grey, or the luma of R, G and B. */
static Kind
find_kind(const CcFrameLayout *layout) {
  Kind kind = {.n_offsets = 1, .role = CC_ROLE_LUMA};
  if (oracle_find_role(layout, CC_ROLE_RED, &kind.offset[0])) {
    kind.role = CC_ROLE_RED;
    kind.n_offsets = 3;
    g_assert_true(oracle_find_role(layout, CC_ROLE_GREEN, &kind.offset[1]));
    g_assert_true(oracle_find_role(layout, CC_ROLE_BLUE, &kind.offset[2]));
  } else if (!oracle_find_role(layout, CC_ROLE_LUMA, &kind.offset[0])) {
    kind.role = CC_ROLE_GREY;
    g_assert_true(oracle_find_role(layout, CC_ROLE_GREY, &kind.offset[0]));
  }
  kind.layout = &layout->plane[kind.offset[0].plane];
  return kind;
}

void
oracle_measure(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
               const CcFrame *filtered, CcMeasured *figures) {
  const CcFrameLayout out = oracle_out_layout(filter, layout);
  const Kind kind = find_kind(&out);
  const CcPlaneLayout *plane = &layout->plane[kind.offset[0].plane];
  CcRect source, target;
  oracle_regions_of_size(filter, roi, layout, plane->width, plane->height, &source, &target);
  const Field field = oracle_read_field(&kind, filtered, &target);
  const gint64 unit = 1 << (plane->depth - 8);
  const gboolean limited = kind.role == CC_ROLE_LUMA && layout->limited_range;
  const gint64 black = limited ? 16 * unit : 0, white = limited ? 235 * unit : 256 * unit - 1;
  for (gsize i = 0; i < (gsize)field.width * field.height; i++) {
    const gint64 code = field.word[i] >> plane->shift;
    figures->n += 1;
    figures->sum += (guint64)code;
    figures->squares += (guint64)(code * code);
    figures->largest = MAX(figures->largest, (guint64)code);
    if (filter->threshold > 0 && code >= oracle_limit(filter->threshold, black, white))
      figures->n_above += 1;
    if (code <= black)
      figures->n_black += 1;
    if (code >= white)
      figures->n_white += 1;
    figures->bin[code / unit] += 1;
  }
  g_free(field.word);
}
