/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The row kernels: all code that touches samples. row_kernels.c is compiled once for each
 * instruction set, into one table each. All tables give the same bytes.
 *
 * A row has `n` interleaved samples (width times step). The left neighbour of a sample lies `step`
 * samples before it, so no kernel needs to know how many components a pixel has. Inside a sweep,
 * samples and sums are stored in "lanes": numbers of the narrowest type that the plan's bounds
 * allow. */

#include <glib.h>
#include "engine/plan/plan.h"

G_BEGIN_DECLS

typedef enum {
  CC_LANE_16, /* integers modulo 2^16 */
  CC_LANE_32, /* integers modulo 2^32 */
  CC_LANE_64,
  CC_LANE_8,      /* samples of one byte, unchanged; their sums are 16-bit lanes */
  CC_LANE_DOUBLE, /* integers up to 2^53 */
  CC_N_LANES,
} CcLane;

/* The type of numbers between the sums and the result. All but FLOAT are also lanes of sums. */
typedef enum {
  CC_NUMBER_16 = CC_LANE_16,
  CC_NUMBER_32 = CC_LANE_32,
  CC_NUMBER_64 = CC_LANE_64,
  CC_NUMBER_FLOAT,
  CC_NUMBER_DOUBLE = CC_LANE_DOUBLE,
  CC_N_NUMBERS,
} CcNumber;

/* Rows of lanes start at this alignment. Kernels may read and write this many bytes behind their
 * end. */
#define CC_ROW_ALIGN 64
#define CC_ROW_SLACK 256

static inline gsize
cc_row_align(gsize n_bytes) {
  return (n_bytes + CC_ROW_ALIGN - 1) / CC_ROW_ALIGN * CC_ROW_ALIGN;
}

/* Bytes after which masks of components repeat, for every step and sample size. */
#define CC_MASK_PERIOD 192

/* How each byte of a row is made. Exactly one of filter, copy and keep is 0xff; or all are 0, and
 * the byte is `fill`. */
typedef struct {
  guint8 filter[CC_MASK_PERIOD], copy[CC_MASK_PERIOD], keep[CC_MASK_PERIOD], fill[CC_MASK_PERIOD];
  gboolean keeps; /* whether any byte is kept */
} CcMasks;

/* Taps whose coefficients have the same absolute value: factor * (sum of the first n_plus taps -
 * sum of the next n_minus). n_plus >= 1. */
typedef struct {
  gint32 factor;
  guint n_plus, n_minus;
} CcTapGroup;

/* Tap patterns that have their own kernels, named by n_plus and n_minus of each tap group. The
 * patterns of one line come first. */
typedef enum {
  CC_PATTERN_11,       /* -1 0 1 */
  CC_PATTERN_30,       /* 1 1 1 */
  CC_PATTERN_50,       /* 1 1 1 1 1 */
  CC_PATTERN_20_10,    /* 1 2 1 */
  CC_PATTERN_11_11,    /* -1 -2 0 2 1 */
  CC_PATTERN_20_20_10, /* 1 4 6 4 1 */
  CC_PATTERN_22_11,    /* 3x3 derivatives */
  CC_PATTERN_33,       /* the same with equal weights */
  CC_PATTERN_40_10,    /* centre and four neighbours */
  CC_PATTERN_80_10,    /* centre and eight neighbours */
  CC_PATTERN_40_40_10, /* centre and two kinds of neighbours */
  CC_PATTERN_11_23,    /* emboss */
  CC_PATTERN_ANY,
  CC_N_PATTERNS,
} CcTapPattern;

/* Pairs of matrices that have their own kernels, in terms of the taps t of both. The tap groups
 * give the factors only. The sign of a sum does not matter, because the response takes absolute
 * values. */
typedef enum {
  CC_GRADIENT_OF_FOUR,  /* f0 (t0 - t1) and f0 (t2 - t3) */
  CC_GRADIENT_OF_EIGHT, /* with c = t0 - t1 and d = t2 - t3: f0 (c + d) + f1 (t4 - t5) and
                           f0 (c - d) + f1 (t6 - t7) */
  CC_N_GRADIENTS,       /* or none */
} CcGradient;

/* A sample left or right of the source: a sample of the same row, or a constant. */
typedef struct {
  gint32 index; /* -1 for the constant */
  guint16 constant;
} CcOutside;

/* The output stage in 16-bit integers: base + clamp(((t + offset) mod 2^16) * factor / 2^(16 +
 * right), min, max), where t is 2^k times the plan's t. */
typedef struct {
  guint16 offset, factor, min, max, base;
  guint right;
} CcFinish16;

/* clamp((t + addend) >> right), in 32 bits. */
typedef struct {
  guint right;
  gint32 addend;
} CcFinishBits;

/* The output stage in float, for sums that exceed the precision of float: floor((t >> right) * mul
 * + add). */
typedef struct {
  guint right;
  gfloat mul, add;
} CcFinishShifted;

/* The output stage in float, for sums whose range is small. With the middle of the range at 0,
 * float holds more bits of the fraction: clamp(nearest((t - middle) * mul + add) + base). Product
 * and sum are rounded once. A half goes to the even integer. */
typedef struct {
  gint32 middle, base;
  gfloat mul, add;
} CcFinishCentred;

/* The output stage in double, from sums in three parts: floor(t * mul + add). Product and sum are
 * each rounded. The floor fits 32 bits. */
typedef struct {
  gdouble mul, add;
} CcRequantizeParts;

/* The constants of all variants of the output stage. */
typedef struct {
  gint lo, hi;
  guint shift; /* of the stored word */
  /* floating point, as in CcOp */
  gfloat mul_f, add_f;
  gdouble mul, add;
  gboolean exact_product; /* mul is a power of two: products by it are exact */
  CcFinish16 in_16;
  CcFinishBits bits;
  CcFinishShifted shifted;
  CcFinishCentred centred;
  CcRequantizeParts parts;
} CcFinish;

/* The requantization variants: how t becomes a sample. */
typedef enum {
  CC_REQUANTIZE_NONE,    /* none: the kernel stores sums */
  CC_REQUANTIZE_16,      /* from 16 bits, all in 16 bits */
  CC_REQUANTIZE_F32,     /* v = fmaf(t, mul_f, add_f) */
  CC_REQUANTIZE_BITS,    /* from 32 bits, by a shift */
  CC_REQUANTIZE_SHIFTED, /* from 32 bits, in float without the lowest bits */
  CC_REQUANTIZE_CENTRED, /* from 32 bits, in float around the middle; for column sums of boxes */
  CC_REQUANTIZE_PARTS,   /* from sums in three parts, in double */
  CC_REQUANTIZE_F64,     /* v = fma(t, mul, add) */
  CC_REQUANTIZE_TURNS,   /* v as in F32; the result is taken modulo hi + 1 */
  CC_N_FINISHES,
} CcRequantizationVariant;

/* How sums become t. */
typedef enum {
  CC_REDUCE_MAX,
  CC_REDUCE_MAX_ABS,
  CC_REDUCE_SUM_ABS,
  CC_REDUCE_NORM, /* in float, from lanes of up to 32 bits */
  CC_REDUCE_NORM_DOUBLE,
  CC_REDUCE_TURNS, /* float */
  CC_N_REDUCES,
} CcReduce;

/* Prefetch plan of one kernel call. Prefetches of upcoming rows are spread over the loop, because
 * issuing them all at once would stall. A target that exceeds the caches is not prefetched. It is
 * written with non-temporal stores. */
#define CC_MAX_AHEAD 8
#define CC_CACHE_LINE 64
typedef struct {
  guint n;
  struct {
    const guint8 *at; /* the cache line that belongs to sample 0 */
    gsize bytes;      /* to advance for each sample */
  } line[CC_MAX_AHEAD];
  gboolean streams; /* non-temporal stores; rows of the target begin at cache lines */
} CcAhead;

/* Prefetches the lines that belong to CC_CACHE_LINE samples from number x on, if x is a multiple of
 * CC_CACHE_LINE. Unrolled, because a loop would cost more than the prefetches. */
static inline __attribute__((always_inline)) void
cc_look_ahead(const CcAhead *ahead, gsize x) {
#define PREFETCH(i)                                                                                \
  if (ahead->n <= (i))                                                                             \
    return;                                                                                        \
  __builtin_prefetch(ahead->line[i].at + x * ahead->line[i].bytes);
  if (x % CC_CACHE_LINE != 0)
    return;
  PREFETCH(0)
  PREFETCH(1)
  PREFETCH(2)
  PREFETCH(3)
  PREFETCH(4)
  PREFETCH(5)
  PREFETCH(6)
  PREFETCH(7)
#undef PREFETCH
}

/* Loads every spacing-th sample of src into n lanes, shifted right by `shift`. spacing is 1 to
 * CC_MAX_COMPONENTS. */
typedef void (*CcLoadFunc)(gpointer row, gconstpointer src, guint spacing, guint n, guint shift);

/* Makes lanes for n samples outside the source. src is sample 0 of the row. */
typedef void (*CcExtendFunc)(gpointer row, gconstpointer src, const CcOutside *outside, guint n,
                             guint shift);

/* Sums of tap groups over n lanes. taps are aligned to a lane, out to CC_ROW_ALIGN. Kernels of a
 * known pattern ignore n_groups. */
typedef void (*CcSumFunc)(gpointer out, const CcTapGroup *group, guint n_groups,
                          const gconstpointer *taps, guint n);

/* Makes bytes directly from taps, which are bytes or rows of split sums (from sum_split, in an
 * order that only these kernels know). Computes the sum, its absolute value in the kernels for
 * that, and CC_REQUANTIZE_16. For a gradient it computes both sums, the reduction and the output
 * stage, which for the norm is CC_REQUANTIZE_F32. */
typedef void (*CcApplyFunc)(guint8 *dst, const CcTapGroup *group, const gconstpointer *taps,
                            guint n, const CcFinish *finish, const CcAhead *ahead);

/* Makes t from the sums of n_sums >= 1 matrices. */
typedef void (*CcReduceFunc)(gpointer t, const gconstpointer *sums, guint n_sums, guint n);

/* Makes samples from t. */
typedef void (*CcFinishFunc)(gpointer dst, gconstpointer t, guint n, const CcFinish *finish);

/* Merges filtered samples, samples of src, samples that dst has, and filled ones into dst, by the
 * masks. */
typedef void (*CcMergeFunc)(guint8 *dst, const guint8 *filtered, const guint8 *src,
                            const CcMasks *masks, gsize n_bytes);

/* Copies the first of every stride (2 or 4) pixels of src, n >= 1 pixels in all. */
typedef void (*CcThinFunc)(guint8 *dst, const guint8 *src, guint n);

/* Interleaves n samples of each part. Parts may be the same row. */
typedef void (*CcJoinFunc)(gpointer dst, const gconstpointer parts[], guint n_parts, guint n);

/* Makes the luma of n pixels as stored words, from stored words of red, green and blue. `spacing`
 * is the distance of pixels in samples. */
typedef void (*CcLumaFunc)(gpointer dst, const gconstpointer rgb[3], guint spacing, guint n,
                           guint shift);

/* Makes the color indices of n gradients, as cc_hue_index defines them. */
typedef void (*CcDirectionColorFunc)(guint8 *index, gconstpointer x_sums, gconstpointer y_sums,
                                     guint n, gfloat add);

/* --- dot products of several neighbours, on dot groups: see dot_products.h --- */

/* What a dot group consists of. */
typedef enum {
  CC_DOT_BYTES,   /* four bytes */
  CC_DOT_CENTRED, /* four signed bytes: samples less 128; the taps are unsigned */
  CC_DOT_WIDENED, /* two words, from samples that are bytes */
  CC_DOT_WORDS,   /* two words */
  CC_N_DOT_KINDS,
} CcDotKind;

/* Makes vertical dot groups from the samples of two or four rows. Each dot group is XORed with
 * `flip`. */
typedef void (*CcDotGroupFunc)(gpointer groups, const gconstpointer *lines, guint n, gint32 flip);

/* Makes as many rows of sums or samples as a dot group has elements. Row i is start + the sum over
 * g < n_groups of dot group g times taps[g * rows + i]. Sums may be written behind the end of a
 * row. */
typedef void (*CcConv2dFunc)(gpointer const *rows, const gconstpointer *groups, const gint32 *taps,
                             guint n_groups, guint n, gint32 start, const CcFinish *finish,
                             const CcAhead *ahead);

/* The largest number of words that a horizontal sum is split into. */
#define CC_MAX_PARTS 3

/* With three parts, the first two have CC_PART_BITS bits each; the third begins at bit
 * CC_HIGH_BITS. */
#define CC_PART_BITS 11
#define CC_HIGH_BITS (2 * CC_PART_BITS)

/* Horizontal sums and how they are split into words. Sums of three parts may exceed 32 bits. They
 * are computed in pieces that fit 32 bits. If taps are split instead of sums, `taps` and `start`
 * are the high parts. */
#define CC_MAX_PIECES 8
typedef struct {
  const gint32 *taps;
  guint n_groups;
  guint n_pairs;                  /* of taps */
  guint n_pieces;                 /* n_pieces and piece_end: with three parts only */
  guint piece_end[CC_MAX_PIECES]; /* the dot group behind the last one of a piece */
  guint step;                     /* samples between the elements of a dot group */
  gsize stride;                   /* bytes from a dot group to the next */
  guint8 order[64];               /* shuffle indices that gather the bytes of dot groups */
  gint32 flip;                    /* XOR mask that makes samples signed */
  gint32 start;                   /* initial value of sums */
  guint low_bits;                 /* of each word but the last */
  const gint32 *low_taps;         /* low parts of taps, signed; for horizontal_split only */
  gint32 low_start;
} CcHorizontal;

/* Makes the words of each part of the horizontal sums of two rows. The first row goes to the low
 * halves, the second to the high halves of the lanes. The rows are read from the sample of the
 * first tap on. */
typedef void (*CcHorizontalFunc)(gint32 *const *parts, const gconstpointer *lines,
                                 const CcHorizontal *horizontal, guint n);

/* Vertical sums for two rows of results. */
typedef struct {
  const gint32 *taps; /* two for each dot group */
  guint n_groups;
  gint32 start[CC_MAX_PARTS]; /* by part */
  guint low_bits;
  gboolean drops_low; /* only the carry of the low bits is kept */
} CcVertical;

/* Makes two rows of sums or samples from dot groups; the parts of a dot group follow one another.
 * Sums may be written behind the end of a row. */
typedef void (*CcVerticalFunc)(gpointer const *rows, const gconstpointer *groups,
                               const CcVertical *vertical, guint n, const CcFinish *finish,
                               const CcAhead *ahead);

/* --- separable sums of bytes, vertical pass first: vertical_first.h --- */

/* Two byte taps, repeated in each word of the widest vector. */
typedef gint32 CcWideTaps[16];

/* Vertical sums: makes two rows of lanes, of two words each, from dot groups of two rows. The words
 * are sums of samples less 128, one by the low parts and one by the high parts of the taps. */
typedef struct {
  const CcWideTaps *taps; /* for each group, by result row and part */
  guint n_groups;
  gint16 start[2]; /* initial values of the words, by part */
} CcColumn;
typedef void (*CcColumnFunc)(gpointer const lanes[2], const gconstpointer *groups,
                             const CcColumn *column, guint n);

/* Horizontal sums: makes a row of sums or samples from a row of lanes. A result is start + the sum
 * over t of lane x + (t - n_taps / 2) * step times taps[t]. A tap is two words, one for each word
 * of the lane. Sums may be written behind the end of a row. */
typedef struct {
  const gint32 *taps;
  guint n_taps, step;
  gint32 start;
} CcRow;
typedef void (*CcRowFunc)(gpointer dst, const gint32 *lanes, const CcRow *row, guint n,
                          const CcFinish *finish, const CcAhead *ahead);

/* sums[i] += in[i] - out[i]. Some kernels also make samples from the new sums. */
typedef void (*CcSlideFunc)(gpointer sums, gconstpointer in, gconstpointer out, guint n,
                            gpointer dst, const CcFinish *finish, const CcAhead *ahead);

/* Column sums of boxes: column_sums.h. Keeps a vertical sum for each sample of a row: adds the
 * entering row, subtracts the leaving row. */
typedef void (*CcColumnsFunc)(gpointer columns, gconstpointer in, gconstpointer out, gsize n_bytes);

/* The same, then makes n samples, each from `factor` times the sum of a window. Pointers are to the
 * last column of the first window; earlier columns are read as far as the first window needs. The
 * output stage is CC_REQUANTIZE_16 for bytes, and CC_REQUANTIZE_CENTRED with factor 1 for words. */
typedef void (*CcColumnSumsFunc)(gpointer columns, gconstpointer in, gconstpointer out, guint n,
                                 guint8 *dst, const CcFinish *finish, gint32 factor,
                                 const CcAhead *ahead);
#define CC_MAX_BOX_RADIUS 7

#define CC_MAX_PIXEL_BYTES (2 * CC_MAX_COMPONENTS)

/* --- the tables: one for each use; an instruction set fills in its fastest kernels --- */

/* Conversion of rows to and from lanes, and (de)interleaving. */
typedef struct {
  CcLoadFunc load[2][CC_N_LANES]; /* by sample type */
  CcExtendFunc extend[2][CC_N_LANES];
  CcMergeFunc merge;
  CcThinFunc thin[2][CC_MAX_PIXEL_BYTES + 1]; /* for stride 2 and 4, by the bytes of a pixel */
  CcJoinFunc join[2];                         /* by sample type */
  CcLumaFunc luma[2];
} CcSampleKernels;

/* The output stage. */
typedef struct {
  CcReduceFunc reduce[CC_N_REDUCES][CC_N_LANES];
  CcFinishFunc finish[2][CC_N_FINISHES][CC_N_NUMBERS]; /* by sample type; NULL: none */
  CcDirectionColorFunc direction_color[CC_N_LANES];    /* by lane of the sums; NULL: none */
} CcOutputKernels;

/* Sums of tap groups. NULL: no such kernel. */
typedef struct {
  CcSumFunc sum[CC_N_LANES][CC_N_PATTERNS]; /* by lane of the taps */
  CcSumFunc sum_split[CC_N_PATTERNS];       /* split sums of bytes */
  /* split sums of macropixels: the taps are n for even samples, then n for odd ones */
  CcSumFunc sum_pairs[CC_N_PATTERNS];
  CcApplyFunc apply[CC_N_LANES][CC_N_PATTERNS][2]; /* by lane of the taps; second: absolute value */
  CcApplyFunc apply_gradient[CC_N_GRADIENTS][CC_N_REDUCES];
} CcTapGroupKernels;

/* Boxes. The kernels of column sums are NULL if there are none. */
typedef struct {
  CcSlideFunc slide[2][CC_N_FINISHES][2]; /* by sample type, then for sums of 16 and of 32 bits */
  CcColumnsFunc add_columns[2];           /* by sample type */
  /* by sample type, then by the samples of a pixel and the radius, both from 1 */
  CcColumnSumsFunc make_columns[2][CC_MAX_COMPONENTS][CC_MAX_BOX_RADIUS];
} CcBoxKernels;

/* Dot products for conv2d. */
typedef struct {
  CcDotGroupFunc group[CC_N_DOT_KINDS];  /* NULL: no instruction multiplies bytes */
  CcConv2dFunc sum[2][2][CC_N_FINISHES]; /* of words and of bytes, then by sample type */
} CcConv2dKernels;

/* Dot products for the horizontal pass, then for the vertical pass. */
typedef struct {
  CcHorizontalFunc horizontal[CC_N_DOT_KINDS][CC_MAX_PARTS]; /* for one, two and three parts */
  CcHorizontalFunc horizontal_split; /* of bytes, for two parts, by split taps; NULL: none */
  gboolean order_is_whole;           /* CcHorizontal.order indexes 64 bytes, not each 16 of them */
  /* by sample type, variant and parts; CC_REQUANTIZE_PARTS and three parts go together */
  CcVerticalFunc vertical[2][CC_N_FINISHES][CC_MAX_PARTS];
} CcSeparableKernels;

/* Dot products for the vertical pass, then for the horizontal pass. */
typedef struct {
  CcDotGroupFunc interleave_rows;
  CcColumnFunc column, column_of_three;
  CcRowFunc row[CC_N_FINISHES];
} CcVerticalFirstKernels;

typedef struct {
  const CcSampleKernels *samples;
  const CcOutputKernels *output;
  const CcTapGroupKernels *tap_groups;
  const CcBoxKernels *box;
  const CcConv2dKernels *conv2d;
  const CcSeparableKernels *separable;
  const CcVerticalFirstKernels *vertical_first; /* NULL: none */
  gboolean has_dot_of_four;                     /* an instruction multiplies and adds four bytes */
  gint max_byte_taps; /* the largest |tap| + |next tap| that two byte products may have */
} CcRows;

extern const CcRows cc_rows_c;
#ifdef CC_HAVE_X86_VARIANTS
extern const CcRows cc_rows_avx2;
extern const CcRows cc_rows_avxvnni;
extern const CcRows cc_rows_avx512;
extern const CcRows cc_rows_avx512vnni;
#endif

G_END_DECLS
