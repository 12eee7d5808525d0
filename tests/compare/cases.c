/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/cases.h"

#include "engine/enum_names.h"

#include <string.h>

#define REGION_EVERY 16 /* one of so many plans that are not run has a region */
#define TRIES 3         /* values tried for each free parameter of a combination */

static const guint small_sizes[][2] = {
    {1, 1},   {1, 2},  {1, 3},  {1, 4},   {1, 5},  {1, 6},   {1, 7},    {2, 1},    {2, 2}, {2, 3},
    {2, 4},   {2, 5},  {2, 6},  {2, 7},   {3, 1},  {3, 2},   {3, 3},    {3, 4},    {3, 5}, {3, 6},
    {3, 7},   {4, 1},  {4, 2},  {4, 3},   {4, 4},  {4, 5},   {4, 6},    {4, 7},    {5, 1}, {5, 2},
    {5, 3},   {5, 4},  {5, 5},  {5, 6},   {5, 7},  {6, 1},   {6, 2},    {6, 3},    {6, 4}, {6, 5},
    {6, 6},   {6, 7},  {7, 1},  {7, 2},   {7, 3},  {7, 4},   {7, 5},    {7, 6},    {7, 7}, {15, 9},
    {33, 17}, {64, 4}, {65, 3}, {131, 5}, {2, 70}, {257, 2}, {1601, 2}, {19, 150},
};
#define N_SMALL G_N_ELEMENTS(small_sizes)
enum { SIZE_MEDIUM = N_SMALL, SIZE_LARGE };

static const gdouble border_values[] = {0, 0.3, 0.5, 1};
static const gdouble scales[] = {0, 0.125, -0.25, 1 / 9.0, 0.37, 2, 0.1234567891};
static const gdouble biases[] = {0, 128, -20, 0.5, 7.25, 0.0312791, 255, -127.9};

/* Range and matrix, which determine the colors of directions. */
static const struct {
  const gchar *name;
  gboolean limited;
  gdouble kr, kb;
} ranges[] = {
    {"full", FALSE, 0, 0},
    {"limited", TRUE, 0, 0},
    {"limited-bt709", TRUE, 0.2126, 0.0722},
    {"full-bt2020", FALSE, 0.2627, 0.0593},
};

/* Most cases have the whole frame and stride 1, so most levels stand for that. */
static const guint strides[] = {1, 1, 1, 2, 4};

/* Threshold, invert, mix and overlay. Levels with none of them make the other cases. */
static const struct {
  gdouble threshold;
  gboolean invert, mixes;
  gdouble mix;
  guint overlay;
} compositions[] = {
    {.mix = 1},
    {.threshold = 0.5},
    {.threshold = 0.2, .invert = TRUE},
    {.mix = 1},
    {.invert = TRUE},
    {.mixes = TRUE, .mix = 0.5},
    {.mixes = TRUE, .mix = -1.5},
    {.mix = 1},
    {.mixes = TRUE, .mix = 8, .invert = TRUE},
    {.mixes = TRUE, .mix = -8},
    {.mixes = TRUE, .mix = 0.3, .threshold = 1},
    {.mix = 1},
    {.mixes = TRUE, .mix = 0},
    {.overlay = 0xff00ff00},
    {.mix = 1},
    {.overlay = 0x80ff8020, .threshold = 0.1},
    {.overlay = 0xffffffff, .mixes = TRUE, .mix = 0.4},
    {.mix = 1},
    {.overlay = 0xc01030ff, .invert = TRUE, .mixes = TRUE, .mix = 3},
    {.overlay = 0x00ffffff},
};

/* Kernels for chroma. One of CHROMA_EVERY cases has one, so that combinations of the other
 * parameters stay the same. */
#define CHROMA_EVERY 4
static const struct {
  const gchar *kernel; /* NULL: that of luma */
  guint size;          /* 0: that of luma */
} chroma_kernels[] = {
    {"gaussian", 3}, {NULL, 3},          {"box", 7},    {"sobel", 0}, {"identity", 0},
    {NULL, 9},       {"kirsch", 3},      {"log", 5},    {"box", 31},  {NULL, 1},
    {"gaussian", 0}, {"motion-blur", 9}, {"scharr", 3},
};

/* Canny's edges. One of CANNY_EVERY cases has them. The thresholds are for 8-bit code values. */
#define CANNY_EVERY 5
#define FIRST_CANNY 2
static const struct {
  const gchar *kernel;
  guint size;
  CcResponse response;
  gdouble low, high;
} edges[] = {
    {"sobel", 3, CC_RESPONSE_CANNY, 100, 200},       {"sobel", 5, CC_RESPONSE_CANNY_L1, 900, 3000},
    {"sobel", 7, CC_RESPONSE_CANNY, 9000, 40000},    {"scharr", 3, CC_RESPONSE_CANNY_L1, 2400, 500},
    {"prewitt", 3, CC_RESPONSE_CANNY, 130.25, 300},  {"sobel", 3, CC_RESPONSE_CANNY_L1, 0, 700.5},
    {"sobel", 7, CC_RESPONSE_CANNY_L1, 7.99, 60000}, {"scharr", 3, CC_RESPONSE_CANNY, 0.5, 1900},
    {"sobel", 5, CC_RESPONSE_CANNY, 1e6, 1200},      {"prewitt", 3, CC_RESPONSE_CANNY_L1, 85, 340},
    {"sobel", 3, CC_RESPONSE_CANNY, 0, 0},           {"sobel", 7, CC_RESPONSE_CANNY, 8, 8},
    {"sobel", 0, CC_RESPONSE_CANNY_L1, 1020, 255},   {"sobel", 3, CC_RESPONSE_CANNY, 1e6, 1e6},
};

/* One of MEASURE_EVERY cases measures. */
#define MEASURE_EVERY 5
static const CcMeasures measures[] = {CC_MEASURE_SUMS, CC_MEASURE_HISTOGRAM, CC_MEASURE_SUMS};

typedef enum {
  REGION_ALL,
  REGION_INSIDE,       /* any rectangle, at the same position */
  REGION_ELSEWHERE,    /* at any other position */
  REGION_CUT,          /* at a position where it does not fit */
  REGION_PIXEL,        /* of one pixel */
  REGION_TOP_LEFT,     /* touches these edges */
  REGION_BOTTOM_RIGHT, /* reaches beyond these edges */
  REGION_SHIFTED,      /* the whole frame, at another position */
} Region;

static const Region regions[] = {
    REGION_ALL,      REGION_ALL,          REGION_ALL,     REGION_ALL,
    REGION_INSIDE,   REGION_ELSEWHERE,    REGION_CUT,     REGION_PIXEL,
    REGION_TOP_LEFT, REGION_BOTTOM_RIGHT, REGION_SHIFTED,
};

static guint
level_count(const CaseList *list, Dimension dimension) {
  static const guint counts[DIM_COUNT] = {
      [DIM_SIZE] = N_SMALL,
      [DIM_BORDER] = CC_N_BORDERS,
      [DIM_RESPONSE] = CC_RESPONSE_CANNY, /* those before it */
      [DIM_CHROMA] = CC_N_CHROMAS,
      [DIM_COLOR] = CC_N_COLORS,
      [DIM_ALPHA] = CC_N_ALPHAS,
      [DIM_SCALE] = G_N_ELEMENTS(scales),
      [DIM_BIAS] = G_N_ELEMENTS(biases),
      [DIM_RANGE] = G_N_ELEMENTS(ranges),
      [DIM_STRIDE] = G_N_ELEMENTS(strides),
      [DIM_REGION] = G_N_ELEMENTS(regions),
      [DIM_COMPOSE] = G_N_ELEMENTS(compositions),
      [DIM_PATTERN] = PATTERN_COUNT,
      [DIM_SRC] = PLACEMENT_COUNT,
      [DIM_DST] = PLACEMENT_COUNT,
  };
  if (dimension == DIM_KERNEL)
    return list->kernels->len;
  if (dimension == DIM_FORMAT)
    return test_formats_count();
  return counts[dimension];
}

/* --- all pairs --- */

/* The pairs of values that have not come up yet. Single bits would save little. */
typedef struct {
  const CaseList *list;
  guint first[DIM_COUNT + 1]; /* number of a dimension's first value among all values */
  guint8 *wanted;             /* by two such numbers; size first[DIM_COUNT] squared */
} Pairs;

static guint8 *
pair_wanted(const Pairs *pairs, guint a, guint level_a, guint b, guint level_b) {
  guint low = pairs->first[MIN(a, b)] + (a < b ? level_a : level_b);
  guint high = pairs->first[MAX(a, b)] + (a < b ? level_b : level_a);
  return &pairs->wanted[low * pairs->first[DIM_COUNT] + high];
}

static void
pairs_init(Pairs *pairs, const CaseList *list) {
  pairs->list = list;
  pairs->first[0] = 0;
  for (guint d = 0; d < DIM_COUNT; d++)
    pairs->first[d + 1] = pairs->first[d] + level_count(list, d);
  gsize n = pairs->first[DIM_COUNT];
  pairs->wanted = g_malloc(n * n);
  memset(pairs->wanted, TRUE, n * n);
}

static guint
random_level(const CaseList *list, Dimension dimension, GRand *rand) {
  return (guint)g_rand_int_range(rand, 0, (gint)level_count(list, dimension));
}

/* Chooses a value of dimension d. Of some random values it takes the one that makes most new pairs
 * with the values already set. */
static guint
choose_level(const Pairs *pairs, const Combination *combination, const gboolean *is_set, guint d,
             GRand *rand) {
  guint best = 0;
  gint best_gain = -1;
  for (guint i = 0; i < TRIES; i++) {
    guint level = random_level(pairs->list, d, rand);
    gint gain = 0;
    for (guint other = 0; other < DIM_COUNT; other++)
      if (is_set[other])
        gain += *pair_wanted(pairs, d, level, other, combination->level[other]);
    if (gain > best_gain) {
      best = level;
      best_gain = gain;
    }
  }
  return best;
}

/* Makes a combination with value level_a of dimension a and level_b of dimension b. */
static Combination
complete_pair(Pairs *pairs, guint a, guint level_a, guint b, guint level_b, GRand *rand) {
  Combination combination;
  gboolean is_set[DIM_COUNT] = {FALSE};
  combination.level[a] = (guint8)level_a;
  combination.level[b] = (guint8)level_b;
  is_set[a] = is_set[b] = TRUE;
  for (guint d = 0; d < DIM_COUNT; d++) {
    if (is_set[d])
      continue;
    combination.level[d] = (guint8)choose_level(pairs, &combination, is_set, d, rand);
    is_set[d] = TRUE;
  }
  for (guint i = 0; i < DIM_COUNT; i++)
    for (guint k = i + 1; k < DIM_COUNT; k++)
      *pair_wanted(pairs, i, combination.level[i], k, combination.level[k]) = FALSE;
  return combination;
}

static void
add_all_pairs(CaseList *list, GRand *rand) {
  Pairs pairs;
  pairs_init(&pairs, list);
  for (guint a = 0; a < DIM_COUNT; a++) {
    for (guint b = a + 1; b < DIM_COUNT; b++) {
      for (guint i = 0; i < level_count(list, a); i++) {
        for (guint k = 0; k < level_count(list, b); k++) {
          if (!*pair_wanted(&pairs, a, i, b, k))
            continue;
          Combination combination = complete_pair(&pairs, a, i, b, k, rand);
          g_array_append_val(list->combinations, combination);
        }
      }
    }
  }
  g_free(pairs.wanted);
}

static void
add_random_cases(CaseList *list, guint n, guint8 size, gboolean may_be_long, GRand *rand) {
  for (guint i = 0; i < n; i++) {
    Combination combination;
    for (guint d = 0; d < DIM_COUNT; d++)
      combination.level[d] = (guint8)random_level(list, d, rand);
    /* the plain loops take too long for the largest windows */
    while (!may_be_long &&
           g_array_index(list->kernels, TestKernel, combination.level[DIM_KERNEL]).is_long)
      combination.level[DIM_KERNEL] = (guint8)random_level(list, DIM_KERNEL, rand);
    combination.level[DIM_SIZE] = size;
    g_array_append_val(list->combinations, combination);
  }
}

CaseList *
case_list_new(guint32 seed, guint rounds, guint n_medium, guint n_large) {
  CaseList *list = g_new0(CaseList, 1);
  list->seed = seed;
  list->kernels = test_kernels_new(seed);
  list->combinations = g_array_new(FALSE, FALSE, sizeof(Combination));
  g_assert_cmpuint(list->kernels->len, <=, G_MAXUINT8);
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  for (guint i = 0; i < rounds; i++)
    add_all_pairs(list, rand);
  add_random_cases(list, n_medium, SIZE_MEDIUM, FALSE, rand);
  add_random_cases(list, n_large, SIZE_LARGE, FALSE, rand);
  return list;
}

CaseList *
case_list_new_of_plans(guint32 seed, guint n) {
  CaseList *list = case_list_new(seed, 0, 0, 0);
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  add_random_cases(list, n, SIZE_LARGE, TRUE, rand);
  /* a region changes little but the number of tiles */
  for (guint i = 0; i < n; i++)
    if (i % REGION_EVERY)
      g_array_index(list->combinations, Combination, i).level[DIM_REGION] = 0;
  return list;
}

void
case_list_free(CaseList *list) {
  g_array_unref(list->kernels);
  g_array_unref(list->combinations);
  g_free(list);
}

/* --- cases --- */

static void
size_of_level(guint level, guint *width, guint *height) {
  *width = level < N_SMALL ? small_sizes[level][0] : level == SIZE_MEDIUM ? 640 : 1921;
  *height = level < N_SMALL ? small_sizes[level][1] : level == SIZE_MEDIUM ? 360 : 1081;
}

/* Returns a random rectangle inside a frame. */
static CcRect
random_rect(guint width, guint height, GRand *rand) {
  CcRect rect = {.x = (guint)g_rand_int_range(rand, 0, (gint)width),
                 .y = (guint)g_rand_int_range(rand, 0, (gint)height)};
  rect.width = (guint)g_rand_int_range(rand, 1, (gint)(width - rect.x) + 1);
  rect.height = (guint)g_rand_int_range(rand, 1, (gint)(height - rect.y) + 1);
  return rect;
}

/* Returns a random position for n pixels in `size`. If `cut`, so late that they do not all fit. */
static guint
random_place(guint n, guint size, gboolean cut, GRand *rand) {
  const guint min = cut ? size - MIN(size, MAX(n / 2, 1)) : 0;
  return (guint)g_rand_int_range(rand, (gint)min, (gint)size);
}

static void
set_region(CcRoi *roi, Region region, guint stride, guint width, guint height, guint32 seed) {
  if (region == REGION_ALL)
    return;
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  CcRect rect = random_rect(width, height, rand);
  if (region == REGION_PIXEL)
    rect.width = rect.height = 1;
  if (region == REGION_TOP_LEFT)
    rect.x = rect.y = 0;
  if (region == REGION_BOTTOM_RIGHT) {
    rect.width = width - rect.x + (guint)g_rand_int_range(rand, 0, 3);
    rect.height = height - rect.y + (guint)g_rand_int_range(rand, 0, 3);
  }
  if (region != REGION_SHIFTED)
    roi->source = rect;
  if (region == REGION_INSIDE || region == REGION_TOP_LEFT || region == REGION_BOTTOM_RIGHT)
    return;
  const gboolean cut = region == REGION_CUT;
  roi->target_set = TRUE;
  roi->target_x = random_place(rect.width / stride, (width + stride - 1) / stride, cut, rand);
  roi->target_y = random_place(rect.height / stride, (height + stride - 1) / stride, cut, rand);
}

/* Aligns a region in packed 4:2:2 to whole macropixels: from and to even columns, or to the end of
 * a row. */
static void
keep_pairs(CcRoi *roi, guint stride, guint width) {
  const guint out_width = (width + stride - 1) / stride;
  CcRect *source = &roi->source;
  const guint unit = 2 * stride;
  source->x -= source->x % (roi->target_set ? 2 : unit);
  source->width += (unit - source->width % unit) % unit;
  roi->target_x -= roi->target_x % 2;
  const guint n_read = source->width ? MIN(source->width, width - source->x) : width;
  const guint n_made = (n_read + stride - 1) / stride;
  if (!roi->target_set || n_made % 2 == 0 || roi->target_x + n_made >= out_width)
    return;
  roi->target_set = FALSE; /* half a macropixel, at the end of the row */
  source->x -= source->x % unit;
}

/* Replaces the settings that alpha=weighted refuses. Other kernels than blurs filter alpha. */
static void
weigh(CcFilter *filter) {
  if (filter->alpha != CC_ALPHA_WEIGHTED)
    return;
  if (filter->kernel->klass != CC_KERNEL_BLUR) {
    filter->alpha = CC_ALPHA_FILTER;
    return;
  }
  filter->scale = filter->bias = 0;
  filter->response = CC_RESPONSE_AUTO;
  if (filter->border == CC_BORDER_CONSTANT)
    filter->border = CC_BORDER_REPLICATE;
  if (filter->chroma_kernel && filter->chroma_kernel->klass != CC_KERNEL_BLUR)
    filter->chroma_kernel = NULL;
}

/* Replaces the settings that Canny's edges refuse. */
static void
find_edges(Case *c, guint i) {
  CcFilter *filter = &c->filter;
  c->kernel = edges[i].kernel;
  filter->kernel = cc_kernels_find(edges[i].kernel);
  filter->size = edges[i].size;
  filter->sigma = 0;
  filter->response = edges[i].response;
  filter->low = edges[i].low;
  filter->high = edges[i].high;
  if (filter->color == CC_COLOR_COMPONENTS)
    filter->color = CC_COLOR_AUTO;
  if (!filter->chroma_kernel)
    filter->chroma_size = 0;
  if (!filter->chroma_kernel && filter->chroma == CC_CHROMA_FILTER)
    filter->chroma = CC_CHROMA_NEUTRAL;
}

Case
case_list_get(const CaseList *list, guint index) {
  const guint8 *level = g_array_index(list->combinations, Combination, index).level;
  const TestKernel *kernel = &g_array_index(list->kernels, TestKernel, level[DIM_KERNEL]);
  guint width, height;
  size_of_level(level[DIM_SIZE], &width, &height);
  Case result = {
      .filter =
          {
              .kernel = kernel->kernel,
              .size = kernel->size,
              .sigma = kernel->sigma,
              .scale = scales[level[DIM_SCALE]],
              .bias = biases[level[DIM_BIAS]],
              .response = level[DIM_RESPONSE],
              .border = level[DIM_BORDER],
              .border_value = border_values[index % G_N_ELEMENTS(border_values)],
              .chroma = level[DIM_CHROMA],
              .color = level[DIM_COLOR],
              .alpha = level[DIM_ALPHA],
              .stride = strides[level[DIM_STRIDE]],
              .threshold = compositions[level[DIM_COMPOSE]].threshold,
              .invert = compositions[level[DIM_COMPOSE]].invert,
              .mixes = compositions[level[DIM_COMPOSE]].mixes,
              .mix = compositions[level[DIM_COMPOSE]].mix,
              .overlay = compositions[level[DIM_COMPOSE]].overlay,
          },
      .layout = test_format_layout(&test_formats[level[DIM_FORMAT]], width, height,
                                   ranges[level[DIM_RANGE]].limited),
      .pattern = level[DIM_PATTERN],
      .src = level[DIM_SRC],
      .dst = level[DIM_DST],
      .seed = list->seed ^ index,
      .kernel = kernel->label,
      .range = ranges[level[DIM_RANGE]].name,
      .format = test_formats[level[DIM_FORMAT]].name,
      .width = width,
      .height = height,
  };
  if (index % CHROMA_EVERY == 0) {
    const guint i = index / CHROMA_EVERY % G_N_ELEMENTS(chroma_kernels);
    const gchar *name = chroma_kernels[i].kernel;
    result.filter.chroma_kernel = name ? cc_kernels_find(name) : NULL;
    result.filter.chroma_size = chroma_kernels[i].size;
  }
  if (index % MEASURE_EVERY == 0)
    result.filter.measure = measures[index / MEASURE_EVERY % G_N_ELEMENTS(measures)];
  result.layout.kr = ranges[level[DIM_RANGE]].kr;
  result.layout.kb = ranges[level[DIM_RANGE]].kb;
  const guint stride = result.filter.stride;
  set_region(&result.roi, regions[level[DIM_REGION]], stride, width, height, result.seed);
  if (result.layout.plane[0].has_macropixels)
    keep_pairs(&result.roi, stride, width);
  if (index % CANNY_EVERY == FIRST_CANNY)
    find_edges(&result, index / CANNY_EVERY % G_N_ELEMENTS(edges));
  weigh(&result.filter);
  result.refused = result.filter.response == CC_RESPONSE_DIRECTION && kernel->n_matrices != 2;
  return result;
}

gchar *
case_describe_chroma(const CcFilter *filter) {
  GString *text = g_string_new(NULL);
  if (filter->chroma_kernel)
    g_string_append_printf(text, " chroma-kernel=%s", filter->chroma_kernel->name);
  if (filter->chroma_size)
    g_string_append_printf(text, " chroma-size=%u", filter->chroma_size);
  return g_string_free(text, FALSE);
}

/* Returns " low=N high=N" with canny, and the size of its kernel. */
static gchar *
describe_edges(const CcFilter *filter) {
  if (filter->response < CC_RESPONSE_CANNY)
    return g_strdup("");
  return g_strdup_printf(" low=%g high=%g kernel-size=%u", filter->low, filter->high, filter->size);
}

/* Returns "roi=all target=same", or the values of the properties. */
static gchar *
describe_region(const CcRoi *roi) {
  const CcRect *from = &roi->source;
  g_autofree gchar *source =
      from->width ? g_strdup_printf("<%u,%u,%u,%u>", from->x, from->y, from->width, from->height)
                  : g_strdup("all");
  g_autofree gchar *target =
      roi->target_set ? g_strdup_printf("<%u,%u>", roi->target_x, roi->target_y) : g_strdup("same");
  return g_strdup_printf("roi=%s target=%s", source, target);
}

#define NAME(constant, name, text) name,
static const gchar *const measure_names[] = {CC_MEASURES(NAME)};

gchar *
case_describe(const Case *c) {
  g_autofree gchar *region = describe_region(&c->roi), *chroma = case_describe_chroma(&c->filter);
  g_autofree gchar *thresholds = describe_edges(&c->filter);
  return g_strdup_printf(
      "kernel=%s format=%s size=%ux%u range=%s border=%s border-value=%g response=%s%s chroma=%s "
      "color=%s alpha=%s scale=%.17g bias=%g stride=%u repeats=%u threshold=%g invert=%d mix=%g "
      "overlay=0x%08x measure=%s%s %s pattern=%s src=%s dst=%s",
      c->kernel, c->format, c->width, c->height, c->range, cc_border_names[c->filter.border],
      c->filter.border_value, cc_response_names[c->filter.response], thresholds,
      cc_chroma_names[c->filter.chroma], cc_color_names[c->filter.color],
      cc_alpha_names[c->filter.alpha], c->filter.scale, c->filter.bias, c->filter.stride,
      c->filter.repeats, c->filter.threshold, c->filter.invert, c->filter.mixes ? c->filter.mix : 1,
      c->filter.overlay, measure_names[c->filter.measure], chroma, region,
      pattern_names[c->pattern], placement_names[c->src], placement_names[c->dst]);
}
