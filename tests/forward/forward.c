/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A libcuda.so.1 that forwards to the driver, so that calls fail on a real device as they do with
 * the stand-in. This includes calls by GStreamer's own library for CUDA memory. FAKE_CUDA has the
 * same settings. `devices`, `version`, `capability`, `memory` and `pinned` can only lower the
 * values of the driver. `peer` and `pinned-only` have no effect here.
 *
 * The driver is the library that CUDACONV_TEST_LIBCUDA names, or else the first libcuda.so.1 in
 * LD_LIBRARY_PATH and in the usual folders, except this one. A function that it lacks returns
 * CUDA_ERROR_NOT_FOUND, with a line on standard error. Functions from cuGetProcAddress are the
 * driver's own and are not counted.
 *
 * A failing call does nothing except wait for all work of its context. After a failure programs
 * free memory that a lost device would no longer use, but that the real device still might. */

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

/* Marks this library, which has the name of the driver. */
EXPORT void fake_forwards(void);

void
fake_forwards(void) {
}

/* Opens the library at a path. Returns NULL if there is none, or if it is this one. */
static gpointer
open_driver(const gchar *path) {
  gpointer library = g_file_test(path, G_FILE_TEST_EXISTS) ? dlopen(path, RTLD_LAZY) : NULL;
  return library && dlsym(library, "fake_forwards") ? NULL : library;
}

/* Finds the driver by its path, because its name refers to this library. */
static gpointer
find_driver(void) {
  static const gchar usual[] = "/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib64:"
                               "/usr/lib/wsl/lib:/usr/local/nvidia/lib64:/usr/local/nvidia/lib";
  const gchar *named = g_getenv(FAKE_LIBRARY_BEHIND), *first = g_getenv("LD_LIBRARY_PATH");
  g_autofree gchar *paths = g_strconcat(first ? first : "", ":", usual, NULL);
  g_auto(GStrv) folders = g_strsplit(named ? "" : paths, ":", -1);
  gpointer library = named ? open_driver(named) : NULL;
  for (gchar **folder = folders; *folder && !library; folder++) {
    g_autofree gchar *path = g_build_filename(*folder, "libcuda.so.1", NULL);
    library = **folder ? open_driver(path) : NULL;
  }
  if (!library)
    fprintf(stderr, "forward: no driver is in %s\n", named ? named : paths);
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

/* --- calls --- */

/* Whether a call is made although it fails, because it frees something or waits. */
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

/* These functions describe a failure. */
static gboolean
never_fails(const gchar *name) {
  return g_str_equal(name, "cuGetErrorName") || g_str_equal(name, "cuGetErrorString");
}

gboolean
forward_enter(ForwardCall *call, CUresult *failure) {
  if (g_once_init_enter(&call->once)) {
    call->real = forward_find(call->symbol);
    if (!call->real &&
        forward_find("cuInit")) /* otherwise the missing driver was reported already */
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
