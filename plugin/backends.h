/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of backends, and the choice between them. This is the only place that names them. */

#include "engine/option.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* F(constant, name, text, class), in the order in which AUTO tries them; the last one always opens.
 */
#define CC_BACKENDS(F)                                                                             \
  F(CC_BACKEND_AUTO, "auto", "CUDA when a device opens, else the CPU", NULL)                       \
  F(CC_BACKEND_CUDA, "cuda", "NVIDIA GPU", &cc_cuda_backend)                                       \
  F(CC_BACKEND_CPU, "cpu", "CPU", &cc_cpu_backend)

typedef enum { CC_BACKENDS(CC_LIST_CONSTANT) } CcBackendChoice;

/* The choices of the option `backend`, and of `algorithm`, which are the same in every build. */
const CcChoice *cc_backend_choices(const CcOption *self);
const CcChoice *cc_backend_algorithms(void);

/* Opens the backend that `config` chooses. With AUTO it is the first that opens, and *fallback gets
 * the reason why it is not the first of all, or NULL; fallback may be NULL. */
CcBackend *cc_backend_open(const CcBackendConfig *config, GError **fallback, GError **error);

G_END_DECLS
