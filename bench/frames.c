/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench-frames: times the CPU backend and a memcpy of the same frames. Prints a line of
 * JSON for each case. docs/benchmarks.md explains the figures. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "plugin/backends.h"
#include "cpu/isa.h"
#include "engine/error.h"
#include "engine/ablation.h"
#include "engine/enum_names.h"
#include "cases.h"

#define BUDGET_MS 200
#define N_BUFFERS 8 /* number of source buffers and of target buffers, used round robin */
#define MIN_FRAMES 3
#define MAX_INSTANCES 64
#define ALIGNMENT 64

typedef struct {
  BenchCase base;
  guint64 n_threads;   /* number of threads of each backend */
  guint64 n_instances; /* number of backends that filter at the same time */
  CcPlan *plan;
  gsize bytes; /* bytes of a frame */
} Case;

/* --- parsing cases --- */

/* A BenchOption for the options of this program. */
static gboolean
parse_option(gpointer data, const gchar *name, const gchar *value, GError **error) {
  Case *self = data;
  const gboolean is_threads = strcmp(name, "threads") == 0;
  if (is_threads || strcmp(name, "instances") == 0) {
    const guint max = is_threads ? CC_MAX_THREADS : MAX_INSTANCES;
    guint64 *number = is_threads ? &self->n_threads : &self->n_instances;
    return g_ascii_string_to_unsigned(value, 10, 1, max, number, NULL) ||
           bench_refuse(error, "%s=%s: a number from 1 to %u is needed", name, value, max);
  }
  if (strcmp(name, "isa") == 0) {
    g_autofree gchar *all = g_strjoinv(", ", (gchar **)cc_cpu_variants());
    return cc_cpu_set_variant(value) ||
           bench_refuse(error, "isa=%s: this machine runs %s", value, all);
  }
  if (strcmp(name, "without") == 0)
    cc_leave_out(value);
  return strcmp(name, "without") == 0;
}

static void
case_free(Case *self) {
  g_clear_pointer(&self->plan, cc_plan_unref);
  bench_case_clear(&self->base);
  g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Case, case_free)

static Case *
case_new(const gchar *text, GError **error) {
  g_autoptr(Case) self = g_new0(Case, 1);
  self->n_threads = self->n_instances = 1;
  cc_cpu_set_variant(NULL);
  cc_leave_out(NULL);
  if (!bench_case_parse(&self->base, text, parse_option, self,
                        ", threads, instances, isa and without", error))
    return NULL;
  self->bytes = cc_frame_layout_bytes(&self->base.layout);
  self->plan = cc_plan_new(&self->base.filter, &self->base.layout, error);
  return self->plan ? g_steal_pointer(&self) : NULL;
}

/* --- frames --- */

typedef struct _Instance Instance;
typedef gboolean (*RunFrame)(Instance *self, const CcFrame *src, const CcFrame *dst);

/* A backend that filters frames of a case. Each instance has its own thread. */
struct _Instance {
  const Case *c;
  CcBackend *backend;
  CcProgram *program;
  guint8 *memory;
  CcFrame src[N_BUFFERS], dst[N_BUFFERS];
  guint64 n_frames; /* number of frames that have run; selects the buffers */
  /* state of the current round */
  RunFrame run;
  gdouble budget_us;
  pthread_barrier_t *start;
  GArray *us;     /* gdouble: time of each frame */
  gdouble all_us; /* time of all frames together */
  GError *error;
};

static void
instance_free(Instance *self) {
  g_clear_pointer(&self->program, cc_program_unref);
  g_clear_pointer(&self->backend, cc_backend_close);
  g_clear_pointer(&self->us, g_array_unref);
  g_clear_error(&self->error);
  free(self->memory);
  g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Instance, instance_free)

/* The planes follow each other without padding. */
static CcFrame
frame_at(guint8 *data, const CcFrameLayout *layout) {
  CcFrame frame = {.memory = CC_MEMORY_HOST, .is_one_block = TRUE};
  for (guint p = 0; p < layout->n_planes; p++) {
    const gsize pitch = cc_plane_row_bytes(&layout->plane[p]);
    frame.plane[p] = (CcPlane){.data = data, .pitch = (gssize)pitch};
    data += pitch * layout->plane[p].height;
  }
  return frame;
}

/* Fills all buffers with random pixels, so that all pages are mapped. */
static gboolean
make_frames(Instance *self, GError **error) {
  const gsize n_bytes = (self->c->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  self->memory = aligned_alloc(ALIGNMENT, 2 * N_BUFFERS * n_bytes);
  if (!self->memory)
    return bench_refuse(error, "out of memory: %d frames of %" G_GSIZE_FORMAT " bytes",
                        2 * N_BUFFERS, self->c->bytes);
  bench_fill_random(self->memory, N_BUFFERS * n_bytes);
  memcpy(self->memory + N_BUFFERS * n_bytes, self->memory, N_BUFFERS * n_bytes);
  for (guint i = 0; i < N_BUFFERS; i++) {
    self->src[i] = frame_at(self->memory + i * n_bytes, &self->c->base.layout);
    self->dst[i] = frame_at(self->memory + (N_BUFFERS + i) * n_bytes, &self->c->base.layout);
  }
  return TRUE;
}

static Instance *
instance_new(const Case *c, GError **error) {
  g_autoptr(Instance) self = g_new0(Instance, 1);
  const CcBackendConfig config = {.choice = CC_BACKEND_CPU, .n_threads = (guint)c->n_threads};
  self->c = c;
  self->us = g_array_new(FALSE, FALSE, sizeof(gdouble));
  self->backend = cc_backend_open(&config, NULL, error);
  self->program = self->backend ? cc_backend_prepare(self->backend, c->plan, error) : NULL;
  return self->program && make_frames(self, error) ? g_steal_pointer(&self) : NULL;
}

/* --- measuring --- */

static gboolean
filter_frame(Instance *self, const CcFrame *src, const CcFrame *dst) {
  CcTimes times;
  const CcRegion whole = cc_frame_layout_region(&self->c->plan->frame_layout);
  const CcSubmitInfo info = {.src = *src, .dst = *dst, .regions = &whole, .n_regions = 1};
  CcSubmission *submission = cc_backend_submit(self->backend, self->program, &info, &self->error);
  return submission && cc_backend_wait(self->backend, submission, &times, &self->error);
}

static gboolean
copy_frame(Instance *self, const CcFrame *src, const CcFrame *dst) {
  memcpy(dst->plane[0].data, src->plane[0].data, self->c->bytes);
  return TRUE;
}

static gdouble
now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (gdouble)t.tv_sec + 1e-3 * (gdouble)t.tv_nsec;
}

static gboolean
run_frame(Instance *self) {
  const guint i = self->n_frames++ % N_BUFFERS;
  return self->run(self, &self->src[i], &self->dst[i]);
}

/* The thread of an instance. The first frame only warms up. */
static gpointer
run_round(gpointer data) {
  Instance *self = data;
  g_array_set_size(self->us, 0);
  gboolean ok = run_frame(self);
  pthread_barrier_wait(self->start);
  const gdouble start = now_us();
  gdouble last = start;
  while (ok && (self->us->len < MIN_FRAMES || last - start < self->budget_us)) {
    ok = run_frame(self);
    const gdouble now = now_us(), us = now - last;
    g_array_append_val(self->us, us);
    last = now;
  }
  self->all_us = last - start;
  return NULL;
}

/* Runs a round of all instances at the same time. Sets *time to the median time of a frame and
 * *fps to the frames per second of all instances together. */
static gboolean
measure(const GPtrArray *instances, RunFrame run, gdouble budget_ms, BenchTime *time, gdouble *fps,
        GError **error) {
  g_autoptr(GArray) us = g_array_new(FALSE, FALSE, sizeof(gdouble));
  GThread *threads[MAX_INSTANCES];
  pthread_barrier_t start;
  const guint n = instances->len;
  pthread_barrier_init(&start, NULL, n);
  for (guint i = 0; i < n; i++) {
    Instance *instance = g_ptr_array_index(instances, i);
    instance->run = run;
    instance->budget_us = 1000 * budget_ms;
    instance->start = &start;
    threads[i] = i > 0 ? g_thread_new("instance", run_round, instance) : NULL;
  }
  run_round(g_ptr_array_index(instances, 0));
  *fps = 0;
  for (guint i = 0; i < n; i++) {
    Instance *instance = g_ptr_array_index(instances, i);
    if (threads[i])
      g_thread_join(threads[i]);
    if (instance->error && error && !*error)
      g_propagate_error(error, g_steal_pointer(&instance->error));
    g_array_append_vals(us, instance->us->data, instance->us->len);
    *fps += 1e6 * instance->us->len / MAX(instance->all_us, 1e-3);
  }
  pthread_barrier_destroy(&start);
  if (us->len == 0 || (error && *error))
    return FALSE;
  *time = bench_summarize((gdouble *)(gpointer)us->data, us->len);
  return TRUE;
}

/* --- cases --- */

/* Keeps the last case ready for its next round. */
typedef struct {
  gdouble budget_ms;
  gchar *text;
  Case *c;
  GPtrArray *instances;
} Bench;

static void
bench_clear(Bench *self) {
  g_clear_pointer(&self->instances, g_ptr_array_unref);
  g_clear_pointer(&self->c, case_free);
  g_clear_pointer(&self->text, g_free);
}

static gboolean
set_case(Bench *self, const gchar *text, GError **error) {
  if (g_strcmp0(self->text, text) == 0)
    return TRUE;
  bench_clear(self);
  self->c = case_new(text, error);
  if (!self->c)
    return FALSE;
  self->instances = g_ptr_array_new_with_free_func((GDestroyNotify)instance_free);
  for (guint i = 0; i < self->c->n_instances; i++) {
    Instance *instance = instance_new(self->c, error);
    if (!instance)
      return FALSE;
    g_ptr_array_add(self->instances, instance);
  }
  self->text = g_strdup(text);
  return TRUE;
}

static gboolean
run_case(Bench *self, const gchar *text, GError **error) {
  BenchTime time, copy;
  gdouble fps, copy_fps;
  if (!set_case(self, text, error) ||
      !measure(self->instances, copy_frame, self->budget_ms, &copy, &copy_fps, error) ||
      !measure(self->instances, filter_frame, self->budget_ms, &time, &fps, error))
    return FALSE;
  const Case *c = self->c;
  const Instance *first = g_ptr_array_index(self->instances, 0);
  bench_print("{'format': <%s>, 'width': <%u>, 'height': <%u>, 'kernel': <%s>, 'border': <%s>, "
              "'threads': <%t>, 'instances': <%t>, 'device': <%s>, 'bytes': <%t>, 'us': <%d>, "
              "'least_us': <%d>, 'most_us': <%d>, 'frames': <%u>, 'fps': <%d>, 'copy_us': <%d>, "
              "'copy_fps': <%d>}",
              c->base.format, c->base.width, c->base.height, c->base.kernel,
              cc_border_names[c->base.filter.border], c->n_threads, c->n_instances,
              first->backend->device_name, (guint64)(2 * c->bytes), time.us, time.min_us,
              time.max_us, time.n_batches, fps, copy.us, copy_fps);
  return TRUE;
}

/* Writes a source frame of the last case and its result to a file, for comparison with peers. */
static gboolean
save_frame(const Bench *self, const gchar *path, GError **error) {
  if (!self->text)
    return bench_refuse(error, "save %s: no case was measured", path);
  Instance *first = g_ptr_array_index(self->instances, 0);
  if (!filter_frame(first, &first->src[0], &first->dst[0])) {
    g_propagate_error(error, g_steal_pointer(&first->error));
    return FALSE;
  }
  FILE *file = fopen(path, "wb");
  gboolean ok = file && fwrite(first->src[0].plane[0].data, self->c->bytes, 1, file) == 1 &&
                fwrite(first->dst[0].plane[0].data, self->c->bytes, 1, file) == 1;
  ok = file && fclose(file) == 0 && ok;
  if (!ok)
    return bench_refuse(error, "save %s: %s", path, g_strerror(errno));
  bench_print("{'saved': <%s>}", path);
  return TRUE;
}

/* Answers each line of standard input with a line of JSON. */
static void
serve(Bench *self) {
  g_autofree gchar *line = NULL;
  gsize n_bytes = 0;
  while (getline(&line, &n_bytes, stdin) > 0) {
    g_autoptr(GError) error = NULL;
    const gchar *text = g_strstrip(line);
    if (g_str_has_prefix(text, "save ") ? save_frame(self, text + strlen("save "), &error)
                                        : run_case(self, text, &error))
      continue;
    bench_clear(self);
    bench_print("{'error': <%s>}", error->message);
  }
}

/* --- the program --- */

static gboolean
run_cases(Bench *self, gchar **cases, GError **error) {
  for (gchar **text = cases; *text; text++)
    if (!run_case(self, *text, error))
      return FALSE;
  return TRUE;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  Bench bench = {.budget_ms = BUDGET_MS};
  if (!bench_parse_options(
          &argc, &argv, NULL, "[\"" BENCH_CASE_SYNTAX "\"...]",
          "Times the CPU backend and a memcpy of the same frames. A case can have threads=N,\n"
          "instances=N, isa=, without=, " BENCH_OPTIONS
          ".\nWithout arguments, each line of standard input is a case, which is measured at once."
          "\nThe line \"save FILE\" writes a source frame of the last case and its result.",
          NULL, &bench.budget_ms, &error))
    return bench_fail(error, BENCH_USAGE_ERROR);
  for (gchar **text = argv + 1; *text; text++) {
    g_autoptr(Case) c = case_new(*text, &error);
    if (!c)
      return bench_fail(error, BENCH_USAGE_ERROR);
  }
  if (argc == 1)
    serve(&bench);
  const gboolean ok = run_cases(&bench, argv + 1, &error);
  bench_clear(&bench);
  return ok ? EXIT_SUCCESS : bench_fail(error, EXIT_FAILURE);
}
