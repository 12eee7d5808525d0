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

/* The same from one of the engine's lists. */
#define DEFINE_ENUM_OF(LIST, function, name)                                                       \
  GType function(void) {                                                                           \
    static gsize type = 0;                                                                         \
    static const GEnumValue values[] = {LIST(ENUM_VALUE){0, NULL, NULL}};                          \
    if (g_once_init_enter(&type))                                                                  \
      g_once_init_leave(&type, g_enum_register_static(name, values));                              \
    return type;                                                                                   \
  }
#define ENUM_VALUE(constant, name, text, ...) {constant, text, name},

DEFINE_ENUM_OF(CC_RESPONSES, gst_cuda_conv_response_get_type, "GstCudaConvResponse")
DEFINE_ENUM_OF(CC_BORDERS, gst_cuda_conv_border_get_type, "GstCudaConvBorder")
DEFINE_ENUM_OF(CC_CHROMAS, gst_cuda_conv_chroma_get_type, "GstCudaConvChroma")
DEFINE_ENUM_OF(CC_ALPHAS, gst_cuda_conv_alpha_get_type, "GstCudaConvAlpha")
DEFINE_ENUM_OF(CC_BACKENDS, gst_cuda_conv_backend_get_type, "GstCudaConvBackend")

DEFINE_ENUM(
    gst_cuda_conv_algorithm_get_type, "GstCudaConvAlgorithm",
    {CC_ALGORITHM_AUTO, "The fastest for the kernel", "auto"},
    {CC_ALGORITHM_DIRECT, "A thread a pixel, coefficients in global memory", "direct"},
    {CC_ALGORITHM_CONSTANT, "A thread a pixel, coefficients in constant memory", "constant"},
    {CC_ALGORITHM_TILE_HALO, "Tiles with their halo in shared memory", "tile-halo"},
    {CC_ALGORITHM_TILE_CACHED, "Tiles in shared memory, their halo from the cache", "tile-cached"},
    {CC_ALGORITHM_SCATTER, "A block a pixel, a thread a coefficient", "scatter"},
    {CC_ALGORITHM_TWO_PASS, "Rows, then columns; separable kernels up to 7x7", "two-pass"},
    {CC_ALGORITHM_REGISTER_TILE, "4x4 pixels a thread; separable kernels up to 7x7",
     "register-tile"},
    {CC_ALGORITHM_SLIDING, "Registers that slide down the picture, packed arithmetic", "sliding"})
