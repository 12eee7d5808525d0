/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The sizes of tiles and blocks, for host and device: of the classic algorithms except two-pass and
 * scatter, and of stages with one thread per sample. A tile lies in one component of a plane. */

/* stages that cc_cuda_stage_set_planes sets up: one thread per sample */
#define CC_STAGE_TILE_WIDTH 32
#define CC_STAGE_TILE_HEIGHT 8

/* direct, constant: one thread per target pixel */
#define CC_PIXEL_TILE_WIDTH 64
#define CC_PIXEL_TILE_HEIGHT 4

/* tile-halo, tile-cached: side of the square of source pixels that a block loads. A block has one
 * thread per pixel. */
#define CC_SHARED_TILE_SIDE 32

/* register-tile: threads of a block across and down, and side of the square of pixels that a thread
 * computes */
#define CC_REGISTER_TILE_ACROSS 16
#define CC_REGISTER_TILE_DOWN 8
#define CC_REGISTER_TILE_SIDE 4
