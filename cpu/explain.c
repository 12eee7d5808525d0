/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Describes the steps of a program. docs/explain.md describes the format of the lines. */

#include "lower.h"

#include "dispatch.h"
#include "engine/plan/explain.h"

static const gchar *const lane_names[CC_N_LANES] = {
    [CC_LANE_16] = "16-bit", [CC_LANE_32] = "32-bit",     [CC_LANE_64] = "64-bit",
    [CC_LANE_8] = "8-bit",   [CC_LANE_DOUBLE] = "double",
};

static const gchar *const output_names[CC_N_FINISHES] = {
    [CC_REQUANTIZE_16] = "output in 16 bits",
    [CC_REQUANTIZE_F32] = "output in float",
    [CC_REQUANTIZE_BITS] = "output by a shift",
    [CC_REQUANTIZE_SHIFTED] = "output in float of shifted sums",
    [CC_REQUANTIZE_CENTRED] = "output in float around the middle",
    [CC_REQUANTIZE_PARTS] = "output in double of three parts",
    [CC_REQUANTIZE_F64] = "output in double",
    [CC_REQUANTIZE_TURNS] = "output of an angle",
};

static const gchar *const reduce_names[CC_N_REDUCES] = {
    [CC_REDUCE_MAX] = "maximum",
    [CC_REDUCE_MAX_ABS] = "largest absolute value",
    [CC_REDUCE_SUM_ABS] = "sum of absolute values",
    [CC_REDUCE_NORM] = "root in float",
    [CC_REDUCE_NORM_DOUBLE] = "root in double",
    [CC_REDUCE_TURNS] = "angle",
};

static void
explain_memory(GString *line, const CcSweep *sweep) {
  g_string_append_printf(line, "; tiles of %u samples, %u interleaved", sweep->tile,
                         sweep->interleaved_tiles);
  if (sweep->spacing > 1)
    g_string_append_printf(line, ", %u samples apart", sweep->spacing);
  if (sweep->stride > 1)
    g_string_append_printf(line, ", one pixel of %u kept", sweep->stride);
  if (!sweep->prefetches)
    g_string_append(line, ", no prefetch");
  if (sweep->streams)
    g_string_append(line, ", streaming stores");
}

static gchar *
explain_sweep(const CcCpuProgram *program, const CcPhase *phase, const CcSweep *sweep) {
  const CcMethod *method = sweep->method;
  GString *line = g_string_new(NULL);
  cc_explain_repetition(line, phase->repetition);
  cc_explain_pass(line, sweep->plan, sweep->pass);
  if (sweep->loop == CC_LOOP_PLAIN) {
    g_string_append(line, ": the plain loop");
  } else if (method) {
    const CcOutput *output = &method->output;
    const guint bits = 8 * (guint)sweep->sample_size;
    const guint lane_bits = 8 * (guint)sweep->sample_lane_size;
    g_string_append(line, ": ");
    method->klass->explain(method, line);
    if (method->sample_lane == CC_LANE_DOUBLE)
      g_string_append_printf(line, "; %u-bit samples widened to double", bits);
    else if (lane_bits > bits)
      g_string_append_printf(line, "; %u-bit samples widened to %u bits", bits, lane_bits);
    else
      g_string_append_printf(line, "; %u-bit samples", bits);
    g_string_append_printf(line, ", %s sums", lane_names[output->lane]);
    if (output->reduces)
      g_string_append_printf(line, ", %s", reduce_names[output->reduce]);
    g_string_append_printf(line, ", %s", output_names[output->requantization]);
    explain_memory(line, sweep);
  } else if (program->rewritten && program->plan->pass[sweep->pass - sweep->plan->pass].op &&
             !sweep->pass->op) {
    g_string_append(line, ": the kernel changes nothing");
  }
  g_string_append_printf(line, "; %s", program->variant->title);
  if (method)
    g_string_append_printf(line, ", cost %.3g ms",
                           1e-9 * (gdouble)(cc_sweep_cost(sweep, sweep->width) * sweep->height));
  for (guint i = 0; i < CC_N_METHODS; i++)
    if (sweep->declined[i])
      g_string_append_printf(line, "; not %s: %s", cc_method_name(i), sweep->declined[i]);
  return g_string_free(line, FALSE);
}

static void
explain_stages(GPtrArray *lines, const CcCpuProgram *program, const CcPhase *phase,
               CcStageReads reads) {
  const guint before = lines->len;
  for (guint i = 0; i < phase->n_stages; i++) {
    const CcPhaseStage *stage = &phase->stage[i];
    if (stage->stage->reads == reads && stage->klass->explain)
      stage->klass->explain(stage->state, lines);
    else if (stage->stage->reads == reads)
      g_ptr_array_add(lines, g_strdup(stage->klass->name));
  }
  for (guint i = before; i < lines->len; i++) {
    g_autofree gchar *line = lines->pdata[i];
    lines->pdata[i] = g_strdup_printf("%s; %s", line, program->variant->title);
  }
}

static void
explain_phase(GPtrArray *lines, const CcCpuProgram *program, const CcPhase *phase) {
  const CcDeinterleaved *deinterleaved = &phase->deinterleaved;
  for (guint p = 0; phase->deinterleaves && p < phase->plan->layout.n_planes; p++)
    if (deinterleaved->load_mask >> p & 1)
      g_ptr_array_add(lines, g_strdup_printf("%s plane %u: %u rows at once; %s",
                                             phase->plan->map[p].kind == CC_PLANE_MAP_LUMA
                                                 ? "make luma of R, G and B for"
                                                 : "deinterleave",
                                             p, deinterleaved->n_rows, program->variant->title));
  for (guint i = 0; i < phase->n_sweeps; i++)
    g_ptr_array_add(lines, explain_sweep(program, phase, &phase->sweep[i]));
  explain_stages(lines, program, phase, CC_READS_PLANES);
  if (phase->deinterleaves && !phase->makes_planes && phase->kernels)
    g_ptr_array_add(lines, g_strdup_printf("interleave: %u rows at once; %s", deinterleaved->n_rows,
                                           program->variant->title));
  explain_stages(lines, program, phase, CC_READS_SOURCE);
  explain_stages(lines, program, phase, CC_READS_SAMPLES);
  explain_stages(lines, program, phase, CC_READS_PIXELS);
}

GStrv
cc_cpu_program_explain(const CcCpuProgram *program) {
  GPtrArray *lines = g_ptr_array_new();
  for (guint p = 0; p < program->n_phases; p++) {
    const CcPhase *phase = &program->phase[p];
    explain_phase(lines, phase->is_inner ? program->inner : program, phase);
  }
  g_ptr_array_add(lines, NULL);
  return (GStrv)g_ptr_array_free(lines, FALSE);
}
