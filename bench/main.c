/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench: the CUDA kernels' speed as a share of the device's copy rate and beside their
 * peers, or the pipelines' as a share of what the bus carries, all measured in the same run.
 * docs/benchmarks.md explains the figures. */

#include <gst/gst.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "claims.h"
#include "export.h"
#include "paper.h"
#include "pipeline.h"

#define SKIPPED 77
#define BUDGET_MS 200 /* of a kernel */
#define MAX_STREAMS 256

typedef struct {
  gint device_id;
  gchar **kernels, **algorithms, **formats, **sizes;
  gchar *border;
  gint stride;
  gdouble budget_ms; /* not a number: as long as each line wants */
  gchar *npp_folder;
  gboolean paper, check;
  gboolean pipeline, latency;
  gint n_streams; /* -1: not asked for */
  gchar *decode;
  gchar *json, *csv, *plot;
} Options;

static void
clear_options(Options *options) {
  g_strfreev(options->kernels);
  g_strfreev(options->algorithms);
  g_strfreev(options->formats);
  g_strfreev(options->sizes);
  g_free(options->border);
  g_free(options->npp_folder);
  g_free(options->json);
  g_free(options->csv);
  g_free(options->plot);
  g_free(options->decode);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

/* The sweeps of a run without options: formats, sizes, kernels, algorithms. */
static const struct {
  const gchar *heading, *formats, *sizes, *kernels, *algorithms;
} standard_sweeps[] = {
    {"All algorithms", "GRAY8,RGBA", "7680x4320",
     "gaussian:3,gaussian:5,sobel:3,sobel-x:3,sobel-y:3", "all"},
    {"Large and fractional kernels, and such as are not separable", "GRAY8", "7680x4320",
     "sharpen:3,laplacian:3,unsharp:5,gaussian:5:1.2,gaussian:7,gaussian:15:2.5,"
     "box:15",
     "all"},
    {"Sixteen bits, three samples a pixel, two planes, and each of them alone",
     "GRAY16_LE,RGB,"
     "NV12,NV12-Y,NV12-UV",
     "7680x4320", "gaussian:3,gaussian:5,sobel:3", "sliding"},
    {"A size that is a multiple of nothing", "GRAY8,RGBA", "7679x4319",
     "gaussian:3,gaussian:5,sobel:3", "sliding"},
    {"HD", "GRAY8,RGBA,GRAY16_LE,NV12", "1920x1080", "gaussian:3,gaussian:5,sobel:3",
     "sliding,npp"},
};

static gboolean
run_standard(BenchSession *session, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(standard_sweeps); i++) {
    g_autoptr(BenchSelection) selection =
        bench_selection_new_from(standard_sweeps[i].formats, standard_sweeps[i].sizes,
                                 standard_sweeps[i].kernels, standard_sweeps[i].algorithms);
    if (!bench_run_selection(session, selection, standard_sweeps[i].heading, error))
      return FALSE;
  }
  return bench_paper_stride(session, BENCH_PAPER_SIZE, error);
}

typedef gboolean (*ParseList)(BenchSelection *selection, const gchar *list, GError **error);

/* Every occurrence of an option, or its default. */
static gboolean
parse_all(BenchSelection *selection, gchar **lists, const gchar *fallback, ParseList parse,
          GError **error) {
  if (!lists)
    return parse(selection, fallback, error);
  for (gchar **list = lists; *list; list++)
    if (!parse(selection, *list, error))
      return FALSE;
  return TRUE;
}

static gboolean
wants_pipelines(const Options *options) {
  return options->pipeline || options->latency || options->n_streams >= 0 || options->decode;
}

/* What the command line selects; NULL without error when it selects nothing. */
static BenchSelection *
select_from_options(const Options *options, GError **error) {
  if (!options->kernels && !options->algorithms && !options->formats && !options->sizes &&
      !options->border && options->stride == 0)
    return NULL;
  const gboolean pipelines = wants_pipelines(options);
  g_autoptr(BenchSelection) selection = bench_selection_new();
  if (!parse_all(selection, options->kernels, pipelines ? "sobel" : "gaussian:3,gaussian:5,sobel:3",
                 bench_parse_kernels, error) ||
      !parse_all(selection, options->algorithms, "all", bench_parse_algorithms, error) ||
      !parse_all(selection, options->formats, pipelines ? "RGBA" : "GRAY8,RGBA",
                 bench_parse_formats, error) ||
      !parse_all(selection, options->sizes, pipelines ? "1920x1080" : "7680x4320,1920x1080",
                 bench_parse_sizes, error) ||
      (options->border && !bench_parse_border(selection, options->border, error)))
    return NULL;
  if (options->stride != 0)
    selection->stride = (guint)options->stride;
  return g_steal_pointer(&selection);
}

static gboolean
is_stdout(const gchar *file) {
  return file && strcmp(file, "-") == 0;
}

/* Takes the text; "-" is the standard output, NULL nowhere. */
static gboolean
write_file(const gchar *file, gchar *text, GError **error) {
  g_autofree gchar *owned = text;
  if (!file)
    return TRUE;
  if (!is_stdout(file))
    return g_file_set_contents(file, owned, -1, error);
  fputs(owned, stdout);
  return TRUE;
}

static gboolean
write_files(const Options *options, const BenchRun *run, GError **error) {
  return (!options->json || write_file(options->json, bench_export_json(run), error)) &&
         (!options->csv || write_file(options->csv, bench_export_csv(run), error)) &&
         (!options->plot || write_file(options->plot, bench_export_svg(run), error));
}

static gboolean
all_met(const GArray *verdicts) {
  for (guint i = 0; i < verdicts->len; i++)
    if (!bench_verdict_met(&g_array_index(verdicts, BenchVerdict, i)))
      return FALSE;
  return verdicts->len > 0;
}

static void
report_device(FILE *text, const BenchRun *run) {
  fprintf(text, "%s, CUDA %d.%d driver, L2 cache of %.1f MB", run->device,
          run->driver_version / 1000, run->driver_version % 1000 / 10,
          (gdouble)run->l2_bytes / 1e6);
}

static gboolean
run_session(const Options *options, const BenchSelection *selection, BenchSession *session,
            GError **error) {
  if (options->paper)
    return bench_paper_run(session, selection ? selection->sizes : NULL, error);
  if (selection)
    return bench_run_selection(session, selection, "Selected cases", error);
  return run_standard(session, error);
}

/* Measures kernels into `run`, which then owns what it has of the results. */
static gboolean
run_kernels(const Options *options, const BenchSelection *selection, BenchTimer *timer, FILE *text,
            BenchRun *run, GError **error) {
  g_autoptr(GError) no_npp = NULL;
  g_autoptr(BenchNpp) npp =
      bench_npp_open(timer->device, timer->stream, options->npp_folder, &no_npp);
  GArray *results = g_array_new(FALSE, FALSE, sizeof(BenchResult));
  BenchSession session = {.timer = timer, .npp = npp, .text = text, .results = results};
  run->results = results;
  if (npp)
    run->npp = g_strdup(bench_npp_version(npp));
  report_device(text, run);
  fprintf(text, "; %s%s\n", npp ? run->npp : "NPP is not measured: ", npp ? "" : no_npp->message);
  if (!run_session(options, selection, &session, error))
    return FALSE;
  run->verdicts = bench_claims_judge(results, !options->paper && !selection);
  return TRUE;
}

/* The memory paths, many at once, latency and decoding, whatever was asked for. */
static gboolean
run_pipelines(const Options *options, const BenchSelection *selection, BenchTimer *timer,
              FILE *text, BenchRun *run, GError **error) {
  /* everything with targets, but for decoding, which needs a file */
  const gboolean all =
      options->pipeline && !selection && !options->latency && options->n_streams < 0;
  GArray *results = g_array_new(FALSE, FALSE, sizeof(BenchPipelineResult));
  BenchPipelines pipelines = {.timer = timer,
                              .text = text,
                              .results = results,
                              .budget_ms = isnan(options->budget_ms) ? 0 : options->budget_ms,
                              .one_device = options->device_id >= 0};
  g_autofree gchar *version = gst_version_string();
  run->pipelines = results;
  report_device(text, run);
  fprintf(text, "; %s\n", version);
  if (!bench_pipelines_prepare(error) ||
      (options->pipeline && !bench_pipelines_run_paths(&pipelines, selection, error)) ||
      ((all || options->n_streams > 0) &&
       !bench_pipelines_run_streams(&pipelines, selection,
                                    all ? BENCH_STREAMS : (guint)options->n_streams, error)) ||
      ((all || options->latency) && !bench_pipelines_run_latency(&pipelines, selection, error)) ||
      (options->decode && !bench_pipelines_run_decode(&pipelines, options->decode, error)))
    return FALSE;
  run->verdicts = bench_claims_judge_pipelines(results, all);
  return TRUE;
}

/* Measures and reports; *met tells whether every target was. */
static gboolean
run_bench(const Options *options, const BenchSelection *selection, BenchTimer *timer, gboolean *met,
          GError **error) {
  FILE *text = is_stdout(options->json) || is_stdout(options->csv) || is_stdout(options->plot)
                   ? stderr
                   : stdout;
  g_auto(BenchRun) run = {.device = timer->device->name, .l2_bytes = timer->l2_bytes};
  if (!BENCH_CALL(timer, cuDriverGetVersion, &run.driver_version))
    return FALSE;
  if (wants_pipelines(options) ? !run_pipelines(options, selection, timer, text, &run, error)
                               : !run_kernels(options, selection, timer, text, &run, error))
    return FALSE;
  bench_claims_report(text, run.verdicts);
  *met = all_met(run.verdicts);
  return write_files(options, &run, error);
}

/* Refuses options that mean nothing together. */
static gboolean
check_combination(const Options *options, GError **error) {
  const gboolean selects =
      options->kernels || options->algorithms || options->border || options->stride != 0;
  if (options->paper && (selects || options->formats)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "--paper has cases of its own; of the selecting options it takes --size only");
    return FALSE;
  }
  if (wants_pipelines(options) && (selects || options->paper || options->plot)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "pipelines are measured with a Sobel filter and not drawn; of the selecting "
                "options they take --format and --size only");
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_options(Options *options, int *argc, char ***argv, GError **error) {
  const GOptionEntry entries[] = {
      {"kernel", 'k', 0, G_OPTION_ARG_STRING_ARRAY, &options->kernels, "Kernels", "LIST"},
      {"algorithm", 'a', 0, G_OPTION_ARG_STRING_ARRAY, &options->algorithms, "Algorithms", "LIST"},
      {"format", 'f', 0, G_OPTION_ARG_STRING_ARRAY, &options->formats, "Formats", "LIST"},
      {"size", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options->sizes, "Sizes", "LIST"},
      {"border", 0, 0, G_OPTION_ARG_STRING, &options->border,
       "replicate (default), constant, reflect, reflect-101 or wrap", "BORDER"},
      {"stride", 0, 0, G_OPTION_ARG_INT, &options->stride,
       "1 (default), 2 or 4: keep every n-th pixel of every n-th row", "N"},
      {"paper", 0, 0, G_OPTION_ARG_NONE, &options->paper,
       "Repeat the texts' experiments instead; --size replaces their sizes", NULL},
      {"pipeline", 0, 0, G_OPTION_ARG_NONE, &options->pipeline,
       "Measure the element's memory paths in pipelines instead", NULL},
      {"streams", 0, 0, G_OPTION_ARG_INT, &options->n_streams,
       "Measure N pipelines at once, spread over all devices", "N"},
      {"latency", 0, 0, G_OPTION_ARG_NONE, &options->latency,
       "Measure how long frames of a live source stay in the element", NULL},
      {"decode", 0, 0, G_OPTION_ARG_FILENAME, &options->decode,
       "Measure the decoder of an H.264 video with and without the element", "FILE"},
      {"json", 0, 0, G_OPTION_ARG_FILENAME, &options->json, "Write all figures as JSON", "FILE"},
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &options->csv, "Write all figures as CSV", "FILE"},
      {"plot", 0, 0, G_OPTION_ARG_FILENAME, &options->plot, "Draw the shares as SVG", "FILE"},
      {"check", 0, 0, G_OPTION_ARG_NONE, &options->check,
       "End with status 1 when a target is missed or none was measured", NULL},
      {"budget", 0, 0, G_OPTION_ARG_DOUBLE, &options->budget_ms,
       "Time to measure each line for (200; of pipelines 3000, of live ones 10000)", "MS"},
      {"device", 'd', 0, G_OPTION_ARG_INT, &options->device_id,
       "CUDA device (the first that works; many pipelines: all)", "ID"},
      {"npp", 0, 0, G_OPTION_ARG_FILENAME, &options->npp_folder,
       "Folder of libnppif.so and libnppc.so (the loader's path)", "FOLDER"},
      G_OPTION_ENTRY_NULL};
  g_autoptr(GOptionContext) context = g_option_context_new("- times the CUDA kernels");
  g_autofree gchar *lists = bench_selection_help();
  g_autofree gchar *description = g_strdup_printf(
      "%s\n\nWithout any of these options the run takes all that docs/benchmarks.md has figures "
      "of kernels.\n\nPipelines run cudaconv kernel=sobel between a source that costs nothing and "
      "a fakesink. They\ntake --format and --size; without any of these options --pipeline goes "
      "through the memory\npaths, %d pipelines at once and the latency.\n\n"
      "A FILE of \"-\" is the standard output, and the table then goes to the standard error.\nThe "
      "status is 77 when there is no device, 1 when something fails and 2 for wrong "
      "options.\n",
      lists, BENCH_STREAMS);
  g_option_context_set_summary(context, "Measures the CUDA kernels beside a copy, NVIDIA's NPP and "
                                        "the classic algorithms, or pipelines beside the bus.");
  g_option_context_set_description(context, description);
  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;
  if (*argc > 1) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s is no option; --help lists them",
                (*argv)[1]);
    return FALSE;
  }
  if (options->stride != 0 && options->stride != 1 && options->stride != 2 &&
      options->stride != 4) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "--stride=%d: there are 1, 2 and 4",
                options->stride);
    return FALSE;
  }
  if (options->budget_ms <= 0) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "--budget has to be above 0");
    return FALSE;
  }
  if (options->n_streams != -1 && (options->n_streams < 1 || options->n_streams > MAX_STREAMS)) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "--streams=%d: 1 to %d can run at once",
                options->n_streams, MAX_STREAMS);
    return FALSE;
  }
  return check_combination(options, error);
}

static int
fail(const GError *error, int status) {
  g_printerr("cudaconv-bench: %s\n", error->message);
  return status;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_auto(Options) options = {.device_id = -1, .n_streams = -1, .budget_ms = NAN};
  gboolean met = FALSE;
  BenchTimer timer = {0};
  if (!parse_options(&options, &argc, &argv, &error))
    return fail(error, 2);
  g_autoptr(BenchSelection) selection = select_from_options(&options, &error);
  if (error)
    return fail(error, 2);
  timer.budget_ms = isnan(options.budget_ms) ? BUDGET_MS : options.budget_ms;
  gboolean ok = bench_timer_open(&timer, options.device_id, &error);
  /* only once the driver has answered: GStreamer's CUDA plugin cannot do without it */
  if (ok && wants_pipelines(&options))
    ok = gst_init_check(NULL, NULL, &error);
  ok = ok && run_bench(&options, selection, &timer, &met, &error);
  const gboolean opened = timer.device != NULL;
  bench_timer_close(&timer);
  if (!ok)
    return fail(error, opened ? EXIT_FAILURE : SKIPPED);
  return options.check && !met ? EXIT_FAILURE : EXIT_SUCCESS;
}
