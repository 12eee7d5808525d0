/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All values that affect a frame are from one moment. During a stream every pixel property changes
 * at random: about 100 times a second by two threads, which set several properties in one call or
 * one property as text, and with each frame by control bindings. Every frame must equal the
 * oracle's result for the values of one moment between the arrival of the frame and its submission.
 * Memory use must not grow.
 *
 * A complete run takes longer. CUDACONV_TEST_SECONDS sets its duration. */

#include "enums.h"
#include "common.h"

#include <gst/controller/controller.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layout.h"
#include "cuda/algorithm.h"
#include "plugin/backends.h"
#include "tests/ref/guarded.h"
#include "tests/ref/oracle_compose.h"

#define FRAME_TIME (10 * GST_MSECOND)
#define N_INPUTS 6
#define RING 4096           /* number of choices of a group that are kept */
#define PENDING_US 45000    /* after this time a call may take effect in part */
#define PHASE_SECONDS 15    /* maximum */
#define MEMORY_TOLERANCE 24 /* MiB */
#define LARGE_BLOCK 65536   /* bytes; larger blocks are returned to the system when freed */

/* --- random choices --- */

/* The properties with control bindings in each phase. */
#define N_PHASES 4
static const gchar *const bound_properties[N_PHASES][5] = {
    {"bias", "border-value", "chroma", "border"},
    {"scale", "alpha", "stride", "color"},
    {"kernel", "size", "sigma"},
    {"response", "algorithm", "outside"},
};

/* A choice of values for all properties. Each group sets only its own. */
typedef struct {
  guint kernel;  /* index of test_kernels */
  guint regions; /* index of test_regions */
  CcFilter filter;
} Choice;

/* --- the state of a run --- */

typedef struct {
  struct Test *test;
  guint id;
  GRand *rand;
  GThread *thread;
  Choice ring[RING];
  guint64 begun;   /* number of the last choice that a call began to set */
  guint64 done;    /* number of the last choice that a call has set */
  guint64 settled; /* number of the last choice that is in effect for certain */
} Group;

typedef struct {
  const TestKnob *knob; /* NULL: the property kernel */
  const gchar *name;
  GstControlSource *source;
  gdouble value;
  gboolean trigger;
} Binding;

typedef struct {
  guint64 low[TEST_N_GROUPS], high[TEST_N_GROUPS]; /* the choices that may have been in effect */
  /* Calls lasted so long that a part of one may be committed, which docs/embedding.md allows. */
  gboolean met_slow_calls;
  CcFilter bound; /* the values from control bindings */
  guint input;
} Frame;

typedef struct Test {
  GstHarness *h;
  const gchar *caps;
  CcFrameLayout layout;
  GstBuffer *input[N_INPUTS];
  guint phase;
  gint stop;   /* atomic */
  GMutex lock; /* guards the members up to n_bound and the numbers of the groups */
  guint n_calls;
  gboolean pushing;
  gint64 calls_since; /* start of the current calls, which overlap without a gap; 0: none */
  Group group[TEST_N_GROUPS];
  Binding bound[5];
  guint n_bound;
  GRand *rand;
  GQueue frames, widths; /* frames in flight; widths of output frames */
  GMutex widths_lock;
  guint64 n_pushed, n_checked, n_changes, n_excused, n_ambiguous;
} Test;

static gboolean
is_bound(const Test *test, const gchar *name) {
  for (guint i = 0; bound_properties[test->phase][i]; i++)
    if (g_str_equal(bound_properties[test->phase][i], name))
      return TRUE;
  return FALSE;
}

/* Whether the response and the algorithm go with every kernel. Required if the kernel and these
 * properties change independently. */
static gboolean
suits_all_kernels(const CcFilter *filter) {
  return filter->response != CC_RESPONSE_DIRECTION && filter->algorithm < CC_ALGORITHM_SCATTER;
}

static gboolean
works(const Test *test, const Choice *choice) {
  CcFilter filter = choice->filter;
  filter.kernel = test_kernels[choice->kernel].kernel;
  if (test->phase >= 2 && !suits_all_kernels(&filter))
    return FALSE;
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &test->layout, NULL);
  return plan && (g_str_equal(test_backend(), "cpu") || cc_algorithm_check_plan(plan, NULL));
}

static void
set_random(const TestKnob *knob, Choice *choice, GRand *rand) {
  test_knob_put(knob, &choice->filter, knob->values[g_rand_int_range(rand, 0, (gint)knob->n)]);
}

/* Chooses new values for all properties of the group, or for one, which is returned. */
static const TestKnob *
choose(const Test *test, const Group *group, Choice *choice, gboolean one) {
  const Choice before = *choice;
  do {
    *choice = before;
    if (group->id == TEST_KERNELS && !one)
      choice->kernel = (guint)g_rand_int_range(group->rand, 0, (gint)test_n_kernels);
    if (group->id == TEST_LOOKS && !one)
      choice->regions = (guint)g_rand_int_range(group->rand, 0, (gint)test_n_regions);
    const guint first = (guint)g_rand_int_range(group->rand, 0, test_n_knobs);
    for (guint i = 0; i < test_n_knobs; i++) {
      const TestKnob *knob = &test_knobs[(first + i) % test_n_knobs];
      if (knob->group != group->id || is_bound(test, knob->name))
        continue;
      set_random(knob, choice, group->rand);
      if (one && works(test, choice))
        return knob;
      if (one)
        *choice = before;
    }
  } while (one || !works(test, choice));
  return NULL;
}

/* --- setting --- */

/* With `with_bound` the properties with a control binding are included. */
static void
list_assignments(const Test *test, const Group *group, const Choice *choice, gboolean with_bound,
                 TestAssignments *all) {
  const TestKernel *kernel = &test_kernels[choice->kernel];
  for (guint i = 0; group->id == TEST_KERNELS && i < 2 && kernel->set[i][0]; i++)
    if (with_bound || !is_bound(test, "kernel"))
      test_assign(all, kernel->set[i][0], kernel->set[i][1]);
  if (group->id == TEST_LOOKS)
    test_assign_regions(all, &test_regions[choice->regions]);
  for (guint i = 0; i < test_n_knobs; i++)
    if (test_knobs[i].group == group->id && (with_bound || !is_bound(test, test_knobs[i].name)))
      test_assign_knob(all, &test_knobs[i], &choice->filter);
}

static void
begin_call(Test *test, Group *group, const Choice *choice) {
  g_mutex_lock(&test->lock);
  group->ring[(group->begun + 1) % RING] = *choice;
  group->begun++;
  test->n_calls++;
  if (test->calls_since == 0)
    test->calls_since = g_get_monotonic_time();
  g_mutex_unlock(&test->lock);
}

/* When no call is in progress and no frame is being pushed, which sets the bindings' values, all
 * values are in effect. The caller holds the lock. */
static void
settle(Test *test) {
  if (test->n_calls > 0 || test->pushing)
    return;
  test->calls_since = 0;
  for (guint g = 0; g < TEST_N_GROUPS; g++)
    test->group[g].settled = test->group[g].done;
}

static void
end_call(Test *test, Group *group) {
  g_mutex_lock(&test->lock);
  group->done = group->begun;
  test->n_changes++;
  test->n_calls--;
  settle(test);
  g_mutex_unlock(&test->lock);
}

static void
set(Group *group, const Choice *choice, const TestKnob *one, gboolean with_bound) {
  Test *test = group->test;
  GObject *object = G_OBJECT(test->h->element);
  TestAssignments all = {0};
  if (one)
    test_assign_knob(&all, one, &choice->filter);
  else
    list_assignments(test, group, choice, with_bound, &all);
  const gboolean as_texts = one || g_rand_boolean(group->rand);
  begin_call(test, group, choice);
  if (all.n == 1)
    gst_util_set_object_arg(object, all.name[0], all.text[0]);
  else if (as_texts)
    test_set_texts(object, &all);
  else
    test_set_values(object, &all);
  end_call(test, group);
  test_assignments_clear(&all);
}

static gpointer
change_repeatedly(gpointer data) {
  Group *group = data;
  Choice choice = group->ring[group->begun % RING];
  while (!g_atomic_int_get(&group->test->stop)) {
    const TestKnob *one = choose(group->test, group, &choice, g_rand_int(group->rand) % 3 == 0);
    set(group, &choice, one, FALSE);
    g_usleep((gulong)g_rand_int_range(group->rand, 0, 40000));
  }
  return NULL;
}

/* --- control bindings --- */

static void
bind(Test *test, const gchar *name) {
  GstObject *element = GST_OBJECT(test->h->element);
  Binding *bound = &test->bound[test->n_bound++];
  *bound = (Binding){.name = name};
  for (guint i = 0; i < test_n_knobs; i++)
    if (g_str_equal(test_knobs[i].name, name))
      bound->knob = &test_knobs[i];
  bound->trigger = !bound->knob || !bound->knob->real;
  bound->source =
      bound->trigger ? gst_trigger_control_source_new() : gst_interpolation_control_source_new();
  if (!bound->trigger)
    g_object_set(bound->source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless(gst_object_add_control_binding(
      element, gst_direct_control_binding_new_absolute(element, name, bound->source)));
}

static void
unbind_all(Test *test) {
  GstObject *element = GST_OBJECT(test->h->element);
  for (guint i = 0; i < test->n_bound; i++) {
    g_autoptr(GstControlBinding) binding =
        gst_object_get_control_binding(element, test->bound[i].name);
    gst_object_remove_control_binding(element, binding);
    gst_object_unref(test->bound[i].source);
  }
  test->n_bound = 0;
}

static gdouble
new_value(const Test *test, const Binding *bound) {
  const TestKnob *knob = bound->knob;
  if (!knob)
    return test_kernels[g_rand_int_range(test->rand, 0, (gint)test_n_named_kernels)].choice;
  for (;;) {
    CcFilter filter = {0};
    test_knob_put(knob, &filter, knob->values[g_rand_int_range(test->rand, 0, (gint)knob->n)]);
    if (suits_all_kernels(&filter))
      return test_knob_get(knob, &filter);
  }
}

/* The control source's number for the value: for an enum, the position of the value from 0 to 1. */
static gdouble
controlled(const Test *test, const Binding *bound) {
  GObjectClass *klass = G_OBJECT_GET_CLASS(test->h->element);
  GParamSpec *spec = g_object_class_find_property(klass, bound->name);
  if (!G_IS_PARAM_SPEC_ENUM(spec))
    return bound->value;
  const GEnumClass *choices = G_PARAM_SPEC_ENUM(spec)->enum_class;
  guint i = 0;
  while (choices->values[i].value != (gint)bound->value)
    i++;
  return MIN(1, (i + 0.5) / (choices->n_values - 1));
}

/* Sets the values of the bindings for the frame at `time`, and stores the values in `filter`. */
static void
control(Test *test, GstClockTime time, gboolean first, CcFilter *filter) {
  for (guint i = 0; i < test->n_bound; i++) {
    Binding *bound = &test->bound[i];
    GstTimedValueControlSource *source = GST_TIMED_VALUE_CONTROL_SOURCE(bound->source);
    const gboolean fresh = first || g_rand_int(test->rand) % 4 == 0;
    if (fresh)
      bound->value = new_value(test, bound);
    if (fresh || !bound->trigger)
      fail_unless(gst_timed_value_control_source_set(source, time, controlled(test, bound)));
    if (time >= 2 * FRAME_TIME)
      gst_timed_value_control_source_unset(source, time - 2 * FRAME_TIME);
    if (bound->knob)
      test_knob_put(bound->knob, filter, bound->value);
    else
      filter->kernel = test_kernels[(guint)bound->value - 1].kernel;
  }
}

/* --- frames --- */

static GstPadProbeReturn
note_width(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Test *test = data;
  gint width = 0;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
  g_mutex_lock(&test->widths_lock);
  g_queue_push_tail(&test->widths, GINT_TO_POINTER(width));
  g_mutex_unlock(&test->widths_lock);
  return GST_PAD_PROBE_OK;
}

/* The filter for one choice of each group and the values from bindings. */
static CcFilter
combine(const Test *test, const Frame *frame, const guint64 number[TEST_N_GROUPS]) {
  const Choice *choice = &test->group[TEST_KERNELS].ring[number[TEST_KERNELS] % RING];
  CcFilter filter = {.kernel = test_kernels[choice->kernel].kernel, .mixes = TRUE};
  for (guint i = 0; i < test_n_knobs; i++) {
    const Group *group = &test->group[test_knobs[i].group];
    test_knob_put(&test_knobs[i], &filter,
                  test_knob_get(&test_knobs[i], &group->ring[number[group->id] % RING].filter));
  }
  for (guint i = 0; i < test->n_bound; i++)
    if (test->bound[i].knob)
      test_knob_put(test->bound[i].knob, &filter,
                    test_knob_get(test->bound[i].knob, &frame->bound));
    else
      filter.kernel = frame->bound.kernel;
  return filter;
}

/* Filters on the CPU without compose, and composes with the oracle. The result is exact. */
static void
compose_with_oracle(const CcFilter *filter, const CcRoi *roi, const CcFrameLayout *layout,
                    const CcFrame *src, const CcFrame *dst) {
  static CcBackend *cpu;
  const CcBackendConfig config = {.choice = CC_BACKEND_CPU, .device_id = -1, .n_threads = 1};
  const CcFilter plain = oracle_without_compose(filter);
  CcRegion region;
  CcTimes times;
  if (!cpu)
    cpu = cc_backend_open(&config, NULL, NULL);
  g_autoptr(CcPlan) plan = cc_plan_new(&plain, layout, NULL);
  CcProgram *program = cc_backend_prepare(cpu, plan, NULL);
  fail_unless(program && cc_roi_find_region(roi, filter->stride, layout, &region, NULL));
  const CcSubmitInfo info = {.src = *src, .dst = *dst, .regions = &region, .n_regions = 1};
  CcSubmission *submission = cc_backend_submit(cpu, program, &info, NULL);
  fail_unless(submission && cc_backend_wait(cpu, submission, &times, NULL));
  cc_program_unref(program);
  oracle_compose(filter, roi, layout, src, dst);
}

/* Filters each region by itself. Later regions are written over earlier ones. */
static void
filter_with_oracle(const CcFilter *filter, const TestRegions *regions, const TestFrame *src,
                   const TestFrame *dst, OracleTolerance *tolerance) {
  const CcRoi whole = {0};
  if (!regions->whole)
    oracle_outside(filter, &src->layout, &src->planes, &dst->planes);
  for (guint i = 0; i < (regions->whole ? 1 : regions->n); i++) {
    const CcRoi *roi = regions->whole ? &whole : &regions->roi[i];
    if (oracle_composes(filter))
      compose_with_oracle(filter, roi, &src->layout, &src->planes, &dst->planes);
    else
      oracle_filter(filter, roi, &src->layout, &src->planes, &dst->planes, tolerance);
  }
  /* oracle_filter allows differences in the last region only */
  for (guint p = 0; p < dst->layout.n_planes; p++)
    tolerance->target[p] =
        (CcRect){0, 0, cc_plane_groups(&dst->layout.plane[p]), dst->layout.plane[p].height};
}

static gboolean
is_result_of(const Test *test, const CcFilter *filter, const TestRegions *regions, GstBuffer *input,
             GstBuffer *result, gint width) {
  g_autofree gchar *out_caps = test_caps_divided(test->caps, filter->stride);
  TestFrame from, to, got;
  OracleTolerance tolerance = {0};
  test_map(&from, test->caps, input, GST_MAP_READ);
  g_autoptr(GstBuffer) expected = test_frame_flat(out_caps, 0);
  test_map(&to, out_caps, expected, GST_MAP_WRITE);
  gboolean same = (gint)to.layout.plane[0].width == width;
  if (same) {
    filter_with_oracle(filter, regions, &from, &to, &tolerance);
    test_map(&got, out_caps, result, GST_MAP_READ);
    g_autofree gchar *message = NULL;
    same = frames_match(&to.layout, &to.planes, &got.planes, &tolerance, &message);
    test_unmap(&got);
  }
  test_unmap(&to);
  test_unmap(&from);
  return same;
}

static gboolean
matches_one_moment(const Test *test, const Frame *frame, GstBuffer *result, gint width) {
  guint64 n[TEST_N_GROUPS];
  for (n[0] = frame->low[0]; n[0] <= frame->high[0]; n[0]++)
    for (n[1] = frame->low[1]; n[1] <= frame->high[1]; n[1]++) {
      const CcFilter filter = combine(test, frame, n);
      const Choice *looks = &test->group[TEST_LOOKS].ring[n[TEST_LOOKS] % RING];
      if (is_result_of(test, &filter, &test_regions[looks->regions], test->input[frame->input],
                       result, width))
        return TRUE;
    }
  return FALSE;
}

static void
check_results(Test *test, guint every) {
  GstBuffer *result;
  while ((result = gst_harness_try_pull(test->h))) {
    g_autofree Frame *frame = g_queue_pop_head(&test->frames);
    fail_unless(frame != NULL, "more frames come out than went in");
    g_mutex_lock(&test->widths_lock);
    const gint width = GPOINTER_TO_INT(g_queue_pop_head(&test->widths));
    g_mutex_unlock(&test->widths_lock);
    const guint64 number = GST_BUFFER_PTS(result) / FRAME_TIME;
    if (number % every == 0) {
      test->n_checked++;
      test->n_ambiguous += frame->low[0] != frame->high[0] || frame->low[1] != frame->high[1];
      if (!matches_one_moment(test, frame, result, width)) {
        test->n_excused++;
        fail_unless(frame->met_slow_calls,
                    "frame %" G_GUINT64_FORMAT ", phase %u, matches none of %" G_GUINT64_FORMAT
                    " times %" G_GUINT64_FORMAT " choices",
                    number, test->phase, frame->high[0] - frame->low[0] + 1,
                    frame->high[1] - frame->low[1] + 1);
      }
    }
    gst_buffer_unref(result);
  }
}

static void
push(Test *test, gboolean is_first) {
  Frame *frame = g_new0(Frame, 1);
  const GstClockTime time = test->n_pushed * FRAME_TIME;
  frame->input = (guint)(test->n_pushed++ % N_INPUTS);
  /* regions of a copy that nobody shares may be filtered in place */
  GstBuffer *buffer = frame->input % 2 ? gst_buffer_copy(test->input[frame->input])
                                       : gst_buffer_copy_deep(test->input[frame->input]);
  GST_BUFFER_PTS(buffer) = time;
  control(test, time, is_first, &frame->bound);
  g_mutex_lock(&test->lock);
  for (guint g = 0; g < TEST_N_GROUPS; g++)
    frame->low[g] = test->group[g].settled;
  test->pushing = TRUE;
  g_mutex_unlock(&test->lock);
  g_queue_push_tail(&test->frames, frame);
  fail_unless_equals_int(gst_harness_push(test->h, buffer), GST_FLOW_OK);
  g_mutex_lock(&test->lock);
  for (guint g = 0; g < TEST_N_GROUPS; g++)
    frame->high[g] = test->group[g].begun;
  frame->met_slow_calls =
      test->calls_since && g_get_monotonic_time() - test->calls_since >= PENDING_US;
  test->pushing = FALSE;
  settle(test);
  g_mutex_unlock(&test->lock);
}

/* All choices are valid, so the only message expected is that sigma has no effect. */
static void
check_messages(Test *test) {
  GstMessage *message;
  while ((message = gst_bus_pop(test_harness_bus(test->h)))) {
    g_autoptr(GError) error = NULL;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
      gst_message_parse_warning(message, &error, NULL);
    else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      gst_message_parse_error(message, &error, NULL);
    fail_unless(!error || strstr(error->message, "has no effect"), "%s", error->message);
    gst_message_unref(message);
  }
}

/* Runs with one set of bindings for `us` microseconds. */
static void
run_phase(Test *test, guint phase, gint64 us, guint every) {
  test->phase = phase;
  for (guint g = 0; g < TEST_N_GROUPS; g++) {
    Group *group = &test->group[g];
    Choice choice = group->ring[group->begun % RING];
    choose(test, group, &choice, FALSE);
    set(group, &choice, NULL, TRUE);
  }
  for (guint i = 0; bound_properties[phase][i]; i++)
    bind(test, bound_properties[phase][i]);
  g_atomic_int_set(&test->stop, FALSE);
  for (guint g = 0; g < TEST_N_GROUPS; g++)
    test->group[g].thread = g_thread_new("changes", change_repeatedly, &test->group[g]);
  const gint64 end = g_get_monotonic_time() + us;
  for (gboolean first = TRUE; first || g_get_monotonic_time() < end; first = FALSE) {
    push(test, first);
    check_results(test, every);
    check_messages(test);
  }
  g_atomic_int_set(&test->stop, TRUE);
  for (guint g = 0; g < TEST_N_GROUPS; g++)
    g_thread_join(test->group[g].thread);
  fail_unless(gst_harness_push_event(test->h, test_serialized_event()));
  check_results(test, every);
  fail_unless(g_queue_is_empty(&test->frames), "frames are missing");
  GstEvent *event;
  while ((event = gst_harness_try_pull_event(test->h)))
    gst_event_unref(event);
  unbind_all(test);
}

/* --- a run --- */

static gdouble
resident_mib(void) {
  g_autofree gchar *text = NULL;
  unsigned long pages = 0, resident = 0;
  if (g_file_get_contents("/proc/self/statm", &text, NULL, NULL))
    sscanf(text, "%lu %lu", &pages, &resident);
  return (gdouble)resident * (gdouble)sysconf(_SC_PAGESIZE) / (1024 * 1024);
}

static Test *
test_new(const gchar *caps, guint32 seed) {
  Test *test = g_new0(Test, 1);
  test->caps = caps;
  test->layout = test_layout(caps);
  test->h = test_harness_new(NULL, caps);
  test->rand = g_rand_new_with_seed(seed);
  g_mutex_init(&test->lock);
  g_mutex_init(&test->widths_lock);
  for (guint i = 0; i < N_INPUTS; i++) {
    test->input[i] = test_frame_random(caps, i);
    test_metas_add(test->input[i]);
  }
  for (guint g = 0; g < TEST_N_GROUPS; g++) {
    Group *group = &test->group[g];
    *group = (Group){.test = test, .id = g, .rand = g_rand_new_with_seed(seed + 1 + g)};
    group->ring[0].filter.stride = 1;
    group->ring[0].filter.mix = 1;
  }
  gst_pad_add_probe(test->h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, note_width, test, NULL);
  return test;
}

static void
test_free(Test *test) {
  for (guint i = 0; i < N_INPUTS; i++)
    gst_buffer_unref(test->input[i]);
  for (guint g = 0; g < TEST_N_GROUPS; g++)
    g_rand_free(test->group[g].rand);
  g_rand_free(test->rand);
  test_teardown(test->h);
  g_mutex_clear(&test->lock);
  g_mutex_clear(&test->widths_lock);
  g_free(test);
}

/* Runs all phases at least twice. The first third is the warm-up. */
static void
run(const gchar *caps, guint seconds, guint every) {
  const gint64 us = (gint64)seconds * G_USEC_PER_SEC;
  const guint rounds = MAX(2, seconds / (N_PHASES * PHASE_SECONDS));
  mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK); /* then resident memory is memory in use */
  gdouble warm = 0, mib = 0;
  g_autofree gchar *file = g_build_filename(g_get_tmp_dir(), "cudaconv-consistency-XXXXXX", NULL);
  close(g_mkstemp(file));
  fail_unless(g_file_set_contents(
      file,
      "[mine]\nclass=edge\nresponse=magnitude\nrow-3=-1 0 1 | 1 2 1\ncolumn-3=1 2 1 | -1 0 1\n", -1,
      NULL));
  test_kernels_list(file);
  Test *test = test_new(caps, g_random_int());
  test_assert_all_chosen(test->h->element);
  for (guint round = 0; round < rounds; round++) {
    for (guint phase = 0; phase < N_PHASES; phase++)
      run_phase(test, phase, us / rounds / N_PHASES, every);
    mib = resident_mib();
    warm = round <= rounds / 3 ? mib : warm;
    if (rounds > 2)
      g_print("%u s: %" G_GUINT64_FORMAT " frames, %.1f MiB\n", (round + 1) * seconds / rounds,
              test->n_pushed, mib);
  }
  g_print("%s, %s: %u s, %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
          " checked, %" G_GUINT64_FORMAT " of them met a change, %" G_GUINT64_FORMAT
          " changes by threads, %" G_GUINT64_FORMAT " frames during calls that took too long, "
          "resident %.1f MiB when warm and %.1f at the end\n",
          caps, test_backend(), seconds, test->n_pushed, test->n_checked, test->n_ambiguous,
          test->n_changes, test->n_excused, warm, mib);
  fail_unless(test->n_excused <= 1 + test->n_checked / (test_is_instrumented() ? 4 : 100),
              "too many slow calls");
  fail_unless(test->n_changes >= seconds * 10 && test->n_checked > 0, "too few changes");
  /* a short run ends before the memory of all paths and sizes is allocated */
  fail_unless(!test_is_complete() || test_is_instrumented() || mib <= warm + MEMORY_TOLERANCE,
              "memory grows");
  test_free(test);
  test_kernels_clear();
  unlink(file);
}

/* in a complete run */
#define SMALL_SECONDS 60
#define LARGE_SECONDS 20

static guint
seconds_of(guint quick, guint complete) {
  const gchar *text = g_getenv("CUDACONV_TEST_SECONDS");
  return text ? (guint)g_ascii_strtoull(text, NULL, 10) : test_count(quick, complete);
}

/* AYUV is for chroma, RGBA for color, both for alpha. */
static const gchar *const formats[] = {"AYUV", "RGBA"};

GST_START_TEST(small_frames) {
  g_autofree gchar *caps = test_caps(formats[__i__], 160, 90);
  run(caps, seconds_of(2, SMALL_SECONDS), 1);
}
GST_END_TEST;

GST_START_TEST(large_frames) {
  const gboolean is_slow = g_getenv("FAKE_CUDA") != NULL; /* the stand-in for the driver is slow */
  g_autofree gchar *caps = test_caps("AYUV", is_slow ? 480 : 1920, is_slow ? 270 : 1080);
  run(caps, seconds_of(1, LARGE_SECONDS), 50);
}
GST_END_TEST;

static Suite *
properties_consistency_suite(void) {
  Suite *suite = suite_create("properties-consistency");
  TCase *tc = tcase_create("properties-consistency");
  tcase_set_timeout(tc, 60 + 2.0 * seconds_of(2, SMALL_SECONDS));
  tcase_add_loop_test(tc, small_frames, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tc, large_frames);
  suite_add_tcase(suite, tc);
  return suite;
}

TEST_MAIN(properties_consistency)
