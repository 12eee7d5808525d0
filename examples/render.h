/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Renders frames of the world on all cores. The result does not depend on the number of cores. */
typedef struct Renderer Renderer;

/* Makes a renderer of 8-bit RGB frames. With `fine`, every pixel is the mean of many samples.
 * Without `fine`, a pixel has more than one sample only if a neighbour shows another object
 * (WorldHit.object). Free with renderer_free. */
Renderer *renderer_new(guint width, guint height, gboolean fine);

/* `pitch` is the number of bytes between the starts of two rows. */
void renderer_draw(Renderer *renderer, gdouble seconds, guint8 *pixels, gsize pitch);

void renderer_free(Renderer *renderer);

G_END_DECLS
