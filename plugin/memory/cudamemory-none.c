/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replaces cudamemory.c in a build without CUDA. The CUDA domain is marked as missing, so the
 * functions here that need CUDA are never called. */

#include "cudamemory.h"

const CcDomain cc_cuda_domain = {
    .name = "CUDA memory", .feature = "memory:CUDAMemory", .is_missing = TRUE, .on_device = TRUE};

void
cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                     GstObject **context) {
}

void
cc_cuda_context_request(GstElement *element, gboolean (*knows)(GstElement *element)) {
}

GstObject *
cc_cuda_context_of_device(CcDevice *device) {
  return NULL;
}

void
cc_cuda_context_announce(GstElement *element, GstObject *context) {
}

gboolean
cc_cuda_context_is_requested(GstQuery *query) {
  return FALSE;
}

void
cc_cuda_context_answer(GstElement *element, GstQuery *query, GstObject *context) {
}

gpointer
cc_cuda_context_handle(GstObject *context) {
  return NULL;
}

CcContext
cc_cuda_context_describe(GstObject *context) {
  g_return_val_if_reached((CcContext){0});
}

gsize
cc_cuda_pool_bytes(GstBufferPool *pool) {
  return 0;
}
