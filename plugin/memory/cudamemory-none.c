/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's CUDA memory in a build without CUDA: there is none, so nobody asks more of it. */

#include "cudamemory.h"

gboolean
cc_cuda_memory_is_built(void) {
  return FALSE;
}

gboolean
cc_cuda_memory_works(CcDevice *device) {
  return FALSE;
}

void
cc_cuda_context_take(GstElement *element, GstContext *offered, gint device_id,
                     GstObject **context) {
}

void
cc_cuda_context_ask(GstElement *element, gboolean (*knows)(GstElement *element)) {
}

GstObject *
cc_cuda_context_of_device(CcDevice *device) {
  return NULL;
}

void
cc_cuda_context_announce(GstElement *element, GstObject *context) {
}

gboolean
cc_cuda_context_is_asked_for(GstQuery *query) {
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

GstObject *
cc_cuda_memory_get_context(GstMemory *memory) {
  return NULL;
}

GstMapFlags
cc_cuda_memory_map_flag(void) {
  g_return_val_if_reached(0);
}

gpointer
cc_cuda_memory_get_stream(GstMemory *memory) {
  return NULL;
}

void
cc_cuda_memory_sync(GstMemory *memory) {
}

gboolean
cc_cuda_memory_read(GstMemory *memory, guint8 *host) {
  g_return_val_if_reached(FALSE);
}

gboolean
cc_cuda_memory_write(GstMemory *memory, const guint8 *host) {
  g_return_val_if_reached(FALSE);
}

GstBufferPool *
cc_cuda_pool_new(GstObject *context) {
  g_return_val_if_reached(NULL);
}

gsize
cc_cuda_pool_bytes(GstBufferPool *pool) {
  return 0;
}
