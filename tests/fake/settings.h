/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The settings of FAKE_CUDA, for both libraries that are there in place of the driver: the stand-in
 * (tests/fake) and the one that forwards to a driver (tests/forward). */

#include <cuda.h>
#include <glib.h>

#define EXPORT __attribute__((visibility("default")))

/* Names a library behind the one that forwards. That one reads the failures then, and the stand-in,
 * when it is the library behind, leaves them to it. */
#define FAKE_LIBRARY_BEHIND "CUDACONV_TEST_LIBCUDA"

typedef struct {
  gint devices, machine, version, init, capability, peer;
  gsize memory, pinned, pinned_only;
} FakeSettings;

/* What holds without a setting; each library has its own. */
extern const FakeSettings fake_defaults;

/* Those of FAKE_CUDA. */
const FakeSettings *fake_settings(void);

/* Counts a call of `name`; what FAKE_CUDA lets it return, CUDA_SUCCESS for most. */
CUresult fake_count_call(const gchar *name);

/* Whether a "lost" failure has happened. */
gboolean fake_is_lost(void);

/* Whether there is a failure for `name` or for all calls, now or later. */
gboolean fake_can_fail(const gchar *name);

/* For tests, which find it by its name: as long as it is on, the calls of this thread neither count
 * nor fail. */
EXPORT void fake_pause_failures(gboolean pause);
