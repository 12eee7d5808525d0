/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pinning.h"

#include <string.h>
#include <unistd.h>
#include "engine/error.h"

GST_DEBUG_CATEGORY_EXTERN(gst_cuda_conv_debug);
#define GST_CAT_DEFAULT gst_cuda_conv_debug

#define MEMORY_TYPE "CudaConvPinned"
#define MIN_BYTES ((gsize)64 << 10) /* smaller memory is not registered */

/* --- own memory --- */

typedef struct {
  GstMemory parent;
  CcDevice *device; /* NULL: this memory is a part of another memory */
  guint8 *data;     /* start of the whole memory */
} PinnedMemory;

typedef struct {
  GstAllocator parent;
  CcDevice *device; /* NULL: the allocator is closed; guarded by the object lock */
} CcPinnedAllocator;

typedef struct {
  GstAllocatorClass parent_class;
} CcPinnedAllocatorClass;

GType cc_pinned_allocator_get_type(void);
G_DEFINE_TYPE(CcPinnedAllocator, cc_pinned_allocator, GST_TYPE_ALLOCATOR)

static GstMemory *
new_memory(GstAllocator *allocator, GstMemory *whole, GstMemoryFlags flags, guint8 *data,
           gsize max_bytes, gsize align, gsize offset, gsize bytes) {
  PinnedMemory *memory = g_new0(PinnedMemory, 1);
  gst_memory_init(&memory->parent, flags, allocator, whole, max_bytes, align, offset, bytes);
  memory->data = data;
  return &memory->parent;
}

static CcDevice *
ref_device(GstAllocator *allocator) {
  CcPinnedAllocator *self = (CcPinnedAllocator *)allocator;
  GST_OBJECT_LOCK(self);
  CcDevice *device = self->device ? cc_device_ref(self->device) : NULL;
  GST_OBJECT_UNLOCK(self);
  return device;
}

/* Pinned memory begins on a page boundary, which satisfies every alignment up to a page. The sum of
 * the sizes is checked here, because GStreamer's own allocator does not check the sum. */
static GstMemory *
pinned_alloc(GstAllocator *allocator, gsize bytes, GstAllocationParams *params) {
  gsize max;
  g_autoptr(GError) error = NULL;
  guint8 *data = NULL;
  if (!g_size_checked_add(&max, bytes, params->prefix) ||
      !g_size_checked_add(&max, max, params->padding))
    return NULL;
  CcDevice *device = ref_device(allocator);
  if (!device)
    return gst_allocator_alloc(NULL, bytes, params);
  if (max > 0 && params->align < (gsize)sysconf(_SC_PAGESIZE))
    data = cc_device_alloc_pinned(device, max, &error);
  if (!data) {
    GST_WARNING_OBJECT(allocator, "%" G_GSIZE_FORMAT " bytes cannot be pinned: %s", bytes,
                       error ? error->message : "unsupported size or alignment");
    cc_device_unref(device);
    return gst_allocator_alloc(NULL, bytes, params);
  }
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset(data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset(data + params->prefix + bytes, 0, params->padding);
  GstMemory *memory =
      new_memory(allocator, NULL, params->flags, data, max, params->align, params->prefix, bytes);
  ((PinnedMemory *)memory)->device = device;
  return memory;
}

static void
pinned_free(GstAllocator *allocator, GstMemory *base) {
  PinnedMemory *memory = (PinnedMemory *)base;
  if (memory->device) {
    cc_device_free_pinned(memory->device, memory->data);
    cc_device_unref(memory->device);
  }
  g_free(memory);
}

static gpointer
pinned_map(GstMemory *memory, gsize max_bytes, GstMapFlags flags) {
  return ((PinnedMemory *)memory)->data;
}

static void
pinned_unmap(GstMemory *memory) {
}

static GstMemory *
pinned_share(GstMemory *memory, gssize offset, gssize size) {
  GstMemory *whole = memory->parent ? memory->parent : memory;
  const gsize bytes = size < 0 ? memory->size - (gsize)offset : (gsize)size;
  return new_memory(memory->allocator, whole,
                    GST_MINI_OBJECT_FLAGS(whole) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
                    ((PinnedMemory *)memory)->data, memory->maxsize, memory->align,
                    memory->offset + (gsize)offset, bytes);
}

static gboolean
pinned_is_span(GstMemory *first, GstMemory *second, gsize *offset) {
  if (offset)
    *offset = first->offset - first->parent->offset;
  return ((PinnedMemory *)first)->data + first->offset + first->size ==
         ((PinnedMemory *)second)->data + second->offset;
}

void
cc_pinned_allocator_close(GstAllocator *allocator) {
  CcPinnedAllocator *self = (CcPinnedAllocator *)allocator;
  GST_OBJECT_LOCK(self);
  CcDevice *device = g_steal_pointer(&self->device);
  GST_OBJECT_UNLOCK(self);
  if (device)
    cc_device_unref(device);
}

static void
cc_pinned_allocator_finalize(GObject *object) {
  cc_pinned_allocator_close(GST_ALLOCATOR(object));
  G_OBJECT_CLASS(cc_pinned_allocator_parent_class)->finalize(object);
}

static void
cc_pinned_allocator_class_init(CcPinnedAllocatorClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = cc_pinned_allocator_finalize;
  GST_ALLOCATOR_CLASS(klass)->alloc = pinned_alloc;
  GST_ALLOCATOR_CLASS(klass)->free = pinned_free;
}

static void
cc_pinned_allocator_init(CcPinnedAllocator *self) {
  GstAllocator *allocator = GST_ALLOCATOR(self);
  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map = pinned_map;
  allocator->mem_unmap = pinned_unmap;
  allocator->mem_share = pinned_share;
  allocator->mem_is_span = pinned_is_span;
}

GstAllocator *
cc_pinned_allocator_new(CcDevice *device) {
  CcPinnedAllocator *self = gst_object_ref_sink(g_object_new(cc_pinned_allocator_get_type(), NULL));
  self->device = cc_device_ref(device);
  return GST_ALLOCATOR(self);
}

/* --- memory of others --- */

/* The state of a memory from another allocator, attached to the memory as qdata. */
typedef struct {
  CcPinning state;
  /* Set only if the state is IN_PLACE, like `start` and `bytes`. */
  CcDevice *device;
  gpointer start;
  gsize bytes;
  /* Value of the global n_released at the last try; used only if the state is LIMIT or NO_MEMORY.
   */
  guint64 n_released;
} Registration;

static GMutex registrations_lock; /* guards registered_bytes, n_released and all Registrations */
static guint64 registered_bytes;
static guint64 n_released; /* number of registrations released since the process started */

guint64
cc_pinning_limit(void) {
  const gchar *text = g_getenv("CUDACONV_REGISTERED_LIMIT");
  if (text && *text)
    return g_ascii_strtoull(text, NULL, 10);
  return (guint64)sysconf(_SC_PHYS_PAGES) / 4 * (guint64)sysconf(_SC_PAGESIZE);
}

guint64
cc_pinning_registered_bytes(void) {
  g_mutex_lock(&registrations_lock);
  const guint64 bytes = registered_bytes;
  g_mutex_unlock(&registrations_lock);
  return bytes;
}

/* Called before the memory is freed. */
static void
registration_free(gpointer data) {
  Registration *self = data;
  if (self->state == CC_PINNING_IN_PLACE) {
    cc_device_unpin(self->device, self->start);
    cc_device_unref(self->device);
    g_mutex_lock(&registrations_lock);
    registered_bytes -= self->bytes;
    n_released++;
    g_mutex_unlock(&registrations_lock);
  }
  g_free(self);
}

/* The caller holds the lock. */
static CcPinning
try_to_register(Registration *self, gpointer start, gsize bytes, CcDevice *device) {
  g_autoptr(GError) error = NULL;
  self->n_released = n_released;
  const guint64 limit = cc_pinning_limit();
  if (bytes > limit || registered_bytes > limit - bytes)
    return CC_PINNING_LIMIT;
  if (!cc_device_pin(device, start, bytes, &error)) {
    GST_INFO("%" G_GSIZE_FORMAT " bytes at %p are not registered: %s", bytes, start,
             error->message);
    return g_error_matches(error, CC_ERROR, CC_ERROR_NO_MEMORY) ? CC_PINNING_NO_MEMORY
                                                                : CC_PINNING_REFUSED;
  }
  GST_DEBUG("registered %" G_GSIZE_FORMAT " bytes at %p", bytes, start);
  self->device = cc_device_ref(device);
  self->start = start;
  self->bytes = bytes;
  registered_bytes += bytes;
  return CC_PINNING_IN_PLACE;
}

/* Whether to try to register memory that was seen before. TRUE if registering was not tried yet.
 * Also TRUE if the last try failed because of the limit or for lack of memory, and other
 * registrations were released since then. The caller holds the lock. */
static gboolean
is_worth_a_try(const Registration *self) {
  const gboolean lacked_memory =
      self->state == CC_PINNING_LIMIT || self->state == CC_PINNING_NO_MEMORY;
  return self->state == CC_PINNING_FIRST || (lacked_memory && self->n_released != n_released);
}

CcPinning
cc_pinning_look_up(const GstMapInfo *map, CcDevice *device, gboolean may_pin) {
  static gsize quark;
  GstMemory *whole = map->memory;
  while (whole->parent)
    whole = whole->parent;
  if (gst_memory_is_type(whole, MEMORY_TYPE))
    return CC_PINNING_OWN;
  if (!gst_memory_is_type(whole, GST_ALLOCATOR_SYSMEM))
    return CC_PINNING_KIND;
  if (whole->maxsize < MIN_BYTES)
    return CC_PINNING_SMALL;

  if (g_once_init_enter(&quark))
    g_once_init_leave(&quark, g_quark_from_static_string("cudaconv-registration"));
  g_mutex_lock(&registrations_lock);
  Registration *self = gst_mini_object_get_qdata(GST_MINI_OBJECT(whole), (GQuark)quark);
  CcPinning state = self ? self->state : CC_PINNING_FIRST;
  if (!may_pin) {
    state = state == CC_PINNING_IN_PLACE ? state : CC_PINNING_REGION;
  } else if (!self) {
    self = g_new0(Registration, 1);
    self->state = state;
    gst_mini_object_set_qdata(GST_MINI_OBJECT(whole), (GQuark)quark, self, registration_free);
  } else if (is_worth_a_try(self)) {
    state = try_to_register(self, map->data - map->memory->offset, whole->maxsize, device);
    self->state = state;
  }
  g_mutex_unlock(&registrations_lock);
  return state;
}

/* --- description --- */

gboolean
cc_pinning_is_pinned(CcPinning pinning) {
  return pinning == CC_PINNING_OWN || pinning == CC_PINNING_IN_PLACE;
}

const gchar *
cc_pinning_describe(CcPinning pinning) {
  switch (pinning) {
  case CC_PINNING_OWN:
    return "pinned pool";
  case CC_PINNING_IN_PLACE:
    return "registered";
  case CC_PINNING_REGION:
    return "staged: regions only";
  case CC_PINNING_FIRST:
    return "staged: memory that has not been seen before";
  case CC_PINNING_SMALL:
    return "staged: too small to be registered";
  case CC_PINNING_KIND:
    return "staged: not plain system memory";
  case CC_PINNING_LIMIT:
    return "staged: the limit of registered memory is reached";
  case CC_PINNING_NO_MEMORY:
    return "staged: the driver has no memory to register more";
  case CC_PINNING_REFUSED:
    return "staged: the driver does not register this memory";
  }
  g_return_val_if_reached("");
}
