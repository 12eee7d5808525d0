/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/guarded.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#endif

#define GUARD_BYTE 0xa5
/* number of guard bytes before and after planes that do not touch an inaccessible page */
#define SLACK 256

const gchar *const placement_names[PLACEMENT_COUNT] = {"at-end", "at-start", "aligned", "odd",
                                                       "bottom-up"};
const gchar *const pattern_names[PATTERN_ALL_COUNT] = {
    "random", "zero", "max", "checker", "spikes", "ramp", "spiral", "serpentine", "comb"};

/* Width and pitch of the lines, in pixels. */
#define LINE 3
#define LINE_PITCH 8

static gsize
round_up(gsize value, gsize unit) {
  return (value + unit - 1) / unit * unit;
}

static void
place_plane(GuardedFrame *guarded, guint p, Placement placement) {
  const CcPlaneLayout *plane = &guarded->layout.plane[p];
  gsize sample = cc_sample_size(plane->type), row = cc_plane_row_bytes(plane), pitch = row;
  gsize page = (gsize)sysconf(_SC_PAGESIZE);
  if (placement == PLACEMENT_ALIGNED)
    pitch = round_up(row, 64);
  else if (placement == PLACEMENT_ODD)
    pitch = (row / sample % 2 == 0 ? row + 13 * sample : row + 14 * sample);
  else if (placement == PLACEMENT_BOTTOM_UP)
    pitch = row + 5 * sample;
  gsize used = pitch * (plane->height - 1) + row;
  gsize length = round_up(used + 2 * SLACK, page);

  guint8 *map = mmap(NULL, length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true(map != MAP_FAILED);
  guint8 *area = map + page;
  g_assert_cmpint(mprotect(area, length, PROT_READ | PROT_WRITE), ==, 0);
  memset(area, GUARD_BYTE, length);

  guint8 *first = area;
  if (placement == PLACEMENT_AT_END || placement == PLACEMENT_BOTTOM_UP)
    first = area + length - used;
  else if (placement == PLACEMENT_ALIGNED)
    first = area + SLACK;
  else if (placement == PLACEMENT_ODD)
    first = area + SLACK + 3 * sample;

  guarded->plane[p].map = map;
  guarded->plane[p].map_length = length + 2 * page;
  guarded->plane[p].area = area;
  guarded->plane[p].length = length;
  guarded->frame.plane[p].data = first;
  guarded->frame.plane[p].pitch = (gssize)pitch;
  if (placement == PLACEMENT_BOTTOM_UP) {
    guarded->frame.plane[p].data = first + pitch * (plane->height - 1);
    guarded->frame.plane[p].pitch = -(gssize)pitch;
  }
}

GuardedFrame *
guarded_frame_new(const CcFrameLayout *layout, Placement placement) {
  GuardedFrame *guarded = g_new0(GuardedFrame, 1);
  guarded->layout = *layout;
  for (guint p = 0; p < layout->n_planes; p++)
    place_plane(guarded, p, placement);
  return guarded;
}

void
guarded_frame_free(GuardedFrame *guarded) {
  for (guint p = 0; p < guarded->layout.n_planes; p++)
    munmap(guarded->plane[p].map, guarded->plane[p].map_length);
  g_free(guarded);
}

/* Ring k begins below and right of the start of ring k - 1, and its left side ends there. */
static gboolean
is_spiral(gint x, gint y, gint right, gint bottom) {
  const gint up = y / LINE_PITCH * LINE_PITCH, left = x / LINE_PITCH * LINE_PITCH;
  const gint down = (bottom - y) / LINE_PITCH * LINE_PITCH;
  const gint end = (right - x) / LINE_PITCH * LINE_PITCH;
  return (y - up < LINE && x >= up - LINE_PITCH && x <= right - up && y <= bottom - up) ||
         (right - x - end < LINE && y >= end && y <= bottom - end && x >= end) ||
         (bottom - y - down < LINE && x >= down && x <= right - down && y >= down) ||
         (x - left < LINE && y >= left + LINE_PITCH && y <= bottom - left && x <= right - left);
}

/* Lines that end at the edges would have several contours. */
static gboolean
is_serpentine(gint x, gint y, gint right, gint bottom) {
  const gboolean is_joint = y / LINE_PITCH % 2 ? x < LINE : right - x < LINE;
  return x >= 0 && y >= 0 && x <= right && y <= bottom && (y % LINE_PITCH < LINE || is_joint);
}

static gboolean
is_comb(gint x, gint y, gint right, gint bottom) {
  return x >= 0 && y >= 0 && x <= right && y <= bottom && (y < LINE || x % LINE_PITCH < LINE);
}

static guint
line_code(gboolean is_line, guint x, guint y, guint max) {
  return !is_line ? 0 : x < 2 * LINE && y < 2 * LINE ? max / 2 : max / 4;
}

static guint
pattern_code(Pattern pattern, const CcPlaneLayout *plane, guint x, guint y, guint spike,
             GRand *rand) {
  const guint max = (1u << plane->depth) - 1;
  const gint right = (gint)cc_plane_groups(plane) - 1, bottom = (gint)plane->height - 1;
  switch (pattern) {
  case PATTERN_ZERO:
    return 0;
  case PATTERN_MAX:
    return max;
  case PATTERN_CHECKER:
    return (x + y) % 2 ? max : 0;
  case PATTERN_SPIKES:
    return g_rand_int(rand) % 23 == 0 ? max - spike : spike;
  case PATTERN_RAMP:
    return (x * 3 + y * 5) & max;
  case PATTERN_SPIRAL:
    return line_code(is_spiral((gint)x, (gint)y, right, bottom), x, y, max);
  case PATTERN_SERPENTINE:
    return line_code(
        is_serpentine((gint)x - LINE, (gint)y - LINE, right - 2 * LINE, bottom - 2 * LINE), x, y,
        max);
  case PATTERN_COMB:
    return line_code(is_comb((gint)x - LINE, (gint)y - LINE, right - 2 * LINE, bottom - 2 * LINE),
                     x, y, max);
  default:
    return g_rand_int(rand) & max;
  }
}

/* Returns whether sample i of a row belongs to no pixel. Such a sample is the second luma sample of
 * the last macropixel if the width is odd. */
static gboolean
is_spare(const CcPlaneLayout *plane, guint i) {
  return plane->has_macropixels && plane->width % 2 == 1 &&
         i + 2 >= cc_plane_groups(plane) * plane->step &&
         plane->role[i % plane->step] == CC_ROLE_LUMA;
}

void
guarded_frame_draw(GuardedFrame *guarded, Pattern pattern, GRand *rand) {
  for (guint p = 0; p < guarded->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &guarded->layout.plane[p];
    guint max = (1u << plane->depth) - 1, unused = (1u << plane->shift) - 1;
    guint spike = g_rand_boolean(rand) ? max : 0;
    for (guint y = 0; y < plane->height; y++) {
      guint8 *row = guarded_frame_row(guarded, p, y);
      for (guint i = 0; i < cc_plane_groups(plane) * plane->step; i++) {
        Pattern drawn = is_spare(plane, i) ? PATTERN_RANDOM : pattern;
        guint code = pattern_code(drawn, plane, i / plane->step, y, spike, rand);
        guint16 word = GUINT16_TO_LE(code << plane->shift | (g_rand_int(rand) & unused));
        if (plane->type == CC_SAMPLE_U8)
          row[i] = (guint8)code;
        else
          memcpy(row + 2 * i, &word, sizeof word);
      }
    }
  }
}

void
guarded_frame_copy(GuardedFrame *guarded, const GuardedFrame *from) {
  for (guint p = 0; p < guarded->layout.n_planes; p++) {
    const CcPlane *to_plane = &guarded->frame.plane[p], *from_plane = &from->frame.plane[p];
    for (guint y = 0; y < guarded->layout.plane[p].height; y++)
      memcpy(to_plane->data + (gssize)y * to_plane->pitch,
             from_plane->data + (gssize)y * from_plane->pitch,
             cc_plane_row_bytes(&guarded->layout.plane[p]));
  }
}

/* --- samples outside a rectangle --- */

static void
draw_bytes(guint8 *bytes, gsize n, GRand *rand) {
  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8)g_rand_int(rand);
}

void
guarded_frame_poison(GuardedFrame *guarded, const CcRect *keep, GRand *rand) {
  for (guint p = 0; p < guarded->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &guarded->layout.plane[p];
    gsize group = plane->step * cc_sample_size(plane->type), end = cc_plane_row_bytes(plane);
    for (guint y = 0; y < plane->height; y++) {
      guint8 *row = guarded_frame_row(guarded, p, y);
      gboolean is_kept = y >= keep[p].y && y - keep[p].y < keep[p].height;
      gsize first = is_kept ? keep[p].x * group : end;
      gsize last = is_kept ? (keep[p].x + keep[p].width) * group : end;
      draw_bytes(row, first, rand);
      draw_bytes(row + last, end - last, rand);
    }
  }
}

void
guarded_frame_forbid(const GuardedFrame *guarded, const CcRect *except) {
  for (guint p = 0; p < guarded->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &guarded->layout.plane[p];
    gsize group = plane->step * cc_sample_size(plane->type);
    if (!except) {
      ASAN_UNPOISON_MEMORY_REGION(guarded->plane[p].area, guarded->plane[p].length);
      continue;
    }
    ASAN_POISON_MEMORY_REGION(guarded->plane[p].area, guarded->plane[p].length);
    for (guint y = except[p].y; y < except[p].y + except[p].height; y++) {
      const guint8 *row = guarded_frame_row(guarded, p, y);
      ASAN_UNPOISON_MEMORY_REGION(row + except[p].x * group, except[p].width * group);
    }
  }
}

/* Returns the first byte in from..to that is not a guard byte, or NULL. */
static const guint8 *
find_damage(const guint8 *from, const guint8 *to) {
  while (from < to && *from == GUARD_BYTE)
    from++;
  return from < to ? from : NULL;
}

static const guint8 *
find_plane_damage(const GuardedFrame *guarded, guint p) {
  const CcPlaneLayout *plane = &guarded->layout.plane[p];
  const CcPlane *memory = &guarded->frame.plane[p];
  gssize bottom = memory->pitch * (gssize)(plane->height - 1);
  const guint8 *row = memory->pitch < 0 ? memory->data + bottom : memory->data;
  const guint8 *gap = guarded->plane[p].area;
  for (guint y = 0; y < plane->height; y++) {
    const guint8 *damage = find_damage(gap, row);
    if (damage)
      return damage;
    gap = row + cc_plane_row_bytes(plane);
    row += ABS(memory->pitch);
  }
  return find_damage(gap, guarded->plane[p].area + guarded->plane[p].length);
}

gboolean
guarded_frame_intact(const GuardedFrame *guarded, gchar **message) {
  for (guint p = 0; p < guarded->layout.n_planes; p++) {
    const guint8 *damage = find_plane_damage(guarded, p);
    if (damage) {
      *message = g_strdup_printf("plane %u: written outside its samples, %td bytes from the first",
                                 p, damage - guarded->frame.plane[p].data);
      return FALSE;
    }
  }
  return TRUE;
}

GBytes *
guarded_frame_snapshot(const GuardedFrame *guarded) {
  GByteArray *bytes = g_byte_array_new();
  for (guint p = 0; p < guarded->layout.n_planes; p++)
    g_byte_array_append(bytes, guarded->plane[p].area, (guint)guarded->plane[p].length);
  return g_byte_array_free_to_bytes(bytes);
}

static guint
word_at(const guint8 *row, guint index, CcSampleType type) {
  return type == CC_SAMPLE_U8 ? row[index] : row[2 * index] | (guint)row[2 * index + 1] << 8;
}

static gboolean
is_inside(const CcRect *rect, guint x, guint y) {
  return x >= rect->x && x - rect->x < rect->width && y >= rect->y && y - rect->y < rect->height;
}

static gboolean
words_match(const CcPlaneLayout *plane, guint expected, guint got, guint limit, gboolean circular) {
  if (expected == got)
    return TRUE;
  guint unused = (1u << plane->shift) - 1;
  if (limit == 0 || (expected & unused) != (got & unused))
    return FALSE;
  guint a = expected >> plane->shift, b = got >> plane->shift;
  guint distance = a > b ? a - b : b - a;
  return distance <= limit || (circular && (1u << plane->depth) - distance <= limit);
}

gboolean
frames_match(const CcFrameLayout *layout, const CcFrame *expected, const CcFrame *got,
             const OracleTolerance *tolerance, gchar **message) {
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcPlaneLayout *plane = &layout->plane[p];
    for (guint y = 0; y < plane->height; y++) {
      const guint8 *want = expected->plane[p].data + (gssize)y * expected->plane[p].pitch;
      const guint8 *have = got->plane[p].data + (gssize)y * got->plane[p].pitch;
      if (memcmp(want, have, cc_plane_row_bytes(plane)) == 0)
        continue;
      for (guint i = 0; i < cc_plane_groups(plane) * plane->step; i++) {
        guint component = i % plane->step;
        gboolean tolerant = tolerance && is_inside(&tolerance->target[p], i / plane->step, y);
        guint limit = tolerant ? tolerance->limit[p][component] : 0;
        guint a = word_at(want, i, plane->type), b = word_at(have, i, plane->type);
        if (tolerant && oracle_direction_colors_match(tolerance, p, component, a, b))
          continue;
        if (!words_match(plane, a, b, limit, tolerance && tolerance->circular)) {
          *message = g_strdup_printf("plane %u, x %u, y %u, component %u: expected %u, got %u, "
                                     "tolerance %u",
                                     p, i / plane->step, y, component, a, b, limit);
          return FALSE;
        }
      }
    }
  }
  return TRUE;
}

guint64
frames_count_off(const CcFrameLayout *layout, const CcFrame *expected, const CcFrame *got,
                 const OracleTolerance *tolerance, guint64 *n) {
  guint64 n_off = 0;
  *n = 0;
  for (guint p = 0; p < layout->n_planes && !tolerance->circular; p++) {
    const CcPlaneLayout *plane = &layout->plane[p];
    const CcRect *target = &tolerance->target[p];
    for (guint y = target->y; y < target->y + target->height; y++) {
      const guint8 *want = expected->plane[p].data + (gssize)y * expected->plane[p].pitch;
      const guint8 *have = got->plane[p].data + (gssize)y * got->plane[p].pitch;
      for (guint i = target->x * plane->step; i < (target->x + target->width) * plane->step; i++) {
        if (tolerance->limit[p][i % plane->step] == 0)
          continue;
        (*n)++;
        n_off += word_at(want, i, plane->type) != word_at(have, i, plane->type);
      }
    }
  }
  return n_off;
}
