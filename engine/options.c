/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.h"

#include <string.h>
#include "kernel/printable.h"

/* A choice is stored as gint. */
G_STATIC_ASSERT(sizeof(CcResponse) == sizeof(gint));

/* --- choices --- */

#define CHOICE_ROW(constant, name, text, ...) {constant, name, text},
#define DEFINE_CHOICES(function, LIST)                                                             \
  static const CcChoice *function(const CcOption *self) {                                          \
    static const CcChoice choices[] = {LIST(CHOICE_ROW){0, NULL, NULL}};                           \
    return choices;                                                                                \
  }

DEFINE_CHOICES(response_choices, CC_RESPONSES)
DEFINE_CHOICES(border_choices, CC_BORDERS)
DEFINE_CHOICES(color_choices, CC_COLORS)
DEFINE_CHOICES(chroma_choices, CC_CHROMAS)
DEFINE_CHOICES(alpha_choices, CC_ALPHAS)
DEFINE_CHOICES(outside_choices, CC_OUTSIDES)
DEFINE_CHOICES(fields_choices, CC_FIELDS)
DEFINE_CHOICES(measure_choices, CC_MEASURES)

static const CcChoice *
kernel_choices(const CcOption *self) {
  static gsize made = 0;
  if (g_once_init_enter(&made)) {
    const GPtrArray *kernels = cc_kernels_builtin();
    CcChoice *choices = g_new0(CcChoice, kernels->len + 2);
    choices[0] =
        (CcChoice){CC_KERNEL_CUSTOM, "custom",
                   "The last definition by matrix, matrix-text, row, column or kernel-file"};
    for (guint i = 0; i < kernels->len; i++) {
      const CcKernel *kernel = g_ptr_array_index(kernels, i);
      choices[i + 1] = (CcChoice){(gint)i + 1, kernel->name, kernel->description};
    }
    g_once_init_leave(&made, (gsize)choices);
  }
  return (const CcChoice *)made;
}

static const CcChoice *
chroma_kernel_choices(const CcOption *self) {
  static gsize made = 0;
  if (g_once_init_enter(&made)) {
    const GPtrArray *kernels = cc_kernels_builtin();
    CcChoice *choices = g_memdup2(kernel_choices(self), (kernels->len + 2) * sizeof *choices);
    choices[0] = (CcChoice){CC_CHROMA_KERNEL_SAME, "same", "The kernel of luma"};
    g_once_init_leave(&made, (gsize)choices);
  }
  return (const CcChoice *)made;
}

static const CcChoice no_algorithms[] = {{0, "auto", "The only one"}, {0, NULL, NULL}};
static const CcChoice *algorithms = no_algorithms;

static const CcChoice *
algorithm_choices(const CcOption *self) {
  return algorithms;
}

void
cc_options_set_algorithms(const CcChoice *choices) {
  algorithms = choices;
}

/* --- the table --- */

static gboolean
is_stride(gint stride) {
  return stride != 3;
}

static gboolean
is_size(gint size) {
  return size == 0 || size % 2 == 1;
}

#define COEFFICIENTS(most) .type = CC_OPTION_COEFFICIENTS, .max = (most)
#define TEXT .type = CC_OPTION_TEXT
#define INT(from, to, otherwise)                                                                   \
  .type = CC_OPTION_INT, .min = (from), .max = (to), .fallback = (otherwise)
#define DOUBLE(from, to, otherwise)                                                                \
  .type = CC_OPTION_DOUBLE, .min = (from), .max = (to), .fallback = (otherwise)
#define BOOLEAN(otherwise) .type = CC_OPTION_BOOLEAN, .fallback = (otherwise)
#define COLOR(otherwise) .type = CC_OPTION_COLOR, .fallback = (otherwise)
#define CHOICE(of, otherwise)                                                                      \
  .type = CC_OPTION_CHOICE, .choices = (of), .default_choice = (otherwise)
#define TUPLES(size) .type = CC_OPTION_TUPLES, .max = (size)
#define REGIONS(field) .offset = offsetof(CcOptions, regions.field)
#define FILTER(field) .offset = offsetof(CcOptions, filter.field)

/* In the order of the enum CC_OPTION_*. */
const CcOption cc_options[] = {
    /**
     * matrix:
     *
     * Coefficients of a custom kernel, as an array of rows or as the flat list of a square. Width
     * and height are odd, 1 to 15 each. A single row or column has up to 31 coefficients.
     * Coefficients are numbers from -1e8 to 1e8, and may be fractions or numeric strings. The
     * matrix is not flipped. An empty matrix removes the coefficients. It is refused while they are
     * in use.
     */
    {"matrix", "Matrix",
     "Coefficients of a custom kernel with odd sides, 1x1 to 15x15, or one row or column of up to "
     "31: a flat square matrix=\"<1,2,1,2,4,2,1,2,1>\" or rows "
     "matrix=\"<<1,2,1>,<2,4,2>,<1,2,1>>\"",
     COEFFICIENTS(CC_MAX_COEFFS)},

    /**
     * matrix-text:
     *
     * Coefficients of a custom kernel as one text, with white space between them. FFmpeg's
     * convolution has the same form for one matrix. A list without `;` is a square if its length is
     * the square of an odd number. For every other shape `;` or a new line ends each row, so "1 2
     * 1;" is a row of three and "1;2;1" is a column. The sizes are those of matrix: a single row or
     * column has up to 31 coefficients. The text has up to 16384 bytes. In a gst-launch line use
     * `;`, because a new line needs quotes inside the quotes of the shell. An empty text removes
     * the coefficients. It is refused while they are in use.
     */
    {"matrix-text", "Matrix text",
     "Coefficients as one text, row by row: \"0 -1 0 -1 5 -1 0 -1 0\". If the matrix is not "
     "square, a semicolon ends each row: \"1 2 1;\" is one row, \"1;2;1;\" is one column",
     TEXT},

    /**
     * row:
     *
     * Row of a custom separable kernel. The kernel is column times row. Without a column it is one
     * pixel high. The row has an odd number of coefficients, 1 to 31. An empty row removes it.
     */
    {"row", "Row",
     "Row of a custom separable kernel, 1 to 31 coefficients: row=\"<-1,0,1>\" column=\"<1,2,1>\"; "
     "alone, a kernel one pixel high",
     COEFFICIENTS(CC_MAX_LINE_SIZE)},

    /**
     * column:
     *
     * Column of a custom separable kernel. The kernel is column times row. Without a row it is one
     * pixel wide. The column has an odd number of coefficients, 1 to 31. An empty column removes
     * it.
     */
    {"column", "Column",
     "Column of a custom separable kernel, 1 to 31 coefficients: column=\"<1,4,6,4,1>\"; alone, a "
     "kernel one pixel wide",
     COEFFICIENTS(CC_MAX_LINE_SIZE)},

    /**
     * kernel-file:
     *
     * Path of a file whose first kernel definition becomes the custom kernel. A definition is a
     * `[name]` and lines such as `matrix-3=1 2 1; 2 4 2; 1 2 1`, or `row-3=1 2 1` and `column-3=1 2
     * 1`. `|` separates several matrices. `scale-3`, `class` (plain, blur, sharpen or edge),
     * `response`, `chroma` and `default-size` replace the defaults. The plugin's own list,
     * presets/kernels.ini of the sources, has the same format. The file is a regular file of up to
     * 64 KiB. It is read when the property is set.
     */
    {"kernel-file", "Kernel file",
     "Path of a file that defines the custom kernel, in lines such as \"[soft]\" and "
     "\"matrix-3=1 2 1; 2 4 2; 1 2 1\"",
     TEXT},

    /**
     * kernel:
     *
     * A named kernel, or `custom` for the coefficients that matrix, matrix-text, row, column or
     * kernel-file gave last. Setting one of these properties selects `custom`. The coefficients are
     * kept while a named kernel is in use.
     */
    {"kernel", "Kernel", "Convolution kernel; setting a matrix makes it custom",
     CHOICE(kernel_choices, "sobel"), .offset = offsetof(CcOptions, kernel)},

    /**
     * size:
     *
     * Preferred number of rows and columns of the kernel: an odd number, or 0, the default, for the
     * kernel's own size. A size the kernel does not have falls back to the next smaller one, or to
     * the smallest. box and gaussian have every odd size from 3 to 127. Beyond 15 and without a
     * sigma, gaussian is sampled with a sigma of (size - 1) / 6. A matrix has only its own size.
     * The field `size` of the property stats has the size that runs. Larger derivatives give larger
     * results: scale=0.0625 brings sobel with size=5 to about the strength of size=3.
     */
    {"size", "Size",
     "Rows and columns of the kernel: 1, 3, 5, ...; 0 is the default size of the kernel. If the "
     "kernel does not have this size, its next smaller size is used",
     FILTER(size), INT(0, CC_MAX_KERNEL_SIZE, 0), .is_valid = is_size,
     .valid =
         "an odd number from 1 to " G_STRINGIFY(CC_MAX_KERNEL_SIZE) ", or 0 for the kernel's own,"},

    /**
     * sigma:
     *
     * Standard deviation of kernel=gaussian in pixels. 0, the default, takes the binomial
     * coefficients of the size. With size=0 the Gaussian covers three sigma on both sides: it has 6
     * sigma + 1 rows and columns, rounded and made odd. This is OpenCV's rule for images of 8 bits,
     * and here it holds at every depth. For more than 8 bits OpenCV takes 8 sigma + 1; set size for
     * that. The size is at most 127, so a sigma above 21.08 needs an explicit size, which cuts off
     * the Gaussian. A chain of blurs adds the squares of sigma: four elements with sigma=21 blur
     * like one with sigma=42. Other kernels ignore sigma, with a warning.
     */
    {"sigma", "Sigma",
     "Standard deviation of kernel=gaussian; 0 selects binomial coefficients. If sigma is above 0 "
     "and size is 0, the kernel gets 6 sigma + 1 rows and columns. A sigma above 21.08 needs a "
     "size",
     FILTER(sigma), DOUBLE(0, CC_MAX_SIGMA, 0), .unit = "pixel"},

    /**
     * scale:
     *
     * Factor of the response. The response is the sum, or its absolute value or magnitude. In the
     * command the factor may also be a fraction. 0, the default, is automatic: one over the sum of
     * the coefficients if that is positive, else 1. Any other value replaces the automatic one. A
     * negative value inverts the image: `scale=-1 bias=255` draws dark edges on white. A blur whose
     * coefficients have the sum 16 takes -1/16: `kernel=gaussian size=3 scale=-0.0625 bias=255`. If
     * chroma is filtered, it is scaled too.
     */
    {"scale", "Scale",
     "Factor of the response (0 = one over the sum of a positive matrix, else 1); a negative value "
     "inverts the image",
     FILTER(scale), DOUBLE(-CC_MAX_SCALE, CC_MAX_SCALE, 0)},

    /**
     * bias:
     *
     * Added to the result, in code values of 8 bits. Deeper formats multiply it, so 255 is white at
     * every depth: by (2^depth - 1)/255, or in luma and chroma of limited range by 2^(depth - 8).
     * If chroma is filtered, as with blurs and matrices, the bias is added to chroma too and shifts
     * the colors. chroma=copy keeps them. If the response is a direction as a hue, 255 is a full
     * turn.
     */
    {"bias", "Bias", "Added to the result: 255 is white of full range at every depth", FILTER(bias),
     DOUBLE(-CC_MAX_BIAS, CC_MAX_BIAS, 0), .unit = "8-bit code value"},

    /**
     * response:
     *
     * How the signed sums of the kernel become pixels. Default: auto, the kernel's own. Edge
     * kernels are those from sobel to log in the list of `kernel`. In limited range they keep luma
     * within 16 to 235 and count the bias from 16, except with offset and direction. All other
     * kernels, custom ones too, use all code values.
     *
     * `canny` and `canny-l1` draw thin white lines on black where J. Canny's detector finds edges,
     * between the thresholds low and high. They need sobel (3, 5 or 7), scharr or prewitt, and give
     * the bytes of OpenCV's Canny, with L2gradient and without. They ignore scale and bias, and do
     * not blur first. RGB is filtered as its luma, and chroma is not filtered. With a stride, edges
     * are found at full size and then thinned out.
     *
     * In color formats direction is a hue: the angle 0 is red, and no gradient is black. This needs
     * R, G and B that are filtered as grey (see color), or luma and chroma with chroma=auto. A
     * chroma sample of several pixels has the hue of their mean gradient. In all other cases, and
     * for coefficients that are not proportional to whole numbers, direction is a code value: 0 if
     * the image gets brighter to the right, 64 downwards, 128 to the left and 192 upwards.
     */
    {"response", "Response", "How signed sums become pixels", FILTER(response),
     CHOICE(response_choices, "auto")},

    /**
     * low:
     *
     * The lower threshold of `response=canny` and `canny-l1`, from 0 to 1000000. A line of pixels
     * whose gradient is above low is an edge if the gradient of one of them is above high. The
     * gradient is counted in 8-bit code values, as the kernel sums them: sobel gives up to 1020
     * along each axis with 3x3. Larger sizes have larger gradients: low=800 and high=1600 suit
     * sobel with size=5. Deeper formats multiply the thresholds, as they multiply the bias. The
     * values are those of OpenCV's Canny. If low is above high, they are exchanged. Other responses
     * ignore low and high.
     */
    {"low", "Low", "Lower threshold of response=canny: weak edges have a larger gradient",
     FILTER(low), DOUBLE(0, CC_MAX_GRADIENT, CC_DEFAULT_LOW), .unit = "8-bit code value"},

    /**
     * high:
     *
     * The upper threshold of `response=canny` and `canny-l1`, from 0 to 1000000. Each edge has a
     * pixel whose gradient is above high. See low.
     */
    {"high", "High", "Upper threshold of response=canny: each edge has a larger gradient somewhere",
     FILTER(high), DOUBLE(0, CC_MAX_GRADIENT, CC_DEFAULT_HIGH), .unit = "8-bit code value"},

    /**
     * border:
     *
     * The pixels that the kernel reads outside the frame.
     */
    {"border", "Border", "Pixels that the kernel reads outside the frame", FILTER(border),
     CHOICE(border_choices, "replicate")},

    /**
     * border-value:
     *
     * Value of the pixels outside the frame with border=constant, as a fraction of full scale.
     * Chroma outside is always neutral, and alpha is opaque.
     */
    {"border-value", "Border value", "Value of the pixels outside with border=constant",
     FILTER(border_value), DOUBLE(0, 1, 0), .unit = "full scale"},

    /**
     * chroma:
     *
     * What happens to the chroma of YUV video. Default: auto, the kernel's own. Blurs and custom
     * matrices filter chroma, sharpening copies it, and edge kernels set it to grey.
     */
    {"chroma", "Chroma", "What happens to the chroma of YUV video", FILTER(chroma),
     CHOICE(chroma_choices, "auto")},

    /**
     * chroma-kernel:
     *
     * Another named kernel for the chroma of YUV video. Its response is its own, its scale is
     * automatic, and bias does not apply to it. `size`, `sigma` and `border` apply to both kernels.
     * With `size=0` each of them has its own default size. With chroma=auto, chroma is then
     * filtered. `kernel=sobel chroma-kernel=gaussian` draws edges in the colors of the blurred
     * video. Chroma cannot have a matrix of its own. If chroma is not filtered, or overlay,
     * threshold or roi-sigma changes it, chroma-kernel has no effect. The element warns of that.
     * Formats without chroma, such as RGB, ignore it without a warning.
     */
    {"chroma-kernel", "Chroma kernel",
     "Another named kernel for the chroma of YUV video, which is then filtered",
     .offset = offsetof(CcOptions, chroma_kernel), CHOICE(chroma_kernel_choices, "same")},

    /**
     * chroma-size:
     *
     * Preferred number of rows and columns of the kernel for chroma, as `size` is for luma. 0, the
     * default, is `size`. `kernel=gaussian size=5 chroma-size=3` filters luma with 5x5 and chroma
     * with 3x3. In 4:2:0 a chroma sample is as wide as two pixels, so the smaller kernel reaches as
     * far. A custom matrix keeps its size. If chroma is not filtered, chroma-size has no effect.
     * The element warns of that.
     */
    {"chroma-size", "Chroma size",
     "Rows and columns of the kernel for chroma: 1, 3, 5, ...; 0 is that of luma",
     FILTER(chroma_size), INT(0, CC_MAX_KERNEL_SIZE, 0), .is_valid = is_size,
     .valid = "an odd number from 1 to " G_STRINGIFY(CC_MAX_KERNEL_SIZE) ", or 0 for the size of "
                                                                         "luma,"},

    /**
     * color:
     *
     * Whether R, G and B are filtered each by itself, or as their luma, which replaces all three.
     * The luma is (13933 R + 46871 G + 4732 B + 32768) >> 16, with the weights of BT.709. It is
     * rounded before it is filtered. Default: auto, the luma for edge kernels, else each component
     * by itself. Edges are therefore grey in RGB, as they are in YUV. Formats without R, G and B
     * ignore color.
     */
    {"color", "Color", "Filter red, green and blue each by itself, or as their luma", FILTER(color),
     CHOICE(color_choices, "auto")},

    /**
     * alpha:
     *
     * What happens to an alpha channel. `copy`, `filter` and `opaque` filter each color by itself.
     * The colors of transparent pixels then blur into their neighbours. If the result is drawn over
     * another image, its edges have a fringe of these colors. `weighted` filters alpha, and each
     * color with the weight of its alpha, so the result has no fringe. Where all pixels below the
     * kernel are transparent, the colors of the source stay.
     *
     * `weighted` needs a kernel with one matrix and no negative taps, such as `gaussian` and `box`.
     * It also needs the response `clamp`, the default scale and bias, and a border other than
     * `constant`. A `chroma-kernel` needs the same. Colors that are not filtered, such as chroma
     * with `chroma=copy`, stay as they are. These conditions hold for all formats. Formats without
     * alpha are filtered as with `filter`. The commands `apply` and `plan` use `weighted` for
     * images if the kernel is box, gaussian or motion-blur, these conditions hold, and no option
     * sets `alpha`.
     */
    {"alpha", "Alpha", "What happens to an alpha channel", FILTER(alpha),
     CHOICE(alpha_choices, "copy")},

    /**
     * threshold:
     *
     * Makes the result black and white: white where it is at or above this fraction of the range
     * from black to white. 0, the default, is off. Luma, grey, red, green and blue each become
     * black or white. Chroma becomes neutral, and alpha stays. With 8 bits of full range, 0.5 is
     * the code value 128, and 1 is 255. Most video has limited range: 0.5 is 126 of 16 to 235, and
     * with 10 bits 502 of 64 to 940.
     */
    {"threshold", "Threshold",
     "Make the result black and white: white from this fraction of the range on (0 = off)",
     FILTER(threshold), DOUBLE(0, 1, 0)},

    /**
     * invert:
     *
     * Exchanges black and white in the result, after threshold. Luma, grey, red, green and blue are
     * inverted within their range. Chroma and alpha stay.
     */
    {"invert", "Invert", "Exchange black and white in the result", FILTER(invert), BOOLEAN(FALSE)},

    /**
     * mix:
     *
     * Mixes the result with the source: source + mix (result - source), from -8 to 8, in steps of
     * 1/256. 1, the default, is the result, and 0 is the source. A value between them is a blend. A
     * value above 1 enlarges the effect of the kernel. A negative mix of a blur sharpens: it is an
     * unsharp mask whose amount is -mix, as in `kernel=gaussian sigma=3 mix=-1.5`. Alpha is mixed
     * only with alpha=filter. With an overlay, mix is a factor of the overlay's strength, limited
     * to 0 to 1.
     */
    {"mix", "Mix",
     "Mix the result with the source: 1 is the result, 0 the source; a negative mix of a blur "
     "sharpens",
     FILTER(mix), DOUBLE(-CC_MAX_MIX, CC_MAX_MIX, 1)},

    /**
     * overlay:
     *
     * Lays a color over the source where the result is bright, instead of showing the result. The
     * value is 0xAARRGGBB: alpha, red, green and blue. The command also accepts #RRGGBB, which is
     * opaque. 0, the default, is off. The brighter the result, the stronger is the color. Alpha is
     * the strength where the result is white, so 0x00ff0000 draws nothing. With threshold, the
     * color is there or not. `kernel=sobel overlay=0xffff0000` draws edges in red over the video.
     * The chroma of the result is not used. An overlay does not change the alpha channel.
     */
    {"overlay", "Overlay",
     "Draw the result over the source in a color 0xAARRGGBB, stronger where it is brighter (0 = "
     "off)",
     FILTER(overlay), COLOR(0)},

    /**
     * measure:
     *
     * Measures the result before threshold, invert, mix and overlay: the luma, the grey, or the
     * luma of R, G and B. `sums` counts the samples, and finds their sum, the sum of squares and
     * the largest. It also counts the samples at or above `threshold`, at black and at white.
     * `histogram` adds 256 bins of the upper 8 bits. All figures are exact integers, equal on the
     * GPU and the CPU. They are for the frame, or with regions for each region and for all of them.
     * Each output buffer has them as a GstCustomMeta named `cudaconv-measure`. An element message
     * of this name has them too, once in `measure-interval`. `kernel=sobel scale=0.2 measure=sums
     * mix=0` leaves the video as it is and measures how sharp it is. Without the scale, strong
     * edges clip at white.
     */
    {"measure", "Measure", "Measure the luma of the result, for a meta and an element message",
     FILTER(measure), CHOICE(measure_choices, "off")},

    /**
     * stride:
     *
     * 1, 2 or 4: keeps every n-th pixel of every n-th row of the filtered frame, beginning with the
     * first. The other pixels are not computed. The output has the size of the input divided by the
     * stride, rounded up. A change while playing gives new output caps with the next frame. If
     * downstream does not accept them, the change is refused. With a stride above 1, interlaced
     * frames are filtered as a whole, and all rows that are kept are of one field. Deinterlace such
     * video first.
     */
    {"stride", "Stride", "Keep every n-th pixel and row: 1, 2 or 4; the output shrinks",
     FILTER(stride), INT(1, 4, 1), .is_valid = is_stride, .valid = "1, 2 or 4"},

    /**
     * roi:
     *
     * The regions that are filtered, up to 256: one `<x, y, width, height>` in pixels of the input,
     * or an array of such. An empty array, the default, filters the whole frame. A region is
     * filtered as if it were the whole frame: no pixel outside of it is read, and `border` applies
     * at its edges. A part outside of the frame is cut off. A region that begins outside of the
     * frame, or that has no pixels, is refused. Every region is filtered from the original frame.
     * Where regions overlap, the later one wins. In packed 4:2:2, regions start and end at even
     * columns. In other formats with subsampled chroma, a region with odd coordinates includes
     * every chroma sample that it touches.
     *
     * Several regions need outer brackets: `roi="<<10,20,60,60>,<150,20,60,60>>"`. Without them
     * GStreamer keeps only the first region, without a message. The command also accepts numbers
     * only: `--roi "10,20,300,200; 400,20,300,200"`. Of several `--roi` it keeps the last one.
     */
    {"roi", "Regions",
     "Filter only these regions: one <x, y, width, height>, or an array of such; empty = the whole "
     "frame",
     REGIONS(roi), TUPLES(4)},

    /**
     * target:
     *
     * The positions to which the filtered regions go: one `<x, y>` in pixels of the output for each
     * region of `roi`. An empty array, the default, leaves each region in its place. A part that
     * does not fit the output is cut off. A position outside of the output is refused. The source
     * of a region stays in the frame; `outside=black` hides it. Several positions need outer
     * brackets, as in `roi`: `target="<<0,0>,<100,0>>"`. If `roi` and `target` change while
     * playing, they have to be set in one call.
     */
    {"target", "Targets",
     "Where the filtered regions go: one <x, y>, or an array with one for each region; empty = the "
     "same place",
     REGIONS(target), TUPLES(2)},

    /**
     * outside:
     *
     * What the pixels outside of all targets have. Without `target`, these are the pixels outside
     * of all regions. With `copy`, a frame is filtered in place if the element is its only user:
     * pixels outside of the regions are neither read nor written. On the GPU, frames in system
     * memory are filtered in place only if the regions are small, because larger regions take
     * longer to copy than the whole frame takes to transfer. A frame that is shared, as behind a
     * tee, or read-only is copied, and so is every frame with `black` or a stride. The other branch
     * of a tee never changes.
     */
    {"outside", "Outside", "Pixels outside of all regions", FILTER(outside),
     CHOICE(outside_choices, "copy")},

    /**
     * roi-meta:
     *
     * Filters the regions that an element upstream, such as a detector, attached to each frame as
     * GstVideoRegionOfInterestMeta, in their order. They replace `roi` and `target`. Their number
     * has no limit. Metas are cut to the frame. In packed 4:2:2 they are widened to whole pairs of
     * pixels. A frame without metas is all outside. The command does not have this option, because
     * it has no detector.
     */
    {"roi-meta", "Regions of metas",
     "Filter only the regions that a detector attached to the frame, as "
     "GstVideoRegionOfInterestMeta; they replace roi and target",
     REGIONS(by_meta), BOOLEAN(FALSE)},

    /**
     * roi-type:
     *
     * With roi-meta, only metas of this type count, for example `face`. Upper and lower case
     * differ. Without a type, all metas count. A type has up to 255 bytes. The command does not
     * have this option.
     */
    {"roi-type", "Type of metas", "With roi-meta, only metas of this type count, such as face",
     REGIONS(meta_type), .type = CC_OPTION_TEXT, .max = 255},

    /**
     * roi-sigma:
     *
     * Sigma of kernel=gaussian as a share of the smaller side of each region, or of the frame if
     * there are no regions. It replaces sigma and size. 0, the default, is off. The side of a
     * region or of a meta counts as it was given, before it is cut to the frame. A blur that hides
     * a face has to grow with the face: see the preset face-blur. Sigma is rounded up to a power of
     * the fourth root of 2, and is at least half a pixel. Above 21 pixels, three box filters of one
     * size replace the Gaussian. The largest sigma is 63.5 pixels. The field
     * `limited-regions` of the property stats counts the regions that would need more, and the
     * command prints a warning with their number. Scale, bias, response and stride must have their
     * defaults, and `algorithm` is ignored. Other kernels ignore roi-sigma, with a warning. A blur
     * is no anonymization.
     */
    {"roi-sigma", "Sigma of regions",
     "Sigma of kernel=gaussian as a share of the smaller side of each region (0 = off)",
     FILTER(roi_sigma), DOUBLE(0, 1, 0)},

    /**
     * fields:
     *
     * How interlaced video is filtered. An interlaced frame has two fields, its even and its odd
     * rows, which show two moments. With `auto`, the default, each field is filtered as a frame of
     * its own, so the two moments do not mix. The rows of the kernel are then rows of a field: up
     * and down, the kernel reaches twice as far in the frame. `border` applies at the top and the
     * bottom of each field. Frames are interlaced if their caps have `interlace-mode=interleaved`,
     * or `mixed` and the frame has the flag for it. The order of the fields does not matter.
     *
     * A region keeps its rows of the frame. Its even rows are filtered as one region, and its odd
     * rows as another. `target` should move a region by a multiple of 4 rows. After an odd number
     * of rows the fields have changed places. In 4:2:0 an odd number of rows of chroma is two
     * rows, after which only the fields of chroma have changed places.
     *
     * With `frame`, frames are filtered as a whole, as in version 0.1. So they are with a stride
     * above 1. With `interlace-mode=alternate` each buffer is one field. Both values filter that
     * field, also with a stride, and `roi` is in rows of the field.
     */
    {"fields", "Fields", "How interlaced video is filtered", FILTER(fields),
     CHOICE(fields_choices, "auto")},

    /**
     * algorithm:
     *
     * How the GPU computes the sums. All algorithms give the same bytes. The GPU refuses an
     * algorithm that cannot run the kernel, with a message that lists those that can. The CPU
     * ignores this property and chooses its method by itself. Default: auto, the fastest for the
     * kernel. `sliding` is the former name of tensor-core and is still accepted in this release.
     */
    {"algorithm", "Algorithm",
     "Convolution algorithm of the GPU; the CPU ignores it and chooses by itself",
     FILTER(algorithm), CHOICE(algorithm_choices, "auto")},
};

const guint cc_n_options = G_N_ELEMENTS(cc_options);
G_STATIC_ASSERT(G_N_ELEMENTS(cc_options) <= CC_MAX_OPTIONS);

guint
cc_options_find(const gchar *name) {
  guint i = 0;
  while (i < cc_n_options && strcmp(cc_options[i].name, name) != 0)
    i++;
  return i;
}

/* --- the custom kernel --- */

static void
clear_definition(CcOptions *self) {
  g_clear_pointer(&self->custom, cc_kernel_unref);
  for (guint i = 0; i < CC_N_DEFINITIONS; i++)
    g_clear_pointer(&self->text[i], g_free);
  self->n_row = self->n_column = 0;
}

static void
assign_definition(CcOptions *to, const CcOptions *from) {
  /* if the kernels are the same, the other members of the definition are the same too, or empty */
  if (to == from || to->custom == from->custom)
    return;
  clear_definition(to);
  to->custom = from->custom ? cc_kernel_ref(from->custom) : NULL;
  for (guint i = 0; i < CC_N_DEFINITIONS; i++)
    to->text[i] = g_strdup(from->text[i]);
  to->n_row = from->n_row;
  to->n_column = from->n_column;
  memcpy(to->row, from->row, sizeof to->row);
  memcpy(to->column, from->column, sizeof to->column);
}

static gboolean
set_line(gdouble *line, guint *n, const CcOption *option, const CcCoefficients *from,
         GError **error) {
  if (from->n_rows > 1 || from->n > CC_MAX_LINE_SIZE)
    return cc_coefficients_refuse_length(option->name, from->n, error);
  *n = from->n;
  memcpy(line, from->value, from->n * sizeof *line);
  return TRUE;
}

/* Makes the custom kernel, which must be NULL before. A new row is combined with the column of
 * `self`, and a new column with the row. Without coefficients the kernel stays NULL. */
static gboolean
make_custom(CcOptions *self, guint i, const CcOptionValue *value, GError **error) {
  CcCoefficients parsed = {0};
  static const gdouble one[] = {1};
  switch (i) {
  case CC_OPTION_MATRIX:
    self->custom = cc_coefficients_make_kernel(value->coefficients, error);
    break;
  case CC_OPTION_MATRIX_TEXT:
    if (cc_coefficients_parse(&parsed, value->text, error))
      self->custom = cc_coefficients_make_kernel(&parsed, error);
    break;
  case CC_OPTION_ROW:
  case CC_OPTION_COLUMN:
    if (i == CC_OPTION_ROW
            ? !set_line(self->row, &self->n_row, &cc_options[i], value->coefficients, error)
            : !set_line(self->column, &self->n_column, &cc_options[i], value->coefficients, error))
      return FALSE;
    if (self->n_row == 0 && self->n_column == 0)
      return TRUE;
    self->custom =
        cc_kernel_new_separable(self->n_row ? self->row : one, MAX(self->n_row, 1),
                                self->n_column ? self->column : one, MAX(self->n_column, 1), error);
    break;
  case CC_OPTION_KERNEL_FILE:
    self->custom = cc_kernel_load(value->text, error);
    break;
  }
  return self->custom != NULL;
}

static gboolean
define(CcOptions *self, guint i, const CcOptionValue *value, GError **error) {
  const guint other_half = cc_option_other_half(i);
  const gboolean is_line = other_half < CC_N_DEFINITIONS;
  const gboolean is_list = cc_options[i].type == CC_OPTION_COEFFICIENTS;
  const gboolean is_empty = is_list
                                ? value->coefficients->n == 0 && value->coefficients->n_rows == 0
                                : !value->text || *value->text == '\0';
  if (is_empty && !self->text[i])
    return TRUE; /* option `i` defined no kernel before and defines none now */
  g_auto(CcOptions) next = {0};
  if (is_line)
    assign_definition(&next, self);
  g_clear_pointer(&next.custom, cc_kernel_unref);
  for (guint k = 0; k < CC_N_DEFINITIONS; k++)
    if (k != other_half)
      g_clear_pointer(&next.text[k], g_free);
  if ((!is_empty || is_line) && !make_custom(&next, i, value, error))
    return FALSE;
  next.text[i] = is_empty ? NULL : g_strdup(value->text);
  clear_definition(self);
  assign_definition(self, &next);
  if (self->custom)
    self->kernel = CC_KERNEL_CUSTOM;
  return TRUE;
}

/* --- values --- */

void
cc_options_init(CcOptions *self) {
  memset(self, 0, sizeof *self);
  for (guint i = CC_N_DEFINITIONS; i < cc_n_options; i++) {
    const CcOptionValue value = cc_option_default(&cc_options[i]);
    cc_option_store(&cc_options[i], self, &value);
  }
}

void
cc_options_clear(CcOptions *self) {
  clear_definition(self);
}

gboolean
cc_options_set(CcOptions *self, guint i, const CcOptionValue *value, GError **error) {
  if (i < CC_N_DEFINITIONS)
    return define(self, i, value, error);
  if (!cc_option_check(&cc_options[i], value, error))
    return FALSE;
  cc_option_store(&cc_options[i], self, value);
  return TRUE;
}

CcOptionValue
cc_options_get(const CcOptions *self, guint i) {
  return i < CC_N_DEFINITIONS ? (CcOptionValue){.text = self->text[i]}
                              : cc_option_load(&cc_options[i], self);
}

static gboolean
set_word(CcOptions *self, const gchar *word, GError **error) {
  const gchar *equals = strchr(word, '=');
  g_autofree gchar *name = equals ? g_strndup(word, (gsize)(equals - word)) : NULL;
  const guint i = equals ? cc_options_find(name) : cc_n_options;
  if (i == cc_n_options) {
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint k = 0; k < cc_n_options; k++)
      g_string_append_printf(names, "%s%s", k ? ", " : "", cc_options[k].name);
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "NAME=VALUE is needed, where NAME is one of %s",
                names->str);
    return FALSE;
  }
  CcCoefficients coefficients = {0};
  CcOptionValue value;
  return cc_option_parse(&cc_options[i], equals + 1, &value, &coefficients, error) &&
         cc_options_set(self, i, &value, error);
}

gboolean
cc_options_set_text(CcOptions *self, const gchar *text, GError **error) {
  g_auto(GStrv) words = NULL;
  g_autoptr(GError) reason = NULL;
  if (!g_shell_parse_argv(text, NULL, &words, &reason) &&
      !g_error_matches(reason, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "a quote or a backslash in the text has no end");
    return FALSE;
  }
  g_auto(CcOptions) next = {0};
  cc_options_assign(&next, self, CC_ALL_OPTIONS);
  for (gchar **word = words; word && *word; word++) {
    g_autoptr(GError) wrong = NULL;
    if (!set_word(&next, *word, &wrong)) {
      g_autofree gchar *quoted = cc_quote(*word);
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s: %s", quoted, wrong->message);
      return FALSE;
    }
  }
  cc_options_assign(self, &next, CC_ALL_OPTIONS);
  return TRUE;
}

CcOptionSet
cc_options_compare(const CcOptions *a, const CcOptions *b) {
  CcOptionSet differing = a->custom == b->custom ? 0 : cc_option_bit(CC_N_DEFINITIONS) - 1;
  for (guint i = CC_N_DEFINITIONS; i < cc_n_options; i++) {
    const gsize offset = cc_options[i].offset;
    if (memcmp((const gchar *)a + offset, (const gchar *)b + offset,
               cc_option_size(&cc_options[i])) != 0)
      differing |= cc_option_bit(i);
  }
  return differing;
}

void
cc_options_assign(CcOptions *to, const CcOptions *from, CcOptionSet set) {
  if (set & (cc_option_bit(CC_N_DEFINITIONS) - 1))
    assign_definition(to, from);
  for (guint i = CC_N_DEFINITIONS; i < cc_n_options; i++) {
    const gsize offset = cc_options[i].offset;
    if (set & cc_option_bit(i))
      memcpy((gchar *)to + offset, (const gchar *)from + offset, cc_option_size(&cc_options[i]));
  }
}

/* --- regions --- */

static CcRoi
get_roi(const CcRegionOptions *self, guint i) {
  const gint *roi = self->roi.number[i], *target = self->target.number[i];
  return (CcRoi){
      .source = {(guint)roi[0], (guint)roi[1], (guint)roi[2], (guint)roi[3]},
      .target_set = self->target.n > 0,
      .target_x = (guint)target[0],
      .target_y = (guint)target[1],
  };
}

gboolean
cc_options_find_regions(const CcOptions *self, const CcFrameLayout *frame, GArray *regions,
                        GError **error) {
  const CcRegionOptions *options = &self->regions;
  if (options->by_meta)
    return TRUE;
  if (options->target.n > 0 && options->target.n != options->roi.n) {
    g_set_error(
        error, CC_ERROR, CC_ERROR_INVALID,
        "target has %u position%s and roi has %u region%s; one position for each region, or "
        "none, is needed",
        options->target.n, options->target.n == 1 ? "" : "s", options->roi.n,
        options->roi.n == 1 ? "" : "s");
    return FALSE;
  }
  for (guint i = 0; i < options->roi.n; i++) {
    const CcRoi roi = get_roi(options, i);
    CcRegion region;
    if (roi.source.width == 0 || roi.source.height == 0) {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                  "roi=<%u, %u, %u, %u>: a width and a height of 1 or more are needed",
                  roi.source.x, roi.source.y, roi.source.width, roi.source.height);
      return FALSE;
    }
    if (!cc_roi_find_region(&roi, MAX(1, self->filter.stride), frame, &region, error))
      return FALSE;
    g_array_append_val(regions, region);
  }
  return TRUE;
}

CcKernel *
cc_options_named_kernel(gint value) {
  return value > 0 ? g_ptr_array_index(cc_kernels_builtin(), (guint)value - 1) : NULL;
}

void
cc_options_get_filter(const CcOptions *self, CcFilter *filter) {
  CcKernel *kernel =
      self->kernel == CC_KERNEL_CUSTOM ? self->custom : cc_options_named_kernel(self->kernel);
  *filter = self->filter;
  filter->mixes = TRUE;
  filter->kernel = kernel ? cc_kernel_ref(kernel) : NULL;
  filter->chroma_kernel = cc_options_named_kernel(self->chroma_kernel);
}

void
cc_filter_clear(CcFilter *self) {
  g_clear_pointer(&self->kernel, cc_kernel_unref);
  *self = (CcFilter){0};
}
