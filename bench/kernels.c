/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-kernels: the device time of the CUDA kernels and of their peers, case by case, as
 * lines of JSON. docs/benchmarks.md explains the figures. */

#include <stdlib.h>
#include <string.h>
#include "case.h"
#include "check.h"
#include "engine/error.h"
#include "npp.h"

#define BUDGET_MS 200

/* All that is needed to measure a case. */
typedef struct {
  BenchTimer timer;
  BenchNpp *npp; /* or NULL */
  const BenchCase *c;
  CcPlan *plan; /* of the algorithm that auto chooses; its frames are what the peers get */
  CcCudaProgram *program;
  BenchCheck check; /* only after the peer "serial" */
  gchar *label;     /* what ran: "sliding", "auto (sliding)", "copy" */
} Bench;

static void
clear_case(Bench *self) {
  g_clear_pointer(&self->program, cc_cuda_program_free);
  g_clear_pointer(&self->plan, cc_plan_unref);
  g_clear_pointer(&self->label, g_free);
  bench_check_clear(&self->check);
}

static void
close_bench(Bench *self) {
  clear_case(self);
  g_clear_pointer(&self->npp, bench_npp_close);
  bench_timer_close(&self->timer);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bench, close_bench)

/* --- cudaconv's algorithms --- */

/* A program that runs the case, and its plan. CC_ERROR_INVALID when the algorithm cannot. */
static CcCudaProgram *
prepare(const Bench *self, CcAlgorithm algorithm, CcPlan **plan, GError **error) {
  CcFilter filter = self->c->filter;
  filter.algorithm = algorithm;
  *plan = cc_plan_new(&filter, &self->c->layout, error);
  return *plan ? cc_cuda_program_new(self->timer.device, *plan, error) : NULL;
}

static gboolean
queue_program(const BenchWork *work, const BenchTimer *timer, CUdeviceptr src, CUdeviceptr dst,
              CUdeviceptr scratch, GError **error) {
  return cc_cuda_program_launch(work->data, timer->cuda, src, dst, scratch, timer->stream, error);
}

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

/* The pixels are compared before they are timed, where the serial loop has run. */
static gboolean
time_algorithm(Bench *self, CcAlgorithm algorithm, BenchTime *time, GError **error) {
  g_autoptr(CcPlan) plan = NULL;
  g_autoptr(CcCudaProgram) program = prepare(self, algorithm, &plan, error);
  if (!program)
    return FALSE;
  if (algorithm == CC_ALGORITHM_AUTO) {
    g_free(self->label);
    self->label = g_strdup_printf("auto (%s)", cc_algorithm_name(program->algorithm));
  }
  const BenchWork work = work_of(program);
  return (!self->check.expected.data ||
          bench_check_program(&self->check, &self->timer, program, error)) &&
         bench_time_work(&self->timer, &work, time, error);
}

/* --- peers: a row here, and the report has a column for it --- */

static gboolean
time_copy(Bench *self, BenchTime *time, GError **error) {
  return bench_time_copy(&self->timer, bench_plan_bytes(self->plan) / 2, time, error);
}

static gboolean
time_serial(Bench *self, BenchTime *time, GError **error) {
  return bench_check_begin(&self->check, self->plan, self->program, time, error);
}

static gboolean
queue_npp(const BenchWork *work, const BenchTimer *timer, CUdeviceptr src, CUdeviceptr dst,
          CUdeviceptr scratch, GError **error) {
  return bench_npp_queue(work->data, src, dst, error);
}

static gboolean
time_npp(Bench *self, BenchTime *time, GError **error) {
  BenchNppCall call;
  if (!self->npp) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "is not here");
    return FALSE;
  }
  if (!bench_npp_find(self->npp, &self->c->filter, &self->c->layout, &call, error))
    return FALSE;
  call.src_pitch = (gint)self->program->src[0].pitch;
  call.dst_pitch = (gint)self->program->dst[0].pitch;
  BenchWork work = work_of(self->program);
  work.queue = queue_npp;
  work.data = &call;
  work.n_launches = 1;
  return bench_time_work(&self->timer, &work, time, error);
}

/* A function measures a frame of the case, on frames as the program wants them. CC_ERROR_INVALID
 * says why the peer cannot run it, CC_ERROR_UNAVAILABLE that it is not here at all. */
static const struct {
  const gchar *name;
  gboolean (*time)(Bench *self, BenchTime *time, GError **error);
} peers[] = {{"copy", time_copy}, {"serial", time_serial}, {"npp", time_npp}};

/* The peer's index, or -1. */
static gint
find_peer(const gchar *name) {
  for (guint i = 0; i < G_N_ELEMENTS(peers); i++)
    if (strcmp(name, peers[i].name) == 0)
      return (gint)i;
  return -1;
}

/* --- cases --- */

/* Prints the result of one algorithm or peer, or a note that says why there is none. FALSE only
 * when the device or the memory fails, or a result is wrong. */
static gboolean
run_algorithm(Bench *self, const gchar *name, GError **error) {
  g_autoptr(GError) reason = NULL;
  const gint peer = find_peer(name);
  CcAlgorithm algorithm = CC_ALGORITHM_AUTO;
  BenchTime time;
  bench_find_algorithm(name, &algorithm);
  g_free(self->label);
  self->label = g_strdup(name);
  if (peer >= 0 ? peers[peer].time(self, &time, &reason)
                : time_algorithm(self, algorithm, &time, &reason)) {
    const BenchCase *c = self->c;
    g_autofree gchar *kernel = bench_case_kernel(c);
    bench_print("{'format': <%s>, 'width': <%u>, 'height': <%u>, 'kernel': <%s>, 'border': <%s>, "
                "'stride': <%u>, 'algorithm': <%s>, 'bytes': <%t>, " BENCH_TIME_FIELDS "}",
                c->format, c->width, c->height, kernel, c->border, c->filter.stride, self->label,
                (guint64)bench_plan_bytes(self->plan), BENCH_TIME_VALUES(&time));
    return TRUE;
  }
  if (g_error_matches(reason, CC_ERROR, CC_ERROR_UNAVAILABLE))
    return TRUE;
  if (g_error_matches(reason, CC_ERROR, CC_ERROR_INVALID)) {
    bench_print("{'note': <%s>}", reason->message);
    return TRUE;
  }
  g_propagate_prefixed_error(error, g_steal_pointer(&reason), "%s: ", name);
  return FALSE;
}

static gboolean
run_case(Bench *self, const BenchCase *c, GError **error) {
  clear_case(self);
  self->c = c;
  if (c->heading) {
    bench_print("{'heading': <%s>}", c->heading);
    return TRUE;
  }
  self->program = prepare(self, CC_ALGORITHM_AUTO, &self->plan, error);
  if (!self->program)
    return FALSE;
  for (gchar **name = c->algorithms; *name; name++)
    if (!run_algorithm(self, *name, error))
      return FALSE;
  if (self->check.n_checked > 0) {
    g_autofree gchar *note =
        g_strdup_printf("the results of all %u algorithms equal the serial loop's, byte by byte",
                        self->check.n_checked);
    bench_print("{'note': <%s>}", note);
  }
  return TRUE;
}

/* --- the program --- */

static const gchar *const *
names_of_peers(void) {
  static const gchar *names[G_N_ELEMENTS(peers) + 1];
  for (guint i = 0; i < G_N_ELEMENTS(peers); i++)
    names[i] = peers[i].name;
  return names;
}

/* What cases can name. */
static void
print_list(void) {
  const GPtrArray *builtin = cc_kernels_builtin();
  g_autoptr(GPtrArray) kernels = g_ptr_array_new_with_free_func(g_free);
  const gchar *algorithms[CC_N_ALGORITHMS + 1] = {NULL};
  for (guint i = 0; i < CC_N_ALGORITHMS; i++)
    algorithms[i] = cc_algorithm_name((CcAlgorithm)i);
  for (guint i = 0; i < builtin->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(builtin, i);
    for (guint s = 0; s < kernel->n_sizes; s++)
      g_ptr_array_add(kernels, g_strdup_printf("%s:%u", kernel->name, kernel->sizes[s].size));
  }
  g_ptr_array_add(kernels, NULL);
  bench_print("{'algorithms': <%^as>, 'peers': <%^as>, 'kernels': <%^as>}", algorithms,
              names_of_peers(), kernels->pdata);
}

static gboolean
parse_cases(BenchCase *cases, gchar **texts, GError **error) {
  for (guint i = 0; texts[i]; i++) {
    if (!bench_case_parse(&cases[i], texts[i], error))
      return FALSE;
    CcAlgorithm ignored;
    for (gchar **name = cases[i].algorithms; name && *name; name++)
      if (find_peer(*name) < 0 && !bench_find_algorithm(*name, &ignored))
        return bench_refuse(error, "there is no algorithm \"%s\"", *name);
  }
  return TRUE;
}

static gboolean
run_cases(Bench *self, const BenchCase *cases, guint n, const gchar *npp_folder, GError **error) {
  g_autoptr(GError) no_npp = NULL;
  g_autofree gchar *version = bench_driver_version(self->timer.cuda);
  self->npp = bench_npp_open(self->timer.device, self->timer.stream, npp_folder, &no_npp);
  bench_print("{'device': <%s>, 'cuda': <%s>, 'l2_bytes': <%t>, 'npp': <%s>, 'no_npp': <%s>, "
              "'peers': <%^as>}",
              self->timer.device->name, version, (guint64)self->timer.l2_bytes,
              self->npp ? bench_npp_version(self->npp) : "", self->npp ? "" : no_npp->message,
              names_of_peers());
  for (guint i = 0; i < n; i++)
    if (!run_case(self, &cases[i], error))
      return FALSE;
  return TRUE;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_auto(Bench) bench = {.timer.budget_ms = BUDGET_MS};
  g_autofree gchar *npp_folder = NULL;
  gint device_id = -1;
  gboolean list = FALSE;
  const GOptionEntry entries[] = {
      {"npp", 0, 0, G_OPTION_ARG_FILENAME, &npp_folder,
       "Folder of libnppif.so and libnppc.so (the loader's path)", "FOLDER"},
      {"list", 0, 0, G_OPTION_ARG_NONE, &list, "Print what cases can name", NULL},
      G_OPTION_ENTRY_NULL};
  if (!bench_parse_options(&argc, &argv, entries, "CASE...",
                           "Times CUDA kernels. A case is \"" BENCH_CASE_WORDS "\".", &device_id,
                           &bench.timer.budget_ms, &error))
    return bench_fail(error, BENCH_WRONG);
  if (list) {
    print_list();
    return EXIT_SUCCESS;
  }
  const guint n = (guint)argc - 1;
  g_autofree BenchCase *cases = g_new0(BenchCase, n);
  int status = EXIT_SUCCESS;
  if (!parse_cases(cases, argv + 1, &error))
    status = bench_fail(error, BENCH_WRONG);
  else if (!bench_timer_open(&bench.timer, device_id, &error))
    status = bench_fail(error, bench.timer.device ? EXIT_FAILURE : BENCH_SKIPPED);
  else if (!run_cases(&bench, cases, n, npp_folder, &error))
    status = bench_fail(error, EXIT_FAILURE);
  for (guint i = 0; i < n; i++)
    bench_case_clear(&cases[i]);
  return status;
}
