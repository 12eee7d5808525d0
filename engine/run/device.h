/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A device with its own memory, and host memory that the device reads and writes directly. A device
 * is reference counted and may outlive the backends on it. All functions may be called from any
 * thread. */

#include <glib.h>

G_BEGIN_DECLS

/* A context that the caller of the engine owns, as an opaque handle (a CUcontext). */
typedef struct {
  gpointer handle;
  gint device_id;
  /* The owner keeps the context alive: keep(owner) returns a reference, release(reference) drops
   * it. */
  gpointer owner;
  gpointer (*keep)(gpointer owner);
  void (*release)(gpointer reference);
} CcContext;

typedef struct _CcDevice CcDevice;

typedef struct {
  void (*ref)(CcDevice *self);
  void (*unref)(CcDevice *self);
  gpointer (*alloc_pinned)(CcDevice *self, gsize bytes, GError **error);
  void (*free_pinned)(CcDevice *self, gpointer memory);
  gboolean (*pin)(CcDevice *self, gpointer memory, gsize bytes, GError **error);
  void (*unpin)(CcDevice *self, gpointer memory);
  gboolean (*probe)(CcDevice *self, GError **error);
  gsize (*free_bytes)(CcDevice *self);
} CcDeviceClass;

struct _CcDevice {
  const CcDeviceClass *klass;
  gpointer context; /* handle of the context that all backends on the device use */
  gint id;
};

static inline CcDevice *
cc_device_ref(CcDevice *self) {
  self->klass->ref(self);
  return self;
}

static inline void
cc_device_unref(CcDevice *self) {
  self->klass->unref(self);
}

/* Allocates page-locked memory of `bytes` > 0 that starts on a page of its own. The content is
 * undefined. Every device may access the memory directly. */
static inline gpointer
cc_device_alloc_pinned(CcDevice *self, gsize bytes, GError **error) {
  return self->klass->alloc_pinned(self, bytes, error);
}

static inline void
cc_device_free_pinned(CcDevice *self, gpointer memory) {
  self->klass->free_pinned(self, memory);
}

/* Page-locks existing memory until cc_device_unpin, which must be called before the memory is
 * freed. CC_ERROR_DEVICE if the system refuses the memory, for example read-only memory, device
 * memory or pages that are locked already. */
static inline gboolean
cc_device_pin(CcDevice *self, gpointer memory, gsize bytes, GError **error) {
  return self->klass->pin(self, memory, bytes, error);
}

static inline void
cc_device_unpin(CcDevice *self, gpointer memory) {
  self->klass->unpin(self, memory);
}

/* Whether initialising the device's driver would succeed now, for example for another library in
 * this process. */
static inline gboolean
cc_device_probe(CcDevice *self, GError **error) {
  return self->klass->probe(self, error);
}

/* Free memory of the device, in bytes; G_MAXSIZE if the driver does not report it. */
static inline gsize
cc_device_free_bytes(CcDevice *self) {
  return self->klass->free_bytes(self);
}

G_END_DECLS
