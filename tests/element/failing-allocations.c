/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "failing-allocations.h"

#include <errno.h>
#include <stdlib.h>

static gint left = G_MAXINT; /* atomic */

void
test_allocations_allow(gint n) {
  g_atomic_int_set(&left, n);
}

gboolean
test_allocations_has_failed(void) {
  return g_atomic_int_get(&left) < 0;
}

gboolean
test_allocations_works(void) {
  void *(*volatile allocate)(size_t, size_t) = aligned_alloc;
  test_allocations_allow(0);
  void *memory = allocate(64, 64);
  test_allocations_allow(G_MAXINT);
  free(memory);
  return memory == NULL;
}

void *
aligned_alloc(size_t alignment, size_t bytes) {
  void *memory = NULL;
  if (g_atomic_int_add(&left, -1) <= 0) {
    errno = ENOMEM;
    return NULL;
  }
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}
