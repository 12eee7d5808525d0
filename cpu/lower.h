/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The lowering: from a plan and an instruction set to the phases that a frame runs. It is a pure
 * function, but for what tests leave out: a program can be made for any processor, and run on those
 * that have the instructions. */

#include "isa.h"
#include "phase.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

typedef struct {
  CcProgram base;
  const CcPlan *plan; /* as it was given */
  const CcVariant *variant;
  gboolean rewritten; /* the plan `other` runs in place of it */
  CcPlan other;
  guint n_phases;
  CcPhase *phase;
  gsize scratch_size; /* of the phase that needs most */
  gsize planes_size;  /* of all planes between phases, a multiple of CC_ROW_ALIGN */
} CcCpuProgram;

/* Lowers `plan`, which has to outlive the program, for a variant. */
CcCpuProgram *cc_cpu_program_new(const CcPlan *plan, const CcVariant *variant);
void cc_cpu_program_free(CcCpuProgram *program);

/* What a frame runs, a line for each step; see CcProgram.steps. */
GStrv cc_cpu_program_explain(const CcCpuProgram *program);

G_END_DECLS
