/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The settings of FAKE_CUDA, for both libraries that replace the driver: the stand-in (tests/fake)
 * and the library that forwards to a driver (tests/forward). */

#include <cuda.h>
#include <glib.h>

#define EXPORT __attribute__((visibility("default")))

/* Names the driver that the forwarding library calls. If that is the stand-in, it leaves the
 * failures to the forwarding library. */
#define FAKE_LIBRARY_BEHIND "CUDACONV_TEST_LIBCUDA"

typedef struct {
  gint devices, machine, version, init, capability, peer;
  gsize memory, pinned, pinned_only;
} FakeSettings;

/* Values without settings. Each library has its own. */
extern const FakeSettings fake_defaults;

/* The settings from FAKE_CUDA. */
const FakeSettings *fake_settings(void);

/* Counts a call of `name`. Returns the failure that FAKE_CUDA sets for it, CUDA_SUCCESS for most
 * calls. */
CUresult fake_count_call(const gchar *name);

/* Whether a "lost" failure has happened. */
gboolean fake_is_lost(void);

/* Whether a failure is set for `name` or for all calls, now or later. */
gboolean fake_can_fail(const gchar *name);

/* For tests, which look it up by name. While paused, calls of this thread are not counted and do
 * not fail. */
EXPORT void fake_pause_failures(gboolean pause);
