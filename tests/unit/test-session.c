/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The session alone: order, bounds, failover, moving to another context and counters, on a
 * simulated device that fails on request. The device filters with the CPU backend. */

#include "plugin/backends.h"
#include "engine/error.h"
#include "engine/run/session.h"

#include <string.h>

enum { SIDE = 9, DEPTH = 3 };

/* --- a device --- */

typedef enum { OPEN, PREPARE, SUBMIT, WAIT, N_CALLS } Call;

/* The behaviour of the device, and the calls that it got. */
static struct {
  gint fail_from[N_CALLS]; /* number of the first call that fails, from 1; 0: none */
  gint fail_count;         /* how many calls fail from there on */
  gint code;               /* error code of the failures */
  gint n_calls[N_CALLS];
  guint n_open, max_open, n_submissions, max_submissions, n_trims;
} device;

static void
reset_device(void) {
  memset(&device, 0, sizeof device);
}

/* Makes `count` calls fail, from number `from` on. */
static void
fail_calls(Call call, gint from, gint count, gint code) {
  device.fail_from[call] = from;
  device.fail_count = count;
  device.code = code;
}

static gboolean
call_works(Call call, GError **error) {
  const gint n = ++device.n_calls[call], first = device.fail_from[call];
  if (first == 0 || n < first || n >= first + device.fail_count)
    return TRUE;
  g_set_error(error, CC_ERROR, device.code, "call %d of kind %d failed", n, call);
  return FALSE;
}

typedef struct {
  CcBackend base;
  CcBackend *cpu;
  CcDevice device;
} TestBackend;

typedef struct {
  CcProgram base;
  CcProgram *cpu;
} TestProgram;

typedef struct {
  CcSubmission base;
  TestProgram *program;
  const CcSubmitInfo *info;
} TestSubmission;

static void
device_ref(CcDevice *self) {
}

static const CcDeviceClass device_class = {.ref = device_ref, .unref = device_ref};

static CcProgram *
test_prepare(CcBackend *base, const CcPlan *plan, GError **error) {
  if (!call_works(PREPARE, error))
    return NULL;
  TestProgram *program = g_new0(TestProgram, 1);
  program->cpu = cc_backend_prepare(((TestBackend *)base)->cpu, (CcPlan *)plan, error);
  program->base.algorithm = "test";
  program->base.steps = g_strsplit("a step of the test", "\n", -1);
  g_assert_nonnull(program->cpu);
  return &program->base;
}

static void
test_program_free(CcProgram *base) {
  cc_program_unref(((TestProgram *)base)->cpu);
  g_free(base);
}

static CcSubmission *
test_submit(CcBackend *base, CcProgram *program, const CcSubmitInfo *info, GError **error) {
  if (!call_works(SUBMIT, error))
    return NULL;
  TestSubmission *submission = g_new0(TestSubmission, 1);
  *submission = (TestSubmission){.program = (TestProgram *)program, .info = info};
  device.n_submissions++;
  device.max_submissions = MAX(device.max_submissions, device.n_submissions);
  g_assert_cmpuint(device.n_submissions, <=, base->depth);
  return &submission->base;
}

/* Filters the frame on the CPU. */
static void
run_submission(CcBackend *cpu, const TestSubmission *submission, CcTimes *times) {
  CcSubmitInfo info = *submission->info;
  g_autofree CcProgram **programs = g_new(CcProgram *, info.n_regions);
  for (guint i = 0; i < info.n_regions; i++) {
    CcProgram *program = cc_submit_info_program(&info, &submission->program->base, i);
    programs[i] = ((TestProgram *)program)->cpu;
  }
  info.programs = programs;
  cc_backend_wait(cpu, cc_backend_submit(cpu, submission->program->cpu, &info, NULL), times, NULL);
}

/* A submission that fails leaves garbage in its target. */
static gboolean
test_wait(CcBackend *base, CcSubmission *base_submission, CcTimes *times, GError **error) {
  TestSubmission *submission = (TestSubmission *)base_submission;
  const gboolean ok = call_works(WAIT, error);
  if (ok)
    run_submission(((TestBackend *)base)->cpu, submission, times);
  else
    memset(submission->info->dst.plane[0].data, 0xdb, SIDE);
  *times = (CcTimes){.upload = 1, .kernel = 2, .download = 3, .wait = 4};
  device.n_submissions--;
  g_free(submission);
  return ok;
}

static void
test_trim(CcBackend *self) {
  g_assert_cmpuint(device.n_submissions, ==, 0);
  device.n_trims++;
}

static void
test_close(CcBackend *base) {
  g_assert_cmpuint(device.n_submissions, ==, 0);
  cc_backend_close(((TestBackend *)base)->cpu);
  g_free(base->device_name);
  g_free(base);
  device.n_open--;
}

static CcBackend *test_open(const CcBackendConfig *config, GError **error);

static const CcBackendClass test_class = {
    .name = "cuda",
    .has_device = TRUE,
    .open = test_open,
    .prepare = test_prepare,
    .program_free = test_program_free,
    .submit = test_submit,
    .wait = test_wait,
    .trim = test_trim,
    .close = test_close,
};

static CcBackend *
test_open(const CcBackendConfig *config, GError **error) {
  static gchar primary; /* the context if none is requested */
  const CcBackendConfig cpu_config = {.choice = CC_BACKEND_CPU, .n_threads = 1};
  if (!call_works(OPEN, error))
    return NULL;
  TestBackend *self = g_new0(TestBackend, 1);
  self->cpu = cc_backend_open(&cpu_config, NULL, NULL);
  self->device = (CcDevice){&device_class, config->context ? config->context->handle : &primary, 0};
  self->base = (CcBackend){.klass = &test_class,
                           .device = &self->device,
                           .device_name = g_strdup("a device"),
                           .depth = DEPTH};
  device.n_open++;
  device.max_open = MAX(device.max_open, device.n_open);
  return &self->base;
}

/* For cc_session_new: opens the simulated device where cc_backend_open would open CUDA. */
static CcBackend *
open_backend(const CcBackendConfig *config, GError **fallback, GError **error) {
  CcBackendConfig cpu = *config;
  cpu.choice = CC_BACKEND_CPU;
  if (config->choice == CC_BACKEND_CUDA && !config->no_device)
    return test_open(config, error);
  CcBackend *backend = config->no_device ? NULL : test_open(config, fallback);
  return backend ? backend : cc_backend_open(&cpu, NULL, error);
}

/* --- frames --- */

typedef struct {
  CcSessionFrame base;
  guint number;
  gboolean mapped, host_fails, device_fails;
  guint8 in[SIDE * SIDE], out[SIDE * SIDE];
} TestFrame;

static guint n_frames; /* frames that exist */

static gboolean
frame_map(CcSessionFrame *base, const CcPlan *plan, CcDevice *target, GError **error) {
  TestFrame *self = (TestFrame *)base;
  g_assert_false(self->mapped);
  if (target ? self->device_fails : self->host_fails) {
    g_set_error(error, CC_ERROR, target ? CC_ERROR_NO_MEMORY : CC_ERROR_INVALID,
                "cannot be mapped");
    return FALSE;
  }
  self->mapped = TRUE;
  base->in = (CcFrame){.plane = {{self->in, SIDE}}, .is_one_block = TRUE};
  base->out = (CcFrame){.plane = {{self->out, SIDE}}, .is_one_block = TRUE};
  base->in_path = base->out_path = target ? "by the device" : "by the CPU";
  return TRUE;
}

static void
frame_unmap(CcSessionFrame *base) {
  TestFrame *self = (TestFrame *)base;
  g_assert_true(self->mapped);
  self->mapped = FALSE;
}

static void
frame_free(CcSessionFrame *base) {
  g_assert_false(((TestFrame *)base)->mapped);
  n_frames--;
  g_free(base);
}

static TestFrame *
new_frame(guint number) {
  static const CcSessionFrameClass klass = {frame_map, frame_unmap, frame_free};
  TestFrame *self = g_new0(TestFrame, 1);
  self->base.klass = &klass;
  self->base.bytes = 10;
  self->number = number;
  for (guint i = 0; i < sizeof self->in; i++)
    self->in[i] = (guint8)((i * 37 + number * 101) ^ (i * i));
  n_frames++;
  return self;
}

/* --- the session --- */

static const CcFrameLayout layout = {
    .n_planes = 1,
    .plane = {{.width = SIDE, .height = SIDE, .step = 1, .depth = 8, .role = {CC_ROLE_GREY}}},
};

static CcFilter
filter_of(const gchar *kernel) {
  return (CcFilter){.kernel = cc_kernels_find(kernel), .stride = 1};
}

static void
set_filter(CcSession *session, const gchar *kernel) {
  const CcFilter filter = filter_of(kernel);
  g_autoptr(GError) error = NULL;
  cc_session_set_filter(session, &filter, &layout, &error);
  g_assert_no_error(error);
}

/* Copies of the emitted events, oldest first. */
typedef struct {
  CcSessionEventKind kind;
  gchar *backend, *kernel, *plan;
  GStrv steps;
  gconstpointer context; /* its handle */
} Event;

static GQueue events;

static void
free_event(gpointer data) {
  Event *event = data;
  g_free(event->backend);
  g_free(event->kernel);
  g_free(event->plan);
  g_strfreev(event->steps);
  g_free(event);
}

/* The listener. `session` points to the variable that holds the session after its creation. No lock
 * is held, and the state of the session has already changed. */
static void
store_event(gpointer session, const CcSessionEvent *event) {
  CcSession *self = *(CcSession **)session;
  g_auto(CcSessionStats) stats = {0};
  cc_session_get_stats(self, &stats);
  if (event->kind == CC_EVENT_BACKEND) {
    g_assert_cmpstr(stats.backend, ==, event->backend);
    g_assert_cmpint(cc_session_get_device(self) != NULL, ==, g_str_equal(event->backend, "cuda"));
  }
  if (event->kind == CC_EVENT_SHRUNK)
    g_assert_cmpuint(cc_session_capacity(self), ==, 1);
  Event *copy = g_new0(Event, 1);
  *copy = (Event){event->kind,
                  g_strdup(event->backend),
                  g_strdup(event->kernel),
                  g_strdup(event->plan),
                  g_strdupv((GStrv)event->steps),
                  event->context ? event->context->handle : NULL};
  g_queue_push_tail(&events, copy);
}

static CcSession *
new_session(CcBackendChoice choice) {
  static CcSession *session;
  const CcBackendConfig config = {.choice = choice, .device_id = -1, .n_threads = 1};
  g_autoptr(GError) error = NULL;
  g_queue_clear_full(&events, free_event);
  session = cc_session_new(open_backend, store_event, &session);
  cc_session_open(session, &config, &error);
  g_assert_no_error(error);
  cc_session_begin(session);
  return session;
}

/* Frees the session and checks that nothing is leaked. */
static void
free_session(CcSession *session) {
  cc_session_free(session);
  g_assert_cmpuint(n_frames, ==, 0);
  g_assert_cmpuint(device.n_open, ==, 0);
  g_queue_clear_full(&events, free_event);
}

/* Returns the oldest unread event, which must be of this kind. The caller frees it. */
static Event *
next_event(CcSessionEventKind kind) {
  Event *event = g_queue_pop_head(&events);
  g_assert_nonnull(event);
  g_assert_cmpint(event->kind, ==, kind);
  return event;
}

static void
assert_event(CcSessionEventKind kind) {
  free_event(next_event(kind));
}

static void
assert_backend_event(const gchar *backend, gconstpointer context) {
  Event *event = next_event(CC_EVENT_BACKEND);
  g_assert_cmpstr(event->backend, ==, backend);
  g_assert_true(event->context == context);
  free_event(event);
}

/* Checks that the last program runs `kernel` on `backend`, with the steps in the statistics. */
static void
assert_program_event(CcSession *session, const gchar *kernel, const gchar *backend) {
  Event *event = next_event(CC_EVENT_PROGRAM);
  g_auto(CcSessionStats) stats = {0};
  cc_session_get_stats(session, &stats);
  g_assert_cmpstr(event->kernel, ==, kernel);
  g_assert_cmpstr(event->plan, ==, stats.plan);
  g_assert_cmpstr(stats.backend, ==, backend);
  g_assert_nonnull(event->steps);
  g_assert_cmpstrv(event->steps, stats.steps);
  g_assert_cmpint(g_str_equal(event->steps[0], "a step of the test"), ==,
                  g_str_equal(backend, "cuda"));
  free_event(event);
}

static void
assert_no_event(void) {
  g_assert_cmpuint(events.length, ==, 0);
}

static void
submit(CcSession *session, guint number) {
  g_autoptr(GError) error = NULL;
  cc_session_submit(session, &new_frame(number)->base, &error);
  g_assert_no_error(error);
}

/* Takes a frame, which must be number `number`, filtered with `kernel`. */
static void
take(CcSession *session, guint number, const gchar *kernel) {
  g_autoptr(GError) error = NULL;
  TestFrame *frame = (TestFrame *)cc_session_take(session, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(frame->number, ==, number);
  g_assert_false(frame->mapped);

  const CcBackendConfig config = {.choice = CC_BACKEND_CPU, .n_threads = 1};
  CcBackend *cpu = cc_backend_open(&config, NULL, NULL);
  const CcFilter filter = filter_of(kernel);
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
  CcProgram *program = cc_backend_prepare(cpu, plan, NULL);
  TestFrame *wanted = new_frame(number);
  frame_map(&wanted->base, plan, NULL, NULL);
  CcTimes times;
  const CcRegion whole = cc_frame_layout_region(&layout);
  const CcSubmitInfo submission = {
      .src = wanted->base.in, .dst = wanted->base.out, .regions = &whole, .n_regions = 1};
  cc_backend_wait(cpu, cc_backend_submit(cpu, program, &submission, NULL), &times, NULL);
  g_assert_cmpmem(frame->out, sizeof frame->out, wanted->out, sizeof wanted->out);
  cc_program_unref(program);
  cc_backend_close(cpu);
  frame_unmap(&wanted->base);
  frame_free(&wanted->base);
  frame_free(&frame->base);
}

/* Sends frames 0 to n - 1 through the session, with the maximum in flight. */
static void
send_frames(CcSession *session, guint n) {
  guint taken = 0;
  for (guint i = 0; i < n; i++) {
    submit(session, i);
    while (cc_session_n_in_flight(session) >= cc_session_capacity(session))
      take(session, taken++, "sobel");
  }
  while (cc_session_n_in_flight(session) > 0)
    take(session, taken++, "sobel");
  g_assert_cmpuint(taken, ==, n);
}

/* --- tests --- */

static void
test_order_and_bounds(void) {
  reset_device();
  CcSession *session = new_session(CC_BACKEND_AUTO);
  g_assert_cmpuint(cc_session_capacity(session), ==, DEPTH);
  assert_backend_event("cuda", NULL);
  set_filter(session, "sobel");
  assert_program_event(session, "sobel", "cuda");
  send_frames(session, 20);
  g_assert_cmpuint(device.max_submissions, ==, DEPTH);
  assert_event(CC_EVENT_PATHS);
  assert_no_event();

  g_auto(CcSessionStats) stats = {0};
  cc_session_get_stats(session, &stats);
  g_assert_cmpstr(stats.backend, ==, "cuda");
  g_assert_cmpstr(stats.device, ==, "a device");
  g_assert_cmpstr(stats.algorithm, ==, "test");
  g_assert_cmpstr(stats.in_path, ==, "by the device");
  g_assert_cmpuint(stats.n_frames, ==, 20);
  g_assert_cmpuint(stats.n_bytes, ==, 200);
  g_assert_cmpuint(stats.times.kernel, ==, 40);
  g_assert_cmpuint(stats.n_failovers, ==, 0);
  free_session(session);
}

/* Each of the first calls of each kind fails, once or from then on. */
static void
test_failover(void) {
  static const gint codes[] = {CC_ERROR_DEVICE, CC_ERROR_NO_MEMORY};
  for (Call call = PREPARE; call < N_CALLS; call++)
    for (gint first = 1; first <= (call == PREPARE ? 1 : 8); first++)
      for (guint c = 0; c < G_N_ELEMENTS(codes); c++)
        for (gint count = 2; count <= 1000; count += 998) {
          reset_device();
          fail_calls(call, first, count, codes[c]);
          CcSession *session = new_session(CC_BACKEND_AUTO);
          assert_backend_event("cuda", NULL);
          set_filter(session, "sobel");
          send_frames(session, 12);
          g_auto(CcSessionStats) stats = {0};
          cc_session_get_stats(session, &stats);
          g_assert_cmpuint(stats.n_failovers, ==, 1);
          g_assert_cmpstr(stats.backend, ==, "cpu");
          g_assert_cmpint(stats.device_id, ==, -1);
          g_assert_cmpuint(stats.n_frames, ==, 12);
          g_assert_cmpuint(cc_session_capacity(session), ==, 1);
          free_session(session);
        }
}

/* A device that was requested by name is not replaced, and the error says what failed. */
static void
test_no_failover(void) {
  reset_device();
  fail_calls(WAIT, 2, 1000, CC_ERROR_DEVICE);
  CcSession *session = new_session(CC_BACKEND_CUDA);
  set_filter(session, "sobel");
  submit(session, 0);
  submit(session, 1);
  take(session, 0, "sobel");
  for (guint i = 0; i < 2; i++) { /* the result stays the same */
    g_autoptr(GError) error = NULL;
    g_assert_null(cc_session_take(session, &error));
    g_assert_error(error, CC_ERROR, CC_ERROR_DEVICE);
    g_assert_cmpuint(cc_session_n_in_flight(session), ==, 1);
  }
  cc_session_clear(session);
  g_assert_cmpuint(cc_session_n_in_flight(session), ==, 0);

  device.fail_from[SUBMIT] = 1;
  g_autoptr(GError) error = NULL;
  TestFrame *frame = new_frame(2);
  g_assert_false(cc_session_submit(session, &frame->base, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_DEVICE);
  frame_free(&frame->base); /* still owned by the caller */
  free_session(session);
}

/* Memory runs out once: the frames in flight finish, the frame is submitted, and later frames go
 * one by one. */
static void
test_shrinks(void) {
  reset_device();
  fail_calls(SUBMIT, 3, 1, CC_ERROR_NO_MEMORY);
  CcSession *session = new_session(CC_BACKEND_AUTO);
  assert_backend_event("cuda", NULL);
  set_filter(session, "sobel");
  assert_program_event(session, "sobel", "cuda");
  submit(session, 0);
  submit(session, 1);
  assert_event(CC_EVENT_PATHS);
  submit(session, 2);
  assert_event(CC_EVENT_SHRUNK);
  assert_no_event();
  g_assert_cmpuint(device.n_trims, ==, 1);
  g_assert_cmpuint(cc_session_capacity(session), ==, 1);
  for (guint i = 0; i < 3; i++)
    take(session, i, "sobel");
  cc_session_begin(session);
  g_assert_cmpuint(cc_session_capacity(session), ==, DEPTH);
  free_session(session);
}

/* Makes `n` calls run out of memory. The session frees its own memory before it gives up the
 * device. */
static void
run_short_of_memory(Call call, guint n, guint n_failovers) {
  reset_device();
  fail_calls(call, 2, (gint)n, CC_ERROR_NO_MEMORY);
  CcSession *session = new_session(CC_BACKEND_AUTO);
  set_filter(session, "sobel");
  submit(session, 0);
  set_filter(session, "gaussian");
  submit(session, 1);
  take(session, 0, "sobel");
  take(session, 1, "gaussian");
  g_assert_cmpuint(device.n_trims, ==, 1);
  g_auto(CcSessionStats) stats = {0};
  cc_session_get_stats(session, &stats);
  g_assert_cmpuint(stats.n_failovers, ==, n_failovers);
  free_session(session);
}

static void
test_short_of_memory(void) {
  run_short_of_memory(SUBMIT, 1, 0);
  run_short_of_memory(SUBMIT, 2, 1);
  run_short_of_memory(PREPARE, 1, 0);
  run_short_of_memory(PREPARE, 2, 1);
}

/* The CPU filters the frames in flight. If the device was requested explicitly, nothing changes. */
static void
test_gives_up_device(void) {
  reset_device();
  g_autoptr(GError) error = NULL;
  CcSession *session = new_session(CC_BACKEND_AUTO);
  set_filter(session, "sobel");
  submit(session, 0);
  submit(session, 1);
  g_assert_true(cc_session_give_up_device(session, "no room", &error));
  g_assert_no_error(error);
  g_assert_null(cc_session_get_device(session));
  take(session, 0, "sobel");
  take(session, 1, "sobel");
  g_assert_false(cc_session_give_up_device(session, "no room", &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_NO_MEMORY);
  free_session(session);

  session = new_session(CC_BACKEND_CUDA);
  set_filter(session, "sobel");
  submit(session, 0);
  g_assert_false(cc_session_give_up_device(session, "no room", NULL));
  g_assert_nonnull(cc_session_get_device(session));
  take(session, 0, "sobel");
  free_session(session);
}

/* Neither the device nor the CPU can filter the frame. */
static void
test_cpu_cannot_take_over(void) {
  reset_device();
  CcSession *session = new_session(CC_BACKEND_AUTO);
  assert_backend_event("cuda", NULL);
  set_filter(session, "sobel");
  assert_program_event(session, "sobel", "cuda");
  TestFrame *frame = new_frame(0);
  frame->host_fails = TRUE;
  fail_calls(WAIT, 1, 1000, CC_ERROR_DEVICE);
  g_assert_true(cc_session_submit(session, &frame->base, NULL));
  assert_event(CC_EVENT_PATHS);
  g_autoptr(GError) error = NULL;
  g_assert_null(cc_session_take(session, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_DEVICE);
  assert_event(CC_EVENT_NO_FAILOVER);
  assert_no_event();

  TestFrame *other = new_frame(1);
  other->device_fails = TRUE;
  device.fail_from[WAIT] = 0;
  cc_session_clear(session);
  g_assert_true(cc_session_submit(session, &other->base, NULL)); /* the CPU can filter this one */
  take(session, 1, "sobel");
  free_session(session);
}

/* Frames in flight keep the filter that they were submitted with, and a filter that cannot work
 * changes nothing. */
static void
test_set_filter(void) {
  reset_device();
  CcSession *session = new_session(CC_BACKEND_AUTO);
  g_assert_null(cc_session_get_filter(session)->kernel);
  set_filter(session, "sobel");
  submit(session, 0);
  set_filter(session, "gaussian");
  submit(session, 1);
  CcFilter wrong = filter_of("sobel");
  wrong.size = 4;
  g_autoptr(GError) error = NULL;
  g_assert_false(cc_session_set_filter(session, &wrong, &layout, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_assert_true(cc_session_get_filter(session)->kernel == cc_kernels_find("gaussian"));
  submit(session, 2);
  take(session, 0, "sobel");
  take(session, 1, "gaussian");
  take(session, 2, "gaussian");
  cc_session_end(session);
  g_assert_null(cc_session_get_filter(session)->kernel);
  g_auto(CcSessionStats) stats = {0};
  cc_session_get_stats(session, &stats);
  g_assert_cmpuint(stats.n_frames, ==, 3); /* can still be read */
  free_session(session);
}

/* Sets `expected` to the frame's result with the kernel identity. */
static void
expect_regions(const TestFrame *frame, guint outside, guint8 expected[SIDE * SIDE]) {
  for (guint i = 0; i < SIDE * SIDE; i++)
    expected[i] = outside == CC_OUTSIDE_BLACK ? 0 : frame->in[i];
  for (guint r = 0; r < frame->base.n_regions; r++) {
    const CcRegion *region = &frame->base.regions[r];
    const guint width = MIN(region->source.width, SIDE - region->target_x);
    const guint height = MIN(region->source.height, SIDE - region->target_y);
    for (guint y = 0; y < height; y++)
      memcpy(&expected[(region->target_y + y) * SIDE + region->target_x],
             &frame->in[(region->source.y + y) * SIDE + region->source.x], width);
  }
}

/* Each frame has its own regions, or none, and keeps them if the device fails. The other pixels are
 * copied or black. Frames with other regions and an equal filter make no new programs. */
static void
test_regions(void) {
  static const CcRegion regions[DEPTH][2] = {
      {{{1, 2, 3, 3}, 1, 2, 0}, {{3, 3, 1, 1}, 0, 0, 0}},
      {{{4, 0, 5, 5}, 4, 0, 0}, {{0, 0, 4, 2}, 6, 3, 0}}, /* overlap; the second one is cut off */
  };
  static const guint n_regions[DEPTH] = {2, 2, 0};
  for (guint outside = 0; outside < CC_N_OUTSIDES; outside++) {
    reset_device();
    fail_calls(WAIT, 2, 1, CC_ERROR_DEVICE);
    CcSession *session = new_session(CC_BACKEND_AUTO);
    CcFilter filter = filter_of("identity");
    filter.outside = outside;
    g_autoptr(GError) error = NULL;
    for (guint i = 0; i < DEPTH; i++) {
      TestFrame *frame = new_frame(i);
      frame->base.regions = regions[i];
      frame->base.n_regions = n_regions[i];
      g_assert_true(cc_session_set_filter(session, &filter, &layout, NULL));
      cc_session_submit(session, &frame->base, &error);
      g_assert_no_error(error);
    }
    g_assert_cmpint(device.n_calls[PREPARE], ==, 2); /* for the regions and for the other pixels */
    for (guint i = 0; i < DEPTH; i++) {
      TestFrame *frame = (TestFrame *)cc_session_take(session, &error);
      g_assert_no_error(error);
      g_assert_cmpuint(frame->number, ==, i);
      guint8 expected[SIDE * SIDE];
      expect_regions(frame, outside, expected);
      g_assert_cmpmem(frame->out, sizeof frame->out, expected, sizeof expected);
      frame_free(&frame->base);
    }
    g_auto(CcSessionStats) stats = {0};
    cc_session_get_stats(session, &stats);
    g_assert_cmpuint(stats.n_failovers, ==, 1);
    g_assert_cmpuint(stats.n_regions, ==, 4);
    free_session(session);
  }
}

static gpointer
keep(gpointer owner) {
  return owner;
}

static void
release(gpointer reference) {
}

static void
move(CcSession *session, gchar *handle) {
  const CcContext context = {handle, 0, handle, keep, release};
  g_autoptr(GError) error = NULL;
  if (cc_session_reaches(session, &context))
    return;
  cc_session_move(session, &context, &error);
  g_assert_no_error(error);
  g_assert_true(cc_session_reaches(session, &context));
}

/* Frames of contexts alternate, none of them the context that the session opened first. Each
 * context is opened once, and the session stays in the last one when a context comes again. */
static void
test_contexts(void) {
  static gchar contexts[3];
  for (guint n = 2; n <= G_N_ELEMENTS(contexts); n++) {
    reset_device();
    CcSession *session = new_session(CC_BACKEND_AUTO);
    assert_backend_event("cuda", NULL);
    set_filter(session, "sobel");
    assert_program_event(session, "sobel", "cuda");
    for (guint i = 0; i < 4 * n; i++) {
      move(session, &contexts[i % n]);
      g_assert_true(cc_session_get_device(session)->context == &contexts[MIN(i, n - 1)]);
      submit(session, i);
      take(session, i, "sobel");
      if (i < n) {
        assert_backend_event("cuda", &contexts[i]);
        assert_program_event(session, "sobel", "cuda");
      }
      if (i == 0)
        assert_event(CC_EVENT_PATHS);
      if (i == n)
        assert_event(CC_EVENT_CONTEXTS);
      assert_no_event();
    }
    g_assert_cmpint(device.n_calls[OPEN], ==, 1 + n);
    g_assert_cmpuint(device.n_open, ==, 1);

    /* the next stream begins in the current context, and moves again */
    cc_session_begin(session);
    set_filter(session, "sobel");
    assert_program_event(session, "sobel", "cuda");
    move(session, &contexts[0]);
    assert_backend_event("cuda", &contexts[0]);
    free_session(session);
  }
}

/* A frame of another context comes after a failover. */
static void
test_contexts_after_failover(void) {
  static gchar contexts[2];
  reset_device();
  CcSession *session = new_session(CC_BACKEND_AUTO);
  set_filter(session, "sobel");
  for (guint i = 0; i < 3; i++) {
    move(session, &contexts[i % 2]);
    submit(session, i);
    take(session, i, "sobel");
  }
  g_assert_true(cc_session_give_up_device(session, "no room", NULL));
  g_queue_clear_full(&events, free_event);
  move(session, &contexts[0]);
  assert_no_event();
  submit(session, 3);
  take(session, 3, "sobel");
  free_session(session);
}

static void
test_move_that_fails(void) {
  static gchar other;
  reset_device();
  CcSession *session = new_session(CC_BACKEND_AUTO);
  assert_backend_event("cuda", NULL);
  set_filter(session, "sobel");
  assert_program_event(session, "sobel", "cuda");
  fail_calls(OPEN, 2, 1000, CC_ERROR_UNAVAILABLE);
  move(session, &other);
  assert_event(CC_EVENT_FAILOVER);
  assert_backend_event("cpu", NULL);
  assert_program_event(session, "sobel", "cpu");
  submit(session, 0);
  take(session, 0, "sobel");
  free_session(session);
}

static void
test_open_and_close(void) {
  reset_device();
  const CcBackendConfig config = {.choice = CC_BACKEND_AUTO, .device_id = -1};
  CcBackendConfig other = config;
  other.n_threads = 2;
  CcSession *session = cc_session_new(open_backend, NULL, NULL);
  g_assert_false(cc_session_is_open_as(session, NULL));
  g_assert_cmpuint(cc_session_capacity(session), ==, 1);
  g_assert_null(cc_session_get_device(session));
  g_assert_true(cc_session_open(session, &config, NULL));
  g_assert_true(cc_session_open(session, &config, NULL)); /* nothing changes */
  g_assert_cmpint(device.n_calls[OPEN], ==, 1);
  g_assert_true(cc_session_open(session, &other, NULL));
  g_assert_cmpint(device.n_calls[OPEN], ==, 2);

  fail_calls(OPEN, 1, 1000, CC_ERROR_UNAVAILABLE);
  other.choice = CC_BACKEND_CUDA;
  g_autoptr(GError) error = NULL;
  g_assert_false(cc_session_open(session, &other, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE);
  g_assert_false(cc_session_is_open_as(session, NULL));
  g_auto(CcSessionStats) stats = {0};
  cc_session_get_stats(session, &stats);
  g_assert_cmpstr(stats.backend, ==, "none");
  free_session(session);
}

/* Calls the any-thread functions while another thread filters. */
static gpointer
read_on(gpointer data) {
  CcSession *session = data;
  for (guint i = 0; i < 2000; i++) {
    g_auto(CcSessionStats) stats = {0};
    cc_session_get_stats(session, &stats);
    g_assert_cmpuint(strlen(stats.device), >, 0);
    g_assert_cmpuint(cc_session_capacity(session), <=, DEPTH);
  }
  return NULL;
}

static void
test_threads(void) {
  reset_device();
  fail_calls(WAIT, 30, 1000, CC_ERROR_DEVICE);
  CcSession *session = new_session(CC_BACKEND_AUTO);
  set_filter(session, "sobel");
  GThread *reader = g_thread_new("reader", read_on, session);
  send_frames(session, 60);
  g_thread_join(reader);
  free_session(session);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/open", test_open_and_close);
  g_test_add_func("/session/order-and-bounds", test_order_and_bounds);
  g_test_add_func("/session/failover", test_failover);
  g_test_add_func("/session/no-failover", test_no_failover);
  g_test_add_func("/session/shrinks", test_shrinks);
  g_test_add_func("/session/short-of-memory", test_short_of_memory);
  g_test_add_func("/session/gives-up-device", test_gives_up_device);
  g_test_add_func("/session/cpu-cannot-take-over", test_cpu_cannot_take_over);
  g_test_add_func("/session/set-filter", test_set_filter);
  g_test_add_func("/session/regions", test_regions);
  g_test_add_func("/session/contexts", test_contexts);
  g_test_add_func("/session/contexts-after-failover", test_contexts_after_failover);
  g_test_add_func("/session/move-that-fails", test_move_that_fails);
  g_test_add_func("/session/threads", test_threads);
  return g_test_run();
}
