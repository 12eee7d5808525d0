/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backendcontrol.h"

#include "cudamemory.h"
#include "frameadapter.h"
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
  CcDevice *device = backend ? backend->device : NULL;
  GstAllocator *pinned = device ? cc_pinned_allocator_new(device) : NULL;
  const gboolean cuda_memory = device && cc_cuda_memory_works(device);
  GST_OBJECT_LOCK(self);
  CcBackend *old_backend = self->backend;
  GstAllocator *old_pinned = self->pinned;
  self->backend = backend;
  self->pinned = pinned;
  self->cuda_memory = cuda_memory;
  self->backend_config = *config;
  self->backend_config.context = NULL;
  GST_OBJECT_UNLOCK(self);
  g_clear_pointer(&old_backend, cc_backend_close);
  g_clear_object(&old_pinned);
}

static gboolean
knows_context(GstElement *element) {
  GstCudaConv *self = GST_CUDA_CONV(element);
  GST_OBJECT_LOCK(self);
  const gboolean knows = self->cuda_context != NULL;
  GST_OBJECT_UNLOCK(self);
  return knows;
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

  g_autoptr(GstObject) offered = NULL;
  if (config.choice != CC_BACKEND_CPU) {
    cc_cuda_context_ask(GST_ELEMENT(self), knows_context);
    GST_OBJECT_LOCK(self);
    offered = self->cuda_context ? gst_object_ref(self->cuda_context) : NULL;
    GST_OBJECT_UNLOCK(self);
  }
  if (offered) {
    context = cc_cuda_context_describe(offered);
    config.context = &context;
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
gst_cuda_conv_close_previous(GstCudaConv *self) {
  CcOpenBackend *previous = &self->previous;
  g_clear_pointer(&previous->program, cc_program_unref);
  g_clear_pointer(&previous->backend, cc_backend_close);
  gst_clear_object(&previous->pinned);
  g_clear_object(&previous->context);
}

void
gst_cuda_conv_close_backend(GstCudaConv *self) {
  gst_cuda_conv_close_previous(self);
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
  const gboolean takes = self->backend
                             ? self->cuda_memory
                             : cc_cuda_memory_is_built() && config.choice != CC_BACKEND_CPU;
  GST_OBJECT_UNLOCK(self);
  return takes;
}

gboolean
gst_cuda_conv_has_cuda(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  const gboolean in_caps = self->in_cuda || self->out_cuda;
  GST_OBJECT_UNLOCK(self);
  return in_caps || gst_cuda_conv_takes_cuda(self);
}

GstObject *
gst_cuda_conv_ref_context(GstCudaConv *self) {
  GST_OBJECT_LOCK(self);
  CcDevice *device =
      self->backend && self->backend->device ? cc_device_ref(self->backend->device) : NULL;
  GstObject *context = self->cuda_context ? gst_object_ref(self->cuda_context) : NULL;
  GST_OBJECT_UNLOCK(self);
  if (device && context && cc_cuda_context_handle(context) != device->context)
    g_clear_object(&context);
  if (device && !context && (context = cc_cuda_context_of_device(device))) {
    GstObject *old = NULL;
    GST_OBJECT_LOCK(self);
    if (self->backend && self->backend->device == device) { /* it may have moved meanwhile */
      old = self->cuda_context;
      self->cuda_context = gst_object_ref(context);
    }
    GST_OBJECT_UNLOCK(self);
    g_clear_object(&old);
    cc_cuda_context_announce(GST_ELEMENT(self), context);
  }
  if (device)
    cc_device_unref(device);
  return context;
}

/* --- programs --- */

/* Makes *to for the plan of `program` on another backend; NULL when there is no program. */
static gboolean
remake_program(CcProgram *program, CcBackend *backend, CcProgram **to, GError **error) {
  *to = program ? cc_backend_prepare(backend, program->plan, error) : NULL;
  return *to || !program;
}

/* The programs of a backend that is moved to. */
typedef struct {
  CcProgram *program, *next_program;
} Programs;

/* Makes both, or neither. `known` is a program of that backend, or NULL. */
static gboolean
remake_programs(GstCudaConv *self, CcBackend *backend, CcProgram *known, Programs *made,
                GError **error) {
  *made = (Programs){0};
  if (known && self->program && known->plan == self->program->plan)
    made->program = cc_program_ref(known);
  else if (!remake_program(self->program, backend, &made->program, error))
    return FALSE;
  if (remake_program(self->next_program, backend, &made->next_program, error))
    return TRUE;
  g_clear_pointer(&made->program, cc_program_unref);
  return FALSE;
}

/* Takes both in place of those before. */
static void
take_programs(GstCudaConv *self, const Programs *made) {
  g_clear_pointer(&self->program, cc_program_unref);
  g_clear_pointer(&self->next_program, cc_program_unref);
  self->program = made->program;
  self->next_program = made->next_program;
}

/* --- moving to another context --- */

/* Opens a backend in the context as the previous one. */
static gboolean
open_as_previous(GstCudaConv *self, GstObject *theirs, GError **error) {
  const CcContext context = cc_cuda_context_describe(theirs);
  CcBackendConfig config = self->backend_config;
  config.choice = CC_BACKEND_CUDA;
  config.context = &context;
  CcBackend *backend = cc_backend_open(&config, NULL, error);
  if (!backend)
    return FALSE;
  if (self->previous.backend && !self->contexts_told) {
    gst_cuda_conv_warn(self,
                       "Frames of more than two CUDA contexts come in turn, and the device is "
                       "opened anew whenever they change; elements that share a context "
                       "(GstContext gst.cuda.context) need not.");
    self->contexts_told = TRUE;
  }
  gst_cuda_conv_close_previous(self);
  self->previous = (CcOpenBackend){
      .backend = backend,
      .pinned = cc_pinned_allocator_new(backend->device),
      .context = gst_object_ref(theirs),
  };
  return TRUE;
}

/* Goes on with the previous backend; the one of now takes its place. Nothing changes on failure. */
static gboolean
change_places(GstCudaConv *self, GError **error) {
  CcOpenBackend next = self->previous;
  Programs made;
  if (!remake_programs(self, next.backend, next.program, &made, error))
    return FALSE;
  g_clear_pointer(&next.program, cc_program_unref);
  self->previous.program = self->program ? cc_program_ref(self->program) : NULL;
  take_programs(self, &made);
  GST_OBJECT_LOCK(self);
  self->previous.backend = self->backend;
  self->previous.pinned = self->pinned;
  self->previous.context = self->cuda_context;
  self->backend = next.backend;
  self->pinned = next.pinned;
  self->cuda_context = next.context;
  GST_OBJECT_UNLOCK(self);
  if (!self->previous.program) /* no frame has come there */
    gst_cuda_conv_close_previous(self);
  if (self->out_cuda) /* their pool is of the other context */
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
  return TRUE;
}

/* Whether the backend works in the context of this handle. */
static gboolean
is_in_context(const CcBackend *backend, gconstpointer handle) {
  return backend && backend->device && backend->device->context == handle;
}

gboolean
gst_cuda_conv_follow_context(GstCudaConv *self, GstBuffer *in, GError **error) {
  GstObject *theirs = self->backend->device ? cc_buffer_get_cuda_context(in) : NULL;
  if (!theirs || is_in_context(self->backend, cc_cuda_context_handle(theirs)))
    return TRUE;
  const CcContext context = cc_cuda_context_describe(theirs);
  const gint wanted_id = self->backend_config.device_id;
  if (wanted_id >= 0 && wanted_id != context.device_id) /* it is copied across */
    return TRUE;

  GST_INFO_OBJECT(self, "moving to the context of a frame, on device %d", context.device_id);
  gst_cuda_conv_drain(self);
  if (self->failed || !self->backend->device) /* it failed meanwhile */
    return TRUE;
  const gboolean known = is_in_context(self->previous.backend, context.handle);
  g_autoptr(GError) reason = NULL;
  if ((known || open_as_previous(self, theirs, &reason)) && change_places(self, &reason)) {
    if (!known)
      gst_cuda_conv_announce_backend(self, NULL);
    return TRUE;
  }
  reason->code = CC_ERROR_DEVICE; /* also where it was UNAVAILABLE, since others work there */
  if (gst_cuda_conv_fail_over(self, reason))
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
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
  Programs made;
  if (!cpu || !cc_inflight_redo(&self->inflight, cpu, &reason) ||
      !remake_programs(self, cpu, NULL, &made, &reason)) {
    g_clear_pointer(&cpu, cc_backend_close);
    GST_ERROR_OBJECT(self, "the CPU cannot take over: %s", reason->message);
    return FALSE;
  }
  take_programs(self, &made);
  gst_cuda_conv_close_previous(self);
  replace_backend(self, cpu, &config);
  self->liveness_known = FALSE;
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
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
