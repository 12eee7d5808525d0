/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend.h"

#include "isa.h"
#include "program.h"
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
  CcJob base;
  guint64 time;
} CpuJob;

typedef struct {
  const CcCpuProgram *program;
  const CcFrame *src, *dst;
} Frame;

/* Makes room for the calling thread. On failure the room that there was stays, for the programs
 * that use it. */
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
  const CcCpuProgram *program = frame->program;
  cc_cpu_program_run(program, &program->slices[i], frame->src, frame->dst, scratch);
}

/* For one thread, whole planes: no slice loads the rows around it again. */
static void
run_planes(gconstpointer data, guint unused, guint8 *scratch) {
  const Frame *frame = data;
  const CcCpuProgram *program = frame->program;
  for (guint i = 0; i < program->n_slices;) {
    CcSlice plane = program->slices[i++];
    while (i < program->n_slices && program->slices[i].plane == plane.plane)
      plane.y1 = program->slices[i++].y1;
    cc_cpu_program_run(program, &plane, frame->src, frame->dst, scratch);
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
  const guint64 start = cc_now();
  const Frame frame = {(CcCpuProgram *)base, src, dst};
  const gsize scratch_size = cc_cpu_program_frame_scratch(frame.program);
  if (!reserve(self, scratch_size, error))
    return NULL;
  const gboolean first = self->program != frame.program;
  if (first)
    self->work = frame.program->work;
  self->program = frame.program;
  CcWork work = {.n_slices = frame.program->n_slices,
                 .n_threads = count_threads(self, start),
                 .scratch_size = scratch_size,
                 .run = run_slice,
                 .data = &frame};
  if (work.n_threads == 1) {
    work.n_slices = 1;
    work.run = run_planes;
  }
  note_work(self, cc_workers_run(&work, self->scratch.memory), first);
  CpuJob *job = g_slice_new0(CpuJob);
  self->end = cc_now();
  job->time = self->end - start;
  return &job->base;
}

static gboolean
cpu_wait(CcBackend *backend, CcJob *base, CcTimes *times, GError **error) {
  CpuJob *job = (CpuJob *)base;
  *times = (CcTimes){.kernel = job->time};
  g_slice_free(CpuJob, job);
  return TRUE;
}

/* --- programs --- */

static CcProgram *
cpu_prepare(CcBackend *backend, const CcPlan *plan, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  CcCpuProgram *program =
      cc_cpu_program_new(plan, cc_cpu_variant(), MIN(self->n_threads, cc_workers_n_cores()));
  if (reserve(self, program->scratch_size, error)) {
    program->base.steps = cc_cpu_program_explain(program);
    return &program->base;
  }
  cc_cpu_program_free(program);
  return NULL;
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
    .wait = cpu_wait,
    .close = cpu_close,
};
