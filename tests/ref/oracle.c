/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 int128;

#define MAX_DIVISOR 4096         /* of coefficients that count as rational */
#define COEFF_TOLERANCE 1e-6     /* and how well they have to fit: of 1, or of a smaller largest */
#define MAX_WHOLE_SUM G_MAXINT32 /* of one matrix brought to integers, signs dropped */
#define MAX_SCALAR_DIVISOR 1000000 /* of a scale or bias that counts as rational */

typedef struct {
  gint64 num, den;
} Ratio;

/* A number that is used exactly when it is rational. */
typedef struct {
  gboolean rational;
  Ratio ratio;
  long double real;
} Number;

/* The matrices of a filter, their signs turned so that the scale is positive. */
typedef struct {
  guint n, width, height;
  gdouble coeff[CC_MAX_TAPS];
  gboolean rational; /* coeff is num / den */
  gint64 num[CC_MAX_TAPS];
  gint64 den;
  Number gain; /* what a sum of num (or of coeff when not rational) is multiplied by; > 0 */
} Matrices;

/* What becomes of the sums of one component. */
typedef struct {
  CcResponse response;
  Number add;
  gint lo, hi;
} Rule;

typedef enum {
  FATE_FILTER,
  FATE_COPY,
  FATE_FILL,
} Fate;

static gint64
gcd(gint64 a, gint64 b) {
  while (b != 0) {
    gint64 rest = a % b;
    a = b;
    b = rest;
  }
  return ABS(a);
}

static Number
number_from_ratio(gint64 num, gint64 den) {
  gint64 common = gcd(num, den);
  return (Number){TRUE, {num / common, den / common}, (long double)num / den};
}

/* The simplest fraction that is `value` to the last bit of a double, by continued fraction. */
static Number
number_from_double(gdouble value) {
  long double x = value, p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  for (;;) {
    long double whole = floorl(x);
    long double p = whole * p1 + p0, q = whole * q1 + q0;
    if (q > MAX_SCALAR_DIVISOR || fabsl(p) > 1e12L)
      return (Number){FALSE, {0, 1}, value};
    if ((gdouble)(p / q) == value)
      return number_from_ratio((gint64)p, (gint64)q);
    p0 = p1;
    q0 = q1;
    p1 = p;
    q1 = q;
    x = 1 / (x - whole);
  }
}

static Number
number_plus_integer(Number number, gint64 i) {
  number.ratio.num += i * number.ratio.den;
  number.real += i;
  return number;
}

/* value / divisor, both positive. */
static Number
number_divided(Number number, gint64 divisor) {
  if (number.rational)
    return number_from_ratio(number.ratio.num, number.ratio.den * divisor);
  number.real /= divisor;
  return number;
}

static void
sample_gaussian(Matrices *m, guint size, gdouble sigma) {
  /* OpenCV: cvRound(sigma * 3 * 2 + 1) | 1 */
  if (size == 0)
    size = 2 * (guint)fmax(1, floor(3 * sigma + 0.75)) + 1;
  g_assert_cmpuint(size, <=, CC_MAX_KERNEL_SIZE);
  long double axis[CC_MAX_KERNEL_SIZE], sum = 0;
  gint half = (gint)size / 2;
  for (guint i = 0; i < size; i++) {
    gint distance = (gint)i - half;
    axis[i] = expl(-(long double)(distance * distance) / (2 * (long double)sigma * sigma));
    sum += axis[i];
  }
  m->n = 1;
  m->width = m->height = size;
  for (guint y = 0; y < size; y++)
    for (guint x = 0; x < size; x++)
      m->coeff[y * size + x] = (gdouble)(axis[y] / sum * (axis[x] / sum));
}

static gboolean
coefficients_fit(const Matrices *m, gint64 den, gdouble tolerance) {
  guint n_taps = m->width * m->height;
  gdouble sum = 0;
  for (guint i = 0; i < m->n * n_taps; i++) {
    gdouble whole = nearbyint(m->coeff[i] * den);
    sum = (i % n_taps == 0 ? 0 : sum) + fabs(whole);
    if (fabs(m->coeff[i] - whole / den) > tolerance || sum > MAX_WHOLE_SUM)
      return FALSE;
  }
  return TRUE;
}

/* Finds the least common divisor with which all coefficients are integers. */
static void
make_rational(Matrices *m) {
  gdouble largest = 0;
  for (guint i = 0; i < m->n * m->width * m->height; i++)
    largest = fmax(largest, fabs(m->coeff[i]));
  gdouble tolerance = COEFF_TOLERANCE * fmin(1, largest);
  for (gint64 den = 1; den <= MAX_DIVISOR && !m->rational; den++) {
    if (!coefficients_fit(m, den, tolerance))
      continue;
    for (guint i = 0; i < m->n * m->width * m->height; i++)
      m->num[i] = (gint64)nearbyint(m->coeff[i] * den);
    m->den = den;
    m->rational = TRUE;
  }
}

static void
choose_gain(Matrices *m, gdouble scale) {
  if (scale != 0) {
    if (scale < 0) {
      for (guint i = 0; i < m->n * m->width * m->height; i++) {
        m->coeff[i] = -m->coeff[i];
        m->num[i] = -m->num[i];
      }
    }
    m->gain = number_divided(number_from_double(fabs(scale)), m->rational ? m->den : 1);
    return;
  }
  guint n_taps = m->width * m->height;
  if (m->rational) {
    gint64 sum = 0;
    for (guint i = 0; i < n_taps; i++)
      sum += m->num[i];
    /* 1 / (sum / den), and the den of the taps themselves cancels out */
    m->gain = number_from_ratio(1, sum > 0 ? sum : m->den);
  } else {
    long double sum = 0, sum_abs = 0;
    for (guint i = 0; i < n_taps; i++) {
      sum += m->coeff[i];
      sum_abs += fabs(m->coeff[i]);
    }
    /* what rounding leaves of a zero sum is no positive sum */
    m->gain = (Number){FALSE, {0, 1}, sum > COEFF_TOLERANCE * sum_abs ? 1 / sum : 1};
  }
}

/* The largest that is no larger than the wish, or else the smallest. */
static const CcKernelSize *
nearest_size(const CcKernel *kernel, guint wish) {
  const CcKernelSize *nearest = &kernel->sizes[0];
  for (guint i = 1; i < kernel->n_sizes; i++)
    if (kernel->sizes[i].size <= (wish ? wish : kernel->default_size))
      nearest = &kernel->sizes[i];
  return nearest;
}

static void
matrices_init(Matrices *m, const CcFilter *filter) {
  memset(m, 0, sizeof *m);
  gdouble scale = filter->scale;
  if (filter->sigma > 0 && filter->kernel->gaussian) {
    sample_gaussian(m, filter->size, filter->sigma);
  } else {
    const CcKernelSize *size = nearest_size(filter->kernel, filter->size);
    m->n = size->n_matrices;
    m->width = size->matrix[0].width;
    m->height = size->matrix[0].height;
    guint n_taps = m->width * m->height;
    for (guint i = 0; i < m->n; i++)
      memcpy(m->coeff + i * n_taps, size->matrix[i].coeff, n_taps * sizeof(gdouble));
    if (scale == 0)
      scale = size->scale;
  }
  make_rational(m);
  choose_gain(m, scale);
}

static Fate
fate_of_role(const CcFilter *filter, CcRole role, const CcPlaneLayout *plane, guint *fill) {
  switch (role) {
  case CC_ROLE_CHROMA: {
    CcChroma chroma = filter->chroma == CC_CHROMA_AUTO ? filter->kernel->chroma : filter->chroma;
    *fill = 1u << (plane->depth - 1);
    return chroma == CC_CHROMA_FILTER ? FATE_FILTER
           : chroma == CC_CHROMA_COPY ? FATE_COPY
                                      : FATE_FILL;
  }
  case CC_ROLE_ALPHA:
    *fill = (1u << plane->depth) - 1;
    return filter->alpha == CC_ALPHA_FILTER ? FATE_FILTER
           : filter->alpha == CC_ALPHA_COPY ? FATE_COPY
                                            : FATE_FILL;
  case CC_ROLE_PADDING:
    return FATE_COPY;
  default:
    return FATE_FILTER;
  }
}

static Rule
rule_of_role(const CcFilter *filter, CcRole role, const CcPlaneLayout *plane,
             gboolean limited_range) {
  gint mid = 1 << (plane->depth - 1);
  gint black = limited_range ? 16 << (plane->depth - 8) : 0;
  gboolean edge = filter->kernel->klass == CC_KERNEL_EDGE;
  Rule rule = {
      .response =
          filter->response == CC_RESPONSE_AUTO ? filter->kernel->response : filter->response,
      .add = number_from_double(filter->bias * (1 << (plane->depth - 8))),
      .hi = (1 << plane->depth) - 1,
  };
  if (rule.response == CC_RESPONSE_DIRECTION)
    return rule;
  if (rule.response == CC_RESPONSE_OFFSET || (edge && role == CC_ROLE_CHROMA)) {
    rule.add = number_plus_integer(rule.add, mid);
  } else if (edge && role == CC_ROLE_LUMA) {
    rule.add = number_plus_integer(rule.add, black);
    rule.lo = black;
  }
  return rule;
}

gint
oracle_border_index(gint i, gint n, CcBorder border) {
  while (i < 0 || i >= n) {
    switch (border) {
    case CC_BORDER_REPLICATE:
      i = i < 0 ? 0 : n - 1;
      break;
    case CC_BORDER_REFLECT:
      i = i < 0 ? -1 - i : 2 * n - 1 - i;
      break;
    case CC_BORDER_REFLECT_101:
      i = n == 1 ? 0 : i < 0 ? -i : 2 * (n - 1) - i;
      break;
    case CC_BORDER_WRAP:
      i += i < 0 ? n : -n;
      break;
    case CC_BORDER_CONSTANT:
      return -1;
    }
  }
  return i;
}

/* What a tap outside the picture reads with a constant border. */
static guint
constant_of_role(const CcFilter *filter, CcRole role, guint depth) {
  guint max = (1u << depth) - 1;
  if (role == CC_ROLE_CHROMA)
    return 1u << (depth - 1);
  if (role == CC_ROLE_ALPHA)
    return max;
  return (guint)floor(filter->border_value * max + 0.5);
}

static guint
load_word(const guint8 *row, guint index, CcSampleType type) {
  if (type == CC_SAMPLE_U8)
    return row[index];
  return row[2 * index] | (guint)row[2 * index + 1] << 8;
}

static void
store_word(guint8 *row, guint index, CcSampleType type, guint word) {
  if (type == CC_SAMPLE_U8) {
    row[index] = (guint8)word;
  } else {
    row[2 * index] = (guint8)word;
    row[2 * index + 1] = (guint8)(word >> 8);
  }
}

/* floor(t * gain + add + 1/2) between lo and hi; t is an integer. */
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

/* The square root of n when that is an integer, else -1. */
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
    case CC_RESPONSE_AUTO: /* no rule has it */
    case CC_RESPONSE_CLAMP:
    case CC_RESPONSE_OFFSET:
      t = i == 0 ? s : MAX(t, s);
    }
  }
  if (rule->response == CC_RESPONSE_MAGNITUDE) {
    int128 root = integer_root(t);
    /* any other root is irrational and can be no tie, so that long double is enough */
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
    case CC_RESPONSE_AUTO: /* no rule has it */
    case CC_RESPONSE_CLAMP:
    case CC_RESPONSE_OFFSET:
      t = i == 0 ? sum[i] : fmaxl(t, sum[i]);
    }
  }
  if (rule->response == CC_RESPONSE_MAGNITUDE)
    t = sqrtl(t);
  return round_real(t, gain, rule);
}

/* --- regions and stride --- */

/* What is read of a plane and written of the output's plane; both begin at `data`. */
typedef struct {
  const CcPlaneLayout *layout; /* of the input's plane */
  CcRect source, target;
  guint stride;
  const guint8 *from;
  guint8 *to;
  gssize from_pitch, to_pitch;
} Area;

static guint
stride_of(const CcFilter *filter) {
  return filter->stride == 0 ? 1 : filter->stride;
}

/* How many of n pixels are left when every stride-th is kept. */
static guint
count_kept(guint n, guint stride) {
  guint count = 0;
  for (guint i = 0; i < n; i += stride)
    count++;
  return count;
}

CcFrameLayout
oracle_out_layout(const CcFilter *filter, const CcFrameLayout *layout) {
  CcFrameLayout out = *layout;
  for (guint p = 0; p < out.n_planes; p++) {
    out.plane[p].width = count_kept(layout->plane[p].width, stride_of(filter));
    out.plane[p].height = count_kept(layout->plane[p].height, stride_of(filter));
  }
  return out;
}

/* One direction of a region: pixels first to last of the picture go to pixel `place` on; a plane of
 * `size` pixels has one for every `each` of the picture. */
static void
span_of_plane(guint picture, guint first, guint last, guint place, guint size, guint stride,
              guint *from, guint *n_read, guint *to, guint *n_written) {
  guint each = 1;
  while (count_kept(picture, each) != size) {
    g_assert_cmpuint(each, <, picture);
    each *= 2;
  }
  *from = first / each;
  *n_read = last / each - first / each + 1;
  *to = place / each;
  *n_written = 0;
  for (guint i = 0; i < *n_read && *to + *n_written < count_kept(size, stride); i += stride)
    ++*n_written;
}

void
oracle_regions(const CcFilter *filter, const CcFrameLayout *layout, guint plane, CcRect *source,
               CcRect *target) {
  guint stride = stride_of(filter), width = 0, height = 0;
  for (guint p = 0; p < layout->n_planes; p++) {
    width = layout->plane[p].width > width ? layout->plane[p].width : width;
    height = layout->plane[p].height > height ? layout->plane[p].height : height;
  }
  guint left = 0, top = 0, right = width - 1, bottom = height - 1;
  if (filter->source.width != 0 && filter->source.height != 0) {
    left = filter->source.x;
    top = filter->source.y;
    if (filter->source.width <= right - left)
      right = left + filter->source.width - 1;
    if (filter->source.height <= bottom - top)
      bottom = top + filter->source.height - 1;
  }
  guint place_x = filter->target_set ? filter->target_x : left / stride;
  guint place_y = filter->target_set ? filter->target_y : top / stride;
  span_of_plane(width, left, right, place_x, layout->plane[plane].width, stride, &source->x,
                &source->width, &target->x, &target->width);
  span_of_plane(height, top, bottom, place_y, layout->plane[plane].height, stride, &source->y,
                &source->height, &target->y, &target->height);
}

static Area
area_of_plane(const CcFilter *filter, const CcFrameLayout *layout, guint p, const CcPlane *src,
              const CcPlane *dst) {
  Area area = {
      .layout = &layout->plane[p],
      .stride = stride_of(filter),
      .from_pitch = src->pitch,
      .to_pitch = dst->pitch,
  };
  oracle_regions(filter, layout, p, &area.source, &area.target);
  gsize pixel = area.layout->step * cc_sample_size(area.layout->type);
  area.from = src->data + (gssize)area.source.y * src->pitch + area.source.x * pixel;
  area.to = dst->data + (gssize)area.target.y * dst->pitch + area.target.x * pixel;
  return area;
}

/* --- planes --- */

/* One component of one plane, filtered. */
typedef struct {
  const Matrices *m;
  const Area *area;
  guint component;
  guint outside;      /* code value of a tap outside, for a constant border */
  const gint *column; /* of every position from -width/2 on; -1 outside */
  const gint *row;    /* the same */
} Component;

static guint
component_tap(const Component *c, gint row, gint column) {
  if (row < 0 || column < 0)
    return c->outside;
  const CcPlaneLayout *plane = c->area->layout;
  guint index = (guint)column * plane->step + c->component;
  return load_word(c->area->from + row * c->area->from_pitch, index, plane->type) >> plane->shift;
}

/* The filtered sample of pixel (x, y) of the source. */
static guint
component_pixel(const Component *c, guint x, guint y, const Rule *rule) {
  const Matrices *m = c->m;
  gint64 exact[CC_MAX_MATRICES] = {0};
  long double real[CC_MAX_MATRICES] = {0};
  for (guint i = 0; i < m->n; i++) {
    for (guint r = 0; r < m->height; r++) {
      for (guint k = 0; k < m->width; k++) {
        guint tap = (i * m->height + r) * m->width + k;
        guint sample = component_tap(c, c->row[y + r], c->column[x + k]);
        if (m->rational)
          exact[i] += m->num[tap] * sample;
        else
          real[i] += (long double)m->coeff[tap] * sample;
      }
    }
  }
  return m->rational ? respond_exactly(exact, m->n, &m->gain, rule)
                     : respond_really(real, m->n, &m->gain, rule);
}

static gint *
border_table(guint n, guint window, CcBorder border) {
  gint *table = g_new(gint, n + window - 1);
  for (guint i = 0; i < n + window - 1; i++)
    table[i] = oracle_border_index((gint)i - (gint)window / 2, (gint)n, border);
  return table;
}

static void
filter_component(const CcFilter *filter, const Matrices *m, const Area *area, guint component,
                 const Rule *rule) {
  const CcPlaneLayout *plane = area->layout;
  g_autofree gint *column = border_table(area->source.width, m->width, filter->border);
  g_autofree gint *row = border_table(area->source.height, m->height, filter->border);
  const Component c = {
      .m = m,
      .area = area,
      .component = component,
      .outside = constant_of_role(filter, plane->role[component], plane->depth),
      .column = column,
      .row = row,
  };
  for (guint y = 0; y < area->target.height; y++)
    for (guint x = 0; x < area->target.width; x++)
      store_word(area->to + (gssize)y * area->to_pitch, x * plane->step + component, plane->type,
                 component_pixel(&c, x * area->stride, y * area->stride, rule) << plane->shift);
}

static void
set_component(const Area *area, guint component, Fate fate, guint fill) {
  const CcPlaneLayout *plane = area->layout;
  for (guint y = 0; y < area->target.height; y++) {
    const guint8 *from = area->from + (gssize)(y * area->stride) * area->from_pitch;
    guint8 *to = area->to + (gssize)y * area->to_pitch;
    for (guint x = 0; x < area->target.width; x++) {
      guint word = fill << plane->shift;
      if (fate == FATE_COPY)
        word = load_word(from, x * area->stride * plane->step + component, plane->type);
      store_word(to, x * plane->step + component, plane->type, word);
    }
  }
}

/* 0 where everything is rational. Else 1, for a value that lies next to a rounding limit, and what
 * float arithmetic can add to that: the usual bound on a sum's error in units of 2^-24. */
static guint
tolerance_of_rule(const Matrices *m, const Rule *rule) {
  if (rule->response == CC_RESPONSE_DIRECTION)
    return 1;
  if (m->rational && m->gain.rational && rule->add.rational)
    return 0;
  long double sum = 0;
  guint n_taps = m->width * m->height;
  if (!m->rational)
    for (guint i = 0; i < m->n * n_taps; i++)
      sum += fabs(m->coeff[i]);
  long double error = sum * rule->hi * m->gain.real * (n_taps + 4) * 0x1p-24L;
  return 1 + (guint)fminl(error, rule->hi);
}

void
oracle_filter(const CcFilter *filter, const CcFrameLayout *layout, const CcFrame *src,
              const CcFrame *dst, OracleTolerance *tolerance) {
  OracleTolerance found = {0};
  g_autofree Matrices *m = g_new(Matrices, 1);
  matrices_init(m, filter);
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcPlaneLayout *plane = &layout->plane[p];
    const Area area = area_of_plane(filter, layout, p, &src->plane[p], &dst->plane[p]);
    found.target[p] = area.target;
    for (guint c = 0; c < plane->step; c++) {
      guint fill = 0;
      Fate fate = fate_of_role(filter, plane->role[c], plane, &fill);
      if (fate == FATE_FILTER) {
        Rule rule = rule_of_role(filter, plane->role[c], plane, layout->limited_range);
        filter_component(filter, m, &area, c, &rule);
        found.limit[p][c] = tolerance_of_rule(m, &rule);
        found.circular = rule.response == CC_RESPONSE_DIRECTION;
      } else {
        set_component(&area, c, fate, fill);
      }
    }
  }
  if (tolerance)
    *tolerance = found;
}
