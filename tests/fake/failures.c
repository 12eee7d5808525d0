/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tests failures of the driver: every call in turn, at every stage, and drivers that do not start.
 * Each case is a separate process, because the stand-in reads its settings once and reports at exit
 * what was not freed. */

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/algorithm.h"
#include "plugin/backends.h"

#define FRAMES 5
#define WIDTH 64
#define HEIGHT 48
#define DEADLINE (5 * GST_SECOND)

/* --- the child: one run with the settings of FAKE_CUDA --- */

static CcPlan *
make_plan(CcAlgorithm algorithm, guint width, guint height) {
  CcFrameLayout layout = {.n_planes = 1};
  layout.plane[0] = (CcPlaneLayout){width, height, 1, CC_SAMPLE_U8, 8, 0, {CC_ROLE_GREY}, FALSE};
  const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .algorithm = algorithm};
  return cc_plan_new(&filter, &layout, NULL);
}

/* Filters frames one after another, with as many under way as the backend allows. */
static gboolean
filter_frames(CcBackend *backend, CcProgram *program, GError **error) {
  static guint8 src[WIDTH * HEIGHT], dst[FRAMES][WIDTH * HEIGHT];
  CcSubmission *submissions[FRAMES];
  guint submitted = 0, waited = 0;
  gboolean ok = TRUE;
  const CcFrame in = {.plane = {{src, WIDTH}}};
  const CcRegion whole = {.source = {0, 0, WIDTH, HEIGHT}};
  while (ok && submitted < FRAMES) {
    const CcFrame out = {.plane = {{dst[submitted], WIDTH}}};
    const CcSubmitInfo info = {.src = in, .dst = out, .regions = &whole, .n_regions = 1};
    submissions[submitted] = cc_backend_submit(backend, program, &info, error);
    ok = submissions[submitted] != NULL;
    submitted += ok;
    CcTimes times;
    if (ok && submitted - waited == backend->depth)
      ok = cc_backend_wait(backend, submissions[waited++], &times, error);
  }
  while (waited < submitted) {
    CcTimes times;
    if (!cc_backend_wait(backend, submissions[waited++], &times, ok ? error : NULL))
      ok = FALSE;
  }
  return ok;
}

static gboolean
run_algorithm(CcBackend *backend, CcAlgorithm algorithm, GError **error) {
  g_autoptr(CcPlan) plan = make_plan(algorithm, WIDTH, HEIGHT);
  CcProgram *program = cc_backend_prepare(backend, plan, error);
  if (!program)
    return FALSE;
  const gboolean ok = filter_frames(backend, program, error);
  cc_program_unref(program);
  return ok;
}

/* Plans a frame with more pixels than a launch has blocks, for an algorithm with one block per
 * pixel. */
static void
run_too_many_tiles(CcBackend *backend, GError **error) {
  g_autoptr(CcPlan) plan = make_plan(CC_ALGORITHM_SCATTER, 1 << 16, 1 << 15);
  CcProgram *program = cc_backend_prepare(backend, plan, error);
  if (program)
    cc_program_unref(program);
}

/* Runs the first algorithm, one with coefficients in device memory, and one that needs scratch
 * memory. Prints "backend", "reason" and "error" lines. */
static int
run_backend(CcBackendChoice choice, gboolean too_many_tiles) {
  static const CcAlgorithm algorithms[] = {CC_ALGORITHM_AUTO, CC_ALGORITHM_DIRECT,
                                           CC_ALGORITHM_TWO_PASS};
  g_autoptr(GError) reason = NULL;
  g_autoptr(GError) error = NULL;
  const CcBackendConfig config = {.choice = choice, .device_id = -1, .n_threads = 1};
  CcBackend *backend = cc_backend_open(&config, &reason, &error);
  if (reason)
    g_print("reason %s\n", reason->message);
  if (backend) {
    g_print("backend %s\n", backend->klass->name);
    if (too_many_tiles)
      run_too_many_tiles(backend, &error);
    gboolean ok = !too_many_tiles;
    for (guint i = 0; ok && i < G_N_ELEMENTS(algorithms); i++)
      ok = run_algorithm(backend, algorithms[i], &error);
    cc_backend_close(backend);
  }
  if (error)
    g_print("error %s\n", error->message);
  return EXIT_SUCCESS;
}

#define SOURCE "videotestsrc num-buffers=20 ! "
#define ELEMENT                                                                                    \
  SOURCE "video/x-raw,format=GRAY8,width=64,height=48 ! "                                          \
         "cudaconv name=filter kernel=gaussian backend=%s ! fakesink"
#define PAIR                                                                                       \
  SOURCE "video/x-raw,format=NV12,width=64,height=48 ! "                                           \
         "cudaconv name=filter kernel=gaussian backend=%s ! queue ! cudaconv ! fakesink"

/* Prints an "error" line for each error of cudaconv itself. */
static int
run_element(const gchar *format, const gchar *backend) {
  g_auto(GStrv) parts = g_strsplit(format, "%s", 2);
  g_autofree gchar *line = g_strconcat(parts[0], backend, parts[1], NULL);
  GstElement *pipeline = gst_parse_launch(line, NULL);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gboolean over = FALSE;
  while (!over) {
    g_autoptr(GstMessage) message =
        gst_bus_timed_pop_filtered(bus, DEADLINE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    if (!message)
      g_print("error hung\n");
    if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR &&
        g_str_equal(GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), "filter")) {
      g_autoptr(GError) error = NULL;
      g_autofree gchar *details = NULL;
      gst_message_parse_error(message, &error, &details);
      g_print("error %s\n", error->message);
    }
    over = !message || GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR ||
           GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
    if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS)
      g_print("eos\n");
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  gst_deinit();
  return EXIT_SUCCESS;
}

/* --- the parent --- */

typedef struct {
  gchar *out, *err;
  gint status;
} Result;

static const gchar *program_path;

static void
run_child(const gchar *mode, const gchar *settings, Result *result) {
  const gchar *argv[] = {program_path, mode, NULL};
  g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "FAKE_CUDA", settings, TRUE);
  g_autoptr(GError) error = NULL;
  g_spawn_sync(NULL, (gchar **)argv, env, G_SPAWN_DEFAULT, NULL, NULL, &result->out, &result->err,
               &result->status, &error);
  g_assert_no_error(error);
}

static void
clear_result(Result *result) {
  g_free(result->out);
  g_free(result->err);
}

static guint
count_lines(const gchar *text, const gchar *start) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint n = 0;
  for (gchar **line = lines; *line; line++)
    n += g_str_has_prefix(*line, start);
  return n;
}

/* Checks that the child succeeded: everything was freed, and there was no critical warning. */
static void
assert_clean(const gchar *settings, const Result *result) {
  if (result->status != 0 || strstr(result->err, "CRITICAL") || strstr(result->err, "fake CUDA"))
    g_error("FAKE_CUDA=%s: status %d\n%s\n%s", settings, result->status, result->out, result->err);
}

static void
assert_contains(const gchar *settings, const gchar *text, const gchar *wanted) {
  if (!strstr(text, wanted))
    g_error("FAKE_CUDA=%s: \"%s\" is not in:\n%s", settings, wanted, text);
}

/* A driver that does not start: auto uses the CPU, cuda fails with a clear error. */
static void
test_no_start(void) {
  static const struct {
    const gchar *settings, *message;
  } cases[] = {
      {"init=100", "the NVIDIA driver does not start: cuInit: CUDA_ERROR_NO_DEVICE (100)"},
      {"init=999", "the NVIDIA driver does not start: cuInit: CUDA_ERROR_UNKNOWN (999)"},
      {"version=11080", "the NVIDIA driver is too old: it supports CUDA 11.8"},
      {"devices=0", "no CUDA device: the driver sees none"},
      {"fail=cuDevicePrimaryCtxRetain:1+:2", "CUDA device 0 does not open"},
      {"fail=cuModuleLoadData:1+:209", "cannot run this build's kernels"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    Result result;
    run_child("cuda", cases[i].settings, &result);
    assert_clean(cases[i].settings, &result);
    g_assert_cmpuint(count_lines(result.out, "backend"), ==, 0);
    g_assert_cmpuint(count_lines(result.out, "error"), ==, 1);
    assert_contains(cases[i].settings, result.out, cases[i].message);
    clear_result(&result);

    run_child("auto", cases[i].settings, &result);
    assert_clean(cases[i].settings, &result);
    assert_contains(cases[i].settings, result.out, "backend cpu");
    assert_contains(cases[i].settings, result.out, cases[i].message);
    g_assert_cmpuint(count_lines(result.out, "error"), ==, 0);
    clear_result(&result);

    run_child("element-cuda", cases[i].settings, &result);
    assert_clean(cases[i].settings, &result);
    g_assert_cmpuint(count_lines(result.out, "error"), ==, 1);
    assert_contains(cases[i].settings, result.out, cases[i].message);
    clear_result(&result);
  }
}

static const gchar *const calls[] = {"cuInit",
                                     "cuDriverGetVersion",
                                     "cuDeviceGetCount",
                                     "cuDeviceGet",
                                     "cuDeviceGetName",
                                     "cuDeviceGetAttribute",
                                     "cuDevicePrimaryCtxRetain",
                                     "cuCtxPushCurrent",
                                     "cuModuleLoadData",
                                     "cuModuleGetFunction",
                                     "cuMemAlloc",
                                     "cuMemHostAlloc",
                                     "cuStreamCreate",
                                     "cuStreamSynchronize",
                                     "cuEventCreate",
                                     "cuEventRecord",
                                     "cuEventQuery",
                                     "cuEventSynchronize",
                                     "cuEventElapsedTime",
                                     "cuMemcpyHtoDAsync",
                                     "cuMemcpyDtoHAsync",
                                     "cuLaunchKernel",
                                     "cuLaunchKernelEx"};

/* Every call fails once, or from some point on, with each of these codes. The backend reports one
 * error or falls back to the CPU, and frees everything. */
static void
test_each_call(void) {
  static const guint codes[] = {2, 700, 999};
  for (guint c = 0; c < G_N_ELEMENTS(calls); c++)
    for (guint at = 1; at <= 17; at += 2)
      for (guint on = 0; on < 2; on++) {
        Result result;
        g_autofree gchar *settings =
            g_strdup_printf("fail=%s:%u%s:%u", calls[c], at, on ? "+" : "", codes[(c + at) % 3]);
        run_child("auto", settings, &result);
        assert_clean(settings, &result);
        g_assert_cmpuint(count_lines(result.out, "backend"), ==, 1);
        g_assert_cmpuint(count_lines(result.out, "error"), <=, 1);
        clear_result(&result);
      }
}

/* The same in a running element: it reports exactly one error, and the stream ends. */
static void
test_mid_stream(void) {
  static const gchar *const cases[] = {
      "fail=cuLaunchKernelEx:3:700",   "capability=8,fail=cuLaunchKernel:3:700",
      "fail=cuMemcpyHtoDAsync:4+:999", "fail=cuMemcpyDtoHAsync:1:700",
      "fail=cuEventQuery:2+:999",      "fail=cuMemAlloc:1+:2",
      "fail=cuMemHostAlloc:2+:2",      "fail=cuCtxPushCurrent:12+:999",
      "fail=cuEventRecord:9:700"};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    Result result;
    run_child("element-cuda", cases[i], &result);
    assert_clean(cases[i], &result);
    if (count_lines(result.out, "error") != 1)
      g_error("FAKE_CUDA=%s: not one error:\n%s", cases[i], result.out);
    g_assert_null(strstr(result.out, "hung"));
    clear_result(&result);
  }
}

/* cuInit succeeds for the element and fails later. Two elements in a row, which could share CUDA
 * memory through GStreamer's library, work without sharing. That library warns once if its own call
 * fails, and would wait forever if it was called again. */
static void
test_driver_starts_once(void) {
  static const struct {
    const gchar *settings;
    gboolean complains;
  } cases[] = {
      {"fail=cuInit:2+:999", FALSE}, {"fail=cuInit:2:999", FALSE}, {"fail=cuInit:2+:100", FALSE},
      {"fail=cuInit:3:999", TRUE},   {"fail=cuInit:3+:3", TRUE},
  };
  g_unsetenv("G_DEBUG");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    Result result;
    run_child("pair-cuda", cases[i].settings, &result);
    if (!cases[i].complains)
      assert_clean(cases[i].settings, &result);
    g_assert_cmpint(result.status, ==, 0);
    g_assert_cmpuint(count_lines(result.out, "error"), ==, 0);
    assert_contains(cases[i].settings, result.out, "eos");
    clear_result(&result);
  }
}

static void
test_out_of_memory(void) {
  Result result;
  run_child("cuda", "memory=5000", &result);
  assert_clean("memory=5000", &result);
  assert_contains("memory=5000", result.out, "error cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)");
  clear_result(&result);
}

/* Launches overlap if the device supports that, and are plain launches otherwise. */
static void
test_overlap(void) {
  static const struct {
    const gchar *settings, *error; /* NULL: none */
  } cases[] = {
      {"fail=cuLaunchKernelEx:1+:700", "error cuLaunchKernelEx: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
      {"capability=8,fail=cuLaunchKernelEx:1+:700", NULL},
      {"capability=8,fail=cuLaunchKernel:1+:700",
       "error cuLaunchKernel: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    Result result;
    run_child("cuda", cases[i].settings, &result);
    assert_clean(cases[i].settings, &result);
    assert_contains(cases[i].settings, result.out, "backend cuda");
    if (cases[i].error)
      assert_contains(cases[i].settings, result.out, cases[i].error);
    else
      g_assert_cmpuint(count_lines(result.out, "error"), ==, 0);
    clear_result(&result);
  }
}

static void
test_too_many_tiles(void) {
  Result result;
  run_child("too-many-tiles", "", &result);
  assert_clean("", &result);
  assert_contains("", result.out, "this algorithm needs 2147483647 tiles for the output");
  clear_result(&result);
}

int
main(int argc, char **argv) {
  const gchar *mode = argc > 1 ? argv[1] : "";
  if (g_str_equal(mode, "auto") || g_str_equal(mode, "cuda"))
    return run_backend(g_str_equal(mode, "auto") ? CC_BACKEND_AUTO : CC_BACKEND_CUDA, FALSE);
  if (g_str_equal(mode, "too-many-tiles"))
    return run_backend(CC_BACKEND_CUDA, TRUE);
  if (g_str_has_prefix(mode, "element-")) {
    gst_init(NULL, NULL);
    return run_element(ELEMENT, mode + strlen("element-"));
  }
  if (g_str_has_prefix(mode, "pair-")) {
    gst_init(NULL, NULL);
    return run_element(PAIR, mode + strlen("pair-"));
  }
  program_path = argv[0];
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/failures/no-start", test_no_start);
  g_test_add_func("/failures/each-call", test_each_call);
  g_test_add_func("/failures/mid-stream", test_mid_stream);
  g_test_add_func("/failures/driver-starts-once", test_driver_starts_once);
  g_test_add_func("/failures/out-of-memory", test_out_of_memory);
  g_test_add_func("/failures/overlap", test_overlap);
  g_test_add_func("/failures/too-many-tiles", test_too_many_tiles);
  return g_test_run();
}
