/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A plan as launches: which kernel runs each pass, with which parameters and grid. */

#include "device.h"
#include "engine/backend.h"
#include "launch.h"

G_BEGIN_DECLS

typedef struct {
  CUfunction function;
  guint grid[3], block[2];
  CcLaunch params; /* src and dst are offsets into the frame until submission */
} CcCudaStep;

typedef struct {
  CcProgram base;
  /* Planes lie one after another in device and staging memory, rows padded for wide accesses. */
  gsize offset[CC_MAX_PLANES], pitch[CC_MAX_PLANES];
  gsize frame_bytes;
  guint n_steps;
  CcCudaStep step[CC_MAX_PASSES];
} CcCudaProgram;

/* The device must be pushed. */
CcCudaProgram *cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error);

G_END_DECLS
