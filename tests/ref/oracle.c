/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle.h"

#include "tests/ref/oracle_canny.h"
#include "tests/ref/oracle_direction_color.h"
#include "tests/ref/oracle_matrices.h"
#include "tests/ref/oracle_samples.h"

#include <math.h>

__extension__ typedef __int128 int128;

/* The constants that turn the sums of one component into a code value. */
typedef struct {
  CcResponse response;
  Number add;
  gint lo, hi;
} Rule;

typedef enum {
  ACTION_FILTER,
  ACTION_COPY,
  ACTION_FILL,
} Action;

/* The two sets of matrices of a filter, and the settings that go with each. */
typedef struct {
  CcFilter filter, chroma_filter;
  Matrices m, chroma_m;
} Kernels;

static Kernels *
kernels_new(const CcFilter *filter) {
  Kernels *self = g_new(Kernels, 1);
  self->filter = self->chroma_filter = *filter;
  if (filter->chroma_size != 0)
    self->chroma_filter.size = filter->chroma_size;
  if (filter->chroma_kernel) {
    self->chroma_filter.kernel = filter->chroma_kernel;
    self->chroma_filter.response = CC_RESPONSE_AUTO;
    self->chroma_filter.bias = self->chroma_filter.scale = 0;
  }
  oracle_matrices_init(&self->m, &self->filter);
  oracle_matrices_init(&self->chroma_m, &self->chroma_filter);
  return self;
}

CcChroma
oracle_chroma(const CcFilter *filter) {
  if (filter->chroma != CC_CHROMA_AUTO)
    return filter->chroma;
  return filter->chroma_kernel ? CC_CHROMA_FILTER : filter->kernel->chroma;
}

static Action
action_of_role(const CcFilter *filter, CcRole role, const CcPlaneLayout *plane, guint *fill) {
  switch (role) {
  case CC_ROLE_CB:
  case CC_ROLE_CR: {
    CcChroma chroma = oracle_chroma(filter);
    *fill = 1u << (plane->depth - 1);
    return chroma == CC_CHROMA_FILTER ? ACTION_FILTER
           : chroma == CC_CHROMA_COPY ? ACTION_COPY
                                      : ACTION_FILL;
  }
  case CC_ROLE_ALPHA:
    *fill = (1u << plane->depth) - 1;
    return filter->alpha == CC_ALPHA_OPAQUE ? ACTION_FILL
           : filter->alpha == CC_ALPHA_COPY ? ACTION_COPY
                                            : ACTION_FILTER;
  case CC_ROLE_PADDING:
    return ACTION_COPY;
  default:
    return ACTION_FILTER;
  }
}

static Rule
rule_of_role(const CcFilter *filter, const Matrices *m, CcRole role, const CcPlaneLayout *plane,
             gboolean limited_range) {
  gint mid = 1 << (plane->depth - 1), unit = 1 << (plane->depth - 8);
  gint full_white = (1 << plane->depth) - 1;
  gboolean edge = filter->kernel->klass == CC_KERNEL_EDGE;
  Rule rule = {
      .response =
          filter->response == CC_RESPONSE_AUTO ? filter->kernel->response : filter->response,
      .add = oracle_number(filter->bias),
      .hi = full_white,
  };
  if (oracle_canny_is(rule.response)) /* alpha that is filtered */
    rule.response =
        rule.response == CC_RESPONSE_CANNY ? CC_RESPONSE_MAGNITUDE : CC_RESPONSE_MAGNITUDE_L1;
  gboolean in_limited = limited_range && (role == CC_ROLE_LUMA || cc_role_is_chroma(role));
  if (in_limited || rule.response == CC_RESPONSE_DIRECTION)
    rule.add = oracle_number_times(rule.add, unit, 1);
  else /* a bias of 255 is white at 8 bits, so scale it to white of this depth */
    rule.add = oracle_number_times(rule.add, full_white, 255);
  if (rule.response == CC_RESPONSE_DIRECTION)
    return rule;
  if (rule.response == CC_RESPONSE_OFFSET || (edge && cc_role_is_chroma(role))) {
    rule.add = oracle_number_plus(rule.add, mid);
  } else if (edge && role == CC_ROLE_LUMA && limited_range) {
    rule.lo = 16 * unit;
    rule.hi = 235 * unit;
    /* maps a bias of 255 to white */
    gint below_white = rule.hi - 255 * unit;
    rule.add = oracle_number_plus(rule.add, m->gain.real < 0 ? below_white : rule.lo);
  }
  return rule;
}

/* Returns the value that a tap outside the image reads with a constant border. */
static guint
constant_of_role(const CcFilter *filter, CcRole role, guint depth) {
  guint max = (1u << depth) - 1;
  if (cc_role_is_chroma(role))
    return 1u << (depth - 1);
  if (role == CC_ROLE_ALPHA)
    return max;
  return (guint)floor(filter->border_value * max + 0.5);
}

/* Returns floor(t * gain + add + 1/2), clamped to lo..hi. t is an integer. */
static guint
round_rational(int128 t, const Number *gain, const Rule *rule) {
  Ratio g = gain->ratio, a = rule->add.ratio;
  int128 den = (int128)2 * g.den * a.den;
  int128 num = 2 * t * g.num * a.den + (int128)2 * a.num * g.den + (int128)g.den * a.den;
  int128 code = num / den;
  if (code * den > num)
    code--;
  return (guint)CLAMP(code, rule->lo, rule->hi);
}

static guint
round_real(long double t, const Number *gain, const Rule *rule) {
  long double code = floorl(t * gain->real + rule->add.real + 0.5L);
  return (guint)CLAMP(code, rule->lo, rule->hi);
}

static guint
round_angle(long double y, long double x, const Rule *rule) {
  long double turns = atan2l(y, x) / (2 * 3.14159265358979323846264338327950288L);
  gint64 code = (gint64)floorl(turns * (rule->hi + 1) + rule->add.real + 0.5L);
  return (guint)(code & rule->hi);
}

/* Returns the square root of n if it is an integer, else -1. */
static int128
integer_root(int128 n) {
  int128 root = (int128)floorl(sqrtl((long double)n));
  while (root * root > n)
    root--;
  while ((root + 1) * (root + 1) <= n)
    root++;
  return root * root == n ? root : -1;
}

static guint
respond_exactly(const gint64 *sum, guint n, const Number *gain, const Rule *rule) {
  int128 t = 0;
  for (guint i = 0; i < n; i++) {
    int128 s = sum[i], magnitude = s < 0 ? -s : s;
    switch (rule->response) {
    case CC_RESPONSE_ABSOLUTE:
      t = MAX(t, magnitude);
      break;
    case CC_RESPONSE_MAGNITUDE:
      t += s * s;
      break;
    case CC_RESPONSE_MAGNITUDE_L1:
      t += magnitude;
      break;
    case CC_RESPONSE_DIRECTION:
      return round_angle(sum[1], sum[0], rule);
    case CC_RESPONSE_AUTO: /* a rule never has these values */
    case CC_RESPONSE_CANNY:
    case CC_RESPONSE_CANNY_L1:
    case CC_RESPONSE_CLAMP:
    case CC_RESPONSE_OFFSET:
      t = i == 0 ? s : MAX(t, s);
    }
  }
  if (rule->response == CC_RESPONSE_MAGNITUDE) {
    int128 root = integer_root(t);
    /* Other roots are irrational and never lie exactly on a rounding limit, so long double is
     * precise enough. */
    if (root < 0)
      return round_real(sqrtl((long double)t), gain, rule);
    t = root;
  }
  if (gain->rational && rule->add.rational)
    return round_rational(t, gain, rule);
  return round_real((long double)t, gain, rule);
}

static guint
respond_really(const long double *sum, guint n, const Number *gain, const Rule *rule) {
  long double t = 0;
  for (guint i = 0; i < n; i++) {
    switch (rule->response) {
    case CC_RESPONSE_ABSOLUTE:
      t = fmaxl(t, fabsl(sum[i]));
      break;
    case CC_RESPONSE_MAGNITUDE:
      t += sum[i] * sum[i];
      break;
    case CC_RESPONSE_MAGNITUDE_L1:
      t += fabsl(sum[i]);
      break;
    case CC_RESPONSE_DIRECTION:
      return round_angle(sum[1], sum[0], rule);
    case CC_RESPONSE_AUTO: /* not in a rule */
    case CC_RESPONSE_CANNY:
    case CC_RESPONSE_CANNY_L1:
    case CC_RESPONSE_CLAMP:
    case CC_RESPONSE_OFFSET:
      t = i == 0 ? sum[i] : fmaxl(t, sum[i]);
    }
  }
  if (rule->response == CC_RESPONSE_MAGNITUDE)
    t = sqrtl(t);
  return round_real(t, gain, rule);
}

/* --- filtering --- */

static gint *
border_table(guint n, guint window, CcBorder border) {
  gint *table = g_new(gint, n + window - 1);
  for (guint i = 0; i < n + window - 1; i++)
    table[i] = oracle_border_index((gint)i - (gint)window / 2, (gint)n, border);
  return table;
}

/* The code values that taps read. Positions are counted from half a window before the field. The
 * index of a position outside the image is -1. */
typedef struct {
  const Field *field;
  guint shift;
  guint outside;
  const gint *column, *row;
} Window;

static guint
read_tap(const Window *window, guint x, guint y) {
  gint row = window->row[y], column = window->column[x];
  if (row < 0 || column < 0)
    return window->outside;
  return window->field->word[(gsize)row * window->field->width + (gsize)column] >> window->shift;
}

/* Computes the integer sums over the window of sample (x, y). */
static void
sum_exactly(const Window *window, const Matrices *m, guint x, guint y, gint64 *sum) {
  for (guint i = 0; i < m->n; i++) {
    sum[i] = 0;
    for (guint r = 0; r < m->height; r++)
      for (guint k = 0; k < m->width; k++)
        sum[i] += m->taps.num[(i * m->height + r) * m->width + k] * read_tap(window, x + k, y + r);
  }
}

static void
sum_really(const Window *window, const Matrices *m, guint x, guint y, long double *sum) {
  for (guint i = 0; i < m->n; i++) {
    sum[i] = 0;
    for (guint r = 0; r < m->height; r++)
      for (guint k = 0; k < m->width; k++)
        sum[i] += (long double)m->taps.real[(i * m->height + r) * m->width + k] *
                  read_tap(window, x + k, y + r);
  }
}

static guint
filter_sample(const Window *window, const Matrices *m, guint x, guint y, const Rule *rule) {
  gint64 exact[CC_MAX_MATRICES];
  long double real[CC_MAX_MATRICES];
  if (m->rational) {
    sum_exactly(window, m, x, y, exact);
    return respond_exactly(exact, m->n, &m->gain, rule);
  }
  sum_really(window, m, x, y, real);
  return respond_really(real, m->n, &m->gain, rule);
}

/* Horizontal sums of factored matrices: one for each matrix, row of the windows, and column of the
 * target. Either `exact` or `real` is set. */
typedef struct {
  guint n_rows, width;
  gint64 *exact;
  long double *real;
} RowSums;

static RowSums
sum_rows(const Window *window, const Matrices *m, guint n_rows, guint width, guint stride) {
  gsize n = (gsize)m->n * n_rows * width;
  RowSums sums = {n_rows, width, m->rational ? g_new0(gint64, n) : NULL,
                  m->rational ? NULL : g_new0(long double, n)};
  gsize at = 0;
  for (guint i = 0; i < m->n; i++)
    for (guint y = 0; y < n_rows; y++)
      for (guint x = 0; x < width; x++, at++)
        for (guint k = 0; k < m->width; k++) {
          guint code = read_tap(window, x * stride + k, y);
          if (m->rational)
            sums.exact[at] += m->rows.num[i * m->width + k] * code;
          else
            sums.real[at] += (long double)m->rows.real[i * m->width + k] * code;
        }
  return sums;
}

/* Returns the filtered sample of target column x whose window begins at row y. */
static guint
filter_column(const RowSums *sums, const Matrices *m, guint x, guint y, const Rule *rule) {
  gint64 exact[CC_MAX_MATRICES] = {0};
  long double real[CC_MAX_MATRICES] = {0};
  for (guint i = 0; i < m->n; i++)
    for (guint r = 0; r < m->height; r++) {
      gsize at = ((gsize)i * sums->n_rows + y + r) * sums->width + x;
      if (m->rational)
        exact[i] += m->columns.num[i * m->height + r] * sums->exact[at];
      else
        real[i] += m->columns.real[i * m->height + r] * sums->real[at];
    }
  return m->rational ? respond_exactly(exact, m->n, &m->gain, rule)
                     : respond_really(real, m->n, &m->gain, rule);
}

/* Computes the samples of `to` from the samples of `from`. */
static void
filter_field(const CcFilter *filter, const Matrices *m, const Kind *kind, const Rule *rule,
             const Field *from, const Field *to) {
  guint stride = MAX(filter->stride, 1), *word = to->word;
  g_autofree gint *column = border_table(from->width, m->width, filter->border);
  g_autofree gint *row = border_table(from->height, m->height, filter->border);
  const Window window = {
      .field = from,
      .shift = kind->layout->shift,
      .outside = constant_of_role(filter, kind->role, kind->layout->depth),
      .column = column,
      .row = row,
  };
  RowSums sums = {0};
  if (m->factored)
    sums = sum_rows(&window, m, from->height + m->height - 1, to->width, stride);
  for (guint y = 0; y < to->height; y++)
    for (guint x = 0; x < to->width; x++)
      *word++ = (m->factored ? filter_column(&sums, m, x, y * stride, rule)
                             : filter_sample(&window, m, x * stride, y * stride, rule))
                << kind->layout->shift;
  g_free(sums.exact);
  g_free(sums.real);
}

static gboolean
finds_edges(const CcFilter *filter, const Kind *kind) {
  return oracle_canny_is(filter->response) &&
         (kind->role == CC_ROLE_LUMA || kind->role == CC_ROLE_GREY);
}

static void
filter_edges(const CcFilter *filter, const Matrices *m, const Kind *kind, const Rule *rule,
             gboolean limited_range, const Field *from, const Field *to) {
  const guint depth = kind->layout->depth;
  const gboolean limited = limited_range && kind->role == CC_ROLE_LUMA;
  const OracleCanny canny = {
      .filter = filter,
      .matrices = m,
      .shift = kind->layout->shift,
      .outside = constant_of_role(filter, kind->role, depth),
      .unit_num = limited ? 1 << depth : (1 << depth) - 1,
      .unit_den = limited ? 256 : 255,
      .black = (guint)rule->lo,
      .white = (guint)rule->hi,
  };
  oracle_canny_filter(&canny, from, to);
}

static void
set_field(const CcFilter *filter, const Kind *kind, Action action, guint fill, const Field *from,
          const Field *to) {
  guint stride = MAX(filter->stride, 1), *word = to->word;
  for (guint y = 0; y < to->height; y++)
    for (guint x = 0; x < to->width; x++)
      *word++ = action == ACTION_COPY ? from->word[(gsize)y * stride * from->width + x * stride]
                                      : fill << kind->layout->shift;
}

/* Returns the tolerance in code values: 0 if all numbers are rational, else 1. With other numbers,
 * coefficients may be rounded, and a value may lie next to a rounding limit. */
static guint
tolerance_of_rule(const Matrices *m, const Rule *rule) {
  return rule->response == CC_RESPONSE_DIRECTION || !m->rational || !m->gain.rational ||
         !rule->add.rational;
}

static void
set_limit(OracleTolerance *tolerance, const Kind *kind, guint limit) {
  for (guint i = 0; i < kind->n_offsets; i++) {
    const Offset *offset = &kind->offset[i];
    tolerance->limit[offset->plane][offset->first] = limit;
    if (offset->two)
      tolerance->limit[offset->plane][offset->first + 2] = limit;
  }
}

/* Returns the width and height of a frame in samples of a kind. */
static void
size_of_kind(const Kind *kind, guint *width, guint *height) {
  *width = kind->offset[0].two ? kind->layout->width : cc_plane_groups(kind->layout);
  *height = kind->layout->height;
}

/* If `in_place`, the target of `src` is filtered, and not the source. */
static void
make_kind(const Kernels *kernels, const CcRoi *roi, const CcFrameLayout *layout, const Kind *kind,
          const CcFrame *src, const CcFrame *dst, gboolean in_place, OracleTolerance *found) {
  const CcPlaneLayout *plane = kind->layout;
  const gboolean is_chroma = cc_role_is_chroma(kind->role);
  const CcFilter *filter = is_chroma ? &kernels->chroma_filter : &kernels->filter;
  const Matrices *m = is_chroma ? &kernels->chroma_m : &kernels->m;
  guint fill = 0, width, height;
  Action action = action_of_role(filter, kind->role, plane, &fill);
  Rule rule = rule_of_role(filter, m, kind->role, plane, layout->limited_range);
  const CcFrameLayout out_layout = oracle_out_layout(filter, layout);
  CcRect source, target;
  size_of_kind(kind, &width, &height);
  oracle_regions_of_size(filter, roi, layout, width, height, &source, &target);
  if (in_place)
    source = target;
  const Field from = oracle_read_field(kind, src, &source), to = oracle_field_new(&target);
  if (action == ACTION_FILTER && finds_edges(filter, kind)) {
    filter_edges(filter, m, kind, &rule, layout->limited_range, &from, &to);
  } else if (action == ACTION_FILTER) {
    filter_field(filter, m, kind, &rule, &from, &to);
    set_limit(found, kind, tolerance_of_rule(m, &rule) * MAX(filter->repeats, 1));
    found->circular |= rule.response == CC_RESPONSE_DIRECTION;
  } else {
    set_field(filter, kind, action, fill, &from, &to);
  }
  oracle_write_field(kind, &to, dst, &target, out_layout.plane[kind->offset[0].plane].width);
  g_free(from.word);
  g_free(to.word);
}

/* --- direction-color --- */

/* The gradients of all pixels of a rectangle. */
typedef struct {
  CcRect rect;
  gint64 *sums; /* two sums for each pixel */
} Gradients;

static Gradients
find_gradients(const CcFilter *filter, const Matrices *m, const Kind *luma, const CcFrame *src,
               const CcRect *rect) {
  const Field from = oracle_read_field(luma, src, rect);
  Gradients gradients = {*rect, g_new(gint64, (gsize)2 * rect->width * rect->height)};
  g_autofree gint *column = border_table(from.width, m->width, filter->border);
  g_autofree gint *row = border_table(from.height, m->height, filter->border);
  const Window window = {
      .field = &from,
      .shift = luma->layout->shift,
      .outside = constant_of_role(filter, luma->role, luma->layout->depth),
      .column = column,
      .row = row,
  };
  gint64 *sums = gradients.sums;
  for (guint y = 0; y < rect->height; y++)
    for (guint x = 0; x < rect->width; x++, sums += 2)
      sum_exactly(&window, m, x, y, sums);
  g_free(from.word);
  return gradients;
}

/* Returns the color index of a sample. The sample covers across x down pixels of the image, and
 * (left, top) is the first of them. Pixels outside the rectangle are not counted. */
static guint
color_of_pixels(const Gradients *gradients, guint left, guint top, guint across, guint down,
                gdouble bias) {
  const CcRect *rect = &gradients->rect;
  gint64 x_sum = 0, y_sum = 0;
  for (guint y = top; y < top + down; y++)
    for (guint x = left; x < left + across; x++)
      if (x >= rect->x && x - rect->x < rect->width && y >= rect->y && y - rect->y < rect->height) {
        gsize at = 2 * ((gsize)(y - rect->y) * rect->width + (x - rect->x));
        x_sum += gradients->sums[at];
        y_sum += gradients->sums[at + 1];
      }
  return oracle_direction_color_index(x_sum, y_sum, bias);
}

static guint
pixels_of_sample(guint image, guint n) {
  guint each = 1;
  while ((image + each - 1) / each != n)
    each *= 2;
  return each;
}

static void
paint_kind(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout, const Kind *luma,
           const Kind *kind, const Gradients *gradients, const CcFrame *dst,
           OracleTolerance *found) {
  guint width, height, image_width, image_height, stride = MAX(filter->stride, 1);
  const CcFrameLayout out_layout = oracle_out_layout(filter, layout);
  const Offset *offset = &kind->offset[0];
  CcRect source, target;
  size_of_kind(luma, &image_width, &image_height);
  size_of_kind(kind, &width, &height);
  guint across = pixels_of_sample(image_width, width);
  guint down = pixels_of_sample(image_height, height);
  oracle_regions_of_size(filter, roi, layout, width, height, &source, &target);
  const Field to = oracle_field_new(&target);
  guint component = oracle_direction_color_component(kind->role), *word = to.word;
  for (guint y = 0; y < to.height; y++)
    for (guint x = 0; x < to.width; x++)
      *word++ = found->color_word[component][color_of_pixels(
          gradients, across * (source.x + stride * x), down * (source.y + stride * y), across, down,
          filter->bias)];
  oracle_write_field(kind, &to, dst, &target, out_layout.plane[offset->plane].width);
  for (guint i = 0; i <= (offset->two ? 2 : 0); i += 2)
    found->color_component[offset->plane][offset->first + i] = component + 1;
  g_free(to.word);
}

/* --- frames --- */

static gboolean
is_grey(const CcFilter *filter, const CcFrameLayout *layout, Offset rgb[3]) {
  gboolean wanted = filter->color == CC_COLOR_GREY ||
                    (filter->color == CC_COLOR_AUTO && filter->kernel->klass == CC_KERNEL_EDGE);
  return wanted && oracle_find_role(layout, CC_ROLE_RED, &rgb[0]) &&
         oracle_find_role(layout, CC_ROLE_GREEN, &rgb[1]) &&
         oracle_find_role(layout, CC_ROLE_BLUE, &rgb[2]);
}

/* Returns whether the filter shows direction as color. Sets *luma to the frame's luma, unless luma
 * is computed from RGB. */
static gboolean
is_painted(const CcFilter *filter, const CcFrameLayout *layout, const Matrices *m, gboolean grey,
           Offset *luma) {
  Offset chroma;
  CcResponse response = filter->response ? filter->response : filter->kernel->response;
  if (response != CC_RESPONSE_DIRECTION || !m->rational || m->factored)
    return FALSE;
  return grey || (filter->chroma == CC_CHROMA_AUTO && !filter->chroma_kernel &&
                  oracle_find_role(layout, CC_ROLE_LUMA, luma) &&
                  oracle_find_role(layout, CC_ROLE_CB, &chroma) &&
                  oracle_find_role(layout, CC_ROLE_CR, &chroma));
}

/* Sets the kind of a component. Returns FALSE if the component belongs to the kind of another
 * component. */
static gboolean
find_kind(const CcFrameLayout *layout, guint plane, guint component, const Offset *rgb,
          Kind *kind) {
  const CcPlaneLayout *in = &layout->plane[plane];
  CcRole role = in->role[component];
  gboolean two = in->has_macropixels && role == CC_ROLE_LUMA;
  *kind = (Kind){in, role, 1, {{plane, component, two}}};
  if (rgb && (role == CC_ROLE_RED || role == CC_ROLE_GREEN || role == CC_ROLE_BLUE)) {
    *kind = (Kind){in, CC_ROLE_GREY, 3, {rgb[0], rgb[1], rgb[2]}};
    return role == CC_ROLE_RED;
  }
  return !two || component < 2;
}

/* Writes all components that show the color. */
static void
paint_frame(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
            const Matrices *m, const Kind *luma, const CcFrame *src, const CcFrame *dst,
            OracleTolerance *found) {
  guint width, height;
  CcRect source, target;
  Kind kind;
  size_of_kind(luma, &width, &height);
  oracle_regions_of_size(filter, roi, layout, width, height, &source, &target);
  oracle_direction_color_table(layout, luma->layout, luma->n_offsets == 3, found->color_word);
  const Gradients gradients = find_gradients(filter, m, luma, src, &source);
  for (guint p = 0; p < layout->n_planes; p++)
    for (guint c = 0; c < layout->plane[p].step; c++)
      if (oracle_direction_color_has(layout->plane[p].role[c]) &&
          find_kind(layout, p, c, NULL, &kind))
        paint_kind(filter, roi, layout, luma, &kind, &gradients, dst, found);
  g_free(gradients.sums);
}

/* Filters the target of `frame` once more. Every kind is read before it is written, and no two
 * kinds share a sample. */
static void
filter_again(const Kernels *kernels, const CcRoi *roi, const CcFrameLayout *layout,
             const Offset *rgb, const CcFrame *frame, OracleTolerance *found) {
  Kind kind;
  for (guint p = 0; p < layout->n_planes; p++)
    for (guint c = 0; c < layout->plane[p].step; c++)
      if (find_kind(layout, p, c, rgb, &kind))
        make_kind(kernels, roi, layout, &kind, frame, frame, TRUE, found);
}

gboolean
oracle_is_grey(const CcFilter *filter, const CcFrameLayout *layout) {
  Offset rgb[3];
  return is_grey(filter, layout, rgb);
}

void
oracle_filter_unweighted(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                         const CcFrame *src, const CcFrame *dst, OracleTolerance *tolerance) {
  OracleTolerance found = {0};
  Offset rgb[3], offset;
  Kind kind;
  gboolean grey = is_grey(filter, layout, rgb);
  g_autofree Kernels *kernels = kernels_new(filter);
  const Matrices *m = &kernels->m;
  gboolean painted = is_painted(filter, layout, m, grey, &offset);
  if (painted) {
    if (grey)
      offset = rgb[0];
    find_kind(layout, offset.plane, offset.first, grey ? rgb : NULL, &kind);
    paint_frame(filter, roi, layout, m, &kind, src, dst, &found);
  }
  for (guint p = 0; p < layout->n_planes; p++) {
    CcRect source;
    oracle_regions(filter, roi, layout, p, &source, &found.target[p]);
    for (guint c = 0; c < layout->plane[p].step; c++)
      if (!(painted && oracle_direction_color_has(layout->plane[p].role[c])) &&
          find_kind(layout, p, c, grey ? rgb : NULL, &kind))
        make_kind(kernels, roi, layout, &kind, src, dst, FALSE, &found);
  }
  for (guint i = 1; i < filter->repeats; i++)
    filter_again(kernels, roi, layout, grey ? rgb : NULL, dst, &found);
  if (tolerance)
    *tolerance = found;
}

static guint
black_of_role(CcRole role, const CcPlaneLayout *plane, gboolean limited_range) {
  switch (role) {
  case CC_ROLE_CB:
  case CC_ROLE_CR:
    return 1u << (plane->depth - 1);
  case CC_ROLE_ALPHA:
  case CC_ROLE_PADDING:
    return (1u << plane->depth) - 1;
  case CC_ROLE_LUMA:
    return limited_range ? 16u << (plane->depth - 8) : 0;
  default:
    return 0;
  }
}

void
oracle_outside(const CcFilter *filter, const CcFrameLayout *layout, const CcFrame *src,
               const CcFrame *dst) {
  const CcFrameLayout out_layout = oracle_out_layout(filter, layout);
  const Action action = filter->outside == CC_OUTSIDE_BLACK ? ACTION_FILL : ACTION_COPY;
  for (guint p = 0; p < layout->n_planes; p++)
    for (guint c = 0; c < layout->plane[p].step; c++) {
      Kind kind;
      guint width, height;
      CcRect source, target;
      if (!find_kind(layout, p, c, NULL, &kind))
        continue;
      size_of_kind(&kind, &width, &height);
      oracle_regions_of_size(filter, NULL, layout, width, height, &source, &target);
      const guint black = black_of_role(kind.role, kind.layout, layout->limited_range);
      const Field from = oracle_read_field(&kind, src, &source), to = oracle_field_new(&target);
      set_field(filter, &kind, action, black, &from, &to);
      oracle_write_field(&kind, &to, dst, &target, out_layout.plane[p].width);
      g_free(from.word);
      g_free(to.word);
    }
}

gboolean
oracle_direction_colors_match(const OracleTolerance *tolerance, guint plane, guint component,
                              guint expected, guint got) {
  guint row = tolerance->color_component[plane][component];
  return row > 0 &&
         oracle_direction_color_words_match(tolerance->color_word[row - 1], expected, got);
}
