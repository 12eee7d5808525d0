/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"

#include "pinning.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

void
gst_cuda_conv_warn(GstCudaConv *self, const gchar *text) {
  GST_OBJECT_LOCK(self);
  const gboolean early = !GST_ELEMENT_BUS(self) && GST_STATE(self) == GST_STATE_NULL;
  if (early)
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

void
gst_cuda_conv_warn_of_failover(GstCudaConv *self, const GError *error) {
  GST_ELEMENT_WARNING(self, RESOURCE, FAILED,
                      ("The CUDA device failed, and the CPU filters from here on: %s. No frame is "
                       "lost; the element tries CUDA again when it is started anew.",
                       error->message),
                      (NULL));
}

void
gst_cuda_conv_post_error(GstCudaConv *self, const GError *error) {
  if (g_error_matches(error, CC_ERROR, CC_ERROR_INVALID))
    GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
  else if (g_error_matches(error, CC_ERROR, CC_ERROR_UNAVAILABLE))
    GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND, ("%s", error->message), (NULL));
  else
    GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("%s", error->message), (NULL));
}

void
gst_cuda_conv_announce_backend(GstCudaConv *self, const GError *fallback) {
  const CcBackend *backend = self->backend;
  const gchar *reason = "the backend property asks for it";
  if (self->backend_config.choice == CC_BACKEND_AUTO)
    reason = fallback ? fallback->message : "a CUDA device was found";
  GstStructure *structure =
      gst_structure_new("cudaconv-backend", "backend", G_TYPE_STRING, backend->klass->name,
                        "device", G_TYPE_STRING, backend->device_name, "device-id", G_TYPE_INT,
                        backend->device_id, "reason", G_TYPE_STRING, reason, NULL);
  GST_INFO_OBJECT(self, "%" GST_PTR_FORMAT, structure);
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), structure));
}

GstStructure *
gst_cuda_conv_get_stats(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  const CcBackend *backend = self->backend;
  GstStructure *stats = gst_structure_new(
      "cudaconv-stats", "backend", G_TYPE_STRING, backend ? backend->klass->name : "none", "device",
      G_TYPE_STRING, backend ? backend->device_name : "none", "device-id", G_TYPE_INT,
      backend ? backend->device_id : -1, "plan", G_TYPE_STRING, self->plan_text, "frames",
      G_TYPE_UINT64, self->n_frames, "bytes", G_TYPE_UINT64, self->n_bytes, "upload-time",
      G_TYPE_UINT64, self->times.upload, "kernel-time", G_TYPE_UINT64, self->times.kernel,
      "download-time", G_TYPE_UINT64, self->times.download, "wait-time", G_TYPE_UINT64,
      self->times.wait, NULL);
  gst_structure_set(stats, "in-flight", G_TYPE_UINT, self->in_flight, "failovers", G_TYPE_UINT,
                    self->n_failovers, NULL);
  if (self->algorithm)
    gst_structure_set(stats, "algorithm", G_TYPE_STRING, self->algorithm, NULL);
  if (self->in_path)
    gst_structure_set(stats, "input-path", G_TYPE_STRING, self->in_path, "output-path",
                      G_TYPE_STRING, self->out_path, NULL);
  GST_OBJECT_UNLOCK(self);
  gst_structure_set(stats, "registered-bytes", G_TYPE_UINT64, cc_pinning_registered_bytes(), NULL);
  return stats;
}
