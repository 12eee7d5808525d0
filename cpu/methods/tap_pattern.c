/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tap_pattern.h"

/* The group has all taps whose coefficient is c[first] or -c[first]. */
static void
add_group(CcTapGroups *groups, const gint32 *c, const CcTapPosition *offsets, guint n,
          guint first) {
  CcTapGroup *group = &groups->group[groups->n_groups++];
  const gint32 factor = c[first]; /* has the sign of the first tap, so n_plus >= 1 */
  *group = (CcTapGroup){.factor = factor};
  for (guint i = first; i < n; i++)
    if (c[i] == factor) {
      groups->offsets[groups->n_taps++] = offsets[i];
      group->n_plus++;
    }
  for (guint i = first; i < n; i++)
    if (c[i] == -factor) {
      groups->offsets[groups->n_taps++] = offsets[i];
      group->n_minus++;
    }
}

static const struct {
  guint digits;
  const gchar *name;
} patterns[CC_N_PATTERNS] = {
    [CC_PATTERN_11] = {0x11, "11"},
    [CC_PATTERN_30] = {0x30, "30"},
    [CC_PATTERN_50] = {0x50, "50"},
    [CC_PATTERN_20_10] = {0x2010, "20-10"},
    [CC_PATTERN_11_11] = {0x1111, "11-11"},
    [CC_PATTERN_20_20_10] = {0x202010, "20-20-10"},
    [CC_PATTERN_22_11] = {0x2211, "22-11"},
    [CC_PATTERN_33] = {0x33, "33"},
    [CC_PATTERN_40_10] = {0x4010, "40-10"},
    [CC_PATTERN_80_10] = {0x8010, "80-10"},
    [CC_PATTERN_40_40_10] = {0x404010, "40-40-10"},
    [CC_PATTERN_11_23] = {0x1123, "11-23"},
    [CC_PATTERN_ANY] = {0, "any"},
};

const gchar *
cc_tap_pattern_name(CcTapPattern pattern) {
  return patterns[pattern].name;
}

static CcTapPattern
find_pattern(const CcTapGroups *groups) {
  guint digits = 0;
  if (groups->n_groups > 3)
    return CC_PATTERN_ANY;
  for (guint t = 0; t < groups->n_groups; t++) {
    const CcTapGroup *group = &groups->group[t];
    if (group->n_plus > 9 || group->n_minus > 9)
      return CC_PATTERN_ANY;
    digits = digits << 8 | group->n_plus << 4 | group->n_minus;
  }
  for (CcTapPattern pattern = 0; pattern < CC_PATTERN_ANY; pattern++)
    if (patterns[pattern].digits == digits)
      return pattern;
  return CC_PATTERN_ANY;
}

void
cc_tap_groups_init(CcTapGroups *groups, const gint32 *c, const CcTapPosition *offsets, guint n) {
  groups->n_groups = groups->n_taps = 0;
  groups->group = g_new(CcTapGroup, n);
  groups->offsets = g_new(CcTapPosition, n);
  for (guint i = 0; i < n; i++) {
    gboolean seen = c[i] == 0;
    for (guint k = 0; k < i && !seen; k++)
      seen = c[k] == c[i] || c[k] == -c[i];
    if (!seen)
      add_group(groups, c, offsets, n, i);
  }
  groups->pattern = find_pattern(groups);
}

void
cc_tap_groups_clear(CcTapGroups *groups) {
  g_free(groups->group);
  g_free(groups->offsets);
}

static guint
count_nonzero(const gint32 *taps, guint n) {
  guint count = 0;
  for (guint i = 0; i < n; i++)
    count += taps[i] != 0;
  return count;
}

static guint
count_lines(const CcOp *op) {
  guint count = 0;
  for (guint m = 0; m < op->n_matrices; m++)
    count += count_nonzero(op->row_i[m], op->width) + count_nonzero(op->column_i[m], op->height);
  return count;
}

gboolean
cc_prefers_separable(const CcOp *op) {
  if (!op->separable || !op->has_taps)
    return op->separable;
  /* cost of rings, in taps: a ring row of each matrix is written and read */
  const guint of_rings = 2 * op->n_matrices;
  return count_lines(op) + of_rings <
         count_nonzero(op->tap_i, op->n_matrices * op->width * op->height);
}

guint
cc_tap_count(const CcOp *op) {
  return cc_prefers_separable(op)
             ? count_lines(op)
             : count_nonzero(op->tap_i, op->n_matrices * op->width * op->height);
}

#define COST_OF_GROUP 2 /* cost of the multiplication of a group, in additions */

guint
cc_tap_groups_cost(const CcOp *op) {
  /* all 0, because positions do not change the cost */
  static const CcTapPosition offsets[CC_MAX_COEFFS];
  const guint area = op->width * op->height;
  guint cost = 0;
  for (guint m = 0; m < op->n_matrices; m++) {
    CcTapGroups groups;
    cc_tap_groups_init(&groups, op->tap_i + m * area, offsets, area);
    cost += groups.n_taps + COST_OF_GROUP * groups.n_groups;
    cc_tap_groups_clear(&groups);
  }
  return cost;
}
