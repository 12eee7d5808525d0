/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend.h"

#include "isa.h"
#include "lower.h"
#include "workers.h"

/* What a thread has to do for it to be called. One that sleeps comes after some 50 us, and one that
 * looks out for the next frame after 1 us. */
#define WORTH_ASLEEP_NS 25000
#define WORTH_AWAKE_NS 8000

typedef struct {
  CcBackend base;
  guint n_threads;             /* as asked for: the most at once, the calling one included */
  CcScratch scratch;           /* the calling one's */
  const CcCpuProgram *program; /* that ran last */
  guint64 work;                /* nanoseconds that one thread would take for its frames */
  guint64 end;                 /* of the last frame */
} CpuBackend;

typedef struct {
  const CcPhase *phase;
  const CcFrame *src, *dst;
} Frame;

/* Takes scratch memory for the calling thread. On failure what there was stays, for other
 * programs. */
static gboolean
reserve(CpuBackend *self, gsize size, GError **error) {
  if (cc_scratch_grow(&self->scratch, size))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY,
              "out of memory: %" G_GSIZE_FORMAT " bytes for the rows of a thread", size);
  return FALSE;
}

/* --- frames --- */

static void
run_slice(gconstpointer data, guint i, guint8 *scratch) {
  const Frame *frame = data;
  cc_phase_run(frame->phase, &frame->phase->slices[i], frame->src, frame->dst, scratch);
}

/* For one thread, whole planes: no slice loads the rows around it again. */
static void
run_whole_planes(gconstpointer data, guint unused, guint8 *scratch) {
  const Frame *frame = data;
  const CcPhase *phase = frame->phase;
  for (guint i = 0; i < phase->n_slices;) {
    CcSlice plane = phase->slices[i++];
    while (i < phase->n_slices && phase->slices[i].plane == plane.plane)
      plane.y1 = phase->slices[i++].y1;
    cc_phase_run(phase, &plane, frame->src, frame->dst, scratch);
  }
}

/* How many threads a frame that begins now is worth. Where the last one ended just before, a thread
 * that is called stays awake for the next ones. */
static guint
count_threads(const CpuBackend *self, guint64 start) {
  const gboolean awake = start - self->end < CC_LOOK_OUT_NS;
  const guint64 worth = awake ? WORTH_AWAKE_NS : WORTH_ASLEEP_NS;
  return (guint)CLAMP(self->work / worth, 1, self->n_threads);
}

/* Takes over what the first frame of a program took, and later ones that took less. A thread that
 * loses its core for a while makes one take more, which counts little. */
static void
note_work(CpuBackend *self, guint64 work, gboolean first) {
  if (first || work < self->work)
    self->work = work;
  else
    self->work += MIN(work - self->work, self->work) / 8;
}

static CcJob *
cpu_submit(CcBackend *backend, CcProgram *base, const CcFrame *src, const CcFrame *dst,
           GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  const CcCpuProgram *program = (const CcCpuProgram *)base;
  const guint64 start = cc_now();
  gsize scratch_size = 0;
  guint64 work_ns = 0;
  for (guint p = 0; p < program->n_phases; p++)
    scratch_size = MAX(scratch_size, program->phase[p].scratch_size);
  if (!reserve(self, scratch_size, error))
    return NULL;
  const gboolean first = self->program != program;
  if (first)
    self->work = program->work;
  self->program = program;
  const guint n_threads = count_threads(self, start);
  for (guint p = 0; p < program->n_phases; p++) {
    const Frame frame = {&program->phase[p], src, dst};
    const CcWork work = {.n_slices = n_threads == 1 ? 1 : frame.phase->n_slices,
                         .n_threads = n_threads,
                         .scratch_size = scratch_size,
                         .run = n_threads == 1 ? run_whole_planes : run_slice,
                         .data = &frame};
    work_ns += cc_workers_run(&work, self->scratch.memory);
  }
  note_work(self, work_ns, first);
  self->end = cc_now();
  CcJob *job = g_new0(CcJob, 1);
  job->times.kernel = self->end - start;
  return job;
}

/* --- programs --- */

static CcProgram *
cpu_prepare(CcBackend *backend, const CcPlan *plan, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  CcCpuProgram *program =
      cc_cpu_program_new(plan, cc_cpu_variant(), MIN(self->n_threads, cc_workers_n_cores()));
  /* a change of the filter is refused now, and no frame is lost by it */
  for (guint p = 0; p < program->n_phases; p++)
    if (!reserve(self, program->phase[p].fixed_scratch, error)) {
      cc_cpu_program_free(program);
      return NULL;
    }
  program->base.steps = cc_cpu_program_explain(program);
  return &program->base;
}

static void
cpu_program_free(CcProgram *program) {
  CpuBackend *self = (CpuBackend *)program->backend;
  if (self->program == (CcCpuProgram *)program)
    self->program = NULL;
  cc_cpu_program_free((CcCpuProgram *)program);
}

/* --- the backend --- */

static CcBackend *
cpu_open(const CcBackendConfig *config, GError **error) {
  CpuBackend *self = g_new0(CpuBackend, 1);
  cc_workers_ref();
  self->n_threads =
      MIN(config->n_threads ? config->n_threads : cc_workers_n_cores(), CC_MAX_THREADS);
  self->base = (CcBackend){
      .klass = &cc_cpu_backend,
      .device_name = g_strdup_printf("%s, %u thread%s", cc_cpu_variant()->title, self->n_threads,
                                     self->n_threads == 1 ? "" : "s"),
      .device_id = -1,
      .depth = 1,
  };
  return &self->base;
}

static void
cpu_close(CcBackend *backend) {
  CpuBackend *self = (CpuBackend *)backend;
  cc_workers_unref();
  cc_scratch_clear(&self->scratch);
  g_free(self->base.device_name);
  g_free(self);
}

const CcBackendClass cc_cpu_backend = {
    .name = "cpu",
    .open = cpu_open,
    .prepare = cpu_prepare,
    .program_free = cpu_program_free,
    .submit = cpu_submit,
    .close = cpu_close,
};
