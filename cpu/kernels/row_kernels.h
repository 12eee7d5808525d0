/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The row kernels are the code that computes samples. row_kernels.c is compiled once for each
 * instruction set. Each compilation gives one table of kernels. The kernels of all tables give the
 * same bytes.
 *
 * A row has `n` interleaved samples (width times step). The left neighbour of a sample lies `step`
 * samples before it, so most kernels do not depend on the number of components of a pixel. A sweep
 * (cpu/sweep.h) stores samples and sums as "lanes": numbers of the narrowest type that the plan's
 * bounds allow. */

#include <glib.h>
#include "engine/plan/plan.h"

G_BEGIN_DECLS

typedef enum {
  CC_LANE_16, /* integers modulo 2^16 */
  CC_LANE_32, /* integers modulo 2^32 */
  CC_LANE_64,
  CC_LANE_8,      /* samples of one byte, as stored; sums never have this type */
  CC_LANE_DOUBLE, /* integers up to 2^53 */
  CC_N_LANES,
} CcLane;

/* The type of t, the input of the output stage. All types except FLOAT are also lane types of
 * sums. */
typedef enum {
  CC_NUMBER_16 = CC_LANE_16,
  CC_NUMBER_32 = CC_LANE_32,
  CC_NUMBER_64 = CC_LANE_64,
  CC_NUMBER_FLOAT,
  CC_NUMBER_DOUBLE = CC_LANE_DOUBLE,
  CC_N_NUMBERS,
} CcNumber;

/* Rows of lanes are aligned to CC_ROW_ALIGN bytes. Kernels may read and write up to CC_ROW_SLACK
 * bytes past the end of a row. */
#define CC_ROW_ALIGN 64
#define CC_ROW_SLACK 256

static inline gsize
cc_row_align(gsize n_bytes) {
  return (n_bytes + CC_ROW_ALIGN - 1) / CC_ROW_ALIGN * CC_ROW_ALIGN;
}

/* Masks of components repeat after this many bytes, whatever the step and the sample size are. */
#define CC_MASK_PERIOD 192

/* How each byte of a row is made. For each byte, at most one of filter, copy and keep is 0xff and
 * the others are 0. If all three are 0, the byte is set to `fill`. */
typedef struct {
  guint8 filter[CC_MASK_PERIOD], copy[CC_MASK_PERIOD], keep[CC_MASK_PERIOD], fill[CC_MASK_PERIOD];
  gboolean keeps; /* whether any byte is kept */
} CcMasks;

/* Taps whose coefficients have the same absolute value: factor * (sum of the first n_plus taps -
 * sum of the next n_minus taps). n_plus >= 1. */
typedef struct {
  gint32 factor;
  guint n_plus, n_minus;
} CcTapGroup;

/* Tap patterns that have their own kernels, named by n_plus and n_minus of each tap group. Patterns
 * whose taps lie in one row or column come first. */
typedef enum {
  CC_PATTERN_11,       /* -1 0 1 */
  CC_PATTERN_30,       /* 1 1 1 */
  CC_PATTERN_50,       /* 1 1 1 1 1 */
  CC_PATTERN_20_10,    /* 1 2 1 */
  CC_PATTERN_11_11,    /* -1 -2 0 2 1 */
  CC_PATTERN_20_20_10, /* 1 4 6 4 1 */
  CC_PATTERN_22_11,    /* 3x3 derivatives */
  CC_PATTERN_33,       /* 3x3 derivatives with equal weights */
  CC_PATTERN_40_10,    /* centre, and four neighbours of equal weight */
  CC_PATTERN_80_10,    /* centre, and eight neighbours of equal weight */
  CC_PATTERN_40_40_10, /* centre, and two groups of four neighbours */
  CC_PATTERN_11_23,    /* emboss */
  CC_PATTERN_ANY,
  CC_N_PATTERNS,
} CcTapPattern;

/* Pairs of matrices that have their own kernels. The formulas are the sums of both matrices; t0,
 * t1... are taps and f0, f1 are the factors of the tap groups. The kernels ignore n_plus and
 * n_minus. The sign of a sum does not matter, because the response uses the absolute value or the
 * square. */
typedef enum {
  CC_GRADIENT_OF_FOUR,  /* f0 (t0 - t1) and f0 (t2 - t3) */
  CC_GRADIENT_OF_EIGHT, /* with c = t0 - t1 and d = t2 - t3: f0 (c + d) + f1 (t4 - t5) and
                           f0 (c - d) + f1 (t6 - t7) */
  CC_N_GRADIENTS,       /* number of kinds; as a value: the matrices are not such a pair */
} CcGradient;

/* Where the value of a sample left or right of the source comes from: a sample of the same row, or
 * a constant. */
typedef struct {
  gint32 index; /* offset in the row; -1: use `constant` */
  guint16 constant;
} CcOutside;

/* The output stage in 16-bit integers: base + clamp(((t + offset) mod 2^16) * factor / 2^(16 +
 * right), min, max). Here t is the plan's t times 2^CcOutput.left. */
typedef struct {
  guint16 offset, factor, min, max, base;
  guint right;
} CcFinish16;

/* The output stage in 32-bit integers: clamp((t + addend) >> right). */
typedef struct {
  guint right;
  gint32 addend;
} CcFinishBits;

/* The output stage in float: clamp(floor((t >> right) * mul + add)). The shift drops low bits of t.
 * If float holds t exactly, `right` may be 0. */
typedef struct {
  guint right;
  gfloat mul, add;
} CcFinishShifted;

/* The output stage in float, for sums whose range is small: clamp(nearest((t - middle) * mul + add)
 * + base). Because the middle of the range moves to 0, float holds more bits of the fraction.
 * Product and sum are rounded together, once. `nearest` rounds a half to the even integer. */
typedef struct {
  gint32 middle, base;
  gfloat mul, add;
} CcFinishCentred;

/* The output stage in double, from sums in three parts: floor(t * mul + add). The product is
 * rounded, then the sum. The result of floor fits 32 bits. */
typedef struct {
  gdouble mul, add;
} CcRequantizeParts;

typedef struct {
  gint lo, hi;
  guint shift; /* the stored word is the code value shifted left by this number of bits */
  /* constants in floating point, as in CcOp */
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
  CC_REQUANTIZE_NONE,    /* no output stage: the kernel stores sums */
  CC_REQUANTIZE_16,      /* from 16-bit sums, in 16-bit integers: CcFinish16 */
  CC_REQUANTIZE_F32,     /* v = fmaf(t, mul_f, add_f) */
  CC_REQUANTIZE_BITS,    /* from 32-bit sums, by a shift: CcFinishBits */
  CC_REQUANTIZE_SHIFTED, /* from 32-bit sums, in float without the lowest bits: CcFinishShifted */
  CC_REQUANTIZE_CENTRED, /* from 32-bit sums of column-sum kernels, in float: CcFinishCentred */
  CC_REQUANTIZE_PARTS,   /* from sums in three parts, in double: CcRequantizeParts */
  CC_REQUANTIZE_F64,     /* v = fma(t, mul, add) */
  CC_REQUANTIZE_TURNS,   /* v as in CC_REQUANTIZE_F32; the result is taken modulo hi + 1 */
  CC_N_FINISHES,
} CcRequantizationVariant;

/* How sums become t. */
typedef enum {
  CC_REDUCE_MAX,
  CC_REDUCE_MAX_ABS,
  CC_REDUCE_SUM_ABS,
  CC_REDUCE_NORM, /* in float, from lanes of up to 32 bits */
  CC_REDUCE_NORM_DOUBLE,
  CC_REDUCE_TURNS, /* in float */
  CC_N_REDUCES,
} CcReduce;

/* The prefetches of one kernel call. Prefetches of upcoming rows are spread over the loop, because
 * issuing them all at once would stall. A target that is written with non-temporal stores is not
 * prefetched. */
#define CC_MAX_AHEAD 8
#define CC_CACHE_LINE 64
typedef struct {
  guint n;
  struct {
    const guint8 *at; /* the cache line that belongs to sample 0 */
    gsize bytes;      /* bytes to advance for each sample */
  } line[CC_MAX_AHEAD];
  /* use non-temporal stores; requires that rows of the target begin at cache lines */
  gboolean streams;
} CcAhead;

/* If x is a multiple of CC_CACHE_LINE, prefetches the cache lines that belong to the CC_CACHE_LINE
 * samples from number x on. The loop is unrolled, because loop control would cost more than the
 * prefetches. */
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

/* Makes lanes for n samples outside the source. `src` points to sample 0 of the row. */
typedef void (*CcExtendFunc)(gpointer row, gconstpointer src, const CcOutside *outside, guint n,
                             guint shift);

/* Computes sums of tap groups over n lanes. `taps` are aligned to a lane, `out` to CC_ROW_ALIGN.
 * Kernels for a certain pattern ignore n_groups. */
typedef void (*CcSumFunc)(gpointer out, const CcTapGroup *group, guint n_groups,
                          const gconstpointer *taps, guint n);

/* Makes bytes directly from taps. The taps are bytes, or rows of split sums that sum_split or
 * sum_pairs made (see byte_sums.h for their order). A kernel for a gradient computes both sums and
 * reduces them. The output stage is CC_REQUANTIZE_F32 for the norm of a gradient, otherwise
 * CC_REQUANTIZE_16. */
typedef void (*CcApplyFunc)(guint8 *dst, const CcTapGroup *group, const gconstpointer *taps,
                            guint n, const CcFinish *finish, const CcAhead *ahead);

/* Makes t from the sums of n_sums >= 1 matrices. */
typedef void (*CcReduceFunc)(gpointer t, const gconstpointer *sums, guint n_sums, guint n);

typedef void (*CcFinishFunc)(gpointer dst, gconstpointer t, guint n, const CcFinish *finish);

/* Writes a row of dst as the masks say: each byte is taken from `filtered`, copied from `src`,
 * kept, or filled. */
typedef void (*CcMergeFunc)(guint8 *dst, const guint8 *filtered, const guint8 *src,
                            const CcMasks *masks, gsize n_bytes);

/* Copies n >= 1 pixels: the first of every 2 or 4 (stride) pixels of src. */
typedef void (*CcThinFunc)(guint8 *dst, const guint8 *src, guint n);

/* Interleaves n samples of each part. Several parts may point to the same row. */
typedef void (*CcJoinFunc)(gpointer dst, const gconstpointer parts[], guint n_parts, guint n);

/* Computes the luma of n pixels from red, green and blue. Reads and writes stored samples.
 * `spacing` is the distance of pixels in samples. If it is 3 or 4, the samples of a pixel are
 * neighbours. */
typedef void (*CcLumaFunc)(gpointer dst, const gconstpointer rgb[3], guint spacing, guint n,
                           guint shift);

/* Computes the color indices of n gradients. cc_hue_index defines the index. */
typedef void (*CcDirectionColorFunc)(guint8 *index, gconstpointer x_sums, gconstpointer y_sums,
                                     guint n, gfloat add);

/* --- compose: engine/plan/compose_shared.h --- */

/* A parameter for each sample of a row, as stored words. It repeats after CC_MASK_PERIOD bytes. The
 * kernels load a period that begins at any sample of a vector. */
#define CC_ROW_PARAMETER_BYTES (CC_MASK_PERIOD + CC_CACHE_LINE)
#define CC_ROW_PARAMETER(name)                                                                     \
  union {                                                                                          \
    guint8 name##_u8[CC_ROW_PARAMETER_BYTES];                                                      \
    guint16 name##_u16[CC_ROW_PARAMETER_BYTES / 2];                                                \
  }

typedef struct {
  gint mix;
  gint max; /* the largest code value */
  guint shift;
  guint lo, hi, whole, part; /* of CcOverlay */
} CcComposeScalars;

/* All bits of `keep` are set for a sample that neither a point operation nor an overlay changes.
 * Its other parameters are 0. All bits of `unmixed` are set for a sample that is not mixed. */
typedef struct {
  CC_ROW_PARAMETER(keep);
  CC_ROW_PARAMETER(limit);
  CC_ROW_PARAMETER(above);
  CC_ROW_PARAMETER(below);
  CC_ROW_PARAMETER(sum);
  CC_ROW_PARAMETER(unmixed);
  CC_ROW_PARAMETER(color); /* a code value */
  CcComposeScalars scalars;
} CcComposeRow;

/* Composes n samples of a row. `out` may be `row`. `streams`: with non-temporal stores. */
typedef void (*CcPointFunc)(gpointer out, gconstpointer row, const CcComposeRow *params, guint n,
                            gboolean streams);
typedef void (*CcMixFunc)(gpointer out, gconstpointer row, gconstpointer source,
                          const CcComposeRow *params, guint n, gboolean streams);

/* Computes cc_overlay_strength of n stored samples. Strengths have the size of samples. */
typedef void (*CcStrengthFunc)(gpointer strengths, gconstpointer row, const CcComposeRow *params,
                               guint n);

/* Computes the means, rounded half up, of the two pairs of strengths at 2i in two rows. */
typedef void (*CcMeanFunc)(gpointer mean, gconstpointer row, gconstpointer next, guint n);

/* Sets n samples of a row in place to cc_overlay_blend of the source. There is a strength for each
 * sample. */
typedef void (*CcBlendFunc)(gpointer row, gconstpointer source, gconstpointer strengths,
                            const CcComposeRow *params, guint n);

/* Makes the products and weights of n pixels of four samples. Sample number `alpha` is the alpha.
 */
typedef void (*CcPremultiplyFunc)(guint16 *products, gconstpointer row, guint alpha, guint n);

/* Sets the samples of n pixels that `colors` has a bit for to quotients, unless the weight is 0. */
typedef void (*CcDivideFunc)(gpointer row, const guint16 *products, guint alpha, guint colors,
                             guint n);

/* --- Canny's edges: engine/plan/canny_shared.h --- */

/* Computes n magnitudes of gradients (x, y), which it first rounds (cc_canny_round). */
typedef void (*CcMagnitudeFunc)(gpointer magnitude, gpointer x, gpointer y, guint n, guint bits,
                                gboolean is_l2);

/* Computes n gradients and magnitudes |x| + |y| from three rows of bytes. The matrices have
 * `corner` in the corners and `side` in the middle of the sides. */
typedef void (*CcGradientFunc)(gint16 *magnitude, gint16 *x, gint16 *y, const guint8 *const rows[3],
                               gint corner, gint side, guint n);

/* Rows of lanes around the row of the pixels: the magnitudes of the rows above, of the row, and
 * below, and the gradients. The magnitude of the gradient 0 is 0. Magnitudes are 0 before and after
 * the row. They can be read from -1 on, and all rows up to the next multiple of 64, and one more.
 */
typedef struct {
  gconstpointer magnitude[3], x, y;
  gint64 low, high; /* fit the lane */
} CcCannyRows;

/* Sets the bits of the n pixels of a row that are weak and strong, in words of 64 pixels. */
typedef void (*CcSuppressFunc)(guint64 *weak, guint64 *strong, const CcCannyRows *rows, guint n);

/* Makes n samples of one byte from bits. */
typedef void (*CcPaintFunc)(guint8 *row, const guint64 *bits, guint n, guint8 black, guint8 white);

/* --- measuring: engine/plan/measure_shared.h --- */

/* Adds the figures of n_rows rows of n stored samples, without bins. */
typedef void (*CcMeasureFunc)(CcMeasured *to, const CcMeasureLimits *limits, const guint8 *rows,
                              gssize pitch, guint n, guint n_rows, guint shift);

/* Adds n_rows rows of n stored samples to the bins: words shifted right by `shift`, and bytes as
 * they are. */
typedef void (*CcBinsFunc)(guint64 *bins, const guint8 *rows, gssize pitch, guint n, guint n_rows,
                           guint shift);

/* --- dot products of several neighbours, on dot groups: see dot_products.h --- */

/* The elements of a dot group. */
typedef enum {
  CC_DOT_BYTES,   /* four bytes */
  CC_DOT_CENTRED, /* four signed bytes, each a sample minus 128; the taps are unsigned */
  CC_DOT_WIDENED, /* two words, each a sample of one byte */
  CC_DOT_WORDS,   /* two words */
  CC_N_DOT_KINDS,
} CcDotKind;

/* Makes vertical dot groups: each has the samples of two or four rows at one position. The kernel
 * for CC_DOT_WORDS XORs each dot group with `flip`. The other kernels ignore `flip`. */
typedef void (*CcDotGroupFunc)(gpointer groups, const gconstpointer *lines, guint n, gint32 flip);

/* Computes R rows of sums or samples, where R is the number of elements of a dot group. Row i is
 * start + the sum over all g < n_groups of (dot group g) * taps[g * R + i]. Sums may be written
 * past the end of a row. */
typedef void (*CcConv2dFunc)(gpointer const *rows, const gconstpointer *groups, const gint32 *taps,
                             guint n_groups, guint n, gint32 start, const CcFinish *finish,
                             const CcAhead *ahead);

/* A horizontal sum is split into at most this many words. The words are its parts. */
#define CC_MAX_PARTS 3

/* If a sum is split into three parts, the first two have CC_PART_BITS bits each. The third has the
 * bits from CC_HIGH_BITS on. */
#define CC_PART_BITS 11
#define CC_HIGH_BITS (2 * CC_PART_BITS)

/* The horizontal sums of a matrix, and how each sum is split into words. Sums of three parts may
 * exceed 32 bits, so they are computed in pieces that fit 32 bits. A piece is the sum of some of
 * the dot groups. If the taps are split instead of the sums, `taps` and `start` belong to the high
 * parts of the taps. */
#define CC_MAX_PIECES 8
typedef struct {
  const gint32 *taps;
  guint n_groups;
  guint n_pairs;
  /* n_pieces and piece_end are set only with three parts */
  guint n_pieces;
  /* number of the dot group after the last dot group of each piece */
  guint piece_end[CC_MAX_PIECES];
  guint step; /* samples between the elements of a dot group */
  /* bytes from one dot group to the next dot group of the same sum */
  gsize stride;
  guint8 order[64];       /* shuffle indices that gather the bytes of dot groups */
  gint32 flip;            /* XOR mask that makes samples signed */
  gint32 start;           /* initial value of sums */
  guint low_bits;         /* bits of each word except the last word */
  const gint32 *low_taps; /* low parts of taps, signed; set only for horizontal_split */
  gint32 low_start;
} CcHorizontal;

/* Computes the horizontal sums of two rows and splits them into words. parts[p] gets a row of lanes
 * with part p of the sums: the first row in the low halves, the second row in the high halves.
 * `lines` point to the sample of the first tap of the first sum. */
typedef void (*CcHorizontalFunc)(gint32 *const *parts, const gconstpointer *lines,
                                 const CcHorizontal *horizontal, guint n);

/* The vertical sums for two result rows. */
typedef struct {
  const gint32 *taps; /* two lanes of taps for each dot group: one for each result row */
  guint n_groups;
  gint32 start[CC_MAX_PARTS]; /* initial value of sums, by part */
  guint low_bits;
  gboolean drops_low; /* sums lack their low_bits lowest bits, of which only the carry is used */
} CcVertical;

/* Computes two rows of sums or samples from dot groups. `groups` has the rows of all parts of the
 * first dot group, then those of the second, and so on. Sums may be written past the end of a
 * row. */
typedef void (*CcVerticalFunc)(gpointer const *rows, const gconstpointer *groups,
                               const CcVertical *vertical, guint n, const CcFinish *finish,
                               const CcAhead *ahead);

/* --- separable sums of bytes, vertical pass first: vertical_first.h --- */

/* Two taps of one byte each, repeated in every word of the widest vector. */
typedef gint32 CcWideTaps[16];

/* A vertical pass computes two rows of lanes from dot groups of two source rows. A lane has two
 * words. One word is the sum of (sample - 128) times the low parts of the taps, the other the sum
 * with the high parts. column_of_three of vertical_first.h reads and writes other data. */
typedef struct {
  const CcWideTaps *taps; /* taps of each dot group, by result row and part */
  guint n_groups;
  gint16 start[2]; /* initial value of the word of each part */
} CcColumn;
typedef void (*CcColumnFunc)(gpointer const lanes[2], const gconstpointer *groups,
                             const CcColumn *column, guint n);

/* A horizontal pass computes a row of sums or samples from a row of lanes. Result x is start + the
 * sum over all t of (lane number x + (t - n_taps / 2) * step) * taps[t]. A tap has two words, one
 * for each word of the lane. Sums may be written past the end of a row. */
typedef struct {
  const gint32 *taps;
  guint n_taps, step;
  gint32 start;
} CcRow;
typedef void (*CcRowFunc)(gpointer dst, const gint32 *lanes, const CcRow *row, guint n,
                          const CcFinish *finish, const CcAhead *ahead);

/* Computes sums[i] += in[i] - out[i]. Some kernels also compute samples from the new sums. */
typedef void (*CcSlideFunc)(gpointer sums, gconstpointer in, gconstpointer out, guint n,
                            gpointer dst, const CcFinish *finish, const CcAhead *ahead);

/* Column sums of boxes (column_sums.h). `columns` has a vertical sum for each sample of a row. The
 * kernel adds the row `in` to the sums and subtracts the row `out`. */
typedef void (*CcColumnsFunc)(gpointer columns, gconstpointer in, gconstpointer out, gsize n_bytes);

/* Updates the column sums like CcColumnsFunc. Then computes n samples, each from `factor` times the
 * sum of a window. `columns`, `in` and `out` point to the last column of the first window. Earlier
 * columns of the first window are read too. The output stage is CC_REQUANTIZE_16 for bytes, and
 * CC_REQUANTIZE_CENTRED with factor 1 for words. */
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
  CcThinFunc thin[2][CC_MAX_PIXEL_BYTES + 1]; /* by stride (2, then 4) and bytes of a pixel */
  CcJoinFunc join[2];                         /* by sample type */
  CcLumaFunc luma[2];
} CcSampleKernels;

typedef struct {
  CcReduceFunc reduce[CC_N_REDUCES][CC_N_LANES];
  CcFinishFunc finish[2][CC_N_FINISHES][CC_N_NUMBERS]; /* by sample type; NULL: no such kernel */
  /* by lane of the sums; NULL: no such kernel */
  CcDirectionColorFunc direction_color[CC_N_LANES];
} CcOutputKernels;

typedef struct {
  CcPointFunc select[2], invert[2]; /* by sample type, like all members with two entries */
  CcMixFunc mix[2];
  CcStrengthFunc strength[2];
  CcMeanFunc mean[2];
  CcBlendFunc blend[2];
} CcComposeKernels;

typedef struct {
  CcPremultiplyFunc premultiply[2]; /* by sample type */
  CcDivideFunc divide[2];
} CcWeightedKernels;

typedef struct {
  CcMagnitudeFunc magnitude[3]; /* by lane: 16, 32 and 64 bits */
  CcSuppressFunc suppress[3];
  CcGradientFunc gradient; /* for lanes of 16 bits */
  CcPaintFunc paint;
} CcCannyKernels;

typedef struct {
  CcMeasureFunc sums[2]; /* by sample type */
  CcBinsFunc bins[2];
} CcMeasureKernels;

/* NULL: no such kernel. */
typedef struct {
  CcSumFunc sum[CC_N_LANES][CC_N_PATTERNS]; /* by lane of the taps */
  CcSumFunc sum_split[CC_N_PATTERNS];       /* split sums of bytes */
  /* Split sums of macropixels. `taps` has the N taps of the pattern for even samples, then N taps
   * for odd samples. */
  CcSumFunc sum_pairs[CC_N_PATTERNS];
  /* by lane of the taps, pattern, and whether the absolute value is taken */
  CcApplyFunc apply[CC_N_LANES][CC_N_PATTERNS][2];
  CcApplyFunc apply_gradient[CC_N_GRADIENTS][CC_N_REDUCES];
} CcTapGroupKernels;

/* add_columns and make_columns are NULL if the instruction set has no kernels for column sums. */
typedef struct {
  /* by sample type, variant, and sums of 16, then of 32 bits */
  CcSlideFunc slide[2][CC_N_FINISHES][2];
  CcColumnsFunc add_columns[2]; /* by sample type */
  /* by sample type, samples of a pixel minus 1, and radius minus 1 */
  CcColumnSumsFunc make_columns[2][CC_MAX_COMPONENTS][CC_MAX_BOX_RADIUS];
} CcBoxKernels;

typedef struct {
  CcDotGroupFunc group[CC_N_DOT_KINDS]; /* NULL: no such kernel */
  /* dot groups of words, then of bytes; by sample type and variant */
  CcConv2dFunc sum[2][2][CC_N_FINISHES];
} CcConv2dKernels;

typedef struct {
  /* by kind and number of parts minus 1 */
  CcHorizontalFunc horizontal[CC_N_DOT_KINDS][CC_MAX_PARTS];
  /* sums of bytes in two parts, with split taps; NULL: no such kernel */
  CcHorizontalFunc horizontal_split;
  /* indices in CcHorizontal.order count within 64 bytes; FALSE: within 16 bytes */
  gboolean order_is_whole;
  /* By sample type, variant, and number of parts minus 1. CC_REQUANTIZE_PARTS is used with three
   * parts, and only then. */
  CcVerticalFunc vertical[2][CC_N_FINISHES][CC_MAX_PARTS];
} CcSeparableKernels;

typedef struct {
  CcDotGroupFunc interleave_rows;
  CcColumnFunc column, column_of_three;
  CcRowFunc row[CC_N_FINISHES];
} CcVerticalFirstKernels;

typedef struct {
  const CcSampleKernels *samples;
  const CcOutputKernels *output;
  const CcComposeKernels *compose;
  const CcWeightedKernels *weighted;
  const CcCannyKernels *canny;
  const CcMeasureKernels *measure;
  const CcTapGroupKernels *tap_groups;
  const CcBoxKernels *box;
  const CcConv2dKernels *conv2d;
  const CcSeparableKernels *separable;
  /* NULL if the instruction set has no such kernels */
  const CcVerticalFirstKernels *vertical_first;
  /* one instruction multiplies four bytes and adds the products */
  gboolean has_dot_of_four;
  gint max_byte_taps; /* maximum of |tap| + |next tap| for which two byte products can be added */
} CcRows;

extern const CcRows cc_rows_c;
#ifdef CC_HAVE_X86_VARIANTS
extern const CcRows cc_rows_avx2;
extern const CcRows cc_rows_avxvnni;
extern const CcRows cc_rows_avx512;
extern const CcRows cc_rows_avx512vnni;
#endif

G_END_DECLS
