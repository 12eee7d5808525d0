/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/unit/filtered.h"

#include "plugin/backends.h"
#include "cpu/isa.h"

GuardedFrame *
filtered_frame_new(const CcFilter *filter, const gchar *variant, guint n_threads,
                   const GuardedFrame *src) {
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
  CcRegion region;
  g_assert_true(cc_filter_find_region(filter, &src->layout, &region, &error));
  const CcSubmitInfo info = {src->frame, dst->frame, &region, 1, NULL};
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
