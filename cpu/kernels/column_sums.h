/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Box filters by column sums (CcColumnSumsFunc). Included by row_kernels.c.
 *
 * As with split sums, a vector of samples is read as lanes that hold two samples each. One vector
 * has the sums of even columns, another vector the sums of odd columns. Results of even and odd
 * columns are combined in the same way. */

#if defined __AVX512BW__
typedef __m512i Bytes;
#else
typedef __m256i Bytes;
#endif

/* Returns the vector that begins n_bytes before `latest` in a stream. n_bytes is even. */
static ALWAYS_INLINE Bytes
bytes_before(Bytes latest, Bytes previous, guint n_bytes) {
#if defined __AVX512BW__
#define WHOLE(n)                                                                                   \
  case 4 * (n):                                                                                    \
    return _mm512_alignr_epi32(latest, previous, 16 - (n));
  switch (n_bytes) {
    WHOLE(1)
    WHOLE(2)
    WHOLE(3)
    WHOLE(4)
    WHOLE(5)
    WHOLE(6)
    WHOLE(7)
    WHOLE(8)
    WHOLE(9)
    WHOLE(10)
    WHOLE(11)
    WHOLE(12)
    WHOLE(13)
    WHOLE(14)
    WHOLE(15)
  }
#undef WHOLE
  Vector_16 from;
  for (guint i = 0; i < VECTOR_BYTES / 2; i++)
    from[i] = (guint16)(VECTOR_BYTES / 2 - n_bytes / 2 + i);
  return _mm512_permutex2var_epi16(previous, (__m512i)from, latest);
#else
  const Bytes middle = _mm256_permute2x128_si256(previous, latest, 0x21);
#define WORDS(n)                                                                                   \
  case 2 * (n):                                                                                    \
    return _mm256_alignr_epi8(latest, middle, 16 - 2 * (n));                                       \
  case 16 + 2 * (n):                                                                               \
    return _mm256_alignr_epi8(middle, previous, 16 - 2 * (n));
  switch (n_bytes) {
    WORDS(1)
    WORDS(2)
    WORDS(3)
    WORDS(4)
    WORDS(5)
    WORDS(6)
    WORDS(7)
  }
#undef WORDS
  return middle;
#endif
}

/* --- output stages --- */

typedef struct {
  VectorFinish constants;
  Vector_16 factor;
  gboolean plain;
} Step_16;

static ALWAYS_INLINE Step_16
step_init_16(const CcFinish *finish, gint32 factor) {
  return (Step_16){vector_finish(&finish->in_16), (guint16)factor + (Vector_16){0},
                   is_plain(&finish->in_16)};
}

static ALWAYS_INLINE Vector_16
samples_of_16(const Vector_16 sums[2], const Step_16 *step) {
  const SplitSums split = {sums[0] * step->factor, sums[1] * step->factor};
  if (step->plain)
    return bytes_of_split(split, &step->constants, FALSE, TRUE);
  return bytes_of_split(split, &step->constants, FALSE, FALSE);
}

typedef CcFinish Step_32;

static ALWAYS_INLINE Step_32
step_init_32(const CcFinish *finish, gint32 factor) {
  return *finish;
}

static ALWAYS_INLINE Vector_32
samples_of_32(const Vector_32 sums[2], const Step_32 *step) {
  const Sums even = codes_of_centred((Sums)sums[0], step);
  const Sums odd = codes_of_centred((Sums)sums[1], step);
  return (Vector_32)((even | odd << 16) << (gint)step->shift);
}

/* --- the kernels --- */

#define LANE guint16
#define SAMPLE_BITS 8
#define NAME(f) f##_16
#include "column_sums_lane.h"

#define LANE guint32
#define SAMPLE_BITS 16
#define NAME(f) f##_32
#include "column_sums_lane.h"
