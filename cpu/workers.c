/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workers.h"

#include "engine/run/backend.h"
#include "cpu/kernels/row_kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CORES CC_MAX_THREADS

/* At most this many calls can have the help of workers at the same time. */
#define MAX_SLOTS 64

/* Running calls prolong the spinning of a worker only up to this time. */
#define MAX_LOOK_OUT_NS (10 * CC_LOOK_OUT_NS)

/* One thread wakes at most this many workers for a call. Waking takes long, so the workers that
 * were woken wake further ones. */
#define CALLS_EACH 2

/* Data that several threads change has its own two cache lines, because processors prefetch pairs
 * of lines. */
#define APART _Alignas(128)

/* The fields packed into the gate of a slot: how many workers are inside, how many more may enter
 * (free seats), and flags. Without OPEN the gate is shut. */
enum {
  INSIDE = 1,
  SEAT = 1 << 10,
  OPEN = 1 << 20,
  WAITED = 1 << 21, /* the caller sleeps until nobody is inside */
};

/* A call of cc_workers_run that workers may help with. Members that are not atomic are changed only
 * while the gate is shut and nobody is inside. */
typedef struct {
  APART gint taken; /* atomic */
  CcParallelFor loop;
  GMutex mutex;          /* for `left` */
  GCond left;            /* signalled by the last worker that leaves the slot */
  APART gint gate;       /* atomic */
  APART gint next_slice; /* atomic */
  gsize busy;            /* sum of the nanoseconds that workers were busy; atomic */
} Slot;

typedef enum { ABSENT, ASLEEP, AWAKE } State;

typedef struct {
  APART gint state; /* atomic */
  GThread *thread;  /* NULL while absent */
  GMutex mutex;     /* for `called` */
  GCond called;
  CcScratch scratch; /* allocated and used only by `thread` */
} Worker;

static Slot slots[MAX_SLOTS];
static Worker workers[MAX_CORES - 1];

static APART gint n_calls;   /* running calls that have a slot; atomic, like the next four */
static APART gint n_opened;  /* calls that had a slot so far */
static APART gint n_running; /* callers, and workers that are awake */
static APART gint n_coming;  /* workers that are awake and not inside a slot */
static APART gint ending;

static GMutex users_lock; /* guards n_users, and changes of n_cores */
static guint n_users, n_cores, n_cores_wanted;

/* --- scratch memory --- */

gboolean
cc_scratch_grow(CcScratch *self, gsize size) {
  if (self->size >= size)
    return TRUE;
  guint8 *memory = aligned_alloc(CC_ROW_ALIGN, size);
  if (!memory)
    return FALSE;
  /* Kernels read past the ends of rows. These values have no effect, but must be initialised. */
  memset(memory, 0, size);
  free(self->memory);
  self->memory = memory;
  self->size = size;
  return TRUE;
}

void
cc_scratch_clear(CcScratch *self) {
  free(self->memory);
  *self = (CcScratch){0};
}

/* --- slots --- */

/* A hint to the processor that the thread spins. */
static inline void
relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static guint
n_inside(gint gate) {
  return (guint)gate % SEAT;
}

static guint
n_seats(gint gate) {
  return gate & OPEN ? (guint)gate % OPEN / SEAT : 0;
}

/* Returns whether more threads run than there are cores. */
static gboolean
is_crowded(void) {
  return (guint)g_atomic_int_get(&n_running) > n_cores;
}

/* Takes a free slot. Returns NULL if all slots are taken. */
static Slot *
take_slot(void) {
  for (guint i = 0; i < MIN(n_cores, MAX_SLOTS); i++)
    if (!g_atomic_int_get(&slots[i].taken) &&
        g_atomic_int_compare_and_exchange(&slots[i].taken, FALSE, TRUE))
      return &slots[i];
  return NULL;
}

/* Returns, of the slots with a free seat, the one with the fewest workers, or NULL. */
static Slot *
find_slot(void) {
  Slot *best = NULL;
  guint fewest = G_MAXUINT;
  for (guint i = 0; i < MIN(n_cores, MAX_SLOTS); i++) {
    const gint gate = g_atomic_int_get(&slots[i].gate);
    if (n_seats(gate) > 0 && n_inside(gate) < fewest) {
      best = &slots[i];
      fewest = n_inside(gate);
    }
  }
  return best;
}

static Slot *
enter_slot(void) {
  Slot *slot;
  while ((slot = find_slot())) {
    const gint gate = g_atomic_int_get(&slot->gate);
    if (n_seats(gate) > 0 &&
        g_atomic_int_compare_and_exchange(&slot->gate, gate, gate - SEAT + INSIDE))
      break;
  }
  return slot;
}

/* If the worker was the last one inside, another call may take the slot immediately. */
static void
leave_slot(Slot *slot, gboolean frees_seat) {
  const gint before = g_atomic_int_add(&slot->gate, frees_seat ? SEAT - INSIDE : -INSIDE);
  if (!(before & WAITED) || n_inside(before) > 1)
    return;
  g_mutex_lock(&slot->mutex);
  g_cond_signal(&slot->left);
  g_mutex_unlock(&slot->mutex);
}

static void
open_slot(Slot *slot, const CcParallelFor *loop, guint seats) {
  slot->loop = *loop;
  slot->busy = 0;
  g_atomic_int_set(&slot->next_slice, 0);
  g_atomic_int_set(&slot->gate, OPEN + (gint)seats * SEAT);
  g_atomic_int_inc(&n_calls);
  g_atomic_int_inc(&n_opened);
}

/* Shuts the gate, waits until all workers have left, and frees the slot. Returns the sum of the
 * nanoseconds that workers were busy. */
static guint64
close_slot(Slot *slot) {
  const guint64 start = cc_now();
  g_atomic_int_add(&slot->gate, -OPEN);
  while (n_inside(g_atomic_int_get(&slot->gate)) && !is_crowded() &&
         cc_now() - start < CC_LOOK_OUT_NS)
    relax();
  if (n_inside(g_atomic_int_get(&slot->gate))) {
    g_atomic_int_add(&slot->gate, WAITED);
    g_mutex_lock(&slot->mutex);
    while (n_inside(g_atomic_int_get(&slot->gate)))
      g_cond_wait(&slot->left, &slot->mutex);
    g_mutex_unlock(&slot->mutex);
  }
  const gsize busy = slot->busy;
  g_atomic_int_add(&n_calls, -1);
  g_atomic_int_set(&slot->taken, FALSE);
  return busy;
}

/* --- workers --- */

static gpointer worker_main(gpointer data);

/* Wakes a sleeping worker, or starts a new worker. Returns FALSE if there is no such worker, or if
 * its thread cannot be started. */
static gboolean
call_worker(void) {
  for (guint i = 0; i < n_cores - 1; i++) {
    Worker *worker = &workers[i];
    const gint state = g_atomic_int_get(&worker->state);
    if (state == AWAKE || !g_atomic_int_compare_and_exchange(&worker->state, state, AWAKE))
      continue;
    g_atomic_int_inc(&n_running);
    g_atomic_int_inc(&n_coming);
    if (state == ASLEEP) {
      g_mutex_lock(&worker->mutex);
      g_mutex_unlock(&worker->mutex);
      g_cond_signal(&worker->called);
      return TRUE;
    }
    worker->thread = g_thread_try_new("cudaconv", worker_main, worker, NULL);
    if (worker->thread)
      return TRUE;
    g_atomic_int_add(&n_running, -1);
    g_atomic_int_add(&n_coming, -1);
    g_atomic_int_set(&worker->state, ABSENT);
    return FALSE;
  }
  return FALSE;
}

/* Calls workers for a slot if cores are free and more workers can help than are already coming.
 * Each worker that enters a slot also calls this function. */
static void
call_workers(Slot *slot) {
  for (guint i = 0; i < CALLS_EACH; i++) {
    const gint n_left = (gint)slot->loop.n_slices - g_atomic_int_get(&slot->next_slice);
    const gint wanted = MIN((gint)n_seats(g_atomic_int_get(&slot->gate)), n_left);
    if (wanted <= g_atomic_int_get(&n_coming) || (guint)g_atomic_int_get(&n_running) >= n_cores ||
        !call_worker())
      return;
  }
}

/* Returns TRUE if more threads run than there are cores. The calling worker is then no longer
 * counted in n_running. */
static gboolean
must_yield(void) {
  while (is_crowded()) {
    const gint n = g_atomic_int_get(&n_running);
    if ((guint)n > n_cores && g_atomic_int_compare_and_exchange(&n_running, n, n - 1))
      return TRUE;
  }
  return FALSE;
}

/* Returns TRUE if the thread stopped early to give way to other threads. */
static gboolean
run_slices(Slot *slot, guint8 *scratch, gboolean yields) {
  const CcParallelFor *loop = &slot->loop;
  guint i;
  while ((i = (guint)g_atomic_int_add(&slot->next_slice, 1)) < loop->n_slices) {
    loop->run(loop->data, i, scratch);
    if (yields && must_yield())
      return TRUE;
  }
  return FALSE;
}

/* Like run_slices. If scratch memory cannot be allocated, the worker runs no slice. */
static gboolean
help(Worker *self, Slot *slot) {
  gboolean yielded = FALSE;
  g_atomic_int_add(&n_coming, -1);
  if (cc_scratch_grow(&self->scratch, slot->loop.scratch_size)) {
    call_workers(slot);
    const guint64 start = cc_now();
    yielded = run_slices(slot, self->scratch.memory, TRUE);
    g_atomic_pointer_add(&slot->busy, (gssize)(cc_now() - start));
  }
  g_atomic_int_inc(&n_coming);
  leave_slot(slot, yielded);
  return yielded;
}

/* Spins, and returns TRUE as soon as n_opened differs from `seen`: a new call has come. Returns
 * FALSE if no call came or ran for CC_LOOK_OUT_NS, or if more threads run than there are cores.
 * After MAX_LOOK_OUT_NS, running calls no longer extend the time. */
static gboolean
look_out(gint seen) {
  const guint64 start = cc_now();
  guint64 ended = start;
  while (g_atomic_int_get(&n_opened) == seen) {
    const guint64 now = cc_now();
    if (is_crowded() || now - ended >= CC_LOOK_OUT_NS)
      return FALSE;
    if (g_atomic_int_get(&n_calls) && now - start < MAX_LOOK_OUT_NS)
      ended = now;
    relax();
  }
  return TRUE;
}

/* Sleeps until the worker is called or all workers must end. Returns at once if n_opened differs
 * from `seen`: a new call has come. */
static void
rest(Worker *self, gint seen) {
  g_atomic_int_set(&self->state, ASLEEP);
  g_atomic_int_add(&n_coming, -1);
  if (g_atomic_int_get(&n_opened) != seen &&
      g_atomic_int_compare_and_exchange(&self->state, ASLEEP, AWAKE)) {
    g_atomic_int_inc(&n_running);
    g_atomic_int_inc(&n_coming);
    return;
  }
  g_mutex_lock(&self->mutex);
  while (g_atomic_int_get(&self->state) == ASLEEP && !g_atomic_int_get(&ending))
    g_cond_wait(&self->called, &self->mutex);
  g_mutex_unlock(&self->mutex);
}

static gpointer
worker_main(gpointer data) {
  Worker *self = data;
  while (!g_atomic_int_get(&ending)) {
    const gint seen = g_atomic_int_get(&n_opened);
    gboolean yielded = must_yield();
    Slot *slot = yielded ? NULL : enter_slot();
    if (slot)
      yielded = help(self, slot);
    if (!yielded && (slot || look_out(seen)))
      continue;
    if (!yielded)
      g_atomic_int_add(&n_running, -1);
    rest(self, seen);
  }
  cc_scratch_clear(&self->scratch);
  return NULL;
}

/* --- users --- */

void
cc_workers_set_n_cores(guint n) {
  n_cores_wanted = n;
}

/* Resets the workers in the child process of a fork. Only the forking thread exists there. */
static void
forget_workers(void) {
  for (guint i = 0; i < MAX_CORES - 1; i++) {
    workers[i].state = ABSENT;
    workers[i].thread = NULL;
    /* not freed: the parent may have been changing it during the fork */
    workers[i].scratch = (CcScratch){0};
    g_mutex_init(&workers[i].mutex);
    g_cond_init(&workers[i].called);
  }
  memset(slots, 0, sizeof slots);
  n_calls = n_running = n_coming = ending = 0;
  g_mutex_init(&users_lock);
}

void
cc_workers_ref(void) {
  static gsize once;
  if (g_once_init_enter(&once)) {
    pthread_atfork(NULL, NULL, forget_workers);
    g_once_init_leave(&once, 1);
  }
  g_mutex_lock(&users_lock);
  if (n_users == 0) {
    const guint n = n_cores_wanted ? n_cores_wanted : g_get_num_processors();
    n_cores = CLAMP(n, 1, MAX_CORES);
  }
  n_users++; /* incremented last, because another thread may fork at any time */
  g_mutex_unlock(&users_lock);
}

static void
end_workers(void) {
  g_atomic_int_set(&ending, TRUE);
  for (guint i = 0; i < n_cores - 1; i++) {
    Worker *worker = &workers[i];
    if (!worker->thread)
      continue;
    g_mutex_lock(&worker->mutex);
    g_cond_signal(&worker->called);
    g_mutex_unlock(&worker->mutex);
    g_thread_join(worker->thread);
    worker->thread = NULL;
    worker->state = ABSENT;
  }
  n_running = n_coming = 0;
  g_atomic_int_set(&ending, FALSE);
}

void
cc_workers_unref(void) {
  g_mutex_lock(&users_lock);
  if (--n_users == 0)
    end_workers();
  g_mutex_unlock(&users_lock);
}

guint
cc_workers_n_cores(void) {
  return n_cores;
}

static guint64
run_at(Slot *slot, const CcParallelFor *loop, guint seats, guint8 *scratch) {
  open_slot(slot, loop, seats);
  call_workers(slot);
  const guint64 start = cc_now();
  run_slices(slot, scratch, FALSE);
  const guint64 own = cc_now() - start;
  return own + close_slot(slot);
}

guint64
cc_workers_run(const CcParallelFor *loop, guint8 *scratch) {
  const guint n_threads = MIN(MIN(loop->n_threads, loop->n_slices), n_cores);
  g_atomic_int_inc(&n_running);
  Slot *slot = n_threads > 1 ? take_slot() : NULL;
  guint64 busy = cc_now();
  for (guint i = 0; i < loop->n_slices && !slot; i++)
    loop->run(loop->data, i, scratch);
  busy = slot ? run_at(slot, loop, n_threads - 1, scratch) : cc_now() - busy;
  g_atomic_int_add(&n_running, -1);
  return busy;
}
