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
} CcTerm;

/* Shapes of weighted sums that have kernels of their own: n_plus and n_minus of each term. Those
 * along a line come first. */
typedef enum {
  CC_SHAPE_11,       /* -1 0 1 */
  CC_SHAPE_30,       /* 1 1 1 */
  CC_SHAPE_50,       /* 1 1 1 1 1 */
  CC_SHAPE_20_10,    /* 1 2 1 */
  CC_SHAPE_11_11,    /* -1 -2 0 2 1 */
  CC_SHAPE_20_20_10, /* 1 4 6 4 1 */
  CC_SHAPE_22_11,    /* 3x3 derivatives */
  CC_SHAPE_33,       /* the same without weights */
  CC_SHAPE_40_10,    /* centre and four neighbours */
  CC_SHAPE_80_10,    /* centre and eight neighbours */
  CC_SHAPE_40_40_10, /* centre and two kinds of neighbours */
  CC_SHAPE_11_23,    /* emboss */
  CC_SHAPE_ANY,
  CC_N_SHAPES,
} CcShape;

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
  guint16 offset, factor, least, most, base;
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

/* What is known of memory. Rows that are wanted soon are asked for while others are worked on,
 * since to ask for all at once would be to wait: how many bytes of them go with a sample. A target
 * that no cache keeps is not asked for, but written past the caches. */
#define CC_MOST_AHEAD 4
#define CC_CACHE_LINE 64
typedef struct {
  guint n_sources, n_targets; /* up to CC_MOST_AHEAD */
  const guint8 *source[CC_MOST_AHEAD], *target[CC_MOST_AHEAD];
  guint source_bytes, target_bytes;
  gboolean streams; /* rows of the target begin at cache lines and are written past the caches */
} CcAhead;

/* Asks for what goes with n samples from number x on. */
static inline __attribute__((always_inline)) void
cc_look_ahead(const CcAhead *ahead, gsize x, guint n) {
  for (guint i = 0; i < ahead->n_sources; i++)
    for (guint at = 0; at < n * ahead->source_bytes; at += CC_CACHE_LINE)
      __builtin_prefetch(ahead->source[i] + x * ahead->source_bytes + at, 0);
  for (guint i = 0; i < ahead->n_targets; i++)
    for (guint at = 0; at < n * ahead->target_bytes; at += CC_CACHE_LINE)
      __builtin_prefetch(ahead->target[i] + x * ahead->target_bytes + at, 1);
}

/* Every spacing-th of the samples of the source to n lanes, `shift` taken away. spacing is 1 to
 * CC_MAX_COMPONENTS. */
typedef void (*CcLoadFunc)(gpointer row, gconstpointer src, guint spacing, guint n, guint shift);

/* Lanes for n samples outside of the picture; src is sample 0 of the row. */
typedef void (*CcExtendFunc)(gpointer row, gconstpointer src, const CcOutside *outside, guint n,
                             guint shift);

/* Sums of terms over n lanes. taps need only the alignment of a lane; out is aligned to
 * CC_ROW_ALIGN. n_terms is not looked at where the shape is known. */
typedef void (*CcSumFunc)(gpointer out, const CcTerm *terms, guint n_terms,
                          const gconstpointer *taps, guint n);

/* Bytes straight from taps, which are bytes or rows of split sums: the sum, its absolute value
 * where the kernel is for that, and the last step as CC_FINISH_16. Split sums are those of
 * sum_split, in an order that only these kernels know. Of a gradient it is both sums, the reduction
 * and the last step, which is CC_FINISH_F32 of the norm. */
typedef void (*CcApplyFunc)(guint8 *dst, const CcTerm *terms, const gconstpointer *taps, guint n,
                            const CcFinish *finish, const CcAhead *ahead);

/* t from the sums of n_sums >= 1 matrices. */
typedef void (*CcReduceFunc)(gpointer t, const gconstpointer *sums, guint n_sums, guint n);

/* Samples from t. */
typedef void (*CcFinishFunc)(gpointer dst, gconstpointer t, guint n, const CcFinish *finish);

/* dst = filtered samples, samples of src, those that dst has, and filled ones, by the masks. */
typedef void (*CcMergeFunc)(guint8 *dst, const guint8 *filtered, const guint8 *src,
                            const CcMasks *masks, gsize n_bytes);

/* The first of every stride (2 or 4) pixels of src, n >= 1 of them. */
typedef void (*CcThinFunc)(guint8 *dst, const guint8 *src, guint n);

/* n samples of src that have even numbers, and as many that have odd ones. */
typedef void (*CcSplitFunc)(gpointer even, gpointer odd, gconstpointer src, guint n);

/* A sample of each of the parts in turn, n times. They may be the same rows. */
typedef void (*CcJoinFunc)(gpointer dst, const gconstpointer parts[], guint n_parts, guint n);

/* The luma of n pixels, as words that are shifted as those of red, green and blue are; from one
 * pixel to the next it is `spacing` samples. */
typedef void (*CcLumaFunc)(gpointer dst, const gconstpointer rgb[3], guint spacing, guint n,
                           guint shift);

/* The indices of the hues of n gradients, as cc_hue_of has them. */
typedef void (*CcHueFunc)(guint8 *index, gconstpointer x_sums, gconstpointer y_sums, guint n,
                          gfloat add);

/* --- products of several neighbours at a time: dot_products.h tells of bundles --- */

/* What bundles are of. */
typedef enum {
  CC_BUNDLE_BYTES,   /* four bytes */
  CC_BUNDLE_CENTRED, /* four signed bytes, which lack 128, and taps are not signed */
  CC_BUNDLE_WIDENED, /* two words, of samples that are bytes */
  CC_BUNDLE_WORDS,   /* two words */
  CC_N_BUNDLE_KINDS,
} CcBundleKind;

/* Bundles of the samples of two or four lines, one above the other; `flip` is applied to each by
 * exclusive or. */
typedef void (*CcBundleFunc)(gpointer bundles, const gconstpointer *lines, guint n, gint32 flip);

/* What the kernels that sum make of the sums. */
typedef enum {
  CC_STEP_SUMS,    /* nothing more */
  CC_STEP_BITS,    /* samples, as CC_FINISH_BITS has them */
  CC_STEP_SHIFTED, /* as CC_FINISH_SHIFTED */
  CC_STEP_PARTS,   /* as CC_FINISH_PARTS */
  CC_STEP_16,      /* as CC_FINISH_16: bytes, of running sums of 16 bits */
  CC_N_STEPS,
} CcSumStep;

/* As many rows of sums or samples as a bundle has: row i is of start + the sum over n_bundles rows
 * of bundles of bundle g times taps[g * rows + i]. Sums may be written behind the last one. */
typedef void (*CcWindowFunc)(gpointer const *rows, const gconstpointer *bundles, const gint32 *taps,
                             guint n_bundles, guint n, gint32 start, const CcFinish *finish,
                             const CcAhead *ahead);

/* Words that a sum along a line is cut into, at most. */
#define CC_MOST_PARTS 3

/* Of three parts, the first two have so many bits, and so many are below the third. */
#define CC_PART_BITS 11
#define CC_HIGH_BITS (2 * CC_PART_BITS)

/* Sums along a line, and how they are cut into words. Those that are cut into three parts may pass
 * 32 bits, and are made of pieces that do not. Where taps are cut, not sums, `taps` and `start` are
 * of what they have above the low bits. */
#define CC_MOST_PIECES 8
typedef struct {
  const gint32 *taps;
  guint n_bundles;
  guint n_pairs;                   /* of taps */
  guint n_pieces;                  /* with three parts only, as the next one */
  guint piece_end[CC_MOST_PIECES]; /* the bundle behind the last one of a piece */
  guint step;                      /* samples between those of a bundle */
  gsize stride;                    /* bytes from a bundle to the next */
  guint8 order[64];                /* where the bytes of bundles come from */
  gint32 flip;                     /* what makes signed samples, by exclusive or */
  gint32 start;                    /* what sums start from */
  guint low_bits;                  /* of each word but the last */
  const gint32 *low_taps;          /* low bits of taps, with signs; with along_cut only */
  gint32 low_start;
} CcAlong;

/* The words of each part of sums along two lines, one in the low and the other in the high half;
 * the lines are read from the first tap's sample on. */
typedef void (*CcAlongFunc)(gint32 *const *parts, const gconstpointer *lines, const CcAlong *along,
                            guint n);

/* Sums over lines, for two rows of results. */
typedef struct {
  const gint32 *taps; /* two for each bundle */
  guint n_bundles;
  gint32 start[CC_MOST_PARTS]; /* by part */
  guint low_bits;
  gboolean drops_low; /* the low bits are only carried to the others */
} CcOver;

/* Two rows of sums or samples, from the parts of all bundles in turn. Sums may be written behind
 * the last one. */
typedef void (*CcOverFunc)(gpointer const *rows, const gconstpointer *bundles, const CcOver *over,
                           guint n, const CcFinish *finish, const CcAhead *ahead);

/* sums[i] += in[i] - out[i], and samples of those where the kernel makes some. */
typedef void (*CcSlideFunc)(gpointer sums, gconstpointer in, gconstpointer out, guint n,
                            gpointer dst, const CcFinish *finish, const CcAhead *ahead);

/* Means by columns: column_sums.h. Sums over columns are kept for all bytes of a row; those of a
 * line that enters are added, and those of one that leaves are taken away. */
typedef void (*CcColumnsFunc)(gpointer columns, gconstpointer in, gconstpointer out, gsize n_bytes);

/* The same, and n samples, each of `factor` times the sum of a window. Columns and lines are those
 * that windows end at; what lies before them is read as far as the first window reaches. The last
 * step is CC_FINISH_16 of bytes, and CC_FINISH_CENTRED of words, whose factor is 1. */
typedef void (*CcMeansFunc)(gpointer columns, gconstpointer in, gconstpointer out, guint n,
                            guint8 *dst, const CcFinish *finish, gint32 factor,
                            const CcAhead *ahead);
#define CC_MOST_MEANS_RADIUS 7

#define CC_MAX_PIXEL_BYTES (2 * CC_MAX_COMPONENTS)

typedef struct {
  CcLoadFunc load[2][CC_N_LANES]; /* by sample type */
  CcExtendFunc extend[2][CC_N_LANES];
  CcSumFunc sum[CC_N_LANES][CC_N_SHAPES]; /* by lane of the taps; NULL: there is none */
  CcSumFunc sum_split[CC_N_SHAPES];       /* split sums of bytes; NULL: there is none */
  CcSumFunc sum_pairs[CC_N_SHAPES]; /* the same of taps for samples with even numbers, and behind
                                       them as many for those with odd ones */
  CcApplyFunc apply[CC_N_LANES][CC_N_SHAPES][2]; /* by lane of the taps; second: absolute value */
  CcApplyFunc apply_gradient[CC_N_GRADIENTS][CC_N_REDUCES]; /* NULL: there is none */
  /* of bundles of bytes: NULL where no instruction multiplies those */
  CcBundleFunc bundle[CC_N_BUNDLE_KINDS];
  CcWindowFunc window[2][2][CC_N_STEPS]; /* of bundles of words and of bytes, then by sample type */
  CcAlongFunc along[CC_N_BUNDLE_KINDS][CC_MOST_PARTS]; /* for one part, two and three */
  CcAlongFunc along_cut; /* of bundles of bytes, for two parts: by taps that are cut; NULL: there is
                            none */
  gboolean order_is_whole;  /* CcAlong.order has places in 64 bytes, not in each 16 of them */
  gboolean has_dot_of_four; /* an instruction multiplies and adds four bytes */
  gint most_byte_taps; /* the largest sum of the absolute values of two neighbouring byte taps */
  CcOverFunc over[2][CC_N_STEPS][CC_MOST_PARTS]; /* by sample type, then as above; three parts are
                                                    for CC_STEP_PARTS, and that for no other */
  CcSlideFunc slide[2][CC_N_STEPS][2]; /* by sample type, then for sums of 16 and of 32 bits */
  /* by sample type; then by the samples of a pixel and the radius, 1 being the first; NULL: there
   * are none */
  CcColumnsFunc add_columns[2];
  CcMeansFunc means[2][CC_MAX_COMPONENTS][CC_MOST_MEANS_RADIUS];
  CcReduceFunc reduce[CC_N_REDUCES][CC_N_LANES];
  CcFinishFunc finish[2][CC_N_FINISHES][CC_N_NUMBERS]; /* by sample type; NULL: there is none */
  CcMergeFunc merge;
  CcThinFunc thin[2][CC_MAX_PIXEL_BYTES + 1]; /* for stride 2 and 4, by the bytes of a pixel */
  CcSplitFunc split[2];                       /* by sample type */
  CcJoinFunc join[2];
  CcLumaFunc luma[2];
  CcHueFunc hues[CC_N_LANES]; /* by lane of the sums; NULL: there is none */
} CcRows;

extern const CcRows cc_rows_c;
#ifdef CC_HAVE_X86_VARIANTS
extern const CcRows cc_rows_avx2;
extern const CcRows cc_rows_avxvnni;
extern const CcRows cc_rows_avx512;
extern const CcRows cc_rows_avx512vnni;
#endif

G_END_DECLS
