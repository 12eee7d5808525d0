/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backendcontrol.h"

#include "cudamemory.h"
#include "pinning.h"
#include "report.h"
#include "stream.h"

#define GST_CAT_DEFAULT gst_cuda_conv_debug

/* --- opening and closing --- */

static gboolean
same_choice(const CcBackendConfig *a, const CcBackendConfig *b) {
  return a->choice == b->choice && a->device_id == b->device_id && a->n_threads == b->n_threads;
}

/* Takes `backend`, which may be NULL, in place of the one before, which is closed. */
static void
replace_backend(GstCudaConv *self, CcBackend *backend, const CcBackendConfig *config) {
  GstAllocator *pinned =
      backend && backend->device ? cc_pinned_allocator_new(backend->device) : NULL;
  GST_OBJECT_LOCK(self);
  CcBackend *old_backend = self->backend;
  GstAllocator *old_pinned = self->pinned;
  self->backend = backend;
  self->pinned = pinned;
  self->backend_config = *config;
  self->backend_config.context = NULL;
  GST_OBJECT_UNLOCK(self);
  g_clear_pointer(&old_backend, cc_backend_close);
  g_clear_object(&old_pinned);
}

gboolean
gst_cuda_conv_open_backend(GstCudaConv *self) {
  CcBackendConfig config;
  CcContext context;
  cc_settings_get_backend(&self->settings, &config);
  if (self->backend && same_choice(&config, &self->backend_config))
    return TRUE;
  if (self->backend)
    gst_cuda_conv_close_backend(self);

  if (config.choice != CC_BACKEND_CPU) {
    cc_cuda_context_ask(GST_ELEMENT(self), &self->cuda_context);
    if (self->cuda_context) {
      context = cc_cuda_context_describe(self->cuda_context);
      config.context = &context;
    }
  }
  g_autoptr(GError) fallback = NULL, error = NULL;
  CcBackend *backend = cc_backend_open(&config, &fallback, &error);
  if (!backend) {
    gst_cuda_conv_post_error(self, error);
    return FALSE;
  }
  replace_backend(self, backend, &config);
  gst_cuda_conv_announce_backend(self, fallback);
  return TRUE;
}

void
gst_cuda_conv_close_backend(GstCudaConv *self) {
  replace_backend(self, NULL, &self->backend_config);
  GST_OBJECT_LOCK(self);
  GstObject *context = g_steal_pointer(&self->cuda_context);
  GST_OBJECT_UNLOCK(self);
  g_clear_object(&context);
}

/* --- contexts --- */

gboolean
gst_cuda_conv_takes_cuda(GstCudaConv *self) {
  CcBackendConfig config;
  cc_settings_get_backend(&self->settings, &config);
  GST_OBJECT_LOCK(self);
  const gboolean takes =
      self->backend ? self->backend->device != NULL : config.choice != CC_BACKEND_CPU;
  GST_OBJECT_UNLOCK(self);
  return takes && cc_cuda_memory_is_built();
}

/* Takes a context in place of the one before. */
static void
set_context(GstCudaConv *self, GstObject *context) {
  GST_OBJECT_LOCK(self);
  GstObject *old = self->cuda_context;
  self->cuda_context = context;
  GST_OBJECT_UNLOCK(self);
  g_clear_object(&old);
}

GstObject *
gst_cuda_conv_ref_context(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  CcDevice *device =
      self->backend && self->backend->device ? cc_device_ref(self->backend->device) : NULL;
  GstObject *context = self->cuda_context ? gst_object_ref(self->cuda_context) : NULL;
  GST_OBJECT_UNLOCK(self);
  if (device && context && cc_cuda_context_describe(context).handle != device->context)
    g_clear_object(&context);
  if (device && !context && (context = cc_cuda_context_of_device(device))) {
    set_context(self, gst_object_ref(context));
    cc_cuda_context_announce(GST_ELEMENT(self), context);
  }
  if (device)
    cc_device_unref(device);
  return context;
}

/* --- programs --- */

/* Makes a program for the same plan on another backend; TRUE when there is none to make. */
static gboolean
move_program(CcProgram **program, CcBackend *backend, GError **error) {
  if (!*program)
    return TRUE;
  CcProgram *moved = cc_backend_prepare(backend, (*program)->plan, error);
  if (!moved)
    return FALSE;
  cc_program_unref(*program);
  *program = moved;
  return TRUE;
}

/* Takes `backend` with everything that depends on it; closes it on failure. */
static gboolean
move_to_backend(GstCudaConv *self, CcBackend *backend, const CcBackendConfig *config,
                GError **error) {
  if (!move_program(&self->program, backend, error) ||
      !move_program(&self->next_program, backend, error)) {
    cc_inflight_clear(&self->inflight);
    g_clear_pointer(&self->program, cc_program_unref);
    g_clear_pointer(&self->next_program, cc_program_unref);
    cc_backend_close(backend);
    return FALSE;
  }
  replace_backend(self, backend, config);
  self->liveness_known = FALSE;
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
  return TRUE;
}

gboolean
gst_cuda_conv_follow_context(GstCudaConv *self, GstBuffer *in, GError **error) {
  GstObject *theirs = gst_buffer_n_memory(in) > 0
                          ? cc_cuda_memory_get_context(gst_buffer_peek_memory(in, 0))
                          : NULL;
  if (!theirs || !self->backend->device)
    return TRUE;
  const CcContext context = cc_cuda_context_describe(theirs);
  if (context.handle == self->backend->device->context)
    return TRUE;
  CcBackendConfig config = self->backend_config;
  if (config.device_id >= 0 && config.device_id != context.device_id)
    return TRUE; /* it is copied across */

  GST_INFO_OBJECT(self, "moving to the context of a frame, on device %d", context.device_id);
  gst_cuda_conv_drain(self);
  config.choice = CC_BACKEND_CUDA;
  config.context = &context;
  CcBackend *backend = cc_backend_open(&config, NULL, error);
  config.choice = self->backend_config.choice;
  if (!backend || !move_to_backend(self, backend, &config, error))
    return FALSE;
  set_context(self, gst_object_ref(theirs));
  gst_cuda_conv_announce_backend(self, NULL);
  return TRUE;
}

/* --- failover --- */

static gboolean
is_error_of_device(const GError *error) {
  return g_error_matches(error, CC_ERROR, CC_ERROR_DEVICE) ||
         g_error_matches(error, CC_ERROR, CC_ERROR_NO_MEMORY);
}

gboolean
gst_cuda_conv_fail_over(GstCudaConv *self, const GError *error) {
  CcBackendConfig config = self->backend_config;
  if (!self->backend->device || config.choice != CC_BACKEND_AUTO || !is_error_of_device(error))
    return FALSE;
  /* frames in CUDA memory still need its context */
  g_autoptr(GstObject) context =
      self->in_cuda || self->out_cuda ? gst_cuda_conv_ref_context(self) : NULL;
  g_autoptr(GError) reason = NULL;
  config.choice = CC_BACKEND_CPU;
  CcBackend *cpu = cc_backend_open(&config, NULL, &reason);
  config.choice = CC_BACKEND_AUTO;
  gboolean ok = cpu && cc_inflight_redo(&self->inflight, cpu, &reason);
  if (cpu && !ok)
    cc_backend_close(cpu);
  ok = ok && move_to_backend(self, cpu, &config, &reason);
  if (!ok) {
    GST_ERROR_OBJECT(self, "the CPU cannot take over: %s", reason->message);
    return FALSE;
  }
  GST_OBJECT_LOCK(self);
  self->n_failovers++;
  self->algorithm = self->program ? self->program->algorithm : NULL;
  GST_OBJECT_UNLOCK(self);
  gst_cuda_conv_warn_of_failover(self, error);
  gst_cuda_conv_announce_backend(self, error);
  /* upstream may have no reason any more to send pinned or CUDA memory */
  gst_base_transform_reconfigure_sink(GST_BASE_TRANSFORM(self));
  return TRUE;
}
