/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A step of a program: one launch. */

#include "cuda/driver/device.h"
#include "launch.h"

G_BEGIN_DECLS

typedef enum {
  CC_CUDA_FILTER, /* from planes to planes */
  CC_CUDA_UNPACK, /* from a frame to planes in scratch */
  CC_CUDA_PACK,   /* and back */
  CC_CUDA_HUE,    /* from a frame to a frame */
} CcCudaStepKind;

typedef struct {
  CcCudaStepKind kind;
  CcCudaModule module;
  gchar name[64];                /* of the kernel in it */
  CUfunction function;           /* once the program is loaded */
  guint n_blocks, block[2];      /* blocks, and threads of a block each way */
  guint shared_bytes;            /* that a block has beside what the kernel declares */
  gboolean memory_taps;          /* needs params.memory_taps */
  gboolean lines;                /* needs params.lines */
  gboolean overlaps;             /* may be prepared while the launch before it runs */
  guint8 plane[CC_LAUNCH_PARTS]; /* of each part; only with FILTER */
  CcLaunch params; /* without what each launch sets: places and pitches of planes, and scratch */
} CcCudaStep;

/* Where a plane's rectangle lies in device memory, or in a buffer when its address is 0. */
typedef struct {
  gsize offset, pitch; /* bytes */
} CcCudaPlane;

/* Numbers the tiles of all parts. */
gboolean cc_cuda_set_first_tiles(CcLaunch *launch, GError **error);

G_END_DECLS
