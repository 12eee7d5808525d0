/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The names of enum values, as written in properties and kernel files. Each array is indexed by the
 * value of the enum and ends with NULL. */

#include "engine/plan/filter.h"

G_BEGIN_DECLS

extern const gchar *const cc_response_names[CC_N_RESPONSES + 1];
extern const gchar *const cc_border_names[CC_N_BORDERS + 1];
extern const gchar *const cc_chroma_names[CC_N_CHROMAS + 1];
extern const gchar *const cc_color_names[CC_N_COLORS + 1];
extern const gchar *const cc_alpha_names[CC_N_ALPHAS + 1];
extern const gchar *const cc_kernel_class_names[CC_N_KERNEL_CLASSES + 1];

G_END_DECLS
