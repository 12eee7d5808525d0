/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replaces GLib's locks by locks of pthreads, and annotates GLib's thread pools for
 * ThreadSanitizer. Must be loaded before GLib. ThreadSanitizer knows the locks of pthreads, but not
 * GLib's own, which are futexes in a library built without the sanitizer. Without this file it
 * would report correct code.
 *
 * Each lock is a pthread object on the heap. Its address is stored where GLib keeps the state of
 * the lock, so static and zeroed locks are made at first use. */

#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Returns the object behind a lock. The first thread that needs the object makes it. */
static gpointer
object_of(gpointer *place, gpointer (*make)(void), void (*discard)(gpointer)) {
  gpointer object = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (object)
    return object;
  gpointer expected = NULL;
  object = make();
  if (__atomic_compare_exchange_n(place, &expected, object, FALSE, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return object;
  discard(object);
  return expected;
}

static void
check(int error) {
  if (error != 0)
    abort();
}

/* --- GMutex, GRecMutex --- */

static gpointer
make_mutex_of(int type) {
  pthread_mutex_t *mutex = malloc(sizeof *mutex);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  check(pthread_mutex_init(mutex, &attributes));
  pthread_mutexattr_destroy(&attributes);
  return mutex;
}

static gpointer
make_mutex(void) {
  return make_mutex_of(PTHREAD_MUTEX_NORMAL);
}

static gpointer
make_rec_mutex(void) {
  return make_mutex_of(PTHREAD_MUTEX_RECURSIVE);
}

static void
discard_mutex(gpointer mutex) {
  pthread_mutex_destroy(mutex);
  free(mutex);
}

static pthread_mutex_t *
mutex_of(GMutex *mutex) {
  return object_of(&mutex->p, make_mutex, discard_mutex);
}

static pthread_mutex_t *
rec_mutex_of(GRecMutex *mutex) {
  return object_of(&mutex->p, make_rec_mutex, discard_mutex);
}

void
g_mutex_init(GMutex *mutex) {
  mutex->p = NULL;
}

void
g_mutex_clear(GMutex *mutex) {
  g_clear_pointer(&mutex->p, discard_mutex);
}

void
g_mutex_lock(GMutex *mutex) {
  check(pthread_mutex_lock(mutex_of(mutex)));
}

gboolean
g_mutex_trylock(GMutex *mutex) {
  return pthread_mutex_trylock(mutex_of(mutex)) == 0;
}

void
g_mutex_unlock(GMutex *mutex) {
  check(pthread_mutex_unlock(mutex_of(mutex)));
}

void
g_rec_mutex_init(GRecMutex *mutex) {
  mutex->p = NULL;
}

void
g_rec_mutex_clear(GRecMutex *mutex) {
  g_clear_pointer(&mutex->p, discard_mutex);
}

void
g_rec_mutex_lock(GRecMutex *mutex) {
  check(pthread_mutex_lock(rec_mutex_of(mutex)));
}

gboolean
g_rec_mutex_trylock(GRecMutex *mutex) {
  return pthread_mutex_trylock(rec_mutex_of(mutex)) == 0;
}

void
g_rec_mutex_unlock(GRecMutex *mutex) {
  check(pthread_mutex_unlock(rec_mutex_of(mutex)));
}

/* --- GRWLock --- */

static gpointer
make_rw_lock(void) {
  pthread_rwlock_t *lock = malloc(sizeof *lock);
  check(pthread_rwlock_init(lock, NULL));
  return lock;
}

static void
discard_rw_lock(gpointer lock) {
  pthread_rwlock_destroy(lock);
  free(lock);
}

static pthread_rwlock_t *
rw_lock_of(GRWLock *lock) {
  return object_of(&lock->p, make_rw_lock, discard_rw_lock);
}

void
g_rw_lock_init(GRWLock *lock) {
  lock->p = NULL;
}

void
g_rw_lock_clear(GRWLock *lock) {
  g_clear_pointer(&lock->p, discard_rw_lock);
}

void
g_rw_lock_writer_lock(GRWLock *lock) {
  check(pthread_rwlock_wrlock(rw_lock_of(lock)));
}

gboolean
g_rw_lock_writer_trylock(GRWLock *lock) {
  return pthread_rwlock_trywrlock(rw_lock_of(lock)) == 0;
}

void
g_rw_lock_writer_unlock(GRWLock *lock) {
  check(pthread_rwlock_unlock(rw_lock_of(lock)));
}

void
g_rw_lock_reader_lock(GRWLock *lock) {
  check(pthread_rwlock_rdlock(rw_lock_of(lock)));
}

gboolean
g_rw_lock_reader_trylock(GRWLock *lock) {
  return pthread_rwlock_tryrdlock(rw_lock_of(lock)) == 0;
}

void
g_rw_lock_reader_unlock(GRWLock *lock) {
  check(pthread_rwlock_unlock(rw_lock_of(lock)));
}

/* --- GCond --- */

static gpointer
make_cond(void) {
  pthread_cond_t *cond = malloc(sizeof *cond);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  check(pthread_cond_init(cond, &attributes));
  pthread_condattr_destroy(&attributes);
  return cond;
}

static void
discard_cond(gpointer cond) {
  pthread_cond_destroy(cond);
  free(cond);
}

static pthread_cond_t *
cond_of(GCond *cond) {
  return object_of(&cond->p, make_cond, discard_cond);
}

void
g_cond_init(GCond *cond) {
  cond->p = NULL;
}

void
g_cond_clear(GCond *cond) {
  g_clear_pointer(&cond->p, discard_cond);
}

void
g_cond_wait(GCond *cond, GMutex *mutex) {
  check(pthread_cond_wait(cond_of(cond), mutex_of(mutex)));
}

gboolean
g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end_time) {
  const gint64 us = MAX(end_time, 0);
  const struct timespec end = {us / G_USEC_PER_SEC, us % G_USEC_PER_SEC * 1000};
  const int error = pthread_cond_timedwait(cond_of(cond), mutex_of(mutex), &end);
  if (error != ETIMEDOUT)
    check(error);
  return error == 0;
}

void
g_cond_signal(GCond *cond) {
  check(pthread_cond_signal(cond_of(cond)));
}

void
g_cond_broadcast(GCond *cond) {
  check(pthread_cond_broadcast(cond_of(cond)));
}

/* --- GThreadPool --- */

/* A pool passes data between threads through a queue inside GLib, whose lock ThreadSanitizer does
 * not see. */
void __tsan_acquire(gpointer place)
    __attribute__((weak)); /* NULL in programs without ThreadSanitizer */
void __tsan_release(gpointer place) __attribute__((weak));
static gchar pools; /* one synchronization object for all pools */

static void
take_over(void) {
  if (__tsan_acquire)
    __tsan_acquire(&pools);
}

static void
hand_over(void) {
  if (__tsan_release)
    __tsan_release(&pools);
}

typedef struct {
  GFunc func;
  gpointer data;
} PoolFunc;

static void
work_in_pool(gpointer item, gpointer data) {
  const PoolFunc *func = data;
  take_over();
  func->func(item, func->data);
  hand_over();
}

GThreadPool *
g_thread_pool_new(GFunc func, gpointer data, gint max_threads, gboolean exclusive, GError **error) {
  GThreadPool *(*real)(GFunc, gpointer, gint, gboolean, GError **) =
      dlsym(RTLD_NEXT, "g_thread_pool_new");
  PoolFunc *kept = malloc(sizeof *kept); /* kept as long as the process */
  *kept = (PoolFunc){func, data};
  return real(work_in_pool, kept, max_threads, exclusive, error);
}

gboolean
g_thread_pool_push(GThreadPool *pool, gpointer item, GError **error) {
  gboolean (*real)(GThreadPool *, gpointer, GError **) = dlsym(RTLD_NEXT, "g_thread_pool_push");
  hand_over();
  return real(pool, item, error);
}

void
g_thread_pool_free(GThreadPool *pool, gboolean immediate, gboolean wait) {
  void (*real)(GThreadPool *, gboolean, gboolean) = dlsym(RTLD_NEXT, "g_thread_pool_free");
  real(pool, immediate, wait);
  take_over();
}
