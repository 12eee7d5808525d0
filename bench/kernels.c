/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-kernels: measures the device time of cudaconv's CUDA kernels and of peers. Prints
 * lines of JSON for each case. docs/benchmarks.md explains the figures. */

#include <stdlib.h>
#include <string.h>
#include "cuda/algorithm.h"
#include "engine/error.h"
#include "engine/ablation.h"
#include "engine/enum_names.h"
#include "engine/options.h"
#include "npp.h"
#include "cases.h"

#define BUDGET_MS 200

/* The strings live as long as the process. */
typedef struct {
  gchar *heading;     /* a text to print instead of a case, or NULL */
  BenchCase base;     /* the case that is prepared once for each algorithm */
  gchar **algorithms; /* names of algorithms and peers */
} Case;

/* --- parsing cases --- */

/* "without:PATH" runs `auto`, but disables the special path PATH. */
#define WITHOUT "without:"

/* Each peer has a function time_PEER below, and a column in the report. */
static const gchar *const peers[] = {"copy", "npp", NULL};

/* A BenchOption for the list of algorithms. */
static gboolean
parse_option(gpointer data, const gchar *name, const gchar *value, GError **error) {
  Case *self = data;
  if (strcmp(name, "algorithms") != 0)
    return FALSE;
  g_strfreev(self->algorithms);
  self->algorithms = g_strsplit(value, ",", -1);
  const CcOption *option = &cc_options[cc_options_find("algorithm")];
  for (gchar **word = self->algorithms; *word; word++) {
    const CcChoice *choice = cc_option_find_choice(option, *word);
    if (choice) { /* a former name is replaced by the current name */
      g_free(*word);
      *word = g_strdup(cc_option_find_choice_of(option, choice->value)->name);
    } else if (bench_find_name(peers, *word) < 0 && !g_str_has_prefix(*word, WITHOUT)) {
      return bench_refuse(error, "there is no algorithm \"%s\"", *word);
    }
  }
  return TRUE;
}

static gboolean
parse_case(Case *self, const gchar *text, GError **error) {
  if (g_str_has_prefix(text, "# ")) {
    self->heading = g_strdup(text + 2);
    return TRUE;
  }
  if (!bench_case_parse(&self->base, text, parse_option, self, ", algorithms", error))
    return FALSE;
  if (!self->algorithms)
    self->algorithms = g_strsplit(cc_algorithm_name(self->base.filter.algorithm), ",", -1);
  g_autoptr(CcPlan) plan = cc_plan_new(&self->base.filter, &self->base.layout, error);
  return plan != NULL;
}

/* Counts the bytes that a frame has to read and to write, without padding. Planes that are only
 * filled with a constant do not count as read. */
static void
count_bytes(const CcPlan *plan, gsize *read, gsize *written) {
  const CcRegion region = cc_frame_layout_region(&plan->frame_layout);
  CcPlacement placement;
  guint read_mask = 0; /* one bit for each plane that is read */
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    const CcPlaneMap *map = &plan->map[pass->plane];
    if (pass->filter_mask | pass->copy_mask)
      for (guint n = 0; n < cc_plane_map_n_offsets(map); n++)
        read_mask |= 1u << map->offset[n].plane;
  }
  const CcCanny *canny = cc_plan_get_canny(plan);
  for (guint i = 0; canny && i < canny->group.n; i++)
    read_mask |= 1u << canny->group.offset[i].plane;
  cc_plan_place(plan, &region, &placement);
  *read = *written = 0;
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcPlaneLayout *plane = &plan->frame_layout.plane[p];
    const CcRect *src = &placement.frame_source[p], *dst = &placement.frame_target[p];
    const gsize pixel = (gsize)plane->step * cc_sample_size(plane->type);
    *read += read_mask >> p & 1 ? pixel * src->width * src->height : 0;
    *written += pixel * dst->width * dst->height;
  }
}

/* --- measuring --- */

typedef struct {
  BenchTimer timer;
  BenchNpp npp;
  const Case *c;
  CcPlan *plan; /* plan with the algorithm that `auto` chooses; peers get frames in its layout */
  CcCudaProgram *program;
  gsize read_bytes, written_bytes; /* per frame */
  /* The algorithm or peer that ran: "tensor-core", "auto (tensor-core)", "copy". The string is
   * static, interned, or owned by the case. */
  const gchar *label;
  guint n_launches; /* number of launches per frame of `label`; 0: unknown */
} Bench;

static void
clear_case(Bench *self) {
  g_clear_pointer(&self->program, cc_cuda_program_free);
  g_clear_pointer(&self->plan, cc_plan_unref);
}

/* --- cudaconv's algorithms --- */

/* Fails with CC_ERROR_INVALID if the algorithm cannot run the case. */
static CcCudaProgram *
prepare(const Bench *self, CcAlgorithm algorithm, CcPlan **plan, GError **error) {
  CcFilter filter = self->c->base.filter;
  filter.algorithm = algorithm;
  *plan = cc_plan_new(&filter, &self->c->base.layout, error);
  return *plan ? cc_cuda_program_new(self->timer.device, *plan, error) : NULL;
}

static gboolean
queue_program(const BenchTask *task, const BenchTimer *timer, CUdeviceptr src, CUdeviceptr dst,
              CUdeviceptr scratch, GError **error) {
  return cc_cuda_program_launch_whole(task->data, src, dst, scratch, timer->stream, error);
}

static gboolean
time_algorithm(Bench *self, CcAlgorithm algorithm, BenchTime *time, GError **error) {
  g_autoptr(CcPlan) plan = NULL;
  g_autoptr(CcCudaProgram) program = prepare(self, algorithm, &plan, error);
  if (!program)
    return FALSE;
  if (algorithm != CC_ALGORITHM_AUTO && program->lowered->algorithm != algorithm)
    return bench_refuse(error, "algorithm=%s has no kernel for these samples and sums",
                        cc_algorithm_name(algorithm));
  if (algorithm == CC_ALGORITHM_AUTO && g_str_equal(self->label, "auto")) {
    g_autofree gchar *label =
        g_strdup_printf("auto (%s)", cc_algorithm_name(program->lowered->algorithm));
    self->label = g_intern_string(label);
  }
  const BenchTask task = {.queue = queue_program,
                          .data = program,
                          .src_bytes = program->lowered->src_bytes,
                          .dst_bytes = program->lowered->dst_bytes,
                          .scratch_bytes = cc_cuda_program_whole_scratch_bytes(program),
                          .n_launches = program->lowered->n_steps};
  self->n_launches = program->lowered->n_steps;
  return bench_time_task(&self->timer, &task, time, error);
}

/* --- peers ---
 *
 * Each function measures a frame of the case, in the program's frame layout. Fails with
 * CC_ERROR_INVALID if the peer cannot run the case, and with CC_ERROR_UNAVAILABLE if the peer is
 * not installed. */

static gboolean
queue_copy(const BenchTask *self, const BenchTimer *timer, CUdeviceptr src, CUdeviceptr dst,
           CUdeviceptr scratch, GError **error) {
  return BENCH_CALL(timer, cuMemcpyDtoDAsync, dst, src, self->src_bytes, timer->stream);
}

/* Measures a copy that reads and writes the same number of bytes as the case. */
static gboolean
time_copy(Bench *self, BenchTime *time, GError **error) {
  const gsize bytes = (self->read_bytes + self->written_bytes) / 2;
  const BenchTask task = {
      .queue = queue_copy, .src_bytes = bytes, .dst_bytes = bytes, .n_launches = 1};
  return bench_time_task(&self->timer, &task, time, error);
}

static gboolean
time_npp(Bench *self, BenchTime *time, GError **error) {
  return bench_npp_time(&self->npp, &self->timer, &self->c->base.filter, self->plan, self->program,
                        time, error);
}

/* --- cases --- */

static gboolean
time_named(Bench *self, const gchar *name, BenchTime *time, GError **error) {
  const gboolean without = g_str_has_prefix(name, WITHOUT);
  self->label = name;
  self->n_launches = 0;
  cc_leave_out(without ? name + strlen(WITHOUT) : NULL);
  if (g_str_equal(name, "copy"))
    return time_copy(self, time, error);
  if (g_str_equal(name, "npp"))
    return time_npp(self, time, error);
  const gint algorithm = bench_find_name(bench_algorithm_names, without ? "auto" : name);
  return time_algorithm(self, (CcAlgorithm)algorithm, time, error);
}

/* Prints the result of one algorithm or peer, or a note with the reason why there is none. Returns
 * FALSE only if the device or an allocation fails. */
static gboolean
run_algorithm(Bench *self, const gchar *name, GError **error) {
  g_autoptr(GError) reason = NULL;
  const BenchCase *c = &self->c->base;
  const CcOp *op = &self->plan->op[0]; /* if nothing is filtered, this op has no matrices */
  BenchTime time;
  if (time_named(self, name, &time, &reason)) {
    bench_print("{'format': <%s>, 'width': <%u>, 'height': <%u>, 'kernel': <%s>, 'border': <%s>, "
                "'stride': <%u>, 'side': <%u>, 'matrices': <%u>, 'separable': <%u>, "
                "'algorithm': <%s>, 'launches': <%u>, 'bytes': <%t>, "
                "'target_bytes': <%t>, " BENCH_TIME_FIELDS "}",
                c->format, c->width, c->height, c->kernel, cc_border_names[c->filter.border],
                c->filter.stride, MAX(op->width, op->height), op->n_matrices, (guint)op->separable,
                self->label, self->n_launches, (guint64)(self->read_bytes + self->written_bytes),
                (guint64)self->written_bytes, BENCH_TIME_VALUES(&time));
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
run_case(Bench *self, const Case *c, GError **error) {
  clear_case(self);
  self->c = c;
  cc_leave_out(NULL);
  if (c->heading) {
    bench_print("{'heading': <%s>}", c->heading);
    return TRUE;
  }
  self->program = prepare(self, CC_ALGORITHM_AUTO, &self->plan, error);
  if (!self->program)
    return FALSE;
  count_bytes(self->plan, &self->read_bytes, &self->written_bytes);
  for (gchar **name = c->algorithms; *name; name++)
    if (!run_algorithm(self, *name, error))
      return FALSE;
  return TRUE;
}

/* --- the program --- */

static void
print_list(void) {
  static const guint larger[] = {31, 63, 127}; /* only a selection of sizes */
  const GPtrArray *builtin = cc_kernels_builtin();
  g_autofree gchar *algorithms = g_strjoinv(",", (gchar **)bench_algorithm_names);
  g_autoptr(GString) kernels = g_string_new(NULL);
  for (guint i = 0; i < builtin->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(builtin, i);
    for (guint s = 0; s < kernel->n_sizes; s++)
      g_string_append_printf(kernels, "%s%s:%u", kernels->len ? "," : "", kernel->name,
                             kernel->sizes[s].size);
    for (guint s = 0; s < G_N_ELEMENTS(larger); s++)
      if (cc_kernel_has_larger_size(kernel, larger[s]))
        g_string_append_printf(kernels, ",%s:%u", kernel->name, larger[s]);
  }
  g_autoptr(GString) made = g_string_new(NULL);
  for (guint size = 3; size <= CC_MAX_MATRIX_SIZE; size += 2)
    g_string_append_printf(made, "%s" BENCH_SEPARABLE ":%u," BENCH_WHOLE ":%u", size > 3 ? "," : "",
                           size, size);
  bench_print("{'algorithms': <%s>, 'kernels': <%s>, 'made': <%s>}", algorithms, kernels->str,
              made->str);
}

static gboolean
run_cases(Bench *self, const Case *cases, guint n, const gchar *npp_folder, GError **error) {
  g_autoptr(GError) no_npp = NULL;
  g_autofree gchar *names = g_strjoinv(",", (gchar **)peers);
  bench_npp_open(&self->npp, &self->timer, npp_folder, &no_npp);
  bench_print("{'device': <%s>, 'cuda': <%s>, 'l2_bytes': <%t>, 'npp': <%s>, 'no_npp': <%s>, "
              "'peers': <%s>}",
              self->timer.device->name, bench_driver_version(self->timer.cuda),
              (guint64)self->timer.l2_bytes, no_npp ? "" : self->npp.version,
              no_npp ? no_npp->message : "", names);
  for (guint i = 0; i < n; i++)
    if (!run_case(self, &cases[i], error))
      return FALSE;
  return TRUE;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  Bench bench = {.timer.budget_ms = BUDGET_MS};
  g_autofree gchar *npp_folder = NULL;
  gint device_id = -1;
  gboolean list = FALSE;
  const GOptionEntry entries[] = {
      {"npp", 0, 0, G_OPTION_ARG_FILENAME, &npp_folder,
       "Folder of libnppif.so and libnppc.so (the loader's path)", "FOLDER"},
      {"once", 0, 0, G_OPTION_ARG_NONE, &bench.timer.once,
       "Queue one frame of each case for a profiler, without timing", NULL},
      {"list", 0, 0, G_OPTION_ARG_NONE, &list, "Print the names that cases can use", NULL},
      G_OPTION_ENTRY_NULL};
  if (!bench_parse_options(
          &argc, &argv, entries, "\"" BENCH_CASE_SYNTAX "\"|\"# HEADING\"...",
          "Times CUDA kernels. A case can have algorithms=LIST (auto) and\n" BENCH_OPTIONS
          ".\nThe LIST is of algorithms, copy, npp and without:PATH, which is auto without a "
          "special path.",
          &device_id, &bench.timer.budget_ms, &error))
    return bench_fail(error, BENCH_USAGE_ERROR);
  if (list) {
    print_list();
    return EXIT_SUCCESS;
  }
  const guint n = (guint)argc - 1;
  g_autofree Case *cases = g_new0(Case, n);
  for (guint i = 0; i < n; i++)
    if (!parse_case(&cases[i], argv[i + 1], &error))
      return bench_fail(error, BENCH_USAGE_ERROR);
  const gboolean ok = bench_timer_open(&bench.timer, device_id, &error) &&
                      run_cases(&bench, cases, n, npp_folder, &error);
  const int failure = bench.timer.device ? EXIT_FAILURE : BENCH_SKIPPED;
  clear_case(&bench);
  bench_timer_close(&bench.timer);
  return ok ? EXIT_SUCCESS : bench_fail(error, failure);
}
