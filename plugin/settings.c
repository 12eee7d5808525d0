/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include <string.h>
#include "enums.h"

/* How long a change waits for others to be complete: so many frames, and so many microseconds. */
#define PATIENCE_FRAMES 2
#define PATIENCE_US 50000

void
cc_settings_init(CcSettings *self) {
  memset(self, 0, sizeof *self);
  g_rec_mutex_init(&self->defining);
  g_mutex_init(&self->lock);
  cc_values_init(&self->values);
  cc_settings_commit(self);
}

void
cc_settings_clear(CcSettings *self) {
  cc_filter_clear(&self->asked);
  cc_values_clear(&self->values);
  g_mutex_clear(&self->lock);
  g_rec_mutex_clear(&self->defining);
}

/* --- commits --- */

/* The caller holds the lock. */
static void
commit(CcSettings *self) {
  gboolean differs = FALSE;
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_properties[i].use == CC_USE_PIXELS)
      differs |= cc_property_apply(&cc_properties[i], &self->values, &self->asked);
  self->serial += differs;
  self->changed = FALSE;
}

void
cc_settings_commit(CcSettings *self) {
  g_mutex_lock(&self->lock);
  commit(self);
  g_mutex_unlock(&self->lock);
}

/* Notes that something was changed that affects pixels, which takes effect with a commit. The
 * caller holds the lock. */
static void
note_change(CcSettings *self) {
  if (!self->changed) {
    self->changed = TRUE;
    self->changed_at = g_get_monotonic_time();
    self->changed_frame = self->n_frames;
  }
}

void
cc_settings_begin_frame(CcSettings *self) {
  g_mutex_lock(&self->lock);
  if (self->changed && self->n_frames - self->changed_frame >= PATIENCE_FRAMES &&
      g_get_monotonic_time() - self->changed_at >= PATIENCE_US)
    commit(self);
  self->n_frames++;
  g_mutex_unlock(&self->lock);
}

static void
set_controller(CcSettings *self, GThread *controller) {
  g_mutex_lock(&self->lock);
  self->controller = controller;
  g_mutex_unlock(&self->lock);
}

void
cc_settings_begin_control(CcSettings *self) {
  set_controller(self, g_thread_self());
}

void
cc_settings_end_control(CcSettings *self) {
  set_controller(self, NULL);
}

/* --- properties --- */

/* Where the values of this thread go. The caller holds one of the locks. */
static CcValues *
target_of(CcSettings *self) {
  return self->loader == g_thread_self() ? &self->preset : &self->values;
}

static gboolean
define(CcSettings *self, const CcProperty *property, const GValue *value, GError **error) {
  CcDefinition next;
  cc_definition_init(&next);
  g_rec_mutex_lock(&self->defining);
  CcValues *values = target_of(self);
  cc_definition_assign(&next, &values->definition);
  const gboolean ok = property->define(&next, value, error);
  if (ok && next.kernel != values->definition.kernel) {
    g_mutex_lock(&self->lock);
    cc_definition_assign(&values->definition, &next);
    if (next.kernel)
      values->kernel = GST_CUDA_CONV_KERNEL_CUSTOM;
    if (values == &self->values)
      note_change(self);
    g_mutex_unlock(&self->lock);
  }
  g_rec_mutex_unlock(&self->defining);
  cc_definition_clear(&next);
  return ok;
}

static void
store(CcSettings *self, const CcProperty *property, const GValue *value) {
  g_mutex_lock(&self->lock);
  CcValues *values = target_of(self);
  cc_property_set(property, values, value);
  if (property->use == CC_USE_PIXELS && values == &self->values) {
    if (self->controller == g_thread_self())
      self->serial += cc_property_apply(property, values, &self->asked);
    else
      note_change(self);
  }
  g_mutex_unlock(&self->lock);
}

static void
note_refusal(CcSettings *self) {
  g_mutex_lock(&self->lock);
  if (self->loader == g_thread_self())
    self->preset_refused = TRUE;
  g_mutex_unlock(&self->lock);
}

gboolean
cc_settings_set(CcSettings *self, const CcProperty *property, const GValue *value, GError **error) {
  gboolean ok = TRUE;
  if (property->use == CC_USE_DEFINITION)
    ok = define(self, property, value, error);
  else if (!property->check || property->check(value, error))
    store(self, property, value);
  else
    ok = FALSE;
  if (!ok)
    note_refusal(self);
  return ok;
}

void
cc_settings_get(CcSettings *self, const CcProperty *property, GValue *value) {
  g_mutex_lock(&self->lock);
  cc_property_get(property, &self->values, value);
  g_mutex_unlock(&self->lock);
}

void
cc_settings_begin_preset(CcSettings *self) {
  g_rec_mutex_lock(&self->defining);
  g_mutex_lock(&self->lock);
  self->loader = g_thread_self();
  self->preset_refused = FALSE;
  cc_values_init(&self->preset);
  g_mutex_unlock(&self->lock);
}

gboolean
cc_settings_end_preset(CcSettings *self, gboolean keep) {
  g_mutex_lock(&self->lock);
  const gboolean ok = keep && !self->preset_refused;
  if (ok) {
    cc_values_assign_pixels(&self->values, &self->preset);
    note_change(self);
  }
  cc_values_clear(&self->preset);
  self->loader = NULL;
  g_mutex_unlock(&self->lock);
  g_rec_mutex_unlock(&self->defining);
  return ok;
}

/* --- what is asked for --- */

guint64
cc_settings_get_filter(CcSettings *self, CcFilter *filter) {
  g_mutex_lock(&self->lock);
  *filter = self->asked;
  if (filter->kernel)
    cc_kernel_ref(filter->kernel);
  const guint64 serial = self->serial;
  g_mutex_unlock(&self->lock);
  return serial;
}

guint64
cc_settings_get_serial(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint64 serial = self->serial;
  g_mutex_unlock(&self->lock);
  return serial;
}

guint
cc_settings_get_stride(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint stride = self->asked.stride;
  g_mutex_unlock(&self->lock);
  return stride;
}

void
cc_settings_get_backend(CcSettings *self, CcBackendConfig *config) {
  g_mutex_lock(&self->lock);
  *config = self->values.backend;
  g_mutex_unlock(&self->lock);
}

guint
cc_settings_get_in_flight(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint in_flight = self->values.in_flight;
  g_mutex_unlock(&self->lock);
  return in_flight;
}

void
cc_filter_clear(CcFilter *self) {
  g_clear_pointer(&self->kernel, cc_kernel_unref);
  *self = (CcFilter){0};
}
