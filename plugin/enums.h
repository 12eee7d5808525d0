/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The types of the element's enumerated properties. Their values are those of the engine. */

#include <glib-object.h>

G_BEGIN_DECLS

/* The named kernels and `custom`, from the one list that is compiled in. */
GType gst_cuda_conv_kernel_get_type(void);

GType gst_cuda_conv_response_get_type(void);
GType gst_cuda_conv_border_get_type(void);
GType gst_cuda_conv_chroma_get_type(void);
GType gst_cuda_conv_alpha_get_type(void);
GType gst_cuda_conv_algorithm_get_type(void);
GType gst_cuda_conv_backend_get_type(void);

G_END_DECLS
