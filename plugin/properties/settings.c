/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include <string.h>
#include "backends.h"

#define MAX_PENDING_US 50000

#define MAX_INTERVAL 1e6 /* seconds */

#define DEVICE(field) .offset = offsetof(CcDeviceOptions, field)
#define INT(from, to, otherwise)                                                                   \
  .type = CC_OPTION_INT, .min = (from), .max = (to), .fallback = (otherwise)

static const CcOption device_options[] = {
    /**
     * backend:
     *
     * Where frames are filtered; the pixels are the same. The backend is opened when the element
     * goes to READY, and again at the next start if this property changed. The element message
     * `cudaconv-backend` has the backend, its device and the reason.
     */
    {"backend", "Backend", "Where frames are filtered", DEVICE(backend.choice),
     .type = CC_OPTION_CHOICE, .choices = cc_backend_choices, .default_choice = "auto"},

    /**
     * cuda-device-id:
     *
     * Number of the CUDA device. -1, the default, takes the least busy device that works, unless
     * the application or a neighbouring element offers a CUDA context.
     */
    {"cuda-device-id", "CUDA device ID", "CUDA device to use (-1 = the least busy)",
     DEVICE(backend.device_id), INT(-1, G_MAXINT, -1)},

    /**
     * n-threads:
     *
     * The maximum number of threads that the CPU backend uses for a frame, including the streaming
     * thread. 0, the default, is one per core, at most 256. All elements of a process share the
     * cores: threads other than the streaming thread help only while a core is free. Small frames
     * use fewer threads.
     */
    {"n-threads", "Threads", "Threads of the CPU backend (0 = one per core)",
     DEVICE(backend.n_threads), INT(0, CC_MAX_THREADS, 0)},

    /**
     * in-flight:
     *
     * How many frames the GPU works on at once. With more than one, transfers overlap with
     * computation, and each frame is delayed by the others. 0, the default, is automatic: 1 in a
     * live pipeline, which adds no latency, 2 if frames come and leave in CUDA memory, else 3. It
     * is always 1 on the CPU, and in a live pipeline whose caps have no fixed frame rate
     * (framerate=0/1), because no latency could be reported for held frames.
     */
    {"in-flight", "In flight",
     "Frames on the GPU at once (0 = automatic: 1 when live, else 2 or 3)", DEVICE(in_flight),
     INT(0, CC_MAX_SUBMISSIONS, 0)},

    /**
     * measure-interval:
     *
     * The time between two element messages `cudaconv-measure`, if `measure` is not off. The time
     * is that of the frames, not of a clock. A frame less than the interval after the frame of the
     * last message posts none. 0 posts a message for each frame. A frame without a valid running
     * time always posts one. After a flush, and if the time of the frames goes back, the next frame
     * posts a message. Every measured buffer has the meta `cudaconv-measure`, whatever the interval
     * is.
     */
    {"measure-interval", "Measure interval",
     "Time between two messages with figures of measure (0 = one for each frame)",
     DEVICE(measure_interval), .type = CC_OPTION_DOUBLE, .max = MAX_INTERVAL, .fallback = 0.1,
     .unit = "second"},
};

const CcOption *
cc_settings_option(guint i) {
  if (i < cc_n_options)
    return &cc_options[i];
  return i - cc_n_options < G_N_ELEMENTS(device_options) ? &device_options[i - cc_n_options] : NULL;
}

gboolean
cc_settings_is_mutable(guint i) {
  return i < cc_n_options ||
         cc_settings_option(i)->offset == offsetof(CcDeviceOptions, measure_interval);
}

void
cc_settings_init(CcSettings *self) {
  memset(self, 0, sizeof *self);
  g_mutex_init(&self->lock);
  cc_options_init(&self->staged);
  cc_options_init(&self->committed);
  self->serial = 1;
  for (guint i = 0; i < G_N_ELEMENTS(device_options); i++) {
    const CcOptionValue value = cc_option_default(&device_options[i]);
    cc_option_store(&device_options[i], &self->device, &value);
  }
}

void
cc_settings_clear(CcSettings *self) {
  cc_options_clear(&self->staged);
  cc_options_clear(&self->committed);
  for (guint i = 0; i < CC_MAX_OPTIONS; i++)
    g_free(self->refusal[i]);
  g_mutex_clear(&self->lock);
}

/* --- commits --- */

/* Options that define the custom kernel are committed together. The caller holds the lock. */
static void
commit(CcSettings *self, CcOptionSet set) {
  const CcOptionSet definitions = cc_option_bit(CC_N_DEFINITIONS) - 1;
  if (set & definitions)
    set |= definitions;
  const CcOptionSet changed = cc_options_compare(&self->committed, &self->staged) & set;
  cc_options_assign(&self->committed, &self->staged, changed);
  self->serial += changed != 0;
  self->pending &= ~set;
}

void
cc_settings_commit(CcSettings *self, CcOptionSet set) {
  g_mutex_lock(&self->lock);
  commit(self, set);
  g_mutex_unlock(&self->lock);
}

void
cc_settings_commit_overdue(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const gint64 due = self->pending ? g_get_monotonic_time() - MAX_PENDING_US : 0;
  gboolean overdue = FALSE;
  for (guint i = 0; self->pending && i < cc_n_options; i++)
    overdue |= self->pending & cc_option_bit(i) && self->set_at[i] <= due;
  if (overdue)
    commit(self, CC_ALL_OPTIONS);
  g_mutex_unlock(&self->lock);
}

/* An option that is already pending keeps its earlier time. The caller holds the lock. */
static void
add_pending(CcSettings *self, CcOptionSet set) {
  const gint64 now = g_get_monotonic_time();
  for (guint i = 0; i < cc_n_options; i++)
    if (set & ~self->pending & cc_option_bit(i))
      self->set_at[i] = now;
  self->pending |= set;
  self->fresh |= set;
}

/* --- start and stop --- */

/* Clears the refusals of all options that define the custom kernel, except the refusal of option
 * `kept`. The caller holds the lock. */
static void
forget_definitions(CcSettings *self, guint kept) {
  for (guint i = 0; i < CC_N_DEFINITIONS; i++)
    if (i != kept)
      g_clear_pointer(&self->refusal[i], g_free);
}

gboolean
cc_settings_remember_refusal(CcSettings *self, guint i, const gchar *text) {
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
  for (guint i = 0; i < CC_MAX_OPTIONS; i++)
    if (self->refusal[i])
      g_string_append_printf(refusals, "%s%s", refusals->len ? ". " : "", self->refusal[i]);
  self->started = refusals->len == 0;
  if (self->started)
    commit(self, CC_ALL_OPTIONS);
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

/* The lock is not held while the custom kernel is made, because its definition may be read from a
 * file. If another thread defined a custom kernel in the meantime, starts again, because a row or a
 * column is combined with the existing definition. */
static gboolean
define(CcSettings *self, guint i, const CcOptionValue *value, GError **error) {
  gboolean ok, again;
  do {
    g_auto(CcOptions) next = {0};
    g_autoptr(CcKernel) before = NULL;
    g_mutex_lock(&self->lock);
    cc_options_assign(&next, &self->staged, CC_ALL_OPTIONS);
    before = next.custom ? cc_kernel_ref(next.custom) : NULL;
    g_mutex_unlock(&self->lock);
    ok = cc_options_set(&next, i, value, error);
    g_mutex_lock(&self->lock);
    again = ok && self->staged.custom != before;
    if (ok && !again)
      g_clear_pointer(&self->refusal[i], g_free);
    if (ok && !again && next.custom != before) {
      cc_options_assign(&self->staged, &next, cc_option_bit(i));
      if (next.custom)
        self->staged.kernel = CC_KERNEL_CUSTOM;
      forget_definitions(self, cc_option_other_half(i));
      /* all options that a definition changes */
      add_pending(self, cc_option_bit(CC_OPTION_KERNEL + 1) - 1);
    }
    g_mutex_unlock(&self->lock);
  } while (again);
  return ok;
}

gboolean
cc_settings_set(CcSettings *self, guint i, const CcOptionValue *value, GError **error) {
  const CcOption *option = cc_settings_option(i);
  if (i < CC_N_DEFINITIONS)
    return define(self, i, value, error);
  if (!cc_option_check(option, value, error))
    return FALSE;
  g_mutex_lock(&self->lock);
  g_clear_pointer(&self->refusal[i], g_free);
  if (i < cc_n_options) {
    cc_option_store(option, &self->staged, value);
    add_pending(self, cc_option_bit(i));
  } else {
    cc_option_store(option, &self->device, value);
  }
  if (i == CC_OPTION_KERNEL && value->whole != CC_KERNEL_CUSTOM)
    forget_definitions(self, CC_MAX_OPTIONS);
  g_mutex_unlock(&self->lock);
  return TRUE;
}

CcOptionValue
cc_settings_get(CcSettings *self, guint i) {
  g_mutex_lock(&self->lock);
  CcOptionValue value = i < cc_n_options ? cc_options_get(&self->staged, i)
                                         : cc_option_load(cc_settings_option(i), &self->device);
  value.text = g_strdup(value.text);
  g_mutex_unlock(&self->lock);
  return value;
}

void
cc_settings_load(CcSettings *self, const CcSettings *preset) {
  g_mutex_lock(&self->lock);
  cc_options_assign(&self->staged, &preset->staged, CC_ALL_OPTIONS);
  add_pending(self, cc_options_all());
  for (guint i = 0; i < CC_MAX_OPTIONS; i++)
    g_clear_pointer(&self->refusal[i], g_free);
  g_mutex_unlock(&self->lock);
}

/* --- for the streaming thread --- */

guint64
cc_settings_take(CcSettings *self, CcOptions *options) {
  g_mutex_lock(&self->lock);
  cc_options_assign(options, &self->committed, CC_ALL_OPTIONS);
  self->fresh = self->pending;
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

CcOptionSet
cc_settings_put_back(CcSettings *self, CcOptionSet refused, const CcOptions *running) {
  g_mutex_lock(&self->lock);
  const CcOptionSet committed_anew = self->fresh & ~self->pending;
  const CcOptionSet staged = refused & ~self->fresh;
  const CcOptionSet committed = refused & ~committed_anew;
  cc_options_assign(&self->staged, running, staged);
  cc_options_assign(&self->committed, running, committed);
  self->serial += committed != 0;
  g_mutex_unlock(&self->lock);
  return staged;
}

/* --- for any thread --- */

void
cc_settings_get_options(CcSettings *self, CcOptions *options) {
  g_mutex_lock(&self->lock);
  cc_options_assign(options, &self->committed, CC_ALL_OPTIONS);
  g_mutex_unlock(&self->lock);
}

guint
cc_settings_get_stride(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const guint stride = self->committed.filter.stride;
  g_mutex_unlock(&self->lock);
  return stride;
}

CcDeviceOptions
cc_settings_get_device(CcSettings *self) {
  g_mutex_lock(&self->lock);
  const CcDeviceOptions device = self->device;
  g_mutex_unlock(&self->lock);
  return device;
}
