/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include <string.h>
#include "engine/error.h"
#include "enums.h"

#define MAX_PENDING_US 50000

void
cc_settings_init(CcSettings *self) {
  memset(self, 0, sizeof *self);
  g_mutex_init(&self->defining);
  g_mutex_init(&self->lock);
  cc_values_init(&self->staged);
  cc_values_init(&self->committed);
  self->serial = 1;
}

void
cc_settings_clear(CcSettings *self) {
  cc_values_clear(&self->staged);
  cc_values_clear(&self->committed);
  for (guint i = 0; i < cc_n_properties; i++)
    g_free(self->refusal[i]);
  g_mutex_clear(&self->lock);
  g_mutex_clear(&self->defining);
}

/* --- commits --- */

/* The caller holds the lock. */
static void
commit(CcSettings *self, CcPropertySet set) {
  const CcPropertySet changed = cc_values_compare(&self->committed, &self->staged) & set;
  cc_values_assign(&self->committed, &self->staged, changed);
  self->serial += changed != 0;
  self->pending &= ~set;
}

void
cc_settings_commit(CcSettings *self, CcPropertySet set) {
  g_mutex_lock(&self->lock);
  commit(self, set);
  g_mutex_unlock(&self->lock);
}

void
cc_settings_commit_overdue(CcSettings *self) {
  g_mutex_lock(&self->lock);
  if (self->pending && g_get_monotonic_time() - self->pending_since >= MAX_PENDING_US)
    commit(self, CC_ALL_PROPERTIES);
  g_mutex_unlock(&self->lock);
}

/* Notes that these have been staged. The caller holds the lock. */
static void
add_pending(CcSettings *self, CcPropertySet set) {
  if (!self->pending)
    self->pending_since = g_get_monotonic_time();
  self->pending |= set;
}

/* --- start and stop --- */

/* Forgets why definitions of the custom kernel were refused, after `by` has defined it or, if `by`
 * is NULL, a named kernel has been chosen. A row or column is half of a kernel and leaves the
 * reason of the other half. The caller holds the lock. */
static void
forget_definitions(CcSettings *self, const CcProperty *by) {
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_properties[i].use == CC_USE_DEFINITION &&
        !(by && cc_property_is_other_half(by, &cc_properties[i])))
      g_clear_pointer(&self->refusal[i], g_free);
}

gboolean
cc_settings_remember_refusal(CcSettings *self, const CcProperty *property, const gchar *text) {
  const guint i = cc_property_index(property);
  g_mutex_lock(&self->lock);
  const gboolean remembers = !self->started;
  if (remembers) {
    g_free(self->refusal[i]);
    self->refusal[i] = g_strdup(text);
  }
  g_mutex_unlock(&self->lock);
  return remembers;
}

gboolean
cc_settings_start(CcSettings *self, GError **error) {
  g_autoptr(GString) refusals = g_string_new(NULL);
  g_mutex_lock(&self->lock);
  for (guint i = 0; i < cc_n_properties; i++)
    if (self->refusal[i])
      g_string_append_printf(refusals, "%s%s", refusals->len ? ". " : "", self->refusal[i]);
  self->started = refusals->len == 0;
  if (self->started)
    commit(self, CC_ALL_PROPERTIES);
  g_mutex_unlock(&self->lock);
  if (refusals->len)
    g_set_error_literal(error, CC_ERROR, CC_ERROR_INVALID, refusals->str);
  return refusals->len == 0;
}

void
cc_settings_stop(CcSettings *self) {
  g_mutex_lock(&self->lock);
  self->started = FALSE;
  g_mutex_unlock(&self->lock);
}

/* --- properties --- */

/* Defines the custom kernel without the lock, since that may take long. */
static gboolean
define(CcSettings *self, const CcProperty *property, const GValue *value, GError **error) {
  CcDefinition next;
  cc_definition_init(&next);
  g_mutex_lock(&self->defining);
  g_mutex_lock(&self->lock);
  cc_definition_assign(&next, &self->staged.definition);
  g_mutex_unlock(&self->lock);
  const gboolean ok = property->define(&next, value, error);
  g_mutex_lock(&self->lock);
  if (ok) {
    g_clear_pointer(&self->refusal[cc_property_index(property)], g_free);
    if (next.kernel != self->staged.definition.kernel) {
      cc_definition_assign(&self->staged.definition, &next);
      if (next.kernel)
        self->staged.kernel = GST_CUDA_CONV_KERNEL_CUSTOM;
      forget_definitions(self, property);
      add_pending(self, cc_property_bit(cc_property_index(property)));
    }
  }
  g_mutex_unlock(&self->lock);
  g_mutex_unlock(&self->defining);
  cc_definition_clear(&next);
  return ok;
}

gboolean
cc_settings_set(CcSettings *self, const CcProperty *property, const GValue *value, GError **error) {
  const guint i = cc_property_index(property);
  if (property->use == CC_USE_DEFINITION)
    return define(self, property, value, error);
  if (!cc_property_check(property, value, error))
    return FALSE;
  g_mutex_lock(&self->lock);
  cc_property_set(property, &self->staged, value);
  g_clear_pointer(&self->refusal[i], g_free);
  if (property->use == CC_USE_PIXELS)
    add_pending(self, cc_property_bit(i));
  if (cc_property_chooses_kernel(property) && self->staged.kernel != GST_CUDA_CONV_KERNEL_CUSTOM)
    forget_definitions(self, NULL);
  g_mutex_unlock(&self->lock);
  return TRUE;
}

void
cc_settings_get(CcSettings *self, const CcProperty *property, GValue *value) {
  g_mutex_lock(&self->lock);
  cc_property_get(property, &self->staged, value);
  g_mutex_unlock(&self->lock);
}

void
cc_settings_load(CcSettings *self, const CcSettings *preset) {
  g_mutex_lock(&self->lock);
  cc_values_assign(&self->staged, &preset->staged, CC_ALL_PROPERTIES);
  add_pending(self, cc_properties_of_pixels());
  for (guint i = 0; i < cc_n_properties; i++)
    g_clear_pointer(&self->refusal[i], g_free);
  g_mutex_unlock(&self->lock);
}

/* --- for the streaming thread --- */

guint64
cc_settings_take(CcSettings *self, CcValues *values) {
  g_mutex_lock(&self->lock);
  cc_values_assign(values, &self->committed, CC_ALL_PROPERTIES);
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

CcPropertySet
cc_settings_put_back(CcSettings *self, CcPropertySet refused, const CcValues *tried,
                     const CcValues *running) {
  g_mutex_lock(&self->lock);
  const CcPropertySet staged = refused & ~cc_values_compare(&self->staged, tried);
  const CcPropertySet committed = refused & ~cc_values_compare(&self->committed, tried);
  cc_values_assign(&self->staged, running, staged);
  cc_values_assign(&self->committed, running, committed);
  self->serial += committed != 0;
  g_mutex_unlock(&self->lock);
  return staged;
}

/* --- for any thread --- */

void
cc_settings_get_filter(CcSettings *self, CcFilter *filter) {
  g_mutex_lock(&self->lock);
  cc_values_get_filter(&self->committed, filter);
  g_mutex_unlock(&self->lock);
}

guint
cc_settings_get_stride(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint stride = (guint)self->committed.stride;
  g_mutex_unlock(&self->lock);
  return stride;
}

void
cc_settings_get_backend(CcSettings *self, CcBackendConfig *config) {
  g_mutex_lock(&self->lock);
  *config = self->staged.backend;
  g_mutex_unlock(&self->lock);
}

guint
cc_settings_get_in_flight(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint in_flight = self->staged.in_flight;
  g_mutex_unlock(&self->lock);
  return in_flight;
}
