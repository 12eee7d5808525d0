/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tap_groups.h"

/* Adds a term of those of the n taps whose coefficient is +-c[first]. */
static void
add_shared_term(CcWeights *weights, const gint32 *c, const CcTapPlace *places, guint n,
                guint first) {
  CcTerm *term = &weights->terms[weights->n_terms++];
  const gint32 factor = c[first]; /* the first tap makes n_plus >= 1 */
  *term = (CcTerm){.factor = factor};
  for (guint i = first; i < n; i++)
    if (c[i] == factor) {
      weights->places[weights->n_taps++] = places[i];
      term->n_plus++;
    }
  for (guint i = first; i < n; i++)
    if (c[i] == -factor) {
      weights->places[weights->n_taps++] = places[i];
      term->n_minus++;
    }
}

static const struct {
  guint digits;
  const gchar *name;
} shapes[CC_N_SHAPES] = {
    [CC_SHAPE_11] = {0x11, "11"},
    [CC_SHAPE_30] = {0x30, "30"},
    [CC_SHAPE_50] = {0x50, "50"},
    [CC_SHAPE_20_10] = {0x2010, "20-10"},
    [CC_SHAPE_11_11] = {0x1111, "11-11"},
    [CC_SHAPE_20_20_10] = {0x202010, "20-20-10"},
    [CC_SHAPE_22_11] = {0x2211, "22-11"},
    [CC_SHAPE_33] = {0x33, "33"},
    [CC_SHAPE_40_10] = {0x4010, "40-10"},
    [CC_SHAPE_80_10] = {0x8010, "80-10"},
    [CC_SHAPE_40_40_10] = {0x404010, "40-40-10"},
    [CC_SHAPE_11_23] = {0x1123, "11-23"},
    [CC_SHAPE_ANY] = {0, "any"},
};

const gchar *
cc_shape_name(CcShape shape) {
  return shapes[shape].name;
}

/* The shape of a weighted sum. */
static CcShape
find_shape(const CcWeights *weights) {
  guint digits = 0;
  if (weights->n_terms > 3)
    return CC_SHAPE_ANY;
  for (guint t = 0; t < weights->n_terms; t++) {
    const CcTerm *term = &weights->terms[t];
    if (term->n_plus > 9 || term->n_minus > 9)
      return CC_SHAPE_ANY;
    digits = digits << 8 | term->n_plus << 4 | term->n_minus;
  }
  for (CcShape shape = 0; shape < CC_SHAPE_ANY; shape++)
    if (shapes[shape].digits == digits)
      return shape;
  return CC_SHAPE_ANY;
}

void
cc_weights_init(CcWeights *weights, const gint32 *c, const CcTapPlace *places, guint n) {
  weights->n_terms = weights->n_taps = 0;
  weights->terms = g_new(CcTerm, n);
  weights->places = g_new(CcTapPlace, n);
  for (guint i = 0; i < n; i++) {
    gboolean seen = c[i] == 0;
    for (guint k = 0; k < i && !seen; k++)
      seen = c[k] == c[i] || c[k] == -c[i];
    if (!seen)
      add_shared_term(weights, c, places, n, i);
  }
  weights->shape = find_shape(weights);
}

void
cc_weights_clear(CcWeights *weights) {
  g_free(weights->terms);
  g_free(weights->places);
}
