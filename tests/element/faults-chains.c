/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several elements in a row that share CUDA memory, while calls of the driver fail or memory runs
 * short. With backend=auto every frame comes out, in order, with the bytes of a run without
 * failures, and without an error. Errors, at most one from each element, are allowed only if the
 * device is lost while frames exist only in its memory. The frames before the errors must still be
 * right.
 *
 *   element-faults-chains [--complete] [--every=N] [--jobs=N] [CHAIN...]
 *
 * runs all failures with the given chains, or with all chains. Each run is a process of its own,
 * because libcuda.so.1, which must be that of tests/fake or tests/forward, reads FAKE_CUDA once per
 * process. With --complete each of the first twenty calls fails, and more amounts of memory are
 * tried. With --every=N only every N-th failure is run. On a device, --jobs=N limits the number of
 * processes at once. The exit status is 77 if there is no device, unless CUDACONV_TEST_REQUIRED is
 * set.
 *
 *   element-faults-chains --run=CHAIN BACKEND
 *
 * does one run with the failures in FAKE_CUDA and prints the frames that came out. */

#include <dlfcn.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_STARTS 2 /* the second start is after all failures that happen once */
#define N_FRAMES 12
#define WIDTH 32
#define HEIGHT 18
#define PLAIN_CAPS "video/x-raw,format=NV12,width=32,height=18,framerate=30/1"
#define IN_CUDA "video/x-raw(memory:CUDAMemory)"
#define SECONDS 60 /* a longer run counts as hung */

typedef struct {
  const gchar *name;
  const gchar *elements; /* %s: the backend */
  gboolean forced;       /* caps between the elements allow only CUDA memory */
  gboolean decodes;      /* the input is the H.264 file that CUDACONV_TEST_H264 names */
} Chain;

#define BLUR "cudaconv kernel=gaussian size=5 backend=%s"
#define EDGES "cudaconv kernel=sobel backend=%s"
#define SHARPEN "cudaconv kernel=sharpen backend=%s"

static const Chain chains[] = {
    {"two", BLUR " ! " EDGES, FALSE, FALSE},
    {"two-in-cuda", BLUR " ! " IN_CUDA " ! " EDGES, TRUE, FALSE},
    {"crop", BLUR " ! videocrop left=6 top=2 bottom=4 ! " EDGES, FALSE, FALSE},
    {"three", BLUR " ! " SHARPEN " ! " EDGES, FALSE, FALSE},
    {"three-in-cuda", BLUR " ! " IN_CUDA " ! " SHARPEN " ! " IN_CUDA " ! " EDGES, TRUE, FALSE},
    {"decoder", "h264parse ! nvh264dec name=decoder ! " BLUR " ! " EDGES, FALSE, TRUE},
};

/* A chain with a decoder needs a real device and an H.264 file in byte-stream format. */
static gboolean
can_run(const Chain *chain) {
  return !chain->decodes || g_getenv("CUDACONV_TEST_H264");
}

static const Chain *
find_chain(const gchar *name) {
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++)
    if (g_str_equal(chains[i].name, name))
      return &chains[i];
  return NULL;
}

/* --- one run --- */

static gchar *
replace(const gchar *text, const gchar *what, const gchar *with) {
  g_auto(GStrv) parts = g_strsplit(text, what, -1);
  return g_strjoinv(with, parts);
}

static GstBuffer *
new_frame(guint seed) {
  const gsize bytes = WIDTH * HEIGHT * 3 / 2;
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  guint8 *data = g_malloc(bytes);
  for (gsize i = 0; i < bytes; i++)
    data[i] = (guint8)g_rand_int(rand);
  GstBuffer *frame = gst_buffer_new_wrapped(data, bytes);
  GST_BUFFER_PTS(frame) = seed * GST_SECOND;
  return frame;
}

/* A short checksum of the frame, so that lists of frames stay readable. */
static gchar *
checksum_frame(const GstVideoInfo *info, GstBuffer *buffer) {
  GstVideoFrame frame;
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  if (!gst_video_frame_map(&frame, info, buffer, GST_MAP_READ))
    g_error("an output frame cannot be read");
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(&frame); c++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, c); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH(&frame, c); x++)
        g_checksum_update(sum,
                          GST_VIDEO_FRAME_COMP_DATA(&frame, c) +
                              y * GST_VIDEO_FRAME_COMP_STRIDE(&frame, c) +
                              x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, c),
                          1);
  gst_video_frame_unmap(&frame);
  gchar *text = g_strndup(g_checksum_get_string(sum), 8);
  g_checksum_free(sum);
  return text;
}

static void (*pause_failures)(gboolean);

static void
pause_if_possible(gboolean pause) {
  if (pause_failures)
    pause_failures(pause);
}

/* Prints for example "frames 2 0:a08184a6 1:a4d23898". */
static void
print_frames(GstHarness *h) {
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(h->sinkpad);
  g_autoptr(GString) text = g_string_new(NULL);
  GstVideoInfo info;
  GstBuffer *out;
  guint n = 0;
  pause_if_possible(TRUE);
  for (; (out = gst_harness_try_pull(h)); n++) {
    gst_video_info_from_caps(&info, caps);
    g_autofree gchar *checksum = checksum_frame(&info, out);
    g_string_append_printf(text, " %u:%s", n, checksum);
    gst_buffer_unref(out);
  }
  pause_if_possible(FALSE);
  g_print("frames %u%s\n", n, text->str);
}

/* Prints all warnings and errors, after a line with the number of errors of cudaconv elements, the
 * number of errors of other elements, and the maximum number of errors of one cudaconv element. */
static void
print_messages(GstBus *bus) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GHashTable) by_element = g_hash_table_new(NULL, NULL);
  guint n_errors = 0, n_others = 0, n_max = 0;
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
    g_autoptr(GError) error = NULL;
    const gboolean is_error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
    if (is_error)
      gst_message_parse_error(message, &error, NULL);
    else
      gst_message_parse_warning(message, &error, NULL);
    const gboolean ours = g_str_has_prefix(GST_MESSAGE_SRC_NAME(message), "cudaconv");
    if (is_error && ours) {
      gpointer source = GST_MESSAGE_SRC(message);
      const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(by_element, source)) + 1;
      g_hash_table_insert(by_element, source, GUINT_TO_POINTER(n));
      n_max = MAX(n_max, n);
      n_errors++;
    }
    n_others += is_error && !ours;
    g_string_append_printf(text, "%s %s: %s\n", is_error ? "ERROR" : "WARNING",
                           GST_MESSAGE_SRC_NAME(message), error->message);
    gst_message_unref(message);
  }
  g_print("errors %u, others %u, of one element %u\n%s", n_errors, n_others, n_max, text->str);
}

static GstBuffer *
read_file(void) {
  gchar *content = NULL;
  gsize bytes = 0;
  if (!g_file_get_contents(g_getenv("CUDACONV_TEST_H264"), &content, &bytes, NULL))
    g_error("CUDACONV_TEST_H264 cannot be read");
  return gst_buffer_new_wrapped(content, bytes);
}

static void
push_stream(GstHarness *h, const Chain *chain) {
  g_autoptr(GstCaps) caps =
      gst_caps_from_string(chain->decodes ? "video/x-h264,stream-format=byte-stream" : PLAIN_CAPS);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(h, gst_event_new_stream_start("chain"));
  gst_harness_push_event(h, gst_event_new_caps(caps));
  gst_harness_push_event(h, gst_event_new_segment(&segment));
  const guint n = chain->decodes ? 1 : N_FRAMES;
  for (guint i = 0; i < n; i++)
    if (gst_harness_push(h, chain->decodes ? read_file() : new_frame(i)) != GST_FLOW_OK)
      break;
  gst_harness_push_event(h, gst_event_new_eos());
}

static GstPadProbeReturn
count_buffer(GstPad *pad, GstPadProbeInfo *info, gpointer n) {
  g_atomic_int_inc((gint *)n);
  return GST_PAD_PROBE_OK;
}

/* Counts the frames that the decoder pushes, which may be fewer if it fails. */
static void
count_decoded(GstHarness *h, const Chain *chain, gint *n) {
  if (!chain->decodes)
    return;
  g_autoptr(GstElement) decoder = gst_bin_get_by_name(GST_BIN(h->element), "decoder");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(decoder, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, n, NULL);
}

/* A harness starts its elements at once and aborts if that fails. No failures happen while a
 * decoder searches for devices at its first start, because this search is not under test. */
static GstHarness *
new_harness(const Chain *chain, const gchar *elements) {
  pause_if_possible(chain->decodes);
  GstHarness *h = gst_harness_new_parse(elements);
  if (chain->decodes)
    gst_element_set_state(h->element, GST_STATE_NULL);
  pause_if_possible(FALSE);
  return h;
}

static int
run_chain(const Chain *chain, const gchar *backend) {
  g_autofree gchar *elements = replace(chain->elements, "%s", backend);
  if (g_str_equal(backend, "cpu")) { /* uses no CUDA memory, and gives the same frames */
    gchar *plain = replace(elements, IN_CUDA " ! ", "");
    g_free(elements);
    elements = plain;
  }
  gpointer library = dlopen("libcuda.so.1", RTLD_LAZY);
  if (library)
    *(gpointer *)&pause_failures = dlsym(library, "fake_pause_failures");
  alarm(SECONDS);
  GstHarness *h = new_harness(chain, elements);
  gint n_decoded = 0; /* atomic */
  count_decoded(h, chain, &n_decoded);
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_element_set_bus(h->element, bus);
  gst_harness_set_live(h, FALSE);
  gst_harness_set_sink_caps_str(h, "video/x-raw");
  for (guint i = 0; i < N_STARTS; i++) {
    gst_element_set_state(h->element, GST_STATE_PLAYING);
    g_atomic_int_set(&n_decoded, 0);
    push_stream(h, chain);
    print_frames(h);
    print_messages(bus);
    g_print("decoded %d\n", g_atomic_int_get(&n_decoded));
    gst_element_set_state(h->element, GST_STATE_NULL);
  }
  gst_element_set_bus(h->element, NULL);
  /* a decoder that does not stop would make the teardown abort, which is no failure of cudaconv */
  if (!chain->decodes)
    gst_harness_teardown(h);
  return EXIT_SUCCESS;
}

/* --- many runs --- */

typedef enum {
  IDENTICAL,
  ENDED, /* with errors: the device is lost, or the caps insist on CUDA memory that is used up */
  ALL_DECODED, /* all frames of a decoder that failed */
  WRONG,
  N_OUTCOMES
} Outcome;

typedef struct {
  const Chain *chain;
  gchar *failure;       /* value of FAKE_CUDA */
  gboolean once;        /* the failure happens once, so the second start is undisturbed */
  gboolean may_be_lost; /* frames may be in memory that can no longer be read */
} Case;

static const gchar *program;
static gboolean complete;
static gint every = 1, n_jobs;
static GHashTable *expected; /* frames of each chain on the CPU */
static GMutex lock;          /* guards the two arrays */
static guint n_outcomes[G_N_ELEMENTS(chains)][N_OUTCOMES], n_lost[G_N_ELEMENTS(chains)];

/* In GStreamer 1.22 a failed cuInit causes one critical in GStreamer itself, which is ignored. */
static gboolean
is_critical(const gchar *err) {
  const gchar *critical = strstr(err, "CRITICAL");
  return critical && !strstr(critical, "g_once_init_leave: assertion 'result != 0' failed");
}

/* The output of a run, or NULL with the reason in *why if the run crashed or hung. */
static gchar *
spawn(const Chain *chain, const gchar *backend, const gchar *failure, gchar **why) {
  const gchar *argv[] = {program, "--run", chain->name, backend, NULL};
  g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "FAKE_CUDA", failure, TRUE);
  env = g_environ_unsetenv(env, "G_DEBUG"); /* criticals are searched for in stderr instead */
  g_autofree gchar *out = NULL, *err = NULL;
  g_autoptr(GError) error = NULL;
  gint status;
  if (g_spawn_sync(NULL, (gchar **)argv, env, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status,
                   &error) &&
      g_spawn_check_wait_status(status, &error) && !is_critical(err))
    return g_steal_pointer(&out);
  *why = g_strdup_printf("%s\n%s%s", error ? error->message : "a critical", out, err);
  return NULL;
}

static gchar *
first_line(const gchar *text) {
  return g_strndup(text, strcspn(text, "\n"));
}

/* The output of the second start. */
static const gchar *
second_start(const gchar *printed) {
  return g_strrstr(printed, "\nframes ") + 1;
}

/* Whether the frames of one run are the first frames of the other. The numbers of frames are not
 * compared. */
static gboolean
is_beginning_of(const gchar *some, const gchar *all) {
  const gchar *first = strstr(some, " 0:"), *expected_first = strstr(all, " 0:");
  return !first || (expected_first && g_str_has_prefix(expected_first, first));
}

/* Whether the frames are among the frames of the other run, in the same order. */
static gboolean
are_among(const gchar *some, const gchar *all) {
  g_auto(GStrv) checksums = g_strsplit(some, ":", -1), others = g_strsplit(all, ":", -1);
  gchar **other = others + (*others != NULL);
  for (gchar **checksum = checksums + (*checksums != NULL); *checksum; checksum++, other++) {
    while (*other && strncmp(*checksum, *other, 8) != 0)
      other++;
    if (!*other)
      return FALSE;
  }
  return TRUE;
}

/* Judges one start. If an element other than cudaconv posts an error, cudaconv need not. A decoder
 * may also drop a frame without an error; cudaconv must then filter all frames that it gets. */
static Outcome
judge(const Case *c, const gchar *printed) {
  guint n_frames, n_errors, n_others, n_max, n_decoded;
  g_autofree gchar *frames = first_line(printed);
  const gchar *all = g_hash_table_lookup(expected, c->chain->name);
  if (sscanf(printed, "frames %u", &n_frames) != 1 ||
      sscanf(strstr(printed, "errors "), "errors %u, others %u, of one element %u", &n_errors,
             &n_others, &n_max) != 3 ||
      sscanf(strstr(printed, "\ndecoded "), "\ndecoded %u", &n_decoded) != 1)
    return WRONG;
  if (g_str_equal(frames, all) && n_errors + n_others == 0)
    return IDENTICAL;
  if (c->chain->decodes && n_errors == 0 && n_frames == n_decoded && are_among(frames, all))
    return ALL_DECODED;
  return n_max <= 1 && n_errors + n_others > 0 && is_beginning_of(frames, all) ? ENDED : WRONG;
}

static void
run_case(gpointer data, gpointer unused) {
  Case *c = data;
  g_autofree gchar *why = NULL;
  g_autofree gchar *printed = spawn(c->chain, "auto", c->failure, &why);
  Outcome outcome = printed ? judge(c, printed) : WRONG;
  if ((outcome == ENDED && !c->may_be_lost) ||
      (outcome != WRONG && c->once && judge(c, second_start(printed)) != IDENTICAL))
    outcome = WRONG;
  g_mutex_lock(&lock);
  n_outcomes[c->chain - chains][outcome]++;
  n_lost[c->chain - chains] += outcome == ENDED && g_str_has_prefix(c->failure, "lost=");
  if (outcome == WRONG)
    g_print("%s, FAKE_CUDA=%s:\n%s\n", c->chain->name, c->failure, printed ? printed : why);
  g_mutex_unlock(&lock);
  g_free(c->failure);
  g_free(c);
}

/* The driver's functions that the elements and GStreamer's CUDA library call. */
static const gchar *const calls[] = {"cuCtxPushCurrent",
                                     "cuCtxPopCurrent",
                                     "cuMemAlloc",
                                     "cuMemAllocPitch",
                                     "cuMemHostAlloc",
                                     "cuMemAllocHost",
                                     "cuMemFree",
                                     "cuMemFreeHost",
                                     "cuEventCreate",
                                     "cuEventRecord",
                                     "cuEventQuery",
                                     "cuEventSynchronize",
                                     "cuEventElapsedTime",
                                     "cuEventDestroy",
                                     "cuStreamCreate",
                                     "cuStreamWaitEvent",
                                     "cuStreamSynchronize",
                                     "cuStreamDestroy",
                                     "cuMemcpyHtoDAsync",
                                     "cuMemcpyDtoHAsync",
                                     "cuMemcpy2DAsync",
                                     "cuMemcpy2D",
                                     "cuLaunchKernelEx",
                                     "cuModuleLoadData",
                                     "cuModuleGetFunction",
                                     "cuMemHostRegister",
                                     "cuDeviceGetAttribute",
                                     "cuInit",
                                     "cuDevicePrimaryCtxRetain"};

/* The decoder's reaction to a failure is not under test, so a chain with a decoder may always end
 * with errors. */
static void
add_case(GThreadPool *pool, const Chain *chain, gboolean may_be_lost, gchar *failure) {
  static gint n;
  if (n++ % every != 0) {
    g_free(failure);
    return;
  }
  Case *c = g_new(Case, 1);
  *c = (Case){.chain = chain, .failure = failure, .may_be_lost = may_be_lost || chain->decodes};
  c->once = g_str_has_prefix(failure, "fail=") && !strchr(failure, '+') && !c->may_be_lost;
  g_thread_pool_push(pool, c, NULL);
}

/* Whether errors are allowed if all calls of this function fail. Without a context no memory can be
 * read. Without the other functions there is no frame in the memory that the caps insist on. */
static gboolean
is_essential(const Chain *chain, const gchar *call) {
  static const gchar *const others[] = {"cuMemAllocPitch",     "cuDevicePrimaryCtxRetain",
                                        "cuStreamCreate",      "cuModuleLoadData",
                                        "cuModuleGetFunction", NULL};
  return g_str_equal(call, "cuCtxPushCurrent") || (chain->forced && g_strv_contains(others, call));
}

/* Whether GStreamer's CUDA library calls this function when it starts, once per process. If the
 * call fails, the library is unusable for the rest of the process. */
static gboolean
starts_library(const gchar *call) {
  return g_str_equal(call, "cuInit") || g_str_equal(call, "cuDeviceGetAttribute");
}

/* The next number of a call to let fail: all up to the twentieth if complete, else fewer, and
 * fewest with a preloaded tool such as a sanitizer. */
static guint
next_call(guint at) {
  const gchar *preloaded = g_getenv("LD_PRELOAD");
  return complete ? at + 1 : preloaded && *preloaded ? at * 5 : at + at / 2 + 1;
}

static void
add_failures(GThreadPool *pool, const Chain *chain) {
  static const guint codes[] = {999, 2, 700};
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
    if (chain->decodes && g_str_equal(calls[i], "cuInit")) /* NVIDIA's decoder hangs then */
      continue;
    for (guint at = 1; at <= 20; at = next_call(at), n++) {
      const gboolean starts = chain->forced && starts_library(calls[i]);
      const gboolean essential = starts || is_essential(chain, calls[i]);
      add_case(pool, chain, starts, g_strdup_printf("fail=%s:%u:%u", calls[i], at, codes[n % 3]));
      add_case(pool, chain, essential,
               g_strdup_printf("fail=%s:%u+:%u", calls[i], at, codes[n % 3]));
      add_case(pool, chain, TRUE, g_strdup_printf("lost=%s:%u:700", calls[i], at));
    }
  }
}

/* The number of links between cudaconv elements. */
static guint
count_gaps(const Chain *chain) {
  guint n = 0;
  for (const gchar *at = chain->elements; (at = strstr(at, "! cudaconv")); at++)
    n++;
  return n;
}

/* A frame takes 3.3 KB, or 35 KB in a buffer of GStreamer's pools. */
static void
add_memory_limits(GThreadPool *pool, const Chain *chain) {
  const guint step = complete ? 3000 : 12000;
  for (guint bytes = 0; bytes <= 360000; bytes += step) {
    /* errors are allowed if not even one frame fits into the memory that the caps insist on */
    const gboolean too_small = chain->forced && bytes < 40000 * count_gaps(chain);
    add_case(pool, chain, too_small, g_strdup_printf("memory=%u", bytes));
    add_case(pool, chain, FALSE, g_strdup_printf("pinned=%u", bytes));
    add_case(pool, chain, too_small, g_strdup_printf("memory=%u,pinned=%u", bytes, bytes));
  }
}

/* Finds the expected frames. Fails unless the chain gives the same on the CPU and on the device,
 * without failures and errors. */
static gboolean
find_expected(const Chain *chain) {
  g_autofree gchar *why = NULL;
  g_autofree gchar *on_cpu = spawn(chain, "cpu", "", &why);
  g_autofree gchar *on_device = on_cpu ? spawn(chain, "cuda", "", &why) : NULL;
  if (!on_device || !strstr(on_cpu, "errors 0, others 0") || !g_str_equal(on_cpu, on_device)) {
    g_print("%s, on the CPU: %s\non a device: %s\n%s", chain->name, on_cpu, on_device, why);
    return FALSE;
  }
  g_hash_table_insert(expected, (gpointer)chain->name, first_line(on_cpu));
  return TRUE;
}

static int
run_all(const gchar *const *names) {
  GThreadPool *pool = g_thread_pool_new(run_case, NULL, n_jobs, FALSE, NULL);
  expected = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  gboolean ok = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++)
    if ((names ? g_strv_contains(names, chains[i].name) : can_run(&chains[i])) &&
        (ok &= find_expected(&chains[i]))) {
      add_failures(pool, &chains[i]);
      if (!chains[i].decodes)
        add_memory_limits(pool, &chains[i]);
    }
  g_thread_pool_free(pool, FALSE, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++) {
    const guint *n = n_outcomes[i];
    const guint n_runs = n[IDENTICAL] + n[ENDED] + n[ALL_DECODED] + n[WRONG];
    ok &= n[WRONG] == 0;
    if (n_runs > 0)
      g_print("%s: %u runs, %u identical, %u with allowed errors (%u of them lost the "
              "device), %u with all frames of a decoder that failed, %u wrong\n",
              chains[i].name, n_runs, n[IDENTICAL], n[ENDED], n_lost[i], n[ALL_DECODED], n[WRONG]);
  }
  g_hash_table_unref(expected);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static gboolean
device_is_missing(void) {
  int (*init)(guint flags) = NULL, (*count)(int *n) = NULL;
  int n = 0;
  gpointer library = dlopen("libcuda.so.1", RTLD_LAZY);
  if (library) {
    *(gpointer *)&init = dlsym(library, "cuInit");
    *(gpointer *)&count = dlsym(library, "cuDeviceGetCount");
  }
  return !g_getenv("CUDACONV_TEST_REQUIRED") &&
         (!init || !count || init(0) != 0 || count(&n) != 0 || n == 0);
}

int
main(int argc, char **argv) {
  g_autofree gchar *run = NULL;
  g_auto(GStrv) rest = NULL;
  const GOptionEntry entries[] = {
      {"complete", 0, 0, G_OPTION_ARG_NONE, &complete, "Many more failures", NULL},
      {"every", 0, 0, G_OPTION_ARG_INT, &every, "Only every N-th failure", "N"},
      {"jobs", 0, 0, G_OPTION_ARG_INT, &n_jobs, "Processes at once", "N"},
      {"run", 0, 0, G_OPTION_ARG_STRING, &run, "One run, with the failures of FAKE_CUDA", "CHAIN"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &rest, NULL, "[CHAIN...|BACKEND]"},
      {NULL}};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_autoptr(GError) error = NULL;
  n_jobs = (gint)g_get_num_processors();
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error) || every < 1 || n_jobs < 1) {
    g_printerr("%s\n", error ? error->message : "--every and --jobs must be 1 or more");
    return 2;
  }
  program = argv[0];
  if (run) {
    const Chain *chain = find_chain(run);
    gst_init(NULL, NULL);
    return chain && rest ? run_chain(chain, rest[0]) : 2;
  }
  for (gchar **name = rest; name && *name; name++)
    if (!find_chain(*name)) {
      g_printerr("no chain %s\n", *name);
      return 2;
    }
  return device_is_missing() ? 77 : run_all((const gchar *const *)rest);
}
