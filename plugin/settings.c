/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include <string.h>
#include "engine/error.h"
#include "enums.h"

/* How long a change waits for others to be complete: so many frames, and so many microseconds. */
#define PATIENCE_FRAMES 2
#define PATIENCE_US 50000

/* --- states --- */

/* For who holds the lock. */

static gboolean
chooses_kernel(const CcProperty *self) {
  return self->use == CC_USE_PIXELS && self->value_offset == offsetof(CcValues, kernel);
}

static void
assign(CcState *to, const CcState *from, guint i) {
  cc_property_assign(&cc_properties[i], &to->values, &from->values);
  to->stamp[i] = from->stamp[i];
  to->bound = (to->bound & ~cc_property_bit(i)) | (from->bound & cc_property_bit(i));
}

static void
assign_part(CcState *to, const CcState *from, CcPropertySet part) {
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_property_affects_pixels(&cc_properties[i]) && part & cc_property_bit(i))
      assign(to, from, i);
}

static void
assign_pixels(CcState *to, const CcState *from) {
  assign_part(to, from, ~(CcPropertySet)0);
}

/* The properties that affect pixels and differ. */
static CcPropertySet
compare(const CcState *a, const CcState *b) {
  CcPropertySet differing = 0;
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_property_affects_pixels(&cc_properties[i]) &&
        !cc_property_is_same(&cc_properties[i], &a->values, &b->values))
      differing |= cc_property_bit(i);
  return differing;
}

/* Whether that changed the filter. */
static gboolean
apply_pixels(const CcState *state, CcFilter *filter) {
  gboolean differs = FALSE;
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_properties[i].use == CC_USE_PIXELS)
      differs |= cc_property_apply(&cc_properties[i], &state->values, filter);
  return differs;
}

static void
note_set(CcSettings *self, CcState *state, guint i, gboolean bound) {
  state->stamp[i] = self->n_sets;
  state->bound = (state->bound & ~cc_property_bit(i)) | (bound ? cc_property_bit(i) : 0);
}

/* --- life --- */

void
cc_settings_init(CcSettings *self) {
  memset(self, 0, sizeof *self);
  g_rec_mutex_init(&self->defining);
  g_mutex_init(&self->lock);
  cc_values_init(&self->now.values);
  cc_values_init(&self->committed.values);
  cc_values_init(&self->taken.values);
  cc_values_init(&self->running.values);
  cc_settings_commit(self);
}

void
cc_settings_clear(CcSettings *self) {
  cc_filter_clear(&self->asked);
  g_clear_pointer(&self->complaints, g_ptr_array_unref);
  cc_values_clear(&self->now.values);
  cc_values_clear(&self->committed.values);
  cc_values_clear(&self->taken.values);
  cc_values_clear(&self->running.values);
  for (guint i = 0; i < cc_n_properties; i++)
    g_free(self->refusal[i]);
  g_mutex_clear(&self->lock);
  g_rec_mutex_clear(&self->defining);
}

/* --- commits --- */

/* The caller holds the lock. */
static void
commit(CcSettings *self) {
  assign_pixels(&self->committed, &self->now);
  self->serial += apply_pixels(&self->committed, &self->asked);
  self->changed = FALSE;
}

void
cc_settings_commit(CcSettings *self) {
  g_mutex_lock(&self->lock);
  commit(self);
  g_mutex_unlock(&self->lock);
}

guint64
cc_settings_count_sets(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint64 n_sets = self->n_sets;
  g_mutex_unlock(&self->lock);
  return n_sets;
}

gboolean
cc_settings_commit_as_of(CcSettings *self, guint64 n_sets) {
  g_mutex_lock(&self->lock);
  const gboolean same = self->n_sets == n_sets;
  if (same)
    commit(self);
  g_mutex_unlock(&self->lock);
  return same;
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

gboolean
cc_settings_is_controlling(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const gboolean controlling = self->controller == g_thread_self();
  g_mutex_unlock(&self->lock);
  return controlling;
}

/* --- start and stop --- */

static void
forget_refusal(CcSettings *self, guint i) {
  g_clear_pointer(&self->refusal[i], g_free);
}

/* Of each property that the definition of a kernel by `property`, or a named kernel (NULL), puts an
 * end to. A row or column is half of a kernel and leaves the other half as it is. */
static void
forget_definitions(CcSettings *self, const CcProperty *property) {
  for (guint i = 0; i < cc_n_properties; i++)
    if (cc_properties[i].use == CC_USE_DEFINITION &&
        !(property && cc_property_is_other_half(property, &cc_properties[i])))
      forget_refusal(self, i);
}

gboolean
cc_settings_remember_refusal(CcSettings *self, const CcProperty *property, const gchar *text) {
  const gsize i = (gsize)(property - cc_properties);
  g_mutex_lock(&self->lock);
  const gboolean remembers = !self->started && self->loader != g_thread_self();
  if (remembers) {
    g_free(self->refusal[i]);
    self->refusal[i] = g_strdup(text);
  }
  g_mutex_unlock(&self->lock);
  return remembers;
}

/* NULL: there is none. */
static gchar *
join_refusals(const CcSettings *self) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < cc_n_properties; i++)
    if (self->refusal[i])
      g_string_append_printf(text, "%s%s", text->len ? ". " : "", self->refusal[i]);
  return g_string_free(text, text->len == 0);
}

gboolean
cc_settings_start(CcSettings *self, GError **error) {
  g_mutex_lock(&self->lock);
  g_autofree gchar *refusals = join_refusals(self);
  self->started = !refusals;
  self->runs = FALSE;
  if (self->started)
    commit(self);
  g_mutex_unlock(&self->lock);
  if (refusals)
    g_set_error_literal(error, CC_ERROR, CC_ERROR_INVALID, refusals);
  return !refusals;
}

void
cc_settings_stop(CcSettings *self) {
  g_mutex_lock(&self->lock);
  self->started = self->runs = FALSE;
  g_mutex_unlock(&self->lock);
}

/* --- properties --- */

/* Where the values of this thread go. The caller holds one of the locks. */
static CcValues *
target_of(CcSettings *self) {
  return self->loader == g_thread_self() ? &self->preset : &self->now.values;
}

/* Notes that `by` defines the custom kernel anew, which selects it unless there is none any more.
 */
static void
note_definition(CcSettings *self, const CcProperty *by, gboolean selects) {
  self->n_sets++;
  forget_definitions(self, by);
  for (guint i = 0; i < cc_n_properties; i++) {
    const CcProperty *property = &cc_properties[i];
    if (property->use == CC_USE_DEFINITION || (selects && chooses_kernel(property)))
      note_set(self, &self->now, i, FALSE);
  }
  note_change(self);
}

static void
take_definition(CcSettings *self, CcValues *values, const CcProperty *by,
                const CcDefinition *next) {
  if (next->kernel == values->definition.kernel)
    return;
  cc_definition_assign(&values->definition, next);
  if (next->kernel)
    values->kernel = GST_CUDA_CONV_KERNEL_CUSTOM;
  if (values == &self->now.values)
    note_definition(self, by, next->kernel != NULL);
}

static gboolean
define(CcSettings *self, const CcProperty *property, const GValue *value, GError **error) {
  CcDefinition next;
  cc_definition_init(&next);
  g_rec_mutex_lock(&self->defining);
  CcValues *values = target_of(self);
  cc_definition_assign(&next, &values->definition);
  const gboolean ok = property->define(&next, value, error);
  if (ok) {
    g_mutex_lock(&self->lock);
    take_definition(self, values, property, &next);
    if (values == &self->now.values)
      forget_refusal(self, (guint)(property - cc_properties));
    g_mutex_unlock(&self->lock);
  }
  g_rec_mutex_unlock(&self->defining);
  cc_definition_clear(&next);
  return ok;
}

/* A value that the properties read from now on. */
static void
note_value(CcSettings *self, guint i) {
  const CcProperty *property = &cc_properties[i];
  const gboolean bound = self->controller == g_thread_self();
  self->n_sets++;
  note_set(self, &self->now, i, bound);
  forget_refusal(self, i);
  if (chooses_kernel(property) && self->now.values.kernel != GST_CUDA_CONV_KERNEL_CUSTOM)
    forget_definitions(self, NULL);
  if (property->use != CC_USE_PIXELS)
    return;
  if (bound) {
    assign(&self->committed, &self->now, i);
    self->serial += cc_property_apply(property, &self->committed.values, &self->asked);
  } else {
    note_change(self);
  }
}

static void
store(CcSettings *self, const CcProperty *property, const GValue *value) {
  g_mutex_lock(&self->lock);
  CcValues *values = target_of(self);
  cc_property_set(property, values, value);
  if (values == &self->now.values)
    note_value(self, (guint)(property - cc_properties));
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
  else if (cc_property_check(property, value, error))
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
  cc_property_get(property, &self->now.values, value);
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

/* The caller holds the lock. */
static void
take_preset(CcSettings *self) {
  cc_values_assign_pixels(&self->now.values, &self->preset);
  self->n_sets++;
  for (guint i = 0; i < cc_n_properties; i++) {
    if (cc_property_affects_pixels(&cc_properties[i]))
      note_set(self, &self->now, i, FALSE);
    forget_refusal(self, i);
  }
  note_change(self);
}

gboolean
cc_settings_end_preset(CcSettings *self, gboolean keep) {
  g_mutex_lock(&self->lock);
  const gboolean ok = keep && !self->preset_refused;
  if (ok)
    take_preset(self);
  cc_values_clear(&self->preset);
  self->loader = NULL;
  g_mutex_unlock(&self->lock);
  g_rec_mutex_unlock(&self->defining);
  return ok;
}

gboolean
cc_settings_keep_complaint(CcSettings *self, const gchar *text) {
  g_mutex_lock(&self->lock);
  const gboolean loads = self->loader == g_thread_self();
  if (loads && !self->complaints)
    self->complaints = g_ptr_array_new_with_free_func(g_free);
  if (loads)
    g_ptr_array_add(self->complaints, g_strdup(text));
  g_mutex_unlock(&self->lock);
  return loads;
}

GPtrArray *
cc_settings_take_complaints(CcSettings *self) {
  g_mutex_lock(&self->lock);
  GPtrArray *complaints = g_steal_pointer(&self->complaints);
  g_mutex_unlock(&self->lock);
  return complaints;
}

/* --- what is asked for, and what runs --- */

guint64
cc_settings_get_filter(CcSettings *self, CcFilter *filter) {
  g_mutex_lock(&self->lock);
  assign_pixels(&self->taken, &self->committed);
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

CcPropertySet
cc_settings_list_changes(CcSettings *self, CcPropertySet *bound) {
  g_mutex_lock(&self->lock);
  const CcPropertySet changes =
      self->runs ? compare(&self->taken, &self->running) : ~(CcPropertySet)0;
  *bound = changes & self->taken.bound;
  g_mutex_unlock(&self->lock);
  return changes;
}

void
cc_settings_get_part(CcSettings *self, CcPropertySet part, CcFilter *filter) {
  CcState mixed = {0};
  cc_values_init(&mixed.values);
  g_mutex_lock(&self->lock);
  assign_pixels(&mixed, &self->running);
  assign_part(&mixed, &self->taken, part);
  g_mutex_unlock(&self->lock);
  *filter = (CcFilter){0};
  apply_pixels(&mixed, filter);
  cc_values_clear(&mixed.values);
}

void
cc_settings_accept(CcSettings *self, CcPropertySet part) {
  g_mutex_lock(&self->lock);
  assign_part(&self->running, &self->taken, part);
  self->runs = TRUE;
  g_mutex_unlock(&self->lock);
}

/* Where the property still has the value that was taken, it gets back the one that runs. */
static gboolean
put_back(CcSettings *self, CcState *state, guint i) {
  if (state->stamp[i] != self->taken.stamp[i])
    return FALSE;
  cc_property_assign(&cc_properties[i], &state->values, &self->running.values);
  note_set(self, state, i, FALSE);
  return TRUE;
}

CcPropertySet
cc_settings_put_back(CcSettings *self, guint64 *serial) {
  CcPropertySet done = 0;
  g_mutex_lock(&self->lock);
  const CcPropertySet refused = compare(&self->taken, &self->running);
  self->n_sets++;
  for (guint i = 0; i < cc_n_properties; i++) {
    if (!(refused & cc_property_bit(i)))
      continue;
    if (put_back(self, &self->now, i))
      done |= cc_property_bit(i);
    put_back(self, &self->committed, i);
  }
  self->serial += apply_pixels(&self->committed, &self->asked);
  *serial = compare(&self->committed, &self->running) ? 0 : self->serial;
  g_mutex_unlock(&self->lock);
  return done;
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
  *config = self->now.values.backend;
  g_mutex_unlock(&self->lock);
}

guint
cc_settings_get_in_flight(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint in_flight = self->now.values.in_flight;
  g_mutex_unlock(&self->lock);
  return in_flight;
}

void
cc_filter_clear(CcFilter *self) {
  g_clear_pointer(&self->kernel, cc_kernel_unref);
  *self = (CcFilter){0};
}
