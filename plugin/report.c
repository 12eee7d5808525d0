/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"

#include "memory/pinning.h"

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
gst_cuda_conv_post_error(GstCudaConv *self, const GError *error) {
  if (g_error_matches(error, CC_ERROR, CC_ERROR_INVALID))
    GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", error->message), (NULL));
  else if (g_error_matches(error, CC_ERROR, CC_ERROR_UNAVAILABLE))
    GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND, ("%s", error->message), (NULL));
  else
    GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("%s", error->message), (NULL));
}

static void
announce_backend(GstCudaConv *self, const CcNews *news) {
  const gchar *reason = news->chosen   ? "the backend property asks for it"
                        : news->reason ? news->reason
                                       : "a CUDA device was found";
  GstStructure *structure =
      gst_structure_new("cudaconv-backend", "backend", G_TYPE_STRING, news->backend, "device",
                        G_TYPE_STRING, news->device, "device-id", G_TYPE_INT, news->device_id,
                        "reason", G_TYPE_STRING, reason, NULL);
  GST_INFO_OBJECT(self, "%" GST_PTR_FORMAT, structure);
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), structure));
}

void
gst_cuda_conv_tell(GstCudaConv *self, const CcNews *news) {
  switch (news->kind) {
  case CC_NEWS_BACKEND:
    announce_backend(self, news);
    break;
  case CC_NEWS_FAILOVER:
    GST_ELEMENT_WARNING(self, RESOURCE, FAILED,
                        ("The CUDA device failed, and the CPU filters from here on: %s. No frame "
                         "is lost; the element tries CUDA again when it is started anew.",
                         news->reason),
                        (NULL));
    break;
  case CC_NEWS_NO_FAILOVER:
    GST_ERROR_OBJECT(self, "the CPU cannot take over: %s", news->reason);
    break;
  case CC_NEWS_SHRUNK:
    GST_INFO_OBJECT(self, "fewer frames in flight: %s", news->reason);
    break;
  case CC_NEWS_CONTEXTS:
    gst_cuda_conv_warn(self,
                       "Frames of more than two CUDA contexts come in turn, and the device is "
                       "opened anew whenever they change; elements that share a context "
                       "(GstContext gst.cuda.context) need not.");
    break;
  case CC_NEWS_PATHS:
    GST_INFO_OBJECT(self, "frames come in through: %s; and leave through: %s", news->in_path,
                    news->out_path);
    break;
  }
}

GstStructure *
gst_cuda_conv_get_stats(GstCudaConv *self) {
  g_auto(CcSessionStats) session = {0};
  cc_session_get_stats(self->session, &session);
  GST_OBJECT_LOCK(self);
  const guint in_flight = self->n_held + 1;
  GST_OBJECT_UNLOCK(self);
  GstStructure *stats = gst_structure_new(
      "cudaconv-stats", "backend", G_TYPE_STRING, session.backend, "device", G_TYPE_STRING,
      session.device, "device-id", G_TYPE_INT, session.device_id, "plan", G_TYPE_STRING,
      session.plan, "frames", G_TYPE_UINT64, session.n_frames, "bytes", G_TYPE_UINT64,
      session.n_bytes, "upload-time", G_TYPE_UINT64, session.times.upload, "kernel-time",
      G_TYPE_UINT64, session.times.kernel, "download-time", G_TYPE_UINT64, session.times.download,
      "wait-time", G_TYPE_UINT64, session.times.wait, "in-flight", G_TYPE_UINT, in_flight,
      "failovers", G_TYPE_UINT, session.n_failovers, NULL);
  if (session.algorithm)
    gst_structure_set(stats, "algorithm", G_TYPE_STRING, session.algorithm, NULL);
  if (session.in_path)
    gst_structure_set(stats, "input-path", G_TYPE_STRING, session.in_path, "output-path",
                      G_TYPE_STRING, session.out_path, NULL);
  gst_structure_set(stats, "registered-bytes", G_TYPE_UINT64, cc_pinning_registered_bytes(), NULL);
  return stats;
}
