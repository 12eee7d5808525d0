/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/run.h"

#include "cpu/isa.h"
#include "tests/ref/oracle_compose.h"
#include "tests/ref/oracle_measure.h"

#include <string.h>

struct _Trial {
  Case c;
  CcFilter filter; /* of the case, or a replacement for a refused one */
  CcFrameLayout out_layout;
  CcRect source[CC_MAX_PLANES];
  CcRegion region;
  gboolean is_part; /* the source or the target is not a whole frame */
  GuardedFrame *src, *expected;
  GuardedFrame *blank; /* the initial content of destinations */
  OracleTolerance tolerance;
  CcMeasured figures; /* expected, if the filter measures */
  /* while it runs */
  CcPlan *plan;               /* without an algorithm */
  GBytes *src_bytes;          /* of src before the first run */
  GuardedFrame *first;        /* the result of the first target */
  guint64 n_tolerated, n_off; /* samples of `first`, see trial_count_off() */
};

gchar *
target_name(const Target *target) {
  const gchar *backend = target->backend->klass->name;
  return g_strdup_printf("%s/%s", backend,
                         target->variant ? target->variant : cc_algorithm_name(target->algorithm));
}

CcProgram *
target_prepare(const Target *target, CcPlan *plan, GError **error) {
  if (target->variant)
    g_assert_true(cc_cpu_set_variant(target->variant));
  return cc_backend_prepare(target->backend, plan, error);
}

/* --- the oracle's part --- */

static gboolean
is_whole(const CcRect *rect, const CcPlaneLayout *plane) {
  return rect->width == cc_plane_groups(plane) && rect->height == plane->height;
}

Trial *
trial_new(const Case *c) {
  Trial *trial = g_new0(Trial, 1);
  g_autoptr(GRand) rand = g_rand_new_with_seed(c->seed);
  trial->c = *c;
  trial->filter = c->filter;
  if (c->refused)
    trial->filter.response = CC_RESPONSE_AUTO;
  trial->out_layout = oracle_out_layout(&trial->filter, &c->layout);
  trial->src = guarded_frame_new(&c->layout, c->src);
  trial->expected = guarded_frame_new(&trial->out_layout, PLACEMENT_ALIGNED);
  trial->blank = guarded_frame_new(&trial->out_layout, PLACEMENT_ALIGNED);
  guarded_frame_draw(trial->src, c->pattern, rand);
  for (guint p = 0; p < c->layout.n_planes; p++) {
    CcRect target;
    oracle_regions(&trial->filter, &c->roi, &c->layout, p, &trial->source[p], &target);
    trial->is_part = trial->is_part || !is_whole(&trial->source[p], &c->layout.plane[p]) ||
                     !is_whole(&target, &trial->out_layout.plane[p]);
  }
  if (trial->is_part) {
    guarded_frame_draw(trial->blank, PATTERN_RANDOM, rand);
    guarded_frame_copy(trial->expected, trial->blank);
  }
  oracle_filter(&trial->filter, &c->roi, &c->layout, &trial->src->frame, &trial->expected->frame,
                &trial->tolerance);
  if (trial->is_part)
    guarded_frame_poison(trial->src, trial->source, rand);
  return trial;
}

void
trial_free(Trial *trial) {
  guarded_frame_free(trial->src);
  guarded_frame_free(trial->expected);
  guarded_frame_free(trial->blank);
  g_free(trial);
}

/* --- the targets' part --- */

/* Submits a frame for each destination, as many at once as the backend can use. `results` has the
 * results of each destination. */
static gboolean
run_submissions(const Target *target, CcProgram *program, const Trial *trial,
                GuardedFrame *const *dst, guint8 *results, guint n, GError **error) {
  g_autofree CcSubmission **submissions = g_new0(CcSubmission *, n);
  g_autofree CcSubmitInfo *infos = g_new0(CcSubmitInfo, n);
  const gsize result_bytes = program->plan->result_bytes;
  gboolean ok = TRUE;
  guint submitted = 0;
  for (; ok && submitted < n; submitted++) {
    infos[submitted] = (CcSubmitInfo){.src = trial->src->frame,
                                      .dst = dst[submitted]->frame,
                                      .regions = &trial->region,
                                      .n_regions = 1};
    if (result_bytes)
      infos[submitted].results = results + submitted * result_bytes;
    submissions[submitted] = cc_backend_submit(target->backend, program, &infos[submitted], error);
    ok = submissions[submitted] != NULL;
  }
  for (guint i = 0; i < n && submissions[i]; i++) {
    CcTimes times = {0};
    ok = cc_backend_wait(target->backend, submissions[i], &times, ok ? error : NULL) && ok;
  }
  return ok;
}

/* The same, with all memory forbidden that the program must not access. */
static gboolean
run_submissions_in_bounds(const Trial *trial, const Target *target, CcProgram *program,
                          GuardedFrame *const *dst, guint8 *results, guint n, GError **error) {
  guarded_frame_forbid(trial->src, trial->source);
  for (guint i = 0; i < n; i++)
    guarded_frame_forbid(dst[i], trial->tolerance.target);
  const gboolean ok = run_submissions(target, program, trial, dst, results, n, error);
  guarded_frame_forbid(trial->src, NULL);
  for (guint i = 0; i < n; i++)
    guarded_frame_forbid(dst[i], NULL);
  return ok;
}

/* --- figures --- */

/* Memory for results, with values that are no results. */
static guint8 *
results_new(const CcPlan *plan, guint n) {
  const gsize n_bytes = n * plan->result_bytes;
  guint8 *results = g_malloc(n_bytes + 1); /* never NULL */
  memset(results, 0xa5, n_bytes);
  return results;
}

/* Compares figures with those in the results of a region. Returns what is wrong, or NULL. */
static gchar *
judge_figures(const CcPlan *plan, const CcMeasured *expected, const guint8 *results) {
  const CcStage *stage = cc_plan_get_measure(plan);
  if (!stage)
    return NULL;
  const guint64 *want = &expected->n;
  for (gsize i = 0; i < stage->result_bytes / sizeof *want; i++) {
    guint64 got;
    memcpy(&got, results + stage->result_at + i * sizeof got, sizeof got);
    if (got != want[i])
      return g_strdup_printf("figure %zu is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, i, got,
                             want[i]);
  }
  return NULL;
}

/* Runs a plan without compose on the upper and the lower part of the frame, and if there is no
 * stride also on the fields of both. The figures must be those of the frame that the target
 * made. */
static gchar *
judge_parts(const Trial *trial, const Target *target, CcProgram *program, gboolean by_fields) {
  enum { N_PARTS = 2 };
  const Case *c = &trial->c;
  const guint upper = c->height / 2 / 4 * 4; /* whole pixels of every stride and of chroma */
  const CcPlan *plan = program->plan;
  CcRoi roi[N_PARTS] = {{.source = {0, 0, c->width, upper}},
                        {.source = {0, upper, c->width, c->height - upper}}};
  CcRegion region[N_PARTS];
  g_autoptr(GError) error = NULL;
  g_autofree guint8 *results = results_new(plan, N_PARTS);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&trial->out_layout, c->dst);
  const CcSubmitInfo info = {.src = trial->src->frame,
                             .dst = dst->frame,
                             .regions = region,
                             .n_regions = N_PARTS,
                             .results = results,
                             .by_fields = by_fields};
  CcTimes times = {0};
  if (upper == 0)
    return NULL;
  for (guint i = 0; i < N_PARTS; i++)
    if (!cc_roi_find_region(&roi[i], plan->stride, &c->layout, &region[i], &error))
      return g_strdup_printf("part %u: %s", i, error->message);
  CcSubmission *submission = cc_backend_submit(target->backend, program, &info, &error);
  if (!submission || !cc_backend_wait(target->backend, submission, &times, &error))
    return g_strdup_printf("parts: %s", error->message);
  for (guint i = 0; i < N_PARTS; i++) {
    CcMeasured expected = {0};
    oracle_measure(&trial->filter, &roi[i], &c->layout, &dst->frame, &expected);
    g_autofree gchar *why = judge_figures(plan, &expected, results + i * plan->result_bytes);
    if (why)
      return g_strdup_printf("part %u%s: %s", i, by_fields ? " by fields" : "", why);
  }
  return NULL;
}

/* Returns why a destination is wrong, or NULL. */
static gchar *
judge(const Trial *trial, const GuardedFrame *dst) {
  gchar *why = NULL;
  if (!frames_match(&trial->out_layout, &trial->expected->frame, &dst->frame, &trial->tolerance,
                    &why))
    return why;
  if (!guarded_frame_intact(dst, &why))
    return why;
  g_autoptr(GBytes) src_bytes = guarded_frame_snapshot(trial->src);
  if (!g_bytes_equal(trial->src_bytes, src_bytes))
    return g_strdup("the source was written to");
  if (trial->first &&
      !frames_match(&trial->out_layout, &trial->first->frame, &dst->frame, NULL, &why)) {
    gchar *longer = g_strconcat("differs from the first target: ", why, NULL);
    g_free(why);
    return longer;
  }
  return NULL;
}

/* Runs the plan on a target. Returns why it failed, or NULL. */
static gchar *
run_plan(Trial *trial, const Target *target, CcPlan *plan) {
  g_autoptr(GError) error = NULL;
  CcProgram *program = target_prepare(target, plan, &error);
  if (!program)
    return g_strdup_printf("prepare: %s", error ? error->message : "no error is set");
  guint n = MAX(1, target->backend->depth);
  g_autoptr(GPtrArray) dst = g_ptr_array_new_with_free_func((GDestroyNotify)guarded_frame_free);
  for (guint i = 0; i < n; i++) {
    GuardedFrame *frame = guarded_frame_new(&trial->out_layout, trial->c.dst);
    g_ptr_array_add(dst, frame);
    if (trial->is_part)
      guarded_frame_copy(frame, trial->blank);
  }
  gchar *why = NULL;
  g_autofree guint8 *results = results_new(plan, n);
  if (!run_submissions_in_bounds(trial, target, program, (GuardedFrame *const *)dst->pdata, results,
                                 n, &error))
    why = g_strdup_printf("run: %s", error ? error->message : "no error is set");
  for (guint i = 0; i < n && !why; i++)
    why = judge(trial, g_ptr_array_index(dst, i));
  for (guint i = 0; i < n && !why; i++)
    why = judge_figures(plan, &trial->figures, results + i * plan->result_bytes);
  if (cc_plan_get_measure(plan) && !oracle_composes(&trial->filter))
    for (guint by_fields = 0; by_fields < (plan->stride == 1 ? 2 : 1) && !why; by_fields++)
      why = judge_parts(trial, target, program, by_fields);
  cc_program_unref(program);
  if (!why && !trial->first) {
    g_ptr_array_set_free_func(dst, NULL);
    trial->first = g_ptr_array_index(dst, 0);
    for (guint i = 1; i < n; i++)
      guarded_frame_free(g_ptr_array_index(dst, i));
  }
  return why;
}

static gboolean
runs_all_ops(CcAlgorithm algorithm, const CcPlan *plan) {
  for (guint i = 0; i < plan->n_ops; i++)
    if (!cc_algorithm_runs(algorithm, &plan->op[i]))
      return FALSE;
  return TRUE;
}

/* Prepares a plan whose algorithm cannot run it. Returns what is wrong with the refusal, or NULL.
 * The error must name exactly the algorithms that can run the kernel. */
static gchar *
judge_refusal(const Trial *trial, const Target *target, CcPlan *plan) {
  g_autoptr(GError) error = NULL;
  CcProgram *program = target_prepare(target, plan, &error);
  if (program) {
    cc_program_unref(program);
    return g_strdup("the algorithm was not refused");
  }
  if (!g_error_matches(error, CC_ERROR, CC_ERROR_INVALID))
    return g_strdup_printf("prepare: %s", error->message);
  g_autofree gchar *start = g_strdup_printf("algorithm=%s ", cc_algorithm_name(plan->algorithm));
  const gchar *list = strstr(error->message, "): ");
  if (!g_str_has_prefix(error->message, start) || !list)
    return g_strdup_printf("refused with \"%s\"", error->message);
  for (CcAlgorithm other = CC_ALGORITHM_AUTO; other < CC_N_ALGORITHMS; other++)
    if ((strstr(list, cc_algorithm_name(other)) != NULL) != runs_all_ops(other, trial->plan))
      return g_strdup_printf("%s is wrongly named or left out in \"%s\"", cc_algorithm_name(other),
                             error->message);
  return NULL;
}

static Verdict
run_target(Trial *trial, const Target *target, gchar **why) {
  CcFilter filter = trial->filter;
  filter.algorithm = target->algorithm;
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &trial->c.layout, &error);
  const gboolean runs = runs_all_ops(target->algorithm, trial->plan);
  if (!plan)
    *why = g_strdup_printf("plan: %s", error->message);
  else
    *why = runs ? run_plan(trial, target, plan) : judge_refusal(trial, target, plan);
  return *why ? VERDICT_FAILED : runs ? VERDICT_PASSED : VERDICT_REFUSED;
}

static gboolean
is_same(const CcRect *a, const CcRect *b) {
  return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height;
}

/* Makes the case's plan. Returns what is wrong with it, or NULL. */
static gchar *
make_plan(Trial *trial) {
  g_autoptr(GError) error = NULL;
  if (trial->c.refused) {
    g_autoptr(CcPlan) refused = cc_plan_new(&trial->c.filter, &trial->c.layout, &error);
    if (refused || !g_error_matches(error, CC_ERROR, CC_ERROR_INVALID))
      return g_strdup("direction was not refused");
    g_clear_error(&error);
  }
  trial->plan = cc_plan_new(&trial->filter, &trial->c.layout, &error);
  if (!trial->plan)
    return g_strdup_printf("plan: %s", error->message);
  if (!cc_frame_layout_equal(&trial->plan->out_frame_layout, &trial->out_layout))
    return g_strdup("the plan has another output layout");
  if (!cc_roi_find_region(&trial->c.roi, trial->plan->stride, &trial->c.layout, &trial->region,
                          &error))
    return g_strdup_printf("region: %s", error->message);
  CcPlacement placement;
  cc_plan_place(trial->plan, &trial->region, &placement);
  for (guint p = 0; p < trial->out_layout.n_planes; p++)
    if (!is_same(&placement.frame_source[p], &trial->source[p]) ||
        !is_same(&placement.frame_target[p], &trial->tolerance.target[p]))
      return g_strdup_printf("the plan has another region in plane %u", p);
  return NULL;
}

/* Finds the expected figures, and replaces the expected frame by the composed frame. The filtered
 * frame is made by `target` without both, and agrees with the oracle. Figures and compose have no
 * tolerance. Returns what is wrong, or NULL. */
static gchar *
complete_expected(Trial *trial, const Target *target) {
  const CcFilter plain = oracle_without_compose(&trial->filter);
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(&plain, &trial->c.layout, &error);
  if (!plan)
    return g_strdup_printf("plan: %s", error->message);
  gchar *why = run_plan(trial, target, plan);
  if (why)
    return why;
  guarded_frame_copy(trial->expected, trial->first);
  g_clear_pointer(&trial->first, guarded_frame_free);
  oracle_measure(&trial->filter, &trial->c.roi, &trial->c.layout, &trial->expected->frame,
                 &trial->figures);
  oracle_compose(&trial->filter, &trial->c.roi, &trial->c.layout, &trial->src->frame,
                 &trial->expected->frame);
  memset(trial->tolerance.limit, 0, sizeof trial->tolerance.limit);
  memset(trial->tolerance.color_component, 0, sizeof trial->tolerance.color_component);
  return NULL;
}

void
trial_run(Trial *trial, const Target *targets, guint n_targets, VerdictFunc verdict,
          gpointer data) {
  g_autofree gchar *no_plan = make_plan(trial);
  trial->src_bytes = guarded_frame_snapshot(trial->src);
  if (!no_plan && (oracle_composes(&trial->filter) || trial->filter.measure))
    no_plan = complete_expected(trial, &targets[0]);
  for (guint i = 0; i < n_targets; i++) {
    g_autofree gchar *why = NULL;
    if (no_plan)
      verdict(&targets[i], VERDICT_FAILED, no_plan, data);
    else {
      const Verdict given = run_target(trial, &targets[i], &why);
      verdict(&targets[i], given, why, data);
    }
  }
  if (trial->first)
    trial->n_off = frames_count_off(&trial->out_layout, &trial->expected->frame,
                                    &trial->first->frame, &trial->tolerance, &trial->n_tolerated);
  g_clear_pointer(&trial->first, guarded_frame_free);
  g_clear_pointer(&trial->src_bytes, g_bytes_unref);
  g_clear_pointer(&trial->plan, cc_plan_unref);
}

void
trial_count_off(const Trial *trial, guint64 *n, guint64 *n_off) {
  *n += trial->n_tolerated;
  *n_off += trial->n_off;
}
