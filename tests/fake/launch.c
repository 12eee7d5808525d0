/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the kernels compute, as plain loops over a launch's parameters. */

#include "launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "engine/plan.h"

/* A launch with what its kernel's name says. */
typedef struct {
  const CcLaunch *launch;
  guint sample_bytes;
  gboolean wide;          /* 64-bit sums */
  gboolean packed;        /* reads launch->packed */
  gboolean shift, direct; /* of a packed one */
  gint reach;             /* of a packed one: 1 or 2 */
  guint tile[2];          /* samples, or pixels where by_pixel, and rows of a block */
  gboolean by_pixel;
} Kernel;

static gboolean
read_name(const gchar *name, Kernel *kernel) {
  gint side, step, matrices;
  gchar kind[16], sample[8], sum[8];
  if (sscanf(name, "cc_constant_%3[u0-9]_%3s", sample, sum) == 2) {
    kernel->tile[0] = CC_CONSTANT_BLOCK_WIDTH;
    kernel->tile[1] = CC_CONSTANT_BLOCK_HEIGHT;
    kernel->wide = strcmp(sum, "i64") == 0;
  } else if (sscanf(name, "cc_register_tile_%3[u0-9]_%dx%*d_m%d", sample, &side, &matrices) == 3) {
    kernel->tile[0] = kernel->tile[1] = CC_REGISTER_TILE_THREADS * CC_REGISTER_TILE_SIDE;
    kernel->by_pixel = TRUE;
    g_assert_cmpint(side, ==, kernel->launch->window_width);
    g_assert_cmpint(matrices, ==, kernel->launch->n_matrices);
  } else if (sscanf(name, "cc_sliding_%15[a-z]_%dx%*d_s%d", kind, &side, &step) == 3) {
    strcpy(sample, "u8");
    kernel->packed = TRUE;
    kernel->shift = strcmp(kind, "shift") == 0;
    kernel->direct = strcmp(kind, "direct") == 0;
    kernel->reach = side / 2;
    g_assert_cmpint(step, ==, kernel->launch->step);
#define TILE(name_, window, reach_, words, rows, separable, finish)                                \
  if (strcmp(kind, #name_) == 0 && side / 2 == reach_) {                                           \
    kernel->tile[0] = CC_SLIDING_BLOCK_WIDTH * words * 4;                                          \
    kernel->tile[1] = CC_SLIDING_BLOCK_HEIGHT * rows;                                              \
  }
    CC_SLIDING_KERNELS(TILE)
#undef TILE
  } else {
    return FALSE;
  }
  kernel->sample_bytes = strcmp(sample, "u8") == 0 ? 1 : 2;
  return kernel->tile[0] != 0;
}

static gint
stored_at(const Kernel *kernel, gint x, gint y, gint c) {
  const CcLaunch *l = kernel->launch;
  const guint8 *at = (const guint8 *)l->src + (gint64)y * l->src_pitch +
                     ((gint64)x * l->step + c) * kernel->sample_bytes;
  return kernel->sample_bytes == 1 ? at[0] : at[0] | at[1] << 8;
}

static gint
code_at(const Kernel *kernel, gint x, gint y, gint c) {
  const CcLaunch *l = kernel->launch;
  const gint column = cc_border_index(x, l->width, l->border);
  const gint row = cc_border_index(y, l->height, l->border);
  return column < 0 || row < 0 ? l->border_code[c] : stored_at(kernel, column, row, c) >> l->shift;
}

static gint64
sum_packed(const Kernel *kernel, gint m, gint x, gint y, gint c) {
  const CcLaunch *l = kernel->launch;
  const gint reach = kernel->reach, side = 2 * reach + 1;
  gint64 sum = 0;
  for (gint j = 0; j < side; j++)
    for (gint i = 0; i < side; i++) {
      const gint64 tap = kernel->direct ? l->packed.tap[j * side + i]
                                        : (gint64)l->packed.row[m][i] * l->packed.column[m][j];
      sum += tap * code_at(kernel, x - reach + i, y - reach + j, c);
    }
  /* the lane must hold it, and the float must come back to it */
  if (kernel->shift) {
    g_assert_cmpint(sum + (l->packed.round & 0xFFFF), >=, 0);
    g_assert_cmpint(sum + (l->packed.round & 0xFFFF), <=, G_MAXUINT16);
  } else {
    const gint64 lane = sum + (l->packed.bias[m] & 0xFFFF);
    g_assert_cmpint(lane, >=, 0);
    g_assert_cmpint(lane, <=, G_MAXUINT16);
    g_assert_true(8388608.0f + (gfloat)lane - l->packed.unbias[m] == (gfloat)sum);
  }
  return sum;
}

static gint64
sum_wide(const Kernel *kernel, gint m, gint x, gint y, gint c) {
  const CcLaunch *l = kernel->launch;
  const gint w = l->window_width, h = l->window_height;
  gint64 sum = 0;
  for (gint j = 0; j < h; j++)
    for (gint i = 0; i < w; i++) {
      const gint64 tap =
          l->separable ? (gint64)l->row[m][i].i * l->column[m][j].i : l->tap[(m * h + j) * w + i].i;
      sum += tap * code_at(kernel, x - w / 2 + i, y - h / 2 + j, c);
    }
  return sum;
}

static gfloat
sum_float(const Kernel *kernel, gint m, gint x, gint y, gint c) {
  const CcLaunch *l = kernel->launch;
  const gint w = l->window_width, h = l->window_height;
  gfloat sum = 0;
  for (gint j = 0; j < h; j++) {
    gfloat row = 0;
    for (gint i = 0; i < w; i++) {
      const gfloat code = (gfloat)code_at(kernel, x - w / 2 + i, y - h / 2 + j, c);
      if (l->separable)
        row = fmaf(l->row[m][i].f, code, row);
      else
        sum = fmaf(l->tap[(m * h + j) * w + i].f, code, sum);
    }
    if (l->separable)
      sum = fmaf(l->column[m][j].f, row, sum);
  }
  return sum;
}

/* Sums pass through double, which holds a float and every sum of an exact plan below 2^53. */
static gint
filtered(const Kernel *kernel, gint x, gint y, gint c) {
  const CcLaunch *l = kernel->launch;
  gdouble t = 0;
  gfloat squares = 0, gradient[2] = {0, 0};
  for (gint m = 0; m < l->n_matrices; m++) {
    const gdouble sum = kernel->packed ? (gdouble)sum_packed(kernel, m, x, y, c)
                        : kernel->wide ? (gdouble)sum_wide(kernel, m, x, y, c)
                                       : (gdouble)sum_float(kernel, m, x, y, c);
    if (kernel->shift)
      return (gint)(((gint64)sum + (l->packed.round & 0xFFFF)) >> l->packed.down);
    gradient[m & 1] = (gfloat)sum;
    switch (l->response) {
    case CC_RESPONSE_ABSOLUTE:
      t = fmax(t, fabs(sum));
      break;
    case CC_RESPONSE_MAGNITUDE:
      squares = fmaf((gfloat)sum, (gfloat)sum, squares);
      t = fma(sum, sum, t);
      break;
    case CC_RESPONSE_MAGNITUDE_L1:
      t = kernel->wide ? t + fabs(sum) : (gfloat)t + fabsf((gfloat)sum);
      break;
    default:
      t = m == 0 ? sum : fmax(t, sum);
    }
  }
  if (l->response == CC_RESPONSE_DIRECTION) {
    const gfloat turns = cc_direction(gradient[0], gradient[1]);
    return (gint)floorf(fmaf(turns, l->mul_f, l->add_f)) & l->hi;
  }
  if (l->response == CC_RESPONSE_MAGNITUDE)
    t = kernel->wide ? sqrt(t) : sqrtf(squares);
  const gdouble v =
      kernel->wide ? floor(fma(t, l->mul, l->add)) : floorf(fmaf((gfloat)t, l->mul_f, l->add_f));
  return (gint)fmin(fmax(v, l->lo), l->hi);
}

static void
run_sample(const Kernel *kernel, gint x, gint y, gint c) {
  const CcLaunch *l = kernel->launch;
  gint word;
  if (l->filter_mask >> c & 1)
    word = filtered(kernel, x, y, c) << l->shift;
  else if (l->copy_mask >> c & 1)
    word = stored_at(kernel, x, y, c);
  else if (l->fill_mask >> c & 1)
    word = l->fill[c] << l->shift;
  else
    return;
  guint8 *at = (guint8 *)l->dst + (gint64)y * l->dst_pitch +
               ((gint64)x * l->step + c) * kernel->sample_bytes;
  at[0] = (guint8)word;
  if (kernel->sample_bytes == 2)
    at[1] = (guint8)(word >> 8);
}

void
fake_launch(const gchar *name, const guint grid[3], const CcLaunch *launch) {
  Kernel kernel = {.launch = launch};
  if (!read_name(name, &kernel))
    g_error("fake CUDA: there is no kernel %s", name);
  const gint across = kernel.by_pixel ? launch->width : launch->width * launch->step;
  const gint right = MIN(across, (gint)(grid[0] * kernel.tile[0]));
  const gint bottom = MIN(launch->height, (gint)(grid[1] * kernel.tile[1]));
  for (gint y = 0; y < bottom; y++)
    for (gint i = 0; i < right; i++) {
      if (!kernel.by_pixel)
        run_sample(&kernel, i / launch->step, y, i % launch->step);
      for (gint c = 0; kernel.by_pixel && c < (gint)grid[2]; c++)
        run_sample(&kernel, i, y, c);
    }
}
