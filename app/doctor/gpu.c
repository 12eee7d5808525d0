/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The GPU, its driver, and where frames are filtered. */

#include "doctor.h"
#include "gpufacts.h"

#include <string.h>

static gchar *
join(const GPtrArray *texts) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint i = 0; i < texts->len; i++)
    g_string_append_printf(list, "%s%s", i ? ", " : "", (const gchar *)texts->pdata[i]);
  return g_strdup(list->str);
}

/* ---- the system ---- */

static void
check_facts(Doctor *self, const GpuFacts *facts) {
  g_autofree gchar *cards = join(facts->cards), *nodes = join(facts->nodes);
  if (facts->cards->len)
    doctor_say(self, DOCTOR_OK, "NVIDIA GPU on the PCI bus: %s", cards);
  else
    doctor_say(self, DOCTOR_NOTE, "no NVIDIA GPU on the PCI bus");
  if (facts->kernel_driver)
    doctor_say(self, DOCTOR_OK, "kernel module: %s", facts->kernel_driver);
  if (facts->nodes->len)
    doctor_say(self, facts->n_usable ? DOCTOR_OK : DOCTOR_NOTE, "device nodes: %s%s", nodes,
               facts->n_usable ? "" : ", which this user may not use");
  if (facts->is_container)
    doctor_say(self, DOCTOR_NOTE, "this is a container");
}

/* ---- the driver ---- */

static gboolean
hides_devices(const gchar *visible) {
  return visible && (!*visible || *visible == '-' || g_str_has_prefix(visible, "NoDev"));
}

/* Says what to do for CUDA, the first obstacle only. */
static void
mend_driver(const GpuFacts *facts, const gchar *error) {
  const gchar *mend = gpu_facts_find_mend(facts);
  if (hides_devices(g_getenv("CUDA_VISIBLE_DEVICES")))
    mend =
        "CUDA_VISIBLE_DEVICES hides all devices: unset it, or name one as CUDA_VISIBLE_DEVICES=0";
  else if (!mend && error && strstr(error, "cannot open shared object file"))
    mend = facts->is_container
               ? "the container has no driver library: run it with the NVIDIA runtime and "
                 "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility"
               : "install the Debian package libcuda1 (component non-free), of the version of the "
                 "kernel module";
  else if (!mend)
    mend = "nvidia-smi shows what the driver sees, dmesg what it complains of; a restart mends a "
           "driver that was updated";
  doctor_mend("%s", mend);
}

static void
list_devices(Doctor *self, const GstStructure *answer, gint n_devices) {
  for (gint i = 0; i < n_devices; i++) {
    g_autofree gchar *field = g_strdup_printf("device-%d", i);
    doctor_say(self, DOCTOR_OK, "device %d: %s", i, gst_structure_get_string(answer, field));
  }
}

void
doctor_check_gpu(Doctor *self) {
  doctor_begin("GPU");
  gint version = 0, n_devices = 0;
  g_auto(GpuFacts) facts = {0};
  gpu_facts_collect(&facts, "/");
  check_facts(self, &facts);
  g_autoptr(GstStructure) answer = doctor_ask(self, "driver");
  const gchar *error = gst_structure_get_string(answer, "error");
  const gchar *file = gst_structure_get_string(answer, "file");
  gst_structure_get_int(answer, "version", &version);
  gst_structure_get_int(answer, "devices", &n_devices);
  /* a driver without any sign of a card, as in WSL, may have devices all the same */
  self->has_gpu = gpu_facts_has_gpu(&facts) || file;
  g_autofree gchar *library =
      version ? g_strdup_printf("%s, for CUDA %d.%d", file, version / 1000, version % 1000 / 10)
              : g_strdup(file ? file : "not there");
  if (!error && n_devices > 0) {
    doctor_say(self, DOCTOR_OK, "driver library: %s", library);
    list_devices(self, answer, n_devices);
    return;
  }
  const gboolean needed = self->has_gpu || strcmp(self->backend, "cuda") == 0;
  doctor_say(self, needed ? DOCTOR_MISSING : DOCTOR_NOTE, "driver library: %s: %s", library,
             error ? error : "it sees no device");
  if (needed && self->has_gpu)
    mend_driver(&facts, error);
  else if (needed)
    doctor_mend("there is no sign of an NVIDIA GPU in this machine");
}

/* ---- filtering ---- */

/* What to do when CUDA does not filter, although GPU and driver are there. */
static void
mend_cuda(const gchar *error) {
  if (strstr(error, "this build has no CUDA"))
    doctor_mend("install the CUDA Toolkit (nvcc) and configure anew with meson setup --wipe "
                "BUILD -Dcuda=enabled; docs/building.md has the versions");
  else if (strstr(error, "too old"))
    doctor_mend("install a newer driver, or build the plugin with an older CUDA Toolkit (11.8 and "
                "later work)");
  else if (strstr(error, "NVIDIA driver") || strstr(error, "no CUDA device"))
    doctor_mend("see what is missing under GPU above");
  else if (strstr(error, "OUT_OF_MEMORY"))
    doctor_mend("end other programs that use the GPU; nvidia-smi lists them");
  else
    doctor_mend("nvidia-smi shows the state of the device; a GPU of the Turing generation (2018) "
                "or later is needed, and a build for it (-Dcuda-arch)");
}

/* What the process of a check said on stderr: of a wrong value in the environment, and of what came
 * before an error. */
static void
pass_on(Doctor *self, const gchar *backend, const gchar *complaints, gboolean failed) {
  g_auto(GStrv) lines = g_strsplit(complaints, "\n", -1);
  for (gchar **line = lines; *line; line++) {
    const gchar *variable = strstr(*line, "CUDACONV_");
    if (variable && strstr(variable, "is ignored")) {
      if (strcmp(backend, "cpu") == 0) {
        doctor_say(self, DOCTOR_MISSING, "%s", variable);
        doctor_mend("set one of these, or unset it");
      }
    } else if (failed && **line) {
      doctor_say(self, DOCTOR_NOTE, "it said before: %s", *line);
    }
  }
}

/* The error of the element without the property, which the line names already, and without the
 * advice, which this command gives itself. */
static gchar *
reason_of(const gchar *error) {
  const gchar *cannot = "cannot be had: ";
  const gchar *begin = strstr(error, cannot);
  begin = begin ? begin + strlen(cannot) : error;
  const gchar *end = strstr(begin, ". backend=auto, the default");
  return end ? g_strndup(begin, (gsize)(end - begin)) : g_strdup(begin);
}

static void
check_backend(Doctor *self, const gchar *backend) {
  g_autofree gchar *what = g_strconcat("filter:", backend, NULL);
  g_autoptr(GstStructure) answer = doctor_ask(self, what);
  const gchar *error = gst_structure_get_string(answer, "error");
  const gchar *warning = gst_structure_get_string(answer, "warning");
  const gchar *complaints = gst_structure_get_string(answer, "complaints");
  const gboolean is_cuda = strcmp(backend, "cuda") == 0, is_auto = strcmp(backend, "auto") == 0;
  const gboolean asked = strcmp(backend, self->backend) == 0;
  if (error) {
    g_autofree gchar *why = reason_of(error);
    doctor_say(self,
               asked                       ? DOCTOR_BROKEN
               : is_cuda && !self->has_gpu ? DOCTOR_NOTE
                                           : DOCTOR_MISSING,
               "backend=%s: %s", backend, why);
    if (is_cuda && (asked || self->has_gpu))
      mend_cuda(error);
    else if (!is_cuda)
      doctor_mend("this is a fault of cudaconv: report it with all of this text");
  } else {
    const gchar *device = gst_structure_get_string(answer, "device");
    const gchar *runs = gst_structure_get_string(answer, "backend");
    const gchar *reason = gst_structure_get_string(answer, "reason");
    doctor_say(self, warning ? DOCTOR_MISSING : DOCTOR_OK, "backend=%s filters on %s: %s%s%s",
               backend, runs, device, is_auto ? "; why: " : "", is_auto ? reason : "");
    if (warning)
      doctor_mend("%s", warning);
    self->on_gpu |= g_strcmp0(runs, "cuda") == 0;
  }
  if (complaints)
    pass_on(self, backend, complaints, error != NULL);
}

void
doctor_check_filtering(Doctor *self) {
  doctor_begin("Filtering");
  check_backend(self, "auto");
  check_backend(self, "cuda");
  check_backend(self, "cpu");
}
