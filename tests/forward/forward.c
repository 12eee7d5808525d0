/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A libcuda.so.1 that forwards to the driver, so that calls fail on a real device as they do on the
 * stand-in, those of GStreamer's own library for CUDA memory too. FAKE_CUDA has the same settings.
 * `devices`, `version`, `capability`, `memory` and `pinned` can only take away from what the driver
 * has, and `peer` and `pinned-only` have no meaning here.
 *
 * The driver is the library that CUDACONV_TEST_LIBCUDA names, or else the first that is in one of
 * the usual places. A function that it lacks returns CUDA_ERROR_NOT_FOUND, with a line on standard
 * error. What a program asks cuGetProcAddress for is the driver's own and does not count.
 *
 * A call that fails does nothing, but that all work of its context is over when it returns: after a
 * failure programs give memory back that a device which is lost would not use any more, and this
 * one would. */

#include "forward.h"

#include <dlfcn.h>
#include <stdio.h>

const FakeSettings fake_defaults = {
    .devices = G_MAXINT,
    .version = G_MAXINT,
    .memory = G_MAXSIZE,
    .pinned = G_MAXSIZE,
    .pinned_only = G_MAXSIZE,
    .capability = G_MAXINT,
};

/* --- the driver --- */

/* Opened by its path, for under its name there is this library. */
static gpointer
open_driver(const gchar *path) {
  gpointer library = g_file_test(path, G_FILE_TEST_EXISTS) ? dlopen(path, RTLD_LAZY) : NULL;
  if (library && dlsym(library, "fake_forwards"))
    g_error("forward: %s is this library", path);
  return library;
}

/* Marks this library for the question above. */
EXPORT gboolean fake_forwards(void);

gboolean
fake_forwards(void) {
  return TRUE;
}

static gpointer
find_driver(void) {
  static const gchar *const places[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                        "/usr/lib64", "/usr/lib/wsl/lib",
                                        "/usr/local/nvidia/lib64"};
  const gchar *named = g_getenv(FAKE_LIBRARY_BEHIND);
  gpointer library = named ? open_driver(named) : NULL;
  for (guint i = 0; !named && !library && i < G_N_ELEMENTS(places); i++) {
    g_autofree gchar *path = g_build_filename(places[i], "libcuda.so.1", NULL);
    library = open_driver(path);
  }
  if (!library)
    fprintf(stderr, "forward: no driver: %s\n", named ? named : "no libcuda.so.1 was found");
  return library;
}

gpointer
forward_find(const gchar *symbol) {
  static gpointer library;
  static gsize once;
  if (g_once_init_enter(&once)) {
    library = find_driver();
    g_once_init_leave(&once, 1);
  }
  return library ? dlsym(library, symbol) : NULL;
}

#define REAL(symbol) ((__typeof__(symbol) *)forward_find(#symbol))

/* --- calls --- */

/* Whether a call is done though it fails, since it gives something back or waits. */
static gboolean
is_done_nevertheless(const gchar *name) {
  static const gchar *const names[] = {"cuCtxPopCurrent",
                                       "cuCtxSynchronize",
                                       "cuCtxDestroy",
                                       "cuCtxDisablePeerAccess",
                                       "cuDevicePrimaryCtxRelease",
                                       "cuModuleUnload",
                                       "cuStreamDestroy",
                                       "cuStreamSynchronize",
                                       "cuEventDestroy",
                                       "cuEventSynchronize",
                                       "cuMemFree",
                                       "cuMemFreeAsync",
                                       "cuMemFreeHost",
                                       "cuMemHostUnregister",
                                       "cuMemUnmap",
                                       "cuMemRelease",
                                       "cuMemAddressFree",
                                       "cuMemPoolDestroy",
                                       "cuIpcCloseMemHandle",
                                       "cuGraphicsUnmapResources",
                                       "cuGraphicsUnregisterResource",
                                       "cuTexObjectDestroy"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_str_equal(names[i], name))
      return TRUE;
  return FALSE;
}

/* These tell what a failure means. */
static gboolean
never_fails(const gchar *name) {
  return g_str_equal(name, "cuGetErrorName") || g_str_equal(name, "cuGetErrorString");
}

gboolean
forward_enter(ForwardCall *call, CUresult *failure) {
  if (g_once_init_enter(&call->once)) {
    call->real = forward_find(call->symbol);
    if (!call->real)
      fprintf(stderr, "forward: the driver has no %s\n", call->symbol);
    g_once_init_leave(&call->once, 1);
  }
  *failure = never_fails(call->name) ? CUDA_SUCCESS : fake_count_call(call->name);
  if (*failure != CUDA_SUCCESS) {
    forward_wait();
    return call->real && is_done_nevertheless(call->name);
  }
  if (!call->real)
    *failure = CUDA_ERROR_NOT_FOUND;
  return call->real != NULL;
}

void
forward_wait(void) {
  CUcontext context = NULL;
  if (REAL(cuCtxGetCurrent) && REAL(cuCtxGetCurrent)(&context) == CUDA_SUCCESS && context)
    REAL(cuCtxSynchronize)();
}
