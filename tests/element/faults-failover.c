/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* With backend=auto the CPU takes over if a CUDA call fails during a stream. As many frames come
 * out as went in, with the bytes and the figures of a run without failures, one warning and no
 * error. The failures come from the libcuda.so.1 of tests/fake or tests/forward, which reads
 * FAKE_CUDA once per process, so every run is a process of its own. */

#include "layout.h"
#include "memory.h"
#include "failing-allocations.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define N_FRAMES 14
#define CHANGE_AT 7 /* the kernel changes with this frame */
#define WIDTH 65
#define HEIGHT 34

/* The memory of input frames: new system memory for each, the same system memory again and again,
 * the element's own pool, CUDA memory. */
static const gchar *const paths[] = {"fresh", "recycled", "pool", "cuda"};

/* Lets no call of this thread fail while `pause` is TRUE. This is a function of the libcuda.so.1
 * that injects failures, or NULL with the driver's own libcuda.so.1. */
static void (*pause_failures)(gboolean pause);

static gboolean
find_pause_failures(void) {
  gpointer library = dlopen("libcuda.so.1", RTLD_LAZY);
  if (library)
    *(gpointer *)&pause_failures = dlsym(library, "fake_pause_failures");
  return pause_failures != NULL;
}

/* --- the child: prints the frames that come out --- */

/* Copies the frame (taken) into memory that was used before. */
static GstBuffer *
recycle(GstBuffer *memory, GstBuffer *frame) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(frame, &map, GST_MAP_READ));
  gst_buffer_fill(memory, 0, map.data, map.size);
  gst_buffer_unmap(frame, &map);
  GstBuffer *result = gst_buffer_copy(memory);
  gst_buffer_copy_into(result, frame, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_unref(frame);
  return result;
}

static void
add_frame(GChecksum *sum, const gchar *caps_text, GstBuffer *buffer) {
  TestFrame frame;
  test_map(&frame, caps_text, buffer, GST_MAP_READ);
  for (guint p = 0; p < frame.layout.n_planes; p++)
    for (guint y = 0; y < frame.layout.plane[p].height; y++)
      g_checksum_update(sum, test_row(&frame, p, y),
                        (gssize)cc_plane_row_bytes(&frame.layout.plane[p]));
  test_unmap(&frame);
  GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, "cudaconv-measure");
  fail_unless(meta != NULL);
  g_autofree gchar *figures = gst_structure_to_string(gst_custom_meta_get_structure(meta));
  g_checksum_update(sum, (const guchar *)figures, -1);
}

/* Prints warnings and errors in one pass, because a filtered pop drops all messages of other
 * types. */
static void
print_messages(GstBus *bus) {
  g_autoptr(GString) text = g_string_new(NULL);
  guint warnings = 0, errors = 0;
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
    g_autoptr(GError) error = NULL;
    const gboolean warning = GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING;
    if (warning)
      gst_message_parse_warning(message, &error, NULL);
    else
      gst_message_parse_error(message, &error, NULL);
    warnings += warning;
    errors += !warning;
    g_string_append_printf(text, "%s\n", error->message);
    gst_message_unref(message);
  }
  g_print("warnings %u errors %u\n%s", warnings, errors, text->str);
}

/* The child's arguments. */
static const gchar *child_path;
static guint max;         /* number of frames that are compared */
static gboolean scarce;   /* the CPU backend gets no memory */
static gboolean reenters; /* a message handler sends events to the element */

/* Messages with figures must come in the order of the frames. */
static guint n_figures;

static GstBusSyncReply
handle_message(GstBus *bus, GstMessage *message, gpointer element) {
  guint64 time;
  if (gst_message_has_name(message, "cudaconv-measure")) {
    gst_structure_get_uint64(gst_message_get_structure(message), "timestamp", &time);
    fail_unless_equals_uint64(time, n_figures * GST_SECOND);
    n_figures++;
  }
  if (reenters && GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    g_autoptr(GstPad) pad = gst_element_get_static_pad(element, "sink");
    gst_pad_send_event(pad, test_serialized_event());
  }
  return GST_BUS_PASS;
}

GST_START_TEST(one_run) {
  const gchar *path = child_path;
  /* with this path, algorithm=two-pass cannot run the second kernel */
  const gboolean algorithm = g_str_equal(path, "algorithm");
  GstHarness *h =
      test_harness_new(algorithm ? "kernel=gaussian size=5 measure=sums algorithm=two-pass"
                                 : "kernel=gaussian size=5 measure=sums",
                       NULL);
  const gboolean cuda = g_str_equal(path, "cuda");
  g_autofree gchar *plain =
      g_str_equal(path, "large") ? test_caps("GRAY8", 640, 480) : test_caps("NV12", WIDTH, HEIGHT);
  g_autofree gchar *caps = cuda && test_is_on_cuda(h) ? test_caps_in_cuda(plain) : g_strdup(plain);
  gst_bus_set_sync_handler(test_harness_bus(h), handle_message, h->element, NULL);
  gst_harness_set_src_caps_str(h, caps);
  pause_failures(cuda); /* no failures while GStreamer's library allocates memory for this test */
  GstBufferPool *pool = g_str_equal(path, "pool") || cuda ? test_offered_pool(h, caps) : NULL;
  pause_failures(FALSE);
  GstBuffer *memory = g_str_equal(path, "recycled") ? test_frame_flat(plain, 0) : NULL;
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  guint n = 0;
  gboolean ordered = TRUE;
  test_allocations_allow(scarce ? 0 : G_MAXINT);
  for (guint i = 0; i < N_FRAMES; i++) {
    GstBuffer *frame = test_frame_random(plain, i);
    GST_BUFFER_PTS(frame) = i * GST_SECOND;
    if (i == CHANGE_AT)
      gst_util_set_object_arg(G_OBJECT(h->element), "kernel", algorithm ? "kirsch" : "sobel");
    pause_failures(cuda);
    if (pool)
      frame = test_move_to_pool(pool, plain, frame);
    else if (memory)
      frame = recycle(memory, frame);
    pause_failures(FALSE);
    if (gst_harness_push(h, frame) != GST_FLOW_OK)
      break;
    if (memory) /* the memory is overwritten by the next frame, so this frame must be finished */
      gst_harness_push_event(h, test_serialized_event());
  }
  gst_harness_push_event(h, gst_event_new_eos());
  GstBuffer *out;
  test_allocations_allow(G_MAXINT);
  pause_failures(TRUE);
  while ((out = gst_harness_try_pull(h)) && n < max) {
    ordered = ordered && GST_BUFFER_PTS(out) == n * GST_SECOND;
    add_frame(sum, plain, out);
    gst_buffer_unref(out);
    n++;
  }
  gst_clear_buffer(&out);
  pause_failures(FALSE);
  GstStructure *stats = test_stats(h->element);
  guint failovers = 0;
  gst_structure_get_uint(stats, "failovers", &failovers);
  g_print("frames %u %s %s\n", n, ordered ? "in order" : "in disorder", g_checksum_get_string(sum));
  g_print("failovers %u ", failovers);
  print_messages(test_harness_bus(h));
  gst_structure_free(stats);
  g_checksum_free(sum);
  test_teardown(h);
  gst_clear_buffer(&memory);
  if (pool) {
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
  }
}
GST_END_TEST;

static Suite *
child_suite(void) {
  Suite *suite = suite_create("child");
  TCase *tc = tcase_create("child");
  tcase_add_test(tc, one_run);
  suite_add_tcase(suite, tc);
  return suite;
}

/* The shared helpers report failures to the check library, so the child's run is a test of a suite
 * too. */
static int
run_child(int argc, char **argv) {
  g_setenv("CUDACONV_TEST_BACKEND", argv[2], TRUE);
  g_setenv("CK_FORK", "no", TRUE);
  g_unsetenv("CK_RUN_CASE");
  child_path = argv[3];
  max = (guint)g_ascii_strtoull(argv[4], NULL, 10);
  scarce = g_str_equal(argv[5], "scarce");
  reenters = g_str_equal(argv[5], "reenters");
  gst_check_init(&argc, &argv);
  return gst_check_run_suite(child_suite(), "child", __FILE__);
}

/* --- the parent --- */

static const gchar *program_path;

typedef struct {
  gchar *frames; /* the child's line with number, order and checksum of the frames */
  gchar *rest;   /* the child's output after that */
  guint failovers, warnings, errors;
} Outcome;

static void
clear_outcome(Outcome *outcome) {
  g_free(outcome->frames);
  g_free(outcome->rest);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Outcome, clear_outcome)

static void
run_with(Outcome *outcome, const gchar *backend, const gchar *path, const gchar *failure,
         guint n_frames, const gchar *memory) {
  g_autofree gchar *number = g_strdup_printf("%u", n_frames);
  const gchar *argv[] = {program_path, "child", backend, path, number, memory, NULL};
  const gchar *inherited = g_getenv("FAKE_CUDA");
  g_autofree gchar *settings =
      g_strconcat(inherited ? inherited : "", *failure ? ",fail=" : "", failure, NULL);
  g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "FAKE_CUDA", settings, TRUE);
  g_autofree gchar *out = NULL, *err = NULL;
  g_autoptr(GError) error = NULL;
  gint status;
  g_spawn_sync(NULL, (gchar **)argv, env, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, &error);
  fail_unless(!error && status == 0 && !strstr(err, "CRITICAL"),
              "%s, %s, FAKE_CUDA=%s: %d\n%.500s%.3000s", backend, path, settings, status, out, err);
  const gchar *first = strstr(out, "frames "), *second = strstr(out, "failovers ");
  fail_unless(first && second && first < second, "%s", out);
  outcome->frames = g_strndup(first, (gsize)(second - first));
  outcome->rest = g_strdup(second);
  fail_unless(sscanf(second, "failovers %u warnings %u errors %u", &outcome->failovers,
                     &outcome->warnings, &outcome->errors) == 3);
}

static void
run(Outcome *outcome, const gchar *backend, const gchar *path, const gchar *failure) {
  run_with(outcome, backend, path, failure, N_FRAMES, "enough");
}

/* The driver's functions that a stream calls for every frame. */
static const gchar *const frame_calls[] = {
    "cuCtxPushCurrent", "cuMemAlloc",        "cuMemHostAlloc",    "cuEventCreate",
    "cuEventRecord",    "cuStreamWaitEvent", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
    "cuMemcpy2DAsync",  "cuLaunchKernelEx",  "cuEventQuery",      "cuEventSynchronize",
    "cuModuleLoadData", "cuMemHostRegister"};
#define N_FRAME_CALLS ((int)G_N_ELEMENTS(frame_calls))

/* Whether GStreamer's library, too, calls this function when the element maps a frame. */
static gboolean
is_needed_to_read(const gchar *path, const gchar *call) {
  return g_str_equal(path, "cuda") &&
         (g_str_equal(call, "cuCtxPushCurrent") || g_str_equal(call, "cuMemcpy2DAsync"));
}

static guint
count_frames(const Outcome *outcome) {
  return (guint)g_ascii_strtoull(outcome->frames + strlen("frames "), NULL, 10);
}

/* Fails unless every frame came out with the expected bytes. */
static void
check_all(const gchar *path, const gchar *failure, const Outcome *outcome,
          const Outcome *expected) {
  fail_unless(g_str_equal(outcome->frames, expected->frames),
              "%s, fail=%s: %s\n%sbut on the CPU: %s", path, failure, outcome->frames,
              outcome->rest, expected->frames);
  fail_unless(outcome->errors == 0 && outcome->failovers <= 1 &&
                  outcome->warnings == outcome->failovers,
              "%s, fail=%s: %s", path, failure, outcome->rest);
}

/* Fails unless all frames that came out have the expected bytes, and there is one error if frames
 * are missing. */
static void
check_some(const gchar *path, const gchar *failure, const Outcome *outcome) {
  g_auto(Outcome) expected = {0};
  const guint n = count_frames(outcome);
  run_with(&expected, "cpu", path, "", n, "enough");
  fail_unless(g_str_equal(outcome->frames, expected.frames),
              "%s, fail=%s: %s\n%sbut on the CPU: %s", path, failure, outcome->frames,
              outcome->rest, expected.frames);
  fail_unless(outcome->errors == (n < N_FRAMES), "%s, fail=%s: %s", path, failure, outcome->rest);
}

/* The next number of a call to let fail. Each number costs a process. */
static guint
next_call(guint at) {
  if (test_is_complete())
    return at + at / 2 + 1;
  return (test_is_instrumented() ? 3 : 2) * at + 1;
}

/* Each function fails at several of its calls, with errors as from a lost device and as from lack
 * of memory. If a frame in CUDA memory can no longer be read, the CPU cannot take over. */
GST_START_TEST(each_call_fails) {
  static const guint codes[] = {700, 2, 999};
  const gchar *path = paths[__i__ / N_FRAME_CALLS], *call = frame_calls[__i__ % N_FRAME_CALLS];
  g_auto(Outcome) expected = {0};
  run(&expected, "cpu", path, "");
  for (guint at = 1, n = 0; at <= 34; at = next_call(at), n++) {
    g_autofree gchar *failure =
        g_strdup_printf("%s:%u%s:%u", call, at, n % 2 ? "+" : "", codes[n % 3]);
    g_auto(Outcome) outcome = {0};
    run(&outcome, "auto", path, failure);
    if (is_needed_to_read(path, call))
      check_some(path, failure, &outcome);
    else
      check_all(path, failure, &outcome, &expected);
  }
}
GST_END_TEST;

/* Does the same for functions that GStreamer's library calls when the element maps, allocates or
 * frees a frame. */
GST_START_TEST(each_call_of_gstreamer_fails) {
  static const gchar *const calls[] = {"cuMemAllocPitch", "cuMemAllocHost", "cuStreamSynchronize",
                                       "cuCtxPopCurrent"};
  for (guint c = 0; c < G_N_ELEMENTS(calls); c++)
    for (guint at = 1, n = 0; at <= 34; at = next_call(at), n++) {
      g_autofree gchar *failure = g_strdup_printf("%s:%u%s:700", calls[c], at, n % 2 ? "+" : "");
      g_auto(Outcome) outcome = {0};
      run(&outcome, "auto", "cuda", failure);
      check_some("cuda", failure, &outcome);
    }
}
GST_END_TEST;

/* The warning names the call that failed. With backend=cuda the failure is an error instead. */
GST_START_TEST(warning_names_the_call) {
  g_auto(Outcome) outcome = {0};
  run(&outcome, "auto", "fresh", "cuLaunchKernelEx:4:700");
  fail_unless_equals_int(outcome.failovers, 1);
  fail_unless(strstr(outcome.rest, "cuLaunchKernelEx: CUDA_ERROR_ILLEGAL_ADDRESS (700)") &&
                  strstr(outcome.rest, "the CPU filters from now on"),
              "%s", outcome.rest);
  g_auto(Outcome) on_cuda = {0};
  run(&on_cuda, "cuda", "fresh", "cuLaunchKernelEx:4:700");
  fail_unless(on_cuda.failovers == 0 && on_cuda.warnings == 0 && on_cuda.errors == 1 &&
                  strstr(on_cuda.rest, "cuLaunchKernelEx"),
              "%s", on_cuda.rest);
}
GST_END_TEST;

/* The CUDA backend refuses a kernel that the algorithm cannot run. After a failover the kernel
 * runs, as with backend=cpu from the start. */
GST_START_TEST(algorithm_of_the_device) {
  g_auto(Outcome) expected = {0}, on_device = {0}, failed_over = {0};
  run(&expected, "cpu", "algorithm", "");
  fail_unless(expected.warnings == 0 && expected.errors == 0, "%s", expected.rest);
  run(&on_device, "auto", "algorithm", "");
  fail_unless(on_device.warnings == 1 && on_device.errors == 0 &&
                  strstr(on_device.rest, "algorithm=two-pass cannot run this kernel"),
              "%s", on_device.rest);
  run(&failed_over, "auto", "algorithm", "cuMemcpyHtoDAsync:3:700");
  check_all("algorithm", "cuMemcpyHtoDAsync:3:700", &failed_over, &expected);
}
GST_END_TEST;

/* Frames large enough for staging threads, whose errors are reported later. */
GST_START_TEST(large_frames) {
  static const gchar *const failures[] = {
      "cuMemcpyHtoDAsync:3:700", "cuMemcpyHtoDAsync:2+:2", "cuLaunchKernelEx:4+:719",
      "cuLaunchKernelEx:1:2",    "cuEventRecord:7:999",    "cuStreamWaitEvent:5+:700",
      "cuCtxPushCurrent:9+:999", "cuMemHostAlloc:2:2",     "cuMemcpyDtoHAsync:1+:700"};
  g_auto(Outcome) expected = {0};
  run(&expected, "cpu", "large", "");
  for (guint f = 0; f < G_N_ELEMENTS(failures); f++) {
    g_auto(Outcome) outcome = {0};
    run(&outcome, "auto", "large", failures[f]);
    check_all("large", failures[f], &outcome, &expected);
  }
  g_auto(Outcome) on_cuda = {0};
  run(&on_cuda, "cuda", "large", "cuLaunchKernelEx:4:700");
  fail_unless(on_cuda.failovers == 0 && on_cuda.errors == 1, "%s", on_cuda.rest);
}
GST_END_TEST;

/* Memory for one frame in flight is enough. */
GST_START_TEST(fewer_frames_in_flight) {
  g_auto(Outcome) expected = {0}, outcome = {0};
  run(&expected, "cpu", "fresh", "");
  run(&outcome, "auto", "fresh", "cuMemAlloc:4:2");
  fail_unless(g_str_equal(outcome.frames, expected.frames), "%s\n%s", outcome.frames,
              expected.frames);
  fail_unless(outcome.failovers == 0 && outcome.warnings == 0 && outcome.errors == 0, "%s",
              outcome.rest);
}
GST_END_TEST;

/* If the device fails and the CPU backend gets no memory, there is one error, before or after the
 * change of the kernel. Every frame that came out is right. */
GST_START_TEST(cpu_cannot_take_over) {
  static const gchar *const failures[] = {"cuLaunchKernelEx:%u+:700", "cuEventQuery:%u+:719",
                                          "cuMemcpyHtoDAsync:%u+:999", "cuCtxPushCurrent:%u+:999"};
  const gchar *path = paths[__i__];
  guint n_errors = 0;
  for (guint f = 0; f < G_N_ELEMENTS(failures); f++)
    for (guint at = 9; at <= 33; at += test_is_complete() ? 4 : 8) {
      g_auto(Outcome) outcome = {0};
      g_autoptr(GString) failure = g_string_new(failures[f]);
      g_autofree gchar *number = g_strdup_printf("%u", at);
      g_string_replace(failure, "%u", number, 1);
      run_with(&outcome, "auto", path, failure->str, N_FRAMES, "scarce");
      check_some(path, failure->str, &outcome);
      /* the memory that grows with frames is needed only after the CPU has taken over */
      fail_unless(outcome.failovers <= outcome.errors, "%s, fail=%s: %s", path, failure->str,
                  outcome.rest);
      n_errors += outcome.errors;
    }
  fail_unless(n_errors > 0);
}
GST_END_TEST;

/* A message handler that sends an event to the element during the failover neither loses nor
 * reorders frames. */
GST_START_TEST(handler_sends_an_event) {
  static const gchar *const failures[] = {"cuEventSynchronize:3:999", "cuEventQuery:5:999",
                                          "cuLaunchKernelEx:4:719", "cuMemcpyDtoHAsync:6:999"};
  g_auto(Outcome) plain = {0};
  guint n_failovers = 0;
  run_with(&plain, "cpu", "fresh", "", N_FRAMES, "");
  for (guint f = 0; f < G_N_ELEMENTS(failures); f++) {
    g_auto(Outcome) outcome = {0};
    run_with(&outcome, "auto", "fresh", failures[f], N_FRAMES, "reenters");
    fail_unless(outcome.errors == 0 && g_str_equal(outcome.frames, plain.frames), "%s: %s, %s",
                failures[f], outcome.frames, outcome.rest);
    n_failovers += outcome.failovers;
  }
  fail_unless(n_failovers > 0);
}
GST_END_TEST;

static TCase *
add_case(Suite *suite, const gchar *name) {
  TCase *tc = tcase_create(name);
  tcase_set_timeout(tc, 240);
  suite_add_tcase(suite, tc);
  return tc;
}

/* The test cases can run in parallel processes, with CK_RUN_CASE. */
static Suite *
faults_failover_suite(void) {
  Suite *suite = suite_create("faults-failover");
  for (int p = 0; p < (int)G_N_ELEMENTS(paths); p++)
    tcase_add_loop_test(add_case(suite, paths[p]), each_call_fails, p * N_FRAME_CALLS,
                        (p + 1) * N_FRAME_CALLS);
  TCase *tc = add_case(suite, "rest");
  tcase_add_test(tc, each_call_of_gstreamer_fails);
  tcase_add_test(tc, warning_names_the_call);
  tcase_add_test(tc, algorithm_of_the_device);
  tcase_add_test(tc, large_frames);
  tcase_add_test(tc, fewer_frames_in_flight);
  tcase_add_test(tc, handler_sends_an_event);
  tcase_add_loop_test(tc, cpu_cannot_take_over, 0, 3); /* all paths but "cuda" */
  return suite;
}

int
main(int argc, char **argv) {
  const gboolean injects = find_pause_failures();
  if (injects && argc == 6 && g_str_equal(argv[1], "child"))
    return run_child(argc, argv);
  if (!injects) {
    g_print("faults-failover: skipped, libcuda.so.1 is neither that of tests/fake nor of "
            "tests/forward\n");
    return g_getenv("CUDACONV_TEST_REQUIRED") ? EXIT_FAILURE : 77;
  }
  program_path = argv[0];
  return test_main(&argc, &argv, faults_failover_suite, "failover", 1);
}
