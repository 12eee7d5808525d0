/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paper.h"

#include <stdlib.h>
#include <string.h>
#include "engine/error.h"
#include "report.h"
#include "serial.h"

#define STRIDE 2
#define KERNEL_SIDE 3
#define SERIAL_RUNS 3

/* The "gaussian" kernel of side 3. */
static const gint taps[KERNEL_SIDE * KERNEL_SIDE] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
static const gint divisor = 16;

static void
clear_picture(BenchPicture *picture) {
  g_clear_pointer(&picture->data, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BenchPicture, clear_picture)

/* Memory for a plane that lies as in device memory. */
static BenchPicture
new_picture(gsize bytes, const CcCudaPlane *plane, const CcRect *rect) {
  return (BenchPicture){g_malloc0(bytes), plane->pitch, (gint)rect->width, (gint)rect->height};
}

static void
fill_with_random(const BenchPicture *picture) {
  g_autoptr(GRand) generator = g_rand_new_with_seed(2);
  for (gint y = 0; y < picture->height; y++)
    for (gint x = 0; x < picture->width; x++)
      picture->data[(gsize)y * picture->pitch + (gsize)x] = (guint8)(g_rand_int(generator) >> 24);
}

static int
compare_times(const void *a, const void *b) {
  const gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

/* The median time of the serial loop in microseconds. */
static gdouble
time_serial(const BenchPicture *src, const BenchPicture *dst) {
  gint64 us[SERIAL_RUNS];
  for (guint i = 0; i < SERIAL_RUNS; i++) {
    const gint64 begin = g_get_monotonic_time();
    bench_serial_convolve(src, dst, STRIDE, taps, KERNEL_SIDE, divisor);
    us[i] = g_get_monotonic_time() - begin;
  }
  qsort(us, SERIAL_RUNS, sizeof *us, compare_times);
  return (gdouble)MAX(us[SERIAL_RUNS / 2], 1);
}

static gsize
count_differences(const BenchPicture *a, const BenchPicture *b) {
  gsize differences = 0;
  for (gint y = 0; y < a->height; y++)
    for (gint x = 0; x < a->width; x++)
      differences +=
          a->data[(gsize)y * a->pitch + (gsize)x] != b->data[(gsize)y * b->pitch + (gsize)x];
  return differences;
}

static gboolean
queue_once(const BenchTimer *timer, const CcCudaProgram *program, const BenchPicture *src,
           const BenchPicture *dst, GError **error) {
  const CUdeviceptr from = timer->src.address, to = timer->dst.address;
  return BENCH_CALL(timer, cuMemcpyHtoDAsync, from, src->data, program->src_bytes, timer->stream) &&
         BENCH_CALL(timer, cuMemcpyHtoDAsync, to, dst->data, program->dst_bytes, timer->stream) &&
         cc_cuda_program_launch(program, timer->cuda, from, to, timer->scratch.address,
                                timer->stream, error) &&
         BENCH_CALL(timer, cuMemcpyDtoHAsync, dst->data, to, program->dst_bytes, timer->stream);
}

/* Runs the program once on `src` and fetches its result into `dst`, which are laid out as it
 * wants. */
static gboolean
run_once(BenchTimer *timer, const CcCudaProgram *program, const BenchPicture *src,
         const BenchPicture *dst, GError **error) {
  if (!bench_timer_reserve(timer, program->src_bytes, program->dst_bytes, program->scratch_bytes,
                           error))
    return FALSE;
  if (queue_once(timer, program, src, dst, error))
    return BENCH_CALL(timer, cuStreamSynchronize, timer->stream);
  timer->cuda->cuStreamSynchronize(timer->stream); /* what was queued uses the caller's memory */
  return FALSE;
}

/* Makes sure that every algorithm gives what the serial loop gave. */
static gboolean
check_results(BenchSession *session, const BenchCase *c, const GArray *algorithms,
              const BenchPicture *src, const BenchPicture *expected, GError **error) {
  for (guint i = 0; i < algorithms->len; i++) {
    const CcAlgorithm algorithm = (CcAlgorithm)g_array_index(algorithms, guint, i);
    g_autoptr(CcPlan) plan = NULL;
    g_autoptr(CcCudaProgram) program =
        bench_case_prepare(c, algorithm, session->timer->device, &plan, error);
    if (!program)
      return FALSE;
    g_auto(BenchPicture) dst = new_picture(program->dst_bytes, &program->dst[0], &plan->target[0]);
    memset(dst.data, 0xAA, program->dst_bytes);
    if (!run_once(session->timer, program, src, &dst, error))
      return FALSE;
    const gsize differences = count_differences(expected, &dst);
    if (differences > 0) {
      g_set_error(error, CC_ERROR, CC_ERROR_DEVICE,
                  "%s: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                  " pixels differ from the serial loop's",
                  cc_algorithm_name(algorithm), differences,
                  (gsize)expected->width * (gsize)expected->height);
      return FALSE;
    }
  }
  fprintf(session->text,
          "  the results of all %u algorithms equal the serial loop's, byte by byte\n",
          algorithms->len);
  return TRUE;
}

gboolean
bench_paper_stride(BenchSession *session, BenchSize size, GError **error) {
  g_autoptr(BenchSelection) selection = bench_selection_new_from(
      "GRAY8", "all", "gaussian:3",
      "direct,constant,tile-halo,tile-cached,scatter,two-pass,register-tile,sliding");
  const BenchCase c = {
      .format = g_array_index(selection->formats, const BenchFormat *, 0),
      .size = size,
      .kernel = g_array_index(selection->kernels, BenchKernel, 0),
      .border = CC_BORDER_CONSTANT,
      .stride = STRIDE,
  };
  g_autoptr(CcPlan) plan = NULL;
  g_autoptr(CcCudaProgram) program =
      bench_case_prepare(&c, CC_ALGORITHM_DIRECT, session->timer->device, &plan, error);
  if (!program)
    return FALSE;
  g_auto(BenchPicture) src = new_picture(program->src_bytes, &program->src[0], &plan->source[0]);
  g_auto(BenchPicture) expected =
      new_picture(program->dst_bytes, &program->dst[0], &plan->target[0]);
  fill_with_random(&src);
  const gdouble serial_us = time_serial(&src, &expected);
  bench_report_heading(session->text, "A serial loop on one CPU core, and the GPU: every second "
                                      "pixel of every second row kept");
  return bench_run_case(session, &c, selection->algorithms, serial_us, error) &&
         check_results(session, &c, selection->algorithms, &src, &expected, error);
}

static gboolean
run_sweep(BenchSession *session, const GArray *sizes, const gchar *kernels, const gchar *algorithms,
          const gchar *heading, GError **error) {
  g_autoptr(BenchSelection) selection =
      bench_selection_new_from("GRAY8", "512x512,2048x2048,8192x8192", kernels, algorithms);
  if (sizes) {
    g_array_set_size(selection->sizes, 0);
    g_array_append_vals(selection->sizes, sizes->data, sizes->len);
  }
  return bench_run_selection(session, selection, heading, error);
}

gboolean
bench_paper_run(BenchSession *session, const GArray *sizes, GError **error) {
  const BenchSize own = BENCH_PAPER_SIZE;
  const BenchSize *size = sizes ? (const BenchSize *)(gconstpointer)sizes->data : &own;
  for (guint i = 0; i < (sizes ? sizes->len : 1); i++)
    if (!bench_paper_stride(session, size[i], error))
      return FALSE;
  return run_sweep(session, sizes, "gaussian:3,gaussian:5", "two-pass,register-tile,sliding",
                   "Tiled convolution in registers, and two passes", error) &&
         run_sweep(session, sizes, "box:3,box:5,box:7,box:15",
                   "direct,constant,tile-halo,tile-cached",
                   "Naive, constant memory, shared tile with halo, shared tile and cache", error);
}
