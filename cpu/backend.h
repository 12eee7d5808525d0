/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/run/backend.h"

/* The backend that filters on the CPU. A submission is complete when submit returns. */
extern const CcBackendClass cc_cpu_backend;
