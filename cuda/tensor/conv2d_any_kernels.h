/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels of conv2d_any.cu: their names, tables and requantization, for host and device. The
 * numbers of rows, digits and matrices, the step and the stride are parameters of the launch. The
 * tiles are the same as in conv2d_kernels.h. */

#include "conv2d_kernels.h"

/* A window is the part of a source row that yields 8 target bytes. It has `chunks` times 32 bytes,
 * or 16 bytes if two rows are multiplied at once. In its middle are the 8 * stride source bytes at
 * the positions of the target bytes. */
#define CC_TENSOR_CORE_ANY_BYTES 8
#define CC_TENSOR_CORE_ANY_CHUNK 32
#define CC_TENSOR_CORE_ANY_LEAD(window, stride) (((window)-CC_TENSOR_CORE_ANY_BYTES * (stride)) / 2)

/* The maximum number of bytes of a row that are staged on each side of a tile. */
#define CC_TENSOR_CORE_ANY_MAX_MARGIN 64

/* The largest filter kernel height in the list below. CUDA kernels for a smaller height use windows
 * of 16 bytes. */
#define CC_TENSOR_CORE_ANY_MAX_HEIGHT 15

/* The maximum number of blocks that a multiprocessor runs at once. */
#define CC_TENSOR_CORE_ANY_MAX_BLOCKS 4

/* The table of a plane job has the format of tap_table.h, with one group. START_BYTES is the size
 * of its initial sums. With three samples per pixel and a stride, a window may begin with any of
 * the three components, so the table has three phases. */
#define CC_TENSOR_CORE_ANY_START_BYTES (2 * 4 * CC_TENSOR_CORE_ANY_BYTES)
#define CC_TENSOR_CORE_ANY_PHASES(step, stride) ((step) == 3 && (stride) > 1 ? 3 : 1)

/* F(bytes of a sample, largest height of the filter kernel, requantization variant) */
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
