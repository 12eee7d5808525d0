/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend of a build without CUDA. */

#include "backend.h"
#include "engine/error.h"

static CcBackend *
stub_open(const CcBackendConfig *config, GError **error) {
  g_set_error_literal(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
                      "this build has no CUDA backend (nvcc was not there, or -Dcuda=disabled)");
  return NULL;
}

const CcBackendClass cc_cuda_backend = {.name = "cuda", .has_device = TRUE, .open = stub_open};
