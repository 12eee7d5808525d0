/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sub-command `doctor`: checks the installation and prints a report as text or as JSON.
 * childcheck.c has the checks that may crash or hang. */

#include "gpufacts.h"
#include "childcheck.h"
#include "app/command.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "libgstcudaconv.so"

/* ---- elements ---- */

typedef enum {
  OPTIONAL,
  NEEDED,  /* the command does not work without it */
  FOR_GPU, /* optional on machines with a GPU, useless on other machines */
} Need;

/* `elements` are alternatives. `package` is the Debian package of the first one. */
static const struct {
  const gchar *section, *purpose, *elements, *package;
  Need need;
} uses[] = {
#define BASE "gstreamer1.0-plugins-base"
#define GOOD "gstreamer1.0-plugins-good"
#define BAD "gstreamer1.0-plugins-bad"
#define UGLY "gstreamer1.0-plugins-ugly"
#define LIBAV "gstreamer1.0-libav"
    {"Video", "open any file", "uridecodebin", BASE, NEEDED},
    {"Video", "convert formats", "videoconvert", BASE, NEEDED},
    {"Video", "read MP4 and QuickTime", "qtdemux", GOOD, OPTIONAL},
    {"Video", "read Matroska and WebM", "matroskademux", GOOD, OPTIONAL},
    {"Video", "read AVI", "avidemux", GOOD, OPTIONAL},
    {"Video", "read MPEG-TS", "tsdemux", BAD, OPTIONAL},
    {"Video", "read Ogg", "oggdemux", BASE, OPTIONAL},
    {"Video", "decode H.264", "avdec_h264 or openh264dec or nvh264dec", LIBAV, OPTIONAL},
    {"Video", "decode H.265", "avdec_h265 or libde265dec or nvh265dec", LIBAV, OPTIONAL},
    {"Video", "decode VP9", "vp9dec or avdec_vp9 or nvvp9dec", GOOD, OPTIONAL},
    {"Video", "decode AV1", "av1dec or dav1ddec or avdec_av1 or nvav1dec", BAD, OPTIONAL},
    {"Video", "decode MPEG-4", "avdec_mpeg4", LIBAV, OPTIONAL},
    {"Video", "parse H.264 and H.265", "h264parse", BAD, OPTIONAL},
    {"Video", "write MP4", "mp4mux", GOOD, OPTIONAL},
    {"Video", "write QuickTime", "qtmux", GOOD, OPTIONAL},
    {"Video", "write Matroska", "matroskamux", GOOD, OPTIONAL},
    {"Video", "write MPEG-TS", "mpegtsmux", BAD, OPTIONAL},
    {"Video", "write WebM", "webmmux", GOOD, OPTIONAL},
    {"Video", "write AVI", "avimux", GOOD, OPTIONAL},
    {"Video", "write Ogg", "oggmux", BASE, OPTIONAL},
    {"Video", "encode H.264", "x264enc or openh264enc", UGLY, OPTIONAL},
    {"Video", "encode H.265", "x265enc", BAD, OPTIONAL},
    {"Video", "encode VP9", "vp9enc", GOOD, OPTIONAL},
    {"Video", "encode Theora", "theoraenc", BASE, OPTIONAL},
    {"Video", "encode losslessly", "avenc_ffv1", LIBAV, OPTIONAL},
    {"Video", "keep the field order", "capssetter", GOOD, OPTIONAL},
    {"Video", "join the chunks of a job", "appsrc", BASE, OPTIONAL},
    {"Video", "test an encoder before a job", "videotestsrc", BASE, OPTIONAL},
    {"Audio", "convert audio", "audioconvert", BASE, OPTIONAL},
    {"Audio", "decode AAC", "avdec_aac or faad or fdkaacdec", LIBAV, OPTIONAL},
    {"Audio", "encode AAC", "avenc_aac or voaacenc or fdkaacenc", LIBAV, OPTIONAL},
    {"Audio", "encode FLAC", "flacenc", GOOD, OPTIONAL},
    {"Audio", "encode MP3", "lamemp3enc", GOOD, OPTIONAL},
    {"Audio", "encode Opus", "opusenc", BASE, OPTIONAL},
    {"Audio", "encode Vorbis", "vorbisenc", BASE, OPTIONAL},
    {"Images", "read PNG", "pngdec", GOOD, OPTIONAL},
    {"Images", "read JPEG", "jpegdec", GOOD, OPTIONAL},
    {"Images", "read WebP", "webpdec or avdec_webp", BAD, OPTIONAL},
    {"Images", "read TIFF", "avdec_tiff", LIBAV, OPTIONAL},
    {"Images", "read numbered images", "imagesequencesrc", GOOD, OPTIONAL},
    {"Images", "write PNG", "pngenc", GOOD, OPTIONAL},
    {"Images", "write JPEG", "jpegenc", GOOD, OPTIONAL},
    {"Images", "write WebP", "webpenc", BAD, OPTIONAL},
    {"Images", "write TIFF", "avenc_tiff", LIBAV, OPTIONAL},
    {"Images", "write BMP", "avenc_bmp", LIBAV, OPTIONAL},
    {"Images", "turn images upright", "videoflip", GOOD, OPTIONAL},
    {"Camera and window", "read a camera", "v4l2src", GOOD, OPTIONAL},
    {"Camera and window", "show one image", "imagefreeze", GOOD, OPTIONAL},
    {"Camera and window", "print text in the window", "textoverlay", "gstreamer1.0-x", OPTIONAL},
    {"Camera and window", "open a window with OpenGL", "glimagesink", "gstreamer1.0-gl", OPTIONAL},
    {"Camera and window", "open a window with X11", "ximagesink", "gstreamer1.0-x", OPTIONAL},
    {"GPU codecs", "decode H.264 on the GPU", "nvh264dec", BAD " libnvcuvid1", FOR_GPU},
    {"GPU codecs", "encode H.264 on the GPU", "nvh264enc", BAD " libnvidia-encode1", FOR_GPU},
};

/* ---- the results ---- */

static const gchar *const backends[] = {"auto", "cuda", "cpu", NULL};

/* `root` is the object that --json prints. The other objects and arrays are members of `root`. The
 * object of a failed check has an "error" and a "fix". Members without a value are null. */
typedef struct {
  const gchar *wanted; /* the backend of --backend */
  guint seconds;       /* time limit of a check */
  JsonObject *root, *plugin, *gpu, *backends;
  JsonArray *elements, *fixes; /* `fixes` has only the fixes that the command needs to work */
  gboolean has_gpu;            /* TRUE: a check found a sign of an NVIDIA GPU */
} Report;

/* `members` are the names of the object's members, separated by spaces. Their values are null. */
static JsonObject *
add_object(JsonObject *parent, const gchar *name, const gchar *members) {
  JsonObject *object = json_object_new();
  g_auto(GStrv) names = g_strsplit(members, " ", -1);
  for (gchar **member = names; *member; member++)
    json_object_set_null_member(object, *member);
  json_object_set_object_member(parent, name, object);
  return object;
}

static const gchar *
get(JsonObject *object, const gchar *member) {
  return json_object_has_member(object, member) ? json_object_get_string_member(object, member)
                                                : NULL;
}

static void
fail(JsonObject *check, const gchar *error, const gchar *fix) {
  child_set_text(check, "error", "%s", error);
  child_set_text(check, "fix", "%s", fix);
}

/* The fix of an error whose text contains `part`. */
typedef struct {
  const gchar *part, *fix;
} Fix;

/* `part` of the last entry has to be "", because "" matches every error. */
static const gchar *
find_fix(const Fix *fixes, const gchar *error) {
  while (!strstr(error, fixes->part))
    fixes++;
  return fixes->fix;
}

/* ---- the checks ---- */

static void
check_plugin(const Report *self) {
  static const Fix fixes[] = {
      {"version", "rebuild the plugin for this GStreamer: meson setup --wipe BUILD"},
      {"cannot open shared object file", "install the missing library"},
      {"undefined symbol", "rebuild the plugin on this machine"},
      {"Permission denied", "make the file readable: chmod a+r"},
      {"", "rebuild the file or copy it again, or remove it"},
  };
  /* if a file fails to load, the registry lists it as a plugin that has no elements */
  g_autoptr(GstElementFactory) factory = gst_element_factory_find("cudaconv");
  g_autoptr(GstPlugin) plugin = factory ? gst_plugin_feature_get_plugin(GST_PLUGIN_FEATURE(factory))
                                        : gst_registry_lookup(gst_registry_get(), FILE_NAME);
  const gchar *file = plugin ? gst_plugin_get_filename(plugin) : NULL;
  const gchar *folders = g_getenv("GST_PLUGIN_PATH"), *registry = g_getenv("GST_REGISTRY");
  json_object_set_boolean_member(self->plugin, "found", plugin != NULL);
  if (!plugin) {
    g_autofree gchar *folder =
        g_build_filename(g_get_user_data_dir(), "gstreamer-1.0/plugins", NULL);
    child_set_text(self->plugin, "error",
                   "there is no " FILE_NAME
                   " in GST_PLUGIN_PATH (%s), in %s or in GStreamer's folder",
                   folders && *folders ? folders : "not set", folder);
    child_set_text(
        self->plugin, "fix",
        "run `make install` in the sources, or copy the file to %s, or set GST_PLUGIN_PATH",
        folder);
    return;
  }
  if (factory)
    child_set_text(self->plugin, "version", "%s", gst_plugin_get_version(plugin));
  if (!file)
    return; /* the plugin is linked into a program */
  g_autofree gchar *path = g_canonicalize_filename(file, NULL);
  g_autofree gchar *check = g_strconcat("load:", path, NULL);
  child_set_text(self->plugin, "file", "%s", path);
  child_check(self->plugin, check, path, self->seconds);
  const gchar *error = get(self->plugin, "error");
  if (factory && !error)
    return;
  g_autofree gchar *usual =
      g_build_filename(g_get_user_cache_dir(), "gstreamer-1.0/registry.*.bin", NULL);
  child_set_text(self->plugin, "fix", "%s%smake GStreamer scan its plugins again: rm %s",
                 error ? find_fix(fixes, error) : "", error ? "; then " : "",
                 registry ? registry : usual);
  if (!error)
    child_set_text(self->plugin, "error",
                   "%s loads now, but did not when GStreamer scanned its plugins", path);
}

static void
check_gpu(Report *self) {
  const gchar *fix = NULL, *visible = g_getenv("CUDA_VISIBLE_DEVICES");
  g_autofree gchar *obstacle = gpu_facts_find_obstacle("/", &fix, &self->has_gpu);
  json_object_set_array_member(self->gpu, "devices", json_array_new());
  child_check(self->gpu, "driver", "the driver", self->seconds);
  JsonArray *devices = json_object_get_array_member(self->gpu, "devices");
  const gchar *error = get(self->gpu, "error"), *driver = get(self->gpu, "driver");
  const gboolean is_absent = error && strstr(error, "cannot open shared object file");
  const gboolean usable = !error && json_array_get_length(devices) > 0;
  json_object_set_boolean_member(self->gpu, "usable", usable);
  if (usable) {
    self->has_gpu = TRUE; /* on WSL only the driver shows the GPU, not the PCI bus */
    return;
  }
  if (obstacle && (self->has_gpu || is_absent))
    fail(self->gpu, obstacle, fix);
  else if (is_absent)
    fail(self->gpu, error,
         "install the Debian package libcuda1 (component non-free), in the same version as the "
         "kernel module; a container needs NVIDIA_DRIVER_CAPABILITIES=compute,video,utility");
  else if (driver && visible && (!*visible || *visible == '-' || g_str_has_prefix(visible, "No")))
    fail(self->gpu, "CUDA_VISIBLE_DEVICES hides all devices",
         "unset CUDA_VISIBLE_DEVICES, or name a device: CUDA_VISIBLE_DEVICES=0");
  else
    fail(self->gpu, error ? error : "the driver sees no device",
         "see what nvidia-smi and dmesg report; after an update of the driver, restart");
  self->has_gpu |= !is_absent;
}

static void
check_backend(Report *self, const gchar *name) {
  static const Fix fixes[] = {
      {"this build has no CUDA", "install the CUDA Toolkit (nvcc) and rebuild: meson setup --wipe "
                                 "BUILD -Dcuda=enabled; docs/building.md has the versions"},
      {"element fakesrc",
       "reinstall the Debian package libgstreamer1.0-0, or unset GST_PLUGIN_SYSTEM_PATH"},
      {"element cudaconv", "remove other files " FILE_NAME " from GST_PLUGIN_PATH and from "
                           "GStreamer's folders, and run `cudaconv doctor` again"},
      {"too old", "install a newer driver, or build the plugin with an older CUDA Toolkit (11.8 or "
                  "later)"},
      {"OUT_OF_MEMORY", "end other programs that use the GPU; nvidia-smi lists them"},
      {"", "see what nvidia-smi reports; the GPU has to be of the Turing generation (2018) or "
           "later, and the plugin built for it (-Dcuda-arch)"},
  };
  JsonObject *backend = json_object_get_object_member(self->backends, name);
  JsonObject *cpu = json_object_get_object_member(self->backends, "cpu");
  g_autofree gchar *check = g_strconcat("filter:", name, NULL);
  if (get(self->plugin, "error"))
    fail(backend, "the plugin does not work", get(self->plugin, "fix"));
  else
    child_check(backend, check, "the filter", self->seconds);
  const gchar *error = get(backend, "error");
  json_object_set_boolean_member(backend, "works", !error);
  if (!error || get(self->plugin, "error"))
    return;
  /* keep only the cause: the message begins with the property's name and ends with advice */
  const gchar *property = "is not available: ", *begin = strstr(error, property);
  begin = begin ? begin + strlen(property) : error;
  const gchar *end = strstr(begin, ". backend=auto, the default");
  g_autofree gchar *cause = g_strndup(begin, end ? (gsize)(end - begin) : strlen(begin));
  if (strstr(cause, "is not installed"))
    fail(backend, cause, find_fix(fixes, cause));
  else if (get(cpu, "error"))
    fail(backend, cause, "report this bug of cudaconv with the whole output");
  else
    fail(backend, cause, get(self->gpu, "error") ? get(self->gpu, "fix") : find_fix(fixes, cause));
  if (strstr(cause, "driver is too old")) {
    json_object_set_boolean_member(self->gpu, "usable", FALSE);
    fail(self->gpu, cause, get(backend, "fix"));
  }
}

/* Returns TRUE if the command can work. */
static gboolean
examine(Report *self) {
  guint major, minor, micro, nano;
  g_autofree gchar *system = g_get_os_info(G_OS_INFO_KEY_PRETTY_NAME);
  JsonObject *versions = add_object(self->root, "versions", "cudaconv gstreamer glib system");
  self->plugin = add_object(self->root, "plugin", "found file version error fix");
  self->gpu = add_object(self->root, "gpu", "usable devices driver error fix");
  self->backends = add_object(self->root, "backends", "auto cuda cpu");
  json_object_set_array_member(self->root, "elements", self->elements);
  json_object_set_array_member(self->root, "fixes", self->fixes);
  gst_version(&major, &minor, &micro, &nano);
  child_set_text(versions, "cudaconv", "%s", VERSION);
  child_set_text(versions, "gstreamer", "%u.%u.%u", major, minor, micro);
  child_set_text(versions, "glib", "%u.%u.%u", glib_major_version, glib_minor_version,
                 glib_micro_version);
  child_set_text(versions, "system", "%s", system ? system : "unknown system");
  check_plugin(self);
  check_gpu(self);
  for (guint i = 0; backends[i]; i++)
    add_object(self->backends, backends[i], "works runs device reason error fix");
  /* the loop runs backwards, because the fixes of the other backends depend on the CPU's result */
  for (guint i = g_strv_length((gchar **)backends); i-- > 0;)
    check_backend(self, backends[i]);
  JsonObject *wanted = json_object_get_object_member(self->backends, self->wanted);
  gboolean works = json_object_get_boolean_member(wanted, "works");
  if (!works)
    json_array_add_string_element(self->fixes, get(wanted, "fix"));
  for (guint i = 0; i < G_N_ELEMENTS(uses); i++) {
    JsonObject *use = json_object_new();
    JsonArray *elements = json_array_new();
    g_auto(GStrv) names = g_strsplit(uses[i].elements, " or ", -1);
    json_array_add_object_element(self->elements, use);
    json_object_set_string_member(use, "purpose", uses[i].purpose);
    json_object_set_array_member(use, "elements", elements);
    json_object_set_null_member(use, "found");
    json_object_set_string_member(use, "package", uses[i].package);
    json_object_set_boolean_member(use, "needed", uses[i].need == NEEDED);
    for (gchar **name = names; *name; name++) {
      g_autoptr(GstElementFactory) factory = gst_element_factory_find(*name);
      json_array_add_string_element(elements, *name);
      if (factory && !get(use, "found"))
        json_object_set_string_member(use, "found", *name);
    }
    if (uses[i].need == NEEDED && !get(use, "found")) {
      g_autofree gchar *fix = g_strdup_printf("install the Debian package %s, which has %s",
                                              uses[i].package, uses[i].elements);
      json_array_add_string_element(self->fixes, fix);
      works = FALSE;
    }
  }
  json_object_set_boolean_member(self->root, "works", works);
  return works;
}

/* ---- text ---- */

/* The mark "-" means that nothing is at fault, so no fix is printed. A fix that equals `before` is
 * not printed again. */
static void
print_failure(const gchar *mark, const gchar *subject, JsonObject *check, const gchar *before) {
  const gchar *fix = get(check, "fix");
  g_print("  %-9s%s%s\n", mark, subject, get(check, "error"));
  if (*mark != '-' && g_strcmp0(fix, before) != 0)
    g_print("           fix: %s\n", fix);
}

static void
print_checks(const Report *self) {
  const gchar *file = get(self->plugin, "file"), *driver = get(self->gpu, "driver");
  JsonArray *devices = json_object_get_array_member(self->gpu, "devices");
  JsonObject *versions = json_object_get_object_member(self->root, "versions");
  /* a missing GPU is a fault only with --backend=cuda */
  const gchar *mark = g_str_equal(self->wanted, "cuda") ? "broken"
                      : self->has_gpu                   ? "missing"
                                                        : "-";
  g_print("cudaconv %s, GStreamer %s, GLib %s, %s\n\nPlugin\n", get(versions, "cudaconv"),
          get(versions, "gstreamer"), get(versions, "glib"), get(versions, "system"));
  if (get(self->plugin, "error"))
    print_failure("broken", "", self->plugin, NULL);
  else
    g_print("  ok       element cudaconv %s: %s\n", get(self->plugin, "version"),
            file ? file : "part of a program");
  g_print("\nGPU\n");
  if (driver)
    g_print("  ok       driver: %s\n", driver);
  for (guint i = 0; i < json_array_get_length(devices); i++)
    g_print("  ok       device %u: %s\n", i, json_array_get_string_element(devices, i));
  if (get(self->gpu, "error"))
    print_failure(mark, "", self->gpu, NULL);
  if (get(self->plugin, "error"))
    return;
  g_print("\nBackends\n");
  for (guint i = 0; backends[i]; i++) {
    JsonObject *backend = json_object_get_object_member(self->backends, backends[i]);
    g_autofree gchar *subject = g_strdup_printf("backend=%s: ", backends[i]);
    if (get(backend, "error"))
      print_failure(g_str_equal(backends[i], self->wanted) ? "broken"
                    : get(self->gpu, "error")              ? mark
                                                           : "missing",
                    subject, backend, get(self->gpu, "fix"));
    else
      g_print("  ok       backend=%s filters on %s: %s; why: %s\n", backends[i],
              get(backend, "runs"), get(backend, "device"), get(backend, "reason"));
  }
}

static void
print_text(const Report *self) {
  const gboolean works = json_object_get_boolean_member(self->root, "works");
  g_autoptr(GString) packages = g_string_new(NULL);
  print_checks(self);
  for (guint i = 0; i < G_N_ELEMENTS(uses); i++) {
    const gchar *found = get(json_array_get_object_element(self->elements, i), "found");
    const gchar *mark = "missing", *package = "", *remark = "";
    if (found) {
      mark = "ok";
    } else if (uses[i].need == NEEDED) {
      mark = "broken";
      remark = "; Debian package ";
      package = uses[i].package;
    } else if (uses[i].need == FOR_GPU && get(self->gpu, "error")) {
      mark = "-";
      remark = "; optional, for machines with a GPU";
    } else if (!works) {
      remark = "; optional"; /* no package is named, because it would not fix the failure */
    } else {
      remark = "; optional, Debian package ";
      package = uses[i].package;
      if (!strstr(packages->str, package))
        g_string_append_printf(packages, " %s", package);
    }
    if (i == 0 || !g_str_equal(uses[i].section, uses[i - 1].section))
      g_print("\n%s\n", uses[i].section);
    g_print("  %-9s%s: %s%s%s\n", mark, uses[i].purpose, found ? found : uses[i].elements, remark,
            package);
  }
  g_print("\ncudaconv %s with backend=%s.\n", works ? "works" : "does not work", self->wanted);
  for (guint i = 0; i < json_array_get_length(self->fixes); i++)
    g_print("To fix it: %s\n", json_array_get_string_element(self->fixes, i));
  if (packages->len)
    g_print("All optional packages, on Debian: apt-get install%s\n", packages->str);
}

/* ---- the sub-command ---- */

AppStatus
app_doctor(int argc, char **argv) {
  gint seconds = 60;
  gboolean as_json = FALSE;
  g_autofree gchar *backend = g_strdup("auto"), *probe = NULL;
  const GOptionEntry entries[] = {
      {"backend", 0, 0, G_OPTION_ARG_STRING, &backend,
       "Backend that has to work for exit status 0 (auto): auto, cuda, cpu", "NAME"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print the report as one JSON object", NULL},
      {"timeout", 0, 0, G_OPTION_ARG_INT, &seconds,
       "Time limit for loading a plugin or starting the driver (60); 1 or more", "SECONDS"},
      {"probe", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &probe, NULL, NULL},
      {0}};
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = app_option_context_new(
      "doctor",
      "Reports what is installed, what is missing and how to fix it. Each line has a mark: ok;\n"
      "missing: only some uses need it; broken: the command does not work without it; -: not\n"
      "needed on this machine.",
      entries, NULL);
  g_auto(GStrv) words = app_parse_arguments(context, argc, argv, 0, 0, &error);
  g_autofree gchar *wanted = g_ascii_strdown(backend, -1);
  if (words && !g_strv_contains(backends, wanted))
    app_refuse(&error, "--backend \"%s\": there is no such backend; there are: auto, cuda, cpu",
               backend);
  else if (words && seconds < 1)
    app_refuse(&error, "--timeout \"%d\": expected 1 or more", seconds);
  if (error)
    return app_fail("doctor", APP_WRONG_USAGE, error);
  child_start_gstreamer((guint)seconds);
  if (probe)
    return child_reply(probe) ? APP_DONE : APP_WRONG_USAGE;

  g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
  Report self = {.wanted = wanted,
                 .seconds = (guint)seconds,
                 .root = json_object_new(),
                 .fixes = json_array_new(),
                 .elements = json_array_new()};
  json_node_take_object(node, self.root);
  const gboolean works = examine(&self);
  g_autofree gchar *text = json_to_string(node, TRUE);
  if (as_json)
    puts(text); /* g_print would convert it to the encoding of the locale */
  else
    print_text(&self);
  return app_end_output("doctor", works ? APP_DONE : APP_FAILED);
}
