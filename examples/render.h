/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Renders frames of the world on all cores. The bytes do not depend on how many there are. */
typedef struct Renderer Renderer;

/* A renderer of frames of RGB, 8 bits each. With `fine` every pixel is the mean of many samples,
 * else only those are where neighbours differ. Free it with renderer_free. */
Renderer *renderer_new(guint width, guint height, gboolean fine);

/* Writes the frame that is seen after some seconds, rows `pitch` bytes apart. */
void renderer_draw(Renderer *renderer, gdouble seconds, guint8 *pixels, gsize pitch);

void renderer_free(Renderer *renderer);

G_END_DECLS
