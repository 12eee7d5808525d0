/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares the growth of strong pixels, in slices and across them, with a flood that takes pixel
 * after pixel from a queue. */

#include "cpu/stages/edge_map.h"

#include <string.h>

#define GUARD 0xa5
#define WIDTH_8K 7680
#define HEIGHT_8K 4320
#define MAX_SECONDS 10.0 /* also with sanitizers */

typedef struct {
  CcEdgeMap map;
  guint width;
  guint8 *memory;
  gsize n_bytes; /* without the guard byte behind */
} TestMap;

static TestMap
test_map_new(guint width, guint height) {
  TestMap test = {.width = width, .n_bytes = cc_edge_map_bytes(width, height)};
  test.memory = g_malloc(test.n_bytes + 1);
  memset(test.memory, GUARD, test.n_bytes + 1);
  cc_edge_map_init(&test.map, test.memory, width, height);
  const gsize n = (gsize)test.map.n_words * height * sizeof(guint64);
  memset(test.map.weak, 0, n);
  memset(test.map.strong, 0, n);
  return test;
}

static void
test_map_free(TestMap *test) {
  g_assert_cmpuint(test->memory[test->n_bytes], ==, GUARD);
  g_free(test->memory);
}

static guint64 *
word_at(const TestMap *test, guint64 *words, guint x, guint y) {
  return &words[cc_edge_map_word(&test->map, y, x / 64)];
}

static gboolean
is_set(const TestMap *test, guint64 *words, guint x, guint y) {
  return *word_at(test, words, x, y) >> x % 64 & 1;
}

static void
set(const TestMap *test, guint64 *words, guint x, guint y) {
  *word_at(test, words, x, y) |= G_GUINT64_CONSTANT(1) << x % 64;
}

/* --- the flood --- */

/* Returns for each pixel whether it is strong or connected to a strong one through weak ones. */
static guint8 *
flood(const TestMap *test) {
  const guint width = test->width, height = test->map.height;
  guint8 *reached = g_malloc0((gsize)width * height);
  g_autofree guint *queue = g_new(guint, (gsize)width * height);
  gsize first = 0, end = 0;
  for (guint at = 0; at < width * height; at++)
    if (is_set(test, test->map.strong, at % width, at / width)) {
      reached[at] = TRUE;
      queue[end++] = at;
    }
  while (first < end) {
    const guint at = queue[first++], x = at % width, y = at / width;
    for (guint j = y - MIN(y, 1); j <= MIN(y + 1, height - 1); j++)
      for (guint i = x - MIN(x, 1); i <= MIN(x + 1, width - 1); i++)
        if (!reached[j * width + i] && is_set(test, test->map.weak, i, j)) {
          reached[j * width + i] = TRUE;
          queue[end++] = j * width + i;
        }
  }
  return reached;
}

/* Grows the slices that begin at row 0 and at the rows of `begins`. */
static void
grow_slices(TestMap *test, const gboolean *begins) {
  const guint height = test->map.height;
  for (guint y0 = 0, y1 = 1; y0 < height; y0 = y1++) {
    while (y1 < height && !begins[y1])
      y1++;
    cc_edge_map_grow_slice(&test->map, y0, y1);
  }
}

static void
assert_reached(const TestMap *test, const guint8 *reached) {
  for (guint y = 0; y < test->map.height; y++) {
    for (guint x = 0; x < test->width; x++)
      if (is_set(test, test->map.strong, x, y) != reached[y * test->width + x])
        g_error("pixel (%u, %u) of %ux%u is %s", x, y, test->width, test->map.height,
                reached[y * test->width + x] ? "not reached" : "reached");
    for (guint x = test->width; x < 64 * test->map.n_words; x++)
      g_assert_false(is_set(test, test->map.strong, x, y));
  }
}

static gsize
n_bytes_of(const TestMap *test) {
  return (gsize)test->map.n_words * test->map.height * sizeof(guint64);
}

static TestMap
copy_of(const TestMap *test) {
  TestMap copy = test_map_new(test->width, test->map.height);
  memcpy(copy.map.weak, test->map.weak, n_bytes_of(test));
  memcpy(copy.map.strong, test->map.strong, n_bytes_of(test));
  return copy;
}

/* Grows a copy of the map in slices, and compares it with the flood. */
static void
check_slices(const TestMap *test, const gboolean *begins, const guint8 *reached) {
  TestMap copy = copy_of(test);
  grow_slices(&copy, begins);
  cc_edge_map_join_slices(&copy.map);
  assert_reached(&copy, reached);
  g_assert_cmpmem(copy.map.weak, n_bytes_of(test), test->map.weak, n_bytes_of(test));
  test_map_free(&copy);
}

/* --- random maps --- */

/* Makes this share of the pixels weak, and one of `strong_every` weak pixels strong. */
static void
draw(TestMap *test, gdouble share, guint strong_every) {
  for (guint y = 0; y < test->map.height; y++)
    for (guint x = 0; x < test->width; x++) {
      if (g_test_rand_double() >= share)
        continue;
      set(test, test->map.weak, x, y);
      if (g_test_rand_int_range(0, (gint)strong_every) == 0)
        set(test, test->map.strong, x, y);
    }
}

static void
test_random(void) {
  static const guint widths[] = {1, 2, 63, 64, 65, 127, 128, 129, 200, 500};
  static const gdouble shares[] = {0.1, 0.35, 0.41, 0.45, 0.6, 0.95, 1};
  for (guint i = 0; i < 2000; i++) {
    const guint height = (guint)g_test_rand_int_range(1, 40);
    TestMap test = test_map_new(widths[i % G_N_ELEMENTS(widths)], height);
    draw(&test, shares[i % G_N_ELEMENTS(shares)], 1u << g_test_rand_int_range(0, 10));
    g_autofree guint8 *reached = flood(&test);
    gboolean begins[40] = {FALSE};
    const gint every = g_test_rand_int_range(1, 12);
    for (guint y = 1; y < height; y++)
      begins[y] = g_test_rand_int_range(0, every) == 0;
    check_slices(&test, begins, reached);
    test_map_free(&test);
  }
}

/* All ways to cut a map into slices. */
static void
test_cuts(void) {
  enum { HEIGHT = 8 };
  for (guint i = 0; i < 40; i++) {
    TestMap test = test_map_new(i % 2 ? 130 : 64, HEIGHT);
    draw(&test, 0.43, 100);
    g_autofree guint8 *reached = flood(&test);
    for (guint cuts = 0; cuts < 1 << (HEIGHT - 1); cuts++) {
      gboolean begins[HEIGHT] = {FALSE};
      for (guint y = 1; y < HEIGHT; y++)
        begins[y] = cuts >> (y - 1) & 1;
      check_slices(&test, begins, reached);
    }
    test_map_free(&test);
  }
}

/* --- long lines --- */

/* Lines one pixel wide, two pixels apart. Each begins at (0, 0). */

static gboolean
is_spiral(guint x, guint y, guint width, guint height) {
  const guint right = width - 1 - x, bottom = height - 1 - y;
  return (y % 2 == 0 && x + 2 >= y && right >= y && bottom >= y) ||
         (right % 2 == 0 && y >= right && bottom >= right && x >= right) ||
         (bottom % 2 == 0 && x >= bottom && right >= bottom && y >= bottom) ||
         (x % 2 == 0 && y >= x + 2 && bottom >= x && right >= x);
}

static gboolean
is_serpentine(guint x, guint y, guint width, guint height) {
  return y % 2 == 0 || x == (y % 4 == 1 ? width - 1 : 0);
}

static gboolean
is_upright_serpentine(guint x, guint y, guint width, guint height) {
  return is_serpentine(y, x, height, width);
}

static gboolean
is_comb(guint x, guint y, guint width, guint height) {
  return y == 0 || x % 2 == 0;
}

static gboolean
is_lying_comb(guint x, guint y, guint width, guint height) {
  return is_comb(y, x, height, width);
}

/* Diagonals in bands of 64 rows. Every second row between bands joins all of them. */
static gboolean
is_zigzag(guint x, guint y, guint width, guint height) {
  return y % 64 == 0 ? x % 2 == 0 || y % 128 == 0 : (x + y) % 4 == 0;
}

typedef struct {
  const gchar *name;
  gboolean (*is_weak)(guint x, guint y, guint width, guint height);
  gboolean is_whole; /* all weak pixels are connected */
} Line;

static const Line lines[] = {
    {"spiral", is_spiral, TRUE},
    {"serpentine", is_serpentine, TRUE},
    {"upright-serpentine", is_upright_serpentine, TRUE},
    {"comb", is_comb, TRUE},
    {"lying-comb", is_lying_comb, TRUE},
    {"zigzag", is_zigzag, FALSE},
};

static TestMap
line_map(const Line *line, guint width, guint height) {
  TestMap test = test_map_new(width, height);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      if (line->is_weak(x, y, width, height))
        set(&test, test.map.weak, x, y);
  return test;
}

/* Makes the first or the last weak pixel strong. */
static void
start(TestMap *test, gboolean at_end) {
  guint x = 0, y = 0;
  if (at_end)
    for (y = test->map.height - 1, x = test->width - 1; !is_set(test, test->map.weak, x, y); x--)
      if (x == 0) {
        x = test->width;
        y--;
      }
  set(test, test->map.strong, x, y);
}

static void
test_lines(void) {
  enum { MAX_HEIGHT = 140 };
  static const guint sizes[][2] = {{1, 1},   {1, 90},   {90, 1},   {63, 40},   {64, 40},
                                   {65, 41}, {127, 65}, {128, 66}, {129, 130}, {331, 140}};
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
      for (guint from_end = 0; from_end < 2; from_end++) {
        TestMap test = line_map(&lines[i], sizes[s][0], sizes[s][1]);
        start(&test, from_end);
        g_autofree guint8 *reached = flood(&test);
        for (guint every = 1; every <= 64; every *= 2) {
          gboolean begins[MAX_HEIGHT] = {FALSE};
          for (guint y = every; y < sizes[s][1]; y += every)
            begins[y] = TRUE;
          check_slices(&test, begins, reached);
        }
        test_map_free(&test);
      }
}

/* Returns the seconds that it takes to grow a map in slices. */
static gdouble
time_slices(TestMap *test, guint slice_rows) {
  g_autofree gboolean *begins = g_new0(gboolean, test->map.height);
  for (guint y = slice_rows; y < test->map.height; y += slice_rows)
    begins[y] = TRUE;
  const gint64 start = g_get_monotonic_time();
  grow_slices(test, begins);
  cc_edge_map_join_slices(&test->map);
  return (gdouble)(g_get_monotonic_time() - start) / 1e6;
}

/* The longest lines of an 8K frame, from either end. Time that is not proportional to the number of
 * words would be minutes. */
static void
test_time(gconstpointer data) {
  static const guint slices[] = {HEIGHT_8K, HEIGHT_8K / 16};
  const Line *line = data;
  TestMap test = line_map(line, WIDTH_8K, HEIGHT_8K);
  for (guint i = 0; i < 2 * G_N_ELEMENTS(slices); i++) {
    TestMap copy = copy_of(&test);
    start(&copy, i % 2);
    const gdouble seconds = time_slices(&copy, slices[i / 2]);
    g_test_message("%s from its %s in slices of %u rows: %.3f s", line->name,
                   i % 2 ? "end" : "start", slices[i / 2], seconds);
    g_assert_cmpfloat(seconds, <, MAX_SECONDS);
    if (line->is_whole)
      g_assert_true(memcmp(copy.map.strong, copy.map.weak, n_bytes_of(&copy)) == 0);
    test_map_free(&copy);
  }
  test_map_free(&test);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/edge-map/random", test_random);
  g_test_add_func("/edge-map/cuts", test_cuts);
  g_test_add_func("/edge-map/lines", test_lines);
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree gchar *path = g_strconcat("/edge-map/time/", lines[i].name, NULL);
    g_test_add_data_func(path, &lines[i], test_time);
  }
  return g_test_run();
}
