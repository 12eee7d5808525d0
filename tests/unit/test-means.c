/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Means by columns: which windows they are chosen for, and the kernels of every variant against
 * sums over the windows. */

#include "cpu/dispatch.h"
#include "eachrows.h"
#include "tests/ref/formats.h"

#include <math.h>
#include <string.h>

/* --- the choice --- */

static void
check_choice(const CcRows *rows, const CcFilter *filter, const gchar *format, gboolean by_columns) {
  const CcFrameLayout layout = test_format_layout(test_format_find(format), 64, 32, TRUE);
  g_autoptr(CcPlan) plan = cc_plan_new(filter, &layout, NULL);
  g_assert_nonnull(plan);
  for (guint i = 0; i < plan->n_passes; i++) {
    CcChoice choice;
    cc_choice_init(&choice, plan, &plan->pass[i], rows);
    g_test_message("%s %u, pass %u", format, filter->size, i);
    g_assert_nonnull(choice.means);
    g_assert_cmpint(choice.means->by_columns != NULL, ==, by_columns);
    cc_choice_clear(&choice);
  }
}

static void
check_choices(const CcRows *rows) {
  static const gchar *const formats[] = {"GRAY8",     "NV12",      "RGB",   "RGBA",
                                         "GRAY16_LE", "P010_10LE", "ARGB64"};
  const gboolean has_kernels = strcmp(cc_cpu_variant()->name, "c") != 0;
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    CcFilter filter = {
        .kernel = cc_kernels_find("box"), .chroma = CC_CHROMA_FILTER, .alpha = CC_ALPHA_FILTER};
    for (filter.size = 5; filter.size <= 15; filter.size += 2)
      check_choice(rows, &filter, formats[i], has_kernels);
    check_choice(rows, &filter, formats[i], FALSE); /* a size that is too large */
    filter.size = 5;
    filter.response = CC_RESPONSE_ABSOLUTE;
    check_choice(rows, &filter, formats[i], FALSE);
  }
}

static void
test_choice(void) {
  for_each_rows(check_choices);
}

/* --- the kernels --- */

#define N_LINES 4
#define WINDOW_ROWS 3
#define N_SAMPLES 210 /* which do not fill vectors */
#define REACH 128     /* bytes that windows reach back at most, as whole vectors */
#define LINE_BYTES (REACH + 448 + CC_ROW_SLACK) /* whole vectors */
#define UNTOUCHED 0xa5
#define FACTOR 2 /* of bytes */

typedef struct {
  guint8 line[N_LINES + 1][LINE_BYTES]; /* the last one is empty */
  guint8 columns[2 * LINE_BYTES];
  guint8 out[LINE_BYTES];
} __attribute__((aligned(CC_ROW_ALIGN))) Means;

typedef struct {
  CcSampleType type;
  guint step, radius;
  gint32 factor;
  gboolean streams;
  CcFinish finish;
} Case;

static guint
sample_at(const guint8 *row, CcSampleType type, guint i) {
  return type == CC_SAMPLE_U8 ? row[i] : ((const guint16 *)(gconstpointer)row)[i];
}

/* A window that ends at sample x of line `last`. */
static guint
sum_at(const Means *self, const Case *c, guint x, guint last) {
  const guint size = c->type == CC_SAMPLE_U8 ? 1 : 2;
  guint sum = 0;
  for (guint y = last + 1 - WINDOW_ROWS; y <= last; y++)
    for (guint i = 0; i <= 2 * c->radius; i++)
      sum += sample_at(self->line[y], c->type, REACH / size + x - i * c->step);
  return sum;
}

static guint
expected_sample(const Case *c, guint sum) {
  const CcFinish *f = &c->finish;
  if (c->type == CC_SAMPLE_U16) {
    const gfloat centred = (gfloat)((gint)sum - f->centred.middle);
    const gint code = (gint)rintf(fmaf(centred, f->centred.mul, f->centred.add)) + f->centred.base;
    return (guint)CLAMP(code, f->lo, f->hi) << f->shift;
  }
  const guint t = (guint16)(sum * (guint)c->factor + f->in_16.offset);
  const guint q = t * f->in_16.factor >> (16 + f->in_16.right);
  return (guint8)(CLAMP(q, f->in_16.least, f->in_16.most) + f->in_16.base);
}

/* Two lines enter, then two more, of which samples are made. */
static void
check_kernel(const CcRows *rows, Means *self, const Case *c) {
  const guint size = c->type == CC_SAMPLE_U8 ? 1 : 2;
  const CcAhead ahead = {.streams = c->streams};
  memset(self->columns, 0, sizeof self->columns);
  for (guint y = 0; y < N_LINES; y++) {
    const guint8 *in = self->line[y],
                 *out = self->line[y < WINDOW_ROWS ? N_LINES : y - WINDOW_ROWS];
    if (y < WINDOW_ROWS - 1) {
      rows->add_columns[c->type](self->columns, in, out, REACH + N_SAMPLES * size);
      continue;
    }
    memset(self->out, UNTOUCHED, sizeof self->out);
    rows->means[c->type][c->step - 1][c->radius - 1](self->columns + 2 * REACH, in + REACH,
                                                     out + REACH, N_SAMPLES, self->out, &c->finish,
                                                     c->factor, &ahead);
    for (guint x = 0; x < N_SAMPLES; x++)
      g_assert_cmpuint(sample_at(self->out, c->type, x), ==,
                       expected_sample(c, sum_at(self, c, x, y)));
    for (guint i = N_SAMPLES * size; i < sizeof self->out; i++)
      g_assert_cmpuint(self->out[i], ==, UNTOUCHED);
  }
}

static CcFinish
random_finish(GRand *rand, guint radius) {
  const guint area = WINDOW_ROWS * (2 * radius + 1), most = area * G_MAXUINT16;
  const gboolean plain = g_rand_boolean(rand);
  const CcFinish16 in_16 = {.offset = (guint16)g_rand_int_range(rand, 0, (gint)area),
                            .factor = (guint16)(G_MAXUINT16 / (FACTOR * area)),
                            .least = plain ? 0 : 20,
                            .most = plain ? G_MAXUINT16 : 200,
                            .base = plain ? 0 : 7};
  const CcFinishCentred centred = {(gint32)most / 2, G_MAXINT16, 1.f / (gfloat)area,
                                   (gfloat)g_rand_double_range(rand, -0.5, 0.5)};
  const guint shift = plain ? 0 : 4;
  return (CcFinish){.hi = G_MAXUINT16 >> shift, .shift = shift, .in_16 = in_16, .centred = centred};
}

static void
draw_lines(GRand *rand, Means *self) {
  memset(self->line, 0, sizeof self->line);
  for (guint y = 0; y < N_LINES; y++)
    for (guint i = 0; i < LINE_BYTES; i++)
      self->line[y][i] = g_rand_boolean(rand) ? 0xff : (guint8)g_rand_int_range(rand, 0, 256);
}

static void
check_kernels(const CcRows *rows) {
  static Means means;
  g_autoptr(GRand) rand = g_rand_new_with_seed(10);
  for (CcSampleType type = CC_SAMPLE_U8; type <= CC_SAMPLE_U16; type++)
    for (guint step = 1; step <= CC_MAX_COMPONENTS && rows->add_columns[type]; step++)
      for (guint radius = 1; radius <= CC_MOST_MEANS_RADIUS; radius++) {
        const gint32 factor = type == CC_SAMPLE_U8 ? FACTOR : 1;
        const Case c = {type, step, radius, factor, step == 4, random_finish(rand, radius)};
        draw_lines(rand, &means);
        check_kernel(rows, &means, &c);
      }
}

static void
test_kernels(void) {
  for_each_rows(check_kernels);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/means/choice", test_choice);
  g_test_add_func("/means/kernels", test_kernels);
  return g_test_run();
}
