/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter.h"

#include "common.h"
#include "backends/backends.h"
#include "plugin/element.h"

#define WIDTH 5
#define HEIGHT 4

/* Luma and chroma with black at 16, as NV12 has them. */
static const CcFrameLayout picture = {
    .n_planes = 2,
    .plane = {{.width = WIDTH,
               .height = HEIGHT,
               .step = 1,
               .type = CC_SAMPLE_U8,
               .depth = 8,
               .role = {CC_ROLE_LUMA}},
              {.width = (WIDTH + 1) / 2,
               .height = HEIGHT / 2,
               .step = 2,
               .type = CC_SAMPLE_U8,
               .depth = 8,
               .role = {CC_ROLE_CHROMA, CC_ROLE_CHROMA}}},
    .limited_range = TRUE,
};

static CcFrame
new_frame(const CcFrameLayout *layout) {
  CcFrame frame = {.memory = CC_MEMORY_HOST};
  for (guint p = 0; p < layout->n_planes; p++) {
    const gsize pitch = cc_plane_row_bytes(&layout->plane[p]);
    frame.plane[p].data = g_malloc(pitch * layout->plane[p].height);
    frame.plane[p].pitch = (gssize)pitch;
    for (gsize i = 0; i < pitch * layout->plane[p].height; i++)
      frame.plane[p].data[i] = (guint8)(i * 37);
  }
  return frame;
}

static void
free_frame(CcFrame *frame) {
  for (guint p = 0; p < CC_MAX_PLANES; p++)
    g_free(frame->plane[p].data);
}

/* One backend for all inputs: it holds nothing of theirs but room for their rows. */
static CcBackend *
cpu_backend(void) {
  static CcBackend *cpu;
  const CcBackendConfig config = {.choice = CC_BACKEND_CPU, .device_id = -1, .n_threads = 1};
  if (!cpu)
    cpu = cc_backend_open(&config, NULL, NULL);
  return cpu;
}

static void
run_plan(CcPlan *plan) {
  CcTimes times;
  CcProgram *program = cc_backend_prepare(cpu_backend(), plan, NULL);
  fuzz_check(program, "no program of a plan");
  CcFrame src = new_frame(&plan->layout), dst = new_frame(&plan->out_layout);
  CcJob *job = cc_backend_submit(cpu_backend(), program, &src, &dst, NULL);
  fuzz_check(job && cc_backend_wait(cpu_backend(), job, &times, NULL), "a program does not run");
  free_frame(&src);
  free_frame(&dst);
  cc_program_unref(program);
}

void
fuzz_check_filter(const CcFilter *filter) {
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(filter, &picture, &error);
  fuzz_check(!plan == !!error, "a plan and an error, or neither");
  if (error) {
    fuzz_check_text(error->message);
    return;
  }
  g_autofree gchar *text = cc_plan_describe(plan);
  fuzz_check_text(text);
  run_plan(plan);
}

void
fuzz_check_filter_of(GstElement *element) {
  CcFilter filter;
  cc_settings_get_filter(&GST_CUDA_CONV(element)->settings, &filter);
  if (filter.kernel)
    fuzz_check_filter(&filter);
  cc_filter_clear(&filter);
}
