/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backends.h"

#include "cpu/backend.h"
#include "cuda/backend.h"

/* A backend is its row here. AUTO tries them in this order; the last one always opens. */
static const struct {
  CcBackendChoice choice;
  const CcBackendClass *klass;
} backends[] = {
    {CC_BACKEND_CUDA, &cc_cuda_backend},
    {CC_BACKEND_CPU, &cc_cpu_backend},
};

CcBackend *
cc_backend_open(const CcBackendConfig *config, GError **fallback, GError **error) {
  CcBackend *backend = NULL;
  for (guint i = 0; !backend && i < G_N_ELEMENTS(backends); i++) {
    GError **reason = error;
    if (config->choice == CC_BACKEND_AUTO && i + 1 < G_N_ELEMENTS(backends))
      reason = i == 0 ? fallback : NULL;
    if (config->choice == CC_BACKEND_AUTO || config->choice == backends[i].choice)
      backend = backends[i].klass->open(config, reason);
  }
  return backend;
}
