/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A test image that is computed in integers only, so it is the same on every machine. It shows a
 * sky with a sun, hills, a house, lines of glyphs, and sensor noise. Like a photograph it has flat
 * areas, slow gradients, sharp edges in all directions, texture and fine detail. */

#include "engine/frame.h"

G_BEGIN_DECLS

/* Draws the test image into a frame of any layout and size. Each component has different shades. */
void test_image_draw(const CcFrameLayout *layout, const CcFrame *frame);

/* Returns the SHA-256 of all samples, plane by plane and row by row, in hexadecimal. */
gchar *test_image_checksum(const CcFrameLayout *layout, const CcFrame *frame);

G_END_DECLS
