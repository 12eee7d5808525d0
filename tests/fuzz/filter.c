/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter.h"

#include "common.h"
#include "plugin/backends.h"
#include "plugin/element.h"

#define WIDTH 5
#define HEIGHT 4

#define PLANE(columns, rows, n)                                                                    \
  .width = (columns), .height = (rows), .step = (n), .type = CC_SAMPLE_U8, .depth = 8

#define NV12                                                                                       \
  {                                                                                                \
    .n_planes = 2,                                                                                 \
    .plane = {{PLANE(WIDTH, HEIGHT, 1), .role = {CC_ROLE_LUMA}},                                   \
              {PLANE((WIDTH + 1) / 2, HEIGHT / 2, 2), .role = {CC_ROLE_CB, CC_ROLE_CR}}},          \
    .limited_range = TRUE                                                                          \
  }

/* Planes of luma and interleaved chroma in limited range, as a frame and as two fields;
 * macropixels, as YUY2, with half a macropixel at the end of each row; and colors with alpha, as
 * BGRA. */
static const CcFrameLayout layouts[] = {
    NV12,
    NV12,
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

#define OF_FIELDS 1

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
run_plan(CcPlan *plan, const CcRegion *regions, guint n_regions, gboolean by_fields) {
  CcTimes times;
  CcProgram *program = cc_backend_prepare(cpu_backend(), plan, NULL);
  fuzz_check(program, "no program of a plan");
  CcFrame src = new_frame(&plan->frame_layout), dst = new_frame(&plan->out_frame_layout);
  g_autofree gpointer results = g_malloc(n_regions * program->plan->result_bytes);
  const CcSubmitInfo submission = {.src = src,
                                   .dst = dst,
                                   .regions = regions,
                                   .n_regions = n_regions,
                                   .results = results,
                                   .by_fields = by_fields};
  CcSubmission *job = cc_backend_submit(cpu_backend(), program, &submission, NULL);
  fuzz_check(job && cc_backend_wait(cpu_backend(), job, &times, NULL), "a program does not run");
  free_frame(&src);
  free_frame(&dst);
  cc_program_unref(program);
}

/* Whether there is a result, after a check of the message if there is none. */
static gboolean
succeeds(gboolean ok, const GError *error) {
  fuzz_check(ok == !error, "a result and an error, or neither");
  if (error)
    fuzz_check_text(error->message);
  return ok;
}

/* The rectangles of a region must lie inside of all planes. */
static void
check_region(const CcRegion *region, const CcPlan *plan) {
  CcRect from[CC_MAX_PLANES], to[CC_MAX_PLANES];
  const CcFrameLayout *in = &plan->frame_layout, *out = &plan->out_frame_layout;
  cc_region_place(region, in, out, plan->stride, from, to);
  for (guint p = 0; p < in->n_planes; p++) {
    fuzz_check(from[p].x + from[p].width <= cc_plane_groups(&in->plane[p]) &&
                   from[p].y + from[p].height <= in->plane[p].height,
               "plane %u is read outside of the frame", p);
    fuzz_check(to[p].x + to[p].width <= cc_plane_groups(&out->plane[p]) &&
                   to[p].y + to[p].height <= out->plane[p].height,
               "plane %u is written outside of the frame", p);
  }
}

/* Without options, the whole frame is filtered. */
static void
check_layout(const CcFilter *filter, const CcOptions *options, const CcFrameLayout *layout) {
  g_autoptr(GError) error = NULL, of_regions = NULL;
  g_autoptr(GArray) regions = g_array_new(FALSE, FALSE, sizeof(CcRegion));
  g_autoptr(CcPlan) plan = cc_plan_new(filter, layout, &error);
  if (!succeeds(plan != NULL, error))
    return;
  g_autofree gchar *text = cc_plan_describe(plan);
  fuzz_check_text(text);
  const gboolean possible =
      !options || cc_options_find_regions(options, layout, regions, &of_regions);
  if (!succeeds(possible, of_regions))
    return;
  if (regions->len == 0) {
    const CcRegion whole = cc_frame_layout_region(layout);
    g_array_append_val(regions, whole);
  }
  for (guint i = 0; i < regions->len; i++)
    check_region(&g_array_index(regions, CcRegion, i), plan);
  run_plan(plan, (const CcRegion *)regions->data, regions->len,
           layout == &layouts[OF_FIELDS] && plan->stride == 1);
}

void
fuzz_check_filter(const CcFilter *filter) {
  for (guint i = 0; i < G_N_ELEMENTS(layouts); i++)
    check_layout(filter, NULL, &layouts[i]);
}

void
fuzz_check_options(const CcOptions *options) {
  g_auto(CcFilter) filter = {0};
  cc_options_get_filter(options, &filter);
  for (guint i = 0; filter.kernel && i < G_N_ELEMENTS(layouts); i++)
    check_layout(&filter, options, &layouts[i]);
}

void
fuzz_check_options_of(GstElement *element) {
  g_auto(CcOptions) options = {0};
  cc_settings_get_options(&GST_CUDA_CONV(element)->settings, &options);
  fuzz_check_options(&options);
}
