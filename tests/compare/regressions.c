/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/regressions.h"

#include "engine/options.h"

/* kernels of this file */
#define FAINT "faint"
#define MIXED "mixed"
#define STEEP "steep"
#define EACH "box of each component" /* the others are of luma for formats with color */

#define FAINT_SIDE 17
#define MIXED_SIDE 7
#define STEEP_SIDE 3

static const struct {
  const gchar *kernel;
  guint size;
  gdouble scale;
  const gchar *format;
  guint width, height;
  CcBorder border;
  guint stride, target_x; /* 0: no target */
  CcResponse response;
  gdouble sigma;
  Pattern pattern;
} cases[] = {
    /* repeated pixels that were not grey yet */
    {"gaussian", 9, 0, "RGB", 93, 14, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_AUTO, 0, PATTERN_RANDOM},
    {"box", 31, 0, "RGB", 76, 8, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_AUTO, 0, PATTERN_RANDOM},
    /* half a macropixel at the end of rows, when the source has more */
    {"gaussian", 21, 0, "YUY2", 50, 7, CC_BORDER_CONSTANT, 2, 22, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    {"box", 31, 0, "UYVY", 66, 9, CC_BORDER_REFLECT, 4, 4, CC_RESPONSE_AUTO, 0, PATTERN_RANDOM},
    /* code values far below the lowest bit of the factor of sums */
    {FAINT, 0, 4.2e-10, "GRAY8", 64, 40, CC_BORDER_REPLICATE, 1, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    {FAINT, 0, 4.8e-10, "GRAY8", 64, 40, CC_BORDER_REPLICATE, 1, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    /* the largest windows, and all pixels of a stride */
    {"gaussian", 127, 0, "ARGB64", 150, 131, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    {"gaussian", 127, 0, "NV12", 150, 131, CC_BORDER_REFLECT_101, 4, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    {"box", 127, 0, "RGBA", 150, 131, CC_BORDER_CONSTANT, 2, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    /* rows of a packed frame that dot groups read and windows do not */
    {MIXED, 0, 0, "RGB", 64, 400, CC_BORDER_REPLICATE, 4, 0, CC_RESPONSE_AUTO, 0, PATTERN_RANDOM},
    /* boxes whose factor exceeds a word */
    {STEEP, 0, 1.5e-7, "GRAY8", 64, 64, CC_BORDER_REPLICATE, 1, 0, CC_RESPONSE_OFFSET, 0,
     PATTERN_RANDOM},
    /* a row shorter than the vectors of its partial sums, at the end of memory */
    {"motion-blur", 3, 0, "GRAY16_LE", 1, 1, CC_BORDER_REPLICATE, 1, 0, CC_RESPONSE_ABSOLUTE, 0,
     PATTERN_MAX},
    /* boxes by column sums: several tiles, one pixel, and incomplete vectors */
    {EACH, 15, 0, "RGBA", 1700, 20, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_AUTO, 0, PATTERN_RANDOM},
    {EACH, 13, 0, "ARGB64", 1700, 20, CC_BORDER_CONSTANT, 1, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    {EACH, 11, 0, "RGB", 2111, 20, CC_BORDER_REFLECT_101, 2, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    {"box", 9, 0, "GRAY16_LE", 3500, 20, CC_BORDER_REPLICATE, 4, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_RANDOM},
    {"box", 15, 0, "GRAY16_LE", 99, 40, CC_BORDER_REPLICATE, 1, 0, CC_RESPONSE_AUTO, 0,
     PATTERN_MAX},
    {EACH, 15, 0, "RGB", 1, 9, CC_BORDER_REFLECT, 1, 0, CC_RESPONSE_AUTO, 0, PATTERN_MAX},
    {"box", 13, 0, "NV12", 83, 37, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_AUTO, 0, PATTERN_RANDOM},
    {"box", 11, 0, "P010_10LE", 283, 37, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_AUTO, 0, PATTERN_RANDOM},
    {"box", 5, 0, "AYUV", 283, 37, CC_BORDER_REFLECT, 1, 0, CC_RESPONSE_AUTO, 0, PATTERN_SPIKES},
    /* sums that exceed 32 bits, horizontal ones too, at their largest */
    {"gaussian", 15, 0, "GRAY16_LE", 1, 9, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_CLAMP, 3, PATTERN_MAX},
    {"gaussian", 15, 0, "GRAY16_LE", 2, 1, CC_BORDER_REFLECT, 1, 0, CC_RESPONSE_CLAMP, 3,
     PATTERN_CHECKER},
    {"gaussian", 15, -1, "ARGB64", 99, 40, CC_BORDER_CONSTANT, 1, 0, CC_RESPONSE_CLAMP, 3,
     PATTERN_CHECKER},
    {"gaussian", 9, 0, "GRAY16_LE", 99, 40, CC_BORDER_CONSTANT, 1, 0, CC_RESPONSE_CLAMP, 2,
     PATTERN_SPIKES},
    {"gaussian", 5, 0, "GRAY16_LE", 99, 40, CC_BORDER_CONSTANT, 4, 0, CC_RESPONSE_CLAMP, 1.2,
     PATTERN_RANDOM},
    {"gaussian", 31, 0, "P012_LE", 99, 40, CC_BORDER_CONSTANT, 1, 0, CC_RESPONSE_CLAMP, 6,
     PATTERN_CHECKER},
    {"gaussian", 127, 0, "GRAY8", 150, 131, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_CLAMP, 0,
     PATTERN_SPIKES},
    /* code values that exceed 32 bits, of either sign */
    {"sobel", 7, 9e5, "GRAY8", 99, 40, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_CLAMP, 0, PATTERN_RANDOM},
    {"sobel", 7, -9e5, "RGBA", 99, 40, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_CLAMP, 0, PATTERN_RANDOM},
    {MIXED, 0, 9e5, "GRAY8", 99, 40, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_CLAMP, 0, PATTERN_RANDOM},
    {"gaussian", 5, 9e5, "GRAY16_LE", 99, 40, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_CLAMP, 1.2,
     PATTERN_RANDOM},
    {"sobel", 3, 9e5, "P010_10LE", 99, 40, CC_BORDER_WRAP, 1, 0, CC_RESPONSE_OFFSET, 0,
     PATTERN_RANDOM},
};

/* Compose: vectors and single samples of the kernels; formats with one to four components in a
 * plane; cells at the edge of a target; half a macropixel; strides; plans that are rewritten, and
 * direction-color; frames that are written with non-temporal stores. */
static const struct {
  const gchar *kernel, *format;
  guint width, height, stride, target_x;
  gdouble threshold;
  gboolean invert;
  gdouble mix;
  guint overlay;
  CcResponse response;
  Placement dst;
} composed[] = {
    {"gaussian", "GRAY8", 333, 41, 1, 0, 0.3, TRUE, 1, 0, 0, 0},
    {"gaussian", "GRAY8", 333, 41, 1, 0, 0, FALSE, 1, 0xff808080, 0, 0},
    {"gaussian", "NV12", 331, 39, 1, 0, 0, TRUE, -2.5, 0, 0, 0},
    {"gaussian", "NV12", 331, 39, 1, 5, 0, FALSE, 1, 0xffff0000, 0, 0},
    {"gaussian", "I420", 203, 21, 2, 0, 0.4, FALSE, 0.3, 0, 0, 0},
    {"gaussian", "I420", 203, 21, 2, 0, 0.4, FALSE, 0.3, 0x8000ff00, 0, 0},
    {"gaussian", "Y42B", 203, 21, 1, 0, 0, TRUE, 1, 0xff1020f0, 0, 0},
    {"gaussian", "YUY2", 203, 21, 1, 0, 0, TRUE, 8, 0, 0, 0},
    {"gaussian", "UYVY", 202, 21, 2, 4, 0, FALSE, 1, 0xc0ff00ff, 0, 0},
    {"gaussian", "AYUV", 150, 21, 1, 0, 0.6, FALSE, 0.5, 0, 0, 0},
    {"gaussian", "RGB", 203, 21, 1, 0, 0, TRUE, -8, 0, 0, 0},
    {"gaussian", "RGB", 203, 21, 1, 0, 0.2, FALSE, 1, 0xffffff00, 0, 0},
    {"gaussian", "ARGB", 203, 21, 1, 7, 0.5, TRUE, 1, 0, 0, 0},
    {"gaussian", "BGRA", 203, 21, 4, 0, 0, FALSE, 1, 0x80ffffff, 0, 0},
    {"gaussian", "GBR_10LE", 203, 21, 1, 0, 0, TRUE, 1, 0xff00ff00, 0, 0},
    {"gaussian", "P010_10LE", 331, 39, 1, 0, 0.5, FALSE, -1.5, 0, 0, 0},
    {"gaussian", "P010_10LE", 331, 39, 1, 3, 0, FALSE, 0.5, 0xffff0000, 0, 0},
    {"gaussian", "I422_12LE", 203, 21, 1, 0, 0, TRUE, 8, 0, 0, 0},
    {"gaussian", "Y444_16LE", 99, 21, 1, 0, 0, FALSE, 1, 0xff123456, 0, 0},
    {"gaussian", "ARGB64", 99, 21, 1, 0, 0.9, TRUE, 0.1, 0, 0, 0},
    {"gaussian", "I420", 1, 9, 1, 0, 0, FALSE, 1, 0xffff0000, 0, 0},
    {"gaussian", "YUY2", 1, 9, 1, 0, 0, FALSE, 1, 0xffff0000, 0, 0},
    {"identity", "RGB", 203, 21, 1, 0, 0.4, FALSE, 0.5, 0, 0, 0},
    {"identity", "YUY2", 203, 21, 1, 0, 0, FALSE, 1, 0xffff0000, 0, 0},
    {"sobel", "RGBA", 203, 21, 1, 0, 0.3, FALSE, -2, 0, CC_RESPONSE_DIRECTION, 0},
    {"sobel", "NV12", 203, 21, 1, 0, 0, TRUE, 1, 0, CC_RESPONSE_DIRECTION, 0},
    {"sobel", "I420", 203, 21, 1, 0, 0.3, FALSE, 0.5, 0, CC_RESPONSE_DIRECTION, 0},
    {"sobel", "UYVY", 203, 21, 1, 0, 0, FALSE, 1, 0xff00ff80, CC_RESPONSE_DIRECTION, 0},
    {"gaussian", "GRAY8", 2561, 1601, 1, 0, 0.5, FALSE, 1, 0, 0, PLACEMENT_ODD},
    {"gaussian", "BGRA", 1281, 801, 1, 0, 0, TRUE, 0.5, 0, 0, PLACEMENT_ODD},
    {"gaussian", "YUY2", 2000, 1010, 1, 0, 0, TRUE, 1, 0, 0, PLACEMENT_ODD},
    {"gaussian", "RGB", 1441, 961, 1, 0, 0.5, TRUE, -2, 0, 0, PLACEMENT_ODD},
    {"gaussian", "P010_10LE", 1501, 1001, 1, 0, 0, FALSE, 4, 0, 0, 0},
    {"gaussian", "YUY2", 2001, 1010, 1, 0, 0, TRUE, 1, 0, 0, 0},
};

/* Kernels for chroma: all kinds of planes, packed frames, depths and strides; the same and other
 * sample types; windows and responses of all kinds; mixes, regions and repetitions.
 *
 * Repetitions: all kinds of planes and packed frames; chroma and alpha that are filtered, copied
 * and filled; luma of R, G and B; bits beside the samples; half a macropixel; odd sizes, and parts
 * of subsampled planes; targets that are cut off; windows larger than the frame; stages afterwards;
 * plans that are rewritten; frames that are written with non-temporal stores. */
typedef struct {
  const gchar *format;
  guint width, height, repeats;
  const gchar *options; /* after "kernel=" */
  CcRect source;        /* of no width: the frame */
  guint target[2];      /* 0, 0: none */
} OfOptions;

static const OfOptions of_options[] = {
    {"I420", 203, 41, 1, "gaussian size=5 chroma-size=3", {0}, {0}},
    {"I420", 203, 41, 1, "sobel chroma-kernel=gaussian", {0}, {0}},
    {"NV12", 150, 131, 1, "box size=127 chroma-size=3 border=wrap", {0}, {0}},
    {"NV12", 150, 131, 1, "box size=3 chroma-size=127", {0}, {0}},
    {"NV12", 331, 39, 1, "sobel response=direction chroma-kernel=gaussian", {0}, {0}},
    {"I420",
     203,
     41,
     1,
     "sobel response=direction chroma-kernel=sobel chroma-size=7 border=reflect",
     {0},
     {0}},
    {"YUY2", 203, 21, 1, "gaussian size=9 chroma-size=3 border=constant", {0}, {0}},
    {"UYVY", 202, 21, 1, "sobel size=5 chroma-kernel=box chroma-size=15", {20, 1, 100, 18}, {0}},
    {"VYUY", 203, 21, 1, "kirsch chroma-kernel=motion-blur chroma-size=5 stride=2", {0}, {0}},
    {"AYUV", 150, 21, 1, "gaussian size=5 chroma-kernel=laplacian alpha=filter", {0}, {0}},
    {"AYUV", 150, 21, 1, "identity chroma-kernel=box chroma-size=31", {11, 3, 90, 15}, {40, 1}},
    {"Y444", 99, 21, 1, "log chroma-kernel=scharr", {0}, {0}},
    {"Y42B", 203, 41, 1, "box size=31 chroma-kernel=gaussian sigma=1.3 chroma-size=9", {0}, {0}},
    {"P010_10LE", 283, 37, 1, "gaussian size=5 chroma-size=3", {0}, {0}},
    {"P010_10LE", 283, 37, 1, "sobel chroma-kernel=gaussian sigma=2", {0}, {0}},
    {"I422_12LE", 203, 21, 1, "unsharp chroma-kernel=box bias=-20 scale=0.5", {0}, {0}},
    {"Y444_16LE", 99, 40, 1, "gaussian size=15 sigma=3 chroma-size=5 border=wrap", {0}, {0}},
    {"NV12", 331, 39, 1, "gaussian size=7 chroma-size=3 stride=4 border=reflect-101", {0}, {0}},
    {"I420", 203, 21, 1, "sobel chroma-kernel=gaussian mix=-1.5 stride=2", {0}, {0}},
    {"I420", 203, 21, 1, "sobel chroma-kernel=gaussian invert=true mix=0.5", {0}, {0}},
    {"NV12", 331, 39, 1, "sobel chroma-kernel=gaussian threshold=0.3 mix=0.5", {0}, {0}},
    {"YUY2", 203, 21, 1, "sobel chroma-kernel=gaussian overlay=#ff0000", {0}, {0}},
    {"I420", 203, 41, 1, "box chroma-kernel=gaussian size=5 chroma=copy", {0}, {0}},
    {"I420", 1, 9, 1, "box size=9 chroma-size=3 border=wrap", {0}, {0}},
    {"YUY2", 1, 9, 1, "gaussian chroma-size=3", {0}, {0}},
    {"NV12", 331, 39, 3, "box size=31 chroma-size=3 chroma=filter", {101, 9, 151, 25}, {0}},
    {"UYVY", 202, 21, 3, "box chroma-kernel=gaussian size=5", {0}, {0}},
    {"AYUV", 150, 21, 2, "sobel chroma-kernel=box alpha=filter", {0}, {0}},
    {"NV12", 2100, 1300, 1, "gaussian size=5 chroma-size=3", {0}, {0}},
    {"YUY2", 2001, 1010, 1, "sobel chroma-kernel=gaussian chroma-size=9", {0}, {0}},
    {"GRAY8", 333, 41, 3, "box", {0}, {0}},
    {"GRAY8", 333, 41, 3, "box size=31 border=reflect-101", {31, 3, 200, 33}, {0}},
    {"GRAY8", 150, 131, 3, "box size=127 border=wrap", {0}, {0}},
    {"GRAY8",
     333,
     41,
     2,
     "gaussian size=5 border=constant threshold=0.4 mix=0.5",
     {5, 6, 300, 20},
     {33, 30}},
    {"GRAY16_LE", 70, 31, 2, "box size=127 border=reflect", {0}, {0}},
    {"GRAY16_LE", 99, 40, 3, "gaussian size=5 border=constant mix=-2", {0}, {0}},
    {"GRAY16_LE", 1, 1, 3, "box border=wrap", {0}, {0}},
    {"RGB", 203, 41, 3, "box border=constant", {0}, {0}},
    {"RGB", 93, 35, 3, "box size=31 border=reflect color=grey", {0}, {0}},
    {"RGB",
     93,
     35,
     3,
     "gaussian size=5 color=grey threshold=0.3 mix=0.5",
     {11, 3, 60, 30},
     {40, 1}},
    {"RGB", 65, 20, 3, "box size=127", {0}, {0}},
    {"RGBA", 333, 31, 3, "box size=31", {17, 5, 200, 20}, {0}},
    {"RGBA", 93, 35, 2, "box border=wrap alpha=filter", {0}, {0}},
    {"RGBA", 93, 35, 3, "gaussian size=5 border=constant alpha=opaque overlay=#80ff2010", {0}, {0}},
    {"RGBA", 70, 20, 3, "box size=127 border=reflect-101", {0}, {0}},
    {"ARGB", 93, 35, 2, "box size=31 color=grey", {0}, {0}},
    {"RGBx", 93, 35, 2, "gaussian size=5", {0}, {0}},
    {"I420", 203, 41, 3, "box chroma=filter", {3, 5, 101, 21}, {0}},
    {"I420", 203, 41, 3, "box size=31 border=reflect chroma=filter", {0}, {0}},
    {"I420", 203, 41, 2, "gaussian size=5 chroma=copy", {51, 7, 90, 20}, {3, 2}},
    {"I420", 203, 41, 3, "gaussian size=5 overlay=#ff0000 chroma=filter", {0}, {0}},
    {"NV12", 331, 39, 3, "box size=31 chroma=filter", {101, 9, 151, 25}, {0}},
    {"NV12", 90, 61, 3, "box size=127 border=wrap chroma=filter", {0}, {0}},
    {"NV12", 331, 39, 3, "box chroma=neutral threshold=0.5", {0}, {0}},
    {"NV12", 331, 39, 3, "gaussian size=5 chroma=copy", {0}, {200, 11}},
    {"P010_10LE", 283, 37, 3, "box size=31 chroma=filter", {40, 1, 160, 36}, {0}},
    {"P010_10LE", 331, 39, 3, "gaussian size=5 chroma=copy mix=0.5", {0}, {0}},
    {"P010_10LE", 70, 21, 2, "box size=127 chroma=filter", {0}, {0}},
    {"YUY2", 203, 21, 3, "box chroma=filter", {0}, {0}},
    {"YUY2", 203, 21, 3, "box size=31 border=reflect chroma=filter", {20, 1, 183, 18}, {0}},
    {"YUY2", 202, 21, 3, "gaussian size=5 border=wrap chroma=filter", {0}, {0}},
    {"YUY2", 203, 21, 2, "gaussian size=5 chroma=copy threshold=0.5", {20, 1, 90, 18}, {150, 3}},
    {"UYVY", 71, 20, 3, "box size=127 border=constant mix=0.3 chroma=filter", {0}, {0}},
    {"VYUY", 1, 9, 3, "box chroma=filter", {0}, {0}},
    {"UYVY", 202, 21, 3, "box overlay=#c0ff00ff chroma=filter", {0}, {0}},
    {"Y42B", 203, 41, 3, "box size=31 chroma=filter", {3, 5, 101, 21}, {101, 20}},
    {"Y42B", 203, 41, 2, "gaussian size=5 chroma=filter", {0}, {0}},
    {"AYUV", 150, 21, 3, "box alpha=filter mix=0.5 chroma=filter", {0}, {0}},
    {"ARGB64", 99, 40, 3, "box size=31 border=constant", {0}, {0}},
    {"ARGB64", 99, 40, 3, "gaussian size=5 border=wrap alpha=filter", {0}, {0}},
    {"GBR_10LE", 203, 21, 3, "box size=31", {0}, {0}},
    {"GBR", 93, 35, 3, "sobel", {0}, {0}},
    {"RGB", 93, 35, 2, "sobel", {0}, {0}},
    {"I420", 93, 35, 3, "sobel size=5", {0}, {0}},
    {"YUY2", 202, 21, 3, "identity chroma=filter", {0}, {0}},
    {"RGBA", 93, 35, 2, "identity alpha=filter mix=0.5", {0}, {0}},
    {"P010_10LE", 93, 35, 3, "identity chroma=filter", {0}, {0}},
    {"GRAY8", 2561, 1601, 3, "box size=7 border=wrap", {0}, {0}},
    {"RGBA", 1281, 801, 3, "box", {0}, {0}},
    {"YUY2", 2001, 1010, 3, "gaussian size=3 threshold=0.5 chroma=filter", {0}, {0}},
    {"NV12",
     2100,
     1300,
     3,
     "box size=5 threshold=0.5 mix=0.5 chroma=filter",
     {300, 200, 1701, 1001},
     {0}},
    /* weighted alpha */
    {"RGBA", 93, 35, 1, "gaussian alpha=weighted", {0}, {0}},
    {"RGBA", 333, 41, 1, "gaussian size=5 border=reflect alpha=weighted", {11, 3, 50, 6}, {0}},
    {"RGBA", 70, 20, 3, "box size=31 border=wrap color=grey alpha=weighted", {0}, {0}},
    {"RGBA", 1, 1, 1, "gaussian sigma=3 border=reflect-101 mix=0.5 alpha=weighted", {0}, {0}},
    {"RGBA", 257, 9, 1, "box size=127 stride=2 alpha=weighted", {0}, {0}},
    {"RGBA", 93, 35, 1, "gaussian size=7 threshold=0.4 alpha=weighted", {11, 3, 50, 6}, {7, 2}},
    {"RGBA", 333, 41, 1, "box overlay=#80ff2010 border=wrap stride=4 alpha=weighted", {0}, {0}},
    {"RGBA", 70, 20, 1, "motion-blur invert=true alpha=weighted", {0}, {0}},
    {"BGRA", 1, 1, 3, "gaussian alpha=weighted", {0}, {0}},
    {"BGRA",
     257,
     9,
     1,
     "gaussian size=5 border=reflect stride=2 alpha=weighted",
     {11, 3, 50, 6},
     {0}},
    {"BGRA", 93, 35, 1, "box size=31 border=wrap color=grey alpha=weighted", {0}, {0}},
    {"BGRA", 333, 41, 1, "gaussian sigma=3 border=reflect-101 mix=0.5 alpha=weighted", {0}, {0}},
    {"BGRA", 70, 20, 1, "box size=127 alpha=weighted", {0}, {0}},
    {"BGRA", 1, 1, 1, "gaussian size=7 threshold=0.4 stride=4 alpha=weighted", {0}, {0}},
    {"BGRA", 257, 9, 3, "box overlay=#80ff2010 border=wrap alpha=weighted", {0}, {0}},
    {"BGRA", 93, 35, 1, "motion-blur invert=true alpha=weighted", {0}, {0}},
    {"ARGB", 333, 41, 1, "gaussian alpha=weighted", {0}, {0}},
    {"ARGB", 70, 20, 1, "gaussian size=5 border=reflect alpha=weighted", {11, 3, 50, 6}, {0}},
    {"ARGB", 1, 1, 1, "box size=31 border=wrap color=grey alpha=weighted", {0}, {0}},
    {"ARGB",
     257,
     9,
     1,
     "gaussian sigma=3 border=reflect-101 mix=0.5 stride=2 alpha=weighted",
     {0},
     {0}},
    {"ARGB", 93, 35, 3, "box size=127 alpha=weighted", {0}, {0}},
    {"ARGB", 333, 41, 1, "gaussian size=7 threshold=0.4 alpha=weighted", {11, 3, 50, 6}, {7, 2}},
    {"ARGB", 70, 20, 1, "box overlay=#80ff2010 border=wrap alpha=weighted", {0}, {0}},
    {"ARGB", 1, 1, 1, "motion-blur invert=true alpha=weighted", {0}, {0}},
    {"ABGR", 257, 9, 1, "gaussian stride=2 alpha=weighted", {0}, {0}},
    {"ABGR", 93, 35, 1, "gaussian size=5 border=reflect alpha=weighted", {11, 3, 50, 6}, {0}},
    {"ABGR", 333, 41, 3, "box size=31 border=wrap color=grey alpha=weighted", {0}, {0}},
    {"ABGR",
     70,
     20,
     1,
     "gaussian sigma=3 border=reflect-101 mix=0.5 stride=4 alpha=weighted",
     {0},
     {0}},
    {"ABGR", 1, 1, 1, "box size=127 alpha=weighted", {0}, {0}},
    {"ABGR",
     257,
     9,
     1,
     "gaussian size=7 threshold=0.4 stride=2 alpha=weighted",
     {11, 3, 50, 6},
     {7, 2}},
    {"ABGR", 93, 35, 1, "box overlay=#80ff2010 border=wrap alpha=weighted", {0}, {0}},
    {"ABGR", 333, 41, 1, "motion-blur invert=true alpha=weighted", {0}, {0}},
    {"AYUV", 70, 20, 3, "gaussian alpha=weighted", {0}, {0}},
    {"AYUV", 1, 1, 1, "gaussian size=5 border=reflect chroma=copy alpha=weighted", {0}, {0}},
    {"AYUV", 257, 9, 1, "box size=31 border=wrap color=grey stride=2 alpha=weighted", {0}, {0}},
    {"AYUV",
     93,
     35,
     1,
     "gaussian sigma=3 border=reflect-101 mix=0.5 chroma=copy alpha=weighted",
     {0},
     {0}},
    {"AYUV", 333, 41, 1, "box size=127 alpha=weighted", {0}, {0}},
    {"AYUV",
     70,
     20,
     1,
     "gaussian size=7 threshold=0.4 chroma=copy alpha=weighted",
     {11, 3, 50, 6},
     {7, 2}},
    {"AYUV", 1, 1, 3, "box overlay=#80ff2010 border=wrap alpha=weighted", {0}, {0}},
    {"AYUV", 257, 9, 1, "motion-blur invert=true chroma=copy stride=2 alpha=weighted", {0}, {0}},
    {"ARGB64", 93, 35, 1, "gaussian alpha=weighted", {0}, {0}},
    {"ARGB64",
     333,
     41,
     1,
     "gaussian size=5 border=reflect stride=4 alpha=weighted",
     {11, 3, 50, 6},
     {0}},
    {"ARGB64", 70, 20, 1, "box size=31 border=wrap color=grey alpha=weighted", {0}, {0}},
    {"ARGB64", 1, 1, 1, "gaussian sigma=3 border=reflect-101 mix=0.5 alpha=weighted", {0}, {0}},
    {"ARGB64", 257, 9, 3, "box size=127 alpha=weighted", {0}, {0}},
    {"ARGB64", 93, 35, 1, "gaussian size=7 threshold=0.4 alpha=weighted", {11, 3, 50, 6}, {7, 2}},
    {"ARGB64", 333, 41, 1, "box overlay=#80ff2010 border=wrap alpha=weighted", {0}, {0}},
    {"ARGB64", 70, 20, 1, "motion-blur invert=true alpha=weighted", {0}, {0}},
    {"AYUV", 333, 41, 1, "gaussian size=5 chroma-size=3 alpha=weighted", {17, 3, 200, 30}, {0}},
    {"AYUV",
     333,
     41,
     1,
     "box size=9 chroma-kernel=gaussian sigma=2 alpha=weighted",
     {17, 3, 200, 30},
     {0}},
    {"AYUV",
     333,
     41,
     1,
     "gaussian size=31 chroma-kernel=box chroma-size=3 border=wrap stride=2 alpha=weighted",
     {17, 3, 200, 30},
     {0}},
    {"RGBA", 1281, 801, 1, "gaussian size=5 alpha=weighted", {0}, {0}},
};

/* Canny: all kinds of planes, packed frames and depths; widths around those of words of bits;
 * single pixels, rows and columns; targets that are cut off; thresholds of 0, equal, exchanged, and
 * next to or at magnitudes of other depths; strides and half a macropixel; regions, targets and
 * borders; chroma kernels and filtered alpha; compose; lines that cross all slices of several
 * threads. */
static const struct {
  const gchar *format;
  guint width, height;
  const gchar *options; /* after "kernel=" */
  Pattern pattern;
  CcRect source;   /* of no width: the frame */
  guint target[2]; /* 0, 0: none */
} with_edges[] = {
    {"GRAY8", 1, 1, "sobel response=canny low=0 high=0", 0, {0}, {0}},
    {"GRAY8", 1, 1, "sobel response=canny low=0 high=0 border=constant", PATTERN_MAX, {0}, {0}},
    {"GRAY8", 1, 90, "sobel response=canny low=20 high=60", 0, {0}, {0}},
    {"GRAY8", 90, 1, "sobel response=canny-l1 low=20 high=60", 0, {0}, {0}},
    {"GRAY8", 1, 70, "sobel size=7 response=canny low=9000 high=20000", 0, {0}, {0}},
    {"GRAY8", 70, 1, "sobel size=5 response=canny low=2000 high=900 border=wrap", 0, {0}, {0}},
    {"GRAY8", 2, 2, "scharr response=canny-l1 low=10 high=200 border=constant", 0, {0}, {0}},
    {"GRAY8", 63, 40, "sobel response=canny low=100 high=500", 0, {0}, {0}},
    {"GRAY8", 64, 40, "sobel response=canny low=100 high=500", 0, {0}, {0}},
    {"GRAY8", 65, 40, "sobel response=canny low=100 high=500", 0, {0}, {0}},
    {"GRAY8", 127, 40, "sobel response=canny-l1 low=100 high=700", 0, {0}, {0}},
    {"GRAY8", 128, 40, "sobel response=canny-l1 low=100 high=700", 0, {0}, {0}},
    {"GRAY8", 129, 40, "sobel response=canny-l1 low=100 high=700", 0, {0}, {0}},
    {"GRAY8", 129, 40, "sobel size=7 response=canny-l1 low=7 high=90000", 0, {0}, {0}},
    {"GRAY8", 128, 40, "sobel size=7 response=canny low=16000 high=80000", 0, {0}, {0}},
    {"GRAY8", 127, 40, "sobel size=5 response=canny low=0.5 high=17000", 0, {0}, {0}},
    {"GRAY8", 191, 40, "scharr response=canny low=4000 high=1000", 0, {0}, {0}},
    {"GRAY8", 193, 40, "prewitt response=canny low=130.25 high=600.75", 0, {0}, {0}},
    {"GRAY8", 130, 70, "sobel response=canny low=0 high=1020", PATTERN_CHECKER, {0}, {0}},
    {"GRAY8", 130, 70, "sobel response=canny low=0 high=0", PATTERN_CHECKER, {0}, {0}},
    {"GRAY8", 130, 70, "sobel size=5 response=canny low=0 high=0", PATTERN_SPIKES, {0}, {0}},
    {"GRAY8", 130, 70, "sobel response=canny-l1 low=0 high=1000000", PATTERN_SPIKES, {0}, {0}},
    {"GRAY8", 130, 70, "sobel response=canny low=16 high=32", PATTERN_RAMP, {0}, {0}},
    {"GRAY8", 130, 70, "prewitt response=canny-l1 low=0 high=24", PATTERN_RAMP, {0}, {0}},
    {"GRAY8", 99, 40, "sobel response=canny low=1e6 high=1e6", 0, {0}, {0}},
    {"GRAY16_LE", 99, 40, "sobel response=canny low=0 high=600", 0, {0}, {0}},
    {"GRAY16_LE", 99, 40, "sobel size=7 response=canny low=1e6 high=20000", 0, {0}, {0}},
    {"GRAY16_LE", 99, 40, "sobel size=7 response=canny-l1 low=1e6 high=0", 0, {0}, {0}},
    {"GRAY16_LE",
     65,
     40,
     "scharr response=canny-l1 low=1000 high=7000.3",
     PATTERN_CHECKER,
     {0},
     {0}},
    {"P010_10LE", 283, 37, "sobel response=canny low=85 high=340", 0, {0}, {0}},
    {"P010_10LE", 283, 37, "sobel size=7 response=canny-l1 low=85 high=34000", 0, {0}, {0}},
    {"P010_10LE", 282, 37, "scharr response=canny low=85 high=3400 stride=2", 0, {0}, {0}},
    {"P010_10LE", 283, 37, "prewitt response=canny low=170 high=340", PATTERN_SPIKES, {0}, {0}},
    {"I422_12LE", 203, 41, "sobel response=canny low=153 high=612 chroma=copy", 0, {0}, {0}},
    {"Y444_16LE", 99, 40, "sobel size=5 response=canny low=51 high=9000", 0, {0}, {0}},
    {"GBR_10LE", 203, 41, "sobel response=canny low=85 high=340", 0, {0}, {0}},
    {"ARGB64", 99, 40, "scharr response=canny low=100 high=3000 alpha=filter", 0, {0}, {0}},
    {"I420", 203, 41, "sobel response=canny low=200 high=500 chroma-kernel=gaussian", 0, {0}, {0}},
    {"I420",
     203,
     41,
     "sobel response=canny-l1 low=200 high=500 chroma-kernel=sobel chroma-size=5",
     0,
     {0},
     {0}},
    {"NV12",
     331,
     39,
     "sobel size=5 response=canny low=1000 high=5000 chroma=copy stride=4",
     0,
     {0},
     {0}},
    {"NV12",
     331,
     39,
     "sobel response=canny low=100 high=500 border=reflect",
     0,
     {101, 9, 151, 25},
     {7, 2}},
    {"NV12", 331, 39, "sobel response=canny low=100 high=500", 0, {0}, {200, 20}},
    {"xBGR", 331, 39, "sobel response=canny low=100 high=500 stride=2", 0, {0}, {101, 11}},
    {"YUY2", 203, 21, "sobel response=canny low=100 high=500", 0, {0}, {0}},
    {"UYVY", 203, 21, "sobel response=canny low=100 high=500 chroma=copy stride=2", 0, {0}, {0}},
    {"VYUY",
     202,
     21,
     "sobel response=canny low=100 high=500 chroma-kernel=box stride=4",
     0,
     {0},
     {0}},
    {"YUY2",
     203,
     21,
     "scharr response=canny low=600 high=2500 border=wrap",
     0,
     {20, 1, 183, 18},
     {0}},
    {"YUY2", 1, 9, "sobel response=canny low=0 high=100", 0, {0}, {0}},
    {"AYUV", 150, 21, "sobel size=7 response=canny low=9000 high=50000 alpha=opaque", 0, {0}, {0}},
    {"AYUV",
     150,
     21,
     "sobel response=canny low=90 high=500 alpha=filter chroma=copy",
     0,
     {11, 3, 90, 15},
     {40, 1}},
    {"RGB", 203, 41, "sobel response=canny low=90 high=500", 0, {0}, {0}},
    {"RGB",
     203,
     41,
     "sobel size=5 response=canny-l1 low=900 high=5000 stride=2",
     0,
     {11, 3, 150, 30},
     {0}},
    {"RGBA",
     203,
     41,
     "prewitt response=canny low=90 high=400 alpha=filter border=reflect-101",
     0,
     {0},
     {0}},
    {"BGRx", 203, 41, "sobel response=canny low=90 high=500 color=grey border=wrap", 0, {0}, {0}},
    {"GBR", 203, 41, "sobel response=canny low=90 high=500 stride=4", 0, {0}, {0}},
    /* compose */
    {"GRAY8", 333, 41, "sobel response=canny low=90 high=500 invert=true", 0, {0}, {0}},
    {"I420", 203, 41, "sobel response=canny low=90 high=500 mix=0.5 chroma=copy", 0, {0}, {0}},
    {"NV12", 203, 41, "sobel response=canny low=90 high=500 overlay=#80ff2010", 0, {0}, {0}},
    {"YUY2", 203, 41, "sobel response=canny low=90 high=500 overlay=#ff0000 stride=2", 0, {0}, {0}},
    {"RGBA",
     203,
     41,
     "sobel response=canny low=90 high=500 threshold=0.5 invert=true mix=-1.5",
     0,
     {11, 3, 150, 30},
     {0}},
    {"P010_10LE",
     203,
     41,
     "sobel response=canny low=90 high=500 threshold=1 overlay=#c0ff00ff",
     0,
     {0},
     {0}},
    /* lines across slices */
    {"GRAY8", 1030, 770, "sobel response=canny low=100 high=400", PATTERN_SPIRAL, {0}, {0}},
    {"GRAY8", 1030, 770, "sobel response=canny low=100 high=400", PATTERN_SERPENTINE, {0}, {0}},
    {"GRAY8", 1030, 770, "sobel response=canny-l1 low=100 high=400", PATTERN_COMB, {0}, {0}},
    {"NV12", 1030, 770, "sobel response=canny-l1 low=100 high=400", PATTERN_SPIRAL, {0}, {0}},
    {"RGBA",
     511,
     770,
     "sobel response=canny low=100 high=400 stride=2",
     PATTERN_SERPENTINE,
     {0},
     {0}},
    {"GRAY16_LE",
     1030,
     770,
     "sobel response=canny low=100 high=400 border=wrap",
     PATTERN_COMB,
     {0},
     {0}},
    {"GRAY8",
     1030,
     770,
     "sobel response=canny low=100 high=400",
     PATTERN_COMB,
     {0, 0, 900, 700},
     {30, 20}},
    {"GRAY8", 1921, 1081, "sobel response=canny low=100 high=500", 0, {0}, {0}},
};

/* Measuring: contiguous samples, and samples between others or in several planes; words with bits
 * beside the samples; every depth; thresholds; targets that are cut off; half a macropixel;
 * strides; repetitions; plans that are rewritten; direction-color; weighted alpha; sums that exceed
 * 32 bits; frames that are written with non-temporal stores, with and without compose. */
static const OfOptions measured[] = {
    {"GRAY8", 333, 41, 1, "sobel measure=sums", {0}, {0}},
    {"GRAY8", 333, 41, 1, "sobel measure=histogram threshold=0.3", {31, 3, 200, 33}, {0}},
    {"GRAY8", 9000, 9, 1, "identity measure=sums", {0}, {0}},
    {"GRAY8", 1, 1, 1, "gaussian measure=histogram", {0}, {0}},
    {"GRAY16_LE", 5000, 9, 1, "identity measure=histogram threshold=1", {0}, {0}},
    {"GRAY16_LE", 99, 40, 3, "box border=constant measure=sums", {0}, {0}},
    {"I420", 203, 41, 1, "sobel measure=histogram invert=true", {5, 6, 150, 30}, {70, 20}},
    {"NV12", 331, 39, 1, "laplacian response=offset measure=sums stride=2", {0}, {0}},
    {"YUY2", 203, 21, 1, "sobel measure=histogram threshold=0.1", {0}, {0}},
    {"UYVY", 202, 21, 1, "gaussian measure=sums stride=4", {0}, {0}},
    {"VYUY", 1, 9, 1, "box measure=histogram", {0}, {0}},
    {"AYUV", 150, 21, 2, "box measure=histogram mix=0.5", {11, 3, 90, 15}, {40, 1}},
    {"RGB", 203, 21, 1, "sobel measure=sums", {0}, {0}},
    {"BGR", 203, 21, 1, "gaussian measure=histogram threshold=0.5 mix=0.5", {0}, {0}},
    {"xRGB", 93, 35, 1, "identity measure=histogram", {11, 3, 50, 6}, {7, 2}},
    {"ARGB64", 99, 40, 1, "gaussian measure=histogram", {0}, {0}},
    {"GBR", 203, 41, 1, "sobel measure=histogram threshold=0.2", {3, 5, 101, 21}, {101, 20}},
    {"GBR", 203, 41, 1, "gaussian measure=sums color=components invert=true", {0}, {0}},
    {"RGBP", 93, 35, 3, "box measure=sums color=components stride=1", {0}, {0}},
    {"GBR_10LE", 203, 21, 1, "sobel measure=histogram stride=2", {0}, {0}},
    {"I420_10LE", 203, 21, 1, "sobel measure=histogram threshold=0.05", {0}, {0}},
    {"P010_10LE", 283, 37, 1, "sobel measure=histogram threshold=0.5", {40, 1, 160, 36}, {0}},
    {"P012_LE", 99, 40, 1, "gaussian measure=sums mix=-2", {0}, {0}},
    {"P016_LE", 99, 40, 1, "identity measure=histogram", {0}, {0}},
    {"I422_12LE", 203, 21, 1, "box measure=histogram", {0}, {0}},
    {"Y444_16LE", 99, 40, 1, "gaussian measure=sums", {0}, {0}},
    {"NV12", 331, 39, 1, "sobel response=direction measure=histogram", {0}, {0}},
    {"RGBA", 203, 21, 1, "sobel response=direction measure=sums threshold=0.5", {0}, {0}},
    {"UYVY", 203, 21, 1, "sobel response=direction measure=sums", {0}, {0}},
    {"RGBA", 93, 35, 1, "gaussian alpha=weighted measure=histogram", {0}, {0}},
    {"AYUV", 93, 35, 1, "box alpha=weighted measure=sums overlay=#ff0000", {0}, {0}},
    {"I420", 203, 21, 1, "sobel measure=histogram overlay=#ff0000", {0}, {0}},
    {"GRAY8", 2561, 1601, 1, "sobel measure=sums", {0}, {0}},
    {"GRAY8", 2561, 1601, 1, "sobel measure=sums mix=0", {0}, {0}},
    {"NV12", 2100, 1300, 1, "gaussian measure=histogram threshold=0.5", {0}, {0}},
    {"GRAY16_LE", 1501, 1401, 1, "identity measure=sums invert=true", {0}, {0}},
};

guint
regressions_count(void) {
  return G_N_ELEMENTS(cases) + G_N_ELEMENTS(composed) + G_N_ELEMENTS(of_options) +
         G_N_ELEMENTS(with_edges) + G_N_ELEMENTS(measured);
}

/* Returns a row and a column with sums of 27 and 6 bits. */
static CcKernel *
faint_kernel(void) {
  gdouble row[FAINT_SIDE], column[FAINT_SIDE];
  for (guint i = 0; i < FAINT_SIDE; i++) {
    row[i] = 4200 + (i == 0) - (i == FAINT_SIDE - 1);
    column[i] = -2 - (i == 0) + (i == FAINT_SIDE - 1);
  }
  return cc_kernel_new_separable(row, FAINT_SIDE, column, FAINT_SIDE, NULL);
}

/* Returns byte taps without any pattern. */
static CcKernel *
mixed_kernel(void) {
  gdouble taps[MIXED_SIDE * MIXED_SIDE];
  for (guint i = 0; i < G_N_ELEMENTS(taps); i++)
    taps[i] = i * 7919 % 13 - 3.0;
  return cc_kernel_new_square(taps, G_N_ELEMENTS(taps), NULL);
}

static CcKernel *
steep_kernel(void) {
  const gdouble row[STEEP_SIDE] = {-3000, -3000, -3000}, column[STEEP_SIDE] = {117, 117, 117};
  return cc_kernel_new_separable(row, STEEP_SIDE, column, STEEP_SIDE, NULL);
}

static CcKernel *
find_kernel(const gchar *name) {
  static CcKernel *faint, *mixed, *steep;
  if (!faint) {
    faint = faint_kernel();
    mixed = mixed_kernel();
    steep = steep_kernel();
  }
  return g_str_equal(name, EACH)    ? cc_kernels_find("box")
         : g_str_equal(name, FAINT) ? faint
         : g_str_equal(name, MIXED) ? mixed
         : g_str_equal(name, STEEP) ? steep
                                    : cc_kernels_find(name);
}

static Case
composed_get(guint i) {
  const TestFormat *format = test_format_find(composed[i].format);
  return (Case){
      .filter =
          {
              .kernel = cc_kernels_find(composed[i].kernel),
              .response = composed[i].response,
              .alpha = CC_ALPHA_FILTER,
              .stride = composed[i].stride,
              .threshold = composed[i].threshold,
              .invert = composed[i].invert,
              .mixes = TRUE,
              .mix = composed[i].mix,
              .overlay = composed[i].overlay,
          },
      .roi = {.target_set = composed[i].target_x > 0, .target_x = composed[i].target_x},
      .layout = test_format_layout(format, composed[i].width, composed[i].height, i % 2),
      .pattern = PATTERN_RANDOM,
      .seed = i,
      .dst = composed[i].dst,
      .kernel = composed[i].kernel,
      .format = format->name,
      .range = i % 2 ? "limited" : "full",
      .width = composed[i].width,
      .height = composed[i].height,
  };
}

static Case
options_get(const gchar *format_name, guint width, guint height, const gchar *options_text,
            guint i) {
  const TestFormat *format = test_format_find(format_name);
  g_autofree gchar *text = g_strconcat("kernel=", options_text, NULL);
  g_auto(CcOptions) options;
  Case c = {
      .layout = test_format_layout(format, width, height, i % 2),
      .pattern = PATTERN_RANDOM,
      .src = i % PLACEMENT_COUNT,
      .dst = i / 2 % PLACEMENT_COUNT,
      .seed = i,
      .kernel = options_text,
      .format = format->name,
      .range = i % 2 ? "limited" : "full",
      .width = width,
      .height = height,
  };
  cc_options_init(&options);
  g_assert_true(cc_options_set_text(&options, text, NULL));
  cc_options_get_filter(&options, &c.filter); /* a named kernel, which lives on */
  c.filter.border_value = 0.3;
  return c;
}

static CcRoi
roi_of(const CcRect *source, const guint target[2]) {
  return (CcRoi){*source, target[0] > 0, target[0], target[1]};
}

Case
regressions_get(guint index) {
  const guint first_options = G_N_ELEMENTS(cases) + G_N_ELEMENTS(composed);
  const guint first_edges = first_options + G_N_ELEMENTS(of_options);
  const guint first_measured = first_edges + G_N_ELEMENTS(with_edges);
  if (index >= first_edges && index < first_measured) {
    const guint i = index - first_edges;
    Case c = options_get(with_edges[i].format, with_edges[i].width, with_edges[i].height,
                         with_edges[i].options, i);
    c.pattern = with_edges[i].pattern;
    c.roi = roi_of(&with_edges[i].source, with_edges[i].target);
    return c;
  }
  if (index >= first_options) {
    const gboolean measures = index >= first_measured;
    const guint i = index - (measures ? first_measured : first_options);
    const OfOptions *row = measures ? &measured[i] : &of_options[i];
    Case c = options_get(row->format, row->width, row->height, row->options, i);
    c.filter.repeats = row->repeats;
    c.roi = roi_of(&row->source, row->target);
    return c;
  }
  if (index >= G_N_ELEMENTS(cases))
    return composed_get(index - G_N_ELEMENTS(cases));
  const TestFormat *format = test_format_find(cases[index].format);
  return (Case){
      .filter =
          {
              .kernel = find_kernel(cases[index].kernel),
              .response = cases[index].response,
              .size = cases[index].size,
              .sigma = cases[index].sigma,
              .scale = cases[index].scale,
              .border = cases[index].border,
              .border_value = 0.3,
              .chroma = CC_CHROMA_FILTER,
              .color = g_str_equal(cases[index].kernel, EACH) ? CC_COLOR_COMPONENTS : CC_COLOR_GREY,
              .stride = cases[index].stride,
          },
      .roi = {.target_set = cases[index].target_x > 0, .target_x = cases[index].target_x},
      .layout = test_format_layout(format, cases[index].width, cases[index].height, FALSE),
      .pattern = cases[index].pattern,
      .seed = index,
      .kernel = cases[index].kernel,
      .format = format->name,
      .range = "full",
      .width = cases[index].width,
      .height = cases[index].height,
  };
}
