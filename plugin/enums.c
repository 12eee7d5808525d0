/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enums.h"

#include "engine/backend.h"
#include "settings.h"

GType
gst_cuda_conv_kernel_get_type(void) {
  static gsize type = 0;
  if (g_once_init_enter(&type)) {
    const GPtrArray *kernels = cc_kernels_builtin();
    GEnumValue *values = g_new0(GEnumValue, kernels->len + 2); /* the type keeps them for good */
    values[0] = (GEnumValue){CC_SETTINGS_KERNEL_CUSTOM,
                             "What matrix, row, column or kernel-file defined last", "custom"};
    for (guint i = 0; i < kernels->len; i++) {
      const CcKernel *kernel = g_ptr_array_index(kernels, i);
      values[i + 1] = (GEnumValue){(gint)i + 1, kernel->description, kernel->name};
    }
    g_once_init_leave(&type, g_enum_register_static("GstCudaConvKernel", values));
  }
  return type;
}

#define DEFINE_ENUM(function, name, ...)                                                           \
  GType function(void) {                                                                           \
    static gsize type = 0;                                                                         \
    static const GEnumValue values[] = {__VA_ARGS__, {0, NULL, NULL}};                             \
    if (g_once_init_enter(&type))                                                                  \
      g_once_init_leave(&type, g_enum_register_static(name, values));                              \
    return type;                                                                                   \
  }

DEFINE_ENUM(
    gst_cuda_conv_response_get_type, "GstCudaConvResponse",
    {CC_RESPONSE_AUTO, "The kernel's own", "auto"},
    {CC_RESPONSE_CLAMP, "Negative results become black", "clamp"},
    {CC_RESPONSE_ABSOLUTE, "The absolute value", "absolute"},
    {CC_RESPONSE_OFFSET, "Mid-grey is added", "offset"},
    {CC_RESPONSE_MAGNITUDE, "Root of the sum of squares over the kernel's matrices", "magnitude"},
    {CC_RESPONSE_MAGNITUDE_L1, "Sum of absolute values over the kernel's matrices", "magnitude-l1"},
    {CC_RESPONSE_DIRECTION, "Angle of the gradient, a full turn over the pixel range", "direction"})

DEFINE_ENUM(gst_cuda_conv_border_get_type, "GstCudaConvBorder",
            {CC_BORDER_REPLICATE, "The nearest pixel: aaa|abcd|ddd", "replicate"},
            {CC_BORDER_CONSTANT, "border-value", "constant"},
            {CC_BORDER_REFLECT, "Mirrored, edge repeated: cba|abcd|dcb", "reflect"},
            {CC_BORDER_REFLECT_101, "Mirrored at the edge pixel: dcb|abcd|cba", "reflect-101"},
            {CC_BORDER_WRAP, "From the opposite side: bcd|abcd|abc", "wrap"})

DEFINE_ENUM(gst_cuda_conv_chroma_get_type, "GstCudaConvChroma",
            {CC_CHROMA_AUTO, "The kernel's own", "auto"},
            {CC_CHROMA_FILTER, "Filtered as luma is", "filter"}, {CC_CHROMA_COPY, "Copied", "copy"},
            {CC_CHROMA_NEUTRAL, "Set to grey", "neutral"})

DEFINE_ENUM(gst_cuda_conv_alpha_get_type, "GstCudaConvAlpha", {CC_ALPHA_COPY, "Copied", "copy"},
            {CC_ALPHA_FILTER, "Filtered as the colours are", "filter"},
            {CC_ALPHA_OPAQUE, "Set to opaque", "opaque"})

DEFINE_ENUM(gst_cuda_conv_backend_get_type, "GstCudaConvBackend",
            {CC_BACKEND_AUTO, "CUDA when a device opens, else the CPU", "auto"},
            {CC_BACKEND_CUDA, "NVIDIA GPU", "cuda"}, {CC_BACKEND_CPU, "CPU", "cpu"})

#define ALGORITHM_VALUE(constant, name, text, ...) {constant, text, name},
DEFINE_ENUM(gst_cuda_conv_algorithm_get_type, "GstCudaConvAlgorithm",
            CC_ALGORITHMS_AND_AUTO(ALGORITHM_VALUE){0, NULL, NULL})
