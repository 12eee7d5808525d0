/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Lowering: turns a plan and an instruction set into the phases that a frame runs. The result
 * depends on nothing else, except for what tests switch off (engine/ablation.h). A program can
 * therefore be made for any processor, but it only runs on processors with its instructions. */

#include "isa.h"
#include "phase.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

typedef struct {
  CcProgram base;
  const CcPlan *plan; /* the plan given */
  const CcVariant *variant;
  gboolean rewritten; /* `other` runs instead of `plan` */
  CcPlan other;
  guint n_phases;
  CcPhase *phase;
  gsize scratch_size; /* the largest of any phase */
  gsize planes_size;  /* for all planes between phases; a multiple of CC_ROW_ALIGN */
} CcCpuProgram;

/* Lowers `plan` for a variant. The plan must outlive the program. */
CcCpuProgram *cc_cpu_program_new(const CcPlan *plan, const CcVariant *variant);
void cc_cpu_program_free(CcCpuProgram *program);

/* Returns the steps that a frame runs, one line each; see CcProgram.steps. */
GStrv cc_cpu_program_explain(const CcCpuProgram *program);

G_END_DECLS
