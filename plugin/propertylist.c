/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "propertylist.h"

#include <gst/gst.h>
#include <string.h>
#include "engine/error.h"
#include "enums.h"
#include "numberspec.h"

/* Choices of a filter are copied as whole numbers. */
G_STATIC_ASSERT(sizeof(CcResponse) == sizeof(gint));

/* --- what only one property needs --- */

static void
apply_kernel(const CcValues *values, CcFilter *filter) {
  CcKernel *kernel = values->kernel == GST_CUDA_CONV_KERNEL_CUSTOM
                         ? values->definition.kernel
                         : g_ptr_array_index(cc_kernels_builtin(), values->kernel - 1);
  filter->kernel = kernel ? cc_kernel_ref(kernel) : NULL;
}

/* The range of stride, 1 to 4, holds a number that is no stride. */
static gboolean
check_stride(const GValue *value, GError **error) {
  const gint stride = g_value_get_int(value);
  if (stride == 1 || stride == 2 || stride == 4)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "1, 2 or 4 is needed");
  return FALSE;
}

static gboolean
check_size(const GValue *value, GError **error) {
  const gint size = g_value_get_int(value);
  if (size == 0 || (size > 0 && size <= CC_MAX_KERNEL_SIZE && size % 2 == 1))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "an odd number from 1 to %d is needed, or 0 for the kernel's own",
              CC_MAX_KERNEL_SIZE);
  return FALSE;
}

/* --- the list --- */

#define DEFINES(field, function)                                                                   \
  .use = CC_USE_DEFINITION, .value_offset = offsetof(CcValues, definition.field),                  \
  .define = (function)
#define FILTERS(field)                                                                             \
  .use = CC_USE_PIXELS, .value_offset = offsetof(CcValues, field),                                 \
  .filter_offset = offsetof(CcFilter, field)
#define DEVICE(field) .use = CC_USE_DEVICE, .value_offset = offsetof(CcValues, field)

#define ARRAY .type = CC_TYPE_ARRAY
#define STRING .type = CC_TYPE_STRING
#define INT(from, to, otherwise)                                                                   \
  .type = CC_TYPE_INT, .min = (from), .max = (to), .fallback = (otherwise)
#define DOUBLE(from, to, otherwise)                                                                \
  .type = CC_TYPE_DOUBLE, .min = (from), .max = (to), .fallback = (otherwise)
#define ENUM(get_type, otherwise)                                                                  \
  .type = CC_TYPE_ENUM, .enum_type = (get_type), .enum_fallback = (otherwise)

/* The kernel comes after what defines a custom one, because presets are applied in this order. */
const CcProperty cc_properties[] = {
    /**
     * GstCudaConv:matrix:
     *
     * Coefficients of a custom kernel: an array of rows, or the flat list of a square. Width and
     * height are odd, 1 to 15 each; a single row or column has up to 31 coefficients. Numbers from
     * -1e8 to 1e8; fractions and numeric strings are accepted. The matrix is not flipped. An empty
     * one forgets the coefficients; it is refused while they are in use.
     */
    {"matrix", "Matrix",
     "Coefficients of a custom kernel, 1x1 to 15x15, or one row or column of up to 31, odd sides: "
     "a "
     "flat square "
     "matrix=\"<1,2,1,2,4,2,1,2,1>\" or rows matrix=\"<<1,2,1>,<2,4,2>,<1,2,1>>\"",
     DEFINES(matrix, cc_definition_set_matrix), ARRAY},

    /**
     * GstCudaConv:matrix-text:
     *
     * The coefficients of a custom kernel as one text with white space between them, in the form of
     * one matrix of FFmpeg's convolution. A list without a `;` whose length is the square of an odd
     * number is that square; of every other shape, `;` or a new line ends each row, so that "1 2
     * 1;" is a row of three and "1;2;1" a column. The sizes are those of matrix: a single row or
     * column has up to 31 coefficients. Up to 16384 bytes. In a gst-launch line `;` is easier,
     * since a new line needs quotes within the quotes of the shell. An empty text forgets the
     * coefficients; it is refused while they are in use.
     */
    {"matrix-text", "Matrix text",
     "Coefficients as one text: a square matrix-text=\"0 -1 0 -1 5 -1 0 -1 0\", rows "
     "matrix-text=\"1 2 1; 2 4 2; 1 2 1\", one row \"1 2 1;\" or one column \"1;2;1\"",
     DEFINES(text, cc_definition_set_text), STRING},

    /**
     * GstCudaConv:row:
     *
     * The row of a custom separable kernel, which is column times row; without a column it is a
     * kernel one pixel high. An odd number of coefficients, 1 to 31. An empty one is none.
     */
    {"row", "Row",
     "Row of a custom separable kernel, 1 to 31 coefficients: row=\"<-1,0,1>\" column=\"<1,2,1>\"; "
     "alone, a kernel one pixel high",
     DEFINES(row, cc_definition_set_row), ARRAY},

    /**
     * GstCudaConv:column:
     *
     * The column of a custom separable kernel, which is column times row; without a row it is a
     * kernel one pixel wide. An odd number of coefficients, 1 to 31. An empty one is none.
     */
    {"column", "Column",
     "Column of a custom separable kernel, 1 to 31 coefficients: column=\"<1,4,6,4,1>\"; alone, a "
     "kernel one pixel wide",
     DEFINES(column, cc_definition_set_column), ARRAY},

    /**
     * GstCudaConv:kernel-file:
     *
     * Path of a file whose first kernel definition becomes the custom kernel. It has a `[name]` and
     * below it lines such as `matrix-3=1 2 1; 2 4 2; 1 2 1`, or `row-3=1 2 1` and `column-3=1 2 1`,
     * several matrices with `|` between them, and `scale-3`, `class` (plain, blur, sharpen or
     * edge), `response`, `chroma` and `default-size` where the defaults do not fit; the format is
     * that of the plugin's own, presets/kernels.ini of the sources. The path has to be that of a
     * regular file of up to 64 KiB, and the file is read when the property is set.
     */
    {"kernel-file", "Kernel file",
     "Path of a file that defines the custom kernel, as \"[soft]\", \"matrix-3=1 2 1; 2 4 2; 1 2 "
     "1\" on two lines",
     DEFINES(file, cc_definition_set_file), STRING},

    /**
     * GstCudaConv:kernel:
     *
     * A named kernel, or `custom` for the coefficients that matrix, matrix-text, row, column or
     * kernel-file gave last; setting one of these selects it. They are remembered while a named
     * kernel is in use.
     */
    {"kernel", "Kernel", "Convolution kernel; setting a matrix makes it custom", FILTERS(kernel),
     ENUM(gst_cuda_conv_kernel_get_type, "sobel"), .apply = apply_kernel},

    /**
     * GstCudaConv:size:
     *
     * Rows and columns of the kernel, as a wish: an odd number, or 0, the default, for the kernel's
     * own. A kernel that has no such size takes its next smaller one, and below the smallest that.
     * box and gaussian have every odd size from 3 to 127; beyond 15 gaussian is sampled with a
     * sigma of (size - 1) / 6, if no sigma is set. A matrix has only its own size. The field `size`
     * of the property stats says which one runs. Larger derivatives give larger results:
     * scale=0.0625 brings those of sobel with size=5 to about the strength of size=3.
     */
    {"size", "Size",
     "Rows and columns of the kernel: 1, 3, 5, ... (0 = its own); what it does not have becomes "
     "its next smaller one",
     FILTERS(size), INT(0, CC_MAX_KERNEL_SIZE, 0), .check = check_size},

    /**
     * GstCudaConv:sigma:
     *
     * Standard deviation of kernel=gaussian in pixels; 0, the default, takes the binomial
     * coefficients of the size. With size=0 the Gaussian has as many rows and columns as three
     * sigma on both sides need, by OpenCV's rule for images of 8 bits: 6 sigma + 1, rounded, and
     * made odd. This holds at every depth. OpenCV takes 8 sigma + 1 for more than 8 bits, which an
     * explicit size gives. The size is at most 127, so a sigma above 21.08 needs an explicit size,
     * which cuts the Gaussian off there. A chain of blurs adds the squares of sigma: four elements
     * with sigma=21 blur as one with 42 would. Other kernels ignore it, with a warning.
     */
    {"sigma", "Sigma",
     "Standard deviation of kernel=gaussian in pixels (0 = binomial of the size); without a size, "
     "up to 21.08, and the size is 6 sigma + 1 at every depth",
     FILTERS(sigma), DOUBLE(0, CC_MAX_SIGMA, 0)},

    /**
     * GstCudaConv:scale:
     *
     * Factor of the response, which is the sum, or its absolute value or magnitude; a number, not a
     * fraction. 0, the default, is automatic: one over the sum of the coefficients where that is
     * positive, else 1. Any other value replaces the automatic one. A negative one turns the
     * picture round: `scale=-1 bias=255` draws dark edges on white, and a blur whose coefficients
     * have the sum 16 takes -1/16, `kernel=gaussian size=3 scale=-0.0625 bias=255`. Where chroma is
     * filtered it is scaled as well.
     */
    {"scale", "Scale",
     "Factor of the response (0 = one over the sum of a positive matrix, else 1); negative turns "
     "the picture round",
     FILTERS(scale), DOUBLE(-CC_MAX_SCALE, CC_MAX_SCALE, 0)},

    /**
     * GstCudaConv:bias:
     *
     * Added to the result, in code values of 8 bits. Deeper formats multiply it, so that 255 is
     * white at every depth: by (2^depth - 1)/255, or in luma and chroma of a limited range by
     * 2^(depth - 8). Where chroma is filtered, as by blurs and matrices, it is added to
     * that too and shifts the colours; chroma=copy keeps them. Where direction is a hue, a full
     * turn of the hues is 255.
     */
    {"bias", "Bias",
     "Added to the result, in 8-bit code values: 255 is white of full range at every depth",
     FILTERS(bias), DOUBLE(-CC_MAX_BIAS, CC_MAX_BIAS, 0)},

    /**
     * GstCudaConv:response:
     *
     * How the signed sums of the kernel become pixels. Default: auto, the kernel's own. Edge
     * kernels, which are those from sobel to log in the list of `kernel`, keep the luma of limited
     * range to 16 to 235 and count the bias from 16, but for offset and direction; everything else
     * uses all code values, and so does a matrix of one's own.
     *
     * Where there is colour, direction is a hue: the angle 0 is red, and no gradient is black. That
     * is so for R, G and B that are filtered as grey (see color), and for luma and chroma with
     * chroma=auto; the chroma of several pixels has the hue of their mean gradient. Elsewhere, and
     * with coefficients that no whole numbers are in proportion to, direction is a code value: 0
     * where it grows brighter to the right, 64 downwards, 128 to the left and 192 upwards.
     */
    {"response", "Response", "How signed sums become pixels", FILTERS(response),
     ENUM(gst_cuda_conv_response_get_type, "auto")},

    /**
     * GstCudaConv:border:
     *
     * What the kernel reads outside the picture.
     */
    {"border", "Border", "What the kernel reads outside the picture", FILTERS(border),
     ENUM(gst_cuda_conv_border_get_type, "replicate")},

    /**
     * GstCudaConv:border-value:
     *
     * What the kernel reads outside the picture with border=constant, as a fraction of full scale.
     * Outside, chroma is neutral and alpha opaque whatever this says.
     */
    {"border-value", "Border value", "Pixels outside with border=constant, 0 to 1 of full scale",
     FILTERS(border_value), DOUBLE(0, 1, 0)},

    /**
     * GstCudaConv:chroma:
     *
     * What happens to the chroma of YUV video. Default: auto, the kernel's own: blurs filter it,
     * sharpening copies it, edge kernels set it to grey, and a custom matrix filters it.
     */
    {"chroma", "Chroma", "What happens to the chroma of YUV video", FILTERS(chroma),
     ENUM(gst_cuda_conv_chroma_get_type, "auto")},

    /**
     * GstCudaConv:color:
     *
     * What R, G and B are filtered as: each by itself, or as their luma, which all three become.
     * The luma is (13933 R + 46871 G + 4732 B + 32768) >> 16, by the weights of BT.709, rounded
     * before it is filtered. Default: auto, the luma with edge kernels, whose results are grey in
     * RGB then as they are in YUV, else each by itself. Formats without R, G and B do not look at
     * it.
     */
    {"color", "Color", "What red, green and blue are filtered as", FILTERS(color),
     ENUM(gst_cuda_conv_color_get_type, "auto")},

    /**
     * GstCudaConv:alpha:
     *
     * What happens to an alpha channel.
     */
    {"alpha", "Alpha", "What happens to an alpha channel", FILTERS(alpha),
     ENUM(gst_cuda_conv_alpha_get_type, "copy")},

    /**
     * GstCudaConv:stride:
     *
     * 1, 2 or 4: of the filtered picture every n-th pixel of every n-th row is kept, beginning with
     * the first, and the others are not computed. The output has the size of the input divided by
     * this, rounded up. A change while playing gives new output caps with the next frame; where
     * downstream does not accept them it is refused. The rows of an interlaced frame then come from
     * one field, so deinterlace before.
     */
    {"stride", "Stride", "Keep every n-th pixel and row: 1, 2 or 4; the output shrinks",
     FILTERS(stride), INT(1, 4, 1), .check = check_stride},

    /**
     * GstCudaConv:algorithm:
     *
     * How the GPU computes the sums. The CPU chooses its method by itself and ignores this. All
     * algorithms give the same bytes. The GPU refuses an algorithm that cannot run the kernel, with
     * a message that lists those that can. Default: auto, the fastest for the kernel.
     */
    {"algorithm", "Algorithm",
     "Which convolution algorithm runs on the GPU; the CPU chooses by itself and ignores this",
     FILTERS(algorithm), ENUM(gst_cuda_conv_algorithm_get_type, "auto")},

    /**
     * GstCudaConv:backend:
     *
     * Where frames are filtered; the pixels are the same. The backend is opened when the element
     * goes to READY and again at the next start if this changed. The element message
     * `cudaconv-backend` says which one runs, on what device and why.
     */
    {"backend", "Backend", "Where frames are filtered", DEVICE(backend.choice),
     ENUM(gst_cuda_conv_backend_get_type, "auto")},

    /**
     * GstCudaConv:cuda-device-id:
     *
     * Number of the CUDA device; -1, the default, takes the least busy of those that work, unless
     * the application or an element beside this one offers a CUDA context.
     */
    {"cuda-device-id", "CUDA device ID", "CUDA device to use (-1 = the least busy)",
     DEVICE(backend.device_id), INT(-1, G_MAXINT, -1)},

    /**
     * GstCudaConv:n-threads:
     *
     * The most threads that the CPU backend filters a frame with, the streaming thread among them;
     * 0, the default, is one for every core, and 256 at most. All elements of a process share the
     * cores: others than the streaming thread come only while one is free. Small frames take fewer.
     */
    {"n-threads", "Threads", "Threads of the CPU backend (0 = one a core)",
     DEVICE(backend.n_threads), INT(0, CC_MAX_THREADS, 0)},

    /**
     * GstCudaConv:in-flight:
     *
     * How many frames the GPU works on at once. More than one lets the transfers of some overlap
     * the work on others, and delays each by the others. 0, the default, is automatic: 1 in a live
     * pipeline, which adds no latency, 2 where frames come and leave in CUDA memory, and 3
     * otherwise. The CPU always has 1, and so has a live pipeline whose caps have no fixed frame
     * rate (framerate=0/1), because no latency could say how long frames are held.
     */
    {"in-flight", "In flight",
     "Frames on the GPU at once (0 = automatic: 1 when live, else 2 or 3)", DEVICE(in_flight),
     INT(0, CC_MAX_JOBS, 0)},

    /**
     * GstCudaConv:stats:
     *
     * A structure `cudaconv-stats`: backend and device (strings), device-id (int), plan (string,
     * how the kernel is computed), steps (array of strings, what the backend runs, a line for each
     * step, which [explain.md](explain.md) explains; not before there are caps), size (uint, rows
     * or columns of the kernel that runs, whichever are more; not before there are caps), algorithm
     * (string, the one that runs; not on the CPU and before there are caps), input-path and
     * output-path (strings, how the device reads and writes frames; not before the first frame),
     * in-flight (uint, frames under way at once), frames and bytes (guint64, output), upload-time,
     * kernel-time, download-time and wait-time (guint64, nanoseconds in all since the element was
     * started), device-bytes (guint64, memory of the device that is held for frames, in the pool
     * behind the element too), scratch-bytes (guint64, memory for the planes between two stages of
     * a filter on the CPU), registered-bytes (guint64, memory of others that this process has
     * pinned now), and failovers (uint, from the GPU to the CPU since the start).
     */
    {"stats", "Statistics",
     "Backend, device, plan, steps, kernel size, algorithm and memory paths in use, frames, bytes, "
     "nanoseconds, failovers",
     .use = CC_USE_STATS, .type = CC_TYPE_STRUCTURE},
};

const guint cc_n_properties = G_N_ELEMENTS(cc_properties);
G_STATIC_ASSERT(G_N_ELEMENTS(cc_properties) <= CC_MAX_PROPERTIES);

/* --- what a row says --- */

static gint
default_choice(const CcProperty *self) {
  GEnumClass *klass = g_type_class_ref(self->enum_type());
  const gint choice = g_enum_get_value_by_nick(klass, self->enum_fallback)->value;
  g_type_class_unref(klass);
  return choice;
}

static GParamFlags
flags_of(CcPropertyUse use) {
  switch (use) {
  case CC_USE_DEFINITION:
    return G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING;
  case CC_USE_PIXELS:
    return G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
  case CC_USE_DEVICE:
    return G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY;
  case CC_USE_STATS:
    return G_PARAM_READABLE;
  }
  g_return_val_if_reached(0);
}

GParamSpec *
cc_property_new_spec(const CcProperty *self) {
  const gchar *name = self->name, *nick = self->nick, *blurb = self->blurb;
  const GParamFlags flags = flags_of(self->use) | G_PARAM_STATIC_STRINGS;
  switch (self->type) {
  case CC_TYPE_ARRAY:
    return gst_param_spec_array(name, nick, blurb, NULL, flags);
  case CC_TYPE_STRING:
    return g_param_spec_string(name, nick, blurb, NULL, flags);
  case CC_TYPE_INT:
    return cc_number_spec_int(name, nick, blurb, (gint)self->min, (gint)self->max,
                              (gint)self->fallback, flags);
  case CC_TYPE_DOUBLE:
    return cc_number_spec_double(name, nick, blurb, self->min, self->max, self->fallback, flags);
  case CC_TYPE_ENUM:
    return g_param_spec_enum(name, nick, blurb, self->enum_type(), default_choice(self), flags);
  case CC_TYPE_STRUCTURE:
    return g_param_spec_boxed(name, nick, blurb, GST_TYPE_STRUCTURE, flags);
  }
  g_return_val_if_reached(NULL);
}

gboolean
cc_property_check(const CcProperty *self, const GValue *value, GError **error) {
  if (self->check)
    return self->check(value, error);
  if (self->type != CC_TYPE_INT && self->type != CC_TYPE_DOUBLE)
    return TRUE;
  const gboolean whole = self->type == CC_TYPE_INT;
  const gdouble number = whole ? g_value_get_int(value) : g_value_get_double(value);
  if (number >= self->min && number <= self->max) /* which NaN is not */
    return TRUE;
  const gchar *kind = whole ? "whole number" : "number";
  if (self->max == G_MAXINT)
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "a %s from %.15g up is needed", kind, self->min);
  else
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "a %s from %.15g to %.15g is needed", kind,
                self->min, self->max);
  return FALSE;
}

gboolean
cc_property_affects_pixels(const CcProperty *self) {
  return self->use == CC_USE_DEFINITION || self->use == CC_USE_PIXELS;
}

CcPropertySet
cc_properties_of_pixels(void) {
  CcPropertySet set = 0;
  for (guint i = 0; i < cc_n_properties; i++)
    set |= cc_property_affects_pixels(&cc_properties[i]) ? cc_property_bit(i) : 0;
  return set;
}

gboolean
cc_property_is_other_half(const CcProperty *self, const CcProperty *other) {
  return (self->define == cc_definition_set_row && other->define == cc_definition_set_column) ||
         (self->define == cc_definition_set_column && other->define == cc_definition_set_row);
}

gboolean
cc_property_chooses_kernel(const CcProperty *self) {
  return self->apply == apply_kernel;
}

void
cc_property_get(const CcProperty *self, const CcValues *values, GValue *value) {
  gconstpointer place = (const gchar *)values + self->value_offset;
  switch (self->type) {
  case CC_TYPE_ARRAY:
    g_value_copy(place, value);
    break;
  case CC_TYPE_STRING:
    g_value_set_string(value, *(gchar *const *)place);
    break;
  case CC_TYPE_INT:
    g_value_set_int(value, *(const gint *)place);
    break;
  case CC_TYPE_DOUBLE:
    g_value_set_double(value, *(const gdouble *)place);
    break;
  case CC_TYPE_ENUM:
    g_value_set_enum(value, *(const gint *)place);
    break;
  case CC_TYPE_STRUCTURE:
    break; /* is stored nowhere */
  }
}

/* The size of a number or a choice. */
static gsize
size_of(const CcProperty *self) {
  return self->type == CC_TYPE_DOUBLE ? sizeof(gdouble) : sizeof(gint);
}

static void
store(const CcProperty *self, CcValues *values, gint whole, gdouble number) {
  gpointer place = (gchar *)values + self->value_offset;
  if (self->type == CC_TYPE_DOUBLE)
    *(gdouble *)place = number;
  else
    *(gint *)place = whole;
}

void
cc_property_set(const CcProperty *self, CcValues *values, const GValue *value) {
  if (self->type == CC_TYPE_DOUBLE)
    store(self, values, 0, g_value_get_double(value));
  else if (self->type == CC_TYPE_ENUM)
    store(self, values, g_value_get_enum(value), 0);
  else
    store(self, values, g_value_get_int(value), 0);
}

/* --- all values --- */

void
cc_values_init(CcValues *self) {
  memset(self, 0, sizeof *self);
  cc_definition_init(&self->definition);
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    if (property->type == CC_TYPE_ENUM)
      store(property, self, default_choice(property), 0);
    else if (property->type == CC_TYPE_INT || property->type == CC_TYPE_DOUBLE)
      store(property, self, (gint)property->fallback, property->fallback);
  }
}

void
cc_values_clear(CcValues *self) {
  cc_definition_clear(&self->definition);
}

CcPropertySet
cc_values_compare(const CcValues *a, const CcValues *b) {
  CcPropertySet differing = 0;
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    gboolean differs = FALSE;
    if (property->use == CC_USE_DEFINITION)
      differs = a->definition.kernel != b->definition.kernel;
    else if (property->use == CC_USE_PIXELS)
      differs = memcmp((const gchar *)a + property->value_offset,
                       (const gchar *)b + property->value_offset, size_of(property)) != 0;
    differing |= differs ? cc_property_bit(i) : 0;
  }
  return differing;
}

void
cc_values_assign(CcValues *to, const CcValues *from, CcPropertySet set) {
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    if (!(set & cc_property_bit(i)))
      continue;
    if (property->use == CC_USE_DEFINITION)
      cc_definition_assign(&to->definition, &from->definition);
    else if (property->use == CC_USE_PIXELS)
      memcpy((gchar *)to + property->value_offset, (const gchar *)from + property->value_offset,
             size_of(property));
  }
}

void
cc_values_get_filter(const CcValues *self, CcFilter *filter) {
  *filter = (CcFilter){0};
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    if (property->apply)
      property->apply(self, filter);
    else if (property->use == CC_USE_PIXELS)
      memcpy((gchar *)filter + property->filter_offset,
             (const gchar *)self + property->value_offset, size_of(property));
  }
}

void
cc_filter_clear(CcFilter *self) {
  g_clear_pointer(&self->kernel, cc_kernel_unref);
  *self = (CcFilter){0};
}
