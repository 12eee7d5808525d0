/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle_canny.h"

#include <math.h>

typedef struct {
  gint64 x, y;
} Vector;

/* The gradients and magnitudes of a field, pixel by pixel. */
typedef struct {
  gint width, height;
  Vector *gradient;
  gint64 *magnitude;
} Slopes;

typedef enum {
  MARK_NONE,
  MARK_WEAK,
  MARK_EDGE,
} Mark;

gboolean
oracle_canny_is(CcResponse response) {
  return response == CC_RESPONSE_CANNY || response == CC_RESPONSE_CANNY_L1;
}

static gboolean
is_l2(const OracleCanny *canny) {
  return canny->filter->response == CC_RESPONSE_CANNY;
}

/* OpenCV divides the gradients of apertures of 7 by 16. */
static gint64
divisor_of(const OracleCanny *canny) {
  return canny->matrices->width == 7 ? 16 : 1;
}

/* Returns n / by to the nearest integer. Halves become even. by is positive. */
static gint64
divide_to_even(gint64 n, gint64 by) {
  gint64 down = n / by, rest = n % by;
  if (rest < 0) {
    rest += by;
    down--;
  }
  if (2 * rest > by || (2 * rest == by && down % 2 != 0))
    down++;
  return down;
}

static gint64
code_at(const OracleCanny *canny, const Field *field, gint x, gint y) {
  const gint column = oracle_border_index(x, (gint)field->width, canny->filter->border);
  const gint row = oracle_border_index(y, (gint)field->height, canny->filter->border);
  if (column < 0 || row < 0)
    return canny->outside;
  return field->word[(gsize)row * field->width + (gsize)column] >> canny->shift;
}

static Vector
gradient_at(const OracleCanny *canny, const Field *field, gint x, gint y) {
  const Matrices *m = canny->matrices;
  const gint width = (gint)m->width, height = (gint)m->height;
  gint64 sum[2] = {0};
  for (gint matrix = 0; matrix < 2; matrix++)
    for (gint r = 0; r < height; r++)
      for (gint k = 0; k < width; k++)
        sum[matrix] += m->taps.num[(matrix * height + r) * width + k] *
                       code_at(canny, field, x + k - width / 2, y + r - height / 2);
  return (Vector){divide_to_even(sum[0], divisor_of(canny)),
                  divide_to_even(sum[1], divisor_of(canny))};
}

static Slopes
find_slopes(const OracleCanny *canny, const Field *field) {
  const gsize n = (gsize)field->width * field->height;
  Slopes slopes = {(gint)field->width, (gint)field->height, g_new(Vector, n), g_new(gint64, n)};
  for (gsize i = 0; i < n; i++) {
    const Vector v = slopes.gradient[i] =
        gradient_at(canny, field, (gint)(i % field->width), (gint)(i / field->width));
    slopes.magnitude[i] = is_l2(canny) ? v.x * v.x + v.y * v.y : ABS(v.x) + ABS(v.y);
  }
  return slopes;
}

static gint64
magnitude_at(const Slopes *slopes, gint x, gint y) {
  if (x < 0 || y < 0 || x >= slopes->width || y >= slopes->height)
    return 0;
  return slopes->magnitude[(gsize)y * (gsize)slopes->width + (gsize)x];
}

/* Returns whether a pixel's magnitude is at least that of both neighbours along the gradient. On
 * equal magnitudes the pixel that is read first wins, to the left or above. On a diagonal neither
 * wins. The tangents of 22.5 and 67.5 degrees are rounded to 13573 / 2^15 and 2 more. */
static gboolean
is_ridge(const Slopes *slopes, gint x, gint y) {
  const Vector v = slopes->gradient[(gsize)y * (gsize)slopes->width + (gsize)x];
  const gint64 across = 32768 * ABS(v.x), down = 32768 * ABS(v.y);
  const gboolean is_flat = down < 13573 * ABS(v.x);
  const gboolean is_steep = down - 2 * across > 13573 * ABS(v.x);
  const gint64 here = magnitude_at(slopes, x, y);
  if (is_flat)
    return here > magnitude_at(slopes, x - 1, y) && here >= magnitude_at(slopes, x + 1, y);
  if (is_steep)
    return here > magnitude_at(slopes, x, y - 1) && here >= magnitude_at(slopes, x, y + 1);
  const gint side = (v.x < 0) != (v.y < 0) ? -1 : 1;
  return here > MAX(magnitude_at(slopes, x - side, y - 1), magnitude_at(slopes, x + side, y + 1));
}

/* Returns the largest magnitude that is not above a threshold. */
static gint64
limit_of(const OracleCanny *canny, gdouble threshold) {
  const long double codes =
      (long double)threshold * canny->unit_num / (long double)(canny->unit_den * divisor_of(canny));
  return (gint64)floorl(is_l2(canny) ? codes * codes : codes);
}

/* Marks all weak pixels that are connected to an edge, which are in the queue. */
static void
flood(const Slopes *slopes, Mark *mark, GQueue *queue) {
  while (!g_queue_is_empty(queue)) {
    const gint at = GPOINTER_TO_INT(g_queue_pop_head(queue));
    const gint x = at % slopes->width, y = at / slopes->width;
    for (gint j = MAX(y - 1, 0); j <= MIN(y + 1, slopes->height - 1); j++)
      for (gint i = MAX(x - 1, 0); i <= MIN(x + 1, slopes->width - 1); i++) {
        const gint next = j * slopes->width + i;
        if (mark[next] != MARK_WEAK)
          continue;
        mark[next] = MARK_EDGE;
        g_queue_push_tail(queue, GINT_TO_POINTER(next));
      }
  }
}

static Mark *
find_edges(const OracleCanny *canny, const Slopes *slopes) {
  const CcFilter *filter = canny->filter;
  const gint64 low = limit_of(canny, fmin(filter->low, filter->high));
  const gint64 high = limit_of(canny, fmax(filter->low, filter->high));
  const gint n = slopes->width * slopes->height;
  Mark *mark = g_new0(Mark, n);
  g_autoptr(GQueue) queue = g_queue_new();
  for (gint i = 0; i < n; i++) {
    if (slopes->magnitude[i] <= low || !is_ridge(slopes, i % slopes->width, i / slopes->width))
      continue;
    mark[i] = slopes->magnitude[i] > high ? MARK_EDGE : MARK_WEAK;
    if (mark[i] == MARK_EDGE)
      g_queue_push_tail(queue, GINT_TO_POINTER(i));
  }
  flood(slopes, mark, queue);
  return mark;
}

void
oracle_canny_filter(const OracleCanny *canny, const Field *from, const Field *to) {
  const gsize stride = MAX(canny->filter->stride, 1);
  g_assert_true(canny->matrices->n == 2 && canny->matrices->rational && canny->matrices->den == 1);
  const Slopes slopes = find_slopes(canny, from);
  g_autofree Mark *mark = find_edges(canny, &slopes);
  for (gsize y = 0; y < to->height; y++)
    for (gsize x = 0; x < to->width; x++) {
      const gboolean is_edge = mark[y * stride * from->width + x * stride] == MARK_EDGE;
      to->word[y * to->width + x] = (is_edge ? canny->white : canny->black) << canny->shift;
    }
  g_free(slopes.gradient);
  g_free(slopes.magnitude);
}
