/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CC_ERROR (cc_error_quark())

typedef enum {
  CC_ERROR_INVALID,     /* a value, a file or a buffer is invalid; the message says why */
  CC_ERROR_UNAVAILABLE, /* no backend or device; the message says what is missing */
  CC_ERROR_NO_MEMORY,   /* host, pinned or device memory ran out */
  CC_ERROR_DEVICE,      /* the device failed while working */
} CcError;

GQuark cc_error_quark(void);

/* Whether the error means that the device failed or that memory ran out. Filtering may then
 * continue without the device. */
static inline gboolean
cc_error_is_of_device(const GError *error) {
  return g_error_matches(error, CC_ERROR, CC_ERROR_DEVICE) ||
         g_error_matches(error, CC_ERROR, CC_ERROR_NO_MEMORY);
}

G_END_DECLS
