/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Says what a program runs; docs/explain.md explains the lines. */

#include "program.h"
#include "engine/plan/explain.h"

static const gchar *const lane_names[CC_N_LANES] = {
    [CC_LANE_16] = "16-bit", [CC_LANE_32] = "32-bit",     [CC_LANE_64] = "64-bit",
    [CC_LANE_8] = "8-bit",   [CC_LANE_DOUBLE] = "double",
};

static const gchar *const kind_names[CC_N_BUNDLE_KINDS] = {
    [CC_BUNDLE_BYTES] = "dot products of 4 bytes",
    [CC_BUNDLE_CENTRED] = "dot products of 4 centred bytes",
    [CC_BUNDLE_WIDENED] = "dot products of 2 widened bytes",
    [CC_BUNDLE_WORDS] = "dot products of 2 words",
};

static const gchar *const output_names[CC_N_FINISHES] = {
    [CC_FINISH_16] = "output in 16 bits",
    [CC_FINISH_F32] = "output in float",
    [CC_FINISH_BITS] = "output by a shift",
    [CC_FINISH_SHIFTED] = "output in float of shifted sums",
    [CC_FINISH_CENTRED] = "output in float around the middle",
    [CC_FINISH_PARTS] = "output in double of three parts",
    [CC_FINISH_F64] = "output in double",
    [CC_FINISH_TURNS] = "output of an angle",
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
explain_patterns(GString *line, const CcWeights *weights, guint n_matrices) {
  for (guint m = 0; m < n_matrices; m++)
    g_string_append_printf(line, "%s%s", m ? ", " : "", cc_shape_name(weights[m].shape));
}

static void
explain_tap_groups(GString *line, const CcSweep *sweep) {
  const CcChoice *choice = &sweep->choice;
  const guint n = sweep->n_matrices;
  if (choice->apply && n == 2)
    g_string_append(line, "fused gradient");
  else {
    g_string_append(line, choice->apply ? "fused tap groups " : "tap groups ");
    if (choice->separable) {
      explain_patterns(line, choice->along, n);
      g_string_append(line, " horizontal, ");
    }
    explain_patterns(line, choice->over, n);
    if (choice->separable)
      g_string_append(line, " vertical");
  }
  if (choice->pairs)
    g_string_append(line, ", whole macropixels");
}

static void
explain_separable(GString *line, const CcLines *lines) {
  static const gchar *const parts[] = {"one word", "two words", "three words"};
  g_string_append_printf(line, "separable by %s, sums along a row in %s", kind_names[lines->kind],
                         parts[lines->n_parts - 1]);
  if (lines->cuts_taps)
    g_string_append(line, " of split taps");
  if (lines->over_parts < lines->n_parts)
    g_string_append(line, " added by products");
  if (lines->dropped)
    g_string_append_printf(line, ", low %u bits dropped", lines->dropped);
}

static void
explain_method(GString *line, const CcSweep *sweep) {
  const CcChoice *choice = &sweep->choice;
  if (choice->window)
    g_string_append_printf(line, "conv2d by %s, %u rows at once", kind_names[choice->window->kind],
                           choice->window->bundle);
  else if (choice->lines)
    explain_separable(line, choice->lines);
  else if (choice->means)
    g_string_append(line, choice->means->by_columns ? "box by column sums" : "box by running sums");
  else
    explain_tap_groups(line, sweep);
}

/* How many samples a tile has, and where the result goes. */
static void
explain_memory(GString *line, const CcSweep *sweep) {
  g_string_append_printf(line, "; tiles of %u samples, %u in turn", sweep->tile,
                         sweep->tiles_in_turn);
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
explain_sweep(const CcCpuProgram *program, guint i) {
  const CcSweep *sweep = &program->sweep[i];
  const CcChoice *choice = &sweep->choice;
  GString *line = g_string_new(NULL);
  cc_explain_pass(line, sweep->plan, sweep->pass);
  if (choice->loop == CC_LOOP_PLAIN)
    g_string_append(line, ": the plain loop");
  else if (choice->loop == CC_LOOP_FILTER) {
    g_string_append(line, ": ");
    explain_method(line, sweep);
    const guint bits = 8 * (guint)sweep->sample_size,
                lane_bits = 8 * (guint)sweep->sample_lane_size;
    if (choice->sample_lane == CC_LANE_DOUBLE)
      g_string_append_printf(line, "; %u-bit samples widened to double", bits);
    else if (lane_bits > bits)
      g_string_append_printf(line, "; %u-bit samples widened to %u bits", bits, lane_bits);
    else
      g_string_append_printf(line, "; %u-bit samples", bits);
    g_string_append_printf(line, ", %s sums", lane_names[choice->sum_lane]);
    if (choice->reduces)
      g_string_append_printf(line, ", %s", reduce_names[choice->reduce]);
    g_string_append_printf(line, ", %s", output_names[choice->form]);
    explain_memory(line, sweep);
  } else if (program->copies >> i & 1)
    g_string_append(line, ": the kernel changes nothing");
  g_string_append_printf(line, "; %s", program->variant->title);
  if (choice->loop == CC_LOOP_FILTER)
    g_string_append_printf(line, ", cost %.3g ms",
                           1e-9 * (gdouble)(cc_sweep_cost(sweep) * sweep->target.height));
  for (guint d = 0; d < choice->declined.n; d++)
    g_string_append_printf(line, "; not %s: %s", choice->declined.entry[d].method,
                           choice->declined.entry[d].reason);
  return g_string_free(line, FALSE);
}

static gchar *
explain_direction_color(const CcCpuProgram *program, const CcHueSweep *sweep) {
  GString *line = g_string_new(NULL);
  g_string_append_printf(
      line, "direction color, %u components of plane %u, %ux%u pixels each: ", sweep->field->n,
      sweep->field->plane, sweep->field->across, sweep->field->down);
  if (!sweep->rows)
    g_string_append(line, "the plain loop");
  else {
    g_string_append(line, "tap groups ");
    explain_patterns(line, sweep->weights, 2);
    g_string_append_printf(line, "; %s sums; tiles of %u samples", lane_names[sweep->lane],
                           sweep->tile);
  }
  g_string_append_printf(line, "; %s", program->variant->title);
  return g_string_free(line, FALSE);
}

GStrv
cc_cpu_program_explain(const CcCpuProgram *program) {
  GPtrArray *lines = g_ptr_array_new();
  const CcUnpacked *unpacked = &program->unpacked;
  for (guint p = 0; program->unpacks && p < unpacked->plan->layout.n_planes; p++)
    if (unpacked->load_mask >> p & 1)
      g_ptr_array_add(lines, g_strdup_printf("%s plane %u: %u rows at once; %s",
                                             unpacked->plan->packing[p].kind == CC_PACKING_LUMA
                                                 ? "make luma of R, G and B for"
                                                 : "deinterleave",
                                             p, unpacked->n_rows, program->variant->title));
  for (guint i = 0; i < program->n_sweeps; i++)
    g_ptr_array_add(lines, explain_sweep(program, i));
  if (program->unpacks)
    g_ptr_array_add(lines, g_strdup_printf("interleave: %u rows at once; %s", unpacked->n_rows,
                                           program->variant->title));
  for (guint i = 0; i < program->n_hue_sweeps; i++)
    g_ptr_array_add(lines, explain_direction_color(program, &program->hue_sweep[i]));
  g_ptr_array_add(lines, NULL);
  return (GStrv)g_ptr_array_free(lines, FALSE);
}
