/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The output stage for one sample type. Included by row_kernels.c once for each sample type, with
 *   SAMPLE       the type
 *   STORE(code)  the stored word of a code value; may use `finish`
 *   NAME(f)      f with the type's suffix */

static void
NAME(finish_16)(gpointer dst, gconstpointer t, guint n, const CcFinish *finish) {
  SAMPLE *restrict out = dst;
  const guint16 *restrict in = t;
  const CcFinish16 constants = finish->in_16;
  for (guint x = 0; x < n; x++)
    out[x] = STORE(code_of_16(in[x], &constants));
}

/* v = t * mul + add has one rounding error at most: it is fused, or the product is exact. v is
 * clamped to lo..hi and then truncated. Truncation equals floor because lo >= 0. */
#define DEFINE_FINISH_REAL(name, number, real, fused, mul_of, add_of)                              \
  static inline void NAME(name##_with)(gpointer dst, gconstpointer t, guint n,                     \
                                       const CcFinish *finish, gboolean use_fused) {               \
    SAMPLE *restrict out = dst;                                                                    \
    const number *restrict in = t;                                                                 \
    const real mul = mul_of, add = add_of, lo = (real)finish->lo, hi = (real)finish->hi;           \
    for (guint x = 0; x < n; x++) {                                                                \
      const real v = use_fused ? fused((real)in[x], mul, add) : (real)in[x] * mul + add;           \
      out[x] = STORE((gint)LIMIT(v, lo, hi));                                                      \
    }                                                                                              \
  }                                                                                                \
  static void NAME(name)(gpointer dst, gconstpointer t, guint n, const CcFinish *finish) {         \
    if (PREFER_FUSED(finish))                                                                      \
      NAME(name##_with)(dst, t, n, finish, TRUE);                                                  \
    else                                                                                           \
      NAME(name##_with)(dst, t, n, finish, FALSE);                                                 \
  }

DEFINE_FINISH_REAL(finish_f32_16, gint16, gfloat, fmaf, finish->mul_f, finish->add_f)
DEFINE_FINISH_REAL(finish_f32_32, gint32, gfloat, fmaf, finish->mul_f, finish->add_f)
DEFINE_FINISH_REAL(finish_f32_float, gfloat, gfloat, fmaf, finish->mul_f, finish->add_f)
DEFINE_FINISH_REAL(finish_f64_32, gint32, gdouble, fma, finish->mul, finish->add)
DEFINE_FINISH_REAL(finish_f64_64, gint64, gdouble, fma, finish->mul, finish->add)
DEFINE_FINISH_REAL(finish_f64_double, gdouble, gdouble, fma, finish->mul, finish->add)

static void
NAME(finish_turns)(gpointer dst, gconstpointer t, guint n, const CcFinish *finish) {
  SAMPLE *restrict out = dst;
  const gfloat *restrict in = t;
  for (guint x = 0; x < n; x++)
    out[x] = STORE(floor_to_int(fmaf(in[x], finish->mul_f, finish->add_f)) & finish->hi);
}

#undef DEFINE_FINISH_REAL
#undef SAMPLE
#undef STORE
#undef NAME
