/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the kernels compute, as plain loops over a launch's parameters. */

#include "launch.h"

#include <math.h>
#include <string.h>
#include "cuda/stages/plane_map.h"
#include "cuda/tensor/conv2d_kernels.h"
#include "engine/plan/output_stage_shared.h"
#include "engine/plan/plan.h"

/* A part of a launch with what its kernel's name says. */
typedef struct {
  const CcLaunch *launch, *taps; /* the same, unless the taps are read from memory */
  const CcPart *part;
  gboolean integers; /* the taps are integers: sums in integers, the last step in double */
  gboolean packed;   /* takes planes of packed frames as they are */
} Kernel;

/* --- names --- */

static const struct {
  const gchar *prefix;
  gboolean integers;     /* of all of these kernels; others say it in their names */
  gboolean memory_taps;  /* read from a copy of the launch */
  gboolean first_of_two; /* leaves everything to the second launch */
  gboolean packed;       /* takes planes of packed frames as they are */
} families[] = {
    {"cc_direct_", FALSE, TRUE, FALSE, FALSE},
    {"cc_constant_", FALSE, FALSE, FALSE, FALSE},
    {"cc_tile_halo_", FALSE, FALSE, FALSE, FALSE},
    {"cc_tile_cached_", FALSE, FALSE, FALSE, FALSE},
    {"cc_scatter_", FALSE, TRUE, FALSE, FALSE},
    {"cc_two_pass_rows_", FALSE, FALSE, TRUE, FALSE},
    {"cc_two_pass_columns_", FALSE, FALSE, FALSE, FALSE},
    {"cc_register_tile_", FALSE, FALSE, FALSE, FALSE},
    {"cc_tensor_core_", TRUE, FALSE, FALSE, TRUE},
    {"cc_tensor_separable_", TRUE, FALSE, FALSE, TRUE},
};

/* Reads the name; whether there is anything to do. */
static gboolean
read_name(const gchar *name, Kernel *kernel) {
  guint i = 0;
  while (i < G_N_ELEMENTS(families) && !g_str_has_prefix(name, families[i].prefix))
    i++;
  if (i == G_N_ELEMENTS(families))
    g_error("fake CUDA: there is no kernel %s", name);
  kernel->integers = families[i].integers || strstr(name, "_i64");
  kernel->packed = families[i].packed;
  kernel->taps =
      families[i].memory_taps ? (const CcLaunch *)kernel->launch->memory_taps : kernel->launch;
  return !families[i].first_of_two;
}

/* --- samples --- */

static guint
word_of(const CcPart *part, guint64 address, gint pitch, gint64 i, gint y) {
  const guint8 *at = (const guint8 *)address + (gint64)y * pitch + i * part->sample_bytes;
  return part->sample_bytes == 1 ? at[0] : at[0] | (guint)at[1] << 8;
}

/* Sample i of row y of the source. */
static gint
stored_at(const Kernel *kernel, gint64 i, gint y) {
  const CcPart *part = kernel->part;
  return (gint)word_of(part, part->src, part->src_pitch, i, y);
}

/* Writes sample i of row y of the target. */
static void
store_word(const CcPart *part, gint64 i, gint y, guint word) {
  guint8 *to = (guint8 *)part->dst + (gint64)y * part->dst_pitch + i * part->sample_bytes;
  to[0] = (guint8)word;
  if (part->sample_bytes == 2)
    to[1] = (guint8)(word >> 8);
}

/* What only kernels for packed frames know. */
static const CcTensorCorePart *
packing_of(const Kernel *kernel) {
  return kernel->packed ? CC_OWN(const CcTensorCorePart, kernel->part) : NULL;
}

/* The samples of a pixel of which the part has but the luma; 0: it has all of its own. */
static gint
pixel_of(const Kernel *kernel) {
  const CcTensorCorePart *own = packing_of(kernel);
  return own ? own->pixel : 0;
}

/* The code value of sample i of row y, or the luma that it becomes. */
static gint
code_at(const Kernel *kernel, gint64 i, gint y) {
  const CcPart *part = kernel->part;
  const CcTensorCorePart *own = packing_of(kernel);
  const gint c = (gint)(i % part->step), pixel = pixel_of(kernel);
  if (!own || (!pixel && !(own->colors >> 8 * c & 0xFF)))
    return stored_at(kernel, i, y) >> part->shift;
  const gint64 first = pixel ? i * pixel : i - c;
  guint luma = CC_LUMA_HALF;
  for (gint k = 0; k < (pixel ? pixel : part->step); k++)
    luma += (own->weights[k / 2] >> k % 2 * 16 & 0xFFFF) * (guint)stored_at(kernel, first + k, y);
  return (gint)(luma >> CC_LUMA_SHIFT);
}

/* What the windows of sample c of all target groups read, as code values: a line for each row of
 * the source, which is read when a window first asks for it. */
typedef struct {
  gint each, apart, first; /* of the component in a group: how many, and where */
  gint n;                  /* columns of a line, from the left of the first window */
  gint64 *sample;          /* in the source's row, for each column; -1: outside */
  gint *code;              /* n for each row of the source, then n for the rows outside */
  gboolean *is_read;
} Lines;

static void
open_lines(Lines *self, const Kernel *kernel, gint c) {
  const CcLaunch *l = kernel->launch;
  const CcPart *part = kernel->part;
  const CcTensorCorePart *own = packing_of(kernel);
  self->each = own && own->pairs >> c & 1 ? 2 : 1;
  self->apart = part->step / self->each;
  self->first = c % self->apart;
  self->n = l->stride * self->each * part->width + l->window_width;
  self->sample = g_new(gint64, self->n);
  for (gint i = 0; i < self->n; i++) {
    const gint column =
        cc_border_index(i - l->window_width / 2, self->each * part->src_width, l->border);
    self->sample[i] = column < 0 ? -1 : (gint64)column * self->apart + self->first;
  }
  self->code = g_new(gint, (gsize)self->n * (gsize)(part->src_height + 1));
  self->is_read = g_new0(gboolean, part->src_height + 1);
}

static void
close_lines(Lines *self) {
  g_free(self->sample);
  g_free(self->code);
  g_free(self->is_read);
}

/* The line of a row of the source; -1: of a row outside. */
static const gint *
line_of(const Lines *self, const Kernel *kernel, gint row, gint c) {
  const CcPart *part = kernel->part;
  const gint y = row < 0 ? part->src_height : row;
  gint *line = self->code + (gsize)y * (gsize)self->n;
  if (!self->is_read[y]) {
    for (gint i = 0; i < self->n; i++)
      line[i] = row < 0 || self->sample[i] < 0 ? part->border_code[c]
                                               : code_at(kernel, self->sample[i], row);
    self->is_read[y] = TRUE;
  }
  return line;
}

/* Where the window of sample c of target group x in row y begins in each of its rows. */
static void
find_window(const Lines *self, const Kernel *kernel, gint x, gint y, gint c, const gint *code[]) {
  const CcLaunch *l = kernel->launch;
  const gint left = l->stride * (self->each * x + c / self->apart);
  for (gint j = 0; j < l->window_height; j++) {
    const gint row = cc_border_index(l->stride * y - l->window_height / 2 + j,
                                     kernel->part->src_height, l->border);
    code[j] = line_of(self, kernel, row, c) + left;
  }
}

/* --- sums of matrix m over such a window --- */

static const CcTap *
row_of(const Kernel *kernel, gint m) {
  const CcLaunch *l = kernel->launch;
  return l->lines ? (const CcTap *)l->lines + m * l->window_width : kernel->taps->row[m];
}

static const CcTap *
column_of(const Kernel *kernel, gint m) {
  const CcLaunch *l = kernel->launch;
  const gint rows = l->n_matrices * l->window_width;
  return l->lines ? (const CcTap *)l->lines + rows + m * l->window_height : kernel->taps->column[m];
}

static gint64
sum_integers(const Kernel *kernel, gint m, const gint *const code[]) {
  const CcLaunch *l = kernel->launch;
  const gint w = l->window_width, h = l->window_height;
  const CcTap *column = l->separable ? column_of(kernel, m) : NULL;
  gint64 sum = 0;
  for (gint j = 0; j < h; j++) {
    const CcTap *taps = column ? row_of(kernel, m) : &kernel->taps->tap[(m * h + j) * w];
    gint64 row = 0;
    for (gint i = 0; i < w; i++)
      row += (gint64)taps[i].i * code[j][i];
    sum += column ? column[j].i * row : row;
  }
  return sum;
}

static gfloat
sum_floats(const Kernel *kernel, gint m, const gint *const code[]) {
  const CcLaunch *l = kernel->launch, *taps = kernel->taps;
  const gint w = l->window_width, h = l->window_height;
  gfloat sum = 0;
  for (gint j = 0; j < h; j++) {
    gfloat row = 0;
    for (gint i = 0; i < w; i++) {
      const gfloat value = (gfloat)code[j][i];
      if (l->separable)
        row = fmaf(row_of(kernel, m)[i].f, value, row);
      else
        sum = fmaf(taps->tap[(m * h + j) * w + i].f, value, sum);
    }
    if (l->separable)
      sum = fmaf(column_of(kernel, m)[j].f, row, sum);
  }
  return sum;
}

/* The code value that the window has: integers take the last step in double. */
static gint
filtered(const Kernel *kernel, const Lines *lines, gint x, gint y, gint c) {
  const CcPart *part = kernel->part;
  const CcResponse response = kernel->launch->response;
  const gboolean integers = kernel->integers;
  CcSumsF32 in_float = {0};
  CcSumsI64 in_integers = {0};
  const gint *code[CC_MAX_KERNEL_SIZE];
  find_window(lines, kernel, x, y, c, code);
  for (gint m = 0; m < kernel->launch->n_matrices; m++) {
    if (integers)
      cc_sums_add_i64(&in_integers, response, m, sum_integers(kernel, m, code));
    else
      cc_sums_add_f32(&in_float, response, m, sum_floats(kernel, m, code));
  }
  const gdouble t = integers ? cc_sums_t_i64(&in_integers, response)
                             : (gdouble)cc_sums_t_f32(&in_float, response);
  if (response == CC_RESPONSE_DIRECTION)
    return cc_code_of_turns((gfloat)t, part->mul_f, part->add_f, part->hi);
  return integers ? cc_code_f64(t, part->mul, part->add, part->lo, part->hi)
                  : cc_code_f32((gfloat)t, part->mul_f, part->add_f, part->lo, part->hi);
}

/* --- samples of the target --- */

static void
run_sample(const Kernel *kernel, const Lines *lines, gint x, gint y, gint c) {
  const gint stride = kernel->launch->stride;
  const CcPart *part = kernel->part;
  gint word;
  if (part->filter_mask >> c & 1)
    word = filtered(kernel, lines, x, y, c) << part->shift;
  else if (part->copy_mask >> c & 1)
    word = stored_at(kernel, (gint64)stride * x * part->step + c, stride * y);
  else if (part->fill_mask >> c & 1)
    word = part->fill[c] << part->shift;
  else
    return;
  store_word(part, (gint64)x * part->step + c, y, (guint)word);
}

/* The same for pixel x, of which the part has but the luma. */
static void
run_pixel(const Kernel *kernel, const Lines *lines, gint x, gint y) {
  const CcPart *part = kernel->part;
  const gint pixel = pixel_of(kernel), value = filtered(kernel, lines, x, y, 0);
  for (gint k = 0; k < pixel; k++) {
    const gint64 i = (gint64)x * pixel + k;
    gint word = part->fill[1];
    if (packing_of(kernel)->colors >> 8 * k & 0xFF)
      word = value;
    else if (part->copy_mask & CC_TENSOR_CORE_ASIDE)
      word = stored_at(kernel, i, y);
    store_word(part, i, y, (guint)word);
  }
}

/* --- planes of packed frames --- */

static guint
unpacked(const CcPart *part, gint i, gint y) {
  const CcUnpackPart *own = CC_OWN(const CcUnpackPart, part);
  const gint64 at = (gint64)i * own->spacing;
  guint luma = CC_LUMA_HALF;
  if (!own->is_luma)
    return word_of(part, own->address[0], own->pitch[0], at + own->first, y);
  for (gint n = 0; n < (own->n_planes == 3 ? 3 : own->spacing); n++) {
    const gint plane = own->n_planes == 3 ? n : 0;
    luma += own->weight[n] * (word_of(part, own->address[plane], own->pitch[plane],
                                      own->n_planes == 3 ? i : at + n, y) >>
                              part->shift);
  }
  return luma >> CC_LUMA_SHIFT << part->shift;
}

static guint
packed(const CcPart *part, gint i, gint y) {
  const CcPackPart *own = CC_OWN(const CcPackPart, part);
  const gint place = i % part->step;
  if (own->each[place] == 0)
    return 0;
  const gint at = i / part->step * own->each[place] + own->offset[place];
  return word_of(part, own->address[place], own->pitch[place], MIN(at, own->last[place]), y);
}

static void
run_packing(const CcLaunch *launch, gboolean packs) {
  for (gint p = 0; p < launch->n_parts; p++) {
    const CcPart *part = &launch->part[p];
    for (gint y = 0; y < part->height; y++)
      for (gint i = 0; i < part->width * part->step; i++)
        store_word(part, i, y, packs ? packed(part, i, y) : unpacked(part, i, y));
  }
}

/* --- launches --- */

/* The tiles of the parts follow one another, and every block has at least one, every thread at most
 * one. */
static void
check_tiles(const CcLaunch *launch, const FakeGrid *grid) {
  gint64 n = 0;
  g_assert_cmpint(launch->n_parts, >=, 1);
  g_assert_cmpint(launch->n_parts, <=, CC_LAUNCH_PARTS);
  for (gint p = 0; p < launch->n_parts; p++) {
    const CcPart *part = &launch->part[p];
    g_assert_cmpint(part->first_tile, ==, n);
    g_assert_cmpint(part->tiles_across, >=, 1);
    g_assert_cmpint(part->n_tiles, >=, part->tiles_across);
    g_assert_cmpint(part->n_tiles % part->tiles_across, ==, 0);
    n += part->n_tiles;
  }
  g_assert_cmpint(launch->n_tiles, ==, n);
  g_assert_cmpint(grid->n_blocks, <=, n);
  g_assert_cmpint((gint64)grid->n_blocks * grid->across * grid->down, >=, n);
}

void
fake_launch(const gchar *name, const FakeGrid *grid, const CcLaunch *launch) {
  Kernel kernel = {.launch = launch};
  check_tiles(launch, grid);
  if (g_str_has_prefix(name, "cc_pack_") || g_str_has_prefix(name, "cc_unpack_")) {
    run_packing(launch, g_str_has_prefix(name, "cc_pack_"));
    return;
  }
  if (g_str_has_prefix(name, "cc_hue_")) {
    fake_launch_hue(launch);
    return;
  }
  if (!read_name(name, &kernel))
    return;
  for (gint p = 0; p < launch->n_parts; p++) {
    kernel.part = &launch->part[p];
    const gboolean is_luma = pixel_of(&kernel) > 0;
    for (gint c = 0; c < (is_luma ? 1 : kernel.part->step); c++) {
      Lines lines;
      open_lines(&lines, &kernel, c);
      for (gint y = 0; y < kernel.part->height; y++)
        for (gint x = 0; x < kernel.part->width; x++)
          if (is_luma)
            run_pixel(&kernel, &lines, x, y);
          else
            run_sample(&kernel, &lines, x, y, c);
      close_lines(&lines);
    }
  }
}
