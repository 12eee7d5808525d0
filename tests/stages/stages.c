/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Filters frames with the stages of tests on a backend, with different regions in every frame. The
 * expected result is the CPU's result without the stages, to which the test applies the stages
 * itself. With --session a session filters the frames, so that a device may fail meanwhile.
 * --failover runs that once for each of many failures, which FAKE_CUDA sets in the stand-in for the
 * driver. */

#include "engine/error.h"
#include "engine/run/session.h"
#include "plugin/backends.h"
#include "teststages.h"
#include "tests/ref/formats.h"
#include "tests/ref/guarded.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REGIONS 6
#define N_FRAMES 8 /* of a session */

static gchar *backend_name;
static gint n_cases = 150, seed = 1, n_threads;
static gboolean is_session, is_failover;

static const GOptionEntry entries[] = {
    {"backend", 0, 0, G_OPTION_ARG_STRING, &backend_name, "cpu or cuda", "NAME"},
    {"cases", 0, 0, G_OPTION_ARG_INT, &n_cases, "How many filters, each with some frames", "N"},
    {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of all random numbers", "N"},
    {"threads", 0, 0, G_OPTION_ARG_INT, &n_threads, "Of the CPU; 0: one to 7 in turn", "N"},
    {"session", 0, 0, G_OPTION_ARG_NONE, &is_session, "Frames of a session", NULL},
    {"failover", 0, 0, G_OPTION_ARG_NONE, &is_failover, "Sessions whose devices fail", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static GRand *numbers;

static guint
draw(guint min, guint max) {
  return (guint)g_rand_int_range(numbers, (gint)min, (gint)max + 1);
}

/* --- cases --- */

typedef struct {
  const TestFormat *format;
  CcFrameLayout layout;
  CcFilter filter;
  const TestStages *stages;
  CcPlan *plan, *without; /* `without` has no stages */
  /* plans that run in some regions of a submission in place of `plan`: another kernel, and what
   * lies outside of all regions */
  CcPlan *other, *outside;
} Case;

/* The programs of a case on a backend. */
typedef struct {
  CcProgram *filter, *other, *outside;
} Programs;

static CcPlan *
make_plan(const Case *c, const TestStages *stages) {
  g_autoptr(GError) error = NULL;
  cc_plan_append_stages(stages->stage, stages->n);
  CcPlan *plan = cc_plan_new(&c->filter, &c->layout, &error);
  cc_plan_append_stages(NULL, 0);
  g_assert_no_error(error);
  return plan;
}

static void
make_plans(Case *c) {
  CcFilter other = {.kernel = cc_kernels_find("box"), .size = 5, .stride = c->filter.stride};
  c->plan = make_plan(c, c->stages);
  c->without = make_plan(c, &test_stages[0]);
  c->other = cc_plan_new(&other, &c->layout, NULL);
  c->outside = cc_plan_new_outside(&c->filter, &c->layout);
}

static void
draw_case(Case *c, guint number) {
  static const gchar *const kernels[] = {"gaussian", "box", "sobel", "sharpen", "laplacian"};
  const guint n_stages = 5;
  c->format = &test_formats[number % test_formats_count()];
  c->layout = test_format_layout(c->format, draw(1, draw(0, 3) ? 90 : 9), draw(1, 60), draw(0, 1));
  c->stages = &test_stages[draw(0, 9) ? draw(1, n_stages - 1) : 0];
  c->filter = (CcFilter){.kernel = cc_kernels_find(kernels[draw(0, G_N_ELEMENTS(kernels) - 1)]),
                         .size = 2 * draw(0, 4) + 1,
                         .border = draw(0, CC_N_BORDERS - 1),
                         .border_value = 0.3,
                         .alpha = draw(0, CC_ALPHA_OPAQUE),
                         .chroma = draw(0, CC_N_CHROMAS - 1),
                         .color = draw(0, CC_N_COLORS - 1),
                         .stride = 1u << (draw(0, 1) * draw(0, 2)),
                         .outside = draw(0, CC_N_OUTSIDES - 1)};
  if (g_str_equal(c->filter.kernel->name, "sobel") && draw(0, 3) == 0)
    c->filter.response = CC_RESPONSE_DIRECTION;
  if (c->filter.stride == 1 && c->filter.response != CC_RESPONSE_DIRECTION && draw(0, 2) == 0)
    c->filter.repeats = draw(2, CC_MAX_REPEATS);
  make_plans(c);
}

static void
clear_case(Case *c) {
  cc_plan_unref(c->plan);
  cc_plan_unref(c->without);
  cc_plan_unref(c->other);
  cc_plan_unref(c->outside);
}

/* `plan` is that of the filter. */
static void
prepare(Programs *programs, CcBackend *backend, const Case *c, CcPlan *plan) {
  g_autoptr(GError) error = NULL;
  programs->filter = cc_backend_prepare(backend, plan, &error);
  g_assert_no_error(error);
  programs->other = cc_backend_prepare(backend, c->other, &error);
  g_assert_no_error(error);
  programs->outside = cc_backend_prepare(backend, c->outside, &error);
  g_assert_no_error(error);
}

static void
clear_programs(Programs *programs) {
  cc_program_unref(programs->filter);
  cc_program_unref(programs->other);
  cc_program_unref(programs->outside);
}

/* --- frames --- */

typedef struct {
  CcSessionFrame base; /* of a session */
  GuardedFrame *src, *dst, *expected;
  gboolean in_place; /* `dst` is the source too */
  gboolean by_fields;
  CcRegion region[MAX_REGIONS + 1];
  /* the program of each region, as its offset in Programs; a session chooses them itself */
  gsize program[MAX_REGIONS + 1];
  CcProgram *programs[MAX_REGIONS + 1];
  guint n_regions;
  guint64 count[3 * (MAX_REGIONS + 1)], expected_count[3 * (MAX_REGIONS + 1)];
  CcSubmitInfo submission;
  TestDeviceFrame *device_src, *device_dst; /* NULL: the frame is in host memory */
} Frame;

/* Draws up to six regions, or the whole frame. */
static void
draw_regions(Frame *frame, const Case *c) {
  const guint wanted = draw(0, 3) ? draw(1, MAX_REGIONS) : 0, stride = c->filter.stride;
  const guint width = c->layout.plane[0].width, height = c->layout.plane[0].height;
  frame->n_regions = 0;
  for (guint i = 0; i < wanted; i++) {
    CcRoi roi;
    const guint unit = c->layout.plane[0].has_macropixels ? 2 * stride : 1;
    roi.source = (CcRect){draw(0, width - 1) / unit * unit, draw(0, height - 1),
                          draw(1, width) * unit, draw(1, height)};
    roi.target_set = draw(0, 1);
    roi.target_x = draw(0, (width - 1) / stride) / 2 * 2;
    roi.target_y = draw(0, (height - 1) / stride);
    if (cc_roi_find_region(&roi, stride, &c->layout, &frame->region[frame->n_regions], NULL))
      frame->n_regions++;
  }
  if (frame->n_regions == 0) {
    frame->region[0] = cc_frame_layout_region(&c->layout);
    frame->n_regions = 1;
  }
}

/* Draws the programs of the regions. Sometimes adds the region outside before all others. */
static void
draw_programs(Frame *frame, const Case *c) {
  const gboolean mixed = draw(0, 1);
  for (guint i = 0; i < frame->n_regions; i++)
    frame->program[i] =
        mixed && draw(0, 1) ? offsetof(Programs, other) : offsetof(Programs, filter);
  if (frame->in_place || draw(0, 1))
    return;
  memmove(frame->region + 1, frame->region, frame->n_regions * sizeof *frame->region);
  memmove(frame->program + 1, frame->program, frame->n_regions * sizeof *frame->program);
  frame->region[0] = cc_frame_layout_region(&c->layout);
  frame->program[0] = offsetof(Programs, outside);
  frame->n_regions++;
}

static CcProgram *
program_of(const Programs *programs, const Frame *frame, guint i) {
  return G_STRUCT_MEMBER(CcProgram *, programs, frame->program[i]);
}

/* Sets the programs of the submission. */
static void
set_programs(Frame *frame, const Programs *programs) {
  for (guint i = 0; i < frame->n_regions; i++)
    frame->programs[i] = program_of(programs, frame, i);
  frame->submission.programs = frame->programs;
}

/* Filters a region of a frame on the CPU, without the stages. */
static void
filter_region(CcBackend *cpu, CcProgram *program, const Frame *frame, const CcRegion *region) {
  const CcSubmitInfo submission = {.src = frame->src->frame,
                                   .dst = frame->expected->frame,
                                   .by_fields = frame->by_fields,
                                   .regions = region,
                                   .n_regions = 1};
  g_autoptr(GError) error = NULL;
  CcTimes times;
  CcSubmission *submitted = cc_backend_submit(cpu, program, &submission, &error);
  g_assert_no_error(error);
  g_assert_true(cc_backend_wait(cpu, submitted, &times, NULL));
}

/* Makes a frame with its regions and the expected result. A session also writes the pixels outside
 * of the regions. */
static Frame *
frame_new(CcBackend *cpu, const Programs *programs, const Case *c, gboolean in_session) {
  Frame *frame = g_new0(Frame, 1);
  frame->src = guarded_frame_new(&c->layout, draw(0, PLACEMENT_COUNT - 1));
  frame->dst = guarded_frame_new(&c->plan->out_frame_layout, draw(0, PLACEMENT_COUNT - 1));
  frame->expected = guarded_frame_new(&c->plan->out_frame_layout, PLACEMENT_ALIGNED);
  guarded_frame_draw(frame->src, draw(0, PATTERN_COUNT - 1), numbers);
  frame->in_place = c->filter.stride == 1 && draw(0, 2) == 0;
  frame->by_fields = c->filter.stride == 1 && draw(0, 1);
  if (frame->in_place)
    guarded_frame_copy(frame->expected, frame->src);
  else
    guarded_frame_draw(frame->expected, PATTERN_RANDOM, numbers);
  guarded_frame_copy(frame->dst, frame->expected);
  if (in_session && !frame->in_place)
    oracle_outside(&c->filter, &c->layout, &frame->src->frame, &frame->expected->frame);
  draw_regions(frame, c);
  if (in_session)
    memset(frame->program, 0, sizeof frame->program);
  else
    draw_programs(frame, c);
  for (guint i = 0; i < frame->n_regions; i++) {
    filter_region(cpu, program_of(programs, frame, i), frame, &frame->region[i]);
    if (frame->program[i] == offsetof(Programs, filter))
      test_stages_apply(c->stages, c->without, &frame->region[i], frame->by_fields,
                        &frame->src->frame, &frame->expected->frame,
                        &frame->expected_count[i * c->stages->n]);
  }
  frame->submission = (CcSubmitInfo){.src = frame->in_place ? frame->dst->frame : frame->src->frame,
                                     .in_place = frame->in_place,
                                     .by_fields = frame->by_fields,
                                     .dst = frame->dst->frame,
                                     .regions = frame->region,
                                     .n_regions = frame->n_regions,
                                     .results = c->stages->n ? frame->count : NULL};
  return frame;
}

static void
frame_free(Frame *frame) {
  guarded_frame_free(frame->src);
  guarded_frame_free(frame->dst);
  guarded_frame_free(frame->expected);
  g_free(frame->base.results);
  g_free(frame);
}

#ifdef TEST_STAGES_ON_GPU
/* Sometimes moves one side of the frame, or both, to memory that the device can access. */
static void
move_to_device(Frame *frame, CcDevice *device) {
  static const CcMemoryKind kinds[] = {CC_MEMORY_HOST, CC_MEMORY_PINNED, CC_MEMORY_DEVICE};
  const CcMemoryKind from = kinds[draw(0, 2)], to = kinds[draw(0, 2)];
  if (from != CC_MEMORY_HOST && !frame->in_place) {
    frame->device_src = test_device_frame_new(device, &frame->src->layout, from, draw(0, 1));
    test_device_frame_copy(frame->device_src, &frame->src->frame, TRUE);
    frame->submission.src = *test_device_frame_get(frame->device_src);
  }
  if (to != CC_MEMORY_HOST) {
    frame->device_dst = test_device_frame_new(device, &frame->dst->layout, to, draw(0, 1));
    test_device_frame_copy(frame->device_dst, &frame->dst->frame, TRUE);
    frame->submission.dst = *test_device_frame_get(frame->device_dst);
    if (frame->in_place)
      frame->submission.src = frame->submission.dst;
  }
}

/* Copies the result back. */
static void
move_from_device(Frame *frame) {
  if (frame->device_dst)
    test_device_frame_copy(frame->device_dst, &frame->dst->frame, FALSE);
  g_clear_pointer(&frame->device_src, test_device_frame_free);
  g_clear_pointer(&frame->device_dst, test_device_frame_free);
}
#else
static void
move_to_device(Frame *frame, CcDevice *device) {
}

static void
move_from_device(Frame *frame) {
}
#endif

/* Compares a frame with the expected one. FALSE: it differs, and the difference is printed. */
static gboolean
judge(const Frame *frame, const Case *c, gconstpointer count) {
  const gsize size = frame->n_regions * c->stages->n * sizeof(guint64);
  g_autofree gchar *why = NULL;
  if (!frames_match(&frame->dst->layout, &frame->expected->frame, &frame->dst->frame, NULL, &why) ||
      !guarded_frame_intact(frame->dst, &why))
    ;
  else if (size && memcmp(count, frame->expected_count, size) != 0)
    why = g_strdup_printf("counts: %" G_GUINT64_FORMAT " and not %" G_GUINT64_FORMAT,
                          ((const guint64 *)count)[0], frame->expected_count[0]);
  else
    return TRUE;
  g_autofree gchar *plan = cc_plan_describe(c->plan);
  g_print("FAILED: %s of %ux%u, %s, %u regions%s, border %d, stages: %s: %s\n", c->format->name,
          c->layout.plane[0].width, c->layout.plane[0].height, plan, frame->n_regions,
          frame->by_fields ? " by fields" : "", c->filter.border, c->stages->name, why);
  return FALSE;
}

/* --- on a backend --- */

/* Filters frames with as many under way as the backend allows, twice. The second round must not
 * increase the memory that is kept. */
static guint
run_case(CcBackend *backend, CcBackend *cpu, const Case *c) {
  g_autoptr(GError) error = NULL;
  Programs programs, without;
  prepare(&programs, backend, c, c->plan);
  prepare(&without, cpu, c, c->without);
  const guint n = backend->depth == 1 ? 3 : MIN(backend->depth, 4);
  guint n_failed = 0;
  for (guint round = 0; round < 2; round++) {
    Frame *frame[CC_MAX_SUBMISSIONS];
    CcSubmission *submitted[CC_MAX_SUBMISSIONS];
    for (guint i = 0; i < n; i++) {
      frame[i] = frame_new(cpu, &without, c, FALSE);
      set_programs(frame[i], &programs);
      if (backend->device)
        move_to_device(frame[i], backend->device);
    }
    for (guint i = 0, waited = 0; waited < n;) {
      CcTimes times;
      for (; i < n && i - waited < backend->depth; i++) {
        submitted[i] = cc_backend_submit(backend, programs.filter, &frame[i]->submission, &error);
        g_assert_no_error(error);
      }
      cc_backend_wait(backend, submitted[waited++], &times, &error);
      g_assert_no_error(error);
    }
    for (guint i = 0; i < n; i++) {
      move_from_device(frame[i]);
      n_failed += !judge(frame[i], c, frame[i]->count);
      frame_free(frame[i]);
    }
  }
  clear_programs(&without);
  clear_programs(&programs);
  return n_failed;
}

/* --- memory --- */

/* Replaces the C library's functions, unless a sanitizer replaces them. */
#if defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&                 \
    !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
static guint n_allocations;
static size_t fails_from = G_MAXSIZE; /* aligned_alloc fails from this many bytes on */

void *
malloc(size_t size) {
  g_atomic_int_inc(&n_allocations);
  return __libc_malloc(size);
}

void *
calloc(size_t n, size_t size) {
  g_atomic_int_inc(&n_allocations);
  return __libc_calloc(n, size);
}

void *
realloc(void *memory, size_t size) {
  g_atomic_int_inc(&n_allocations);
  return __libc_realloc(memory, size);
}

void *
aligned_alloc(size_t align, size_t size) {
  g_atomic_int_inc(&n_allocations);
  return size >= fails_from ? NULL : __libc_memalign(align, size);
}
#else
static guint n_allocations;
static size_t fails_from;
#endif

/* Submits frames with lists of regions that change every time. They must not allocate more memory
 * than frames without lists. */
static guint
check_allocations(CcBackend *backend) {
  enum { N_FIRST = 20, N_LISTS = 40, N_LONGEST = 60 };
  Case c = {.layout = test_format_layout(test_format_find("NV12"), 640, 480, FALSE),
            .filter = {.kernel = cc_kernels_find("gaussian"), .stride = 1},
            .stages = &test_stages[4]};
  make_plans(&c);
  g_autoptr(GError) error = NULL;
  CcProgram *program = cc_backend_prepare(backend, c.plan, &error);
  g_assert_no_error(error);
  g_autoptr(GuardedFrame) src = guarded_frame_new(&c.layout, PLACEMENT_ALIGNED);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&c.layout, PLACEMENT_ALIGNED);
  static guint64 results[3 * N_LONGEST];
  guint taken[2] = {0}, kept = 0, n_failed = 0;
  for (guint i = 0; i < 2 * N_LISTS + N_FIRST; i++) {
    const CcRegion whole = cc_frame_layout_region(&c.layout);
    CcRegion list[N_LONGEST];
    const gboolean is_list = i % 2;
    const gboolean is_first = i < N_FIRST; /* the longest lists and largest regions */
    const guint n = is_first ? N_LONGEST : draw(1, N_LONGEST);
    for (guint k = 0; k < n; k++) {
      list[k] = (CcRegion){.source = {draw(0, 500), draw(0, 400), 100, 70}};
      if (!is_first) {
        list[k].source.width = draw(1, 100);
        list[k].source.height = draw(1, 70);
      }
      list[k].target_x = list[k].source.x;
      list[k].target_y = list[k].source.y;
    }
    const CcSubmitInfo submission = {.src = src->frame,
                                     .dst = dst->frame,
                                     .regions = is_list ? list : &whole,
                                     .n_regions = is_list ? n : 1,
                                     .results = results};
    CcTimes times;
    const guint before = (guint)g_atomic_int_get(&n_allocations);
    CcSubmission *submitted = cc_backend_submit(backend, program, &submission, &error);
    g_assert_no_error(error);
    g_assert_true(cc_backend_wait(backend, submitted, &times, NULL));
    if (i >= N_FIRST)
      taken[is_list] += (guint)g_atomic_int_get(&n_allocations) - before;
    if (i == N_FIRST)
      kept = (guint)cc_backend_kept_bytes(backend);
  }
  /* a thread that runs for the first time allocates; the stand-in for the driver allocates in every
   * call */
  if (!backend->klass->has_device && taken[1] > taken[0] + N_LISTS / 4) {
    g_print("FAILED: %u allocations in %u frames with lists, %u in others\n", taken[1], N_LISTS,
            taken[0]);
    n_failed++;
  }
  /* results may grow a little */
  if (cc_backend_kept_bytes(backend) > kept + 2 * sizeof results) {
    g_print("FAILED: %" G_GSIZE_FORMAT " bytes are kept, and %u before\n",
            cc_backend_kept_bytes(backend), kept);
    n_failed++;
  }
  cc_program_unref(program);
  clear_case(&c);
  return n_failed;
}

/* Planes between two stages count as kept memory, and a trim frees them. If they cannot be
 * allocated the frame is refused, and later frames are not. */
static guint
check_planes(CcBackend *backend) {
  Case c = {.format = test_format_find("GRAY8"),
            .layout = test_format_layout(test_format_find("GRAY8"), 640, 480, FALSE),
            .filter = {.kernel = cc_kernels_find("gaussian"), .stride = 1},
            .stages = &test_stages[1]};
  make_plans(&c);
  g_autoptr(GError) error = NULL;
  Programs programs, without;
  prepare(&programs, backend, &c, c.plan);
  prepare(&without, backend, &c, c.without);
  Frame *frame = frame_new(backend, &without, &c, FALSE);
  /* only the program of the filter has planes, and a frame in place needs more memory */
  while (frame->in_place || frame->program[frame->n_regions - 1] != 0) {
    frame_free(frame);
    frame = frame_new(backend, &without, &c, FALSE);
  }
  set_programs(frame, &programs);
  CcTimes times;
  cc_backend_trim(backend);
  g_assert_cmpuint(cc_backend_kept_bytes(backend), ==, 0);
  if (n_allocations > 0) {
    fails_from = 640 * 480;
    g_assert_null(cc_backend_submit(backend, programs.filter, &frame->submission, &error));
    g_assert_error(error, CC_ERROR, CC_ERROR_NO_MEMORY);
    g_assert_cmpuint(cc_backend_kept_bytes(backend), ==, 0);
    fails_from = G_MAXSIZE;
    g_clear_error(&error);
  }
  CcSubmission *submitted = cc_backend_submit(backend, programs.filter, &frame->submission, &error);
  g_assert_no_error(error);
  g_assert_true(cc_backend_wait(backend, submitted, &times, NULL));
  const guint n_failed = judge(frame, &c, frame->count) ? 0 : 1;
  g_assert_cmpuint(cc_backend_kept_bytes(backend), >=, 640 * 480);
  g_assert_cmpuint(cc_backend_kept_bytes(backend), <, 640 * 480 * 3 / 2);
  cc_backend_trim(backend);
  g_assert_cmpuint(cc_backend_kept_bytes(backend), ==, 0);
  frame_free(frame);
  clear_programs(&without);
  clear_programs(&programs);
  clear_case(&c);
  return n_failed;
}

/* --- in a session --- */

static gboolean
frame_map(CcSessionFrame *base, const CcPlan *plan, CcDevice *device, GError **error) {
  Frame *frame = (Frame *)base;
  base->in = base->in_place ? frame->dst->frame : frame->src->frame;
  base->out = frame->dst->frame;
  return TRUE;
}

static void
frame_unmap(CcSessionFrame *base) {
}

static void
free_session_frame(CcSessionFrame *base) {
  frame_free((Frame *)base);
}

static guint
take_frame(CcSession *session, const Case *c) {
  g_autoptr(GError) error = NULL;
  Frame *frame = (Frame *)cc_session_take(session, &error);
  g_assert_no_error(error);
  const gboolean ok = judge(frame, c, frame->base.results);
  frame_free(frame);
  return ok ? 0 : 1;
}

/* Filters frames in a session that may continue without the device. Prints the backend on which it
 * ends. */
static int
run_session(void) {
  static const CcSessionFrameClass klass = {frame_map, frame_unmap, free_session_frame};
  const CcBackendConfig config = {.device_id = -1}, on_cpu = {.choice = CC_BACKEND_CPU};
  CcBackend *cpu = cc_backend_open(&on_cpu, NULL, NULL);
  CcSession *session = cc_session_new(cc_backend_open, NULL, NULL);
  g_auto(CcSessionStats) stats = {0};
  g_autoptr(GError) error = NULL;
  guint n_failed = 0;
  g_assert_true(cc_session_open(session, &config, &error));
  for (guint i = 0; i < (guint)n_cases; i++) {
    Case c;
    draw_case(&c, i);
    cc_session_begin(session);
    cc_plan_append_stages(c.stages->stage, c.stages->n);
    cc_session_set_filter(session, &c.filter, &c.layout, &error);
    cc_plan_append_stages(NULL, 0);
    g_assert_no_error(error);
    Programs without;
    prepare(&without, cpu, &c, c.without);
    for (guint f = 0; f < N_FRAMES; f++) {
      Frame *frame = frame_new(cpu, &without, &c, TRUE);
      frame->base.klass = &klass;
      frame->base.in_place = frame->in_place;
      frame->base.by_fields = frame->by_fields;
      frame->base.regions = frame->region;
      frame->base.n_regions = frame->n_regions;
      cc_session_submit(session, &frame->base, &error);
      g_assert_no_error(error);
      while (cc_session_n_in_flight(session) >= cc_session_capacity(session))
        n_failed += take_frame(session, &c);
    }
    while (cc_session_n_in_flight(session) > 0)
      n_failed += take_frame(session, &c);
    clear_programs(&without);
    clear_case(&c);
  }
  cc_session_get_stats(session, &stats);
  g_print("ends on %s\n", stats.backend);
  cc_session_free(session);
  cc_backend_close(cpu);
  return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* --- sessions whose devices fail --- */

/* Runs this program again with a failure. Returns whether it succeeded. */
static gboolean
run_with_failure(const gchar *program, const gchar *failure, guint number, gboolean *fell_back) {
  g_autofree gchar *seed_text = g_strdup_printf("--seed=%u", number), *out = NULL, *err = NULL;
  const gchar *argv[] = {program, "--session", "--cases=4", seed_text, NULL};
  g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "FAKE_CUDA", failure, TRUE);
  g_autoptr(GError) error = NULL;
  gint status = 0;
  g_spawn_sync(NULL, (gchar **)argv, env, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, &error);
  g_assert_no_error(error);
  *fell_back = strstr(out, "ends on cpu") != NULL;
  if (g_spawn_check_wait_status(status, NULL))
    return TRUE;
  g_print("FAILED with FAKE_CUDA=%s and %s:\n%s%s\n", failure, seed_text, out, err);
  return FALSE;
}

static int
run_failures(const gchar *program) {
  static const gchar *const calls[] = {
      "cuMemAlloc",        "cuMemHostAlloc",    "cuMemcpyHtoDAsync", "cuMemcpy2DAsync",
      "cuMemcpyDtoHAsync", "cuMemsetD8Async",   "cuLaunchKernel",    "cuLaunchKernelEx",
      "cuEventRecord",     "cuEventSynchronize"};
  static const guint codes[] = {2, 700};
  guint n_failed = 0, n_fell_back = 0, n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
    for (guint k = 0; k < G_N_ELEMENTS(codes); k++)
      for (guint at = 1; at <= 21; at += 5) {
        gboolean fell_back;
        g_autofree gchar *failure =
            g_strdup_printf("%s=%s:%u:%u", codes[k] == 2 ? "fail" : "lost", calls[i], at, codes[k]);
        n_failed += !run_with_failure(program, failure, n++, &fell_back);
        n_fell_back += fell_back;
      }
  g_print("%u failures of the device: %u sessions went on without it, %u failed\n", n, n_fell_back,
          n_failed);
  return n_failed || n_fell_back < n / 3 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* --- all --- */

static int
run_cases(CcBackendChoice choice) {
  g_autoptr(GError) error = NULL;
  const CcBackendConfig on_cpu = {.choice = CC_BACKEND_CPU, .n_threads = 1};
  CcBackend *cpu = cc_backend_open(&on_cpu, NULL, NULL);
  guint n_failed = 0;
  for (guint t = 1; t <= 7; t += 3) {
    const CcBackendConfig config = {
        .choice = choice, .device_id = -1, .n_threads = n_threads ? (guint)n_threads : t};
    CcBackend *backend = cc_backend_open(&config, NULL, &error);
    if (!backend) {
      g_print("skipped: %s\n", error->message);
      return 77;
    }
    for (guint i = 0; i < (guint)n_cases; i++) {
      Case c;
      draw_case(&c, i);
      n_failed += run_case(backend, cpu, &c);
      clear_case(&c);
    }
    n_failed += check_allocations(backend);
    if (choice == CC_BACKEND_CPU)
      n_failed += check_planes(backend);
    cc_backend_close(backend);
    if (choice != CC_BACKEND_CPU)
      break;
  }
  cc_backend_close(cpu);
  g_print("%d filters with stages of tests on %s: %u frames failed\n", n_cases,
          choice == CC_BACKEND_CPU ? "cpu" : "cuda", n_failed);
  return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
main(int argc, char **argv) {
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_autoptr(GError) error = NULL;
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("%s\n", error->message);
    return 2;
  }
  const gboolean wants_cuda = backend_name && g_str_equal(backend_name, "cuda");
  numbers = g_rand_new_with_seed((guint32)seed);
  test_stages_use_on_cpu();
  if (n_allocations == 0)
    g_print("allocations are not counted here\n");
#ifdef TEST_STAGES_ON_GPU
  test_stages_use_on_gpu();
#endif
  const int status = is_failover  ? run_failures(argv[0])
                     : is_session ? run_session()
                                  : run_cases(wants_cuda ? CC_BACKEND_CUDA : CC_BACKEND_CPU);
  g_rand_free(numbers);
  return status;
}
