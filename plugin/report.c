/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"

#include "backends.h"
#include "memory/cudamemory.h"
#include "memory/pinning.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

#define MAX_PENDING 100 /* maximum number of warnings that wait for a bus */

void
gst_cuda_conv_warn(GstCudaConv *self, const gchar *text) {
  GST_OBJECT_LOCK(self);
  const gboolean early = !GST_ELEMENT_BUS(self) && GST_STATE(self) == GST_STATE_NULL;
  if (early && self->pending_warnings->len < MAX_PENDING)
    g_ptr_array_add(self->pending_warnings, g_strdup(text));
  GST_OBJECT_UNLOCK(self);
  if (!early)
    GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("%s", text), (NULL));
}

void
gst_cuda_conv_post_pending_warnings(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  g_autoptr(GPtrArray) warnings = self->pending_warnings;
  self->pending_warnings = g_ptr_array_new_with_free_func(g_free);
  GST_OBJECT_UNLOCK(self);
  for (guint i = 0; i < warnings->len; i++)
    GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS,
                        ("%s", (const gchar *)g_ptr_array_index(warnings, i)), (NULL));
}

gboolean
gst_cuda_conv_claim_warning(GstCudaConv *self, const gchar *property) {
  static const gchar warned[] = "cudaconv-warned";
  g_autoptr(GstControlBinding) binding = gst_object_get_control_binding(GST_OBJECT(self), property);
  if (!binding)
    return TRUE;
  GObject *object = G_OBJECT(binding);
  return g_object_replace_data(object, warned, NULL, object, NULL, NULL);
}

/* Errors of the device get advice for the user. If the `backend` property requests CUDA and CUDA is
 * not available, the text names this property. */
static gchar *
make_error_text(GstCudaConv *self, const GError *error) {
  const CcBackendConfig config = cc_settings_get_device(&self->settings).backend;
  const gchar *advice = "";
  const gboolean failed = g_error_matches(error, CC_ERROR, CC_ERROR_DEVICE);
  if (config.choice == CC_BACKEND_AUTO) {
    if (failed)
      advice = ". Frames that exist only in the device's memory are lost; "
               "to continue, set the pipeline to NULL and start it again: the CPU filters if the "
               "device does not recover";
  } else if (g_error_matches(error, CC_ERROR, CC_ERROR_UNAVAILABLE)) {
    return g_strdup_printf("backend=cuda is not available: %s. backend=auto, the default, uses the "
                           "CPU if CUDA is not available, and backend=cpu always does",
                           error->message);
  } else if (failed || (cc_session_get_device(self->session) &&
                        g_error_matches(error, CC_ERROR, CC_ERROR_NO_MEMORY))) {
    advice = ". With backend=auto the CPU takes over if CUDA fails";
  }
  return g_strconcat(error->message, advice, NULL);
}

void
gst_cuda_conv_post_error(GstCudaConv *self, const GError *error) {
  g_autofree gchar *text = make_error_text(self, error);
  if (g_error_matches(error, CC_ERROR, CC_ERROR_INVALID))
    GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", text), (NULL));
  else if (g_error_matches(error, CC_ERROR, CC_ERROR_UNAVAILABLE))
    GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND, ("%s", text), (NULL));
  else
    GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("%s", text), (NULL));
}

static void
announce_backend(GstCudaConv *self, const CcSessionEvent *event) {
  const gchar *reason = event->chosen   ? "the backend property requests it"
                        : event->reason ? event->reason
                                        : "a CUDA device was found";
  GstStructure *structure =
      gst_structure_new("cudaconv-backend", "backend", G_TYPE_STRING, event->backend, "device",
                        G_TYPE_STRING, event->device, "device-id", G_TYPE_INT, event->device_id,
                        "reason", G_TYPE_STRING, reason, NULL);
  GST_INFO_OBJECT(self, "%" GST_PTR_FORMAT, structure);
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), structure));
}

static void
log_program(GstCudaConv *self, const CcSessionEvent *event) {
  GST_INFO_OBJECT(self, "kernel %s: %s", event->kernel, event->plan);
  for (guint i = 0; event->steps && event->steps[i]; i++)
    GST_INFO_OBJECT(self, "%u. %s", i + 1, event->steps[i]);
}

void
gst_cuda_conv_report_event(GstCudaConv *self, const CcSessionEvent *event) {
  switch (event->kind) {
  case CC_EVENT_BACKEND:
    announce_backend(self, event);
    break;
  case CC_EVENT_FAILOVER:
    if (!self->flow.failed)
      GST_ELEMENT_WARNING(
          self, RESOURCE, FAILED,
          ("CUDA failed, and the CPU filters from now on, including the frames in flight: "
           "%s. The element tries CUDA again after it was set to NULL.",
           event->reason),
          (NULL));
    break;
  case CC_EVENT_NO_FAILOVER:
    GST_ERROR_OBJECT(self, "the CPU cannot take over: %s", event->reason);
    break;
  case CC_EVENT_SHRUNK:
    GST_INFO_OBJECT(self, "fewer frames in flight: %s", event->reason);
    break;
  case CC_EVENT_CONTEXTS:
    gst_cuda_conv_warn(self, "Frames of several CUDA contexts alternate and are copied into "
                             "the context of the element; elements that share a context "
                             "(GstContext gst.cuda.context) need no copy.");
    break;
  case CC_EVENT_PATHS:
    GST_INFO_OBJECT(self, "frames come in through: %s; and leave through: %s", event->in_path,
                    event->out_path);
    break;
  case CC_EVENT_PROGRAM:
    log_program(self, event);
    break;
  }
}

static void
set_strings(GstStructure *structure, const gchar *field, const gchar *const *strings) {
  g_auto(GValue) array = G_VALUE_INIT;
  g_value_init(&array, GST_TYPE_ARRAY);
  for (; *strings; strings++) {
    GValue string = G_VALUE_INIT;
    g_value_init(&string, G_TYPE_STRING);
    g_value_set_string(&string, *strings);
    gst_value_array_append_and_take_value(&array, &string);
  }
  gst_structure_set_value(structure, field, &array);
}

static gsize
pool_bytes(GstCudaConv *self) {
  /* The base class changes the pool with the object lock held, but its getter does not take the
   * lock. */
  GST_OBJECT_LOCK(self);
  g_autoptr(GstBufferPool) pool = gst_base_transform_get_buffer_pool(GST_BASE_TRANSFORM(self));
  GST_OBJECT_UNLOCK(self);
  return pool ? cc_cuda_pool_bytes(pool) : 0;
}

GstStructure *
gst_cuda_conv_get_stats(GstCudaConv *self) {
  g_auto(CcSessionStats) session = {0};
  cc_session_get_stats(self->session, &session);
  GST_OBJECT_LOCK(self);
  const guint in_flight = self->flow.n_held + 1;
  GST_OBJECT_UNLOCK(self);
  GstStructure *stats = gst_structure_new(
      "cudaconv-stats", "backend", G_TYPE_STRING, session.backend, "device", G_TYPE_STRING,
      session.device, "device-id", G_TYPE_INT, session.device_id, "plan", G_TYPE_STRING,
      session.plan, "frames", G_TYPE_UINT64, session.n_frames, "bytes", G_TYPE_UINT64,
      session.n_bytes, "upload-time", G_TYPE_UINT64, session.times.upload, "kernel-time",
      G_TYPE_UINT64, session.times.kernel, "download-time", G_TYPE_UINT64, session.times.download,
      "wait-time", G_TYPE_UINT64, session.times.wait, "in-flight", G_TYPE_UINT, in_flight,
      "failovers", G_TYPE_UINT, session.n_failovers, "regions", G_TYPE_UINT64, session.n_regions,
      "limited-regions", G_TYPE_UINT64, session.n_limited, NULL);
  if (session.steps)
    set_strings(stats, "steps", (const gchar *const *)session.steps);
  if (session.size)
    gst_structure_set(stats, "size", G_TYPE_UINT, session.size, NULL);
  if (session.algorithm)
    gst_structure_set(stats, "algorithm", G_TYPE_STRING, session.algorithm, NULL);
  if (session.in_path)
    gst_structure_set(stats, "input-path", G_TYPE_STRING, session.in_path, "output-path",
                      G_TYPE_STRING, session.out_path, NULL);
  gst_structure_set(stats, "device-bytes", G_TYPE_UINT64,
                    (guint64)session.device_bytes + pool_bytes(self), "scratch-bytes",
                    G_TYPE_UINT64, (guint64)session.scratch_bytes, "registered-bytes",
                    G_TYPE_UINT64, cc_pinning_registered_bytes(), NULL);
  return stats;
}
