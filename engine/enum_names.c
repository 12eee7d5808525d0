/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enum_names.h"

#define NAME(constant, name, ...) name,

const gchar *const cc_response_names[] = {CC_RESPONSES(NAME) NULL};
const gchar *const cc_border_names[] = {CC_BORDERS(NAME) NULL};
const gchar *const cc_chroma_names[] = {CC_CHROMAS(NAME) NULL};
const gchar *const cc_color_names[] = {CC_COLORS(NAME) NULL};
const gchar *const cc_alpha_names[] = {CC_ALPHAS(NAME) NULL};
const gchar *const cc_kernel_class_names[] = {CC_KERNEL_CLASSES(NAME) NULL};
