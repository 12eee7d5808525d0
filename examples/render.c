/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render.h"

#include "world.h"

#define BAND 8 /* rows that a thread takes at once */
#define LEVELS 4096
#define FINE 5 /* samples along each axis of a pixel in fine pictures */
#define MEND 2 /* along each axis of a pixel whose neighbours differ */

typedef struct {
  float light[3];
  guint32 what;
} Spot;

struct Renderer {
  guint width, height;
  gboolean fine;
  Spot *spots;           /* what is seen in the middle of each pixel */
  guint8 levels[LEVELS]; /* from the root of light to code values */
  GThreadPool *pool;

  /* of the frame that is drawn */
  World world;
  void (*step)(Renderer *renderer, guint row);
  guint8 *pixels;
  gsize pitch;
  GMutex lock;
  GCond done;
  guint left; /* bands that are not done, under the lock */
};

static Spot
look(const Renderer *renderer, float x, float y) {
  float half_height = 0.5f * (float)renderer->height, half_width = 0.5f * (float)renderer->width;
  /* wide pictures show more to the sides, high ones more above and below */
  float unit = 1 / MIN(half_height, 0.75f * half_width);
  WorldHit hit =
      world_look(&renderer->world, (x - half_width) * unit, (half_height - y) * unit, unit);
  return (Spot){{MIN(hit.colour.x, 1), MIN(hit.colour.y, 1), MIN(hit.colour.z, 1)}, hit.what};
}

/* The sum of what is seen at n x n places of a pixel. */
static Spot
look_closely(const Renderer *renderer, guint column, guint row, guint n) {
  Spot sum = {{0, 0, 0}, 0};
  for (guint i = 0; i < n * n; i++) {
    guint across = i % n, down = i / n;
    float x = (float)column + ((float)across + 0.5f) / (float)n;
    float y = (float)row + ((float)down + 0.5f) / (float)n;
    Spot spot = look(renderer, x, y);
    for (guint c = 0; c < 3; c++)
      sum.light[c] += spot.light[c];
  }
  return sum;
}

static void
store(const Renderer *renderer, const Spot *spot, float factor, guint column, guint row) {
  guint8 *pixel = renderer->pixels + row * renderer->pitch + 3 * column;
  for (guint c = 0; c < 3; c++)
    pixel[c] = renderer->levels[(guint)(sqrtf(spot->light[c] * factor) * (LEVELS - 1) + 0.5f)];
}

static void
draw_fine(Renderer *renderer, guint row) {
  for (guint column = 0; column < renderer->width; column++) {
    Spot sum = look_closely(renderer, column, row, FINE);
    store(renderer, &sum, 1.0f / (FINE * FINE), column, row);
  }
}

static void
draw_middles(Renderer *renderer, guint row) {
  Spot *spots = renderer->spots + (gsize)row * renderer->width;
  for (guint column = 0; column < renderer->width; column++) {
    spots[column] = look(renderer, (float)column + 0.5f, (float)row + 0.5f);
    store(renderer, &spots[column], 1, column, row);
  }
}

/* Looks more closely where the neighbours are something else. */
static void
mend_edges(Renderer *renderer, guint row) {
  guint width = renderer->width;
  const Spot *spots = renderer->spots + (gsize)row * width;
  const Spot *above = row > 0 ? spots - width : spots;
  const Spot *below = row + 1 < renderer->height ? spots + width : spots;
  for (guint column = 0; column < width; column++) {
    guint32 what = spots[column].what;
    guint left = column > 0 ? column - 1 : 0, right = MIN(column + 1, width - 1);
    if (what == above[column].what && what == below[column].what && what == spots[left].what &&
        what == spots[right].what)
      continue;
    Spot sum = look_closely(renderer, column, row, MEND);
    for (guint c = 0; c < 3; c++)
      sum.light[c] += spots[column].light[c];
    store(renderer, &sum, 1.0f / (MEND * MEND + 1), column, row);
  }
}

static void
draw_band(gpointer data, gpointer user_data) {
  Renderer *renderer = user_data;
  guint first = (GPOINTER_TO_UINT(data) - 1) * BAND;
  for (guint row = first; row < MIN(first + BAND, renderer->height); row++)
    renderer->step(renderer, row);
  g_mutex_lock(&renderer->lock);
  if (--renderer->left == 0)
    g_cond_signal(&renderer->done);
  g_mutex_unlock(&renderer->lock);
}

static void
do_step(Renderer *renderer, void (*step)(Renderer *renderer, guint row)) {
  guint bands = (renderer->height + BAND - 1) / BAND;
  renderer->step = step;
  renderer->left = bands;
  for (guint band = 0; band < bands; band++)
    g_thread_pool_push(renderer->pool, GUINT_TO_POINTER(band + 1), NULL);
  g_mutex_lock(&renderer->lock);
  while (renderer->left > 0)
    g_cond_wait(&renderer->done, &renderer->lock);
  g_mutex_unlock(&renderer->lock);
}

Renderer *
renderer_new(guint width, guint height, gboolean fine) {
  Renderer *renderer = g_new0(Renderer, 1);
  renderer->width = width;
  renderer->height = height;
  renderer->fine = fine;
  renderer->spots = fine ? NULL : g_new(Spot, (gsize)width * height);
  for (guint i = 0; i < LEVELS; i++) {
    double root = (double)i / (LEVELS - 1);
    renderer->levels[i] = (guint8)(255 * pow(root * root, 1 / 2.2) + 0.5);
  }
  renderer->pool =
      g_thread_pool_new(draw_band, renderer, (gint)g_get_num_processors(), FALSE, NULL);
  g_mutex_init(&renderer->lock);
  g_cond_init(&renderer->done);
  return renderer;
}

void
renderer_draw(Renderer *renderer, gdouble seconds, guint8 *pixels, gsize pitch) {
  renderer->world = world_at(seconds);
  renderer->pixels = pixels;
  renderer->pitch = pitch;
  if (renderer->fine) {
    do_step(renderer, draw_fine);
  } else {
    do_step(renderer, draw_middles);
    do_step(renderer, mend_edges);
  }
}

void
renderer_free(Renderer *renderer) {
  g_thread_pool_free(renderer->pool, FALSE, TRUE);
  g_mutex_clear(&renderer->lock);
  g_cond_clear(&renderer->done);
  g_free(renderer->spots);
  g_free(renderer);
}
