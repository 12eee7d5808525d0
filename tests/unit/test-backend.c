/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opening backends, and properties of the CPU backend with any number of threads. */

#include "cpu/isa.h"
#include "cpu/lower.h"
#include "cpu/workers.h"
#include "cuda/algorithm.h"
#include "plugin/backends.h"
#include "tests/ref/formats.h"
#include "tests/ref/guarded.h"

#include <string.h>

#define N_CORES 8 /* cores that frames are shared among, whatever the machine has */

static CcBackend *
open_cpu(guint n_threads) {
  const CcBackendConfig config = {
      .choice = CC_BACKEND_CPU, .device_id = -1, .n_threads = n_threads};
  g_autoptr(GError) error = NULL, fallback = NULL;
  CcBackend *backend = cc_backend_open(&config, &fallback, &error);
  g_assert_no_error(error);
  g_assert_no_error(fallback);
  g_assert_nonnull(backend);
  return backend;
}

static void
check_unavailable(const GError *error) {
  g_assert_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE);
  g_test_message("%s", error->message);
  g_autofree gchar *folded = g_ascii_strdown(error->message, -1);
  g_assert_nonnull(strstr(folded, "cuda"));
}

static void
test_open_cpu(void) {
  CcBackend *backend = open_cpu(2);
  g_assert_cmpstr(backend->klass->name, ==, "cpu");
  g_assert_nonnull(backend->device_name);
  g_assert_cmpint(backend->device_id, ==, -1);
  g_assert_cmpuint(backend->depth, >=, 1);
  g_test_message("%s", backend->device_name);
  cc_backend_close(backend);
}

/* CUDA if a device opens, without a fallback reason; else the CPU, with a reason. */
static void
test_open_auto(void) {
  const CcBackendConfig config = {.choice = CC_BACKEND_AUTO, .device_id = -1};
  g_autoptr(GError) error = NULL, fallback = NULL;
  CcBackend *backend = cc_backend_open(&config, &fallback, &error);
  g_assert_no_error(error);
  if (strcmp(backend->klass->name, "cuda") == 0) {
    g_assert_no_error(fallback);
    g_assert_cmpint(backend->device_id, >=, 0);
  } else {
    g_assert_cmpstr(backend->klass->name, ==, "cpu");
    check_unavailable(fallback);
  }
  cc_backend_close(backend);

  backend = cc_backend_open(&config, NULL, &error);
  g_assert_no_error(error);
  cc_backend_close(backend);
}

static void
test_open_cuda(void) {
  const CcBackendConfig config = {.choice = CC_BACKEND_CUDA, .device_id = -1};
  g_autoptr(GError) error = NULL;
  CcBackend *backend = cc_backend_open(&config, NULL, &error);
  if (!backend) {
    check_unavailable(error);
    return;
  }
  g_assert_cmpstr(backend->klass->name, ==, "cuda");
  g_assert_cmpint(backend->device_id, >=, 0);
  cc_backend_close(backend);
}

static void
test_open_no_such_device(void) {
  const CcBackendConfig config = {.choice = CC_BACKEND_CUDA, .device_id = 999};
  g_autoptr(GError) error = NULL;
  g_assert_null(cc_backend_open(&config, NULL, &error));
  check_unavailable(error);
}

static void
test_variants(void) {
  const gchar *const *variants = cc_cpu_variants();
  g_assert_cmpstr(variants[0], ==, "plain");
  g_assert_cmpstr(variants[1], ==, "c");
  for (const gchar *const *variant = variants; *variant; variant++)
    g_assert_true(cc_cpu_set_variant(*variant));
  g_assert_false(cc_cpu_set_variant("abacus"));
  g_assert_true(cc_cpu_set_variant(NULL));
}

/* CUDACONV_CPU is read once in a process, so each value needs a process. */
static void
test_variant_cap(void) {
  if (g_test_subprocess()) {
    const gchar *const *variants = cc_cpu_variants();
    g_print("%u variants\n", g_strv_length((gchar **)variants));
    return;
  }
  g_setenv("CUDACONV_CPU", "plain", TRUE);
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed();
  g_test_trap_assert_stdout("*1 variants*");
  g_setenv("CUDACONV_CPU", "c", TRUE);
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed();
  g_test_trap_assert_stdout("*2 variants*");
  g_setenv("CUDACONV_CPU", "abacus", TRUE);
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed(); /* warnings are fatal here */
  g_test_trap_assert_stderr("*abacus is ignored: it takes plain, c, avx2, *");
  g_setenv("CUDACONV_CPU", "", TRUE); /* as if it were not set */
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed();
  g_unsetenv("CUDACONV_CPU");
}

/* --- the same bytes from any number of threads --- */

static const CcRoi whole_frame = {0};

static CcProgram *
prepare(CcBackend *backend, const CcFilter *filter, const CcFrameLayout *layout) {
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(filter, layout, &error);
  g_assert_no_error(error);
  CcProgram *program = cc_backend_prepare(backend, plan, &error);
  g_assert_no_error(error);
  return program;
}

static void
run(CcBackend *backend, CcProgram *program, const CcRoi *roi, const GuardedFrame *src,
    const GuardedFrame *dst) {
  g_autoptr(GError) error = NULL;
  CcTimes times = {0};
  CcRegion region;
  g_assert_true(cc_roi_find_region(roi, program->plan->stride, &src->layout, &region, NULL));
  const CcSubmitInfo info = {
      .src = src->frame, .dst = dst->frame, .regions = &region, .n_regions = 1};
  CcSubmission *submission = cc_backend_submit(backend, program, &info, &error);
  g_assert_no_error(error);
  gboolean ok = cc_backend_wait(backend, submission, &times, &error);
  g_assert_no_error(error);
  g_assert_true(ok);
}

static GuardedFrame *
random_frame(const CcFrameLayout *layout) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  GuardedFrame *frame = guarded_frame_new(layout, PLACEMENT_ODD);
  guarded_frame_draw(frame, PATTERN_RANDOM, rand);
  return frame;
}

static GuardedFrame *
run_region_with_threads(const CcFilter *filter, const CcRoi *roi, const GuardedFrame *src,
                        guint n_threads) {
  CcBackend *backend = open_cpu(n_threads);
  CcProgram *program = prepare(backend, filter, &src->layout);
  GuardedFrame *dst = guarded_frame_new(&program->plan->out_frame_layout, PLACEMENT_BOTTOM_UP);
  run(backend, program, roi, src, dst);
  cc_program_unref(program);
  cc_backend_close(backend);
  return dst;
}

static GuardedFrame *
run_with_threads(const CcFilter *filter, const GuardedFrame *src, guint n_threads) {
  return run_region_with_threads(filter, &whole_frame, src, n_threads);
}

static void
assert_same(const GuardedFrame *a, const GuardedFrame *b) {
  gchar *message = NULL;
  frames_match(&a->layout, &a->frame, &b->frame, NULL, &message);
  g_assert_cmpstr(message, ==, NULL);
  guarded_frame_intact(b, &message);
  g_assert_cmpstr(message, ==, NULL);
}

static void
test_threads(void) {
  static const struct {
    const gchar *kernel;
    guint size;
    gdouble sigma;
    const gchar *format;
    guint width, height;
  } cases[] = {
      {"sobel", 5, 0, "NV12", 640, 363},     {"gaussian", 15, 0, "RGB", 200, 133},
      {"gaussian", 0, 1.7, "I420", 160, 90}, {"log", 9, 0, "GRAY16_LE", 77, 5},
      {"kirsch", 3, 0, "AYUV", 33, 3},       {"box", 15, 0, "GRAY8", 9, 1},
  };
  static const guint threads[] = {2, 7, 64, 0};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout = test_format_layout(test_format_find(cases[i].format),
                                                    cases[i].width, cases[i].height, TRUE);
    const CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel),
                             .size = cases[i].size,
                             .sigma = cases[i].sigma,
                             .border = CC_BORDER_REFLECT};
    g_autoptr(GuardedFrame) src = random_frame(&layout);
    g_autoptr(GuardedFrame) single = run_with_threads(&filter, src, 1);
    for (guint t = 0; t < G_N_ELEMENTS(threads); t++) {
      g_autoptr(GuardedFrame) many = run_with_threads(&filter, src, threads[t]);
      assert_same(single, many);
    }
  }
}

/* With a stride and regions, which cut planes into other slices. */
static void
test_threads_of_regions(void) {
  static const struct {
    CcFilter filter;
    CcRoi roi;
  } cases[] = {
      {{.size = 5, .stride = 2}, {.source = {0}}},
      {{.size = 3, .stride = 4}, {.source = {3, 5, 600, 333}}},
      {{.size = 3},
       {.source = {1, 1, 401, 300}, .target_set = TRUE, .target_x = 77, .target_y = 200}},
  };
  const CcFrameLayout layout = test_format_layout(test_format_find("I420"), 640, 363, TRUE);
  g_autoptr(GuardedFrame) src = random_frame(&layout);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    CcFilter filter = cases[i].filter;
    filter.kernel = cc_kernels_find("gaussian");
    g_autoptr(GuardedFrame) single = run_region_with_threads(&filter, &cases[i].roi, src, 1);
    g_autoptr(GuardedFrame) many = run_region_with_threads(&filter, &cases[i].roi, src, 7);
    assert_same(single, many);
  }
}

/* The algorithm concerns only the GPU. The CPU gives the same bytes, whether or not the algorithm
 * can run the kernel. */
static void
test_algorithm_is_ignored(void) {
  static const gchar *const kernels[] = {"sobel", "kirsch"};
  const CcFrameLayout layout = test_format_layout(test_format_find("RGB"), 50, 30, FALSE);
  g_autoptr(GuardedFrame) src = random_frame(&layout);
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
    CcFilter filter = {.kernel = cc_kernels_find(kernels[i])};
    g_autoptr(GuardedFrame) expected = run_with_threads(&filter, src, 2);
    for (filter.algorithm = CC_ALGORITHM_DIRECT; filter.algorithm < CC_N_ALGORITHMS;
         filter.algorithm++) {
      g_autoptr(GuardedFrame) dst = run_with_threads(&filter, src, 2);
      assert_same(expected, dst);
    }
  }
}

/* Planes that a filter leaves unchanged are copied, others are not. */
static void
test_copies(void) {
  static const struct {
    const gchar *format;
    CcFilter filter;
    gboolean copies;
  } cases[] = {
      {"GRAY8", {0}, TRUE},
      {"GRAY16_LE", {.stride = 2}, TRUE},
      {"RGBA", {0}, TRUE},
      {"RGBA", {.alpha = CC_ALPHA_FILTER}, TRUE},
      {"NV12", {.chroma = CC_CHROMA_FILTER}, TRUE},
      {"YUY2", {.chroma = CC_CHROMA_FILTER}, TRUE},
      {"GRAY8", {.bias = 1}, FALSE},
      {"GRAY8", {.scale = 0.99}, FALSE},
      {"GRAY8", {.response = CC_RESPONSE_MAGNITUDE}, FALSE},
      {"I420_10LE", {0}, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 40, 30, FALSE);
    CcFilter filter = cases[i].filter;
    filter.kernel = cc_kernels_find("identity");
    CcBackend *backend = open_cpu(1);
    CcProgram *base = prepare(backend, &filter, &layout);
    const CcCpuProgram *program = (CcCpuProgram *)base;
    g_test_message("%s", cases[i].format);
    g_assert_cmpint(program->phase[0].sweep[0].loop == CC_LOOP_COPY, ==, cases[i].copies);
    cc_program_unref(base);
    cc_backend_close(backend);
  }
}

/* --- programs and submissions --- */

/* Alternates two programs; each keeps its own filter. */
static void
test_two_programs(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 70, 40, FALSE);
  const CcFilter blur = {.kernel = cc_kernels_find("gaussian")};
  const CcFilter edges = {.kernel = cc_kernels_find("sobel")};
  g_autoptr(GuardedFrame) src = random_frame(&layout);
  g_autoptr(GuardedFrame) blurred = run_with_threads(&blur, src, 1);
  g_autoptr(GuardedFrame) edged = run_with_threads(&edges, src, 1);
  CcBackend *backend = open_cpu(3);
  CcProgram *a = prepare(backend, &blur, &layout), *b = prepare(backend, &edges, &layout);
  for (guint i = 0; i < 20; i++) {
    g_autoptr(GuardedFrame) dst = guarded_frame_new(&layout, PLACEMENT_AT_END);
    run(backend, i % 2 ? b : a, &whole_frame, src, dst);
    assert_same(i % 2 ? edged : blurred, dst);
  }
  cc_program_unref(b);
  cc_program_unref(a);
  cc_backend_close(backend);
}

/* A submission keeps its program alive, and through it the plan. */
static void
test_submission_keeps_program(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 70, 40, FALSE);
  const CcFilter filter = {.kernel = cc_kernels_find("sobel")};
  g_autoptr(GuardedFrame) src = random_frame(&layout);
  g_autoptr(GuardedFrame) expected = run_with_threads(&filter, src, 1);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&layout, PLACEMENT_AT_END);
  CcBackend *backend = open_cpu(2);
  CcProgram *program = prepare(backend, &filter, &layout);
  g_assert_true(cc_program_ref(program) == program);
  cc_program_unref(program);
  g_autoptr(GError) error = NULL;
  const CcRegion whole = cc_frame_layout_region(&layout);
  const CcSubmitInfo info = {
      .src = src->frame, .dst = dst->frame, .regions = &whole, .n_regions = 1};
  CcSubmission *submission = cc_backend_submit(backend, program, &info, &error);
  g_assert_no_error(error);
  cc_program_unref(program);
  CcTimes times = {0};
  g_assert_true(cc_backend_wait(backend, submission, &times, &error));
  g_assert_cmpuint(times.upload, ==, 0);
  g_assert_cmpuint(times.download, ==, 0);
  assert_same(expected, dst);
  cc_backend_close(backend);
}

typedef struct {
  const GuardedFrame *src, *expected;
} Worker;

static gpointer
filter_alone(gpointer data) {
  const Worker *worker = data;
  const CcFilter filter = {.kernel = cc_kernels_find("sobel")};
  for (guint i = 0; i < 10; i++) {
    g_autoptr(GuardedFrame) dst = run_with_threads(&filter, worker->src, 1 + i % 3);
    assert_same(worker->expected, dst);
  }
  return NULL;
}

/* Different backends are independent, also in different threads. */
static void
test_two_backends(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("RGBA"), 120, 50, FALSE);
  const CcFilter filter = {.kernel = cc_kernels_find("sobel")};
  g_autoptr(GuardedFrame) src = random_frame(&layout);
  g_autoptr(GuardedFrame) expected = run_with_threads(&filter, src, 1);
  Worker worker = {src, expected};
  GThread *threads[4];
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("worker", filter_alone, &worker);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
}

/* --- many backends --- */

static guint
count_threads(void) {
  g_autofree gchar *status = NULL;
  g_assert_true(g_file_get_contents("/proc/self/status", &status, NULL, NULL));
  return (guint)g_ascii_strtoull(strstr(status, "\nThreads:") + strlen("\nThreads:"), NULL, 10);
}

/* A small frame is filtered by one thread, because waking another takes longer. */
static void
test_small_frame_takes_one_thread(void) {
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 16, 16, FALSE);
  const CcFilter filter = {.kernel = cc_kernels_find("gaussian")};
  g_autoptr(GuardedFrame) src = random_frame(&layout);
  const guint before = count_threads();
  CcBackend *backend = open_cpu(0);
  CcProgram *program = prepare(backend, &filter, &layout);
  for (guint i = 0; i < 100; i++) {
    g_autoptr(GuardedFrame) dst = guarded_frame_new(&layout, PLACEMENT_AT_END);
    run(backend, program, &whole_frame, src, dst);
    g_assert_cmpuint(count_threads(), <=, before);
  }
  cc_program_unref(program);
  cc_backend_close(backend);
}

typedef struct {
  const gchar *kernel;
  const GuardedFrame *src;
  GuardedFrame *expected;
  guint n_threads;
  guint max; /* most threads of the process that it saw */
} Stream;

static gpointer
filter_stream(gpointer data) {
  Stream *stream = data;
  const CcFilter filter = {.kernel = cc_kernels_find(stream->kernel), .size = 5};
  for (guint round = 0; round < 4; round++) {
    CcBackend *backend = open_cpu((stream->n_threads + round) % 12);
    CcProgram *program = prepare(backend, &filter, &stream->src->layout);
    for (guint i = 0; i < 8; i++) {
      g_autoptr(GuardedFrame) dst = guarded_frame_new(&stream->src->layout, PLACEMENT_AT_END);
      run(backend, program, &whole_frame, stream->src, dst);
      assert_same(stream->expected, dst);
    }
    stream->max = MAX(stream->max, count_threads());
    cc_program_unref(program);
    cc_backend_close(backend);
  }
  return NULL;
}

/* Each backend gives the right bytes, with any number of threads and while others open and close.
 * All backends together add at most one thread per core to the calling threads. */
static void
test_many_backends(void) {
  static const gchar *const kernels[] = {"gaussian", "sobel", "box", "log"};
  enum { N_STREAMS = 16 };
  const CcFrameLayout layout = test_format_layout(test_format_find("I420"), 640, 363, TRUE);
  g_autoptr(GuardedFrame) src = random_frame(&layout);
  GuardedFrame *expected[G_N_ELEMENTS(kernels)];
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find(kernels[i]), .size = 5};
    expected[i] = run_with_threads(&filter, src, 1);
  }
  Stream streams[N_STREAMS];
  GThread *threads[N_STREAMS];
  const guint before = count_threads();
  guint max = 0;
  for (guint i = 0; i < N_STREAMS; i++) {
    const guint k = i % G_N_ELEMENTS(kernels);
    streams[i] = (Stream){kernels[k], src, expected[k], i, 0};
    threads[i] = g_thread_new("stream", filter_stream, &streams[i]);
  }
  for (guint i = 0; i < N_STREAMS; i++) {
    g_thread_join(threads[i]);
    max = MAX(max, streams[i].max);
  }
  g_test_message("%u threads", max);
  g_assert_cmpuint(max, <=, before + N_STREAMS + N_CORES - 1);
  for (guint i = 0; i < G_N_ELEMENTS(kernels); i++)
    guarded_frame_free(expected[i]);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  cc_workers_set_n_cores(N_CORES);
  g_test_add_func("/backend/open/cpu", test_open_cpu);
  g_test_add_func("/backend/open/auto", test_open_auto);
  g_test_add_func("/backend/open/cuda", test_open_cuda);
  g_test_add_func("/backend/open/no-such-device", test_open_no_such_device);
  g_test_add_func("/backend/variants", test_variants);
  g_test_add_func("/backend/variant-cap", test_variant_cap);
  g_test_add_func("/backend/threads", test_threads);
  g_test_add_func("/backend/threads-of-regions", test_threads_of_regions);
  g_test_add_func("/backend/algorithm-is-ignored", test_algorithm_is_ignored);
  g_test_add_func("/backend/copies", test_copies);
  g_test_add_func("/backend/two-programs", test_two_programs);
  g_test_add_func("/backend/submission-keeps-program", test_submission_keeps_program);
  g_test_add_func("/backend/two-backends", test_two_backends);
  g_test_add_func("/backend/small-frame-takes-one-thread", test_small_frame_takes_one_thread);
  g_test_add_func("/backend/many-backends", test_many_backends);
  return g_test_run();
}
