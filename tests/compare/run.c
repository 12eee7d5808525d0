/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/run.h"

#include "cpu/cpu.h"

/* What all targets of a case share. */
typedef struct {
  const Case *c;
  CcPlan *plan;
  GuardedFrame *src, *expected;
  GBytes *src_bytes; /* of src before the first run */
  OracleTolerance tolerance;
  GuardedFrame *first; /* the first target's result */
} Trial;

gchar *
target_name(const Target *target) {
  return target->variant ? g_strdup_printf("%s/%s", target->backend->klass->name, target->variant)
                         : g_strdup(target->backend->klass->name);
}

CcProgram *
target_prepare(const Target *target, CcPlan *plan, GError **error) {
  if (target->variant)
    g_assert_true(cc_cpu_set_variant(target->variant));
  return cc_backend_prepare(target->backend, plan, error);
}

/* Keeps as many jobs under way as the backend can use, each with its own destination. */
static gboolean
run_jobs(const Target *target, CcProgram *program, const GuardedFrame *src,
         GuardedFrame *const *dst, guint n, GError **error) {
  g_autofree CcJob **jobs = g_new0(CcJob *, n);
  gboolean ok = TRUE;
  guint submitted = 0;
  for (; ok && submitted < n; submitted++) {
    jobs[submitted] =
        cc_backend_submit(target->backend, program, &src->frame, &dst[submitted]->frame, error);
    ok = jobs[submitted] != NULL;
  }
  for (guint i = 0; i < n && jobs[i]; i++) {
    CcTimes times = {0};
    ok = cc_backend_wait(target->backend, jobs[i], &times, ok ? error : NULL) && ok;
  }
  return ok;
}

/* Why a destination is not as it should be, or NULL. */
static gchar *
judge(const Trial *trial, const GuardedFrame *dst) {
  gchar *why = NULL;
  if (!frames_match(&trial->c->layout, &trial->expected->frame, &dst->frame, &trial->tolerance,
                    &why))
    return why;
  if (!guarded_frame_intact(dst, &why))
    return why;
  g_autoptr(GBytes) src_bytes = guarded_frame_snapshot(trial->src);
  if (!g_bytes_equal(trial->src_bytes, src_bytes))
    return g_strdup("the source was written to");
  if (trial->first &&
      !frames_match(&trial->c->layout, &trial->first->frame, &dst->frame, NULL, &why)) {
    gchar *longer = g_strconcat("differs from the first target: ", why, NULL);
    g_free(why);
    return longer;
  }
  return NULL;
}

/* Runs the plan on a target; why it failed, or NULL. */
static gchar *
run_target(Trial *trial, const Target *target) {
  g_autoptr(GError) error = NULL;
  CcProgram *program = target_prepare(target, trial->plan, &error);
  if (!program)
    return g_strdup_printf("prepare: %s", error ? error->message : "no error is set");
  guint n = MAX(1, target->backend->depth);
  g_autoptr(GPtrArray) dst = g_ptr_array_new_with_free_func((GDestroyNotify)guarded_frame_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(dst, guarded_frame_new(&trial->c->layout, trial->c->dst));
  gchar *why = NULL;
  if (!run_jobs(target, program, trial->src, (GuardedFrame *const *)dst->pdata, n, &error))
    why = g_strdup_printf("run: %s", error ? error->message : "no error is set");
  cc_program_unref(program);
  for (guint i = 0; i < n && !why; i++)
    why = judge(trial, g_ptr_array_index(dst, i));
  if (!why && !trial->first) {
    g_ptr_array_set_free_func(dst, NULL);
    trial->first = g_ptr_array_index(dst, 0);
    for (guint i = 1; i < n; i++)
      guarded_frame_free(g_ptr_array_index(dst, i));
  }
  return why;
}

static void
verdict_for_all(const Target *targets, guint n_targets, const gchar *why, VerdictFunc verdict,
                gpointer data) {
  for (guint i = 0; i < n_targets; i++)
    verdict(&targets[i], why, data);
}

void
run_case(const Case *c, const Target *targets, guint n_targets, VerdictFunc verdict,
         gpointer data) {
  CcFilter filter = c->filter;
  g_autoptr(GError) error = NULL;
  if (c->refused) {
    g_autoptr(CcPlan) refused = cc_plan_new(&filter, &c->layout, &error);
    if (refused || !g_error_matches(error, CC_ERROR, CC_ERROR_INVALID)) {
      verdict_for_all(targets, n_targets, "direction was not refused", verdict, data);
      return;
    }
    g_clear_error(&error);
    filter.response = CC_RESPONSE_AUTO;
  }
  Trial trial = {.c = c, .plan = cc_plan_new(&filter, &c->layout, &error)};
  if (!trial.plan) {
    verdict_for_all(targets, n_targets, error->message, verdict, data);
    return;
  }
  g_autoptr(GRand) rand = g_rand_new_with_seed(c->seed);
  trial.src = guarded_frame_new(&c->layout, c->src);
  trial.expected = guarded_frame_new(&c->layout, PLACE_ALIGNED);
  guarded_frame_draw(trial.src, c->pattern, rand);
  oracle_filter(&filter, &c->layout, &trial.src->frame, &trial.expected->frame, &trial.tolerance);
  trial.src_bytes = guarded_frame_snapshot(trial.src);
  for (guint i = 0; i < n_targets; i++) {
    g_autofree gchar *why = run_target(&trial, &targets[i]);
    verdict(&targets[i], why, data);
  }
  g_clear_pointer(&trial.first, guarded_frame_free);
  g_bytes_unref(trial.src_bytes);
  guarded_frame_free(trial.expected);
  guarded_frame_free(trial.src);
  cc_plan_unref(trial.plan);
}
