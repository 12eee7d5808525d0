/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The part of the oracle for alpha=weighted. */

#include "tests/ref/oracle.h"
#include "tests/ref/oracle_samples.h"

#include <string.h>

/* Two planes of 16-bit samples: one sample for each pixel, and one for each sample of chroma. */
typedef struct {
  CcFrameLayout layout;
  CcFrame frame;
} Planes;

static Planes
planes_new(const CcFrameLayout *frame, const Kind *alpha, const Kind *chroma) {
  Planes self = {0};
  const Kind *kinds[] = {alpha, chroma};
  for (guint p = 0; p < 2 && kinds[p]; p++) {
    CcPlaneLayout *plane = &self.layout.plane[self.layout.n_planes++];
    *plane = (CcPlaneLayout){.width = frame->plane[kinds[p]->offset[0].plane].width,
                             .height = frame->plane[kinds[p]->offset[0].plane].height,
                             .step = 1,
                             .type = CC_SAMPLE_U16,
                             .depth = 16,
                             .role = {p == 0 ? CC_ROLE_GREY : CC_ROLE_CB}};
    self.frame.plane[p].pitch = 2 * (gssize)plane->width;
    self.frame.plane[p].data = g_malloc0((gsize)2 * plane->width * plane->height);
  }
  return self;
}

static void
planes_free(Planes *self) {
  for (guint p = 0; p < self->layout.n_planes; p++)
    g_free(self->frame.plane[p].data);
}

static gboolean
find_kind(const CcFrameLayout *layout, CcRole role, Kind *kind) {
  for (guint p = 0; p < layout->n_planes; p++)
    for (guint c = 0; c < layout->plane[p].step; c++)
      if (layout->plane[p].role[c] == role) {
        *kind = (Kind){&layout->plane[p], role, 1, {{p, c, FALSE}}};
        return TRUE;
      }
  return FALSE;
}

/* The code values of a kind in the whole frame. */
static Field
read_codes(const Kind *kind, const CcFrame *frame) {
  const CcRect whole = {0, 0, kind->layout->width, kind->layout->height};
  const Field field = oracle_read_field(kind, frame, &whole);
  for (gsize i = 0; i < (gsize)field.width * field.height; i++)
    field.word[i] >>= kind->layout->shift;
  return field;
}

/* The mean alpha of the pixels of `rect` that each sample of a plane covers. */
static Field
mean_of_alpha(const Field *alpha, const CcRect *rect, const CcPlaneLayout *plane) {
  const CcRect whole = {0, 0, plane->width, plane->height};
  const Field mean = oracle_field_new(&whole);
  guint across = 1, down = 1;
  while ((alpha->width + across - 1) / across != plane->width)
    across *= 2;
  while ((alpha->height + down - 1) / down != plane->height)
    down *= 2;
  for (guint y = 0; y < mean.height; y++)
    for (guint x = 0; x < mean.width; x++) {
      guint64 sum = 0, n = 0;
      for (guint j = MAX(y * down, rect->y); j < MIN((y + 1) * down, rect->y + rect->height); j++)
        for (guint i = MAX(x * across, rect->x); i < MIN((x + 1) * across, rect->x + rect->width);
             i++, n++)
          sum += alpha->word[j * alpha->width + i];
      mean.word[y * mean.width + x] = n ? (guint)((sum + n / 2) / n) : 0;
    }
  return mean;
}

/* Sets plane p to the products of colors and alphas. `color` NULL: the largest code value. */
static void
set_products(Planes *planes, guint p, const Field *color, const Field *alpha, guint depth) {
  const guint64 max = (1u << depth) - 1, scale = MIN(65535 / max, 255);
  guint8 *to = planes->frame.plane[p].data;
  for (gsize i = 0; i < (gsize)alpha->width * alpha->height; i++) {
    const guint64 c = color ? color->word[i] : max;
    const guint64 product = (scale * c * alpha->word[i] + max / 2) / max;
    to[2 * i] = (guint8)product;
    to[2 * i + 1] = (guint8)(product >> 8);
  }
}

/* The codes of the target of plane p after filtering. */
static Field
read_target(const Planes *planes, const CcFilter *filter, const CcRoi *roi, guint p) {
  const CcPlaneLayout *plane = &planes->layout.plane[p];
  const Kind kind = {plane, plane->role[0], 1, {{p, 0, FALSE}}};
  CcRect source, target;
  oracle_regions(filter, roi, &planes->layout, p, &source, &target);
  return oracle_read_field(&kind, &planes->frame, &target);
}

/* Filters plane 0 with the products of `pixel`, and plane 1 with those of `chroma`. NULL: the
 * products of the largest code value. */
static Planes
filter_products(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                const Kind *alpha_kind, const Kind *pixel, const Kind *chroma_plane,
                const Kind *chroma, const CcFrame *src) {
  CcFilter inner = *filter;
  inner.alpha = CC_ALPHA_COPY;
  inner.color = CC_COLOR_COMPONENTS;
  inner.chroma = CC_CHROMA_FILTER;
  Planes from = planes_new(layout, alpha_kind, chroma_plane);
  const CcFrameLayout out_layout = oracle_out_layout(filter, layout);
  Planes to = planes_new(&out_layout, alpha_kind, chroma_plane);
  const Kind *kinds[] = {pixel, chroma};
  const Field alpha = read_codes(alpha_kind, src);
  CcRect source, target;
  oracle_regions(filter, roi, layout, alpha_kind->offset[0].plane, &source, &target);
  for (guint p = 0; p < from.layout.n_planes; p++) {
    const Field mean = mean_of_alpha(&alpha, &source, &from.layout.plane[p]);
    const Field color = kinds[p] ? read_codes(kinds[p], src) : (Field){0};
    set_products(&from, p, kinds[p] ? &color : NULL, &mean, alpha_kind->layout->depth);
    g_free(mean.word);
    g_free(color.word);
  }
  oracle_filter_unweighted(&inner, roi, &from.layout, &from.frame, &to.frame, NULL);
  to.layout = from.layout; /* read_target shrinks it */
  g_free(alpha.word);
  planes_free(&from);
  return to;
}

/* Writes the quotients of plane p to the components `kind` of the target. Where the divisor is 0,
 * the color is that of the source, `color`. */
static void
write_quotients(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                const Planes *products, const Planes *alphas, guint p, const Kind *color,
                const CcFrame *src, const CcFrame *dst) {
  const CcFrameLayout out_layout = oracle_out_layout(filter, layout);
  const guint64 max = (1u << color->layout->depth) - 1;
  const guint stride = MAX(filter->stride, 1);
  CcRect source, target;
  oracle_regions(filter, roi, layout, color->offset[0].plane, &source, &target);
  const Field numerator = read_target(products, filter, roi, p);
  const Field divisor = read_target(alphas, filter, roi, p);
  const Field from = oracle_read_field(color, src, &source), to = oracle_field_new(&target);
  for (guint y = 0; y < to.height; y++)
    for (guint x = 0; x < to.width; x++) {
      const gsize i = (gsize)y * to.width + x;
      const guint64 d = divisor.word[i];
      const guint64 code = d ? MIN((2 * max * numerator.word[i] + d) / (2 * d), max) : 0;
      to.word[i] = d ? (guint)code << color->layout->shift
                     : from.word[(gsize)y * stride * from.width + x * stride];
    }
  oracle_write_field(color, &to, dst, &target, out_layout.plane[color->offset[0].plane].width);
  g_free(numerator.word);
  g_free(divisor.word);
  g_free(from.word);
  g_free(to.word);
}

/* Replaces the colors of the target in dst, which has the filtered alpha, by weighted ones. */
static void
weigh(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout, gboolean grey,
      const CcFrame *src, const CcFrame *dst) {
  static const CcRole pixels[] = {CC_ROLE_GREY, CC_ROLE_RED, CC_ROLE_GREEN, CC_ROLE_BLUE,
                                  CC_ROLE_LUMA};
  Kind alpha, chroma, kind;
  if (!find_kind(layout, CC_ROLE_ALPHA, &alpha))
    return;
  const gboolean has_chroma =
      oracle_chroma(filter) == CC_CHROMA_FILTER && find_kind(layout, CC_ROLE_CB, &chroma);
  const Kind *chroma_plane = has_chroma ? &chroma : NULL;
  Planes alphas = filter_products(filter, roi, layout, &alpha, NULL, chroma_plane, NULL, src);
  for (guint i = 0; i < G_N_ELEMENTS(pixels); i++) {
    if (!find_kind(layout, pixels[i], &kind))
      continue;
    if (grey && pixels[i] != CC_ROLE_RED)
      continue;
    if (grey) {
      Kind green, blue;
      find_kind(layout, CC_ROLE_GREEN, &green);
      find_kind(layout, CC_ROLE_BLUE, &blue);
      kind =
          (Kind){kind.layout, CC_ROLE_GREY, 3, {kind.offset[0], green.offset[0], blue.offset[0]}};
    }
    Planes products = filter_products(filter, roi, layout, &alpha, &kind, chroma_plane, NULL, src);
    write_quotients(filter, roi, layout, &products, &alphas, 0, &kind, src, dst);
    planes_free(&products);
  }
  for (CcRole role = CC_ROLE_CB; has_chroma && role <= CC_ROLE_CR; role++) {
    find_kind(layout, role, &kind);
    Planes products = filter_products(filter, roi, layout, &alpha, NULL, chroma_plane, &kind, src);
    write_quotients(filter, roi, layout, &products, &alphas, 1, &kind, src, dst);
    planes_free(&products);
  }
  planes_free(&alphas);
}

void
oracle_filter(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
              const CcFrame *src, const CcFrame *dst, OracleTolerance *tolerance) {
  oracle_filter_unweighted(filter, roi, layout, src, dst, tolerance);
  if (filter->alpha == CC_ALPHA_WEIGHTED)
    weigh(filter, roi, layout, oracle_is_grey(filter, layout), src, dst);
}
