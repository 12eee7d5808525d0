/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/run/backend.h"

/* Filters on an NVIDIA GPU. In a build without CUDA, `open` always fails with
 * CC_ERROR_UNAVAILABLE. */
extern const CcBackendClass cc_cuda_backend;
