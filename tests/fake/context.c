/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contexts, the current context of each thread, and the context of each handle. */

#include "fake.h"

#define MAX_DEVICES 8

/* Contexts are never freed, so that their use after the end is detected. */
static GPtrArray *contexts;
static struct CUctx_st primary[MAX_DEVICES];
static GHashTable *objects[FAKE_N_KINDS];

static const gchar *const kind_names[FAKE_N_KINDS] = {"stream", "event", "module", "function"};

/* --- the stack of contexts of a thread; the last one is current --- */

static GPrivate stacks = G_PRIVATE_INIT((GDestroyNotify)g_ptr_array_unref);

static GPtrArray *
stack(void) {
  GPtrArray *contexts_here = g_private_get(&stacks);
  if (!contexts_here) {
    contexts_here = g_ptr_array_new();
    g_private_set(&stacks, contexts_here);
  }
  return contexts_here;
}

static CUcontext
find_current(void) {
  GPtrArray *here = stack();
  return here->len ? here->pdata[here->len - 1] : NULL;
}

CUcontext
fake_current(const gchar *call) {
  CUcontext context = find_current();
  if (!context)
    g_error("fake CUDA: %s: no context is current", call);
  fake_check_context(call, context);
  return context;
}

void
fake_need_context(const gchar *call) {
  if (!fake_refused_push())
    fake_current(call);
}

void
fake_check_context(const gchar *call, CUcontext context) {
  g_rec_mutex_lock(&fake_lock);
  const gboolean alive = context->refs > 0;
  g_rec_mutex_unlock(&fake_lock);
  if (!alive)
    g_error("fake CUDA: %s: context %p is destroyed", call, (gpointer)context);
}

EXPORT CUresult
cuCtxPushCurrent(CUcontext context) {
  ENTER("cuCtxPushCurrent");
  fake_check_context("cuCtxPushCurrent", context);
  g_ptr_array_add(stack(), context);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxPopCurrent(CUcontext *context) {
  CUcontext popped = find_current();
  if (popped)
    g_ptr_array_set_size(stack(), (gint)stack()->len - 1);
  else if (!fake_refused_push())
    g_error("fake CUDA: cuCtxPopCurrent: no context is current");
  if (context)
    *context = popped;
  ENTER("cuCtxPopCurrent");
  return popped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult
cuCtxGetCurrent(CUcontext *context) {
  ENTER("cuCtxGetCurrent");
  *context = find_current();
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxSetCurrent(CUcontext context) {
  ENTER("cuCtxSetCurrent");
  if (stack()->len)
    g_ptr_array_set_size(stack(), (gint)stack()->len - 1);
  if (context) {
    fake_check_context("cuCtxSetCurrent", context);
    g_ptr_array_add(stack(), context);
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxGetDevice(CUdevice *device) {
  ENTER("cuCtxGetDevice");
  *device = fake_current("cuCtxGetDevice")->device;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxSynchronize(void) {
  fake_need_context("cuCtxSynchronize");
  if (find_current())
    fake_run_context(find_current());
  return fake_enter("cuCtxSynchronize");
}

/* --- contexts --- */

/* Adds a reference. The first one makes the context alive. */
static void
add_reference(CUcontext context, gint device) {
  g_rec_mutex_lock(&fake_lock);
  if (!contexts)
    contexts = g_ptr_array_new();
  if (context->refs++ == 0) {
    context->device = device;
    if (!context->default_stream) {
      context->default_stream = fake_stream_new_default(context);
      context->peers = g_ptr_array_new();
      g_ptr_array_add(contexts, context);
    }
  }
  g_rec_mutex_unlock(&fake_lock);
}

/* Drops a reference. The last one ends the context, after running its work. */
static void
drop_reference(const gchar *call, CUcontext context) {
  g_rec_mutex_lock(&fake_lock);
  fake_check_context(call, context);
  if (context->refs == 1) {
    fake_run_context(context);
    g_ptr_array_set_size(context->peers, 0);
  }
  context->refs--;
  g_rec_mutex_unlock(&fake_lock);
}

static gboolean
is_device(CUdevice device) {
  return device >= 0 && device < MIN(fake_settings()->devices, MAX_DEVICES);
}

EXPORT CUresult
cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER("cuDevicePrimaryCtxRetain");
  if (!is_device(device))
    return CUDA_ERROR_INVALID_DEVICE;
  *context = &primary[device];
  add_reference(*context, device);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuDevicePrimaryCtxRelease(CUdevice device) {
  g_assert_true(is_device(device));
  drop_reference("cuDevicePrimaryCtxRelease", &primary[device]);
  return fake_enter("cuDevicePrimaryCtxRelease");
}

/* The name that GStreamer and toolkits before 13 use. The headers of toolkit 13 use another one. */
EXPORT CUresult fake_create_context(CUcontext *context, unsigned flags,
                                    CUdevice device) __asm__("cuCtxCreate_v2");

CUresult
fake_create_context(CUcontext *context, unsigned flags, CUdevice device) {
  ENTER("cuCtxCreate");
  if (!is_device(device))
    return CUDA_ERROR_INVALID_DEVICE;
  *context = g_new0(struct CUctx_st, 1);
  add_reference(*context, device);
  g_ptr_array_add(stack(), *context);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxDestroy(CUcontext context) {
  for (guint i = 0; i < MAX_DEVICES; i++)
    if (context == &primary[i])
      g_error("fake CUDA: cuCtxDestroy: of a primary context");
  drop_reference("cuCtxDestroy", context);
  if (find_current() == context)
    g_ptr_array_set_size(stack(), (gint)stack()->len - 1);
  return fake_enter("cuCtxDestroy");
}

guint
fake_count_contexts(void) {
  guint n = 0;
  for (guint i = 0; contexts && i < contexts->len; i++)
    n += (guint)((CUcontext)contexts->pdata[i])->refs;
  return n;
}

/* --- peers --- */

EXPORT CUresult
cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  ENTER("cuCtxEnablePeerAccess");
  CUcontext context = fake_current("cuCtxEnablePeerAccess");
  fake_check_context("cuCtxEnablePeerAccess", peer);
  if (peer == context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!fake_settings()->peer || peer->device == context->device)
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  if (g_ptr_array_find(context->peers, peer, NULL))
    return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  g_ptr_array_add(context->peers, peer);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuCtxDisablePeerAccess(CUcontext peer) {
  fake_need_context("cuCtxDisablePeerAccess");
  CUcontext context = find_current();
  const gboolean was = context && g_ptr_array_remove(context->peers, peer);
  ENTER("cuCtxDisablePeerAccess");
  return was ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

/* --- objects of contexts --- */

void
fake_add_object(const gchar *call, FakeObject *object, FakeKind kind) {
  object->kind = kind;
  object->context = fake_current(call);
  g_rec_mutex_lock(&fake_lock);
  if (!objects[kind])
    objects[kind] = g_hash_table_new(NULL, NULL);
  g_hash_table_add(objects[kind], object);
  g_rec_mutex_unlock(&fake_lock);
}

void
fake_remove_object(const gchar *call, FakeObject *object, FakeKind kind) {
  fake_check_object(call, object, kind);
  g_rec_mutex_lock(&fake_lock);
  g_hash_table_remove(objects[kind], object);
  g_rec_mutex_unlock(&fake_lock);
}

void
fake_check_object(const gchar *call, const FakeObject *object, FakeKind kind) {
  g_rec_mutex_lock(&fake_lock);
  const gboolean known = objects[kind] && g_hash_table_contains(objects[kind], object);
  g_rec_mutex_unlock(&fake_lock);
  if (!known)
    g_error("fake CUDA: %s: %p is no %s", call, (gconstpointer)object, kind_names[kind]);
  fake_check_context(call, object->context);
}

void
fake_check_own_object(const gchar *call, const FakeObject *object, FakeKind kind) {
  CUcontext context = fake_current(call);
  fake_check_object(call, object, kind);
  if (object->context != context)
    g_error("fake CUDA: %s: the %s is of context %p, current is %p", call, kind_names[kind],
            (gpointer)object->context, (gpointer)context);
}

guint
fake_count_objects(FakeKind kind) {
  return objects[kind] ? g_hash_table_size(objects[kind]) : 0;
}
