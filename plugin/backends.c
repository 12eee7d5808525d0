/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backends.h"

#include "cpu/backend.h"
#include "cuda/algorithm.h"
#include "cuda/backend.h"

static const struct {
  gint choice;
  const CcBackendClass *klass; /* NULL: AUTO */
} backends[] = {
#define BACKEND(constant, name, text, class) {constant, class},
    CC_BACKENDS(BACKEND)
#undef BACKEND
};

#define CHOICE(constant, name, text, ...) {constant, name, text},

const CcChoice *
cc_backend_choices(const CcOption *self) {
  static const CcChoice choices[] = {CC_BACKENDS(CHOICE){0, NULL, NULL}};
  return choices;
}

const CcChoice *
cc_backend_algorithms(void) {
  static const CcChoice choices[] = {
      CC_ALGORITHMS_AND_AUTO(CHOICE)
      /* The former name is still accepted in version 0.2. */
      {CC_ALGORITHM_TENSOR_CORE, "sliding", "The former name of tensor-core"},
      {0, NULL, NULL}};
  return choices;
}

CcBackend *
cc_backend_open(const CcBackendConfig *config, GError **fallback, GError **error) {
  const guint last = G_N_ELEMENTS(backends) - 1;
  const gboolean any = config->choice == CC_BACKEND_AUTO;
  CcBackend *backend = NULL;
  for (guint i = 1; !backend && i <= last; i++) {
    const CcBackendClass *klass = backends[i].klass;
    if (config->no_device ? klass->has_device : !any && config->choice != backends[i].choice)
      continue;
    if (!any || i == last)
      backend = klass->open(config, error);
    else
      backend = klass->open(config, i == 1 ? fallback : NULL);
  }
  return backend;
}
