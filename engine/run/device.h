/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A device with memory of its own, and host memory that it reads and writes directly. A device
 * lives as long as somebody refers to it, longer than the backends on it. All functions are for any
 * thread. */

#include <glib.h>

G_BEGIN_DECLS

/* A context that belongs to somebody else, as an opaque handle (a CUcontext). */
typedef struct {
  gpointer handle;
  gint device_id; /* what it is a context of */
  /* who keeps it alive: keep(owner) returns a reference and release(reference) gives it back */
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
  gpointer context; /* handle of the context that all backends on the device work in */
  gint id;          /* number of the device */
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

/* Page-locked memory of `bytes` > 0, on a page of its own; what is in it is undefined. Every device
 * may read and write it directly. */
static inline gpointer
cc_device_alloc_pinned(CcDevice *self, gsize bytes, GError **error) {
  return self->klass->alloc_pinned(self, bytes, error);
}

static inline void
cc_device_free_pinned(CcDevice *self, gpointer memory) {
  self->klass->free_pinned(self, memory);
}

/* Page-locks memory where it is, until cc_device_unpin, which has to come before it is freed.
 * CC_ERROR_DEVICE when the system does not allow it: read-only memory, memory of a device, pages
 * that are locked already. */
static inline gboolean
cc_device_pin(CcDevice *self, gpointer memory, gsize bytes, GError **error) {
  return self->klass->pin(self, memory, bytes, error);
}

static inline void
cc_device_unpin(CcDevice *self, gpointer memory) {
  self->klass->unpin(self, memory);
}

/* Whether the device's driver would start now, for somebody else who needs it. */
static inline gboolean
cc_device_probe(CcDevice *self, GError **error) {
  return self->klass->probe(self, error);
}

/* Memory of the device that nobody has, in bytes; G_MAXSIZE when the driver does not tell. */
static inline gsize
cc_device_free_bytes(CcDevice *self) {
  return self->klass->free_bytes(self);
}

G_END_DECLS
