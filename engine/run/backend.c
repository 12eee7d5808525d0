/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend.h"

void
cc_backend_close(CcBackend *self) {
  self->klass->close(self);
}

gsize
cc_backend_kept_bytes(CcBackend *self) {
  return (gsize)g_atomic_pointer_get(&self->kept_bytes);
}

void
cc_backend_add_kept_bytes(CcBackend *self, gssize bytes) {
  g_atomic_pointer_add(&self->kept_bytes, bytes);
}

void
cc_backend_trim(CcBackend *self) {
  if (self->klass->trim)
    self->klass->trim(self);
}

CcProgram *
cc_backend_prepare(CcBackend *self, CcPlan *plan, GError **error) {
  CcProgram *program = self->klass->prepare(self, plan, error);
  if (!program)
    return NULL;
  g_atomic_ref_count_init(&program->refs);
  program->backend = self;
  program->plan = cc_plan_ref(plan);
  return program;
}

CcProgram *
cc_program_ref(CcProgram *program) {
  g_atomic_ref_count_inc(&program->refs);
  return program;
}

void
cc_program_unref(CcProgram *program) {
  if (!g_atomic_ref_count_dec(&program->refs))
    return;
  CcPlan *plan = program->plan;
  g_strfreev(program->steps);
  program->backend->klass->program_free(program);
  cc_plan_unref(plan);
}

CcSubmission *
cc_backend_submit(CcBackend *self, CcProgram *program, const CcSubmitInfo *info, GError **error) {
  CcSubmission *submission = self->klass->submit(self, program, info, error);
  if (submission)
    submission->program = cc_program_ref(program);
  return submission;
}

gboolean
cc_backend_wait(CcBackend *self, CcSubmission *submission, CcTimes *times, GError **error) {
  CcProgram *program = submission->program;
  gboolean ok = TRUE;
  if (self->klass->wait) {
    ok = self->klass->wait(self, submission, times, error);
  } else {
    *times = submission->times;
    g_free(submission);
  }
  cc_program_unref(program);
  return ok;
}
