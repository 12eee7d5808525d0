/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render.h"

#include "world.h"

#define BAND 8 /* number of rows that a thread renders at a time */
#define LEVELS 4096
#define FINE_SAMPLES 5 /* samples along each axis of every pixel in fine mode */
#define EDGE_SAMPLES 2 /* as above, if a neighbour of the pixel shows another object */

typedef struct {
  float light[3];
  guint32 object;
} Sample;

struct Renderer {
  guint width, height;
  gboolean fine;
  Sample *samples;       /* the sample at the centre of each pixel; NULL in fine mode */
  guint8 levels[LEVELS]; /* code values; the index is the scaled square root of linear light */
  GThreadPool *pool;

  /* state of the current frame */
  World world;
  void (*step)(Renderer *renderer, guint row);
  guint8 *pixels;
  gsize pitch;
  GMutex lock;
  GCond done;
  guint n_unfinished; /* bands; protected by the lock */
};

static Sample
take_sample(const Renderer *renderer, float x, float y) {
  float half_height = 0.5f * (float)renderer->height, half_width = 0.5f * (float)renderer->width;
  /* wide frames show more at the left and right, tall frames show more at the top and bottom */
  float unit = 1 / MIN(half_height, 0.75f * half_width);
  WorldHit hit =
      world_sample(&renderer->world, (x - half_width) * unit, (half_height - y) * unit, unit);
  return (Sample){{MIN(hit.color.x, 1), MIN(hit.color.y, 1), MIN(hit.color.z, 1)}, hit.object};
}

static Sample
add_samples(const Renderer *renderer, guint column, guint row, guint n) {
  Sample sum = {{0, 0, 0}, 0};
  for (guint i = 0; i < n * n; i++) {
    guint across = i % n, down = i / n;
    float x = (float)column + ((float)across + 0.5f) / (float)n;
    float y = (float)row + ((float)down + 0.5f) / (float)n;
    Sample sample = take_sample(renderer, x, y);
    for (guint c = 0; c < 3; c++)
      sum.light[c] += sample.light[c];
  }
  return sum;
}

static void
store(const Renderer *renderer, const Sample *sample, float factor, guint column, guint row) {
  guint8 *pixel = renderer->pixels + row * renderer->pitch + 3 * column;
  for (guint c = 0; c < 3; c++)
    pixel[c] = renderer->levels[(guint)(sqrtf(sample->light[c] * factor) * (LEVELS - 1) + 0.5f)];
}

static void
draw_fine(Renderer *renderer, guint row) {
  for (guint column = 0; column < renderer->width; column++) {
    Sample sum = add_samples(renderer, column, row, FINE_SAMPLES);
    store(renderer, &sum, 1.0f / (FINE_SAMPLES * FINE_SAMPLES), column, row);
  }
}

static void
draw_centres(Renderer *renderer, guint row) {
  Sample *samples = renderer->samples + (gsize)row * renderer->width;
  for (guint column = 0; column < renderer->width; column++) {
    samples[column] = take_sample(renderer, (float)column + 0.5f, (float)row + 0.5f);
    store(renderer, &samples[column], 1, column, row);
  }
}

static void
refine_edges(Renderer *renderer, guint row) {
  guint width = renderer->width;
  const Sample *samples = renderer->samples + (gsize)row * width;
  const Sample *above = row > 0 ? samples - width : samples;
  const Sample *below = row + 1 < renderer->height ? samples + width : samples;
  for (guint column = 0; column < width; column++) {
    guint32 object = samples[column].object;
    guint left = column > 0 ? column - 1 : 0, right = MIN(column + 1, width - 1);
    if (object == above[column].object && object == below[column].object &&
        object == samples[left].object && object == samples[right].object)
      continue;
    Sample sum = add_samples(renderer, column, row, EDGE_SAMPLES);
    for (guint c = 0; c < 3; c++)
      sum.light[c] += samples[column].light[c];
    store(renderer, &sum, 1.0f / (EDGE_SAMPLES * EDGE_SAMPLES + 1), column, row);
  }
}

static void
draw_band(gpointer data, gpointer user_data) {
  Renderer *renderer = user_data;
  guint first = (GPOINTER_TO_UINT(data) - 1) * BAND;
  for (guint row = first; row < MIN(first + BAND, renderer->height); row++)
    renderer->step(renderer, row);
  g_mutex_lock(&renderer->lock);
  if (--renderer->n_unfinished == 0)
    g_cond_signal(&renderer->done);
  g_mutex_unlock(&renderer->lock);
}

static void
run_step(Renderer *renderer, void (*step)(Renderer *renderer, guint row)) {
  guint bands = (renderer->height + BAND - 1) / BAND;
  renderer->step = step;
  renderer->n_unfinished = bands;
  for (guint band = 0; band < bands; band++)
    g_thread_pool_push(renderer->pool, GUINT_TO_POINTER(band + 1), NULL);
  g_mutex_lock(&renderer->lock);
  while (renderer->n_unfinished > 0)
    g_cond_wait(&renderer->done, &renderer->lock);
  g_mutex_unlock(&renderer->lock);
}

Renderer *
renderer_new(guint width, guint height, gboolean fine) {
  Renderer *renderer = g_new0(Renderer, 1);
  renderer->width = width;
  renderer->height = height;
  renderer->fine = fine;
  renderer->samples = fine ? NULL : g_new(Sample, (gsize)width * height);
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
    run_step(renderer, draw_fine);
  } else {
    run_step(renderer, draw_centres);
    run_step(renderer, refine_edges);
  }
}

void
renderer_free(Renderer *renderer) {
  g_thread_pool_free(renderer->pool, FALSE, TRUE);
  g_mutex_clear(&renderer->lock);
  g_cond_clear(&renderer->done);
  g_free(renderer->samples);
  g_free(renderer);
}
