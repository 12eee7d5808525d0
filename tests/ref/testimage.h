/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A picture made by integer arithmetic alone, the same on every machine: a sky with a sun, hills,
 * a house, lines of glyphs, and the noise of a sensor. It has what photographs have: flat areas,
 * slow gradients, sharp edges in all directions, texture and fine detail. */

#include "engine/frame.h"

G_BEGIN_DECLS

/* Draws it into a frame of any layout and size. Each component is drawn in other shades. */
void test_image_draw(const CcFrameLayout *layout, const CcFrame *frame);

/* The SHA-256 of all samples, plane after plane and row after row, in hexadecimal. */
gchar *test_image_checksum(const CcFrameLayout *layout, const CcFrame *frame);

G_END_DECLS
