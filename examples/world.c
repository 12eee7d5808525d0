/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "world.h"

#define FAR 1e9f
#define NEAR 1e-3f
/* Haze per unit of distance. From it, shade_floor computes the share of the horizon's color. */
#define HAZE 0.022f
#define VIEW 2.05f /* distance from the eye to the image plane, in units of world_sample's x */
#define MAX_REFLECTIONS 3
#define MIN_SHARE 0.03f
#define FLOOR G_MAXUINT8

/* Width and height of a tile of smooth noise. The tile repeats in both directions. */
#define NOISE 256
static float noise[NOISE][NOISE];

static const Vec sun = {-0.4746f, 0.7317f, -0.4889f};
static const Vec sunlight = {1.32f, 1.2f, 1.02f};
static const Vec skylight = {0.36f, 0.42f, 0.5f};
static const Vec zenith = {0.09f, 0.24f, 0.56f};
static const Vec horizon = {0.66f, 0.75f, 0.84f};

typedef enum { PLAIN, BAND, STRIPES, OCTANTS } Pattern;

static const struct {
  Pattern pattern;
  Vec colors[2];
  float reflectance; /* share of the light that is reflected if it arrives along the normal */
} materials[WORLD_BALLS] = {
    {BAND, {{0.72f, 0.05f, 0.04f}, {0.88f, 0.82f, 0.72f}}, 0.06f},
    {PLAIN, {{0.8f, 0.8f, 0.82f}, {0.8f, 0.8f, 0.82f}}, 0.72f},
    {STRIPES, {{0.04f, 0.17f, 0.62f}, {0.5f, 0.7f, 0.9f}}, 0.08f},
    {OCTANTS, {{0.92f, 0.52f, 0.03f}, {0.95f, 0.9f, 0.8f}}, 0.05f},
    {BAND, {{0.04f, 0.34f, 0.1f}, {0.6f, 0.75f, 0.2f}}, 0.05f},
    {OCTANTS, {{0.3f, 0.07f, 0.4f}, {0.75f, 0.5f, 0.8f}}, 0.05f},
};

/* ---- tables ---- */

static guint32
scramble(guint32 x, guint32 y, guint32 octave) {
  guint32 h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ octave * 0xc2b2ae3du;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

static float
lattice(guint x, guint y, guint cells) {
  return (float)(scramble(x % cells, y % cells, cells) & 0xffff) / 0xffff;
}

static float
eased(float x) {
  return x * x * (3 - 2 * x);
}

static float
value_noise(guint x, guint y, guint cells) {
  guint cell = NOISE / cells, left = x / cell, top = y / cell;
  float across = eased((float)(x % cell) / cell), down = eased((float)(y % cell) / cell);
  float upper = lattice(left, top, cells) * (1 - across) + lattice(left + 1, top, cells) * across;
  float lower =
      lattice(left, top + 1, cells) * (1 - across) + lattice(left + 1, top + 1, cells) * across;
  return upper * (1 - down) + lower * down;
}

static void
make_noise(void) {
  for (guint y = 0; y < NOISE; y++) {
    for (guint x = 0; x < NOISE; x++) {
      float sum = 0, weight = 0.5f;
      for (guint cells = 4; cells <= NOISE / 2; cells *= 2, weight *= 0.5f)
        sum += weight * value_noise(x, y, cells);
      noise[y][x] = sum;
    }
  }
}

/* The unit of x and y is the distance between two noise samples. */
static float
noise_at(float x, float y) {
  float left = floorf(x), top = floorf(y), across = x - left, down = y - top;
  guint column = (guint)(gint)left % NOISE, row = (guint)(gint)top % NOISE;
  const float *upper = noise[row], *lower = noise[(row + 1) % NOISE];
  guint next = (column + 1) % NOISE;
  return (upper[column] * (1 - across) + upper[next] * across) * (1 - down) +
         (lower[column] * (1 - across) + lower[next] * across) * down;
}

/* ---- movement ---- */

static WorldBall
resting(float x, float z, float radius) {
  return (WorldBall){{x, radius, z}, radius, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

/* `axis` is a unit vector. */
static void
turn(WorldBall *ball, Vec axis, float angle) {
  float c = cosf(angle), s = sinf(angle);
  Vec *const axes[] = {&ball->right, &ball->up, &ball->ahead};
  for (guint i = 0; i < G_N_ELEMENTS(axes); i++) {
    Vec v = *axes[i];
    *axes[i] = vec_add(vec_add(vec_times(v, c), vec_times(vec_cross(axis, v), s)),
                       vec_times(axis, vec_dot(axis, v) * (1 - c)));
  }
}

/* Rolls a ball along x or z without slipping. */
static void
roll(WorldBall *ball, float x, float z) {
  turn(ball, vec(0, 0, 1), -x / ball->radius);
  turn(ball, vec(1, 0, 0), z / ball->radius);
  ball->centre.x += x;
  ball->centre.z += z;
}

/* Rolls a ball in a circle of the ball's own radius. The ball turns once in each round. */
static void
circle(WorldBall *ball, float angle) {
  turn(ball, vec(1, 0, 0), angle);
  turn(ball, vec(0, 1, 0), -angle);
  ball->centre.x += ball->radius * cosf(angle);
  ball->centre.z += ball->radius * sinf(angle);
}

static void
place_balls(WorldBall balls[WORLD_BALLS], float phase) {
  balls[0] = resting(-1.45f, 4.5f, 0.8f);
  turn(&balls[0], vec(0, 0, 1), 0.5f);
  turn(&balls[0], vec(1, 0, 0), -0.5f);
  roll(&balls[0], 0.4f * sinf(phase), 0);
  balls[1] = resting(0.55f, 5.9f, 1.05f);
  balls[2] = resting(1.6f, 4.0f, 0.55f);
  turn(&balls[2], vec(0, 0, 1), 1.0f);
  roll(&balls[2], 0, 0.6f * sinf(phase + 0.9f));
  balls[3] = resting(0, 3.15f, 0.33f);
  turn(&balls[3], vec(0, 0, 1), 0.6f);
  circle(&balls[3], phase + 3.6f);
  balls[4] = resting(-3.35f, 8.8f, 1.3f);
  turn(&balls[4], vec(0, 0, 1), 1.2f);
  roll(&balls[4], 0, 0.8f * sinf(phase + 4));
  balls[5] = resting(3.4f, 8.0f, 0.8f);
  turn(&balls[5], vec(1, 0, 0), 0.4f);
  roll(&balls[5], 0.7f * sinf(phase + 2.2f), 0);
}

World
world_at(gdouble seconds) {
  static gsize tables;
  if (g_once_init_enter(&tables)) {
    make_noise();
    g_once_init_leave(&tables, 1);
  }
  float phase = (float)(2 * G_PI * fmod(seconds / WORLD_PERIOD, 1));
  World world;
  place_balls(world.balls, phase);
  world.eye = vec(0.3f * sinf(phase), 1.2f + 0.08f * cosf(phase), 0.15f * cosf(phase));
  world.ahead = vec_unit(vec_sub(vec(0.12f, 0.82f, 5), world.eye));
  world.right = vec_unit(vec_cross(vec(0, 1, 0), world.ahead));
  world.up = vec_cross(world.ahead, world.right);
  return world;
}

/* ---- light ---- */

/* A ray that may have been reflected. `distance` is the length of the path from the eye to
 * `origin`. `width` is the width of a pixel at `origin`. `spread` is the growth of the width per
 * unit of distance. */
typedef struct {
  Vec origin, direction;
  float distance, width, spread, share;
  guint reflections;
} Ray;

static WorldHit trace(const World *world, const Ray *ray);

/* Returns WORLD_BALLS if the ray hits no ball. */
static guint
nearest_ball(const World *world, Vec origin, Vec direction, float *distance) {
  guint found = WORLD_BALLS;
  *distance = FAR;
  for (guint i = 0; i < WORLD_BALLS; i++) {
    const WorldBall *ball = &world->balls[i];
    Vec offset = vec_sub(ball->centre, origin);
    float closest = vec_dot(offset, direction);
    float root = closest * closest - vec_dot(offset, offset) + ball->radius * ball->radius;
    if (closest <= 0 || root <= 0)
      continue;
    float to = closest - sqrtf(root);
    if (to > NEAR && to < *distance) {
      *distance = to;
      found = i;
    }
  }
  return found;
}

static Vec
sky(Vec direction) {
  float height = MAX(direction.y, 0);
  Vec color = vec_mix(horizon, zenith, 1 - (1 - height) * (1 - height) * (1 - height));
  float glow = MAX(vec_dot(direction, sun), 0);
  glow *= glow;
  color = vec_add(color, vec_times(sunlight, 0.12f * glow * glow));
  if (height > 0.01f) {
    float far = 1 / (height + 0.12f);
    float cloud = noise_at(26 * direction.x * far + 90, 26 * direction.z * far + 20);
    cloud = CLAMP((cloud - 0.47f) * 4.5f, 0, 1);
    color = vec_mix(color, vec(0.95f, 0.95f, 0.96f), 0.75f * eased(cloud) * MIN(height * 5, 1));
  }
  return color;
}

/* Returns the share of the sun that no other ball covers. The softness of a shadow's edge depends
 * on the angular size of the sun. */
static float
sun_visibility(const World *world, Vec point, guint self) {
  float visible = 1;
  for (guint i = 0; i < WORLD_BALLS; i++) {
    if (i == self)
      continue;
    const WorldBall *ball = &world->balls[i];
    Vec offset = vec_sub(ball->centre, point);
    float closest = vec_dot(offset, sun);
    if (closest <= 0)
      continue;
    float miss_square = vec_dot(offset, offset) - closest * closest;
    float soft = 0.09f * closest, outer = ball->radius + soft;
    if (miss_square >= outer * outer)
      continue;
    visible *= eased(CLAMP((sqrtf(miss_square) - ball->radius + soft) / (2 * soft), 0, 1));
  }
  return visible;
}

/* Returns the share of the sky that no other ball covers. */
static float
sky_visibility(const World *world, Vec point, Vec normal, guint self) {
  float visible = 1;
  for (guint i = 0; i < WORLD_BALLS; i++) {
    if (i == self)
      continue;
    const WorldBall *ball = &world->balls[i];
    Vec offset = vec_sub(ball->centre, point);
    float square = vec_dot(offset, offset), up = vec_dot(offset, normal);
    float radius2 = ball->radius * ball->radius;
    if (up <= 0 || square > 30 * radius2)
      continue;
    /* a ball covers the share radius^2 / square of the sky's light, times the cosine of the angle
     * between its direction and the normal: up / sqrt(square) */
    visible *= 1 - up * radius2 / (square * sqrtf(square));
  }
  return MAX(visible, 0.1f);
}

static float
fifth_power(float x) {
  return x * x * x * x * x;
}

/* The ray hits the surface at `distance`. A convex surface (`curvature` > 0) spreads the ray. */
static void
add_reflection(const World *world, const Ray *ray, float distance, Vec normal, float share,
               float curvature, WorldHit *hit) {
  if (share * ray->share < MIN_SHARE || ray->reflections == MAX_REFLECTIONS)
    return;
  float width = ray->width + distance * ray->spread;
  Ray next = {
      .origin = vec_along(ray->origin, ray->direction, distance),
      .direction = vec_reflect(ray->direction, normal),
      .distance = ray->distance + distance,
      .width = width,
      .spread = ray->spread + 2 * width * curvature,
      .share = share * ray->share,
      .reflections = ray->reflections + 1,
  };
  WorldHit reflected = trace(world, &next);
  hit->color = vec_mix(hit->color, reflected.color, share);
  if (next.share > 0.08f)
    hit->object += 251 * reflected.object;
}

static guint
pattern_of(const WorldBall *ball, Pattern pattern, Vec normal) {
  float x = vec_dot(normal, ball->right), y = vec_dot(normal, ball->up);
  switch (pattern) {
  case BAND:
    return fabsf(y) < 0.2f;
  case STRIPES:
    return (gint)floorf(4.5f * y + 0.5f) & 1;
  case OCTANTS:
    return fabsf(y) < 0.94f && (x * y * vec_dot(normal, ball->ahead) > 0);
  default:
    return 0;
  }
}

static WorldHit
shade_ball(const World *world, const Ray *ray, guint number, float distance) {
  const WorldBall *ball = &world->balls[number];
  Vec point = vec_along(ray->origin, ray->direction, distance);
  Vec normal = vec_times(vec_sub(point, ball->centre), 1 / ball->radius);
  guint pattern = pattern_of(ball, materials[number].pattern, normal);
  float facing = MAX(-vec_dot(ray->direction, normal), 0.02f);

  float towards = vec_dot(normal, sun);
  float shine = towards > 0 ? sun_visibility(world, point, number) : 0;
  Vec light = vec_times(sunlight, shine * MAX(towards, 0));
  float visible = sky_visibility(world, point, normal, number) * (0.55f + 0.45f * normal.y);
  light = vec_add(light, vec_times(skylight, 1.3f * visible));
  /* light reflected by the floor reaches mostly the lower half of the ball */
  light = vec_add(light, vec_times(vec(0.3f, 0.24f, 0.18f), 0.5f - 0.5f * normal.y));
  WorldHit hit = {vec_product(materials[number].colors[pattern], light), 2 * number + pattern + 1};

  float reflectance = materials[number].reflectance;
  reflectance += (1 - reflectance) * 0.7f * fifth_power(1 - facing);
  add_reflection(world, ray, distance, normal, reflectance, 1 / ball->radius, &hit);
  if (shine > 0) {
    float bright = MAX(vec_dot(vec_reflect(ray->direction, normal), sun), 0);
    for (guint i = 0; i < 6; i++)
      bright *= bright;
    hit.color = vec_add(hit.color, vec_times(sunlight, 0.9f * shine * bright));
  }
  return hit;
}

/* Returns the share of even tiles minus the share of odd tiles, in an interval of `width` around x.
 */
static float
even_minus_odd(float x, float width) {
  float from = (x - 0.5f * width) * 0.5f, to = (x + 0.5f * width) * 0.5f;
  float a = fabsf(from - floorf(from) - 0.5f), b = fabsf(to - floorf(to) - 0.5f);
  return 2 * (a - b) / width;
}

/* Returns the floor's color, averaged over the area of a pixel. Tiles are one unit wide. */
static Vec
floor_color(float x, float z, float wide, float deep) {
  float light = 0.5f - 0.5f * even_minus_odd(x, wide) * even_minus_odd(z, deep);
  float detail = CLAMP(1.2f - 8 * deep, 0, 1);
  Vec color = vec_mix(vec(0.16f, 0.1f, 0.08f), vec(0.68f, 0.6f, 0.49f), light);
  if (detail > 0) {
    /* the grain differs between neighbouring tiles */
    float tile = 37 * floorf(x) + 71 * floorf(z);
    float grain = noise_at(90 * x + tile, 90 * z + 3 * tile) - 0.48f;
    color = vec_times(color, 1 + 1.7f * detail * grain);
  }
  return color;
}

static WorldHit
shade_floor(const World *world, const Ray *ray) {
  static const Vec up = {0, 1, 0};
  float distance = -ray->origin.y / ray->direction.y;
  float whole = ray->distance + distance;
  float haze = HAZE * whole;
  haze = haze / (1 + haze);
  WorldHit hit = {horizon, FLOOR};
  if (haze > 0.97f)
    return hit;
  Vec point = vec_along(ray->origin, ray->direction, distance);
  float wide = MAX(ray->width + distance * ray->spread, 1e-4f), facing = -ray->direction.y;
  hit.color = floor_color(point.x, point.z, wide, wide / facing);
  Vec light = vec_times(sunlight, sun.y * sun_visibility(world, point, WORLD_BALLS));
  light = vec_add(light, vec_times(skylight, sky_visibility(world, point, up, WORLD_BALLS)));
  hit.color = vec_product(hit.color, light);
  add_reflection(world, ray, distance, up, 0.04f + 0.5f * fifth_power(1 - facing), 0, &hit);
  hit.color = vec_mix(hit.color, horizon, haze * haze);
  return hit;
}

static WorldHit
trace(const World *world, const Ray *ray) {
  float distance;
  guint ball = nearest_ball(world, ray->origin, ray->direction, &distance);
  if (ball < WORLD_BALLS)
    return shade_ball(world, ray, ball, distance);
  if (ray->direction.y < -1e-3f)
    return shade_floor(world, ray);
  return (WorldHit){sky(ray->direction), 0};
}

WorldHit
world_sample(const World *world, float x, float y, float spread) {
  Vec direction = vec_times(world->ahead, VIEW);
  direction = vec_add(direction, vec_add(vec_times(world->right, x), vec_times(world->up, y)));
  Ray ray = {
      .origin = world->eye, .direction = vec_unit(direction), .spread = spread / VIEW, .share = 1};
  return trace(world, &ray);
}
