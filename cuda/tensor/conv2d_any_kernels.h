/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of conv2d_any.cu: their names, tables and last steps, for host and device. They
 * take every number of rows, digits and matrices, every step and stride; what those are they learn
 * when they run. Tiles are those of conv2d_kernels.h. */

#include "conv2d_kernels.h"

/* A window is what 8 target bytes are made from: `chunks` times 32 bytes of a source row, or with
 * rows in pairs 16. The bytes right above the target bytes, 8 for each of a stride, are in its
 * middle. */
#define CC_TENSOR_CORE_ANY_BYTES 8
#define CC_TENSOR_CORE_ANY_CHUNK 32
#define CC_TENSOR_CORE_ANY_LEAD(window, stride) (((window)-CC_TENSOR_CORE_ANY_BYTES * (stride)) / 2)

/* The bytes of a staged row, and those that windows take of it left and right of the tile. */
#define CC_TENSOR_CORE_ANY_MAX_MARGIN 64

/* Heights of kernels: of those below CC_TENSOR_CORE_ANY_MAX_HEIGHT windows have 16 bytes. */
#define CC_TENSOR_CORE_ANY_MAX_HEIGHT 15

/* Blocks that a multiprocessor runs at once, at most. */
#define CC_TENSOR_CORE_ANY_MAX_BLOCKS 4

/* A part's table is as tap_table.h says, of one group. Where three samples are a pixel and
 * there is a stride, windows begin with each of the three components: there are three phases. */
#define CC_TENSOR_CORE_ANY_START_BYTES (2 * 4 * CC_TENSOR_CORE_ANY_BYTES)
#define CC_TENSOR_CORE_ANY_PHASES(step, stride) ((step) == 3 && (stride) > 1 ? 3 : 1)

/* F(bytes of a sample, rows of the window at most, last step) */
#define CC_TENSOR_CORE_ANY_KERNELS(F)                                                              \
  F(1, 3, scale)                                                                                   \
  F(1, 3, float)                                                                                   \
  F(1, 5, scale)                                                                                   \
  F(1, 5, root)                                                                                    \
  F(1, 15, scale)                                                                                  \
  F(1, 15, root)                                                                                   \
  F(1, 15, high)                                                                                   \
  F(1, 15, double)                                                                                 \
  F(2, 3, scale)                                                                                   \
  F(2, 3, root)                                                                                    \
  F(2, 5, scale)                                                                                   \
  F(2, 15, scale)                                                                                  \
  F(2, 15, root)                                                                                   \
  F(2, 15, wide)                                                                                   \
  F(2, 15, float)                                                                                  \
  F(2, 15, double)

#define CC_TENSOR_CORE_ANY_NAME(bytes, height, finish)                                             \
  "cc_tensor_core_any_u" #bytes "_h" #height "_" #finish
