/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties.h"

#include "enums.h"
#include "element.h"
#include "report.h"
#include "valuetext.h"

/* The kernel comes after what defines a custom one, because presets are applied in this order. */
enum {
  PROP_0,
  PROP_MATRIX,
  PROP_ROW,
  PROP_COLUMN,
  PROP_KERNEL_FILE,
  PROP_KERNEL,
  PROP_SIZE,
  PROP_SIGMA,
  PROP_SCALE,
  PROP_BIAS,
  PROP_RESPONSE,
  PROP_BORDER,
  PROP_BORDER_VALUE,
  PROP_CHROMA,
  PROP_ALPHA,
  PROP_STRIDE,
  PROP_ALGORITHM,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_N_THREADS,
  PROP_IN_FLIGHT,
  PROP_STATS,
  N_PROPS,
};

static GParamSpec *props[N_PROPS];
static void (*parent_dispatch)(GObject *object, guint n, GParamSpec **pspecs);

/* --- setting --- */

static void
warn_refused(GstCudaConv *self, GParamSpec *pspec, const GValue *value, const gchar *why) {
  g_autofree gchar *text = cc_value_describe(value);
  g_autofree gchar *warning =
      g_strdup_printf("%s=%s is refused: %s. What was set before stays.", pspec->name, text, why);
  gst_cuda_conv_warn(self, warning);
}

static void
set_definition(GstCudaConv *self, guint id, const GValue *value, GParamSpec *pspec) {
  CcSettings *settings = &self->settings;
  g_autoptr(GError) error = NULL;
  gboolean ok;
  if (id == PROP_MATRIX)
    ok = cc_settings_set_matrix(settings, value, &error);
  else if (id == PROP_ROW)
    ok = cc_settings_set_row(settings, value, &error);
  else if (id == PROP_COLUMN)
    ok = cc_settings_set_column(settings, value, &error);
  else
    ok = cc_settings_set_kernel_file(settings, g_value_get_string(value), &error);

  if (ok)
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_KERNEL]);
  else
    warn_refused(self, pspec, value, error->message);
}

/* Puts a value that affects pixels, but not the kernel, into a filter. */
static void
store_value(CcFilter *filter, guint id, const GValue *value) {
  switch (id) {
  case PROP_SIZE:
    filter->size = (guint)g_value_get_int(value);
    break;
  case PROP_SIGMA:
    filter->sigma = g_value_get_double(value);
    break;
  case PROP_SCALE:
    filter->scale = g_value_get_double(value);
    break;
  case PROP_BIAS:
    filter->bias = g_value_get_double(value);
    break;
  case PROP_RESPONSE:
    filter->response = g_value_get_enum(value);
    break;
  case PROP_BORDER:
    filter->border = g_value_get_enum(value);
    break;
  case PROP_BORDER_VALUE:
    filter->border_value = g_value_get_double(value);
    break;
  case PROP_CHROMA:
    filter->chroma = g_value_get_enum(value);
    break;
  case PROP_ALPHA:
    filter->alpha = g_value_get_enum(value);
    break;
  case PROP_STRIDE:
    filter->stride = (guint)g_value_get_int(value);
    break;
  case PROP_ALGORITHM:
    filter->algorithm = g_value_get_enum(value);
    break;
  }
}

/* Sets a scalar that affects pixels. */
static void
set_pixel_value(CcSettings *settings, guint id, const GValue *value) {
  g_mutex_lock(&settings->lock);
  const gboolean at_once = cc_settings_note_change(settings);
  if (id == PROP_KERNEL) {
    settings->kernel = g_value_get_enum(value);
    if (at_once)
      cc_settings_commit_kernel(settings);
  } else {
    store_value(&settings->filter, id, value);
    if (at_once)
      store_value(&settings->committed, id, value);
  }
  g_mutex_unlock(&settings->lock);
}

/* Its range has a gap. */
static void
set_stride(GstCudaConv *self, const GValue *value, GParamSpec *pspec) {
  if (g_value_get_int(value) == 3)
    warn_refused(self, pspec, value, "1, 2 or 4 is needed");
  else
    set_pixel_value(&self->settings, PROP_STRIDE, value);
}

static void
set_device_value(CcSettings *settings, guint id, const GValue *value) {
  g_mutex_lock(&settings->lock);
  switch (id) {
  case PROP_BACKEND:
    settings->backend.choice = g_value_get_enum(value);
    break;
  case PROP_CUDA_DEVICE_ID:
    settings->backend.device_id = g_value_get_int(value);
    break;
  case PROP_N_THREADS:
    settings->backend.n_threads = (guint)g_value_get_int(value);
    break;
  case PROP_IN_FLIGHT:
    settings->in_flight = (guint)g_value_get_int(value);
    break;
  }
  g_mutex_unlock(&settings->lock);
}

static void
set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  switch (id) {
  case PROP_MATRIX:
  case PROP_ROW:
  case PROP_COLUMN:
  case PROP_KERNEL_FILE:
    set_definition(self, id, value, pspec);
    break;
  case PROP_STRIDE:
    set_stride(self, value, pspec);
    break;
  case PROP_KERNEL:
  case PROP_SIZE:
  case PROP_SIGMA:
  case PROP_SCALE:
  case PROP_BIAS:
  case PROP_RESPONSE:
  case PROP_BORDER:
  case PROP_BORDER_VALUE:
  case PROP_CHROMA:
  case PROP_ALPHA:
  case PROP_ALGORITHM:
    set_pixel_value(&self->settings, id, value);
    break;
  case PROP_BACKEND:
  case PROP_CUDA_DEVICE_ID:
  case PROP_N_THREADS:
  case PROP_IN_FLIGHT:
    set_device_value(&self->settings, id, value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  GstCudaConv *self = GST_CUDA_CONV(object);
  CcSettings *settings = &self->settings;
  if (id == PROP_STATS) {
    g_value_take_boxed(value, gst_cuda_conv_get_stats(self));
    return;
  }
  g_mutex_lock(&settings->lock);
  const CcFilter *filter = &settings->filter;
  switch (id) {
  case PROP_MATRIX:
    g_value_copy(&settings->matrix, value);
    break;
  case PROP_ROW:
    g_value_copy(&settings->row, value);
    break;
  case PROP_COLUMN:
    g_value_copy(&settings->column, value);
    break;
  case PROP_KERNEL_FILE:
    g_value_set_string(value, settings->kernel_file);
    break;
  case PROP_KERNEL:
    g_value_set_enum(value, settings->kernel);
    break;
  case PROP_SIZE:
    g_value_set_int(value, (gint)filter->size);
    break;
  case PROP_SIGMA:
    g_value_set_double(value, filter->sigma);
    break;
  case PROP_SCALE:
    g_value_set_double(value, filter->scale);
    break;
  case PROP_BIAS:
    g_value_set_double(value, filter->bias);
    break;
  case PROP_RESPONSE:
    g_value_set_enum(value, filter->response);
    break;
  case PROP_BORDER:
    g_value_set_enum(value, filter->border);
    break;
  case PROP_BORDER_VALUE:
    g_value_set_double(value, filter->border_value);
    break;
  case PROP_CHROMA:
    g_value_set_enum(value, filter->chroma);
    break;
  case PROP_ALPHA:
    g_value_set_enum(value, filter->alpha);
    break;
  case PROP_STRIDE:
    g_value_set_int(value, (gint)filter->stride);
    break;
  case PROP_ALGORITHM:
    g_value_set_enum(value, filter->algorithm);
    break;
  case PROP_BACKEND:
    g_value_set_enum(value, settings->backend.choice);
    break;
  case PROP_CUDA_DEVICE_ID:
    g_value_set_int(value, settings->backend.device_id);
    break;
  case PROP_N_THREADS:
    g_value_set_int(value, (gint)settings->backend.n_threads);
    break;
  case PROP_IN_FLIGHT:
    g_value_set_int(value, (gint)settings->in_flight);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
  g_mutex_unlock(&settings->lock);
}

/* --- the list --- */

#define BASE_FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define DEFINITION_FLAGS (BASE_FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define PIXEL_FLAGS (BASE_FLAGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)
#define DEVICE_FLAGS (BASE_FLAGS | GST_PARAM_MUTABLE_READY)

static void
make_definition_properties(void) {
  /**
   * GstCudaConv:kernel:
   *
   * A named kernel, or `custom` for the coefficients that matrix, row, column or kernel-file gave
   * last; setting one of these selects it. They are remembered while a named kernel is in use.
   * Default: sobel.
   */
  props[PROP_KERNEL] =
      g_param_spec_enum("kernel", "Kernel", "Convolution kernel; setting a matrix makes it custom",
                        gst_cuda_conv_kernel_get_type(), cc_settings_default_kernel(), PIXEL_FLAGS);

  /**
   * GstCudaConv:matrix:
   *
   * Coefficients of a custom kernel: an array of rows, or the flat list of a square. Width and
   * height are odd, 1 to 15 each. Numbers from -1e8 to 1e8; fractions and numeric strings are
   * accepted. The matrix is not flipped. Empty by default.
   */
  props[PROP_MATRIX] = gst_param_spec_array(
      "matrix", "Matrix",
      "Coefficients of a custom kernel, 1x1 to 15x15, odd sides: a flat square "
      "matrix=\"<1,2,1,2,4,2,1,2,1>\" or rows matrix=\"<<1,2,1>,<2,4,2>,<1,2,1>>\"",
      NULL, DEFINITION_FLAGS);

  /**
   * GstCudaConv:row:
   *
   * The row of a custom separable kernel, which is column times row; without a column it is a
   * kernel one pixel high. An odd number of coefficients, 1 to 15. Empty by default.
   */
  props[PROP_ROW] = gst_param_spec_array(
      "row", "Row",
      "Row of a custom separable kernel, 1 to 15 coefficients: row=\"<-1,0,1>\" "
      "column=\"<1,2,1>\"; alone, a kernel one pixel high",
      NULL, DEFINITION_FLAGS);

  /**
   * GstCudaConv:column:
   *
   * The column of a custom separable kernel, which is column times row; without a row it is a
   * kernel one pixel wide. An odd number of coefficients, 1 to 15. Empty by default.
   */
  props[PROP_COLUMN] = gst_param_spec_array(
      "column", "Column",
      "Column of a custom separable kernel, 1 to 15 coefficients: column=\"<1,4,6,4,1>\"; alone, a "
      "kernel one pixel wide",
      NULL, DEFINITION_FLAGS);

  /**
   * GstCudaConv:kernel-file:
   *
   * Path of a file whose first kernel definition becomes the custom kernel; the format is that of
   * the plugin's own kernels.ini. It has to be a regular file of up to 64 KiB, which is read when
   * the property is set. Default: none.
   */
  props[PROP_KERNEL_FILE] =
      g_param_spec_string("kernel-file", "Kernel file",
                          "Path of a file that defines the custom kernel, as \"[soft]\", "
                          "\"matrix-3=1 2 1; 2 4 2; 1 2 1\" on two lines",
                          NULL, DEFINITION_FLAGS);

  /**
   * GstCudaConv:size:
   *
   * Rows and columns of the named kernel, an odd number that the kernel has; 0, the default, is the
   * kernel's own.
   */
  props[PROP_SIZE] =
      g_param_spec_int("size", "Size", "Rows and columns of the kernel: 3, 5, ... (0 = its own)", 0,
                       CC_MAX_KERNEL_SIZE, 0, PIXEL_FLAGS);

  /**
   * GstCudaConv:sigma:
   *
   * Standard deviation of kernel=gaussian in pixels, 0 to 1000; 0, the default, takes the binomial
   * coefficients of the size. Other kernels ignore it.
   */
  props[PROP_SIGMA] = g_param_spec_double(
      "sigma", "Sigma",
      "Standard deviation of kernel=gaussian in pixels (0 = binomial of the size)", 0, CC_MAX_SIGMA,
      0, PIXEL_FLAGS);
}

static void
make_arithmetic_properties(void) {
  /**
   * GstCudaConv:scale:
   *
   * Factor of the sum, -1e6 to 1e6. 0, the default, is automatic: one over the sum of the
   * coefficients where that is positive, else 1.
   */
  props[PROP_SCALE] = g_param_spec_double(
      "scale", "Scale", "Factor of the sum (0 = one over the sum of a positive matrix, else 1)",
      -CC_MAX_SCALE, CC_MAX_SCALE, 0, PIXEL_FLAGS);

  /**
   * GstCudaConv:bias:
   *
   * Added to the result, in code values of 8 bits, -65535 to 65535; deeper formats multiply it, so
   * that 128 is mid-grey in all of them. Default: 0.
   */
  props[PROP_BIAS] = g_param_spec_double(
      "bias", "Bias", "Added to the result, in 8-bit code values: 128 is mid-grey at every depth",
      -CC_MAX_BIAS, CC_MAX_BIAS, 0, PIXEL_FLAGS);

  /**
   * GstCudaConv:response:
   *
   * How the signed sums of the kernel become pixels. Default: auto, the kernel's own.
   */
  props[PROP_RESPONSE] =
      g_param_spec_enum("response", "Response", "How signed sums become pixels",
                        gst_cuda_conv_response_get_type(), CC_RESPONSE_AUTO, PIXEL_FLAGS);
}

static void
make_picture_properties(void) {
  /**
   * GstCudaConv:border:
   *
   * What the kernel reads outside the picture. Default: replicate.
   */
  props[PROP_BORDER] =
      g_param_spec_enum("border", "Border", "What the kernel reads outside the picture",
                        gst_cuda_conv_border_get_type(), CC_BORDER_REPLICATE, PIXEL_FLAGS);

  /**
   * GstCudaConv:border-value:
   *
   * What it reads there with border=constant, as a fraction of full scale, 0 to 1. Default: 0.
   */
  props[PROP_BORDER_VALUE] = g_param_spec_double(
      "border-value", "Border value", "Pixels outside with border=constant, 0 to 1 of full scale",
      0, 1, 0, PIXEL_FLAGS);

  /**
   * GstCudaConv:chroma:
   *
   * What happens to the chroma of YUV video. Default: auto, the kernel's own: blurs filter it,
   * sharpening copies it, edges set it to grey, and a custom matrix filters it.
   */
  props[PROP_CHROMA] =
      g_param_spec_enum("chroma", "Chroma", "What happens to the chroma of YUV video",
                        gst_cuda_conv_chroma_get_type(), CC_CHROMA_AUTO, PIXEL_FLAGS);

  /**
   * GstCudaConv:alpha:
   *
   * What happens to an alpha channel. Default: copy.
   */
  props[PROP_ALPHA] = g_param_spec_enum("alpha", "Alpha", "What happens to an alpha channel",
                                        gst_cuda_conv_alpha_get_type(), CC_ALPHA_COPY, PIXEL_FLAGS);

  /**
   * GstCudaConv:stride:
   *
   * 1, 2 or 4: of the filtered picture every n-th pixel of every n-th row is kept, beginning with
   * the first, and the others are not computed. The output has the size of the input divided by
   * this, rounded up. A change while playing gives new output caps with the next frame; where
   * downstream does not accept them it is refused. The rows of an interlaced frame then come from
   * one field, so deinterlace before. Default: 1.
   */
  props[PROP_STRIDE] = g_param_spec_int(
      "stride", "Stride", "Keep every n-th pixel and row: 1, 2 or 4; the output shrinks", 1, 4, 1,
      PIXEL_FLAGS);
}

static void
make_device_properties(void) {
  /**
   * GstCudaConv:algorithm:
   *
   * How the GPU computes the sums; the CPU has one way only. Integer kernels give the same bytes
   * with all algorithms, fractional ones may differ by 1. One that cannot run the kernel is refused
   * on the CPU too, with a message that lists those that can. Default: auto, the fastest for the
   * kernel.
   */
  props[PROP_ALGORITHM] =
      g_param_spec_enum("algorithm", "Algorithm", "Which convolution algorithm runs on the GPU",
                        gst_cuda_conv_algorithm_get_type(), CC_ALGORITHM_AUTO, PIXEL_FLAGS);

  /**
   * GstCudaConv:backend:
   *
   * Where frames are filtered; the pixels are the same. It is opened when the element goes to READY
   * and again at the next start if this changed. The element message `cudaconv-backend` says which
   * one runs, on what device and why. Default: auto.
   */
  props[PROP_BACKEND] =
      g_param_spec_enum("backend", "Backend", "Where frames are filtered",
                        gst_cuda_conv_backend_get_type(), CC_BACKEND_AUTO, DEVICE_FLAGS);

  /**
   * GstCudaConv:cuda-device-id:
   *
   * Number of the CUDA device; -1, the default, takes the first that works.
   */
  props[PROP_CUDA_DEVICE_ID] = g_param_spec_int("cuda-device-id", "CUDA device ID",
                                                "CUDA device to use (-1 = the first that works)",
                                                -1, G_MAXINT, -1, DEVICE_FLAGS);

  /**
   * GstCudaConv:n-threads:
   *
   * Threads of the CPU backend, 0 to 256; 0, the default, is one for every
   * core, and 256 at most.
   */
  props[PROP_N_THREADS] =
      g_param_spec_int("n-threads", "Threads", "Threads of the CPU backend (0 = one a core)", 0,
                       CC_MAX_THREADS, 0, DEVICE_FLAGS);

  /**
   * GstCudaConv:in-flight:
   *
   * How many frames the GPU works on at once, 1 to 8. More than one lets the transfers of some
   * overlap the work on others, and delays each by the others. 0, the default, is automatic: 1 in
   * a live pipeline, which adds no latency, and 3 otherwise. The CPU always has 1.
   */
  props[PROP_IN_FLIGHT] = g_param_spec_int(
      "in-flight", "In flight", "Frames on the GPU at once (0 = automatic: 1 when live, else 3)", 0,
      CC_MAX_JOBS, 0, DEVICE_FLAGS);

  /**
   * GstCudaConv:stats:
   *
   * A structure `cudaconv-stats`: backend and device (strings), device-id (int), plan (string, how
   * the kernel is computed), algorithm (string, the one that runs; not on the CPU and before the
   * first frame), input-path and output-path (strings, how the device reads and writes frames; not
   * before the first frame), in-flight (uint, frames under way at once), frames and bytes (guint64,
   * output), upload-time, kernel-time, download-time and wait-time (guint64, nanoseconds in all
   * since the element was started), registered-bytes (guint64, memory of others that this process
   * has pinned now), and failovers (uint, from the GPU to the CPU since the start).
   */
  props[PROP_STATS] = g_param_spec_boxed(
      "stats", "Statistics",
      "Backend, device, algorithm and memory paths in use, frames, bytes, nanoseconds, failovers",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

/* Called once for all properties that were set together: by one g_object_set, by a preset, by the
 * controllers of a frame, or between g_object_freeze_notify and g_object_thaw_notify. */
static void
dispatch_properties_changed(GObject *object, guint n, GParamSpec **pspecs) {
  cc_settings_commit(&GST_CUDA_CONV(object)->settings);
  parent_dispatch(object, n, pspecs);
}

void
gst_cuda_conv_install_properties(GObjectClass *klass) {
  parent_dispatch = klass->dispatch_properties_changed;
  klass->dispatch_properties_changed = dispatch_properties_changed;
  klass->set_property = set_property;
  klass->get_property = get_property;
  make_definition_properties();
  make_arithmetic_properties();
  make_picture_properties();
  make_device_properties();
  g_object_class_install_properties(klass, N_PROPS, props);

  gst_type_mark_as_plugin_api(gst_cuda_conv_kernel_get_type(), 0);
  gst_type_mark_as_plugin_api(gst_cuda_conv_response_get_type(), 0);
  gst_type_mark_as_plugin_api(gst_cuda_conv_border_get_type(), 0);
  gst_type_mark_as_plugin_api(gst_cuda_conv_chroma_get_type(), 0);
  gst_type_mark_as_plugin_api(gst_cuda_conv_alpha_get_type(), 0);
  gst_type_mark_as_plugin_api(gst_cuda_conv_algorithm_get_type(), 0);
  gst_type_mark_as_plugin_api(gst_cuda_conv_backend_get_type(), 0);
}

/* --- presets --- */

static gboolean (*default_load_preset)(GstPreset *preset, const gchar *name);

/* Only what affects pixels. */
static gchar **
get_preset_property_names(GstPreset *preset) {
  GPtrArray *names = g_ptr_array_new();
  for (guint id = PROP_0 + 1; id < N_PROPS; id++)
    if (props[id]->flags & GST_PARAM_MUTABLE_PLAYING)
      g_ptr_array_add(names, g_strdup(props[id]->name));
  g_ptr_array_add(names, NULL);
  return (gchar **)g_ptr_array_free(names, FALSE);
}

/* No frame may see half of a preset. */
static gboolean
load_preset(GstPreset *preset, const gchar *name) {
  g_object_freeze_notify(G_OBJECT(preset));
  const gboolean ok = default_load_preset(preset, name);
  g_object_thaw_notify(G_OBJECT(preset));
  return ok;
}

void
gst_cuda_conv_preset_interface_init(GstPresetInterface *interface) {
  default_load_preset = interface->load_preset;
  interface->load_preset = load_preset;
  interface->get_property_names = get_preset_property_names;
}
