/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernels of compose for one sample type. engine/plan/compose_shared.h has the definition. LANE
 * is the type of a sample, PAIR of two samples. MIX and BLEND make a vector of stored samples. */

typedef LANE NAME(Lanes) __attribute__((vector_size(VECTOR_BYTES)));
typedef LANE NAME(UnalignedLanes) __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

/* The parameters of a row that a kernel uses. NULL: none. */
typedef struct {
  const LANE *keep; /* all bits are set in samples that do not change */
  /* select: limit, above, below; invert: the sum; overlay: the color */
  const LANE *a, *b, *c;
  const CcComposeRow *row;
} NAME(Params);

/* The same for a vector of samples. */
typedef struct {
  NAME(Lanes) keep, a, b, c;
} NAME(Operands);

/* q has strengths. */
typedef NAME(Lanes) (*NAME(MakeFunc))(NAME(Lanes) r, NAME(Lanes) s, NAME(Lanes) q,
                                      const NAME(Operands) * operands,
                                      const CcComposeScalars *scalars);

static ALWAYS_INLINE
NAME(Lanes) NAME(vector_at)(gconstpointer row, guint k) {
  const NAME(Lanes) none = {0};
  if (row)
    return ((const NAME(UnalignedLanes) *)row)[k];
  return none;
}

/* Makes n samples of a row. `source` and `strengths` may be NULL. Three vectors have a whole number
 * of pixels of every format. */
static ALWAYS_INLINE void
NAME(make_row)(guint8 *out, const guint8 *row, const guint8 *source, const guint8 *strengths,
               guint n, gboolean streams, NAME(MakeFunc) make, const NAME(Params) * params) {
  const gsize size = (gsize)n * sizeof(LANE), period = 3 * VECTOR_BYTES;
  const CcComposeScalars scalars = params->row->scalars;
  const gboolean can_stream = streams && (guintptr)out % sizeof(LANE) == 0;
  /* bytes before the first address that non-temporal stores can write */
  const gsize before = can_stream ? -(guintptr)out % VECTOR_BYTES : 0;
  NAME(Operands) operands[3] = {0};
  guint8 part[3][3 * VECTOR_BYTES]; /* samples that do not fill three vectors */
  for (gsize x = 0, end; x < size; x = end) {
    const guint8 *r = row + x, *s = source ? source + x : NULL;
    const guint8 *q = strengths ? strengths + x : NULL;
    guint8 *to = out + x;
    end = x == 0 && before > 0 ? MIN(before, size) : x + period;
    if (x == 0 || x == before)
      for (guint k = 0; k < 3; k++) {
        const gsize at = x / sizeof(LANE);
        operands[k] = (NAME(Operands)){NAME(vector_at)(params->keep + at, k),
                                       NAME(vector_at)(params->a ? params->a + at : NULL, k),
                                       NAME(vector_at)(params->b ? params->b + at : NULL, k),
                                       NAME(vector_at)(params->c ? params->c + at : NULL, k)};
      }
    const gboolean is_part = end > size || end - x < period;
    end = MIN(end, size);
    if (is_part) {
      r = memcpy(part[0], r, end - x);
      s = s ? memcpy(part[1], s, end - x) : NULL;
      q = q ? memcpy(part[2], q, end - x) : NULL;
      to = part[0];
    }
#pragma GCC unroll 3
    for (guint k = 0; k < 3; k++)
      store_split(to + k * VECTOR_BYTES,
                  (Vector_16)make(NAME(vector_at)(r, k), NAME(vector_at)(s, k),
                                  NAME(vector_at)(q, k), &operands[k], &scalars),
                  can_stream && !is_part);
    if (is_part)
      memcpy(out + x, part[0], end - x);
  }
}

static ALWAYS_INLINE
NAME(Lanes) NAME(make_select)(NAME(Lanes) r, NAME(Lanes) s, NAME(Lanes) q,
                              const NAME(Operands) * operands, const CcComposeScalars *scalars) {
  const NAME(Lanes) is_above = (NAME(Lanes))(r >= operands->a);
  return (r & operands->keep) | (operands->b & is_above) | (operands->c & ~is_above);
}

static void
NAME(compose_select)(gpointer out, gconstpointer row, const CcComposeRow *from, guint n,
                     gboolean streams) {
  const NAME(Params)
      params = {from->NAME(keep), from->NAME(limit), from->NAME(above), from->NAME(below), from};
  NAME(make_row)(out, row, NULL, NULL, n, streams, NAME(make_select), &params);
}

/* The sum is 0 for samples that do not change, so their difference is 0. */
static ALWAYS_INLINE
NAME(Lanes) NAME(make_invert)(NAME(Lanes) r, NAME(Lanes) s, NAME(Lanes) q,
                              const NAME(Operands) * operands, const CcComposeScalars *scalars) {
  const NAME(Lanes) is_below = (NAME(Lanes))(r <= operands->a);
  return (r & operands->keep) | ((operands->a - r) & is_below);
}

static void
NAME(compose_invert)(gpointer out, gconstpointer row, const CcComposeRow *from, guint n,
                     gboolean streams) {
  const NAME(Params) params = {from->NAME(keep), from->NAME(sum), .row = from};
  NAME(make_row)(out, row, NULL, NULL, n, streams, NAME(make_invert), &params);
}

static ALWAYS_INLINE
NAME(Lanes) NAME(make_mix)(NAME(Lanes) r, NAME(Lanes) s, NAME(Lanes) q,
                           const NAME(Operands) * operands, const CcComposeScalars *scalars) {
  const NAME(Lanes) mixed = (NAME(Lanes))MIX((Vector_16)r, (Vector_16)s, scalars);
  return (r & operands->keep) | (mixed & ~operands->keep);
}

static void
NAME(compose_mix)(gpointer out, gconstpointer row, gconstpointer source, const CcComposeRow *from,
                  guint n, gboolean streams) {
  const NAME(Params) params = {from->NAME(unmixed), .row = from};
  NAME(make_row)(out, row, source, NULL, n, streams, NAME(make_mix), &params);
}

static ALWAYS_INLINE
NAME(Lanes) NAME(make_overlay)(NAME(Lanes) r, NAME(Lanes) s, NAME(Lanes) q,
                               const NAME(Operands) * operands, const CcComposeScalars *scalars) {
  const NAME(Lanes) color =
      (NAME(Lanes))BLEND((Vector_16)s, (Vector_16)operands->a, (Vector_16)q, scalars);
  return (r & operands->keep) | (color & ~operands->keep);
}

static void
NAME(overlay_blend)(gpointer row, gconstpointer source, gconstpointer strengths,
                    const CcComposeRow *from, guint n) {
  const NAME(Params) params = {from->NAME(keep), from->NAME(color), .row = from};
  NAME(make_row)(row, row, source, strengths, n, FALSE, NAME(make_overlay), &params);
}

static void
NAME(overlay_strength)(gpointer strengths, gconstpointer row, const CcComposeRow *params, guint n) {
  LANE *restrict q = strengths;
  const SAMPLE *restrict in = row;
  const LANE lo = (LANE)params->scalars.lo, hi = (LANE)params->scalars.hi;
  const guint shift = sizeof(LANE) > 1 ? params->scalars.shift : 0;
  for (guint x = 0; x < n; x++) {
    const LANE r = (LANE)(in[x] >> shift), least = r > lo ? r : lo;
    q[x] = (LANE)((least < hi ? least : hi) - lo);
  }
}

static void
NAME(overlay_mean)(gpointer mean, gconstpointer row, gconstpointer next, guint n) {
  const guint bits = 8 * sizeof(LANE), low = (1u << bits) - 1;
  LANE *restrict out = mean;
  const PAIR *restrict a = row, *restrict b = next;
  for (guint x = 0; x < n; x++)
    out[x] = (LANE)(((a[x] & low) + (a[x] >> bits) + (b[x] & low) + (b[x] >> bits) + 2) >> 2);
}

#undef MIX
#undef BLEND
#undef PAIR
#undef LANE
#undef SAMPLE
#undef NAME
