/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The environment variable FAKE_CUDA holds settings separated by commas:
 *
 *   devices=N           number of devices
 *   machine=N           the machine that the devices are on, part of their PCI bus ids. Processes
 *                       on one machine see each other's use of devices. Without this setting each
 *                       process is on a machine of its own
 *   version=N           result of cuDriverGetVersion
 *   init=CODE           result of cuInit
 *   capability=N        major compute capability of all devices
 *   peer=1              devices can access each other's memory
 *   memory=BYTES        device memory of all devices together
 *   pinned=BYTES        pinned host memory, allocated and registered together
 *   pinned-only=BYTES   from this size on, an asynchronous copy between a device and host memory
 *                       that is not pinned ends the process (CUDA allows it, but slowly); 1: always
 *   fail=NAME:N:CODE    the N-th call of NAME returns CODE and does nothing; with "+" after N, all
 *                       later calls too. Functions that free something still free it
 *   lost=NAME:N:CODE    from the N-th call of NAME on, every function fails like that: the device
 *                       is lost
 *
 * The last two can be given several times. NAME has no suffix: cuMemAlloc, not cuMemAlloc_v2. */

#include "settings.h"

#include <stdio.h>

typedef struct {
  gchar name[64];
  gint call, code;
  gboolean on;   /* later calls fail too */
  gboolean lost; /* all other functions fail too */
  gint count;    /* calls so far */
} Failure;

static GMutex failures_lock; /* of the next two */
static GArray *failures;
static CUresult lost;

static _Thread_local gboolean paused;

static gboolean
read_failure(const gchar *word) {
  Failure f = {0};
  gchar kind[5], plus = 0;
  if (sscanf(word, "%4[a-z]=%63[A-Za-z0-9]:%d:%d", kind, f.name, &f.call, &f.code) != 4 &&
      (sscanf(word, "%4[a-z]=%63[A-Za-z0-9]:%d%c:%d", kind, f.name, &f.call, &plus, &f.code) != 5 ||
       plus != '+'))
    return FALSE;
  f.on = plus == '+';
  f.lost = g_str_equal(kind, "lost");
  if (!f.lost && !g_str_equal(kind, "fail"))
    return FALSE;
  g_array_append_val(failures, f);
  return TRUE;
}

const FakeSettings *
fake_settings(void) {
  static FakeSettings s;
  static gsize once;
  if (g_once_init_enter(&once)) {
    s = fake_defaults;
    failures = g_array_new(FALSE, FALSE, sizeof(Failure));
    g_auto(GStrv) words = g_strsplit(g_getenv("FAKE_CUDA") ? g_getenv("FAKE_CUDA") : "", ",", -1);
    for (gchar **word = words; *word; word++)
      if (**word && !read_failure(*word) && sscanf(*word, "devices=%d", &s.devices) != 1 &&
          sscanf(*word, "machine=%d", &s.machine) != 1 &&
          sscanf(*word, "version=%d", &s.version) != 1 && sscanf(*word, "init=%d", &s.init) != 1 &&
          sscanf(*word, "memory=%zu", &s.memory) != 1 &&
          sscanf(*word, "pinned=%zu", &s.pinned) != 1 &&
          sscanf(*word, "pinned-only=%zu", &s.pinned_only) != 1 &&
          sscanf(*word, "peer=%d", &s.peer) != 1 &&
          sscanf(*word, "capability=%d", &s.capability) != 1)
        g_error("FAKE_CUDA: \"%s\" is no setting; there are devices=, machine=, version=, init=, "
                "capability=, "
                "peer=, memory=, pinned=, pinned-only=, fail= and lost=",
                *word);
    g_once_init_leave(&once, 1);
  }
  return &s;
}

CUresult
fake_count_call(const gchar *name) {
  fake_settings();
  if (paused)
    return CUDA_SUCCESS;
  g_mutex_lock(&failures_lock);
  CUresult result = lost;
  for (guint i = 0; i < failures->len; i++) {
    Failure *f = &g_array_index(failures, Failure, i);
    if (!g_str_equal(f->name, name))
      continue;
    f->count++;
    if (result == CUDA_SUCCESS && (f->count == f->call || (f->on && f->count > f->call))) {
      result = (CUresult)f->code;
      if (f->lost)
        lost = result;
    }
  }
  g_mutex_unlock(&failures_lock);
  return result;
}

gboolean
fake_is_lost(void) {
  g_mutex_lock(&failures_lock);
  const gboolean is_lost = lost != CUDA_SUCCESS;
  g_mutex_unlock(&failures_lock);
  return is_lost;
}

gboolean
fake_can_fail(const gchar *name) {
  gboolean can = FALSE;
  fake_settings();
  g_mutex_lock(&failures_lock);
  for (guint i = 0; i < failures->len; i++) {
    const Failure *f = &g_array_index(failures, Failure, i);
    can = can || f->lost || g_str_equal(f->name, name);
  }
  g_mutex_unlock(&failures_lock);
  return can;
}

void
fake_pause_failures(gboolean pause) {
  paused = pause;
}
