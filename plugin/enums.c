/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enums.h"

#include "backends.h"
#include "engine/plan/filter.h"

GType
gst_cuda_conv_kernel_get_type(void) {
  static gsize type = 0;
  if (g_once_init_enter(&type)) {
    const GPtrArray *kernels = cc_kernels_builtin();
    GEnumValue *values = g_new0(GEnumValue, kernels->len + 2); /* the type keeps them for good */
    values[0] =
        (GEnumValue){GST_CUDA_CONV_KERNEL_CUSTOM,
                     "What matrix, matrix-text, row, column or kernel-file defined last", "custom"};
    for (guint i = 0; i < kernels->len; i++) {
      const CcKernel *kernel = g_ptr_array_index(kernels, i);
      values[i + 1] = (GEnumValue){(gint)i + 1, kernel->description, kernel->name};
    }
    g_once_init_leave(&type, g_enum_register_static("GstCudaConvKernel", values));
  }
  return type;
}

/* From one of the lists of the engine or the backends. */
#define DEFINE_ENUM(LIST, function, name)                                                          \
  GType function(void) {                                                                           \
    static gsize type = 0;                                                                         \
    static const GEnumValue values[] = {LIST(ENUM_VALUE){0, NULL, NULL}};                          \
    if (g_once_init_enter(&type))                                                                  \
      g_once_init_leave(&type, g_enum_register_static(name, values));                              \
    return type;                                                                                   \
  }
#define ENUM_VALUE(constant, name, text, ...) {constant, text, name},

DEFINE_ENUM(CC_RESPONSES, gst_cuda_conv_response_get_type, "GstCudaConvResponse")
DEFINE_ENUM(CC_BORDERS, gst_cuda_conv_border_get_type, "GstCudaConvBorder")
DEFINE_ENUM(CC_COLORS, gst_cuda_conv_color_get_type, "GstCudaConvColor")
DEFINE_ENUM(CC_CHROMAS, gst_cuda_conv_chroma_get_type, "GstCudaConvChroma")
DEFINE_ENUM(CC_ALPHAS, gst_cuda_conv_alpha_get_type, "GstCudaConvAlpha")
DEFINE_ENUM(CC_BACKENDS, gst_cuda_conv_backend_get_type, "GstCudaConvBackend")

GType
gst_cuda_conv_algorithm_get_type(void) {
  static gsize type = 0;
  if (g_once_init_enter(&type)) {
    GEnumValue *values = g_new0(GEnumValue, cc_backend_n_algorithms + 1); /* kept for good */
    for (guint i = 0; i < cc_backend_n_algorithms; i++)
      values[i] =
          (GEnumValue){(gint)i, cc_backend_algorithms[i].text, cc_backend_algorithms[i].name};
    g_once_init_leave(&type, g_enum_register_static("GstCudaConvAlgorithm", values));
  }
  return type;
}
