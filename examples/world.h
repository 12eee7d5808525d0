/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "vector.h"

G_BEGIN_DECLS

#define WORLD_BALLS 6
#define WORLD_PERIOD 5.0 /* period of the animation in seconds */

typedef struct {
  Vec centre;
  float radius;
  Vec right, up, ahead; /* the ball's own axes, which turn as the ball rolls */
} WorldBall;

/* Balls that roll on a tiled floor, and the viewer, at one moment. */
typedef struct {
  WorldBall balls[WORLD_BALLS];
  Vec eye, right, up, ahead;
} World;

/* The point that a ray hits. */
typedef struct {
  Vec color;
  guint32 object; /* identifies the object, its pattern and the reflected object */
} WorldHit;

/* The first call fills static tables. Any thread. */
World world_at(gdouble seconds);

/* The sample at (x, y) of the image. (0, 0) is the centre of the image. If the image is not
 * narrower than 4:3, its upper edge is at y = 1. `spread` is the distance between neighbouring
 * pixels, in the same units as x and y. */
WorldHit world_sample(const World *world, float x, float y, float spread);

G_END_DECLS
