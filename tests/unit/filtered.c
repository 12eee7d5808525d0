/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/filtered.h"

#include "plugin/backends.h"
#include "cpu/isa.h"

GuardedFrame *
filtered_region_new(const CcFilter *filter, const CcRegion *region, const gchar *variant,
                    guint n_threads, const GuardedFrame *src) {
  const CcBackendConfig config = {
      .choice = CC_BACKEND_CPU, .device_id = -1, .n_threads = n_threads};
  g_autoptr(GError) error = NULL;
  gchar *message = NULL;
  CcTimes times;
  CcBackend *backend = cc_backend_open(&config, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(cc_cpu_set_variant(variant));
  g_autoptr(CcPlan) plan = cc_plan_new(filter, &src->layout, &error);
  g_assert_no_error(error);
  CcProgram *program = cc_backend_prepare(backend, plan, &error);
  g_assert_no_error(error);
  GuardedFrame *dst = guarded_frame_new(&plan->out_frame_layout, PLACEMENT_ODD);
  const CcSubmitInfo info = {
      .src = src->frame, .dst = dst->frame, .regions = region, .n_regions = 1};
  CcSubmission *submission = cc_backend_submit(backend, program, &info, &error);
  g_assert_no_error(error);
  g_assert_true(cc_backend_wait(backend, submission, &times, &error));
  guarded_frame_intact(dst, &message);
  g_assert_cmpstr(message, ==, NULL);
  cc_program_unref(program);
  cc_backend_close(backend);
  g_assert_true(cc_cpu_set_variant(NULL));
  return dst;
}

GuardedFrame *
filtered_frame_new(const CcFilter *filter, const gchar *variant, guint n_threads,
                   const GuardedFrame *src) {
  const CcRegion whole = cc_frame_layout_region(&src->layout);
  return filtered_region_new(filter, &whole, variant, n_threads, src);
}
