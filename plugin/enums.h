/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The types of the element's enumerated properties. Their values are those of the engine. */

#include <glib-object.h>

G_BEGIN_DECLS

/* The value of the kernel enum for the user's own coefficients. A named kernel's value is its place
 * in cc_kernels_builtin(), counted from 1. */
#define GST_CUDA_CONV_KERNEL_CUSTOM 0

/* The named kernels and `custom`, from the one list that is compiled in. */
GType gst_cuda_conv_kernel_get_type(void);

GType gst_cuda_conv_response_get_type(void);
GType gst_cuda_conv_border_get_type(void);
GType gst_cuda_conv_color_get_type(void);
GType gst_cuda_conv_chroma_get_type(void);
GType gst_cuda_conv_alpha_get_type(void);
GType gst_cuda_conv_algorithm_get_type(void);
GType gst_cuda_conv_backend_get_type(void);

G_END_DECLS
