/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "vector.h"

G_BEGIN_DECLS

#define WORLD_BALLS 6
#define WORLD_PERIOD 5.0 /* seconds after which everything moves as before */

typedef struct {
  Vec centre;
  float radius;
  Vec right, up, ahead; /* the ball's own axes, which turn as it rolls */
} WorldBall;

/* Balls that roll on a tiled floor, and who looks at them, at one moment. */
typedef struct {
  WorldBall balls[WORLD_BALLS];
  Vec eye, right, up, ahead;
} World;

/* What a ray meets. */
typedef struct {
  Vec colour;
  guint32 what; /* differs where the object, its pattern or what it mirrors does */
} WorldHit;

/* The world after some seconds. The first call, which must have returned before others begin,
 * makes tables that stay. */
World world_at(gdouble seconds);

/* What is seen at (x, y), which is (0, 0) in the middle of the picture and 1 at the height of its
 * upper edge. `spread` is how far neighbouring pixels are apart there. */
WorldHit world_look(const World *world, float x, float y, float spread);

G_END_DECLS
