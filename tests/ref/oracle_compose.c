/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle_compose.h"

#include "tests/ref/oracle.h"
#include "tests/ref/oracle_samples.h"

#include <math.h>

/* A component of the frame. */
typedef struct {
  Kind in, out; /* in the input and the output */
  CcRect source, target;
  gint lo, hi;
} Component;

typedef struct {
  const CcFilter *filter;
  const CcRoi *roi;
  const CcFrameLayout *layout;
  CcFrameLayout out_layout;
  const CcFrame *src, *dst;
  guint n;
  Component component[CC_MAX_PLANES * CC_MAX_COMPONENTS];
} Frame;

static gboolean
is_chroma(CcRole role) {
  return role == CC_ROLE_CB || role == CC_ROLE_CR;
}

static gboolean
is_bright(CcRole role) {
  return role == CC_ROLE_GREY || role == CC_ROLE_LUMA || role == CC_ROLE_RED ||
         role == CC_ROLE_GREEN || role == CC_ROLE_BLUE;
}

static gdouble
mix_of(const CcFilter *filter) {
  return filter->mixes ? filter->mix : 1;
}

gboolean
oracle_composes(const CcFilter *filter) {
  return filter->threshold > 0 || filter->invert || mix_of(filter) != 1 || filter->overlay != 0;
}

CcFilter
oracle_without_compose(const CcFilter *filter) {
  CcFilter plain = *filter;
  plain.threshold = plain.mix = 0;
  plain.invert = plain.mixes = FALSE;
  plain.overlay = 0;
  plain.measure = CC_MEASURE_OFF;
  return plain;
}

static void
find_components(Frame *frame) {
  for (guint p = 0; p < frame->layout->n_planes; p++)
    for (guint c = 0; c < frame->layout->plane[p].step; c++) {
      const CcPlaneLayout *plane = &frame->layout->plane[p];
      CcRole role = plane->role[c];
      gboolean two = plane->has_macropixels && role == CC_ROLE_LUMA;
      if (two && c >= 2)
        continue;
      Component *component = &frame->component[frame->n++];
      component->in = (Kind){plane, role, 1, {{p, c, two}}};
      component->out = (Kind){&frame->out_layout.plane[p], role, 1, {{p, c, two}}};
      guint width = two ? plane->width : cc_plane_groups(plane);
      oracle_regions_of_size(frame->filter, frame->roi, frame->layout, width, plane->height,
                             &component->source, &component->target);
      gint unit = 1 << (plane->depth - 8);
      gboolean limited = role == CC_ROLE_LUMA && frame->layout->limited_range;
      component->lo = limited ? 16 * unit : 0;
      component->hi = limited ? 235 * unit : 256 * unit - 1;
    }
}

static const Component *
find_role(const Frame *frame, CcRole role) {
  for (guint i = 0; i < frame->n; i++)
    if (frame->component[i].in.role == role)
      return &frame->component[i];
  return NULL;
}

/* --- samples --- */

static Field
read_result(const Frame *frame, const Component *component) {
  return oracle_read_field(&component->out, frame->dst, &component->target);
}

static void
write_result(const Frame *frame, const Component *component, const Field *field) {
  guint plane = component->out.offset[0].plane;
  oracle_write_field(&component->out, field, frame->dst, &component->target,
                     frame->out_layout.plane[plane].width);
}

/* Sets every sample of a component to what `make` returns for the code values of the result and of
 * the source, and for its position. */
static void
change(const Frame *frame, const Component *component,
       gint64 (*make)(const Frame *frame, const Component *component, gint64 r, gint64 s, guint x,
                      guint y, gpointer data),
       gpointer data) {
  const CcPlaneLayout *plane = component->in.layout;
  guint stride = MAX(frame->filter->stride, 1);
  const Field from = oracle_read_field(&component->in, frame->src, &component->source);
  const Field to = read_result(frame, component);
  for (guint y = 0; y < to.height; y++)
    for (guint x = 0; x < to.width; x++) {
      guint *word = &to.word[(gsize)y * to.width + x];
      gint64 s = from.word[(gsize)y * stride * from.width + x * stride] >> plane->shift;
      *word = (guint)make(frame, component, *word >> plane->shift, s, x, y, data) << plane->shift;
    }
  write_result(frame, component, &to);
  g_free(from.word);
  g_free(to.word);
}

/* --- threshold, invert, mix --- */

gint64
oracle_limit(gdouble threshold, gint64 lo, gint64 hi) {
  enum { DECIMAL = 10000 };
  gint64 n = llround(threshold * DECIMAL), range = hi - lo;
  if (fabs(threshold * DECIMAL - (gdouble)n) < 1e-9)
    return lo + (n * range + DECIMAL - 1) / DECIMAL;
  return lo + (gint64)ceill((long double)threshold * range);
}

static gint64
set_point(const Frame *frame, const Component *component, gint64 r, gint64 s, guint x, guint y,
          gpointer data) {
  const CcFilter *filter = frame->filter;
  gint64 lo = component->lo, hi = component->hi;
  if (is_chroma(component->in.role))
    return 1 << (component->in.layout->depth - 1);
  if (filter->threshold > 0)
    r = r >= oracle_limit(filter->threshold, lo, hi) ? hi : lo;
  if (filter->invert)
    r = CLAMP(lo + hi - r, 0, (1 << component->in.layout->depth) - 1);
  return r;
}

static gint64
factor_of(const Frame *frame) {
  return (gint64)floor(256 * mix_of(frame->filter) + 0.5);
}

static gint64
divide_down(gint64 n, gint64 by) {
  return n >= 0 ? n / by : -((-n + by - 1) / by);
}

static gint64
set_mix(const Frame *frame, const Component *component, gint64 r, gint64 s, guint x, guint y,
        gpointer data) {
  gint64 v = s + divide_down(factor_of(frame) * (r - s) + 128, 256);
  return CLAMP(v, 0, (1 << component->in.layout->depth) - 1);
}

/* Alpha and padding that are copied or set stay as they are, and so does chroma that is copied. */
static gboolean
is_mixed(const Frame *frame, CcRole role) {
  const CcFilter *filter = frame->filter;
  if (is_chroma(role))
    return oracle_chroma(filter) != CC_CHROMA_COPY || filter->threshold > 0;
  return is_bright(role) || (role == CC_ROLE_ALPHA && (filter->alpha == CC_ALPHA_FILTER ||
                                                       filter->alpha == CC_ALPHA_WEIGHTED));
}

/* --- overlay --- */

/* The strengths of all pixels of the target, and the color's code values. */
typedef struct {
  CcRect rect;         /* of the pixels */
  guint width, height; /* pixels of the input frame */
  gint64 *q;
  gint64 range, strength;
  gint64 color[CC_ROLE_PADDING + 1]; /* by role */
} Overlay;

static gint64
round_code(long double value, gint64 max) {
  return CLAMP((gint64)floorl(value + 0.5L + 1e-9L), 0, max);
}

static void
convert_color(Overlay *overlay, const Frame *frame, guint depth) {
  guint argb = frame->filter->overlay;
  const CcFrameLayout *layout = frame->layout;
  long double r = (argb >> 16 & 255) / 255.0L, g = (argb >> 8 & 255) / 255.0L,
              b = (argb & 255) / 255.0L;
  gboolean known = layout->kr > 0 && layout->kb > 0;
  long double kr = known ? layout->kr : 0.299L, kb = known ? layout->kb : 0.114L;
  long double luma = kr * r + (1 - kr - kb) * g + kb * b;
  long double cb = (b - luma) / (2 - 2 * kb), cr = (r - luma) / (2 - 2 * kr);
  gint64 max = (1 << depth) - 1, unit = 1 << (depth - 8), mid = 128 * unit;
  gboolean limited = layout->limited_range;
  overlay->color[CC_ROLE_RED] = round_code(r * max, max);
  overlay->color[CC_ROLE_GREEN] = round_code(g * max, max);
  overlay->color[CC_ROLE_BLUE] = round_code(b * max, max);
  overlay->color[CC_ROLE_GREY] = round_code(luma * max, max);
  overlay->color[CC_ROLE_LUMA] = round_code(limited ? (16 + 219 * luma) * unit : luma * max, max);
  overlay->color[CC_ROLE_CB] = round_code(mid + cb * (limited ? 224 * unit : max), max);
  overlay->color[CC_ROLE_CR] = round_code(mid + cr * (limited ? 224 * unit : max), max);
}

static void
find_strengths(Overlay *overlay, const Frame *frame) {
  const Component *red = find_role(frame, CC_ROLE_RED);
  const Component *one = red                              ? red
                         : find_role(frame, CC_ROLE_LUMA) ? find_role(frame, CC_ROLE_LUMA)
                                                          : find_role(frame, CC_ROLE_GREY);
  Kind kind = one->out;
  if (red) {
    kind.n_offsets = 3;
    kind.offset[1] = find_role(frame, CC_ROLE_GREEN)->out.offset[0];
    kind.offset[2] = find_role(frame, CC_ROLE_BLUE)->out.offset[0];
  }
  const Field field = oracle_read_field(&kind, frame->dst, &one->target);
  overlay->rect = one->target;
  overlay->width = one->in.layout->width;
  overlay->height = one->in.layout->height;
  overlay->range = one->hi - one->lo;
  overlay->q = g_new(gint64, (gsize)field.width * field.height);
  for (gsize i = 0; i < (gsize)field.width * field.height; i++)
    overlay->q[i] =
        CLAMP((gint64)(field.word[i] >> kind.layout->shift), one->lo, one->hi) - one->lo;
  convert_color(overlay, frame, kind.layout->depth);
  g_free(field.word);
}

/* Returns how many pixels a sample covers, if `n` samples cover `size` pixels. */
static guint
pixels_of_sample(guint size, guint n) {
  guint each = 1;
  while ((size + each - 1) / each > n)
    each *= 2;
  return each;
}

static gint64
set_overlay(const Frame *frame, const Component *component, gint64 r, gint64 s, guint x, guint y,
            gpointer data) {
  const Overlay *overlay = data;
  const CcRect *rect = &overlay->rect;
  const CcPlaneLayout *plane = component->in.layout;
  guint width = component->in.offset[0].two ? plane->width : cc_plane_groups(plane);
  guint across = pixels_of_sample(overlay->width, width);
  guint down = pixels_of_sample(overlay->height, plane->height);
  gint64 left = (component->target.x + x) * across, top = (component->target.y + y) * down;
  gint64 sum = 0, n = 0;
  for (gint64 j = MAX(top, rect->y); j < MIN(top + down, rect->y + rect->height); j++)
    for (gint64 i = MAX(left, rect->x); i < MIN(left + across, rect->x + rect->width); i++, n++)
      sum += overlay->q[(j - rect->y) * rect->width + (i - rect->x)];
  gint64 q = n ? (2 * sum + n) / (2 * n) : 0;
  gint64 a = frame->filter->overlay >> 24,
         weight = q * a * CLAMP(factor_of(frame), 0, 256) / overlay->range;
  return s + divide_down(weight * (overlay->color[component->in.role] - s) + 32640, 65280);
}

void
oracle_compose(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
               const CcFrame *src, const CcFrame *dst) {
  Frame frame = {.filter = filter,
                 .roi = roi,
                 .layout = layout,
                 .out_layout = oracle_out_layout(filter, layout),
                 .src = src,
                 .dst = dst};
  find_components(&frame);
  for (guint i = 0; i < frame.n; i++) {
    const Component *component = &frame.component[i];
    CcRole role = component->in.role;
    if (is_bright(role) ? filter->threshold > 0 || filter->invert
                        : is_chroma(role) && filter->threshold > 0)
      change(&frame, component, set_point, NULL);
    if (!filter->overlay && factor_of(&frame) != 256 && is_mixed(&frame, role))
      change(&frame, component, set_mix, NULL);
  }
  if (!filter->overlay)
    return;
  Overlay overlay = {0};
  find_strengths(&overlay, &frame);
  for (guint i = 0; i < frame.n; i++)
    if (is_bright(frame.component[i].in.role) || is_chroma(frame.component[i].in.role))
      change(&frame, &frame.component[i], set_overlay, &overlay);
  g_free(overlay.q);
}
