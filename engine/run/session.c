/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session.h"

#include <string.h>
#include "engine/error.h"
#include "engine/plan/roi_sigma.h"

typedef struct {
  CcBackend *backend; /* NULL: none is open */
  CcProgram *program; /* program of the filter; NULL: none was made yet */
  /* Programs for parts of a frame. They are made when a frame needs them. NULL: not made yet. */
  CcProgram *outside;               /* what lies outside of all regions */
  CcProgram *blur[CC_N_ROI_SIGMAS]; /* the steps of roi-sigma */
} Engine;

typedef struct {
  CcSessionFrame *frame;
  CcPlan *plan;         /* plan of the filter */
  GArray *regions;      /* elements: CcRegion */
  GPtrArray *plans;     /* plan of each region; holds references */
  GPtrArray *programs;  /* program of each region; holds references; empty after the wait */
  gboolean has_outside; /* the first region is what lies outside of the regions of the frame */
  guint n_limited;      /* as in CcSessionStats */
  CcSubmitInfo info;
  CcSubmission *submission; /* NULL after it was waited for */
  gboolean mapped;
  CcTimes times;
  GError *failure; /* why filtering failed; NULL: it did not */
} Item;

struct _CcSession {
  CcOpenBackend open;
  CcSessionListener listener; /* or NULL */
  gpointer data;              /* argument of the listener */

  /* Used by the streaming thread. Members of `now` that other threads read are changed with the
   * lock held. */
  Engine now;
  CcBackendConfig config; /* as passed to cc_session_open, but without the context */
  CcFilter filter;        /* holds a reference to its kernel */
  GQueue in_flight;       /* Items, oldest first */
  GSList *contexts; /* handles of the contexts that this stream was filtered in, newest first */
  GError *failover, *no_failover; /* reasons of events that are not emitted yet; NULL: none */
  gboolean stays; /* contexts alternate, so the stream stays in the context of `now` */

  GMutex lock; /* guards the members below */
  guint max;   /* number of frames in flight that memory allows */
  CcSessionStats stats;
};

/* --- events --- */

static void
emit(CcSession *self, const CcSessionEvent *event) {
  if (self->listener)
    self->listener(self->data, event);
}

static void
emit_reason(CcSession *self, CcSessionEventKind kind, const gchar *reason) {
  emit(self, &(CcSessionEvent){.kind = kind, .reason = reason});
}

/* `context` and `fallback` become the context and the reason of the event; both may be NULL. */
static void
emit_backend(CcSession *self, const CcContext *context, const GError *fallback) {
  const CcBackend *backend = self->now.backend;
  emit(self, &(CcSessionEvent){.kind = CC_EVENT_BACKEND,
                               .reason = fallback ? fallback->message : NULL,
                               .chosen = self->config.choice != 0,
                               .backend = backend->klass->name,
                               .device = backend->device_name,
                               .device_id = backend->device_id,
                               .context = context});
}

static void
emit_program(CcSession *self) {
  const CcProgram *program = self->now.program;
  if (program)
    emit(self, &(CcSessionEvent){.kind = CC_EVENT_PROGRAM,
                                 .kernel = self->filter.kernel->name,
                                 .plan = self->stats.plan,
                                 .steps = program->steps});
}

/* --- counters --- */

void
cc_session_stats_clear(CcSessionStats *stats) {
  g_clear_pointer(&stats->device, g_free);
  g_clear_pointer(&stats->plan, g_free);
  g_clear_pointer(&stats->steps, g_strfreev);
}

void
cc_session_get_stats(CcSession *self, CcSessionStats *stats) {
  g_mutex_lock(&self->lock);
  *stats = self->stats;
  stats->device = g_strdup(self->stats.device);
  stats->plan = g_strdup(self->stats.plan);
  stats->steps = g_strdupv(self->stats.steps);
  const gsize kept = self->now.backend ? cc_backend_kept_bytes(self->now.backend) : 0;
  if (kept && self->now.backend->klass->has_device)
    stats->device_bytes = kept;
  else
    stats->scratch_bytes = kept;
  g_mutex_unlock(&self->lock);
}

/* The caller holds the lock. */
static void
describe_backend(CcSession *self) {
  const CcBackend *backend = self->now.backend;
  CcSessionStats *stats = &self->stats;
  stats->backend = backend ? backend->klass->name : "none";
  g_free(stats->device);
  stats->device = g_strdup(backend ? backend->device_name : "none");
  stats->device_id = backend ? backend->device_id : -1;
}

/* The larger side of the kernel; of the kernel for chroma only if nothing else is filtered. */
static guint
larger_side(const CcPlan *plan) {
  const CcOp *op = cc_plan_get_op(plan, FALSE);
  if (!op)
    op = cc_plan_get_op(plan, TRUE);
  return op ? MAX(op->width, op->height) : 0;
}

/* The caller holds the lock. Without a program the last description stays readable. */
static void
describe_program(CcSession *self, const CcProgram *program) {
  if (!program)
    return;
  g_free(self->stats.plan);
  self->stats.plan = cc_plan_describe(program->plan);
  g_strfreev(self->stats.steps);
  self->stats.steps = g_strdupv(program->steps);
  self->stats.size = larger_side(program->plan);
  self->stats.algorithm = program->algorithm;
}

static void
count_frame(CcSession *self, const Item *item) {
  g_mutex_lock(&self->lock);
  CcTimes *times = &self->stats.times;
  self->stats.n_frames++;
  self->stats.n_bytes += item->frame->bytes;
  self->stats.n_regions += item->regions->len - item->has_outside;
  self->stats.n_limited += item->n_limited;
  times->upload += item->times.upload;
  times->kernel += item->times.kernel;
  times->download += item->times.download;
  times->wait += item->times.wait;
  g_mutex_unlock(&self->lock);
}

/* --- one frame --- */

static gboolean
map_item(Item *item, CcDevice *device, GError **error) {
  CcSessionFrame *frame = item->frame;
  item->mapped = frame->klass->map(frame, item->plan, device, error);
  return item->mapped;
}

static void
unmap_item(Item *item) {
  if (item->mapped)
    item->frame->klass->unmap(item->frame);
  item->mapped = FALSE;
}

/* Submits the mapped frame to `backend`, which has the item's programs. */
static void
submit_item(Item *item, CcBackend *backend, GError **error) {
  const CcSessionFrame *frame = item->frame;
  CcSubmitInfo *info = &item->info;
  const gsize result_bytes = item->plan->result_bytes;
  info->src = frame->in;
  info->dst = frame->out;
  info->by_fields = frame->by_fields;
  info->in_place = frame->in_place;
  info->regions = &g_array_index(item->regions, CcRegion, 0);
  info->n_regions = item->regions->len;
  info->programs = (CcProgram *const *)item->programs->pdata;
  if (result_bytes && !info->results &&
      !(info->results = g_try_malloc_n(info->n_regions, result_bytes))) {
    g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY, "out of memory: results of %u regions",
                info->n_regions);
    return;
  }
  item->submission = cc_backend_submit(
      backend, g_ptr_array_index(item->programs, info->n_regions - 1), info, error);
}

/* Waits for the item on the first call. Later calls return the same result. */
static gboolean
finish_item(Item *item, GError **error) {
  CcSubmission *submission = g_steal_pointer(&item->submission);
  if (submission)
    cc_backend_wait(submission->program->backend, submission, &item->times, &item->failure);
  g_ptr_array_set_size(item->programs, 0);
  if (!item->failure)
    return TRUE;
  if (error)
    *error = g_error_copy(item->failure);
  return FALSE;
}

/* Unmaps the frame and returns it to the caller. */
static CcSessionFrame *
item_free(Item *item) {
  CcSessionFrame *frame = item->frame;
  unmap_item(item);
  cc_plan_unref(item->plan);
  g_array_unref(item->regions);
  g_ptr_array_unref(item->plans);
  g_ptr_array_unref(item->programs);
  g_free(item->info.results);
  g_clear_error(&item->failure);
  g_free(item);
  return frame;
}

/* Returns the program of `plan` in `programs`. If there is none, prepares it and adds it. */
static CcProgram *
find_or_prepare(CcBackend *backend, CcPlan *plan, GPtrArray *programs, GError **error) {
  for (guint i = 0; i < programs->len; i++) {
    CcProgram *program = g_ptr_array_index(programs, i);
    if (program->plan == plan)
      return program;
  }
  CcProgram *program = cc_backend_prepare(backend, plan, error);
  if (program)
    g_ptr_array_add(programs, program);
  return program;
}

/* Maps the frame again, as host memory, and filters it on `backend`, which has no device. A result
 * that has replaced its input in place is kept. If such a frame may be partly written, its error is
 * kept. `programs` has the programs that were made for other frames. */
static gboolean
redo_item(Item *item, CcBackend *backend, GPtrArray *programs, GError **error) {
  if (item->frame->in_place && (!item->failure || !cc_error_is_of_device(item->failure)))
    return TRUE;
  unmap_item(item);
  g_clear_error(&item->failure);
  for (guint i = 0; i < item->plans->len && !item->failure; i++) {
    CcProgram *program =
        find_or_prepare(backend, g_ptr_array_index(item->plans, i), programs, &item->failure);
    if (program)
      g_ptr_array_add(item->programs, cc_program_ref(program));
  }
  if (!item->failure && item->plans->len > 0 && map_item(item, NULL, &item->failure))
    submit_item(item, backend, &item->failure);
  const gboolean ok = finish_item(item, error);
  /* the frame counts as a frame of the device, which measured no times for it */
  item->times = (CcTimes){0};
  return ok;
}

/* --- frames in flight --- */

guint
cc_session_n_in_flight(const CcSession *self) {
  return self->in_flight.length;
}

static void
finish_all(CcSession *self) {
  for (GList *link = self->in_flight.head; link; link = link->next)
    finish_item(link->data, NULL);
}

/* Filters all frames in flight again from their inputs on `backend`, which has no device. Stops at
 * the first failure: the later frames then keep what the previous backend made of them. */
static gboolean
redo_all(CcSession *self, CcBackend *backend, GError **error) {
  g_autoptr(GPtrArray) programs = g_ptr_array_new_with_free_func((GDestroyNotify)cc_program_unref);
  gboolean ok = TRUE;
  finish_all(self);
  for (GList *link = self->in_flight.head; ok && link; link = link->next)
    ok = redo_item(link->data, backend, programs, error);
  return ok;
}

void
cc_session_clear(CcSession *self) {
  Item *item;
  while ((item = g_queue_pop_head(&self->in_flight))) {
    finish_item(item, NULL);
    CcSessionFrame *frame = item_free(item);
    frame->klass->free(frame);
  }
}

/* --- the backend --- */

static void
clear_programs(Engine *engine) {
  g_clear_pointer(&engine->program, cc_program_unref);
  g_clear_pointer(&engine->outside, cc_program_unref);
  for (guint i = 0; i < CC_N_ROI_SIGMAS; i++)
    g_clear_pointer(&engine->blur[i], cc_program_unref);
}

static void
close_engine(Engine *engine) {
  clear_programs(engine);
  g_clear_pointer(&engine->backend, cc_backend_close);
}

static void
replace_engine(CcSession *self, Engine next) {
  g_mutex_lock(&self->lock);
  Engine before = self->now;
  self->now = next;
  describe_backend(self);
  describe_program(self, self->now.program);
  g_mutex_unlock(&self->lock);
  close_engine(&before);
}

static void
replace_program(CcSession *self, CcProgram *program) {
  g_mutex_lock(&self->lock);
  Engine before = self->now;
  self->now = (Engine){.backend = before.backend, .program = program};
  describe_program(self, self->now.program);
  g_mutex_unlock(&self->lock);
  clear_programs(&before);
}

gboolean
cc_session_is_open_as(const CcSession *self, const CcBackendConfig *config) {
  const CcBackendConfig *own = &self->config;
  return self->now.backend &&
         (!config || (config->choice == own->choice && config->device_id == own->device_id &&
                      config->n_threads == own->n_threads));
}

gboolean
cc_session_open(CcSession *self, const CcBackendConfig *config, GError **error) {
  g_autoptr(GError) fallback = NULL;
  if (cc_session_is_open_as(self, config))
    return TRUE;
  cc_session_close(self);
  CcBackend *backend = self->open(config, &fallback, error);
  if (!backend)
    return FALSE;
  self->config = *config;
  self->config.context = NULL;
  replace_engine(self, (Engine){.backend = backend});
  emit_backend(self, config->context, fallback);
  return TRUE;
}

CcDevice *
cc_session_get_device(const CcSession *self) {
  return self->now.backend ? self->now.backend->device : NULL;
}

guint
cc_session_capacity(CcSession *self) {
  g_mutex_lock(&self->lock);
  const guint capacity = self->now.backend ? MIN(self->now.backend->depth, self->max) : 1;
  g_mutex_unlock(&self->lock);
  return capacity;
}

void
cc_session_shrink(CcSession *self, const gchar *reason) {
  finish_all(self);
  cc_backend_trim(self->now.backend);
  g_mutex_lock(&self->lock);
  self->max = 1;
  g_mutex_unlock(&self->lock);
  emit_reason(self, CC_EVENT_SHRUNK, reason);
}

/* --- failover --- */

static gboolean
lacks_memory(const GError *error) {
  return g_error_matches(error, CC_ERROR, CC_ERROR_NO_MEMORY);
}

/* Prepares the current plan, if there is one, for another backend. */
static gboolean
remake_program(CcSession *self, Engine *engine, GError **error) {
  if (self->now.program)
    engine->program = cc_backend_prepare(engine->backend, self->now.program->plan, error);
  return engine->program || !self->now.program;
}

/* Continues with a backend without a device after a device error, if the configuration allows it.
 * The frames in flight are filtered again. FALSE: cc_error_is_of_device is FALSE for the error,
 * the backend has no device, the configuration names a backend, or no other backend works. */
static gboolean
fail_over(CcSession *self, const GError *error) {
  CcBackendConfig config = self->config;
  if (!self->now.backend->device || config.choice != 0 || !cc_error_is_of_device(error))
    return FALSE;
  g_autoptr(GError) reason = NULL;
  config.no_device = TRUE;
  Engine next = {.backend = self->open(&config, NULL, &reason)};
  if (!next.backend || !redo_all(self, next.backend, &reason) ||
      !remake_program(self, &next, &reason)) {
    close_engine(&next);
    g_clear_error(&self->no_failover);
    self->no_failover = g_steal_pointer(&reason);
    return FALSE;
  }
  replace_engine(self, next);
  g_mutex_lock(&self->lock);
  self->stats.n_failovers++;
  g_mutex_unlock(&self->lock);
  g_clear_error(&self->failover);
  self->failover = g_error_copy(error);
  return TRUE;
}

/* Emits the events of a failover and of the program that takes over. FALSE: there was no failover.
 * Must be called at the end of a function that may have failed over, because a listener may post
 * messages whose handlers use the session again. */
static gboolean
emit_failover(CcSession *self) {
  g_autoptr(GError) failover = g_steal_pointer(&self->failover);
  g_autoptr(GError) no_failover = g_steal_pointer(&self->no_failover);
  if (no_failover)
    emit_reason(self, CC_EVENT_NO_FAILOVER, no_failover->message);
  if (!failover)
    return FALSE;
  emit_reason(self, CC_EVENT_FAILOVER, failover->message);
  emit_backend(self, NULL, failover);
  emit_program(self);
  return TRUE;
}

gboolean
cc_session_give_up_device(CcSession *self, const gchar *reason, GError **error) {
  GError *failure = g_error_new_literal(CC_ERROR, CC_ERROR_NO_MEMORY, reason);
  const gboolean ok = fail_over(self, failure);
  if (ok)
    g_error_free(failure);
  else
    g_propagate_error(error, failure);
  emit_failover(self);
  return ok;
}

/* --- the filter --- */

typedef gboolean (*Attempt)(CcSession *self, gpointer data, GError **error);

/* Runs `try`. If memory runs out, runs `try` again with only one frame in flight. After a device
 * error, or if memory runs out again, runs `try` without the device. */
static gboolean
attempt(CcSession *self, Attempt try, gpointer data, GError **error) {
  g_autoptr(GError) reason = NULL;
  if (try(self, data, &reason))
    return TRUE;
  if (lacks_memory(reason)) {
    cc_session_shrink(self, reason->message);
    g_clear_error(&reason);
    if (try(self, data, &reason))
      return TRUE;
  }
  if (fail_over(self, reason)) {
    g_clear_error(&reason);
    if (try(self, data, &reason))
      return TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

static gboolean
use_plan(CcSession *self, gpointer plan, GError **error) {
  CcProgram *program = cc_backend_prepare(self->now.backend, plan, error);
  if (program)
    replace_program(self, program);
  return program != NULL;
}

gboolean
cc_session_set_filter(CcSession *self, const CcFilter *filter, const CcFrameLayout *layout,
                      GError **error) {
  CcProgram *now = self->now.program;
  CcFilter same = *filter; /* no program of the filter depends on these settings */
  same.fields = self->filter.fields;
  same.outside = self->filter.outside;
  same.roi_sigma = self->filter.roi_sigma;
  const gboolean stays = now && cc_filter_equal(&same, &self->filter) &&
                         cc_frame_layout_equal(layout, &now->plan->frame_layout);
  if (stays && !cc_filter_check_roi_sigma(filter, error))
    return FALSE;
  g_autoptr(CcPlan) plan = stays ? NULL : cc_plan_new(filter, layout, error);
  if (!stays && !plan)
    return FALSE;
  if (plan && !attempt(self, use_plan, plan, error)) {
    emit_failover(self);
    return FALSE;
  }
  if (filter->outside != self->filter.outside)
    g_clear_pointer(&self->now.outside, cc_program_unref);
  CcKernel *before = self->filter.kernel;
  self->filter = *filter;
  cc_kernel_ref(filter->kernel);
  g_clear_pointer(&before, cc_kernel_unref);
  if (!emit_failover(self) && !stays)
    emit_program(self);
  return TRUE;
}

const CcFilter *
cc_session_get_filter(const CcSession *self) {
  return &self->filter;
}

CcPlan *
cc_session_get_plan(const CcSession *self) {
  return self->now.program ? self->now.program->plan : NULL;
}

/* --- submit and take --- */

/* The program for what lies outside of all regions. */
static CcProgram *
get_outside(CcSession *self, GError **error) {
  Engine *now = &self->now;
  if (!now->outside) {
    g_autoptr(CcPlan) plan = cc_plan_new_outside(&self->filter, &now->program->plan->frame_layout);
    now->outside = cc_backend_prepare(now->backend, plan, error);
  }
  return now->outside;
}

/* The program for a region. The program that was made last is described in the counters. Sets
 * *limited as cc_roi_sigma_step does. */
static CcProgram *
get_program(CcSession *self, const CcRegion *region, gboolean *limited, GError **error) {
  Engine *now = &self->now;
  *limited = FALSE;
  if (!cc_filter_has_roi_sigma(&self->filter))
    return now->program;
  const guint step = cc_roi_sigma_step(&self->filter, region, limited);
  if (!now->blur[step]) {
    CcFilter blur;
    cc_roi_sigma_filter(&self->filter, step, &blur);
    g_autoptr(CcPlan) plan = cc_plan_new(&blur, &now->program->plan->frame_layout, error);
    now->blur[step] = plan ? cc_backend_prepare(now->backend, plan, error) : NULL;
    g_mutex_lock(&self->lock);
    describe_program(self, now->blur[step]);
    g_mutex_unlock(&self->lock);
  }
  return now->blur[step];
}

static gboolean
add_region(Item *item, const CcRegion *region, CcProgram *program) {
  if (!program)
    return FALSE;
  g_array_append_val(item->regions, *region);
  g_ptr_array_add(item->plans, cc_plan_ref(program->plan));
  g_ptr_array_add(item->programs, cc_program_ref(program));
  return TRUE;
}

/* Adds the regions of the frame to the item, and before them the region outside if it is needed. */
static gboolean
add_regions(CcSession *self, Item *item, GError **error) {
  const CcSessionFrame *frame = item->frame;
  const CcRegion whole = cc_frame_layout_region(&item->plan->frame_layout);
  const CcRegion *regions = frame->regions ? frame->regions : &whole;
  const guint n = frame->regions ? frame->n_regions : 1;
  item->has_outside = !frame->in_place;
  for (guint i = 0; i < n; i++)
    item->has_outside &= memcmp(&regions[i], &whole, sizeof whole) != 0;
  gboolean ok = !item->has_outside || add_region(item, &whole, get_outside(self, error));
  for (guint i = 0; i < n && ok; i++) {
    gboolean limited;
    ok = add_region(item, &regions[i], get_program(self, &regions[i], &limited, error));
    item->n_limited += limited;
  }
  return ok;
}

/* Tries once to map and submit the frame. */
static gboolean
start_frame(CcSession *self, gpointer data, GError **error) {
  CcSessionFrame *frame = data;
  CcBackend *backend = self->now.backend;
  Item *item = g_new0(Item, 1);
  item->frame = frame;
  item->plan = cc_plan_ref(self->now.program->plan);
  item->regions = g_array_new(FALSE, FALSE, sizeof(CcRegion));
  item->plans = g_ptr_array_new_with_free_func((GDestroyNotify)cc_plan_unref);
  item->programs = g_ptr_array_new_with_free_func((GDestroyNotify)cc_program_unref);
  gboolean ok = add_regions(self, item, error);
  if (ok && item->regions->len > 0) {
    if (map_item(item, backend->device, error))
      submit_item(item, backend, error);
    ok = item->submission != NULL;
  }
  if (!ok) {
    item_free(item);
    return FALSE;
  }
  g_queue_push_tail(&self->in_flight, item);
  const CcDevice *device = backend->device;
  if (device && (!self->contexts || self->contexts->data != device->context))
    self->contexts = g_slist_prepend(self->contexts, device->context);
  return TRUE;
}

static void
emit_paths(CcSession *self, const CcSessionFrame *frame) {
  const gboolean same =
      frame->in_path == self->stats.in_path && frame->out_path == self->stats.out_path;
  if (same || !frame->in_path) /* NULL: the frame was not mapped */
    return;
  g_mutex_lock(&self->lock);
  self->stats.in_path = frame->in_path;
  self->stats.out_path = frame->out_path;
  g_mutex_unlock(&self->lock);
  emit(self, &(CcSessionEvent){
                 .kind = CC_EVENT_PATHS, .in_path = frame->in_path, .out_path = frame->out_path});
}

gboolean
cc_session_submit(CcSession *self, CcSessionFrame *frame, GError **error) {
  const gboolean ok = attempt(self, start_frame, frame, error);
  if (ok)
    emit_paths(self, frame);
  emit_failover(self); /* handlers of the events may cause the frame to be taken */
  return ok;
}

/* Gives the results of the frame's regions to the frame. */
static void
take_results(Item *item) {
  guint8 *results = g_steal_pointer(&item->info.results);
  const gsize bytes = item->plan->result_bytes;
  if (results && item->has_outside)
    memmove(results, results + bytes, (item->regions->len - 1) * bytes);
  item->frame->results = results;
}

CcSessionFrame *
cc_session_take(CcSession *self, GError **error) {
  Item *item = g_queue_peek_head(&self->in_flight);
  CcSessionFrame *frame = NULL;
  g_autoptr(GError) reason = NULL;
  /* A failover may filter this frame and fail at a later one, so this frame is checked again. */
  if (finish_item(item, &reason) || fail_over(self, reason) || finish_item(item, NULL)) {
    g_queue_pop_head(&self->in_flight);
    count_frame(self, item);
    take_results(item);
    frame = item_free(item);
  } else {
    g_propagate_error(error, g_steal_pointer(&reason));
  }
  emit_failover(self);
  return frame;
}

/* --- moving to another context --- */

gboolean
cc_session_reaches(const CcSession *self, const CcContext *context) {
  const CcDevice *device = self->now.backend->device;
  const gint wanted_id = self->config.device_id;
  return !device || device->context == context->handle || self->stays ||
         (wanted_id >= 0 && wanted_id != context->device_id);
}

gboolean
cc_session_move(CcSession *self, const CcContext *context, GError **error) {
  CcBackendConfig config = self->config;
  config.context = context;
  if (g_slist_find(self->contexts, context->handle)) {
    self->stays = TRUE;
    emit_reason(self, CC_EVENT_CONTEXTS, NULL);
    return TRUE;
  }
  g_autoptr(GError) reason = NULL;
  Engine next = {.backend = self->now.backend->klass->open(&config, &reason)};
  if (next.backend && remake_program(self, &next, &reason)) {
    replace_engine(self, next);
    emit_backend(self, context, NULL);
    emit_program(self);
    return TRUE;
  }
  close_engine(&next);
  /* Another element works in this context. If no backend opens in it, the device has failed, even
   * if the error is CC_ERROR_UNAVAILABLE. */
  reason->code = CC_ERROR_DEVICE;
  const gboolean ok = fail_over(self, reason);
  if (!ok)
    g_propagate_error(error, g_steal_pointer(&reason));
  emit_failover(self);
  return ok;
}

/* --- construction and destruction --- */

CcSession *
cc_session_new(CcOpenBackend open, CcSessionListener listener, gpointer data) {
  CcSession *self = g_new0(CcSession, 1);
  self->open = open;
  self->listener = listener;
  self->data = data;
  g_mutex_init(&self->lock);
  g_queue_init(&self->in_flight);
  cc_session_begin(self);
  return self;
}

void
cc_session_end(CcSession *self) {
  cc_session_clear(self);
  g_clear_pointer(&self->contexts, g_slist_free);
  self->stays = FALSE;
  replace_program(self, NULL);
  g_clear_pointer(&self->filter.kernel, cc_kernel_unref);
  self->filter = (CcFilter){0};
}

void
cc_session_close(CcSession *self) {
  cc_session_end(self);
  replace_engine(self, (Engine){0});
}

void
cc_session_begin(CcSession *self) {
  cc_session_end(self);
  g_mutex_lock(&self->lock);
  cc_session_stats_clear(&self->stats);
  self->stats = (CcSessionStats){.plan = g_strdup("")};
  describe_backend(self);
  self->max = CC_MAX_SUBMISSIONS;
  g_mutex_unlock(&self->lock);
}

void
cc_session_free(CcSession *self) {
  cc_session_close(self);
  cc_session_stats_clear(&self->stats);
  g_clear_error(&self->failover);
  g_clear_error(&self->no_failover);
  g_mutex_clear(&self->lock);
  g_free(self);
}
