/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The row kernels: everything that touches samples. row_kernels.c is compiled once for each
 * instruction set and gives one table each; all tables give the same bytes.
 *
 * A row is a stream of `n` interleaved samples (width times step), so that the left neighbour of a
 * sample lies `step` samples before it and no kernel knows how many components a pixel has. Inside
 * the sweep, samples and sums are "lanes", numbers of the type that the plan's bounds allow. */

#include <glib.h>
#include "engine/plan/plan.h"

G_BEGIN_DECLS

typedef enum {
  CC_LANE_16, /* integers modulo 2^16 */
  CC_LANE_32, /* integers modulo 2^32 */
  CC_LANE_64,
  CC_LANE_8,      /* samples of one byte as they are; their sums are 16-bit lanes */
  CC_LANE_DOUBLE, /* integers up to 2^53 */
  CC_N_LANES,
} CcLane;

/* What a number is between the sums and the result; all but FLOAT are the lanes of sums. */
typedef enum {
  CC_NUMBER_16 = CC_LANE_16,
  CC_NUMBER_32 = CC_LANE_32,
  CC_NUMBER_64 = CC_LANE_64,
  CC_NUMBER_FLOAT,
  CC_NUMBER_DOUBLE = CC_LANE_DOUBLE,
  CC_N_NUMBERS,
} CcNumber;

/* Rows of lanes start at this alignment and may be read and written this far beyond their end. */
#define CC_ROW_ALIGN 64
#define CC_ROW_SLACK 256

static inline gsize
cc_row_align(gsize n_bytes) {
  return (n_bytes + CC_ROW_ALIGN - 1) / CC_ROW_ALIGN * CC_ROW_ALIGN;
}

/* Bytes after which what concerns components repeats, for every step and sample size. */
#define CC_MASK_PERIOD 192

/* What becomes of the bytes of a row: exactly one of filter, copy and keep is 0xff, or all are 0
 * and fill is the byte. */
typedef struct {
  guint8 filter[CC_MASK_PERIOD], copy[CC_MASK_PERIOD], keep[CC_MASK_PERIOD], fill[CC_MASK_PERIOD];
  gboolean keeps; /* any */
} CcMasks;

/* Taps that share the absolute value of their coefficient: factor * (sum of the first n_plus taps
 * - sum of the next n_minus). n_plus >= 1. */
typedef struct {
  gint32 factor;
  guint n_plus, n_minus;
} CcTapGroup;

/* Shapes of weighted sums that have kernels of their own: n_plus and n_minus of each term. Those
 * along a line come first. */
typedef enum {
  CC_PATTERN_11,       /* -1 0 1 */
  CC_PATTERN_30,       /* 1 1 1 */
  CC_PATTERN_50,       /* 1 1 1 1 1 */
  CC_PATTERN_20_10,    /* 1 2 1 */
  CC_PATTERN_11_11,    /* -1 -2 0 2 1 */
  CC_PATTERN_20_20_10, /* 1 4 6 4 1 */
  CC_PATTERN_22_11,    /* 3x3 derivatives */
  CC_PATTERN_33,       /* the same without weights */
  CC_PATTERN_40_10,    /* centre and four neighbours */
  CC_PATTERN_80_10,    /* centre and eight neighbours */
  CC_PATTERN_40_40_10, /* centre and two kinds of neighbours */
  CC_PATTERN_11_23,    /* emboss */
  CC_PATTERN_ANY,
  CC_N_PATTERNS,
} CcTapPattern;

/* Two matrices that have kernels of their own, by the taps t of both. Terms carry the factors only.
 * A response that takes absolute values does not tell a sum from one with its sign changed. */
typedef enum {
  CC_GRADIENT_OF_FOUR,  /* f0 (t0 - t1) and f0 (t2 - t3) */
  CC_GRADIENT_OF_EIGHT, /* with c = t0 - t1 and d = t2 - t3: f0 (c + d) + f1 (t4 - t5) and
                           f0 (c - d) + f1 (t6 - t7) */
  CC_N_GRADIENTS,       /* or none */
} CcGradient;

/* A sample left or right of the picture: one of the same row, or a constant. */
typedef struct {
  gint32 index; /* -1 for the constant */
  guint16 constant;
} CcOutside;

/* The last step in integers: base + clamp(((t + offset) mod 2^16) * factor / 2^(16 + right), least,
 * most), all in 16 bits, where t is 2^k times what the plan says. */
typedef struct {
  guint16 offset, factor, min, max, base;
  guint right;
} CcFinish16;

/* clamp((t + addend) >> right), in 32 bits. */
typedef struct {
  guint right;
  gint32 addend;
} CcFinishBits;

/* The last step in float from sums that float does not hold: floor((t >> right) * mul + add). */
typedef struct {
  guint right;
  gfloat mul, add;
} CcFinishShifted;

/* The last step in float from sums that are small once the middle of their range is 0, so that
 * float holds more bits of the fraction: clamp(nearest((t - middle) * mul + add) + base), where
 * product and sum are rounded once, and a half goes to the even integer. */
typedef struct {
  gint32 middle, base;
  gfloat mul, add;
} CcFinishCentred;

/* The last step in double from sums in three parts: floor(t * mul + add), where product and sum are
 * rounded each. The floor fits 32 bits. */
typedef struct {
  gdouble mul, add;
} CcFinishParts;

/* How t becomes a sample. */
typedef struct {
  gint lo, hi;
  guint shift; /* of the stored word */
  /* floating point, as in CcOp */
  gfloat mul_f, add_f;
  gdouble mul, add;
  gboolean exact_product; /* mul is a power of two: no product by it is rounded */
  CcFinish16 in_16;
  CcFinishBits bits;
  CcFinishShifted shifted;
  CcFinishCentred centred;
  CcFinishParts parts;
} CcFinish;

/* How t becomes a sample: a form of CcFinish and the number that t is. */
typedef enum {
  CC_FINISH_NONE,    /* not yet: sums stay sums */
  CC_FINISH_16,      /* from 16 bits, all in 16 bits */
  CC_FINISH_F32,     /* v = fmaf(t, mul_f, add_f) */
  CC_FINISH_BITS,    /* from 32 bits, by a shift */
  CC_FINISH_SHIFTED, /* from 32 bits, in float without the lowest ones */
  CC_FINISH_CENTRED, /* from 32 bits, in float around the middle; of means by columns */
  CC_FINISH_PARTS,   /* from sums in three parts, in double */
  CC_FINISH_F64,     /* v = fma(t, mul, add) */
  CC_FINISH_TURNS,   /* v as in F32; the result is taken modulo hi + 1 */
  CC_N_FINISHES,
} CcFinishForm;

/* How sums become t. */
typedef enum {
  CC_REDUCE_MAX,
  CC_REDUCE_MAX_ABS,
  CC_REDUCE_SUM_ABS,
  CC_REDUCE_NORM, /* in float from up to 32-bit lanes */
  CC_REDUCE_NORM_DOUBLE,
  CC_REDUCE_TURNS, /* float */
  CC_N_REDUCES,
} CcReduce;

/* What is known of memory. Rows that are wanted soon are prefetched while others are worked on. To
 * prefetch all at once would be to wait. A target that no cache keeps is not prefetched, but
 * written past the caches. */
#define CC_MAX_AHEAD 8
#define CC_CACHE_LINE 64
typedef struct {
  guint n;
  struct {
    const guint8 *at; /* a cache line that goes with sample 0 */
    gsize bytes;      /* from what goes with a sample to what goes with the next */
  } line[CC_MAX_AHEAD];
  gboolean streams; /* rows of the target begin at cache lines and are written past the caches */
} CcAhead;

/* Prefetches what goes with the CC_CACHE_LINE samples from number x on, if x is a multiple of that.
 * A loop would take longer than what it does. */
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

/* Every spacing-th of the samples of the source to n lanes, `shift` taken away. spacing is 1 to
 * CC_MAX_COMPONENTS. */
typedef void (*CcLoadFunc)(gpointer row, gconstpointer src, guint spacing, guint n, guint shift);

/* Lanes for n samples outside of the picture; src is sample 0 of the row. */
typedef void (*CcExtendFunc)(gpointer row, gconstpointer src, const CcOutside *outside, guint n,
                             guint shift);

/* Sums of tap groups over n lanes. taps need only the alignment of a lane; out is aligned to
 * CC_ROW_ALIGN. n_groups is not looked at where the shape is known. */
typedef void (*CcSumFunc)(gpointer out, const CcTapGroup *group, guint n_groups,
                          const gconstpointer *taps, guint n);

/* Bytes straight from taps, which are bytes or rows of split sums: the sum, its absolute value
 * where the kernel is for that, and the last step as CC_FINISH_16. Split sums are those of
 * sum_split, in an order that only these kernels know. Of a gradient it is both sums, the reduction
 * and the last step, which is CC_FINISH_F32 of the norm. */
typedef void (*CcApplyFunc)(guint8 *dst, const CcTapGroup *group, const gconstpointer *taps,
                            guint n, const CcFinish *finish, const CcAhead *ahead);

/* t from the sums of n_sums >= 1 matrices. */
typedef void (*CcReduceFunc)(gpointer t, const gconstpointer *sums, guint n_sums, guint n);

/* Samples from t. */
typedef void (*CcFinishFunc)(gpointer dst, gconstpointer t, guint n, const CcFinish *finish);

/* dst = filtered samples, samples of src, those that dst has, and filled ones, by the masks. */
typedef void (*CcMergeFunc)(guint8 *dst, const guint8 *filtered, const guint8 *src,
                            const CcMasks *masks, gsize n_bytes);

/* The first of every stride (2 or 4) pixels of src, n >= 1 of them. */
typedef void (*CcThinFunc)(guint8 *dst, const guint8 *src, guint n);

/* A sample of each of the parts in turn, n times. They may be the same rows. */
typedef void (*CcJoinFunc)(gpointer dst, const gconstpointer parts[], guint n_parts, guint n);

/* The luma of n pixels, as words that are shifted as those of red, green and blue are; from one
 * pixel to the next it is `spacing` samples. */
typedef void (*CcLumaFunc)(gpointer dst, const gconstpointer rgb[3], guint spacing, guint n,
                           guint shift);

/* The indices of the hues of n gradients, as cc_hue_index has them. */
typedef void (*CcDirectionColorFunc)(guint8 *index, gconstpointer x_sums, gconstpointer y_sums,
                                     guint n, gfloat add);

/* --- products of several neighbours at a time: dot_products.h tells of dot groups --- */

/* What dot groups are of. */
typedef enum {
  CC_DOT_BYTES,   /* four bytes */
  CC_DOT_CENTRED, /* four signed bytes, which lack 128, and taps are not signed */
  CC_DOT_WIDENED, /* two words, of samples that are bytes */
  CC_DOT_WORDS,   /* two words */
  CC_N_DOT_KINDS,
} CcDotKind;

/* Dot groups of the samples of two or four lines, one above the other; `flip` is applied to each by
 * exclusive or. */
typedef void (*CcDotGroupFunc)(gpointer groups, const gconstpointer *lines, guint n, gint32 flip);

/* As many rows of sums or samples as a dot group has: row i is of start + the sum over n_groups
 * rows of dot groups of dot group g times taps[g * rows + i]. Sums may be written behind the last
 * one. */
typedef void (*CcConv2dFunc)(gpointer const *rows, const gconstpointer *groups, const gint32 *taps,
                             guint n_groups, guint n, gint32 start, const CcFinish *finish,
                             const CcAhead *ahead);

/* Words that a sum along a line is cut into, at most. */
#define CC_MAX_PARTS 3

/* Of three parts, the first two have so many bits, and so many are below the third. */
#define CC_PART_BITS 11
#define CC_HIGH_BITS (2 * CC_PART_BITS)

/* Sums along a line, and how they are cut into words. Those that are cut into three parts may pass
 * 32 bits, and are made of pieces that do not. Where taps are cut, not sums, `taps` and `start` are
 * of what they have above the low bits. */
#define CC_MAX_PIECES 8
typedef struct {
  const gint32 *taps;
  guint n_groups;
  guint n_pairs;                  /* of taps */
  guint n_pieces;                 /* with three parts only, as the next one */
  guint piece_end[CC_MAX_PIECES]; /* the dot group behind the last one of a piece */
  guint step;                     /* samples between those of a dot group */
  gsize stride;                   /* bytes from a dot group to the next */
  guint8 order[64];               /* where the bytes of dot groups come from */
  gint32 flip;                    /* what makes signed samples, by exclusive or */
  gint32 start;                   /* what sums start from */
  guint low_bits;                 /* of each word but the last */
  const gint32 *low_taps;         /* low bits of taps, with signs; for horizontal_cut only */
  gint32 low_start;
} CcHorizontal;

/* The words of each part of sums along two lines, one in the low and the other in the high half;
 * the lines are read from the first tap's sample on. */
typedef void (*CcHorizontalFunc)(gint32 *const *parts, const gconstpointer *lines,
                                 const CcHorizontal *along, guint n);

/* Sums over lines, for two rows of results. */
typedef struct {
  const gint32 *taps; /* two for each dot group */
  guint n_groups;
  gint32 start[CC_MAX_PARTS]; /* by part */
  guint low_bits;
  gboolean drops_low; /* the low bits are only carried to the others */
} CcVertical;

/* Two rows of sums or samples, from the parts of all dot groups in turn. Sums may be written behind
 * the last one. */
typedef void (*CcVerticalFunc)(gpointer const *rows, const gconstpointer *groups,
                               const CcVertical *over, guint n, const CcFinish *finish,
                               const CcAhead *ahead);

/* --- column times row of bytes, vertical pass first: vertical_first.h --- */

/* Two taps of a byte, in each word of the widest vector. */
typedef gint32 CcWideTaps[16];

/* Two rows of lanes, of two words each, from dot groups of two lines. The words are sums over the
 * rows of samples less 128, by taps that are cut into a low and a high part. */
typedef struct {
  const CcWideTaps *taps; /* of each group, by row of results and part */
  guint n_groups;
  gint16 start[2]; /* what the words start from, by part */
} CcColumn;
typedef void (*CcColumnFunc)(gpointer const lanes[2], const gconstpointer *groups,
                             const CcColumn *column, guint n);

/* A row of sums or samples from a row of lanes: start + the sum of lane x + (t - n_taps / 2) * step
 * times taps[t], which is a word for each word of the lane. Sums may be written behind the last
 * one. */
typedef struct {
  const gint32 *taps;
  guint n_taps, step;
  gint32 start;
} CcRow;
typedef void (*CcRowFunc)(gpointer dst, const gint32 *lanes, const CcRow *row, guint n,
                          const CcFinish *finish, const CcAhead *ahead);

/* sums[i] += in[i] - out[i], and samples of those where the kernel makes some. */
typedef void (*CcSlideFunc)(gpointer sums, gconstpointer in, gconstpointer out, guint n,
                            gpointer dst, const CcFinish *finish, const CcAhead *ahead);

/* Means by columns: column_sums.h. Sums over columns are kept for all bytes of a row; those of a
 * line that enters are added, and those of one that leaves are taken away. */
typedef void (*CcColumnsFunc)(gpointer columns, gconstpointer in, gconstpointer out, gsize n_bytes);

/* The same, and n samples, each of `factor` times the sum of a window. Columns and lines are those
 * that windows end at; what lies before them is read as far as the first window reaches. The last
 * step is CC_FINISH_16 of bytes, and CC_FINISH_CENTRED of words, whose factor is 1. */
typedef void (*CcColumnSumsFunc)(gpointer columns, gconstpointer in, gconstpointer out, guint n,
                                 guint8 *dst, const CcFinish *finish, gint32 factor,
                                 const CcAhead *ahead);
#define CC_MAX_BOX_RADIUS 7

#define CC_MAX_PIXEL_BYTES (2 * CC_MAX_COMPONENTS)

/* --- the tables: one for each use, which an instruction set fills with what it does best --- */

/* Rows to and from lanes, and the samples of different components. */
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
  CcFinishFunc finish[2][CC_N_FINISHES][CC_N_NUMBERS]; /* by sample type; NULL: there is none */
  CcDirectionColorFunc hues[CC_N_LANES];               /* by lane of the sums; NULL: none */
} CcOutputKernels;

/* Sums of tap groups; NULL: there is none. */
typedef struct {
  CcSumFunc sum[CC_N_LANES][CC_N_PATTERNS]; /* by lane of the taps */
  CcSumFunc sum_split[CC_N_PATTERNS];       /* split sums of bytes */
  CcSumFunc sum_pairs[CC_N_PATTERNS]; /* the same of taps for samples with even numbers, and behind
                                       them as many for those with odd ones */
  CcApplyFunc apply[CC_N_LANES][CC_N_PATTERNS][2]; /* by lane of the taps; second: absolute value */
  CcApplyFunc apply_gradient[CC_N_GRADIENTS][CC_N_REDUCES];
} CcTapGroupKernels;

/* Boxes. Column sums are NULL if there are none. */
typedef struct {
  CcSlideFunc slide[2][CC_N_FINISHES][2]; /* by sample type, then for sums of 16 and of 32 bits */
  CcColumnsFunc add_columns[2];           /* by sample type */
  /* by sample type; then by the samples of a pixel and the radius, 1 being the first */
  CcColumnSumsFunc make_columns[2][CC_MAX_COMPONENTS][CC_MAX_BOX_RADIUS];
} CcBoxKernels;

/* Dot products for conv2d. */
typedef struct {
  CcDotGroupFunc group[CC_N_DOT_KINDS];  /* NULL: no instruction multiplies bytes */
  CcConv2dFunc sum[2][2][CC_N_FINISHES]; /* of words and of bytes, then by sample type */
} CcConv2dKernels;

/* Dot products along a row and then over columns. */
typedef struct {
  CcHorizontalFunc horizontal[CC_N_DOT_KINDS][CC_MAX_PARTS]; /* for one part, two and three */
  CcHorizontalFunc horizontal_cut; /* of bytes, for two parts: by taps that are cut; NULL: none */
  gboolean order_is_whole; /* CcHorizontal.order has places in 64 bytes, not in each 16 of them */
  CcVerticalFunc vertical[2][CC_N_FINISHES]
                         [CC_MAX_PARTS]; /* by sample type, then as above; three parts are
                                     for CC_FINISH_PARTS, and that for no other */
} CcSeparableKernels;

/* Dot products over columns and then along a row. */
typedef struct {
  CcDotGroupFunc pair_lines;
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
  const CcVerticalFirstKernels *vertical_first; /* NULL: there are none */
  gboolean has_dot_of_four;                     /* an instruction multiplies and adds four bytes */
  gint max_byte_taps; /* the largest sum of the absolute values of two neighbouring byte taps */
} CcRows;

extern const CcRows cc_rows_c;
#ifdef CC_HAVE_X86_VARIANTS
extern const CcRows cc_rows_avx2;
extern const CcRows cc_rows_avxvnni;
extern const CcRows cc_rows_avx512;
extern const CcRows cc_rows_avx512vnni;
#endif

G_END_DECLS
