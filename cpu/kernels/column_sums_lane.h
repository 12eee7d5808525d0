/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Column sums for one sample type. Included by column_sums.h once for each sample type, with
 *   LANE         the type of sums, unsigned and twice as wide as samples
 *   SAMPLE_BITS  the number of bits of a sample
 *   NAME(f)      f with the lane's suffix */

#define LANES NAME(Vector)
#define PAST NAME(Past)
#define SUMS NAME(Sums)
#define WINDOWS NAME(Windows)

/* The latest four vectors of a stream, newest first. PAST is a struct and not an array, so that
 * compilers keep in registers only the vectors that are needed. */
typedef struct {
  LANES a, b, c, d;
} PAST;

static ALWAYS_INLINE void
NAME(push)(PAST *past, LANES latest) {
  past->d = past->c;
  past->c = past->b;
  past->b = past->a;
  past->a = latest;
}

/* Returns the vector that begins n_lanes lanes before the latest vector. */
static ALWAYS_INLINE LANES
NAME(before)(const PAST *past, guint n_lanes) {
  const guint bytes = n_lanes * sizeof(LANE), part = bytes % VECTOR_BYTES;
  switch (bytes / VECTOR_BYTES) {
  case 0:
    return part ? (LANES)bytes_before((Bytes)past->a, (Bytes)past->b, part) : past->a;
  case 1:
    return part ? (LANES)bytes_before((Bytes)past->b, (Bytes)past->c, part) : past->b;
  case 2:
    return part ? (LANES)bytes_before((Bytes)past->c, (Bytes)past->d, part) : past->c;
  default:
    return past->d;
  }
}

/* Streams of lanes, of sums of two neighbours, and of sums of `part` neighbours. A sum belongs to
 * its last lane. */
typedef struct {
  PAST one, two, part;
} SUMS;

/* Returns a sum for each lane of the latest vector: the lane plus the width - 1 lanes before it
 * that are `unit` lanes apart. width <= 5. */
static ALWAYS_INLINE LANES
NAME(short_sums)(SUMS *s, guint width, guint unit) {
  LANES total = s->one.a;
  if (width == 1)
    return total;
  total += NAME(before)(&s->one, unit);
  if (width == 3)
    total += NAME(before)(&s->one, 2 * unit);
  if (width < 4)
    return total;
  NAME(push)(&s->two, total);
  total += NAME(before)(&s->two, 2 * unit);
  if (width == 5)
    total += NAME(before)(&s->one, 4 * unit);
  return total;
}

/* Like short_sums, for a width of 1 to 7, 9, 11, 13 or 15. Widths above 5 are composed of sums of
 * 3, 4 or 5 lanes. For example, a sum of 11 is three sums of 4 minus the lane that two of them
 * share. */
static ALWAYS_INLINE LANES
NAME(sums)(SUMS *s, LANES latest, guint width, guint unit) {
  const guint part = width <= 5 ? width : width <= 9 ? 3 : width < 15 ? 4 : 5;
  NAME(push)(&s->one, latest);
  LANES total = NAME(short_sums)(s, part, unit);
  if (part == width)
    return total;
  NAME(push)(&s->part, total);
  total += NAME(before)(&s->part, part * unit);
  if (width == 7)
    total += NAME(before)(&s->one, 6 * unit);
  else if (width == 11)
    total += NAME(before)(&s->part, 7 * unit) - NAME(before)(&s->one, 7 * unit);
  else if (width > 7)
    total += NAME(before)(&s->part, 2 * part * unit);
  if (width == 13)
    total += NAME(before)(&s->one, 12 * unit);
  return total;
}

/* Streams of the sums of even columns, of the sums of odd columns, and of horizontal sums of pairs
 * (see window_sums). Also the state of the horizontal sums. */
typedef struct {
  PAST even, odd, pairs;
  SUMS horizontal[2];
} WINDOWS;

/* Computes sums[0] for windows whose last column is even, and sums[1] for windows whose last column
 * is odd. With an even step, the columns of a window are all even or all odd. With an odd step,
 * even and odd columns alternate. A pair is an odd column plus the even column one step before it.
 * The sum of a window is then a sum of pairs, which both kinds of windows use, plus one column. */
static ALWAYS_INLINE void
NAME(window_sums)(WINDOWS *w, LANES sums[2], LANES even, LANES odd, guint radius, guint step) {
  if (step % 2 == 0) {
    sums[0] = NAME(sums)(&w->horizontal[0], even, 2 * radius + 1, step / 2);
    sums[1] = NAME(sums)(&w->horizontal[1], odd, 2 * radius + 1, step / 2);
    return;
  }
  NAME(push)(&w->even, even);
  NAME(push)(&w->odd, odd);
  const LANES pair = odd + NAME(before)(&w->even, step / 2);
  const LANES pairs = NAME(sums)(&w->horizontal[0], pair, radius, step);
  NAME(push)(&w->pairs, pairs);
  sums[0] = even + NAME(before)(&w->pairs, (step + 1) / 2);
  sums[1] = pairs + NAME(before)(&w->odd, radius * step);
}

static ALWAYS_INLINE void
NAME(change_columns)(LANES columns[2], LANES in, LANES out) {
  const LANE low = (1 << SAMPLE_BITS) - 1;
  columns[0] += (in & low) - (out & low);
  columns[1] += (in >> SAMPLE_BITS) - (out >> SAMPLE_BITS);
}

static void
NAME(add_columns)(gpointer columns, gconstpointer in, gconstpointer out, gsize n_bytes) {
  LANES *to = columns;
  const LANES *a = in, *b = out;
  for (gsize x = 0; x < n_bytes; x += VECTOR_BYTES, to += 2)
    NAME(change_columns)(to, *a++, *b++);
}

/* Vectors before the first result only update the sums. */
static ALWAYS_INLINE void
NAME(column_sums)(gpointer columns, gconstpointer in, gconstpointer out, guint n, guint8 *dst,
                  const CcFinish *finish, gint32 factor, const CcAhead *ahead, guint radius,
                  guint step) {
  enum { SIZE = SAMPLE_BITS / 8 };
  const NAME(Step) output = NAME(step_init)(finish, factor);
  const gboolean streams = ahead->streams;
  const gssize n_bytes = (gssize)n * SIZE;
  const gssize span = 2 * (gssize)(radius * step * SIZE);
  const gssize first = (span + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
  WINDOWS windows = {0};
  for (gssize x = -first; x < n_bytes; x += VECTOR_BYTES) {
    LANES *column = (gpointer)((guint8 *)columns + 2 * x), sums[2];
    const LANES *enters = (gconstpointer)((const guint8 *)in + x);
    const LANES *leaves = (gconstpointer)((const guint8 *)out + x);
    NAME(change_columns)(column, *enters, *leaves);
    NAME(window_sums)(&windows, sums, column[0], column[1], radius, step);
    if (x < 0)
      continue;
    cc_look_ahead(ahead, (gsize)x / SIZE);
    const Bytes samples = (Bytes)NAME(samples_of)(sums, &output);
    if (x + VECTOR_BYTES <= n_bytes) {
      store_vector(dst + x, samples, streams);
    } else {
      const Bytes last = samples;
      memcpy(dst + x, &last, (gsize)(n_bytes - x));
    }
  }
}

#define DEFINE_COLUMN_SUMS(step, radius)                                                           \
  static void NAME(column_sums_##step##_##radius)(                                                 \
      gpointer columns, gconstpointer in, gconstpointer out, guint n, guint8 * dst,                \
      const CcFinish *finish, gint32 factor, const CcAhead *ahead) {                               \
    NAME(column_sums)(columns, in, out, n, dst, finish, factor, ahead, radius, step);              \
  }
#define DEFINE_COLUMN_SUMS_OF(step)                                                                \
  DEFINE_COLUMN_SUMS(step, 1)                                                                      \
  DEFINE_COLUMN_SUMS(step, 2)                                                                      \
  DEFINE_COLUMN_SUMS(step, 3)                                                                      \
  DEFINE_COLUMN_SUMS(step, 4)                                                                      \
  DEFINE_COLUMN_SUMS(step, 5)                                                                      \
  DEFINE_COLUMN_SUMS(step, 6)                                                                      \
  DEFINE_COLUMN_SUMS(step, 7)

DEFINE_COLUMN_SUMS_OF(1)
DEFINE_COLUMN_SUMS_OF(2)
DEFINE_COLUMN_SUMS_OF(3)
DEFINE_COLUMN_SUMS_OF(4)

#undef DEFINE_COLUMN_SUMS
#undef DEFINE_COLUMN_SUMS_OF
#undef LANES
#undef PAST
#undef SUMS
#undef WINDOWS
#undef LANE
#undef SAMPLE_BITS
#undef NAME
