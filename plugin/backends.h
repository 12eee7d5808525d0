/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of backends, and the choice between them. No other file of the plugin includes a
 * backend's headers. */

#include "engine/option.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* Rows are F(constant, name, text, class). AUTO tries the backends in the order of the rows. The
 * last backend always opens. */
#define CC_BACKENDS(F)                                                                             \
  F(CC_BACKEND_AUTO, "auto", "CUDA when a device opens, else the CPU", NULL)                       \
  F(CC_BACKEND_CUDA, "cuda", "NVIDIA GPU", &cc_cuda_backend)                                       \
  F(CC_BACKEND_CPU, "cpu", "CPU", &cc_cpu_backend)

typedef enum { CC_BACKENDS(CC_LIST_CONSTANT) } CcBackendChoice;

/* The choices of the options `backend` and `algorithm`. They are the same in every build. */
const CcChoice *cc_backend_choices(const CcOption *self);
const CcChoice *cc_backend_algorithms(void);

/* Opens the backend that `config` chooses, or with config->no_device a backend without a device,
 * whatever the choice is. With AUTO, sets *fallback to the reason if the first backend of the list
 * does not open. `fallback` may be NULL. */
CcBackend *cc_backend_open(const CcBackendConfig *config, GError **fallback, GError **error);

G_END_DECLS
