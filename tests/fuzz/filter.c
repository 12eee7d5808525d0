/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter.h"

#include "common.h"
#include "plugin/backends.h"
#include "plugin/element.h"

#define WIDTH 5
#define HEIGHT 4

#define PLANE(columns, rows, n)                                                                    \
  .width = (columns), .height = (rows), .step = (n), .type = CC_SAMPLE_U8, .depth = 8

/* Planes of luma and interleaved chroma in limited range, as NV12; macropixels, as YUY2, with half
 * a macropixel at the end of each row; and colors with alpha, as BGRA. */
static const CcFrameLayout layouts[] = {
    {.n_planes = 2,
     .plane = {{PLANE(WIDTH, HEIGHT, 1), .role = {CC_ROLE_LUMA}},
               {PLANE((WIDTH + 1) / 2, HEIGHT / 2, 2), .role = {CC_ROLE_CB, CC_ROLE_CR}}},
     .limited_range = TRUE},
    {.n_planes = 1,
     .plane = {{PLANE(WIDTH, HEIGHT, 4),
                .role = {CC_ROLE_LUMA, CC_ROLE_CB, CC_ROLE_LUMA, CC_ROLE_CR},
                .has_macropixels = TRUE}},
     .limited_range = TRUE,
     .kr = 0.2126,
     .kb = 0.0722},
    {.n_planes = 1,
     .plane = {{PLANE(WIDTH, HEIGHT, 4),
                .role = {CC_ROLE_BLUE, CC_ROLE_GREEN, CC_ROLE_RED, CC_ROLE_ALPHA}}}},
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

/* One backend for all inputs. It keeps nothing of them but scratch memory. */
static CcBackend *
cpu_backend(void) {
  static CcBackend *cpu;
  const CcBackendConfig config = {.choice = CC_BACKEND_CPU, .device_id = -1, .n_threads = 1};
  if (!cpu)
    cpu = cc_backend_open(&config, NULL, NULL);
  return cpu;
}

static void
run_plan(CcPlan *plan, const CcRegion *region) {
  CcTimes times;
  CcProgram *program = cc_backend_prepare(cpu_backend(), plan, NULL);
  fuzz_check(program, "no program of a plan");
  CcFrame src = new_frame(&plan->frame_layout), dst = new_frame(&plan->out_frame_layout);
  const CcSubmitInfo submission = {src, dst, region, 1, NULL};
  CcSubmission *job = cc_backend_submit(cpu_backend(), program, &submission, NULL);
  fuzz_check(job && cc_backend_wait(cpu_backend(), job, &times, NULL), "a program does not run");
  free_frame(&src);
  free_frame(&dst);
  cc_program_unref(program);
}

static void
check_filter_of_layout(const CcFilter *filter, const CcFrameLayout *layout) {
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(filter, layout, &error);
  fuzz_check(!plan == !!error, "a plan and an error, or neither");
  CcRegion region;
  if (plan)
    fuzz_check(cc_filter_find_region(filter, layout, &region, &error) == !error,
               "a region and an error, or neither");
  if (error) {
    fuzz_check_text(error->message);
    return;
  }
  g_autofree gchar *text = cc_plan_describe(plan);
  fuzz_check_text(text);
  run_plan(plan, &region);
}

void
fuzz_check_filter(const CcFilter *filter) {
  for (guint i = 0; i < G_N_ELEMENTS(layouts); i++)
    check_filter_of_layout(filter, &layouts[i]);
}

void
fuzz_check_filter_of(GstElement *element) {
  CcFilter filter;
  cc_settings_get_filter(&GST_CUDA_CONV(element)->settings, &filter);
  if (filter.kernel)
    fuzz_check_filter(&filter);
  cc_filter_clear(&filter);
}
