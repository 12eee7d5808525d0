/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames whose regions are filtered in place while calls of the driver fail. A frame must not be
 * filtered twice. The failures come from the libcuda.so.1 of tests/fake, which reads FAKE_CUDA once
 * per process, so every stream is a process of its own. */

#include "regionframes.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

#define N_FRAMES 24 /* of the longest stream */
#define N_FIRST 13  /* frames after which every one of 3 slots has had every size */
#define N_FAULTY 5  /* frames of a stream with a failure */

enum { PLAIN, PINNED, CUDA, MIXED }; /* the memory of the frames */
enum { NO_EFFECT = 0, EFFECT = 3 };  /* exit status of a stream without a wrong frame */

static void (*pause_failures)(gboolean pause);
static gchar *caps;
static GstBuffer *input[N_FRAMES], *expected[N_FRAMES], *pushed[N_FRAMES];

static void
setup(guint n) {
  const CcFilter filter = test_filter_parse("kernel=gaussian size=5");
  caps = test_caps("NV12", 1280, 1024); /* large enough for regions in place */
  for (guint i = 0; i < n; i++) {
    const TestRois rois = test_rois_of_frame(i);
    input[i] = test_frame_random(caps, i);
    expected[i] = test_expect_rois(&filter, &rois, caps, input[i]);
    test_rois_attach(input[i], &rois, "face");
  }
}

static void
teardown(void) {
  for (guint i = 0; i < N_FRAMES; i++) {
    gst_clear_buffer(&input[i]);
    gst_clear_buffer(&expected[i]);
  }
  g_clear_pointer(&caps, g_free);
}

/* --- one stream --- */

static GstBuffer *
next_frame(GstBufferPool *pool, guint i) {
  GstBuffer *frame = gst_buffer_copy_deep(input[i]);
  if (pool) {
    const TestRois rois = test_rois_of_frame(i);
    frame = test_move_to_pool(pool, caps, frame);
    test_rois_attach(frame, &rois, "face");
  }
  return frame;
}

static void
check_results(GstHarness *h, guint kind, guint *n) {
  GstBuffer *out;
  for (; (out = gst_harness_try_pull(h)); ++*n) {
    fail_unless(out == pushed[*n] || kind >= CUDA); /* in CUDA memory, the CPU copies the frame */
    test_assert_same_frame(caps, out, expected[*n], "a frame");
    gst_buffer_unref(out);
  }
}

/* Fails unless all frames that come out are right, and there is an error if frames are missing. */
static int
run_stream(guint kind, guint n_frames, guint max_errors) {
  g_autoptr(GstElement) element = test_element_new("kernel=gaussian size=5 roi-meta=true");
  if (gst_element_set_state(element, GST_STATE_READY) == GST_STATE_CHANGE_FAILURE) {
    fail_unless(max_errors > 0);
    return EFFECT;
  }
  GstHarness *h = test_harness_around(element, NULL);
  g_autofree gchar *own =
      kind >= CUDA && test_is_on_cuda(h) ? test_caps_in_cuda(caps) : g_strdup(caps);
  gst_harness_set_sink_caps_str(h, own);
  gst_harness_add_propose_allocation_meta(h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str(h, own);
  pause_failures(TRUE); /* while this thread prepares and reads frames */
  GstBufferPool *pool = kind != PLAIN ? test_offered_pool(h, own) : NULL;
  /* frames that the test uses too, so they are not filtered in place */
  g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func((GDestroyNotify)gst_buffer_unref);
  GstFlowReturn flow = GST_FLOW_OK;
  guint n = 0, n_errors, failovers = 0;
  for (guint i = 0; i < n_frames && flow == GST_FLOW_OK; i++) {
    pushed[i] = next_frame(pool, i);
    if (kind == MIXED && i % 3 == 1)
      g_ptr_array_add(kept, gst_buffer_ref(pushed[i]));
    pause_failures(FALSE);
    flow = gst_harness_push(h, pushed[i]);
    pause_failures(TRUE);
    check_results(h, kind, &n);
  }
  pause_failures(FALSE);
  gst_harness_push_event(h, gst_event_new_eos());
  pause_failures(TRUE);
  check_results(h, kind, &n);
  g_autoptr(GstStructure) stats = test_stats(h->element);
  gst_structure_get_uint(stats, "failovers", &failovers);
  g_autofree gchar *text = test_bus_take(test_harness_bus(h), GST_MESSAGE_ERROR, &n_errors);
  fail_unless(n_errors <= max_errors && (n_errors > 0 || n == n_frames), "%u frames, %u errors: %s",
              n, n_errors, text);
  test_teardown(h);
  if (pool)
    gst_buffer_pool_set_active(pool, FALSE);
  g_clear_pointer(&pool, gst_object_unref);
  return failovers + n_errors > 0 ? EFFECT : NO_EFFECT;
}

/* The exit status of a process that runs a stream with this failure. */
static int
run(const gchar *backend, const gchar *failure, guint kind, guint n_frames, guint max_errors) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    g_autofree gchar *settings = g_strconcat(g_getenv("FAKE_CUDA"), ",fail=", failure, NULL);
    g_setenv("FAKE_CUDA", settings, TRUE);
    g_setenv("CUDACONV_TEST_BACKEND", backend, TRUE);
    exit(run_stream(kind, n_frames, max_errors));
  }
  fail_unless(waitpid(child, &status, 0) == child);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  fail_unless(code == NO_EFFECT || code == EFFECT, "backend=%s, memory %u, fail=%s: status %x",
              backend, kind, failure, status);
  return code;
}

/* --- failures --- */

static const gchar *const calls[] = {
    "cuCtxPushCurrent",  "cuStreamCreate",    "cuStreamWaitEvent", "cuStreamSynchronize",
    "cuEventCreate",     "cuEventRecord",     "cuEventQuery",      "cuEventSynchronize",
    "cuMemAlloc",        "cuMemHostAlloc",    "cuMemsetD8Async",   "cuMemHostRegister",
    "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpy2DAsync",   "cuModuleLoadData",
    "cuLaunchKernelEx"};

/* The call fails once, and each time later, until that has no effect. With MIXED, the calls after
 * it fail too. */
static void
check_call(const gchar *call, const gchar *backend, guint kind, guint max_errors) {
  static const guint codes[] = {700, 999, 2};
  for (guint at = 1, n_idle = 0; n_idle < 3; at += test_is_complete() ? 1 : 1 + at / 2) {
    g_autofree gchar *failure =
        g_strdup_printf("%s:%u%s:%u", call, at, kind == MIXED ? "+" : "", codes[at % 3]);
    n_idle = run(backend, failure, kind, N_FAULTY, max_errors) == EFFECT ? 0 : n_idle + 1;
  }
}

/* With backend=auto the CPU takes over without an error, but frames in CUDA memory may be lost. */
GST_START_TEST(each_call_fails) {
  setup(N_FAULTY);
  check_call(calls[__i__], "auto", PLAIN, 0);
  check_call(calls[__i__], "auto", PINNED, 0);
  check_call(calls[__i__], "auto", CUDA, 1);
  check_call(calls[__i__], "auto", MIXED, 1);
  check_call(calls[__i__], "cuda", PLAIN, 1);
  teardown();
}
GST_END_TEST;

/* --- programs and memory --- */

/* After the first frames, regions that move need no new program or memory: a stream runs if
 * later calls of these functions fail. */
GST_START_TEST(nothing_is_made_anew) {
  static const gchar *const makers[] = {"cuModuleLoadData", "cuModuleGetFunction", "cuMemAlloc",
                                        "cuMemHostAlloc", "cuStreamCreate"};
  static const guint kinds[] = {PLAIN, CUDA};
  setup(N_FRAMES);
  for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
    for (guint m = 0; m < G_N_ELEMENTS(makers); m++) {
      guint fails = 0, works = 256; /* the number of the first call that fails */
      while (works - fails > 1) {
        const guint at = (fails + works) / 2;
        g_autofree gchar *failure = g_strdup_printf("%s:%u+:700", makers[m], at);
        if (run("cuda", failure, kinds[k], N_FIRST, G_MAXUINT) == EFFECT)
          fails = at;
        else
          works = at;
      }
      g_autofree gchar *failure = g_strdup_printf("%s:%u+:700", makers[m], works);
      fail_unless(run("cuda", failure, kinds[k], N_FRAMES, 0) == NO_EFFECT);
    }
  teardown();
}
GST_END_TEST;

static Suite *
regions_faults_suite(void) {
  Suite *suite = suite_create("regions-faults");
  TCase *tc = tcase_create("regions-faults");
  tcase_set_timeout(tc, 240);
  tcase_add_loop_test(tc, each_call_fails, 0, G_N_ELEMENTS(calls));
  tcase_add_test(tc, nothing_is_made_anew);
  suite_add_tcase(suite, tc);
  return suite;
}

int
main(int argc, char **argv) {
  gpointer library = dlopen("libcuda.so.1", RTLD_LAZY);
  if (library)
    *(gpointer *)&pause_failures = dlsym(library, "fake_pause_failures");
  if (pause_failures)
    return test_main(&argc, &argv, regions_faults_suite, "regions-faults", 1);
  g_print("regions-faults: skipped, libcuda.so.1 is not that of tests/fake\n");
  return g_getenv("CUDACONV_TEST_REQUIRED") ? EXIT_FAILURE : 77;
}
