/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several elements in a row, which share CUDA memory, while calls of the driver fail or memory runs
 * short. With backend=auto every frame comes out, in order, with the bytes of an undisturbed run,
 * and there is no error. Only where the device is lost while frames are in nothing but its memory
 * may there be errors, at most one from each element; what came out before is right then, too.
 *
 *   chains [--complete] [--every=N] [--jobs=N] [CHAIN...]
 *
 * runs all failures with these chains, all unless some are named, each in a process of its own,
 * since the libcuda.so.1 of tests/fake or tests/forward, one of which has to be loaded, reads
 * FAKE_CUDA once. --complete takes each call's first to twentieth, and more amounts of memory;
 * --every one of so many failures, --jobs so many at once, for a device. The status is 77 where
 * there is no device, unless CUDACONV_TEST_REQUIRED is set.
 *
 *   chains --run=CHAIN BACKEND
 *
 * is one run, with the failures that FAKE_CUDA says, and prints what came out. */

#include <dlfcn.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_STARTS 2 /* the second one is after all failures that happen once */
#define N_FRAMES 12
#define WIDTH 32
#define HEIGHT 18
#define PLAIN_CAPS "video/x-raw,format=NV12,width=32,height=18,framerate=30/1"
#define IN_CUDA "video/x-raw(memory:CUDAMemory)"
#define SECONDS 60 /* a run that takes longer hangs */

typedef struct {
  const gchar *name;
  const gchar *elements; /* %s: the backend */
  gboolean forced;       /* caps between the elements leave them only CUDA memory */
  gboolean decodes;      /* what comes is not video, but the file of CUDACONV_TEST_H264 */
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

/* A decoder needs a real device, and a file with a byte stream. */
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

/* A few characters that stand for the picture, so that a list of them stays readable. */
static gchar *
describe_picture(const GstVideoInfo *info, GstBuffer *buffer) {
  GstVideoFrame frame;
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  if (!gst_video_frame_map(&frame, info, buffer, GST_MAP_READ))
    g_error("a frame that came out cannot be read");
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

/* "frames 2 0:a08184a6 1:a4d23898", say. */
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
    g_autofree gchar *picture = describe_picture(&info, out);
    g_string_append_printf(text, " %u:%s", n, picture);
    gst_buffer_unref(out);
  }
  pause_if_possible(FALSE);
  g_print("frames %u%s\n", n, text->str);
}

/* How many errors our elements and others posted, and how many the one with the most of ours. */
static void
print_messages(GstBus *bus) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GHashTable) own = g_hash_table_new(NULL, NULL);
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
      const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(own, source)) + 1;
      g_hash_table_insert(own, source, GUINT_TO_POINTER(n));
      n_max = MAX(n_max, n);
      n_errors++;
    }
    n_others += is_error && !ours;
    g_string_append_printf(text, "%s %s: %s\n", is_error ? "ERROR" : "WARNING",
                           GST_MESSAGE_SRC_NAME(message), error->message);
    gst_message_unref(message);
  }
  g_print("errors %u, of others %u, of one element %u\n%s", n_errors, n_others, n_max, text->str);
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

/* Counts the frames that a decoder hands out, which may be fewer when it fails. */
static void
count_decoded(GstHarness *h, const Chain *chain, gint *n) {
  if (!chain->decodes)
    return;
  g_autoptr(GstElement) decoder = gst_bin_get_by_name(GST_BIN(h->element), "decoder");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(decoder, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, n, NULL);
}

/* A harness starts its elements at once, and ends the process when that fails. How a decoder looks
 * for devices when it starts for the first time is its own matter: that has no failures. */
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
  if (g_str_equal(backend, "cpu")) { /* which takes no CUDA memory, and gives the same */
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
  if (!chain->decodes) /* a decoder that does not stop is no failure here, but aborts this */
    gst_harness_teardown(h);
  return EXIT_SUCCESS;
}

/* --- many runs --- */

typedef enum {
  IDENTICAL,
  ENDED, /* with errors, where the device is lost, or nothing is left of what the caps insist on */
  ALL_DECODED, /* of a decoder that failed */
  WRONG,
  N_OUTCOMES
} Outcome;

typedef struct {
  const Chain *chain;
  gchar *failure;       /* words for FAKE_CUDA */
  gboolean once;        /* it happens once, so that the next start has nothing of it */
  gboolean may_be_lost; /* frames may be in memory that nobody can read any more */
} Case;

static const gchar *program;
static gboolean complete;
static gint every = 1, n_jobs;
static GHashTable *wanted; /* of each chain: what comes out on the CPU */
static GMutex lock;        /* guards these */
static guint n_outcomes[G_N_ELEMENTS(chains)][N_OUTCOMES], n_lost[G_N_ELEMENTS(chains)];

/* GStreamer 1.22 is critical of itself when its own cuInit fails, once. */
static gboolean
is_critical(const gchar *err) {
  const gchar *critical = strstr(err, "CRITICAL");
  return critical && !strstr(critical, "g_once_init_leave: assertion 'result != 0' failed");
}

/* What a run printed, or NULL when it crashed or hung; *why says how. */
static gchar *
spawn(const Chain *chain, const gchar *backend, const gchar *failure, gchar **why) {
  const gchar *argv[] = {program, "--run", chain->name, backend, NULL};
  g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "FAKE_CUDA", failure, TRUE);
  env = g_environ_unsetenv(env, "G_DEBUG"); /* criticals are looked for below */
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

/* What the second start printed. */
static const gchar *
second_start(const gchar *printed) {
  return g_strrstr(printed, "\nframes ") + 1;
}

/* Whether the frames of one run are the first of another; the numbers in front do not count. */
static gboolean
is_beginning_of(const gchar *some, const gchar *all) {
  const gchar *first = strstr(some, " 0:"), *wanted_first = strstr(all, " 0:");
  return !first || (wanted_first && g_str_has_prefix(wanted_first, first));
}

/* Whether the frames are some of the others, in the same order. */
static gboolean
are_among(const gchar *some, const gchar *all) {
  g_auto(GStrv) pictures = g_strsplit(some, ":", -1), others = g_strsplit(all, ":", -1);
  gchar **other = others + (*others != NULL);
  for (gchar **picture = pictures + (*pictures != NULL); *picture; picture++, other++) {
    while (*other && strncmp(*picture, *other, 8) != 0)
      other++;
    if (!*other)
      return FALSE;
  }
  return TRUE;
}

/* Of one start. Where an element of others fails ours need not; a decoder may also skip a frame and
 * not tell, and ours then filter all that come. */
static Outcome
judge(const Case *c, const gchar *printed) {
  guint n_frames, n_errors, n_others, n_max, n_decoded;
  g_autofree gchar *frames = first_line(printed);
  const gchar *all = g_hash_table_lookup(wanted, c->chain->name);
  if (sscanf(printed, "frames %u", &n_frames) != 1 ||
      sscanf(strstr(printed, "errors "), "errors %u, of others %u, of one element %u", &n_errors,
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

/* The calls of the elements, and of GStreamer's library for CUDA memory. */
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

/* What a decoder makes of a failure is its own matter. */
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

/* Whether there may be an error when all calls of the name fail: without a context nothing can be
 * read any more, and without the others there is no frame in the memory that the caps insist on. */
static gboolean
is_essential(const Chain *chain, const gchar *call) {
  static const gchar *const others[] = {"cuMemAllocPitch",     "cuDevicePrimaryCtxRetain",
                                        "cuStreamCreate",      "cuModuleLoadData",
                                        "cuModuleGetFunction", NULL};
  return g_str_equal(call, "cuCtxPushCurrent") || (chain->forced && g_strv_contains(others, call));
}

/* Whether GStreamer's library for CUDA memory makes the call when it starts, which it does once in
 * a process; it is not used again when that fails. */
static gboolean
starts_library(const gchar *call) {
  return g_str_equal(call, "cuInit") || g_str_equal(call, "cuDeviceGetAttribute");
}

/* From the first call to the twentieth; under a sanitizer or another tool only a few. */
static guint
next_place(guint at) {
  const gchar *preloaded = g_getenv("LD_PRELOAD");
  return complete ? at + 1 : preloaded && *preloaded ? at * 5 : at + at / 2 + 1;
}

static void
add_failures(GThreadPool *pool, const Chain *chain) {
  static const guint codes[] = {999, 2, 700};
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
    if (chain->decodes && g_str_equal(calls[i], "cuInit")) /* NVIDIA's decoder waits for ever */
      continue;
    for (guint at = 1; at <= 20; at = next_place(at), n++) {
      const gboolean starts = chain->forced && starts_library(calls[i]);
      const gboolean essential = starts || is_essential(chain, calls[i]);
      add_case(pool, chain, starts, g_strdup_printf("fail=%s:%u:%u", calls[i], at, codes[n % 3]));
      add_case(pool, chain, essential,
               g_strdup_printf("fail=%s:%u+:%u", calls[i], at, codes[n % 3]));
      add_case(pool, chain, TRUE, g_strdup_printf("lost=%s:%u:700", calls[i], at));
    }
  }
}

/* Between elements. */
static guint
count_gaps(const Chain *chain) {
  guint n = 0;
  for (const gchar *at = chain->elements; (at = strstr(at, "! cudaconv")); at++)
    n++;
  return n;
}

/* A frame takes 3.3 KB, and 35 KB in memory of GStreamer's pools. */
static void
add_scarcities(GThreadPool *pool, const Chain *chain) {
  const guint step = complete ? 3000 : 12000;
  for (guint bytes = 0; bytes <= 360000; bytes += step) {
    /* where not a single frame fits into the memory that the caps insist on there is an error */
    const gboolean too_little = chain->forced && bytes < 40000 * count_gaps(chain);
    add_case(pool, chain, too_little, g_strdup_printf("memory=%u", bytes));
    add_case(pool, chain, FALSE, g_strdup_printf("pinned=%u", bytes));
    add_case(pool, chain, too_little, g_strdup_printf("memory=%u,pinned=%u", bytes, bytes));
  }
}

/* Whether the chain runs on the device without failures, and gives what it gives on the CPU. */
static gboolean
find_wanted(const Chain *chain) {
  g_autofree gchar *why = NULL;
  g_autofree gchar *on_cpu = spawn(chain, "cpu", "", &why);
  g_autofree gchar *on_device = on_cpu ? spawn(chain, "cuda", "", &why) : NULL;
  if (!on_device || !strstr(on_cpu, "errors 0, of others 0") || !g_str_equal(on_cpu, on_device)) {
    g_print("%s, on the CPU: %s\non a device: %s\n%s", chain->name, on_cpu, on_device, why);
    return FALSE;
  }
  g_hash_table_insert(wanted, (gpointer)chain->name, first_line(on_cpu));
  return TRUE;
}

static int
run_all(const gchar *const *names) {
  GThreadPool *pool = g_thread_pool_new(run_case, NULL, n_jobs, FALSE, NULL);
  wanted = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  gboolean ok = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++)
    if ((names ? g_strv_contains(names, chains[i].name) : can_run(&chains[i])) &&
        (ok &= find_wanted(&chains[i]))) {
      add_failures(pool, &chains[i]);
      if (!chains[i].decodes)
        add_scarcities(pool, &chains[i]);
    }
  g_thread_pool_free(pool, FALSE, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++) {
    const guint *n = n_outcomes[i];
    const guint n_runs = n[IDENTICAL] + n[ENDED] + n[ALL_DECODED] + n[WRONG];
    ok &= n[WRONG] == 0;
    if (n_runs > 0)
      g_print("%s: %u runs, %u identical, %u with errors where they may be (%u of them lost the "
              "device), %u with all frames of a decoder that failed, %u wrong\n",
              chains[i].name, n_runs, n[IDENTICAL], n[ENDED], n_lost[i], n[ALL_DECODED], n[WRONG]);
  }
  g_hash_table_unref(wanted);
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
      {"every", 0, 0, G_OPTION_ARG_INT, &every, "Only one of so many failures", "N"},
      {"jobs", 0, 0, G_OPTION_ARG_INT, &n_jobs, "Processes at once", "N"},
      {"run", 0, 0, G_OPTION_ARG_STRING, &run, "One run, with the failures of FAKE_CUDA", "CHAIN"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &rest, NULL, "[CHAIN...|BACKEND]"},
      {NULL}};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_autoptr(GError) error = NULL;
  n_jobs = (gint)g_get_num_processors();
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error) || every < 1 || n_jobs < 1) {
    g_printerr("%s\n", error ? error->message : "--every and --jobs are 1 or more");
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
      g_printerr("there is no chain %s\n", *name);
      return 2;
    }
  return device_is_missing() ? 77 : run_all((const gchar *const *)rest);
}
