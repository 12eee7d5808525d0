/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cases.h"

#include <string.h>
#include "engine/error.h"
#include "report.h"

CcCudaProgram *
bench_case_prepare(const BenchCase *c, CcAlgorithm algorithm, CcCudaDevice *device, CcPlan **plan,
                   GError **error) {
  CcFrameLayout layout;
  const CcFilter filter = {
      .kernel = c->kernel.kernel,
      .size = c->kernel.size,
      .sigma = c->kernel.sigma,
      .border = c->border,
      .stride = c->stride,
      .algorithm = algorithm,
  };
  if (!bench_case_layout(c, &layout, error))
    return NULL;
  g_autoptr(CcPlan) new_plan = cc_plan_new(&filter, &layout, error);
  CcCudaProgram *program = new_plan ? cc_cuda_program_new(device, new_plan, error) : NULL;
  if (program)
    *plan = g_steal_pointer(&new_plan);
  return program;
}

/* What a frame has to read and write: samples of the regions, without padding; planes that are
 * only filled are not read. */
static gsize
count_bytes(const CcPlan *plan) {
  gsize bytes = 0;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->layout.plane[p];
    const gsize pixel = plane->step * cc_sample_size(plane->type);
    guint read_mask = 0;
    for (guint i = 0; i < plan->n_passes; i++)
      if (plan->pass[i].plane == p)
        read_mask |= plan->pass[i].filter_mask | plan->pass[i].copy_mask;
    if (read_mask)
      bytes += pixel * plan->source[p].width * plan->source[p].height;
    bytes += pixel * plan->target[p].width * plan->target[p].height;
  }
  return bytes;
}

static gboolean
queue_program(const BenchWork *self, const BenchTimer *timer, CUdeviceptr src, CUdeviceptr dst,
              CUdeviceptr scratch, GError **error) {
  return cc_cuda_program_launch(self->data, timer->cuda, src, dst, scratch, timer->stream, error);
}

static gboolean
queue_npp(const BenchWork *self, const BenchTimer *timer, CUdeviceptr src, CUdeviceptr dst,
          CUdeviceptr scratch, GError **error) {
  return bench_npp_queue(self->data, src, dst, error);
}

/* A program runs a case; its frames are also what NPP gets. */
static BenchWork
work_of(const CcCudaProgram *program) {
  return (BenchWork){
      .queue = queue_program,
      .data = program,
      .src_bytes = program->src_bytes,
      .dst_bytes = program->dst_bytes,
      .scratch_bytes = program->scratch_bytes,
      .n_launches = program->n_steps,
  };
}

gboolean
bench_time_case(BenchTimer *timer, const BenchCase *c, BenchTime *time, GError **error) {
  g_autoptr(CcPlan) plan = NULL;
  g_autoptr(CcCudaProgram) program =
      bench_case_prepare(c, CC_ALGORITHM_AUTO, timer->device, &plan, error);
  if (!program)
    return FALSE;
  const BenchWork work = work_of(program);
  return bench_time_work(timer, &work, time, error);
}

/* What all results of a case have in common. */
static BenchResult
result_of(const BenchCase *c, gsize bytes, gdouble copy_us) {
  BenchResult result = {
      .format = c->format->name,
      .width = c->size.width,
      .height = c->size.height,
      .stride = c->stride,
      .bytes = bytes,
      .copy_us = copy_us,
  };
  g_autofree gchar *label = bench_kernel_label(&c->kernel);
  g_strlcpy(result.kernel, label, sizeof result.kernel);
  return result;
}

/* Measures one algorithm into `result`, or with CC_ERROR_INVALID says why it cannot run. */
static gboolean
time_algorithm(BenchSession *session, const BenchCase *c, CcAlgorithm algorithm,
               BenchResult *result, GError **error) {
  g_autoptr(CcPlan) plan = NULL;
  g_autoptr(CcCudaProgram) program =
      bench_case_prepare(c, algorithm, session->timer->device, &plan, error);
  if (!program)
    return FALSE;
  const gchar *name = cc_algorithm_name(program->algorithm);
  if (algorithm == CC_ALGORITHM_AUTO)
    g_snprintf(result->algorithm, sizeof result->algorithm, "auto (%s)", name);
  else
    g_strlcpy(result->algorithm, name, sizeof result->algorithm);
  const BenchWork work = work_of(program);
  return bench_time_work(session->timer, &work, &result->time, error);
}

/* The same for NPP, on frames that lie as `program` wants them. */
static gboolean
time_npp(BenchSession *session, const BenchCase *c, const CcCudaProgram *program,
         BenchResult *result, GError **error) {
  CcFrameLayout layout;
  BenchNppCall call;
  if (!bench_case_layout(c, &layout, error))
    return FALSE;
  g_strlcpy(result->algorithm, "npp", sizeof result->algorithm);
  if (c->border != CC_BORDER_REPLICATE || c->stride != 1 || c->kernel.sigma > 0 ||
      !bench_npp_find(session->npp, c->kernel.kernel->name, c->kernel.size, &layout, &call)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "NPP has no such filter");
    return FALSE;
  }
  call.src_pitch = (gint)program->src[0].pitch;
  call.dst_pitch = (gint)program->dst[0].pitch;
  BenchWork work = work_of(program);
  work.queue = queue_npp;
  work.data = &call;
  work.n_launches = 1;
  return bench_time_work(session->timer, &work, &result->time, error);
}

static const BenchResult *
find_result(const BenchResult *results, guint n, const gchar *algorithm) {
  for (guint i = 0; i < n; i++)
    if (strcmp(results[i].algorithm, algorithm) == 0)
      return &results[i];
  return NULL;
}

/* Fills in how many times as fast as its peers each of a case's results is, but for the copy and
 * the serial loop, which are no convolution and none of the device. */
static void
compare_with_peers(BenchResult *results, guint n) {
  for (guint p = 0; p < BENCH_N_PEERS; p++) {
    const BenchResult *peer = find_result(results, n, bench_peer_name((BenchPeer)p));
    for (guint i = 0; peer && i < n; i++)
      if (strcmp(results[i].algorithm, "copy") != 0 && strcmp(results[i].algorithm, "serial") != 0)
        results[i].versus[p] = peer->time.us / results[i].time.us;
  }
}

/* Adds the result of one algorithm, or a line to `notes` that says why there is none. FALSE only
 * when the device or the memory fails. NPP's failures are its own. */
static gboolean
run_algorithm(BenchSession *session, const BenchCase *c, guint algorithm,
              const CcCudaProgram *program, BenchResult result, GString *notes, GError **error) {
  g_autoptr(GError) reason = NULL;
  if (algorithm == BENCH_NPP && !session->npp)
    return TRUE;
  if (algorithm == BENCH_NPP ? time_npp(session, c, program, &result, &reason)
                             : time_algorithm(session, c, (CcAlgorithm)algorithm, &result, &reason))
    g_array_append_val(session->results, result);
  else if (algorithm == BENCH_NPP && !g_error_matches(reason, CC_ERROR, CC_ERROR_INVALID))
    g_string_append_printf(notes, "  npp: %s\n", reason->message);
  else if (algorithm != BENCH_NPP && g_error_matches(reason, CC_ERROR, CC_ERROR_INVALID))
    g_string_append_printf(notes, "  %s cannot run this case\n",
                           cc_algorithm_name((CcAlgorithm)algorithm));
  else if (algorithm != BENCH_NPP) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
  }
  return TRUE;
}

static void
add_result(BenchSession *session, BenchResult result, const gchar *algorithm, BenchTime time) {
  g_strlcpy(result.algorithm, algorithm, sizeof result.algorithm);
  result.time = time;
  g_array_append_val(session->results, result);
}

gboolean
bench_run_case(BenchSession *session, const BenchCase *c, const GArray *algorithms,
               gdouble serial_us, GError **error) {
  g_autoptr(CcPlan) plan = NULL;
  g_autoptr(CcCudaProgram) program =
      bench_case_prepare(c, CC_ALGORITHM_AUTO, session->timer->device, &plan, error);
  if (!program)
    return FALSE;
  const gsize bytes = count_bytes(plan);
  const guint first = session->results->len;
  BenchTime copy;
  if (!bench_time_copy(session->timer, bytes / 2, &copy, error))
    return FALSE;
  const BenchResult result = result_of(c, bytes, copy.us);
  add_result(session, result, "copy", copy);
  if (serial_us > 0)
    add_result(session, result, bench_peer_name(BENCH_PEER_SERIAL),
               (BenchTime){serial_us, serial_us, serial_us, 1, 1});
  g_autoptr(GString) notes = g_string_new(NULL);
  for (guint i = 0; i < algorithms->len; i++)
    if (!run_algorithm(session, c, g_array_index(algorithms, guint, i), program, result, notes,
                       error))
      return FALSE;
  BenchResult *results = &g_array_index(session->results, BenchResult, first);
  compare_with_peers(results, session->results->len - first);
  bench_report_case(session->text, results, session->results->len - first);
  fputs(notes->str, session->text);
  return TRUE;
}

gboolean
bench_run_selection(BenchSession *session, const BenchSelection *selection, const gchar *heading,
                    GError **error) {
  bench_report_heading(session->text, heading);
  for (guint s = 0; s < selection->sizes->len; s++)
    for (guint f = 0; f < selection->formats->len; f++)
      for (guint k = 0; k < selection->kernels->len; k++) {
        const BenchCase c = {
            .format = g_array_index(selection->formats, const BenchFormat *, f),
            .size = g_array_index(selection->sizes, BenchSize, s),
            .kernel = g_array_index(selection->kernels, BenchKernel, k),
            .border = selection->border,
            .stride = selection->stride,
        };
        if (!bench_run_case(session, &c, selection->algorithms, 0, error))
          return FALSE;
      }
  return TRUE;
}
