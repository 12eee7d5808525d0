/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check.h"

#include <math.h>
#include <string.h>
#include "engine/error.h"

#define RUNS 3

/* Convolution as the texts write it: four nested loops with the boundary test inside. Outside of
 * the picture everything is 0. dst(x, y) = (sum of side x side taps over the window around
 * src(stride * x, stride * y)) / divisor, rounded half up. */
static void
convolve(const BenchPicture *src, const BenchPicture *dst, gint stride, const gint *taps, gint side,
         gint divisor) {
  for (gint y = 0; y < dst->height; y++)
    for (gint x = 0; x < dst->width; x++) {
      gint sum = 0;
      for (gint k = 0; k < side; k++)
        for (gint l = 0; l < side; l++) {
          const gint row = stride * y + k - side / 2, column = stride * x + l - side / 2;
          if (row >= 0 && row < src->height && column >= 0 && column < src->width)
            sum += taps[k * side + l] * src->data[(gsize)row * src->pitch + (gsize)column];
        }
      dst->data[(gsize)y * dst->pitch + (gsize)x] = (guint8)((sum + divisor / 2) / divisor);
    }
}

/* Whether the loop does what the plan says; 0 when not, else the divisor. */
static gint
find_divisor(const CcPlan *plan) {
  const CcPlaneLayout *plane = &plan->layout.plane[0];
  const CcOp *op = plan->n_ops == 1 ? &plan->op[0] : NULL;
  gint sum = 0;
  if (!op || plan->packed || plan->layout.n_planes != 1 || plane->step != 1 ||
      plane->type != CC_SAMPLE_U8 || plan->border != CC_BORDER_CONSTANT ||
      plan->pass[0].border[0] != 0 || op->error > 0 || op->n_matrices != 1 ||
      op->width != op->height || op->response != CC_RESPONSE_CLAMP)
    return 0;
  for (guint i = 0; i < op->width * op->height; i++) {
    if (op->tap_i[i] < 0)
      return 0;
    sum += op->tap_i[i];
  }
  return fabs(sum * op->mul - 1) < 1e-9 ? sum : 0;
}

gboolean
bench_check_begin(BenchCheck *self, const CcPlan *plan, const CcCudaProgram *program,
                  BenchTime *time, GError **error) {
  const CcRegion region = cc_frame_layout_region(&plan->frame_layout);
  CcPlacement placement;
  const CcRect *src = &placement.source[0], *dst = &placement.target[0];
  const gint divisor = find_divisor(plan);
  gdouble us[RUNS];
  if (divisor == 0)
    return bench_refuse(error, "serial cannot run this case");
  cc_plan_place(plan, &region, &placement);
  bench_check_clear(self);
  self->src_bytes = program->lowered->src_bytes;
  self->src = (BenchPicture){g_malloc(program->lowered->src_bytes), program->lowered->src[0].pitch,
                             (gint)src->width, (gint)src->height};
  self->expected = (BenchPicture){g_malloc0((gsize)dst->width * dst->height), dst->width,
                                  (gint)dst->width, (gint)dst->height};
  bench_fill_random(self->src.data, self->src_bytes);
  for (guint i = 0; i < RUNS; i++) {
    const gint64 begin = g_get_monotonic_time();
    convolve(&self->src, &self->expected, (gint)plan->stride, plan->op[0].tap_i,
             (gint)plan->op[0].width, divisor);
    us[i] = (gdouble)MAX(g_get_monotonic_time() - begin, 1);
  }
  *time = bench_summarize(us, RUNS);
  time->n_frames = 1;
  return TRUE;
}

void
bench_check_clear(BenchCheck *self) {
  g_free(self->src.data);
  g_free(self->expected.data);
  *self = (BenchCheck){0};
}

static gboolean
queue_once(const BenchCheck *self, const BenchTimer *timer, const CcCudaProgram *program,
           guint8 *result, GError **error) {
  const CUdeviceptr from = timer->src.address, to = timer->dst.address;
  return BENCH_CALL(timer, cuMemcpyHtoDAsync, from, self->src.data, self->src_bytes,
                    timer->stream) &&
         BENCH_CALL(timer, cuMemcpyHtoDAsync, to, result, program->lowered->dst_bytes,
                    timer->stream) &&
         cc_cuda_program_launch_whole(program, from, to, timer->scratch.address, timer->stream,
                                      error) &&
         BENCH_CALL(timer, cuMemcpyDtoHAsync, result, to, program->lowered->dst_bytes,
                    timer->stream);
}

gboolean
bench_check_program(BenchCheck *self, BenchTimer *timer, const CcCudaProgram *program,
                    GError **error) {
  const BenchPicture *expected = &self->expected;
  g_autofree guint8 *result = g_malloc(program->lowered->dst_bytes);
  gsize different = 0;
  memset(result, 0xAA, program->lowered->dst_bytes); /* what no launch has written differs */
  if (!bench_timer_reserve(timer, program->lowered->src_bytes, program->lowered->dst_bytes,
                           program->lowered->scratch_bytes, error))
    return FALSE;
  const gboolean queued = queue_once(self, timer, program, result, error);
  /* also after a failure: what was queued uses the memory here */
  const CUresult waited = timer->cuda->cuStreamSynchronize(timer->stream);
  if (!queued || !cc_cuda_check(timer->cuda, waited, "cuStreamSynchronize", error))
    return FALSE;
  for (gint y = 0; y < expected->height; y++)
    for (gint x = 0; x < expected->width; x++)
      different += expected->data[(gsize)y * expected->pitch + (gsize)x] !=
                   result[(gsize)y * program->lowered->dst[0].pitch + (gsize)x];
  if (different > 0) {
    g_set_error(error, CC_ERROR, CC_ERROR_DEVICE,
                "%" G_GSIZE_FORMAT " of %d pixels differ from the serial loop's", different,
                expected->width * expected->height);
    return FALSE;
  }
  self->n_checked++;
  return TRUE;
}
